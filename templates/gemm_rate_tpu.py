"""Times one matrix multiply: python gemm_rate_tpu.py M N K DTYPE >> gemm.csv (JAX, on a TPU)."""

import os
import sys
import time

import jax

m, n, k, dtype = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
kind = {"bf16": jax.numpy.bfloat16}[dtype]
keys = jax.random.split(jax.random.PRNGKey(0))
a, b = jax.random.normal(keys[0], (m, k), kind), jax.random.normal(keys[1], (k, n), kind)
multiply = jax.jit(jax.numpy.matmul)

for seconds in (30, 30):  # the first half minute compiles and warms up
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        for _ in range(20):
            product = multiply(a, b)
        product.block_until_ready()
        calls += 20
    each = (time.perf_counter() - start) / calls
if not os.fstat(1).st_size:
    print("device,dtype,m,n,k,seconds,tflops")
print(f"{jax.devices()[0].device_kind},{dtype},{m},{n},{k},{each:.9f},{2 * m * n * k / each / 1e12:.2f}")

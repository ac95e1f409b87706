"""Times one matrix multiply: python gemm_rate.py M N K DTYPE >> gemm.csv. The first line of the file names columns."""

import os
import sys
import time

HALF_MINUTE = 30.0  # s to warm up, and as long again to measure

m, n, k, dtype = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
try:
    import torch

    device, wait = torch.cuda.get_device_name(), torch.cuda.synchronize
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn}[dtype]
    a = torch.randn(m, k, device="cuda").to(kind)
    b = torch.randn(n, k, device="cuda").to(kind).t()
    one = torch.ones((), device="cuda")

    def multiply():
        if dtype == "fp8":
            return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        return a @ b

except ImportError:  # JAX, on a TPU
    import jax

    kind = {"bf16": jax.numpy.bfloat16}[dtype]
    keys = jax.random.split(jax.random.PRNGKey(0))
    a, b = jax.random.normal(keys[0], (m, k), kind), jax.random.normal(keys[1], (k, n), kind)
    product, device = jax.jit(jax.numpy.matmul), jax.devices()[0].device_kind
    last = None

    def multiply():
        global last
        last = product(a, b)

    def wait():
        last.block_until_ready()


def calls_in(seconds):
    """Calls, and the seconds that they took."""
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        for _ in range(20):
            multiply()
        wait()
        calls += 20
    return calls, time.perf_counter() - start


multiply()
wait()
calls_in(HALF_MINUTE)
calls, taken = calls_in(HALF_MINUTE)
each = taken / calls
if not os.fstat(1).st_size:
    print("device,dtype,m,n,k,seconds,tflops")
print(f"{device},{dtype},{m},{n},{k},{each:.9f},{2 * m * n * k / each / 1e12:.2f}", flush=True)

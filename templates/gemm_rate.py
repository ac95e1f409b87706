"""Times one matrix multiply: python gemm_rate.py M N K DTYPE >> gemm.csv (PyTorch, on an NVIDIA or AMD GPU)."""

import os
import sys
import time

import torch

m, n, k, dtype = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
kind = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn}[dtype]
a, b = (torch.randn(rows, k, device="cuda").to(kind) for rows in (m, n))
one = torch.ones((), device="cuda")


def multiply():
    if dtype == "fp8":
        return torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    return a @ b.t()


for seconds in (30, 30):  # the first half minute lets the clock settle
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        for _ in range(20):
            multiply()
        torch.cuda.synchronize()
        calls += 20
    each = (time.perf_counter() - start) / calls
if not os.fstat(1).st_size:
    print("device,dtype,m,n,k,seconds,tflops")
print(f"{torch.cuda.get_device_name()},{dtype},{m},{n},{k},{each:.9f},{2 * m * n * k / each / 1e12:.2f}")

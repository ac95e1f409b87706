"""Measured matrix multiplies: shapes near one that was timed run at its measured speed.

Symbols: t_i measured seconds of shape i and p_i its predicted ones; d_i largest of |log(M/M_i)|, |log(N/N_i)|,
|log(K/K_i)|.
"""

import numpy as np

from engine.columns import Column
from engine.inputs import Run
from engine.kernels import DTYPE_BYTES, Device, gemm_seconds
from engine.operators.work import Gemm

NEAR = np.log(1.25)  # a shape within 25 % in every dimension is the same kernel at work


def timed(gemm: Gemm, dev: Device, run: Run, bf16: bool) -> Column:
    """Measured over predicted seconds of the nearest timed shape; 1 where none of its precision is near.

    factor = t_i/p_i of the i with the smallest d_i <= log 1.25.
    """
    shapes = () if run.calibration is None else run.calibration.shape
    wanted = "bf16" if bf16 and run.precision in ("fp8", "fp4") else run.precision
    result, nearest = np.ones_like(gemm.m * gemm.n * gemm.k), np.full_like(gemm.m * gemm.n * gemm.k, NEAR)
    for shape in shapes:
        if shape.precision != wanted:
            continue
        pairs = ((gemm.m, shape.m), (gemm.n, shape.n), (gemm.k, shape.k))
        apart = np.max(np.stack(np.broadcast_arrays(*(np.abs(np.log(own / other)) for own, other in pairs))), axis=0)
        weights = DTYPE_BYTES[wanted] * shape.n * shape.k
        predicted, _ = gemm_seconds(Gemm("", shape.m, shape.n, shape.k, weights), dev, None, bf16)
        closer = apart <= nearest
        result, nearest = np.where(closer, shape.seconds / predicted, result), np.where(closer, apart, nearest)
    return result

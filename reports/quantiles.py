"""The quantile of some values, as errors, bands of samples, low ends of parts and figures state it."""

import numpy as np
from numpy.typing import ArrayLike


def quantile(values: ArrayLike, share: float) -> float:
    """The quantile of values in any order, by linear interpolation between the two that are nearest."""
    return float(np.quantile(np.asarray(values, dtype=np.float64), share))

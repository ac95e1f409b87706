"""Columns: what every formula takes and returns.

A column is a float64 array with one element a design point; a single run is a column of length 1.
Formulas never branch on the values of a column and never loop over its rows, so that one formula
serves one point and a million, and row i alone equals row i of the million bit for bit.
"""

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Flags = NDArray[np.bool_]


def column(value: object) -> Column:
    """``value`` (a number or an array) as a column: always at least one row, never a 0-d scalar."""
    return np.atleast_1d(np.asanyarray(value, dtype=np.float64))


ZERO = column(0.0)
ONE = column(1.0)

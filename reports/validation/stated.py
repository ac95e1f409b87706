"""How far predictions are off published runs, as every report states it; tests hold it to the rows it is from."""

from typing import NamedTuple


class Accuracy(NamedTuple):
    """Absolute errors of predictions against published measurements, as shares of what was measured."""

    what: str
    rows: int
    sources: int
    median: float
    p90: float
    how: str


TIMES = Accuracy("step times", 630, 34, 0.047, 0.147, "each source predicted by a fit that has not seen it")
MEMORY = Accuracy("peaks of memory", 162, 14, 0.029, 0.105, "no constant of memory is fitted")

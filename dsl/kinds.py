"""The schema: every kind of block there is.

kind.py says what a row means. A new setting is a row in one of the files, a new kind a block there and its
name here.
"""

from dsl.kind import AXES, DTYPES, OPERATIONS, SOURCE, Kind, Setting, row
from dsl.kinds_document import CHECK, REPORT
from dsl.kinds_hardware import CLUSTER, GPU, HAZARD, PRICE, TIER
from dsl.kinds_measured import CALIBRATION, TRACE
from dsl.kinds_model import MODEL
from dsl.kinds_run import ARGUMENTS, RUN, STACK
from dsl.kinds_tables import CHART, COMPARE, OPTIMIZE, PORTFOLIO, ROOFLINE, SCALE, SENSITIVITY, SIZE, SWEEP, VARY

__all__ = [
    "ARGUMENTS",
    "AXES",
    "CALIBRATION",
    "CHART",
    "CHECK",
    "CLUSTER",
    "COMPARE",
    "DTYPES",
    "EVALUATED",
    "GPU",
    "HAZARD",
    "KINDS",
    "MODEL",
    "OPERATIONS",
    "OPTIMIZE",
    "PORTFOLIO",
    "PRICE",
    "REPORT",
    "ROOFLINE",
    "RUN",
    "SCALE",
    "SENSITIVITY",
    "SIZE",
    "SOURCE",
    "STACK",
    "SWEEP",
    "TIER",
    "TRACE",
    "VARY",
    "Kind",
    "Setting",
    "row",
]

KINDS = (
    GPU,
    MODEL,
    CLUSTER,
    STACK,
    CALIBRATION,
    TRACE,
    RUN,
    SWEEP,
    COMPARE,
    OPTIMIZE,
    SCALE,
    SENSITIVITY,
    SIZE,
    PORTFOLIO,
    ROOFLINE,
    CHECK,
    REPORT,
    PRICE,
    HAZARD,
)
# Kinds that are evaluated; the others are checked, and reported as not evaluated.
EVALUATED = ("run", "compare", "portfolio", "roofline", "sweep", "optimize", "scale", "sensitivity", "size")

"""How settings that nobody states follow from others, as formulas to print: dsl/derived.py works them out.

A row holds where its formula gives the very value that the setting has; that is how it is told which of two was used.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dsl.derived import HAZARDS, YEAR

RATES = tuple(f"hazard.{part}" for part in HAZARDS)
AXES = ("layout.tensor", "layout.context", "layout.pipeline")


class Follows(NamedTuple):
    """A formula, the settings that it names in their order, and what it comes to."""

    text: str
    inputs: tuple[str, ...]
    value: Callable[..., float]


def _same(path: str) -> Follows:
    return Follows(path, (path,), float)


FOLLOWS: dict[str, tuple[Follows, ...]] = {
    "cluster.gpus": (
        Follows(
            "cluster.nodes × cluster.gpus_per_node",
            ("cluster.nodes", "cluster.gpus_per_node"),
            lambda nodes, each: nodes * each,
        ),
    ),
    "cluster.mtbf": (
        Follows(
            f"{YEAR:.0f} / (({' + '.join(RATES)}) × cluster.gpus)",
            (*RATES, "cluster.gpus"),
            lambda *given: YEAR / (sum(given[:-1]) * given[-1]),
        ),
    ),
    "cluster.price": (_same("cluster.gpu.price"),),
    "sequence": (_same("model.sequence"),),
    "model.kv_heads": (_same("model.heads"),),
    "model.head": (
        Follows("model.hidden / model.heads", ("model.hidden", "model.heads"), lambda hidden, heads: hidden / heads),
    ),
    "layout.data": (
        Follows(
            f"floor(cluster.gpus / ({' × '.join(AXES)}))",
            ("cluster.gpus", *AXES),
            lambda gpus, *inner: float(gpus // math.prod(inner)),
        ),
    ),
    "batch": (
        Follows(
            "accumulation × layout.micro_batch × layout.data",
            ("accumulation", "layout.micro_batch", "layout.data"),
            lambda steps, micro, data: steps * data * micro,
        ),
    ),
}
SPANS = (_same("cluster.gpus"), _same("cluster.gpus_per_node"))  # of the outermost tier, and of the first


def follows(path: str, settings: Mapping[str, Any]) -> Follows | None:
    """The formula behind a setting's value, where the settings that it names give exactly that."""
    rows = SPANS if path.startswith("cluster.tier.") and path.endswith(".span") else FOLLOWS.get(path, ())
    for row in rows:
        given = [settings.get(name) for name in row.inputs]
        if all(isinstance(v, int | float) for v in given) and row.value(*given) == settings.get(path):
            return row
    return None

"""The right layout: on runs of the same model and GPUs, what the predicted best costs against the measured best.

Runs of one source, framework, model, sequence, precision and GPUs that differ in layout are a group; repeats of a
layout count as one, by their medians. Times are compared per token, since batches may differ.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from reports.validation.errors import Prediction
from reports.validation.rows import NOISE, Row, number

SAME = (
    "source",
    "framework",
    "model",
    "layers",
    "hidden",
    "ffn",
    "experts",
    "task",
    "seq",
    "precision",
    "gpu",
    "n_gpus",
)
LAYOUT = ("tp", "cp", "pp", "vpp", "ep", "sp", "zero_stage_or_fsdp", "recompute", "mbs")


@dataclass(frozen=True)
class Choice:
    """A layout of a group: seconds a token, predicted and measured."""

    layout: tuple[str, ...]
    predicted: float
    measured: float


@dataclass(frozen=True)
class Group:
    """Layouts of one model on the same GPUs; the first is the measured best."""

    same: tuple[str, ...]
    choices: tuple[Choice, ...]

    @property
    def predicted_best(self) -> Choice:
        return min(self.choices, key=lambda c: c.predicted)

    @property
    def regret(self) -> float:
        """Measured time of the predicted best over that of the measured best, minus one."""
        return self.predicted_best.measured / self.choices[0].measured - 1.0

    @property
    def pairs(self) -> tuple[int, int]:
        """Pairs whose measured times differ by more than the noise, and how many of them are ordered rightly."""
        apart = [(a, b) for a, b in combinations(self.choices, 2) if b.measured / a.measured > 1 + NOISE]
        return len(apart), sum(b.predicted > a.predicted for a, b in apart)


def groups(found: Sequence[Prediction], sources: Mapping[str, str]) -> list[Group]:
    """The groups with two layouts or more, those that cost most first; ``sources`` by id."""
    table: dict[tuple[str, ...], dict[tuple[str, ...], list[Prediction]]] = defaultdict(lambda: defaultdict(list))
    for p in found:
        if p.error is not None and tokens(p.row):
            same = tuple(sources.get(p.row.get("id", ""), "") if k == "source" else p.row.get(k, "") for k in SAME)
            table[same][tuple(p.row.get(k, "") for k in LAYOUT)].append(p)
    made = [Group(same, _choices(layouts)) for same, layouts in table.items() if len(layouts) > 1]
    return sorted(made, key=lambda g: (-g.regret, g.same))


def tokens(row: Row) -> float:
    """Tokens of a step."""
    return (number(row, "gbs") or 0.0) * (number(row, "seq") or 0.0)


def _choices(layouts: Mapping[tuple[str, ...], Sequence[Prediction]]) -> tuple[Choice, ...]:
    made = [
        Choice(
            layout,
            median((p.predicted or 0.0) / tokens(p.row) for p in same),
            median((p.measured or 0.0) / tokens(p.row) for p in same),
        )
        for layout, same in layouts.items()
    ]
    return tuple(sorted(made, key=lambda c: c.measured))


def name_of(row: Mapping[str, str]) -> str:
    """The model of a row by its name; where it has none by its layers and width."""
    layers, hidden = (row.get(k, "").removesuffix(".0") for k in ("layers", "hidden"))
    return row.get("model", "") or f"{layers} layers × {hidden}"


def spelled(layout: Sequence[str]) -> str:
    """A layout in one line: "TP 8 · PP 4 · micro-batch 2"; degrees of 1 and what is not stated are left out."""
    own = dict(zip(LAYOUT, layout, strict=True))
    degrees = [(name.upper(), own[name].removesuffix(".0")) for name in ("tp", "cp", "pp", "vpp", "ep")]
    parts = [f"{name} {value}" for name, value in degrees if value not in ("", "1", "0")]
    parts += [f"shard {own['zero_stage_or_fsdp']}"] if own["zero_stage_or_fsdp"] not in ("", "none") else []
    parts += [f"recompute {own['recompute']}"] if own["recompute"] not in ("", "none", "unknown") else []
    return " · ".join([*parts, f"micro-batch {own['mbs'].removesuffix('.0')}"])

"""Figure: how many points of a space each rule removed, in the order in which the rules are held against them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import Kind, legend, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import linear
from reports.figures.sheet import Sheet, width
from reports.locales import listed
from reports.prose import capital
from reports.style import WHITE

NAME = "removed"
KINDS = {
    "where": Kind("dropped by where", style.SKY),
    "layout": Kind("cannot be built", style.RUST),
    "memory": Kind("does not fit", style.AMBER),
    "require": Kind("a requirement fails", style.BLUE),
    "met": Kind("left", style.NAVY),
}


@dataclass(frozen=True)
class Rule:
    """One rule: its text, its kind, the points it removed."""

    text: str
    kind: str
    points: int


@dataclass(frozen=True)
class RemovedData:
    """The rules, the points that are left, and those of the whole space."""

    rules: tuple[Rule, ...]
    left: int
    points: int
    of: int = 0


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> RemovedData | None:
    """The rules of a table that removed points; None where none did."""
    counts, removed = experiment.get("counts") or {}, experiment.get("removed") or ()
    rules = [Rule(str(r["rule"]), str(r.get("kind")), int(r.get("points") or 0)) for r in removed]
    rules = [r for r in rules if r.points]
    if not rules:
        return None
    most = sorted(sorted(rules, key=lambda r: -r.points)[: bars.MOST - 1], key=rules.index)
    return RemovedData(tuple(most), int(counts.get("met") or 0), int(counts.get("points") or 0), len(rules))


@figure
def draw(data: RemovedData) -> Picture:
    """A bar a rule with its count and share of the space; what is left at the foot."""
    rows = [*data.rules, Rule("Left", "met", data.left)]
    left_out = words.shown_of(len(data.rules), max(data.of, len(data.rules)), "rules", ", those that removed most")
    kinds = [k for name, k in KINDS.items() if any(r.kind == name for r in rows)]
    lie = bars.rows(len(rows), 8.6, left_out, 4.8)
    sheet = Sheet(NAME, style.FULL, lie.height)
    legend(sheet, kinds)
    ends = [_end(r, data.points) for r in rows]
    start = bars.names_room([r.text for r in rows], widest=72.0)
    scale = linear([r.points for r in rows], start, style.FULL - max(map(width, ends)) - 2.5)
    value_axis(sheet, scale, lie.first - 3.0, lie.bottom, "Points", marks=False)
    for i, rule in enumerate(rows):
        bars.name(sheet, rule.text, start, lie.at(i), rule.kind == "met")
        kind = KINDS.get(rule.kind, KINDS["require"])
        bars.plain_bar(sheet, start, scale.at(rule.points), lie.at(i), kind.color, tip=(rule.text, kind.name, ends[i]))
        sheet.text(scale.at(rule.points) + 1.4, lie.at(i), ends[i], plate=WHITE)
    note(sheet, left_out)
    return sheet.finish(_alt(data, rows, left_out))


def _end(rule: Rule, points: int) -> str:
    share = [words.percent(rule.points / points)] if points else []
    return listed([words.number(rule.points, 0), *share])


def _alt(data: RemovedData, rows: Sequence[Rule], left_out: str) -> str:
    said = [f"{capital(r.text)} {_end(r, data.points)}" for r in rows]
    return f"Of {words.number(data.points, 0)} points: {'; '.join(said)}. {left_out}".strip()

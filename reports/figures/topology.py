"""Figure: the network's tiers from the GPU outwards, with the parallel groups laid on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import tree, words
from reports.figures.picture import Picture, Tip, figure
from reports.figures.sheet import Sheet, fitted, width
from reports.figures.tree import BOX, Column, Level
from reports.style import INK, MUTE, RULE

NAME = "topology"
HEIGHT = 58.0
TREE = 53.0  # mm wide
AT = TREE + 2.5  # the counts stand to its right
MOST = 4  # tiers drawn, innermost and outermost ones
LETTERS = words.LETTERS


@dataclass(frozen=True)
class Tier:
    """A tier: GPUs below one element, bytes/s per GPU, oversubscription."""

    name: str
    span: float
    bandwidth: float | None = None
    oversubscription: float = 1.0


@dataclass(frozen=True)
class Group:
    """A parallel group: its axis and size, the outermost tier it reaches, how many of it sit together."""

    axis: str
    size: float
    tier: str
    members: float = 0.0  # of one group in an element of the innermost tier; 0: not known


@dataclass(frozen=True)
class TopologyData:
    """A cluster of GPUs, its tiers innermost first, the groups of one run."""

    gpu: str
    gpus: float
    tiers: tuple[Tier, ...] = ()
    groups: tuple[Group, ...] = ()


def from_point(point: Mapping[str, Any]) -> TopologyData | None:
    """The figure of a point of the document; None where it does not say how many GPUs there are."""
    settings = point.get("settings") or {}
    gpus = words.known(settings.get("cluster.gpus")) or words.known((point.get("gpus") or {}).get("used"))
    if not gpus or gpus < 1:
        return None
    tiers = tuple(_tier(settings, str(name), gpus) for name in settings.get("cluster.tier") or ())
    groups: dict[str, Group] = {}
    for row in point.get("traffic") or ():
        axis, size = str(row.get("axis")), words.amount(row.get("size"))
        if axis in LETTERS and size > 1:
            members = words.amount(row.get("members_per_domain"))
            groups.setdefault(axis, Group(axis, size, str(row.get("tier")), members))
    gpu = settings.get("cluster.gpu")
    ordered = tuple(groups[axis] for axis in LETTERS if axis in groups)
    return TopologyData(gpu if isinstance(gpu, str) else "GPU", gpus, tiers, ordered)


def _tier(settings: Mapping[str, Any], name: str, gpus: float) -> Tier:
    span, bandwidth, over = (words.known(settings.get(f"cluster.tier.{name}.{key}"))
                             for key in ("span", "bandwidth", "oversubscription"))  # fmt: skip
    return Tier(name, span or gpus, bandwidth, over or 1.0)


@figure
def draw(data: TopologyData) -> Picture:
    """Boxes joined by lines, two of a kind where there are more; names and counts at the right; groups below."""
    tiers = data.tiers if len(data.tiers) <= MOST else (*data.tiers[: MOST - 1], data.tiers[-1])
    groups = data.groups[: len(LETTERS)]
    under = 4.1 * len(groups) + (3.0 if groups else 1.5)
    pitch = min(16.5, (HEIGHT - under - 8.0) / max(1, len(tiers)))
    rows = [4.0 + i * pitch for i in range(len(tiers) + 1)]
    sheet = Sheet(NAME, style.HALF, min(HEIGHT, rows[-1] + 4.0 + under))
    tips = _tips(data, tiers)
    levels = tree.levels([(t.name, t.span) for t in tiers], data.gpus, 0.8, TREE)
    for i, (y, level) in enumerate(zip(rows, levels, strict=True)):
        tree.draw_level(sheet, level, y, tips[i])
        if i:
            tree.draw_wires(sheet, levels[i - 1].columns, level.columns, rows[i - 1] + BOX / 2, y - BOX / 2)
    _frames(sheet, levels, rows)
    for tier, y in zip(reversed(tiers), rows, strict=False):
        _count(sheet, data, tier, y)
    gpus = f"{words.number(data.gpus, 0)}{words.NB}×{words.NB}{data.gpu}"
    sheet.text(AT, rows[-1], fitted(gpus, style.HALF - AT, weight=600), weight=600)
    for i, group in enumerate(groups):
        _group(sheet, data, tiers, group, levels, rows[-1] + 5.8 + 4.1 * i)
    return sheet.finish(_alt(data))


def _frames(sheet: Sheet, levels: Sequence[Level], rows: Sequence[float]) -> None:
    """Dashed frames round the two elements below the outermost tier, with all that hangs on them."""
    if len(levels) < 3 or len(levels[1].columns) < 2:
        return
    for left, right in levels[1].columns:
        high = rows[-1] - rows[1] + BOX + 2.0
        sheet.rectangle(
            left - 0.5, rows[1] - BOX / 2 - 1.0, right - left + 1.0, high, "", edge=RULE, line=0.6, dash=True, z=1
        )


def _elements(data: TopologyData, tier: Tier) -> str:
    """How many elements of a tier the GPUs fill, begun ones included."""
    return words.number(-(-data.gpus // max(1.0, min(tier.span, data.gpus))), 0)


def _tips(data: TopologyData, tiers: Sequence[Tier]) -> list[Tip]:
    """What the boxes of each level say when pointed at, the outermost first, the GPUs last."""
    said = [(t.name, f"{_elements(data, t)} of them", f"{words.quantity(t.bandwidth, words.RATES)} per GPU"
             if t.bandwidth else "") for t in reversed(tiers)]  # fmt: skip
    return [*said, (data.gpu, "", f"{words.number(data.gpus, 0)} GPUs")]


def _count(sheet: Sheet, data: TopologyData, tier: Tier, y: float) -> None:
    """How many elements the tier has; its bandwidth and oversubscription beneath."""
    room = style.HALF - AT
    over = f", {words.plain(tier.oversubscription)}:1" if tier.oversubscription != 1 else ""
    speed = words.quantity(tier.bandwidth, words.RATES)
    full = f"{speed} per GPU{over}" if tier.bandwidth else over
    head = f"{_elements(data, tier)}{words.NB}×{words.NB}{tier.name}"
    sheet.text(AT, y - 1.7, fitted(head, room, weight=600), weight=600)
    sheet.text(AT, y + 1.7, fitted(full if width(full) <= room else speed + over, room), color=MUTE)


def _group(
    sheet: Sheet, data: TopologyData, tiers: Sequence[Tier], group: Group, levels: Sequence[Level], y: float
) -> None:
    """A line as wide as the tier the group reaches, solid under its members; within the innermost tier one bar."""
    names = [t.name for t in tiers]
    reach = names.index(group.tier) if group.tier in names else 0
    left, right = levels[len(tiers) - 1 - reach].columns[0] if tiers else levels[0].columns[0]
    if reach == 0:
        domain = min(tiers[0].span, data.gpus) if tiers else data.gpus
        right = left + (right - left) * min(1.0, max(0.12, group.size / max(1.0, domain)))
    text = f"{LETTERS[group.axis]} {words.number(group.size, 0)}"
    tip = (text, _together(group, names), f"reaches the tier {group.tier}")
    for a, b in _solid(group, (left, right), levels[-1].columns, min(tiers[0].span, data.gpus)) if reach else ():
        sheet.rectangle(a, y - 1.1, b - a, 2.2, style.AXIS_COLORS[group.axis], tip=tip)
    high = 0.5 if reach and group.members else 2.2
    sheet.rectangle(left, y - high / 2, right - left, high, style.AXIS_COLORS[group.axis], tip=tip)
    sheet.text(AT, y, fitted(text, style.HALF - AT, weight=600), weight=600)
    at = AT + width(text, weight=600) + 1.4
    where = "" if not tiers else f"in one {names[0]}" if reach == 0 else f"across {names[reach - 1]}s"
    if style.HALF - at > 6:
        sheet.text(at, y, fitted(where, style.HALF - at), color=INK)


def _solid(group: Group, ends: Column, boxes: Sequence[Column], domain: float) -> list[Column]:
    """Under each box of GPUs that the group reaches, the share of it that its members are."""
    share = min(1.0, max(0.2, group.members / max(1.0, domain)))
    under = [(a, b) for a, b in boxes if ends[0] - 0.1 <= a and b <= ends[1] + 0.1]
    return [(a, a + (b - a) * share) for a, b in under] if group.members else []


def _together(group: Group, names: Sequence[str]) -> str:
    """How many members of a group sit in one element of the innermost tier."""
    return f"{words.number(group.members, 0)} in each {names[0]}" if group.members and names else ""


def _alt(data: TopologyData) -> str:
    found = [(_elements(data, t), t.name, words.quantity(t.bandwidth, words.RATES)) for t in data.tiers]
    tiers = [f"{count} × {name} at {speed} per GPU" for count, name, speed in found]
    names = [t.name for t in data.tiers]
    said = [(f"{LETTERS[g.axis]} {words.number(g.size, 0)}", _together(g, names), g.tier) for g in data.groups]
    groups = [f"{size}{f', {here},' if here else ''} reaches the tier {tier}" for size, here, tier in said]
    inside = f" Tiers from the inside: {', '.join(tiers)}." if tiers else " No network tiers are given."
    return f"{words.number(data.gpus, 0)} {data.gpu}.{inside}" + (f" {'; '.join(groups)}." if groups else "")

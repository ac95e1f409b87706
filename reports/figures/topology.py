"""Figure: the network's tiers from the GPU outwards, with the parallel groups laid on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.picture import Picture, figure
from reports.figures.sheet import Sheet, fitted, width
from reports.style import INK, MUTE, RULE, VALUE

NAME = "topology"
HEIGHT = 58.0
TREE = 53.0  # mm wide, the counts stand to its right
BOX = 4.6  # mm high
MOST = 4  # tiers drawn, innermost and outermost ones
FILLS = (style.SKY, style.BLUE, style.NAVY, style.NAVY)  # from the innermost tier outwards
LETTERS = {"tensor": "TP", "context": "CP", "pipeline": "PP", "data": "DP", "expert": "EP"}


@dataclass(frozen=True)
class Tier:
    """A tier: GPUs below one element, bytes/s per GPU, oversubscription."""

    name: str
    span: float
    bandwidth: float | None = None
    oversubscription: float = 1.0


@dataclass(frozen=True)
class Group:
    """A parallel group: its axis and size, the outermost tier it reaches, members in one innermost domain."""

    axis: str
    size: float
    tier: str
    members: float = 1.0


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
            groups.setdefault(axis, Group(axis, size, str(row.get("tier")), words.amount(row.get("members_per_domain"))))
    gpu = settings.get("cluster.gpu")
    ordered = tuple(groups[axis] for axis in LETTERS if axis in groups)
    return TopologyData(gpu if isinstance(gpu, str) else "GPU", gpus, tiers, ordered)


def _tier(settings: Mapping[str, Any], name: str, gpus: float) -> Tier:
    span, bandwidth, over = (words.known(settings.get(f"cluster.tier.{name}.{key}"))
                             for key in ("span", "bandwidth", "oversubscription"))  # fmt: skip
    return Tier(name, span or gpus, bandwidth, over or 1.0)


@figure
def draw(data: TopologyData) -> Picture:
    """Boxes joined by lines, two of a kind where there are more; names and counts at the right; groups as bars below."""
    tiers = data.tiers if len(data.tiers) <= MOST else (*data.tiers[: MOST - 1], data.tiers[-1])
    groups = data.groups[: len(LETTERS)]
    under = 4.1 * len(groups) + (3.0 if groups else 1.5)
    pitch = min(16.5, (HEIGHT - under - 8.0) / max(1, len(tiers)))
    below = 4.0 + pitch * len(tiers) + 4.0
    sheet = Sheet(NAME, style.HALF, min(HEIGHT, below + under))
    rows = [4.0 + i * pitch for i in range(len(tiers) + 1)]
    spans = tree.columns(data, tiers)
    for level, (y, columns) in enumerate(zip(rows, spans, strict=True)):
        tree.draw_level(sheet, data, tiers, level, y, columns)
        if level:
            tree.draw_wires(sheet, spans[level - 1], columns, rows[level - 1] + BOX / 2, y - BOX / 2)
        _count(sheet, data, tiers, level, y)
    if len(tiers) > 1 and len(spans[1]) > 1:
        for left, right in spans[1]:
            sheet.rectangle(left - 0.5, rows[1] - BOX / 2 - 1.0, right - left + 1.0, rows[-1] - rows[1] + BOX + 2.0, "",
                            edge=RULE, line=0.6, dash=True, z=1)  # fmt: skip
    for i, group in enumerate(groups):
        _group(sheet, data, tiers, group, spans, below + 1.8 + 4.1 * i)
    return sheet.finish(_alt(data))


def _count(sheet: Sheet, data: TopologyData, tiers: Sequence[Tier], level: int, y: float) -> None:
    """How many elements the level has, and its bandwidth and oversubscription beneath."""
    x, room = TREE + 2.5, style.HALF - TREE - 2.5
    if level == len(tiers):
        sheet.text(x, y, fitted(f"{words.number(data.gpus, 0)}{words.NB}×{words.NB}{data.gpu}", room, weight=600), weight=600)
        return
    tier = tiers[len(tiers) - 1 - level]
    number = data.gpus / max(1.0, min(tier.span, data.gpus))
    head = f"{words.number(-(-number // 1), 0)}{words.NB}×{words.NB}{tier.name}"
    speed = words.quantity(tier.bandwidth, tuple((s, f"{n}/s") for s, n in words.BYTES))
    over = f", {words.plain(tier.oversubscription)}:1" if tier.oversubscription != 1 else ""
    full = f"{speed} per GPU{over}" if tier.bandwidth else over
    sheet.text(x, y - 1.7, fitted(head, room, weight=600), weight=600)
    sheet.text(x, y + 1.7, fitted(full if width(full) <= room else speed + over, room), color=MUTE)


def _group(sheet: Sheet, data: TopologyData, tiers: Sequence[Tier], group: Group, spans: Sequence[Sequence[Column]],
           y: float) -> None:  # fmt: skip
    """A bar as wide as the tier the group reaches; within the innermost tier, as its share of the domain."""
    names = [t.name for t in tiers]
    reach = names.index(group.tier) if group.tier in names else 0
    left, right = spans[len(tiers) - 1 - reach][0] if tiers else spans[0][0]
    if reach == 0:
        domain = min(tiers[0].span, data.gpus) if tiers else data.gpus
        right = left + (right - left) * min(1.0, max(0.12, group.size / max(1.0, domain)))
    sheet.rectangle(left, y - 1.1, right - left, 2.2, style.AXIS_COLORS[group.axis])
    text = f"{LETTERS[group.axis]} {words.number(group.size, 0)}"
    sheet.text(TREE + 2.5, y, text, weight=600)
    at = TREE + 2.5 + width(text, weight=600) + 1.4
    sheet.text(at, y, fitted(_where(tiers, reach), style.HALF - at), color=INK)


def _where(tiers: Sequence[Tier], reach: int) -> str:
    if not tiers:
        return ""
    return f"in one {tiers[0].name}" if reach == 0 else f"across {tiers[reach - 1].name}s"


def _alt(data: TopologyData) -> str:
    sizes = [f"{words.number(-(-data.gpus // max(1.0, min(t.span, data.gpus))), 0)} {t.name} at "
             f"{words.quantity(t.bandwidth, tuple((s, n + '/s') for s, n in words.BYTES))} per GPU" for t in data.tiers]  # fmt: skip
    groups = [f"{LETTERS[g.axis]} {words.number(g.size, 0)} reaches the tier {g.tier}" for g in data.groups]
    tiers = f" Tiers from the inside: {', '.join(sizes)}." if sizes else " No network tiers are given."
    return f"{words.number(data.gpus, 0)} {data.gpu}.{tiers}" + (f" {', '.join(groups)}." if groups else "")

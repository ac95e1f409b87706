"""Short names of the points of a table: what tells them apart, in the words of the field."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports import terms
from reports.figures import words

Json = Mapping[str, Any]
SHORT = {
    "layout.tensor": "TP", "layout.pipeline": "PP", "layout.context": "CP", "layout.expert": "EP", "layout.data": "DP",
    "layout.expert_tensor": "ETP", "layout.micro_batch": "MB", "layout.schedule.virtual_stages": "VP", "batch": "GBS",
}  # fmt: skip
SIZES = ("cluster.gpus", "cluster.nodes")
LONGEST = 4  # parts of a name


def names_of(experiment: Json, points: Sequence[Json]) -> list[str]:
    """A name a point: size and kind of the cluster, then degrees, of the settings that differ among the points."""
    axes = [str(a["path"]) for a in experiment.get("axes") or ()]
    paths = list(dict.fromkeys([*(("cluster.gpus",) if set(SIZES) & set(axes) else ()), *axes]))
    paths = [p for p in paths if p != "cluster.nodes"]
    told = [p for p in paths if len({_value(x, p) for x in points}) > 1]
    return [name_of(p, told or paths) for p in points]


def name_of(point: Json, paths: Sequence[str]) -> str:
    """The parts of one point's name: "2 048 × h100-sxm · TP 8 · PP 4"."""
    if point.get("name"):
        return str(point["name"])
    settings = point.get("settings") or {}
    kind = str(settings.get("cluster.gpu") or settings.get("cluster") or "") if _names_kind(paths) else ""
    size = _size(settings) if set(SIZES) & set(paths) else ""
    head = f"{size.removesuffix(' GPUs')} × {kind}" if size and kind else size or kind
    rest = [part(path, settings.get(path)) for path in paths if path not in (*SIZES, "cluster", "cluster.gpu")]
    return " · ".join(filter(None, [head, *rest][: LONGEST + 1])) or f"point {point.get('index')}"


def _size(settings: Json) -> str:
    """The GPUs of a point, else its nodes; empty where it states neither."""
    found = {path: words.known(settings.get(path)) for path in SIZES}
    shown = [f"{words.number(n, 0)} {'GPUs' if path == SIZES[0] else 'nodes'}" for path, n in found.items() if n]
    return next(iter(shown), "")


def _names_kind(paths: Sequence[str]) -> bool:
    return bool({"cluster", "cluster.gpu"} & set(paths))


def part(path: str, value: Any) -> str:
    """One setting of a name: "TP 8", "recompute full", "price 2.1"."""
    if value is None:
        return ""
    shown = terms.words(value) if isinstance(value, str) else words.plain(words.known(value), 5)
    return f"{SHORT.get(path) or terms.words(path.rpartition('.')[2])} {shown}"


def _value(point: Json, path: str) -> str:
    return str((point.get("settings") or {}).get(path))

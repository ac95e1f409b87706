"""Whether a run states enough to be evaluated: the size of its cluster, the dimensions of its model, its work."""

from dsl.kindless import kinds_stated
from dsl.problems import Label, Problem
from dsl.schema import run_row
from dsl.scope import Defined
from dsl.syntax import Name
from dsl.table import Table

DIMENSIONS = {"layers": 80, "hidden": 8192, "vocabulary": 128_256, "heads": 64, "ffn": 28_672}
DIMENSIONS |= {"experts.routed": 64, "experts.active": 8, "experts.ffn": 2048}
WORK = {"sequence": "sequence = 8192 tokens", "batch": "batch = 2048 sequences"}


def enough(table: Table, defined: Defined) -> None:
    """Problems for what a run lacks; the reduced model needs no dimensions of the model, no sequence and no batch."""
    if not table.whole or table.get("model") is None or table.get("cluster") is None:
        return
    reduced = table.get("fidelity") == "reduced"
    if table.get("cluster.gpus") is None and not {"cluster.gpus", "cluster.nodes"} & set(table.entries):
        table.problems.append(_sizeless(table, defined))
    kinds_stated(table)
    for path in [*([] if reduced else _dimensions(table)), *_of_experts(table)]:
        if path not in table.entries:
            table.problems.append(_lacking(table, defined, path))
    for path in () if reduced else WORK:
        given = path in table.entries or (path == "batch" and "accumulation" in table.entries)
        if table.get(path) is None and not given:
            title, help = f"run `{defined.name}` needs a {path}", f"write: {WORK[path]}"
            table.problems.append(Problem("E13", title, defined.block.name_span, "has none", help=help))


def _dimensions(table: Table) -> list[str]:
    """Dimensions of the model that no operator can do without and that are not stated."""
    lacking = [f"model.{p}" for p in ("layers", "hidden", "vocabulary") if table.get(f"model.{p}") is None]
    if table.get("model.heads") is None and table.get("model.attention.heads") is None:
        lacking.append("model.heads")
    if table.get("model.ffn") is None and table.get("model.experts.ffn") is None:
        lacking.append("model.ffn")
    return lacking


def _of_experts(table: Table) -> list[str]:
    """What experts lack of which anything is stated."""
    if not any(path.startswith("model.experts.") for path in table.entries):
        return []
    sized = table.get("model.experts.granularity") is not None
    needed = ("routed", "active") if sized else ("routed", "active", "ffn")
    return [f"model.experts.{p}" for p in needed if table.get(f"model.experts.{p}") is None]


def _sizeless(table: Table, defined: Defined) -> Problem:
    """The problem of a cluster without a size, at its name where it has one."""
    span = table.entries["cluster"].value.span
    cluster = _named(table, defined, "cluster")
    title = f"cluster `{table.get('cluster')}` needs nodes or gpus"
    labels = (Label(span, "used here"),) if cluster else ()
    at = cluster.block.name_span if cluster else span
    return Problem("E13", title, at, "has neither", labels, help="write: nodes = 128")


def _lacking(table: Table, defined: Defined, path: str) -> Problem:
    """The problem of a model without one of its dimensions, at its name where it has one."""
    span, last, row = table.entries["model"].value.span, path.removeprefix("model."), run_row(path)
    model = _named(table, defined, "model")
    title, notes = f"model `{table.get('model')}` needs {last}", (row.doc,) if row else ()
    labels = (Label(span, "used here"),) if model else ()
    help = f"write: {last} = {DIMENSIONS[last]}, or that of your model"
    return Problem("E13", title, model.block.name_span if model else span, "has none", labels, notes, help)


def _named(table: Table, defined: Defined, kind: str) -> Defined | None:
    """The block of a kind that the run names."""
    value = table.entries[kind].value
    return defined.scope.block(kind, value) if isinstance(value, Name) else None

"""What the engine's docstrings say of its formulas: the text, its source, and what it leaves out.

A docstring ends with "Left out: …" and "Source: …", each where there is one; a function that has no source of its own
takes its module's. Rooms are the parts of the engine in the order in which a reader needs them.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engine.provenance.origin import ENGINE

ROOMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Parameters and model FLOPs", ("dimensions", "layer_counts", "layers", "mixers", "models", "flops", "evaluate")),
    ("Layout and network", ("layout", "groups", "network")),
    ("Kernels", ("kernels",)),
    ("Operators", ("operators",)),
    ("Collectives", ("collectives",)),
    ("Step, schedule and overlap", ("ledger", "entries", "stages", "schedules", "overlap", "offload", "step")),
    ("Memory", ("states", "kept", "memory")),
    ("Failures and checkpoints", ("recovery", "goodput")),
    ("Days and cost", ("outcome", "cost")),
    ("Power and energy", ("power",)),
    ("Reduced model", ("reduced",)),
    ("Facts for checks", ("shapes", "rules_of_thumb", "validity", "roofline", "traffic")),
)
OTHER = ROOMS[-1][0]  # of a module that is named nowhere
ENDS = re.compile(r"^(?P<text>.*?)(?:\s*Left out: (?P<left_out>.*?))?(?:\s*Source: (?P<source>.*))?$", re.DOTALL)


class Said(NamedTuple):
    """A function of the engine as its docstring tells it."""

    function: str
    room: str
    file: str  # "engine/kernels.py"
    line: int
    text: str  # what it returns and by which equation, in the symbols of its module
    source: str
    left_out: str


def said(function: str) -> Said:
    """What the docstring of "kernels.wave" says; empty where there is no such function."""
    file = next(f for f in files(function) if f in modules())
    return modules()[file].get(function) or Said(function, room_of(function), "", 0, "", "", "")


def files(function: str) -> Iterator[str]:
    """The files in which a function may stand: "operators/work.py" for "operators.work.linear"."""
    parts = function.split(".")
    yield from ("/".join(parts[:n]) + ".py" for n in range(len(parts) - 1, 0, -1))
    yield ""


def room_of(function: str) -> str:
    """The room that a function's module is in."""
    module = function.partition(".")[0]
    return next((title for title, modules in ROOMS if module in modules), OTHER)


@cache
def modules() -> dict[str, dict[str, Said]]:
    """All functions of the engine's formulas by file and name."""
    found: dict[str, dict[str, Said]] = {"": {}}
    for path in sorted(ENGINE.rglob("*.py")):
        file = path.relative_to(ENGINE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        source = parted(ast.get_docstring(tree))["source"]
        base = file.removesuffix(".py").replace("/", ".")
        found[file] = {s.function: s for s in functions(tree, base, f"engine/{file}", source)}
    return found


def functions(tree: ast.AST, base: str, file: str, source: str) -> Iterator[Said]:
    """The functions of a module or a class, those of its classes included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions(node, f"{base}.{node.name}", file, source)
        elif isinstance(node, ast.FunctionDef):
            own, name = parted(ast.get_docstring(node)), f"{base}.{node.name}"
            yield Said(name, room_of(name), file, node.lineno, own["text"], own["source"] or source, own["left_out"])


def parted(docstring: str | None) -> dict[str, str]:
    """A docstring as text, source and what is left out, each on one line."""
    found = ENDS.match(" ".join((docstring or "").split()))
    assert found
    return {name: part or "" for name, part in found.groupdict().items()}

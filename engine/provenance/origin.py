"""Where a plain number in a formula comes from: read off the source of the line that computes with it.

A formula of the engine mixes columns with plain numbers: literals, constants of its module, switches, and counts that
follow from the layout. When such a number meets a traced column, the expression it was written as is found by the
position of the running instruction, and the number gets the node that this expression stands for.
"""

import ast
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.provenance.graph import Node, Record

ENGINE = Path(__file__).parents[1]
OWN = str(Path(__file__).parent)
# Names under which the engine holds settings as plain whole numbers.
STRUCTURE = {
    "d.pp": "layout.pipeline",
    "split.pipeline": "layout.pipeline",
    "stages": "layout.pipeline",
    "times.stages": "layout.pipeline",
    "pipeline": "layout.pipeline",
    "i.pipeline": "layout.pipeline",
    "i.layers": "model.layers",
    "size": "layout.pipeline",
    "size.get(axis, ONE)": "layout.pipeline",
    "d.vp": "layout.schedule.virtual_stages",
    "virtual_stages": "layout.schedule.virtual_stages",
    "modules": "model.mtp",
    "self.modules": "model.mtp",
}
Nodes = NDArray[np.object_]
OPERATORS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}


def operand_nodes(record: Record, value: Any, place: int) -> Nodes:
    """Nodes of the plain operand at a place of the operation that is at work, one an element."""
    values = np.atleast_1d(value)
    made, known = np.empty(values.shape, dtype=object), record.plain.get(id(value))
    if known:
        made[...] = known[1]
        return made
    frame = formula()
    written = _operands(frame.f_code, frame.f_lasti) if frame else ()
    expression = written[place] if place < len(written) else None
    for index, one in np.ndenumerate(values):
        made[index] = node_of(record, float(one), expression, frame)
    return made


def formula() -> FrameType | None:
    """The frame of the engine's formula that is at work."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and not _is_formula(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


@cache
def _is_formula(file: str) -> bool:
    """Whether a file is one of the engine's, these here left out."""
    return file.startswith(str(ENGINE)) and not file.startswith(OWN)


@cache
def _operands(code: CodeType, instruction: int) -> tuple[ast.expr, ...]:
    """The operands of the operation at an instruction as they are written; none where it has no such form."""
    line, end, column, last = list(code.co_positions())[instruction // 2]
    found = _expressions(code.co_filename).get((line, column, end, last))
    if isinstance(found, ast.BinOp):
        return (found.left, found.right)
    if isinstance(found, ast.Compare):
        return (found.left, *found.comparators)
    return tuple(found.args) if isinstance(found, ast.Call) else ()


@cache
def _expressions(file: str) -> dict[tuple[Any, ...], ast.AST]:
    """The expressions of a file by their place."""
    found: dict[tuple[Any, ...], ast.AST] = {}
    for e in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(e, ast.expr):
            found.setdefault((e.lineno, e.col_offset, e.end_lineno, e.end_col_offset), e)
    return found


def node_of(record: Record, value: float, expression: ast.expr | None, frame: FrameType | None) -> Node:
    """The node that an expression of this value stands for; a counted number where nothing better is known."""
    if expression is None or frame is None or isinstance(expression, ast.Constant):
        return record.number(value)
    found = _meant(record, expression, frame)
    if found is not None and found.value == value:
        return found
    if value in (0.0, 1.0) or not np.isfinite(value):  # a switch, or what changes nothing
        return record.number(value)
    text = _text(_taken(expression, frame))
    return record.given("counted", value, text, f"{_shown(frame.f_code.co_filename)}:{frame.f_code.co_firstlineno}")


def _meant(record: Record, e: ast.expr, frame: FrameType) -> Node | None:
    """The node of a literal, a constant, a setting held as a plain number, or of arithmetic with these."""
    e = _taken(e, frame)
    if isinstance(e, ast.Constant):
        return record.number(float(e.value)) if isinstance(e.value, int | float) else None
    if isinstance(e, ast.BinOp) and type(e.op) in OPERATORS:
        sides = [_meant(record, side, frame) for side in (e.left, e.right)]
        return _worked_out(record, OPERATORS[type(e.op)], sides)
    if isinstance(e, ast.Call) and _text(e.func) in ("float", "column") and e.args:
        return _meant(record, e.args[0], frame)
    return _constant(record, e, frame) or _held(record, e, frame) or _setting(record, _text(e))


def _taken(e: ast.expr, frame: FrameType) -> ast.expr:
    """The side of a switch that holds now; anything else as it is."""
    while isinstance(e, ast.IfExp):
        try:
            e = e.body if _evaluated(e.test, frame) else e.orelse
        except (NameError, AttributeError):
            return e
    return e


def _worked_out(record: Record, op: str, sides: Sequence[Node | None]) -> Node | None:
    left, right = sides
    if left is None or right is None:
        return None
    return record.operation(op, (left, right), float(getattr(np, op)(left.value, right.value)))


def _constant(record: Record, e: ast.expr, frame: FrameType) -> Node | None:
    """A constant of the engine: a name in capitals, or an element of one."""
    base = e
    while isinstance(base, ast.Subscript):
        base = base.value
    if not isinstance(base, ast.Name) or not base.id.isupper() or base.id not in frame.f_globals:
        return None
    try:
        value = float(np.asarray(_evaluated(e, frame)).ravel()[0])
    except (NameError, AttributeError, TypeError, ValueError, LookupError):
        return None
    if base.id in ("ZERO", "ONE"):
        return record.number(value)
    return record.given("constant", value, _text(e), defined(base.id, str(frame.f_globals["__file__"])))


def _held(record: Record, e: ast.expr, frame: FrameType) -> Node | None:
    """The constant of the engine that a variable holds: ``nic`` where it was set to NIC."""
    value = frame.f_locals.get(e.id) if isinstance(e, ast.Name) else None
    if not isinstance(value, np.ndarray) or value.size != 1:
        return None
    names = (n for n, own in frame.f_globals.items() if own is value and n.isupper() and n not in ("ZERO", "ONE"))
    name = next(names, None)
    if name is None:
        return None
    return record.given("constant", float(value.item()), name, defined(name, str(frame.f_globals["__file__"])))


def _setting(record: Record, text: str) -> Node | None:
    """A setting that the engine holds as a plain number: "run.model.mtp", "d.pp"."""
    return record.setting_of(STRUCTURE.get(text, text.removeprefix("run.")))


def _evaluated(e: ast.expr, frame: FrameType) -> Any:
    """What an expression of the engine's own source comes to in the frame that runs it."""
    return eval(_compiled(e), frame.f_globals, frame.f_locals)


_text = cache(ast.unparse)


@cache
def _compiled(e: ast.expr) -> CodeType:
    code = compile(ast.Expression(e), "an expression of the engine", "eval")
    assert isinstance(code, CodeType)
    return code


@cache
def defined(name: str, file: str) -> str:
    """File and line where a constant of the engine is defined, which may be the module that it was imported from."""
    files = [file, *(str(f) for f in sorted(ENGINE.rglob("*.py")))]
    return next(f"{_shown(f)}:{found[name][0]}" for f in files if name in (found := assignments(f)))


@cache
def assignments(file: str) -> dict[str, tuple[int, str]]:
    """The constants of a file: the line of each, and the comment on it or above it."""
    text = Path(file).read_text(encoding="utf-8")
    lines, found = text.splitlines(), {}
    for s in ast.parse(text).body:
        target = s.target if isinstance(s, ast.AnnAssign) else s.targets[0] if isinstance(s, ast.Assign) else None
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        for n in names:
            if isinstance(n, ast.Name) and n.id.isupper():
                found[n.id] = (s.lineno, comment(lines, s.lineno, s.end_lineno or s.lineno))
    return found


def comment(lines: Sequence[str], first: int, last: int) -> str:
    """The comment at the end of a statement, else the one above it."""
    ends = (lines[line - 1].partition("  # ")[2] for line in (last, first))
    after = next((end for end in ends if end and not end.startswith("fmt:")), "")
    above: list[str] = []
    while first >= 2 and lines[first - 2].startswith("# "):
        above.insert(0, lines[first - 2][2:])
        first -= 1
    return after or " ".join(above)


def function_of(code: CodeType) -> str:
    """A function as quantities.py has it, "kernels.wave"; empty where it is none of the engine's formulas."""
    if not _is_formula(code.co_filename):
        return ""
    module = Path(code.co_filename).relative_to(ENGINE).with_suffix("").parts
    return ".".join((*module, code.co_qualname))


def place_of(code: CodeType) -> str:
    """File and first line of a function of the engine."""
    return f"{_shown(code.co_filename)}:{code.co_firstlineno}"


def _shown(file: str) -> str:
    """A file of the engine as it is named in a tree."""
    return f"engine/{Path(file).relative_to(ENGINE).as_posix()}"

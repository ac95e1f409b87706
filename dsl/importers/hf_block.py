"""What was read from a configuration as a `model` block of text, and as entries of a block that names the file."""

import re
from typing import NamedTuple

from dsl.form import canonical
from dsl.importers.hf import Imported
from dsl.importers.hf_draft import Taken
from dsl.kinds import MODEL, Setting
from dsl.problems import Span
from dsl.schema import schema
from dsl.syntax import Expression, Flag, Name, Number, Text

UNITS = {"tokens": " tokens"}
TAKEN = frozenset((
    "and", "as", "at", "because", "called", "divides", "doubling", "edition", "else", "false", "from", "if", "import",
    "in", "let", "not", "or", "require", "step", "then", "true", "where",
))  # fmt: skip
ORDER = ("attention", "mixer", "experts", "bias")


def block(found: Imported, name: str, file: str, digest: str) -> str:
    """A `model` block in canonical form, with a comment for the key that each setting comes from.

    Settings that are as the language has them anyway are left out, so that the block shows what is particular.
    """
    shown = {path: taken for path, taken in found.settings.items() if differs(path, taken)}
    lines = [f"# {name}, from a Hugging Face configuration of type {found.model_type}."]
    lines += [f"# {note}." for note in found.notes]
    lines.append(f"model {name} {{")
    lines += [
        _line(path, taken) for path, taken in shown.items() if "." not in path and path not in ("attention", "mixer")
    ]
    for group in ORDER:
        lines += _group(group, {path: taken for path, taken in shown.items() if path.partition(".")[0] == group})
    source = f"{file}, Hugging Face configuration, model_type {found.model_type}, sha256 {digest[:16]}"
    lines += [f'source = "{_quoted(source)}"', "confidence = third-party", "verified = read", "}"]
    text, problems = canonical("\n".join(lines) + "\n")
    assert not problems, problems
    return text


def differs(path: str, taken: Taken) -> bool:
    """Whether a setting is worth a line: it is not the default of its row."""
    default = _row(path).default
    if isinstance(taken.value, bool):
        return written(path, taken.value) != (default or "false")
    if isinstance(taken.value, str):
        return taken.value != default
    plain = default.partition(" ")[0]
    return not (plain and float(plain) == taken.value)


def _row(path: str) -> Setting:
    return schema(MODEL).rows[path]


def written(path: str, value: float | bool | str) -> str:
    """A value as the language writes it."""
    row = _row(path)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"' if row.holds == "text" else value
    digits = f"{value:_.0f}" if value >= 10_000 else f"{value:.0f}"
    return digits + UNITS.get(row.holds, "")


def _line(path: str, taken: Taken) -> str:
    why = taken.key or "fixed by the model type"
    return f"{path.rpartition('.')[2]} = {written(path, taken.value)}  # {why}"


def _group(group: str, settings: dict[str, Taken]) -> list[str]:
    """The lines of a group of settings; one that is a choice has its word after it."""
    if not settings:
        return []
    chosen = settings.get(group)
    inner = [_line(path, taken) for path, taken in settings.items() if path != group]
    head = f"{group} {chosen.value}" if chosen is not None else group
    return [f"{head} {{", *inner, "}"]


def _quoted(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).replace("\\", "/").replace('"', "'")


def model_name(wanted: str) -> str:
    """A text as a name of the language: letters, digits and _, joined by - and by dots before digits."""
    name = ""
    for gap, piece in re.findall(r"([^A-Za-z0-9_]*)([A-Za-z0-9_]+)", wanted):
        joint = "." if gap == "." and piece[0].isdigit() else "-"
        name += (joint if name else "") + piece
    return name if re.match(r"[A-Za-z_]", name) and name not in TAKEN else f"model-{name}".rstrip("-")


class Stated(NamedTuple):
    """One setting as an expression that stands in the configuration's own lines."""

    path: str
    row: Setting
    value: Expression
    span: Span


def stated(found: Imported, name: str) -> list[Stated]:
    """Every setting of a configuration as an expression; ``name`` is the file its spans are in."""
    made = []
    for path, taken in found.settings.items():
        row, span = _row(path), Span(name, taken.line, 1)
        made.append(Stated(path, row, _expression(row, path, taken.value, span), span))
    return made


def _expression(row: Setting, path: str, value: float | bool | str, span: Span) -> Expression:
    if isinstance(value, bool):
        return Flag(value, span)
    if isinstance(value, str):
        return Text(value, span) if row.holds == "text" else Name((value,), span)
    unit = UNITS.get(row.holds, "").strip()
    return Number(int(value), 1, unit, written(path, value), span, span)

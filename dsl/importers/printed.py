"""Blocks of the language as text, from values in base units: each in the unit a person would use."""

import math
from collections.abc import Iterable, Mapping, Sequence

from dsl.form import canonical
from dsl.importers.hf_block import TAKEN, model_name
from dsl.kind import Kind, Setting
from dsl.schema import item_row, run_row, schema

Values = Mapping[str, object]
DIGITS = 6
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "bytes/s": ((1e12, " TB/s"), (1e9, " GB/s"), (1e6, " MB/s"), (1.0, " bytes/s")),
    "bytes": ((2.0**30, " GiB"), (2.0**20, " MiB"), (1.0, " bytes")),
    "seconds": ((1.0, " s"), (1e-3, " ms"), (1e-6, " us")),
    "flop/s": ((1e15, " PFLOPS"), (1e12, " TFLOPS"), (1e9, " GFLOPS")),
}
COUNTS = {"tokens": " tokens", "gpus": " gpus", "nodes": " nodes", "sequences": " sequences", "steps": " steps",
          "layers": " layers"}  # fmt: skip


def digits(value: float, most: int = DIGITS) -> str:
    """A number as the language writes it: so many significant digits, underscores in large whole ones."""
    text = f"{value:.{most}g}"
    if "e" in text:
        text = f"{float(text):.{max(0, most - 1 - math.floor(math.log10(abs(value))))}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    whole = float(value)
    return f"{int(whole):_}" if whole.is_integer() and abs(whole) >= 10_000 else text


def quantity(row: Setting, value: object) -> str:
    """A value of a setting as one would type it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(quantity(item_row(row), item) for item in value)}]"
    if not isinstance(value, (int, float)):
        return f'"{quoted(str(value))}"' if row.holds in ("text", "date", "file") else str(value)
    if row.holds == "share":
        return f"{digits(100 * value)}%"
    if scales := SCALES.get(row.holds):
        scale, unit = next((s for s in scales if abs(value) >= s[0]), scales[-1])
        return digits(value / scale) + unit
    if row.holds == "sequences" and value == 1:
        return "1 sequence"
    return digits(value) + COUNTS.get(row.holds, "")


def quoted(text: str) -> str:
    """A text that can stand between quotes."""
    return "".join(c for c in text if c.isprintable()).replace("\\", "/").replace('"', "'")


def name_of(wanted: str, kind: str) -> str:
    """A text as the name of a block of some kind; "kind-…" where it is none."""
    found = model_name(wanted)
    if found.partition("-")[0] == "model" and not wanted.startswith("model"):
        return found.replace("model", kind, 1)
    return f"{kind}-{found}" if found in TAKEN else found


def block(
    kind: Kind,
    name: str,
    settings: Values,
    parts: Sequence[tuple[str, str, Values]] = (),
    title: str = "",
    notes: Sequence[str] = (),
    why: Mapping[str, str] | None = None,
    base: str = "",
) -> str:
    """A block in canonical form: its notes as comments before it, settings, blocks that repeat (kind, name, values).

    ``why`` holds comments by path; a path with dots opens its groups.
    """
    lines = remarks(notes)
    head = [kind.name, name, f'"{quoted(title)}"' if title else "", f"from {base}" if base else ""]
    lines.append(" ".join(word for word in head if word) + " {")
    lines += _settings(kind, settings, why or {})
    for inner, own, values in parts:
        rows = schema(kind).repeated[inner]
        lines += [f"{inner} {own} {{", *_settings(rows, values, {}), "}"]
    text, problems = canonical("\n".join([*lines, "}"]) + "\n")
    assert not problems, (problems, lines)
    return text


def _settings(kind: Kind, settings: Values, why: Mapping[str, str]) -> list[str]:
    """Lines of settings, those of a group together inside it; SOURCE comes last."""
    last = ("source", "confidence", "verified", "as_of")
    order = [p for p in settings if p not in last] + [p for p in last if p in settings]
    lines: list[str] = []
    done: set[str] = set()
    for path in order:
        head, dot, _ = path.partition(".")
        if not dot:
            lines.append(_line(kind, path, path, settings, why))
        elif head not in done:
            done.add(head)
            own = [p for p in order if p.startswith(head + ".")]
            lines += [f"{head} {{", *(_line(kind, p, p.removeprefix(head + "."), settings, why) for p in own), "}"]
    return lines


def _line(kind: Kind, path: str, shown: str, settings: Values, why: Mapping[str, str]) -> str:
    row = schema(kind).row(path) or run_row(path)
    assert row is not None, path
    comment = f"  # {_one_line(why[path])}" if why.get(path) else ""
    return f"{shown} = {quantity(row, settings[path])}{comment}"


def remarks(notes: Iterable[str]) -> list[str]:
    """Notes as lines of comments; whatever they quote, a line of theirs stays a comment."""
    return [f"# {line}" for note in notes for line in _wrapped(note)]


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _wrapped(note: str, width: int = 116) -> list[str]:
    """A note over as many lines as it needs."""
    lines, line = [], ""
    for word in _one_line(note).split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line] if line else lines

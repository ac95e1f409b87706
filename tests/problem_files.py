"""Scenario files with a mistake in them: reading them, what is said of them, and doing what the help says.

A file holds the scenario as somebody wrote it and, after the line SAID, the text that checking it prints, as comments.
A first line "# --set …" is what the command line says beside it.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from dsl.files import Loaded, installed_library, load, load_text
from dsl.problems import COMMAND_LINE, Problem, Span, show
from dsl.refused import end, start
from dsl.resolve import resolve
from tests.language import RESULTS

FOLDER = Path(__file__).parent / "problems"
SAID = "# --- what checking says"


class Case(NamedTuple):
    """One file: its bytes up to SAID, the --set texts, the comments after SAID."""

    path: Path
    content: bytes
    overrides: tuple[str, ...]
    expected: str

    @property
    def name(self) -> str:
        return self.path.stem


def case(path: Path) -> Case:
    """The file at ``path``."""
    content, _, after = path.read_bytes().partition(SAID.encode())
    expected = "\n".join(re.sub("^# ?", "", line) for line in after.decode().strip("\n").split("\n"))
    found = re.match(rb"# --set ([^\n]*)", content)
    return Case(path, content, (found.group(1).decode(),) if found else (), expected)


def cases(folder: Path = FOLDER) -> list[Case]:
    """All files of a folder."""
    return [case(path) for path in sorted(folder.glob("*.scn"))]


def checked(loaded: Loaded, overrides: Sequence[str]) -> list[Problem]:
    """Errors, then warnings."""
    scenario, problems = resolve(loaded, RESULTS, overrides)
    return [*problems, *scenario.warnings]


def said(one: Case) -> tuple[list[Problem], str]:
    """The problems of a file and their text; call it in the file's folder, so that names are as short as they are."""
    loaded = load(one.path.name)
    problems = checked(loaded, one.overrides)
    return problems, show(problems, loaded.sources).replace(str(installed_library()), "library")


def written_down(one: Case) -> bytes:
    """The file with what is said of it now."""
    lines = "\n".join(f"# {line}".rstrip() for line in said(one)[1].split("\n"))
    return one.content.rstrip() + f"\n\n{SAID}\n{lines}\n".encode()


def mended(one: Case, rounds: int = 12) -> bool:
    """Whether the file has no problem any more after doing, one after the other, what each help says."""
    text, overrides = one.content.decode("utf-8", "replace"), list(one.overrides)
    for _ in range(rounds):
        problems = checked(load_text(text, one.path.name, one.path.parent), overrides)
        if not problems:
            return True
        first = problems[0]
        if first.span.file.startswith(COMMAND_LINE):
            changed = applied(overrides[0], first)
            if changed is None:
                return False
            overrides = [changed]
        else:
            changed = applied(text, first) if first.span.file == one.path.name else None
            if changed is None or changed == text:
                return False
            text = changed
    return False


WRITE = re.compile(r"(?:write|for example:) (.+?)(?:(?:, or |, if | or | \(|; | for (?:bits$|\d)).*)?$")


def applied(text: str, problem: Problem) -> str | None:
    """The text after what the help says was done to it; None where the help is advice and not text to paste."""
    help, span = problem.help, problem.span
    if found := re.match(r'write at the top: (import ".*")$', help):
        return re.sub(r"\A((?:#[^\n]*\n)*(?:edition 2026\n)?)", rf"\1{found.group(1)}\n", text)
    if "…" in help.partition(", or another unit")[0]:
        return None
    if found := re.match(r"write: (.+?)(?:, (?:or|and) (?:put|that).*)?$", help):
        return _statement(text, problem, found.group(1))
    if found := re.match(r"to (?:subtract|divide) write `(.+)`|glued, .* write `(.+)`", help):
        return _put(text, span, found.group(1) or found.group(2))
    if found := re.match(r"did you mean `?([^`]+?)`?\?$|it is spelled `(.+)` here$", help):
        return _put(text, span, found.group(1) or found.group(2))
    if help == "write a plain space":
        return _put(text, span, " ")
    if found := WRITE.match(help):
        return _put(text, span, found.group(1))
    return _moved(text, span, help)


def _moved(text: str, span: Span, help: str) -> str | None:
    """What is added, taken away or put elsewhere."""
    rows = text.split("\n")
    row = rows[span.line - 1]
    before, marked = row[: span.column - 1], row[span.column - 1 : _end(row, span)]
    if help == "add a } on its own line":
        return "\n".join([*rows[: span.line], "}", *rows[span.line :]])
    if found := re.match(r"add a ([\])]) before this", help):
        return _put(text, span, found.group(1) + (" " if before.strip() else "\n") + marked)
    if help.startswith(("put a newline or a comma before it", "put a comma between")):
        return _put(text, span, f", {marked}")
    if re.match(r"remove (the|it|this|one)\b", help):
        return _put(text, span, "")
    if help == "move it to the first line":
        return "\n".join([row, *rows[: span.line - 1], *rows[span.line :]])
    if help.startswith("put the operator at the end of the line before"):
        return "\n".join([*rows[: span.line - 2], f"{rows[span.line - 2]} {marked}", row[len(before + marked) :]]
                         + rows[span.line :])  # fmt: skip
    return None


def _end(row: str, span: Span) -> int:
    return span.end - 1 if span.end > span.column else len(row)


def _put(text: str, span: Span, words: str) -> str:
    """The text with ``words`` instead of what is marked."""
    rows = text.split("\n")
    row = rows[span.line - 1]
    rows[span.line - 1] = row[: span.column - 1] + words + row[_end(row, span) :]
    return "\n".join(rows)


def _statement(text: str, problem: Problem, words: str) -> str:
    """The text with a statement, or the head of a block, instead of the one that is marked; a missing one is added."""
    rows = text.split("\n")
    span = problem.span
    row = rows[span.line - 1]
    if problem.label in ("has none", "has neither") and not words.endswith("{ ... }"):
        opening = row.index("{", span.column - 1) + 1
        added = f" {words}," if row[opening:].strip() else f"\n  {words}"
        rows[span.line - 1] = row[:opening] + added + row[opening:]
        return "\n".join(rows)
    first = start(row[: span.column - 1])
    last = span.column - 1 + end(row[span.column - 1 :])
    if words.endswith("{ ... }"):
        brace = row.find("{", first)
        words, last = words.removesuffix("{ ... }") + "{", brace + 1 if brace >= 0 else len(row)
        if brace < 0:  # the body follows by its indentation
            return _braced(rows, span.line, words)
    below = len(list(takewhile(lambda r: r.lstrip().startswith("- "), rows[span.line :])))  # items of a YAML list
    rows[span.line - 1 : span.line + below] = [f"{row[:first]} {words} {row[last:]}".rstrip()]
    return "\n".join(rows)


def _braced(rows: list[str], line: int, words: str) -> str:
    """Rows with a block whose body is what stands further in, or up to an empty line."""
    indent = len(rows[line - 1]) - len(rows[line - 1].lstrip())
    last = line
    while last < len(rows) and rows[last].strip() and len(rows[last]) - len(rows[last].lstrip()) > indent:
        last += 1
    pad = " " * indent
    return "\n".join([*rows[: line - 1], pad + words, *rows[line:last], pad + "}", *rows[last:]])

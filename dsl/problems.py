"""Problems: what is wrong with a scenario, where, why, and what to type instead.

A mistake of the reader's is a ``Problem`` value, collected and shown with all the others; it is
never raised. The same values go to the terminal, to JSON and into a report.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import NamedTuple

from dsl.limits import HINTED, HINTS, NAME, SHOWN


class Span(NamedTuple):
    """Columns ``column`` to ``end`` (exclusive, from 1) of a line; end 0 means up to the line's end."""

    file: str
    line: int
    column: int
    end: int = 0


class Label(NamedTuple):
    """A place and what is to be said about it."""

    span: Span
    text: str


class Problem(NamedTuple):
    """One mistake: ``label`` marks its cause, ``labels`` where it comes from, ``notes`` say why.

    ``help`` is text to paste. "write X" and "did you mean `X`?" stand for what is marked; "write: X" is the whole
    statement, "write: X { ... }" the head of the block.
    """

    code: str
    title: str
    span: Span
    label: str = "here"
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    severity: str = "error"


# What each code stands for; ``scn explain`` and the reference page print these.
CODES = {
    "E01": "the text does not follow the grammar: a bracket, an = or a line end is not where it should be",
    "E02": "a file cannot be read: it does not exist, is a folder, or may not be opened",
    "E03": "a file is not UTF-8 text",
    "E04": "files import each other in a circle",
    "E05": "more than is read: nested too deep, or a file, line, name, text or number of blocks past its bound",
    "E06": "an edition that this version does not know, or one that does not come first",
    "E10": "a block of a kind that does not exist, or that does not belong here",
    "E11": "a setting that its block does not have",
    "E12": "a name or a setting is given twice",
    "E13": "a setting that its block needs is missing",
    "E14": "a block's name, title or base is missing or is one too many",
    "E15": "a name that nothing in reach is called",
    "E16": "a value of the wrong form: a text where a number belongs, a list where one value belongs",
    "E17": "a spelling that is not a unit",
    "E18": "units that do not go together",
    "E19": "a bare number where a unit is needed",
    "E20": "a value outside the bounds of its setting",
    "E21": "a choice that its setting does not have",
    "E22": "tokens that are not a whole number of sequences",
    "E23": "names that are defined by each other in a circle",
    "E24": "arithmetic that has no result, such as a division by zero",
    "E25": "a name of the file that hides a setting",
    "E26": "settings that contradict each other",
    "E27": "something that varies nothing",
    "E28": "a statement that does not belong in this place",
    "E29": "a --set that does not have the form path=value",
    "E30": "something that this version does not read yet",
    "W01": "a value that is allowed and is probably not what was meant",
}

# Problems that may only be an echo of a statement that could not be read.
ECHOES = frozenset({"E10", "E13", "E15", "E28"})


def show(problems: Iterable[Problem], sources: Mapping[str, str]) -> str:
    """The problems as plain text, each with its line and a caret; ``sources`` maps a span's file to its text."""
    found = list(problems)
    more = [f"{len(found) - SHOWN:_} more problems are not shown"] if len(found) > SHOWN else []
    return "\n\n".join([*(_shown(problem, sources) for problem in found[:SHOWN]), *more])


def to_json(problems: Iterable[Problem]) -> list[dict[str, object]]:
    """The problems as plain dictionaries, for editors and other programs."""
    return [_json(problem) for problem in problems]


def _json(problem: Problem) -> dict[str, object]:
    labels = [{**label.span._asdict(), "text": label.text} for label in problem.labels]
    return {
        "code": problem.code,
        "severity": problem.severity,
        "title": problem.title,
        **problem.span._asdict(),
        "label": problem.label,
        "labels": labels,
        "notes": list(problem.notes),
        "help": problem.help,
    }


# The blocks, and the start of the file's name, of what the command line says; its text follows.
COMMAND_LINE, VARIED = "--set", "--vary"


def _shown(problem: Problem, sources: Mapping[str, str]) -> str:
    places = [Label(problem.span, problem.label), *problem.labels]
    width = max(len(str(place.span.line)) for place in places)
    lines = [f"{problem.severity}[{problem.code}]: {printable(short(problem.title))}"]
    for i, place in enumerate(places):
        span = place.span
        option, _, text = span.file.partition(" ")
        stated = option in (COMMAND_LINE, VARIED)
        file = option if stated else span.file
        lines.append(f"{' ' * width} {'-->' if i == 0 else '::>'} {printable(file)}:{span.line}:{span.column}")
        lines += _marked(place, width, text if stated else sources.get(span.file))
    lines += [f"{' ' * width} = note: {short(note)}" for note in problem.notes]
    if problem.help:
        lines.append(f"{' ' * width} = help: {short(problem.help)}")
    return "\n".join(lines)


def _marked(place: Label, width: int, source: str | None) -> list[str]:
    """The source line and a line of carets under the marked columns; tabs count as one column."""
    span = place.span
    rows = [] if source is None else source.split("\n")
    if not 1 <= span.line <= len(rows):
        return [f"{' ' * width} | {place.text}"] if place.text != "here" else []
    text = printable(rows[span.line - 1])
    start = min(span.column, len(text) + 1)  # of a text that is cut the mark may lie behind its end
    end = span.end if span.end > span.column else len(text) + 1
    text, column, end = _window(text, start, end)
    carets = "^" * max(1, end - column)
    return [f"{span.line:>{width}} | {text}", f"{' ' * width} | {' ' * (column - 1)}{carets} {place.text}"]


LONGEST = 1_000  # characters of a title, a note, a help


def short(text: str) -> str:
    """A text of a problem, cut where a name or a value in it goes on and on."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 4 :]}"


WIDEST = 160  # columns of a source line that are shown


def _window(text: str, column: int, end: int) -> tuple[str, int, int]:
    """A line with its mark, or of a long one the part around the mark."""
    first = max(0, min(column - 41, len(text) - WIDEST))
    shown = ("…" if first else "") + text[first : first + WIDEST] + ("…" if first + WIDEST < len(text) else "")
    moved = first - (1 if first else 0)
    return shown, column - moved, min(end - moved, len(shown) + 1)


def printable(text: str) -> str:
    """``text`` with every character that would upset a terminal or the caret's column made visible."""
    return "".join(c if c.isprintable() else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


_left: ContextVar[list[int] | None] = ContextVar("hints", default=None)


@contextmanager
def hints(most: int = HINTED) -> Iterator[None]:
    """Inside, the nearest legal name is looked for so many times: each takes as long as there are names."""
    token = _left.set([most])
    try:
        yield
    finally:
        _left.reset(token)


def _hints() -> bool:
    left = _left.get()
    if left is None:
        return True
    left[0] -= 1
    return left[0] >= 0


def nearest(word: str, legal: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The one name of ``legal`` that ``word`` was probably meant to be, or None."""
    if not _hints():
        return None
    names = [name for name in legal if len(name) <= NAME]
    if len(word) > NAME or len(names) > HINTS:
        return None
    folded = {name.lower(): name for name in reversed(names)}
    lowered = word.lower()
    if lowered in folded:
        return folded[lowered]
    last = sorted((n for n in names if n.rpartition(".")[2].lower() == lowered), key=lambda n: n.count("."))
    if last and (len(last) == 1 or last[0].count(".") < last[1].count(".")):  # tensor is layout.tensor
        return last[0]
    longer = [name for name in names if len(word) > 2 and re.match(rf"{re.escape(lowered)}[-_]", name.lower())]
    if longer:  # h100 is h100-sxm, rather than h200
        return longer[0]
    close = _closest(lowered, tuple(folded), cutoff)
    return folded[close] if close is not None else None


@lru_cache(maxsize=1024)
def _closest(word: str, names: tuple[str, ...], cutoff: float) -> str | None:
    """The name spelled most like a word; kept, since a file is often checked again, and against the same names."""
    import difflib  # only needed when something is wrong

    return next(iter(difflib.get_close_matches(word, names, n=1, cutoff=cutoff)), None)


def did_you_mean(word: str, legal: Iterable[str]) -> str:
    """A help text with the nearest legal name, or an empty one."""
    name = nearest(word, legal)
    return f"did you mean `{name}`?" if name else ""


def listed(words: Sequence[str], most: int = 12) -> str:
    """Words as a phrase: "a, b and c", cut short where there are many."""
    if len(words) > most:
        return f"{', '.join(words[:most])} … ({len(words)} in all)"
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))

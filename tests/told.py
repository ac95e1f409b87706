"""Problems as lines that a test can hold: the marked text stands in place of its line and columns."""

import re

from dsl.problems import Problem, Span
from tests.language import START, resolved


def told(problem: Problem, text: str) -> list[str]:
    """A problem of ``text``: its title, what it marks and why, a note or a help a line."""
    rows = text.split("\n")

    def marked(span: Span, words: str) -> str:
        row = rows[span.line - 1]
        return f"[{row[span.column - 1 : span.end - 1 if span.end else None]}: {words}]"

    marks = [marked(problem.span, problem.label), *(marked(label.span, label.text) for label in problem.labels)]
    notes = [f"note: {note}" for note in problem.notes]
    return [f"{problem.code} {problem.title}", " ".join(marks), *notes, *([problem.help] if problem.help else [])]


def lines_of(text: str, *overrides: str) -> list[str]:
    """What is told of a text that follows START: errors, then warnings."""
    scenario, problems = resolved(START + text, *overrides)
    found = [*problems, *scenario.warnings]
    return [
        line
        for problem in found
        for line in told(
            problem, START + text if problem.span.file == "case.scn" else problem.span.file.partition(" ")[2]
        )
    ]


def told_of(case: str) -> list[str]:
    """The same of a case on one line: a | stands for a line end, what --set says follows the text."""
    text, *overrides = case.split(" --set ")
    return lines_of(text.replace(" | ", "\n") + "\n", *overrides)


def wanted(text: str) -> list[tuple[str, list[str]]]:
    """Cases one below the other: a line at the margin, and below it, further in, what belongs to it."""
    blocks = re.split(r"\n(?=\S)", text.strip("\n"))
    return [(head, [line.strip() for line in rest]) for head, *rest in (block.split("\n") for block in blocks)]

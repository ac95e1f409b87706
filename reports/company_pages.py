"""The templates of a company at work: bounded, and whatever goes wrong a Problem with the file and the line."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jinja2 import Environment, TemplateNotFound, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError
from markupsafe import escape

from dsl.problems import Problem, Span
from reports.bounded import CHARACTERS, SECONDS, TooMuch, bounded, written
from reports.commands.company import Refused
from reports.company import NOBODY, STYLE, Company

CODES = {UndefinedError: "E15", TemplateNotFound: "E15", SecurityError: "E28", TooMuch: "E28", MemoryError: "E28"}


Given = Mapping[str, Any]


def run(company: Company, env: Environment, name: str, given: Given, more: Given, parts: int = 0) -> str:
    """What a template writes of what all are ``given`` and what it alone has ``more``; of a company's at most so much
    beyond the ``parts`` that it puts together.
    """
    if company is NOBODY:
        return filled(env, name, given, more, most=0)
    try:
        with bounded():
            text = filled(env, name, given, more, CHARACTERS + parts)
    except Exception as error:  # whatever somebody's template does is theirs to hear of
        raise Refused([told(company, name, error)]) from error
    if (policy := more.get("policy")) and str(escape(policy)) not in text:
        place, said = company.place(name), "the page lacks the policy that keeps it from fetching"
        help = 'begin with {% extends "tonnage/page.html" %} and fill its blocks'
        raise Refused([Problem("E28", said, Span(place, 1, 1), "the whole page", help=help)])
    return text


PRINTING = 300.0  # seconds for a PDF in a company's style


@contextmanager
def printing(company: Company) -> Iterator[None]:
    """Inside, a PDF is made; one that a company's style never ends is stopped."""
    if company is NOBODY:
        yield
        return
    try:
        with bounded(PRINTING):
            yield
    except (TooMuch, MemoryError, RecursionError) as error:
        place = company.place(STYLE) if company.style else company.folder
        title = f"the PDF takes more than {PRINTING:.0f} seconds, or more memory than a document may, in this style"
        raise Refused([Problem("E28", title, Span(place, 1, 1), "the whole style")]) from error


def filled(env: Environment, name: str, given: Given, more: Given, most: int) -> str:
    """A template filled in, with the macros of the page."""
    whole = {**given, "m": env.get_template("macros.html").make_module(dict(given)), **more}
    template = env.get_template(name)
    return written(template, whole, most) if most else template.render(whole)


def told(company: Company, name: str, error: Exception) -> Problem:
    """What went wrong and the line of the company's file that it went wrong on."""
    own = {company.place(n) for n in company.texts}
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in own]
    whole = company.place(name) if name in company.texts else company.folder
    place, line = (frames[-1].filename, frames[-1].lineno or 1) if frames else (whole, 1)
    code = next((c for kind, c in CODES.items() if isinstance(error, kind)), "E16")
    return Problem(code, f"{name} cannot be written: {said(error)}", Span(place, line, 1), "here")


def said(error: Exception) -> str:
    """The error in a line."""
    if isinstance(error, MemoryError):
        return "it takes more memory than a page may"
    if isinstance(error, TooMuch) and not str(error):
        return f"it ran for more than {SECONDS:.0f} seconds"
    if isinstance(error, TemplateNotFound):
        return f"there is no template {error}"
    if isinstance(error, RecursionError):
        return "it includes itself without end"
    return " ".join(str(error).split()) or type(error).__name__


def wrong(env: Environment, place: str, name: str, text: str) -> Problem | None:
    """What is wrong with the grammar of a template: a syntax error, or escaping that is switched off."""
    try:
        tree = env.parse(text, name, place)
        env.compile(text, name, place)
    except TemplateSyntaxError as error:
        said = " ".join(str(error.message).split())
        help = "texts of a scenario are always escaped" if "'safe'" in said else ""
        return Problem("E01", f"{name}: {said}", Span(place, error.lineno, 1), "here", help=help)
    except RecursionError:
        return Problem("E05", f"{name} is nested too deep", Span(place, 1, 1))
    for node in tree.find_all((nodes.EvalContextModifier, nodes.ScopedEvalContextModifier)):
        return Problem("E28", f"{name} switches escaping off or on", Span(place, node.lineno, 1), "here",
                       help="take it out: texts of a scenario are always escaped")  # fmt: skip
    return None

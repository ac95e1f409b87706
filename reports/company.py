"""A company's own templates and style: the folder of `render --templates DIR`, read whole before anything is rendered.

Only plain files inside the folder count, and nothing that is fetched: what a page shows travels in it. Whatever is
wrong with them is a Problem with the file and the line.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from dsl.inside import Unreadable, plain
from dsl.limits import TEMPLATE, TEMPLATES
from dsl.problems import Problem, Span, did_you_mean

OWN = "sections/own/"  # chapters that a company adds, one a file
STYLE = "style.css"
HEAD = re.compile(r"\{#-?\s*title:\s*(?P<title>[^;#}]+?)\s*(?:;\s*after:\s*(?P<after>[\w-]+)\s*)?-?#\}")
ADDRESSES = (
    (re.compile(r"<\s*(script|iframe|object|embed|base|form|meta)\b", re.IGNORECASE), "does not belong in a report"),
    (re.compile(r"\bon[a-z]{3,}\s*=\s*[\"']", re.IGNORECASE), "runs a script; a report runs only its own"),
    (re.compile(r"@import\b|<\s*link\b", re.IGNORECASE), "fetches a style; write it into style.css"),
    (re.compile(r"(?:\bsrc|\bsrcset|\bposter|xlink:href)\s*=\s*[\"']?\s*(?!data:|#|\{\{)[^\s\"'>]+", re.IGNORECASE),
     "fetches something; write it as a data: address"),
    (re.compile(r"<\s*(?:image|use|feImage)\b[^<>]*?\shref\s*=\s*[\"']?\s*(?!data:|#|\{\{|[\"'\s])[^\s\"'>]+",
                re.IGNORECASE),
     "fetches something; write it as a data: address"),
    (re.compile(r"url\(\s*[\"']?\s*(?!data:|#|\{\{)[^)\s\"']+", re.IGNORECASE),
     "fetches something; write it as a data: address"),
)  # fmt: skip
CLOSES = (re.compile(r"</"), "would end the style of the page")


@dataclass(frozen=True)
class Company:
    """The files of a company's folder by their names in it."""

    folder: str  # as it was written on the command line
    files: tuple[tuple[str, str], ...]

    @cached_property
    def texts(self) -> dict[str, str]:
        return dict(self.files)

    @property
    def style(self) -> str:
        """The style that comes after the product's own."""
        return self.texts.get(STYLE, "")

    @property
    def digest(self) -> str:
        """SHA-256 over names and contents, in order."""
        whole = "\0".join(part for pair in self.files for part in pair)
        return hashlib.sha256(whole.encode()).hexdigest()

    @property
    def added(self) -> list[tuple[str, str, str]]:
        """(key, title, key of the chapter before it or "") of the chapters that the folder adds, by file name."""
        found = []
        for name, text in self.files:
            if name.startswith(OWN) and (head := HEAD.match(text)):
                found.append((name.removeprefix(OWN).removesuffix(".html"), head["title"], head["after"] or ""))
        return found

    def place(self, name: str) -> str:
        """Where a file of the folder is, as problems name it."""
        return os.path.join(self.folder, name)


NOBODY = Company("", ())
Parse = Callable[[str, str, str], Problem | None]
"""What is wrong with the grammar of (the file, the template called so, its text)."""


def read_company(
    folder: Path, shipped: frozenset[str], parse: Parse, chapters: frozenset[str]
) -> tuple[Company, list[Problem]]:
    """The folder's files, and what is wrong with them; ``parse`` says what is wrong with a template's grammar."""
    if not folder.is_dir():
        return NOBODY, [problem("E02", str(folder), 1, "no folder of templates", "it is not a folder that can be read")]
    problems: list[Problem] = []
    texts = {}
    names = sorted(islice(names_of(folder), TEMPLATES + 1))
    if len(names) > TEMPLATES:
        title, help = f"the folder holds more than {TEMPLATES} files", "name a folder that holds templates alone"
        return NOBODY, [problem("E02", str(folder), 1, title, "counted with the folders below it", help=help)]
    for name in names:
        text = read_text(folder, name, problems)
        if text is not None:
            texts[name] = text
    company = Company(str(folder), tuple(texts.items()))
    for name, text in texts.items():
        problems += judged(company, name, text, shipped, parse, chapters)
    return company, problems


def names_of(folder: Path) -> Iterator[str]:
    """The entries of the folder and the folders below it, links to folders not followed; hidden ones are left alone."""
    for here, inner, files in os.walk(folder):
        links = [n for n in inner if os.path.islink(os.path.join(here, n))]
        inner[:] = sorted(n for n in inner if n not in links and not n.startswith("."))
        for name in (*files, *links):
            if not name.startswith("."):
                yield os.path.relpath(os.path.join(here, name), folder).replace(os.sep, "/")


def read_text(folder: Path, name: str, problems: list[Problem]) -> str | None:
    """The text of one file; None with a problem where it is no plain file of the folder, too large or not UTF-8."""
    path = folder / name
    place = str(path)
    if not path.resolve().is_relative_to(folder.resolve()):
        problems.append(problem("E02", place, 1, f"{name} leads out of the folder", "a link to somewhere else",
                                help="copy the file into the folder"))  # fmt: skip
        return None
    if not path.is_file():
        problems.append(problem("E02", place, 1, f"{name} is no plain file", "not read", help="take it out"))
        return None
    if not name.endswith((".html", ".css")):
        return None  # a README, a license: none of the report's business
    try:
        data = plain(path, TEMPLATE)
        return data.decode("utf-8-sig")
    except Unreadable as error:
        problems.append(problem("E02", place, 1, f"{name} {error.why}", "not read", help=error.help))
    except OSError as error:
        problems.append(problem("E02", place, 1, f"{name} cannot be read", error.strerror or str(error)))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problems.append(problem("E03", place, line, f"{name} is not UTF-8 text", "this byte is not UTF-8"))
    return None


def judged(
    company: Company, name: str, text: str, shipped: frozenset[str], parse: Parse, chapters: frozenset[str]
) -> Iterator[Problem]:
    """What is wrong with one file: what it fetches, its grammar, its name, the head of an added chapter."""
    place = company.place(name)
    rules = (*ADDRESSES, CLOSES) if name == STYLE else ADDRESSES
    for pattern, why in rules:
        for found in pattern.finditer(text):
            yield at("E28", place, text, found.start(), found.end(), f"{name}: {found[0].strip()} {why}")
    if name.endswith(".css"):
        if name != STYLE:
            yield problem("E02", place, 1, f"{name} is not read", "a style has one name", help=f"call it {STYLE}")
        return
    if wrong := parse(place, name, text):
        yield wrong
    if name.startswith(OWN):
        yield from headless(place, name, text, chapters)
    elif name not in shipped and not any(f'"{name}"' in t or f"'{name}'" in t for n, t in company.files if n != name):
        known = did_you_mean(name, shipped)
        yield problem("E15", place, 1, f"{name} takes the place of no template", "nothing includes it",
                      help=known or f"a chapter of your own lies in {OWN}")  # fmt: skip


def headless(place: str, name: str, text: str, chapters: frozenset[str]) -> Iterator[Problem]:
    """What is wrong with the first line of an added chapter."""
    head = HEAD.match(text)
    if not re.fullmatch(r"[a-z0-9-]+\.html", name.removeprefix(OWN)):
        yield problem("E15", place, 1, f"{name}: a chapter's file is called by lower-case letters, digits and -", "so")
    if head is None:
        yield problem("E13", place, 1, f"{name} has no title", "the first line says it",
                      help="write {# title: Our terms #} or {# title: Our terms; after: cost-and-power #}")  # fmt: skip
    elif head["after"] and head["after"] not in chapters:
        known = did_you_mean(head["after"], chapters) or f"there are {', '.join(sorted(chapters))}"
        yield problem("E15", place, 1, f"no chapter is called {head['after']}", "looked for here", help=known)


def problem(code: str, place: str, line: int, title: str, label: str, help: str = "") -> Problem:
    return Problem(code, title, Span(place, line, 1), label, help=help)


def at(code: str, place: str, text: str, start: int, end: int, title: str) -> Problem:
    """A problem with the characters from ``start`` to ``end`` of a text."""
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return Problem(code, title, Span(place, line, column, column + max(1, end - start)), "this")

"""The JSON document as a book: chapters and sections with numbered tables, figures and equations.

All numbers and cross references are given here, so that HTML and PDF agree; templates only print them. Figures are
drawn when a page asks for them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from reports import figures
from reports.company import NOBODY, Company
from reports.locales import written_in
from reports.outline import chosen
from reports.plan import Json, Plan, Section, plan_of
from reports.sections import ONE_PAGE, Chapter
from reports.sections.control import control
from reports.sections.front import front
from reports.sections.one_page import is_one_page
from reports.tables import Table

if TYPE_CHECKING:
    from reports.figures.picture import Picture


Named = tuple[str, str]  # a kind of thing that is numbered, and its key


@dataclass(frozen=True)
class Part:
    """A level-2 section in its place."""

    section: Section
    number: str  # "2.1", "A.1"; empty where it stands directly under its chapter

    @property
    def heading(self) -> str:
        return f"{self.number} {self.section.title}" if self.section.title else ""


@dataclass(frozen=True)
class Numbered:
    """A level-1 section in its place."""

    chapter: Chapter
    number: str  # "2", "A"; empty for the glossary
    parts: tuple[Part, ...]

    @property
    def heading(self) -> str:
        return " ".join(
            t for t in (f"Appendix {self.number}" if self.chapter.appendix else self.number, self.chapter.title) if t
        )


@dataclass(frozen=True)
class Book:
    """Everything HTML and PDF print, in order."""

    plan: Plan
    front: Section
    control: Section
    chapters: tuple[Numbered, ...]
    logo: str = ""  # a data: address
    company: Company = NOBODY  # whose templates and style it is printed with

    @cached_property
    def pictures(self) -> dict[str, "Picture"]:
        """The figures that have data, drawn when a page first asks: tables alone need none."""
        return drawn(self.plan, [key for section in self.sections for key in section.figures])

    @cached_property
    def numbers(self) -> dict[Named, str]:
        """("table", key) → "7"; ("section", key) → "section 2.1"."""
        counted = {(kind, key): str(n) for kind, keys in self.counted for n, key in enumerate(keys, 1)}
        return counted | {("section", key): label for key, label, _ in labeled(self.chapters)}

    @cached_property
    def anchors(self) -> dict[Named, str]:
        """("table", key) → "table-KEY", where a link leads."""
        counted = {(kind, key): f"{kind}-{key}" for kind, keys in self.counted for key in keys}
        return counted | {("section", key): f"section-{anchor}" for key, _, anchor in labeled(self.chapters)}

    @property
    def counted(self) -> Iterator[tuple[str, list[str]]]:
        """What has numbers that run through: tables, figures, equations, each in the order of the book."""
        for kind, keys in (
            ("table", [t.key for t in self.tables]),
            ("figure", list(self.pictures)),
            ("equation", [k for s in self.sections for k in s.equations]),
        ):
            assert len(set(keys)) == len(keys), keys
            yield kind, keys

    @property
    def sections(self) -> Iterator[Section]:
        yield self.front
        yield self.control
        for chapter in self.chapters:
            yield from (part.section for part in chapter.parts)

    @property
    def tables(self) -> list[Table]:
        """All tables in the order of the book: each is also a CSV file."""
        return [table for section in self.sections for table in section.tables]


def bind(document: Json, company: Company = NOBODY) -> Book:
    """The book of a document (the JSON of reports/document.py), with the templates of a company."""
    plan = plan_of(document)
    with written_in(plan.report["locale"]):
        signed = Section("control", "", template="nothing") if is_one_page(plan) else control(plan, company)
        return replace(bound(plan, front(plan), signed, with_added(chosen(plan), company)), company=company)


def bound(plan: Plan, front: Section, control: Section, outline: Sequence[Chapter]) -> Book:
    """A book of these chapters, numbered."""
    return Book(plan, front, control, tuple(numbered(plan, outline)))


def numbered(plan: Plan, outline: Sequence[Chapter]) -> Iterator[Numbered]:
    """The chapters that have something to show, with their numbers and letters."""
    plain, letter = 0, 0
    for chapter in outline:
        sections = [s for make in chapter.sections for s in several(make(plan))]
        if not sections:
            continue
        plain, letter = (plain, letter + 1) if chapter.appendix else (plain + chapter.numbered, letter)
        own = "" if not chapter.numbered else chr(64 + letter) if chapter.appendix else str(plain)
        titled = [s for s in sections if s.title]
        yield Numbered(
            chapter, own, tuple(Part(s, f"{own}.{titled.index(s) + 1}" if s.title else "") for s in sections)
        )


def several(made: Section | Sequence[Section] | None) -> Sequence[Section]:
    """What a section's file gave, as a list: nothing, one section, or one for each experiment."""
    return () if made is None else (made,) if isinstance(made, Section) else made


def with_added(outline: list[Chapter], company: Company) -> list[Chapter]:
    """The chapters with those that a company adds, each behind the one it names, else before the appendices."""
    if outline == [ONE_PAGE]:
        return outline
    for key, title, after in company.added:
        keys = [c.key for c in outline]
        place = keys.index(after) + 1 if after in keys else sum(not c.appendix for c in outline if c.numbered)
        appendix = after in keys and outline[place - 1].appendix
        own = Chapter(f"own-{key}", title, (only(Section(f"own-{key}", "", template=f"own/{key}")),), appendix)
        outline = [*outline[:place], own, *outline[place:]]
    return outline


def only(section: Section) -> Callable[[Plan], Section]:
    """What makes that section of any plan."""
    return lambda plan: section


def labeled(chapters: Sequence[Numbered]) -> Iterator[tuple[str, str, str]]:
    """Key, label and anchor of every chapter and section; one without a title is its chapter."""
    for chapter in chapters:
        name = (
            f"appendix {chapter.number}"
            if chapter.chapter.appendix
            else f"section {chapter.number}"
            if chapter.number
            else "the glossary"
        )
        yield chapter.chapter.key, name, chapter.chapter.key
        for p in chapter.parts:
            own = (f"section {p.number}", p.section.key) if p.number else (name, chapter.chapter.key)
            yield p.section.key, *own


def drawn(plan: Plan, wanted: list[str]) -> dict[str, "Picture"]:
    """The pictures of the figures wanted, those without data left out."""
    with written_in(plan.report["locale"]):
        return {key: picture for key in wanted if (picture := picture_of(plan, key))}


def picture_of(plan: Plan, key: str) -> "Picture | None":
    """The picture of a key: "memory" of the plan's run, "compared_memory" of all runs, "heatmap/NAME/0" of a table."""
    if "/" in key:
        figure, name, *which = key.split("/")
        found = next(e for e in plan.document["experiments"] if e["name"] == name and e["kind"] != "run")
        return figures.of_experiment(figure, found, *map(int, which))
    if (name := key.removeprefix("compared_")) == key:
        return figures.of_point(key, plan.point)
    runs = (plan, *plan.others)
    return figures.of_points(name, [p.point for p in runs], [p.experiment["name"] for p in runs])

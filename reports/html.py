"""The book as one HTML page: for a screen (self-contained, no outside request) or for the PDF."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import FunctionLoader, StrictUndefined
from markupsafe import Markup

import templates
from reports import fonts
from reports.book import Book, Numbered, bind
from reports.bounded import BoundedEnvironment
from reports.company import NOBODY, Company
from reports.company_pages import run
from reports.glossary_links import linked
from reports.identity import head
from reports.locales import marks, written_in
from reports.origins import signs
from reports.plan import Json, Section
from reports.prose import capital, count, degrees, joined, lower_first, sentence
from reports.quantities import MISSING, Quantity
from reports.sections.glossary import anchor
from reports.units import unit_of

if TYPE_CHECKING:
    from reports.figures.picture import Picture

FOLDER = Path(templates.__file__).parent


OURS = "tonnage/"  # before the name of a shipped template, for one that takes its place and extends it


@cache
def environment(company: Company = NOBODY) -> BoundedEnvironment:
    """Templates of the company first, then the shipped ones. Everything is escaped, whatever a file is called."""
    env = BoundedEnvironment(
        loader=FunctionLoader(lambda name: source(company, name)),
        autoescape=True,
        undefined=StrictUndefined,
        lstrip_blocks=True,
        finalize=lambda value: MISSING if value is None else value,
    )
    del env.filters["safe"]
    env.filters |= {
        "sentence": sentence,
        "capital": capital,
        "lower_first": lower_first,
        "joined": joined,
        "unit": lambda name: unit_of(name).name,
        "breakable": breakable,
        "values": values,
        "signs": signs,
        "anchor": anchor,
        "wordy": lambda text: any(c.isalpha() for c in text),
    }
    env.globals |= {"count": count, "quantity": quantity}
    return env


def source(company: Company, name: str) -> tuple[str, str, None] | None:
    """The text of a template and the file it is from."""
    if name in company.texts:
        return company.texts[name], company.place(name), None
    path = FOLDER / name.removeprefix(OURS)
    return (path.read_text(encoding="utf-8"), str(path), None) if name.removeprefix(OURS) in shipped() else None


@cache
def shipped() -> frozenset[str]:
    """The names of the templates of a report, each of which a company may put its own in the place of."""
    return frozenset(
        ["page.html", "macros.html", *(f"sections/{path.name}" for path in FOLDER.glob("sections/*.html"))]
    )


def breakable(path: str, medium: str) -> str:
    """A path that may break after its dots; in the PDF by a zero-width space: WeasyPrint overlooks <wbr> in code."""
    return Markup(".<wbr>").join(str(path).split(".")) if medium == "screen" else str(path).replace(".", ".\u200b")


def quantity(value: float | None, unit: str = "", decimals: int | None = None) -> Quantity:
    """A number of a template as a quantity: {{ quantity(x, "days", 1) }}."""
    return Quantity(value, unit, decimals)


def screen_page(book: Book) -> str:
    """One HTML file: fonts as data, figures inline, a policy that lets nothing be fetched."""
    script = (FOLDER / "tables.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    body = page(book, "screen", {"policy": policy, "script": Markup(script), "style": STYLE_MARK})
    style = "\n".join((fonts.data_faces(body), sheet(book, "print.css"), sheet(book, "screen.css"),
                       book.company.style))  # fmt: skip
    return body.replace(STYLE_MARK, style, 1)


def paper_page(book: Book) -> str:
    """The HTML that WeasyPrint reads: fonts and figures by address."""
    style = "\n".join((fonts.file_faces(), sheet(book, "print.css"), sheet(book, "paper.css"), book.company.style))
    return page(book, "paper", {"script": "", "style": Markup(style)})


STYLE_MARK = "/* style of the document */"


def render_html(document: Json, company: Company = NOBODY) -> str:
    """The document as one self-contained HTML file."""
    return screen_page(bind(document, company))


def sheet(book: Book, name: str) -> str:
    """A style sheet with the paper size the report asks for."""
    paper = "Letter" if book.plan.report.get("paper") == "Letter" else "A4"
    return (FOLDER / name).read_text(encoding="utf-8").replace("size: A4", f"size: {paper}")


def values(figure: "Picture") -> tuple[list[Sequence[str]], int]:
    """What the marks of a figure say when pointed at, each once, and how many there are: those beyond MOST are cut."""
    rows = list(dict.fromkeys(figure.tips))
    return list(rows[:MOST]), len(rows)


MOST = 60  # rows of the values under a figure


def page(book: Book, medium: str, frame: Mapping[str, Any]) -> str:
    """The page in a medium, its numbers written as the report's locale has it."""
    with written_in(book.plan.report["locale"]):
        return filled(book, medium, frame)


def filled(book: Book, medium: str, frame: Mapping[str, Any]) -> str:
    env = environment(book.company)
    shared = common(book, medium)

    def body(section: Section, template: str, **more: Any) -> Markup:
        given = shared | {"tables": {t.key: t for t in section.tables}}
        name = f"sections/{template}.html"
        return Markup(run(book.company, env, name, given, dict(section.facts or {}) | more))

    made = {p.section.key: body(p.section, p.section.form) for c in book.chapters for p in c.parts}
    bodies = linked(made | {book.front.key: body(book.front, book.front.form)})
    chapters = [
        {
            "key": c.chapter.key,
            "heading": c.heading,
            "classes": c.chapter.classes,
            "sections": [
                {"key": p.section.key, "heading": p.heading, "body": bodies[p.section.key]} for p in c.parts
            ],
        }
        for c in book.chapters
    ]
    control = body(book.control, book.control.form, toc=contents(book.chapters), summary=book.front.title)
    parts = [control, *bodies.values()]
    whole = dict(frame) | {"front": bodies[book.front.key], "contents": control, "chapters": chapters}
    return run(book.company, env, "page.html", shared, whole, sum(map(len, parts)))


def contents(chapters: Sequence[Numbered]) -> list[dict[str, Any]]:
    """The lines of the table of contents."""
    return [
        {
            "key": c.chapter.key,
            "heading": c.heading,
            "sections": [{"key": p.section.key, "heading": p.heading} for p in c.parts],
        }
        for c in chapters
    ]


def common(book: Book, medium: str) -> dict[str, Any]:
    """What every template may use."""
    plan = book.plan

    def has(kind: str, key: str) -> bool:
        return (kind, key) in book.numbers

    def ref(kind: str, key: str, start: bool = False) -> Markup:
        """A link to a numbered thing: "table 7"; a section also prints its page in the PDF."""
        label = book.numbers[kind, key] if kind == "section" else f"{kind} {book.numbers[kind, key]}"
        return Markup('<a class="{}" href="#{}">{}</a>').format(
            "page" if kind == "section" else "ref",
            book.anchors[kind, key],
            (capital(label) if start else label).replace(" ", "\u00a0"),
        )

    def see(kind: str, key: str) -> Markup:
        """The same in parentheses, nothing where the thing is not in the book."""
        return Markup(" ({})").format(ref(kind, key)) if has(kind, key) else Markup("")

    return {
        "medium": medium,
        "point": marks().point,
        "numbers": book.numbers,
        "pictures": {k: (p, picture(p, medium)) for k, p in book.pictures.items()},
        "has": has,
        "ref": ref,
        "see": see,
        "logo": book.logo,
        "head": head(book.plan),
        "q": plan.result,
        "setting": plan.setting,
        "status": plan.point["status"],
        "degrees": degrees(plan),
        "report": plan.report,
        "defaults": sum(row["origin"] == "default" for row in plan.point["inputs"]),
    }


def picture(figure: "Picture", medium: str) -> Markup:
    """An inline SVG for screens, an image with alternative text for the PDF."""
    if medium == "screen":
        return Markup(figure.svg)  # made by our own drawing code, which escapes the scenario's words
    return Markup('<img src="data:image/svg+xml,{}" alt="{}" style="width:{}mm;height:{}mm">').format(
        Markup(quote(figure.still)), figure.alt, figure.width_mm, figure.height_mm
    )

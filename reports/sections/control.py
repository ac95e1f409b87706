"""Document control: revisions, provenance with hashes, approval."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from reports.company import NOBODY, Company
from reports.fonts import lacking
from reports.outline import asked, kept
from reports.plan import Json, Plan, Section
from reports.prose import capital, count, joined
from reports.sections.rooflines import operations
from reports.tables import Cell, Table, code, text


def control(plan: Plan, company: Company = NOBODY) -> Section:
    """The tables a reader needs to trust and to sign the document."""
    tables = revisions(plan), approval(plan), provenance(plan, company)
    return Section("control", "Document control", tuple(t for t in tables if t))


def revisions(plan: Plan) -> Table | None:
    rows = tuple(
        (r.get("title"), r.get("date") or "undated", r.get("author"), r.get("change"))
        for r in plan.report.get("revisions") or []
    )
    columns = (text("Rev.", 16), text("Date", 28), text("Author", 36), text("Change"))
    return Table("revisions", "Revisions", columns, rows, wide=True) if rows else None


def provenance(plan: Plan, company: Company) -> Table:
    document = plan.document
    inputs = plan.point["inputs"]
    stated = sum(row["origin"] == "stated" for row in inputs)
    rows: list[tuple[Cell, ...]] = [
        ("Engine", f"Tonnage {document['engine_version']}, edition {document['edition']}", " "),
        ("Scenario", document["file"], document.get("sha256")),
        *(("Import", i["path"], i.get("sha256")) for i in document.get("imports", [])),
    ]
    if inputs:
        rows.append(("Inputs", f"{len(inputs)} settings, {stated} stated in the file", " "))
    elif found := operations(plan):
        rows.append(("Inputs", capital(f"{count(len(found), 'operation')}, as stated"), " "))
    given = "whole" if document.get("withheld") else "attached"
    rows += [("Overridden", str(setting), " ") for setting in document.get("overrides") or ()]
    rows += [("Varied", str(setting), " ") for setting in document.get("varied") or ()]
    if document.get("withheld"):
        said = "prices, costs and other amounts of money, also in the attached files; hashes are of the whole ones"
        rows.append(("Withheld", said, " "))
    if plan.report.get("sections"):
        rows.append(("Chapters", chapters(plan), " "))
    if company.files:
        said = f"{PurePath(company.folder).name}, {count(len(company.files), 'file')}"
        rows.append(("Templates", said, company.digest))
    rows += [("Glyphs", said, " ") for said in without_glyphs(document)]
    return Table(
        "provenance",
        "Provenance",
        (text("Item", 20), text("Value"), code("SHA-256", 106)),
        tuple(rows),
        wide=True,
        more=f"The same engine on the {given} scenario reproduces the figures byte for byte.",
    )


def without_glyphs(document: Json) -> list[str]:
    """A sentence for each package of fonts that the document's words would need where it was made."""
    return [
        f"No font of the machine that made this document has {named}; the package {package} brings one"
        for package, named in lacking("".join(unusual(document))).items()
    ]


def unusual(document: Mapping[str, Any]) -> Iterator[str]:
    """The pieces of a document's texts that are more than ASCII."""
    return (found[0] for found in re.finditer(r"[^\x00-\x7f]+", json.dumps(document, ensure_ascii=False)))


def chapters(plan: Plan) -> str:
    """Which chapters the report asks for, and which stand beside them in every document."""
    wanted, always = (joined([c.title for c in found]) for found in (asked(plan), kept()))
    return f"{wanted or 'None'}, as the report asks; {always}, as in every document"


def approval(plan: Plan) -> Table | None:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (capital(a.get("role") or "not stated"), a.get("title"), "", a.get("date") or "")
        for a in plan.report.get("approvals") or []
    )
    blank = tuple((role, name or "not stated", " ", date or " ") for role, name, _, date in rows)
    return (
        Table(
            "approval",
            "Approval",
            (text("Role", 46), text("Name", 46), text("Decision", 36), text("Date and signature")),
            blank,
            tall=True,
        )
        if rows
        else None
    )

"""Title, identity and dates of a document."""

from typing import Any

from reports.plan import Plan

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


KINDS = {"changes": "changes", "validation": "validation"}


def head(plan: Plan) -> dict[str, Any]:
    """Title, identity and dates of the document."""
    report = plan.report
    revisions = report.get("revisions") or [{}]
    name = plan.document.get("title") or plan.experiment.get("title") or plan.document["file"]
    identity = " rev. ".join(
        str(v) for v in (report.get("document") or plan.document["file"], revisions[-1].get("title")) if v
    )
    return {
        "name": name,
        "title": f"{name} – {KINDS.get(str(plan.document.get('kind')), 'capacity plan')}",
        "author": report.get("author") or "",
        "identity": identity,
        "revision": revisions[-1].get("title") or "",
        "date": report.get("date") or "",
        "date_text": written_date(report.get("date")),
        "description": f"{identity}, from {plan.document['file']}",
        "generator": f"Tonnage {plan.document['engine_version']}",
    }


def written_date(date: str | None) -> str:
    """ "2026-11-29" → "29 November 2026"; what is no date stays as it is."""
    parts = str(date or "").split("-")
    return (
        f"{int(parts[2])} {MONTHS[int(parts[1]) - 1]} {parts[0]}"
        if len(parts) == 3 and all(p.isdigit() for p in parts)
        else str(date or "")
    )

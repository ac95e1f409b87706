"""Appendix: the scenario as given, with line numbers, wrapped at 96 columns."""

from reports.plan import Plan, Section

COLUMNS = 96


def source(plan: Plan) -> Section | None:
    given = plan.document.get("source") or ""
    return (
        Section(
            "source",
            "",
            facts={"listing": listing(given), "file": plan.document["file"], "sha": plan.document.get("sha256")},
        )
        if given
        else None
    )


def listing(given: str) -> str:
    """The text with line numbers; a line of over 96 columns goes on below itself, unnumbered."""
    lines = given.replace("\t", "    ").splitlines()
    width = len(str(len(lines)))
    shown = []
    for n, line in enumerate(lines, 1):
        pieces = [line[i : i + COLUMNS] for i in range(0, len(line), COLUMNS)] or [""]
        shown += [f"{n if i == 0 else '':>{width}}  {piece}".rstrip() for i, piece in enumerate(pieces)]
    return "\n".join(shown)

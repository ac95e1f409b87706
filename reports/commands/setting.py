"""What a setting means, as the reference has it: `scn explain report.locale`, `scn explain layout.tensor`."""

from dsl.kind import Setting


def row_of(path: str) -> tuple[str, Setting] | None:
    """The kind that has the setting, and its row; by the kind's name in front, else as a run calls it."""
    from dsl.schema import kinds, run_row, schema

    head, _, rest = path.partition(".")
    kind = kinds().get(head)
    own = None if kind is None else schema(kind).row(rest)
    if own is not None:
        return head, own
    found = run_row(path)
    return None if found is None else ("run", found)


def setting(path: str) -> str | None:
    """Meaning, what it holds, bounds and default of a setting; None where there is none of that path."""
    from dsl.server.hover import about

    found = row_of(path)
    if found is None:
        return None
    kind, row = found
    held = ", ".join(about(row)).replace("`", "")
    return f"{path}: {row.doc}\na setting of {kind}: {held}"


def paths() -> list[str]:
    """Every setting by its path, those of a run as the run calls them, the others by their kind."""
    from dsl.schema import kinds, run_rows, schema

    return [*run_rows(), *(f"{name}.{path}" for name, kind in kinds().items() for path in schema(kind).rows)]

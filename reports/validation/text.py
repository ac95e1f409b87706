"""The errors of a table of measured rows as text: all rows, by group, the worst rows, failed rows, rows left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from reports.commands.catalog import table
from reports.validation.errors import Errors, Prediction, errors_of, grouped, groups_of, left_out, worst
from reports.validation.kinds import Kind
from reports.validation.rows import Row

WORST = 20
HEAD = ("", "rows", "failed", "median |error|", "90th percentile", "bias", "measured/predicted, 80%")


def percent(value: float | None, signed: bool = False) -> str:
    """A share as a percentage; a dash where there is none."""
    if value is None:
        return "-"
    shown = round(100 * value, 1)
    return f"{shown:{'+' if signed and shown else ''}.1f}%" if shown else "0.0%"


def line(e: Errors) -> tuple[str, ...]:
    """One group as a line of the table."""
    span = "-" if e.low is None or e.high is None else f"{e.low:.2f} to {e.high:.2f}"
    return (
        e.name,
        str(e.n),
        str(e.failed),
        percent(e.median_abs),
        percent(e.p90_abs),
        percent(e.bias, signed=True),
        span,
    )


def common(rows: Sequence[Row], everywhere: Sequence[Row], kind: Kind) -> list[str]:
    """What the worst rows share more often than all rows do: a group at twice its usual share or more."""
    found = []
    for name, key in groups_of(kind).items():
        usual = Counter(key(row) for row in everywhere)
        for value, count in Counter(key(row) for row in rows).most_common():
            share, normal = count / len(rows), usual[value] / len(everywhere)
            if count >= 3 and share >= 2 * normal:
                found.append(f"{name} {value}: {count} of {len(rows)}, {100 * normal:.0f}% of all rows")
    return found


def worst_lines(bad: Sequence[Prediction], kind: Kind) -> list[tuple[str, ...]]:
    """The worst rows as lines of a table, in the kind's unit."""
    values = f"predicted [{kind.unit}]", f"measured [{kind.unit}]"
    lines: list[tuple[str, ...]] = [("id", "error", *values, "model", "GPUs", "framework")]
    for p in bad:
        r = p.row
        gpus = f"{r.get('n_gpus', '').removesuffix('.0')} {r.get('gpu', '')}"
        shown = tuple(f"{v / kind.scale:.4g}" for v in (p.predicted or 0.0, p.measured or 0.0))
        lines.append((r.get("id", ""), percent(p.error, signed=True), *shown, r.get("model", ""), gpus, r["framework"]))
    return lines


def reasons(rows: Sequence[Row], found: Sequence[Prediction], kind: Kind) -> list[tuple[str, Counter[str]]]:
    """Rows that failed and rows left out, counted by reason."""
    return [
        ("failed", Counter(p.why for p in found if p.why)),
        ("left out", Counter(filter(None, left_out(rows, kind)))),
    ]


def measured(found: Sequence[Prediction]) -> bool:
    """Whether any row has something that its prediction can be held against."""
    return any(p.measured is not None for p in found)


def as_text(rows: Sequence[Row], found: Sequence[Prediction], kind: Kind) -> str:
    """The errors of all rows, by group, the worst rows, and the rows that failed or were left out."""
    left = sum(map(bool, left_out(rows, kind)))
    failed = sum(p.predicted is None for p in found)
    counts = f"{len(rows)} rows, {left} left out, {len(found) - failed} predicted"
    counts += f", {failed} not evaluated" if failed else ""
    if found and not measured(found):
        return f"{counts}; nothing is measured, so nothing is compared. --format json has every prediction."
    parts = [
        f"{kind.title}: error = predicted / measured - 1 of {kind.what}; bias is its median.\n"
        f"{counts}.",
        table([HEAD, line(errors_of("all", found))]),
    ]
    for name, key in groups_of(kind).items():
        own = grouped(found, key)
        if len(own) > 1:
            parts.append(table([(f"by {name}", *HEAD[1:]), *(line(e) for e in own)]))
    bad = worst(found, WORST)
    if bad:
        parts.append(f"the {len(bad)} rows with the largest errors\n" + table(worst_lines(bad, kind)))
    if shared := common([p.row for p in bad], [p.row for p in found], kind):
        parts.append("what they have in common\n" + "\n".join(f"  {text}" for text in shared))
    for title, counted in reasons(rows, found, kind):
        if counted:
            parts.append(f"{title}\n" + "\n".join(f"  {n:>4}  {why}" for why, n in counted.most_common()))
    return "\n\n".join(parts)


def unseen(refit: Mapping[str, Any] | None) -> str:
    """The errors of sources and of publishers by fits that have not seen them, as lines; empty where none was made."""
    if not refit:
        return ""
    head = ("fitted anew, without each in turn", *(h for h in HEAD[1:-1] if h != "failed"))
    lines = [
        (f"{row['of']} {row['a']}s", str(refit["rows"]), *(percent(row[k]) for k in ("median_abs", "p90_abs")),
         percent(row["bias"], signed=True)) for row in refit["without"]
    ]  # fmt: skip
    return f"\n\n{table([head, *lines])}"

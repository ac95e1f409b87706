"""The acceptance sheet: every row with its threshold, to fill in and sign; and the commands, with the reasons."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import templates
from reports.operations.files import exported
from reports.plan import Json, Plan, Section
from reports.prose import joined
from reports.quantities import NBSP, Quantity, fixed
from reports.sections.materials import apart
from reports.tables import Cell, Column, Table, UnitOf, command, number, text

BLANK = " "
SHOWN = {"flop/s": ("TFLOP/s", 1), "bytes/s": ("GB/s", 1), "seconds": ("s", 3), "share": ("%", 1),
         "bytes": ("GiB", 1), "tokens/s": ("tokens/s", 1), "watts": ("W", 0)}  # fmt: skip
SIDES = {"higher": "at least", "lower": "at most"}
FOLDER = Path(templates.__file__).parent
SCRIPT = re.compile(r"python (gemm_rate\w*\.py) ")
BESIDE = (
    text("test"), text("better"), text("span"), number("ranks"), number("nodes"), number("size", "B"), text("dtype"),
    number("m"), number("n"), number("k"), text("reason"), text("source"), text("command"), text("note"),
)  # fmt: skip


def acceptance(plan: Plan) -> Section | None:
    """The sheet; left out where there is nothing to measure."""
    rows = plan.point["acceptance"]
    if not rows:
        return None
    return Section(
        "acceptance",
        "Sheet",
        (sheet(rows), signatures()),
        ("bus_bandwidth",),
        facts={
            "rows": len(rows),
            "judged": sum(r["threshold"] is not None for r in rows),
            "spans": [f"{name}{NBSP}({fixed(ranks, 0)}{NBSP}GPUs)" for name, ranks in spans(rows)],
            "strokes": any(r["threshold"] is not None for r in rows if r["span"]),
            "file": plan.document["file"],
            "programme": apart(plan),
        },
    )


def spans(rows: Sequence[Json]) -> list[tuple[str, float]]:
    """The spans that collectives are measured over, with their ranks."""
    return list(dict.fromkeys((r["span"], r["ranks"]) for r in rows if r["span"]))


def sheet(rows: Sequence[Json]) -> Table:
    """One line a measurement, with room for what is measured; its CSV holds all there is to know of each row."""
    columns = (
        text("No.", 9),
        text("Test"),
        text("Over", 25),
        text("Size or shape", 27),
        number("Expected", width=14),
        text("Passes", 18),
        number("From", width=13),
        text("Unit", 16),
        text("Measured", 17),
        text("Pass", 8),
    )
    return Table("acceptance", "Acceptance sheet", columns, tuple(line(r) for r in rows), wide=True, ruled=True,
                 beside=BESIDE, beside_rows=tuple(beside(r) for r in rows))  # fmt: skip


def line(row: Json) -> tuple[Cell, ...]:
    expected, threshold = shown(row, row["expected"]), shown(row, row["threshold"])
    passes = "recorded" if row["threshold"] is None else SIDES[row["better"]]
    return (row["id"], title(row), over(row), extent(row), expected, passes, threshold, UnitOf(expected), BLANK, BLANK)


def shown(row: Json, value: float | None) -> Quantity:
    """A value of a row in the unit its kind is shown in."""
    return Quantity(value, *SHOWN[row["unit"]])


def title(row: Json) -> str:
    """What is measured."""
    return f"{row['title']}, {row['dtype'].upper()} multiply" if row["test"] == "gemm" else str(row["title"])


def over(row: Json) -> str:
    """The GPUs or nodes that take part."""
    if row["span"]:
        return f"{row['span']}: {fixed(row['ranks'], 0)}{NBSP}GPUs"
    if row["ranks"]:
        return f"the job: {fixed(row['ranks'], 0)}{NBSP}GPUs"
    return "each node" if row["nodes"] else "each GPU"


def extent(row: Json) -> str:
    """Message size, or the shape of a multiply."""
    if row["shape"]:
        return f"{NBSP}×{NBSP}".join(fixed(side, 0) for side in row["shape"])
    if row["size"] is None:
        return BLANK
    binary = row["span"] is not None
    unit = ("GiB" if row["size"] >= 2**30 else "MiB") if binary else "GB"
    return Quantity(row["size"], unit, 0).text()


def beside(row: Json) -> tuple[Cell, ...]:
    """What only the CSV holds of a row: names, numbers in base units, the reason and the command."""
    shape = (*row["shape"], None, None, None)[:3]
    names = ("reason", "source", "command", "note")
    numbers = [row[name] for name in ("ranks", "nodes", "size")]
    return (row["test"], row["better"], row["span"], *numbers, row["dtype"], *shape, *(row[n] or None for n in names))


def signatures() -> Table:
    """Who measured, who accepts."""
    rows = tuple((role, BLANK, BLANK, BLANK, BLANK) for role in ("Measured by", "For the supplier", "For the buyer"))
    columns = (text("Role", 28), text("Name", 38), text("Date", 22), text("Accepted, or what is open"),
               text("Signature", 38))  # fmt: skip
    return Table("acceptance_signatures", "Signatures", columns, rows, tall=True)


def acceptance_commands(plan: Plan) -> Section | None:
    """The command of every row, and why it passes from where it does."""
    rows = plan.point["acceptance"]
    if not rows:
        return None
    named = [found[1] for r in rows if (found := SCRIPT.match(r["command"] or ""))]
    script = named[0] if named else ""
    return Section(
        "acceptance_commands",
        "Commands and reasons",
        (commands(rows), reasons(rows)),
        facts={
            "script": script,
            "listing": (FOLDER / f"{script}.txt").read_text("utf-8") if script else "",
            "several": any((r["nodes"] or 1) > 1 for r in rows),
            "mpi": any("mpirun" in (r["command"] or "") for r in rows),
            "file": next(iter(exported(plan.point, str(plan.experiment["name"] or "run"))), ""),
            "model": any(" MODEL" in (r["command"] or "") for r in rows),
            "head": any("$HEAD" in (r["command"] or "") for r in rows),
            "nccl": any("_perf" in (r["command"] or "") for r in rows),
        },
    )


def commands(rows: Sequence[Json]) -> Table:
    """Rows measured by one command stand together."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["command"] or "", []).append(row["id"])
    noted = {r["id"]: r["note"] for r in rows}
    lines = [(ids(own), typed) for typed, own in found.items() if typed]
    open_ = [(note, [r["id"] for r in own]) for note, own in grouped([r for r in rows if not r["command"]], noted)]
    cells: tuple[tuple[Cell, ...], ...] = (*lines, *((ids(own), note or "not stated") for note, own in open_))
    return Table("acceptance_commands", "Commands", (text("Rows", 24), command("Command")), cells, wide=True)


def grouped(rows: Sequence[Json], noted: dict[str, str]) -> Iterator[tuple[str, list[Json]]]:
    """Rows without a command by the note that says why."""
    for note, own in groupby(rows, key=lambda r: noted[r["id"]]):
        yield note, list(own)


def ids(names: Sequence[str]) -> str:
    """ "N1 to N3", "G1", "S1, S2 and S4": neighbors drawn together."""
    runs: list[list[str]] = []
    for name in names:
        last = runs[-1][-1] if runs else ""
        if last[:1] == name[:1] and last and int(name[1:]) == int(last[1:]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return joined(text for r in runs for text in (r if len(r) < 3 else [f"{r[0]}{NBSP}to{NBSP}{r[-1]}"]))


def reasons(rows: Sequence[Json]) -> Table:
    """Why a row passes from where it does; rows of one reason stand together."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        found.setdefault((row["reason"], row["source"]), []).append(row["id"])
    cells: tuple[tuple[Cell, ...], ...] = tuple((ids(own), why, where or None) for (why, where), own in found.items())
    columns: tuple[Column, ...] = (text("Rows", 24), text("Reason of the threshold"), text("Source", 52))
    return Table("acceptance_reasons", "Reasons", columns, cells, wide=True)

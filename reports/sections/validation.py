"""The sections of a validation: what was compared, errors by group, worst rows, layouts, rows left out, every row."""

from typing import Any

from reports.plan import Json, Plan, Section
from reports.prose import capital
from reports.quantities import Quantity
from reports.sections.validation_front import predicted, share, tables_of
from reports.tables import Cell, Column, Table, number, text

DECIMALS = {"s": 3, "GiB": 1}
GROUPS_SHOWN = 30
NAMES = {"scale": "number of GPUs"}


def method(plan: Plan) -> list[Section]:
    """What was compared and how: the counts of rows."""
    made = tables_of(plan)
    if not made:
        return []
    columns = (text("Table", 30), number("Rows of the file", width=28), number("Left out", width=24),
               number("Failed", width=22), number("Predicted", width=24), number("Sources", width=22))  # fmt: skip
    rows = tuple(
        (e["title"], e["of"], len(e["left_out"]), e["errors"]["failed"], predicted(e),
         e["sources"]) for e in made
    )  # fmt: skip
    table = Table("compared", "Rows of each table", columns, rows)
    facts = {
        "compared": [{"name": e["name"], "required": e["required"]} for e in made],
        "conditions": made[0]["conditions"],
    }
    return [Section("validation-method", "", (table,), facts=facts, template="validation_method")]


def errors(plan: Plan, name: str) -> list[Section]:
    """The errors of one table: figures, and a table for each way of grouping."""
    made = tables_of(plan)
    return [section(e, on_front=e is made[0]) for e in made if e["name"] == name]


def times(plan: Plan) -> list[Section]:
    return [*errors(plan, "time"), *worst(plan, "time"), *layouts(plan)]


def memories(plan: Plan) -> list[Section]:
    return [*errors(plan, "memory"), *worst(plan, "memory")]


def section(e: Json, on_front: bool) -> Section:
    """The errors of one table; the figure of the first table stands on page 1."""
    key = e["name"]
    tables = [group_table(key, g) for g in e["groups"] if len(g["rows"]) > 1]
    figures = tuple(f"{name}/{key}" for name in FIGURES[on_front:])
    facts = {
        "key": key,
        "what": e["what"],
        "order": [t.key for t in tables],
        "n": predicted(e),
        "drawn": not on_front,
        "low": Quantity(e["errors"]["low"], "", 2).text(),
        "high": Quantity(e["errors"]["high"], "", 2).text(),
    }
    return Section(
        f"errors-{key}", "Errors by group", tuple(tables), figures, facts=facts, template="validation_errors"
    )


FIGURES = ("predicted_measured", "residuals", "residuals_by_scale")


def group_table(key: str, group: Json) -> Table:
    """One way of grouping: a row a group, largest first."""
    by = NAMES.get(str(group["by"]), str(group["by"]))
    columns: tuple[Column, ...] = (text(capital(by)), *ERROR_COLUMNS)
    rows = tuple(error_cells(r) for r in group["rows"])
    if by == "source":  # long names need the room of two columns
        columns, rows = (*columns[:6], columns[8]), tuple((*row[:6], row[8]) for row in rows)
    return Table(f"{key}-by-{'-'.join(by.lower().split())}", f"Errors by {by}", columns, rows, most=GROUPS_SHOWN)


ERROR_COLUMNS: tuple[Column, ...] = (
    number("Rows", width=13),
    number("Failed", width=14),
    number("Median error", "%", 1, width=18),
    number("90th percentile", "%", 1, width=21),
    number("Bias", "%", 1, width=15, signed=True),
    number("Measured over predicted, 10 %", decimals=2, width=24),
    number("the same, 90 %", decimals=2, width=17),
    number("In interval", "%", 0, width=17),
)


def error_cells(r: Json) -> tuple[Cell, ...]:
    return (
        r["name"],
        r["n"],
        r["failed"],
        r["median_abs"],
        r["p90_abs"],
        r["bias"],
        r["low"],
        r["high"],
        share(r["inside"], r["with_interval"]),
    )


def worst(plan: Plan, name: str) -> list[Section]:
    """The rows with the largest errors and what they have in common."""
    made = []
    for e in tables_of(plan):
        if e["name"] == name and e["worst"]:
            rows = tuple(row_cells(r, e["unit"]) for r in e["worst"])
            table = Table(f"{name}-worst", "Rows with the largest errors", row_columns(e["unit"]), rows, wide=True)
            facts = {"key": name, "common": e["common"], "count_rows": len(rows)}
            made.append(
                Section(f"worst-{name}", "The largest errors", (table,), facts=facts, template="validation_worst")
            )
    return made


def row_columns(unit: str) -> tuple[Column, ...]:
    return (
        text("Row", 22),
        number("Error", "%", 1, width=14, signed=True),
        number("Predicted", unit, width=17),
        number("Measured", unit, width=17),
        text("Model", 32),
        text("GPUs", 28),
        text("Layout"),
    )


def row_cells(r: Json, unit: str) -> tuple[Cell, ...]:
    gpus = f"{Quantity(r['gpus'], '', 0).number()} × {r['gpu']}"
    values = (Quantity(r[k], unit, DECIMALS[unit]) for k in ("predicted", "measured"))
    return (r["id"], r["error"], *values, r["model"], gpus, r["layout"])


def layouts(plan: Plan) -> list[Section]:
    """Whether the predicted best layout is the measured one, group by group."""
    groups = [g for e in tables_of(plan) for g in e["layouts"]]
    if not groups:
        return []
    columns = (
        text("Model", 34),
        text("GPUs", 26),
        number("Layouts", width=14),
        text("Measured best", 34),
        text("Predicted best, where another"),
        number("Costs more", "%", 1, width=15),
        number("Pairs apart", width=13),
        number("In order", width=13),
    )
    rows = tuple(layout_cells(g) for g in groups)
    pairs, right = sum(g["pairs"] for g in groups), sum(g["right"] for g in groups)
    totals: tuple[Cell, ...] = ("All groups", "", sum(g["layouts"] for g in groups), "", "", None, pairs, right)
    table = Table("layouts", "The predicted best layout against the measured best", columns, (*rows, totals),
                  totals=1, wide=True, most=30)  # fmt: skip
    facts: dict[str, Any] = {
        "groups": len(groups),
        "near": sum(g["regret"] <= 0.02 for g in groups),
        "same": sum(g["regret"] == 0 for g in groups),
        "worst": Quantity(max(g["regret"] for g in groups), "%", 1),
        "pairs": pairs,
        "right": Quantity(share(right, pairs), "%", 0),
    }
    return [Section("layouts", "The right layout", (table,), facts=facts, template="validation_layouts")]


def layout_cells(g: Json) -> tuple[Cell, ...]:
    gpus = f"{Quantity(float(g['n_gpus']), '', 0).number()} × {g['gpu']}"
    other = g["predicted_best"] if g["predicted_best"] != g["best"] else ""
    return (g["model"], gpus, g["layouts"], g["best"], other or " ", g["regret"], g["pairs"], g["right"])


def left_out(plan: Plan) -> list[Section]:
    """Rows that failed and rows that were left out, by reason."""
    made = tables_of(plan)
    rows = tuple((e["title"], REASONS[r["kind"]], r["rows"], capital(r["why"])) for e in made for r in e["reasons"])
    if not rows:
        return []
    columns = (text("Table", 24), text("What", 22), number("Rows", width=14), text("Why"))
    table = Table("not-compared", "Rows that failed or were left out, by reason", columns, rows)
    facts = {
        "failed": sum(e["errors"]["failed"] for e in made),
        "left_out": sum(len(e["left_out"]) for e in made),
    }
    return [Section("not-compared", "", (table,), facts=facts, template="validation_left_out")]


REASONS = {"failed": "failed", "left out": "left out"}


def every(plan: Plan) -> list[Section]:
    """Every row that was held against a prediction."""
    made = []
    for e in tables_of(plan):
        rows = tuple(every_cells(r, e["unit"]) for r in e["rows"])
        columns = (
            text("Row", 26), number("Error", "%", 1, width=16, signed=True), number("Predicted", e["unit"], width=20),
            number("Low", e["unit"], width=20), number("High", e["unit"], width=20),
            number("Measured", e["unit"], width=20), text("Model", 44), text("GPUs", 34), text("Framework"),
        )  # fmt: skip
        table = Table(f"{e['name']}-rows", f"{e['title']}: every row", columns, rows, wide=True)
        title = e["title"] if len(tables_of(plan)) > 1 else ""
        made.append(Section(f"rows-{e['name']}", title, (table,), facts={"key": e["name"]}, template="validation_rows"))
    return made


def every_cells(r: Json, unit: str) -> tuple[Cell, ...]:
    values = [Quantity(r[k], unit, DECIMALS[unit]) for k in ("predicted", "low", "high", "measured")]
    gpus = f"{Quantity(r['gpus'], '', 0).number()} × {r['gpu']}"
    return (r["id"], r["error"], *values, r["model"], gpus, r["framework"])

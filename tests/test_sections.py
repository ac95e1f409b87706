"""Sections: the tables and facts they make from a document, and what they leave out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.book import Book, bind
from reports.html import render_html
from reports.plan import Plan, Section, plan_of
from reports.quantities import Quantity
from reports.sections.assumptions import input_value, source_keys
from reports.sections.failures import failures
from reports.sections.front import front, interpolated
from reports.sections.ledger import symbols
from reports.sections.requirements import operands, requirements
from reports.sections.source import COLUMNS, listing
from reports.tables import NO_UNIT, Table
from tests.report_documents import VARIANTS, bare, document, does_not_fit, main_point


def checked(plan: Plan) -> Section:
    """The section of requirements and checks, which a plan with a run has."""
    found = requirements(plan)
    assert found is not None
    return found


def tables(book: Book) -> dict[str, Table]:
    return {t.key: t for t in book.tables}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_its_checks_method_and_scenario(name: str) -> None:
    keys = {part.section.key for chapter in bind(VARIANTS[name]()).chapters for part in chapter.parts}
    assert {"method", "source", "glossary"} <= keys
    assert ("requirements" in keys) == (name != "no run")


def test_blocks_and_kinds_add_up_to_the_step_time() -> None:
    given = document()
    found, step = tables(bind(given)), main_point(given)["results"]["step_time"]
    blocks, kinds = found["blocks"], found["kinds"]
    assert blocks.rows[-1][-2] == pytest.approx(step, rel=1e-6)
    assert sum(float(r[-2]) for r in blocks.rows[:-1] if isinstance(r[-2], float)) == pytest.approx(step, rel=1e-6)
    assert sum(float(r[2]) for r in kinds.rows if isinstance(r[2], float)) == pytest.approx(step, rel=1e-6)


def test_memory_terms_add_up_to_the_total() -> None:
    rows = tables(bind(document()))["memory"].rows
    values = [float(r[1]) for r in rows if isinstance(r[1], float)]
    assert sum(values[:-2]) == pytest.approx(values[-2], rel=1e-9)


def test_one_row_a_stage_where_there_are_several() -> None:
    found = tables(bind(does_not_fit()))
    assert len(found["memory"].rows) == 16 and found["memory"].chosen == 0
    assert [r[-1] for r in found["memory"].rows[:4]] == ["does not fit"] * 3 + ["fits"]
    assert len(found["stages"].rows) == 16


def test_stage_table_fits_the_page() -> None:
    widths = [c.width for c in tables(bind(does_not_fit()))["memory"].columns if c.width]
    assert sum(widths) <= 174 - 15


def test_a_cost_line_without_a_figure_says_so() -> None:
    rows = {r[0]: r[1] for r in tables(bind(document()))["cost"].rows}
    assert rows["Storage"] == "not included"
    assert isinstance(rows["GPUs"], float)
    assert tables(bind(bare()))["cost"].rows[-1][1] is None


def test_the_front_counts_what_is_not_included() -> None:
    facts = front(plan_of(document())).facts or {}
    absent = [row["line"] for row in main_point(document())["cost"] if row["usd"] is None]
    assert facts["not_included"] == absent


def test_page_one_says_how_sure_times_are() -> None:
    given = document()
    point, keys = main_point(given), {row["name"]: row for row in given["key_numbers"]}
    days, step = point["results"]["time_to_train"], point["results"]["step_time"]
    point["settings"]["stack.measured_high"] = 1.2
    ends = {name: {"low": 0.9 * v, "high": 1.3 * v} for name, v in (("step_time", step), ("time_to_train", days))}
    point["intervals"], keys["time_to_train"]["interval"] = ends, ends["time_to_train"]
    keys["time_to_train"]["limit"] = {"value": 1.1 * days, "op": "<="}
    facts = front(plan_of(given)).facts or {}
    assert "in four of five · limit ≤" in facts["keys"][0]["below"]
    assert facts["range"]["wider"] == ["0.90", "1.30"]
    keys["time_to_train"]["limit"] = None
    assert (front(plan_of(given)).facts or {})["keys"][0]["below"].endswith("in four of five")


def test_a_prediction_outside_its_own_interval_says_why() -> None:
    """A framework whose runs took three times what is predicted: no margin is told of such a prediction."""
    given = document()
    point, keys = main_point(given), {row["name"]: row for row in given["key_numbers"]}
    days, step = point["results"]["time_to_train"], point["results"]["step_time"]
    ends = {name: {"low": 2.99 * v, "high": 3.38 * v} for name, v in (("step_time", step), ("time_to_train", days))}
    point["intervals"], keys["time_to_train"]["interval"] = ends, ends["time_to_train"]
    keys["time_to_train"] |= {"limit": {"value": 3.1 * days, "op": "<="}, "margin": 0.68}
    facts = front(plan_of(given)).facts or {}
    below = next(k["below"] for k in facts["keys"] if k["label"] == "Time to train")
    assert below.startswith("runs took 2.99 to 3.38 times this: ") and "limit ≤" in below and "margin" not in below
    assert facts["range"]["off"] == "little"
    assert "As no such run took as little as is predicted" in " ".join(render_html(given).split())


def test_a_range_without_own_runs_names_none() -> None:
    given = document()
    point = main_point(given)
    step, memory = point["results"]["step_time"], point["results"]["memory_per_gpu"]
    point["intervals"] = {"step_time": {"low": 0.9 * step, "high": 1.2 * step},
                          "memory_per_gpu": {"low": 0.9 * memory, "high": 1.1 * memory}}  # fmt: skip
    point["settings"] |= {"stack": "copy", "stack.measured_rows": None, "stack.memory_rows": None}
    blank = next(iter(point["inputs"])) | {"value": 0.9, "origin": "library"}
    point["inputs"] += [blank | {"path": f"stack.{kind}_low"} for kind in ("measured", "memory")]
    page = " ".join(render_html(given).split())
    assert "No published run of copy is known: those of the frameworks closest to it took" in page
    assert "Of its memory no published peak is known" in page and "behind copy took" not in page


def test_missing_results_name_what_they_need() -> None:
    facts = front(plan_of(bare())).facts or {}
    time = facts["keys"][0]
    assert time["number"] == "–" and time["below"] == "needs tokens and cluster.price"
    (row,) = tables(bind(bare()))["unavailable"].rows
    assert row[0] == "tokens and cluster.price" and "time to train" in str(row[1])


def test_few_findings_are_callouts_and_many_are_a_table() -> None:
    few, many = checked(plan_of(document())), checked(plan_of(does_not_fit()))
    assert 1 <= len((few.facts or {})["callouts"]) <= 2
    assert "findings" not in {t.key for t in few.tables}
    assert [c["text"] for c in (many.facts or {})["callouts"]] == ["", ""]
    assert "findings" in {t.key for t in many.tables}


def test_operands_are_shown_in_the_unit_of_the_result() -> None:
    given = document()
    point = main_point(given)
    values = {
        "time_to_train": {"value": 45.0 * 86400, "unit": "seconds"},
        "limit": {"value": 30.0 * 86400, "unit": "seconds"},
    }
    point["verdicts"] = [{"require": "r", "holds": False, "values": values, "because": None, "where": "a.scn:1"}]
    shown = checked(plan_of(given)).tables[0].rows[0][1]
    assert shown == "time_to_train = 45.0\u00a0days; limit = 30.0\u00a0days"


def test_a_point_held_in_brief_has_its_operands_in_the_same_unit() -> None:
    """A point of a portfolio has no list of figures; 90 % of 81,559 MiB is 71.7 GiB."""
    plan = Plan(document(), {"points": [{"results": {"memory_per_gpu": 51517816582.3}}]})
    values = {"memory_per_gpu": {"value": 51517816582.3, "unit": "GB"},
              "90% * cluster.gpu.memory": {"value": 76968728985.6, "unit": "MiB"}}  # fmt: skip
    said = operands(plan, values).replace("\u00a0", " ")
    assert said == "memory_per_gpu = 48.0 GiB; 90% * cluster.gpu.memory = 71.7 GiB"


def test_an_axis_without_a_row_of_traffic_is_not_said_to_have_none() -> None:
    """The reduced model knows no traffic by axis; a degree of 1 has none. Stated parameters are not counted."""
    given = document()
    point = main_point(given)
    point["traffic"] = []
    point["settings"] |= {"layout.tensor": 8.0, "layout.context": 1.0}
    shown = tables(bind(given))["axes"]
    axes = {row[0]: row for row in shown.rows}
    assert [c.name for c in shown.columns] == ["Axis", "Degree", "Tier reached"]  # the others have no value
    assert axes["tensor"][2] == "–" and axes["context"][2] == "no traffic"
    assert "parameters" in tables(bind(given))
    point["settings"]["model.parameters"] = 70e9
    assert "parameters" not in tables(bind(given))


def test_a_source_is_named_once() -> None:
    rows: list[dict[str, str | None]] = [
        {"source": "a", "confidence": "read"},
        {"source": "b"},
        {"source": "a", "confidence": "read"},
        {"source": None},
    ]
    assert source_keys(rows) == {("a", "read", ""): "S1", ("b", "", ""): "S2"}
    book = tables(bind(document()))
    used = {row[3] for key in ("stated", "library") for row in book[key].rows if row[3]}
    assert used == {row[0] for row in book["sources"].rows}


@pytest.mark.parametrize(
    ("value", "unit", "written", "shown"),
    [
        (27 * 60.0, "seconds", "minutes", "27\u00a0min"),
        (15e12, "tokens", "tokens", "15\u00a0T\u00a0tokens"),
        (4.0, "bytes", "bytes", "4\u00a0B"),
        (0.85, "share", None, "85\u00a0%"),
        (43200.0, "seconds", "gpu-hours", "12\u00a0h"),
    ],
)
def test_inputs_as_written(value: float, unit: str, written: str | None, shown: str) -> None:
    cell, _ = input_value(value, unit, written)
    assert isinstance(cell, Quantity) and cell.text() == shown


def test_names_and_flags_as_words() -> None:
    assert input_value("one_f_one_b", "choice") == ("1F1B", NO_UNIT)
    assert input_value(True, "flag") == ("yes", NO_UNIT)
    assert input_value(["tensor", "data"], "list of axes") == ("tensor, data", NO_UNIT)


@given(
    st.lists(
        st.tuples(st.floats(0, 10, allow_subnormal=False), st.floats(0, 1)),
        min_size=2, max_size=9, unique_by=lambda p: p[0],
    )
)  # fmt: skip
def test_interpolation_meets_its_points_and_stays_between(points: list[tuple[float, float]]) -> None:
    points.sort()
    for x, y in points:
        assert interpolated(points, x) == pytest.approx(y, abs=1e-9)
    middle = (points[0][0] + points[1][0]) / 2
    low, high = sorted((points[0][1], points[1][1]))
    found = interpolated(points, middle)
    assert found is not None and low - 1e-9 <= found <= high + 1e-9
    assert interpolated(points, points[-1][0] + 1) is None


def test_the_rules_of_the_interval_are_compared() -> None:
    section = failures(plan_of(document()))
    assert section is not None
    rows = section.tables[0].rows
    assert str(rows[-1][0]).startswith("Used") and all(isinstance(r[2], float) and 0.5 < r[2] < 1 for r in rows)


def test_the_listing_is_numbered_and_wrapped() -> None:
    long = "x" * (COLUMNS + 5)
    lines = [(line.number, "".join(p.text for p in line.pieces)) for line in listing(f"a\n{long}\n\tb")]
    assert lines == [("1", "a"), ("2", "x" * COLUMNS), (" ", "xxxxx"), ("3", "    b")]


def test_the_listing_colors_and_keeps_every_character() -> None:
    text = 'cluster a "b" {\n  nodes = 3  # few\n}\n'
    lines = listing(text)
    assert "".join("".join(p.text for p in line.pieces) + "\n" for line in lines) == text
    assert {p.look for line in lines for p in line.pieces} >= {"comment", "word", "name", "value", "operator"}


def test_formulas_in_symbols() -> None:
    assert symbols("(n-1)/n S / (alpha beta) x eta") == "(n-1)/n S / (α β) × η"
    assert symbols("alphabet") == "alphabet"


def test_a_report_chooses_its_sections_but_not_its_checks() -> None:
    given = document()
    given["report"]["sections"] = ["summary", "memory"]
    keys = [c.chapter.key for c in bind(given).chapters]
    assert "configuration" in keys and "requirements-and-assumptions" in keys and "method-and-sources" in keys
    assert "cost-and-power" not in keys and "operator-ledger" not in keys


def test_another_currency_is_added_at_the_stated_rate() -> None:
    given = document()
    given["report"] |= {"currency": "EUR", "rate": 0.5}
    main_point(given)["results"]["cost"] = 18.4e6
    html = render_html(given)
    assert "Amounts are in US dollars, before tax" in html and "9\u00a0200\u00a0000 EUR" in html


def test_an_undecided_requirement_names_what_it_needs() -> None:
    given = document()
    main_point(given)["verdicts"] = [
        {
            "require": "cost <= $1M",
            "holds": None,
            "values": {},
            "missing": ["cluster.price"],
            "because": None,
            "where": "a:1",
        }
    ]
    facts = checked(plan_of(given)).facts or {}
    assert facts["open"] == ["cost <= $1M (needs cluster.price)"]

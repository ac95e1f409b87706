"""Sections of sweeps, searches, scalings and sensitivities, and page 1 of a file that holds nothing else."""

from functools import cache

import pytest

from reports import table_summary
from reports.book import Book, bind
from reports.csv_files import csv_text
from reports.document import exit_code
from reports.html import render_html
from reports.plan import plan_of
from reports.quantities import Quantity
from reports.sections import points
from reports.sections.front import front
from reports.sections.optimize import optimize
from reports.sections.sensitivity import sensitivity
from reports.tables import Table
from tests.experiment_documents import document, experiment, point

DAY = 86400.0
NB = "\u00a0"


@cache
def book(*names: str) -> Book:
    return bind(document(*names))


def tables(*names: str) -> dict[str, Table]:
    return {t.key: t for t in book(*names).tables}


def test_every_table_of_points_has_its_section_and_figures() -> None:
    made = book("cheapest", "layouts", "batches", "growing", "ranges")
    keys = [p.section.key for c in made.chapters for p in c.parts]
    assert keys[:5] == ["optimize-cheapest", "sweep-layouts", "sweep-batches", "scale-growing", "sensitivity-ranges"]
    assert {"front/cheapest", "removed/cheapest", "heatmap/layouts/0", "lines/batches/1", "columns/batches/3",
            "scatter/batches/4", "scaling/growing/0", "scaling/growing/1", "tornado/ranges/0", "tornado/ranges/1",
            "distribution/ranges/0", "distribution/ranges/1"} <= set(made.pictures)  # fmt: skip


def test_the_best_points_stand_in_order_and_the_first_is_shaded() -> None:
    table, found = tables("cheapest")["optimize-cheapest-best"], experiment("cheapest")
    assert table.chosen == 0 and len(table.rows) == len(found["best"]) == 8
    place = [c.name for c in table.columns].index("Cost")
    costs = [value for r in table.rows if isinstance(value := r[place], float)]
    assert costs == sorted(costs) and costs[0] == point(found, found["best"][0])["results"]["cost"]


def test_margins_are_the_other_less_the_choice() -> None:
    table, found = tables("cheapest")["optimize-cheapest-margins"], experiment("cheapest")
    first, second = (point(found, i)["results"] for i in found["best"][:2])
    cost = next(r for r in table.rows if r[0] == "Cost")
    shown = [c.text() for c in cost if isinstance(c, Quantity)]
    assert 0.01e6 <= abs(second["cost"] - first["cost"]) < 0.1e6  # three decimals give the difference two digits
    assert shown[0] == f"{first['cost'] / 1e6:.3f}{NB}M$"
    assert shown[2] == f"+{(second['cost'] - first['cost']) / 1e6:.3f}{NB}M$"


def test_small_differences_and_misses_keep_two_digits() -> None:
    given = document("cheapest")
    e = given["experiments"][0]
    row = {"name": "cost", "winner": 7638998.6, "other": 7644531.7}
    e["winner"]["margins"] = [{"against": e["best"][1], "rows": [row]}]
    e["nearest"] = [e["nearest"][0] | {"gap": gap} for gap in (4.00888e-06, 0.00360956)]
    made = {t.key: t for t in bind(given).tables}
    assert [c[0] for c in made["optimize-cheapest-margins"].cells()[0]][2:] == ["7.6390", "7.6445", "+0.0055"]
    table = made["optimize-cheapest-nearest"]
    assert [row[2][0] for row in table.cells()] == ["0.00040", "0.36096"] and table.columns[2].name == "Misses by"


def test_a_shared_setting_names_its_unit_once() -> None:
    assert points.setting_text({"path": "cluster.gpus", "unit": "gpus"}, 1024.0) == f"GPUs 1{NB}024"
    assert points.setting_text({"path": "batch", "unit": "sequences"}, 512.0) == f"global batch 512{NB}sequences"


def test_rules_count_what_they_removed() -> None:
    rows = {r[0]: r for r in tables("cheapest")["optimize-cheapest-rules"].rows}
    found = experiment("cheapest")
    late = sum(p["status"] == "ok" and p["results"]["time_to_train"] > 150 * DAY for p in found["points"])
    assert rows["time_to_train <= 150 days"][2] == late > 0


def test_nearest_misses_say_by_how_much() -> None:
    rows = {r[1]: r for r in tables("cheapest")["optimize-cheapest-nearest"].rows}
    near = next(n for n in experiment("cheapest")["nearest"] if n["require"] == "time_to_train <= 150 days")
    assert rows["time_to_train <= 150 days"][2] == near["gap"] > 0


def test_a_search_without_an_answer_says_so_and_exits_one() -> None:
    given = document("cheapest")
    e = given["experiments"][0]
    e |= {"best": [], "front": [], "winner": None}
    given |= {"verdict": table_summary.verdict(e, 0), "key_numbers": table_summary.key_numbers(e, [])}
    assert given["verdict"]["word"] == "not_feasible" and given["key_numbers"] == []
    assert given["verdict"]["sentences"][-1].startswith("The nearest misses cost <= $12M by 1.44")
    assert exit_code(given) == 1 and exit_code(document("cheapest")) == 0
    page = render_html(given)
    assert "No feasible point." in page and "nothing meets all that is required" in page


def test_a_long_table_shows_its_head_and_lists_all_in_the_appendix() -> None:
    found = tables("batches")
    short, full = found["sweep-batches"], found["points-batches"]
    assert len(short.rows) == points.HEAD and len(full.rows) == 60
    outcomes = [str(r[-1]) for r in short.rows]
    assert outcomes == sorted(outcomes, key=lambda o: o != "meets all")
    assert len(csv_text(full).splitlines()) == 61


def test_infeasible_points_stay_in_the_table_with_their_reason() -> None:
    rows = tables("layouts")["points-layouts"].rows
    outcomes = [r[-1] for r in rows]
    assert len(rows) == 20
    assert sum(str(o).startswith("does not fit: ") for o in outcomes) == experiment("layouts")["counts"]["does_not_fit"]
    assert "cannot be built: batch" in outcomes and "fails time to train" in outcomes


def test_efficiency_is_that_of_a_gpu_against_the_smallest_count() -> None:
    table, found = tables("growing")["scale-growing"], experiment("growing")
    place = [c.name for c in table.columns].index("Scaling efficiency")
    ok = [p["results"]["tokens_per_second_per_gpu"] for p in found["points"] if p["status"] == "ok"]
    assert [r[place] for r in table.rows][: len(ok)] == pytest.approx([v / ok[0] for v in ok])
    assert table.columns[0].name == "GPUs" and table.columns[0].unit == ""
    facts = next(p.section.facts for c in book("growing").chapters for p in c.parts if p.section.key == "scale-growing")
    assert facts is not None and facts["curves"] == ["reduced model"]  # of utilization and of tokens a second


def test_bands_and_chances_of_a_sensitivity() -> None:
    found, own = tables("ranges"), experiment("ranges")
    cost = next(r for r in found["sensitivity-ranges-bands"].rows if r[0] == "Cost")
    assert [c.text() for c in cost if isinstance(c, Quantity)][1:] == [
        f"{own['bands']['cost'][p] / 1e6:.2f}{NB}M$" for p in ("p10", "p50", "p90")
    ]
    late = next(r for r in found["sensitivity-ranges-chances"].rows if r[0] == "time_to_train <= 200 days")
    assert late[1] == own["chances"][1]["share"]


def test_page_one_of_a_search_is_about_its_choice() -> None:
    given = document("cheapest")
    best = point(given["experiments"][0], given["experiments"][0]["best"][0])["results"]
    assert given["verdict"]["word"] == "recommended_with_conditions"
    assert [(d["result"], d["why"]) for d in given["verdict"]["doubts"]] == [
        ("time_to_train", "inside"),
        ("cost", "inside"),
    ]
    said = f"may be missed: time to train ≤{NB}150.0{NB}days and cost ≤{NB}12.00{NB}M$"
    assert said in given["verdict"]["sentences"][2]
    assert given["verdict"]["sentences"][0] == f"Of 135{NB}points, 23{NB}points meet all requirements"
    assert f"{best['cost'] / 1e6:.2f}{NB}M$" in given["verdict"]["sentences"][1]
    assert [k["name"] for k in given["key_numbers"]][:4] == ["cost", "time_to_train", "mfu", "memory_per_gpu"]
    assert [k["value"] for k in given["key_numbers"]][:2] == [best["cost"], best["time_to_train"]]
    facts = front(plan_of(given)).facts or {}
    assert facts["table"]["subtitle"].startswith(f"Search over 135{NB}points of dense: nodes")
    page = render_html(given)
    why = "By least cost, then least time to train, then least peak memory per GPU the choice is 1"
    assert "Why this plan." in page and why in page
    assert "When to revisit." not in page  # every point rents the same GPUs at the same price


def test_a_search_over_prices_says_when_to_revisit_its_choice() -> None:
    page = render_html(document("offers"))
    assert "When to revisit." in page and "less than the best on h100-sxm at 2.60" in page


@pytest.mark.parametrize("name", ["layouts", "growing", "ranges"])
def test_page_one_of_what_only_shows_decides_nothing(name: str) -> None:
    given = document(name)
    assert given["verdict"]["word"] == "not_decided" and len(given["key_numbers"]) == 5
    assert exit_code(given) == 0
    assert "What it shows." in render_html(given)


def test_page_one_of_a_run_names_the_tables_beside_it() -> None:
    given = document("cheapest", "ranges", runs=True)
    facts = front(plan_of(given)).facts or {}
    assert [t["key"] for t in facts["tables"]] == ["optimize-cheapest", "sensitivity-ranges"]
    assert facts["table"] is None and "The search “The cheapest layout that ships in time” chooses" in render_html(
        given
    )


def test_sections_can_be_asked_for() -> None:
    given = document("cheapest", "layouts", "ranges")
    given["report"] = dict(given["report"]) | {"sections": ["sensitivity"]}
    keys = {p.section.key for c in bind(given).chapters for p in c.parts}
    assert "sensitivity-ranges" in keys and not keys & {"optimize-cheapest", "sweep-layouts", "point-lists"}


def test_settings_that_move_in_step_are_named_together() -> None:
    said = points.steps(experiment("batches"))
    assert said[0] == f"micro-batch (1, 2, 4, 8{NB}sequences)"
    assert said[2] == "tensor-parallel degree (8, 4, 2) and pipeline stages (4, 8, 16) in step"


def test_empty_tables_make_no_sections() -> None:
    plan = plan_of(document())
    assert optimize(plan) == [] and sensitivity(plan) == []

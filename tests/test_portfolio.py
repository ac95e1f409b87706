"""Portfolios: a calendar that never uses more GPUs than there are, its cost by what GPU-hours are for, its mistakes."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import portfolio
from engine.portfolio import Entry, Level, Span, beyond, busy, peak, placed, profile, wished
from reports import figures
from reports.commands.source import read
from reports.commands.unmet import unmet
from reports.document import build, exit_code
from reports.html import render_html
from tests.language import START, problems_of, scenario_of
from tests.test_figures import whole

DAY = 86400.0


def test_entries_wait_for_gpus_in_their_order() -> None:
    """600 + 600 of 1,000 GPUs do not fit beside each other; 300 do, beside the first."""
    entries = [Entry("a", 600, 10), Entry("b", 600, 10), Entry("c", 300, 5)]
    assert placed(entries, 1000) == {"a": Span(0, 10), "b": Span(10, 20), "c": Span(0, 5)}
    assert wished(entries)["b"] == Span(0, 10)


def test_spans_that_touch_are_not_beside_each_other() -> None:
    """600 GPUs until 10 and 600 more from 10 to 20 leave 400 all the while; those that ended at 10 are not in use."""
    busy = [(Span(0, 10), 600.0), (Span(10, 20), 600.0)]
    assert portfolio._peak(busy, Span(10, 15)) == 600 and portfolio._peak(busy, Span(20, 30)) == 0
    assert portfolio._peak(busy, Span(9, 11)) == 600 and portfolio._peak([], Span(0, 1)) == 0


def test_an_entry_starts_after_those_it_waits_for_wherever_they_stand() -> None:
    entries = [Entry("late", 10, 1, after=("first", "second")), Entry("first", 10, 3), Entry("second", 10, 2, start=4)]
    assert placed(entries, 10) == {"late": Span(6, 7), "first": Span(0, 3), "second": Span(4, 6)}


def test_what_is_larger_than_the_cluster_has_no_place_and_neither_has_what_waits_for_it() -> None:
    entries = [Entry("big", 20, 1), Entry("next", 1, 1, after=("big",)), Entry("free", 1, 1)]
    assert set(placed(entries, 10)) == {"free"}


def test_levels_and_what_was_wanted_beyond_the_cluster() -> None:
    entries = [Entry("a", 600, 10), Entry("b", 600, 5, start=5), Entry("c", 600, 5, start=20)]
    levels = profile(entries, wished(entries))
    assert levels == [Level(0, 5, 600), Level(5, 10, 1200), Level(10, 20, 0), Level(20, 25, 600)]
    assert (busy(levels), peak(levels), beyond(levels, 1000)) == (600 * 20, 1200, 200 * 5)


ENTRIES = st.lists(
    st.tuples(st.integers(1, 10), st.floats(0.5, 20), st.floats(0, 30), st.integers(-1, 5)), min_size=1, max_size=7
)


@given(ENTRIES)
def test_the_cluster_is_never_overbooked(given_entries: list[tuple[int, float, float, int]]) -> None:
    entries = [
        Entry(str(i), gpus, seconds, start, (str(wait),) if 0 <= wait < i else ())
        for i, (gpus, seconds, start, wait) in enumerate(given_entries)
    ]
    spans = placed(entries, 10)
    levels = profile(entries, spans)
    assert set(spans) == {e.name for e in entries} and peak(levels) <= 10
    assert busy(levels) == pytest.approx(sum(e.gpus * e.seconds for e in entries))
    assert all(a.end == b.start and a.gpus != b.gpus for a, b in pairwise(levels))
    for e in entries:
        assert spans[e.name].start >= e.start and all(spans[e.name].start >= spans[n].end for n in e.after)
        assert spans[e.name].start >= wished(entries)[e.name].start


PLAN = START.replace("nodes = 16", "nodes = 16, price = $2/gpu-hour")
PLAN = PLAN.replace("2048 sequences }", "1536 sequences, layout { tensor = 4, recompute = selective } }")
PROGRAMME = (
    PLAN
    + """
portfolio year "A year" {
  cluster = hopper
  start = "2027-01-04"
  %s
  entry trial { run = base, gpus = 64, count = 2 }
  entry main { run = base, gpus = 96, after = trial, trials = 10%%, evaluation = 5%%, restarts = 2%% %s }
  entry beside { run = base, gpus = 64, start = 1 day }
}
"""
)


def made(folder: Path, block: str = "", main: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """The document of the programme, and its portfolio."""
    (folder / "plan.scn").write_text(PROGRAMME % (block, main), encoding="utf-8")
    source = read(folder / "plan.scn")
    assert not source.in_error, source.shown
    document = build(source.scenario)
    return document, next(e for e in document["experiments"] if e["kind"] == "portfolio")


def test_runs_take_their_gpus_of_the_shared_cluster(tmp_path: Path) -> None:
    document, found = made(tmp_path)
    assert [p["settings"]["cluster.gpus"] for p in found["points"]] == [64, 96, 64]
    days = {r["name"]: r["parts"]["training"] for r in found["entries"]}
    assert days["trial"] == pytest.approx(2 * days["beside"], rel=1e-9)
    main = next(r for r in found["entries"] if r["name"] == "main")
    assert main["end"] - main["start"] == pytest.approx(1.17 * days["main"], rel=1e-9)
    assert main["parts"]["trials"] == pytest.approx(0.1 * days["main"], rel=1e-9)
    assert document["not_evaluated"] == [] and exit_code(document) == 0


def test_the_calendar_and_what_was_wanted(tmp_path: Path) -> None:
    _, found = made(tmp_path)
    rows = {r["name"]: r for r in found["entries"]}
    assert rows["trial"]["start"] == 0 and rows["beside"]["start"] == DAY and rows["beside"]["delay"] == 0
    assert rows["main"]["start"] == rows["trial"]["end"] == max(rows["trial"]["end"], rows["beside"]["end"])
    assert found["results"]["programme.peak_gpus"] == 128 and found["results"]["programme.shortfall"] == 0


def test_cost_is_the_whole_cluster_for_as_long_as_it_is_held(tmp_path: Path) -> None:
    _, found = made(tmp_path, block="hold = 10_000 days")
    usd = {r["line"]: r["usd"] for r in found["cost"]}
    hours = {r["line"]: r["gpu_hours"] for r in found["cost"]}
    assert sum(v for v in usd.values() if v) == pytest.approx(128 * 2 / 3600 * 10_000 * DAY, rel=1e-9)
    assert found["results"]["programme.cost"] == pytest.approx(128 * 2 / 3600 * 10_000 * DAY, rel=1e-9)
    busy_hours = sum(r["gpu_hours"] for r in found["entries"])
    assert found["results"]["programme.utilization"] == pytest.approx(busy_hours / (128 * 10_000 * DAY), rel=1e-9)
    assert hours["GPUs: idle GPUs and spares"] == pytest.approx(128 * 10_000 * DAY - busy_hours, rel=1e-9)
    share = usd["GPUs: trials"] / usd["GPUs: training"]
    assert share == pytest.approx(hours["GPUs: trials"] / hours["GPUs: training"], rel=1e-9)


def test_an_idle_cluster_draws_less_than_a_busy_one(tmp_path: Path) -> None:
    energy = [made(tmp_path, block=hold)[1]["results"]["programme.energy"] for hold in ("", "hold = 4000 days")]
    longer = made(tmp_path, block="hold = 4000 days")[1]["held"] / made(tmp_path)[1]["held"]
    assert energy[0] < energy[1] < longer * energy[0]


def test_a_late_entry_and_a_budget_make_the_exit_code_one(tmp_path: Path) -> None:
    document, found = made(tmp_path, 'require programme.cost <= $1k because "the budget"', ", deadline = 10 days")
    assert exit_code(document) == 1 and found["verdicts"][0]["holds"] is False
    assert document["verdict"]["word"] == "not_feasible"
    assert "`year` does not hold" in document["verdict"]["sentences"][0]
    lines = unmet(document)
    assert lines[0].startswith("portfolio `year`: programme.cost <= $1k does not hold")
    assert lines[1].startswith("portfolio `year`, entry `main` ends ")
    page = render_html(document)
    assert "Late." in page and "the budget" in page and "4 January 2027" in page


def test_what_a_programme_must_meet_counts_on_page_one(tmp_path: Path) -> None:
    """Of its entry the end by the upper end of every interval is later than by the prediction."""
    _, found = made(tmp_path, "require programme.peak_gpus <= 128")
    main = next(r for r in found["entries"] if r["name"] == "main")
    assert main["latest"] > main["end"]
    between = (main["end"] + main["latest"]) / 2 / DAY
    document, _ = made(tmp_path, "require programme.peak_gpus <= 128", f", deadline = {between:.1f} days")
    page = document["verdict"]
    assert (page["word"], exit_code(document)) == ("recommended_with_conditions", 0)
    assert page["sentences"][0] == (
        "Both requirements are met by the prediction: one of the programme and one\u00a0deadline"
    )
    assert [(d["of"], d["why"]) for d in page["doubts"] if d["of"]] == [("main", "inside")]
    later, _ = made(tmp_path, "require programme.peak_gpus <= 128", f", deadline = {main['latest'] / DAY + 1:.1f} days")
    assert [d for d in later["verdict"]["doubts"] if d["of"]] == []


def test_a_requirement_of_an_entry_makes_the_plan_not_feasible(tmp_path: Path) -> None:
    """As the exit code is 1 for it; the run by itself meets all, on twice the GPUs."""
    document, found = made(tmp_path)
    own = document["experiments"][0]["points"][0]["results"]["time_to_train"] / DAY
    text = (tmp_path / "plan.scn").read_text("utf-8")
    text = text.replace("layout { tensor", f"require time_to_train <= {own * 1.05:.2f} days, layout {{ tensor", 1)
    (tmp_path / "plan.scn").write_text(text, encoding="utf-8")
    document = build(read(tmp_path / "plan.scn").scenario)
    assert document["experiments"][0]["points"][0]["verdicts"][0]["holds"] is True
    assert (document["verdict"]["word"], exit_code(document)) == ("not_feasible", 1)


def test_an_entry_that_cannot_be_built_has_no_place(tmp_path: Path) -> None:
    document, found = made(tmp_path)
    text = (tmp_path / "plan.scn").read_text("utf-8").replace("batch = 1536", "batch = 7")
    (tmp_path / "plan.scn").write_text(text, encoding="utf-8")
    document = build(read(tmp_path / "plan.scn").scenario)
    found = next(e for e in document["experiments"] if e["kind"] == "portfolio")
    assert not any(r["placed"] for r in found["entries"]) and found["results"]["programme.cost"] is None
    assert exit_code(document) == 1 and "has no place" in render_html(document)


def test_the_figure_shows_waits_deadlines_and_the_profile(tmp_path: Path) -> None:
    _, found = made(tmp_path, main=", deadline = 10 days")
    picture = figures.of_experiment("calendar", found)
    assert picture is not None and "main" in picture.alt
    whole(picture)


@pytest.mark.parametrize(("old", "new", "code", "title"), [
    ("gpus = 96", "gpus = 256", "E26", "entry `main` takes 256 of 128 GPUs"),
    ("after = trial", "after = trail", "E15", "there is no entry `trail`"),
    ("after = trial", "after = main", "E23", "entries wait for each other in a circle"),
    ("entry main { run = base, ", "entry main { ", "E13", "entry `main` needs run"),
    ("run = base, gpus = 96", "run = bas, gpus = 96", "E15", "there is no run called `bas`"),
    ("cluster = hopper\n  start", "start", "E13", "portfolio `year` needs cluster"),
    ("trials = 10%", "trials = 10 days", "E18", ""),
])  # fmt: skip
def test_mistakes(old: str, new: str, code: str, title: str) -> None:
    text = PROGRAMME % ("", "")
    assert old in text
    (problem,) = problems_of(text.replace(old, new))
    assert problem.code == code and (problem.help or problem.notes) and (not title or problem.title == title)


def test_a_portfolio_without_entries_is_a_mistake() -> None:
    (problem,) = problems_of(START + "portfolio empty { cluster = hopper }\n")
    assert problem.code == "E13" and problem.title == "portfolio `empty` needs an entry"


def test_a_run_takes_its_own_nodes_not_along() -> None:
    text = (PROGRAMME % ("", "")).replace("run base {", "run base { cluster.nodes = 4,")
    (block,) = scenario_of(text).portfolios
    assert block.gpus == 128 and [e.run.settings["cluster.gpus"].value for e in block.entries] == [64, 96, 64]
    assert scenario_of(text).runs[0].settings["cluster.gpus"].value == 32


def test_what_the_command_line_sets_reaches_the_entries() -> None:
    scenario = scenario_of(PROGRAMME % ("", ""), "cluster.nodes=32")
    (block,) = scenario.portfolios
    assert block.gpus == 256 and [e.gpus for e in block.entries] == [64, 96, 64]


def test_page_one_names_the_programme_beside_its_run(tmp_path: Path) -> None:
    document, found = made(tmp_path)
    page = " ".join(render_html(document).split())
    cost = found["results"]["programme.cost"]
    assert cost and f"The programme “A year” ends after {found['results']['programme.time'] / 86400:.1f} days" in page

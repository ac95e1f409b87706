"""The validation report: its document, tables and figures, the right layout, and the files that the command writes."""

import csv
import json
import math
import re
from pathlib import Path
from statistics import median

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reports import figures
from reports.csv_files import csv_files
from reports.figures import predicted_measured, residuals, residuals_by_scale
from reports.figures.cloud import MOST, Cloud, Spot, cloud
from reports.html import screen_page
from reports.validation.document import Held, build, layout_groups
from reports.validation.errors import Prediction, errors_of, predictions
from reports.validation.fit import cases_of, fit
from reports.validation.kinds import MEMORY, TIME
from reports.validation.layouts import groups, spelled
from reports.validation.rows import read
from reports.validation_book import bind_validation
from tests.test_figures import whole
from tests.test_render import call, names

ROOT = Path(__file__).resolve().parents[1]
TIMES = [r for r in read(ROOT / "tests" / "data" / "runs.csv") if r["framework"].startswith(("TorchTitan", "MaxText"))]
PEAKS = [r for r in read(ROOT / "tests" / "data" / "memory.csv") if r["framework"].startswith("TorchTitan")]
HELD = [
    Held("runs.csv", "ab" * 32, TIME, TIMES, predictions(TIMES, TIME), ("framework=x",)),
    Held("memory.csv", "cd" * 32, MEMORY, PEAKS, predictions(PEAKS, MEMORY)),
]
DOCUMENT = build(HELD)
BOOK = bind_validation(DOCUMENT)

SPOTS = st.builds(Spot, st.floats(1e-3, 1e6), st.floats(1e-3, 1e6), st.floats(1, 1e5), st.integers(0, MOST - 1))
NAMES = st.tuples(st.text(max_size=30), st.integers(1, 999))
CLOUDS = st.builds(
    Cloud, st.sampled_from(["time", "memory"]), st.sampled_from(["s", "GiB"]),
    st.lists(NAMES, min_size=MOST, max_size=MOST).map(tuple), st.lists(SPOTS, min_size=1, max_size=12).map(tuple),
)  # fmt: skip


def test_the_document_holds_what_was_computed() -> None:
    for held, e in zip(HELD, DOCUMENT["experiments"], strict=True):
        total = errors_of("all", held.found)
        assert (e["errors"]["n"], e["errors"]["median_abs"]) == (total.n, total.median_abs)
        errors = [r["error"] for r in e["rows"] if r["error"] is not None]
        assert median(abs(x) for x in errors) == pytest.approx(total.median_abs)
        assert e["of"] == len(held.rows) == e["errors"]["n"] + len(e["left_out"])
        for group in e["groups"]:
            assert sum(r["n"] for r in group["rows"]) == total.n, group["by"]
    json.dumps(DOCUMENT, allow_nan=False)


def test_every_number_of_page_1_is_in_the_document() -> None:
    page = screen_page(BOOK).replace("\u00a0", " ")
    for e in DOCUMENT["experiments"]:
        assert f"{100 * e['errors']['median_abs']:.1f} %" in page
        assert f"{100 * e['errors']['p90_abs']:.1f} %" in page
    assert "framework=x" in page and "abababababab" in page
    assert not re.search(r"\{\{|\}\}|\bNone\b|\bnan\b", re.sub(r"<(svg|style|script).*?</\1>", "", page, flags=re.S))


def test_what_fits_have_not_seen_stands_beside_what_they_have() -> None:
    """Four pages of two publishers; the numbers of page 1 are the quantiles of the fits' own residuals."""
    rows = [r for r in read(ROOT / "tests" / "data" / "fit_runs.csv") if r["id"].startswith(("tt-", "fmsfsdp-"))]
    made = fit(cases_of(rows), rounds=0)
    (e,) = build([Held("fit_runs.csv", "ab" * 32, TIME, rows, predictions(rows, TIME), refit=made)])["experiments"]
    sources, publishers = e["refit"]["without"]
    assert (e["fitted_on"], e["refit"]["rows"], e["refit"]["numbers"]) == (len(made.cases), len(made.cases), 14)
    assert sources["median_abs"] == pytest.approx(median(abs(math.exp(v) - 1) for v in made.left_out.tolist()))
    assert publishers["bias"] == pytest.approx(median(math.exp(v) - 1 for v in made.publisher_left_out.tolist()))
    page = screen_page(bind_validation(build([Held("f.csv", "ab" * 32, TIME, rows, predictions(rows), refit=made)])))
    page = page.replace("\u00a0", " ")
    for row in e["refit"]["without"]:
        assert f"is predicted within {100 * row['median_abs']:.1f} % and {100 * row['p90_abs']:.1f} %" in page
    assert "Step time, publishers left out" in page and "validate --refit" not in page
    assert "validate --refit" in screen_page(bind_validation(build([Held("f", "", TIME, rows, predictions(rows))])))


def test_every_row_is_in_a_csv_file() -> None:
    files = csv_files(BOOK.tables)
    rows = list(csv.DictReader(files["memory-rows.csv"].splitlines()))
    assert [r["Row"] for r in rows] == [p.row["id"] for p in HELD[1].found]
    measured = next(name for name in rows[0] if name.startswith("Measured ["))
    assert float(rows[0][measured]) == HELD[1].found[0].measured
    assert {"time-by-framework.csv", "time-by-gpu.csv", "memory-worst.csv", "not-compared.csv"} <= set(files)


def test_each_table_has_its_figures_and_none_is_cut() -> None:
    keys = {f"{figure}/{e['name']}" for figure in figures.OF_VALIDATIONS for e in DOCUMENT["experiments"]}
    assert set(BOOK.pictures) == keys
    for picture in BOOK.pictures.values():
        whole(picture)
    assert "rows lie within 10 %" in BOOK.pictures["predicted_measured/memory"].alt


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(CLOUDS)
def test_nothing_overlaps_or_is_cut(data: Cloud) -> None:
    whole(predicted_measured.draw(data))
    whole(residuals_by_scale.draw(data))


def test_a_table_without_predictions_has_no_figures() -> None:
    empty = {"rows": [{"predicted": None, "measured": 1.0, "stack": "x", "gpus": 8}], "unit": "s", "name": "time"}
    assert cloud(empty) is None
    assert residuals.from_experiment(empty) is None


def test_stacks_beyond_the_looks_are_gathered() -> None:
    rows = [{"predicted": 1.0, "measured": 1.0, "stack": f"s{i}", "gpus": 8.0} for i in range(9)]
    found = cloud({"rows": [*rows, rows[0]], "unit": "s", "name": "time"})
    assert found is not None
    assert found.stacks[0] == ("s0", 2) and found.stacks[-1] == ("3 others", 3) and len(found.stacks) == MOST


def row(layout: str, measured: float, predicted: float, **more: str) -> Prediction:
    own = {"id": layout + str(measured), "model": "m", "gbs": "8", "seq": "1024", "gpu": "g", "n_gpus": "8",
           "framework": "f", "tp": layout, "mbs": "1"} | more  # fmt: skip
    return Prediction(own, predicted, measured)


def test_the_predicted_best_is_held_against_the_measured_best() -> None:
    """Measured 1.0, 1.2 and 1.21 s; predicted best is the second: it costs 20 % more. Of three pairs two are apart."""
    found = [row("1", 1.0, 1.1), row("2", 1.2, 1.0), row("4", 1.21, 1.3)]
    (group,) = groups(found, {})
    assert group.regret == pytest.approx(0.2)
    assert group.pairs == (2, 1)
    assert spelled(group.predicted_best.layout) == "TP 2 · micro-batch 1"


def test_totals_are_no_row_of_those_counted() -> None:
    """31 groups and their total: 29 groups are printed, and the total; the caption speaks of groups."""
    found = [row(tp, s, s, model=f"m{i}") for i in range(31) for tp, s in (("1", 1.0), ("2", 1.2))]
    document = build([Held("runs.csv", "ab" * 32, TIME, TIMES, predictions(TIMES))])
    (e,) = document["experiments"]
    e["layouts"] = layout_groups(found, {})
    page = screen_page(bind_validation(document))
    assert "Shown are 29 of 31 rows; all are in <code>layouts.csv</code>" in page


def test_repeats_of_a_layout_count_once_and_other_models_apart() -> None:
    found = [row("1", 1.0, 1.0), row("1", 3.0, 1.0), row("2", 1.9, 2.0), row("2", 1.9, 2.0, model="other")]
    (group,) = groups(found, {})
    assert [c.measured * 8 * 1024 for c in group.choices] == pytest.approx([1.9, 2.0])
    assert groups(found[:2], {}) == []


def test_the_command_writes_the_report(tmp_path: Path) -> None:
    data = ROOT / "tests" / "data" / "memory.csv"
    done = call("scn", "validate", str(data), "--where", "gpu=H100-SXM-96GB", cwd=tmp_path)
    assert done.code == 0, done.err
    wanted = {"validation.html", "validation.pdf", "validation.json", "validation.memory-rows.csv"}
    assert names(tmp_path / "out") == wanted
    assert all(str(Path("out") / name) in done.out for name in wanted)
    assert json.loads((tmp_path / "out" / "validation.json").read_text("utf-8"))["kind"] == "validation"
    assert (tmp_path / "out" / "validation.pdf").read_bytes().startswith(b"%PDF")


def test_json_writes_no_report_unless_asked(tmp_path: Path) -> None:
    data = ROOT / "tests" / "data" / "memory.csv"
    where = ["--where", "gpu=H200-SXM-141GB", "--where", "mbs=2", "--format", "json"]
    done = call("scn", "validate", str(data), *where, cwd=tmp_path)
    assert json.loads(done.out)["n"] == 2 and names(tmp_path) == set()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["memory.csv", "memory.csv"], "are both tables of measured memory"),
        (["memory.csv", "runs.csv", "--format", "json"], "--format json takes one FILE"),
        (["memory.csv", "--where", "gpu=H900"], "no row has this value; `gpu` is A100-SXM-80GB"),
        (["memory.csv", "--where", "gpus=8"], "has no column `gpus`"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(arguments: list[str], says: str) -> None:
    done = call("scn", "validate", *arguments, "--where", "precision=nvfp4", cwd=ROOT / "tests" / "data")
    assert done.code == 2
    assert says in done.err
    assert not (ROOT / "tests" / "data" / "out").exists()

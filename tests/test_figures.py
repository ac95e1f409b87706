"""Every figure on ordinary and on odd data: nothing overlaps, nothing is cut, nothing is missing, same bytes."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reports import figures, other_fonts, style
from reports.figures import (
    bars,
    checkpoint_curve,
    cost_by_line,
    memory,
    over_time,
    pipeline_schedule,
    roofline,
    step_time,
    topology,
)
from reports.figures.boxes import outside, overlaps
from reports.figures.picture import Picture
from tests.figure_samples import DATA, GIB, one_f_one_b, point

ROOT = Path(__file__).parent.parent
WIDTHS = {"topology": style.HALF, "checkpoint_curve": style.HALF, "roofline": style.HALF}


def whole(picture: Picture) -> None:
    """Asserts all that holds for every figure, whatever it shows."""
    pairs = overlaps(picture.texts, picture.markers)
    assert pairs == ()
    assert outside(picture.texts, picture.width_mm, picture.height_mm) == ()
    assert min(box.size for box in picture.texts) >= style.CELL
    for box in picture.texts:
        assert all(map(other_fonts.drawable, box.text))
    root = ElementTree.fromstring(picture.svg)
    assert root.get("width") == f"{picture.width_mm:g}mm"
    assert root.get("height") == f"{picture.height_mm:g}mm"
    assert root.get("aria-label") == picture.alt != ""
    drawn = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(filter(None, drawn)) == sorted(box.text for box in picture.texts)
    ids = re.findall(r' id="([^"]+)"', picture.svg)
    assert len(set(ids)) == len(ids)
    assert all(i.startswith(picture.name) for i in [*ids, *re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", picture.svg)])
    assert not re.search(r"<style|<metadata|<!DOCTYPE|<\?xml|nan|href=\"http", picture.svg)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_figure_of_a_whole_point(name: str) -> None:
    picture = figures.of_point(name, point())
    assert picture is not None
    whole(picture)
    assert picture.width_mm == WIDTHS.get(name, style.FULL)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_figure_of_an_empty_point_is_left_out(name: str) -> None:
    empty: dict[str, Any] = {
        "settings": {},
        "results": {},
        "ledger": [],
        "memory": [],
        "traffic": [],
        "timeline": None,
        "checkpoint": None,
        "cost": [],
        "gpus": {},
        "measured": [],
        "figures": {},
    }
    assert figures.of_point(name, empty) is None
    assert figures.of_point(name, {}) is None


def holds_whatever_the_data(name: str, samples: st.SearchStrategy[Any]) -> None:
    """A figure drawn of odd data has nothing overlapping, cut or missing."""
    draw = import_module(f"reports.figures.{name}").draw

    @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(samples)
    def holds(data: Any) -> None:
        whole(draw(data))

    holds()


@pytest.mark.parametrize("name", figures.FIGURES)
def test_figure_of_odd_data(name: str) -> None:
    holds_whatever_the_data(name, DATA[name])


@pytest.mark.parametrize("name", figures.COMPARED)
def test_a_hundred_runs_are_limited_and_said(name: str) -> None:
    picture = figures.of_points(name, [point()] * 100, [f"run {i}" for i in range(100)], chosen=40)
    assert picture is not None
    whole(picture)
    texts = [box.text for box in picture.texts]
    shown = [t for t in texts if t.startswith("run ")]
    assert shown[0] == "run 40" and len(shown) == bars.MOST
    assert f"Shown: {bars.MOST} of 100 runs, the chosen one first." in texts


def test_step_time_by_kind_adds_up_to_the_step() -> None:
    data = step_time.from_point(point())
    assert data is not None
    seconds = dict(zip(step_time.KINDS, data.rows[0].seconds, strict=True))
    assert seconds == pytest.approx(
        {
            "matmul": 12.0,
            "attention": 1.5,
            "inner": 1.3,
            "bubble": 0.9,
            "outer": 0.6,
            "memory": 0.5,
            "optimizer": 0.2,
            "other": 0.11,
        }
    )
    assert sum(seconds.values()) == pytest.approx(point()["results"]["step_time"])
    assert (data.inner, data.about) == ("TP", "16.8\u00a0M tokens, 1\u00a0024\u00a0×\u00a0h100-sxm")
    alt = step_time.draw(data).alt
    assert "17.1\u00a0s MFU\u00a043.2\u00a0%" in alt and "Matrix multiply 12.0\u00a0s" in alt


def test_memory_merges_equal_stages_and_keeps_the_limit() -> None:
    data = memory.from_point(point())
    assert data is not None
    assert [r.name for r in data.rows] == ["Stage 0", "Stages 1–2", "Stage 3"]
    assert data.limit == 76 * GIB
    texts = [box.text for box in memory.draw(data).texts]
    assert {"planning limit 76.0", "capacity 80.0", "tight", "71.6", "89"} <= set(texts)


def test_memory_beyond_the_capacity_is_red_and_crossed() -> None:
    rows = (memory.MemoryRow("a", (100 * GIB, *[0.0] * 6), 100 * GIB, 80 * GIB, "does_not_fit"),)
    picture = memory.draw(memory.MemoryData(rows))
    assert "does not fit" in [box.text for box in picture.texts] and "Over capacity" in picture.svg
    assert f"stroke: {style.FAIL.lower()}" in picture.svg and "<pattern" in picture.svg


def test_topology_for_no_tiers_to_four() -> None:
    tiers = tuple(topology.Tier(n, s, 5e10) for n, s in (("node", 8), ("rail", 512), ("pod", 4096), ("hall", 16384)))
    for count in range(5):
        texts = [b.text for b in topology.draw(topology.TopologyData("h100", 16384, tiers[:count])).texts]
        assert [t for t in texts if "×\u00a0h100" in t] == ["16\u00a0384\u00a0×\u00a0h100"]
        assert sum(t.endswith("per GPU") for t in texts) == count
    alone = [b.text for b in topology.draw(topology.TopologyData("h100", 1)).texts]
    assert alone == ["GPU", "1\u00a0×\u00a0h100"]


def test_checkpoint_curve_names_what_it_draws() -> None:
    data = checkpoint_curve.from_point(point())
    assert data is not None and [c.mtbf / 3600 for c in data.curves] == [12, 6, 24]
    picture = checkpoint_curve.draw(data)
    texts = {box.text for box in picture.texts}
    assert {"base 12\u00a0h", "MTBF 6\u00a0h", "MTBF 24\u00a0h", "planned 27\u00a0min", "Young 26.8\u00a0min"} <= texts
    assert any("≥ 92\u00a0%" in t for t in texts)
    assert len(picture.markers) == 3  # a dot at each optimum
    assert "best 95.0\u00a0%" in picture.alt


def test_pipeline_schedule_draws_twelve_micro_batches_and_says_so() -> None:
    data = pipeline_schedule.from_point(point())
    assert data is not None
    texts = [box.text for box in pipeline_schedule.draw(data).texts]
    assert "Drawn: 12 of 16 micro-batches." in texts and "13" not in texts
    assert "Idle, or a micro-batch that is not drawn" in texts
    whole_step = pipeline_schedule.PipelineData(tuple(p for p in data.passes if p.micro_batch <= 12), "", 4, 12)
    assert "Idle (bubble)" in [box.text for box in pipeline_schedule.draw(whole_step).texts]


@pytest.mark.parametrize(("count", "cut"), [(40, False), (200, True), (2000, False)])
def test_a_schedule_is_drawn_as_far_as_its_numbers_can_be_read(count: int, cut: bool) -> None:
    """Two stages with forward passes of 1 ms: 40 of them are wide enough, of 200 a part, of 2,000 too little."""
    Pass = pipeline_schedule.Pass
    passes = tuple(Pass(s, "F", 1 + i % 9, 0, i * 1e-3, (i + 1) * 1e-3) for s in (0, 1) for i in range(count))
    made = pipeline_schedule.draw(pipeline_schedule.PipelineData(passes, "interleaved", 2, 9))
    texts = [box.text for box in made.texts]
    assert ("are drawn, where passes are wide enough" in " ".join(texts)) is cut
    assert ("9" in texts) is (count <= 200)  # the number of a cell


def test_pipeline_schedule_idle_share_is_the_bubble() -> None:
    passes = one_f_one_b(4, 12)
    data = pipeline_schedule.from_point({"timeline": {"schedule": "one_f_one_b", "passes": passes}})
    assert data is not None
    alt = pipeline_schedule.draw(data).alt  # (p - 1) / (m + p - 1) = 3 / 15 of the time
    assert alt == "Schedule 1F1B as drawn: 4 stages, 12 micro-batches, 45.0\u00a0s, idle 20.0\u00a0%."


def test_roofline_places_nothing_it_does_not_know() -> None:
    data = roofline.from_point(point())
    assert data is not None
    known = {o.name: (o.intensity, o.rate) for o in data.operators}
    assert known["MLP up"] == pytest.approx((2500, 5e15 / 9)) and known["QKV"] == pytest.approx((1600, 1.6e15 / 3))
    assert known["Attention forward"][0] is known["Optimizer"][0] is None
    assert known["Memory-bound kernels"][1] == pytest.approx(2.6e12)
    shares = {o.name: roofline.share(o, data) for o in data.operators}
    assert shares["MLP up"] == pytest.approx(5e15 / 9 / 989e12) and shares["Optimizer"] == pytest.approx(2.5 / 3.35)


def test_cost_line_that_is_not_included_says_so() -> None:
    data = cost_by_line.from_point(point())
    assert data is not None
    texts = [box.text for box in cost_by_line.draw(data).texts]
    assert texts.count("not included") == 1 and "28.70\u00a0M$" in texts


def test_same_bytes_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\nsvg.fonttype: path\n")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from reports import figures; from tests.figure_samples import point\n"
        "for n in figures.FIGURES: sys.stdout.buffer.write(figures.of_point(n, point()).svg.encode())"
    )
    env = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "9"}
    other = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)], env=env, cwd=tmp_path, capture_output=True, check=True
    )
    pictures = [figures.of_point(name, point()) for name in figures.FIGURES]
    assert other.stdout == "".join(p.svg for p in pictures if p is not None).encode()


def test_figures_of_one_page_share_no_id() -> None:
    first, second = (memory.draw(memory.MemoryData((memory.MemoryRow(n, (1.0,) * 7, 7.0, 80.0),))) for n in "ab")
    ids = [set(re.findall(r' id="([^"]+)"', p.svg)) for p in (first, second)]
    assert ids[0] and ids[1] and not ids[0] & ids[1]


def test_importing_the_figures_imports_no_matplotlib() -> None:
    modules = ", ".join(f"reports.figures.{name}" for name in figures.FIGURES)
    code = f"import sys, reports.style, {modules}; sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_tokens_and_cost_over_time_end_where_the_plan_does() -> None:
    data = over_time.from_point(point())
    assert data is not None
    assert data.path[-1] == (45.0, 15e12) and data.ideal == pytest.approx(45 * 0.93)
    assert sum(usd for _, usd in data.cost) == pytest.approx(29.868e6)
    picture = over_time.draw(data)
    texts = [b.text for b in picture.texts]
    assert {"45.0 days", "29.9 M$"} <= set(texts)
    assert "90 interruptions to expect" in picture.alt


@pytest.mark.parametrize("inner", ["TP", "EP", "TP, EP", "TP, EP, ETP", "TP, CP, EP, ETP"])
def test_legend_of_all_kinds_is_never_cut(inner: str) -> None:
    row = step_time.StepTimeRow("run", (1.0,) * len(step_time.KINDS), 8.0, 0.4)
    drawn = [box.text for box in step_time.draw(step_time.StepTimeData((row,), inner=inner)).texts]
    assert {k.name for key, k in step_time.KINDS.items() if key != "inner"} | {f"{inner} comm."} <= set(drawn)


def test_unlike_capacities_have_their_numbers_and_say_what_they_are() -> None:
    """An H100 has 81,559 MiB, a GB200 189,471 MiB."""
    rows = tuple(
        memory.MemoryRow(name, (50 * GIB, *[0.0] * 6), 50 * GIB, mib * 2.0**20)
        for name, mib in (("h100", 81559), ("gb200", 189471))
    )
    drawn = [box.text for box in memory.draw(memory.MemoryData(rows, things="runs")).texts]
    assert {"79.6", "185.0", "capacity of its GPU"} <= set(drawn)
    alike = memory.draw(memory.MemoryData(rows[:1], things="runs"))
    assert "capacity 79.6" in [box.text for box in alike.texts]

"""Files written from a ledger are read back: a trace, collectives, multiplies; and the report holds them against it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dsl.files import load_text
from dsl.problems import show
from dsl.resolve import resolve
from engine.classes import CLASSES, class_of, totals
from engine.collectives.bus import bus_bandwidth
from engine.columns import ONE, column
from engine.evaluate import evaluate
from engine.ledger import Prices, call_seconds
from engine.metrics import METRICS
from engine.read import read
from reports.document import build
from reports.html import render_html
from reports.imports.asked import Asked, Given, Made, Plan
from reports.imports.links import links
from reports.imports.traces import kineto_traces
from reports.profiled import cause

NAMES = {m.name: m.dimension for m in METRICS}
PLAN = """edition 2026
import "library/fabrics.scn"
import "library/models.scn"
cluster mine from h100-rail { nodes = 16 }
run base {
  model = llama-3-8b
  cluster = mine
  batch = 256 sequences
  tokens = 1T tokens
  layout { tensor = 8, pipeline = 2 }
}
"""
KERNELS = {"gemm": "nvjet_hsh", "sdpa": "flash_fwd", "hbm": "vectorized_elementwise", "optimizer": "FusedAdam"}
GROUPS = {"tensor": "TENSOR_MODEL_PARALLEL_GROUP", "pipeline": "PIPELINE_MODEL_PARALLEL_GROUP",
          "data": "DATA_PARALLEL_GROUP"}  # fmt: skip


def run(text: str = PLAN) -> Any:
    scenario, problems = resolve(load_text(text), NAMES)
    assert not problems, show(problems, {})
    return scenario


def plan() -> Plan:
    own = run().runs[0]
    return Plan("plan.scn", own, read(own.plain()))


def written_trace(scale: float = 1.0) -> Given:
    """The ledger of the plan as a Kineto trace of one step: hidden traffic beside the multiplies, the rest in turn."""
    result = evaluate(plan().engine)
    assert result.step is not None
    found = {kind: (float(t.busy[0]), float(t.exposed[0])) for kind, t in totals(result.step.entries).items()}
    events, at = [], 0.0
    hidden = {kind: busy - shown for kind, (busy, shown) in found.items() if busy and kind in GROUPS}
    for kind, (busy, shown) in found.items():
        if kind == "idle" or not busy:
            continue
        took = scale * (busy if kind in KERNELS else shown)
        events.append(_event(kind, at, took))
        at += took
    start = 0.0
    for kind, extra in hidden.items():
        events.append(_event(kind, start, scale * extra))
        start += scale * extra
    step = scale * float(result.columns["step_time"][0])
    events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "ts": 0, "dur": step * 1e6})
    data = {"distributedInfo": {"rank": 0, "world_size": 128}, "traceEvents": events}
    return Given("rank0.json", json.dumps(data).encode())


def _event(kind: str, at: float, took: float) -> dict[str, Any]:
    args = {} if kind in KERNELS else {"Collective name": "allreduce", "Process Group Description": GROUPS[kind]}
    name = KERNELS.get(kind, "ncclDevKernel_AllReduce")
    return {"ph": "X", "cat": "kernel", "name": name, "ts": at * 1e6, "dur": took * 1e6, "args": args}


def added(made: Made) -> Any:
    """The plan's file with what was printed, instead of an import of it."""
    assert not made.problems, show(made.problems, {})
    return run(PLAN + made.text.partition('import "plan.scn"\n')[2])


def test_a_trace_written_from_a_ledger_is_read_back() -> None:
    scenario = added(kineto_traces(Asked((written_trace(),), plan=plan())))
    document = build(scenario)
    found = next(e for e in document["experiments"] if e["name"] == "base-measured")["points"][0]["trace"]
    assert found["step_time"] == pytest.approx(found["predicted"], rel=0.01)
    for row in found["rows"]:
        assert row["busy"] == pytest.approx(row["predicted_busy"], rel=0.01, abs=1e-6), row["class"]
        assert row["measured"] == pytest.approx(row["predicted"], rel=0.01, abs=1e-6), row["class"]


def test_factors_of_a_slower_machine_bring_the_prediction_to_its_step() -> None:
    """Everything takes a tenth longer: factors of 1.1, and the calibrated run the measured step."""
    scenario = added(kineto_traces(Asked((written_trace(1.1),), plan=plan())))
    before, after = scenario.runs[0], scenario.runs[2]
    assert after.plain()["calibration.factor.gemm"] == pytest.approx(1.1, rel=0.01)
    times = [float(evaluate(read(r.plain())).columns["step_time"][0]) for r in (before, after)]
    assert times[1] == pytest.approx(1.1 * times[0], rel=1e-4)


def bare(own: Any) -> Prices:
    """What a run's collectives are priced with, an all-to-all as nccl-tests runs it: no dispatch around it."""
    prices = evaluate(read(own.plain())).step.timing.prices  # type: ignore[union-attr]
    return replace(prices, terms=replace(prices.terms, exchange=ONE))


@pytest.mark.parametrize(("layout", "axis", "ranks"), [("tensor = 8", "tensor", 8), ("tensor = 1", "shard", 128)])
def test_nccl_tests_written_from_the_engine_are_read_back(layout: str, axis: str, ranks: int) -> None:
    """Output of nccl-tests with the engine's own seconds gives collectives of the same seconds."""
    text = PLAN.replace("tensor = 8, pipeline = 2", layout)
    own = run(text).runs[0]
    prices = bare(own)
    sizes = [2.0**p for p in range(12, 34)]
    lines = []
    for kind, name in (("all_reduce", "all_reduce"), ("all_gather", "all_gather"), ("all_to_all", "alltoall")):
        seconds = [float(call_seconds(prices, kind, column(s), axis)[0]) for s in sizes]
        lines += [f"# {name}_perf, nranks {ranks}", "# size count type redop root time algbw busbw #wrong"]
        for s, t in zip(sizes, seconds, strict=True):
            bus = float(bus_bandwidth(kind, column(s), column(float(ranks)), column(t))[0])
            lines.append(f"{s:.0f} {s / 4:.0f} float sum -1 {t * 1e6:.6f} {s / t / 1e9:.4f} {bus / 1e9:.4f} 0")
    made = links(Asked((Given("out.txt", "\n".join(lines).encode()),), plan=Plan("plan.scn", own, read(own.plain()))))
    assert not made.problems, show(made.problems, {})
    scenario = run(text + made.text.partition('import "plan.scn"\n')[2])
    after = bare(scenario.runs[1])
    for kind in ("all_reduce", "all_gather", "all_to_all"):
        for size in sizes:
            was, now = (float(call_seconds(p, kind, column(size), axis)[0]) for p in (prices, after))
            assert now == pytest.approx(was, rel=0.01), (kind, size)


def test_every_row_of_a_ledger_has_a_class() -> None:
    result = evaluate(plan().engine)
    assert {class_of(e.row) for e in result.step.entries} <= set(CLASSES)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("kind", "own", "busy", "against", "residual", "says"),
    [
        ("gemm", {}, 5.0, 5.0, 0.05, "under 1% of the step"),
        ("gemm", {}, 5.0, 5.0, 0.2, "within 5%"),
        ("gemm", {"busy": 6.0}, 5.0, 5.0, 1.0, "a lower clock"),
        ("data", {"busy": 2.0, "calls": 100, "longest": 1.5}, 0.5, 0.1, 1.0, "a straggler: one call takes 1.5 s"),
        ("data", {"busy": 2.0, "slowest": 8.0}, 0.5, 0.1, 1.0, "one rank is busy 8 s"),
        ("tensor", {"busy": 1.0}, 1.0, 0.2, 0.8, "less is hidden"),
        ("tensor", {"busy": 3.0}, 1.0, 0.9, 2.0, "slower links"),
        ("idle", {"busy": 3.0}, 1.0, 1.0, 2.0, "the host falls behind"),
        ("optimizer", {}, 1.0, 1.0, None, "not in the trace"),
    ],
)  # fmt: skip
def test_likely_causes(
    kind: str, own: dict[str, float], busy: float, against: float, residual: float | None, says: str
) -> None:
    whole = dict.fromkeys(("busy", "exposed", "slowest", "longest", "calls")) | own
    assert says in cause(kind, whole, busy, against, residual, 10.0)


@pytest.mark.slow
def test_the_report_holds_the_trace_against_the_ledger() -> None:
    document = build(added(kineto_traces(Asked((written_trace(1.1),), plan=plan()))))
    document["experiments"] = document["experiments"][1:2]
    page = render_html(document)
    assert "Predicted against profiled step" in page and "Likely cause" in page
    assert "A profiled step against the prediction" in page


@pytest.mark.slow
def test_the_report_names_what_was_measured_and_what_it_replaces() -> None:
    own = 'calibration own { gemm = 55%, tier pod { latency = 7 us }, source = "own GEMMs, 2026-11" }\n'
    document = build(run(PLAN.replace("run base {", own + "run base {\n  calibration = own")))
    inputs = {row["path"]: row for row in document["experiments"][0]["points"][0]["inputs"]}
    assert inputs["calibration.gemm"]["origin"] == "calibration"
    assert inputs["calibration.gemm"]["source"] == "own GEMMs, 2026-11"
    for path in ("cluster.gpu.efficiency.gemm", "cluster.tier.pod.latency"):
        assert inputs[path]["note"] == "replaced by calibration own"
    page = render_html(document)
    assert "Inputs measured by the user, which the prediction follows" in page and "replaced by calibration own" in page

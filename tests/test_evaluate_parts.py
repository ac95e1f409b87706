"""What stands in each column of an evaluation: shares, conventions of utilization, the fullest stage, what is noted."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import alternatives, flops, layout, models, simulate
from engine import evaluate as evaluation
from engine.columns import column
from engine.evaluate import Result, evaluate, evaluate_phases
from engine.inputs import Run
from engine.operators import lora
from tests.settings import TIERS, run

PIPELINE: dict[str, Any] = {"layout__pipeline": 4, "cluster__gpus": 1024}  # data 32: 64 micro-batches
GIB = 2.0**30


def value(result: Result, name: str) -> float:
    assert result.columns[name].size == 1
    return float(result.columns[name][0])


def test_shares_are_of_the_step_and_the_bubble_of_the_work() -> None:
    r = evaluate(run(**PIPELINE), advise=False)
    assert r.step is not None
    step, slowest = value(r, "step_time"), float(r.step.timing.slowest[0])
    parts = [value(r, f"{axis}_communication") for axis in ("tensor", "context", "expert", "pipeline", "data")]
    assert (value(r, "micro_batches"), value(r, "tokens_per_step")) == (64, 2048 * 8192)
    assert value(r, "exposed_communication") == pytest.approx(sum(parts), rel=1e-14)
    assert value(r, "communication_fraction") == pytest.approx(sum(parts) / step, rel=1e-14)
    assert value(r, "bubble_share") == pytest.approx(value(r, "bubble_time") / step, rel=1e-12)
    assert value(r, "bubble") == pytest.approx(value(r, "bubble_time") / (64 * slowest), rel=1e-12)
    assert value(r, "launch_share") == value(r, "launch_time") / step


@pytest.mark.parametrize(
    ("changed", "frozen"), [({}, 0.0), ({"frozen": 0.25}, 0.25), ({"lora__rank": 8, "lora__targets": ()}, 1.0)]
)
def test_utilization_counts_no_weight_gradients_of_what_is_frozen_and_all_three_of_adapters(
    changed: dict[str, Any], frozen: float
) -> None:
    """Of 6 FLOP a parameter and token 2 are the weight gradient's; an adapter's are counted in full."""
    made = run(**changed, precision="fp8")
    r = evaluate(made, advise=False)
    n, each = models.count(made.model), flops.flops_per_token(made.model, column(8192))
    adapters = float(lora.parameters(made)[0])
    assert (adapters > 0) == ("lora__rank" in changed)
    speed = value(r, "tokens_per_second_per_gpu")
    assert speed == pytest.approx(2048 * 8192 / value(r, "step_time") / 4096, rel=1e-14)
    assert value(r, "tokens_per_second") == pytest.approx(4096 * speed, rel=1e-14)
    work = 6 * float(n.active[0]) - 2 * frozen * float(n.active[0]) + 6 * adapters
    assert value(r, "model_flops") == pytest.approx(work * speed, rel=1e-12)
    assert value(r, "mfu") == pytest.approx(work * speed / 1979e12, rel=1e-12)
    assert value(r, "mfu_bf16") == pytest.approx(work * speed / 989e12, rel=1e-12)
    attention = float(each.with_attention[0]) - 2 * frozen * float(n.active[0]) + 6 * adapters
    assert value(r, "mfu_attention") == pytest.approx(attention * speed / 1979e12, rel=1e-12)
    causal = float(each.causal[0]) - 2 * frozen * float(n.matmul[0]) + 6 * adapters
    assert value(r, "mfu_causal") == pytest.approx(causal * speed / 1979e12, rel=1e-12)
    assert value(r, "ridge") == 1979e12 / 3.35e12
    trained = (1 - frozen) * float(n.total[0]) + adapters
    assert value(r, "trained_parameters") == pytest.approx(trained, rel=1e-12)


def test_a_point_that_lacks_a_setting_has_no_time_and_the_others_keep_theirs() -> None:
    """Nodes of 8 without a network: a job of 8 GPUs has its time, one of 16 lacks a tier."""
    small: dict[str, Any] = {"tiers": TIERS[:1], "cluster__gpus": 16, "batch": 2, "model__layers": 2}
    r = evaluate(run(**small, layout__data=column([1, 2])))
    one = evaluate(run(**small, layout__data=1))
    assert {name: flags.tolist() for name, flags in r.partly.items()} == {"cluster.tier": [False, True]}
    assert np.array_equal(r.columns["step_time"], [value(one, "step_time"), np.nan], equal_nan=True)
    assert np.array_equal(r.columns["mfu"], [value(one, "mfu"), np.nan], equal_nan=True)
    assert np.all(np.isfinite(r.columns["memory_per_gpu"])) and one.partly == {} and "step_time" not in r.missing


# Simulation beside the closed form


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The simulations that are asked for, each with 0 seconds as its answer."""
    asked: list[tuple[str, int]] = []

    def answer(kind: str, forward: Any, backward: Any, micro_batches: int, chunks: int, send: float) -> Any:
        asked.append((kind, micro_batches))
        return SimpleNamespace(total=0.0)

    monkeypatch.setattr(simulate, "simulate", answer)
    return asked


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({"batch": 5000}, [("one_f_one_b", 5000), ("one_f_one_b", 12)]),  # 2 x 5,000 x 4 = 40,000 passes
        ({"batch": 5001}, []),
        ({"batch": 2500, "layout__schedule": "interleaved"}, [("interleaved", 2500), ("interleaved", 12)]),
        ({"batch": 2501, "layout__schedule": "interleaved"}, []),
        ({"batch": 12}, [("one_f_one_b", 12), ("one_f_one_b", 12)]),
        ({"batch": 64, "layout__pipeline": 1}, []),
        ({"batch": column([64, 128])}, []),
    ],
)
def test_up_to_40_000_passes_of_one_point_are_simulated(
    changed: dict[str, Any], asked: list[tuple[str, int]], simulated: list[tuple[str, int]]
) -> None:
    r = evaluate(run(**({"layout__pipeline": 4, "layout__data": 1} | changed)))
    assert simulated == asked
    assert ("simulated_step_time" in r.columns) == bool(asked)


@pytest.mark.parametrize(("more", "told"), [(0.019, ""), (-0.019, ""), (0.021, "+2.1%"), (-0.034, "-3.4%")])
def test_a_simulation_that_differs_by_two_percent_is_noted(
    more: float, told: str, simulated: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulated pipeline of 0 seconds leaves the rest of the step; the pipeline is then set to the difference."""
    first = evaluate(run(**PIPELINE))
    total, rest = value(first, "step_time"), value(first, "simulated_step_time")
    line = SimpleNamespace(total=(1 + more) * total - rest)
    monkeypatch.setattr(simulate, "simulate", lambda *_: line)
    r = evaluate(run(**PIPELINE))
    assert first.step is not None and rest == pytest.approx(
        total - value(first, "bubble_time") - value(first, "pipeline_communication")
        - 64 * float(first.step.timing.slowest[0]), rel=1e-9)  # fmt: skip
    assert value(r, "simulated_step_time") == pytest.approx((1 + more) * total, rel=1e-12)
    text = (
        f"simulated pass by pass the step takes {(1 + more) * total:.4g} s, {told} "
        "against the closed form that the results use"
    )
    assert [note for note in r.notes if "simulated" in note] == ([text] if told else [])


@pytest.mark.parametrize(
    ("kind", "stages", "micro_batches", "drawn"),
    [
        ("one_f_one_b", 4, 64, 12),
        ("one_f_one_b", 4, 13, 12),
        ("one_f_one_b", 4, 12, 12),
        ("one_f_one_b", 4, 7, 7),
        ("dualpipe", 4, 64, 12),
        ("dualpipe", 8, 64, 16),  # at least two micro-batches a stage
        ("dualpipe", 8, 16, 16),
    ],
)
def test_twelve_micro_batches_are_drawn_or_what_the_schedule_can_run(
    kind: str, stages: int, micro_batches: int, drawn: int
) -> None:
    made = run(layout__schedule=kind, layout__pipeline=stages)
    assert evaluation._drawable(made, layout.resolve(made), micro_batches) == drawn


# Memory

LAST: dict[str, Any] = {"layout__pipeline": 2, "layout__tensor": 1, "layout__data": 4, "cluster__gpus": 8,
                        "model__layers": 2, "model__vocabulary": 512_000, "batch": 8,
                        "stack__fused_loss": "eager"}  # fmt: skip
PARTS = {"weights": "weights_memory", "gradients": "gradients_memory", "optimizer": "optimizer_memory",
         "gathered": "gathered_memory", "activations": "activation_memory", "logits": "logits_memory"}  # fmt: skip


@pytest.mark.parametrize(("changed", "fullest"), [(PIPELINE, 0), (LAST, 1)])
def test_memory_is_that_of_the_fullest_stage(changed: dict[str, Any], fullest: int) -> None:
    r = evaluate(run(**changed), advise=False)
    whole = evaluate(run(**changed))
    assert r.memory and whole.memory
    stage = next(s for s in r.memory if s.stage == fullest)
    assert value(r, "memory_per_gpu") == stage.total[0] == max(s.total[0] for s in whole.memory)
    assert {name: value(r, name) for name in PARTS.values()} == {
        name: float(getattr(stage, part)[0]) for part, name in PARTS.items()}  # fmt: skip
    assert value(r, "memory_allocated") == stage.allocated[0]
    assert value(r, "memory_headroom") == 80 * GIB - stage.total[0]
    for phase in ("step", "load", "update", "save"):
        assert value(r, f"memory_{phase}") == max(float(getattr(s, phase)[0]) for s in whole.memory)
    assert {name: value(r, name) for name in r.columns if "memory" in name} == {
        name: value(whole, name) for name in r.columns if "memory" in name}  # fmt: skip


def test_a_run_that_needs_all_of_the_gpu_fits_and_one_byte_more_does_not() -> None:
    need = value(evaluate(run(**LAST), advise=False), "memory_per_gpu")
    assert evaluate(run(**LAST, cluster__gpu__memory=need), advise=False).reasons == []
    r = evaluate(run(**LAST, cluster__gpu__memory=need - 1.5 * GIB), advise=False)
    assert (r.status, r.reasons) == ("does_not_fit", ["stage 1 needs 1.5 GiB more than the GPU has"])
    many = evaluate(run(**LAST | {"batch": column([8, 16])}, cluster__gpu__memory=need - GIB), advise=False)
    assert (many.status, many.reasons) == ("ok", [])


def test_host_memory_is_that_of_a_node_and_may_be_full() -> None:
    away: dict[str, Any] = {"offload__optimizer": 1.0, "offload__weights": 0.0, "offload__activations": 0.0}
    free = evaluate(run(**away), advise=False)
    need = value(free, "memory_host")
    assert free.memory and need == 8 * free.memory[0].host[0] > 0
    assert evaluate(run(**away, cluster__host_memory=need), advise=False).status == "ok"
    r = evaluate(run(**away, cluster__host_memory=need - 2.5 * GIB), advise=False)
    assert r.status == "does_not_fit"
    assert r.reasons == ["what is offloaded needs 2.5 GiB more than a node's host memory has"]
    many = evaluate(run(**away, batch=column([2048, 4096]), cluster__host_memory=need / 2), advise=False)
    assert (many.status, many.reasons) == ("ok", [])


# What is asked for, and what is lacking


def test_a_phase_and_a_run_without_advice_have_no_nearest_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phase of 2,047 sequences cannot be built: it makes the run so, but nothing is searched for it."""
    searched: list[Run] = []

    def search(made: Run, _: Any) -> Any:
        searched.append(made)
        return ["near"]

    monkeypatch.setattr(alternatives, "alternatives", search)
    whole, odd = run(), run(batch=2047, tokens=1e12)
    r = evaluate_phases(whole, [("odd", odd)])
    assert (r.status, r.nearest, searched) == ("cannot_be_built", [], [])
    assert evaluate(odd, advise=False).nearest == [] and searched == []
    assert [str(a) for a in evaluate(odd).nearest] == ["near"] and searched == [odd]
    assert len(evaluate_phases(odd, []).nearest) == 1
    assert evaluate_phases(odd, [], advise=False).nearest == []


def test_what_an_alternative_comes_to() -> None:
    r = evaluate(run(), advise=False)
    assert evaluation._tried(run()) == ("ok", value(r, "memory_per_gpu"), value(r, "step_time"))
    assert evaluation._tried(run(batch=2047)) == ("cannot_be_built", None, None)


def test_a_model_without_dimensions_is_not_evaluated() -> None:
    r = evaluate(run(model__hidden=None, model__heads=None, cluster__mtbf=3600.0))
    assert r.status == "not_evaluated" and r.rules == ()
    assert r.reasons == ["the model's dimensions are not given: model.hidden, model.heads"]
    assert r.missing["step_time"] == r.missing["memory_per_gpu"] == ("model.hidden", "model.heads")
    assert (value(r, "used_gpus"), value(r, "mtbf"), value(r, "valid_layout")) == (4096, 3600, 1)

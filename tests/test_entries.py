"""Entries of a step beside its blocks: how often each runs, sends, once-a-step work, and what all of it waits for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import entries, layout, models, offload, overlap, step
from engine.columns import ONE, ZERO, column
from engine.entries import exposed_sends, once, overheads, sends, stage_entries, tied, wait
from engine.inputs import Run
from engine.layout import Degrees
from engine.ledger import Entry
from engine.schedules import SCHEDULES, StageTimes
from engine.step import Step, Timing
from tests.settings import run
from tests.test_experts import moe

STAGED: dict[str, Any] = {"layout__pipeline": 4, "layout__data": 128}  # 16 micro-batches
CHUNKED: dict[str, Any] = STAGED | {"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 5}


def made(r: Run) -> tuple[Degrees, Timing]:
    d = layout.resolve(r)
    return d, step.timing(r, d, models.count(r.model))


def whole(r: Run) -> Step:
    return entries.step(r, layout.resolve(r), models.count(r.model))


def named(found: list[Entry], op: str) -> Entry:
    (entry,) = [e for e in found if e.row.op == op]
    return entry


# What all of a step waits for


@pytest.mark.parametrize(("gpus", "doublings"), [(4, 0), (8, 0), (16, 1), (64, 3), (4096, 9)])
def test_a_step_waits_for_stragglers_its_fixed_time_and_a_slow_rank(gpus: int, doublings: int) -> None:
    """Of 5 + 7 seconds at 0.01 a doubling beyond 8 GPUs; 0.02 s and half of that a doubling; then 5 % of it all."""
    r = run(layout__tensor=4, layout__data=gpus / 4, stack__straggler=0.01, stack__step_time=0.02,
            cluster__slow_rank=0.05)  # fmt: skip
    found = overheads(r, layout.resolve(r), [wait("x", "a", column(5.0)), wait("x", "b", column(7.0))])
    late, fixed = 0.01 * doublings * 12, 0.02 * (1 + doublings / 2)
    assert [(e.row.block, e.row.op) for e in found] == [
        ("step", "stragglers"), ("step", "fixed"), ("step", "slow rank"), ("step", "calibration")]  # fmt: skip
    assert [float(e.exposed[0]) for e in found] == pytest.approx(
        [late, fixed, 0.05 * (12 + late + fixed), 0.0], rel=1e-14)  # fmt: skip


def test_measured_idle_time_and_a_measured_step_come_on_top() -> None:
    r = run(layout__data=8, cluster__gpus=64, calibration="own", calibration__factor__idle=1.5,
            calibration__factor__step=1.1, stack__straggler=0.01, stack__step_time=0.02)  # fmt: skip
    found = overheads(r, layout.resolve(r), [wait("x", "a", column(12.0))])
    late, fixed = 1.5 * 0.01 * 3 * 12, 1.5 * 0.02 * 2.5
    assert [float(e.exposed[0]) for e in found] == pytest.approx(
        [late, fixed, 0.0, 0.1 * (12 + late + fixed)], rel=1e-12)  # fmt: skip


# How often rows run


def counts(r: Run, block: str, phase: str = "forward") -> set[float]:
    d, timing = made(r)
    return {float(e.count[0]) for e in stage_entries(r, d, timing) if (e.row.block, e.row.phase) == (block, phase)}


def test_rows_run_for_every_layer_and_micro_batch_of_the_slowest_stage() -> None:
    """80 layers over 4 stages and 16 micro-batches; the head stands on the slowest, the embedding does not."""
    r = run(**STAGED, layout__recompute="full")
    assert counts(r, "mlp") == counts(r, "mlp", "backward") == counts(r, "mlp", "recompute") == {20 * 16}
    assert counts(r, "head") == counts(r, "head", "backward") == {16}
    assert counts(r, "embedding") == counts(r, "embedding", "backward") == {0}
    assert counts(run(), "embedding") == counts(run(), "head") == {4} and counts(run(), "mlp") == {320}


# Sends between stages


@pytest.mark.parametrize(
    ("changed", "count", "behind"), [(STAGED, 2 * 16, None), (CHUNKED, 2 * 16 * 5, "compute of other micro-batches")]
)
def test_each_chunk_of_a_micro_batch_is_sent_there_and_back(
    changed: dict[str, Any], count: int, behind: str | None
) -> None:
    """8,192 tokens of 8,192 values of 2 bytes, an eighth a tensor rank."""
    r = run(**changed)
    d, timing = made(r)
    found = sends(r, d, timing, column(3.0))
    row = found.row
    assert (found.count[0], row.exposed[0], row.bytes[0]) == (count, 3.0 / count, 8192 * 8192 * 2 / 8)
    assert found.exposed[0] == pytest.approx(3.0, rel=1e-14)
    assert (row.block, row.op, row.kind, row.axis, row.hidden_by) == (
        "pipeline", "send and receive", "collective", "pipeline", behind)  # fmt: skip
    assert row.seconds is timing.send


@pytest.mark.parametrize(("overlaps", "share"), [(True, 0.19), (False, 1.0)])
def test_of_the_sends_of_chunks_the_stacks_share_is_exposed(overlaps: bool, share: float) -> None:
    """The schedule's own chain, and of the rest of 2 x 16 x 5 sends that share."""
    r = run(**CHUNKED, layout__overlap__pipeline=overlaps)
    d, timing = made(r)
    times = step_times(timing)
    send = column(1e-5)
    chain = float(SCHEDULES["interleaved"].exposed_sends(times, d.micro_batches, 5, send)[0])
    found = exposed_sends(r, d, times, send)
    assert 0 < chain < 160e-5
    assert found[0] == pytest.approx(chain + share * (160e-5 - chain), rel=1e-12)


def step_times(timing: Timing) -> Any:
    return StageTimes(timing.forward, timing.backward)


def test_without_chunks_the_chain_of_the_schedule_is_all() -> None:
    r = run(**STAGED)
    d, timing = made(r)
    times, send = step_times(timing), column(1e-5)
    chain = SCHEDULES["one_f_one_b"].exposed_sends(times, d.micro_batches, 1, send)
    assert exposed_sends(r, d, times, send)[0] == chain[0] > 0


@pytest.mark.parametrize(("stages", "sent"), [(1, 0), (2, 1), (4, 1)])
def test_only_a_pipeline_sends(stages: int, sent: int) -> None:
    r = run(layout__pipeline=stages, layout__data=512 / stages)
    assert [e.row.op for e in whole(r).entries].count("send and receive") == sent


# Once a step


def test_passes_of_a_chunk_that_gradients_can_hide_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first stage's passes: with 5 chunks each is a fifth, and 1 + 4 x 4 of them end before the last one has."""
    seen: list[Any] = []

    def rows(r: Any, d: Any, prices: Any, buckets: Any, forward: Any, backward: Any) -> list[Entry]:
        seen.append((buckets, float(forward[0]), float(backward[0])))
        return []

    monkeypatch.setattr(overlap, "data_rows", rows)
    few = CHUNKED | {"layout__data": 1024, "cluster__gpus": 2**15}  # 2 micro-batches
    for changed, waves in ((STAGED, 1), (CHUNKED, 17 / 5), (few, 9 / 5)):
        r = run(**changed)
        d, timing = made(r)
        once(r, d, timing)
        _, forward, backward = seen.pop()
        assert forward == pytest.approx(waves * float(timing.forward[0][0]), rel=1e-14)
        assert backward == pytest.approx(waves * float(timing.backward[0][0]), rel=1e-14)


def noted(seen: list[Any], *places: int) -> Callable[..., list[Entry]]:
    """A function that gives no rows and keeps what stands at some places of its arguments."""

    def rows(*given: Any) -> list[Entry]:
        seen.append(tuple(given[i] for i in places))
        return []

    return rows


def test_buckets_hold_what_is_trained_of_the_fullest_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter is frozen; experts are a bucket of their own; 14 layers over 4 stages are at most 4."""
    seen: list[Any] = []
    monkeypatch.setattr(overlap, "data_rows", noted(seen, 3))
    r = moe(layout__pipeline=4, model__layers=14, frozen=0.25, layout__expert=4)
    d, timing = made(r)
    once(r, d, timing)
    ((dense, experts),) = seen[0]
    states = [step.rank_states(r, d, timing, rank) for rank in timing.ranks]
    assert (dense.name, dense.axis, dense.layers) == ("", "shard", max(s.layers for s in timing.stages))
    assert (experts.name, experts.axis, experts.layers) == ("expert ", "expert_data", dense.layers)
    assert len({s.layers for s in timing.stages}) > 1
    assert dense.parameters[0] == max(float(own[0]) for own, _ in states)
    assert experts.parameters[0] == max(float(own[0]) for _, own in states)
    assert (dense.trained[0], experts.trained[0]) == (0.75 * dense.parameters[0], 0.75 * experts.parameters[0])


@pytest.mark.parametrize("kind", ["none", "zero1", "zero2", "zero3"])
def test_the_optimizer_updates_its_shard_and_clears_its_gradients(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dense parameters are shared by D ranks, experts by copies; ZeRO-1 keeps whole gradients. 3/8 are offloaded."""
    seen: list[Any] = []
    monkeypatch.setattr(entries, "optimizer", noted(seen, 1, 2))
    monkeypatch.setattr(offload, "optimizer_rows", noted(seen, 1, 2))
    monkeypatch.setattr(offload, "weight_rows", noted(seen, 2, 3))
    r = moe(layout__shard=kind, frozen=0.25, offload__optimizer=0.375, offload__weights=0.0, offload__activations=0.0)
    d, timing = made(r)
    once(r, d, timing)
    dense, experts = (float(x[0]) for x in step.rank_states(r, d, timing, timing.ranks[0]))
    assert (d.shard[0], d.edp[0]) == (16, 8)
    full, part = 0.75 * (dense + experts), 0.75 * (dense / 16 + experts / 8)
    shard = full if kind == "none" else part
    buffer = full if kind in ("none", "zero1") else part
    assert [float(x[0]) for x in seen[0]] == pytest.approx([0.625 * shard, buffer], rel=1e-14)
    assert (seen[1][0][0], seen[1][1]) == (pytest.approx(shard, rel=1e-14), timing.backward[0])
    gathered = [(float(a[0]), b) for a, b in seen[2:]]
    assert len(gathered) == (kind == "zero3")
    for size, ahead in gathered:
        assert size == pytest.approx(dense / 16 + experts / 8, rel=1e-14) and ahead[0] == timing.forward[0][0]


@pytest.mark.parametrize(
    ("changed", "reduced"),
    [
        ({"model__tied": True}, 0),
        ({"model__tied": True, "layout__pipeline": 2, "layout__data": 256}, 1),
        ({"model__mtp": 1, "layout__pipeline": 2, "layout__data": 256}, 1),
        ({"layout__pipeline": 2, "layout__data": 256}, 0),
    ],
)
def test_a_tied_embedding_is_reduced_between_first_and_last_stage(changed: dict[str, Any], reduced: int) -> None:
    found = list(whole(run(**changed)).entries)
    assert [e.row.op for e in found].count("tied gradient") == reduced


def test_a_tied_gradient_is_an_all_reduce_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """An eighth of 128,000 x 8,192 gradients of 2 bytes, between two ranks whatever the pipeline."""
    r = run(**STAGED, model__tied=True)
    _, timing = made(r)
    seen: list[Any] = []

    def seconds(prices: Any, kind: str, size: Any, axis: str, group: Any) -> Any:
        seen.append((kind, float(size[0]), axis, float(np.ravel(group.size)[0])))
        return column(3.0)

    monkeypatch.setattr(entries, "call_seconds", seconds)
    found = tied(r, timing)
    assert seen == [("all_reduce", 128_000 * 8192 / 8 * 2, "pipeline", 2.0)]
    assert (found.count[0], found.row.seconds[0], found.row.exposed[0]) == (1, 3, 3)
    assert (found.row.block, found.row.op, found.row.algorithm) == ("embedding", "tied gradient", "all_reduce")


def test_a_step_is_the_sum_of_its_entries_and_its_bubble_is_one_of_them() -> None:
    """The bubble is what the schedule takes beyond the passes; measured pipelines take so many times as long."""
    r, slower = run(**STAGED), run(**STAGED, calibration="own", calibration__factor__pipeline=1.25)
    found, late = whole(r), whole(slower)
    steady = SCHEDULES["one_f_one_b"].steady(step_times(found.timing), column(16.0), 1)
    bubble = float((steady - 16 * found.timing.slowest)[0])
    assert bubble > 0 and found.bubble[0] == pytest.approx(bubble, rel=1e-12)
    assert late.bubble[0] == pytest.approx(1.25 * found.bubble[0], rel=1e-12)
    assert named(list(found.entries), "bubble").exposed[0] == found.bubble[0]
    assert found.seconds[0] == pytest.approx(sum(float(e.exposed[0]) for e in found.entries), rel=1e-12)


def test_a_wait_is_a_row_in_which_nothing_runs() -> None:
    found = wait("step", "fixed", column(3.0))
    row = found.row
    assert (found.count[0], row.block, row.op, row.phase, row.kind) == (1, "step", "fixed", "step", "wait")
    assert (row.seconds[0], row.exposed[0], row.flops, row.bytes, row.kernels) == (3, 3, ZERO, ZERO, ZERO)
    assert found.count is ONE

"""The nearest layouts that can be built and fit: evaluated themselves, and changing as little as will do."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alternatives import (
    Alternative,
    Change,
    Evaluated,
    _idle,
    alternatives,
    buildable,
    changes,
    varied,
    with_layout,
)
from engine.columns import column
from engine.evaluate import evaluate
from engine.inputs import Run
from engine.layout import resolve
from tests.settings import run
from tests.test_experts import moe


def tried(r: Run) -> Evaluated:
    found = evaluate(r, advise=False)
    size, seconds = found.columns.get("memory_per_gpu"), found.columns.get("step_time")
    return found.status, None if size is None else float(size[0]), None if seconds is None else float(seconds[0])


def single_changes_that_fit(r: Run) -> set[str]:
    """The settings of which one other value alone would do."""
    made = [(c.setting, c.apply(r)) for c in changes(r)]
    return {setting for setting, changed in made if buildable(changed) and tried(changed)[0] == "ok"}


BROKEN: list[dict[str, Any]] = [
    {"layout__tensor": 6},
    {"layout__tensor": 2},
    {"batch": 2047},
    {"cluster__gpus": 2000},
    {"layout__shard": "zero2", "layout__pipeline": 2, "layout__recompute": "full"},
    {"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2},
    {"stack__refuses_uneven_stages": True, "model__layers": 126, "layout__pipeline": 16, "layout__recompute": "full"},
    {"layout__tensor": 1, "cluster__gpus": 8, "batch": 8, "model__layers": 32, "model__hidden": 4096,
     "model__ffn": 14336, "model__heads": 32},
]  # fmt: skip


@pytest.mark.parametrize("changed", BROKEN)
def test_alternatives_change_the_fewest_settings_and_fit(changed: dict[str, Any]) -> None:
    r = run(**changed)
    assert tried(r)[0] != "ok"
    found = alternatives(r, tried)
    assert 1 <= len(found) <= 3
    enough = single_changes_that_fit(r)
    for a in found:
        assert buildable(a.run) and tried(a.run) == a.evaluated and a.evaluated[0] == "ok"
        settings_ = {c.setting for c in a.changes}
        assert len(a.changes) == 1 or not settings_ & enough  # no change that would have done alone
    assert [len(a.changes) for a in found] == sorted(len(a.changes) for a in found)
    assert bool(enough) == (len(found[0].changes) == 1)


def test_a_report_says_what_would_fit() -> None:
    result = evaluate(run(layout__tensor=2))
    assert result.status == "does_not_fit" and "GiB more than the GPU has" in result.reasons[0]
    assert result.nearest and all("GiB a GPU" in a.text for a in result.nearest)


def test_data_follows_where_it_followed_before() -> None:
    """4,096 GPUs: data 512 with tensor 8 is what the GPUs leave; data 256 is somebody's choice."""
    free = with_layout(run(layout__data=512), tensor=column(4))
    assert resolve(free).dp[0] == 1024 and resolve(free).idle[0] == 0
    kept = with_layout(run(layout__data=256), tensor=column(4))
    assert resolve(kept).dp[0] == 256


def test_sequence_parallelism_follows_tensor_where_it_followed_before() -> None:
    one = run(layout__tensor=1, layout__sequence_parallel=False)
    assert with_layout(one, tensor=column(8)).layout.sequence_parallel is True
    off = run(layout__tensor=2, layout__sequence_parallel=False)
    assert with_layout(off, tensor=column(8)).layout.sequence_parallel is False


def test_stated_stages_are_those_of_one_pipeline_degree() -> None:
    stated = run(layout__pipeline=2, layout__stages=(30, 50))
    assert with_layout(stated, tensor=column(4)).layout.stages == (30, 50)
    assert with_layout(stated, pipeline=4).layout.stages is None


def test_tables_of_points_have_no_alternatives() -> None:
    found = evaluate(run(batch=column([2047, 2045])))
    assert found.status == "cannot_be_built" and found.nearest == []


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    st.sampled_from([1, 2, 3, 4, 6, 8, 12]),
    st.sampled_from([1, 2, 3, 5, 8]),
    st.sampled_from([96, 100, 128, 250]),
    st.sampled_from([60, 64, 127]),
)
def test_whatever_is_broken_alternatives_hold(tensor: int, pipeline: int, gpus: int, batch: int) -> None:
    r = run(layout__tensor=tensor, layout__pipeline=pipeline, cluster__gpus=gpus, batch=batch, model__layers=16)
    found = alternatives(r, tried)
    for a in found:
        assert buildable(a.run) and a.evaluated[0] in ("ok", "does_not_fit")
        assert np.all(resolve(a.run).used <= gpus)


def values(r: Run, setting: str) -> list[tuple[str, float]]:
    """The other values of a setting that are looked at, each with its distance."""
    return [(c.value, c.distance) for c in changes(r) if c.setting == setting]


@pytest.mark.parametrize(
    ("changed", "setting", "expected"),
    [
        ({"layout__tensor": 8, "model__heads": 64}, "tensor",
         [("4", 1), ("16", 1), ("2", 2), ("32", 2), ("1", 3), ("64", 3)]),  # the smaller of two first
        ({"model__heads": 128, "layout__tensor": 64}, "tensor",
         [("32", 1), ("16", 2), ("8", 3), ("4", 4), ("2", 5), ("1", 6)]),  # 128 is no degree
        ({}, "context", [("2", 1), ("4", 2), ("8", 3), ("16", 4)]),
        ({}, "micro_batch", [("2", 1), ("4", 2), ("8", 3), ("16", 4)]),
        ({"layout__pipeline": 4}, "pipeline",
         [("5", float(np.log2(5 / 4))), ("2", 1), ("8", 1), ("10", float(np.log2(10 / 4))), ("1", 2), ("16", 2)]),
        ({"batch": 2048}, "batch", []),
        ({"batch": 2050}, "batch", [("2_048", float(np.log2(2050 / 2048))), ("2_560", float(np.log2(2560 / 2050)))]),
        ({"batch": 500}, "batch", [("512", float(np.log2(512 / 500)))]),  # none is no batch
        ({"batch": 2048}, "data", [("256", 1)]),
        ({"batch": 2040}, "data", [("510", float(np.log2(512 / 510)))]),
        ({"batch": 2048, "layout__micro_batch": 3}, "data", [("341", float(np.log2(512 / 341)))]),  # 682 = 2 x 341
        ({}, "schedule", []),
        ({"layout__schedule": "gpipe"}, "schedule", [("one_f_one_b", 1)]),
        ({"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 4}, "schedule",
         [("one_f_one_b", 1), *((f"interleaved(virtual_stages = {v})", float(abs(np.log2(v) - 2)))
                                for v in (5, 3, 6, 2, 8, 10))]),
        ({"layout__schedule": "interleaved"}, "schedule",
         [("one_f_one_b", 1), *((f"interleaved(virtual_stages = {v})", float(abs(np.log2(v) - 1)))
                                for v in (3, 4, 5, 6, 8, 10))]),
        ({}, "shard", [("zero3", 1)]),
        ({"layout__shard": "zero3"}, "shard", [("zero1", 0.5)]),
        ({"layout__shard": "none"}, "shard", [("zero1", 0.5), ("zero3", 1)]),
        ({}, "recompute", [("selective", 0.5), ("full", 1)]),
        ({"layout__recompute": "selective"}, "recompute", [("full", 1)]),
        ({"layout__recompute": "full"}, "recompute", []),
        ({}, "context_method", []),
        ({"layout__context": 2}, "context_method", []),
        ({"layout__context_method": "all_gather"}, "context_method", []),
        ({"layout__context_method": "all_gather", "layout__context": 2}, "context_method", [("ring", 0.3)]),
        ({}, "split", []),
        ({"layout__split": "even"}, "split", [("balanced", 0.2)]),
        ({}, "expert", []),
        ({"model__heads": 40}, "tensor",
         [(str(n), float(abs(np.log2(n / 8)))) for n in (10, 5, 4, 20, 2, 40)]),  # divisors, not powers of two
        ({"model__heads": 65, "layout__tensor": 32}, "tensor",
         [(str(n), float(np.log2(32 / n))) for n in (13, 5, 1)]),  # 65 is more than 64
        ({"model__heads": None}, "tensor", [("4", 1), ("16", 1), ("2", 2), ("32", 2), ("1", 3), ("64", 3)]),
        ({"model__layers": 65, "layout__pipeline": 32}, "pipeline",
         [(str(n), float(abs(np.log2(n / 32)))) for n in (16, 64, 13, 8, 5, 4)]),
        ({"model__layers": None}, "pipeline", [("2", 1), ("4", 2), ("8", 3), ("16", 4), ("32", 5), ("64", 6)]),
        ({"batch": 1022}, "data", [("511", float(np.log2(512 / 511)))]),
        ({"cluster__gpus": 16}, "data", [("1", 1)]),
        ({"cluster__gpus": 8}, "data", []),
        ({"layout__stages": (20, 60), "layout__pipeline": 2}, "stages", [("balanced", 0.2)]),
        ({"layout__stages": None}, "stages", []),
    ],
)  # fmt: skip
def test_values_worth_a_look(changed: dict[str, Any], setting: str, expected: list[tuple[str, float]]) -> None:
    """Nearest first: of 4,096 GPUs with tensor 8 the data degree is 512; distances are octaves."""
    found = values(run(**changed), setting)
    assert [v for v, _ in found] == [v for v, _ in expected]
    assert [far for _, far in found] == pytest.approx([far for _, far in expected], rel=1e-12)


def test_experts_have_degrees_of_their_own() -> None:
    r = moe()
    assert values(r, "expert_tensor") == [("2", 1), ("4", 2), ("8", 3)]
    assert [v for v, _ in values(r, "expert")] == ["4", "16", "2", "32", "1", "64"]
    assert values(moe(layout__expert_tensor=2), "expert_tensor") == [("1", 1), ("4", 1), ("8", 2)]
    assert values(moe(model__experts__routed=512, layout__expert=128), "expert") == [
        ("64", 1), ("256", 1), ("32", 2), ("16", 3), ("8", 4), ("4", 5)]  # fmt: skip
    assert values(moe(model__experts__routed=257), "expert") == [("1", 3)]  # a prime above 256


@pytest.mark.parametrize("setting", ["schedule", "shard", "recompute", "split", "batch", "pipeline", "micro_batch"])
def test_a_change_changes_its_setting_alone(setting: str) -> None:
    r = run(layout__schedule="interleaved", layout__split="even", layout__data=512, batch=2050)
    change = next(c for c in changes(r) if c.setting == setting)
    made = change.apply(r)
    before, after = vars(r.layout), vars(made.layout)
    moved = {name for name in before if before[name] is not after[name]} - {"data", "stages"}
    assert moved == (set() if setting == "batch" else {setting})
    assert (made.batch is not r.batch) == (setting == "batch")


def alternative(*named: str, far: float, status: str = "ok") -> Alternative:
    changed = tuple(Change(name, "", far / len(named), lambda run: run) for name in named)
    return Alternative(changed, run(), far, (status, None, None))


def test_the_nearest_two_of_a_set_of_settings_are_shown_and_no_more_changes_than_will_do() -> None:
    made = [alternative("a", far=3.0), alternative("a", far=1.0), alternative("a", far=2.0), alternative("b", far=9.0),
            alternative("c", "d", far=0.1), alternative("c", "d", far=0.2), alternative("c", "d", far=0.3)]  # fmt: skip
    shown = [([c.setting for c in a.changes], a.distance) for a in varied(made, 9)]
    assert shown == [(["a"], 1.0), (["a"], 2.0), (["b"], 9.0), (["c", "d"], 0.1), (["c", "d"], 0.2)]
    assert len(varied(made, 3)) == 3
    only = made[1].changes[0]
    more = Alternative((only, Change("e", "", 0.0, lambda r: r)), run(), 0.0, ("ok", None, None))
    assert varied([made[1], more], 9) == [made[1]]


@pytest.mark.parametrize(
    ("evaluated", "gpus", "words"),
    [
        (("ok", 2.5 * 2**30, 1.23456), 4096, "a = , b =  (2.5 GiB a GPU, 1.23 s a step, 4_096 GPUs used)"),
        (("ok", None, 2.0), 4096, "a = , b =  (2 s a step, 4_096 GPUs used)"),
        (("ok", 2.0**30, None), 4100, "a = , b =  (1.0 GiB a GPU, 4_096 GPUs used, 4 idle)"),
    ],
)
def test_an_alternative_in_one_line(evaluated: Evaluated, gpus: int, words: str) -> None:
    own = alternative("a", "b", far=1.0)
    assert Alternative(own.changes, run(cluster__gpus=gpus), 1.0, evaluated).text == words


def test_gpus_left_idle_are_octaves_of_distance() -> None:
    """64 of 96 GPUs work: 4 x 1/3."""
    assert _idle(run(cluster__gpus=96, layout__data=8)) == pytest.approx(4 / 3, rel=1e-15)
    assert _idle(run()) == 0.0


@pytest.mark.parametrize(("layers", "holds"), [(0, False), (1, True), (80, True)])
def test_a_model_without_layers_cannot_be_built(layers: int, holds: bool) -> None:
    assert buildable(run(model__layers=layers)) is holds


def test_a_table_can_be_built_where_every_point_can() -> None:
    assert buildable(run(batch=column([2048, 4096]))) and not buildable(run(batch=column([2047, 2048])))

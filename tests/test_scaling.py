"""What grows in a scale: its values, what moves in step with it, and the whole of each problem."""

from typing import Any

import pytest

from dsl.problems import Problem, Span
from tests.language import START, problems_of, scenario_of

PLAN = START.replace("2048 sequences }", "2048 sequences, layout { tensor = 4, recompute = selective } }")
STEPS = PLAN.replace("batch = 2048 sequences", "accumulation = 24")  # 32 replicas of 4 GPUs: 768 sequences
DOUBLED = tuple(4.0 * 2**i for i in range(11))  # from one replica of 4 GPUs to 32 times the run's 128


def scale(block: str) -> str:
    return f"scale growing {{ base = base\n{block}\n}}\n"


def axes(block: str, *overrides: str, plan: str = PLAN) -> dict[str, tuple[Any, ...]]:
    """The axes of a scale, by their path."""
    (table,) = scenario_of(plan + scale(block), *overrides).tables
    assert {axis.together for axis in table.axes} <= {table.axes[0].together}  # one step for all
    return {axis.path: axis.values for axis in table.axes}


def test_gpus_double_and_strong_is_the_default() -> None:
    assert axes("") == axes("mode = strong") == axes("over = cluster.gpus") == {"cluster.gpus": DOUBLED}
    assert axes("mode = weak") == {"cluster.gpus": DOUBLED, "batch": tuple(16 * n for n in DOUBLED)}  # 2048 of 128


def test_a_replica_is_tensor_by_context_by_pipeline() -> None:
    """12 GPUs of 3 x 2 x 2; 12 x 2^8 = 3072 of at most 4096."""
    made = axes("", "layout.tensor=2", "layout.context=2", "layout.pipeline=3")
    assert made == {"cluster.gpus": tuple(12.0 * 2**i for i in range(9))}


def test_nodes_are_counted_in_gpus() -> None:
    """Of 8 GPUs, so two replicas each: 16 nodes have 32 of them and 2048 sequences."""
    nodes = tuple(2.0**i for i in range(10))
    assert axes("over = cluster.nodes, mode = weak") == {"cluster.nodes": nodes, "batch": tuple(128 * n for n in nodes)}
    assert axes("over = cluster.nodes", "layout.pipeline=8") == {"cluster.nodes": tuple(4.0 * 2**i for i in range(8))}


POINTS: list[tuple[str, tuple[str, ...], dict[str, tuple[float, ...]]]] = [
    ("mode = weak", (), {"batch": (1024.0, 4096.0)}),
    ("mode = weak", ("layout.data=32",), {"layout.data": (16.0, 64.0), "batch": (1024.0, 4096.0)}),
    ("mode = weak", ("layout.data=16",), {"layout.data": (16.0, 64.0), "batch": (2048.0, 8192.0)}),
    ("mode = strong", ("layout.data=32",), {"layout.data": (16.0, 64.0)}),
    ("mode = strong", (), {}),
]


@pytest.mark.parametrize(("mode", "overrides", "moved"), POINTS)
def test_what_moves_with_the_gpus(mode: str, overrides: tuple[str, ...], moved: dict[str, Any]) -> None:
    assert axes(f"{mode}, points = [64, 256]", *overrides) == {"cluster.gpus": (64.0, 256.0)} | moved


def test_a_run_that_states_its_micro_batches_keeps_its_batch_by_them() -> None:
    """768 sequences on 16, 32 and 64 replicas; weak, each replica keeps its 24."""
    counts = (64.0, 128.0, 256.0)
    assert axes("points = [64, 128, 256]", plan=STEPS) == {"cluster.gpus": counts, "accumulation": (48.0, 24.0, 12.0)}
    assert axes("mode = weak, points = [64, 128, 256]", plan=STEPS) == {"cluster.gpus": counts}


def test_gpus_that_fill_no_replica_count_for_none() -> None:
    """Of replicas of 12 GPUs, 128 GPUs hold 10, 30 GPUs 2 and 250 GPUs 20; each of the 10 has 200 sequences."""
    degrees = ("layout.tensor=2", "layout.context=2", "layout.pipeline=3", "batch=2000 sequences")
    counts = (30.0, 250.0)
    assert axes("mode = weak, points = [30, 250]", *degrees) == {"cluster.gpus": counts, "batch": (400.0, 4000.0)}


def test_fewer_gpus_than_a_replica_count_as_one() -> None:
    assert axes("mode = weak, points = [2, 8]") == {"cluster.gpus": (2.0, 8.0), "batch": (64.0, 128.0)}


def test_a_bandwidth_grows_in_equal_steps_to_twice_the_runs() -> None:
    """From a quarter of 50 GB/s to 100 GB/s in 11 steps; of 400 GB/s from 20 GB/s."""
    pod = axes("over = cluster.tier.pod.bandwidth")["cluster.tier.pod.bandwidth"]
    assert pod == pytest.approx([12.5e9 + 87.5e9 * i / 11 for i in range(12)], rel=1e-5)
    node = axes("over = cluster.tier.node.bandwidth")["cluster.tier.node.bandwidth"]
    assert node == pytest.approx([20e9 + 880e9 * i / 11 for i in range(12)], rel=1e-5)


def test_a_number_without_a_unit_grows_from_a_quarter_to_twice() -> None:
    passes = axes("over = stack.passes", "stack.passes=0.8")["stack.passes"]
    assert passes == pytest.approx([0.2 + 1.4 * i / 11 for i in range(12)], rel=1e-5)


def test_points_as_a_range() -> None:
    assert axes("over = stack.passes, points = 3..9 step 3") == {"stack.passes": (3.0, 6.0, 9.0)}


def test_settings_of_a_scale() -> None:
    (table,) = scenario_of(PLAN + scale("mode = weak, points = [64, 256]")).tables
    assert {path: value.value for path, value in table.settings.items()} == {
        "mode": "weak", "over": "cluster.gpus", "points": (64.0, 256.0),
    }  # fmt: skip


LINE = PLAN.count("\n") + 2  # of what a block says


@pytest.mark.parametrize("over", ["cluster.gpu", "cluster.gpus / 3", "layout.schedule"])
def test_what_grows_is_a_number(over: str) -> None:
    assert problems_of(PLAN + scale(f"over = {over}")) == [
        Problem(
            "E16", "`over` names a number", Span("case.scn", LINE, 8, 8 + len(over)), "does not grow", (), (),
            "write: over = cluster.gpus, or a bandwidth such as cluster.tier.pod.bandwidth",
        )
    ]  # fmt: skip


def test_a_setting_with_a_unit_needs_points() -> None:
    assert problems_of(PLAN + scale("over = cluster.restart")) == [
        Problem(
            "E13", "a scale over `cluster.restart` needs points", Span("case.scn", LINE, 8, 23), "has none", (),
            ("failure to training again with a spare at hand: detect, swap, reload",),
            "write: points = low..high step …, or a list of values",
        )
    ]  # fmt: skip


def test_a_batch_that_no_replica_shares() -> None:
    """2047 sequences on 32 replicas: 1023.5 on 16 of them."""
    plan = PLAN.replace("batch = 2048", "batch = 2047")
    assert problems_of(plan + scale("mode = weak, points = [64, 256]")) == [
        Problem(
            "E26", "2_047 sequences are no whole number on each of 32 replicas", Span("case.scn", LINE - 1, 7, 14),
            "cannot grow", (), (),
            "give the base run a batch that its data-parallel ranks divide, or write: mode = strong",
        )
    ]  # fmt: skip

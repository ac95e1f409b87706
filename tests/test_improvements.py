"""Changes with which a run meets more of what it should: what is looked at, and what is taken where nothing does."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.improvements import faster, improvements
from engine.inputs import Run
from tests.settings import run

STAGED: dict[str, Any] = {"layout__pipeline": 4, "layout__data": 128}  # 16 micro-batches


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"layout__recompute": "selective"}, [("recompute", "none", 0.5)]),
        ({"layout__recompute": "full"}, [("recompute", "selective", 0.5), ("recompute", "none", 0.5)]),
        (STAGED, [("schedule", f"interleaved(virtual_stages = {v})", 1.0) for v in (2, 3, 4, 5, 6, 8, 10)]),
        (STAGED | {"layout__schedule": "gpipe"}, []),
        ({"layout__pipeline": 2}, [("schedule", f"interleaved(virtual_stages = {v})", 1.0)
                                   for v in (2, 3, 4, 5, 6, 8, 10)]),
    ],
)  # fmt: skip
def test_changes_that_take_memory_for_time(changed: dict[str, Any], expected: list[tuple[str, str, float]]) -> None:
    r = run(**changed)
    found = list(faster(r))
    assert [(c.setting, c.value, c.distance) for c in found] == expected
    for c in found:
        made = c.apply(r).layout
        words = made.recompute.kind if c.setting == "recompute" else (
            f"interleaved(virtual_stages = {made.schedule.virtual_stages})")  # fmt: skip
        assert words == c.value


def shown(made: Run, gap: Callable[[Run], float], limit: int = 3) -> list[tuple[str, tuple[Any, ...]]]:
    found = improvements(made, gap, limit)
    return [(", ".join(f"{c.setting} = {c.value}" for c in a.changes), a.evaluated) for a in found]


def chunks_of(r: Run) -> int:
    return r.layout.schedule.virtual_stages or 0


def test_what_meets_all_is_shown_with_its_gap_of_nothing() -> None:
    """80 layers over 4 stages in 5 chunks."""
    found = shown(run(**STAGED), lambda r: 0.0 if chunks_of(r) == 5 else 1.5, 1)
    assert found == [("schedule = interleaved(virtual_stages = 5)", ("ok", 0.0, None))]


def test_where_nothing_meets_all_the_nearest_is_shown_if_it_is_nearer_than_the_run() -> None:
    """Gaps of 9 less the chunks: with 10 chunks it would be negative, so the distance from 9."""
    assert shown(run(**STAGED), lambda r: 0.5 + abs(9 - chunks_of(r)), 1) == [
        ("schedule = interleaved(virtual_stages = 8)", ("misses", 1.5, None))]  # fmt: skip
    assert shown(run(**STAGED), lambda _: 2.5) == []
    assert shown(run(**STAGED), lambda r: 0.25 if chunks_of(r) == 0 else 2.5) == []


def test_three_are_shown_unless_told_otherwise_and_the_batch_stays() -> None:
    made = run(**STAGED)
    assert len(shown(made, lambda r: float(r is made))) == 3
    assert len(shown(made, lambda r: float(r is made), 2)) == 2
    assert shown(run(batch=2050), lambda r: float(r.batch is not None and r.batch[0] == 2050)) == []


def test_a_run_that_nothing_can_change_has_no_improvement() -> None:
    """Without layers nothing can be built."""
    assert shown(run(model__layers=0), lambda _: 1.0) == []

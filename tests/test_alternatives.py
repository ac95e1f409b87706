"""The nearest layouts that can be built and fit: evaluated themselves, and changing as little as will do."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.alternatives import Evaluated, alternatives, buildable, changes, with_layout
from engine.columns import column
from engine.evaluate import evaluate
from engine.inputs import Run
from engine.layout import resolve
from tests.settings import run


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

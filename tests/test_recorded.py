"""The results of three dozen runs are those that were recorded; what moves one is seen, and read, in a difference."""

from functools import cache

import pytest

from tests.recorded import WHOLE, kept, point, results, rows, runs

RUNS = {run.name: run for run in runs()}
SAY = "python -m tests.recorded records the results of today; read what the difference says before it is kept"


@cache
def recorded() -> dict[str, dict[str, str]]:
    head, *lines = kept("results.csv")
    return {name: {line[0]: line[k] for line in lines} for k, name in enumerate(head) if k}


def test_every_run_is_recorded() -> None:
    assert list(recorded()) == list(RUNS), SAY
    assert sum(own["status"] == "ok" for own in recorded().values()) >= 30


@pytest.mark.parametrize("name", RUNS)
def test_results(name: str) -> None:
    found, before = results(point(RUNS[name])), recorded()[name]
    assert list(found) == list(before), SAY
    moved = {m: f"{before[m]} -> {found[m]}" for m in found if found[m] != before[m]}
    assert not moved, SAY


@pytest.mark.parametrize("name", WHOLE)
def test_tables(name: str) -> None:
    before = [tuple(own) for run, *own in kept("tables.csv")[1:] if run == name]
    found = rows(point(RUNS[name]))
    assert before and [r[:2] for r in found] == [r[:2] for r in before], SAY
    moved = [f"{b} -> {f}" for f, b in zip(found, before, strict=True) if f != b]
    assert not moved, SAY

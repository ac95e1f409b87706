"""Which candidates are evaluated: the nearest, up to a number for each count of changes, in the order of distance."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine import alternatives
from engine.alternatives import Alternative, Change, Evaluated, built, with_layout
from engine.columns import column
from engine.inputs import Run
from tests.settings import run

RUN = run()


def same(r: Run) -> Run:
    return r


def change(setting: str, distance: float) -> Change:
    return Change(setting, "", distance, same)


def ok(_: Run) -> Evaluated:
    return "ok", None, None


def none_fits(_: Run) -> Evaluated:
    return "does_not_fit", None, None


def names(made: list[Alternative], changes: int) -> list[str]:
    """The settings of the alternatives with so many changes, joined."""
    return ["+".join(c.setting for c in a.changes) for a in made if len(a.changes) == changes]


@pytest.mark.parametrize(("limit", "doubles"), [(2, 0), (3, 0), (4, 3)])
def test_two_settings_change_where_one_does_not_give_enough(limit: int, doubles: int) -> None:
    """Three settings have three pairs."""
    made = built(RUN, [change(name, 1.0) for name in "abc"], ok, limit)
    assert names(made, 1) == ["a", "b", "c"] and len(names(made, 2)) == doubles


def test_what_does_not_fit_does_not_count() -> None:
    made = built(RUN, [change(name, 1.0) for name in "abc"], none_fits, 3)
    assert names(made, 2) == ["a+b", "a+c", "b+c"]


def test_32_of_each_number_of_changes_are_evaluated() -> None:
    made = built(RUN, [change(f"s{i}", 40.0 - i) for i in range(40)], none_fits, 3)
    assert names(made, 1) == [f"s{i}" for i in range(39, 7, -1)]
    assert len(names(made, 2)) == 32


def test_all_values_of_one_setting_are_tried_but_two_pairs_of_values() -> None:
    """Two values of a and three of b are six pairs of the same two settings; two values of a are no pair."""
    own = [change("a", 3.0), change("a", 5.0), change("b", 1.0), change("b", 7.0), change("b", 2.0)]
    made = built(RUN, own, none_fits, 3)
    assert names(made, 1) == ["b", "b", "a", "a", "b"]
    assert [(name, a.distance) for name, a in zip(names(made, 2), made[5:], strict=True)] == [("a+b", 4), ("a+b", 5)]


@pytest.mark.parametrize(
    "distances",
    [
        [float(n) for n in range(1, 31)],
        [float(n) for n in range(30, 0, -1)],
        [0.0, *[10.0] * 28, 11.0],
    ],
)
def test_of_many_pairs_the_nearest_400_are_looked_at(distances: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """30 settings are 435 pairs."""
    looked: Iterator[bool] = iter([True] * 430)
    monkeypatch.setattr(alternatives, "buildable", lambda _: next(looked))
    made = built(RUN, [change(str(i), far) for i, far in enumerate(distances)], none_fits, 3)
    pairs = sorted(a + b for i, a in enumerate(distances) for b in distances[i + 1 :])
    assert [a.distance for a in made if len(a.changes) == 2] == pairs[:32]
    assert next(looked, None) is None


def test_idle_gpus_make_a_change_farther() -> None:
    """Data 8 of 12 leaves 32 of 96 GPUs idle, 4/3 of an octave: more than the 1.5 to 0.5 of the other."""
    cluster = run(cluster__gpus=96, batch=2400)
    idle = Change("data", "8", 0.5, lambda r: with_layout(r, data=column(8)))
    made = built(cluster, [idle, change("a", 1.5)], none_fits, 1)
    assert [(c.setting, a.distance) for a in made[:2] for c in a.changes] == [
        ("a", 1.5),
        ("data", pytest.approx(0.5 + 4 / 3, rel=1e-15)),
    ]


def test_what_cannot_be_built_is_not_evaluated() -> None:
    """2,047 sequences are no whole number of the 512 replicas."""
    odd = Change("batch", "2_047", 0.1, lambda r: replace(r, batch=column(2047)))
    assert names(built(RUN, [odd, change("a", 1.0)], ok, 1), 1) == ["a"]

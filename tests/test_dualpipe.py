"""Schedules fed from two sides: the order of every rank, and closed forms by hand."""

import pytest

from engine.columns import column
from engine.schedules import SCHEDULES
from engine.schedules.passes import Pass, StageTimes

DUALPIPE, V = SCHEDULES["dualpipe"], SCHEDULES["dualpipe_v"]


def told(p: Pass) -> str:
    """F1' is chunk 1's forward of micro-batch 1; B1- leaves its weight gradients to W1; F1= overlaps what follows."""
    return f"{p.kind}{p.micro_batch}" + "'" * p.chunk + "-" * p.split + "=" * p.paired


@pytest.mark.parametrize(
    ("stages", "micro_batches", "orders"),
    [
        (2, 4, ["F0 F2' F1 B2' F3'= B0 B3' B1- W1", "F2' F0 F3' B0 F1= B2' B1 B3'- W3'"]),
        (4, 8, [
            "F0 F1 F2 F4' B4'- W4' F5' F3= B5' F6'= B0 B6' F7'= B1 B7' B2- W2 B3- W3",
            "F0 F4' F1 F5' F2 B4' F6'= B0 F3= B5' F7'= B1 B6' B2 B7'- B3- W7' W3",
            "F4' F0 F5' F1 F6' B0 F2= B4' F7'= B1 F3= B5' B2 B6' B3- B7'- W3 W7'",
            "F4' F5' F6' F0 B0- W0 F1 F7'= B1 F2= B4' B2 F3= B5' B3 B6'- W6' B7'- W7'",
        ]),
    ],
)  # fmt: skip
def test_dualpipes_order(stages: int, micro_batches: int, orders: list[str]) -> None:
    """The eight steps of DeepSeek's implementation: F near; F near, far; B W F far; F&B; B F&B far; B; W B; W."""
    found = [DUALPIPE.passes(i, stages, micro_batches) for i in range(stages)]
    assert [" ".join(map(told, own)) for own in found] == orders


@pytest.mark.parametrize(
    ("micro_batches", "orders"),
    [
        (4, ["F0 F1 F2 F0' B0'- W0' F1' F3= B1' F2'= B0 B2' F3'= B1 B3' B2- W2 B3- W3",
             "F0 F0' F1 F1' F2 B0' F2'= B0 F3= B1' F3'= B1 B2' B2 B3'- B3- W3' W3"]),
        (5, ["F0 F1 F2 F0' B0'- W0' F1' F3= B1' F2'= B0 F4= B2' F3'= B1 B3' F4'= B2 B4' B3- W3 B4- W4",
             "F0 F0' F1 F1' F2 B0' F2'= B0 F3= B1' F3'= B1 F4= B2' F4'= B2 B3' B3 B4'- B4- W4' W4"]),
    ],
)  # fmt: skip
def test_the_v_forms_order(micro_batches: int, orders: list[str]) -> None:
    """DualPipe's order of four ranks, folded onto two: both entries are rank 0's."""
    assert [" ".join(map(told, V.passes(i, 2, micro_batches))) for i in range(2)] == orders


@pytest.mark.parametrize(
    ("stages", "micro_batches", "reasons"),
    [
        (4, 8, []),
        (5, 10, ["DualPipe needs an even number of stages"]),
        (4, 9, ["DualPipe needs an even number of micro-batches"]),
        (4, 6, ["DualPipe needs at least two micro-batches a stage"]),
        (3, 5, ["DualPipe needs an even number of stages", "DualPipe needs an even number of micro-batches",
                "DualPipe needs at least two micro-batches a stage"]),
    ],
)  # fmt: skip
def test_what_dualpipe_needs(stages: int, micro_batches: int, reasons: list[str]) -> None:
    assert [r.reason for r in DUALPIPE.rules(stages, column(micro_batches)) if not r.holds.all()] == reasons


@pytest.mark.parametrize(("micro_batches", "holds"), [(7, False), (8, True), (8.5, False), (9, True)])
def test_what_the_v_form_needs(micro_batches: float, holds: bool) -> None:
    assert [bool(r.holds[0]) for r in V.rules(4, column(micro_batches))] == [holds]


def test_where_a_chunk_comes_from() -> None:
    """Chunk 0 goes up the ranks, chunk 1 down them: from the last rank, or after the turn on it."""
    assert [DUALPIPE.upstream(i, 4, 0) for i in range(4)] == [None, (0, 0), (1, 0), (2, 0)]
    assert [DUALPIPE.upstream(i, 4, 1) for i in range(4)] == [(1, 1), (2, 1), (3, 1), None]
    assert [V.upstream(i, 4, 0) for i in range(4)] == [None, (0, 0), (1, 0), (2, 0)]
    assert [V.upstream(i, 4, 1) for i in range(4)] == [(1, 1), (2, 1), (3, 1), (3, 0)]


def test_what_a_rank_holds() -> None:
    assert DUALPIPE.chunk_times([1.0, 2.0, 3.0, 4.0]) == [[1, 4], [2, 3], [3, 2], [4, 1]]
    assert [DUALPIPE.partners(i, 4) for i in range(4)] == [(0, 3), (1, 2), (2, 1), (3, 0)]
    assert V.chunk_times([1.0, 3.0]) == [[0.5, 0.5], [1.5, 1.5]] and V.partners(1, 4) == (1,)
    assert (DUALPIPE.share(), V.share()) == (1.0, 0.5)
    kept = [s.in_flight(0, 4, column([4.0, 4.25, 20.0])).tolist() for s in (DUALPIPE, V)]
    assert kept == [[4.0, 4.25, 5.0], [4.0, 4.25, 4.5]]


def test_idle_over_useful_time() -> None:
    """f 2, b 5, w 1 on six ranks and 12 micro-batches: 2 (2 + 10 - 3)/(12 x 7), and 5 (2 + 10 - 3)/(2 x 12 x 7)."""
    times = column(2.0), column(5.0), column(1.0)
    assert DUALPIPE.bubble(6, column(12), 1, *times)[0] == pytest.approx(2 * 9 / 84, rel=1e-15)
    assert V.bubble(6, column(12), 1, *times)[0] == pytest.approx(5 * 9 / 168, rel=1e-15)
    assert DUALPIPE.bubble(6, column(12))[0] == pytest.approx(2 * 2 / 36, rel=1e-15)  # 1, 2, 1 unless stated


def stage_times(*rows: tuple[float, ...]) -> StageTimes:
    """Forward, backward, weight and pair, each by stage."""
    return StageTimes(*(tuple(map(column, row)) for row in rows))


UNEVEN = stage_times((1, 2, 3, 2), (2, 4, 5, 3), (1, 1, 2, 1), (2.5, 5, 7, 4))


def test_dualpipes_time_by_hand() -> None:
    """Ranks hold stages 0 and 3, 1 and 2: T = max(4, 7), F&B = max(3.25, 6), F&B + b - 3w is 6 at stage 1;
    8 x 7 - (8 - 4 - 1)(7 - 6) + (2 - 1) 6. A send adds [8 x 3/4 + 5] c."""
    assert DUALPIPE.steady(UNEVEN, column(8), 1)[0] == 59.0
    assert DUALPIPE.exposed_sends(UNEVEN, column(8), 1, column(0.5))[0] == 5.5
    assert DUALPIPE.total(UNEVEN, column(8), 1, column(0.5))[0] == 64.5


def test_the_v_forms_time_by_hand() -> None:
    """T = 8, F&B = 7 and F&B + b - 3w = 6: 8 x 8 - (8 - 4 - 1/2)(8 - 7) + 3/2 x 6. A send adds [2 x 8 x 3/4 + 10] c."""
    assert V.steady(UNEVEN, column(8), 1)[0] == 69.5
    assert V.exposed_sends(UNEVEN, column(8), 1, column(0.5))[0] == 11.0
    assert V.total(UNEVEN, column(8), 1, column(0.5))[0] == 80.5
    one = stage_times((1,), (2,))
    assert V.exposed_sends(one, column(8), 1, column(0.5))[0] == 0.0

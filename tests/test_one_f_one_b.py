"""Schedules of one chunk a rank: GPipe, 1F1B and zero-bubble, their orders and closed forms by hand."""

import pytest

from engine.columns import column
from engine.schedules import SCHEDULES, equal_stages, one_f_one_b, passes
from tests.test_dualpipe import stage_times, told

UNEVEN = stage_times((1, 3, 2), (4, 5, 3), (1, 2, 2.5))  # inputs 3, 3 and 0.5; f + b 5, 8 and 5


@pytest.mark.parametrize(
    ("name", "micro_batches", "orders"),
    [
        ("gpipe", 3, ["F0 F1 F2 B0 B1 B2"] * 3),
        ("one_f_one_b", 4, ["F0 F1 F2 B0 F3 B1 B2 B3", "F0 F1 B0 F2 B1 F3 B2 B3", "F0 B0 F1 B1 F2 B2 F3 B3"]),
        ("one_f_one_b", 1, ["F0 B0"] * 3),
        ("zero_bubble", 4, ["F0 F1 F2 B0- W0 F3 B1- W1 B2- W2 B3- W3", "F0 F1 B0- F2 B1- W0 F3 B2- W1 B3- W2 W3",
                            "F0 B0- F1 B1- F2 B2- W0 F3 B3- W1 W2 W3"]),
        ("zero_bubble", 1, ["F0 B0- W0"] * 3),
    ],
)  # fmt: skip
def test_the_order_of_three_ranks(name: str, micro_batches: int, orders: list[str]) -> None:
    assert [" ".join(map(told, SCHEDULES[name].passes(i, 3, micro_batches))) for i in range(3)] == orders


@pytest.mark.parametrize("name", ["gpipe", "one_f_one_b", "zero_bubble"])
def test_a_rank_is_one_stage_after_another(name: str) -> None:
    own = SCHEDULES[name]
    assert [own.upstream(i, 3, 0) for i in range(3)] == [None, (0, 0), (1, 0)]
    assert (own.chunk_times([1.0, 2.0]), own.partners(1, 3), own.share()) == ([[1.0], [2.0]], (1,), 1.0)
    assert [bool(own.rules(3, column(m))[0].holds[0]) for m in (0, 0.5, 1, 1.5, 2)] == [False, False, True, False, True]


@pytest.mark.parametrize(
    ("name", "kept"), [("gpipe", [5, 5, 5]), ("one_f_one_b", [4, 3, 1]), ("zero_bubble", [4, 4, 4])]
)
def test_micro_batches_in_flight_of_four_stages(name: str, kept: list[int]) -> None:
    assert [SCHEDULES[name].in_flight(i, 4, column(5))[0] for i in (0, 1, 3)] == kept
    assert SCHEDULES[name].in_flight(0, 4, column(2))[0] == 2


@pytest.mark.parametrize(
    ("name", "micro_batches", "share"),
    [
        ("gpipe", 8, 3 / 8),
        ("one_f_one_b", 8, 3 / 8),
        ("zero_bubble", 8, 3 * 5 / (8 * 7)),  # f 2, i 4, w 1: max(2 + 3, 4) a stage
        ("zero_bubble", 3, (3 * 5 + 1 * 1) / (3 * 7)),  # one micro-batch short: min(2, 4, 1)
    ],
)
def test_idle_over_useful_time_of_four_stages(name: str, micro_batches: int, share: float) -> None:
    found = SCHEDULES[name].bubble(4, column(micro_batches), 1, column(2.0), column(5.0), column(1.0))
    assert found[0] == pytest.approx(share, rel=1e-15)


def test_input_gradients_longer_than_a_forward_and_what_is_left_of_them() -> None:
    """f 1, i 4, w 2: max(1 + 2, 4); f 1, i 1, w 2: max(1 + 0, 1)."""
    assert SCHEDULES["zero_bubble"].bubble(2, column(4), 1, column(1.0), column([6.0, 3.0]), column(2.0)).tolist() == [
        4 / 28, 1 / 16]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "micro_batches", "seconds"),
    [
        ("gpipe", 4, (5 + 8 + 5) + 3 * (3 + 5)),
        ("one_f_one_b", 4, (5 + 8 + 5) + 3 * 8),
        ("zero_bubble", 4, 4 * (3 + 3 + 2.5) + (3 + 4 + 2) - 2),  # x = max(f + max(0, i - w), i): 3, 4, 2
        ("zero_bubble", 2, 2 * 8.5 + 7 + 1 * 2),  # one micro-batch short: the largest of 1, 2 and 0.5
    ],
)
def test_seconds_of_uneven_stages(name: str, micro_batches: int, seconds: float) -> None:
    own = SCHEDULES[name]
    assert own.steady(UNEVEN, column(micro_batches), 1)[0] == seconds
    sends = own.exposed_sends(UNEVEN, column(micro_batches), 1, column(0.5))[0]
    assert own.total(UNEVEN, column(micro_batches), 1, column(0.5))[0] == seconds + sends


@pytest.mark.parametrize(
    ("micro_batches", "trips"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2), (7, 4), (26, 16)]
)
def test_round_trips_of_three_stages(micro_batches: int, trips: int) -> None:
    """floor((m-1) 2/3)."""
    assert passes.round_trips(3, column(micro_batches))[0] == trips


def test_sends_of_gpipe_hide_but_for_filling_and_draining() -> None:
    assert SCHEDULES["gpipe"].exposed_sends(UNEVEN, column(9), 1, column(0.5))[0] == 2 * 2 * 0.5


@pytest.mark.parametrize(
    ("micro_batches", "send", "seconds"),
    [
        (5, 1.0, 2 * 2 + 0),  # 4 (6.5 - 8) + 2 x 2 is below 0: the slowest stage hides all but the ends
        (5, 4.0, 2 * 8 + 4 * (6.5 - 8) + 8 * 2),
        (9, 4.0, 2 * 8 + 8 * (6 - 8) + 8 * 5),
    ],
)
def test_sends_of_1f1b_go_round_stretches_of_stages(micro_batches: int, send: float, seconds: float) -> None:
    """Stages of 5, 8 and 5 s: stretches of two have a mean of 6.5 s, that of three 6 s; 8 s is the pace."""
    found = SCHEDULES["one_f_one_b"].exposed_sends(UNEVEN, column(micro_batches), 1, column(send))
    assert found[0] == pytest.approx(seconds, rel=1e-14)


def test_every_stretch_of_neighbors_counts_once() -> None:
    a, b = column(1.0), column(2.0)
    for whole, n, counts in (((a, b, a), 2, [(1, 1)]), ((a, a, b), 2, [(1, 1), (2, 0)]), ((a, b, a), 3, [(2, 1)])):
        assert one_f_one_b.stretches(one_f_one_b.stages_ahead(whole), n) == counts
    assert passes.so_often([a, b], [1, 3])[0] == 7 and passes.so_often([a, b], [0, 3])[0] == 6


@pytest.mark.parametrize(
    ("micro_batches", "send", "seconds"),
    [
        (4, 0.25, 2 * 0.25 * (2 + 2)),  # k = floor(3 x 2/3) = 2
        (3, 0.25, 2 * 0.25 * (2 + 1)),
        (7, 0.25, 2 * 0.25 * (2 + 2)),  # k = 4: beyond p - 1 a send under w/2 = 0.5 hides
        (7, 1.5, 2 * 1.5 * (2 + 2) + 2 * 2 * (1.5 - 0.5)),
    ],
)
def test_sends_of_zero_bubble_hide_behind_weight_gradients(micro_batches: int, send: float, seconds: float) -> None:
    found = SCHEDULES["zero_bubble"].exposed_sends(UNEVEN, column(micro_batches), 1, column(send))
    assert found[0] == pytest.approx(seconds, rel=1e-14)


def test_equal_stages_hold_the_same_columns() -> None:
    f, b, w = column(1.0), column(2.0), column(0.5)
    assert equal_stages(3, f, b) == passes.StageTimes((f, f, f), (b, b, b), None)
    own = equal_stages(3, f, b, w)
    assert own.weight == (w, w, w) and own.stages == 3
    assert [float(x[0]) for x in (*own.whole, *own.pairs)] == [3.0] * 6
    assert [float(x[0]) for x in equal_stages(2, f, b).weights] == [1.0, 1.0]


def test_columns_of_stages_are_joined_row_by_row() -> None:
    a, b = column([1.0, 5.0]), column([2.0, 3.0])
    assert passes.largest((a, b, a)).tolist() == [2, 5] and passes.smallest((a, b, a)).tolist() == [1, 3]
    assert passes.added((a, b, a)).tolist() == [4, 13] and passes.added((a, b)).tolist() == [3, 8]

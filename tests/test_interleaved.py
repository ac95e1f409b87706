"""Interleaved 1F1B: the order of every rank, groups of micro-batches, and closed forms by hand."""

import pytest

from engine.columns import column
from engine.schedules import SCHEDULES, interleaved
from engine.schedules.passes import StageTimes
from tests.test_dualpipe import stage_times, told

OWN = SCHEDULES["interleaved"]


@pytest.mark.parametrize(
    ("stages", "micro_batches", "sizes"),
    [(3, 2, [2]), (3, 5, [5]), (3, 6, [3, 3]), (3, 7, [4, 3]), (3, 8, [4, 4]), (2, 7, [3, 2, 2])],
)
def test_groups_are_nearly_equal_and_none_is_shorter_than_the_pipe(stages: int, micro_batches: int,
                                                                   sizes: list[int]) -> None:  # fmt: skip
    found = interleaved.groups(stages, micro_batches)
    assert [len(part) for part in found] == sizes
    assert [i for part in found for i in part] == list(range(micro_batches))


@pytest.mark.parametrize(
    ("micro_batches", "orders"),
    [
        (2, ["F0 F1 F0' F1' B0' B1' B0 B1", "F0 F1 F0' B0' F1' B1' B0 B1"]),
        (5, ["F0 F1 F2 F0' F1' F2' B0' F3 B1' F4 B2' F3' B0 F4' B1 B2 B3' B4' B3 B4",
             "F0 F1 F2 F0' B0' F1' B1' F2' B2' F3 B0 F4 B1 F3' B2 F4' B3' B4' B3 B4"]),
    ],
)  # fmt: skip
def test_the_order_of_two_ranks_with_two_chunks(micro_batches: int, orders: list[str]) -> None:
    """Five go in groups of three and two: 2(p-i-1) + (v-1) 3 forwards, then one of each in turn."""
    assert [" ".join(map(told, OWN.passes(i, 2, micro_batches, 2))) for i in range(2)] == orders


def test_later_chunks_of_the_first_rank_follow_the_last_rank() -> None:
    found = [[OWN.upstream(i, 3, chunk) for i in range(3)] for chunk in range(3)]
    assert found == [[None, (0, 0), (1, 0)], [(2, 0), (0, 1), (1, 1)], [(2, 1), (0, 2), (1, 2)]]


def test_what_a_chunk_is() -> None:
    assert OWN.chunk_times([3.0, 6.0], 3) == [[1, 1, 1], [2, 2, 2]]
    assert (OWN.share(4), OWN.partners(2, 4)) == (0.25, (2,))


@pytest.mark.parametrize(
    ("stages", "micro_batches", "virtual", "holds"),
    [(2, 1, 2, [True, True]), (1, 1, 2, [True, False]), (2, 1, 1, [True, False]), (2, 0, 2, [False, True]),
     (2, 1.5, 2, [False, True])],
)  # fmt: skip
def test_what_it_needs(stages: int, micro_batches: float, virtual: int, holds: list[bool]) -> None:
    rules = OWN.rules(stages, column(micro_batches), virtual)
    assert [bool(r.holds[0]) for r in rules] == holds
    assert [r.reason for r in rules] == ["needs at least one whole micro-batch",
                                         "interleaving needs at least two stages and two virtual stages"]  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "micro_batches", "chunks"),
    [(0, 8, 6 + 8 + 1), (0, 9, 6 + 2 * 5 + 1), (2, 9, 2 + 2 * 5 + 1), (0, 6, 18), (3, 6, 2 * 6 + 1), (0, 2, 6)],
)
def test_chunks_in_flight(stage: int, micro_batches: int, chunks: int) -> None:
    """min(m v, 2(p-i-1) + (v-1) g + 1) of p = 4, v = 3: groups of 4, of 5, of all 6 and of all 2."""
    assert OWN.in_flight(stage, 4, column(micro_batches), 3)[0] == pytest.approx(chunks / 3, rel=1e-15)


def test_a_bubble_of_fewer_micro_batches_than_stages_waits_for_each_chunk() -> None:
    """p = 4, v = 3: 3/(3 x 8), 3/(3 x 4), and (3 + 2 x 2)/(3 x 2)."""
    assert OWN.bubble(4, column([8.0, 4.0, 2.0]), 3).tolist() == [3 / 24, 3 / 12, 7 / 6]


@pytest.mark.parametrize(
    ("micro_batches", "seconds"),
    [
        (4, (max(3, 8) + 3 + 3 * 2 + max(8, 20) + 8 + 3 * 5) / 2),
        (1, (max(3, 2) + 3 + 0 + max(8, 5) + 8 + 0) / 2),
    ],
)
def test_seconds_of_uneven_stages(micro_batches: int, seconds: float) -> None:
    """Forwards of 1 and 2, backwards of 3 and 5, two chunks."""
    assert OWN.steady(stage_times((1, 2), (3, 5)), column(micro_batches), 2)[0] == seconds


TWO, THREE = stage_times((1, 2), (3, 5)), stage_times((3, 4, 6), (9, 6, 12))


@pytest.mark.parametrize(
    ("times", "micro_batches", "virtual", "send", "seconds"),
    [
        (TWO, 4, 2, 0.4, 2 * 0.4 + 2 * 2 * 0.4),  # 2 (p v - 1) c where p divides m
        (TWO, 5, 2, 0.4, 2 * 0.4 + (2 * 0.4 - 1 * 0.5) + 2 * 0.4),  # groups of 3 and 2: one forward hides a part
        (TWO, 5, 2, 0.2, 2 * 0.2 + 0 + 2 * 0.2),
        (TWO, 5, 2, 2.0, 2 * 2 + (4 - 0.5) + 4 + 3 * ((2 - 0.5) + (2 - 1))),  # longer than a chunk's forward
        (TWO, 1, 2, 2.0, 2 * 2 + 4 + 4),
        (THREE, 5, 3, 1.5, 4 * 1.5 + 2 * ((4.5 - 2 * 1) + (4.5 - 2 * 2) + 2 * (0.5 + 0.0))),  # one group of 5
    ],
)
def test_seconds_of_sends(times: StageTimes, micro_batches: int, virtual: int, send: float, seconds: float) -> None:
    found = OWN.exposed_sends(times, column(micro_batches), virtual, column(send))
    assert found[0] == pytest.approx(seconds, rel=1e-14)
    whole = OWN.steady(times, column(micro_batches), virtual)[0] + found[0]
    assert OWN.total(times, column(micro_batches), virtual, column(send))[0] == whole

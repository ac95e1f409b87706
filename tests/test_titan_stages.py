"""TorchTitan's pipelines: layers of virtual stages and of ranks, and the split that puts them there."""

import pytest

from dsl.importers.titan_stages import Split, chunks, on_ranks, split_of, usual_stages


@pytest.mark.parametrize(
    ("layers", "count", "first", "last", "sizes"),
    [
        (32, 4, 1, 1, [8, 9, 8, 7]), (32, 4, 0, 0, [8, 8, 8, 8]), (30, 4, 2, 0, [6, 8, 8, 8]),
        (30, 4, 0, 2, [8, 8, 8, 6]), (31, 3, 0, 0, [11, 10, 10]), (8, 2, 0, 0, [4, 4]), (8, 1, 0, 0, None),
        (3, 3, 0, 0, [1, 1, 1]), (2, 3, 0, 0, None), (2, 2, 1, 1, [1, 1]),
        (4, 2, 4, 0, [0, 4]), (4, 2, 5, 0, None), (4, 2, 0, 4, [4, 0]), (4, 2, 0, 5, None),
    ],
)  # fmt: skip
def test_layers_of_virtual_stages(layers: int, count: int, first: int, last: int, sizes: list[int] | None) -> None:
    """(L + a + b)/n each, the first of them one more; a less on the first, b less on the last."""
    assert chunks(layers, count, first, last) == sizes


def test_ranks_of_virtual_stages() -> None:
    assert on_ranks([1, 2, 3, 4, 5, 6], 3, folded=False) == [1 + 4, 2 + 5, 3 + 6]
    assert on_ranks([1, 2, 3, 4, 5, 6], 3, folded=True) == [1 + 6, 2 + 5, 3 + 4]


def test_schedules_of_one_stage_a_rank() -> None:
    names = ("1F1B", "GPipe", "Interleaved1F1B", "ZBVZeroBubble")
    assert [usual_stages(schedule) for schedule in names] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("ranks", "virtual", "schedule", "found"),
    [
        ([8, 8, 8, 8], 1, "1F1B", Split(0, 0, 8)),
        ([8, 9, 8, 7], 1, "1F1B", Split(1, 1, 9)),
        ([7, 8, 8, 8], 1, "1F1B", Split(1, 0, 8)),  # no usual split
        ([8, 8, 8, 7], 1, "1F1B", Split(0, 0, 8)),
        ([6, 8, 8, 8], 1, "1F1B", Split(2, 0, 8)),
        ([8, 8, 8, 6], 1, "1F1B", Split(0, 1, 8)),  # 31 over 4 are 8, 8, 8, 7
        ([5, 5], 2, "Interleaved1F1B", Split(0, 0, 3)),  # 3, 3, 2, 2
        ([6, 5], 2, "Interleaved1F1B", Split(0, 0, 3)),  # 3, 3, 3, 2
        ([4, 6], 2, "ZBVZeroBubble", Split(1, 1, 3)),  # 2, 3, 3, 2, the last on the first rank
        ([12, 12], 3, "Interleaved1F1B", Split(0, 0, 4)),
        ([2, 8], 1, "1F1B", Split(6, 0, 8)), ([9, 3], 1, "1F1B", Split(0, 5, 9)),
        ([1, 9], 1, "1F1B", None),  # it would take 8 on the first, more than a stage and one
        ([8], 1, "1F1B", None),
    ],
)  # fmt: skip
def test_the_split_that_puts_layers_on_ranks(
    ranks: list[int], virtual: int, schedule: str, found: Split | None
) -> None:
    assert split_of(ranks, virtual, schedule) == found


def test_layers_of_a_stage_that_do_not_say_how_many_stages_there_are() -> None:
    """8 and 10 over six stages are 2 a stage, which make four and five; 8 + 2 + 2 make six of them."""
    assert split_of([4, 4], 3, "Interleaved1F1B") == Split(2, 2, 2)

"""Layers over stages: nothing lost, nothing silent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.stages import assign, chunk_layers


def test_126_layers_over_16_stages_count_embedding_and_head() -> None:
    assert chunk_layers(126, 16, "balanced") == (7, *(8,) * 14, 7)


def test_126_layers_over_16_by_8_chunks() -> None:
    stages = assign(126, 16, 8, "balanced", None)
    assert [s.layers for s in stages] == [7, *[8] * 14, 7]
    assert len(stages[0].chunks[0]) == 0 and len(stages[-1].chunks[-1]) == 0
    assert [list(c) for c in stages[1].chunks] == [[16 * v] for v in range(8)]


def test_a_module_after_the_head_counts_as_a_layer_and_a_head() -> None:
    """DeepSeek-V3's 61 layers and one multi-token-prediction module over 16 stages: 65 places."""
    sizes = chunk_layers(61, 16, "balanced", 1)
    assert sum(sizes) == 61 and sizes[0] == 4 and sizes[-1] == 1 and max(sizes) == 4


def test_layers_that_divide_are_equal() -> None:
    assert [s.layers for s in assign(80, 4, 5, "balanced", None)] == [20] * 4


def test_even_split_leaves_the_rest_after_the_first() -> None:
    assert chunk_layers(10, 4, "even") == (2, 3, 3, 2)


def test_stated_stages() -> None:
    assert [s.layers for s in assign(10, 2, 1, "balanced", (4, 6))] == [4, 6]


@given(
    st.integers(1, 200),
    st.sampled_from([1, 2, 3, 4, 5, 8, 16]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from(["balanced", "even"]),
)
def test_no_layer_is_lost(layers: int, pipeline: int, virtual_stages: int, split: str) -> None:
    layers = max(layers, pipeline * virtual_stages)  # more chunks than layers is refused by validity
    stages = assign(layers, pipeline, virtual_stages, split, None)
    assert sum(s.layers for s in stages) == layers
    assert stages[0].first and stages[-1].last


@pytest.mark.parametrize(
    ("layers", "chunks", "split", "tail", "sizes"),
    [
        (10, 4, "balanced", 0, (2, 3, 3, 2)),  # 12 places
        (11, 4, "balanced", 0, (3, 3, 3, 2)),  # 13, the one left over to the first
        (9, 4, "even", 0, (2, 3, 2, 2)),
        (11, 4, "even", 0, (2, 3, 3, 3)),
        (8, 4, "even", 1, (2, 2, 2, 2)),
        (7, 1, "balanced", 1, (7,)),
        (5, 2, "balanced", 0, (3, 2)),
        (10, 4, "balanced", 1, (3, 4, 3, 0)),  # head and module are 3 places
        (10, 4, "balanced", 2, (3, 4, 3, 0)),  # 5 places, the last has 4: one layer less before it
        (10, 4, "balanced", 4, (3, 4, 3, 0)),  # 9 places: 4 too many, taken over from the last backwards
        (6, 4, "balanced", 0, (1, 2, 2, 1)),
        (2, 4, "balanced", 0, (0, 1, 1, 0)),
    ],
)
def test_layers_of_every_chunk(layers: int, chunks: int, split: str, tail: int, sizes: tuple[int, ...]) -> None:
    assert chunk_layers(layers, chunks, split, tail) == sizes


def test_chunks_of_stages_alternate() -> None:
    """Nine layers over 2 stages of 2 chunks, even: 2, 3, 2, 2; stated 4 and 5: two chunks of 2, and of 2 and 3."""
    first, last = assign(9, 2, 2, "even", None)
    assert (first.chunks, last.chunks) == ((range(2), range(5, 7)), (range(2, 5), range(7, 9)))
    assert ((first.index, first.first, first.last), (last.index, last.first, last.last)) == (
        (0, True, False), (1, False, True))  # fmt: skip
    stated = assign(9, 2, 2, "balanced", (4, 5))
    assert [s.chunks for s in stated] == [(range(2), range(4, 6)), (range(2, 4), range(6, 9))]
    assert last.count("aabbbabba", "a") == 1 and last.count("aabbbabba", "b") == 4

"""Layers over stages: nothing lost, nothing silent."""

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

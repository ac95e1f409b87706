"""Rules of thumb by their authors' equations, and bf16 by its bits."""

import pytest

from engine.columns import column
from engine.rules_of_thumb import activations_34, bf16, bf16_spacing, layer_activations


def test_activations_are_34_bytes_a_token_unit_and_layer() -> None:
    assert activations_34(column(3), column(5), column(7))[0] == 34 * 3 * 5 * 7


@pytest.mark.parametrize(
    ("tensor", "each"), [(1, 34 + 5 * 7 * 110 / 11), (2, 10 + 12 + 5 * 7 * 110 / 22), (8, 10 + 3 + 5 * 7 * 110 / 88)]
)
def test_a_layer_of_7_heads_and_110_tokens(tensor: int, each: float) -> None:
    """s b h (10 + 24/t + 5 a s/(h t)) with h = 11 and 13 tokens."""
    found = layer_activations(column(13), column(11), column(7), column(110), column(tensor))
    assert found[0] == pytest.approx(13 * 11 * each, rel=1e-14)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (1 + 1 / 256, 1.0),  # a tie goes to the even neighbor: down
        (1 + 3 / 256, 1 + 4 / 256),  # and up
        (1 + 1 / 256 + 2**-20, 1 + 2 / 256),
        (1 + 1 / 256 - 2**-20, 1.0),
        (-(1 + 3 / 256), -(1 + 4 / 256)),
        (2.0 - 2**-10, 2.0),  # into the next power of two
        (0.0, 0.0),
        (1 / 3, 0.333984375),
    ],
)
def test_bf16_rounds_to_the_nearest_even(value: float, rounded: float) -> None:
    """7 bits after the leading one: neighbors of 1 are 1/128 apart."""
    assert bf16(column(value))[0] == rounded
    assert bf16_spacing() == 1 / 128

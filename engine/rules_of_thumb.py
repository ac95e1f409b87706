"""Rules of thumb that reports show beside the exact counts, each by its author's name.

Symbols: s tokens of a sequence, b sequences, h hidden, L layers, a heads, t tensor degree, N parameters.
"""

import numpy as np

from engine.columns import Column

BYTES_PER_ELEMENT = 34.0  # per token and unit of width, a GPT layer with flash attention
BF16_FRACTION = 7  # bits after the leading one


def activations_34(tokens: Column, hidden: Column, layers: Column) -> Column:
    """Activation bytes by the 34-byte rule: 34 s h L; says nothing of gated MLPs or grouped queries.

    Source: Korthikanti et al. 2022 eq. 1 without the score term, which a flash kernel does not keep.
    """
    return BYTES_PER_ELEMENT * tokens * hidden * layers


def layer_activations(tokens: Column, hidden: Column, heads: Column, sequence: Column, tensor: Column) -> Column:
    """Activation bytes of one GPT layer under tensor parallelism: s b h (10 + 24/t + 5 a s/(h t)).

    Source: Korthikanti et al. 2022 eq. 2; t = 1 gives s b h (34 + 5 a s/h).
    """
    return tokens * hidden * (10.0 + 24.0 / tensor + 5.0 * heads * sequence / (hidden * tensor))


def bf16(value: Column) -> Column:
    """``value`` rounded to bf16 (nearest even): why master weights stay in fp32."""
    bits = value.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return rounded.astype(np.uint32).view(np.float32).astype(np.float64)


def bf16_spacing() -> float:
    """Distance between bf16 neighbors just above 1: 2^-7."""
    return float(2.0**-BF16_FRACTION)

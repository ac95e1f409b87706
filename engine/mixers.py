"""Mixers: blocks that mix tokens by a scan in place of attention. Their widths and exact parameter counts.

Symbols
  h  hidden size        H  heads        di  inner size (H P, v heads times their dimension)    s  state size
  g  groups             P  head size    r   rank of the step-size projection (mamba1)          c  taps
  Dk, Dv  widths of the keys and of the values of a delta rule; Hv its value heads, dv their dimension

Sources: Mamba 2023 section 3, Mamba-2 2024 section 7, Gated DeltaNet 2024 section 3, MiniMax-01 2025 section 2.2; the
counts are those of the released weights (tests/data/oracle.json).
"""

from dataclasses import dataclass

from engine.columns import ONE, ZERO, Column
from engine.dimensions import given
from engine.model_inputs import Mixer


@dataclass(frozen=True)
class Widths:
    """A mixer's widths in elements a token, and its state in elements a sequence."""

    entry: Column  # output width of the projection from h
    inner: Column  # input width of the projection back to h
    small: Column  # elements of the small inner matrices (mamba1's step sizes, B and C)
    convolved: Column  # channels of the short convolution
    scanned: Column  # elements the scan reads and writes
    state: Column  # elements of the state of one sequence
    heads: Column
    vectors: Column  # parameters that multiply nothing


def widths(mixer: Mixer) -> Widths:
    """The widths of a mixer by its kind."""
    return {"mamba1": _mamba1, "mamba2": _mamba2, "delta": _delta, "lightning": _lightning}[mixer.kind](mixer)


def mixer_parameters(mixer: Mixer, hidden: Column) -> tuple[Column, Column]:
    """Matrices h (entry + inner) + small, and vectors."""
    w = widths(mixer)
    return hidden * (w.entry + w.inner) + w.small, w.vectors


def _mamba1(m: Mixer) -> Widths:
    """Matrices 2 h di + di (r + 2s) + r di + di h; vectors (c+1) di + di s + 2 di + r + 2s (norms on step, B and C)."""
    inner, state, rank = given(m.inner, ZERO), given(m.state, ZERO), given(m.rank, ZERO)
    small = inner * (rank + 2 * state) + rank * inner
    vectors = (m.convolution + 1) * inner + inner * state + 2 * inner + rank + 2 * state
    return Widths(2 * inner, inner, small, inner, 4 * inner + 2 * state, inner * state, ONE, vectors)


def _mamba2(m: Mixer) -> Widths:
    """Matrices h (2 di + 2 g s + H) + di h; vectors (c+1)(di + 2 g s) + 3 H + di."""
    heads, state = given(m.heads, ZERO), given(m.state, ZERO)
    inner, shared = heads * given(m.head, ZERO), m.groups * state
    convolved = inner + 2 * shared
    vectors = (m.convolution + 1) * convolved + 3 * heads + inner
    scanned = 2 * inner + 2 * shared + heads
    return Widths(2 * inner + 2 * shared + heads, inner, ZERO, convolved, scanned, inner * state, heads, vectors)


def _delta(m: Mixer) -> Widths:
    """Matrices h (2 Dk + 2 Dv + 2 Hv) + Dv h; vectors c (2 Dk + Dv) + 2 Hv + dv."""
    heads, head, key = given(m.heads, ZERO), given(m.head, ZERO), given(m.key_head, ZERO)
    keys, values = given(m.key_heads, heads) * key, heads * head
    vectors = m.convolution * (2 * keys + values) + 2 * heads + head
    scanned = 2 * keys + 2 * values + 2 * heads
    return Widths(2 * keys + 2 * values + 2 * heads, values, ZERO, 2 * keys + values, scanned, values * key, heads,
                  vectors)  # fmt: skip


def _lightning(m: Mixer) -> Widths:
    """Matrices 5 h a d (query, key, value, gate, output); vectors a d (the norm after the scan)."""
    heads, head = given(m.heads, ZERO), given(m.head, ZERO)
    wide = heads * head
    return Widths(4 * wide, wide, ZERO, ZERO, 4 * wide, wide * head, heads, wide)

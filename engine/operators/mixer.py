"""The mixer block of a hybrid layer: norm, projection in, short convolution, scan, projection out, residual.

Time is that of the GEMMs and of the bytes that the convolution and the scan move; the scan's own arithmetic is left out
(one to two percent of a layer's FLOPs). How fast a scan really runs depends on its kernel: low confidence.
Symbols: T tokens of a micro-batch on one rank; h hidden; entry, inner, scanned widths of engine/mixers.py; S elements
of a sequence's state; Q tokens of a chunk; tp tensor degree (heads are split over it); w bytes of an element.
"""

import numpy as np

from engine.columns import ZERO, Column, column
from engine.inputs import Mixer, Run
from engine.layout import Degrees
from engine.mixers import Widths, widths
from engine.operators.tensor_parallel import enter, enter_back, leave, leave_back
from engine.operators.work import ELEMENT, Block, Collective, Gemm, Kept, Traffic, Work, linear

SINGLE = 4.0  # bytes of a state's element
FORWARD, BACKWARD = 3.0, 5.0  # passes: what is read and written once, and once more with the gradients


def mixer(run: Run, d: Degrees, gradient: Column) -> Block:
    """Work and kept tensors of one mixer block of one micro-batch on one rank.

    Scan bytes: T (scanned w + 4 S/Q)/tp: its operands, and the states that a chunked scan keeps between chunks (none
    in mamba1, whose kernel computes them again). Source: Mamba-2 2024 section 6, Mamba 2023 section 3.3.
    """
    model = run.model
    assert model.hidden is not None and model.mixer is not None
    h, t, w = model.hidden, d.tokens, widths(model.mixer)
    split = d.tp if d.sequence_parallel else column(1.0)
    rows = t * h * ELEMENT
    entry, entry_back = linear("mixer_in", t, w.entry / d.tp, h, run.states.weights, gradient)
    out, out_back = linear("mixer_out", t, h, w.inner / d.tp, run.states.weights, gradient)
    inner, inner_back = _inner(run, d, w, gradient)
    convolved, scanned = t * w.convolved / d.tp * ELEMENT, _scan_bytes(model.mixer, d, w)
    forward: list[Work] = [Traffic("norm", rows / split, 3), *enter(d, "mixer", rows), entry]
    forward += [Traffic("convolution", convolved, FORWARD), *inner, *_states(d, w, 1.0)]
    forward += [Traffic("scan", scanned, FORWARD), out, *leave(d, "mixer", rows), Traffic("residual", rows / split, 2)]
    backward: list[Work] = [Traffic("residual", rows / split, 3), *leave_back(d, "mixer", rows), *out_back]
    backward += [*_states(d, w, 1.0), Traffic("scan", scanned, BACKWARD), *inner_back]
    backward += [Traffic("convolution", convolved, BACKWARD), *entry_back, *enter_back(d, "mixer", "mixer_in", rows)]
    backward.append(Traffic("norm", rows / split, 5))
    return Block("mixer", tuple(forward), tuple(backward), _keeps(model.mixer, d, w, rows / split))


def _scan_bytes(kind: Mixer, d: Degrees, w: Widths) -> Column:
    """Bytes of one pass of the scan on one rank."""
    between = ZERO if kind.kind == "mamba1" else SINGLE * w.state / kind.chunk
    return d.tokens * (w.scanned * ELEMENT + between) / d.tp


def _inner(run: Run, d: Degrees, w: Widths, gradient: Column) -> tuple[list[Gemm], list[Gemm]]:
    """Mamba's small matrices for step sizes, B and C: half of them read the inner size, as one GEMM of that shape."""
    if np.all(w.small == 0):
        return [], []
    gemm, back = linear("mixer_inner", d.tokens, w.small / w.inner, w.inner / d.tp, run.states.weights, gradient)
    return [gemm], list(back)


def _states(d: Degrees, w: Widths, share: float) -> list[Work]:
    """With context parallelism a rank needs the state before its tokens: 4 S/tp bytes a sequence, from each rank."""
    sequences = d.tokens * d.cp / d.sequence
    return [Collective("mixer states", "all_gather", d.cp * sequences * SINGLE * w.state / d.tp * share, "context")]


def _keeps(kind: Mixer, d: Degrees, w: Widths, rows: Column) -> tuple[Kept, ...]:
    """Block input, norm output, what the projection gave, what was convolved, the scan's result, states of chunks."""
    t = d.tokens / d.tp
    kept = [
        Kept("residual", "block input", rows),
        Kept("norm", "norm output", rows),
        Kept("mixer_in", "projected", t * w.entry * ELEMENT),
        Kept("convolution", "convolved", t * w.convolved * ELEMENT),
        Kept("scan", "scan output", t * w.inner * ELEMENT),
    ]
    if kind.kind != "mamba1":
        kept.append(Kept("scan", "states of chunks", t * SINGLE * w.state / kind.chunk))
    return tuple(kept)

"""A multi-token-prediction module: a projection of 2 h to h, one more layer of the model's last kind, one more head.

It stands on the last stage beside the head; embedding and head matrix are shared with the model.
Symbols: T tokens of a micro-batch on one rank; h hidden; tp tensor degree; w bytes of an element.
Source: DeepSeek-V3 2024 section 2.2; in Megatron-Core the projection is split over tensor ranks and gathered.
"""

from engine.columns import Column, column
from engine.inputs import Run
from engine.layout import Degrees
from engine.operators.embedding import embedding
from engine.operators.head import head
from engine.operators.work import ELEMENT, Block, Collective, Kept, Traffic, Work, linear

NORMS = 2  # of the embedding and of the hidden state, before they are joined


def prediction(run: Run, d: Degrees, layer: tuple[Block, ...], gradient: Column) -> tuple[Block, Block]:
    """The module's own layer with its projection, which recomputation may drop, and its pass through the head."""
    assert run.model.hidden is not None
    h, t = run.model.hidden, d.tokens
    split = d.tp if d.sequence_parallel else column(1.0)
    rows = t * h * ELEMENT
    lookup, joined = embedding(run, d), Traffic("norm", rows / split * NORMS, 3)
    gemm, back = linear("projection", t, h / d.tp, 2 * h, run.states.weights, gradient)
    gathered = Collective("projection gather", "all_gather", rows, "tensor")
    forward: list[Work] = [*lookup.forward, joined, gemm, gathered]
    backward: list[Work] = [*back, Traffic("norm", rows / split * NORMS, 5), *lookup.backward]
    kept = [
        Kept("residual", "block input", rows / split),
        Kept("norm", "joined embedding and hidden state", 2 * rows / split),
    ]
    for block in layer:
        forward += block.forward
        kept += block.keeps
    for block in layer:
        backward = [*block.backward, *backward]
    last = head(run, d, gradient)
    return Block("mtp", tuple(forward), tuple(backward), tuple(kept)), Block(
        "mtp", last.forward, last.backward, last.keeps
    )

"""The embedding on the first stage: a table lookup, and its gradient.

Symbols: T tokens of a micro-batch on one rank; h hidden; tp tensor degree; w bytes of an element.
"""

from engine.columns import column
from engine.dimensions import shape
from engine.inputs import Run
from engine.layout import Degrees
from engine.operators.head import narrowed
from engine.operators.work import ELEMENT, Block, Collective, Kept, Traffic, Work
from engine.states import accumulated_bytes


def embedding(run: Run, d: Degrees) -> Block:
    """Work of the lookup: read rows and write them (2 passes), the backward adds into the table (3 passes).

    A vocabulary split over tensor ranks is summed: reduce-scatter with sequence parallelism, all-reduce without.
    Source: Shoeybi et al. 2019 section 3 (vocabulary split); counted.
    """
    assert run.model.hidden is not None
    rows = d.tokens * run.model.hidden * ELEMENT
    split = d.tp if d.sequence_parallel else column(1.0)
    kind, back = ("reduce_scatter", "all_gather") if d.sequence_parallel else ("all_reduce", None)
    forward: list[Work] = [Traffic("embedding", rows, 2), Collective("embedding sum", kind, rows, "tensor")]
    backward: list[Work] = [Collective("embedding sum", back, rows, "tensor")] if back else []
    backward.append(Traffic("embedding", rows, 3))
    wider, wider_back = narrowed(run, d.tokens, run.model.hidden, shape(run.model).embedding, accumulated_bytes(run))
    forward, backward = [*forward, *wider], [*wider_back, *backward]
    kept = (Kept("embedding", "dropout mask", rows / split / ELEMENT),) if run.model.dropout else ()
    return Block("embedding", tuple(forward), tuple(backward), kept)

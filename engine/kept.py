"""Tensors that a layer keeps for its backward pass, what recomputation frees of them.

Source: Korthikanti et al. 2022 sections 4 and 5.
"""

from engine.alternate import kept_share
from engine.columns import ZERO, Column
from engine.operators.work import Block, Kept


def layer_bytes(blocks: tuple[Block, ...], ops: tuple[str, ...]) -> Column:
    """Bytes a layer keeps when ``ops`` are recomputed; with all of them, its input alone (/tp under sequence
    parallelism).
    """
    if "all" in ops:
        return blocks[0].keeps[0].bytes
    result = ZERO
    for block in blocks:
        for kept in block.keeps:
            if not _freed(kept, block.name, ops):
                result = result + kept.bytes * kept_share(kept, ops)
    return result


def _freed(kept: Kept, block: str, ops: tuple[str, ...]) -> bool:
    return kept.op in ops or f"{block} {kept.tensor}" in ops or (block in ops and kept.tensor != "block input")

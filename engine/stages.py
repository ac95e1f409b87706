"""Which layers stand on which pipeline stage.

Symbols: L layers, p stages, v chunks per stage (virtual stages). Chunk c = 0 … pv-1 stands on stage c mod p, in
the order of the model. The embedding stands before chunk 0, the head and the loss after the last chunk.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise


@dataclass(frozen=True)
class Stage:
    """The layers of one stage, chunk by chunk as they stand in the model, and whether it holds embedding or head."""

    index: int
    chunks: tuple[range, ...]
    first: bool
    last: bool

    @property
    def layers(self) -> int:
        return sum(len(chunk) for chunk in self.chunks)

    def count(self, kinds: Sequence[object], kind: object) -> int:
        """Layers of one kind on this stage; ``kinds`` lists the kind of every layer of the model."""
        counted: dict[int, tuple[Sequence[object], Counter[object]]] = self.__dict__.setdefault("_counted", {})
        if id(kinds) not in counted:
            counted[id(kinds)] = kinds, Counter(kinds[i] for chunk in self.chunks for i in chunk)
        return counted[id(kinds)][1][kind]


def chunk_layers(layers: int, chunks: int, split: str, tail: int = 0) -> tuple[int, ...]:
    """Layers of each chunk.

    Where the layers divide and no module stands after the head, every chunk gets L/(pv). Else ``balanced`` counts the
    embedding and the head as one layer each (126 over 16 is 7 + 14 x 8 + 7), and every multi-token-prediction module of
    ``tail`` as a layer and a head; ``even`` does not. What is left over goes
    to the first chunks (``even``: to those after the first).
    Source: Megatron-Core's account-for-embedding and account-for-loss options; Llama 3 paper section 3.3.2.
    """
    if layers % chunks == 0 and not tail:
        return (layers // chunks,) * chunks
    first, last = (1, 1 + 2 * tail) if split == "balanced" and chunks > 1 else (0, 0)
    base, rest = divmod(layers + first + last, chunks)
    sizes = [base] * chunks
    for i in range(rest):
        sizes[(i if first else 1 + i) % chunks] += 1  # an embedding takes less time than the layer it counts as
    sizes[0] -= first
    short = max(last - sizes[-1], 0)  # more than a chunk's worth stands after the last layer: the others take it over
    sizes[-1] = max(sizes[-1] - last, 0)
    for i in range(short):
        sizes[-2 - i % (chunks - 1)] -= 1
    return tuple(max(s, 0) for s in sizes)


@cache
def assign(
    layers: int, pipeline: int, virtual_stages: int, split: str, stated: tuple[int, ...] | None, tail: int = 0
) -> tuple[Stage, ...]:
    """The stages of a pipeline; ``stated`` gives the layers of each stage instead of ``split``, ``tail`` counts the
    multi-token-prediction modules after the head."""
    if stated is None:
        sizes = chunk_layers(layers, pipeline * virtual_stages, split, tail)
    else:
        each = [chunk_layers(n, virtual_stages, "even") for n in stated]
        sizes = tuple(each[i % pipeline][i // pipeline] for i in range(pipeline * virtual_stages))
    starts = [0, *accumulate(sizes)]
    chunks = [range(a, b) for a, b in pairwise(starts)]
    return tuple(Stage(i, tuple(chunks[i::pipeline]), i == 0, i == pipeline - 1) for i in range(pipeline))

"""Which layers TorchTitan puts on each rank of a pipeline, and the names of its schedules.

Legend: L layers, n virtual stages, a and b layers that the embedding and the head count as.
  each virtual stage has (L + a + b)/n, the first (L + a + b) mod n of them one more; the first a, the last b less
  k layers a stage are stated: n = ceil((L + a + b)/k); else two a rank, one where a schedule has a single stage
  virtual stage i stands on rank i mod p, of schedules shaped like a V also on rank 2p - 1 - i
Source: torchtitan/distributed/pipeline_parallel.py of pytorch/torchtitan; schedules: torch.distributed.pipelining.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import NamedTuple

SCHEDULES = {
    "GPipe": "gpipe",
    "1F1B": "one_f_one_b",
    "Interleaved1F1B": "interleaved",
    "InterleavedZeroBubble": "zero_bubble",
    "ZBVZeroBubble": "zero_bubble",
    "DualPipeV": "dualpipe_v",
}
SINGLE = ("gpipe", "1f1b")
FOLDED = ("zbvzerobubble", "dualpipev")
USUAL = ((0, 0), (1, 1))


class Split(NamedTuple):
    """Layers that the embedding and the head count as, and the layers of a virtual stage, which says how many."""

    first: int
    last: int
    each: int


def chunks(layers: int, count: int, first: int, last: int) -> list[int] | None:
    """Layers of each virtual stage; None where TorchTitan refuses the split."""
    base, more = divmod(layers + first + last, count)
    if count < 2 or base < 1 or max(first, last) > base:
        return None
    sizes = [base + (i < more) for i in range(count)]
    sizes[0] -= first
    sizes[-1] -= last
    return sizes


def on_ranks(sizes: Sequence[int], ranks: int, folded: bool) -> list[int]:
    """Layers of each rank."""
    if folded:
        return [sizes[i] + sizes[2 * ranks - 1 - i] for i in range(ranks)]
    return [sum(sizes[i::ranks]) for i in range(ranks)]


def usual_stages(schedule: str) -> int:
    """Virtual stages of a rank where the layers of one are not stated."""
    return 1 if schedule.lower() in SINGLE else 2


def split_of(ranks: Sequence[int], virtual: int, schedule: str) -> Split | None:
    """What puts so many layers on each rank, the usual splits first; None where nothing does."""
    layers, count, folded = sum(ranks), len(ranks) * virtual, schedule.lower() in FOLDED
    for first, last in chain(USUAL, _others(layers // max(count, 1) + 1)):
        sizes, each = chunks(layers, count, first, last), -(-(layers + first + last) // count)
        counted = virtual == usual_stages(schedule) or -(-(layers + first + last) // each) == count
        if sizes and counted and on_ranks(sizes, len(ranks), folded) == [*ranks]:
            return Split(first, last, each)
    return None


def _others(most: int) -> Iterator[tuple[int, int]]:
    each = range(most + 1)
    return (pair for pair in product(each, each) if pair not in USUAL)

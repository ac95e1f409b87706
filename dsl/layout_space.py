"""The whole space of layouts: what an `optimize` without `vary` searches."""

from collections.abc import Iterator, Sequence

from dsl.blocks import EMPTY, Body, Condition, Entry, Part
from dsl.kinds import VARY
from dsl.parse import attempt
from dsl.runs import World
from dsl.schema import run_row
from dsl.scope import Defined
from dsl.sets import read, stated_file
from dsl.syntax import Where
from dsl.table import Table

OPTION = "the whole layout space"
STAGES, RANKS, SEQUENCES = 16, 8, 4  # most pipeline stages, context ranks, sequences of a micro-batch
EXPERTS = 64  # most expert-parallel ranks
ONCE = "layout.pipeline > 1 or layout.schedule == one_f_one_b"  # without stages every schedule is the same


def layout_space(world: World, table: Table, clusters: Sequence[Table] = ()) -> Body:
    """A block that varies tensor, pipeline with virtual stages, context, expert and expert-tensor degrees,
    micro-batch, recomputation, sharding and schedule, as far as this model and the widest of the clusters go."""
    entries = {}
    for path, values in _values(table, int(max(map(_domain, clusters or (table,))))):
        text = f"{path}=[{', '.join(values)}]"
        statement, row = read(text, OPTION, "", world.problems), run_row(path)
        assert statement is not None and row is not None
        entries[path] = Entry(path, row, statement.value, stated_file(text, OPTION), statement.path.span, OPTION)
    part = Part(VARY, "", "", (), Body(entries, {}, (), (), ()), table.place)
    return EMPTY._replace(parts=(part,))


def once(defined: Defined) -> Condition:
    """The condition that leaves a layout without stages one schedule."""
    tree, _, _ = attempt(f"where {ONCE}", OPTION)
    assert tree is not None and isinstance(tree[0], Where)
    return Condition(tree[0].condition, "", defined.scope.file, defined.block.name_span, defined.name)


def _values(table: Table, domain: int) -> Iterator[tuple[str, list[str]]]:
    heads, layers = int(table.get("model.heads") or 1), int(table.get("model.layers") or 1)
    yield "layout.tensor", [str(n) for n in _doubling(domain) if heads % n == 0]
    yield "layout.pipeline", [str(n) for n in _doubling(min(STAGES, layers))]
    yield "layout.context", [str(n) for n in _doubling(RANKS)]
    routed = table.get("model.experts.routed")
    if routed:
        yield "layout.expert", [str(n) for n in _doubling(EXPERTS) if int(routed) % n == 0]
        yield "layout.expert_tensor", [str(n) for n in _doubling(domain)]
    yield "layout.micro_batch", [f"{n} sequence{'s' if n > 1 else ''}" for n in _doubling(SEQUENCES)]
    yield "layout.recompute", ["none", "selective", "full"]
    yield "layout.shard", ["zero1", "zero2", "zero3"]
    chunks = [f"interleaved(virtual_stages = {n})" for n in (2, 4, 8) if n <= layers]
    yield "layout.schedule", ["one_f_one_b", *chunks, "zero_bubble"]


def _domain(table: Table) -> float:
    """GPUs of one scale-up domain."""
    first = table.get(f"cluster.tier.{table.tiers[0]}.span") if table.tiers else None
    return float(first or table.get("cluster.gpus_per_node") or 1)


def _doubling(most: int) -> list[int]:
    """1, 2, 4 … up to ``most``."""
    return [2**i for i in range(max(most, 1).bit_length())]

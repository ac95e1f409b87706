"""Settings that follow from others: GPUs from nodes, sequences from tokens, the job's failures from a GPU's.

Each is worked out when it is asked for; what is stated wins, and is checked against the rest.
"""

import math
from collections.abc import Callable, Mapping

from dsl.blocks import Entry
from dsl.problems import Label, Problem
from dsl.scenario import Value
from dsl.table import Table
from dsl.units import in_prose, number
from dsl.values import Settled

Maker = Callable[[Table], Value | None]


def derived(table: Table, path: str) -> Value | None:
    """The value of a setting that was not stated, from those that were; None where nothing follows."""
    if path in DERIVED:
        return DERIVED[path](table)
    if path.startswith("cluster.tier.") and path.endswith(".span"):
        return _span(table, path)
    return None


def adjusted(table: Table, entry: Entry, found: Settled, value: Value) -> Value | None:
    """A stated value in the unit that the table keeps, held against what else is stated."""
    if entry.row.holds == "sequences" and found.tag == "tokens":
        return _sequences(table, entry, value)
    maker = ADJUSTED.get(entry.path)
    return maker(table, entry, found, value) if maker else value


def _copied(table: Table, path: str, note: str) -> Value | None:
    value = table.value(path)
    return (
        None
        if value is None
        else value._replace(origin="derived" if value.origin == "stated" else value.origin, note=note)
    )


def _gpus(table: Table) -> Value | None:
    if "cluster.nodes" not in table.entries:
        return None
    nodes, each = table.value("cluster.nodes"), table.get("cluster.gpus_per_node")
    if nodes is None or each is None:
        return None
    return Value(
        nodes.value * each,
        "gpus",
        nodes.span,
        "derived",
        f"{in_prose(nodes.value)} nodes of {in_prose(each)} GPUs",
        nodes.where,
    )


def _nodes(table: Table) -> Value | None:
    if "cluster.gpus" not in table.entries:
        return None
    gpus, each = table.value("cluster.gpus"), table.get("cluster.gpus_per_node")
    if gpus is None or not each:
        return None
    return Value(
        float(math.ceil(gpus.value / each)),
        "nodes",
        gpus.span,
        "derived",
        f"{in_prose(gpus.value)} GPUs, {in_prose(each)} in a node",
        gpus.where,
    )


def _stated_gpus(table: Table, entry: Entry, found: Settled, value: Value) -> Value | None:
    """gpus and nodes both stated: they must agree."""
    nodes, each = (
        table.value("cluster.nodes") if "cluster.nodes" in table.entries else None,
        table.get("cluster.gpus_per_node"),
    )
    if nodes is None or each is None or nodes.value * each == value.value:
        return value
    says = f"{number(nodes.value)} nodes of {number(each)} GPUs are {number(nodes.value * each)}"
    labels = (Label(table.entries["cluster.nodes"].span, "nodes are stated here"),)
    table.problems.append(
        Problem(
            "E26",
            "gpus and nodes contradict each other",
            entry.span,
            f"reads as {number(value.value)}",
            labels,
            (says,),
            "state one of the two",
        )
    )
    return None


def _sequences(table: Table, entry: Entry, value: Value) -> Value | None:
    """A batch stated in tokens, as whole sequences."""
    length = table.get("sequence") or table.get("model.sequence")
    if not length and table.get("model") is None and "model" in table.entries:
        return None  # the model is unknown, which has been told
    if not length:
        table.problems.append(
            Problem(
                "E22",
                f"`{entry.path}` in tokens needs a sequence length",
                entry.value.span,
                "how many sequences?",
                help="state `sequence` in the run or the model, or write sequences",
            )
        )
        return None
    count = value.value / length
    if count == int(count):
        return value._replace(
            value=count, unit_written="sequences", note=f"{in_prose(value.value)} tokens of {in_prose(length)}"
        )
    meant = _rounded(value.value, length)
    tokens = meant * length
    exact = f"{number(tokens / 2**20)}Mi tokens" if tokens % 2**20 == 0 else f"{number(tokens)} tokens"
    table.problems.append(
        Problem(
            "E22",
            f"`{entry.path}` is not a whole number of sequences",
            entry.value.span,
            f"{number(value.value)} / {number(length)} = {count:,.2f}".replace(",", "_"),
            (),
            (f"a sequence has {number(length)} tokens",),
            f"write {number(meant)} {'sequence' if meant == 1 else 'sequences'}, or {exact}",
        )
    )
    return None


def _rounded(tokens: float, length: float) -> float:
    """The roundest number of sequences that the rounded literal may stand for."""
    low, high = math.ceil(tokens * 0.995 / length), math.floor(tokens * 1.005 / length)
    for power in range(40, 0, -1):
        step = 2**power
        near = round(tokens / length / step) * step
        if near and low <= near <= high:
            return float(near)
    return float(max(1, round(tokens / length)))


def _mtbf(table: Table, entry: Entry, found: Settled, value: Value) -> Value | None:
    """Failures per GPU become those of the job: M_job = M_gpu / GPUs."""
    if found.tag != "gpus":
        return value
    gpus = table.get("cluster.gpus")
    if not gpus:
        return value._replace(note="of one GPU")
    return value._replace(
        value=value.value / gpus,
        unit_written="hours",
        note=f"{in_prose(round(value.value / HOUR, 6))} gpu-hours over {in_prose(gpus)} GPUs",
    )


YEAR, HOUR = 8760 * 3600.0, 3600.0  # seconds


def _default_mtbf(table: Table) -> Value | None:
    """The job's time between failures from the library's failure rates: M = year / (rate of a GPU x GPUs)."""
    gpus, rate = table.get("cluster.gpus"), sum(table.get(f"hazard.{part}") or 0.0 for part in HAZARDS)
    if not gpus or not rate:
        return None
    name = table.get("hazard")
    note = f"{number(round(rate, 4))} failures a GPU-year (hazard `{name}`) over {in_prose(gpus)} GPUs"
    base = table.value("hazard") or Value(None)
    return base._replace(value=YEAR / (rate * gpus), unit_written="hours", note=note, span=None, origin="default")


HAZARDS = ("gpu", "host", "network", "software", "other")


def _price(table: Table) -> Value | None:
    """The gpu's own price where the cluster has none and is rented."""
    if table.get("cluster.ownership") == "owned":
        return None
    return _copied(table, "cluster.gpu.price", "the gpu's own price")


def _ownership(table: Table) -> Value | None:
    capex, wrong = _capex(table.entries), rented_and_owned(table.entries)
    if wrong is not None:
        table.problems.append(wrong)
        return None
    if capex is None:
        return Value("rented", "", None, "default", "which cost lines apply")
    return Value("owned", "", capex.span, "derived", "capex is stated", f"{capex.file.logical}:{capex.span.line}")


def rented_and_owned(entries: Mapping[str, Entry]) -> Problem | None:
    """What is wrong where a price and a capex are both stated, and nothing says which of them is meant."""
    capex, price = _capex(entries), entries.get("cluster.price")
    if capex is None or price is None or "cluster.ownership" in entries:
        return None
    return Problem(
        "E26",
        "the cluster has a price and a capex",
        price.span,
        "rented",
        (Label(capex.span, "owned"),),
        help="write: ownership = rented, or: ownership = owned",
    )


def _capex(entries: Mapping[str, Entry]) -> Entry | None:
    return next((e for p, e in entries.items() if p.startswith("cluster.capex.")), None)


def _sequence(table: Table) -> Value | None:
    return _copied(table, "model.sequence", "the model's")


def _kv_heads(table: Table) -> Value | None:
    return _copied(table, "model.heads", "equal to heads")


def _head(table: Table) -> Value | None:
    hidden, heads = table.value("model.hidden"), table.get("model.heads")
    if hidden is None or not heads or "model.attention" in table.entries:
        return None
    return hidden._replace(
        value=hidden.value / heads,
        origin="derived" if hidden.origin == "stated" else hidden.origin,
        note="hidden / heads",
    )


def _data(table: Table) -> Value | None:
    """Data parallelism takes the GPUs that the other axes leave: floor(GPUs / (t c p))."""
    gpus = table.get("cluster.gpus")
    inner = math.prod(table.get(f"layout.{axis}") or 1.0 for axis in ("tensor", "context", "pipeline"))
    if not gpus or gpus < inner:
        return None
    return Value(float(gpus // inner), "", None, "default", "the GPUs that the other axes leave")


def _batch(table: Table) -> Value | None:
    """accumulation x micro-batch x data-parallel degree, where accumulation is stated instead of a batch."""
    steps = table.value("accumulation")
    data, micro = table.get("layout.data"), table.get("layout.micro_batch")
    if steps is None or not data or not micro:
        return None
    return steps._replace(
        value=steps.value * data * micro,
        unit_written="sequences",
        origin="derived",
        note="accumulation x micro_batch x data",
    )


def _sequence_parallel(table: Table) -> Value | None:
    tensor, stack = table.get("layout.tensor"), table.get("stack.sequence_parallel")
    if tensor is None:
        return None
    return Value(
        bool(tensor > 1 and stack is not False),
        "",
        None,
        "default",
        "on where tensor is more than 1 and the stack has it",
    )


def _span(table: Table, path: str) -> Value | None:
    """The first tier spans a node, the last all GPUs; a middle one must be stated."""
    tier = path.removeprefix("cluster.tier.").removesuffix(".span")
    if tier == table.tiers[-1]:
        gpus = table.value("cluster.gpus")
        return None if gpus is None else Value(gpus.value, "gpus", None, "default", "all GPUs")
    if tier == table.tiers[0]:
        return Value(table.get("cluster.gpus_per_node"), "gpus", None, "default", "gpus_per_node")
    inside = next((e for p, e in table.entries.items() if p.startswith(f"cluster.tier.{tier}.")), None)
    table.problems.append(
        Problem(
            "E13",
            f"tier `{tier}` needs a span",
            inside.span if inside else table.place,
            "a middle tier",
            help="write: span = 64 gpus (the GPUs below one element of this tier)",
        )
    )
    return None


def _batch_tokens(table: Table) -> Value | None:
    batch, length = table.value("batch"), table.get("sequence")
    if batch is None or not length:
        return None
    return batch._replace(value=batch.value * length, unit_written="tokens", origin="derived", note="batch x sequence")


def _rule(table: Table) -> Value | None:
    """What makes checkpoint.interval a time: a rule by name, or the time that is stated."""
    interval = table.value("checkpoint.interval")
    if interval is None:
        return None
    return interval._replace(value=interval.value if isinstance(interval.value, str) else "stated", unit_written="")


DERIVED: dict[str, Maker] = {
    "batch_tokens": _batch_tokens,
    "checkpoint.rule": _rule,
    "cluster.gpus": _gpus,
    "cluster.nodes": _nodes,
    "cluster.price": _price,
    "cluster.ownership": _ownership,
    "cluster.mtbf": _default_mtbf,
    "sequence": _sequence,
    "model.kv_heads": _kv_heads,
    "model.head": _head,
    "layout.data": _data,
    "batch": _batch,
    "layout.sequence_parallel": _sequence_parallel,
}


def _pattern(table: Table, entry: Entry, found: Settled, value: Value) -> Value | None:
    """A pattern of layers holds nothing but the letters of its blocks."""
    strange = sorted(set(str(value.value)) - set(PATTERN_LETTERS))
    if value.value and not strange:
        return value
    title = f"`{strange[0]}` is no letter of a pattern" if strange else "a pattern needs a letter a layer"
    table.problems.append(
        Problem("E16", title, entry.value.span, "here", (), (entry.row.doc,), 'write for example: pattern = "M-M-M*-"')
    )
    return None


def _offset(table: Table, entry: Entry, found: Settled, value: Value) -> Value | None:
    """An offset lies within the layers of one period."""
    every = table.get("model.mixer.every")
    if every is None or value.value < every:
        return value
    table.problems.append(
        Problem(
            "E26",
            f"an offset of {number(value.value)} layers is beyond a period of {number(every)}",
            entry.value.span,
            "no layer would attend",
            notes=(entry.row.doc,),
            help=f"write a number from 0 to {number(every - 1)}",
        )
    )
    return None


PATTERN_LETTERS = "M*-E"
ADJUSTED: dict[str, Callable[[Table, Entry, Settled, Value], Value | None]] = {
    "cluster.gpus": _stated_gpus,
    "cluster.mtbf": _mtbf,
    "model.mixer.pattern": _pattern,
    "model.mixer.offset": _offset,
}

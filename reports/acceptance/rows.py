"""The rows of an acceptance sheet: what to measure, what to expect, from where on it passes, and by which command.

Expectations come from the engine (engine/acceptance.py and the run's own results). A threshold is the low end of what
sound parts reach of such an expectation (reports/acceptance/spreads.py), the longest step that the interval and every
requirement allow (required.py), or the figure that the plan itself counts with; a `require` on the row's own result
that asks for more takes its place.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine import acceptance
from engine.acceptance import Multiply, Span
from engine.columns import column
from engine.result import Result
from reports.acceptance import commands, spreads
from reports.acceptance.commands import Setup
from reports.acceptance.required import longest_step
from reports.acceptance.spreads import Spread
from reports.locales import reworded
from reports.operations.files import exported
from reports.operations.launch import everywhere, launch
from reports.point import Json, number
from reports.prose import capital
from reports.quantities import plain
from reports.terms import words

MIB = 2.0**20
SIZES = (16 * MIB, 256 * MIB, 4096 * MIB)  # of a collective: one command sweeps all three
CURVE = tuple(2.0**power for power in range(20, 34))  # of the figure: 1 MiB to 8 GiB
NO_EVIDENCE = "recorded only: no published measurement of such a part, size and span"
CLOCKS = ", both at the boost clock; here both are at the sustained clock, since a rate is proportional to the clock"
SAME = 1e-9  # relative difference of two thresholds that are one
STEPS = 50  # of the reference run: the first ones warm up, the median of the rest counts
LEAST = 0.5  # a low end under this tells a sound part from a bad one no more
NAMES = {"all_reduce": "All-reduce", "all_gather": "All-gather", "reduce_scatter": "Reduce-scatter",
         "all_to_all": "All-to-all"}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One thing to measure. ``better`` says which side of the threshold passes; no threshold: it is only recorded."""

    id: str
    test: str
    title: str
    unit: str
    expected: float | None
    threshold: float | None
    reason: str
    source: str = ""
    better: str = "higher"
    command: str | None = None
    span: str | None = None
    ranks: int | None = None
    nodes: int | None = None
    size: float | None = None
    dtype: str | None = None
    shape: tuple[int, ...] = ()
    note: str = ""

    def to_json(self) -> Json:
        """The row as the document has it."""
        share = self.threshold / self.expected if self.threshold and self.expected else None
        found: Json = {"reason": reworded(self.reason), "source": reworded(self.source)}
        found |= {"share": number(share), "expected": number(self.expected), "threshold": number(self.threshold)}
        return vars(self) | {"shape": list(self.shape)} | found


def acceptance_of(result: Result, point: Mapping[str, Any], name: str) -> Json:
    """The sheet of one design point and its curves; empty where it cannot be built, or has no step to time.

    ``name`` is the run's, which the exported file that the reference step starts with has.
    """
    if result.status != "ok" or result.step is None or result.degrees is None or "step_time" not in result.columns:
        return {"acceptance": [], "bus_bandwidth": []}
    setup = commands.setup(point["settings"], result)
    rows = [*multiplies(result, setup), memory(result, setup), *collectives(result, setup)]
    rows += [*steps(result, setup, point, name), *checkpoints(result, setup), *power(result, setup)]
    sheet = [asked(row, point["verdicts"]).to_json() for row in rows]
    return {"acceptance": sheet, "bus_bandwidth": curves(result, setup)}


def curves(result: Result, setup: Setup) -> list[Json]:
    """Bus bandwidth against size by collective and span, with the low end where there is evidence to judge by."""
    assert result.degrees is not None
    run, found, known = result.run, list[Json](), setup.toolkit in commands.TESTS
    for span in acceptance.spans(run, result.degrees):
        for kind in acceptance.TESTED:
            speeds = acceptance.bus_bandwidth(run, span, kind, column(CURVE))
            lows = [spreads.bus_spread(kind, bool(span.group.crosses[0]), size) if known else None for size in CURVE]
            points = [
                [size, number(speed), number(speed * low.low) if low and low.low >= LEAST else None]
                for size, speed, low in zip(CURVE, speeds, lows, strict=True)
            ]
            found.append({"collective": kind, "span": span.tier, "ranks": number(span.ranks), "points": points})
    return found


def multiplies(result: Result, setup: Setup) -> Iterator[Row]:
    """FLOP/s of the large square and of the run's own shapes."""
    assert result.step is not None
    for i, found in enumerate(acceptance.multiplies(result.run, result.step.timing), 1):
        yield multiply(f"G{i}", found, setup)


def multiply(name: str, found: Multiply, setup: Setup) -> Row:
    shape = tuple(int(x[0]) for x in (found.m, found.n, found.k))
    known = setup.toolkit == "cuda" and spreads.gemm_spread(found.dtype, (spreads.GEMM_SIDE * 8,) * 3) is not None
    spread = spreads.gemm_spread(found.dtype, shape) if known else None
    title = "Large square" if found.op == "square" else capital(words(found.op))
    return judged(Row(name, "gemm", title, "flop/s", float(found.rate[0]), None,
                      spreads.GEMM_OUTSIDE if known else NO_EVIDENCE,
                      spreads.GEMM_SOURCE, command=commands.gemm(setup, shape, found.dtype), dtype=found.dtype,
                      shape=shape, note=commands.no_gemm(setup, found.dtype)), spread, CLOCKS)  # fmt: skip


def judged(row: Row, spread: Spread | None, clocks: str = "") -> Row:
    """The row with the low end of its expectation as its threshold, where there is evidence that can judge it."""
    if spread is None or row.expected is None:
        return replace(row, source="")
    those = f"{spread.rows} published measurements{spread.of}"
    if spread.low < LEAST:
        said = f"recorded only: one in ten of {those} is under {spread.low:.0%} of this prediction"
        return replace(row, reason=f"{said}, too wide a spread to judge by")
    said = f"nine in ten of {those} reach {spread.low:.0%} of this prediction"
    return replace(row, threshold=spread.low * row.expected, reason=said + clocks)


def memory(result: Result, setup: Setup) -> Row:
    """Bytes/s of device memory in a stream of reads and writes."""
    rate, reason = float(acceptance.memory_rate(result.run)[0]), NO_EVIDENCE
    row = Row("M1", "triad", "Device memory, STREAM triad", "bytes/s", rate, None, reason,
              command=commands.triad(setup), note=commands.no_triad(setup))  # fmt: skip
    if setup.toolkit != "cuda":
        return row
    reason = f"5 points under the lowest of {spreads.TRIAD.rows} published parts against this prediction"
    return replace(row, threshold=spreads.TRIAD.low * rate, reason=reason, source=spreads.TRIAD_SOURCE)


def collectives(result: Result, setup: Setup) -> Iterator[Row]:
    """Bus bandwidth of every collective over the scale-up domain, a pod and the whole job, at three sizes."""
    assert result.degrees is not None
    i = 0
    for span in acceptance.spans(result.run, result.degrees):
        for kind in acceptance.TESTED:
            for size in SIZES:
                i += 1
                yield collective(f"N{i}", result, setup, span, kind, size)


def collective(name: str, result: Result, setup: Setup, span: Span, kind: str, size: float) -> Row:
    ranks, crosses = int(span.ranks[0]), bool(span.group.crosses[0])
    expected = float(acceptance.bus_bandwidth(result.run, span, kind, column(size))[0])
    spread = spreads.bus_spread(kind, crosses, size) if setup.toolkit in commands.TESTS else None
    row = Row(name, kind, NAMES[kind], "bytes/s", expected, None, NO_EVIDENCE, spreads.BUS_SOURCE,
              command=commands.bus(setup, kind, ranks, SIZES), span=span.tier, ranks=ranks,
              nodes=setup.nodes_of(ranks), size=size, note=commands.no_bus(setup))  # fmt: skip
    return judged(row, spread)


def reference(setup: Setup, point: Mapping[str, Any], name: str) -> str | None:
    """The command of some steps with the exported file of the point; None where the stack has no known launcher."""
    file = next(iter(exported(point, name or "run")), "")
    return everywhere(launch(point["settings"], setup.gpus, setup.per_node, file, STEPS), setup.nodes) or None


def steps(result: Result, setup: Setup, point: Mapping[str, Any], name: str) -> Iterator[Row]:
    """One reference step: its time, its utilization and the memory it takes."""
    results, command = point["results"], reference(setup, point, name)
    stack = str(point["settings"].get("stack") or "")
    step, (longest, reason) = results["step_time"], longest_step(point)
    where: dict[str, Any] = {"ranks": setup.gpus, "nodes": setup.nodes, "command": command}
    where["note"] = "" if command else f"not stated: no launcher of {stack or 'the stack'} is known"
    yield Row("S1", "step_time", "Time of one step", "seconds", step, longest, reason, better="lower", **where)
    told = {"mfu": f"6N, dense {result.run.precision} peak", "mfu_bf16": "6N, dense bf16 peak"}
    if result.run.precision in ("bf16", "fp16"):
        del told["mfu_bf16"]
    for i, (metric, convention) in enumerate(told.items(), 2):
        least = None if longest is None else results[metric] * step / longest
        said = reason if longest is None else "the step time that passes, as utilization"
        yield Row(f"S{i}", metric, f"Utilization ({convention})", "share", results[metric], least, said, **where)
    tokens = results["tokens_per_second_per_gpu"]
    said = reason if longest is None else "the step time that passes, as tokens"
    yield Row(f"S{len(told) + 2}", "tokens_per_second_per_gpu", "Tokens a second and GPU", "tokens/s", tokens,
              None if longest is None else tokens * step / longest, said, **where)  # fmt: skip
    used, room = results["memory_per_gpu"], float(result.run.gpu.memory[0])
    where |= {"command": commands.watch(setup), "note": commands.no_watch(setup)}
    yield Row(f"S{len(told) + 3}", "memory_per_gpu", "Peak memory of a GPU", "bytes", used, room,
              "what the device has", better="lower", **where)  # fmt: skip


def checkpoints(result: Result, setup: Setup) -> Iterator[Row]:
    """Rates of writing and reading a checkpoint from all nodes at once, and the time back to training."""
    plan = result.goodput
    if plan is None:
        return
    later = result.run.checkpoint.mode == "async"
    counted = plan.save if later else plan.pause
    size, each = float(plan.size[0]), float(plan.size_per_gpu[0])
    where: dict[str, Any] = {"ranks": setup.gpus, "nodes": setup.nodes}
    if counted is not None and plan.save is not None and counted[0] > 0:
        said = f"the plan counts with {'a write' if later else 'a pause'} of {plain(float(counted[0]), 3)} s"
        yield Row("C1", "checkpoint_write", "Checkpoint write, all nodes", "bytes/s", size / float(plan.save[0]),
                  size / float(counted[0]), said, command=commands.fio(setup, "write", each), size=size,
                  **where)  # fmt: skip
    stated, restart = result.run.cluster.storage.read, float(plan.restart[0])
    yield Row("C2", "checkpoint_read", "Checkpoint read, all nodes", "bytes/s",
              None if stated is None else float(stated[0]), size / restart if restart else None,
              f"a read must fit in the restart of {plain(restart, 3)} s that the plan counts with",
              command=commands.fio(setup, "read", each), size=size, **where)  # fmt: skip
    yield Row("C3", "restart_time", "One rank killed, to training again", "seconds", restart, restart,
              "the plan counts with it", better="lower", note="by the clock: from the kill to the next logged step",
              **where)  # fmt: skip


def power(result: Result, setup: Setup) -> Iterator[Row]:
    """The power limit that is in force, and what a node draws at full load."""
    cluster, gpu = result.run.cluster, result.run.gpu
    limit = cluster.power.gpu if cluster.power.gpu is not None else gpu.power
    if limit is not None:
        watts = float(limit[0])
        yield Row("P1", "power_limit", "Power limit of a GPU", "watts", watts, watts,
                  "a lower set-point lowers the sustained clock that every expectation here rests on",
                  command=commands.watch(setup), note=commands.no_watch(setup))  # fmt: skip
    if gpu.node_power is not None:
        node = float(gpu.node_power[0] * cluster.gpus_per_node[0])
        yield Row("P2", "node_power", "A node in the reference step", "watts", node, node,
                  "the power budget and the energy of this plan count with it", better="lower",
                  command="ipmitool dcmi power reading", nodes=1)  # fmt: skip


def asked(row: Row, verdicts: list[Json]) -> Row:
    """The row with the limit of a `require` as its threshold, where the scenario asks for more than the row does."""
    for verdict in verdicts:
        limit = verdict["limit"]
        if limit is None or limit["name"] != row.test or limit["value"] is None:
            continue
        lower = row.better == "lower"
        if (limit["op"] in ("<=", "<")) != lower:
            continue
        slack = SAME if lower else -SAME  # a threshold that follows from this limit already is no looser than it
        if row.threshold is None or (limit["value"] * (1 + slack) < row.threshold) == lower:
            because = f": {verdict['because']}" if verdict["because"] else ""
            row = replace(row, threshold=limit["value"], reason=f"the scenario requires it{because}", source="")
    return row

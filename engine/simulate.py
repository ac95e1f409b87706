"""Discrete-event simulation of a pipeline schedule: when every pass runs, what idles, what is kept.

A pass starts when its stage is free and what it depends on has arrived: the forward of the stage before, the
backward of the stage after (its own forward on the last stage), each one send later; a W pass its own backward.
The order of a stage's passes is the schedule's (engine/schedules); nothing is reordered. Sends overlap compute
and do not wait for each other. One design point at a time: plain numbers, seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.schedules import SCHEDULES, Pass, PipelineSchedule

Place = tuple[int, int]  # stage, chunk
Done = tuple[str, int, int, int]  # kind, micro-batch, stage, chunk


class Span(NamedTuple):
    """A pass with its stage and its start and end in seconds."""

    stage: int
    kind: str
    micro_batch: int
    chunk: int
    start: float
    end: float


@dataclass(frozen=True)
class Timeline:
    """The passes of every stage in order, the end of the last one, and the peak each stage kept."""

    schedule: str
    micro_batches: int
    virtual_stages: int
    send: float
    stages: tuple[tuple[Span, ...], ...]
    total: float
    peaks: tuple[float, ...]  # micro-batches times one stage's share of the model

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(span for stage in self.stages for span in stage)


@dataclass(frozen=True)
class Waits:
    """How long a stage waits between its passes, and on what (seconds a step; longest single wait)."""

    send: float
    receive: float
    longest_send: float
    longest_receive: float


@dataclass(frozen=True)
class _Links:
    """Who feeds whom: the place a forward comes from, and the place its backward comes from."""

    above: dict[Place, Place | None]
    below: dict[Place, Place]

    def source(self, kind: str, here: Place) -> Place | None:
        if kind == "W":
            return None
        return self.above[here] if kind == "F" else self.below.get(here)


def _links(rule: PipelineSchedule, stages: int, virtual_stages: int) -> _Links:
    chunks = len(rule.chunk_times([0.0] * stages, virtual_stages)[0])
    above = {(s, c): rule.upstream(s, stages, c) for s in range(stages) for c in range(chunks)}
    return _Links(above, {source: place for place, source in above.items() if source is not None})


@dataclass(frozen=True)
class _Plan:
    """What the event loop needs: the order of each stage, the seconds of each chunk, who feeds whom."""

    orders: list[list[Pass]]
    forward: list[list[float]]
    backward: list[list[float]]
    weight: list[list[float]]
    pair: list[list[float]]
    links: _Links
    send: float

    def seconds(self, stage: int, work: Pass) -> float:
        forward, backward = self.forward[stage][work.chunk], self.backward[stage][work.chunk]
        weight = self.weight[stage][work.chunk]
        return {"F": forward, "W": weight, "B": backward - weight if work.split else backward}[work.kind]

    def together(self, stage: int, unit: Sequence[Pass]) -> float:
        """Seconds of one pass, or of an overlapped pair: the mean of its two chunks' pair times."""
        if len(unit) == 1:
            return self.seconds(stage, unit[0])
        return sum(self.pair[stage][work.chunk] for work in unit) / len(unit)

    def needs(self, stage: int, work: Pass) -> tuple[Done | None, float]:
        """What must be done before this pass, and how long it takes to arrive."""
        here = (stage, work.chunk)
        source = self.links.source(work.kind, here)
        if source is not None:
            return (work.kind, work.micro_batch, *source), self.send if source[0] != stage else 0.0
        before = {"F": None, "B": "F", "W": "B"}[work.kind]
        return None if before is None else (before, work.micro_batch, *here), 0.0


def _run(plan: _Plan) -> list[list[Span]]:
    """Every stage goes on until its next pass waits for something; then it is woken when that is done."""
    spans: list[list[Span]] = [[] for _ in plan.orders]
    free, at = [0.0] * len(plan.orders), [0] * len(plan.orders)
    done: dict[Done, float] = {}
    waiting: dict[Done, int] = {}
    ready = list(range(len(plan.orders)))
    while ready:
        stage = ready.pop()
        order = plan.orders[stage]
        while at[stage] < len(order):
            unit = order[at[stage] : at[stage] + (2 if order[at[stage]].paired else 1)]
            needs = [plan.needs(stage, work) for work in unit]
            missing = next((need for need, _ in needs if need is not None and need not in done), None)
            if missing is not None:
                waiting[missing] = stage
                break
            start = max(free[stage], *(done[need] + wire for need, wire in needs if need is not None), 0.0)
            end = start + plan.together(stage, unit)
            spans[stage] += _drawn(plan, stage, unit, start, end)
            for work in unit:
                key = (work.kind, work.micro_batch, stage, work.chunk)
                done[key] = end
                if key in waiting:
                    ready.append(waiting.pop(key))
            free[stage] = end
            at[stage] += len(unit)
    assert all(at[s] == len(plan.orders[s]) for s in range(len(at))), "the order of this schedule deadlocks"
    return spans


def _drawn(plan: _Plan, stage: int, unit: Sequence[Pass], start: float, end: float) -> list[Span]:
    """The passes of a unit one after the other; an overlapped pair shares its time in proportion."""
    alone = [plan.seconds(stage, work) for work in unit]
    edges, scale = [start], (end - start) / sum(alone) if sum(alone) else 0.0
    for seconds in alone[:-1]:
        edges.append(edges[-1] + seconds * scale)
    edges.append(end)
    return [
        Span(stage, work.kind, work.micro_batch, work.chunk, a, b)
        for work, a, b in zip(unit, edges, edges[1:], strict=False)
    ]


def _peak(order: Sequence[Pass], share: float) -> float:
    """Most chunks kept at once: from a forward to its backward, or to its W pass where the backward is split."""
    kept = most = 0
    for work in order:
        kept += 1 if work.kind == "F" else -1 if work.kind == "W" or not work.split else 0
        most = max(most, kept)
    return most * share


def simulate(
    schedule: str,
    forward: Sequence[float],
    backward: Sequence[float],
    micro_batches: int,
    virtual_stages: int = 1,
    send: float = 0.0,
    weight: Sequence[float] | None = None,
    pair: Sequence[float] | None = None,
) -> Timeline:
    """The timeline of one step and pipeline.

    ``forward``, ``backward``: seconds of one micro-batch on each stage; ``weight``: the part of the backward that
    makes weight gradients (half when absent); ``pair``: an overlapped forward and backward (their sum when absent).
    The schedule's ``rules`` must hold.
    """
    rule = SCHEDULES[schedule]
    weight = [0.5 * b for b in backward] if weight is None else weight
    pair = [f + b for f, b in zip(forward, backward, strict=True)] if pair is None else pair
    orders = [rule.passes(stage, len(forward), micro_batches, virtual_stages) for stage in range(len(forward))]
    f, b, w, both = (rule.chunk_times(times, virtual_stages) for times in (forward, backward, weight, pair))
    plan = _Plan(orders, f, b, w, both, _links(rule, len(forward), virtual_stages), send)
    spans = _run(plan)
    peaks = tuple(_peak(order, rule.share(virtual_stages)) for order in plan.orders)
    total = max(stage[-1].end for stage in spans)
    return Timeline(schedule, micro_batches, virtual_stages, send, tuple(map(tuple, spans)), total, peaks)


def idle_share(timeline: Timeline) -> float:
    """Idle stage-seconds over all stage-seconds of the step, 0..1."""
    busy = sum(span.end - span.start for span in timeline.spans)
    return 1.0 - busy / (len(timeline.stages) * timeline.total)


def rows(timeline: Timeline, unit: float = 1.0) -> list[str]:
    """One line of text a stage, a character a ``unit`` of seconds: digits forward, letters backward, capitals W.

    The micro-batch is the digit (modulo 10) or the letter (a = 0, modulo 26); a dot is idle time.
    """
    width = round(timeline.total / unit)
    lines = []
    for stage in timeline.stages:
        line = ["."] * width
        for span in stage:
            start, end = round(span.start / unit), round(span.end / unit)
            line[start:end] = _mark(span.kind, span.micro_batch) * (end - start)
        lines.append("".join(line))
    return lines


def _mark(kind: str, micro_batch: int) -> str:
    if kind == "F":
        return str(micro_batch % 10)
    return chr(ord("a" if kind == "B" else "A") + micro_batch % 26)


def waits(timeline: Timeline, stage: int = 0) -> Waits:
    """How long a stage waits for its last send to be taken, and after that for what it has yet to receive.

    A send is taken when the receiver gets to the pass before the one that uses it, plus the send's own time:
    so a profile attributes the wait where sends and receives follow one another on a rank. The time before the
    first pass and after the last one is no wait.
    """
    taken = _taken(timeline, stage)
    sending, receiving = [0.0], [0.0]
    for last, following in zip(timeline.stages[stage], timeline.stages[stage][1:], strict=False):
        gap = following.start - last.end
        blocked = min(gap, max(0.0, taken.get((last.kind, last.micro_batch, last.chunk), last.end) - last.end))
        sending.append(blocked)
        receiving.append(gap - blocked)
    return Waits(sum(sending), sum(receiving), max(sending), max(receiving))


def _taken(timeline: Timeline, stage: int) -> dict[tuple[str, int, int], float]:
    """When the receiver of each of this stage's sends is free to take it, with the send's own time."""
    links = _links(SCHEDULES[timeline.schedule], len(timeline.stages), timeline.virtual_stages)
    taken: dict[tuple[str, int, int], float] = {}
    for receiver in timeline.stages:
        free = 0.0
        for span in receiver:
            source = links.source(span.kind, (span.stage, span.chunk))
            if source is not None and source[0] == stage != span.stage:
                taken[span.kind, span.micro_batch, source[1]] = free + timeline.send
            free = span.end
    return taken

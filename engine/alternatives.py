"""The nearest layouts that can be built and fit: those that change the fewest settings, each one evaluated itself.

Candidates change one setting; where too few of those hold, two. Data parallelism follows from the GPUs where it did
before. Nearest: the fewest settings, then the smallest change (octaves of a degree, GPUs left idle), fits before not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from engine.columns import Column, column
from engine.inputs import Recompute, Run, Schedule, Shard
from engine.layout import resolve
from engine.validity import divisors, rules, text

WANTED = 3
EVALUATED = 32  # candidates evaluated for each number of changes
SAME = 2  # pairs of them that change the same settings, and alternatives shown
PAIRS = 400  # pairs of changes whose rules are looked at
IDLE = 4.0  # octaves that a cluster left wholly idle counts as
GIB = 2.0**30
DEGREES = (1, 2, 4, 8, 16, 32, 64)

# status, bytes a GPU, seconds a step (None where it has none)
Evaluated = tuple[str, float | None, float | None]
Evaluate = Callable[[Run], Evaluated]


@dataclass(frozen=True)
class Change:
    """One setting with another value, and how far that is."""

    setting: str
    value: str
    distance: float
    apply: Callable[[Run], Run]


@dataclass(frozen=True)
class Alternative:
    """A run with a few settings changed, and what its evaluation gave."""

    changes: tuple[Change, ...]
    run: Run
    distance: float
    evaluated: Evaluated

    @property
    def text(self) -> str:
        """The settings that change, then what it needs: one line."""
        d = resolve(self.run)
        words = ", ".join(f"{c.setting} = {c.value}" for c in self.changes)
        _, size, seconds = self.evaluated
        parts = [] if size is None else [f"{size / GIB:.1f} GiB a GPU"]
        parts += [] if seconds is None else [f"{seconds:.3g} s a step"]
        parts.append(f"{text(d.used)} GPUs used" + (f", {text(d.idle)} idle" if d.idle[0] else ""))
        return f"{words} ({', '.join(parts)})"


def alternatives(run: Run, evaluate: Evaluate, limit: int = WANTED) -> list[Alternative]:
    """Up to ``limit`` runs that can be built and, by ``evaluate``, fit; the fewest changes first, then the nearest.

    Where nothing fits, the nearest that can at least be built. One for each set of settings that is changed.
    """
    found = built(run, list(changes(run)), evaluate, limit)
    return varied([a for a in found if a.evaluated[0] == "ok"] or found, limit)


def built(run: Run, own: list[Change], evaluate: Evaluate, limit: int) -> list[Alternative]:
    """Runs with one change, and where fewer than ``limit`` of those will do with two, each evaluated."""
    single: list[tuple[Change, ...]] = [(c,) for c in own]
    double: list[tuple[Change, ...]] = [(a, b) for a, b in combinations(own, 2) if a.setting != b.setting]
    double.sort(key=lambda pair: pair[0].distance + pair[1].distance)
    made: list[Alternative] = []
    for candidates, same in ((single, EVALUATED), (double[:PAIRS], SAME)):
        made += _evaluated(run, candidates, evaluate, same)
        if sum(a.evaluated[0] == "ok" for a in made) >= limit:
            break
    return made


def _evaluated(run: Run, candidates: list[tuple[Change, ...]], evaluate: Evaluate, same: int) -> list[Alternative]:
    """The nearest candidates that can be built, evaluated; at most ``same`` that change the same settings."""
    valid: list[tuple[float, tuple[Change, ...], Run]] = []
    for candidate in candidates:
        changed = run
        for change in candidate:
            changed = change.apply(changed)
        if buildable(changed):
            valid.append((sum(c.distance for c in candidate) + _idle(changed), candidate, changed))
    valid.sort(key=lambda v: v[0])
    seen: dict[tuple[str, ...], int] = {}
    chosen: list[tuple[float, tuple[Change, ...], Run]] = []
    for v in valid:
        key = tuple(c.setting for c in v[1])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= same and len(chosen) < EVALUATED:
            chosen.append(v)
    return [Alternative(candidate, changed, far, evaluate(changed)) for far, candidate, changed in chosen]


def varied(found: list[Alternative], limit: int) -> list[Alternative]:
    """The nearest, at most two for one set of settings."""
    result: list[Alternative] = []
    for a in sorted(found, key=lambda a: (len(a.changes), a.distance)):
        same = [b for b in result if [c.setting for c in b.changes] == [c.setting for c in a.changes]]
        enough = any(set(b.changes) < set(a.changes) for b in result)  # fewer of these changes do
        if len(same) < SAME and not enough and len(result) < limit:
            result.append(a)
    return result


def _idle(run: Run) -> float:
    d = resolve(run)
    return IDLE * float(d.idle[0] / (d.used[0] + d.idle[0]))


def buildable(run: Run) -> bool:
    """Whether there are layers, and every rule holds."""
    return bool(run.model.layers) and all(bool(np.all(rule.holds)) for rule in rules(run, resolve(run)))


def changes(run: Run) -> Iterator[Change]:
    """Every change of one setting worth a look."""
    yield from _degrees(run)
    yield from _sizes(run)
    yield from _kinds(run)


def _octaves(value: float, other: float) -> float:
    return abs(float(np.log2(value) - np.log2(other)))


def with_layout(run: Run, **changed: Any) -> Run:
    """The run with other layout settings; data follows from the GPUs, and sequence parallelism from tensor, where they
    did before."""
    free = resolve(replace(run, layout=replace(run.layout, data=None))).dp
    follows = run.layout.data is None or bool(free[0] == run.layout.data[0])
    if follows and "data" not in changed:
        changed["data"] = None
    if "pipeline" in changed:
        changed["stages"] = None
    own = run.layout.sequence_parallel
    if "tensor" in changed and own == _sequence_parallel(run, run.layout.tensor):
        changed["sequence_parallel"] = _sequence_parallel(run, changed["tensor"])
    return replace(run, layout=replace(run.layout, **changed))


def _sequence_parallel(run: Run, tensor: Column) -> bool:
    """What the language takes where nothing is stated: on with tensor parallelism, where the stack has it."""
    return bool(tensor[0] > 1) and run.stack.sequence_parallel


def _degree(run: Run, setting: str, value: float, old: float) -> Change:
    def apply(changed: Run) -> Run:
        if setting == "pipeline":
            return with_layout(changed, pipeline=int(value))
        return with_layout(changed, **{setting: column(value)})

    return Change(setting, text(column(value)), _octaves(value, old), apply)


def _degrees(run: Run) -> Iterator[Change]:
    """Parallel degrees and the micro-batch: powers of two, divisors of heads and layers."""
    layout, model = run.layout, run.model
    heads = set(divisors(model.heads)) if model.heads is not None else set()
    options: dict[str, set[int]] = {
        "tensor": {n for n in heads if n <= 64} or set(DEGREES),
        "pipeline": {n for n in (*DEGREES, *divisors(column(model.layers or 1))) if n <= 64},
        "context": set(DEGREES[:5]),
        "micro_batch": set(DEGREES[:5]),
    }
    if model.experts is not None:
        options["expert"] = {n for n in divisors(model.experts.routed) if n <= 256}
        options["expert_tensor"] = {1, 2, 4, 8}
    for setting, values in options.items():
        old = float(layout.pipeline) if setting == "pipeline" else float(getattr(layout, setting)[0])
        for value in sorted(values - {int(old)}, key=lambda v: (_octaves(v, old), v))[:6]:
            yield _degree(run, setting, value, old)


def _sizes(run: Run) -> Iterator[Change]:
    """The batch that a micro-batch and data degree divide, and the data degree that divides the batch."""
    if run.batch is None:
        return
    d = resolve(run)
    each, batch = float((d.dp * run.layout.micro_batch)[0]), float(run.batch[0])
    for count in sorted({np.floor(batch / each), np.ceil(batch / each)} - {0.0, batch / each}):
        size = column(count * each)
        yield Change("batch", text(size), _octaves(float(size[0]), batch), _batch(size))
    most, pieces = int(d.dp[0]), int(batch / float(run.layout.micro_batch[0]))
    fewer = next((n for n in range(most - 1, 0, -1) if pieces % n == 0), None)
    if fewer is not None:
        yield _degree(run, "data", fewer, most)


def _batch(size: Column) -> Callable[[Run], Run]:
    return lambda run: replace(run, batch=size)


def choice(setting: str, value: str, distance: float, **changed: Any) -> Change:
    """A setting of the layout that is one of several kinds, with another of them."""
    return Change(setting, value, distance, lambda run: with_layout(run, **changed))


def _kinds(run: Run) -> Iterator[Change]:
    """Choices: the split, the schedule and its chunks, sharding, recomputation, how context is exchanged."""
    layout = run.layout

    if layout.split == "even":
        yield choice("split", "balanced", 0.2, split="balanced")
    if layout.stages is not None:
        yield choice("stages", layout.split, 0.2, stages=None)
    if layout.schedule.kind != "one_f_one_b":
        yield choice("schedule", "one_f_one_b", 1.0, schedule=Schedule("one_f_one_b", None))
    if layout.schedule.kind == "interleaved":
        old = layout.schedule.virtual_stages or 2
        for chunks in sorted({2, 3, 4, 5, 6, 8, 10} - {old}, key=lambda v: _octaves(v, old)):
            words = f"interleaved(virtual_stages = {chunks})"
            yield choice("schedule", words, _octaves(chunks, old), schedule=Schedule("interleaved", chunks))
    for kind, far in (("zero1", 0.5), ("zero3", 1.0)):
        if kind != layout.shard.kind:
            yield choice("shard", kind, far, shard=Shard(kind, "all", None))
    for kind, far in (("selective", 0.5), ("full", 1.0)):
        if layout.recompute.kind != "full" and kind != layout.recompute.kind:
            yield choice("recompute", kind, far, recompute=Recompute(kind, (), None))
    if layout.context_method != "ring" and layout.context[0] > 1:
        yield choice("context_method", "ring", 0.3, context_method="ring")


__all__ = ["Alternative", "Change", "alternatives", "buildable", "changes"]

"""Design points evaluated: a part of a table through the engine to result columns, statuses and verdicts.

What a ``where`` drops is left out before anything is evaluated. A point that cannot be built, or does not fit, keeps
its place with its status; its results are NaN as far as they mean nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.scenario import Rule, Run, Table
from engine.calibrate import calibrated
from engine.columns import Column, Flags
from engine.evaluate import Result, evaluate_phases
from engine.metrics import METRICS
from engine.read import built, changed, read
from engine.traffic import facts
from reports.experiments.layout_rules import words
from reports.experiments.parts import Part
from reports.experiments.removals import Removal, missed_by, removal

OK, DOES_NOT_FIT, CANNOT_BE_BUILT, NOT_EVALUATED = range(4)
STATUS = ("ok", "does_not_fit", "cannot_be_built", "not_evaluated")
OPEN, FAILS, HOLDS = -1, 0, 1  # what became of a requirement
ANEW = ("layout.data", "layout.sequence_parallel")  # worked out by the engine where nobody states them
SPARSE = 0.35  # share of a part's points from which they are evaluated with those that a `where` drops
# Results of points that cannot be built: what the layout alone decides.
BUILT_OR_NOT = ("used_gpus", "idle_gpus", "data_parallel", "expert_data_parallel", "expert_tensor_parallel",
                "sequence_multiple", "kv_replication", "padded_vocabulary", "mtbf", "valid_layout")  # fmt: skip


NO_RESULTS: dict[str, Any] = dict.fromkeys(m.name for m in METRICS)
RESULTS = NO_RESULTS.keys()


@dataclass(frozen=True)
class Found:
    """The evaluated points of a part, flat: one element a point in each array."""

    index: NDArray[np.int64]
    settings: dict[str, Any]  # plain values, and arrays of the settings that differ
    results: dict[str, Column]
    status: NDArray[np.int8]
    broken: dict[str, Flags]  # rules of the layout that a point breaks, and what is wrong with its settings
    wrong: frozenset[str]  # of these, what is wrong with settings
    verdicts: NDArray[np.int8]  # requirements x points
    missing: dict[str, tuple[str, ...]]
    removed: list[Removal]

    @property
    def size(self) -> int:
        return len(self.index)

    @property
    def values(self) -> dict[str, Any]:
        """All that an expression may name: settings, and results as far as they are known."""
        return {**self.settings, **NO_RESULTS, **self.results}

    def take(self, chosen: NDArray[np.intp]) -> "Found":
        """Some of the points."""
        few = {p: v[chosen] if isinstance(v, np.ndarray) else v for p, v in self.settings.items()}
        return Found(
            self.index[chosen],
            few,
            {name: column[chosen] for name, column in self.results.items()},
            self.status[chosen],
            {text: flags[chosen] for text, flags in self.broken.items()},
            self.wrong,
            self.verdicts[:, chosen],
            self.missing,
            [],
        )


def evaluated(table: Table, part: Part, results: Iterable[str] | None = None) -> Found:
    """A part's points that every ``where`` keeps, evaluated; ``results`` names those wanted, all where it is None."""
    with np.errstate(all="ignore"):
        return _evaluated(table, part, results)


def _evaluated(table: Table, part: Part, wanted: Iterable[str] | None) -> Found:
    assert table.base is not None
    early = [rule for rule in table.wheres if not (rule.compute.needs & RESULTS)]
    keep, removed = kept(early, part.settings, part.index, np.ones(part.shape, dtype=bool))
    if not np.any(keep):
        return nothing(table, removed)
    settings, wrong, index, keep = dense(part, keep)
    result = run(table.base, settings, part.moved, part.shared)
    status, broken = statuses(result, wrong)
    columns = {m.name: result.columns[m.name] for m in METRICS if m.name in result.columns}
    names = {**settings, **asked_facts(table, result), **NO_RESULTS, **columns}
    late = [rule for rule in table.wheres if (rule.compute.needs & RESULTS)]
    if late:
        keep, more = kept(late, names, index, keep)
        removed += more
    chosen = columns if wanted is None else {n: columns[n] for n in wanted if n in columns}
    found = flat(table, names, chosen, status, broken, frozenset(wrong), index, keep, result.missing)

    def missed(rule: Rule | None) -> Column | None:
        """How far points miss a requirement (memory where it is None), as a share."""
        own = None
        if rule is not None:
            own = missed_by(rule, names)
        elif "memory_headroom" in columns:
            own = memory_gap(columns, result)
        return None if own is None else np.broadcast_to(own, keep.shape)[keep]

    return replace(found, removed=removed + after(table.requires, found, missed))


def memory_gap(columns: Mapping[str, Column], result: Result) -> Column:
    """How far points are over the memory of the GPU or, where that is further, of its host, as a share of it."""
    device = -columns["memory_headroom"] / result.run.gpu.memory
    room, held = result.run.cluster.host_memory, columns.get("memory_host")
    return device if room is None or held is None else np.maximum(device, held / room - 1.0)


def dense(part: Part, keep: Flags) -> tuple[dict[str, Any], dict[str, Flags], NDArray[np.int64], Flags]:
    """Settings, what is wrong with them, numbers, and the points wanted of a part; flat where few are."""
    wrong, count = dict(part.wrong), int(np.count_nonzero(keep))
    if count >= SPARSE * part.size:
        return part.settings, wrong, part.index, keep
    settings = {path: _picked(value, keep) for path, value in part.settings.items()}
    wrong = {text: _picked(flags, keep) for text, flags in wrong.items()}
    return settings, wrong, part.index[keep], np.ones(count, dtype=bool)


def flat(
    table: Table, names: Mapping[str, Any], results: Mapping[str, Column], status: NDArray[np.int8],
    broken: Mapping[str, Flags], wrong: frozenset[str], index: NDArray[np.int64], keep: Flags,
    missing: Mapping[str, tuple[str, ...]],
) -> Found:  # fmt: skip
    """The wanted points one after the other, with their verdicts; what means nothing is NaN."""

    def picked(values: Any) -> NDArray[Any]:
        return np.broadcast_to(values, keep.shape)[keep]

    own, count = picked(status), int(np.count_nonzero(keep))
    astray = np.logical_or.reduce([np.zeros(count, dtype=bool), *(picked(broken[text]) for text in wrong)])
    verdicts = np.zeros((len(table.requires), count), dtype=np.int8)
    for verdict, rule in zip(verdicts, table.requires, strict=True):
        verdict[:] = np.where(own == CANNOT_BE_BUILT, OPEN, picked(holds(rule, names)))
    return Found(
        index[keep],
        {path: picked(v) if isinstance(v, np.ndarray) else v for path, v in names.items() if path not in RESULTS},
        meant({name: picked(values) for name, values in results.items()}, own, astray),
        own,
        {text: picked(flags) for text, flags in broken.items()},
        wrong,
        verdicts,
        dict(missing),
        [],
    )


def asked_facts(table: Table, result: Result) -> dict[str, Any]:
    """What is known of the groups (group.tensor.tier), where an expression of the table asks for it."""
    items = [*table.show, *(i for own in table.aims.values() for i in own)]
    needs = {name for rule in (*table.wheres, *table.requires) for name in rule.compute.needs}
    needs |= {name for item in items for name in item.compute.needs}
    needs |= {name for c in table.charts for item in c.axes.values() for name in item.compute.needs}
    if result.step is None or result.degrees is None or not any(name.startswith("group.") for name in needs):
        return {}
    found = facts(result.run, result.degrees, result.step)
    return {name: value for name, value in found.items() if name in needs}


def meant(results: dict[str, Column], status: NDArray[np.int8], wrong: Flags) -> dict[str, Column]:
    """The results without those that mean nothing: of points that cannot be built, or whose settings are wrong."""
    unbuilt = status == CANNOT_BE_BUILT
    if np.any(unbuilt):
        for name, values in results.items():
            values[wrong if name in BUILT_OR_NOT else unbuilt] = np.nan
    return results


def nothing(table: Table, removed: list[Removal]) -> Found:
    """What is left where every point is dropped."""
    none = np.zeros(0, dtype=np.int64)
    verdicts = np.zeros((len(table.requires), 0), dtype=np.int8)
    return Found(none, {}, {}, none.astype(np.int8), {}, frozenset(), verdicts, {}, removed)


def kept(
    rules: Sequence[Rule], values: Mapping[str, Any], index: NDArray[np.int64], keep: Flags
) -> tuple[Flags, list[Removal]]:
    """The points of ``keep`` that every `where` keeps, and what each takes away."""
    against = [keep & (holds(rule, values) == FAILS) for rule in rules]
    if not against:
        return keep, []
    times = np.sum(against, axis=0)
    return keep & (times == 0), [
        removal("where", rule.text, away, away & (times == 1), partial(missed_by, rule, values), index)
        for rule, away in zip(rules, against, strict=True)
    ]


MEMORY = frozenset(m.name for m in METRICS if m.name.startswith("memory"))


def after(rules: Sequence[Rule], found: Found, missed: Callable[[Rule | None], Column | None]) -> list[Removal]:
    """What rules of the layout, memory and requirements take of the points that were not dropped."""
    layout = _worded(found.broken)
    times = np.sum([flags for _, flags in layout], axis=0) if layout else np.zeros(found.size, dtype=np.int64)
    result = [removal("layout", text, flags, flags & (times == 1), None, found.index) for text, flags in layout]
    full, ok = found.status == DOES_NOT_FIT, found.status == OK
    fails = [verdict == FAILS for verdict in found.verdicts]
    others = [f for rule, f in zip(rules, fails, strict=True) if not MEMORY & rule.compute.needs]
    if np.any(full):
        alone = full & ~np.logical_or.reduce([np.zeros(found.size, dtype=bool), *others])
        result.append(removal("memory", "fits the GPU's memory", full, alone, lambda: missed(None), found.index))
    times = np.sum(fails, axis=0) if fails else np.zeros(found.size, dtype=np.int64)
    for rule, fail in zip(rules, fails, strict=True):
        away = ok & fail
        result.append(removal("require", rule.text, away, away & (times == 1), partial(missed, rule), found.index))
    return result


def _worded(broken: Mapping[str, Flags]) -> list[tuple[str, Flags]]:
    """Broken rules by their words; rules of one wording together."""
    result: dict[str, Flags] = {}
    for name, flags in broken.items():
        text = words(name)
        result[text] = result[text] | flags if text in result else flags
    return list(result.items())


def holds(rule: Rule, values: Mapping[str, Any]) -> NDArray[np.int8]:
    """HOLDS, FAILS, or OPEN where something that a rule needs is missing."""
    found = rule.holds(values)
    if found is None:
        return np.array([OPEN], dtype=np.int8)
    known: Any = np.array([True])
    for name in rule.compute.needs:
        if isinstance(values[name], np.ndarray) and values[name].dtype == np.float64:
            known = known & ~np.isnan(values[name])
    return np.where(known, np.where(found, HOLDS, FAILS), OPEN).astype(np.int8)


def run(
    base: Run, settings: Mapping[str, Any], moved: Collection[str] | None = None, shared: dict[str, Any] | None = None
) -> Result:
    """The engine's result of the points that share ``settings``; phases of the base run are phases of every point.

    ``shared`` keeps the inputs of a part for others of its variant, which differ in the settings ``moved`` alone.
    """
    own = dict(settings) | dict.fromkeys(loose(base))
    if shared is None or moved is None:
        made = built(own)
    else:
        made = shared["run"] = changed(shared["run"], own, moved) if "run" in shared else built(own)
    phases = [(name, read(own | {p: v.value for p, v in values.items()})) for name, values in base.phases]
    return evaluate_phases(calibrated(made), phases, advise=False)


def loose(base: Run) -> list[str]:
    """Settings that the engine works out for every point of a part."""
    return [path for path in ANEW if follows_layout(base, path)]


def follows_layout(base: Run, path: str) -> bool:
    """Whether a setting of the layout is not stated, so that the engine works it out."""
    value = base.settings.get(path)
    return value is None or value.origin in ("default", "derived")


def statuses(result: Result, wrong: Mapping[str, Flags]) -> tuple[NDArray[np.int8], dict[str, Flags]]:
    """The status of every point, and the rules that some of them break."""
    columns, run = result.columns, result.run
    broken = dict(wrong) | {rule.name: ~rule.holds for rule in result.rules if not np.all(rule.holds)}
    if result.reduced is not None and not np.all(result.reduced.valid_layout):
        broken["gpus"] = ~result.reduced.valid_layout
    none = np.zeros(1, dtype=bool)
    invalid = np.logical_or.reduce(np.broadcast_arrays(none, *broken.values()))
    lacks = np.array([result.status == "not_evaluated"])
    for flags in result.partly.values():
        lacks = lacks | flags
    over = none
    if "memory_headroom" in columns:
        over = columns["memory_headroom"] < 0
        room = run.cluster.host_memory
        over = over if room is None else over | (columns["memory_host"] > room)
    status = np.where(over, DOES_NOT_FIT, np.where(lacks, NOT_EVALUATED, OK))
    return np.where(invalid, CANNOT_BE_BUILT, status).astype(np.int8), broken


def _picked(value: Any, keep: Flags) -> Any:
    return np.broadcast_to(value, keep.shape)[keep] if isinstance(value, np.ndarray) else value

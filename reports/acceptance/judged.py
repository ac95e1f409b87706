"""A sheet held against what was measured: pass or fail of every row, and what has no row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reports.acceptance.observed import Observed
from reports.point import Json, number

SAME_SIZE = 0.01  # a message of so many ranks is rounded down by up to so much of its size
# Rows that one step gives: seconds a step, and what is inversely proportional to them.
STEP, RATES = "step_time", ("tokens_per_second_per_gpu", "mfu", "mfu_bf16")
WORDS = ("pass", "fail", "recorded", "not_measured")


class Judged(NamedTuple):
    """One row: what was measured (the worst where it was measured more than once), the result, and why it failed."""

    row: Mapping[str, Any]
    measured: float | None
    times: int
    result: str
    why: str
    file: str

    def to_json(self) -> Json:
        """The row with its result; margin: by how much of the threshold it passes, negative where it fails."""
        kept = {k: self.row[k] for k in ("id", "test", "title", "unit", "expected", "threshold", "better", "span",
                                         "ranks", "size", "dtype", "shape")}  # fmt: skip
        told = {"measured": number(self.measured), "times": self.times, "result": self.result}
        return kept | told | {"margin": number(margin(self)), "why": self.why or None, "file": self.file or None}


def margin(judged: Judged) -> float | None:
    """(measured - threshold)/threshold, turned round where less is better."""
    threshold = judged.row["threshold"]
    if judged.measured is None or not threshold:
        return None
    share: float = judged.measured / threshold - 1
    return share if judged.row["better"] == "higher" else -share


def judge(rows: Sequence[Mapping[str, Any]], found: Sequence[Observed]) -> tuple[list[Judged], list[Observed]]:
    """Every row judged, and the observations that no row asks for."""
    seen = [*found, *implied(rows, found)]
    judged = [result(row, [o for o in seen if fits(row, o)]) for row in rows]
    return judged, [o for o in found if not any(fits(row, o) for row in rows)]


def fits(row: Mapping[str, Any], o: Observed) -> bool:
    """Whether an observation is of this row: test, ranks, size and shape, as far as it says them."""
    if row["test"] != o.test or (o.ranks is not None and o.ranks != row["ranks"]):
        return False
    if o.shape and (list(o.shape) != list(row["shape"]) or o.dtype != row["dtype"]):
        return False
    return o.size is None or row["size"] is None or abs(o.size / row["size"] - 1) <= SAME_SIZE


def implied(rows: Iterable[Mapping[str, Any]], found: Sequence[Observed]) -> list[Observed]:
    """What a step's seconds say of tokens and utilization, or its tokens of seconds: all have one ratio."""
    expected = {r["test"]: r["expected"] for r in rows if r["expected"]}
    made = []
    for o in found:
        if o.test not in (STEP, *RATES) or not expected.get(o.test) or o.value <= 0:
            continue
        faster = expected[o.test] / o.value if o.test == STEP else o.value / expected[o.test]
        others = {STEP: 1 / faster} | dict.fromkeys(RATES, faster)
        told = {p.test for p in found if p.file == o.file}
        made += [o._replace(test=name, value=expected[name] * by)
                 for name, by in others.items() if name in expected and name not in told]  # fmt: skip
    return made


def result(row: Mapping[str, Any], own: Sequence[Observed]) -> Judged:
    """Pass or fail of one row by the worst of its observations."""
    if not own:
        return Judged(row, None, 0, "not_measured", "", "")
    wrong = next((o for o in own if o.wrong), None)
    higher = row["better"] == "higher"
    worst = wrong or (min if higher else max)(own, key=lambda o: o.value)
    threshold = row["threshold"]
    if wrong is None and threshold is None:
        return Judged(row, worst.value, len(own), "recorded", "", worst.file)
    holds = threshold is None or (worst.value >= threshold if higher else worst.value <= threshold)
    passed = wrong is None and holds
    return Judged(row, worst.value, len(own), "pass" if passed else "fail", worst.wrong, worst.file)


def counts(judged: Sequence[Judged]) -> dict[str, int]:
    """How many rows have each result."""
    return {word: sum(j.result == word for j in judged) for word in WORDS}

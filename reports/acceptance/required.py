"""The longest step that keeps what a scenario requires of times, costs and rates, and why a step passes up to there."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reports.intervals import TIMES, Basis, basis
from reports.point import Json

GROWING = (*TIMES, "cost_per_token")  # in proportion to the time of a step
FALLING = ("mfu", "mfu_bf16", "mfu_attention", "mfu_causal", "hfu", "tokens_per_second", "tokens_per_second_per_gpu")
SIDES: Mapping[str, tuple[str, ...]] = dict.fromkeys(GROWING, ("<=", "<")) | dict.fromkeys(FALLING, (">=", ">"))


class Longest(NamedTuple):
    """The longest step that passes, in seconds (None: it is only recorded), and the reason."""

    seconds: float | None
    reason: str


def longest_step(point: Mapping[str, Any]) -> Longest:
    """The stricter of the interval's high end and of what every requirement leaves to a step."""
    ends = (point["intervals"] or {}).get("step_time")
    stack = str(point["settings"].get("stack") or "")
    own = Longest(ends["high"], high_end(basis(point), stack)) if ends else None
    found = [*([own] if own else []), *required(point["results"], point["verdicts"])]
    if not found:
        return Longest(None, f"recorded only: no interval of {stack or 'the stack'} is known")
    return min(found, key=lambda f: f.seconds or 0.0)


def required(results: Mapping[str, float | None], verdicts: Sequence[Json]) -> list[Longest]:
    """The longest step under each requirement: t limit/result of what grows with it, t result/limit of what falls."""
    step, found = results.get("step_time"), list[Longest]()
    for verdict in verdicts:
        limit = verdict["limit"] or {}
        name, value = str(limit.get("name")), limit.get("value")
        result = results.get(name)
        if not step or not result or not value or value <= 0 or limit["op"] not in SIDES.get(name, ()):
            continue
        share = value / result if name in GROWING else result / value
        because = f", because {verdict['because']}" if verdict["because"] else ""
        found.append(Longest(step * share, f"the scenario requires it: {verdict['require']}{because}"))
    return found


def high_end(known: Basis | None, stack: str) -> str:
    """What the high end of an interval says, by what the interval rests on."""
    kind, rows, wider = known or Basis("own", 0, False)
    runs = f"{rows} published run{'' if rows == 1 else 's'}" if rows else "the published runs"
    said = {
        "own": f"nine in ten of {runs} of {stack} took no more",
        "few": f"of {stack} only {runs} {'is' if rows == 1 else 'are'} known, so it is that of all frameworks, "
        "half as wide again",
        "copied": f"no published run of {stack} is known, so it is that of the frameworks closest to it",
        "file": f"the scenario states it for {stack}",
    }
    if not wider:
        return f"the high end of the interval: {said[kind]}"
    if kind == "own":
        return f"the high end of the interval, widened: no run of {stack} was measured on this GPU at this scale"
    return f"the high end of the interval: {said[kind]}; widened, since none was measured on this GPU at this scale"

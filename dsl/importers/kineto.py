"""PyTorch profiler (Kineto) traces: one rank's kernels as timed pieces of work, each with its class.

Read are complete events (`ph` X) of the categories kernel, gpu_memcpy and gpu_memset, times in microseconds; steps are
the ProfilerStep annotations. A collective's group is in the arguments of its kernel, or of the record_param_comms
operator with the same External id.
"""

import json
import re
from typing import Any, NamedTuple

from dsl.importers.kernels import NCCL, group_class, kernel_class, short, too_many
from dsl.importers.text import SHORTER, unpacked, values
from dsl.limits import VALUES
from dsl.problems import Problem, Span

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
COPIES = re.compile(r"\b(HtoD|DtoH|Host To Device|Device To Host)\b|HtoD|DtoH", re.IGNORECASE)
STEP = re.compile(r"ProfilerStep\s*#\s*(\d+)")
COUNTED = 10**18  # no time in microseconds is larger
BYTES = {"BFloat16": 2, "Half": 2, "Float": 4, "Float8_e4m3fn": 1, "Float8_e5m2": 1, "Byte": 1, "Char": 1, "Long": 8,
         "Int": 4, "Double": 8}  # fmt: skip
Times = tuple[float, float]  # when something began and how long it took, in seconds


class Event(NamedTuple):
    """One kernel or copy: its class, when it began and how long it took, in seconds; what a collective moved."""

    kind: str
    name: str
    start: float
    seconds: float
    collective: str = ""
    group: str = ""
    ranks: int = 0
    size: float = 0.0  # bytes of the larger side


class Trace(NamedTuple):
    """One rank: its number, ranks of the job (0 = not said), seconds of its steps, and its events."""

    rank: int
    world: int
    steps: tuple[float, ...]
    events: tuple[Event, ...]
    notes: tuple[str, ...]


def detects(text: str) -> bool:
    """Whether a text is the beginning of a Kineto trace."""
    return text.lstrip().startswith(("{", "[")) and '"traceEvents"' in text


def read(data: bytes, name: str) -> tuple[Trace | None, list[Problem]]:
    """The trace of one rank, or why there is none."""
    data, problems = unpacked(data, name)
    if problems:
        return None, problems
    place = Span(name, 1, 1, 2)
    if values(data) > VALUES:
        return None, [Problem("E02", f"`{name}` holds more than {VALUES:_} values", place, help=SHORTER)]
    try:
        found = json.loads(data)
    except RecursionError:
        return None, [Problem("E05", f"`{name}` is nested too deep", place)]
    except json.JSONDecodeError as error:
        span = Span(name, error.lineno, error.colno, error.colno + 1)
        help = "a trace that was cut off cannot be read: export it again"
        return None, [Problem("E02", f"`{name}` is not JSON", span, error.msg.lower(), help=help)]
    except (UnicodeDecodeError, ValueError):
        return None, [Problem("E02", f"`{name}` is not JSON that can be read", place)]
    events = found.get("traceEvents") if isinstance(found, dict) else None
    if not isinstance(events, list):
        return None, [Problem("E13", f"{name} has no list of traceEvents", place,
                              help="export it with torch.profiler's export_chrome_trace")]  # fmt: skip
    if wrong := too_many((short(e.get("name", "")) for e in events if _on_device(e)), name):
        return None, wrong
    made = _trace(found, events)
    if not made.events:
        help = "record it with activities=[CPU, CUDA], and export after a step has ended"
        return None, [Problem("E13", f"{name} has no GPU kernels", place, "nothing was timed on a GPU", help=help)]
    return made, []


def _trace(found: dict[str, Any], raw: list[Any]) -> Trace:
    """The events of a trace with the groups that their operators name."""
    info = found.get("distributedInfo")
    info = info if isinstance(info, dict) else {}
    world, rank = _whole(info.get("world_size")), _whole(info.get("rank"))
    whole = [(e, t) for e in raw if isinstance(e, dict) and e.get("ph") == "X" and (t := _times(e)) is not None]
    named = {_id(e): _args(e) for e, _ in whole if e.get("name") == "record_param_comms" and _id(e) is not None}
    guessed: set[str] = set()
    events = tuple(_event(e, times, named, world, guessed) for e, times in whole if _on_device(e))
    return Trace(rank, world, _steps(whole), events, tuple(sorted(guessed)))


def _on_device(event: Any) -> bool:
    return isinstance(event, dict) and event.get("cat") in DEVICE


def _args(event: dict[str, Any]) -> dict[str, Any]:
    args = event.get("args")
    return args if isinstance(args, dict) else {}


def _id(event: dict[str, Any]) -> int | str | None:
    """What ties a kernel to the operator that launched it."""
    found = _args(event).get("External id")
    return found if isinstance(found, int | str) else None


def _times(event: dict[str, Any]) -> Times | None:
    """Start and seconds of an event; None where they are no times."""
    try:
        begin, took = float(event["ts"]), float(event["dur"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return (begin * 1e-6, took * 1e-6) if abs(begin) < COUNTED and 0 <= took < COUNTED else None


def _whole(value: Any) -> int:
    return max(value, 0) if type(value) is int and value < 10**15 else 0


def _steps(events: list[tuple[dict[str, Any], Times]]) -> tuple[float, ...]:
    """Seconds of each profiled step: as the GPU's own annotations have them, else the CPU's."""
    for category in ("gpu_user_annotation", "user_annotation", None):
        found: dict[str, float] = {}
        for e, (_, took) in events:
            number = STEP.match(str(e.get("name", "")))
            if number and category in (None, e.get("cat")):
                found[number[1]] = max(found.get(number[1], 0.0), took)
        if found:
            return tuple(found.values())
    return ()


def _event(
    event: dict[str, Any], times: Times, named: dict[Any, dict[str, Any]], world: int, guessed: set[str]
) -> Event:
    """One kernel or copy with its class."""
    name = short(event.get("name", ""))
    if event.get("cat") != "kernel":
        return Event("host" if COPIES.search(name) else "hbm", name, *times)
    args = _args(event)
    comms = args if "Collective name" in args else named.get(_id(event), args)
    if not NCCL.search(name) and "Collective name" not in args:
        return Event(kernel_class(name), name, *times)
    group, ranks = str(comms.get("Process Group Description", "")), _whole(comms.get("Group size"))
    kind = group_class(group)
    if kind is None:
        kind = "data" if ranks and ranks == world else "other"
        what = f"a group of {ranks} ranks" if ranks else "collectives"
        why = "counted as data-parallel, it holds every rank of the job" if kind == "data" else "counted as other"
        guessed.add(f"{what} without a description: {why}")
    elements = max(_whole(comms.get("In msg nelems")), _whole(comms.get("Out msg nelems")))
    size = float(elements) * BYTES.get(str(comms.get("dtype", "")), 0)
    return Event(kind, name, *times, str(comms.get("Collective name", "")), group, ranks, size)

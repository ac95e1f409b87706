"""Kineto traces: each piece of work with its class, times, group and bytes, and each problem whole."""

import json
from typing import Any

import pytest

from dsl.importers import kineto
from dsl.importers.kineto import Event, Trace, detects, read
from dsl.limits import KERNELS_NAMED
from dsl.problems import Problem, Span

PLACE = Span("t.json", 1, 1, 2)


def event(name: str, ts: Any = 3e6, dur: Any = 2e6, cat: Any = "kernel", **args: Any) -> dict[str, Any]:
    """An event of 2 s that begins after 3 s."""
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "args": args}


def trace(*events: Any, **info: Any) -> Trace:
    found, problems = read(json.dumps({"distributedInfo": info, "traceEvents": events}).encode(), "t.json")
    assert problems == [] and found is not None
    return found


def one(name: str, *cat: str, **args: Any) -> Event:
    (found,) = trace(event(name, 3e6, 2e6, *cat, **args)).events
    return found


@pytest.mark.parametrize(
    ("name", "cat", "kind"),
    [
        ("nvjet_hsh_128x256", "kernel", "gemm"), ("secret", "kernel", "other"),
        ("Memcpy HtoD (Pinned)", "gpu_memcpy", "host"),
        ("Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", "host"), ("device to host", "gpu_memcpy", "host"),
        ("Memcpy DtoD (Device -> Device)", "gpu_memcpy", "hbm"), ("Memset (Device)", "gpu_memset", "hbm"),
    ],
)  # fmt: skip
def test_kernels_and_copies(name: str, cat: str, kind: str) -> None:
    assert one(name, cat) == Event(kind, name, 3.0, 2.0, "", "", 0, 0.0)


def test_a_collective_with_its_group_and_bytes() -> None:
    more: dict[str, Any] = {"Collective name": "allreduce", "Process Group Description": "mesh_tp", "Group size": 4,
                            "dtype": "Half"}  # fmt: skip
    elements = {"In msg nelems": 300, "Out msg nelems": 700}
    expected = Event("tensor", "ncclDevKernel_AllReduce", 3.0, 2.0, "allreduce", "mesh_tp", 4, 1400.0)
    assert one("ncclDevKernel_AllReduce", **more, **elements) == expected
    assert one("kernel_of_mine", **more, **elements) == expected._replace(name="kernel_of_mine")
    turned = {"In msg nelems": 700, "Out msg nelems": 300}
    assert one("ncclDevKernel_AllReduce", **more, **turned) == expected
    assert one("ncclDevKernel_AllReduce", **more) == expected._replace(size=0.0)


@pytest.mark.parametrize(
    ("dtype", "size"),
    [("BFloat16", 2), ("Half", 2), ("Float", 4), ("Float8_e4m3fn", 1), ("Float8_e5m2", 1), ("Byte", 1), ("Char", 1),
     ("Long", 8), ("Int", 4), ("Double", 8), ("Complex", 0), (None, 0)],
)  # fmt: skip
def test_bytes_of_an_element(dtype: str | None, size: int) -> None:
    args: dict[str, Any] = {"dtype": dtype, "In msg nelems": 700}
    assert one("nccl", **args).size == 700 * size


@pytest.mark.parametrize(
    ("elements", "size"),
    [(0, 0), (10**15 - 1, 10**15 - 1), (10**15, 0), (-1, 0), (True, 0), (3.0, 0), ("3", 0), (None, 0), (151, 151)],
)  # fmt: skip
def test_what_is_no_count_of_elements_is_none(elements: Any, size: int) -> None:
    assert one("nccl", **{"dtype": "Byte", "Out msg nelems": elements}).size == size


@pytest.mark.parametrize(
    ("ranks", "kind", "note"),
    [
        (64, "data",
         "a group of 64 ranks without a description: counted as data-parallel, it holds every rank of the job"),
        (8, "other", "a group of 8 ranks without a description: counted as other"),
        (0, "other", "collectives without a description: counted as other"),
    ],
)  # fmt: skip
def test_a_group_without_a_description(ranks: int, kind: str, note: str) -> None:
    found = trace(event("nccl", **{"Group size": ranks}), world_size=64, rank=7)
    assert (found.events[0].kind, found.notes, found.world, found.rank) == (kind, (note,), 64, 7)


def test_ranks_of_a_job_that_does_not_say_how_many() -> None:
    found = trace(event("nccl"))
    assert (found.events[0].kind, found.world, found.rank) == ("other", 0, 0)


def test_the_operator_that_launched_a_kernel_names_its_group() -> None:
    """By the External id; one that is no number and no text ties nothing together."""
    own = {"Collective name": "send", "Process Group Description": "mesh_pp", "Group size": 5}
    for number, kind in ((7, "pipeline"), ("a", "pipeline"), ([7], "other"), (None, "other")):
        operator = event("record_param_comms", cat="cpu_op", **own, **{"External id": number})
        other = event("record_param_comms", cat="cpu_op", **{"External id": 8, "Process Group Description": "mesh_tp"})
        found = trace(operator, other, event("nccl", **{"External id": number}))
        assert [e.kind for e in found.events] == [kind]
    stranger = event("aten::send", cat="cpu_op", **own, **{"External id": 7})
    assert trace(stranger, event("nccl", **{"External id": 7})).events[0].kind == "other"


@pytest.mark.parametrize(
    ("ts", "dur", "times"),
    [
        (0, 0, (0.0, 0.0)), (-5e6, 5e5, (-5.0, 0.5)), ("5e6", "5e5", (5.0, 0.5)), (0, -1, None), (0, "x", None),
        (0, None, None), ([], 1, None), (1e18, 1, None), (-1e18, 1, None), (1, 1e18, None), (1, 9e17, (1e-6, 9e11)),
        (9e17, 1, (9e11, 1e-6)), (-9e17, 1, (-9e11, 1e-6)), (10**400, 1, None), (5e18, 5e18, None),
    ],
)  # fmt: skip
def test_times_are_of_microseconds(ts: Any, dur: Any, times: tuple[float, float] | None) -> None:
    found = trace(event("gemm"), event("gemm", ts, dur)).events[1:]
    assert [pytest.approx((e.start, e.seconds), rel=1e-12) for e in found] == ([times] if times else [])


def test_only_complete_events_on_a_device_are_work() -> None:
    begun = event("gemm") | {"ph": "B"}
    untimed = {"ph": "X", "cat": "kernel", "name": "gemm"}
    unnamed = {"ph": "X", "cat": "kernel", "ts": 3e6, "dur": 2e6, "args": 5}
    found = trace(begun, untimed, 7, event("aten::mm", cat="cpu_op"), unnamed).events
    assert found == (Event("other", "", 3.0, 2.0),)


def step(number: int, seconds: float, cat: str = "user_annotation") -> dict[str, Any]:
    return event(f"ProfilerStep#{number}", dur=seconds * 1e6, cat=cat)


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        ([], ()), ([step(3, 5), step(4, 6)], (5, 6)), ([step(3, 5), step(3, 7), step(3, 6)], (7,)),
        ([step(3, 5), step(3, 4, "gpu_user_annotation")], (4,)), ([step(3, 5), step(3, 4, "other")], (5,)),
        ([step(3, 4, "other")], (4,)), ([step(3, 0.25)], (0.25,)), ([event("Step#3", cat="user_annotation")], ()),
    ],
)  # fmt: skip
def test_steps_are_those_of_the_gpu_else_of_the_cpu(steps: list[Any], seconds: tuple[float, ...]) -> None:
    assert trace(event("gemm"), *steps).steps == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(' {"a": 1, "traceEvents": []}', True), ('["traceEvents"', True), ('{"events": []}', False),
     ('x "traceEvents"', False)],
)  # fmt: skip
def test_a_trace_is_told_by_its_list(text: str, expected: bool) -> None:
    assert detects(text) is expected


def problems(data: bytes) -> list[Problem]:
    found, wrong = read(data, "t.json")
    assert found is None
    return wrong


def test_what_is_no_trace() -> None:
    many = [event(f"k{i}") for i in range(KERNELS_NAMED + 1)]
    kernels = Problem("E13", "t.json has no GPU kernels", PLACE, "nothing was timed on a GPU",
                      help="record it with activities=[CPU, CUDA], and export after a step has ended")  # fmt: skip
    unlisted = Problem("E13", "t.json has no list of traceEvents", PLACE,
                       help="export it with torch.profiler's export_chrome_trace")  # fmt: skip
    assert problems(b'{"traceEvents": []}') == [kernels]
    assert problems(b'{"traceEvents": 5}') == problems(b"[]") == [unlisted]
    assert problems(b'{\n "a"; 1}') == [
        Problem("E02", "`t.json` is not JSON", Span("t.json", 2, 5, 6), "expecting ':' delimiter",
                help="a trace that was cut off cannot be read: export it again")
    ]  # fmt: skip
    assert problems(b'{"a": "\xff"}') == [Problem("E02", "`t.json` is not JSON that can be read", PLACE)]
    assert problems(b"[" * 100_000) == [Problem("E05", "`t.json` is nested too deep", PLACE)]
    assert problems(json.dumps({"traceEvents": many}).encode()) == [
        Problem("E05", f"`t.json` has kernels of more than {KERNELS_NAMED:_} names", PLACE, "read up to here",
                help="export one or two steps")
    ]  # fmt: skip
    assert len(trace(*many[1:]).events) == KERNELS_NAMED


def test_as_many_values_as_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two commas and three brackets are five values at most."""
    data = b'{"traceEvents": [], "a": {}, "b": 1}'
    monkeypatch.setattr(kineto, "VALUES", 5)
    assert [p.code for p in problems(data)] == ["E13"]
    monkeypatch.setattr(kineto, "VALUES", 4)
    assert problems(data) == [
        Problem("E02", "`t.json` holds more than 4 values", PLACE,
                help="record a shorter stretch: one or two steps are enough")
    ]  # fmt: skip

"""Tables of nsys stats: kernels and copies one by one or summed, in any unit, and each problem whole."""

import pytest

from dsl.importers import nsight
from dsl.importers.kineto import Event, Trace
from dsl.importers.nsight import Found, Sum, detects, read
from dsl.limits import KERNELS_NAMED, RANKS
from dsl.problems import Problem, Span

TRACE = "Start (ns),Duration (us),Device,Name"
SUMS = "Total Time (ms),Instances,Max (us),Name"


def found(*lines: str) -> Found:
    made, problems = read("\n".join(lines).encode(), "a.csv")
    assert problems == []
    return made


def test_kernels_one_by_one_by_device() -> None:
    made = found(TRACE, "3e9,2e6,gpu 1,nvjet_hsh",
                 '"4,000,000,000",500,gpu 0,ncclDevKernel_AllReduce_x', "5e9,0,gpu 1,x")  # fmt: skip
    one = (Event("gemm", "nvjet_hsh", 3.0, 2.0), Event("other", "x", 5.0, 0.0))
    two = (Event("other", "ncclDevKernel_AllReduce_x", 4_000_000_000 * 1e-9, 500 * 1e-6, "allreduce"),)
    assert made == Found((Trace(0, 2, (), one, ()), Trace(1, 2, (), two, ())), ())
    assert found("Start (s),Duration (s),Name", "3,2,x").traces == (Trace(0, 1, (), (Event("other", "x", 3, 2),), ()),)


def test_sums_by_name_and_their_longest_call() -> None:
    assert found(SUMS, "5,4,3,nvjet", "7,6,,secret").sums == (
        Sum("gemm", "nvjet", 5 * 1e-3, 4, 3 * 1e-6),
        Sum("other", "secret", 7 * 1e-3, 6, 0),
    )  # fmt: skip
    counts = [found(f"Total Time (s),{head},Name", "5,4,x").sums for head in ("Instances", "Count", "Operations")]
    assert counts == [(Sum("other", "x", 5.0, 4, 0.0),)] * 3


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [("Operation", "[CUDA memcpy Host-to-Device]", "hbm"), ("Operation", "[CUDA memcpy HtoD]", "host"),
     ("Operation", "gemm", "hbm"), ("Name", "[CUDA memset]", "hbm"), ("Name", "[CUDA memcpy DtoH]", "host"),
     ("Name", "gemm DtoH", "gemm"), ("Name", "nccl_gemm", "other")],
)  # fmt: skip
def test_copies_are_told_by_their_column_or_name(head: str, name: str, kind: str) -> None:
    assert found(f"Total Time (s),Count,{head}", f"5,4,{name}").sums == (Sum(kind, name, 5.0, 4, 0.0),)


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [("ns", 1e-9), ("us", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("nsec", 1e-9), ("usec", 1e-6),
     ("msec", 1e-3), ("sec", 1.0)],
)  # fmt: skip
def test_units_of_a_column(unit: str, seconds: float) -> None:
    assert found(f"Total Time ({unit}),Count,Name", "7,4,x").sums[0].seconds == pytest.approx(7 * seconds, rel=1e-12)


@pytest.mark.parametrize("total", ["-1", "x", "1e24", "nan", ""])
@pytest.mark.parametrize("head", ["Total Time (s),Count,Name", "Start (s),Duration (s),Name"])
def test_times_that_are_none(head: str, total: str) -> None:
    problem = Problem("E16", "this row of a.csv does not match its header", Span("a.csv", 3, 1))
    assert read(f"{head}\n0,1,y\n{total},4,x\n0,1,z".encode(), "a.csv")[1] == [problem]
    assert len(found("Total Time (s),Count,Name", "9e23,4,x", "0,0,x").sums) == 2


@pytest.mark.parametrize("calls", ["", "x", "-1", "1.5", "\u00b2", "9" * 16, "9" * 5000])
def test_calls_that_are_no_count(calls: str) -> None:
    assert [p.title for p in read(f"{SUMS}\n5,{calls},3,x\n".encode(), "a.csv")[1]] == [
        "this row of a.csv does not match its header"
    ]
    assert found(SUMS, "5,999999999999999,3,x").sums[0].calls == 999_999_999_999_999


@pytest.mark.parametrize("row", ["5,4,3", "5,4,3,x,y"])
def test_a_row_of_another_width(row: str) -> None:
    problem = Problem("E16", "this row of a.csv does not match its header", Span("a.csv", 2, 1))
    assert read(f"{SUMS}\n{row}\n".encode(), "a.csv")[1] == [problem]


def test_an_empty_line_ends_a_table_and_a_header_begins_one() -> None:
    made = found("about,this", SUMS, "5,4,3,x", " ", "a,b", "1,2,3,x", TRACE, "3e9,2e6,g,y")
    assert ([s.name for s in made.sums], [[e.name for e in t.events] for t in made.traces]) == (["x"], [["y"]])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (TRACE, True), (SUMS, True), ("Total Time (ns),Operation", True), ("Start (ns),Name", False),
        ("Duration (ns),Name", False), ("Total Time (ns),Count", False), ("Total Time (ns),Names", False),
        ("Max (ns),Name", False), (" Total Time (ns) , Name ", True), ("Name", False),
    ],
)  # fmt: skip
def test_columns_tell_a_table(line: str, expected: bool) -> None:
    assert detects(f"x\n{line}\n") is expected


def test_a_file_without_a_table() -> None:
    assert read(b"x\n", "a.csv") == (Found((), ()), [
        Problem("E13", "a.csv has no table of GPU kernels", Span("a.csv", 1, 1, 2),
                help="nsys stats --report cuda_gpu_trace --format csv report.nsys-rep")
    ])  # fmt: skip


def test_more_devices_and_names_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"3e9,2e6,{i},{i}" for i in range(4)]
    monkeypatch.setattr(nsight, "RANKS", 4)
    assert len(found(TRACE, *rows).traces) == 4
    monkeypatch.setattr(nsight, "RANKS", 3)
    assert read("\n".join([TRACE, *rows, "", TRACE, *rows]).encode(), "a.csv")[1] == [
        Problem("E05", "`a.csv` has kernels of more than 3 devices", Span("a.csv", 5, 1), "one more",
                help="export some of the ranks")
    ]  # fmt: skip
    assert RANKS == 10_000
    names = [f"5,4,3,{i}" for i in range(KERNELS_NAMED + 1)]
    assert [p.code for p in read("\n".join([SUMS, *names]).encode(), "a.csv")[1]] == ["E05"]

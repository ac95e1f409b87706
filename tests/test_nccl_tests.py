"""Output of nccl-tests: versions, marks of launchers, several tests in one file, and what cannot be told."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.importers import nccl_tests
from dsl.importers.nccl_tests import Row, detects, factor, read
from dsl.importers.nccl_tests import Test as Table
from dsl.problems import Problem, Span

INPUTS = Path(__file__).parent / "data" / "inputs"
HEAD = """\
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
DEVICES = "".join(f"#  Rank {i:2} Group  0 Pid {371 + i:6} on {'xy'[i // 8]}-gpu4 device {i % 8:2} [0x0f] NVIDIA A100\n"
                  for i in range(16))  # fmt: skip


def one(text: str, name: str = "out.txt") -> Table:
    tests, problems = read(text.encode(), name)
    assert not problems and len(tests) == 1, problems
    return tests[0]


def test_case_c01() -> None:
    tests, problems = read((INPUTS / "c01_nccl_tests.txt").read_bytes(), "c01_nccl_tests.txt")
    assert not problems
    assert [(t.collective, t.ranks) for t in tests] == [("all_reduce", 8), ("all_gather", 8)]
    assert [t.best().bus for t in tests] == [350e9, 175e9]  # 2(n-1)/n and (n-1)/n of 200 GB/s
    assert tests[0].at(1_000_000_000).seconds == pytest.approx(5e-3, rel=1e-12)


def test_two_nodes_of_a100_as_published() -> None:
    """Oracle's guide: 16 A100 on two hosts, 10 GiB, bus bandwidth 222.88 and 218.96 GB/s."""
    text = f"# Collective test starting: all_reduce_perf\n{DEVICES}#\n{HEAD}" + (
        " 10737418240    2684354560     float     sum      -1    90330  118.87  222.88      0    91945  116.78  218.96      0\n"  # noqa: E501
        "# Avg bus bandwidth    : 220.921\n"
    )
    found = one(text)
    assert (found.ranks, found.nodes, found.device, found.dtype) == (16, 2, "NVIDIA A100", "float")
    assert [row.bus for row in found.rows] == [222.88e9, 218.96e9]
    assert [row.in_place for row in found.rows] == [False, True]


def test_marks_of_a_launcher_and_lines_between() -> None:
    """EFA's guide: mpirun --tag-output before each line; NCCL writes its own lines between."""
    text = "# nranks 16\n# all_reduce_perf\n" + "".join(f"[1,0]<stdout>:{line}\n" for line in (HEAD + (
        "           8             2     float     sum      -1    87.96    0.00    0.00      0    78.05    0.00    0.00      0\n"  # noqa: E501
        "NCCL version 2.20.5+cuda12.4\n"
        "          16             4     float     sum      -1    76.83    0.00    0.00      0    77.15    0.00    0.00    N/A"  # noqa: E501
    )).split("\n"))  # fmt: skip
    found = one(text)
    assert [row.size for row in found.rows] == [8, 8, 16, 16]
    assert found.rows[0].seconds == pytest.approx(87.96e-6)


def test_ranks_and_collective_follow_from_the_bandwidths() -> None:
    """382.50 of 218.57 GB/s is 1.75: an all-reduce over 8, which nothing else says."""
    row = "1073741824 268435456 float sum -1 4912.5 218.57 382.50 0 4912.5 218.57 382.50 0\n"
    found = one(HEAD + row)
    assert (found.collective, found.ranks) == ("all_reduce", 8)


def test_a_file_is_named_after_its_test_and_older_columns() -> None:
    """Version 2.0 prints no root and calls the errors `error`; an all-to-all has no in-place check."""
    head = "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error\n"
    row = "    33554432       1048576   float    409.0   82.04   71.79  0e+00    403.0   83.26   72.85    N/A\n"
    found = one("# nranks 8\n" + head + row, "alltoall.txt")
    assert found.collective == "all_to_all" and [r.bus for r in found.rows] == [71.79e9, 72.85e9]


def test_in_place_that_is_not_measured_and_wrong_elements() -> None:
    row = "1048576 32768 float none -1 100.0 10.49 9.18 5 N/A N/A N/A N/A\n"
    found = one(f"# alltoall_perf, nranks 8\n{HEAD}{row}")
    assert len(found.rows) == 1 and found.rows[0].wrong == 5


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("hello\n", "E13", "has no table"),
        (HEAD + "1048576 262144 float none -1 100.0 10.49 9.18 0 100 10.49 9.18 0\n", "E13", "which collective"),
        ("# broadcast_perf\n" + HEAD + "1048576 262144 float none 0 100.0 10.49 10.49 0 100 10.49 10.49 0\n", "E13",
         "how many ranks"),
        ("# all_reduce_perf, nranks 8\n" + HEAD + "1048576 262144 float sum -1 100.0 10.49\n", "E16", "header"),
        ("# all_reduce_perf, nranks 16\n" + HEAD + "1 1 float sum -1 5000 200.00 350.00 0 5000 200.00 350.00 0\n",
         "E26", "16 ranks"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_a_problem(text: str, code: str, says: str) -> None:
    tests, problems = read(text.encode(), "out.txt")
    assert not tests
    assert [p.code for p in problems] == [code] and says in problems[0].title


def test_compressed_and_cut_off() -> None:
    data = gzip.compress((INPUTS / "c01_nccl_tests.txt").read_bytes())
    assert len(read(data, "out.txt.gz")[0]) == 2
    assert [p.code for p in read(data[:60], "out.txt.gz")[1]] == ["E02"]


@given(st.binary(max_size=400), st.booleans())
def test_whatever_is_read_becomes_tests_or_problems(data: bytes, headed: bool) -> None:
    tests, problems = read((b"# all_reduce_perf\n" + HEAD.encode() if headed else b"") + data, "out.txt")
    assert tests or problems
    assert all(p.title and p.span.file == "out.txt" for p in problems)
    assert all(test.ranks >= 1 and all(r.size > 0 and r.seconds > 0 for r in test.rows) for test in tests)


@given(st.sampled_from(["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"]),
       st.integers(2, 1024), st.floats(1e9, 9e11))  # fmt: skip
def test_what_is_printed_is_read_back(kind: str, ranks: int, bus: float) -> None:
    """Within the digits that nccl-tests prints."""
    size, algorithm = 2**30, bus / factor(kind, ranks)
    cells = f"{size / algorithm * 1e6:.0f} {algorithm / 1e9:.2f} {bus / 1e9:.2f} 0"
    name = kind.replace("all_to_all", "alltoall")
    found = one(f"# {name}_perf, nranks {ranks}\n{HEAD}{size} {size // 4} float sum -1 {cells} {cells}\n")
    assert (found.collective, found.ranks) == (kind, ranks)
    assert found.best().bus == pytest.approx(bus, abs=0.51e7)
    assert found.best().size / found.best().seconds == pytest.approx(algorithm, rel=1e-3)


def test_detection() -> None:
    assert detects(HEAD) and not detects("# size of a table\n")


@pytest.mark.parametrize("place", [0, 5, 6, 7])
def test_a_number_that_no_test_prints_is_a_problem(place: int) -> None:
    words = ["1048576", "262144", "float", "sum", "-1", "50.0", "21.0", "36.7", "0", "50.0", "21.0", "36.7", "0"]
    words[place] = "9" * 400
    tests, problems = read(f"# Collective test starting: all_reduce_perf\n{HEAD} {' '.join(words)}\n".encode(), "x.txt")
    assert not tests and [p.code for p in problems] == ["E16"]
    assert "does not match its header" in problems[0].title


def row(size: int, algorithm: str, bus: str, redop: str = "sum", micro: str = "50.0") -> str:
    return f"{size} {size // 4} float {redop} -1 {micro} {algorithm} {bus} 0 {micro} {algorithm} {bus} 0\n"


def told(text: str, name: str = "out.txt") -> tuple[str, int] | str:
    """The collective and the ranks of the one test, else the title of the one problem."""
    tests, problems = read(text.encode(), name)
    assert len(tests) + len(problems) == 1
    return (tests[0].collective, tests[0].ranks) if tests else problems[0].title


WHICH = "a table of out.txt does not say which collective it is"
HOW_MANY = "a table of out.txt does not say how many ranks ran"


@pytest.mark.parametrize(
    ("algorithm", "bus", "redop", "ranks", "found"),
    [
        ("100.00", "50.00", "sum", 2, ("reduce_scatter", 2)),
        ("100.00", "100.00", "sum", 2, WHICH),  # an all-reduce or a reduce
        ("100.00", "75.00", "sum", 2, WHICH), ("100.00", "80.00", "sum", 2, WHICH),
        ("100.00", "133.33", "max", 3, ("all_reduce", 3)), ("100.00", "66.67", "avg", 3, ("reduce_scatter", 3)),
        ("100.00", "102.00", "sum", 3, WHICH), ("100.00", "98.00", "sum", 3, WHICH), ("0.00", "0.00", "sum", 8, WHICH),
        ("100.00", "87.50", "none", 8, WHICH),  # all of them that do not add look alike
        ("100.00", "105.00", "sum", 3, "1.050 is no ratio of bus to algorithm bandwidth of all_reduce over 3 ranks"),
        ("100.00", "97.00", "sum", 3, "0.970 is no ratio of bus to algorithm bandwidth of reduce_scatter over 3 ranks"),
    ],
)  # fmt: skip
def test_a_collective_by_the_ratio_that_it_leaves(
    algorithm: str, bus: str, redop: str, ranks: int, found: tuple[str, int] | str
) -> None:
    """Small messages, whose printed bandwidths say nothing, do not count."""
    table = HEAD + row(8, "0.01", "0.01", redop) + row(2**30, algorithm, bus, redop)
    assert told(f"# nranks {ranks}\n{table}") == found
    if ranks == 2:
        devices = "".join(DEVICES.splitlines(True)[:2])
        assert told(devices + table) == found


@pytest.mark.parametrize(
    ("name", "algorithm", "bus", "found"),
    [
        ("all_gather", "100.00", "87.50", ("all_gather", 8)), ("all_gather", "100.00", "98.94", ("all_gather", 94)),
        ("all_gather", "100.00", "98.98", HOW_MANY),  # 97.6 to 98.5 ranks would print this
        ("all_reduce", "100.00", "175.00", ("all_reduce", 8)), ("all_reduce", "100.00", "197.96", HOW_MANY),
        ("all_gather", "100.00", "100.00", HOW_MANY), ("all_gather", "0.00", "0.00", HOW_MANY),
        ("broadcast", "100.00", "98.00", HOW_MANY), ("reduce", "100.00", "98.00", HOW_MANY),
    ],
)  # fmt: skip
def test_ranks_by_the_ratio_as_far_as_its_digits_tell_them(
    name: str, algorithm: str, bus: str, found: tuple[str, int] | str
) -> None:
    table = HEAD + row(8, "0.00", "0.00") + row(2**30, algorithm, bus)
    assert told(f"# {name}_perf\n{table}") == found


@pytest.mark.parametrize(
    ("name", "ranks", "algorithm", "bus", "right"),
    [
        ("all_reduce", 8, "100.00", "178.40", True), ("all_reduce", 8, "100.00", "178.60", False),
        ("all_reduce", 8, "100.00", "171.60", True), ("all_reduce", 8, "100.00", "171.40", False),
        ("all_reduce", 2, "100.00", "150.00", False), ("all_reduce", 1, "100.00", "150.00", True),
        ("broadcast", 8, "100.00", "100.00", True), ("sendrecv", 8, "100.00", "110.00", False),
        ("hypercube", 8, "100.00", "150.00", True), ("alltoall", 8, "100.00", "87.50", True),
        ("all_reduce", 8, "0.99", "9.00", True), ("all_reduce", 8, "1.00", "9.00", False),  # too few digits below
    ],
)  # fmt: skip
def test_bandwidths_that_contradict_the_test_by_a_fiftieth(
    name: str, ranks: int, algorithm: str, bus: str, right: bool
) -> None:
    tests, problems = read(f"# {name}_perf, nranks {ranks}\n{HEAD}{row(8, '0.01', '0.09')}"
                           f"{row(2**30, algorithm, bus)}".encode(), "out.txt")  # fmt: skip
    assert (len(tests), [p.code for p in problems]) == ((1, []) if right else (0, ["E26"]))


def test_problems_stand_at_their_row_or_table_and_say_the_way_out() -> None:
    assert read(f"# all_reduce_perf, nranks 16\n{HEAD}{row(2**30, '200.00', '350.00')}".encode(), "a")[1] == [
        Problem("E26", "1.750 is no ratio of bus to algorithm bandwidth of all_reduce over 16 ranks", Span("a", 5, 1),
                "this row", help="it should be 1.875: name the right test and ranks")
    ]  # fmt: skip
    assert read(f"\n{HEAD}{row(2**30, '100.00', '87.50', 'none')}".encode(), "a")[1] == [
        Problem("E13", "a table of a does not say which collective it is", Span("a", 3, 1), "this one",
                help="keep the lines before it: `# Collective test starting: …` and the ranks")
    ]  # fmt: skip
    assert read(f"# all_reduce_perf, nranks 8\n{HEAD}8 2 float sum\n".encode(), "a")[1] == [
        Problem("E16", "this row of a does not match its header", Span("a", 5, 1),
                "expected size count type redop root time …")
    ]  # fmt: skip
    assert read(b"hello\n", "a")[1] == [
        Problem("E13", "a has no table of nccl-tests", Span("a", 1, 1), "nothing found", (),
                ("a table has a line `# size count type redop root time algbw busbw`",),
                "save what all_reduce_perf and the like print, header lines included")
    ]  # fmt: skip


def test_more_tests_or_rows_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tests of two rows each: within bounds of 2 and 4, past bounds of 1 or of 3."""
    data = ("# all_reduce_perf, nranks 8\n" + HEAD + row(2**30, "200.00", "350.00")).encode() * 2
    monkeypatch.setattr(nccl_tests, "MOST", 2)
    monkeypatch.setattr(nccl_tests, "ROWS", 4)
    assert read(data, "a")[1] == []
    monkeypatch.setattr(nccl_tests, "ROWS", 3)
    assert read(data, "a")[1] == [
        Problem("E05", "`a` has more than 2 tests or 3 rows", Span("a", 1, 1), "read up to here",
                help="import some of them")
    ]  # fmt: skip
    monkeypatch.setattr(nccl_tests, "ROWS", 4)
    monkeypatch.setattr(nccl_tests, "MOST", 1)
    assert [p.title for p in read(data, "a")[1]] == ["`a` has more than 1 tests or 4 rows"]


def test_what_is_a_row_and_what_begins_another_table() -> None:
    first, second = row(2**20, "200.00", "350.00"), row(2**21, "200.00", "350.00")
    between = "8 16 a\nrank 0 took 3 s\n8 times in a row\n# a remark\nall_gather_perf comes next\n"
    text = f"# nranks 8\n# all_reduce_perf\n{HEAD}{first}{between}{second}# all_gather_perf\n"
    found, more = read(f"{text}{HEAD}{row(2**30, '100.00', '75.00')}".encode(), "a")[0]
    assert [(r.size, r.in_place, r.line) for r in found.rows] == [(2**20, False, 6), (2**20, True, 6),
                                                                  (2**21, False, 12), (2**21, True, 12)]  # fmt: skip
    assert (found.collective, found.ranks, found.line) == ("all_reduce", 8, 4)
    assert (more.collective, more.ranks, more.line) == ("all_gather", 4, 15)  # of its own bandwidths
    for line in ("# size time\n", "# size busbw\n", "# time busbw\n", "size time busbw\n"):
        assert not detects(line)


@pytest.mark.parametrize(
    ("columns", "cells", "rows"),
    [
        ("redop time algbw busbw #wrong", "sum 50.0 0.10 0.20 5", [(5e-5, 1e8, 2e8, 5)]),
        ("redop time algbw busbw", "sum 0.5 0.10 0.20", [(5e-7, 1e8, 2e8, 0)]),
        ("redop root time algbw busbw error", "50.0 0.10 0.20 1.5e+01", [(5e-5, 1e8, 2e8, 15)]),  # blank in both
        ("redop time algBw busbw res", "sum 50.0 0.10 0.20 N/A", [(5e-5, 1e8, 2e8, 0)]),
        ("redop time algbw busbw", "sum 0.0 0.10 0.20", None),  # no rate of no time
        ("redop time algbw busbw #wrong", "sum 50.0 0.10 bad N/A", "E16"),
        ("redop time algbw busbw #wrong", "sum 50.0 -0.10 0.20 0", "E16"),
        ("redop time algbw busbw", "sum 1e18 0.10 0.20", [(1e12, 1e8, 2e8, 0)]),
        ("redop time algbw busbw", "sum 1.05e18 0.10 0.20", "E16"),
    ],
)  # fmt: skip
def test_cells_of_every_version(columns: str, cells: str, rows: list[tuple[float, float, float, int]] | None) -> None:
    text = f"# all_reduce_perf, nranks 8\n# size count type {columns}\n"
    tests, problems = read(f"{text}0 0 float {cells}\n8 0 float {cells}\n".encode(), "a")
    if isinstance(rows, list):
        (found,) = tests
        assert [r.size for r in found.rows] == [8]  # a call of no bytes has no rate
        assert [(r.seconds, r.algorithm, r.bus, r.wrong) for r in found.rows] == [pytest.approx(r) for r in rows]
    else:
        assert not tests and [p.code for p in problems] == [rows or "E13"]


def test_the_best_row_and_the_row_at_a_size() -> None:
    rows = [Row(size, place, seconds, 1e9, bus, 0, 1) for size, place, seconds, bus in
            ((2**20, False, 3e-5, 3e9), (2**20, True, 2e-5, 9e9), (2**22, False, 8e-5, 5e9))]  # fmt: skip
    found = Table("all_reduce", 8, 1, "float", "", tuple(rows), 1)
    assert found.best() == rows[1]
    assert [found.at(size) for size in (1, 2**20, 2**21, 2**22, 2**30)] == [rows[1], rows[1], rows[1], rows[2], rows[2]]


def test_a_device_that_is_unlike_the_others_and_one_host() -> None:
    lines = DEVICES.splitlines(True)[:8]
    found = one("".join([lines[0].replace("A100", "H100"), *lines[1:]]) + HEAD + row(2**30, "200.00", "350.00"))
    assert (found.device, found.nodes, found.ranks) == ("NVIDIA H100", 1, 8)


@pytest.mark.parametrize(("kind", "ratio"), [("all_reduce", 1.5), ("all_gather", 0.75), ("reduce_scatter", 0.75),
    ("all_to_all", 0.75), ("scatter", 0.75), ("gather", 0.75), ("hypercube", 0.75), ("broadcast", 1.0), ("reduce", 1.0),
    ("send_receive", 1.0)])  # fmt: skip
def test_bus_over_algorithm_bandwidth_of_four_ranks(kind: str, ratio: float) -> None:
    """NCCL's doc/PERFORMANCE.md: 2(n-1)/n, (n-1)/n and 1."""
    assert factor(kind, 4) == ratio


def test_digits_that_are_no_decimals_are_no_size() -> None:
    text = HEAD + row(2**30, "200.00", "350.00").replace("1073741824", "\u00b2")
    assert [p.code for p in read(text.encode(), "a")[1]] == ["E13"]

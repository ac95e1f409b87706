"""Output of nccl-tests: versions, marks of launchers, several tests in one file, and what cannot be told."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.importers.nccl_tests import Test as Table
from dsl.importers.nccl_tests import detects, factor, read

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

"""Tables of timed matrix multiplies: columns by any of their names, seconds or rates, datatypes, and each problem."""

import pytest

from dsl.importers import gemm_table
from dsl.importers.gemm_table import Timed, detects, read
from dsl.kind import DTYPES
from dsl.limits import ROWS, TABLE
from dsl.problems import Problem, Span


def rows(*lines: str) -> list[Timed]:
    found, problems = read("\n".join(lines).encode(), "g.csv")
    assert problems == []
    return found


def problem(*lines: str) -> Problem:
    found, problems = read("\n".join(lines).encode(), "g.csv")
    assert found == []
    (one,) = problems
    return one


@pytest.mark.parametrize(
    ("column", "factor"),
    [("seconds", 1.0), ("time_s", 1.0), ("s", 1.0), ("ms", 1e-3), ("time_ms", 1e-3), ("milliseconds", 1e-3),
     ("us", 1e-6), ("time_us", 1e-6), ("microseconds", 1e-6), ("ns", 1e-9), ("time_ns", 1e-9), ('" Time (ms) "', 1e-3)],
)  # fmt: skip
def test_a_column_of_times(column: str, factor: float) -> None:
    assert rows(f"m,n,k,{column}", "300,500,700,4") == [Timed(300, 500, 700, "bf16", 4 * factor, 2)]


@pytest.mark.parametrize(
    ("column", "unit"),
    [("tflops", 1e12), ("TFLOP/s", 1e12), ("tflops/s", 1e12), ("gflops", 1e9), ("gflop/s", 1e9), ("pflops", 1e15)],
)
def test_a_column_of_rates(column: str, unit: float) -> None:
    """2 m n k FLOP at the rate."""
    (found,) = rows(f"m,n,k,{column}", "300,500,700,4")
    assert found.seconds == pytest.approx(2 * 300 * 500 * 700 / (4 * unit), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "precision"),
    [("bfloat16", "bf16"), ("float16", "fp16"), ("half", "fp16"), ("float8", "fp8"), ("float8_e4m3fn", "fp8"),
     ("e4m3", "fp8"), ("float32", "fp32"), ("float", "fp32"), ("tf32", "tf32"), ("nvfp4", "fp4"), ("mxfp4", "fp4"),
     ("mxfp8", "fp8"), ("f16", "fp16"), ("f32", "fp32"), ("f8", "fp8"), ("torch.bfloat16", "bf16"),
     ("CUDA_R_16F", None), ("", "bf16"), ("BF16", "bf16")],
)  # fmt: skip
def test_datatypes_by_their_names(given: str, precision: str | None) -> None:
    lines = ("k;n;m;ms;dtype", f"700;500;300;4;{given}")
    if precision is None:
        assert problem(*lines).title == f"`16f` is no datatype: {', '.join(DTYPES)}"
    else:
        assert rows(*lines) == [Timed(300, 500, 700, precision, 4 * 1e-3, 2)]


def test_a_datatype_that_is_none_is_told_with_20_characters() -> None:
    assert problem("# a", "m,n,k,ms,type", "3,5,7,4," + "x" * 19 + "yz") == Problem(
        "E16", f"`{'x' * 19}y` is no datatype: {', '.join(DTYPES)}", Span("g.csv", 3, 1), "this row"
    )


def test_comments_empty_lines_and_other_columns_are_passed_over() -> None:
    found = rows("# a,b", "", "id\tprecision\tm\tn\tk\tus\tms", "x\tfp8\t3\t5\t7\t4\t9", "", "#y",
                 "x\tfp8\t1_000\t5\t7\t4")  # fmt: skip
    assert found == [Timed(3, 5, 7, "fp8", 4 * 1e-6, 4), Timed(1000, 5, 7, "fp8", 4 * 1e-6, 7)]
    assert rows("m,n,k,ms,note", "3,5,7,4") == rows("m,n,k,ms", "3,5,7,4,5,6") == [Timed(3, 5, 7, "bf16", 4 * 1e-3, 2)]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    ("cell", "small"),
    [("x", False), ("", False), ("0", True), ("-3", True), ("nan", True), ("inf", True), ("1e18", True),
     ("1e-12", True), ("1.1e-12", None), ("9.9e17", None)],
)  # fmt: skip
def test_cells_are_numbers_above_nothing(place: int, cell: str, small: bool | None) -> None:
    cells = ["3", "5", "7", "4"]
    cells[place] = cell
    lines = ("m,n,k,ms", ",".join(cells))
    if small is None:
        assert len(rows(*lines)) == 1
    else:
        title = "m, n, k and ms are larger than 0" if small else "m, n, k and ms are numbers"
        assert problem(*lines) == Problem("E16", title, Span("g.csv", 2, 1), "this row")


@pytest.mark.parametrize(
    ("header", "what"), [("m,n,ms", "column k"), ("n,ms", "column m"), ("m,n,k", "a time or a rate"), ("x", "column m")]
)
def test_a_header_that_lacks_a_column(header: str, what: str) -> None:
    notes = ("times: seconds, time_s, s, ms, time_ms, milliseconds …; rates: tflops",)
    expected = Problem("E13", f"g.csv lacks {what}", Span("g.csv", 3, 1), "the header line", notes=notes)
    assert problem("#", "", header, "3,5,7,4") == expected


def test_a_file_without_rows_and_one_with_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Problem("E13", "g.csv has no rows", Span("g.csv", 1, 1), help="a header line, then one line a shape")
    assert problem("# x", " ") == nothing and rows("m,n,k,ms") == []
    monkeypatch.setattr(gemm_table, "ROWS", 3)
    lines = ["m,n,k,ms", *["3,5,7,4"] * 4]
    assert len(rows(*lines[:4])) == 3 and ROWS == 100_000
    assert problem(*lines) == Problem("E02", "g.csv has more than 3 rows", Span("g.csv", 5, 1))
    assert [p.title for p in read(b"m" * (TABLE + 1), "g.csv")[1]] == ["`g.csv` is larger than 25 MB"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("m,n,k,ms", True), ("# c\n\nM\tN\tK\tTFLOPS\n", True), ("m;n;k;x", False), ("m,n,ms", False), ("", False),
     ("x\nm,n,k,ms", False), ('"m","n","k","Time (us)"', True)],
)  # fmt: skip
def test_the_first_line_tells_a_table(text: str, expected: bool) -> None:
    assert detects(text) is expected

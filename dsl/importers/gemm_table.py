"""A table of timed matrix multiplies: CSV or TSV with m, n, k, a datatype, and seconds or TFLOP/s a row."""

import io
from typing import NamedTuple

from dsl.importers.text import cells, lines_of, rows
from dsl.kind import DTYPES
from dsl.limits import ROWS, TABLE
from dsl.problems import Problem, Span

COLUMNS = {"m": "m", "n": "n", "k": "k", "dtype": "dtype", "precision": "dtype", "datatype": "dtype", "type": "dtype"}
# How a column may give the time: its name in small letters, and what turns its figure into seconds or FLOP/s.
TIMES = {"seconds": 1.0, "time_s": 1.0, "s": 1.0, "ms": 1e-3, "time_ms": 1e-3, "milliseconds": 1e-3, "us": 1e-6,
         "time_us": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "time_ns": 1e-9}  # fmt: skip
RATES = {"tflops": 1e12, "tflop/s": 1e12, "tflops/s": 1e12, "gflops": 1e9, "gflop/s": 1e9, "pflops": 1e15}
ALIASES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float8": "fp8", "float8_e4m3fn": "fp8",
           "e4m3": "fp8", "float32": "fp32", "float": "fp32", "tf32": "tf32", "nvfp4": "fp4", "mxfp4": "fp4",
           "mxfp8": "fp8", "f16": "fp16", "f32": "fp32", "f8": "fp8"}  # fmt: skip


SMALLEST = 1e-12  # a figure of a row below that is no measurement


class Timed(NamedTuple):
    """One multiply: its shape, its datatype, seconds."""

    m: float
    n: float
    k: float
    precision: str
    seconds: float
    line: int


def detects(text: str) -> bool:
    """Whether a text is a table whose first line names m, n, k and a time or a rate."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    names = [_name(cell) for cell in cells(first, _delimiter(first))]
    return {"m", "n", "k"} <= set(names) and any(n in TIMES or n in RATES for n in names)


def read(data: bytes, name: str) -> tuple[list[Timed], list[Problem]]:
    """The rows of the table; a row that cannot be read is a problem, a second time of a shape is kept as it is."""
    plain, problems = lines_of(data, name, TABLE)
    if problems:
        return [], problems
    lines = plain.text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    if start == len(lines):
        help = "a header line, then one line a shape"
        return [], [Problem("E13", f"{name} has no rows", Span(name, 1, 1), help=help)]
    table = rows(io.StringIO("\n".join(lines[start:])), _delimiter(lines[start]))
    names = [_name(cell) for cell in next(table)]
    lacking = [c for c in ("m", "n", "k") if c not in names]
    timed = next((c for c in names if c in TIMES or c in RATES), None)
    if lacking or timed is None:
        what = f"column {lacking[0]}" if lacking else "a time or a rate"
        return [], [Problem("E13", f"{name} lacks {what}", Span(name, start + 1, 1), "the header line",
                            notes=(f"times: {', '.join(list(TIMES)[:6])} …; rates: tflops",))]  # fmt: skip
    found: list[Timed] = []
    for number, line in enumerate(table, start=start + 2):
        if len(found) >= ROWS:
            problems.append(Problem("E02", f"{name} has more than {ROWS} rows", Span(name, number, 1)))
            break
        if any(line) and not line[0].startswith("#"):
            row = _row(names, timed, line, number)
            if isinstance(row, str):
                problems.append(Problem("E16", row, Span(name, number, 1), "this row"))
                break
            found.append(row)
    return ([], problems) if problems else (found, problems)


def _row(names: list[str], timed: str, cells: list[str], line: int) -> Timed | str:
    """One row, or what is wrong with it."""
    given = dict(zip(names, (c.strip() for c in cells), strict=False))
    try:
        m, n, k, value = (float(given.get(c, "").replace("_", "")) for c in ("m", "n", "k", timed))
    except ValueError:
        return f"m, n, k and {timed} are numbers"
    if not all(SMALLEST < v < 1e18 for v in (m, n, k, value)):
        return f"m, n, k and {timed} are larger than 0"
    raw = given.get("dtype", "bf16").lower().removeprefix("torch.").removeprefix("cuda_r_") or "bf16"
    precision = ALIASES.get(raw, raw)
    if precision not in DTYPES:
        return f"`{raw[:20]}` is no datatype: {', '.join(DTYPES)}"
    seconds = value * TIMES[timed] if timed in TIMES else 2 * m * n * k / (value * RATES[timed])
    return Timed(m, n, k, precision, seconds, line)


def _delimiter(line: str) -> str:
    return max((",", "\t", ";"), key=line.count)


def _name(cell: str) -> str:
    found = cell.strip().strip('"').lower().replace(" ", "_").replace("(", "").replace(")", "")
    return COLUMNS.get(found, found)

"""Output of nccl-tests (and rccl-tests): what each test reached at each size, as typed rows.

A file may hold several tests, MPI or Slurm marks before each line, and other programs' lines between. The layout is
that of NVIDIA/nccl-tests `src/common.cu` and `src/util.cu` from version 1 on: sizes in bytes of the larger buffer,
times in microseconds, bandwidths in 10^9 bytes a second, out of place and then in place.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dsl.importers.text import Lines, lines_of
from dsl.limits import ROWS
from dsl.limits import TESTS as MOST
from dsl.problems import Problem, Span

TESTS = {
    "all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter",
    "alltoall": "all_to_all", "alltoallv": "all_to_all", "broadcast": "broadcast", "reduce": "reduce",
    "sendrecv": "send_receive", "scatter": "scatter", "gather": "gather", "hypercube": "hypercube",
}  # fmt: skip
SHARED = ("all_gather", "reduce_scatter", "all_to_all", "scatter", "gather", "hypercube")  # busbw = (n-1)/n algbw
OLD = {"bytes": "size", "N": "count", "op": "redop", "res": "#wrong", "error": "#wrong", "algBw": "algbw"}
MARK = re.compile(r"^\s*(\[\d+,\d+\]<std(?:out|err)>:|\d+: )")  # of mpirun --tag-output and srun --label
NAMED = re.compile(r"(?<![a-z_])([a-z_]+?)_perf(?:_mpi)?\b")
RANKS = re.compile(r"\bnranks[ =:]+(\d+)")
DEVICE = re.compile(r"#\s*Rank\s+\d+\s[^#]*?\bon\s+(\S+)\s+device\s+\S+\s+\[[^\[\]]*\]\s*(.*)")
SPEEDS = ("time", "algbw", "busbw")  # what a table has side by side, out of place and again in place
PRINTED = 5e-3  # GB/s: bandwidths are printed with two digits


LARGEST = 1e18  # bytes, microseconds or GB/s of a row; more is no measurement


class Row(NamedTuple):
    """One size, out of place or in place: seconds, and bytes a second as printed."""

    size: int
    in_place: bool
    seconds: float
    algorithm: float
    bus: float
    wrong: int  # elements that came out wrong, 0 where they were not checked
    line: int


class Test(NamedTuple):
    """One test: its collective by the engine's name, its ranks, the hosts they ran on (0 = not said) and its rows."""

    collective: str
    ranks: int
    nodes: int
    dtype: str
    device: str
    rows: tuple[Row, ...]
    line: int

    def best(self) -> Row:
        """The row of the highest bus bandwidth."""
        return max(self.rows, key=lambda row: row.bus)

    def at(self, size: int) -> Row:
        """The row whose size is nearest, the faster of out of place and in place."""
        return min(self.rows, key=lambda row: (abs(row.size - size), row.seconds))


class _Head(NamedTuple):
    """What stands before a table."""

    named: str
    ranks: int
    devices: list[tuple[str, str]]  # host and name of each rank's
    columns: tuple[str, ...]
    line: int


def read(data: bytes, name: str) -> tuple[list[Test], list[Problem]]:
    """The tests in ``data``, and what is wrong with it; ``name`` is the file as problems show it."""
    lines, problems = lines_of(data, name)
    tests = [made for head, rows in _tables(lines, problems) if (made := _test(head, rows, name, problems)) is not None]
    if len(tests) > MOST or sum(len(test.rows) for test in tests) > ROWS:
        title, help = f"`{name}` has more than {MOST:_} tests or {ROWS:_} rows", "import some of them"
        problems.append(Problem("E05", title, Span(name, 1, 1), "read up to here", help=help))
    if not tests and not problems:
        problems.append(Problem("E13", f"{name} has no table of nccl-tests", Span(name, 1, 1), "nothing found", (),
                                ("a table has a line `# size count type redop root time algbw busbw`",),
                                "save what all_reduce_perf and the like print, header lines included"))  # fmt: skip
    return tests, problems


def detects(text: str) -> bool:
    """Whether a text looks like output of nccl-tests."""
    return any(_columns(MARK.sub("", line).strip()) for line in text.splitlines())


def _tables(lines: Lines, problems: list[Problem]) -> Iterator[tuple[_Head, list[tuple[int, list[str]]]]]:
    """Each table with what was said before it: the name of the test, its ranks and devices."""
    head, rows = _Head("", 0, [], (), 1), list[tuple[int, list[str]]]()
    for number, raw in lines.numbered():
        line = MARK.sub("", raw).strip()
        words = line.split()
        if rows and (line.startswith("#") and (_columns(line) or NAMED.search(line))):
            yield head, rows
            head, rows = _Head("", 0, [], (), number), []
        if head.columns and len(words) > 3 and words[0].isdecimal() and words[1].isdecimal():
            rows.append((number, words))
        else:
            head = _said(head, line, number)
    if rows:
        yield head, rows


def _said(head: _Head, line: str, number: int) -> _Head:
    """What one line before a table adds."""
    if columns := _columns(line):
        return head._replace(columns=columns, line=number)
    if (device := DEVICE.search(line)) is not None:
        head.devices.append((device[1], device[2].strip()))
        return head
    if (ranks := RANKS.search(line)) is not None and line.startswith("#"):
        head = head._replace(ranks=int(ranks[1]))
    if (named := NAMED.search(line)) is not None and named[1].lower() in TESTS and not head.columns:
        head = head._replace(named=TESTS[named[1].lower()])
    return head


def _columns(line: str) -> tuple[str, ...]:
    """The columns of a table from its line of names, else nothing."""
    words = [OLD.get(word, word) for word in line.lstrip("#").split()] if line.startswith("#") else []
    return tuple(words) if "size" in words and _starts(tuple(words)) else ()


def _starts(columns: tuple[str, ...]) -> list[int]:
    """Where the times stand that both bandwidths follow."""
    return [i for i in range(len(columns)) if columns[i : i + 3] == SPEEDS]


def _test(head: _Head, raw: list[tuple[int, list[str]]], name: str, problems: list[Problem]) -> Test | None:
    """A table as a test; nothing where a row, the collective or the ranks cannot be told."""
    rows: list[Row] = []
    for number, words in raw:
        found = _rows(head.columns, words, number)
        if found is None:
            title = f"this row of {name} does not match its header"
            label = f"expected {' '.join(head.columns[:6])} …"
            problems.append(Problem("E16", title, Span(name, number, 1), label))
            return None
        rows += found
    if not rows:
        return None
    kind = head.named or _by_file(name) or _by_ratio(raw, head, rows)
    ranks = head.ranks or len(head.devices) or _ranks(kind, rows)
    doubt = _doubt(kind, ranks, rows, head.line, name)
    if doubt is not None:
        problems.append(doubt)
        return None
    hosts = {host for host, _ in head.devices}
    device = head.devices[0][1] if head.devices else ""
    return Test(kind, ranks, len(hosts), raw[0][1][2], device, tuple(rows), head.line)


def _doubt(kind: str, ranks: int, rows: list[Row], line: int, name: str) -> Problem | None:
    """What is not said before a table, or contradicts its bandwidths."""
    if not kind or not ranks:
        what = "which collective it is" if not kind else "how many ranks ran"
        help = "keep the lines before it: `# Collective test starting: …` and the ranks"
        return Problem("E13", f"a table of {name} does not say {what}", Span(name, line, 1), "this one", help=help)
    wrong = _contradiction(kind, ranks, rows)
    if wrong is None:
        return None
    ratio, help = wrong.bus / wrong.algorithm, f"it should be {factor(kind, ranks):.3f}: name the right test and ranks"
    title = f"{ratio:.3f} is no ratio of bus to algorithm bandwidth of {kind} over {ranks} ranks"
    return Problem("E26", title, Span(name, wrong.line, 1), "this row", help=help)


def _rows(columns: tuple[str, ...], words: list[str], line: int) -> list[Row] | None:
    """The rows of one line: out of place, then in place. A column that a version leaves blank is left out."""
    while len(words) < len(columns) and (blank := next((c for c in ("root", "redop") if c in columns), None)):
        columns = tuple(c for c in columns if c != blank)
    if len(words) < len(columns):
        return None
    found = []
    for place, start in enumerate(_starts(columns)[:2]):
        try:
            seconds, algorithm, bus = (float(words[start + i]) for i in range(3))
        except ValueError:
            if "N/A" in words[start : start + 3]:
                continue
            return None
        if not all(0 <= value <= LARGEST for value in (seconds, algorithm, bus, float(words[0]))):
            return None
        wrong = words[start + 3] if start + 3 < len(words) else "0"
        if seconds > 0 and int(words[0]) > 0:  # a call of no bytes has no rate
            bad = int(min(float(wrong), LARGEST)) if re.fullmatch(r"\d+(\.\d+)?([eE][+-]?\d+)?", wrong) else 0
            found.append(Row(int(words[0]), place == 1, seconds * 1e-6, algorithm * 1e9, bus * 1e9, bad, line))
    return found


def factor(collective: str, ranks: int) -> float:
    """Bus over algorithm bandwidth as nccl-tests defines it (its doc/PERFORMANCE.md)."""
    if collective == "all_reduce":
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if collective in SHARED else 1.0


def _by_file(name: str) -> str:
    """The collective that a file is named after."""
    words = sorted((w for w in TESTS if w in name.lower().replace("-", "_").replace("all_to_all", "alltoall")), key=len)
    return TESTS[words[-1]] if words else ""


def _by_ratio(raw: list[tuple[int, list[str]]], head: _Head, rows: list[Row]) -> str:
    """The collective that the ratio of both bandwidths and the reduction leave, where it is only one."""
    best, reduces = max(rows, key=lambda row: row.bus), raw[0][1][3].lower() in ("sum", "prod", "min", "max", "avg")
    if not reduces or not best.algorithm:
        return ""
    ratio = best.bus / best.algorithm
    ranks = head.ranks or len(head.devices)
    if ranks == 2:  # 1, 1/2 and 1: an all-reduce and a reduce look alike
        return "reduce_scatter" if ratio < 0.75 else ""
    return "all_reduce" if ratio > 1.02 else "reduce_scatter" if ratio < 0.98 else ""


def _ranks(kind: str, rows: list[Row]) -> int:
    """Ranks from the ratio of both bandwidths, 0 where the printed digits leave more than one number."""
    best = max(rows, key=lambda row: row.bus)
    if not best.algorithm or kind not in ("all_reduce", *SHARED):
        return 0
    share = best.bus / best.algorithm / (2 if kind == "all_reduce" else 1)
    slack = (PRINTED * 1e9) / best.algorithm
    if share + slack >= 1:
        return 0
    least, most = 1 / (1 - share + slack), 1 / (1 - share - slack)
    return round(1 / (1 - share)) if most - least < 0.9 else 0


def _contradiction(kind: str, ranks: int, rows: list[Row]) -> Row | None:
    """The fastest row where its two bandwidths do not have the ratio of the test."""
    best = max(rows, key=lambda row: row.bus)
    if kind == "hypercube" or best.algorithm < 1e9 or ranks < 2:
        return None
    return best if abs(best.bus / best.algorithm / factor(kind, ranks) - 1) > 0.02 else None

"""What the commands of a sheet printed, as observations: of which test, where, and how much, in base units."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dsl.importers import fio, gemm_table, nccl_tests, train_log, watch
from dsl.importers.text import known, unpacked
from dsl.problems import Problem, Span


class Observed(NamedTuple):
    """One measured value; ``wrong`` says why it cannot pass whatever it is."""

    test: str
    value: float
    file: str
    line: int
    ranks: int | None = None
    size: float | None = None
    dtype: str | None = None
    shape: tuple[int, ...] = ()
    wrong: str = ""
    seconds: float | None = None  # of what adds up over files: bytes are ``value``


Reader = Callable[[bytes, str], tuple[list[Observed], list[Problem]]]


def of_nccl(data: bytes, name: str) -> tuple[list[Observed], list[Problem]]:
    """Bus bandwidth at every size: the faster of out of place and in place; elements that came out wrong are said."""
    tests, problems = nccl_tests.read(data, name)
    found = []
    for test in tests:
        by_size: dict[int, list[nccl_tests.Row]] = {}
        for row in test.rows:
            by_size.setdefault(row.size, []).append(row)
        for size, rows in sorted(by_size.items()):
            best, bad = max(rows, key=lambda row: row.bus), max(row.wrong for row in rows)
            wrong = f"{bad} elements came out wrong" if bad else ""
            found.append(Observed(test.collective, best.bus, name, best.line, test.ranks, size, wrong=wrong))
    return found, problems


def of_gemms(data: bytes, name: str) -> tuple[list[Observed], list[Problem]]:
    """FLOP/s of every multiply of a table."""
    rows, problems = gemm_table.read(data, name)
    return [
        Observed("gemm", 2 * r.m * r.n * r.k / r.seconds, name, r.line, dtype=r.precision,
                 shape=(round(r.m), round(r.n), round(r.k))) for r in rows], problems  # fmt: skip


def of_fio(data: bytes, name: str) -> tuple[list[Observed], list[Problem]]:
    """Bytes that a file's jobs moved, with their seconds: what nodes did at once is added up later."""
    moved, problems = fio.read(data, name)
    return [Observed(f"checkpoint_{m.way}", m.bytes, name, 1, seconds=m.seconds) for m in moved], problems


def of_watch(data: bytes, name: str) -> tuple[list[Observed], list[Problem]]:
    """Rates of device memory, memory in use, power."""
    readings, problems = watch.read(data, name)
    return [Observed(r.test, r.value, name, r.line) for r in readings], problems


def of_log(data: bytes, name: str) -> tuple[list[Observed], list[Problem]]:
    """The median step of a training log without its warm-up, and the median of its tokens a second and GPU."""
    log, problems = train_log.read(data, name)
    if log is None:
        return [], problems
    own = train_log.steady(log.records).records
    medians = {
        "step_time": train_log.median_of(own, lambda r: r.seconds),
        "tokens_per_second_per_gpu": train_log.median_of(own, lambda r: r.tokens_per_gpu),
    }
    return [Observed(test, value, name, own[0].line) for test, value in medians.items() if value], problems


# How each kind of output is told, the most particular first.
READERS: tuple[tuple[str, Callable[[str], bool], Reader], ...] = (
    ("nccl-tests or rccl-tests", nccl_tests.detects, of_nccl),
    ("fio --output-format=json", fio.detects, of_fio),
    ("gemm_rate.py", gemm_table.detects, of_gemms),
    ("BabelStream, nvidia-smi, rocm-smi or ipmitool", watch.detects, of_watch),
    ("a training log of Megatron, NeMo, TorchTitan, DeepSpeed or MaxText", train_log.detects, of_log),
)


def observed(files: Sequence[tuple[str, bytes]]) -> tuple[list[Observed], list[Problem]]:
    """All that files hold; what nodes moved at once is one rate: bytes of all over the seconds of the slowest."""
    found, problems = list[Observed](), list[Problem]()
    for name, data in files:
        own, wrong = read_one(name, data)
        found += own
        problems += wrong
    kinds = dict.fromkeys(o.test for o in found if o.seconds is not None)
    together = [added([o for o in found if o.test == test and o.seconds is not None]) for test in kinds]
    return [*(o for o in found if o.seconds is None), *together], problems


def added(parts: Sequence[Observed]) -> Observed:
    """The rate of parts that ran at once."""
    seconds = max(part.seconds or 0.0 for part in parts)
    return parts[0]._replace(value=sum(part.value for part in parts) / seconds, seconds=None)


def read_one(name: str, data: bytes) -> tuple[list[Observed], list[Problem]]:
    """What one file holds, by the first reader that knows it."""
    plain, problems = unpacked(data, name)
    if problems:
        return [], problems
    reader = known(plain, ((detects, read) for _, detects, read in READERS))
    if reader is None:
        kinds = "; ".join(kind for kind, _, _ in READERS)
        title = f"`{name}` is no output of a command of the sheet"
        return [], [Problem("E02", title, Span(name, 1, 1), "this file", notes=(f"it reads {kinds}",),
                            help="save what the command prints, header lines included")]  # fmt: skip
    return reader(plain, name)

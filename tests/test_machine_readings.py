"""Readings of a machine itself and of its storage: BabelStream, nvidia-smi and rocm-smi, ipmitool, fio."""

import json
from typing import Any

import pytest

from dsl.importers import fio
from dsl.importers.fio import Moved
from dsl.importers.watch import Reading, detects, header, read
from dsl.problems import Problem, Span


def readings(*lines: str) -> list[Reading]:
    found, problems = read("\n".join(lines).encode(), "r.txt")
    assert problems == []
    return found


@pytest.mark.parametrize(
    ("heading", "each"),
    [("Function MBytes/sec", 1e6), ("Function MiBytes/sec", 2**20), ("Function GBytes/sec", 1e9),
     ("Function GiBytes/sec", 2**30), ("function,max_mbytes_per_sec", 1e6), ("function,max_mibytes_per_sec", 2**20),
     ("function,max_gbytes_per_sec", 1e9), ("function,max_gibytes_per_sec", 2**30), ("Function", 1e6)],
)  # fmt: skip
def test_a_triad_in_the_unit_of_its_heading(heading: str, each: float) -> None:
    assert readings("x", heading, "Triad       3500.5   0.01") == [Reading("triad", 3500.5 * each, 3)]


def test_a_triad_with_its_counts_before_the_rate_and_the_lowest_of_several() -> None:
    assert readings("Triad,100,33554432,8,3500.5,0.01") == [Reading("triad", 3500.5e6, 1)]
    assert readings("Triad 3600", "Triad 3500", "Triad 3700") == [Reading("triad", 3500e6, 2)]
    assert readings("Triad,3500") == [Reading("triad", 3500e6, 1)]


@pytest.mark.parametrize("line", ["Triads 3500", "Triad 1.2.3", "a Triad 3500", "Triad", "Triad 35x"])
def test_what_is_no_triad(line: str) -> None:
    assert read(line.encode(), "r.txt") == ([], [Problem("E13", "`r.txt` has no reading", Span("r.txt", 1, 1))])
    assert not detects(line)


def test_watts_of_a_node_the_highest_of_several() -> None:
    lines = ("Instantaneous power reading:  7300 Watts", "Average power reading over sample period: 7100.5 Watts")
    assert readings(*lines) == [Reading("node_power", 7300, 1)]
    assert readings(lines[1], "", lines[0]) == [Reading("node_power", 7300, 3)]
    assert readings(lines[1]) == [Reading("node_power", 7100.5, 1)] and detects(lines[0])


@pytest.mark.parametrize(
    ("head", "cell", "value"),
    [
        ("memory.used [MiB]", "300 MiB", 300 * 2**20), ("memory.used [MiB]", "300", 300 * 2**20),
        ("memory.used [GiB]", "3", 3 * 2**30), ("memory.used", "3 KiB", 3 * 2**10),
        ("VRAM Total Used Memory (B)", "77", 77),
        ("memory.used", "77", 77), ("memory.used [MiB]", "3 GiB", 3 * 2**30), ("memory.used", "3 parsecs", None),
        ("memory.used [MiB]", "[N/A]", None), ("memory.used [parsec]", "3", None), ("name", "3", None),
    ],
)  # fmt: skip
def test_memory_of_a_table(head: str, cell: str, value: float | None) -> None:
    found = read(f"name, {head}\ngpu, {cell}\n".encode(), "r.txt")[0]
    assert found == ([] if value is None else [Reading("memory_per_gpu", value, 2)])


def test_of_memory_the_highest_and_of_limits_the_lowest_counts() -> None:
    lines = ("index, memory.used [MiB], power.limit [W]", "0, 30 MiB, 700.00 W",
             "1, 50 MiB, 650.50 W", "2, 40 MiB, 699 W")  # fmt: skip
    expected = [Reading("memory_per_gpu", 50 * 2**20, 4), Reading("power_limit", 650.5, 4)]
    assert readings("5, 90 MiB, 1 W", *lines) == expected  # what stands above the header is of another table
    assert readings("device,Max Graphics Package Power (W)", "card0,750") == [Reading("power_limit", 750, 2)]
    assert readings("a,power.limit", "0,700000 mW") == [Reading("power_limit", 700_000 * 1e-3, 2)]


def test_a_header_stands_in_the_first_fifty_lines() -> None:
    names = "index, memory.used [MiB]"
    assert header("x\n" * 49 + names) == names and header("x\n" * 50 + names) == ""
    assert header("memory.used") == "" and detects(names) and not detects("index, name")
    assert header("," + "x" * 19_988 + "memory.used") == "," + "x" * 19_988 + "memory.used"
    assert header("," + "x" * 19_989 + "memory.used") == ""


WROTE = {"jobname": "a", "error": 0, "write": {"io_bytes": 3000, "runtime": 2000},
         "read": {"io_bytes": 0, "runtime": 5}}  # fmt: skip
FOLLOWED = {"jobname": "b", "write": {"io_bytes": 500, "runtime": 7000}, "read": {"io_bytes": 90, "runtime": 4000}}
ALL = {"jobname": "All clients", "write": {"io_bytes": 700, "runtime": 3000}}


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"jobs": [WROTE]}, [Moved("write", 3000, 2.0)]),
        ({"jobs": [WROTE, FOLLOWED]}, [Moved("write", 3500, 7.0), Moved("read", 90, 4.0)]),
        ({"jobs": [WROTE], "client_stats": [FOLLOWED, 5]}, [Moved("write", 3500, 7.0), Moved("read", 90, 4.0)]),
        ({"client_stats": [WROTE, FOLLOWED, ALL]}, [Moved("write", 700, 3.0)]),
        ({"jobs": [{"write": {"io_bytes": 0.5, "runtime": 0.5}}]}, [Moved("write", 0.5, 0.0005)]),
        ({"jobs": [{"write": {"io_bytes": 9e29, "runtime": 1000}}]}, [Moved("write", 9e29, 1.0)]),
    ],
)  # fmt: skip
def test_bytes_of_all_jobs_over_the_slowest(document: dict[str, Any], found: list[Moved]) -> None:
    text = "fio: a warning\n" + json.dumps({"fio version": "fio-3.36", **document})
    assert fio.detects(text) and fio.read(text.encode(), "f.json") == (found, [])


@pytest.mark.parametrize(
    ("text", "title", "help"),
    [
        ('{"jobs": [', "is no whole JSON", "fio writes it with --output-format=json"),
        ("5", "is no whole JSON", "fio writes it with --output-format=json"),
        ('{"jobs": [{"error": 5}]}', "says that a job failed", "its rate counts nothing: run it again"),
        *[(text, "has no job that wrote or read", "a job has `write` or `read` bytes") for text in (
            '{"jobs": []}', '{"jobs": 5}', "{}", '{"jobs": [{"write": {"io_bytes": 5}}]}',
            '{"jobs": [{"write": {"io_bytes": 1e30, "runtime": 5}}]}', '{"jobs": [{"write": {"runtime": 5}}]}',
            '{"jobs": [{"write": {"io_bytes": "5", "runtime": 5}}]}', '{"jobs": [{"write": 5}]}')],
    ],
)  # fmt: skip
def test_what_fio_did_not_move(text: str, title: str, help: str) -> None:
    problem = Problem("E13", f"`f.json` {title}", Span("f.json", 1, 1), help=help)
    assert fio.read(text.encode(), "f.json") == ([], [problem])


def test_the_version_tells_output_of_fio() -> None:
    assert not fio.detects('{"jobs": []}') and not fio.detects('"fio version"')

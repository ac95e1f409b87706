"""`scn import --against`: output of the sheet's commands as pass and fail, and what is no such output."""

import csv
import io
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from dsl.importers import fio, train_log, watch
from reports.acceptance.judged import judge
from reports.acceptance.observed import Observed, observed
from reports.acceptance.sheet import NEEDED, of_document, sheet
from reports.book import bind
from reports.commands.against import as_text
from reports.commands.scn import scn
from reports.csv_files import csv_files
from tests.test_acceptance import GIB, MIB, ROOT, document

SCENARIO = ROOT / "scenarios" / "team-70b.scn"
HEAD = """#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""


@cache
def sheets(folder: Path) -> tuple[Path, Path]:
    """The sheet of team-70b as a report's JSON and as its CSV."""
    given = document()
    places = folder / "team-70b.json", folder / "team-70b.acceptance.csv"
    places[0].write_text(json.dumps(given), "utf-8")
    places[1].write_text(csv_files(bind(given).tables)["acceptance.csv"], "utf-8")
    return places


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sheets(tmp_path_factory.mktemp("sheets"))[0]


def rows_of(name: Path, run: str = "") -> dict[str, dict[str, Any]]:
    rows, _, problems = sheet(name, run)
    assert not problems
    return {row["id"]: row for row in rows}


def nccl(test: str, ranks: int, lines: Iterable[tuple[float, float]], wrong: int = 0) -> str:
    """Output of a test whose in-place bandwidth (GB/s, by size) is twice the out-of-place one."""
    factor = (2 if test == "all_reduce" else 1) * (ranks - 1) / ranks
    text = f"# nranks {ranks}\n# Collective test starting: {test}_perf\n{HEAD}"
    for size, bus in lines:
        cells = [f"{size / alg / 1e3:.2f} {alg:.4f} {b:.4f} {wrong}" for b in (bus / 2, bus) for alg in (b / factor,)]
        text += f" {size:.0f} {size / 4:.0f} float sum -1 {' '.join(cells)}\n"
    return text


def called(*arguments: str | Path) -> Result:
    return CliRunner().invoke(scn, ["import", "--against", *map(str, arguments)], standalone_mode=False)


def written(place: Path, text: str) -> Path:
    place.write_text(text, "utf-8")
    return place


# Pass and fail


def test_a_node_that_reaches_its_threshold_passes(saved: Path, tmp_path: Path) -> None:
    """The faster of out of place and in place counts; the same file in the three forms of the sheet."""
    low = rows_of(saved)["N3"]["threshold"] / 1e9
    out = written(tmp_path / "out.txt", nccl("all_reduce", 8, [(4 * GIB, low * 1.001)]))
    for form in (saved, sheets(saved.parent)[1], SCENARIO):
        found = called(form, out)
        assert found.return_value == 0, found.output
        assert "N3" in found.output and "1 pass, 0 fail, 0 recorded" in found.output


def test_a_node_below_it_fails(saved: Path, tmp_path: Path) -> None:
    low = rows_of(saved)["N3"]["threshold"] / 1e9
    found = called(saved, written(tmp_path / "out.txt", nccl("all_reduce", 8, [(4 * GIB, low * 0.999)])))
    assert found.return_value == 1 and "0 pass, 1 fail" in found.output


def test_json_has_every_row_with_its_margin(saved: Path, tmp_path: Path) -> None:
    row = rows_of(saved)["N15"]
    speed = 1.1 * row["threshold"] / 1e9
    out = written(tmp_path / "a.txt", nccl("all_reduce", 2048, [(16 * MIB, 50.0), (4 * GIB, speed), (8 * GIB, speed)]))
    found = called(saved, "--format", "json", out)
    whole = json.loads(found.output)
    told = {r["id"]: r for r in whole["rows"]}
    assert found.return_value == 0 and whole["run"] == "flat"
    assert len(told) == len(rows_of(saved)) == sum(whole["counts"].values())
    assert told["N15"]["result"] == "pass" and told["N15"]["margin"] == pytest.approx(0.1, abs=1e-4)
    assert told["N13"]["result"] == "recorded" and told["N13"]["measured"] == pytest.approx(50e9)
    assert told["N14"]["result"] == "not_measured"
    assert len(whole["unmatched"]) == 1 and "8589934592 bytes" in whole["unmatched"][0]


def test_elements_that_came_out_wrong_fail_at_any_speed(saved: Path, tmp_path: Path) -> None:
    found = called(saved, written(tmp_path / "a.txt", nccl("all_reduce", 8, [(16 * MIB, 400.0), (GIB / 4, 400.0)], 3)))
    assert found.return_value == 1 and "3 elements came out wrong" in found.output and "2 fail" in found.output


def test_sizes_that_ranks_round_down_find_their_row(saved: Path, tmp_path: Path) -> None:
    """Over 2,048 ranks nccl-tests cut a buffer to 16 bytes x ranks: 0.1 % of 16 MiB, still the same row."""
    out = nccl("all_gather", 2048, [(16 * MIB - 2048 * 8, 5.0), (18 * MIB, 5.0)])
    whole = json.loads(called(saved, "--format", "json", written(tmp_path / "a.txt", out)).output)
    assert next(r for r in whole["rows"] if r["id"] == "N16")["measured"] == pytest.approx(5e9)
    assert len(whole["unmatched"]) == 1


def test_multiplies_count_by_the_worst_gpu(saved: Path, tmp_path: Path) -> None:
    low = rows_of(saved)["G1"]["threshold"] / 1e12
    lines = [f"H100,bf16,8192,8192,8192,,{low * by:.3f}\n".replace(",,", f",{2 * 8192**3 / low / by / 1e12:.9f},")
             for by in (1.1, 0.9)]  # fmt: skip
    out = written(tmp_path / "gemm.csv", "device,dtype,m,n,k,seconds,tflops\n" + "".join(lines))
    found = called(saved, out)
    assert found.return_value == 1 and "worst of 2" in found.output
    out.write_text("device,dtype,m,n,k,seconds,tflops\n" + lines[0], "utf-8")
    assert called(saved, out).return_value == 0


def test_a_log_of_megatron_judges_time_tokens_and_utilization(saved: Path, tmp_path: Path) -> None:
    step = rows_of(saved)["S1"]
    lines = "".join(
        f" iteration {i:8}/ 50 | consumed samples: 99 | elapsed time per iteration (ms): {ms:.1f} | loss: 2.0 |\n"
        for i, ms in enumerate([90000.0] * 10 + [1e3 * step["expected"]] * 20)
    )
    whole = json.loads(called(saved, "--format", "json", written(tmp_path / "train.log", lines)).output)
    told = {r["test"]: r for r in whole["rows"]}
    assert {name: told[name]["result"] for name in ("step_time", "mfu", "tokens_per_second_per_gpu")} == dict.fromkeys(
        ("step_time", "mfu", "tokens_per_second_per_gpu"), "pass")  # fmt: skip
    assert told["mfu"]["measured"] == pytest.approx(told["mfu"]["expected"], rel=1e-4)
    slow = lines.replace(f"{1e3 * step['expected']:.1f}", f"{1.01e3 * step['threshold']:.1f}")
    assert called(saved, written(tmp_path / "train.log", slow)).return_value == 1


def test_a_log_of_torchtitan_gives_seconds_by_its_tokens(saved: Path, tmp_path: Path) -> None:
    tokens = rows_of(saved)["S3"]["expected"]
    lines = "".join(f"[titan] \x1b[31mstep: {i}  \x1b[32mloss: 2.1  memory: 36GiB(38%)  tps: {tokens:,.0f}  mfu: 30%\n"
                    for i in range(1, 31))  # fmt: skip
    whole = json.loads(called(saved, "--format", "json", written(tmp_path / "train.log", lines)).output)
    told = {r["test"]: r for r in whole["rows"]}
    assert told["step_time"]["measured"] == pytest.approx(told["step_time"]["expected"], rel=1e-3)


def fio_json(way: str, size: float, milliseconds: float, key: str = "jobs") -> str:
    side = {"io_bytes": size, "bw_bytes": size / milliseconds * 1e3, "runtime": milliseconds}
    job = {"jobname": "checkpoint", "error": 0, "read": {"io_bytes": 0, "runtime": 0}, "write": side}
    if way == "read":
        job |= {"read": side, "write": {"io_bytes": 0, "runtime": 0}}
    return "fio: a line before\n" + json.dumps({"fio version": "fio-3.36", key: [job]})


def test_nodes_that_write_at_once_are_added_up(saved: Path, tmp_path: Path) -> None:
    """512 nodes write 846.6 GB together: within 29.9 s it passes, where the slowest takes 30.1 s it fails."""
    size, half = 12 * 70_549_512_192, tmp_path / "write.a.json"
    for slowest, code in ((29_900, 0), (30_100, 1)):
        files = [written(half, fio_json("write", size / 2, 20_000)),
                 written(tmp_path / "write.b.json", fio_json("write", size / 2, slowest))]  # fmt: skip
        found = called(saved, *files)
        assert found.return_value == code, found.output
    assert called(saved, written(half, fio_json("read", size, 599_000))).return_value == 0


SMI = """memory.used [MiB], power.draw [W], power.limit [W]
11000 MiB, 610.10 W, 700.00 W
10900 MiB, [N/A], {limit} W
"""


@pytest.mark.parametrize(("limit", "code"), [("700.00", 0), ("650.00", 1)])
def test_a_lower_power_limit_fails(saved: Path, tmp_path: Path, limit: str, code: int) -> None:
    found = called(saved, "--format", "json", written(tmp_path / "smi.csv", SMI.format(limit=limit)))
    told = {r["test"]: r for r in json.loads(found.output)["rows"]}
    assert found.return_value == code and told["power_limit"]["measured"] == float(limit)
    assert told["memory_per_gpu"]["result"] == "pass" and told["memory_per_gpu"]["measured"] == 11000 * MIB


def test_a_triad_and_a_node(saved: Path, tmp_path: Path) -> None:
    stream = written(tmp_path / "stream.txt", "BabelStream\nFunction    MBytes/sec  Min (sec)\nCopy 2900000.0 0.0018\n"
                                              "Triad       2700000.500 0.00024     0.00025\n")  # fmt: skip
    node = written(tmp_path / "node.txt", "    Instantaneous power reading:                  10150 Watts\n")
    found = called(saved, stream, node)
    assert found.return_value == 0 and "2 pass" in found.output
    stream.write_text(stream.read_text("utf-8").replace("2700000", "2500000"), "utf-8")
    assert called(saved, stream, node).return_value == 1


# What cannot be judged


@pytest.mark.parametrize("text", ["", "hello\n", "{", "<html>", "a,b\n1,2\n"])
def test_a_file_of_no_command_is_refused(saved: Path, tmp_path: Path, text: str) -> None:
    found = called(saved, written(tmp_path / "x.txt", text))
    assert found.return_value == 2 and "is no output of a command of the sheet" in found.output


def test_another_number_of_ranks_belongs_to_no_row(saved: Path, tmp_path: Path) -> None:
    found = called(saved, written(tmp_path / "a.txt", nccl("all_reduce", 16, [(GIB, 300.0)])))
    assert found.return_value == 2 and "nothing measured belongs to a row" in found.output
    assert "all_reduce over 16 ranks" in found.output
    assert "the sheet asks all_reduce over 8 ranks at " in found.output and f"{GIB:.0f}" in found.output


@pytest.mark.parametrize(("name", "text"), [
    ("x.json", "{}"), ("x.json", "[1]"), ("x.json", '{"experiments": [{"kind": "run"}]}'), ("x.json", "{" * 3000),
    ("x.csv", "a,b\n"), ("x.csv", ""), ("x.scn", "edition 2026\nrun {"), ("x.scn", "edition 2026\n"),
    ("x.json", '{"experiments": [{"kind": "run", "name": "a", "points": [{"acceptance": [{"id": 1}]}]}]}'),
])  # fmt: skip
def test_a_file_that_is_no_sheet_is_refused(tmp_path: Path, name: str, text: str) -> None:
    out = written(tmp_path / "a.txt", nccl("all_reduce", 8, [(GIB, 300.0)]))
    found = called(written(tmp_path / name, text), out)
    assert found.return_value == 2 and "error[E" in found.output and found.exception is None


def test_a_sheet_that_does_not_exist_and_a_run_that_does_not(saved: Path, tmp_path: Path) -> None:
    out = written(tmp_path / "a.txt", nccl("all_reduce", 8, [(4 * GIB, 360.0)]))
    assert called(tmp_path / "none.json", out).return_value == 2
    assert called(saved, "--run", "hsdpp", out).return_value == 2
    assert called(saved, "--run", "hsdp", out).return_value == 0


def test_a_sheet_that_a_spreadsheet_saved_says_which_row_is_broken(saved: Path, tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(sheets(saved.parent)[1].read_text("utf-8"))))
    rows[3][4] = "6.6e+14 TFLOP/s"
    place = tmp_path / "broken.csv"
    with open(place, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    found = called(place, written(tmp_path / "a.txt", nccl("all_reduce", 8, [(4 * GIB, 360.0)])))
    assert found.return_value == 2 and "broken.csv:4" in found.output


def test_a_job_that_failed_counts_nothing(tmp_path: Path) -> None:
    text = fio_json("write", 1e9, 1000.0).replace('"error": 0', '"error": 5')
    moved, problems = fio.read(text.encode(), "w.json")
    assert moved == [] and "a job failed" in problems[0].title


def test_clients_of_fio_are_not_counted_twice() -> None:
    one = json.loads(fio_json("write", 5e9, 1000.0)[len("fio: a line before\n") :])["jobs"][0]
    both = {"fio version": "x", "client_stats": [one, one, one | {"jobname": "All clients"}]}
    moved, problems = fio.read(json.dumps(both).encode(), "w.json")
    assert not problems and [(m.way, m.bytes, m.seconds) for m in moved] == [("write", 5e9, 1.0)]


@pytest.mark.parametrize(("line", "seconds"), [
    ("completed step: 7, seconds: 13.484, TFLOP/s/device: 300.1, loss: 2.1", 13.484),
    ("Training epoch 0, iteration 7/99 | lr: 1e-4 | global_step: 7 | train_step_timing in s: 4.25", 4.25),
    ("steps: 7 loss: 2.0 iter time (s): 5.500 samples/sec: 9", 5.5),
])  # fmt: skip
def test_logs_of_other_frameworks(line: str, seconds: float) -> None:
    found, problems = observed([("train.log", (line + "\n").encode() * 4)])
    assert not problems and [(o.test, o.value) for o in found] == [("step_time", seconds)]


def test_readings_in_other_units() -> None:
    names = "device,VRAM Total Memory (B),VRAM Total Used Memory (B),Max Graphics Package Power (W)"
    table = f"{names}\ncard0,9,6442450944,750.0\n"
    found = {r.test: r.value for r in watch.read(table.encode(), "smi.csv")[0]}
    assert found == {"memory_per_gpu": 6 * GIB, "power_limit": 750.0}
    names = "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime"
    rows = f"{names}\nTriad,100,33554432,8,3303793.9,0.0002\n"
    assert watch.read(rows.encode(), "s.csv")[0][0].value == pytest.approx(3303793.9e6)


@given(st.binary(max_size=400))
def test_no_bytes_make_a_reader_stumble(data: bytes) -> None:
    for module in (fio, watch, train_log):
        found, problems = module.read(data, "x")
        assert found or problems
    observed([("x", data)])


READINGS = ("Triad 1.2.3 0.1", "Triad,1,2,3,4.5.6", "Triad ...", "memory.used [MiB], power.limit [W]\n1.2.3 MiB, . W",
            "Instantaneous power reading: 1..2 Watts", f"Triad {'9' * 400} 0.1", "Triad 2.5e300x 1")  # fmt: skip


@pytest.mark.parametrize("text", READINGS)
def test_figures_that_are_no_numbers_are_no_readings(text: str) -> None:
    found, problems = watch.read(text.encode(), "x.txt")
    assert found == [] and problems[0].code == "E13"


@given(st.sampled_from(READINGS), st.text("0123456789. ,\nTriadWMB", max_size=60))
def test_no_text_of_the_machine_makes_a_reader_stumble(head: str, noise: str) -> None:
    found, problems = observed([("x.txt", (head + noise).encode())])
    assert problems or all(0 <= o.value < 1e30 for o in found)


@pytest.mark.parametrize(("name", "value"), [
    ("threshold", "fast"), ("expected", [1]), ("ranks", True), ("size", 0), ("size", "1 GiB"), ("better", "more"),
    ("better", None), ("shape", ["a"]), ("shape", None), ("unit", "furlongs"), ("title", 3), ("threshold", 1e999),
])  # fmt: skip
def test_a_sheet_of_other_kinds_of_values_is_refused_by_name(
    saved: Path, tmp_path: Path, name: str, value: object
) -> None:
    """In a report's JSON; a threshold as text was once compared with a number."""
    whole = json.loads(saved.read_text("utf-8"))
    row = next(r for r in whole["experiments"][0]["points"][0]["acceptance"] if r["id"] == "N3")
    row[name] = value
    changed = written(tmp_path / "sheet.json", json.dumps(whole))
    found = called(changed, written(tmp_path / "a.txt", nccl("all_reduce", 8, [(4 * GIB, 360.0)])))
    assert found.return_value == 2 and found.exception is None
    assert "has a row N3 that cannot be read" in found.output and name in found.output


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY = PLAIN | st.lists(st.integers(), max_size=3)


@given(st.dictionaries(st.sampled_from(sorted(NEEDED)), ANY, max_size=3))
def test_no_value_of_a_sheet_makes_its_reader_stumble(changed: dict[str, Any]) -> None:
    """A row that is read is judged and printed; one that cannot be is a problem."""
    row = {"id": "N1", "test": "all_reduce", "title": "All", "unit": "bytes/s", "expected": 2e9, "threshold": 1e9,
           "better": "higher", "span": "a node", "ranks": 8, "size": 1e9, "dtype": None, "shape": []}  # fmt: skip
    point = {"acceptance": [row | changed]}
    document = json.dumps({"experiments": [{"kind": "run", "name": "a", "points": [point]}]})
    rows, _, problems = of_document(document.encode(), Path("a.json"), "")
    assert bool(rows) != bool(problems)
    judged, left = judge(rows, [Observed("all_reduce", 2e9, "a", 1, 8, 1e9)])
    assert as_text(judged, left)


@given(st.floats(0.5, 2.0))
def test_the_side_of_the_threshold_decides(by: float) -> None:
    row = {"id": "S1", "test": "step_time", "unit": "seconds", "expected": 2.0, "threshold": 2.5, "better": "lower",
           "ranks": 8, "size": None, "shape": [], "dtype": None}  # fmt: skip
    judged, left = judge([row], [Observed("step_time", 2.5 * by, "a", 1)])
    assert not left and judged[0].result == ("pass" if by <= 1.0 else "fail")

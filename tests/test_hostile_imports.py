"""Files of other programs that are made to keep a program busy or to break it: bounded time and memory, a problem."""

import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dsl.importers import kineto, nccl_tests, nsight, torchtitan, train_log
from dsl.importers.config import parsed
from dsl.importers.hf import read_config
from dsl.importers.kernels import kernel_class
from dsl.limits import KERNEL, KERNELS_NAMED, LINE, LOG_LINES, RANKS, ROWS, TESTS
from dsl.problems import Problem, show
from reports.acceptance.observed import observed
from reports.imports.asked import Asked, Given
from reports.imports.formats import FORMATS, detected, named
from tests.fuzz.files import GEMM, KINETO, LOG, NSIGHT
from tests.hostile import call

LLAMA = {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}  # fmt: skip
CONFIG = json.dumps(LLAMA)
NCCL = "# all_reduce_perf, nranks 8\n# size count type redop root time algbw busbw\n"
NCCL += "1000000 250000 float sum -1 10 100 175\n"
ARGUMENTS = "--num-layers 10 --hidden-size 64 --num-attention-heads 8 --vocab-size 100\n"
TITAN = '# world_size = 8\n[model]\nname = "llama3"\nflavor = "8B"\n[training]\nseq_len = 4096\n'
YAML = "model: {hidden: 64, layers: 2, heads: 2, vocab: 100}\nseq_len: 64\ngpu: h100-sxm\n"


def told(form: str, data: bytes | str, name: str = "case") -> list[Problem]:
    """The problems of a file that is imported as some format; what they print is plain text."""
    found, data = named(form), data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    assert found is not None
    problems = found.make(Asked((Given(name, data),), gpu="h100-sxm" if form == "gemm" else "")).problems
    shown = show(problems, {name: data[:1000].decode("utf-8", "replace")})
    assert all(c.isprintable() or c == "\n" for c in shown) and len(shown) < 5000
    return problems


def test_the_seeds_are_read() -> None:
    for form, text in (("hf", CONFIG), ("nccl-tests", NCCL), ("torchtitan", TITAN), ("yaml", YAML), ("log", LOG),
                       ("gemm", GEMM), ("nsight", NSIGHT), ("kineto", json.dumps(KINETO)),
                       ("megatron", ARGUMENTS + "--world-size 8 --seq-length 64 --global-batch-size 8 "
                        "--max-position-embeddings 64 --micro-batch-size 1")):  # fmt: skip
        assert told(form, text) == [], form


@pytest.mark.parametrize(("change", "code", "title"), [
    (lambda t: t[:-1] + ', "hidden_size": 8192}', "E12", "`hidden_size` is given twice in case"),
    (lambda t: t[:-1] + ', "a": {"b": 1, "b": 1}}', "E12", "`b` is given twice in case"),
    (lambda t: t[:-1] + ', "a\\u001b": 1, "a\\u001b": 1}', "E12", "`a\x1b` is given twice in case"),
    (lambda t: t[:-1] + ', "x": ' + "[" * 10**5 + "]" * 10**5 + "}", "E02", "`case` is not JSON that can be read"),
    (lambda t: t.replace("4096", "1e400"), "E16", "`hidden_size` of case is not a whole number"),
    (lambda t: t.replace("4096", "NaN"), "E16", "`hidden_size` of case is not a whole number"),
    (lambda t: t.replace("4096", "-1"), "E16", "`hidden_size` of case is not a whole number"),
    (lambda t: t.replace("4096", "0"), "E20", "`hidden_size` of case is 0"),
    (lambda t: t.replace("4096", "9" * 4000), "E16", "`hidden_size` of case is not a whole number"),
    (lambda t: t.replace("4096", "9" * 10_000), "E02", "`case` is not JSON that can be read"),
    (lambda t: t.replace('"llama"', json.dumps("x" * 9000)), "E30", f"`{'x' * 40}` is a model type that this version "
                                                                   "does not know"),
    (lambda t: t.encode("utf-16"), "E03", "`case` is UTF-16"),
    (lambda t: t.encode() + b"\xff", "E03", "`case` is not UTF-8 text"),
    (lambda t: t + "\0", "E02", "`case` is not JSON"),
    (lambda t: t + " " * 1_000_000, "E02", "`case` is larger than 1 MB"),
    (lambda t: gzip.compress(b" " * 300_000_000), "E02", "`case` is larger than 1 MB"),
])  # fmt: skip
def test_a_configuration_that_is_made_to_break_it(change: Callable[[str], str | bytes], code: str, title: str) -> None:
    assert (code, title) in [(problem.code, problem.title) for problem in told("hf", change(CONFIG))]


@pytest.mark.parametrize("key", LLAMA)
@pytest.mark.parametrize("value", [None, True, [], {}, "x", "\x1b[31m", 1.5, -3, 0, 10**12, 10**4000, [[1]], {"a": 1}])
def test_a_configuration_with_another_kind_of_value(key: str, value: object) -> None:
    told("hf", json.dumps(LLAMA | {key: value}))


def test_marks_of_byte_order_are_passed_over() -> None:
    assert read_config(b"\xef\xbb\xbf" + CONFIG.encode(), "a")[0] is not None
    assert told("gemm", b"\xef\xbb\xbf" + GEMM.encode()) == []
    assert told("log", LOG.replace("\n", "\r\n").replace("lm loss", "\x1b[31m\0loss\x07")) == []


def test_a_key_twice_is_told_at_its_second_line() -> None:
    assert parsed(b'{\n"a": 1,\n"b": {"c": 2},\n"a": 3}', "c")[1][0].span.line == 4


@pytest.mark.parametrize(("form", "text", "title"), [
    ("torchtitan", TITAN + "steps = " + "9" * 5000, "case is not TOML"),
    ("torchtitan", TITAN + "steps = 0x" + "f" * 20_000, "`training.steps` is a number"),
    ("torchtitan", TITAN + "x = " + "[" * 20_000, "case is not TOML"),
    ("torchtitan", "a" + ".a" * LINE + " = 1\n" + TITAN, "this line of case is longer than 50_000 characters"),
    ("megatron", ARGUMENTS + '"' + "b " * LINE, "this line of case is longer than 50_000 characters"),
    ("gemm", GEMM + "1e-300,1,1,bf16,1e-300\n", "m, n, k and seconds are larger than 0"),
    ("gemm", GEMM + "1e400,1,1,bf16,1\n", "m, n, k and seconds are larger than 0"),
    ("gemm", GEMM + "=cmd|' /C calc'!A0,1,1,bf16,1\n", "m, n, k and seconds are numbers"),
    ("gemm", GEMM + '1024,"' + "x\n" * 100_000, "m, n, k and seconds are numbers"),
    ("gemm", GEMM + "1,1,1,bf16,1\n" * ROWS, "case has more than 100000 rows"),
    ("gemm", GEMM.replace(",", "|"), "case lacks column m"),
    ("log", LOG + "\n" * (LOG_LINES + 1), "`case` has more than 2_000_000 lines"),
    ("nsight", NSIGHT + "\n" * (LOG_LINES + 1), "`case` has more than 2_000_000 lines"),
    ("nsight", NSIGHT + "".join(f"1000,5000,1,1,GPU {i},7,gemm\n" for i in range(RANKS + 1)),
     "`case` has kernels of more than 10_000 devices"),
    ("nsight", NSIGHT + "".join(f"1000,5000,1,1,GPU,7,k{i}\n" for i in range(KERNELS_NAMED + 1)),
     "`case` has kernels of more than 20_000 names"),
    ("nccl-tests", NCCL * (TESTS + 1), "`case` has more than 1_000 tests or 100_000 rows"),
    ("nccl-tests", NCCL + NCCL.splitlines(True)[-1] * ROWS, "`case` has more than 1_000 tests or 100_000 rows"),
    ("kineto", '{"traceEvents": ' + "[" * 10**6, "`case` is nested too deep"),
    ("kineto", '{"traceEvents": [' + ",1" * 20_000_000, "`case` holds more than 20000000 values"),
    ("kineto", json.dumps(KINETO)[:-9], "`case` is not JSON"),
])  # fmt: skip
def test_a_file_past_a_bound_or_out_of_its_form_is_told(form: str, text: str, title: str) -> None:
    assert title.replace("20000000", "20_000_000") in [problem.title for problem in told(form, text)]


def test_more_names_of_kernels_than_a_step_has() -> None:
    each = KINETO["traceEvents"][1]  # type: ignore[index]
    events = [*KINETO["traceEvents"], *(each | {"name": f"k{i}"} for i in range(KERNELS_NAMED))]  # type: ignore[misc]
    assert "20_000 names" in told("kineto", json.dumps(KINETO | {"traceEvents": events}))[0].title
    long = [each | {"name": "x" * 10**6 + "gemm"}]
    trace, _ = kineto.read(json.dumps({"traceEvents": long}).encode(), "a")
    assert trace is not None and len(trace.events[0].name) == KERNEL and trace.events[0].kind == "other"
    assert kernel_class("ck_tile::gemm") == "gemm"


def test_figures_of_a_log_are_found_as_before() -> None:
    line = "step: 7 loss: 1.0 memory: 70.5GiB(88%) tps: 7,150 tflops: 414.0 mfu: 41.9%\n"
    said = "encoder_seq_length ... 4096\nusing world size: 64\n"
    log, _ = train_log.read((f"[x] \x1b[31m {line}" * 3 + said).encode(), "a")
    assert log is not None and log.framework == "TorchTitan" and (log.sequence, log.gpus) == (4096, 64)
    assert (log.reserved, log.records[0].tokens_per_gpu, log.records[0].step) == (70.5 * 2**30, 7150, 7)
    wrong = b"laststep: 7 tps: 5\n" + b"xseq_length: 5\nmyworld_size: 9\nxmemory: 3GiB\n"
    assert train_log.read(wrong, "a")[0] is None


def test_collectives_of_nsight_are_told_by_their_kernels() -> None:
    found, _ = nsight.read(NSIGHT.encode(), "a")
    assert found.traces[0].events[1].collective == "allreduce"
    found, _ = nsight.read(NSIGHT.replace("ncclDevKernel", "vectorized").encode(), "a")
    assert found.traces[0].events[1].collective == ""


def test_many_devices_before_a_table_are_counted() -> None:
    each = "#  Rank {} Group 0 Pid 1 on host{} device {} [0000:07:00] H100\n"
    ranks = "".join(each.format(i, i // 8, i % 8) for i in range(50_000))
    text = ranks + NCCL.replace(", nranks 8", "").replace("175", "199.996")
    tests, problems = nccl_tests.read(text.encode(), "a")
    assert not problems and (tests[0].ranks, tests[0].nodes) == (50_000, 6250)


def test_a_configuration_with_many_keys_is_read_at_once() -> None:
    text = TITAN + "".join(f"k{i} = 1\n# c{i} = 2\n" for i in range(30_000))
    start = time.process_time()
    draft, problems = torchtitan.read(text.encode(), "a")
    assert not problems and time.process_time() - start < 10
    assert f"c29999 (line {6 + 60_000})" in draft.notes[-1]


PIECES = (
    "a", "a ", " ", "\t", "\n", "\r", "0", "1,", '"', '""', "#", "# ", "#\n", "# Rank 1 ", "# Rank 1 on h device 0 [",
    "on x device y [", "_perf", "# size time algbw busbw ", "iteration 1/ 100 ", "elapsed time per iteration (ms) ",
    "step: 1 ", "tps", "memory: 1", "world ", "world size ", "using world size", "seq_length", "2026-01-01 00:00:00",
    "\x1b[", "\x1b[1", "Average power reading", "Triad,1,1,1,", "memory.used,", "(", "[", "{", '{"a":', "--hidden-size",
    "$a ", "model: {", "a.", "a.a=", "[training]\n", "# world_size", "# model.a = 1\n", "a=1\n", "\\", "ck_tile",
    "nccl", "Name,", "Start (ns),", "m,n,k,", "m;", '"model_type":"', "<html", "MaxMemAllocated=1", "1e", "1_", "-",
)  # fmt: skip
HEADS = {"log": LOG, "nccl-tests": NCCL, "gemm": GEMM, "nsight": NSIGHT, "megatron": ARGUMENTS, "torchtitan": TITAN,
         "yaml": YAML.replace("hidden", "size"), "hf": "{", "kineto": "{"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", HEADS)
def test_no_piece_that_repeats_takes_long(form: str) -> None:
    """What a pattern takes grows with a line, not with its square: 20 000 characters of each piece in milliseconds."""
    for piece in PIECES:
        data = (HEADS[form] + piece * (20_000 // len(piece))).encode()
        start = time.process_time()
        told(form, data)
        detected([Given("case", data)])
        observed([("case", data)])
        assert time.process_time() - start < 2, piece
    assert {f.name for f in FORMATS} == set(HEADS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "said"), [
    ("bomb.json.gz", 2, "is larger than 256 MB"),
    ("cut.json.gz", 2, "is a gzip file that is cut off"),
    ("line.log", 2, "is larger than 256 MB"),
    ("long.log", 0, "medians of 7 of 8 logged steps"),
    ("wide.csv", 0, "Fitted from timed GEMMs"),
    ("config.json", 2, "is larger than 256 MB"),
    ("pipe", 2, "is not a plain file; name a file"),
    ("/dev/zero", 2, "is not a plain file"),
    ("folder", 2, "is a folder; name a file"),
    ("loop", 2, "symbolic links"),
    ("gone", 2, "No such file"),
])  # fmt: skip
def test_the_command_in_bounded_memory(tmp_path: Path, name: str, code: int, said: str) -> None:
    """Within 1.2 GB of address space and 60 s of the processor (tests/hostile.py)."""
    place = tmp_path / name
    match name:
        case "bomb.json.gz":
            with gzip.open(place, "wb", compresslevel=1) as file:
                file.write(b'{"traceEvents":[')
                for _ in range(1000):
                    file.write(b" " * 10**6)
        case "cut.json.gz":
            place.write_bytes(gzip.compress(json.dumps(KINETO).encode())[:-30])
        case "line.log" | "config.json":
            place.write_bytes(b"")
            os.truncate(place, 10**9)
        case "long.log":
            place.write_bytes(LOG.encode() + b"a" * 200_000_000)
        case "wide.csv":
            place.write_text(f"m,n,k,seconds{',a' * 10**6}\n1024,1024,1024,1{',1' * 10**6}\n")
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "loop":
            place.symlink_to(place)
    gpu = ("--gpu", "h100-sxm") if name == "wide.csv" else ()
    found = call("scn", "import", name, *gpu, cache=tmp_path / "cache", where=tmp_path)
    assert found.code == code and said in found.said, found.said[-500:]


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    from reports.commands import shell

    def greedy() -> None:
        raise MemoryError

    assert shell.ended(greedy) == shell.CANNOT_WRITE

"""Logs of training frameworks: medians of the steady steps, memory, and how far the run has come."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.form import canonical
from dsl.importers.train_log import Log, Record, detects, median_of, read, steady
from dsl.problems import Problem, Span
from reports.imports.asked import Asked, Given
from reports.imports.logs import logs

HEAD = "using world size: 128, data-parallel size: 8\n  seq_length ...................................... 8192\n"
MEGATRON = HEAD + "".join(
    f" [2026-08-01 00:{i // 20:02}:{3 * (i % 20):02}] iteration {i:8}/ 1000 | consumed samples: {256 * i:12} | elapsed "
    f"time per iteration (ms): {41000.0 if i == 1 else 9000.0 if i == 20 else 3000.0 + i} | throughput per GPU "
    "(TFLOP/s/GPU): 450.1 | global batch size:   256 | lm loss: 1.1E+01 |\n"
    for i in range(1, 31)
) + "[Rank 0] (after 1 iterations) memory (MB) | allocated: 30000.0 | max allocated: 52000.0 | reserved: 60000.0 | max reserved: 61440.0\n"  # noqa: E501
TITAN = "".join(
    f"[titan] 2026-08-01 10:0{i},123 - root - INFO - \x1b[31mstep: {s:2}  \x1b[32mloss:  8.2  \x1b[33mmemory: "
    f"45.50GiB(57.4%)  \x1b[34mtps: {tps}  \x1b[36mtflops: 366.1  \x1b[35mmfu: 37.0%\x1b[39m\n"
    for i, s, tps in ((0, 1, "400"), (1, 10, "6,324"), (2, 20, "6,300"), (3, 30, "6,350"))
)
NEMO = "".join(
    f"Training epoch 0, iteration {i}/99 | lr: 4.5e-07 | global_batch_size: 128 | global_step: {i} | "
    f"reduced_train_loss: 11.03 | train_step_timing in s: {s} | consumed_samples: {128 * (i + 1)}\n"
    for i, s in enumerate((31.1, 12.4, 12.5, 12.3))
)
DEEPSPEED = "".join(
    f"[INFO] [timer.py:199:stop] epoch=0/micro_step={i}/global_step={i}, RunningAvgSamplesPerSec=100.1, "
    f"CurrSamplesPerSec={s}, MemAllocated=10.1GB, MaxMemAllocated=30.5GB\n"
    for i, s in ((10, 50.0), (20, 99.0), (30, 101.0))
)


@pytest.mark.parametrize(
    ("text", "framework", "first"),
    [
        (MEGATRON, "Megatron-LM", 41.0),
        (NEMO, "NeMo", 31.1),
        (TITAN, "TorchTitan", None),
        (DEEPSPEED, "DeepSpeed", None),
    ],
)
def test_frameworks_are_told_by_their_step_lines(text: str, framework: str, first: float | None) -> None:
    log, problems = read(text.encode(), "run.log")
    assert detects(text) and log is not None and not problems
    assert (log.framework, log.records[0].seconds) == (framework, first)


def test_megatron_warm_up_is_left_out_and_the_slow_step_does_not_move_the_median() -> None:
    made = logs(Asked((Given("run.log", MEGATRON.encode()),)))
    text = made.text.replace("\n# ", " ")
    assert "medians of 27 of 30 logged steps, from step 4; the first 3 are left out as warm-up" in text
    assert "slowest 9 s (step 20); 1 steps take more than 1.5 times the median" in text
    assert made.text.count("step_time        = 3.017 s") == 1  # of steps 4 to 30 the one in the middle is 17
    assert "memory_allocated = 50.7812 GiB" in made.text and "memory_per_gpu   = 60 GiB" in made.text
    assert f"tokens    = {30 * 256 * 8192:_} tokens" in made.text and 'date      = "2026-08-01"' in made.text


def test_a_rate_of_torchtitan_is_measured_as_it_is() -> None:
    made = logs(Asked((Given("run.log", TITAN.encode()),)))
    assert "tokens_per_second_per_gpu = 6324 tokens/s" in made.text
    assert "memory_per_gpu            = 45.5 GiB" in made.text and "step_time" not in made.text


def test_samples_of_deepspeed_need_the_batch_of_a_plan() -> None:
    text = logs(Asked((Given("run.log", DEEPSPEED.encode()),))).text.replace("\n# ", " ")
    assert "100 samples a second: import with --plan for the time of a step" in text
    assert "memory_allocated = 30.5 GiB" in text


def test_warm_up_is_a_tenth_between_one_and_twenty() -> None:
    log, _ = read(MEGATRON.encode(), "run.log")
    assert log is not None
    assert [steady(log.records[:n]).warm_up for n in (1, 2, 3, 10, 30)] == [0, 0, 1, 1, 3]
    assert steady(log.records * 20).warm_up == 20


def test_a_log_without_steps_is_a_problem() -> None:
    expected = Problem(
        "E13",
        "run.log has no steps",
        Span("run.log", 1, 1, 2),
        "none found",
        help="keep the lines that a framework prints each step: iteration, step, train_step_timing …",
    )
    for text in ("hello\n", "", "world size: 8, seq_length: 5\n", "train_step_timing in s: 0\n"):
        assert read(text.encode(), "run.log") == (None, [expected])


@given(st.text(max_size=200))
def test_whatever_is_read_becomes_steps_or_problems(noise: str) -> None:
    log, problems = read((MEGATRON[:700] + noise + "elapsed time per iteration (ms): " + noise).encode(), "run.log")
    assert (log is None) == bool(problems) and all(p.title and p.span.file == "run.log" for p in problems)
    made = logs(Asked((Given("run.log", (TITAN + noise).encode()),)))
    assert bool(made.text) != bool(made.problems) and canonical(made.text) == (made.text, [])


FIGURES = ("seconds", "tokens_per_gpu", "samples_per_second", "flops_per_gpu", "samples", "batch")
ITERATION = " iteration 7/ 30 | elapsed time per iteration (ms): 250 | consumed samples: 1,536"


@pytest.mark.parametrize(
    ("line", "framework", "step", "expected"),
    [
        (f"{ITERATION} | throughput per GPU (TFLOP/s/GPU): 40.5 | global batch size: 48", "Megatron-LM", 7,
         {"seconds": 0.25, "samples": 1536, "batch": 48, "flops_per_gpu": 40.5e12}),
        (" iteration 7/ 30 | elapsed time per iteration (ms): 25.e1 | TFLOPs: 3", "Megatron-LM", 7,
         {"seconds": 0.25, "flops_per_gpu": 3e12}),
        ("global_step: 7 | train_step_timing in s: 1.5 | consumed_samples: 96 | global_batch_size: 48 | "
         "TFLOPS_per_GPU: 50", "NeMo", 7, {"seconds": 1.5, "samples": 96, "batch": 48, "flops_per_gpu": 50e12}),
        ("iteration 7/9 train_step_timing in s=1.5 tflops_per_sec_per_gpu=51", "NeMo", 7,
         {"seconds": 1.5, "flops_per_gpu": 51e12}),
        ("step:  7 tps: 6,300 tflops: 366.5 mfu: 37%", "TorchTitan", 7,
         {"tokens_per_gpu": 6300, "flops_per_gpu": 366.5e12}),
        ("step: 7 wps: 6_300 time_metrics/end_to_end(s): 1.25", "TorchTitan", 7,
         {"tokens_per_gpu": 6300, "seconds": 1.25}),
        ("global_step=7, CurrSamplesPerSec=90.5", "DeepSpeed", 7, {"samples_per_second": 90.5}),
        ("steps: 7 loss: 3 iter time (s): 1.5 samples/sec: 90.5", "DeepSpeed", 7,
         {"seconds": 1.5, "samples_per_second": 90.5}),
        ("completed step: 7, seconds: 1.5, TFLOP/s/device: 60, Tokens/s/device: 9", "MaxText", 7,
         {"seconds": 1.5, "flops_per_gpu": 60e12}),
        ("train_step_timing in s: 1.5", "NeMo", 3, {"seconds": 1.5}),  # without a step's number, the line's
        ("global_step: 123456789012345678 train_step_timing in s: 1.5", "NeMo", 123456789012345, {"seconds": 1.5}),
        ("train_step_timing in s: 1.5 consumed_samples: 1e18 global_batch_size: 9e17", "NeMo", 3,
         {"seconds": 1.5, "batch": 9e17}),
        ("train_step_timing in s: 1.5 consumed_samples: 0 global_batch_size: 1e99", "NeMo", 3,
         {"seconds": 1.5, "samples": 0}),
    ],
)  # fmt: skip
def test_figures_of_one_line(line: str, framework: str, step: int, expected: dict[str, float]) -> None:
    log, _ = read(f"a\n\n{line}\n".encode(), "run.log")
    made = Record(step, **{name: expected.get(name) for name in FIGURES}, line=3)
    assert log == Log(framework, (made,), None, None, None, None, "", "", None)


@pytest.mark.parametrize(
    ("text", "allocated", "reserved"),
    [
        ("max allocated: 300.5 | max reserved: 400", 300.5 * 2**20, 400 * 2**20), ("max allocated: 0", 0, None),
        ("memory: 45.5GiB(57%)", None, 45.5 * 2**30), ("memory: 500MiB", None, 500 * 2**20),
        ("MaxMemAllocated=30.5GB, x", 30.5 * 2**30, None), ("MaxMemAllocated=300MB", 300 * 2**20, None),
        ("mem-max-allocated-gigabytes: 3 mem-max-reserved-gigabytes: 4.5", 3 * 2**30, 4.5 * 2**30),
        ("max allocated: 3\nmax allocated: 7\nmax allocated: 5", 7 * 2**20, None), ("max allocated: 1e99", None, None),
        ("gpu_memory: 45GiB, allocated: 30", None, None),
    ],
)  # fmt: skip
def test_the_most_memory_that_is_logged(text: str, allocated: float | None, reserved: float | None) -> None:
    log, _ = read(f"{text}\n{ITERATION}\n".encode(), "run.log")
    assert log is not None and (log.allocated, log.reserved) == (allocated, reserved)


@pytest.mark.parametrize(
    ("text", "sequence", "gpus"),
    [
        ("seq_length ...... 8192\nworld_size: 128", 8192, 128), ("seq_len=77 using world size: 12, x", 77, 12),
        ("encoder_seq_length: 77, WORLD_SIZE=12", 77, 12), ("max_seq_len: 77 local_world_size: 12", None, None),
        ("seq_len: 77\nseq_len: 99\nworld_size: 5\nworld_size: 6", 77, 5),
        ("seq_len: 12345678901 world_size: 12345678901", 12345678901, 12345678901),
        ("seq_len: 123456789012 world_size: 123456789012", None, None),
    ],
)  # fmt: skip
def test_the_sequence_and_the_gpus_that_are_said_first(text: str, sequence: Any, gpus: Any) -> None:
    log, _ = read(f"{text}\n{ITERATION}\n".encode(), "run.log")
    assert log is not None and (log.sequence, log.gpus) == (sequence, gpus)


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ([], ("", "", None)), (["2026-03-04 05:06:07"], ("2026-03-04", "2026-03-04", 0)),
        (["2026-03-04 23:59:50", "2026-03-05T00:00:20", "2026-03-06T00:00:20"], ("2026-03-04", "2026-03-06", 86_430)),
        (["2026-13-45 23:59:50", "2026-03-05 00:00:20", "2026-03-06 30:00:20"], ("2026-03-05", "2026-03-05", 0)),
    ],
)  # fmt: skip
def test_the_days_and_the_time_between_them(stamps: list[str], expected: tuple[str, str, float | None]) -> None:
    log, _ = read(("\n".join(f"[{s},123] x" for s in stamps) + f"\n{ITERATION}\n").encode(), "run.log")
    assert log is not None and (log.first, log.last, log.elapsed) == expected


def test_a_median_is_of_those_that_have_the_figure() -> None:
    own = [Record(i, s, None, None, None, None, None, i) for i, s in enumerate((5.0, None, 9.0, 8.0))]
    medians = [median_of(tuple(own[:n]), lambda r: r.seconds) for n in (0, 1, 2, 3, 4)]
    assert medians == [None, 5.0, 5.0, 7.0, 8.0]
    assert median_of(tuple(own), lambda r: r.samples) is None


def test_the_first_framework_names_the_log_and_colors_are_no_text() -> None:
    log, _ = read(f"{ITERATION}\ntrain_step_timing in s: 1.5\n".encode(), "run.log")
    assert log is not None and log.framework == "Megatron-LM" and [r.seconds for r in log.records] == [0.25, 1.5]
    assert detects("\x1b[31mstep:\x1b[0m 7 \x1b[3mtps: 5") and not detects("mystep: 7 tps: 5")

"""Logs of training frameworks: medians of the steady steps, memory, and how far the run has come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.form import canonical
from dsl.importers.train_log import detects, read, steady
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
    log, problems = read(b"hello\n", "run.log")
    assert log is None and [p.code for p in problems] == ["E13"]


@given(st.text(max_size=200))
def test_whatever_is_read_becomes_steps_or_problems(noise: str) -> None:
    log, problems = read((MEGATRON[:700] + noise + "elapsed time per iteration (ms): " + noise).encode(), "run.log")
    assert (log is None) == bool(problems) and all(p.title and p.span.file == "run.log" for p in problems)
    made = logs(Asked((Given("run.log", (TITAN + noise).encode()),)))
    assert bool(made.text) != bool(made.problems) and canonical(made.text) == (made.text, [])

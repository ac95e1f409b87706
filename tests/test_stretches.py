"""Runs in phases: stretches with their own batch, sequence or layout; times, steps and costs are added."""

from pathlib import Path
from typing import Any

import pytest

from reports.book import bind
from reports.commands.source import read
from reports.document import build
from tests.cases import Json, evaluated, point_of_text, problems, text_of

MODEL = (
    "layers = 16, hidden = 4096, ffn = 14_336, heads = 32, kv_heads = 8, vocabulary = 128_000, sequence = 4096 tokens"
)
CLUSTER = "price = 2 $/gpu-hour, mtbf = 24 hours"
RUN = "batch = 256 sequences, tokens = 100B tokens\n layout { tensor = 2 }\n checkpoint { pause = 10 s }\n"
RAMP = "phase ramp { tokens = 20B tokens, batch = 64 sequences }\n"
LONG = "phase long { tokens = 10B tokens, sequence = 32Ki tokens, batch = 1Mi tokens, layout.context = 4 }\n"


def point(phases: str = "", run: str = RUN) -> Json:
    return evaluated(MODEL, run + phases, gpus=64, cluster=CLUSTER)


def test_times_of_all_stretches_are_added() -> None:
    plain, both = point(), point(RAMP + LONG)
    ramp, long, rest = both["phases"]
    assert [p["name"] for p in both["phases"]] == ["ramp", "long", "the rest"]
    assert rest["tokens"] == 70e9 and rest["step_time"] == plain["results"]["step_time"]
    assert (ramp["batch"], ramp["sequence"], ramp["tokens_per_step"]) == (64, 4096, 64 * 4096)
    assert (long["batch"], long["sequence"], long["tokens_per_step"]) == (32, 32768, 2**20)
    for part in both["phases"]:
        whole = part["tokens"] / part["tokens_per_second"] / part["effective_training_time"]
        assert part["time"] == pytest.approx(whole, rel=1e-9)
    results: dict[str, Any] = both["results"]
    assert results["time_to_train"] == pytest.approx(sum(p["time"] for p in both["phases"]), rel=1e-9)
    assert results["time_to_train"] > plain["results"]["time_to_train"]
    assert results["steps"] == 76_294 + 9_537 + 66_758  # 20e9 / 262,144, 10e9 / 2^20, 70e9 / 2^20, rounded up
    assert results["cost"] == pytest.approx(64 * 2 / 3600 * results["time_to_train"], rel=1e-9)
    assert results["gpu_hours"] == pytest.approx(64 * results["time_to_train"], rel=1e-9)


def test_degrees_that_follow_are_worked_out_anew_in_a_phase() -> None:
    """Context 4 in the long phase: data falls from 32 to 8, the micro-batches with it."""
    long = point(LONG)["phases"][0]
    assert long["status"] == "ok"


def test_a_phase_that_covers_everything_leaves_no_rest() -> None:
    both = point("phase all { tokens = 100B tokens, batch = 128 sequences }")
    assert [p["name"] for p in both["phases"]] == ["all"]
    assert both["results"]["time_to_train"] == both["phases"][0]["time"]


def test_a_phase_that_does_not_fit_makes_the_run_so() -> None:
    bad = "phase wide { tokens = 1B tokens, layout.micro_batch = 8 sequences, sequence = 32Ki tokens }"
    both = point(bad)
    assert both["status"] == "does_not_fit" and both["reasons"][0].startswith("phase wide: stage 0 needs")
    assert [part["status"] for part in both["phases"]] == ["does_not_fit", "ok"]


def test_reports_show_phases_and_places(tmp_path: Path) -> None:
    """Each phase and each place of checkpoints is a row; a run without has neither table."""
    places = "checkpoint { host { interval = 5 minutes } }\n"
    shown = {}
    for name, more in (("plain", ""), ("both", RAMP + places)):
        file = tmp_path / f"{name}.scn"
        run = RUN.replace("checkpoint { pause = 10 s }", "") + more
        file.write_text(text_of(MODEL, run, gpus=64, cluster=CLUSTER), "utf-8")
        source = read(file)
        assert not source.in_error, source.shown
        shown[name] = {t.key: t for t in bind(build(source.scenario)).tables}
    assert not {"phases", "places"} & set(shown["plain"])
    assert [row[0] for row in shown["both"]["phases"].rows] == ["ramp", "the rest"]
    assert [row[0] for row in shown["both"]["places"].rows] == ["Host", "Storage"]
    assert sum(float(str(row[4])) for row in shown["both"]["places"].rows) == pytest.approx(1.0)


def test_phases_of_more_tokens_than_the_run_are_said() -> None:
    both = point("phase big { tokens = 200B tokens }")
    assert both["results"]["time_to_train"] is None and any("more tokens" in note for note in both["notes"])
    assert any(row["result"] == "cost" for row in both["unavailable"])


def test_a_batch_in_tokens_must_be_whole_sequences_of_the_phase() -> None:
    text = text_of(
        MODEL, RUN + "phase odd { tokens = 1B tokens, sequence = 4096 tokens, batch = 5000 tokens }", gpus=64
    )
    assert [p.code for p in problems(text)] == ["E22"]


def test_a_run_without_phases_has_none() -> None:
    assert point()["phases"] == []
    assert point_of_text(text_of(MODEL, RUN, gpus=64, cluster=CLUSTER))["phases"] == []

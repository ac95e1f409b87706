"""`scn validate --kind memory`: published peaks predicted from configuration alone, held to what was reached.

`tests/data/memory.csv` holds 180 rows of nine publications with every column that a prediction needs but the measured
one (or the micro-batch), each with where it was published.
"""

import json
from pathlib import Path

import pytest

from reports.validation.errors import errors_of, predictions
from reports.validation.errors import left_out as reasons
from reports.validation.kinds import MEMORY
from reports.validation.memory import GIB, left_out, level, measured, predict
from reports.validation.memory_settings import as_run, by_cost
from reports.validation.models import dimensions, plain_name
from reports.validation.rows import read
from reports.validation.stated import MEMORY as STATED
from tests.test_render import call

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "data" / "memory.csv"
ROWS = read(FILE)
BY_ID = {row["id"]: row for row in ROWS}
MEASURED = ("value_gib", "value_as_published", "unit_as_published", "source", "notes", "check", "id", "kind")


def size(row: dict[str, str]) -> float:
    """The prediction of a row that is supported."""
    found, why = predict(row)
    assert found is not None, why
    return found


@pytest.mark.slow
def test_errors_of_162_peaks_stay_within_what_was_reached() -> None:
    """Median 2.9 % and 90th percentile 10.5 % of nine sources (2026-11), beside the goal of 5 % and 12 %."""
    found = predictions(ROWS, MEMORY)
    e = errors_of("all", found)
    assert (e.n, e.failed) == (STATED.rows, 0)
    assert (e.median_abs, e.p90_abs) == pytest.approx((STATED.median, STATED.p90), abs=0.0006)
    assert e.median_abs is not None and e.median_abs < 0.033
    assert e.p90_abs is not None and e.p90_abs < 0.115
    assert e.bias is not None and abs(e.bias) < 0.015


@pytest.mark.slow
@pytest.mark.parametrize(
    ("starts", "rows", "most"),
    [("MooreThreads", 28, 0.02), ("mlcommons", 20, 0.03), ("pytorch", 20, 0.06), ("bigscience-workshop", 88, 0.045)],
)
def test_errors_by_publisher(starts: str, rows: int, most: float) -> None:
    e = errors_of(starts, predictions([r for r in ROWS if r["source"].startswith(starts)], MEMORY))
    assert e.n == rows
    assert e.median_abs is not None and e.median_abs < most


@pytest.mark.slow
def test_four_in_five_peaks_or_more_lie_in_their_interval() -> None:
    """90 to 112 % of the prediction; in-sample 91 % lie inside, by the other publishers' peaks 79 % (test_fit)."""
    found = [p for p in predictions(ROWS, MEMORY) if p.predicted and p.low and p.high]
    assert len(found) == 162
    inside = sum(p.low <= p.measured <= p.high for p in found if p.low and p.high and p.measured)
    assert inside / len(found) == pytest.approx(0.907, abs=0.02)


@pytest.mark.slow
def test_layouts_that_ran_out_of_memory_are_said_not_to_fit_with_the_largest() -> None:
    """Three of BLOOM's seven exceed the 80 GB of their GPU by far; the others are V100s within 1 GiB of theirs."""
    rows = [r for r in ROWS if "OOM" in r["component"] and r["gpu"].startswith("A100")]
    assert len(rows) == 3
    assert all(size(r) > 80e9 for r in rows)


@pytest.mark.parametrize("row", ROWS[::25], ids=lambda r: str(r["id"]))
def test_a_prediction_reads_no_measurement(row: dict[str, str]) -> None:
    assert predict(row | dict.fromkeys(MEASURED, "")) == predict(row)


def test_only_an_absent_column_leaves_a_row_out() -> None:
    row = BY_ID["mem-0025"]
    assert left_out(row) == ""
    assert left_out(row | {"mbs": "", "gpu": ""}) == "no mbs, gpu"
    assert reasons([row, row | {"value_gib": ""}], MEMORY) == ["", "no value_gib"]
    (unknown,) = predictions([row | {"gpu": "Gaudi9"}], MEMORY)
    assert unknown.predicted is None and unknown.why == "the library has no GPU `Gaudi9`"


def test_what_a_number_counts_follows_from_the_framework() -> None:
    assert level(as_run(BY_ID["mem-0001"])) == "reserved"  # TorchTitan's log
    assert level(as_run(BY_ID["mem-0025"])) == "allocated"  # Megatron-Core's
    assert level(as_run(BY_ID["mem-0130"])) == "driver"  # nvidia-smi
    assert measured(BY_ID["mem-0130"]) == 47 * GIB


def test_a_models_dimensions_come_from_its_name() -> None:
    found = dimensions({"model": "Llama-3-70B (proxy, 12 layers)", "layers": "12", "hidden": "8192"})
    assert (found["heads"], found["kv_heads"], found["ffn"], found["vocab"]) == ("64", "8", "28672", "128256")
    experts = dimensions({"model": "DeepSeek-V3 (proxy, 4 layers)", "layers": "4", "hidden": "7168"})
    assert (experts["experts"], experts["moe_layers"], experts["attention"]) == ("256", "3", "mla")
    bloom = dimensions({"model": "BLOOM-prequel 80L x 13824", "layers": "80", "hidden": "13824"})
    assert (bloom["heads"], bloom["ffn"]) == ("64", "55296")
    assert dimensions({"model": "a model of nobody"}) == {}
    assert plain_name("Llama-2-70B LoRA (MLPerf)") == "llama-2-70b"


def test_nanotrons_stages_are_made_by_cost() -> None:
    """A head of 2.45 layers: 26.45 over 8 is 3.3 a stage, and the first takes the layer that passes it."""
    row = {"hidden": "2048", "ffn": "4096", "layers": "24", "vocab": "50257", "pp": "8"}
    assert by_cost(row) == (4, 3, 3, 4, 3, 3, 4, 0)
    assert by_cost(row | {"pp": "2"}) == (14, 10)


def test_json_has_every_row_in_bytes() -> None:
    done = call(
        "scn", "validate", str(FILE), "--kind", "memory", "--where", "gpu=H100-SXM-96GB", "--format", "json", cwd=ROOT
    )
    found = json.loads(done.out)
    assert found["n"] == len(found["rows"]) == 12
    for row in found["rows"]:
        assert row["error"] == pytest.approx(row["predicted"] / row["measured"] - 1)
        assert row["measured"] == measured(BY_ID[row["id"]])
        assert row["low"] < row["predicted"] < row["high"]
    assert {"id": "mem-0013", "why": "no mbs"} in found["left_out"]


def test_the_kind_is_told_from_the_columns() -> None:
    done = call("scn", "validate", str(FILE), "--where", "gpu=H100-SXM-96GB", cwd=ROOT)
    assert done.code == 0
    assert "bytes a GPU" in done.out and "measured [GiB]" in done.out
    wrong = call("scn", "validate", str(FILE), "--kind", "time", cwd=ROOT)
    assert wrong.code == 2 and "is no table of runs: it has no column heads" in wrong.err


def test_fp4_keeps_less_than_fp8_where_the_policy_does_not_know_its_multiplies() -> None:
    """TorchTitan's nvfp4.md: 110.95 of 179.94 GiB for Llama-3-8B, 78.63 of 112.63 for Qwen3-8B."""
    for fp4, fp8 in (("mem-0258", "mem-0259"), ("mem-0261", "mem-0262")):
        published = float(BY_ID[fp4]["value_gib"]) / float(BY_ID[fp8]["value_gib"])
        assert size(BY_ID[fp4]) / size(BY_ID[fp8]) == pytest.approx(published, rel=0.08)


def test_a_family_without_an_entry_has_the_dimensions_of_its_publication() -> None:
    small = dimensions({"model": "GPT 1.3B (tr3m)", "layers": "24", "hidden": "2048"})
    assert (small["heads"], small["ffn"]) == ("16", "8192")
    nanotron = dimensions({"model": "nanotron-llama-1B", "layers": "24", "hidden": "2048"})
    assert (nanotron["heads"], nanotron["head_dim"], nanotron["ffn"]) == ("32", "64", "4096")
    assert (nanotron["vocab"], nanotron["tied_embeddings"]) == ("50304", "1")

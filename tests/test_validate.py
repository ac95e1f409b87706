"""`scn validate`: published runs predicted from configuration alone, and the errors held to what was reached.

`tests/data/runs.csv` holds 88 rows of 51 publications, up to three of each pair of framework and GPU; its columns
are those of the set that the errors are stated for, each row with the page and the commit it was published in.
"""

import csv
import json
from pathlib import Path

import pytest

from reports.intervals import intervals
from reports.quantiles import quantile
from reports.validation.errors import as_json, errors_of, predictions
from reports.validation.errors import left_out as reasons
from reports.validation.kinds import TIME
from reports.validation.rows import GBIT, card, measured_seconds, read, stack_of
from reports.validation.settings import settings_of
from reports.validation.step_time import LADDER, left_out, predict
from reports.validation.text import as_text, common, percent
from tests.test_render import call

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "data" / "runs.csv"
ROWS = read(FILE)
BY_ID = {row["id"]: row for row in ROWS}
MEASURED = (
    "source", "source_commit_or_year", "iter_time_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "tflops_definition",
    "mfu_pct", "peak_mem_gib", "id", "grade",
)  # fmt: skip


def seconds(row: dict[str, str]) -> float:
    """The prediction of a row that is supported."""
    found, why = predict(row)
    assert found is not None, why
    return found


def test_errors_stay_within_what_was_reached() -> None:
    """Medians of the rows beside the goal of 5 %: a change that makes predictions worse is seen here."""
    e = errors_of("all", predictions(ROWS))
    assert e.n == len(ROWS)
    assert e.failed <= 1
    assert e.median_abs is not None and e.median_abs < 0.085
    assert e.bias is not None and abs(e.bias) < 0.03
    nvidia = [p for p in predictions(ROWS) if p.row["framework"].startswith("NeMo (Megatron")]
    near = errors_of("NeMo", nvidia)
    assert near.n >= 5 and near.median_abs is not None and near.median_abs < 0.08


@pytest.mark.parametrize("row", ROWS[::12], ids=lambda r: str(r["id"]))
def test_a_prediction_reads_no_measurement(row: dict[str, str]) -> None:
    assert predict(row | dict.fromkeys(MEASURED, "")) == predict(row)


def test_only_an_absent_column_leaves_a_row_out() -> None:
    row = ROWS[0]
    assert left_out(row) == ""
    assert left_out(row | {"heads": "", "mbs": ""}) == "no heads, mbs"
    bare = row | {"iter_time_s": "", "tokens_per_s_per_gpu": ""}
    assert reasons([row, bare], TIME) == ["", "no iter_time_s and no tokens_per_s_per_gpu"]
    (unknown,) = predictions([row | {"gpu": "Gaudi9"}])
    assert unknown.predicted is None and unknown.why == "the library has no GPU `Gaudi9`"
    assert errors_of("one", [unknown]).failed == 1


def test_a_table_without_measurements_is_predicted_all_the_same() -> None:
    """Blanked in every row: what is measured, where it was published, notes, checks, ids. The predictions stay."""
    some = ROWS[::4]
    blanked = [row | dict.fromkeys((*MEASURED, "notes", "check"), "") for row in some]
    found, bare = as_json(some, predictions(some)), as_json(blanked, predictions(blanked))
    assert bare["n"] == found["n"] == len(some) and bare["left_out"] == []
    assert [r["predicted"] for r in bare["rows"]] == [r["predicted"] for r in found["rows"]]
    assert [(r["low"], r["high"]) for r in bare["rows"]] == [(r["low"], r["high"]) for r in found["rows"]]
    assert {r["measured"] for r in bare["rows"]} == {r["error"] for r in bare["rows"]} == {None}
    assert (bare["median_abs"], bare["failed"]) == (None, found["failed"])


def test_it_has_no_report_of_errors(tmp_path: Path) -> None:
    file = tmp_path / "plans.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, [*ROWS[0]])
        table.writeheader()
        table.writerows(row | dict.fromkeys(MEASURED, "") for row in ROWS[:3])
    done = call("scn", "validate", str(file), "--out", str(tmp_path / "out"), cwd=ROOT)
    assert done.code == 0, done.err
    assert "3 rows, 0 left out, 3 predicted; nothing is measured" in done.out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("layers", "abc", "layers is `abc`"), ("layers", "1e300", "layers is `1e300`"), ("heads", "0", "heads is `0`"),
        ("n_gpus", "nan", "n_gpus is `nan`"), ("seq", "-1", "seq is `-1`"), ("experts", "inf", "experts is `inf`"),
        ("layers", "12.5", "layers is `12.5`"), ("precision", "fp17", "the precision `fp17` is not known"),
    ],
)  # fmt: skip
def test_a_row_that_no_run_can_have_counts_as_failed(column: str, value: str, why: str) -> None:
    (found,) = predictions([ROWS[0] | {column: value}])
    assert found.predicted is None and found.why.startswith(why)


@pytest.mark.parametrize("value", ["0", "-3", "nan", "inf", "1,000"])
def test_a_time_that_no_step_takes_is_none(value: str) -> None:
    assert measured_seconds({"iter_time_s": value}) is None


def test_measured_seconds_follow_from_the_token_rate() -> None:
    row = {"gbs": "8", "seq": "4096", "n_gpus": "4", "tokens_per_s_per_gpu": "2048", "iter_time_s": ""}
    assert measured_seconds(row) == 4.0
    assert measured_seconds(row | {"iter_time_s": "3.5"}) == 3.5


def test_four_in_five_rows_lie_in_their_interval() -> None:
    """The stacks' spreads are those of 782 rows; of this selection, with its small stacks, about as many lie inside."""
    found = [p for p in predictions(ROWS) if p.predicted and p.low and p.high]
    assert len(found) >= 80
    inside = sum(p.low <= p.measured <= p.high for p in found if p.low and p.high and p.measured)
    assert 0.7 <= inside / len(found) <= 0.9


def test_an_interval_is_the_prediction_times_the_stacks_spread() -> None:
    settings = {"stack.measured_low": 0.9, "stack.measured_high": 1.2, "fidelity": "operator"}
    results = {"step_time": 10.0, "time_to_train": None, "cost": 50.0, "mfu": 0.4}
    both = {"step_time": {"low": 9.0, "high": 12.0}, "cost": {"low": 45.0, "high": 60.0}}
    assert intervals(settings, results) == both
    assert intervals(settings | {"cluster.ownership": "owned"}, results) == both  # written off by the hour as well
    assert intervals(settings | {"fidelity": "reduced"}, results) is None
    assert intervals({"stack.measured_low": None}, results) is None


def test_quantiles_interpolate() -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert quantile([0.0, 10.0], 0.9) == 9.0


def test_megatron_of_2021_ends_with_the_a100() -> None:
    row = ROWS[0] | {"framework": "Megatron-LM"}
    assert stack_of(row | {"gpu": "A100-SXM-80GB"}) == "megatron-2021"
    assert stack_of(row | {"gpu": "H100-SXM-80GB"}) == "megatron-core"
    assert stack_of(row | {"gpu": "B200-SXM-180GB", "framework": "Megatron-LM 0a1b2c3"}) == "megatron-core"


@pytest.mark.parametrize(
    ("text", "gpus", "gbit"),
    [
        ("4x ConnectX-8 IB XDR 800 Gb/s; scale-up NVLINK Gen5 1800 GB/s + NVSWITCH Gen5", 4, 800),
        ("8x ConnectX-7 IB NDR 400Gb/s + 200Gb/s Ethernet NIC", 8, 400),
        ("1x Ethernet 100Gb/Sec, 8x NVIDIA Quantum-2 CX7 InfiniBand (400Gb/s); scale-up NVLINK 4.0", 8, 400),
        ("Storage+Management: 1x NVIDIA BlueField 2 DPU 100Gb/s, Compute: 8x NVIDIA ConnectX-7 IB NDR 400Gb/s", 8, 400),
        ("Compute: 8x MT43244 BlueField-3 200Gb/s, Management: 2x100Gb/s Ethernet NIC", 8, 200),
        ("2x Mellanox ConnectX-5 Ex 100Gb/s Ethernet; scale-up 24x 100Gb/s Ethernet", 8, 25),
        ("NVLink; A3 GPUDirect-TCPX (4x200 Gb/s per VM)", 8, 100),
        ("NVLink; 2x200 Gb/s HDR per node x2 (4 NICs)", 8, 100),
        ("NVLink3 in node (8 GPU); 4x Omni-Path 100 Gb/s per node (Jean Zay)", 8, 50),
        ("NVLink intra; RDMA 400 Gb/s (CX-7) per GPU", 8, 400),
        ("NVLink/NVSwitch; 8x HDR InfiniBand per node", 8, 200),
        ("AWS p5.48xlarge: NVSwitch; 3200 Gb/s EFA per node", 8, 400),
        ("1600 Gbps/node RoCE", 8, 200),
        ("Selene HDR InfiniBand", 8, None),  # how many is not said
        ("InfiniBand; Data bandwidth for GPU-PCIe: 504 GB/s; PCIe-NIC: 500 GB/s", 8, None),  # bytes: of the bus
        ("NVLink5 NVL72; ConnectX-8 (per NVIDIA platform)", 4, None),
        ("", 8, None),
    ],
)  # fmt: skip
def test_network_cards_are_read_as_they_are_listed(text: str, gpus: int, gbit: float | None) -> None:
    found = card({"interconnect": text, "gpus_per_node": str(gpus)}, 7e9)
    assert found == pytest.approx(7e9 if gbit is None else gbit * GBIT)


def test_an_mi350x_is_slower_than_an_mi355x_by_its_clock() -> None:
    """The data sheets: 2,307 and 2,516.6 TFLOP/s in bf16, at 2.2 and 2.4 GHz; 1,000 and 1,400 W."""
    row = ROWS[0]
    slow, fast = (settings_of(row | {"gpu": f"{name}-288GB"}) for name in ("MI350X", "MI355X"))
    assert slow["cluster.gpu.peak.bf16"] == 2307e12
    assert slow["cluster.gpu.peak.bf16"] / fast["cluster.gpu.peak.bf16"] == pytest.approx(2.2 / 2.4, rel=1e-3)
    assert (slow["cluster.gpu.power"], fast["cluster.gpu.power"]) == (1000.0, 1400.0)


def test_more_ranks_than_sequences_split_the_sequence() -> None:
    row = ROWS[0] | {"n_gpus": "64", "tp": "2", "pp": "1", "cp": "", "gbs": "8", "mbs": "1"}
    found = settings_of(row)
    assert (found["layout.context"], found["layout.data"]) == (4.0, 8.0)


def test_unknown_recomputation_is_the_least_that_fits() -> None:
    """A run that needs a higher rung takes longer than the same run that computes nothing again."""
    small = ROWS[0] | {"recompute": "unknown"}
    assert seconds(small) <= seconds(small | {"recompute": "full"})
    assert LADDER[-1] == {"layout.recompute": "full"}


def test_the_command_prints_groups_worst_rows_and_what_they_share() -> None:
    done = call("scn", "validate", str(FILE), "--where", "framework=MaxText", cwd=ROOT)
    assert done.code == 0
    for part in ("by GPU", "by precision", "rows with the largest errors", "90th percentile", "TPU-v6e"):
        assert part in done.out
    assert "Megatron-DeepSpeed" not in done.out


def test_json_has_every_row_in_seconds() -> None:
    done = call("scn", "validate", str(FILE), "--where", "gpu=TPU-v6e", "--format", "json", cwd=ROOT)
    found = json.loads(done.out)
    assert found["n"] == len(found["rows"]) == sum(row["gpu"] == "TPU-v6e" for row in ROWS)
    for row in found["rows"]:
        if row["predicted"] is not None:
            assert row["error"] == pytest.approx(row["predicted"] / row["measured"] - 1)
            assert row["measured"] == measured_seconds(BY_ID[row["id"]])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no.csv"], "does not exist"),
        ([str(FILE), "--where", "framework"], "write COLUMN=VALUE"),
        ([str(FILE), "--where", "colour=red"], "has no column `colour`; it has id"),
        ([str(Path(__file__))], "is no table of runs: it has no column layers"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(arguments: list[str], says: str) -> None:
    done = call("scn", "validate", *arguments, cwd=ROOT)
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err


def test_what_the_worst_rows_share_is_named() -> None:
    maxtext = [row for row in ROWS if row["framework"] == "MaxText"][:3]
    assert any(text.startswith("framework MaxText: 3 of 3") for text in common(maxtext, ROWS, TIME))
    assert percent(0.0649, signed=True) == "+6.5%"
    assert percent(None) == "-"
    assert percent(-0.0004, signed=True) == percent(0.0004, signed=True) == "0.0%"
    assert percent(-0.0006, signed=True) == "-0.1%"


def test_the_text_counts_what_is_predicted_and_what_is_not() -> None:
    rows = [*ROWS[:3], ROWS[0] | {"gpu": "Gaudi9"}, ROWS[1] | {"mbs": ""}]
    told = as_text(rows, predictions(rows), TIME)
    assert "5 rows, 1 left out, 3 predicted, 1 not evaluated." in told
    assert "     1  the library has no GPU `Gaudi9`" in told

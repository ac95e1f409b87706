"""The operations appendix: exported arguments read back to the identical layout; figures are the plan's own."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dsl.importers import megatron as megatron_reader
from dsl.importers import torchtitan as torchtitan_reader
from dsl.scenario import Run
from reports.book import bind
from reports.commands.source import read
from reports.document import build, evaluated
from reports.html import render_html
from reports.judgement import plain
from reports.operations import megatron, watched
from reports.operations.files import exported, of_document
from reports.operations.settings import counted_save, ends, near
from reports.plan import plan_of
from reports.point import sharding, stages
from reports.quantities import Quantity
from reports.sections.operations import questions
from reports.sections.operations_signs import full_memory
from reports.tables import Table
from tests.report_documents import Json, cannot_be_built, document, main_point

ROOT = Path(__file__).parent.parent
NB = "\u00a0"


Built = tuple[dict[str, Any], Run]


def settings_of(path: Path) -> list[Built]:
    """The settings of every run of a file, as the document has them, and the run."""
    runs = read(path).scenario.runs
    return [({"name": r.name} | {p: plain(v.value) for p, v in r.settings.items()}, r) for r in runs]


FILES = [*sorted((ROOT / "scenarios").glob("*.scn")), ROOT / "tests" / "data" / "tables.scn"]
RUNS = [(s, r) for path in FILES for s, r in settings_of(path) if exported({"settings": s}, "run")]


def named(given: Any) -> str:
    settings, _ = given
    return f"{settings['name']}-{settings['stack']}-{settings['cluster.gpu']}"


def test_some_runs_of_both_frameworks_are_exported() -> None:
    stacks = {s["stack"] for s, _ in RUNS}
    assert {"megatron-core", "nemo", "torchtitan"} <= stacks and len(RUNS) >= 10


@pytest.mark.parametrize("built", RUNS, ids=named)
def test_exported_arguments_read_back_give_the_identical_layout(built: Built) -> None:
    settings, run = built
    result = evaluated(run)
    placed = stages(result)
    made = {"settings": settings, "status": "ok", "stages": placed, "sharding": sharding(result)}
    ((name, text),) = exported(made, "run").items()
    reader = megatron_reader if name.endswith(".args") else torchtitan_reader
    draft, problems = reader.read(text.encode(), name)
    assert problems == [] and draft.gpus == settings["cluster.gpus"]
    assert set(draft.given) <= draft.used  # nothing is exported that a reader does not know
    for path, value in draft.run.items():
        own = settings.get(path)
        if path in ("model", "stack", "tokens") or own == value:
            continue
        if path == "layout.schedule":
            assert value == f"interleaved(virtual_stages = {settings['layout.schedule.virtual_stages']:g})"
        elif path == "layout.shard":  # a group is read back by its size
            group = sharding(result)["ranks"] * settings["layout.tensor"]
            assert own == "zero3" and value == f"zero3(group = {group:g} gpus)"
            assert settings["layout.shard.within"] != "all" or settings.get("layout.shard.group")
        else:
            assert path == "layout.stages" and own is None  # what `split = balanced` comes to
            assert value == [s["layers"] for s in placed]
    steps = draft.run.get("tokens", 0.0) / (settings["batch"] * settings["sequence"])
    assert steps == pytest.approx((settings["tokens"] or 0.0) / (settings["batch"] * settings["sequence"]), abs=1.0)
    read_back = {f"model.{p}": v for p, v in draft.model.items()}
    shared = ("model.experts.shared_ffn", "model.ffn")  # written out where a scenario leaves them to follow
    assert {p: v for p, v in read_back.items() if p not in shared} == {
        p: settings[p] for p in read_back if p not in shared
    }


@cache
def llama() -> Json:
    return build(read(ROOT / "scenarios" / "llama-405b-16k.scn").scenario)


@cache
def deepseek() -> Json:
    return build(read(ROOT / "scenarios" / "deepseek-v3.scn").scenario)


def args(given: Json) -> str:
    """The Megatron arguments of the first run."""
    (text,) = exported(main_point(given), "run").values()
    return text


def test_uneven_stages_are_those_of_the_engine() -> None:
    """126 layers over 16: 7, 14 of 8, 7. DeepSeek-V3's 61, with a module after the head: 15 of 4, then 1."""
    assert [s["layers"] for s in main_point(llama())["stages"]] == [7] + [8] * 14 + [7]
    counted = "--account-for-embedding-in-pipeline-split\n--account-for-loss-in-pipeline-split\n"
    assert f"--num-virtual-stages-per-pipeline-rank 8\n{counted}" in args(llama())
    assert [s["layers"] for s in main_point(deepseek())["stages"]] == [4] * 15 + [1]
    assert "--decoder-last-pipeline-num-layers 1\n" in args(deepseek()) and "first-pipeline" not in args(deepseek())


@pytest.mark.parametrize(
    ("layers", "found"),
    [([8], (0, 0)), ([8, 8, 8], (0, 0)), ([7, 8, 8, 7], (7, 7)), ([4, 4, 1], (0, 1)), ([5, 3], (5, 0)),
     ([3, 4, 4], (3, 0)), ([7, 8, 7, 8], None), ([4, 4, 0], None)],
)  # fmt: skip
def test_first_and_last_stage_beside_equal_ones(layers: list[int], found: tuple[int, int] | None) -> None:
    assert ends(layers) == found


def test_a_split_that_megatron_cannot_express_is_named() -> None:
    """Unequal stages between, and stages that virtual ones do not divide."""
    settings = {"layout.pipeline": 4, "stack": "megatron-core"}
    said = "how many layers stand on each stage (7, 8, 7, 8)"
    assert megatron.not_said(settings, [7, 8, 7, 8]) == [said]
    assert not [a for a, _ in megatron.layout(settings, [7, 8, 7, 8]) if a.startswith("--decoder")]
    assert megatron.not_said(settings, [7, 8, 8, 7]) == [] and megatron.not_said(settings, [8] * 4) == []
    inside = settings | {"layout.schedule": "interleaved", "layout.schedule.virtual_stages": 2}
    assert megatron.not_said(inside, [7, 8, 8, 7]) == ["how many layers stand on each stage (7, 8, 8, 7)"]
    assert megatron.not_said(inside, [8] * 4) == []
    assert megatron.not_said(inside | {"layout.split": "balanced"}, [7, 8, 8, 7]) == []
    assert megatron.not_said(inside | {"layout.split": "balanced"}, [6, 9, 9, 6]) != []
    assert megatron.not_said(settings, []) == ["how many layers stand on each stage"]


def test_attention_is_what_selective_recomputation_of_megatron_repeats() -> None:
    given = {"layout.recompute": "selective", "layout.recompute.ops": ["sdpa"]}
    assert megatron.not_said(given, [8]) == []
    assert megatron.not_said(given | {"layout.recompute.ops": ["sdpa", "mlp_up"]}, [8]) == [
        "which operations are recomputed (SDPA, MLP up)"]  # fmt: skip


def tables(given: Json) -> dict[str, Table]:
    return {t.key: t for t in bind(given).tables}


def test_questions_carry_the_figures_of_the_plan() -> None:
    point = main_point(llama())
    rows = {str(r[0]): r for r in tables(llama())["questions"].rows}
    step = Quantity(point["results"]["step_time"], "s", 3).text()
    assert str(rows["How long is a step?"][2]).startswith(step)
    assert f"400{NB}Gb/s" in str(rows["Is the link up, and at what speed?"][2])
    assert f"450{NB}GB/s each way a GPU" in str(rows["How are the GPUs of a node connected?"][2])
    expected = next(r for r in point["acceptance"] if r["test"] == "all_reduce" and r["size"] == 2.0**32)["expected"]
    assert Quantity(expected, "GB/s", 1).text() in str(rows["What does an all-reduce reach over node?"][2])


def test_symptoms_and_trades_carry_the_figures_of_the_plan() -> None:
    found, results = tables(llama()), main_point(llama())["results"]
    symptoms = " ".join(str(r[0]) for r in found["signs"].rows)
    assert Quantity(results["mtbf"], "h", 2).text() in symptoms
    assert Quantity(results["memory_headroom"], "GiB", 1).text() in symptoms
    costs = {str(r[0]): str(r[2]) for r in found["trades"].rows}
    assert Quantity(results["bubble_time"], "s", 3).text() in costs["Pipeline parallelism over 16"]


def test_the_appendix_prints_the_launch_line_and_the_file() -> None:
    page = render_html(llama())
    assert "torchrun --nnodes=2048 --nproc-per-node=8" in page and "dp-128.megatron.args" in page
    assert "--tensor-model-parallel-size 8" in page
    assert set(of_document(llama())) == {"dp-128.megatron.args", "dp-64.megatron.args"}


def test_what_cannot_be_built_is_not_launched() -> None:
    first, *_ = cannot_be_built()["experiments"]
    assert exported(first["points"][0], "run") == {}
    assert "questions" not in tables(cannot_be_built())
    assert "questions" in tables(document())


def test_values_are_shown_with_three_digits() -> None:
    assert near(2.43512, "s") == f"2.44{NB}s" and near(4.87024e12, "B") == f"4.87{NB}TB"
    assert near(450e9, "B/s") == f"450{NB}GB/s" and near(None, "s") == "–"


# What a part and a framework have


@cache
def rows_of(name: str, table: str) -> str:
    """All cells of a table of a scenario's first run."""
    given = build(read(ROOT / "scenarios" / f"{name}.scn").scenario)
    return "\n".join(" | ".join(str(cell) for cell in row) for row in tables(given)[table].rows)


def test_maxtext_on_tpu_is_told_nothing_of_nccl_and_megatron() -> None:
    said = rows_of("mixtral", "questions") + rows_of("mixtral", "signs")
    foreign = ("NCCL", "nccl", "NVLink", "nvidia", "elapsed time", "expandable", "node by node", "dump of the coll")
    assert not [word for word in foreign if word in said]
    assert "grep 'completed step:' LOG" in said
    assert "not stated: no dump of collectives is known for jax-maxtext-tpu on tpu" in said


@pytest.mark.parametrize(
    ("stack", "part", "found"),
    [("megatron-core", "cuda", "'elapsed time per iteration'"), ("torchtitan", "rocm", "'tps:'"),
     ("jax-maxtext", "cuda", "'completed step:'"), ("deepspeed", "cuda", "'CurrSamplesPerSec='"),
     ("nanotron", "cuda", "not stated"), ("", "cuda", "not stated: the log line of no stack")],
)  # fmt: skip
def test_each_framework_has_its_own_log_line(stack: str, part: str, found: str) -> None:
    settings = {"stack": stack, "cluster.gpu.toolkit": part}
    assert found in watched.step_line(settings)
    assert watched.on_pytorch(settings) == (stack != "jax-maxtext")
    assert ("TORCH_NCCL_" in watched.hang(settings)[0]) == (stack != "jax-maxtext")


def test_a_save_lasts_as_long_as_the_plan_counts() -> None:
    """team-70b states a pause of 30 s; a write in the background is counted by its own time."""
    assert f"at most 30{NB}s of pause for 847{NB}GB, every 27.0{NB}min" in rows_of("team-70b", "questions")
    checkpoint = {"save": 20.0, "pause": 2.0}
    assert counted_save({"settings": {"checkpoint.mode": "sync"}, "checkpoint": checkpoint}) == 2.0
    assert counted_save({"settings": {"checkpoint.mode": "async"}, "checkpoint": checkpoint}) == 20.0


def test_a_step_is_too_long_from_where_the_sheet_fails_it() -> None:
    given = build(read(ROOT / "scenarios" / "search-70b.scn").scenario)
    row = next(r for r in main_point(given)["acceptance"] if r["test"] == "step_time")
    longest = Quantity(row["threshold"], "s", 3).text()
    assert str(tables(given)["signs"].rows[0][0]) == f"Every step takes over {longest}"


def test_what_recomputation_repeats_is_named() -> None:
    assert "The forward pass of every layer is computed again: hardware" in rows_of("team-70b", "trades")
    assert "Attention is computed again: hardware" in rows_of("programme", "trades")
    assert "micro-batches keep the stages busy" in rows_of("programme", "trades")
    assert "keep" not in rows_of("team-70b", "trades")  # one stage waits for none


def answers(given: Json, **settings: Any) -> str:
    """All cells of the questions and the signs of a run with other settings."""
    made = plan_of(given)
    made.settings.update(settings)
    found = [*questions(made), *full_memory(made)]
    return "\n".join(" | ".join(row) for row in found)


def test_links_are_those_that_the_scenario_states() -> None:
    """The topology says NVLink or PCIe; nothing says InfiniBand, so no tool of InfiniBand alone is named."""
    said = answers(llama())
    assert "NVLink between 8" in said and "nvidia-smi nvlink" in said
    assert not [word for word in ("ibstat", "ibdev2netdev", "NET/IB", "GDRDMA") if word in said]
    assert "a network transport that is not NET/Socket" in said
    pcie = answers(llama(), **{"cluster.gpu.topology": "pcie"})
    assert "PCIe between 8" in pcie and "NVLink" not in pcie and "nvlink" not in pcie


def test_memory_that_does_not_fit_is_not_left() -> None:
    given = copy.deepcopy(document())
    given["experiments"][0]["points"][0]["results"]["memory_headroom"] = -14.2 * 2**30
    said = answers(given)
    assert f"the plan does not fit by 14.2{NB}GiB" in said and f"14.2{NB}GiB more than it has" in said
    assert "-14.2" not in said and "\u221214.2" not in said

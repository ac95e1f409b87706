"""The operations appendix: exported arguments read back to the identical layout; figures are the plan's own."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dsl.importers import megatron as megatron_reader
from dsl.importers import torchtitan as torchtitan_reader
from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.html import render_html
from reports.judgement import plain
from reports.operations.files import exported, of_document
from reports.operations.settings import near, stages
from reports.quantities import Quantity
from reports.tables import Table
from tests.report_documents import Json, cannot_be_built, document, main_point

ROOT = Path(__file__).parent.parent
NB = "\u00a0"


def settings_of(path: Path) -> list[dict[str, Any]]:
    """The settings of every run of a file, as the document has them."""
    runs = read(path).scenario.runs
    return [{"name": r.name} | {p: plain(v.value) for p, v in r.settings.items()} for r in runs]


FILES = [*sorted((ROOT / "scenarios").glob("*.scn")), ROOT / "tests" / "data" / "tables.scn"]
RUNS = [s for path in FILES for s in settings_of(path) if exported({"settings": s}, "run")]


def named(settings: dict[str, Any]) -> str:
    return f"{settings['name']}-{settings['stack']}-{settings['cluster.gpu']}"


def test_some_runs_of_both_frameworks_are_exported() -> None:
    stacks = {s["stack"] for s in RUNS}
    assert {"megatron-core", "nemo", "torchtitan"} <= stacks and len(RUNS) >= 10


@pytest.mark.parametrize("settings", RUNS, ids=named)
def test_exported_arguments_read_back_give_the_identical_layout(settings: dict[str, Any]) -> None:
    ((name, text),) = exported({"settings": settings, "status": "ok"}, "run").items()
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
        else:
            assert path == "layout.stages" and own is None  # what `split = balanced` comes to
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


def test_uneven_stages_are_those_of_the_engine() -> None:
    point = main_point(llama())
    layers = [s["layers"] for s in point["stages"]]
    assert stages(point["settings"]) == (layers[0], layers[-1]) == (7, 7)
    assert "--decoder-first-pipeline-num-layers 7\n" in exported(point, "run")["run.megatron.args"]


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

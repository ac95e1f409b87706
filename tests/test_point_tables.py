"""Tables of design points: a point alone, among others, and written as a run gives the same bits."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsl.dropped import dropped
from engine.metrics import METRICS
from reports.commands.source import read
from reports.document import build, evaluated
from reports.experiments import evaluation
from reports.experiments.parts import one, parts
from reports.experiments.table import axes, evaluate_table
from reports.units import unit_of
from tests.point_tables import HEAD, loaded, sweep

AXES = {
    "layout.tensor": "[1, 2, 4, 8]",
    "layout.pipeline": "[1, 2, 4, 8]",
    "layout.context": "[1, 2]",
    "layout.micro_batch": "[1, 2, 3] sequences",
    "layout.recompute": "[none, selective, full, full(first = 4)]",
    "layout.schedule": "[one_f_one_b, interleaved, interleaved(virtual_stages = 4), zero_bubble, gpipe]",
    "layout.shard": "[none, zero1, zero2, zero3, zero3(within = pod)]",
    "cluster.nodes": "[16, 48, 128, 2000]",
    "batch": "[1Mi, 8Mi, 16Mi] tokens",
    "sequence": "[4096, 8192, 12_288] tokens",
    "cluster.price": "[$1/gpu-hour, $3/gpu-hour]",
    "cluster.mtbf": "[20_000, 80_000] gpu-hours",
    "stack": "[megatron-core, torchtitan]",
    "cluster": "[hopper, blackwell]",
    "model": "[llama-3.1-70b, llama-3.1-8b, mixtral-8x7b-v0.1]",
    "layout.expert": "[1, 2, 8]",
    "layout.expert_tensor": "[1, 2]",
    "checkpoint.interval": "[young, best, 30 min]",
    "precision": "[bf16, fp8]",
    "cluster.spares": "[0, 16, 64] gpus",
    "frozen": "[0%, 50%]",
    "cluster.slow_rank": "[0%, 10%]",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.mark.slow
@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_point_alone_and_among_others_agree_bit_for_bit(folder: Path, data: Any) -> None:
    chosen = data.draw(st.lists(st.sampled_from(sorted(AXES)), min_size=1, max_size=5, unique=True))
    table = sweep(folder, "\n".join(f"{path} = {AXES[path]}" for path in chosen))
    assert table.space is not None
    space = table.space()
    few = data.draw(st.sampled_from([7, 100, 5000]))
    assert table.base is not None
    pieces = list(parts(space, few, evaluation.loose(table.base)))
    found = evaluation.evaluated(table, data.draw(st.sampled_from(pieces)))
    for k in data.draw(st.lists(st.integers(0, found.size - 1), min_size=1, max_size=3, unique=True)):
        alone = evaluation.evaluated(table, one(space, int(found.index[k])))
        assert alone.status[0] == found.status[k]
        assert list(alone.verdicts[:, 0]) == list(found.verdicts[:, k])
        for name in alone.results.keys() | found.results.keys():
            mine, others = alone.results.get(name, [np.nan])[0], found.results.get(name, np.full(found.size, np.nan))[k]
            assert mine == others or (np.isnan(mine) and np.isnan(others)), name


def test_a_point_and_the_run_with_its_settings_agree_bit_for_bit(folder: Path) -> None:
    table = sweep(folder, "cluster = [hopper, blackwell]\nlayout.tensor = [1, 8]\nlayout.schedule = [one_f_one_b, "
                  "interleaved(virtual_stages = 5)]\nbatch = [8Mi, 16Mi] tokens\n"
                  "cluster.nodes = [64, 100]")  # fmt: skip
    assert table.space is not None
    space = table.space()
    for place, index in (("cluster = hopper\n cluster.nodes = 64\n batch = 8Mi tokens\n layout.tensor = 1", 0),
                         ("cluster = blackwell\n cluster.nodes = 64\n batch = 16Mi tokens\n layout.tensor = 8\n "
                          "layout.schedule = interleaved(virtual_stages = 5)", 30)):  # fmt: skip
        path = folder / "written.scn"
        path.write_text(f"{HEAD}\nrun here from dense {{\n {place}\n}}\n", "utf-8")
        run = next(r for r in read(path).scenario.runs if r.name == "here")
        result = evaluated(run)
        found = evaluation.evaluated(table, one(space, index))
        assert evaluation.STATUS[found.status[0]] == result.status
        for name, column in found.results.items():
            assert column[0] == result.columns[name][0], name


def test_points_that_a_where_drops_are_evaluated_neither_in_many_nor_in_few(folder: Path) -> None:
    vary = "layout.tensor = [1, 2, 4, 8]\nlayout.micro_batch = 1..16 sequences\nlayout.context = [1, 2, 4]"
    every = sweep(folder, vary)
    few = sweep(folder, vary, " where layout.tensor * layout.micro_batch == 8\n where layout.context < 4")
    assert every.space is not None and few.space is not None
    whole, kept = (
        {int(i): (f.status[k], f.results["step_time"][k]) for part in parts(t.space(), 10_000)
         for f in [evaluation.evaluated(t, part)] for k, i in enumerate(f.index)}
        for t in (every, few) if t.space is not None
    )  # fmt: skip
    assert len(whole) == 192 and len(kept) == 4 * 2
    assert all(whole[i] == kept[i] or whole[i][0] == 2 == kept[i][0] for i in kept)
    counted, rules = dropped(few)
    made = evaluate_table(few)
    assert made["counts"]["points"] - made["counts"]["dropped"] == counted == 8
    assert [(r["points"], r["alone"]) for r in made["removed"] if r["kind"] == "where"] == [
        (r.dropped, r.alone) for r in rules
    ]


def test_infeasible_points_stay_with_their_reason(folder: Path) -> None:
    table = sweep(folder, "layout.micro_batch = [1, 8] sequences\nlayout.tensor = [3, 8]",
                  " measured at layout.micro_batch = 8 sequences { step_time = 9 s, source = \"a log\" }")  # fmt: skip
    made = evaluate_table(table)
    assert [p["status"] for p in made["points"]] == ["cannot_be_built", "ok", "cannot_be_built", "does_not_fit"]
    assert made["points"][0]["results"]["step_time"] is None and made["points"][0]["verdicts"] == [None]
    assert made["points"][3]["reason"].endswith(" GiB") and made["points"][3]["reasons"][0].startswith("the fullest")
    assert [p["measured"] for p in made["points"]] == [None, None, {"step_time": 9.0}, {"step_time": 9.0}]
    assert made["counts"] | {"partial": 0} == {"points": 4, "dropped": 0, "cannot_be_built": 2, "does_not_fit": 1,
        "not_evaluated": 0, "failed": 0, "met": 1, "evaluated": 2, "partial": 0}  # fmt: skip
    json.dumps(made, allow_nan=False)


def test_settings_that_follow_are_those_of_each_point(folder: Path) -> None:
    (table,) = loaded(folder, """
run follows from dense { layout.overlap.expert = if layout.tensor > 4 then 80% else 10% }
sweep varied {
 base = follows
 vary { layout.tensor = [2, 8], cluster.gpus = [512, 2048] gpus, sequence = [3000, 4096] tokens, batch = [8Mi tokens] }
}""")  # fmt: skip
    assert table.space is not None
    (part,) = {len(list(parts(table.space(), 100))) for _ in range(2)}
    points = [one(table.space(), i).settings for i in range(8)]
    assert [p["layout.overlap.expert"] for p in points] == [0.1] * 4 + [0.8] * 4
    assert [p["layout.data"] for p in points] == [64, 64, 256, 256, 16, 16, 64, 64]
    assert [p["cluster.nodes"] for p in points] == [64, 64, 256, 256] * 2
    assert [p["cluster.mtbf"] * p["cluster.gpus"] / 3600 for p in points] == pytest.approx([50_000] * 8)
    assert [p["batch"] for p in points][1::2] == [2048] * 4
    made = evaluate_table(table)
    assert {p["reason"] for p in made["points"][::2]} == {"`batch` is not a whole number of sequences"}
    assert part == 1


def test_a_large_table_keeps_every_other_value_in_the_document(folder: Path) -> None:
    made = evaluate_table(sweep(folder, "cluster.price = $1/gpu-hour..$8/gpu-hour step $0.001/gpu-hour\n"
                                "layout.tensor = [4, 8]"))  # fmt: skip
    assert made["counts"]["points"] == 14_002 and made["counts"]["met"] == 7001
    assert len(made["points"]) == 2 * 3501
    assert {p["index"] % 4 for p in made["points"]} == {0, 1}


def test_every_result_has_its_place_in_the_document(folder: Path) -> None:
    path = folder / "document.scn"
    path.write_text(HEAD + "sweep s { base = dense, vary { layout.tensor = [4, 8] } }\n", "utf-8")
    document = build(read(path).scenario)
    own = document["experiments"][-1]
    assert own["kind"] == "sweep" and document["not_evaluated"] == []
    assert list(own["points"][1]["results"]) == [m.name for m in METRICS]
    run = document["experiments"][0]["points"][0]["results"]
    assert {n: v for n, v in own["points"][1]["results"].items() if n != "simulated_step_time"} == {
        n: v for n, v in run.items() if n != "simulated_step_time"}  # fmt: skip


def test_rules_may_ask_for_results_and_for_groups(folder: Path) -> None:
    table = sweep(folder, "layout.tensor = [4, 8]\nlayout.micro_batch = [1, 2, 4] sequences\ncluster.nodes = [64, 512]",
                  " where mfu > 31%\n where layout.micro_batch < 4\n require group.data.tier == pod\n"
                  " show = [group.data.tier, group.data.domains]")  # fmt: skip
    made = evaluate_table(table)
    rules = {r["rule"]: r for r in made["removed"]}
    assert rules["layout.micro_batch < 4"]["points"] == 4 and rules["mfu > 31%"]["points"] > 0
    assert all(p["results"]["mfu"] > 0.31 for p in made["points"] if p["status"] != "cannot_be_built")
    assert made["counts"]["dropped"] == 4 + rules["mfu > 31%"]["points"]
    tiers = {p["settings"]["cluster.nodes"]: p["shown"][0] for p in made["points"]}
    assert tiers == {64: "pod", 512: "spine"}
    assert all(p["verdicts"][-1] is (p["shown"][0] == "pod") for p in made["points"])


def test_every_price_of_a_gpu_is_shown_by_the_hour_of_one(folder: Path) -> None:
    vary = ("cluster.price = [$1/gpu-hour, $3/gpu-hour]\ncluster.spare_price = [$1/gpu-hour, $2/gpu-hour]\n"
            "cluster.storage.price = [$10/hour, $20/hour]\nbatch = [1Mi, 8Mi] tokens")  # fmt: skip
    units = {a["path"]: unit_of(a["unit"]).name for a in axes(sweep(folder, vary))}
    assert units == {
        "cluster.price": "$/GPU-h", "cluster.spare_price": "$/GPU-h", "cluster.storage.price": "$/h",
        "batch": "sequences",
    }  # fmt: skip

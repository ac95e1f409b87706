"""The eight files of the language's design: they load and resolve as they stand."""

from pathlib import Path

import pytest

from dsl.files import load
from dsl.resolve import not_evaluated, resolve
from dsl.scenario import Compare, Scenario, Table
from engine.read import read
from tests.language import RESULTS

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(SAMPLES.rglob("*.scn"))


def sample(name: str) -> Scenario:
    """A sample resolved; it has no problem."""
    scenario, problems = resolve(load(SAMPLES / name), RESULTS)
    assert not problems, problems
    return scenario


def test_there_are_eight() -> None:
    assert len(FILES) == 8


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_resolves_without_a_problem(file: Path) -> None:
    scenario = sample(str(file.relative_to(SAMPLES)))
    assert scenario.edition == 2026
    assert not scenario.warnings


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_engine_reads_what_resolves(file: Path) -> None:
    for run in sample(str(file.relative_to(SAMPLES))).runs:
        assert read(run.plain()).name == run.name


def test_the_dense_run() -> None:
    (run,) = sample("dense_70b_h100.scn").runs
    plain = run.plain()
    assert (plain["cluster.gpus"], plain["cluster.nodes"], plain["layout.data"]) == (1024, 128, 32)
    assert plain["cluster.gpu.peak.bf16"] == 989e12
    assert plain["cluster.price"] == pytest.approx(2.10 / 3600, rel=1e-15)
    assert plain["cluster.tier"] == ("node", "pod")
    assert plain["cluster.tier.pod.bandwidth"] == 50e9
    assert (plain["layout.schedule"], plain["layout.schedule.virtual_stages"]) == ("interleaved", 5)
    assert (plain["tokens"], plain["batch"], plain["batch_tokens"]) == (15e12, 2048, 2048 * 8192)
    assert [rule.because for rule in run.requires] == ["leave room for NCCL and fragmentation", "", ""]


def test_the_mixture_of_experts() -> None:
    (run,) = sample("moe_b200.scn").runs
    plain = run.plain()
    assert (plain["model.attention"], plain["model.attention.kv_rank"]) == ("latent", 512)
    assert (plain["model.experts.routed"], plain["model.experts.dense_ffn"]) == (256, 18432)
    assert plain["layout.overlap.expert"] == 0.8  # 64 experts do not fit a node of 8
    assert run.lets["expert_groups"](plain) == 2


def test_the_pods() -> None:
    scenario = sample("pods_oversubscribed.scn")
    big, full = scenario.runs
    assert [big.plain()[f"cluster.tier.{t}.span"] for t in ("node", "rack", "pod", "spine")] == [8, 16, 3072, 24576]
    assert (
        big.plain()["cluster.tier.spine.oversubscription"],
        full.plain()["cluster.tier.spine.oversubscription"],
    ) == (7, 1)
    assert full.plain()["cluster.price"] > big.plain()["cluster.price"]
    assert big.plain()["batch"] == 2048  # 16Mi tokens of 8,192
    assert big.plain()["cluster.mtbf"] == pytest.approx(50_000 * 3600 / 16_384)
    assert big.plain()["model.layers"] == 126
    (spine,) = scenario.compares
    assert ([run.name for run in spine.runs], spine.baseline) == (["big", "big-full-bisection"], "big")


def test_the_clusters() -> None:
    (buy,) = sample("compare_clusters.scn").compares
    hopper, blackwell = (run.plain() for run in buy.runs)
    assert (hopper["layout.tensor"], blackwell["layout.tensor"]) == (8, 4)
    assert (hopper["cluster.gpu"], blackwell["cluster.gpu"]) == ("h100-sxm", "b200")
    assert blackwell["cluster.tier.pod.bandwidth"] == hopper["cluster.tier.pod.bandwidth"]
    assert [item.unit for item in buy.show] == ["days", "$M", "$/Mtoken", "MWh", ""]
    assert buy.show[4]({"time_to_train": 100 * 86400.0}) == 4
    assert buy.requires[0].holds({"cost": 13e6}) is False


def test_the_sweep_and_the_search_are_read_whole() -> None:
    sweep, search = sample("sweep_batch.scn"), sample("optimize_layout.scn")
    assert not_evaluated(sweep) == not_evaluated(search) == []
    (table,) = sweep.tables
    assert isinstance(table, Table) and table.base is not None and table.base.name == "pretrain-70b"
    assert [(axis.path, len(axis.values), axis.together) for axis in table.axes] == [
        ("layout.micro_batch", 4, 0),
        ("batch", 5, 0),
        ("layout.tensor", 3, 2),
        ("layout.pipeline", 3, 2),
    ]
    assert len(table.requires) == 5  # two of its own, three of its base
    assert {rule.origin for rule in table.requires} == {"", "pretrain-70b"}
    (space,) = search.tables
    count = 1
    for axis in space.axes:
        count *= len(axis.values)
    assert count == 8 * 4 * 5 * 2 * 3 * 3 * 3
    assert space.axes[-1].values[1] == {"layout.schedule": "interleaved", "layout.schedule.virtual_stages": 2}
    assert (space.settings["keep"].value, [item.text for item in space.aims["minimize"]]) == (10, ["cost"])


def test_only_what_the_file_holds_is_an_experiment() -> None:
    scenario = sample("sweep_batch.scn")
    assert [e.kind for e in scenario.experiments] == ["sweep"]
    assert not [e for e in scenario.experiments if isinstance(e, Compare)]
    imports = {item.path: item for item in scenario.imports}
    assert {"dense_70b_h100.scn", "library/gpus.scn", "library/models.scn"} <= set(imports)
    assert len(imports["library/gpus.scn"].sha256) == 64

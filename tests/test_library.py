"""The library as a user meets it: every entry resolves, says where it comes from, and counts what was published."""

import csv
import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl.scenario
from dsl.files import load
from dsl.resolve import resolve
from dsl.scenario import Scenario
from engine.columns import column
from engine.flops import flops_per_token
from engine.inputs import Model, Run
from engine.metrics import FACTS, METRICS
from engine.models import count, shape
from engine.operators.head import padded_vocabulary
from engine.read import read
from tests.settings import settings

DATA = Path(__file__).parent / "data"
LIBRARY = Path(__file__).parents[1] / "scenarios" / "library"
FILES = sorted(path.name for path in LIBRARY.glob("*.scn"))
RESULTS = {m.name: m.dimension for m in (*METRICS, *FACTS)}
YEAR = 365.25 * 24  # hours
HEAD = "edition 2026\n" + "".join(f'import "library/{file}.scn"\n' for file in ("gpus", "models", "fabrics"))
PUBLISHED: dict[str, dict[str, int]] = json.loads((DATA / "oracle.json").read_text("utf-8"))


def names(file: str, kind: str) -> list[str]:
    """The names of the blocks of one kind in a library file."""
    return re.findall(rf"^{kind} (\S+) ", (LIBRARY / file).read_text("utf-8"), re.MULTILINE)


MODELS, GPUS = names("models.scn", "model"), names("gpus.scn", "gpu")
FABRICS, STACKS = names("fabrics.scn", "cluster"), names("stacks.scn", "stack")
PRICES = names("prices.scn", "price")


def resolved(text: str, folder: Path) -> Scenario:
    """A scenario written for a test; it has no problem."""
    path = folder / "test.scn"
    path.write_text(text, encoding="utf-8")
    scenario, problems = resolve(load(path), RESULTS)
    assert [(p.title, p.span) for p in problems] == []
    return scenario


def runs(text: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Settings of every run of a scenario, by its name."""
    return {e.name: e.plain() for e in resolved(text, folder).experiments if isinstance(e, dsl.scenario.Run)}


@cache
def engine_runs(folder: Path) -> dict[str, Run]:
    """One run a library model, named as the model is."""
    text = HEAD + "cluster one { gpu = h100-sxm, gpus = 1 gpus }\n"
    text += "".join(f"run {name} {{ model = {name}, cluster = one, batch = 2 sequences }}\n" for name in MODELS)
    return {name: read({**settings, "name": name}) for name, settings in runs(text, folder).items()}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    """Every model of the library, read through the language as a run reads it."""
    return {name: run.model for name, run in engine_runs(tmp_path_factory.mktemp("models")).items()}


@pytest.mark.parametrize("file", FILES)
def test_a_library_file_has_no_problem(file: str) -> None:
    scenario, problems = resolve(load(LIBRARY / file), RESULTS)
    assert [(p.title, p.span) for p in problems] == []
    assert not scenario.experiments


def test_the_parts_models_and_fabrics_that_were_asked_for() -> None:
    assert {
        "a100-sxm",
        "a100-sxm-40gb",
        "h100-sxm",
        "h100-pcie",
        "h200",
        "h800-sxm",
        "b200",
        "b300",
        "gb200",
        "gb300",
        "mi300x",
        "mi355x",
        "tpu-v5e",
        "tpu-v5p",
        "tpu-v6e",
        "v100-sxm",
    } <= set(GPUS)
    assert {
        "llama-3-8b",
        "llama-3-70b",
        "llama-3.1-70b",
        "llama-3.1-405b",
        "gpt3-175b",
        "gpt2",
        "llama-2-70b",
        "qwen2.5-72b",
        "mistral-7b-v0.3",
        "olmo-2-32b",
        "deepseek-v3",
        "mixtral-8x7b-v0.1",
    } <= set(MODELS)
    assert {
        "megatron-core",
        "megatron-2021",
        "torch-fsdp2",
        "torchtitan",
        "deepspeed",
        "nemo",
        "jax-maxtext",
        "llm-foundry",
    } <= set(STACKS)
    assert {"h100-rail", "meta-24k", "gb200-nvl72"} <= set(FABRICS)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_model_counts_to_the_last_parameter(name: str, models: dict[str, Model]) -> None:
    """Totals, active parameters and those without the input embedding, as published or built on the meta device."""
    n, expected = count(models[name]), PUBLISHED[name]
    assert (n.total[0], n.active[0], n.matmul[0]) == (expected["total"], expected["active"], expected["matmul"])


@pytest.mark.parametrize("name", [name for name, numbers in PUBLISHED.items() if numbers["mtp"]])
def test_a_prediction_module_counts_too(name: str, models: dict[str, Model]) -> None:
    experts = models[name].experts
    assert experts is not None
    # published with the layer's score biases, one a routed expert, which are buffers; Qwen3-Next has none
    biases = 0 if name.startswith("qwen3-next") else experts.routed[0]
    assert count(models[name]).mtp[0] + biases == PUBLISHED[name]["mtp"]


def test_no_model_is_left_out_of_the_comparison() -> None:
    assert set(MODELS) - set(PUBLISHED) == {"llama-3.1-70b", "llama-3-405b"}  # other names of two that are in it


def test_other_names_mean_the_same_model(models: dict[str, Model]) -> None:
    assert count(models["llama-3.1-70b"]).total[0] == count(models["llama-3-70b"]).total[0]
    assert count(models["llama-3-405b"]).total[0] == count(models["llama-3.1-405b"]).total[0]


def flop_rows() -> list[dict[str, str]]:
    """FLOPs per token counted elsewhere, in closed form and by torch's FlopCounterMode on the meta device."""
    with (DATA / "flops.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", flop_rows(), ids=lambda row: f"{row['name']}-{row['sequence']}")
def test_flops_per_token_equal_the_published_counts(row: dict[str, str], models: dict[str, Model]) -> None:
    model, s = models[row["name"]], column(float(row["sequence"]))
    flops, n = flops_per_token(model, s), count(model)
    forward = flops.forward
    assert (forward.linear[0], forward.head[0]) == (float(row["linear"]), float(row["head"]))
    assert forward.attention_full[0] == float(row["attention_full"])
    assert (forward.linear[0] + forward.head[0]) / 2 == float(row["matmul"])
    assert flops.six_n[0] == float(row["six_n"])
    assert 6 * n.matmul[0] + 6 * n.positions[0] + 3 * forward.attention_full[0] == float(row["torchtitan"])
    # PaLM's form takes one head dimension, and lets every layer attend
    if model.mixer is None and (model.attention is None or model.attention.kind != "latent"):
        assert flops.with_attention[0] == float(row["palm"])
    if model.attention is None or model.attention.kind not in ("sliding", "chunked"):
        assert forward.attention[0] == float(row["attention_causal"])
    assert forward.total[0] == pytest.approx(float(row["forward_window_aware"]), rel=3e-4)


def test_padded_vocabularies_are_those_of_megatron(models: dict[str, Model]) -> None:
    """Rows rounded up to 128 tensor ranks, and what they add to the embedding and, untied, to the head."""
    with (DATA / "vocab_padding.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    read_, tensor, padded = (np.array([float(r[k]) for r in rows]) for k in ("vocabulary", "tensor", "padded"))
    run = read(settings(model__vocabulary=read_, layout__tensor=tensor, stack__vocabulary_multiple=128))
    assert len(rows) == 710 and np.array_equal(padded_vocabulary(run), padded)
    for row in rows:
        model = models[row["name"]]
        dims = shape(model)
        width = dims.hidden if row["name"] == "opt-350m" else dims.embedding  # counted there at the hidden size
        more = (float(row["padded"]) - dims.vocabulary[0]) * width[0] * (1 if model.tied else 2)
        assert more == float(row["extra_parameters"]), row["name"]


def values(kind: str, block: str, folder: Path) -> dict[str, Any]:
    """The settings of one library gpu, cluster or stack, as a run sees them."""
    cluster, stack = "cluster c { gpu = h100-sxm, nodes = 2 }", "megatron-core"
    match kind:
        case "gpu":
            cluster = f"cluster c {{ gpu = {block}, nodes = 2 }}"
        case "cluster":
            cluster = f"cluster c from {block} {{ nodes = 10000 }}"
        case "stack":
            stack = block
    run = f"run r {{ model = llama-3-8b, cluster = c, stack = {stack}, batch = 32 sequences }}"
    return runs(f"{HEAD}{cluster}\n{run}\n", folder)["r"]


def part(name: str, folder: Path) -> dict[str, Any]:
    """The settings of a library gpu by their names in its block."""
    settings = values("gpu", name, folder)
    return {k.removeprefix("cluster.gpu."): v for k, v in settings.items() if k.startswith("cluster.gpu.")}


@pytest.mark.parametrize("name", GPUS)
def test_a_part_states_dense_peaks_one_way_links_and_its_source(name: str, tmp_path: Path) -> None:
    gpu = part(name, tmp_path)
    half = gpu.get("peak.bf16") or gpu["peak.fp16"]
    assert all(gpu[k] for k in ("source", "confidence", "verified", "memory", "memory_bandwidth", "link", "domain"))
    assert gpu.get("peak.fp8") is None or gpu["peak.fp8"] == pytest.approx(2 * half, rel=2e-3)
    assert 0.9 <= gpu["memory"] / gpu["marketed"] <= 1.1
    assert 30 < half / gpu["memory_bandwidth"] < 600  # FLOP per byte; a sparse peak or a doubled link would leave this
    if gpu.get("power") and gpu.get("node_power"):
        assert gpu["power"] < gpu["node_power"] < 3 * gpu["power"]
    assert gpu["efficiency.all_to_all"] <= gpu["efficiency.all_reduce"] <= 1


def test_dense_peaks_links_and_node_power_of_the_catalog(tmp_path: Path) -> None:
    h100, gb200 = part("h100-sxm", tmp_path), part("gb200", tmp_path)
    assert (h100["peak.bf16"], h100["peak.fp8"]) == (989e12, 1979e12)
    assert (h100["link"], h100["memory_bandwidth"]) == (450e9, 3.35e12)
    assert h100["node_power"] * 8 == pytest.approx(10.2e3)
    assert h100["memory"] == 81_559 * 2**20
    assert (gb200["domain"], gb200["peak.bf16"]) == (72, 2.5e15)
    assert part("mi300x", tmp_path)["pair_link"] == 64e9


@pytest.mark.parametrize("name", ["a100-sxm", "h100-sxm-96gb", "h100-pcie"])
def test_sustained_clocks_follow_the_power_law(name: str, tmp_path: Path) -> None:
    """phi = 85.6% ((W per bf16 TFLOP)/reference)^0.67, the fit on published runs."""
    reference = {"a": 1.28, "h": 0.708}[name[0]]
    gpu = part(name, tmp_path)
    per_tflop = gpu["power"] / (gpu["peak.bf16"] / 1e12)
    assert gpu["efficiency.clock"] == pytest.approx(0.856 * (per_tflop / reference) ** 0.67, abs=5e-3)


@pytest.mark.parametrize(
    ("name", "precision", "measured"),
    [("b300", "bf16", 1.195), ("b300", "fp8", 1.25), ("gb200", "bf16", 1.03), ("gb200", "fp8", 1.08)],
)
def test_blackwell_parts_differ_as_their_gemm_tables_do(
    name: str, precision: str, measured: float, tmp_path: Path
) -> None:
    """Median rate of 66 shapes against B200's (ai-dynamo/aiconfigurator), M >= 512."""

    def rate(gpu: dict[str, Any]) -> float:
        best = gpu["efficiency.gemm" if precision == "bf16" else f"efficiency.gemm_{precision}"]
        return float(gpu[f"peak.{precision}"] * gpu["efficiency.clock"] * best)

    assert rate(part(name, tmp_path)) / rate(part("b200", tmp_path)) == pytest.approx(measured, rel=0.06)


@pytest.mark.parametrize("name", FABRICS)
def test_a_fabric_has_tiers_from_the_scale_up_domain_outwards(name: str, tmp_path: Path) -> None:
    cluster = values("cluster", name, tmp_path)
    tiers = cluster["cluster.tier"]
    spans = [s for s in (cluster.get(f"cluster.tier.{t}.span") for t in tiers) if s is not None]
    widths = [cluster[f"cluster.tier.{t}.bandwidth"] for t in tiers]
    assert tiers[0] == "node"
    assert spans == sorted(spans)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == cluster["cluster.gpu.link"]
    assert all(cluster[k] for k in ("cluster.source", "cluster.confidence", "cluster.verified"))


def test_the_fabric_of_llama_3_lets_a_seventh_out_of_a_pod(tmp_path: Path) -> None:
    cluster = values("cluster", "meta-24k", tmp_path)
    assert (cluster["cluster.tier.pod.span"], cluster["cluster.tier.spine.oversubscription"]) == (3072, 7)
    assert cluster["cluster.tier.pod.bandwidth"] == 50e9


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_states_its_kernels_and_its_source(name: str, tmp_path: Path) -> None:
    stack = {k.removeprefix("stack."): v for k, v in values("stack", name, tmp_path).items() if k.startswith("stack.")}
    assert all(stack[k] for k in ("source", "confidence", "verified", "attention"))
    assert 0 < stack["passes"] <= 1.5
    assert stack["data_exposed"] == 0 or stack["overlap_tax"] in (0, 0.21)


@pytest.mark.oracle("training-mtbf")
def test_the_failure_rates_give_one_interruption_in_three_hours() -> None:
    text = (LIBRARY / "reliability.scn").read_text("utf-8")
    rows = re.findall(r"^  (gpu|host|network|software|other) +?= ([0-9.]+)", text, re.MULTILINE)
    rates = {name: float(value) for name, value in rows}
    counts = {"gpu": 268, "host": 46, "network": 42, "software": 56, "other": 7}
    assert sum(counts.values()) == 419
    per_year = 16_384 * 54 * 24 / YEAR
    assert rates == {k: pytest.approx(n / per_year, abs=6e-5) for k, n in counts.items()}
    assert YEAR / (sum(rates.values()) * 16_384) == pytest.approx(3.093, rel=1e-3)


def test_prices_are_dated_sourced_and_for_parts_that_exist() -> None:
    text = (LIBRARY / "prices.scn").read_text("utf-8")
    blocks = re.findall(r"^price (\S+) (.*?)\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    assert [name for name, _, _ in blocks] == PRICES
    for name, head, body in blocks:
        stated = [word for word in ("gpu", "term", "as_of", "source", "verified") if f"  {word} " in body]
        assert " from " in head or len(stated) == 5, name
        assert re.search(r"^  (rent|buy) ", body, re.MULTILINE), name
        for day in re.findall(r'as_of +?= "(.*)"', body):
            assert 2023 <= date.fromisoformat(day).year <= 2026, name
        used = re.findall(r"^  gpu +?= (\S+)$", body, re.MULTILINE)
        assert set(used) <= set(GPUS), name


def test_every_check_compares_something_and_says_what_to_do(tmp_path: Path) -> None:
    scenario = resolved('edition 2026\nimport "library/checks.scn"\n', tmp_path)
    checks = scenario.checks
    assert len(checks) == len({check.name for check in checks}) >= 20
    for check in checks:
        assert check.severity in ("note", "warn"), check.name  # rules of thumb are at most warnings
        assert check.requires and check.requires[0].because and check.title, check.name
        assert check.advice, check.name


@pytest.mark.parametrize("name", ["team-70b", "reduced-70b", "llama-405b-16k"])
def test_a_shipped_scenario_has_no_problem_and_says_what_it_asks(name: str) -> None:
    scenario, problems = resolve(load(LIBRARY.parent / f"{name}.scn"), RESULTS)
    assert [(p.title, p.span) for p in problems] == []
    assert scenario.report is not None
    assert scenario.report.settings["decision"].value
    assert all(rule.because for e in scenario.experiments if isinstance(e, dsl.scenario.Run) for rule in e.requires)

"""Layouts: the L rows of tests/data/cases.csv, each a scenario evaluated end to end under its framework."""

from typing import Any

import pytest

from engine import layout, validity
from engine.alternatives import alternatives
from engine.columns import column
from engine.evaluate import evaluate
from engine.inputs import Run
from engine.read import read
from engine.schedules import SCHEDULES
from engine.stages import chunk_layers
from tests.cases import Json, evaluated, text_of
from tests.language import scenario_of
from tests.settings import run

SMALL = "layers = 16, hidden = 2048, ffn = 6144, heads = {heads}, kv_heads = {kv}, vocabulary = 128_000"
SMALL += ", sequence = 4096 tokens"


def reasons(point: Json) -> str:
    return "; ".join(point["reasons"])


def refused(point: Json, *words: str) -> None:
    """The point cannot be built, says why in these words, and names alternatives that were evaluated."""
    assert point["status"] == "cannot_be_built"
    for word in words:
        assert word in reasons(point), reasons(point)
    assert 1 <= len(point["alternatives"]) <= 3
    assert all("GPUs used" in text and "a step" in text for text in point["alternatives"])


def run_of(model: str, text: str, gpus: int) -> Run:
    return read(scenario_of(text_of(model, text, gpus)).runs[0].plain())


def nearest(r: Run) -> list[tuple[str, ...]]:
    """What the alternatives change; every one is evaluated here once more."""
    found = alternatives(r, _tried)
    for a in found:
        again = evaluate(a.run, advise=False)
        assert again.status == a.evaluated[0] != "cannot_be_built"
    return [tuple(f"{c.setting} = {c.value}" for c in a.changes) for a in found]


def _tried(r: Run) -> tuple[str, float | None, float | None]:
    found = evaluate(r, advise=False)
    return found.status, float(found.columns["memory_per_gpu"][0]), float(found.columns["step_time"][0])


@pytest.mark.case("L01")
def test_l01_virtual_stages_never_drop_layers() -> None:
    model = "layers = 80, hidden = 8192, ffn = 32_768, heads = 64, vocabulary = 51_200, sequence = 2048 tokens"
    text = (
        "batch = 64 sequences\n layout {{ pipeline = 16, schedule = interleaved(virtual_stages = {v}), split = even }}"
    )
    point = evaluated(model, text.format(v=2), gpus=16)
    refused(point, "80 layers to divide", "5 a stage", "64 of 80 layers would be built")
    assert nearest(run_of(model, text.format(v=2), 16))
    five = evaluated(model, text.format(v=5), gpus=16)
    assert five["status"] != "cannot_be_built"
    assert sum(s["layers"] for s in five["stages"]) == 80


L03 = """
  layers = 46, hidden = 4096, heads = 96, kv_heads = 8, head = 128, vocabulary = 151_552, sequence = 4096 tokens
  experts { routed = 128, active = 8, ffn = 1408 }
"""
L03_RUN = """batch = 16 sequences
  layout { tensor = 8, pipeline = 4, expert = 16, expert_tensor = 1, micro_batch = 2 sequences, split = %s }"""


@pytest.mark.case("L03")
def test_l03_forty_six_layers_on_four_stages() -> None:
    refused(evaluated(L03, L03_RUN % "even", gpus=128), "46 layers to divide", "11.5 a stage")
    assert ("split = balanced",) in nearest(run_of(L03, L03_RUN % "even", 128))
    assert chunk_layers(46, 4, "balanced") == (11, 12, 12, 11)
    point = evaluated(L03, L03_RUN % "balanced", gpus=128)
    assert point["status"] != "cannot_be_built"
    assert [s["layers"] for s in point["stages"]] == [11, 12, 12, 11]
    stated = L03_RUN.replace("split = %s", "stages = [11 layers, 12 layers, 12 layers, 11 layers]")
    assert evaluated(L03, stated, gpus=128)["status"] != "cannot_be_built"


@pytest.mark.case("L04")
@pytest.mark.parametrize(
    ("kv", "tensor", "torchtitan", "megatron"), [(2, 4, False, 2), (4, 8, False, 2), (3, 4, False, 0), (4, 4, True, 1)]
)
def test_l04_key_value_heads_and_tensor_parallelism(kv: int, tensor: int, torchtitan: bool, megatron: int) -> None:
    heads = 12 if kv == 3 else 16
    model = SMALL.format(heads=heads, kv=kv).replace("hidden = 2048", f"hidden = {heads * 128}")
    points = {
        stack: evaluated(model, f"batch = 8 sequences, stack = {stack}\n layout {{ tensor = {tensor} }}")
        for stack in ("torchtitan", "megatron-core", "nemo")
    }
    if torchtitan:
        assert points["torchtitan"]["status"] == "ok"
    else:
        refused(
            points["torchtitan"], f"{kv} kv_heads do not divide by tensor {tensor}", "torchtitan does not replicate"
        )
    for stack in ("megatron-core", "nemo"):
        if megatron:
            assert points[stack]["status"] == "ok"
            assert points[stack]["results"]["kv_replication"] == megatron
        else:
            refused(points[stack], f"{kv} kv_heads do not divide by tensor {tensor}")


@pytest.mark.case("L04")
def test_l04_replicated_weights_are_counted() -> None:
    """Twice the key/value matrices on the rank, none more in the model's count."""
    one, two = (
        evaluated(SMALL.format(heads=16, kv=kv), "batch = 8 sequences\n layout { tensor = 4, shard = none }")
        for kv in (4, 2)
    )
    assert two["memory"][0]["weights"] == pytest.approx(one["memory"][0]["weights"], rel=1e-9)
    assert two["results"]["parameters"] < one["results"]["parameters"]


@pytest.mark.case("L05")
def test_l05_heads_that_tensor_parallelism_does_not_divide() -> None:
    model = "layers = 8, hidden = 6656, ffn = 26_624, heads = 52, vocabulary = 51_200, sequence = 2048 tokens"
    point = evaluated(model, "batch = 8 sequences\n layout { tensor = 8 }")
    refused(point, "52 heads do not divide by tensor 8", "tensor can be 1, 2, 4, 13, 26 or 52")
    assert validity.divisors(column(52)) == [1, 2, 4, 13, 26, 52]
    assert point["alternatives"][0].startswith("tensor = 4 ")


@pytest.mark.case("L06")
def test_l06_the_batch_is_never_cut_short() -> None:
    model, text = SMALL.format(heads=16, kv=16), "batch = 256 sequences\n layout { micro_batch = 2 sequences }"
    point = evaluated(model, text, gpus=7)
    refused(point, "data 7 x micro_batch 2 = 14", "18.29", "252 and 266")
    changes = nearest(run_of(model, text, 7))
    assert ("batch = 252",) in changes and ("batch = 266",) in changes


@pytest.mark.case("L08")
@pytest.mark.parametrize(
    ("gpus", "text", "words"),
    [(6, "expert = 4", "expert 4 x expert_tensor 1 does not divide the 6 ranks"),
     (16, "tensor = 2, context = 2, expert = 8", "60 experts do not divide by expert 8")],
)  # fmt: skip
def test_l08_experts_over_the_ranks_of_a_stage(gpus: int, text: str, words: str) -> None:
    model = """
      layers = 24, hidden = 2048, heads = 16, kv_heads = 16, vocabulary = 128_000, sequence = 4096 tokens
      experts { routed = 60, active = 4, ffn = 1408 }
    """
    stated = f"batch = {6 * gpus} sequences, stack = torchtitan\n layout {{ shard = zero3, {text} }}"
    refused(evaluated(model, stated, gpus=gpus), words)


@pytest.mark.case("L09")
def test_l09_fewer_micro_batches_than_stages() -> None:
    one_f_one_b = SCHEDULES["one_f_one_b"]
    idle = one_f_one_b.bubble(4, column(2))
    assert (idle / (1 + idle))[0] == pytest.approx(0.60, rel=1e-12)
    assert one_f_one_b.in_flight(0, 4, column(2), 1)[0] == 2
    point = evaluated(SMALL.format(heads=16, kv=16), "batch = 2 sequences\n layout { pipeline = 4 }", gpus=4)
    warned = {c["id"] for c in point["checks"] if c["status"] == "warn"}
    assert point["results"]["micro_batches"] == 2 and any("bubble" in id or "micro" in id for id in warned), warned


@pytest.mark.case("L10")
@pytest.mark.parametrize("context", [4, 8])
def test_l10_all_to_all_hands_out_heads(context: int) -> None:
    model = SMALL.format(heads=16, kv=2)
    text = f"batch = 8 sequences, stack = %s\n layout {{ context = {context}, context_method = all_to_all }}"
    refused(
        evaluated(model, text % "megatron-core", gpus=8),
        f"2 kv_heads of a tensor rank do not divide by context {context}",
    )
    scenario = text_of(model, text % "own", gpus=8)
    scenario = scenario.replace(
        "run r {", "stack own from megatron-core { context_replicates_kv_heads = true }\nrun r {"
    )
    accepted = evaluate(read(scenario_of(scenario).runs[0].plain()))
    assert accepted.status == "ok"
    ring = evaluated(model, (text % "megatron-core").replace("all_to_all", "ring"), gpus=8)
    assert ring["status"] == "ok"


@pytest.mark.case("L12")
def test_l12_interleaving_needs_a_micro_batch_a_stage() -> None:
    model = "layers = 24, hidden = 2048, ffn = 8192, heads = 16, vocabulary = 51_200, sequence = 2048 tokens"
    text = "batch = {batch} sequences, stack = {stack}\n"
    text += "layout {{ pipeline = 6, schedule = interleaved(virtual_stages = 2) }}"
    few = evaluated(model, text.format(batch=3, stack="megatron-core"), gpus=6)
    refused(few, "pipeline 6 and 3 micro-batches", "6 or more")
    assert evaluated(model, text.format(batch=6, stack="megatron-core"), gpus=6)["status"] == "ok"
    thirteen = evaluated(model, text.format(batch=13, stack="torchtitan"), gpus=6)
    refused(thirteen, "multiple of the 2 rounds")


@pytest.mark.case("L13")
@pytest.mark.parametrize(("context", "tensor", "multiple"), [(2, 2, 4), (4, 8, 32), (3, 4, 12), (2, 1, 4), (1, 8, 8)])
def test_l13_what_a_sequence_must_be_a_multiple_of(context: int, tensor: int, multiple: int) -> None:
    gpus = context * tensor
    changed: dict[str, Any] = {
        "layout__context": context, "layout__tensor": tensor, "layout__data": 1, "cluster__gpus": gpus,
        "layout__sequence_parallel": tensor > 1, "batch": 1,
    }  # fmt: skip
    d = layout.resolve(run(**changed))
    assert layout.sequence_multiple(d)[0] == multiple
    assert evaluate(run(**changed, sequence=multiple * 64), advise=False).status != "cannot_be_built"
    off = evaluate(run(**changed, sequence=multiple * 64 + multiple // 2))
    assert off.status == "cannot_be_built" and f"a multiple of {multiple}" in off.reasons[0]


@pytest.mark.case("L14")
def test_l14_the_padded_vocabulary() -> None:
    base = "layers = 8, hidden = 1536, ffn = 6144, heads = 96, head = 128, vocabulary = {v}, sequence = 3072 tokens"

    def padded(vocabulary: int, tensor: int, multiple: int) -> Json:
        text = text_of(
            base.format(v=vocabulary), f"batch = 48 sequences, stack = own\n layout {{ tensor = {tensor} }}", 48
        )
        stack = f"stack own from megatron-core {{ vocabulary_multiple = {multiple} }}\nrun r {{"
        result = evaluate(read(scenario_of(text.replace("run r {", stack)).runs[0].plain()))
        return {"status": result.status, "reasons": result.reasons, "size": result.columns["padded_vocabulary"][0]}

    assert padded(250_680, 1, 1024)["size"] == 250_880
    assert padded(50_257, 1, 128)["size"] == 50_304
    assert padded(50_257, 8, 128)["size"] == 51_200
    assert padded(151_552, 6, 128) == {"status": "ok", "reasons": [], "size": 152_064}
    refused_ = padded(151_552, 6, 1)
    assert refused_["status"] == "cannot_be_built" and "152_064" in refused_["reasons"][0]


def test_resolved_values_are_results() -> None:
    """dp, edp, expert-tensor, micro-batches and the padded vocabulary are always there."""
    results = evaluated(L03, L03_RUN % "balanced", gpus=128)["results"]
    wanted = {"data_parallel": 4, "expert_data_parallel": 2, "expert_tensor_parallel": 1, "micro_batches": 2}
    assert {name: results[name] for name in wanted} == wanted
    assert results["padded_vocabulary"] == 151_552 and results["sequence_multiple"] == 8


def test_two_changes_where_one_does_not_do() -> None:
    """13 layers on 4 stages under a stack that needs them even, and heads that 3 does not divide."""
    r = run(
        model__layers=13, layout__pipeline=4, layout__tensor=3, stack__refuses_uneven_stages=True,
        cluster__gpus=48, batch=48, layout__recompute="full",
    )  # fmt: skip
    assert evaluate(r, advise=False).status == "cannot_be_built"
    found = nearest(r)
    assert found and all(len(changes) == 2 for changes in found)

"""Memory: the M rows of tests/data/cases.csv, each with its own tolerance."""

from typing import Any

import pytest

from engine import estimators, layout, memory
from engine.columns import Column, column
from engine.entries import step
from engine.models import count
from engine.operators.head import logits_bytes
from engine.operators.work import ELEMENT
from engine.read import read
from engine.schedules import SCHEDULES
from tests.cases import GB, GIB, LLAMA_2_7B, LLAMA_3_8B, MIB, Json, evaluated, point_of_text, text_of
from tests.language import scenario_of
from tests.settings import run

QWEN3_30B = """
  layers = 48, hidden = 2048, heads = 32, kv_heads = 4, head = 128, vocabulary = 151_936, sequence = 4096 tokens
  qk_norm = per_head
  experts { routed = 128, active = 8, ffn = 768 }
"""


def states(point: Json, *parts: str) -> float:
    """Bytes of model states on the fullest stage."""
    return sum(float(point["results"][f"{part}_memory"]) for part in parts or ("weights", "gradients", "optimizer"))


def given_states(parameters: float, gpus: int = 1, **changed: Any) -> tuple[Column, ...]:
    """States of so many parameters, from the formulas that stages use."""
    stated: dict[str, Any] = {"layout__shard": "none", "states__gradients": 2} | changed
    r = run(layout__tensor=1, layout__data=gpus, cluster__gpus=gpus, batch=gpus, **stated)
    d = layout.resolve(r)
    return memory.states(r, d, step(r, d, count(r.model)).timing, column(parameters))


@pytest.mark.case("M01")
@pytest.mark.parametrize(("shard", "each", "total"), [("none", 18.0, 112.96), ("zero1", 7.5, 47.07)])
def test_m01_eighteen_bytes_and_what_sharding_changes(shard: str, each: float, total: float) -> None:
    point = evaluated(LLAMA_2_7B, f"batch = 128 sequences\n layout {{ micro_batch = 2 sequences, shard = {shard} }}")
    found = states(point)
    assert point["results"]["parameters"] == 6_738_415_616
    assert found / point["results"]["parameters"] == pytest.approx(each, rel=1e-3)
    assert found / GIB == pytest.approx(total, rel=1e-3)


@pytest.mark.case("M01", "M17")
def test_m01_m17_megatrons_own_script() -> None:
    """47.067 GiB and 46,986.4 MiB, as the framework's script prints them for the same arguments."""
    seven = read(scenario_of(text_of(LLAMA_2_7B, "batch = 128 sequences")).runs[0].plain())
    assert estimators.megatron_states(seven, layout.resolve(seven))[0] / GIB == pytest.approx(47.067, rel=1e-4)
    sixteen = read(scenario_of(text_of(SIXTEEN_B, SIXTEEN_B_RUN)).runs[0].plain())
    assert estimators.megatron_states(sixteen, layout.resolve(sixteen))[0] / MIB == pytest.approx(46_986.4, rel=1e-4)


@pytest.mark.case("M02")
@pytest.mark.parametrize(
    ("recipe", "each"),
    [
        ({"states__weights": 4, "states__gradients": 4, "states__master": 0}, 16),
        ({}, 16),
        ({"states__gradients": None}, 18),
        ({"states__gradients": 2 + 4}, 20),
    ],
)
def test_m02_four_recipes_of_bytes_a_parameter(recipe: dict[str, Any], each: int) -> None:
    """Pure fp32; half-precision gradients; Megatron's fp32 gradients; half-precision with an fp32 copy."""
    parts = given_states(7.0e9, **recipe)
    assert sum(float(part[0]) for part in parts) == each * 7.0e9


@pytest.mark.case("M03")
def test_m03_twelve_bytes_on_four_devices_of_32_gib() -> None:
    states_ = "states { weights = 4 bytes, gradients = 4 bytes, master = 0 bytes, moments = 8 bytes }"
    layout_ = "layout { shard = zero3, micro_batch = 1 sequence, recompute = full }\n stack = torch-fsdp2"
    point = evaluated(
        LLAMA_2_7B, f"batch = 4 sequences, sequence = 2048 tokens\n {states_}\n {layout_}", gpus=4, gpu="v100-sxm"
    )
    persistent = 4 * states(point, "weights", "optimizer")
    assert persistent / GB == pytest.approx(80.9, rel=5e-3)
    assert (persistent + 4 * states(point, "gradients")) / GB == pytest.approx(107.8, rel=5e-3)
    assert point["status"] == "ok" and point["results"]["memory_per_gpu"] < 32 * GIB


@pytest.mark.case("M04")
@pytest.mark.parametrize(("offload", "gpu"), [("all", 0.12), ("optimizer", 0.78), ("none", 6.09)])
def test_m04_deepspeeds_estimator(offload: str, gpu: float) -> None:
    found = estimators.deepspeed_zero3(column(2851e6), column(32e6), column(8), offload=offload)
    assert found.gpu[0] / GIB == pytest.approx(gpu, abs=0.01 * gpu + 0.005)  # printed with two decimals
    if offload == "all":
        assert found.host[0] / GIB == pytest.approx(71.69, rel=0.01)


GPT_J = """
  layers = 28, hidden = 4096, ffn = 16_384, heads = 16, vocabulary = 50_400, sequence = 2048 tokens
  gated = false, norm = layernorm, norms_per_layer = 1
  bias { mlp = true, head = true }
"""


@pytest.mark.case("M05")
def test_m05_offloaded_states_do_not_depend_on_the_gpus_and_activations_are_lines_of_their_own() -> None:
    """The estimator's 0.77 GiB is one gathered layer; what else is on the GPU has its own lines."""
    for gpus, without in ((2, 51.5), (4, 26.1)):
        found = estimators.deepspeed_zero3(column(6050.9e6), column(206.4e6), column(gpus), offload="all")
        assert found.gpu[0] / GIB == pytest.approx(0.77, rel=0.01)
        plain = estimators.deepspeed_zero3(column(6050.9e6), column(206.4e6), column(gpus))
        assert plain.gpu[0] / GIB == pytest.approx(without, rel=0.01)
    points = [
        evaluated(
            GPT_J,
            f"batch = {gpus} sequences, stack = deepspeed\n layout {{ shard = zero3 }}\n"
            "offload { optimizer = 100%, weights = 100% }",
            gpus=gpus,
        )
        for gpus in (2, 4)
    ]
    assert points[0]["results"]["parameters"] == pytest.approx(6050.9e6, rel=1e-4)
    for point in points:
        assert states(point) == 0.0 and point["results"]["activation_memory"] > 1 * GIB
        assert point["memory"][0]["gathered"] + point["memory"][0]["logits"] > 0
    assert points[0]["memory"][0]["activations"] == points[1]["memory"][0]["activations"]


@pytest.mark.case("M07")
def test_m07_zero_saves_nothing_where_data_is_one() -> None:
    model = """
      layers = 60, hidden = 6144, ffn = 24_576, heads = 32, vocabulary = 50_304, sequence = 1024 tokens
      gated = false, norm = layernorm, positions = 1024, tied = true
      bias { qkv = true, out = true, mlp = true }
    """
    states_ = "states { weights = 2 bytes, gradients = 2 bytes }"
    found = {
        shard: evaluated(
            model,
            f"batch = 8 sequences, stack = deepspeed, precision = fp16\n {states_}\n"
            f"layout {{ tensor = 8, micro_batch = 8 sequences, recompute = full, shard = {shard} }}",
            gpu="v100-sxm",
        )
        for shard in ("none", "zero2")
    }
    for point in found.values():
        assert point["results"]["parameters"] == pytest.approx(27_488_157_696, rel=0.01)  # matrices alone
        assert point["results"]["data_parallel"] == 1
        assert states(point) / GIB == pytest.approx(51.2, rel=0.01)
        assert point["status"] == "does_not_fit"


@pytest.mark.case("M08")
def test_m08_experts_and_their_optimizer_over_their_own_ranks() -> None:
    text = text_of(QWEN3_30B, "batch = 256 sequences\n layout { tensor = 4, expert = 8 }", gpus=64)
    r = read(scenario_of(text).runs[0].plain())
    d = layout.resolve(r)
    made = step(r, d, count(r.model)).timing
    held, stage = made.parameters, made.stages[0]
    weights = evaluated(QWEN3_30B, "batch = 256 sequences\n layout { tensor = 4, expert = 8 }", gpus=64)
    assert (d.dp[0], d.edp[0]) == (16, 8)
    assert weights["results"]["expert_data_parallel"] == 8
    assert held.stage(stage, r.model.tied, d.pp)[0] == pytest.approx(0.3949e9, rel=5e-3)
    assert held.stage_experts(stage)[0] == pytest.approx(3.6239e9, rel=5e-3)
    assert states(weights) / GIB == pytest.approx(27.79, rel=5e-3)
    assert estimators.megatron_states(r, d)[0] / GIB == pytest.approx(27.795, rel=5e-3)


@pytest.mark.case("M10")
@pytest.mark.parametrize(("n", "whole", "part"), [(7e9, 26.1, 3.3), (27.8e9, 103.6, 12.9), (70e9, 260.8, 32.6)])
def test_m10_gradients_kept_whole_until_the_last_micro_batch(n: float, whole: float, part: float) -> None:
    changed: dict[str, Any] = {"layout__shard": "zero3", "states__gradients": None}
    late = given_states(n, gpus=8, layout__gradient_sync="last", **changed)[1]
    early = given_states(n, gpus=8, **changed)[1]
    assert late[0] / GIB == pytest.approx(whole, rel=5e-3)
    assert early[0] / GIB == pytest.approx(part, rel=5e-3, abs=0.05)  # printed with one decimal


@pytest.mark.case("M11", "M12")
@pytest.mark.parametrize(
    ("vocabulary", "loss", "gib"),
    [(128256, "bf16", 1.96), (202048, "bf16", 3.08), (128256, "fused", 3.91), (202048, "fused", 6.17),
     (151936, "fused", 4.637)],
)  # fmt: skip
def test_m11_m12_logits(vocabulary: int, loss: str, gib: float) -> None:
    """8,192 tokens: 2 bytes an entry in bf16, 4 in fp32 (a fused loss keeps the fp32 ones only)."""
    r = run(layout__tensor=1, cluster__gpus=1, layout__data=1, batch=1, model__vocabulary=vocabulary, loss="fused")
    size = logits_bytes(r, layout.resolve(r)) * (ELEMENT / 4.0 if loss == "bf16" else 1.0)
    assert size[0] / GIB == pytest.approx(gib, abs=0.005 if vocabulary != 151936 else 0.0046)
    part = run(layout__tensor=1, cluster__gpus=1, layout__data=1, batch=1, sequence=1024)
    chunk = logits_bytes(r, layout.resolve(part))
    assert vocabulary != 151936 or chunk[0] / GIB == pytest.approx(0.580, rel=1e-3)


@pytest.mark.case("M14")
@pytest.mark.parametrize(("stages", "warm", "chunks", "factor"), [(4, 10, 11, 1.375), (8, 22, 23, 1.4375)])
def test_m14_chunks_in_flight_on_the_first_stage(stages: int, warm: int, chunks: int, factor: float) -> None:
    m = 8 * stages
    kinds = [p.kind for p in SCHEDULES["interleaved"].passes(0, stages, m, 2)]
    assert kinds.index("B") - 1 == warm  # forwards before the first pair
    held = SCHEDULES["interleaved"].in_flight(0, stages, column(m), 2)[0]
    assert held * 2 == chunks
    assert held / SCHEDULES["one_f_one_b"].in_flight(0, stages, column(m), 1)[0] == factor


@pytest.mark.case("M16")
def test_m16_selective_recompute_saves_little_with_flash_attention() -> None:
    model = """
      layers = 24, hidden = 2048, ffn = 8192, heads = 16, vocabulary = 50_304, sequence = 2048 tokens
      gated = false, norm = layernorm, tied = true, positions = 2048
    """
    none, selective = (
        evaluated(model, f"batch = 16 sequences\n layout {{ micro_batch = 2 sequences, recompute = {kind} }}", gpus=8)
        for kind in ("none", "selective")
    )
    drop = 1 - selective["results"]["memory_per_gpu"] / none["results"]["memory_per_gpu"]
    assert 0 <= drop < 0.05
    r = run(layout__tensor=1, cluster__gpus=1, layout__data=1, batch=1)
    found = step(r, layout.resolve(r), count(r.model)).timing
    tensors = {k.tensor for blocks in found.layers.values() for b in blocks for k in b.block.keeps}
    assert not tensors & {"scores", "dropped scores and mask"}  # no 5 a s^2 b


SIXTEEN_B = """
  layers = 54, hidden = 5120, ffn = 13_824, heads = 40, kv_heads = 8, vocabulary = 152_064, sequence = 4096 tokens
  bias { qkv = true }
"""
SIXTEEN_B_RUN = "batch = 2 sequences\n layout { tensor = 4 }"


@pytest.mark.case("M17")
def test_m17_weights_and_optimizer_of_a_16b() -> None:
    point = evaluated(SIXTEEN_B, SIXTEEN_B_RUN)
    assert point["results"]["data_parallel"] == 2
    assert point["results"]["parameters"] == pytest.approx(16.42e9, rel=1e-3)
    assert states(point) / 12 == pytest.approx(4.1055e9, rel=1e-3)
    assert states(point) / MIB == pytest.approx(46_983.28, rel=1e-3)


@pytest.mark.case("M18")
def test_m18_from_8_to_128_gpus_at_the_same_local_batch() -> None:
    few, many = (
        evaluated(
            LLAMA_3_8B,
            f"batch = {2 * gpus} sequences, stack = torch-fsdp2\n"
            "states { weights = 4 bytes, gradients = 4 bytes, master = 0 bytes }\n"
            "layout { shard = zero3, micro_batch = 2 sequences, recompute = selective }",
            gpus=gpus,
        )
        for gpus in (8, 128)
    )  # fmt: skip
    assert few["results"]["parameters"] == 8_030_261_248
    assert (states(few) - states(many)) / GIB == pytest.approx(14.02, rel=1e-3)
    drop = (few["results"]["memory_per_gpu"] - many["results"]["memory_per_gpu"]) / GIB
    assert drop == pytest.approx(15.4, rel=0.1) and drop == pytest.approx(15.0, rel=0.1)


@pytest.mark.case("M19")
def test_m19_moments_fall_with_the_processes() -> None:
    n = 124_475_904.0
    moments: dict[str, Any] = {"states__master": 0, "states__moments": 4}  # one of the two
    assert given_states(n, **moments)[0][0] / MIB == pytest.approx(237, rel=5e-3)
    assert given_states(n, **moments)[2][0] / MIB == pytest.approx(474, rel=5e-3)
    assert given_states(n, gpus=8, layout__shard="zero1", **moments)[2][0] / MIB == pytest.approx(59, rel=7e-3)


@pytest.mark.case("M20")
def test_m20_the_allocators_margin_is_a_stated_input() -> None:
    """10.83 GiB allocated, 16.39 reserved without expandable segments: 5.56 GiB, 1.51 times."""
    small = "layers = 8, hidden = 2048, ffn = 8192, heads = 16, vocabulary = 32_000, sequence = 2048 tokens"
    stack = "stack fragmented from torch-fsdp2 { reserved_slack = 51.3% }\n"
    text = text_of(small, "batch = 1 sequence, stack = torch-fsdp2", gpus=1)
    tight = text.replace("run r {", stack + "run r {").replace("stack = torch-fsdp2", "stack = fragmented")
    plain, wide = point_of_text(text)["memory"][0], point_of_text(tight)["memory"][0]
    assert wide["allocated"] == plain["allocated"] > 0
    assert wide["reserved"] / wide["allocated"] == pytest.approx(16.39 / 10.83, abs=0.005)
    assert 10.83 * (wide["reserved"] / wide["allocated"] - 1) == pytest.approx(5.56, abs=0.05)


@pytest.mark.case("M21")
def test_m21_fragmentation_decides_on_a_card_of_79_gib() -> None:
    capacity, context = column(79.18 * GIB), 78.09 - 75.31 - 1.83
    assert capacity[0] == pytest.approx(85.0e9, rel=1e-3)
    assert context == pytest.approx(0.95, abs=0.005)
    allocated = column((75.31 + 1.96) * GIB)
    for fragments, word in ((0.0, "fit"), (1.83, "does_not_fit")):
        reserved = allocated + fragments * GIB
        found = memory.verdict(reserved + context * GIB, reserved, allocated, capacity)
        assert (found == ["does_not_fit"]) == (word == "does_not_fit")


@pytest.mark.case("M22")
def test_m22_lora_has_states_for_its_own_parameters_only() -> None:
    point = evaluated(
        LLAMA_3_8B,
        "batch = 8 sequences, stack = torch-fsdp2\n states { gradients = 2 bytes }\n layout { shard = none }\n"
        'lora { rank = 8, targets = ["q", "k", "v", "o", "gate", "up", "down"] }',
    )  # fmt: skip
    assert point["results"]["trained_parameters"] == 20_971_520
    assert states(point) / GIB == pytest.approx(15.27, rel=0.01)
    assert point["results"]["activation_memory"] > states(point)  # what runs out is not the states
    ops = {row["op"] for row in point["ledger"]}
    assert "qkv dX" in ops and "qkv dW" not in ops and "q lora A dW" in ops

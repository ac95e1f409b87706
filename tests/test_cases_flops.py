"""FLOPs and utilization: the F rows of tests/data/cases.csv, each with its own tolerance."""

from dataclasses import replace

import pytest

from engine import cost, layout
from engine.columns import column
from engine.entries import step
from engine.flops import FlopsPerToken, flops_per_token, mean_keys
from engine.inputs import Run
from engine.model_inputs import Model
from engine.models import count
from engine.read import read
from engine.step import recomputed_flops
from tests.cases import LLAMA_2_7B, LLAMA_3_8B, TFLOP, evaluated, point_of_text, text_of
from tests.language import scenario_of
from tests.library_models import LIBRARY_GPUS, LIBRARY_MODELS


def run_of(model: str, gpus: int = 1, run: str = "batch = 2 sequences") -> Run:
    """A run as a report reads it."""
    return read(scenario_of(text_of(model, run, gpus)).runs[0].plain())


def per_token(model: Model, sequence: float) -> FlopsPerToken:
    return flops_per_token(model, column(sequence))


def full_square(model: Model, sequence: float) -> float:
    """Matrices and the whole attention square: 6 N_matmul + 12 L a d s."""
    found = per_token(model, sequence)
    return float((6.0 * count(model).matmul + 3.0 * found.forward.attention_full)[0])


def peak(gpu: str, kind: str = "bf16") -> float:
    """A dense peak of the library, FLOP/s."""
    return float(getattr(LIBRARY_GPUS[gpu].peak, kind)[0])


@pytest.mark.case("F01")
def test_f01_the_dense_peak() -> None:
    model = run_of(LLAMA_2_7B).model
    rate, dense = 9600.0, peak("h100-sxm")
    six_n = per_token(model, 4096).six_n[0] * rate
    with_attention = per_token(model, 4096).with_attention[0] * rate
    assert with_attention / dense == pytest.approx(0.455, abs=0.01)
    assert full_square(model, 4096) * rate / dense == pytest.approx(0.447, abs=0.01)
    assert with_attention / (2 * dense) == pytest.approx(0.227, abs=0.01)  # what the sparse figure would give
    assert six_n < with_attention


@pytest.mark.case("F02")
def test_f02_parameters_are_the_models_not_a_shards() -> None:
    model = run_of(LLAMA_2_7B).model
    sample = per_token(model, 4096).with_attention[0] * 4096
    assert sample / TFLOP == pytest.approx(192.0, rel=1e-3)
    achieved = 2 * sample / 2.2
    assert achieved / TFLOP == pytest.approx(174.5, rel=2e-3)
    assert achieved / peak("a100-sxm") == pytest.approx(0.559, abs=0.01)
    assert full_square(model, 4096) * 4096 * 2 / 2.2 / peak("a100-sxm") == pytest.approx(0.550, abs=0.01)
    one, eight = (
        evaluated(LLAMA_2_7B, f"batch = {n} sequences, stack = torch-fsdp2\n layout {{ shard = zero3 }}", gpus=n)
        for n in (1, 8)
    )
    assert one["results"]["parameters"] == eight["results"]["parameters"]


@pytest.mark.case("F03")
def test_f03_peaks_are_dense() -> None:
    assert 420e12 / peak("h200") == pytest.approx(0.4245, abs=2e-3)
    assert 1.04 * peak("a100-sxm") / peak("h100-sxm") == pytest.approx(0.328, abs=2e-3)
    for gpu, value in (("h100-sxm", 989.5), ("h100-nvl", 835.5), ("h200", 989.5), ("h100-pcie", 756.5)):
        assert peak(gpu) / TFLOP == pytest.approx(value, rel=5e-3)


@pytest.mark.case("F04")
def test_f04_half_the_square_under_a_causal_mask() -> None:
    model = run_of(LLAMA_2_7B).model
    for sequence, full, causal in ((8192, 1721.22, 1510.11), (129024, 125194.40, 72826.86)):
        tokens = 4 * sequence
        found = per_token(model, sequence)
        assert full_square(model, sequence) * tokens / TFLOP == pytest.approx(full, rel=1e-4)
        assert found.causal[0] * tokens / TFLOP == pytest.approx(causal, rel=1e-4)
    attention = 3 * per_token(model, 8192).forward.attention_full[0] * 4 * 8192
    assert attention / TFLOP == pytest.approx(422.21, rel=1e-4)
    assert 6 * count(model).matmul[0] * 4 * 8192 / TFLOP == pytest.approx(1299.00, rel=1e-4)


@pytest.mark.case("F06")
def test_f06_active_not_total_parameters() -> None:
    model, tokens = LIBRARY_MODELS["mixtral-8x7b-v0.1"], 24_576
    n = count(model)
    assert n.matmul[0] == pytest.approx(12.749e9, rel=1e-3)
    active = full_square(model, 2048) * tokens
    wrong = active + 6.0 * (n.total - n.active)[0] * tokens
    assert active / TFLOP == pytest.approx(1959.0, rel=1e-3)
    assert wrong / TFLOP == pytest.approx(6946.4, rel=1e-3)
    assert wrong / active == pytest.approx(3.55, rel=2e-3)


@pytest.mark.case("F08")
def test_f08_which_peak() -> None:
    hours, flops = column(2.79e6 * 3600), cost.training_flops(column(37e9), column(14.8e12))
    used = cost.utilization(flops, hours, column(peak("h100-pcie", "fp8")))[0]
    assert used == pytest.approx(0.216, abs=3e-3)
    assert used / 3 == pytest.approx(0.072, abs=3e-3)  # 2ND
    assert cost.utilization(flops, hours, column(peak("h800-sxm")))[0] == pytest.approx(0.331, abs=3e-3)
    assert cost.utilization(flops, hours, column(peak("h800-sxm", "fp8")))[0] == pytest.approx(0.165, abs=3e-3)


@pytest.mark.case("F09")
def test_f09_latent_attention_has_two_head_widths() -> None:
    found = per_token(LIBRARY_MODELS["deepseek-v3"], 4096)
    assert 3 * found.forward.attention[0] == pytest.approx(3.07e10, rel=1e-3)
    wrong = 12.0 * 61 * 128 * 192 * 4096
    assert wrong == pytest.approx(7.369e10, rel=1e-3)
    assert 3 * found.forward.attention[0] / wrong == pytest.approx(0.4167, rel=1e-3)


@pytest.mark.case("F10")
def test_f10_accumulation_counts_once() -> None:
    model = LLAMA_2_7B.replace("sequence = 4096", "sequence = 2048")
    results = evaluated(model, "batch = 256 sequences\n layout { micro_batch = 32 sequences }", gpus=1)["results"]
    assert results["micro_batches"] == 8 and results["tokens_per_step"] == 524_288
    assert results["tokens_per_second"] * results["step_time"] == pytest.approx(524_288, rel=1e-9)
    assert results["tokens_per_step"] / 4.0 == 131_072
    assert results["tokens_per_step"] / results["micro_batches"] / 4.0 == 16_384


@pytest.mark.case("F11")
def test_f11_recompute_runs_blocks_four_times_and_the_head_three() -> None:
    """Without a causal kernel, so that the whole square is what is computed again."""
    text = "batch = 2 sequences\n kernels { flash = false }\n layout { recompute = full }"
    r = run_of(LLAMA_2_7B, run=text)
    d = layout.resolve(r)
    again = recomputed_flops(r, d, step(r, d, count(r.model)).timing)[0]
    assert 1 + again / full_square(r.model, 4096) == pytest.approx(1.3276, rel=2e-3)
    plain, full = (
        evaluated(LLAMA_2_7B, f"batch = 2 sequences\n layout {{ recompute = {kind} }}", gpus=1)["results"]
        for kind in ("none", "full")
    )
    for results in (plain, full):  # utilization counts the model's work, however often it is done
        assert results["mfu"] * results["step_time"] == pytest.approx(plain["mfu"] * plain["step_time"], rel=1e-9)
    assert full["hfu"] / full["mfu_causal"] > 1.3 and plain["hfu"] == plain["mfu_causal"]


@pytest.mark.case("F12")
def test_f12_the_published_convention() -> None:
    flops = full_square(run_of(LLAMA_3_8B).model, 8192)
    assert flops == pytest.approx(5.7913e10, rel=1e-4)
    for rate, mfu in ((5762, 0.337), (6667, 0.390)):
        assert flops * rate / peak("h100-sxm") == pytest.approx(mfu, abs=5e-3)


@pytest.mark.case("F14")
def test_f14_windows_are_counted_layer_by_layer() -> None:
    plain = LLAMA_3_8B.replace("8192 tokens", "32Ki tokens")
    window = run_of(plain + "\n attention sliding { window = 4096 tokens, every = 4 }").model
    everywhere = run_of(plain).model
    ratio = per_token(window, 32768).forward.attention / per_token(everywhere, 32768).forward.attention
    assert ratio[0] == pytest.approx(0.4258, rel=5e-3)
    assert mean_keys(column(32768), column(4096))[0] == pytest.approx(3840, rel=5e-3)
    assert mean_keys(column(32768))[0] == 16_384


GPT_SMALL = """
  layers = 12, hidden = 768, ffn = 3072, heads = 8, vocabulary = 50_304, sequence = 2048 tokens
  gated = false, norm = layernorm, tied = true, positions = 2048
  bias { qkv = true, out = true, mlp = true }
"""


@pytest.mark.case("F15")
def test_f15_a_prediction_within_bounds_and_a_flag_where_a_figure_is_not_credible() -> None:
    text = text_of(
        GPT_SMALL,
        "precision = fp16, batch = 8 sequences, stack = megatron-2021\n"
        "layout { micro_batch = 8 sequences, recompute = selective }\n"
        'measured { step_time = 6042 ms, source = "aliyun/SimAI#166, simulated" }\n'
        'measured { step_time = 710 ms, source = "aliyun/SimAI#166, measured" }',
        gpus=1,
        gpu="v100s",
    )
    part = "gpu v100s from v100-sxm { peak { fp16 = 130 TFLOPS, bf16 = 130 TFLOPS } }\n"
    point = point_of_text(text.replace("model m {", part + "model m {"))
    r = replace(run_of(GPT_SMALL), precision="fp16")
    work = full_square(r.model, 2048) * 8 * 2048
    assert work == pytest.approx(1.586e13, rel=0.01)
    assert work / 130e12 == pytest.approx(0.122, rel=0.01)
    assert 0.122 <= point["results"]["step_time"] <= 1.5
    simulated, real = point["measured"]
    assert simulated["suspect"] is not None and "2." in simulated["suspect"]
    assert real["suspect"] is None
    assert any(c["id"] == "suspect-mfu" and c["status"] == "pass" for c in point["checks"])

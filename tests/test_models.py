"""Parameter counts and FLOPs against published totals, papers' formulas and each other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import column
from engine.flops import flops_per_token, mean_keys
from engine.inputs import Model
from engine.models import count, dense_layer, full_attention_layers, missing_dimensions, shape
from engine.read import build

DEFAULTS: dict[str, Any] = {
    "tied": False,
    "gated": True,
    "norm": "rmsnorm",
    "norms_per_layer": 2,
    "embedding_norm": False,
    "final_norm": True,
    "bias.qkv": False,
    "bias.out": False,
    "bias.mlp": False,
    "bias.head": False,
    "qk_norm": "none",
    "positions": 0,
    "dropout": False,
    "mtp": 0,
    "sinks": False,
}
EXPERTS: dict[str, Any] = {
    "shared": 0,
    "shared_gate": False,
    "dense_layers": 0,
    "every": 1,
    "imbalance": 1,
    "router_bias": False,
    "bias": False,
}
LLAMA_70B = {"layers": 80, "hidden": 8192, "ffn": 28672, "heads": 64, "kv_heads": 8, "vocabulary": 128_000}
GPT = {"tied": True, "gated": False, "norm": "layernorm", "bias.qkv": True, "bias.out": True, "bias.mlp": True}
MIXTURE = {
    "layers": 48,
    "hidden": 5120,
    "ffn": 16384,
    "heads": 40,
    "kv_heads": 8,
    "head": 128,
    "vocabulary": 128_000,
    "experts.routed": 128,
    "experts.active": 8,
    "experts.shared": 1,
    "experts.ffn": 2048,
    "experts.dense_layers": 1,
}
DEEPSEEK_V3 = {
    "layers": 61,
    "hidden": 7168,
    "ffn": 18_432,
    "heads": 128,
    "vocabulary": 129_280,
    "mtp": 1,
    "attention": "latent",
    "attention.head": 128,
    "attention.value_head": 128,
    "attention.query_rank": 1536,
    "attention.kv_rank": 512,
    "attention.rope_head": 64,
    "experts.routed": 256,
    "experts.active": 8,
    "experts.shared": 1,
    "experts.ffn": 2048,
    "experts.dense_layers": 3,
}


def model(**settings: Any) -> Model:
    """A model from some of its settings, the rest as the schema's defaults."""
    given_ = {**DEFAULTS, **settings}
    if any(name.startswith("experts.") for name in settings):
        given_ = {**{f"experts.{name}": value for name, value in EXPERTS.items()}, **given_}
    return build(Model, "model", {f"model.{name}": value for name, value in given_.items()}, name="m")


def whole(value: Any) -> int:
    """The one row of a column, as an exact integer."""
    assert value.shape == (1,)
    assert value[0] == int(value[0])
    return int(value[0])


@pytest.mark.oracle("training-N")
def test_the_70b_of_the_plan_with_and_without_its_161_norms() -> None:
    n = count(model(**LLAMA_70B))
    assert whole(n.total) == 70_549_512_192
    assert whole(n.total - n.norms) == 70_548_193_280
    assert whole(n.norms) == 161 * 8192
    assert whole(n.active) == whole(n.total)


@pytest.mark.oracle("training-flops")
def test_training_compute_of_the_plan() -> None:
    flops = flops_per_token(model(**LLAMA_70B), column(8192)).six_n * 15e12
    assert flops[0] == pytest.approx(6.3493e24, rel=1e-4)


def test_the_parts_of_a_layer_add_up() -> None:
    layer = dense_layer(model(**LLAMA_70B))
    h, f = 8192, 28672
    assert whole(layer.attention) == 2 * h * h + 2 * h * 8 * 128
    assert whole(layer.mlp) == 3 * h * f
    assert whole(layer.norms) == 2 * h
    assert whole(layer.total) == whole(layer.attention + layer.mlp + layer.norms)
    assert whole(layer.matmul) == whole(layer.attention + layer.mlp)


@given(
    layers=st.integers(1, 150),
    heads=st.integers(1, 200),
    head=st.sampled_from([64, 80, 96, 128, 160]),
    vocabulary=st.integers(1, 300_000),
    positions=st.integers(0, 8192),
)
def test_a_gpt_counts_12_l_h_squared(layers: int, heads: int, head: int, vocabulary: int, positions: int) -> None:
    h = heads * head
    gpt = model(layers=layers, hidden=h, ffn=4 * h, heads=heads, vocabulary=vocabulary, positions=positions, **GPT)
    assert whole(count(gpt).total) == 12 * layers * h * h + 13 * layers * h + (vocabulary + positions) * h + 2 * h


@given(layers=st.integers(1, 100), every=st.integers(1, 4), first=st.integers(0, 3))
def test_dense_and_expert_layers_are_all_layers(layers: int, every: int, first: int) -> None:
    first = min(first, layers)
    n = count(model(**{**MIXTURE, "layers": layers, "experts.every": every, "experts.dense_layers": first}))
    assert n.dense_layers + n.expert_layers == layers
    assert n.expert_layers == (layers - first) // every


def test_a_mixture_with_18b_active_parameters() -> None:
    n = count(model(**MIXTURE))
    assert whole(n.active) / 1e9 == pytest.approx(17.92, rel=1e-3)
    assert whole(n.total) / 1e9 == pytest.approx(195.3, rel=1e-3)
    assert whole(n.total - n.active) == 47 * 120 * 3 * 5120 * 2048  # 47 layers, 120 of 128 experts unused


def test_latent_attention_and_multi_token_prediction_of_deepseek_v3() -> None:
    n = count(model(**DEEPSEEK_V3))
    assert whole(n.total) == 671_026_404_352
    assert whole(n.active) == 37_552_282_624
    assert whole(n.with_mtp - n.total) + 256 == 11_610_068_224  # published with the layer's 256 score biases, a buffer
    assert whole(shape(model(**DEEPSEEK_V3)).head) == 192


def test_biases_norms_sinks_and_a_tied_matrix_are_counted_once() -> None:
    plain = {**LLAMA_70B, "layers": 1}
    base = whole(count(model(**plain)).total)
    width, h = (64 + 2 * 8) * 128, 8192

    def more(**settings: Any) -> int:
        return whole(count(model(**{**plain, **settings})).total) - base

    assert more(**{"bias.qkv": True}) == width
    assert more(**{"bias.out": True}) == h
    assert more(**{"bias.mlp": True}) == 2 * 28672 + h
    assert more(**{"bias.head": True}) == 128_000
    assert more(qk_norm="per_head") == 2 * 128
    assert more(qk_norm="full") == (64 + 8) * 128
    assert more(sinks=True) == 64
    assert more(norm="layernorm") == 3 * h  # a bias for each of three norms
    assert more(norms_per_layer=4) == 2 * h
    assert more(embedding_norm=True) == h
    assert more(final_norm=False) == -h
    assert more(tied=True) == -128_000 * h
    assert more(positions=2048) == 2048 * h
    assert more(gated=False) == -h * 28672


def test_lookup_tables_multiply_nothing() -> None:
    untied, tied = count(model(**LLAMA_70B)), count(model(**LLAMA_70B, tied=True, positions=1024))
    assert whole(untied.active - untied.matmul) == 128_000 * 8192
    assert whole(tied.active - tied.matmul) == 1024 * 8192
    assert whole(tied.head_matmul) == whole(untied.head_matmul) == 128_000 * 8192
    assert whole(tied.head) == 0


def test_a_stated_count_stands_for_itself() -> None:
    stated = model(parameters=70e9, layers=80, hidden=8192)
    n, flops = count(stated), flops_per_token(stated, column(4096))
    assert missing_dimensions(stated) == ("model.vocabulary", "model.heads", "model.ffn")
    assert whole(n.total) == whole(n.active) == whole(n.matmul) == 70_000_000_000
    assert whole(flops.six_n) == whole(flops.with_attention) == whole(flops.causal) == 420_000_000_000


def test_no_dimensions_and_no_count_is_unknown_rather_than_nothing() -> None:
    assert np.isnan(count(model(layers=80, hidden=8192)).total[0])


def test_dimensions_win_over_a_stated_count() -> None:
    assert missing_dimensions(model(**LLAMA_70B, parameters=70e9)) == ()
    assert whole(count(model(**LLAMA_70B, parameters=70e9)).total) == 70_549_512_192


def test_one_row_of_many_equals_the_row_alone() -> None:
    widths = [1024.0, 5120.0, 8192.0, 12288.0]
    many = model(**{**LLAMA_70B, "hidden": np.array(widths), "ffn": np.array([4 * w for w in widths])})
    for i, width in enumerate(widths):
        alone = model(**{**LLAMA_70B, "hidden": width, "ffn": 4 * width})
        assert count(many).total[i] == count(alone).total[0]
        assert flops_per_token(many, column(8192)).causal[i] == flops_per_token(alone, column(8192)).causal[0]


def test_the_three_conventions_differ_as_they_should() -> None:
    """6N counts the input embedding, which multiplies nothing; causal halves the square."""
    llama_8b = model(layers=32, hidden=4096, ffn=14336, heads=32, kv_heads=8, vocabulary=128_256)
    flops = flops_per_token(llama_8b, column(8192))
    assert flops.six_n[0] == 6 * 8_030_261_248
    assert flops.with_attention[0] == 6 * 8_030_261_248 + 12 * 32 * 32 * 128 * 8192
    assert flops.causal[0] / 1e9 == pytest.approx(51.47, abs=0.005)
    assert flops.causal[0] / (3 * flops.forward.total[0]) == pytest.approx(1.00004, abs=1e-5)


def test_sliding_layers_see_their_window() -> None:
    gemma = {"layers": 26, "hidden": 1152, "ffn": 6912, "heads": 4, "kv_heads": 1, "head": 256, "vocabulary": 262_144}
    sliding = model(**gemma, attention="sliding", **{"attention.window": 512, "attention.every": 6})
    assert full_attention_layers(sliding) == 4
    assert full_attention_layers(model(**gemma)) == 26
    full, short = (flops_per_token(m, column(8192)).forward for m in (model(**gemma), sliding))
    keys = 4 * 4096 + 22 * (512 - 512**2 / (2 * 8192))
    assert short.attention[0] == pytest.approx(full.attention[0] * keys / (26 * 4096), rel=1e-12)
    assert short.attention_full[0] == full.attention_full[0]


@given(sequence=st.integers(1, 4000), window=st.integers(1, 5000))
def test_mean_keys_is_the_average_over_the_mask_less_at_most_a_half(sequence: int, window: int) -> None:
    exact = sum(min(i, window) for i in range(1, sequence + 1)) / sequence
    keys = mean_keys(column(sequence), column(window))[0]
    assert exact - 0.5 - 1e-9 <= keys <= exact
    assert window < sequence or keys == mean_keys(column(sequence))[0] == sequence / 2


def test_a_prediction_module_adds_a_layer_a_projection_and_a_head() -> None:
    """Megatron-LM charges DeepSeek-V3 259.993 GFLOP a token with its module, 249.812 without; it leaves out routers."""
    forward = flops_per_token(model(**DEEPSEEK_V3), column(4096)).forward
    assert 3 * forward.total[0] / 249.812e9 == pytest.approx(1.0025, abs=5e-4)
    assert 3 * forward.mtp[0] / (259.993e9 - 249.812e9) == pytest.approx(1, abs=2e-3)


def test_an_embedding_of_another_width_has_two_projections() -> None:
    narrow = {**LLAMA_70B, "layers": 1, "embedding": 512}
    whole_width, own = count(model(**{**LLAMA_70B, "layers": 1})), count(model(**narrow))
    assert whole(whole_width.total - own.total) == 2 * 128_000 * (8192 - 512) - 2 * 512 * 8192
    assert whole(own.head_matmul) == 128_000 * 512

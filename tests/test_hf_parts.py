"""Rules of a configuration that take more than a row: each setting with its key and line, each refusal whole."""

from typing import Any

import pytest

from dsl.importers.hf_draft import Taken
from dsl.problems import Problem, Span
from tests.test_hf import LLAMA, imported, problems

FIRST = len(LLAMA) + 2  # the line of the first key that a test adds
MOE: dict[str, Any] = {"num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 32, "num_hidden_layers": 12}
LATENT = {"qk_nope_head_dim": 33, "v_head_dim": 34, "q_lora_rank": 35, "kv_lora_rank": 36, "qk_rope_head_dim": 37}
FIXED = ("", 1)  # a setting that no key states


def taken(head: str, **changed: Any) -> dict[str, Taken]:
    """The settings at and below a path: value, key and line."""
    found = imported(**changed).settings
    return {path: t for path, t in found.items() if path == head or path.startswith(f"{head}.")}


def layers(**changed: Any) -> tuple[Taken, Taken]:
    settings = imported(**changed).settings
    return settings["experts.dense_layers"], settings["experts.every"]


@pytest.mark.parametrize(
    ("model_type", "keys", "dense", "every", "ffn"),
    [
        ("deepseek", {"first_k_dense_replace": 3}, 3, 1, True), ("deepseek", {}, 0, 1, False),
        ("deepseek", {"first_k_dense_replace": 0}, 0, 1, False), ("deepseek", {"moe_layer_freq": 1}, 0, 1, False),
        ("deepseek", {"first_k_dense_replace": 5, "moe_layer_freq": 3}, 4, 3, True),  # 6 and 9: the last of 4-6, 7-9
        ("deepseek", {"first_k_dense_replace": 2, "moe_layer_freq": 0}, 2, 1, True),
        ("deepseek", {"mlp_layer_types": ["dense"] * 4 + ["sparse"] * 8, "first_k_dense_replace": 1}, 4, 1, True),
        ("qwen2_moe", {}, 0, 1, False), ("qwen2_moe", {"decoder_sparse_step": 3}, 0, 3, True),
        ("qwen2_moe", {"decoder_sparse_step": 0}, 0, 1, False),
        ("qwen2_moe", {"mlp_only_layers": [0, 1, 2]}, 3, 1, True), ("qwen2_moe", {"mlp_only_layers": []}, 0, 1, False),
        ("qwen2_moe", {"mlp_only_layers": [2, 5], "decoder_sparse_step": 3}, 6, 3, True),
        ("llama4", {}, 0, 1, False), ("llama4", {"interleave_moe_layer_step": 4}, 0, 4, True),
        ("llama4", {"interleave_moe_layer_step": 0}, 0, 1, False),
        ("llama4", {"moe_layers": [3, 5, 7, 9, 11], "interleave_moe_layer_step": 4}, 2, 2, True),
        ("jamba", {}, 0, 2, True), ("jamba", {"expert_layer_period": 3, "expert_layer_offset": 2}, 0, 3, True),
        ("jamba", {"expert_layer_period": 4}, None, None, True),
        ("jamba", {"expert_layer_offset": 0}, None, None, True),
        ("jamba", {"expert_layer_period": 1, "expert_layer_offset": 0}, 0, 1, False),
        ("mixtral", {}, 0, 1, False), ("deepseek", {"mlp_layer_types": []}, 0, 1, False),
    ],
)  # fmt: skip
def test_layers_with_experts(
    model_type: str, keys: dict[str, Any], dense: int | None, every: int | None, ffn: bool
) -> None:
    """Of twelve layers numbered from 0; where some have none, the inner size of a dense one is read too."""
    changed = {"model_type": model_type, "intermediate_size_mlp": 40} | MOE | keys
    if dense is None:
        assert problems(**changed) == [
            Problem("E30", "config.json has experts in layers that are not one in every so many",
                    Span("config.json", 1, 1), "cannot be expressed", help="state the model's settings")
        ]  # fmt: skip
        return
    assert tuple(t.value for t in layers(**changed)) == (dense, every)
    assert ("ffn" in imported(**changed).settings) == ffn


def test_the_key_that_names_the_layers_with_experts() -> None:
    line = FIRST + len(MOE) - 1  # num_hidden_layers is there already
    first = layers(model_type="deepseek", **MOE, first_k_dense_replace=3)
    assert first == (Taken(3, "first_k_dense_replace", line), Taken(1, "first_k_dense_replace", line))
    step = layers(model_type="qwen2_moe", **MOE, mlp_only_layers=[0], decoder_sparse_step=1)
    assert step == (Taken(1, "mlp_only_layers", line), Taken(1, "mlp_only_layers", line))
    assert layers(model_type="mixtral", **MOE) == (Taken(0, "", 1), Taken(1, "", 1))


def test_routed_experts_may_be_none_in_some_classes() -> None:
    assert taken("experts.routed", model_type="deepseek", **(MOE | {"num_experts": 0})) == {}
    assert taken("experts.routed", model_type="deepseek", **MOE) == {"experts.routed": (6, "num_experts", FIRST)}
    shared = taken("experts.shared", model_type="deepseek", **MOE, n_shared_experts=4)
    assert shared == {"experts.shared": (4, "n_shared_experts", FIRST + 3)}
    width = {"shared_expert_intermediate_size": 70}
    found = taken("experts", model_type="qwen2_moe", **MOE, **width)
    keys = ("shared", "shared_ffn", "shared_gate")
    by = ("shared_expert_intermediate_size", FIRST + 3)
    assert [found[f"experts.{k}"] for k in keys] == [(1, *by), (70, *by), (True, *FIXED)]


def test_latent_attention_and_the_heads_that_score() -> None:
    found = taken("attention", model_type="deepseek_v32", **LATENT, index_n_heads=38, index_head_dim=39, index_topk=41)
    assert found == {
        "attention": ("latent", "kv_lora_rank", FIRST + 3), "attention.head": (33, "qk_nope_head_dim", FIRST),
        "attention.value_head": (34, "v_head_dim", FIRST + 1), "attention.query_rank": (35, "q_lora_rank", FIRST + 2),
        "attention.kv_rank": (36, "kv_lora_rank", FIRST + 3),
        "attention.rope_head": (37, "qk_rope_head_dim", FIRST + 4),
        "attention.index_heads": (38, "index_n_heads", FIRST + 5),
        "attention.index_head": (39, "index_head_dim", FIRST + 6),
        "attention.index_keys": (41, "index_topk", FIRST + 7),
    }  # fmt: skip
    whole = taken("attention", model_type="deepseek_v3", **(LATENT | {"q_lora_rank": None}))
    assert whole["attention.query_rank"] == (0, "q_lora_rank", FIRST + 2)
    missing = {k: v for k, v in LATENT.items() if k != "q_lora_rank"}
    assert [p.title for p in problems(model_type="deepseek_v3", **missing)] == ["config.json has no `q_lora_rank`"]


def test_prediction_modules() -> None:
    assert taken("mtp", model_type="deepseek_v3", **LATENT) == {"mtp": (0, *FIXED)}
    stated = taken("mtp", model_type="deepseek_v3", **LATENT, num_nextn_predict_layers=3)
    assert stated == {"mtp": (3, "num_nextn_predict_layers", FIRST + 5)}
    minimax = {"model_type": "minimax_m2", **MOE}
    assert imported(**minimax, num_mtp_modules=3).notes == (
        "num_mtp_modules = 3 is declared and the weights hold none: mtp is left 0",
    )
    assert imported(**minimax, num_mtp_modules=0).notes == imported(**minimax).notes == ()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"max_position_embeddings": 99, "sliding_window": 98}, 98), ({"sliding_window": 98}, 98),
        ({"max_position_embeddings": 98, "sliding_window": 98}, None), ({"sliding_window": 0}, None),
        ({"max_position_embeddings": 97, "sliding_window": 98}, None), ({"max_position_embeddings": 97}, None),
    ],
)  # fmt: skip
def test_a_window_is_shorter_than_the_model(keys: dict[str, int], expected: int | None) -> None:
    by = ("sliding_window", FIRST + len(keys) - 1)
    found = taken("attention", model_type="mistral", **keys)
    assert found == ({} if expected is None else {"attention": ("sliding", *by), "attention.window": (expected, *by)})


def test_windows_of_qwen_are_off_until_they_are_turned_on() -> None:
    keys = {"model_type": "qwen2", "sliding_window": 98}
    assert taken("attention", **keys) == taken("attention", **keys, use_sliding_window=False) == {}
    assert taken("attention", **keys, use_sliding_window=True)["attention.window"] == (98, "sliding_window", FIRST)


EXPERTS = {"num_local_experts": 6, "num_experts_per_tok": 3}


@pytest.mark.parametrize(
    ("keys", "window", "every"),
    [
        ({"model_type": "gemma2"}, (4096, *FIXED), (2, *FIXED)),
        ({"model_type": "gemma3_text"}, (4096, *FIXED), (6, *FIXED)),
        ({"model_type": "gpt_oss", **EXPERTS}, (128, *FIXED), (2, *FIXED)),
        ({"model_type": "gemma2", "sliding_window": 98}, (98, "sliding_window", FIRST), (2, *FIXED)),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 5}, (4096, *FIXED),
         (5, "sliding_window_pattern", FIRST)),
        ({"model_type": "gemma2", "layer_types": ["sliding_attention", "sliding_attention", "full_attention"] * 2},
         (4096, *FIXED), (3, "layer_types", FIRST)),
        ({"model_type": "gemma2", "layer_types": ["sliding_attention"] * 6}, (4096, *FIXED), (2, *FIXED)),
    ],
)  # fmt: skip
def test_windows_in_all_but_the_last_of_every_so_many_layers(keys: Any, window: Any, every: Any) -> None:
    by = window[1:]
    assert taken("attention", **keys) == {"attention": ("sliding", *by), "attention.window": window,
                                          "attention.every": every}  # fmt: skip


@pytest.mark.parametrize("types", [["full", "sliding", "sliding"] * 2, ["sliding", "full", "full", "full"]])
def test_full_attention_that_comes_first_or_in_no_period_is_taken_everywhere(types: list[str]) -> None:
    listed = [f"{kind}_attention" for kind in types]
    note = "layer_types follow no period: every layer is taken as full attention, counts are the same"
    for changed in ({"model_type": "gemma2"}, {"model_type": "mistral", "sliding_window": 98}):
        found = imported(**changed, layer_types=listed, num_hidden_layers=len(types))
        assert found.notes == (note,) and not [p for p in found.settings if p.startswith("attention")]


def test_chunks_of_llama_4() -> None:
    keys = {"model_type": "llama4", **EXPERTS}
    assert taken("attention", **keys) == {
        "attention": ("chunked", *FIXED), "attention.window": (8192, *FIXED), "attention.every": (4, *FIXED),
    }  # fmt: skip
    by = ("attention_chunk_size", FIRST + 2)
    assert taken("attention", **keys, attention_chunk_size=98, no_rope_layer_interval=3) == {
        "attention": ("chunked", *by), "attention.window": (98, *by),
        "attention.every": (3, "no_rope_layer_interval", FIRST + 3),
    }  # fmt: skip
    assert taken("attention", **keys, attention_chunk_size=None) == {}


@pytest.mark.parametrize(
    ("keys", "kv", "norms"),
    [
        ({}, (1, *FIXED), (1, *FIXED)), ({"multi_query": True}, (1, "multi_query", FIRST), (1, *FIXED)),
        ({"multi_query": False}, None, (1, *FIXED)),
        ({"parallel_attn": False}, (1, *FIXED), (2, "parallel_attn", FIRST)),
        ({"parallel_attn": True}, (1, *FIXED), (1, "parallel_attn", FIRST)),
        ({"num_kv_heads": 3, "new_decoder_architecture": False}, (1, *FIXED), (1, *FIXED)),
        ({"num_kv_heads": 3, "new_decoder_architecture": True, "parallel_attn": True}, (3, "num_kv_heads", FIRST),
         (2, "new_decoder_architecture", FIRST + 1)),
        ({"num_key_value_heads": 9, "multi_query": False}, None, (1, *FIXED)),
    ],
)  # fmt: skip
def test_falcon_of_either_architecture(keys: dict[str, Any], kv: Any, norms: Any) -> None:
    found = imported(model_type="falcon", **keys).settings
    assert found.get("kv_heads") == kv and found["norms_per_layer"] == norms


@pytest.mark.parametrize(
    ("model_type", "key"), [("gpt2", "resid_pdrop"), ("opt", "dropout")],
)  # fmt: skip
def test_dropout_of_a_class_that_has_it(model_type: str, key: str) -> None:
    size = {"model_type": model_type, "ffn_dim": 256, "max_position_embeddings": 77}
    rates: list[Any] = ["absent", 0, 0.0, 0.2]
    found = [taken("dropout", **size, **{key: rate})["dropout"] for rate in rates]
    assert found == [(True, *FIXED), *[(on, key, FIRST + 2) for on in (False, False, True)]]


def test_positions_that_are_learned() -> None:
    gpt2 = imported(model_type="gpt2", n_positions=77).settings
    assert gpt2["positions"] == (77, "n_positions", FIRST)
    opt = imported(model_type="opt", ffn_dim=256, max_position_embeddings=77).settings
    assert opt["positions"] == (79, "max_position_embeddings", FIRST + 1)
    for model_type in ("gpt2", "opt"):
        (problem,) = problems(model_type=model_type, ffn_dim=256)
        assert problem.title.startswith("config.json has no `")


@pytest.mark.parametrize(
    ("keys", "embedding", "final"),
    [
        ({}, None, (True, *FIXED)), ({"word_embed_proj_dim": 64}, None, (True, *FIXED)),
        ({"word_embed_proj_dim": 48}, (48, "word_embed_proj_dim", FIRST + 2), (True, *FIXED)),
        ({"do_layer_norm_before": False}, None, (False, "do_layer_norm_before", FIRST + 2)),
        ({"do_layer_norm_before": True}, None, (True, "do_layer_norm_before", FIRST + 2)),
        ({"_remove_final_layer_norm": True}, None, (False, "_remove_final_layer_norm", FIRST + 2)),
        ({"_remove_final_layer_norm": False}, None, (True, *FIXED)),
    ],
)  # fmt: skip
def test_embeddings_and_final_norms_of_opt(keys: dict[str, Any], embedding: Any, final: Any) -> None:
    found = imported(model_type="opt", ffn_dim=256, max_position_embeddings=77, **keys).settings
    assert found.get("embedding") == embedding and found["final_norm"] == final


def test_biases_and_the_inner_size_of_mpt() -> None:
    bare, whole = (imported(model_type="mpt", no_bias=b, expansion_ratio=3).settings for b in (True, False))
    names = ("norm", "bias.qkv", "bias.out", "bias.mlp", "ffn")
    by, ratio = ("no_bias", FIRST), (192, "expansion_ratio", FIRST + 1)
    assert [bare[n] for n in names] == [("layernorm_no_bias", *by), *[(False, *by)] * 3, ratio]
    assert [whole[n] for n in names] == [("layernorm", *by), *[(True, *by)] * 3, ratio]
    assert imported(model_type="mpt").settings["ffn"] == (4 * 64, *FIXED)


def test_norms_of_phi_on_queries_and_keys_are_refused() -> None:
    assert problems(model_type="phi", qk_layernorm=True) == [
        Problem("E30", "`qk_layernorm` of a phi model is not counted yet", Span("config.json", FIRST, 1),
                "turned on here", help="state the model's settings")
    ]  # fmt: skip
    assert problems(model_type="phi", qk_layernorm=False) == problems(model_type="phi") == []

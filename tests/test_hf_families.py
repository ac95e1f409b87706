"""What each model type means beyond its keys: a row a type, as its class has it, and what keys turn on."""

from typing import Any

import pytest

from dsl.importers.hf_families import FAMILIES
from tests.test_hf import problems, values

SMALL: dict[str, Any] = {
    "num_hidden_layers": 4, "hidden_size": 640, "num_attention_heads": 20, "intermediate_size": 1500,
    "moe_intermediate_size": 300, "num_local_experts": 6, "num_experts_per_tok": 3, "max_position_embeddings": 512,
}  # fmt: skip
LATENT = {"qk_nope_head_dim": 33, "v_head_dim": 34, "q_lora_rank": 35, "kv_lora_rank": 36, "qk_rope_head_dim": 37}
SPARSE = LATENT | {"index_n_heads": 38, "index_head_dim": 39, "index_topk": 41}
HYBRID = {"hybrid_override_pattern": "ME*-", "mamba_num_heads": 9, "mamba_head_dim": 11, "ssm_state_size": 13}
NEEDED: dict[str, dict[str, Any]] = {
    "dbrx": {"ffn_config": {"ffn_hidden_size": 1600}}, "glm4_moe": {"head_dim": 48}, "qwen3_moe": {"head_dim": 48},
    "opt": {"ffn_dim": 1700}, "nemotron_h": HYBRID, **dict.fromkeys(("deepseek_v32", "glm_moe_dsa"), SPARSE),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "glm4_moe_lite", "kimi_k2"), LATENT),
    **dict.fromkeys(("minimax", "minimax_m1", "minimax_text_01"), {"attn_type_list": [0, 0, 0, 1]}),
}  # fmt: skip


def model(model_type: str, **more: Any) -> dict[str, Any]:
    return values(model_type=model_type, **(SMALL | NEEDED.get(model_type, {}) | more))


def biases(found: dict[str, Any]) -> str:
    """q, o, m, h for queries to values, the output of attention, the MLP and the head: those with biases."""
    return "".join(name[0] for name in ("qkv", "out", "mlp", "head") if found[f"bias.{name}"])


@pytest.mark.parametrize(
    ("model_type", "kv", "head", "ffn", "norm", "norms", "own", "qk_norm", "marks"),
    [  # marks: the embedding is (t)ied, the MLP is (g)ated; ffn: 1500 of the key, 4 * 640 = 2560
        ("bloom", None, None, 2560, "layernorm", 2, "qom", "none", "t"),
        ("cohere", None, None, 1500, "layernorm_no_bias", 1, "", "none", "tg"),
        ("dbrx", 1, None, None, "layernorm_no_bias", 2, "", "none", "g"),
        ("deepseek", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("deepseek_v2", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("deepseek_v3", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("deepseek_v32", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("falcon", 1, None, 2560, "layernorm", 1, "", "none", "t"),
        ("gemma", 16, 256, 1500, "rmsnorm", 2, "", "none", "tg"),
        ("gemma2", 4, 256, 1500, "rmsnorm", 4, "", "none", "tg"),
        ("gemma3", 4, 256, 1500, "rmsnorm", 4, "", "per_head", "tg"),
        ("gemma3_text", 4, 256, 1500, "rmsnorm", 4, "", "per_head", "tg"),
        ("glm4_moe", 8, 48, None, "rmsnorm", 2, "", "none", "g"),
        ("glm4_moe_lite", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("glm_moe_dsa", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("gpt2", None, None, 2560, "layernorm", 2, "qom", "none", "t"),
        ("gpt_neox", None, None, 1500, "layernorm", 2, "qom", "none", ""),
        ("gpt_oss", 8, 64, None, "rmsnorm", 2, "qo", "none", "g"),
        ("gptj", None, None, 2560, "layernorm", 1, "mh", "none", ""),
        ("grok-1", None, None, None, "rmsnorm", 4, "", "none", "tg"),
        ("jamba", 8, None, 1500, "rmsnorm", 2, "", "none", "g"),
        ("kimi_k2", None, None, None, "rmsnorm", 2, "", "none", "g"),
        ("llama", None, None, 1500, "rmsnorm", 2, "", "none", "g"),
        ("llama4", 8, 128, None, "rmsnorm", 2, "", "none", "g"),
        ("llama4_text", 8, 128, None, "rmsnorm", 2, "", "none", "g"),
        ("minimax", 8, None, None, "rmsnorm", 2, "", "none", "g"),
        ("minimax_m1", 8, None, None, "rmsnorm", 2, "", "none", "g"),
        ("minimax_m2", 8, None, None, "rmsnorm", 2, "", "full", "g"),
        ("minimax_text_01", 8, None, None, "rmsnorm", 2, "", "none", "g"),
        ("mistral", 8, None, 1500, "rmsnorm", 2, "", "none", "g"),
        ("mixtral", 8, None, None, "rmsnorm", 2, "", "none", "g"),
        ("mpt", None, None, 2560, "layernorm_no_bias", 2, "", "none", "t"),
        ("nemotron", None, None, 1500, "layernorm", 2, "", "none", ""),
        ("nemotron_h", 8, 128, 1500, "rmsnorm", 1, "", "none", ""),
        ("olmo2", None, None, 1500, "rmsnorm", 2, "", "full", "g"),
        ("olmoe", 16, None, None, "rmsnorm", 2, "", "full", "g"),
        ("opt", None, None, 1700, "layernorm", 2, "qom", "none", "t"),
        ("phi", None, None, 1500, "layernorm", 1, "qomh", "none", ""),
        ("phi3", None, None, 1500, "rmsnorm", 2, "", "none", "g"),
        ("phimoe", 8, None, None, "layernorm", 2, "", "none", "g"),
        ("qwen2", 32, None, 1500, "rmsnorm", 2, "q", "none", "g"),
        ("qwen2_moe", 16, None, None, "rmsnorm", 2, "q", "none", "g"),
        ("qwen3", 32, 128, 1500, "rmsnorm", 2, "", "per_head", "g"),
        ("qwen3_5_moe", 2, 256, None, "rmsnorm", 2, "", "per_head", "g"),
        ("qwen3_5_moe_text", 2, 256, None, "rmsnorm", 2, "", "per_head", "g"),
        ("qwen3_moe", 4, 48, None, "rmsnorm", 2, "", "per_head", "g"),
        ("qwen3_next", 2, 256, None, "rmsnorm", 2, "", "per_head", "g"),
        ("smollm3", None, None, 1500, "rmsnorm", 2, "", "none", "tg"),
        ("starcoder2", 2, None, 1500, "layernorm", 2, "qom", "none", "t"),
    ],
)  # fmt: skip
def test_what_a_class_fixes(
    model_type: str, kv: int | None, head: int | None, ffn: int | None, norm: str, norms: int, own: str, qk_norm: str,
    marks: str,
) -> None:  # fmt: skip
    found = model(model_type)
    assert {path: found.get(path) for path in ("kv_heads", "head", "ffn", "norm", "norms_per_layer", "qk_norm")} == {
        "kv_heads": kv, "head": head, "ffn": ffn, "norm": norm, "norms_per_layer": norms, "qk_norm": qk_norm,
    }  # fmt: skip
    assert biases(found) == own and (found["tied"], found["gated"]) == ("t" in marks, "g" in marks)


def test_every_type_has_a_row() -> None:
    rows = next(m for m in test_what_a_class_fixes.pytestmark if m.name == "parametrize").args[1]  # type: ignore[attr-defined]
    assert [row[0] for row in rows] == sorted(FAMILIES)


@pytest.mark.parametrize(
    ("key", "value", "own", "types"),
    [
        ("attention_bias", True, "qo", ("cohere", "deepseek", "deepseek_v3", "deepseek_v32", "gemma", "gemma3", "llama",
                                        "llama4", "nemotron", "nemotron_h", "olmo2", "olmoe", "phimoe", "qwen3",
                                        "qwen3_moe", "qwen3_next", "smollm3")),
        ("attention_bias", True, "q", ("glm4_moe",)), ("attention_bias", False, "m", ("gpt_neox",)),
        ("attention_bias", False, "", ("gpt_oss",)), ("qkv_bias", False, "", ("qwen2_moe",)),
        ("mlp_bias", True, "m", ("llama", "smollm3", "nemotron", "nemotron_h")), ("bias", True, "qom", ("falcon",)),
        ("enable_bias", False, "", ("opt",)), ("use_bias", False, "", ("starcoder2",)),
        ("lm_head_bias", True, "h", ("phimoe",)), ("no_bias", False, "qom", ("mpt",)),
    ],
)  # fmt: skip
def test_keys_that_turn_biases_on_or_off(key: str, value: bool, own: str, types: tuple[str, ...]) -> None:
    assert {t: biases(model(t, **{key: value})) for t in types} == dict.fromkeys(types, own)


def test_keys_that_turn_norms_of_queries_and_keys_on_or_off() -> None:
    names = ("cohere", "glm4_moe", "minimax_m2")
    assert [model(t, use_qk_norm=True)["qk_norm"] for t in names] == ["full", "per_head", "full"]
    assert [model(t, use_qk_norm=False)["qk_norm"] for t in names] == ["none", "none", "none"]
    assert model("olmo2", use_qk_norm=False)["qk_norm"] == "full"


def test_settings_that_no_key_states() -> None:
    found = {path: sorted(t for t in FAMILIES if path in model(t)) for path in ("sinks", "embedding_norm")}
    assert found == {"sinks": ["gpt_oss"], "embedding_norm": ["bloom"]}
    assert model("gpt_oss")["sinks"] is True and model("bloom")["embedding_norm"] is True


@pytest.mark.parametrize(
    ("types", "ffn", "shared", "marks", "layers"),
    [  # marks: biases of the (r)outer and of the (e)xperts; layers: dense first, one in every so many
        (("dbrx",), 1600, None, "", (0, 1)), (("gpt_oss",), 1500, None, "re", (0, 1)),
        (("jamba",), 1500, None, "", (0, 2)),
        (("deepseek", "deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe", "kimi_k2"), 300, 0, "", (0, 1)),
        (("grok-1", "minimax", "minimax_m2", "mixtral", "olmoe", "phimoe"), 1500, None, "", (0, 1)),
        (("llama4", "llama4_text"), 1500, 1, "", (0, 1)),
        (("nemotron_h", "qwen2_moe", "qwen3_moe", "qwen3_next", "qwen3_5_moe"), 300, None, "", (0, 1)),
    ],
)  # fmt: skip
def test_experts_of_a_class(
    types: tuple[str, ...], ffn: int, shared: int | None, marks: str, layers: tuple[int, int]
) -> None:
    expected = {"routed": 6, "active": 3, "ffn": ffn, "router_bias": "r" in marks, "bias": "e" in marks,
                "dense_layers": layers[0], "every": layers[1]}  # fmt: skip
    expected |= {} if shared is None else {"shared": shared}
    for name in types:
        found = {path[8:]: value for path, value in model(name).items() if path.startswith("experts.")}
        assert found == expected, name


@pytest.mark.parametrize(
    ("model_type", "key", "gate"),
    [("qwen2_moe", "shared_expert_intermediate_size", True), ("qwen3_next", "shared_expert_intermediate_size", True),
     ("minimax", "shared_intermediate_size", False), ("nemotron_h", "moe_shared_expert_intermediate_size", False)],
)  # fmt: skip
def test_shared_experts_of_a_stated_width(model_type: str, key: str, gate: bool) -> None:
    found = model(model_type, **{key: 700})
    assert [found[f"experts.{p}"] for p in ("shared", "shared_ffn", "shared_gate")] == [1, 700, gate]
    assert "experts.shared" not in model(model_type, **{key: 0})


@pytest.mark.parametrize("model_type", sorted(t for t, family in FAMILIES.items() if family.experts))
def test_a_class_of_experts_needs_their_number_unless_there_are_dense_models_of_it(model_type: str) -> None:
    changed: dict[str, Any] = SMALL | NEEDED.get(model_type, {}) | {"model_type": model_type, "num_local_experts": None}
    dense = {"deepseek", "deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe", "glm4_moe_lite", "glm_moe_dsa",
             "kimi_k2", "nemotron_h"}  # fmt: skip
    found = [p.title for p in problems(**changed)]
    title = "config.json has no `n_routed_experts` (or num_local_experts, num_experts)"
    assert found == ([] if model_type in dense else [title])


def test_one_expert_for_a_token_is_llama_4_and_no_other() -> None:
    changed = {k: v for k, v in SMALL.items() if k != "num_experts_per_tok"}
    assert values(model_type="llama4", **changed)["experts.active"] == 1
    assert [p.title for p in problems(model_type="mixtral", **changed)] == [
        "config.json has no `num_experts_per_tok` (or experts_per_token, num_experts_per_token)"
    ]


def test_sizes_that_a_class_gives_where_no_key_does() -> None:
    changed = SMALL | {"num_attention_heads": "absent", "vocab_size": "absent"}
    sizes = {t: [values(**changed, model_type=t)[p] for p in ("heads", "vocabulary")] for t in ("gemma3", "llama4")}
    assert sizes == {"gemma3": [8, 262_208], "llama4": [40, 202_048]}
    titles = ["config.json has no `vocab_size`", "config.json has no `num_attention_heads` (or n_head, n_heads)"]
    assert [p.title for p in problems(**changed, model_type="llama")] == titles
    assert model("llama4", interleave_moe_layer_step=2, intermediate_size_mlp=1900)["ffn"] == 1900


def test_an_inner_size_is_four_hidden_sizes_in_some_classes_alone() -> None:
    without = SMALL | {"intermediate_size": "absent"}
    assert {t: values(model_type=t, **without)["ffn"] for t in ("gpt2", "gptj", "gpt_neox", "phi", "falcon")} == (
        dict.fromkeys(("gpt2", "gptj", "gpt_neox", "phi", "falcon"), 2560)
    )
    needed = {t: [p.title for p in problems(model_type=t, **without)] for t in ("llama", "opt", "starcoder2")}
    assert needed == {"llama": ["config.json has no `intermediate_size`"], "opt": ["config.json has no `ffn_dim`"],
                      "starcoder2": ["config.json has no `intermediate_size`"]}  # fmt: skip

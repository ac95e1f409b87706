"""Rules of a configuration that take more than a row: experts, latent attention, windows, scans, odd families."""

from collections.abc import Callable

from dsl.importers.hf_draft import Draft, every_and_offset, first_and_every
from dsl.importers.hf_families import Experts
from dsl.importers.hf_mixers import delta, jamba, lightning, nemotron_h

ROUTED = ("n_routed_experts", "num_local_experts", "num_experts", "ffn_config.moe_num_experts")
ACTIVE = ("num_experts_per_tok", "experts_per_token", "num_experts_per_token", "moe_topk", "ffn_config.moe_top_k")
KEYS: dict[str, tuple[str, ...]] = {  # what names the layers with experts
    "all": (),
    "first": ("mlp_layer_types", "first_k_dense_replace"),
    "sparse": ("mlp_only_layers", "decoder_sparse_step"),
    "step": ("moe_layers", "interleave_moe_layer_step"),
    "period": ("expert_layer_period",),
}


def experts(draft: Draft, rule: Experts) -> None:
    """Routed and shared experts, and the layers that have them."""
    config = draft.config
    routed = config.whole(*ROUTED)
    if rule.optional and (routed is None or routed.value == 0):
        return
    draft.take("experts.routed", *ROUTED)
    draft.take("experts.active", *ACTIVE, absent=rule.active)
    draft.take("experts.ffn", *rule.ffn)
    if rule.shared:
        draft.take("experts.shared", rule.shared, absent=0)
    elif rule.shared_fixed:
        draft.put("experts.shared", rule.shared_fixed, None)
    width = config.whole(*rule.shared_ffn) if rule.shared_ffn else None
    if width is not None and width.value:
        draft.put("experts.shared", 1, width)
        draft.put("experts.shared_ffn", width.value, width)
        draft.put("experts.shared_gate", rule.gate, None)
    draft.put("experts.router_bias", rule.router_bias, None)
    draft.put("experts.bias", rule.bias, None)
    expert_layers(draft, rule)


def expert_layers(draft: Draft, rule: Experts) -> None:
    """Which layers have experts: the first few dense, then one in every so many."""
    flags = LAYERS[rule.layers](draft)
    draft.some_dense = not all(flags)
    found = first_and_every(flags) if flags else (0, 1)
    if found is None:
        draft.config.wrong("E30", f"{draft.config.name} has experts in layers that are not one in every so many", 1,
                           "cannot be expressed", help="state the model's settings")  # fmt: skip
        return
    key = draft.config.find(*KEYS[rule.layers])
    draft.put("experts.dense_layers", found[0], key)
    draft.put("experts.every", found[1], key)


def _all(draft: Draft) -> list[bool]:
    return [True] * draft.layers


def _first(draft: Draft) -> list[bool]:
    """first_k_dense_replace, then every moe_layer_freq-th; or a list of types."""
    config = draft.config
    types = config.items("mlp_layer_types")
    if types is not None:
        return [kind == "sparse" for kind in types.value]
    first, step = config.whole("first_k_dense_replace"), config.whole("moe_layer_freq")
    each = max(step.value, 1) if step is not None else 1
    return [i >= (first.value if first is not None else 0) and i % each == 0 for i in range(draft.layers)]


def _sparse(draft: Draft) -> list[bool]:
    """Every decoder_sparse_step-th but those of mlp_only_layers."""
    step, only = draft.config.whole("decoder_sparse_step"), draft.config.items("mlp_only_layers")
    each, dense = max(step.value, 1) if step is not None else 1, only.value if only is not None else []
    return [(i + 1) % each == 0 and i not in dense for i in range(draft.layers)]


def _step(draft: Draft) -> list[bool]:
    """moe_layers, else every interleave_moe_layer_step-th."""
    listed, step = draft.config.items("moe_layers"), draft.config.whole("interleave_moe_layer_step")
    if listed is not None:
        return [i in listed.value for i in range(draft.layers)]
    each = max(step.value, 1) if step is not None else 1
    return [(i + 1) % each == 0 for i in range(draft.layers)]


def _period(draft: Draft) -> list[bool]:
    """Layers with remainder expert_layer_offset of expert_layer_period."""
    period, offset = draft.config.whole("expert_layer_period"), draft.config.whole("expert_layer_offset")
    each = max(period.value, 1) if period is not None else 2
    return [i % each == (offset.value if offset is not None else 1) for i in range(draft.layers)]


LAYERS: dict[str, Callable[[Draft], list[bool]]] = {
    "all": _all, "first": _first, "sparse": _sparse, "step": _step, "period": _period
}  # fmt: skip


def latent(draft: Draft) -> None:
    """Multi-head latent attention. The class's head_dim is the rotary part alone and is not read."""
    draft.put("attention", "latent", draft.config.find("kv_lora_rank"))
    draft.take("attention.head", "qk_nope_head_dim")
    draft.take("attention.value_head", "v_head_dim")
    rank = draft.config.find("q_lora_rank")
    if rank is not None and rank.value is None:
        draft.put("attention.query_rank", 0, rank)
    else:
        draft.take("attention.query_rank", "q_lora_rank")
    draft.take("attention.kv_rank", "kv_lora_rank")
    draft.take("attention.rope_head", "qk_rope_head_dim")


def indexer(draft: Draft) -> None:
    """DeepSeek sparse attention: the heads that score keys, and how many keys are left."""
    draft.take("attention.index_heads", "index_n_heads")
    draft.take("attention.index_head", "index_head_dim")
    draft.take("attention.index_keys", "index_topk")


def mtp(draft: Draft) -> None:
    """Multi-token-prediction modules that are stated beside the layers."""
    draft.take("mtp", "num_nextn_predict_layers", absent=0)


def unreleased_mtp(draft: Draft) -> None:
    """MiniMax-M2 declares prediction modules that its weights do not hold."""
    declared = draft.config.whole("num_mtp_modules")
    if declared is not None and declared.value:
        draft.notes.append(f"num_mtp_modules = {declared.value} is declared and the weights hold none: mtp is left 0")


def window(draft: Draft) -> None:
    """A sliding window in every layer, where it is shorter than the longest sequence."""
    key, longest = draft.config.whole("sliding_window"), draft.config.whole("max_position_embeddings")
    if key is None or key.value == 0 or (longest is not None and key.value >= longest.value):
        return
    draft.put("attention", "sliding", key)
    draft.put("attention.window", key.value, key)
    alternate(draft, None)


def windows(draft: Draft) -> None:
    """Qwen's windows, which are off unless use_sliding_window."""
    on, _ = draft.config.flag("use_sliding_window", False)
    if on:
        window(draft)


def alternating(draft: Draft) -> None:
    """Windows in all but the last of every so many layers (Gemma 2 and gpt-oss 2, Gemma 3 6)."""
    model_type = draft.config.find("model_type")
    third = model_type is not None and str(model_type.value).startswith("gemma3")
    key, default = draft.config.whole("sliding_window"), 4096 if draft.family.tied else 128
    draft.put("attention", "sliding", key)
    draft.put("attention.window", key.value if key is not None else default, key)
    every = draft.config.whole("sliding_window_pattern")
    draft.put("attention.every", every.value if every is not None else 6 if third else 2, every)
    alternate(draft, "attention.every")


def alternate(draft: Draft, path: str | None) -> None:
    """The period of full attention from layer_types, where the file lists them."""
    types = draft.config.items("layer_types")
    if types is None:
        return
    full = [kind == "full_attention" for kind in types.value]
    found = every_and_offset(full)
    if found is not None and found[1] == found[0] - 1:
        draft.put("attention.every", found[0], types)
    elif any(full):
        if path:
            del draft.settings[path]
        for name in [n for n in draft.settings if n.startswith("attention")]:
            del draft.settings[name]
        draft.notes.append("layer_types follow no period: every layer is taken as full attention, counts are the same")


def chunked(draft: Draft) -> None:
    """Llama 4: attention in chunks, in full without rotary embedding in every fourth layer."""
    key = draft.config.find("attention_chunk_size")
    if key is not None and key.value is None:
        return
    draft.put("attention", "chunked", key)
    draft.take("attention.window", "attention_chunk_size", absent=8192)
    step = draft.config.whole("no_rope_layer_interval")
    draft.put("attention.every", step.value if step is not None else 4, step)


def falcon(draft: Draft) -> None:
    """Falcon: one key/value head, or a stated number with the new architecture; one norm in a parallel layer."""
    new, by_new = draft.config.flag("new_decoder_architecture", False)
    one, by_one = draft.config.flag("multi_query", True)
    parallel, by_parallel = draft.config.flag("parallel_attn", True)
    draft.settings.pop("kv_heads", None)
    if new:
        draft.take("kv_heads", "num_kv_heads", "n_head_kv")
    elif one:
        draft.put("kv_heads", 1, by_one)
    draft.put("norms_per_layer", 2 if new or not parallel else 1, by_new if new else by_parallel)


def gpt2(draft: Draft) -> None:
    """GPT-2: learned positions, and dropout unless it is turned off."""
    draft.take("positions", "n_positions", "max_position_embeddings")
    dropped(draft, "resid_pdrop")


def dropped(draft: Draft, name: str) -> None:
    """Dropout masks, which this class keeps unless its rate is 0."""
    key = draft.config.find(name)
    draft.put("dropout", key is None or key.value != 0, key)


def opt(draft: Draft) -> None:
    """OPT: two more rows of positions than tokens; 350M has a narrower embedding and norms after its blocks."""
    longest = draft.config.whole("max_position_embeddings")
    if longest is None:
        draft.config.lacks("max_position_embeddings")
        return
    draft.put("positions", longest.value + 2, longest)
    width = draft.config.whole("word_embed_proj_dim")
    if width is not None and width.value != draft.number("hidden"):
        draft.put("embedding", width.value, width)
    before, by_before = draft.config.flag("do_layer_norm_before", True)
    removed, by_removed = draft.config.flag("_remove_final_layer_norm", False)
    draft.put("final_norm", before and not removed, by_removed if removed else by_before)
    dropped(draft, "dropout")


def mpt(draft: Draft) -> None:
    """MPT: no biases at all, norms included, and an expansion ratio for the inner size."""
    bare, key = draft.config.flag("no_bias", True)
    ratio = draft.config.whole("expansion_ratio")
    draft.put("norm", "layernorm_no_bias" if bare else "layernorm", key)
    for name in ("qkv", "out", "mlp"):
        draft.put(f"bias.{name}", not bare, key)
    draft.put("ffn", (ratio.value if ratio is not None else 4) * draft.number("hidden"), ratio)


def phi(draft: Draft) -> None:
    """Phi's norms on queries and keys have weights that no setting expresses."""
    on, key = draft.config.flag("qk_layernorm", False)
    if on and key is not None:
        draft.config.wrong("E30", "`qk_layernorm` of a phi model is not counted yet", key.line, "turned on here",
                           help="state the model's settings")  # fmt: skip


PARTS: dict[str, Callable[[Draft], None]] = {
    "alternating": alternating, "chunked": chunked, "delta": delta, "falcon": falcon, "gpt2": gpt2, "indexer": indexer,
    "jamba": jamba, "latent": latent, "lightning": lightning, "mpt": mpt, "mtp": mtp, "nemotron_h": nemotron_h,
    "opt": opt, "phi": phi, "unreleased_mtp": unreleased_mtp, "window": window, "windows": windows,
}  # fmt: skip

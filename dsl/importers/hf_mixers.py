"""Hybrid models: which layers attend and which scan, and the sizes of the scan."""

from dsl.importers.hf_draft import Draft, every_and_offset

BLOCKS = {"mamba": "M", "linear_attention": "M", "attention": "*", "mlp": "-", "moe": "E"}


def places(draft: Draft, attends: list[bool], key: str) -> None:
    """One attention layer in every so many, from a list of all layers."""
    found = every_and_offset(attends)
    if found is None and any(attends):
        draft.config.wrong("E30", f"attention layers of {draft.config.name} are not one in every so many", 1,
                           f"`{key}` lists them", help="state the model's settings")  # fmt: skip
    if found is None:
        return
    every, offset = found
    draft.put("mixer.every", every, draft.config.find(key))
    if offset != every - 1:
        draft.put("mixer.offset", offset, draft.config.find(key))


def delta(draft: Draft) -> None:
    """Qwen3-Next and Qwen3.5: gated delta rule in all but the last of every four layers, gated attention there."""
    config = draft.config
    types, step = config.items("layer_types"), config.whole("full_attention_interval")
    if types is None:
        draft.notes.append(
            "released weights may hold a prediction module that no key declares: state mtp = 1 to count it"
        )
    draft.put("attention", "full", None)
    draft.put("attention.gate", True, None)
    draft.put("mixer", "delta", config.find("linear_num_value_heads"))
    if types is not None:
        places(draft, [kind == "full_attention" for kind in types.value], "layer_types")
    else:
        draft.put("mixer.every", step.value if step is not None else 4, step)
    draft.take("mixer.heads", "linear_num_value_heads", absent=32)
    draft.take("mixer.head", "linear_value_head_dim", absent=128)
    draft.take("mixer.key_heads", "linear_num_key_heads", absent=16)
    draft.take("mixer.key_head", "linear_key_head_dim", absent=128)
    draft.take("mixer.convolution", "linear_conv_kernel_dim", absent=4)


def lightning(draft: Draft) -> None:
    """MiniMax: lightning attention (0 in attn_type_list), softmax attention (1) in one of every eight layers."""
    kinds, types = draft.config.items("attn_type_list"), draft.config.items("layer_types")
    if kinds is None and types is None:
        draft.config.lacks("attn_type_list", "layer_types")
        return
    listed = kinds if kinds is not None else types
    assert listed is not None
    attends = [kind in (1, "full_attention") for kind in listed.value]
    if all(attends):
        return
    draft.put("mixer", "lightning", listed)
    places(draft, attends, listed.name)
    draft.put("mixer.heads", draft.number("heads"), draft.config.find("num_attention_heads"))
    head = draft.number("head") or draft.number("hidden") / max(draft.number("heads"), 1)
    draft.put("mixer.head", head, draft.config.find("head_dim"))


def jamba(draft: Draft) -> None:
    """Jamba: Mamba with norms on its step sizes, attention in one of every attn_layer_period layers."""
    config = draft.config
    draft.put("mixer", "mamba1", config.find("mamba_d_state"))
    draft.take("mixer.every", "attn_layer_period", absent=8)
    draft.take("mixer.offset", "attn_layer_offset", absent=4)
    expand = config.whole("mamba_expand")
    draft.put("mixer.inner", (expand.value if expand is not None else 2) * draft.number("hidden"), expand)
    draft.take("mixer.state", "mamba_d_state", absent=16)
    rank = config.find("mamba_dt_rank")
    if rank is None or rank.value == "auto":
        draft.put("mixer.rank", -(-draft.number("hidden") // 16), rank)
    else:
        draft.take("mixer.rank", "mamba_dt_rank")
    draft.take("mixer.convolution", "mamba_d_conv", absent=4)
    plain(draft, "mamba_conv_bias", True)
    plain(draft, "mamba_proj_bias", False)


def nemotron_h(draft: Draft) -> None:
    """Nemotron-H: layers of one block each, in the order of a pattern; the inner size is heads times head."""
    config = draft.config
    key, listed = config.find("hybrid_override_pattern"), config.items("layers_block_type")
    if listed is not None:
        pattern = "".join(BLOCKS.get(str(kind), "?") for kind in listed.value)
    elif key is not None and isinstance(key.value, str):
        pattern = key.value
    else:
        config.lacks("hybrid_override_pattern", "layers_block_type")
        return
    by = listed if listed is not None else key
    assert by is not None
    if not pattern or set(pattern) - set("M*-E"):
        config.refuse(by, "a pattern of M, *, - and E")
        return
    draft.put("layers", len(pattern), by)
    draft.some_dense = "-" in pattern
    draft.put("mixer", "mamba2", by)
    draft.put("mixer.pattern", shortest(pattern), by)
    draft.take("mixer.heads", "mamba_num_heads")
    draft.take("mixer.head", "mamba_head_dim")
    draft.take("mixer.state", "ssm_state_size")
    draft.take("mixer.groups", "n_groups", absent=8)
    draft.take("mixer.convolution", "conv_kernel", absent=4)
    draft.take("mixer.chunk", "chunk_size", absent=128)
    plain(draft, "use_conv_bias", True)
    plain(draft, "mamba_proj_bias", False)
    plain(draft, "use_bias", False)


def shortest(pattern: str) -> str:
    """The pattern without its repetitions: MEM*MEM* is MEM*."""
    for length in range(1, len(pattern)):
        if len(pattern) % length == 0 and pattern[:length] * (len(pattern) // length) == pattern:
            return pattern[:length]
    return pattern


def plain(draft: Draft, name: str, usual: bool) -> None:
    """A problem where a bias differs from that of every released model: nothing expresses it."""
    value, key = draft.config.flag(name, usual)
    if key is not None and value is not usual:
        draft.config.wrong("E30", f"`{name}` = {str(value).lower()} is not counted yet", key.line, "stated here",
                           help="state the model's settings")  # fmt: skip

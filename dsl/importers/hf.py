"""The settings of a `model` block from a Hugging Face config.json.

The rules of a model type are rows of hf_families.py; what takes more than a row is in hf_parts.py. Nothing is guessed:
a model type that is not listed, or a key that a count needs and the file lacks, is a problem.
"""

from typing import NamedTuple

from dsl.importers.config import Config, Key, parsed
from dsl.importers.hf_draft import Draft, Taken
from dsl.importers.hf_families import FAMILIES, REQUIRED, Family, Flag
from dsl.importers.hf_parts import PARTS, experts
from dsl.problems import Problem, did_you_mean

LAYERS = ("num_hidden_layers", "n_layer", "n_layers")
MOST_LAYERS = 10_000
HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model")
HEADS = ("num_attention_heads", "n_head", "n_heads")
KV_HEADS = ("num_key_value_heads", "attn_config.kv_n_heads")
LONGEST = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length")


class Imported(NamedTuple):
    """A model as its configuration describes it: settings by path, and remarks for the reader."""

    model_type: str
    settings: dict[str, Taken]
    notes: tuple[str, ...]


def read_config(data: bytes, name: str) -> tuple[Imported | None, list[Problem]]:
    """The model in a config.json, or the problems that keep it from being read. ``name`` is the file as shown."""
    config, problems = parsed(data, name)
    if config is None:
        return None, problems
    found = imported(config)
    return (found, []) if found is not None and not config.problems else (None, config.problems)


def imported(config: Config) -> Imported | None:
    """The settings of a configuration; what is wrong is added to its problems."""
    model_type, family = family_of(config)
    if family is None:
        return None
    draft = Draft(config, family)
    sizes(draft)
    attention_heads(draft)
    norms_and_biases(draft)
    if family.experts is not None:
        experts(draft, family.experts)
    for part in family.parts:
        PARTS[part](draft)
    inner_size(draft)
    for path in ("layers", "hidden", "vocabulary", "heads", "kv_heads", "head"):
        draft.positive(path)
    if config.multimodal:
        draft.notes.append("the language model alone: towers for images and sound are not counted")
    longest = config.whole(*LONGEST)
    if longest is not None:
        draft.notes.append(f"{longest.name} = {longest.value:,} is a limit; state the training sequence in the run")
    return Imported(model_type, draft.settings, tuple(draft.notes))


def family_of(config: Config) -> tuple[str, Family | None]:
    """The rules of the configuration's model type; without one, of its architecture's name."""
    named = [key for key in (config.find("model_type"), config.beside("model_type")) if key is not None]
    for key in named:
        if not isinstance(key.value, str):
            config.refuse(key, "a text")
            return "", None
        if key.value in FAMILIES:
            return key.value, FAMILIES[key.value]
    if not named:
        return _by_architecture(config)
    key = named[0]
    known = "llama, mistral, qwen3, gemma3, mixtral, deepseek_v3, gpt_oss and others: decoders"
    config.wrong("E30", f"`{key.value[:40]}` is a model type that this version does not know", key.line, "read here",
                 f"known: {known}", help=did_you_mean(key.value, FAMILIES) or "state the model's settings")  # fmt: skip
    return key.value, None


def _by_architecture(config: Config) -> tuple[str, Family | None]:
    key = config.beside("architectures")
    names = key.value if key is not None and isinstance(key.value, list) else []
    for name in names:
        plain = str(name).removesuffix("ForCausalLM").lower()
        for model_type, family in FAMILIES.items():
            if model_type.replace("_", "").replace("-", "") == plain:
                return model_type, family
    config.lacks("model_type")
    return "", None


def sizes(draft: Draft) -> None:
    """Layers, hidden size, vocabulary, a tied embedding."""
    config, family = draft.config, draft.family
    draft.take("layers", *LAYERS)
    draft.bounded("layers", MOST_LAYERS)
    draft.take("hidden", *HIDDEN)
    draft.take("vocabulary", "vocab_size", absent=family.vocabulary)
    tied, key = config.flag("tie_word_embeddings", family.tied)
    beside = config.beside("tie_word_embeddings") if key is None else None
    if beside is not None and isinstance(beside.value, bool):
        tied, key = beside.value, beside
    draft.put("tied", tied, key)


def attention_heads(draft: Draft) -> None:
    """Query heads, key/value heads and the head dimension, each with what its absence means for this type.

    A key/value count of null is one a query head; a key that is absent is the class's own number.
    """
    config, family = draft.config, draft.family
    draft.take("heads", *HEADS, absent=family.heads)
    if "latent" in family.parts:
        return
    kv = config.find(*KV_HEADS)
    if kv is not None and kv.value is not None:
        draft.take("kv_heads", *KV_HEADS)
    elif kv is None and family.kv > 0:
        draft.put("kv_heads", family.kv, None)
    head = config.find("head_dim", "attention_head_dim")
    if head is not None and head.value is not None:
        draft.take("head", "head_dim", "attention_head_dim")
    elif family.head == REQUIRED:
        config.lacks("head_dim")
    elif family.head > 0:
        draft.put("head", family.head, None)


def norms_and_biases(draft: Draft) -> None:
    """What the type fixes about norms and biases, or the key that says it."""
    family = draft.family
    draft.put("gated", family.gated, None)
    draft.put("norm", family.norm, None)
    draft.put("norms_per_layer", family.norms, None)
    rows: tuple[tuple[str, Flag], ...] = (
        ("qkv", family.qkv), ("out", family.out), ("mlp", family.mlp), ("head", family.head_bias)
    )  # fmt: skip
    for name, flag in rows:
        value, key = (flag, None) if isinstance(flag, bool) else draft.config.flag(*flag)
        draft.put(f"bias.{name}", value, key)
    kind: tuple[str, Key | None] = (family.qk_norm, None)
    if family.qk_norm_key is not None:
        on, key = draft.config.flag(*family.qk_norm_key)
        kind = (family.qk_norm if on else "none", key)
    draft.put("qk_norm", *kind)
    for name, fixed in family.fixed:
        draft.put(name, fixed, None)


def inner_size(draft: Draft) -> None:
    """The inner size of a dense MLP, where some layer has one."""
    config, family = draft.config, draft.family
    if not family.ffn or not draft.some_dense:
        return
    key = config.whole(*family.ffn)
    if key is not None:
        draft.put("ffn", key.value, key)
    elif family.ffn_times and "hidden" in draft.settings:
        draft.put("ffn", family.ffn_times * draft.number("hidden"), None)
    elif not config.problems:
        config.lacks(*family.ffn)

"""Hybrid models of Hugging Face configurations: which layers attend, the sizes of a scan, and what is refused."""

from typing import Any

import pytest

from dsl.importers.hf_draft import Taken
from dsl.importers.hf_mixers import shortest
from dsl.problems import Problem, Span
from tests.test_hf import LLAMA, imported, problems

FIRST = len(LLAMA) + 2  # the line of the first key that a test adds
MOE: dict[str, Any] = {"num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 32}
FIXED = ("", 1)  # a setting that no key states
STATE = "state the model's settings"


def taken(head: str, **changed: Any) -> dict[str, Taken]:
    """The settings below a path: value, key and line."""
    found = imported(**changed).settings
    return {path.removeprefix(f"{head}."): t for path, t in found.items() if path.startswith(head)}


@pytest.mark.parametrize(
    ("attends", "every", "offset"),
    [("001", 3, None), ("001001", 3, None), ("010", 3, 1), ("0100", 4, 1), ("100100", 3, 0), ("1111", 1, None),
     ("0101", 2, None), ("1010", 2, 0), ("0000", None, None)],
)  # fmt: skip
def test_one_attention_layer_in_every_so_many(attends: str, every: int | None, offset: int | None) -> None:
    """The last of every so many needs no offset; the others are told by their number in the period, from 0."""
    types = ["full_attention" if c == "1" else "linear_attention" for c in attends]
    found = taken("mixer", model_type="qwen3_next", **MOE, layer_types=types)
    by = ("layer_types", FIRST + 3)
    assert found.get("every") == (None if every is None else (every, *by))
    assert found.get("offset") == (None if offset is None else (offset, *by))


def test_attention_layers_in_no_period() -> None:
    types = ["full_attention" if c == "1" else "linear_attention" for c in "0110"]
    assert problems(model_type="qwen3_next", **MOE, layer_types=types) == [
        Problem("E30", "attention layers of config.json are not one in every so many", Span("config.json", 1, 1),
                "`layer_types` lists them", help=STATE)
    ]  # fmt: skip


def test_a_delta_rule_with_its_sizes() -> None:
    keys = {"linear_num_value_heads": 31, "linear_value_head_dim": 33, "linear_num_key_heads": 15,
            "linear_key_head_dim": 35, "linear_conv_kernel_dim": 5, "full_attention_interval": 3}  # fmt: skip
    at = {key: FIRST + 3 + i for i, key in enumerate(keys)}
    found = imported(model_type="qwen3_next", **MOE, **keys)
    assert taken("mixer", model_type="qwen3_next", **MOE, **keys) == {
        "mixer": ("delta", "linear_num_value_heads", FIRST + 3)
    } | {
        path: (keys[key], key, at[key])
        for path, key in zip(("heads", "head", "key_heads", "key_head", "convolution", "every"), keys, strict=True)
    }
    assert found.settings["attention"] == ("full", *FIXED) and found.settings["attention.gate"] == (True, *FIXED)
    note = "released weights may hold a prediction module that no key declares: state mtp = 1 to count it"
    assert found.notes == (note,)
    assert imported(model_type="qwen3_next", **MOE, layer_types=["full_attention"]).notes == ()
    assert taken("mixer", model_type="qwen3_next", **MOE) == {
        "mixer": ("delta", *FIXED), "heads": (32, *FIXED), "head": (128, *FIXED), "key_heads": (16, *FIXED),
        "key_head": (128, *FIXED), "convolution": (4, *FIXED), "every": (4, *FIXED),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kinds", "every", "offset"), [([0, 0, 1], 3, None), ([1, 0, 0], 3, 0), (["x", "full_attention"], 2, None)]
)
def test_lightning_attention_beside_softmax(kinds: list[Any], every: int, offset: int | None) -> None:
    found = taken("mixer", model_type="minimax", **MOE, head_dim=24, attn_type_list=kinds)
    by = ("attn_type_list", FIRST + 4)
    expected = {"mixer": ("lightning", *by), "every": (every, *by), "heads": (4, "num_attention_heads", 5),
                "head": (24, "head_dim", FIRST + 3)}  # fmt: skip
    assert found == expected | ({} if offset is None else {"offset": (offset, *by)})


def test_lightning_attention_in_no_layer_and_in_none_that_is_listed() -> None:
    minimax = {"model_type": "minimax", **MOE}
    assert taken("mixer", **minimax, attn_type_list=[1, 1]) == {}
    types = ["linear_attention", "full_attention", "full_attention"]
    assert taken("mixer", **minimax, attn_type_list=[0, 1], layer_types=types)["every"][0] == 2
    assert taken("mixer", **minimax, layer_types=types[:2])["every"] == (2, "layer_types", FIRST + 3)
    heads = {n: taken("mixer", **minimax, attn_type_list=[0, 1], num_attention_heads=n)["head"] for n in (4, 1)}
    assert heads == {4: (64 / 4, *FIXED), 1: (64, *FIXED)}
    assert [(p.code, p.title) for p in problems(**minimax)] == [
        ("E13", "config.json has no `attn_type_list` (or layer_types)")
    ]
    assert [p.title for p in problems(**minimax, attn_type_list=[0], num_attention_heads=0)] == [
        "`num_attention_heads` of config.json is 0"
    ]


def test_mamba_of_jamba() -> None:
    jamba = {"model_type": "jamba", **MOE, "num_hidden_layers": 4}
    assert taken("mixer", **jamba) == {
        "mixer": ("mamba1", *FIXED), "every": (8, *FIXED), "offset": (4, *FIXED), "inner": (128, *FIXED),
        "state": (16, *FIXED), "rank": (4, *FIXED), "convolution": (4, *FIXED),
    }  # fmt: skip
    keys = {"attn_layer_period": 7, "attn_layer_offset": 3, "mamba_expand": 3, "mamba_d_state": 11, "mamba_d_conv": 5}
    at = {key: (value, key, FIRST + 3 + i) for i, (key, value) in enumerate(keys.items())}
    assert taken("mixer", **jamba, **keys, mamba_dt_rank=9) == {
        "mixer": ("mamba1", *at["mamba_d_state"][1:]), "every": at["attn_layer_period"],
        "offset": at["attn_layer_offset"], "inner": (192, *at["mamba_expand"][1:]), "state": at["mamba_d_state"],
        "rank": (9, "mamba_dt_rank", FIRST + 8), "convolution": at["mamba_d_conv"],
    }  # fmt: skip
    by = ("mamba_dt_rank", FIRST + 3)
    ranks = {64: 4, 65: 5, 80: 5, 81: 6}  # a sixteenth of the hidden size, rounded up
    for hidden, rank in ranks.items():
        assert taken("mixer", **jamba, hidden_size=hidden, mamba_dt_rank="auto")["rank"] == (rank, *by)


HYBRID = {"mamba_num_heads": 9, "mamba_head_dim": 11, "ssm_state_size": 13}


@pytest.mark.parametrize(
    ("keys", "pattern", "layers", "ffn"),
    [
        ({"hybrid_override_pattern": "M-M*-"}, "M-M*-", 5, True),
        ({"hybrid_override_pattern": "MEM*MEM*"}, "MEM*", 8, False),
        ({"hybrid_override_pattern": "MMM"}, "M", 3, False), ({"hybrid_override_pattern": "*"}, "*", 1, False),
        ({"layers_block_type": ["mamba", "linear_attention", "attention", "mlp", "moe"]}, "MM*-E", 5, True),
        ({"hybrid_override_pattern": "M", "layers_block_type": ["moe", "mamba"]}, "EM", 2, False),
    ],
)  # fmt: skip
def test_blocks_of_nemotron_h(keys: dict[str, Any], pattern: str, layers: int, ffn: bool) -> None:
    changed = {"model_type": "nemotron_h", **MOE, **HYBRID, **keys}
    found, by = imported(**changed).settings, (list(keys)[-1], FIRST + 5 + len(keys))
    assert found["layers"] == (layers, *by) and ("ffn" in found) == ffn
    assert taken("mixer", **changed) == {
        "mixer": ("mamba2", *by), "pattern": (pattern, *by), "heads": (9, "mamba_num_heads", FIRST + 3),
        "head": (11, "mamba_head_dim", FIRST + 4), "state": (13, "ssm_state_size", FIRST + 5), "groups": (8, *FIXED),
        "convolution": (4, *FIXED), "chunk": (128, *FIXED),
    }  # fmt: skip
    sizes = {"n_groups": 7, "conv_kernel": 5, "chunk_size": 99}
    stated = taken("mixer", **changed, **sizes)
    assert [stated[path][0] for path in ("groups", "convolution", "chunk")] == [7, 5, 99]


@pytest.mark.parametrize(
    ("keys", "shown"),
    [({"hybrid_override_pattern": ""}, '""'), ({"hybrid_override_pattern": "MX"}, '"MX"'),
     ({"layers_block_type": ["mamba", "rnn"]}, '["mamba", "rnn"]')],
)  # fmt: skip
def test_patterns_that_are_refused(keys: dict[str, Any], shown: str) -> None:
    title = f"`{next(iter(keys))}` of config.json is not a pattern of M, *, - and E"
    assert problems(model_type="nemotron_h", **MOE, **keys, **HYBRID) == [
        Problem("E16", title, Span("config.json", FIRST + 3, 1), f"it is {shown}")
    ]


@pytest.mark.parametrize("keys", [{}, {"hybrid_override_pattern": 7}])
def test_a_pattern_that_is_not_there(keys: dict[str, Any]) -> None:
    title = "config.json has no `hybrid_override_pattern` (or layers_block_type)"
    assert problems(model_type="nemotron_h", **MOE, **keys, **HYBRID) == [
        Problem("E13", title, Span("config.json", 1, 1), "needed for a count")
    ]


@pytest.mark.parametrize(("pattern", "found"), [("", ""), ("M", "M"), ("MM", "M"), ("MEME", "ME"), ("MEMEM", "MEMEM"),
                                                ("M*MM*M", "M*M"), ("MMMMEMMMME", "MMMME")])  # fmt: skip
def test_a_pattern_without_its_repetitions(pattern: str, found: str) -> None:
    assert shortest(pattern) == found


@pytest.mark.parametrize(
    ("model_type", "name", "usual"),
    [("jamba", "mamba_conv_bias", True), ("jamba", "mamba_proj_bias", False), ("nemotron_h", "use_conv_bias", True),
     ("nemotron_h", "mamba_proj_bias", False), ("nemotron_h", "use_bias", False)],
)  # fmt: skip
def test_biases_that_no_setting_expresses(model_type: str, name: str, usual: bool) -> None:
    changed = MOE | HYBRID | {"hybrid_override_pattern": "M", "model_type": model_type, "num_hidden_layers": 4}
    assert problems(**changed) == problems(**changed, **{name: usual}) == problems(**changed, **{name: None}) == []
    title = f"`{name}` = {'false' if usual else 'true'} is not counted yet"
    line = FIRST + len(changed) - 2
    assert problems(**changed, **{name: not usual}) == [
        Problem("E30", title, Span("config.json", line, 1), "stated here", help=STATE)
    ]

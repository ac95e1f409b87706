"""Settings of a model while its configuration is read: their keys, their bounds, where layers of one kind stand."""

from typing import Any

import pytest

from dsl.importers.config import Config, Key
from dsl.importers.hf_draft import Draft, Taken, every_and_offset, first_and_every
from dsl.importers.hf_families import FAMILIES
from dsl.problems import Problem, Span
from tests.test_hf import LLAMA, imported, problems

FIRST = len(LLAMA) + 2  # the line of the first key that a test adds
FIXED = ("", 1)  # a setting that no key states


def draft(**keys: Any) -> Draft:
    """A draft of a configuration that has each key on a line of its own, from line 2 on."""
    text = "\n" + ",\n".join(f'"{name}": {value}' for name, value in keys.items())
    return Draft(Config(keys, text, "c.json"), FAMILIES["llama"])


def test_a_setting_is_taken_with_its_key_and_line() -> None:
    own = draft(a=5, b=7, c="x", n=None)
    own.take("one", "z", "b", "a")
    own.take("two", "z", absent=3)
    own.take("three", "n", absent=4)
    own.take("four", "c")
    own.take("five", "z", "y")
    own.put("six", "word", None)
    own.put("seven", 9, Key("k", 9, 8))
    assert own.settings == {"one": Taken(7, "b", 3), "two": Taken(3, *FIXED), "three": Taken(4, *FIXED),
                            "six": Taken("word", *FIXED), "seven": Taken(9, "k", 8)}  # fmt: skip
    titles = ["`c` of c.json is not a whole number", "c.json has no `z` (or y)"]
    assert [p.title for p in own.config.problems] == titles and own.some_dense


def test_numbers_and_layers_that_are_not_there_are_none() -> None:
    own = draft()
    assert (own.layers, own.number("x")) == (0, 0.0)
    own.put("layers", 7, None)
    own.put("x", "word", None)
    own.put("y", 2.5, None)
    assert (own.layers, own.number("x"), own.number("y")) == (7, 0.0, 2.5)


def test_settings_within_bounds() -> None:
    own = draft(a=5, b=0, c=1)
    for path in ("a", "b", "c"):
        own.take(path, path)
    own.put("fixed", 0, None)
    for path in ("a", "b", "c", "fixed", "z"):
        own.positive(path)
    assert own.config.problems == [Problem("E20", "`b` of c.json is 0", Span("c.json", 3, 1), "at least 1")]
    own.bounded("a", 5)
    own.bounded("z", 5)
    assert "a" in own.settings and len(own.config.problems) == 1
    own.put("a", 12_346, Key("a", 12_346, 2))
    own.bounded("a", 12_345)
    problem = Problem("E20", "`a` of c.json is above 12,345", Span("c.json", 2, 1), "read here")
    assert "a" not in own.settings and own.config.problems[1:] == [problem]


@pytest.mark.parametrize(
    ("marks", "first", "offset"),
    [
        ("1111", (0, 1), (1, 0)), ("0011", (2, 1), None), ("0101", (0, 2), (2, 1)), ("001001", (0, 3), (3, 2)),
        ("0001001", (1, 3), None), ("00001", (0, 5), (5, 4)), ("0010", (0, 3), (4, 2)), ("1010", None, (2, 0)),
        ("1001", None, (3, 0)), ("0110", None, None), ("01001", None, (3, 1)), ("0000", None, None), ("", None, None),
        ("1", (0, 1), (1, 0)), ("10", None, (2, 0)), ("01", (0, 2), (2, 1)), ("00101", (1, 2), None),
        ("000111", (3, 1), None), ("0101010", (0, 2), (2, 1)), ("01011", None, None),
    ],
)  # fmt: skip
def test_where_layers_of_one_kind_stand(marks: str, first: Any, offset: Any) -> None:
    """(how many come first, one in every so many after them), and (one in every so many, its place among these)."""
    flags = [mark == "1" for mark in marks]
    assert (first_and_every(flags), every_and_offset(flags)) == (first, offset)


@pytest.mark.parametrize(
    ("keys", "path", "found"),
    [
        ({}, "layers", (2, "num_hidden_layers", 3)), ({}, "hidden", (64, "hidden_size", 4)),
        ({}, "vocabulary", (1000, "vocab_size", 7)), ({}, "heads", (4, "num_attention_heads", 5)),
        ({}, "ffn", (128, "intermediate_size", 6)), ({}, "kv_heads", None), ({}, "head", None),
        ({"num_key_value_heads": 2}, "kv_heads", (2, "num_key_value_heads", FIRST)),
        ({"head_dim": 24}, "head", (24, "head_dim", FIRST)), ({"head_dim": None}, "head", None),
        ({"attention_head_dim": 24}, "head", (24, "attention_head_dim", FIRST)),
        ({}, "tied", (False, *FIXED)), ({"tie_word_embeddings": True}, "tied", (True, "tie_word_embeddings", FIRST)),
        ({"model_type": "qwen3"}, "kv_heads", (32, *FIXED)), ({"model_type": "qwen3"}, "head", (128, *FIXED)),
        ({"model_type": "qwen3", "head_dim": None}, "head", (128, *FIXED)),
        ({"model_type": "qwen3", "num_key_value_heads": None}, "kv_heads", None),
        ({"attention_bias": True}, "bias.qkv", (True, "attention_bias", FIRST)),
        ({"model_type": "cohere", "use_qk_norm": True}, "qk_norm", ("full", "use_qk_norm", FIRST)),
        ({"model_type": "cohere", "use_qk_norm": False}, "qk_norm", ("none", "use_qk_norm", FIRST)),
    ],
)  # fmt: skip
def test_sizes_and_the_keys_that_give_them(keys: dict[str, Any], path: str, found: Any) -> None:
    assert imported(**keys).settings.get(path) == found


def test_a_tied_embedding_may_stand_beside_the_language_model() -> None:
    text = {k: v for k, v in LLAMA.items() if k != "model_type"}
    found = {}
    for name, outer in (("outer", {"tie_word_embeddings": True}), ("odd", {"tie_word_embeddings": 5}), ("none", {})):
        made = imported(text_config=text, **outer)
        found[name] = made.settings["tied"].value
        assert made.notes == ("the language model alone: towers for images and sound are not counted",)
    inner = imported(text_config=text | {"tie_word_embeddings": False}, tie_word_embeddings=True)
    found["inner"] = inner.settings["tied"].value
    assert found == {"outer": True, "odd": False, "none": False, "inner": False}


def test_the_longest_sequence_is_a_remark() -> None:
    note = "max_position_embeddings = 131,072 is a limit; state the training sequence in the run"
    assert imported(max_position_embeddings=131_072).notes == (note,) and imported().notes == ()


def test_layers_up_to_ten_thousand() -> None:
    assert imported(num_hidden_layers=10_000).settings["layers"].value == 10_000
    (problem, *_) = problems(num_hidden_layers=10_001)
    assert problem == Problem("E20", "`num_hidden_layers` of config.json is above 10,000", Span("config.json", 3, 1),
                              "read here")  # fmt: skip


def test_sizes_of_nothing_are_refused() -> None:
    keys = {"num_hidden_layers": 3, "hidden_size": 4, "vocab_size": 7, "num_attention_heads": 5,
            "num_key_value_heads": FIRST, "head_dim": FIRST + 1}  # fmt: skip
    found = problems(**dict.fromkeys(keys, 0))
    assert [(p.title, p.span.line) for p in found] == [(f"`{k}` of config.json is 0", n) for k, n in keys.items()]


@pytest.mark.parametrize(
    ("model_type", "title", "helped"),
    [
        ("lama", "`lama` is a model type that this version does not know", "did you mean `llama`?"),
        ("x" * 50, f"`{'x' * 40}` is a model type that this version does not know", "state the model's settings"),
    ],
)
def test_types_that_are_not_known(model_type: str, title: str, helped: str) -> None:
    known = "known: llama, mistral, qwen3, gemma3, mixtral, deepseek_v3, gpt_oss and others: decoders"
    assert problems(model_type=model_type) == [
        Problem("E30", title, Span("config.json", 2, 1), "read here", notes=(known,), help=helped)
    ]


def test_the_type_of_the_whole_stands_for_a_part_that_is_not_known() -> None:
    text = LLAMA | {"model_type": "mine"}
    assert imported(text_config=text, model_type="gemma").model_type == "gemma"
    assert imported(text_config=LLAMA, model_type="mine").model_type == "llama"
    assert imported(model_type="absent", architectures=["X", "Qwen3ForCausalLM"]).model_type == "qwen3"
    assert imported(model_type="absent", architectures=["Olmo2ForCausalLM", "X"]).model_type == "olmo2"
    for keys in ({}, {"architectures": "Qwen3ForCausalLM"}, {"architectures": ["XForCausalLM"]}):
        assert [p.title for p in problems(model_type="absent", **keys)] == ["config.json has no `model_type`"]
    (problem,) = problems(text_config=text, model_type="yours")
    assert problem.title == "`mine` is a model type that this version does not know"

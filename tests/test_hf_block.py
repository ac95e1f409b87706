"""What was read from a configuration as text and as entries: which settings are shown, in which order, by which key."""

from typing import Any

import pytest

from dsl.importers.hf import Imported
from dsl.importers.hf_block import Stated, block, differs, model_name, stated, written
from dsl.importers.hf_draft import Taken
from dsl.kinds import MODEL
from dsl.problems import Span
from dsl.schema import schema
from dsl.syntax import Expression, Flag, Name, Number, Text

ROWS = schema(MODEL).rows
MADE = Imported(
    "mine",
    {"experts.routed": Taken(6, "routed", 5), "attention": Taken("sliding", "w", 7), "layers": Taken(12_345, "n", 3),
     "attention.window": Taken(512, "w", 7), "tied": Taken(True, "", 1), "gated": Taken(True, "g", 9),
     "bias.qkv": Taken(False, "b", 11), "norms_per_layer": Taken(4, "", 1), "norm": Taken("rmsnorm", "", 1),
     "source": Taken("s", "", 1)},
    ("one", "two"),
)  # fmt: skip


def test_a_block_shows_what_is_not_as_the_language_has_it() -> None:
    made = MADE._replace(settings={path: taken for path, taken in MADE.settings.items() if path != "source"})
    assert block(made, "m", 'a\n\\"b', "0123456789abcdef0") == (
        "# m, from a Hugging Face configuration of type mine.\n"
        "# one.\n"
        "# two.\n"
        "model m {\n"
        "  layers          = 12_345  # n\n"
        "  tied            = true  # fixed by the model type\n"
        "  norms_per_layer = 4  # fixed by the model type\n"
        "  attention sliding {\n"
        "    window = 512 tokens  # w\n"
        "  }\n"
        "  experts {\n"
        "    routed = 6  # routed\n"
        "  }\n"
        '  source     = "a/\'b, Hugging Face configuration, model_type mine, sha256 0123456789abcdef"\n'
        "  confidence = third-party\n"
        "  verified   = read\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        ("tied", False, False), ("tied", True, True), ("gated", True, False), ("gated", False, True),
        ("norm", "rmsnorm", False), ("norm", "layernorm", True), ("norms_per_layer", 2, False),
        ("norms_per_layer", 2.5, True), ("mtp", 0, False), ("mtp", 1, True), ("layers", 0, True),
        ("experts.every", 1, False), ("experts.every", 2, True), ("kv_heads", 3, True),
    ],
)  # fmt: skip
def test_a_default_of_the_language_is_not_shown(path: str, value: Any, shown: bool) -> None:
    assert differs(path, Taken(value, "k", 3)) is shown


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("tied", True, "true"), ("tied", False, "false"), ("norm", "rmsnorm", "rmsnorm"), ("source", "x", '"x"'),
        ("hidden", 9_999, "9999"), ("hidden", 10_000, "10_000"), ("hidden", 1_234_567.0, "1_234_567"),
        ("attention.window", 10_001, "10_001 tokens"), ("attention.window", 7, "7 tokens"),
    ],
)  # fmt: skip
def test_a_value_as_the_language_writes_it(path: str, value: Any, text: str) -> None:
    assert written(path, value) == text


def test_every_setting_as_an_expression_at_its_line() -> None:
    found = stated(MADE, "c.json")
    at = {path: Span("c.json", taken.line, 1) for path, taken in MADE.settings.items()}
    values: dict[str, Expression] = {
        "experts.routed": Number(6, 1, "", "6", at["experts.routed"], at["experts.routed"]),
        "attention": Name(("sliding",), at["attention"]),
        "layers": Number(12_345, 1, "", "12_345", at["layers"], at["layers"]),
        "attention.window": Number(512, 1, "tokens", "512 tokens", at["attention"], at["attention"]),
        "tied": Flag(True, at["tied"]), "gated": Flag(True, at["gated"]), "bias.qkv": Flag(False, at["bias.qkv"]),
        "norms_per_layer": Number(4, 1, "", "4", at["tied"], at["tied"]), "norm": Name(("rmsnorm",), at["norm"]),
        "source": Text("s", at["source"]),
    }  # fmt: skip
    assert found == [Stated(path, ROWS[path], values[path], at[path]) for path in MADE.settings]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("Llama 3.1", "Llama-3.1"), ("a.b", "a-b"), ("a..1", "a-1"), ("7b", "model-7b"), ("", "model"), ("--", "model"),
     ("let", "model-let"), ("_x", "_x"), ("é", "model"), ("a--b", "a-b"), (".5", "model-5"), ("Let", "Let"),
     *[(word, f"model-{word}") for word in ("and", "edition", "true", "where")]],
)  # fmt: skip
def test_a_text_as_a_name(wanted: str, name: str) -> None:
    assert model_name(wanted) == name

"""A config.json as keys with their lines, and each way in which it is none; several configurations in one file."""

import json
from typing import Any

import pytest

from dsl.importers.config import Config, Key, configurations, parsed
from dsl.limits import CONFIGURATION, DIMENSION
from dsl.problems import Problem, Span

HELP = "name the config.json that lies beside a model's weights"


def config(text: str) -> Config:
    found, problems = parsed(text.encode(), "c.json")
    assert problems == [] and found is not None
    return found


def test_a_key_with_its_line_and_null_included() -> None:
    own = config('{"a": 5,\n "b": null,\n\n "n": {"c": 7, "deep": {"d": 9}}, "x\\n": 3}')
    assert own.find("a") == Key("a", 5, 1) and own.find("b") == Key("b", None, 2)
    assert own.find("z", "b", "a") == Key("b", None, 2) and own.find("z") is None
    assert own.find("n.c") == Key("n.c", 7, 4) and own.find("n.deep.d") == Key("n.deep.d", 9, 4)
    assert own.find("a.c") is None and own.find("n.z") is None and not own.multimodal
    assert own.beside("b") == Key("b", None, 2) and own.beside("z") is None
    assert own.find("x\n") == Key("x\n", 3, 1)  # a key that the text does not show as it is


def test_the_part_of_the_language_model() -> None:
    """Its keys are looked for behind its name; those of the outer part from the beginning."""
    own = config('{"a": 5,\n "text_config": {\n  "a": 7, "b": 9\n },\n "b": 11}')
    assert own.multimodal and own.find("a") == Key("a", 7, 3) and own.beside("a") == Key("a", 5, 1)
    assert own.find("b") == Key("b", 9, 3) and own.beside("b") == Key("b", 11, 3)
    plain = config('{"text_config": 5,\n "a": 3}')
    assert not plain.multimodal and plain.find("a") == Key("a", 3, 2)


WHOLE = "a whole number"


@pytest.mark.parametrize(
    ("value", "found", "shown"),
    [
        (0, 0, ""), (7, 7, ""), (7.0, 7, ""), (DIMENSION, DIMENSION, ""), (None, None, ""), (-1, None, "-1"),
        (DIMENSION + 1, None, str(DIMENSION + 1)), (7.5, None, "7.5"), (True, None, "true"), ("7", None, '"7"'),
        ([1, 2], None, "[1, 2]"), (10**300, None, "1" + "0" * 36 + "..."),
        (10**300 + 1, None, "a number that is too large"),
        (-(10**301), None, "a number that is too large"), ("x" * 38, None, f'"{"x" * 38}"'),
        ("x" * 39, None, f'"{"x" * 36}...'),
    ],
)  # fmt: skip
def test_a_whole_number(value: Any, found: int | None, shown: str) -> None:
    own = config('{\n"a": ' + json.dumps(value) + "}")
    assert own.whole("z", "a") == (None if found is None else Key("a", found, 2)) and own.whole("z") is None
    problem = Problem("E16", f"`a` of c.json is not {WHOLE}", Span("c.json", 2, 1), f"it is {shown}")
    assert own.problems == ([problem] if shown else [])


@pytest.mark.parametrize(
    ("value", "flag", "items"), [(True, True, "true"), (False, False, "false"), (None, None, ""), ([5], "[5]", None),
                                 (1, "1", "1"), ("x", '"x"', '"x"')],
)  # fmt: skip
def test_flags_and_lists(value: Any, flag: bool | str | None, items: str | None) -> None:
    for absent in (True, False):
        own = config('{\n"a": ' + json.dumps(value) + "}")
        stated = isinstance(flag, bool)
        assert own.flag("a", absent) == ((flag, Key("a", value, 2)) if stated else (absent, None))
        wrong = [Problem("E16", "`a` of c.json is not true or false", Span("c.json", 2, 1), f"it is {flag}")]
        assert own.problems == (wrong if isinstance(flag, str) else []) and own.flag("z", absent) == (absent, None)
    own = config('{\n"a": ' + json.dumps(value) + "}")
    assert own.items("a") == (Key("a", value, 2) if items is None else None) and own.items("z") is None
    wrong = [Problem("E16", "`a` of c.json is not a list", Span("c.json", 2, 1), f"it is {items}")]
    assert own.problems == (wrong if items else [])


def test_a_key_that_a_count_needs() -> None:
    own = config('{"hidden_sizes": 5, "second": 3}')
    own.lacks("hidden_size")
    own.lacks("zzz", "second", "third", "fourth")
    place = Span("c.json", 1, 1)
    assert own.problems == [
        Problem("E13", "c.json has no `hidden_size`", place, "needed for a count", help="did you mean `hidden_sizes`?"),
        Problem("E13", "c.json has no `zzz` (or second, third)", place, "needed for a count"),
    ]
    own.lacks("zzz", "second")
    assert own.problems.pop().title == "c.json has no `zzz` (or second)"
    own.wrong("E30", "no", 7, "here", "one", "two", help="out")
    assert own.problems[2] == Problem("E30", "no", Span("c.json", 7, 1), "here", (), ("one", "two"), "out")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\xff\xfe{}", Problem("E03", "`c.json` is UTF-16", Span("c.json", 1, 1, 1), help="save it as UTF-8")),
        (b"\xfe\xff{}", Problem("E03", "`c.json` is UTF-16", Span("c.json", 1, 1, 1), help="save it as UTF-8")),
        (b"{\xff", Problem("E03", "`c.json` is not UTF-8 text", Span("c.json", 1, 1, 1), help=HELP)),
        (b'{\n "a"; 5}', Problem("E02", "`c.json` is not JSON", Span("c.json", 2, 5, 6), "expecting ':' delimiter",
                                 help=HELP)),
        (b"[" * 100_000, Problem("E02", "`c.json` is not JSON that can be read", Span("c.json", 1, 1, 1), help=HELP)),
        (b"[5]", Problem("E16", "`c.json` holds no JSON object", Span("c.json", 1, 1, 1), help=HELP)),
        (b" " * (CONFIGURATION + 1), Problem("E02", "`c.json` is larger than 1 MB", Span("c.json", 1, 1, 1),
                                              help=HELP)),
        (b'{"a": 5,\n"b": {\n"c": 3, "c": 3}}', Problem(
            "E12", "`c` is given twice in c.json", Span("c.json", 3, 1), "given again",
            help="readers of JSON differ in which one holds: remove one")),
        (b'{"c": 3,\n"c": 5,\n"c": 7}', Problem(
            "E12", "`c` is given twice in c.json", Span("c.json", 2, 1), "given again",
            help="readers of JSON differ in which one holds: remove one")),
        (b'\n{"' + b"k" * 50 + b'": 5,\n"' + b"k" * 50 + b'": 3}', Problem(
            "E12", f"`{'k' * 40}` is given twice in c.json", Span("c.json", 3, 1), "given again",
            help="readers of JSON differ in which one holds: remove one")),
        (b'\n{"\\u0061": 5, "\\u0061": 3}', Problem(
            "E12", "`a` is given twice in c.json", Span("c.json", 1, 1), "given again",
            help="readers of JSON differ in which one holds: remove one")),
    ],
)  # fmt: skip
def test_what_is_no_configuration(data: bytes, problem: Problem) -> None:
    assert parsed(data, "c.json") == (None, [problem])


def test_a_mark_of_the_byte_order_is_no_text() -> None:
    assert config("\ufeff{}").outer == {}


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({"a": {"model_type": "x"}, "b": {"architectures": []}}, ["a", "b"]), ({"a": {"model_type": "x"}}, ["a"]),
        ({"a": {"model_type": "x"}, "b": {}}, []), ({"a": {"model_type": "x"}, "b": 5}, []), ({}, []), ([], []),
        ({"model_type": "x"}, []),
    ],
)  # fmt: skip
def test_several_configurations_in_one_file(document: Any, names: list[str]) -> None:
    found = configurations(json.dumps(document).encode())
    assert [name for name, _ in found] == names
    assert [json.loads(data) for _, data in found] == [document[name] for name in names]


def test_what_holds_no_configurations() -> None:
    assert configurations(b"{") == configurations(b"[" * 100_000) == []
    text = b'{"a": {"model_type": "x"}}'
    assert len(configurations(text.rjust(CONFIGURATION))) == 1 and configurations(text.rjust(CONFIGURATION + 1)) == []

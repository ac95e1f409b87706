"""Arguments as settings of a run: numbers and flags, what is put where, and the problems at their lines."""

import pytest

from dsl.importers.run_draft import Draft, Line
from dsl.problems import Problem, Span


def draft(**given: str) -> Draft:
    """A draft of arguments, one a line from line 3 on."""
    return Draft("run.args", [Line(name, value, number) for number, (name, value) in enumerate(given.items(), start=3)])


@pytest.mark.parametrize(
    ("text", "found"),
    [("8", 8.0), ("1_024", 1024.0), ("0", 0.0), ("1e3", 1000.0), ("2.5 train.py", 2.5), ("9.9e15", 9.9e15),
     ("none", 7.0), ("Null", 7.0), ("", 7.0)],
)  # fmt: skip
def test_numbers_and_what_stands_for_none(text: str, found: float) -> None:
    own = draft(a=text)
    assert own.number("a", default=7.0) == found and own.problems == [] and own.used == {"a"}


@pytest.mark.parametrize(("text", "told"), [("x", "x"), ("-1", "-1"), ("1e16", "1e16"), ("nan", "nan"), ("inf", "inf"),
                                            ("y" * 50, "y" * 40), ("-1.0", "-1.0")])  # fmt: skip
def test_what_is_no_number_is_told_at_its_line(text: str, told: str) -> None:
    own = draft(b="1", a=text)
    assert own.number("a", default=7.0) == 7.0
    assert own.problems == [Problem("E16", "`a` is a number", Span("run.args", 4, 1), f"this is {told}")]


def test_the_least_and_the_first_of_several_names() -> None:
    own = draft(b="1", c="2")
    assert (own.number("b", least=1), own.number("a", "c", "b"), own.number("d")) == (1.0, 2.0, None)
    assert own.number("b", least=2) is None and [p.span.line for p in own.problems] == [3]
    assert own.used == {"a", "b", "c", "d"}


def test_flags_texts_and_where_they_come_from() -> None:
    own = draft(on="", off="False", zero="0", no="NO", one="1")
    names = ("on", "off", "zero", "no", "one", "none")
    assert [own.flag(name) for name in names] == [True, False, False, False, True, False]
    assert own.flag("off", "one") and own.has("on") and not own.has("none")
    assert (own.text("none", "one"), own.text("none")) == ("1", None)
    assert (own.by("none", "one"), own.by("none", "else")) == ("one", "none is not given")


def test_settings_of_the_model_and_of_the_run() -> None:
    own = draft(h="64", z="0")
    own.put("model.hidden", 64, "h")
    own.put("batch", 8)
    own.put("tokens", None, "nothing")
    assert own.take("model.heads", "g", "h") == 64 and own.take("model.zero", "z", missing="add z") == 0
    assert own.take("sequence", "s", default=5) == 5 and own.take("steps", "s") is None
    assert own.model == {"hidden": 64, "heads": 64, "zero": 0} and own.run == {"batch": 8, "sequence": 5}
    assert own.why == {"model.hidden": "h", "model.heads": "h", "model.zero": "z", "sequence": "s is not given"}
    assert own.problems == []


def test_what_is_missing_or_wrong_has_a_place() -> None:
    own = draft(a="1", b="2")
    assert own.take("x", "c", "d", missing="add c") is None
    own.wrong("E26", "no", "b", help="change b")
    own.wrong("E26", "no", "c")
    assert own.problems == [
        Problem("E13", "run.args has no c", Span("run.args", 1, 1, 2), "needed", help="add c"),
        Problem("E26", "no", Span("run.args", 4, 1), "stated here", help="change b"),
        Problem("E26", "no", Span("run.args", 1, 1), "stated here"),
    ]
    own.has("a")
    own.finish()
    assert own.notes == ["not used: b"]
    own.has("b")
    own.finish()
    assert own.notes == ["not used: b"]

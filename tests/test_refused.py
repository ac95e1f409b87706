"""Where the parser stopped: the statement around it, and when a row of hints applies."""

import re
from typing import Any

import pytest

from dsl.problems import Span
from dsl.refused import LONGEST, Looks, Refused, after, both, end, spelled, start, within


def refused(text: str, kind: str = "NAME", before: str = "", **more: Any) -> Refused:
    """The word at the | of a line, with the types and words of those before it: NAME:run NAME:a."""
    head, _, rest = text.partition("|")
    word = re.match(r"\w+|.|", rest)
    assert word is not None
    pairs = tuple((each.split(":")[0], each.split(":")[1]) for each in before.split())
    span = Span("x", 7, len(head) + 1, len(head) + 1 + len(word.group()))
    return Refused(kind, word.group(), pairs, head + rest, span, more.get("opened"), more.get("ended", "\n"))


@pytest.mark.parametrize(
    "text",
    [
        "|a = 3", "  a = 3,| b", "run r {| a = 3", "a }| b", "a = [3, 5],| b", "|a = [3, 5", "|a = min(3, [5, 7]",
        "a = min(3, [5, 7]),| b", 'a = "x, {",| b', '|a = "x, {', '|a = "x\\", {', "|a # b, c", "a), b,| c", "a],| c",
        "{ a, {| b", "a, b }| c",
    ],
)  # fmt: skip
def test_where_a_statement_begins(text: str) -> None:
    assert start(text.replace("|", "")) == text.index("|")


@pytest.mark.parametrize(
    "text",
    [
        "a |", "a|, b", "a = [3, 5]|, b", "a = min(3, [5, 7])|, b", "a |}", "a |{ b", "a |# b, c", 'a "x, }" |# b',
        "(3, 5|",        'a "x\\", }" b|, c', "a)|, b", "|, a", "a = 3 |} }, b",
    ],
)  # fmt: skip
def test_where_a_statement_ends(text: str) -> None:
    assert end(text.replace("|", "")) == text.index("|")


def test_the_parts_of_a_line_around_the_word() -> None:
    r = refused("run r { a = 3, b = 5 |GB c, d # e", "NAME", "NAME:b EQUAL:= NUMBER:5")
    assert (r.head, r.rest, r.said, r.tail) == ("run r { a = 3, b = 5 ", "GB c, d # e", "b = 5", "GB c")
    assert (r.last, r.types, r.text) == ("NUMBER", "NAME EQUAL NUMBER", "GB")
    assert r.marked(8, 13) == Span("x", 7, 9, 14)
    assert (refused("|a").last, refused("|a").types, refused("|a").said) == ("", "", "")


def test_what_the_line_goes_on_with() -> None:
    assert [spelled("//", ";")(refused(line)) for line in ("a |// b", "a |; b", "a |/ b", "|a // b", "a // |b")] == [
        True, True, False, False, False]  # fmt: skip


def test_what_stands_before() -> None:
    r = refused("a b |c", "NAME", "NAME:a NAME:b")
    tests = {("NAME NAME",): True, ("NAME",): False, ("NAME.*",): True, ("NAME NAME NAME",): False,
             ("NAME NAME", "NAME"): True, ("NAME NAME", "EQUAL"): False, ("NAME NAME", "EQUAL", "NAME"): True,
             ("NAME", "NAME"): False}  # fmt: skip
    assert {test: after(*test)(r) for test in tests} == tests


def test_all_tests_of_a_row_hold() -> None:
    yes, no, r = (lambda _: True), (lambda _: False), refused("|a")
    assert [both(yes, yes)(r), both(yes, no)(r), both(no, yes)(r), both(no, no)(r), both(yes, yes, no)(r)] == [
        True, False, False, False, False]  # fmt: skip


def test_the_innermost_bracket() -> None:
    inside, outside = refused("[|a", opened=("[", Span("x", 1, 1, 2))), refused("|a")
    assert [within("[", "(")(inside), within("[")(inside), within("(")(inside), within("[")(outside)] == [
        True, True, False, False]  # fmt: skip


def test_a_row_for_the_look_of_a_line() -> None:
    row = Looks(r"(\w+)\s*:=\s*(\w+)", "one =", r"write \2 to \1").hint
    for line, applies in (("x, |a := b, c", True), ("x, a |:= b, c", True), ("x, a := b|, c", True),
                          ("x|, a := b", False),
                          ("x, a := b, |c", False), ("|x", False)):  # fmt: skip
        assert row.applies(refused(line)) is applies, line
    r = refused("x, a |:= bc, c")
    assert callable(row.help)
    assert (row.title, row.help(r), row.mark and row.mark(r)) == ("one =", "write bc to a", Span("x", 7, 4, 11))


def test_of_several_looks_of_a_line_the_one_at_the_word_counts() -> None:
    row = Looks(r"(\w)(?P<mark>\s*:=\s*\w)", "one =", lambda m: f"write {m.group(1)}").hint
    r = refused("a := b, c |:= d")
    assert callable(row.help) and row.mark is not None
    assert (row.help(r), row.mark(r)) == ("write c", Span("x", 7, 11, 15))  # the blank before the mark stays out


def test_a_look_may_depend_on_more_than_the_line() -> None:
    row = Looks("a", "so", "do", lambda r: r.kind == "COMMA").hint
    assert (
        row.applies(refused("|a", "COMMA"))
        and not row.applies(refused("|a"))
        and not row.applies(refused("|b", "COMMA"))
    )


def test_no_pattern_is_tried_on_a_line_longer_than_people_write() -> None:
    row = Looks("a", "so", "do").hint
    assert LONGEST == 400
    assert row.applies(refused("|a" + 399 * " ")) and not row.applies(refused("|a" + 400 * " "))

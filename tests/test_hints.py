"""Mistakes of grammar: each wanted message, with its place and its help."""

import re

import pytest

from dsl.hints import HINTS
from dsl.limits import LINE
from dsl.parse import parse
from dsl.problems import Problem
from tests.problem_files import cases

# text, line:column, title, help (the wanted list of the language's design, then what else people type);
# tests/problems holds more, each in a whole scenario
CASES = [
    ("cluster a {\n  gpus = 24,576\n}", "2:10", "digits are grouped with _, not a comma", "write 24_576"),
    ("cluster a {\n  gpus = 1,024,576\n}", "2:10", "digits are grouped with _, not a comma", "write 1_024_576"),
    ("let x = 24,576", "1:9", "digits are grouped with _, not a comma", "write 24_576"),
    (
        "cluster b {\n  gpus = 8\n  tier node { span = 8 gpus }",
        "3:29",
        "this block is never closed",
        "add a } on its own line",
    ),
    ("model m {\n  layers 80\n}", "2:10", "a setting needs an = between its name and its value", "write: layers = 80"),
    (
        "run r {\n  tokens == 15T tokens\n}",
        "2:11",
        "== compares; a setting is given with a single =",
        "write: tokens = 15T tokens",
    ),
    (
        "run r {\n  require layout.tensor % 8 == 0\n}",
        "2:25",
        "% only follows a number, as in 90%",
        "write: require 8 divides layout.tensor",
    ),
    ("run r {\n  show = [a, b\n}", "3:1", "the list is not closed", "add a ] before this"),
    ("run r {\n  show = max(a, b\n}", "3:1", "the bracket is not closed", "add a ) before this"),
    ("run r {\n  tokens =\n}", "2:11", "the value is missing", "put a value after the ="),
    ("run r {\n  batch = 2048 // per step\n}", "2:16", "a comment starts with #", "write # per step"),
    ("cluster 8xh100 {\n  nodes = 3\n}", "1:9", "a name starts with a letter", "write: cluster a8xh100 { ... }"),
    ("run r {\n}\n}", "3:1", "this } closes nothing", "remove it, or look for a block closed too early above"),
    ("run r {\n  tokens: 15T\n}", "2:9", "settings are given with =, not a colon", "write: tokens = 15T"),
    ('import "gpus.scn', "1:8", "this text is not closed on its line", 'write "gpus.scn"'),
    ("cluster a\n  nodes = 3\n", "1:10", "a block needs { and }", "write: cluster a { ... }"),
    (
        "run r {\n  tokens = 15T tokens batch = 3\n}",
        "2:23",
        "each setting goes on its own line",
        "put a newline or a comma between the two",
    ),
    ("run r { a = 1; b = 2 }", "1:14", "statements end at the line's end", "remove the ;"),
    ("let = 3", "1:5", "a let needs a name of its own", "write: let deadline = 100 days"),
    ("run r {\n  require\n}", "2:10", "a condition is missing", "write: require mfu >= 35%"),
    ("sweep r {\n  where\n}", "2:8", "a condition is missing", "write: where layout.tensor <= 8"),
    ("run r {\n  x = 'abc'\n}", "2:7", "text stands between plain double quotes", 'write "abc"'),
    ("let z = 15 T tokens", "1:9", "k, M, B and T touch their number", "write 15T tokens"),
    ("let q = 2 ** 3", "1:11", "a power is written with ^", "write ^"),
    (
        "let é = 4",
        "1:5",
        "names are written in plain letters",
        "use a to z, digits, _ and -; titles and texts in quotes may hold any letter",
    ),
    ("let a b = 4", "1:1", "a let has one name", "write: let a_b = 4"),
    (
        "- x",
        "1:1",
        "a line cannot start with an operator",
        "put the operator at the end of the line before, or the whole in ( )",
    ),
    ("run b = { }", "1:7", "a setting's name is one word", "join the words with _"),
    ("peak = { }", "1:8", "a block has no = before its {", "write: peak { ... }"),
    ("run r {\n  require mfu = 35%\n}", "2:15", "= gives a setting; a comparison has two", "write: require mfu == 35%"),
    ("run r {\n  require a && b\n}", "2:13", "conditions are joined with words", "write and"),
    ("import gpus.scn", "1:1", "the file's name stands in double quotes", 'write: import "gpus.scn"'),
    ("edition\n", "1:8", "the edition is a year", "write: edition 2026"),
    ("let a = [1 2]", "1:12", "values are separated by commas", "put a comma between the two"),
    ("let a = 1 + * 2", "1:13", "two operators in a row", "put a value between the two"),
    ("let a = $ 2", "1:9", "money is one word: the $ touches its number", "write: $2.10/gpu-hour"),
    ("let a = 1 − 2", "1:11", "a dash that is not a minus", "write -"),
    ("let a =\xa01", "1:8", "an invisible character that is not a space", "write a plain space"),
    (
        "run r {\n  require a because\n}",
        "2:20",
        "the reason is missing or not in quotes",
        'write: because "the reason"',
    ),
    ("run b from { }", "1:12", "did not expect `{` here", ""),
    ("2048 sequences", "1:1", "a value stands alone here", "give it a name: batch = 2048 sequences"),
    ("let a = 3 -", "1:11", "a value is missing after the operator", "put a value after it, or remove it"),
    ("run r { require a and }", "1:23", "a value is missing after the operator", "put a value after it, or remove it"),
    ("let a = 3 ]", "1:11", "this bracket closes nothing", "remove it"),
    ("run r {\n  nodes := 3\n}", "2:3", "a setting is given with a single =", "write: nodes = 3"),
    ("run r {\n  nodes += 3\n}", "2:3", "a setting is given once, with a single =", "write: nodes = 3"),
    ("run r { , a = 3 }", "1:9", "this comma separates nothing", "remove the comma"),
]


# text with what is marked in « », title, help, and where the bracket around it was opened
COMMA, OWN_LINE = "put a comma between the two", "each setting goes on its own line"
MARKED = [
    ("let x = «24,576»", "digits are grouped with _, not a comma", "write 24_576", ""),
    ("let x = «32 000» # so", "digits are grouped with _, not a space", "write 32_000", ""),
    ("let z = «15 T tokens» # so", "k, M, B and T touch their number", "write 15T tokens", ""),
    ("let a = [«13 b tokens»]", "k, M, B and T touch their number", "write 13B tokens", "1:9"),
    ("run r { a = 3 «batch» = 5 }", OWN_LINE, "put a newline or a comma before it", ""),
    ("run r { a = b «c» = 5 }", OWN_LINE, "put a newline or a comma between the two", ""),
    ("let a = [3\n «5»]", "values are separated by commas", COMMA, "1:9"),
    ("let a = [3 «(»5)]", "values are separated by commas", COMMA, "1:9"),
    ("let a = (3 «[»5])", "values are separated by commas", COMMA, "1:9"),
    ("let a = [3,\n  b «=» 5\n", "the list is not closed", "add a ] before this", "1:9"),
    ("let a = [b\n  «c» = 5\n", "the list is not closed", "add a ] before this", "1:9"),
    ("run r {\n  tokens«:»15T\n}", "settings are given with =, not a colon", "write: tokens = 15T", ""),
    ("run r {\n  require mfu «=»35%\n}", "= gives a setting; a comparison has two", "write: require mfu == 35%", ""),
    ("let a = [3«)»", "the list is not closed", "add a ] before this", "1:9"),
    ('run r { require b in [3 «because» "x" }', "the list is not closed", "add a ] before this", "1:22"),
    ("let a = (3«]»", "the bracket is not closed", "add a ) before this", "1:9"),
    ('let a = (3 «because» "x"', "the bracket is not closed", "add a ) before this", "1:9"),
    ("run r {\n  a = 3 «]»\n}", "this bracket closes nothing", "remove it", "1:7"),
    ("run r {\n  tokens =«=» 3\n}", "== compares; a setting is given with a single =", "write: tokens = 3", ""),
    ("model m {\n  layers «24» 576\n}", "a setting needs an = between its name and its value", "write: layers = 24 576",
     ""),
    ("model m { a.b «3» }", "a setting needs an = between its name and its value", "write: a.b = 3", ""),
    ("let a«»\n", "a let needs an = after its name", "write: let deadline = 100 days", ""),
    ("run r { a = 3\n    «+» 5 }", "a line cannot start with an operator",
     "put the operator at the end of the line before, or the whole in ( )", ""),
    ("a«,» b\n", "statements of a file do not end in a comma", "remove the comma", ""),
    # what no row says anything about
    ("let a = [b «from» c]", "did not expect `from` here", "", "1:9"),
    ("run «*» r { }", "did not expect `*` here", "", ""),
    ("«=» 3", "did not expect `=` here", "", ""),
    ("let a = «%» 3", "did not expect `%` here", "", ""),
    ("run r { b from«,» c = 3 }", "did not expect `,` here", "", ""),
    ("run b from«»\nlet a = 3", "did not expect the end of the line here", "", ""),
    ("run b fro«m»", "did not expect the end of the file here", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "title", "help", "opened"), MARKED, ids=[case[0] for case in MARKED])
def test_each_mistake_marks_its_words(text: str, title: str, help: str, opened: str) -> None:
    plain = text.replace("«", "").replace("»", "")
    problem, rows = first(plain), plain.split("\n")
    span, row = problem.span, rows[problem.span.line - 1]
    last = max(span.end - 1 if span.end else len(row), span.column - 1)
    rows[span.line - 1] = f"{row[: span.column - 1]}«{row[span.column - 1 : last]}»{row[last:]}"
    labels = [(f"{label.span.line}:{label.span.column}", label.text) for label in problem.labels]
    assert ("\n".join(rows), problem.title, problem.help) == (text, title, help)
    assert labels == ([(opened, "opened here")] if opened else [])


def first(text: str) -> Problem:
    """The first mistake of a text."""
    _, problems = parse(text, "case.scn")
    return problems[0]


@pytest.mark.parametrize(("text", "place", "title", "help"), CASES, ids=[case[2][:40] for case in CASES])
def test_each_mistake_has_its_words(text: str, place: str, title: str, help: str) -> None:
    problem = first(text)
    assert (f"{problem.span.line}:{problem.span.column}", problem.title, problem.help) == (place, title, help)


def test_hints_are_reached_by_the_cases_or_by_the_problem_files() -> None:
    titles = {title for _, _, title, _ in CASES}
    titles |= {title for one in cases() for title in re.findall(r"error\[E01\]: (.*)", one.expected)}
    assert [hint.title for hint in HINTS if hint.title not in titles] == []


def test_no_pattern_is_tried_on_a_line_that_nobody_wrote() -> None:
    problem = first("let x = " + "a " * (LINE // 2 - 10) + ": {")
    assert problem.title == "each setting goes on its own line"


@pytest.mark.parametrize("text", ["run r {\n  a = [1,\n  b = 2\n", "run r {\n  a = (1\n", "run r {\n"])
def test_what_is_not_closed_labels_where_it_opened(text: str) -> None:
    problem = first(text)
    assert problem.labels and problem.labels[-1].text == "opened here"


def test_an_opening_brace_on_its_own_line_is_told_once() -> None:
    _, problems = parse("cluster a\n{\n  nodes = 3\n}\nlet x = 1\n", "case.scn")
    assert [p.title for p in problems] == ["a block needs { and }"]

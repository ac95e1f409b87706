"""What people write who know another language: the marked part at « », what it is called, and what to write."""

import pytest

from dsl.habits import COMPARED
from dsl.parse import parse
from dsl.problems import Problem

HABITS = {
    "a decimal point is a dot": {
        "run r {\n  utilization = «0,35»\n}": "write 0.35",
        "run r {\n  price = «$2,5»\n}": "write $2.5",
        "run r { a = «1,2345» }": "write 1.2345",
    },
    "a list stands in square brackets": {
        "run r {\n  show =«»\n    - mfu # first\n    - step_time\n}": "write: show = [mfu, step_time]",
        "report {\n  show = «mfu, step_time» # x\n}": "write [mfu, step_time]",
        "report { show = «a.b, c.d, e» }": "write [a.b, c.d, e]",
        "report { order = «data, tensor» }": "write [data, tensor]",
    },
    "a block is opened with a brace": {
        "run r {\n  «show:»\n    - mfu\n}": "write: show { ... }",
        "run r {\n  «layout: # x»\n    tensor = 3\n}": "write: layout { ... }",
        "«[cluster.hopper]»\nnodes = 3": "write: cluster hopper { ... }",
        "«[[cluster]]»": "write: cluster { ... }",
        "«[cluster] # x»\n": "write: cluster { ... }",
    },
    "names stand without quotes, values after =": {
        'run r {\n  «"tensor": 8,»\n}': "write: tensor = 8",
        'run r {\n  «"model": "llama",»\n}': "write: model = llama",
        'run r {\n  «"model" = "a b"»\n}': 'write: model = "a b"',
    },
    "a file is imported by its name in quotes": {
        "«from gpus.library import h100»": 'write: import "gpus/library/h100.scn"',
    },
    "a file is brought in with import": {
        '«include "gpus"»': 'write: import "gpus.scn"',
        '«use "gpus.scn"»': 'write: import "gpus.scn"',
    },
    "the file's name stands in double quotes": {
        "«import gpus»": 'write: import "gpus.scn"',
        "«import lib/gpus.scn»": 'write: import "lib/gpus.scn"',
    },
    "a value of its own is a let": {
        "«var a = 3»": "write: let a = 3",
        "«def a =»": "write: let a = ",
        "«const a := 3 GB # x»": "write: let a = 3 GB",
    },
    "a let needs an = after its name": {
        "let a «3 GB»": "write: let a = 3 GB",
        "let a: «3» # x": "write: let a = 3",
    },
    "a let has one name": {
        "«let a b = 3»": "write: let a_b = 3",
        "«let a b c = 3 GB # x»": "write: let a_b_c = 3 GB",
    },
    "a setting is given with a single =": {"run r { «nodes := 3 »}": "write: nodes = 3"},
    "a setting is given once, with a single =": {
        "run r { «a.b -= 3 GB», c = 3 }": "write: a.b = 3 GB",
        "run r { «nodes *= 3 »}": "write: nodes = 3",
    },
    "a name stands by itself": {"run r { a = «${b}» }": "write b", "run r { a = «$b» }": "write b"},
    "one value to a setting": {"run r { «a = b = 3 GB», c = 5 }": "write: a = 3 GB, b = 3 GB"},
    "of two values one is chosen with if": {
        "run r { «a = b > 3 ? c : d »}": "write: a = if b > 3 then c else d",
        "run r { «a = b ? 3 : 5», c = 3 }": "write: a = if b then 3 else 5",
    },
    "a power is written with ^": {"let a = 3 «**» b": "write ^"},
    "a range has two dots": {"sweep s { a = «1...8» }": "write 1..8", "sweep s { a = «2....9» }": "write 2..9"},
    "a comment starts with #": {
        "«/* a comment */»": "write # a comment",
        "let a = 3 «/* b»": "write # b",
        "«// so»": "write # so",
        "let a = 3 «// so  »": "write # so",
        "«-- so»": "write # so",
        "«--- so more»": "write # so more",
    },
    "text stands between plain double quotes": {
        "let a = «'b c'»": 'write "b c"',
        "let a = «`b`»": 'write "b"',
        "let a = «\u201cb\u201d»": 'write "b"',
    },
    "the reason stands in double quotes": {
        "run r { require mfu > 3 because «it is so» }": 'write "it is so"',
        "run r {\n  require mfu > 3 because «so» # x\n}": 'write "so"',
    },
    "conditions are joined with words": {
        "run r { require a «&» b }": "write and",
        "run r { require a «&&» b }": "write and",
        "run r { require a «|» b }": "write or",
        "run r { require a «||» b }": "write or",
        "run r { require «!»a }": "write not",
    },
    "% only follows a number, as in 90%": {
        "run r { require model.heads «%» layout.tensor == 0 }": "write: require layout.tensor divides model.heads",
        'sweep s { where a.b «%» 8 == 0 because "x" }': "write: where 8 divides a.b",
    },
    "the = comes last": {"run r { require a «=>» 3 }": "write >=", "run r { require a «=<» 3 }": "write <="},
    "a copy is made with from": {
        "«run a : b »{": "write: run a from b { ... }",
        "«run a extends b »{ c = 3 }": "write: run a from b { ... }",
    },
    "a block copies one other block": {
        "«run a from b, c »{": "write: run a from b { ... }",
        "«run a from b and c »{ }": "write: run a from b { ... }",
    },
    "a block has one name": {
        "«cluster my big one »{": "write: cluster my-big-one { ... }",
        "«cluster two words »{ nodes = 3 }": "write: cluster two-words { ... }",
    },
    "amounts are in US dollars": {
        "let a = «\u20ac3.50/hour»": "write $2.10/gpu-hour; a report's `currency` and `rate` print another currency",
        "let a = «\u00a3 5»": "write $2.10/gpu-hour; a report's `currency` and `rate` print another currency",
    },
    "an if needs an else": {
        "run r { a = if b > 3 then 5 «}»": "write: a = if b > 3 then 5 else …",
        "run r {\n  a = if b then 3«,» c = 5\n}": "write: a = if b then 3 else …",
    },
    # what looks like a habit and is none
    "a value stands alone here": {
        "run r { a = 3, «5» }": "give it a name: batch = 2048 sequences",
        "run r { a = 3,«5»,7 }": "give it a name: batch = 2048 sequences",
        "run r {\n  batch = 3,\n  «25» = 7\n}": "give it a name: batch = 2048 sequences",
    },
    "each setting goes on its own line": {
        "let a = b «is» 3": "put a newline or a comma between the two",
        "cluster two «words» from x { }": "put a newline or a comma between the two",
    },
}
CASES = [(title, text, help) for title, texts in HABITS.items() for text, help in texts.items()]


def first(text: str) -> tuple[str, Problem]:
    """The text with its first mistake marked, and the mistake."""
    _, problems = parse(text, "case.scn")
    span, rows = problems[0].span, text.split("\n")
    row = rows[span.line - 1]
    last = max(span.end - 1 if span.end else len(row), span.column - 1)
    rows[span.line - 1] = f"{row[: span.column - 1]}«{row[span.column - 1 : last]}»{row[last:]}"
    return "\n".join(rows), problems[0]


@pytest.mark.parametrize(("title", "text", "help"), CASES, ids=[text for _, text, _ in CASES])
def test_a_habit_of_another_language_has_its_words(title: str, text: str, help: str) -> None:
    marked, problem = first(text.replace("«", "").replace("»", ""))
    assert (marked, problem.code, problem.title, problem.help) == (text, "E01", title, help)


@pytest.mark.parametrize("words", COMPARED)
def test_words_that_compare(words: str) -> None:
    for text, word, value in (("run r {\n  «require a.b {} 3 GB »# x\n}", "require", "3 GB"),
                              ("sweep s { «where a.b {} b * 2 »}", "where", "b * 2")):  # fmt: skip
        text = text.replace("{}", words)
        marked, problem = first(text.replace("«", "").replace("»", ""))
        assert marked == text
        assert problem.title == "conditions compare with signs"
        assert problem.help == f"write: {word} a.b {COMPARED[words]} {value}"


@pytest.mark.parametrize(
    "text", ["run r { a = [1,2] }", "let a = 3 -- b", "run r { require a != b }", "let a = 1..8 step 2"]
)
def test_what_is_no_mistake(text: str) -> None:
    assert parse(text + "\n", "case.scn")[1] == []

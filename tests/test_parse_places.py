"""After a mistake: its exact place, what opened the bracket, and what of the file is still read."""

import pytest

from dsl import lines
from dsl.limits import DEEPEST, LINE, LINES, NAME, TEXT
from dsl.parse import early_brace, parse
from dsl.problems import Problem, Span
from dsl.syntax import Block, Let

Place = tuple[int, int, int]


def place(span: Span) -> Place:
    assert span.file == "places.scn"
    return span.line, span.column, span.end


def read(text: str) -> tuple[list[str], list[Problem]]:
    """The lets of a text and its blocks with the number of their statements, and its problems."""
    tree, problems = parse(text, "places.scn")
    names = [f"{one.name} {len(one.body)}" if isinstance(one, Block) else getattr(one, "name", "") for one in tree]
    assert all(isinstance(one, Block | Let) for one in tree)
    return names, problems


@pytest.mark.parametrize(
    ("text", "titles", "places", "labels", "left"),
    [
        ("+ 3\nlet b = 1", ["a line cannot start with an operator"], [(1, 1, 2)], [], ["b"]),
        ("let a = [\n3", ["the list is not closed"], [(2, 1, 2)], [(1, 9, 10)], []),
        ("let a = 1\nlet b =\nlet c = 3\n", ["the value is missing"], [(2, 8, 1)], [], ["a", "c"]),
        (
            "cluster a {\n  nodes 3\n  gpus == 4\n}\n",
            ["a setting needs an = between its name and its value", "== compares; a setting is given with a single ="],
            [(2, 9, 10), (3, 9, 10)], [], ["a 0"],
        ),
        ("run r {\n  a = [1,\n  b = 2\n}\n", ["the list is not closed"], [(3, 5, 6)], [(2, 7, 8)], ["r 0"]),
        (
            "run r {\n  a = 1\n  }\n  b = 2\n}\n",
            ["this } closes the block too early"], [(3, 3, 4)], [(5, 1, 2)], ["r 2"],
        ),
        (
            "run r {\n  x { c = 1\n    }\n    d = 1\n  }\n}\n",
            ["this } closes the block too early"], [(3, 5, 6)], [(6, 1, 2)], ["r 1"],
        ),
        (
            "run r {\n  show =\n    - a\n    - b\n  c = 1\n}\n",
            ["a list stands in square brackets"], [(2, 9, 1)], [], ["r 1"],
        ),
        ("run r {\n  a = 1\n", ["this block is never closed"], [(2, 7, 8)], [(1, 7, 8)], []),
        ("run r {\n  a = 1\n\nrun s {\n  b = 2\n}\n", ["this block is never closed"], [(2, 7, 8)], [(1, 7, 8)], []),
        ('run r {\n  a = "#"  # }\n# }\n\n', ["this block is never closed"], [(2, 9, 10)], [(1, 7, 8)], []),
        ("let a = 1\n  + 2\nlet b = 1\n", ["a line cannot start with an operator"], [(2, 3, 4)], [], ["b"]),
        ("run r {\n  + 2\n  b = 1\n}\n", ["a line cannot start with an operator"], [(2, 3, 4)], [], ["r 1"]),
        ("run r { a = }\nlet b = 1\n", ["the value is missing"], [(1, 13, 14)], [(1, 7, 8)], ["b"]),
        (
            "run r {\n  x { b 3 }\n}\nlet c = 1",
            ["a setting needs an = between its name and its value"], [(2, 9, 10)], [], ["r 0", "c"],
        ),
        ("run r {\n  a = 1\n}\n}\nlet c = 1", ["this } closes nothing"], [(4, 1, 2)], [], ["r 1", "c"]),
        ("let a = 3 §\nlet b = 1", ["did not expect `§` here"], [(1, 11, 12)], [], ["b"]),
        ("let a = 1\nlet b = 1e301\nlet c = 1", ["this number is too long or too large"], [(2, 9, 14)], [], ["a", "c"]),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place_and_the_rest_is_read(
    text: str, titles: list[str], places: list[Place], labels: list[Place], left: list[str]
) -> None:
    names, problems = read(text)
    assert [problem.title for problem in problems] == titles
    assert [place(problem.span) for problem in problems] == places
    assert [place(label.span) for problem in problems for label in problem.labels] == labels
    assert names == left


@pytest.mark.parametrize(
    ("rows", "last", "line"),
    [
        (["run r {", "  a = 1", "  }", "  b = 2", "}"], 5, 3),
        (["run r {", "  a = 1", "}", "}"], 4, None),
        (["run r {", "  a = 1 }", "}"], 3, None),
        (["run r {", '  a = "}"', "  # }", "  }", "}"], 5, 4),
        (["run r {", "  }", "}"], 2, None),
        (["}", "run r {", "  }"], 4, 3),
    ],
)
def test_a_brace_that_stands_further_in_than_its_block(rows: list[str], last: int, line: int | None) -> None:
    assert early_brace(rows, last) == line


def one(text: str) -> tuple[str, str, Place, str, str]:
    """The one problem of a text."""
    (problem,) = read(text)[1]
    return problem.code, problem.title, place(problem.span), problem.label, problem.help


def test_the_longest_words() -> None:
    assert not read(f"let {'a' * NAME} = 1\n")[1] and not read(f'let a = "{"b" * (TEXT - 2)}"\n')[1]
    assert one(f"let {'a' * (NAME + 1)} = 1\n") == (
        "E05", "this name is too long", (1, 5, 106), "more than 100 characters", "shorten the name")  # fmt: skip
    assert one(f'let a = "{"b" * (TEXT - 1)}"\n') == (
        "E05", "this text is too long", (1, 9, 4010), "more than 4_000 characters", "shorten the text")  # fmt: skip


def test_the_longest_line_and_file() -> None:
    assert not read("let a = 1 #" + "x" * (LINE - 11))[1]
    assert one("let a = 1\n#" + "x" * LINE) == (
        "E05", "this line is too long", (2, 1, 2), "more than 50_000 characters",
        "break it inside a bracket or after an operator")  # fmt: skip
    assert not read("\n" * (LINES - 1))[1]
    assert one("\n" * LINES) == (
        "E05", "this file is too long", (LINES + 1, 1, 2), "more than 50_000 lines",
        "split it and import the parts")  # fmt: skip


@pytest.mark.parametrize(("left", "right"), ["()", "[]", ("-", ""), ("not ", ""), ("2 ^ ", "")])
def test_the_deepest_nesting(left: str, right: str) -> None:
    assert not read(f"let a = {left * DEEPEST}1{right * DEEPEST}")[1]
    deep = f"let a = {left * (DEEPEST + 1)}1{right * (DEEPEST + 1)}"
    (problem,) = read(deep)[1]
    assert (problem.code, problem.title, problem.label, problem.help) == (
        "E05", "nested too deep", "the 201st level", "brackets and blocks may be nested 200 deep")  # fmt: skip


def test_what_nests_ends_with_its_bracket_its_comma_and_its_line() -> None:
    half = "-" * (DEEPEST - 50)
    for text in (f"let a = [{half}1, {half}1]", f"let a = ({half}1) + {half}1", f"let a = {half}1\nlet b = {half}1"):
        assert not read(text)[1]
    assert read(f"let a = {half}({half}1)")[1][0].title == "nested too deep"


def test_blocks_are_counted_in_the_file_and_in_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCKS", 3)
    monkeypatch.setattr(lines, "PARTS", 2)
    assert not read("x { y { }\n z { } }\n" * 3)[1]
    assert one("x { }\n" * 4) == ("E05", "too many blocks", (4, 3, 4), "a file may hold 3", "split it")
    assert one("x { }\nx { y { }\n y { }\n y { } }\n") == (
        "E05", "too many blocks", (4, 4, 5), "a block may hold 2", "split it")  # fmt: skip


def test_words_of_a_file_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "WORDS", 9)
    assert not read("let a = 1\nlet b = 2")[1]
    assert one("let a = 1\nlet b = 2 + 3") == (
        "E05", "the file is too long", (2, 11, 12), "word 10", "split it and import the parts")  # fmt: skip


def test_a_text_with_a_control_character_is_told() -> None:
    assert one('let a = "x\x1by"') == (
        "E05", "this text holds a control character", (1, 9, 14), "U+001B steers a terminal or turns text around",
        "take it out")  # fmt: skip

"""Where a statement ends."""

import pytest

from dsl.limits import DEEPEST
from dsl.parse import parse
from dsl.syntax import Assign, Block, Let, Require, written


def body(text: str) -> list[str]:
    """The statements inside ``run r { text }``, written back."""
    tree, problems = parse(f"run r {{\n{text}\n}}\n", "lines.scn")
    assert not problems, problems
    block = tree[0]
    assert isinstance(block, Block)
    said = []
    for statement in block.body:
        match statement:
            case Assign():
                said.append(f"{statement.path.path} = {written(statement.value)}")
            case Require():
                said.append(
                    f"require {written(statement.condition)}"
                    + (f" because {statement.because}" if statement.because else "")
                )
            case Let():
                said.append(f"let {statement.name} = {written(statement.value)}")
            case _:
                said.append(type(statement).__name__)
    return said


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("a = 1, b = 2,", ["a = 1", "b = 2"]),
        ("a = 1\n\n# note\nb = 2", ["a = 1", "b = 2"]),
        ("a = [1,\n  2,\n]\nb = 3", ["a = [1, 2]", "b = 3"]),
        ("a = 1 +\n  2", ["a = 1 + 2"]),
        ("a = 1 *\n\n  # why\n  2", ["a = 1 * 2"]),
        ("a = max(1,\n 2)", ["a = max(1, 2)"]),
        ("require a > 1\n  and b > 2\n  or c", ["require a > 1 and b > 2 or c"]),
        ('require a > 1  # so\n  because "it must"', ["require a > 1 because it must"]),
        ("a = if b then\n 1 else\n 2", ["a = if b then 1 else 2"]),
        ("andy = 1\norder = 2", ["andy = 1", "order = 2"]),
    ],
)
def test_line_ends_and_commas(text: str, statements: list[str]) -> None:
    assert body(text) == statements


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("a = 1\n- 2", "a line cannot start with an operator"),
        ("a =\n1", "the value is missing"),
        ("a = 1,, b = 2", "this comma separates nothing"),
        (", a = 1", "this comma separates nothing"),
    ],
)
def test_what_ends_nothing_is_told(text: str, title: str) -> None:
    _, problems = parse(f"run r {{\n{text}\n}}\n", "lines.scn")
    assert [p.title for p in problems][:1] == [title]


def test_a_comma_between_statements_of_a_file_is_refused() -> None:
    _, problems = parse("let a = 1, let b = 2\n", "lines.scn")
    assert problems[0].title == "statements of a file do not end in a comma"


@pytest.mark.parametrize("bracket", ["()", "[]"])
def test_nesting_is_bounded(bracket: str) -> None:
    deep = DEEPEST - 1
    fits, problems = parse(f"let a = {bracket[0] * deep}1{bracket[1] * deep}", "deep.scn")
    assert fits and not problems
    deep = 100_000
    _, problems = parse(f"let a = {bracket[0] * deep}1{bracket[1] * deep}", "deep.scn")
    assert [p.code for p in problems] == ["E05"]


@pytest.mark.parametrize("prefix", ["-", "not ", "2 ^ ", "if a then b else "])
def test_nesting_without_brackets_is_bounded(prefix: str) -> None:
    _, problems = parse(f"let a = {prefix * 5000}1", "deep.scn")
    assert [p.code for p in problems] == ["E05"]


def test_long_flat_texts_are_not_deep() -> None:
    tree, problems = parse(f"let a = {' + '.join(['1'] * 5000)}\nlet b = [{', '.join(['-1'] * 5000)}]", "long.scn")
    assert len(tree) == 2 and not problems

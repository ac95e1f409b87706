"""Where a statement ends."""

import pytest

from dsl.limits import BLOCKS, DEEPEST, NAME, PARTS, TEXT, WORDS
from dsl.parse import parse
from dsl.problems import Problem, Span
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


def at_most(text: str, most: int, title: str, label: str, help: str) -> None:
    """``text`` with %s repeated ``most`` times is read, once more it is refused."""
    fits, problems = parse(text.replace("%s", text_of(most)), "a")
    assert fits and not problems
    (problem,) = parse(text.replace("%s", text_of(most + 1)), "a")[1]
    assert (problem.code, problem.title, problem.label, problem.help) == ("E05", title, label, help)


def text_of(count: int) -> str:
    return "x" * count


LONG = [
    ("let %s = 3", NAME, "this name is too long", "more than 100 characters", "shorten the name"),
    ('let a = "%s"', TEXT - 2, "this text is too long", "more than 4_000 characters", "shorten the text"),
]


@pytest.mark.parametrize(("text", "most", "title", "label", "help"), LONG)
def test_words_are_read_up_to_their_bound(text: str, most: int, title: str, label: str, help: str) -> None:
    at_most(text, most, title, label, help)


NESTED = [  # what opens a level, what it stands around, what closes it
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("-", "1", ""),
    ("not ", "a", ""),
    ("2 ^ ", "1", ""),
    ("if a then b else ", "1", ""),
    ("-(", "1", ")"),  # two levels
]


@pytest.mark.parametrize(("opened", "inner", "closed"), NESTED)
def test_each_level_counts_up_to_the_last(opened: str, inner: str, closed: str) -> None:
    """Signs, not, if and ^ are levels as brackets are."""
    each = 2 if opened == "-(" else 1
    fits, over = (f"let a = {opened * n}{inner}{closed * n}" for n in (DEEPEST // each, DEEPEST // each + 1))
    assert parse(fits, "a")[1] == []
    (problem,) = parse(over, "a")[1]
    assert (problem.code, problem.title, problem.label, problem.help) == (
        "E05", "nested too deep", "the 201st level", "brackets and blocks may be nested 200 deep",
    )  # fmt: skip


def test_levels_end_with_their_bracket_their_item_and_their_statement() -> None:
    deep = "-" * (DEEPEST - 1)
    for text in (
        f"let a = [{deep}1, {deep}2]",  # an item of a list
        f"let a = ({deep}1) + ({deep}2)",  # a bracket
        f"let a = -{deep}1\nlet b = -{deep}2",  # a statement
        f"run r {{\na = {deep}1, b = {deep}2\n}}",  # a comma in a block
        f"run r {{\na = {deep}1\n}}\nlet b = -{deep}2",  # a block
    ):
        assert parse(text, "a")[1] == [], text[:20]
    assert [p.title for p in parse(f"let a = -(1) + {deep}-2", "a")[1]] == ["nested too deep"]


def test_blocks_are_counted_in_the_file_and_in_each_block() -> None:
    parts = "t { }\n"
    fits = f"run r {{\n{parts * PARTS}}}\nrun s {{\n{parts * PARTS}}}\n"
    assert parse(fits, "a")[1] == []
    (inner,) = parse(f"run r {{\n{parts * (PARTS + 1)}}}\n", "a")[1]
    assert inner == Problem(
        "E05", "too many blocks", Span("a", PARTS + 2, 3, 4), "a block may hold 500", (), (), "split it"
    )
    assert parse(parts * BLOCKS, "a")[1] == []
    (outer,) = parse(parts * (BLOCKS + 1), "a")[1]
    assert outer == Problem(
        "E05", "too many blocks", Span("a", BLOCKS + 1, 3, 4), "a file may hold 1_000", (), (), "split it"
    )


def test_words_of_a_file_are_counted() -> None:
    """A list of n numbers has n words, n - 1 commas and five more, let a = [ ]; the line end after it is one more."""
    listed = "let a = [" + ",\n".join(["1"] * ((WORDS - 4) // 2)) + "]"
    assert parse(listed, "a")[1] == []
    (problem,) = parse(listed + "\n", "a")[1]
    assert (problem.title, problem.label) == ("the file is too long", "word 50_001")


def test_a_text_that_steers_a_terminal() -> None:
    (problem,) = parse('let a = "x\x1by"\n', "a")[1]
    assert problem == Problem(
        "E05", "this text holds a control character", Span("a", 1, 9, 14),
        "U+001B steers a terminal or turns text around", (), (), "take it out",
    )  # fmt: skip

"""The canonical form: samples come back from scrambled copies, nothing but white space changes, and twice is once.

What a scrambled copy keeps: where lines end (but not beside the braces of a block, where the form knows better),
and whether there is a blank line between two statements. Everything else about white space is drawn at random.
"""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dsl.form import canonical
from dsl.parse import attempt
from dsl.pieces import COMMENT, Piece, pieces
from dsl.problems import Span
from tests.scenario_texts import scenarios, snippets

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = sorted((ROOT / "tests/samples").rglob("*.scn"))
SCENARIOS = sorted([*(ROOT / "scenarios").glob("*.scn"), *(ROOT / "scenarios/unhappy").glob("*.scn")])
LIBRARY = sorted((ROOT / "scenarios/library").glob("*.scn"))
LOOSE = frozenset({"EQUAL", "COMMA", "LBRACE", "RBRACE", "LPAR", "RPAR", "LSQB", "RSQB", "COMPARE", "STRING"})
HAIR = ("", "", " ", "\t", "   ")  # white space where none is needed


def bare(tree: Any) -> Any:
    """A tree without its places."""
    if isinstance(tree, Span):
        return None
    if isinstance(tree, tuple):
        return (type(tree).__name__, *(bare(part) for part in tree))
    return tree


def comments(text: str) -> list[str]:
    return [piece.text for piece in pieces(text) or () if piece.kind == COMMENT]


def scrambled(text: str, draw: Random) -> str:
    """A copy of a canonical text with its white space drawn at random."""
    side = draw.choice(("{", "}"))
    before: Piece | None = None
    inside: list[str] = []
    written = draw.choice(("", "\n \n"))
    for piece in pieces(text) or ():
        written += between(before, piece, side, inside, draw) + piece.text
        if piece.kind in ("LBRACE", "LPAR", "LSQB"):
            inside.append(piece.kind)
        elif piece.kind in ("RBRACE", "RPAR", "RSQB"):
            inside.pop()
        before = piece
    written += draw.choice(("", "\n", "  \n\n\t"))
    if draw.random() < 0.3:
        written = "\ufeff" + written.replace("\n", "\r\n")
    return written


def between(before: Piece | None, piece: Piece, side: str, inside: list[str], draw: Random) -> str:
    """White space for a gap, of the kind that the form puts right."""
    if before is None:
        return draw.choice(HAIR)
    if not piece.breaks:
        return draw.choice(HAIR if may_touch(before, piece) else HAIR[2:])
    joins = piece.text == "}" if side == "}" else before.text == "{" and piece.kind != COMMENT
    if joins and before.kind != COMMENT and draw.random() < 0.5:
        return draw.choice(HAIR)
    ends = piece.breaks
    if ends == 2:
        ends = draw.choice((2, 3, 4))
    elif no_blank(before, piece, inside):
        ends = draw.choice((1, 1, 2, 3))
    return "".join(draw.choice(HAIR) + "\n" for _ in range(ends)) + draw.choice((*HAIR, "        "))


def no_blank(before: Piece, piece: Piece, inside: list[str]) -> bool:
    """Whether the form takes a blank line away between these two."""
    if before.kind in ("LBRACE", "LPAR", "LSQB") or piece.kind in ("RBRACE", "RPAR", "RSQB"):
        return True
    item = inside[-1:] in (["LPAR"], ["LSQB"]) and before.kind in ("COMMA", COMMENT)
    return not piece.starts and not item


def may_touch(before: Piece, piece: Piece) -> bool:
    """Whether two tokens stay two without a space between them."""
    if COMMENT in (before.kind, piece.kind) or LOOSE & {before.kind, piece.kind} or {"+", "*", "^"} & {
        before.text, piece.text
    }:  # fmt: skip
        return True
    closed = {"DOT", "RANGE"} & {before.kind, piece.kind} or piece.text.startswith("%")
    return bool(closed) or (before.text[-1:].isdigit() and piece.kind == "UNIT")


@pytest.mark.parametrize("file", SAMPLES + SCENARIOS, ids=lambda file: file.stem)
@settings(max_examples=25)  # of each of the files, each some forty lines of white space
@given(seed=st.integers(0, 2**32))
def test_a_file_comes_back_byte_for_byte_from_a_scrambled_copy(file: Path, seed: int) -> None:
    text = file.read_text("utf-8")
    assert canonical(scrambled(text, Random(seed))) == (text, [])


def test_scrambling_changes_most_lines() -> None:
    text = SAMPLES[0].read_text("utf-8")
    lines = set(scrambled(text, Random(1)).split("\n"))
    assert sum(line in lines for line in text.split("\n")) < text.count("\n") / 2


@pytest.mark.parametrize("file", SAMPLES + SCENARIOS + LIBRARY, ids=lambda file: file.stem)
def test_shipped_files_are_in_canonical_form(file: Path) -> None:
    text = file.read_text("utf-8")
    assert canonical(text) == (text, [])


@given(scenarios())
@example("run r {\n\n  require a\n\n\n  # why\n  and b\n}")
@example("{")
@example("a = [1\n, 2]\n\n\n\nb = - -x ^ -2")
def test_the_form_of_the_form_is_the_form_and_the_tree_stays(text: str) -> None:
    form, problems = canonical(text)
    if problems:
        assert form == text
        return
    assert canonical(form) == (form, [])
    assert bare(attempt(form, "a")[0]) == bare(attempt(text, "a")[0])
    assert comments(form) == comments(text)
    assert [line for line in form.split("\n") if line != line.rstrip()] == []
    assert "\n\n\n" not in form and not form.startswith("\n")


@given(scenarios())
def test_the_generated_scenarios_follow_the_grammar(text: str) -> None:
    assert attempt(text, "a")[1] is None


@given(st.lists(snippets, max_size=30).map("".join) | st.text())
def test_any_text_is_formatted_or_left_alone(text: str) -> None:
    form, problems = canonical(text)
    assert (form == text and problems) or canonical(form) == (form, [])


CASES = {
    "operators stand between spaces": ("let a=80GB-8GB*2^-1/4", "let a = 80 GB - 8 GB * 2 ^ -1 / 4"),
    "names with dashes stay whole": ("let a=h100-sxm.memory - x-1", "let a = h100-sxm.memory - x-1"),
    "suffixes touch, units do not": ("let a=[15T tokens,8Ki,24_576,80GB]", "let a = [15T tokens, 8Ki, 24_576, 80 GB]"),
    "percent touches": ("let a=90 %*b", "let a = 90% * b"),
    "signs touch": ("let a=- 5+ + b", "let a = -5 + +b"),
    "ranges and ratios touch": ("v { a=1 .. 8 doubling,b=7:1 }", "v { a = 1..8 doubling, b = 7:1 }"),
    "a right-hand unit": ("v { a=200 .. 800Gb/s step 200Gb/s }", "v { a = 200..800 Gb/s step 200 Gb/s }"),
    "calls": ("let a=max ( b,c )+f(d=2 ,)", "let a = max(b, c) + f(d = 2,)"),
    "words before a bracket": ("let a=not(b)and(c in[1,2]%)", "let a = not (b) and (c in [1, 2]%)"),
    "units to show in": ("let a=cost/tokens as $/Mtoken  called\"x\"", 'let a = cost / tokens as $/Mtoken called "x"'),
    "money": ("let a=$2.10/gpu-hour*2", "let a = $2.10/gpu-hour * 2"),
    "empty blocks": ("run a{\n\n}", "run a {}"),
    "headers": ('run  a"T"from  b . c{x=1}', 'run a "T" from b.c { x = 1 }'),
    "points": ("measured at a=1  and b=2{\nmfu=4%}", "measured at a = 1 and b = 2 {\n  mfu = 4%\n}"),
    "blocks begin and end on lines of their own": ("r a { b=1, c=2\nd=3 }", "r a {\n  b = 1, c = 2\n  d = 3\n}"),
    "runs of settings": (
        "r {\na=1\nbcd=2\n# c\ne=3\n\nf=4\n}",
        "r {\n  a   = 1\n  bcd = 2\n  # c\n  e   = 3\n\n  f = 4\n}",
    ),
    "other statements end a run": ("r {\na=1\nrequire b\ncde=2\n}", "r {\n  a = 1\n  require b\n  cde = 2\n}"),
    "blocks end a run": ("r {\na=1\nt { x=1 }\ncde=2\n}", "r {\n  a = 1\n  t { x = 1 }\n  cde = 2\n}"),
    "a setting of several lines ends a run": (
        "r {\na=1\nbc=[\n2,\n3\n]\ndef=4\n}",
        "r {\n  a  = 1\n  bc = [\n    2,\n    3\n  ]\n  def = 4\n}",
    ),
    "brackets that close together": ("let a=[f(\n1\n),[\n2\n]]", "let a = [f(\n  1\n), [\n  2\n]]"),
    "a condition that goes on": (
        'r {\nrequire a and\nb\nbecause "c"\nwhere d\nor e\n}',
        'r {\n  require a and\n          b\n          because "c"\n  where d\n        or e\n}',
    ),
    "a value that goes on": ("r {\na=1 +\n2\n}", "r {\n  a = 1 +\n    2\n}"),
    "comments": ("#a\nr { # b\nx=1 # c \n  #d\n}\t#e", "#a\nr {  # b\n  x = 1  # c\n  #d\n}  #e"),
    "blank lines": ("\n\na { }\n\n\n\nb {\n\nx=1\n\n}\n\n", "a {}\n\nb {\n  x = 1\n}"),
    "a block on one line stays on it": ("a { x=1 }\nb {\ny=2 }", "a { x = 1 }\nb {\n  y = 2\n}"),
    "a block around a block on one line": ("a {\nb { x=1 }\n}", "a {\n  b { x = 1 }\n}"),
    "a block on one line in a block on one line": ("a { b { x=1 } }", "a { b { x = 1 } }"),
    "a blank line parts the items of a list": ("let a=[\n1,\n\n\n2,\n3\n]", "let a = [\n  1,\n\n  2,\n  3\n]"),
    "a blank line after a comment in a list": ("let a=[\n1, # b\n\n2\n]", "let a = [\n  1,  # b\n\n  2\n]"),
    "a blank line parts the arguments of a call in a list": ("let a=[f(\n1,\n\n2)]", "let a = [f(\n  1,\n\n  2)]"),
    "no blank line inside an item": ("let a=[\n1 +\n\n2,\n3\n]", "let a = [\n  1 +\n  2,\n  3\n]"),
    "no blank line before a list's comma": ("let a=[\n1\n\n,2\n]", "let a = [\n  1\n  , 2\n]"),
    "no blank line at the ends of a list": ("let a=[\n\n1,\n\n]", "let a = [\n  1,\n]"),
    "no blank line inside a statement": ("r {\nrequire a\n\nand b\n}", "r {\n  require a\n          and b\n}"),
    "no blank line after a comma in a block on one line": ("r {\na=1,\n\nb=2\n}", "r {\n  a = 1,\n\n  b = 2\n}"),
    "brackets in brackets in brackets": (
        "r {\na=[\nf(\n[\n1\n]\n)\n]\n}",
        "r {\n  a = [\n    f(\n      [\n        1\n      ]\n    )\n  ]\n}",
    ),
    "a sign at the end of a line": ("let a=b+\n-\n2", "let a = b +\n  -\n  2"),
    "a sign that begins a line": ("let a=[\n1,\n-2\n+3\n]", "let a = [\n  1,\n  -2\n  + 3\n]"),
    "a path of several names is aligned": ("r {\na.b.c=1\nd=2\n}", "r {\n  a.b.c = 1\n  d     = 2\n}"),
    "a blank first line goes": ("\n\n\na=1\n", "a = 1"),
    "texts are left alone": ('let a="b  = c#\td"', 'let a = "b  = c#\td"'),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_rules_one_by_one(case: str) -> None:
    given, wanted = CASES[case]
    assert canonical(given) == (wanted + "\n", [])


def test_a_text_with_a_mistake_is_left_as_it_is() -> None:
    text = "run  a {\n  layers  80\n}\n"
    form, problems = canonical(text, "a.scn")
    assert form == text
    assert [(p.code, p.span.file, p.span.line) for p in problems] == [("E01", "a.scn", 2)]


def test_an_empty_text_stays_empty() -> None:
    assert canonical("") == ("", [])
    assert canonical("\n\n") == ("", [])

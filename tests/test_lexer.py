"""The Pygments lexer: every character comes back, good files have no error token, words are what they are in place."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.token import (  # type: ignore[import-untyped]  # pygments ships no type hints
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Whitespace,
)

from dsl import words
from dsl.lexer import TOKENS, ScnLexer
from dsl.parse import GRAMMAR
from tests.scenario_texts import scenarios, snippets

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted([*(ROOT / "tests/samples").rglob("*.scn"), *(ROOT / "scenarios").rglob("*.scn")])


def lexed(text: str) -> list[tuple[Any, str]]:
    """The tokens of a text."""
    return [(kind, value) for _, kind, value in ScnLexer().get_tokens_unprocessed(text)]


def kinds(text: str, word: str) -> list[Any]:
    """What a word is in a text, each time it comes."""
    return [kind for kind, value in lexed(text) if value == word]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_files_have_no_error_token(file: Path) -> None:
    text = file.read_text("utf-8")
    assert "".join(value for _, value in lexed(text)) == text
    assert [value for kind, value in lexed(text) if kind is Error] == []


@given(scenarios())
def test_what_follows_the_grammar_has_no_error_token(text: str) -> None:
    assert [value for kind, value in lexed(text) if kind is Error] == []


@given(st.lists(snippets, max_size=30).map("".join) | st.text())
def test_every_character_comes_back(text: str) -> None:
    assert "".join(value for _, value in lexed(text)) == text


CASES = {
    "a kind": ("cluster hopper {", "cluster", Keyword.Declaration),
    "its name": ("cluster hopper {", "hopper", Name.Class),
    "its title": ('cluster hopper "x" {', '"x"', String),
    "its base": ("run a from zoo.b {", "zoo.b", Name.Class),
    "copying": ("run a from zoo.b {", "from", Keyword),
    "a group of settings": ("layout { tensor = 8 }", "layout", Keyword.Declaration),
    "a measured point": ("measured at layout.micro_batch = 1 {", "measured", Keyword.Declaration),
    "a setting named as a kind": ("cluster = hopper", "cluster", Name.Attribute),
    "a setting named as a word": ("step = 3", "step", Name.Attribute),
    "a path": ("layout.tensor  = 8", "layout.tensor", Name.Attribute),
    "an argument": ("schedule = interleaved(virtual_stages = 5)", "virtual_stages", Name.Attribute),
    "a choice with arguments": ("schedule = interleaved(virtual_stages = 5)", "interleaved", Name.Function),
    "a function": ("let a = ceil(b)", "ceil", Name.Builtin),
    "a let": ("let a = b", "let", Keyword.Reserved),
    "a name in a let": ("let a = b", "b", Name),
    "a requirement": ("require a == b", "require", Keyword.Reserved),
    "a compared name is no setting": ("require a == b", "a", Name),
    "a reason": ('because "x"', "because", Keyword),
    "a unit": ("a = 400 Gb/s", "Gb/s", Keyword.Type),
    "a glued unit": ("a = 80GB", "GB", Keyword.Type),
    "a number with its suffix": ("a = 15T tokens", "15T", Number),
    "a unit after a list": ("a = [1, 2] sequences", "sequences", Keyword.Type),
    "a unit to show in": ("a = cost as $M", "$M", Keyword.Type),
    "money": ("a = $2.10/gpu-hour", "$2.10/gpu-hour", Number),
    "a ratio": ("a = 7:1", "7:1", Number),
    "a word after a number": ("a = 1..8 doubling", "doubling", Keyword),
    "a condition after a number": ("require a > 8 and b", "and", Operator.Word),
    "an alias": ('import "x.scn" as zoo', "zoo", Name.Namespace),
    "a flag": ("a = true", "true", Keyword.Constant),
    "a comment": ("a = 1  # = 2", "# = 2", Comment.Single),
    "a name with dashes": ("a = h100-sxm", "h100-sxm", Name),
    "a sign for a mistake": ("a = 1; b", ";", Error),
}


@pytest.mark.parametrize("case", CASES)
def test_words_in_their_places(case: str) -> None:
    text, word, kind = CASES[case]
    assert kinds(text, word) == [kind]


def test_the_words_are_those_of_the_grammar() -> None:
    grammar = set(re.findall(r'"([a-z]+)"', GRAMMAR.read_text("utf-8")))
    assert grammar == {*words.STATEMENTS, *words.OPERATORS, *words.JOINING}


def test_the_rules_cover_what_they_match() -> None:
    for rule in words.rules():
        assert re.compile(rule.pattern).groups == len(rule.roles)
        assert set(rule.roles) <= set(TOKENS)


def test_white_space_is_white_space() -> None:
    assert lexed(" \n\t") == [(Whitespace, " \n\t")]

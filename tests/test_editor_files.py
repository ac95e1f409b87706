"""The files for editors: in step with the language, whole, and in agreement with the Pygments lexer."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pygments.token import Error  # type: ignore[import-untyped]  # pygments ships no type hints

from dsl import textmate
from dsl.lexer import TOKENS, ScnLexer
from dsl.words import rules

ROOT = Path(__file__).resolve().parents[1]
EDITOR = ROOT / "dsl" / "editor"
FILES = sorted([*(ROOT / "tests/samples").rglob("*.scn"), *(ROOT / "scenarios").glob("*.scn")])
GRAMMAR = json.loads((EDITOR / "scn.tmLanguage.json").read_text("utf-8"))
TOKEN_OF = {f"{scope}.scn": TOKENS[role] for role, scope in textmate.SCOPES.items()}


def colored(line: str) -> Iterator[tuple[str, str]]:
    """A line as an editor colors it: the pattern that matches first in the line, of several the first in the list."""
    patterns = [(re.compile(p["match"]), p["captures"]) for p in GRAMMAR["patterns"]]
    position = 0
    while position < len(line):
        found = [(m.start(), i) for i, (p, _) in enumerate(patterns) if (m := p.search(line, position)) and m.group()]
        if not found:
            return
        start, index = min(found)
        pattern, captures = patterns[index]
        match = pattern.match(line, start)
        assert match
        yield from ((match[int(n)], scope["name"]) for n, scope in captures.items() if match[int(n)])
        position = match.end()


def test_the_grammar_does_not_lag() -> None:
    assert textmate.grammar() == GRAMMAR, "run `make reference`"
    assert textmate.text() == (EDITOR / "scn.tmLanguage.json").read_text("utf-8"), "run `make reference`"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_editors_color_as_reports_do(file: Path) -> None:
    for line in file.read_text("utf-8").split("\n"):
        tokens = [(value, kind) for _, kind, value in ScnLexer().get_tokens_unprocessed(line) if value.strip()]
        assert [(value, TOKEN_OF[scope]) for value, scope in colored(line)] == tokens


def test_mistakes_keep_their_plain_color() -> None:
    assert [value for value, _ in colored("a = 1; b = 2")] == ["a", "=", "1", "b", "=", "2"]
    assert Error not in TOKENS.values()


def test_patterns_are_plain_enough_for_oniguruma() -> None:
    """Named groups, flags inside a pattern and look-behind of any length differ between Python and editors."""
    assert [rule.pattern for rule in rules() if re.search(r"\(\?(?![:=!])", rule.pattern)] == []


def referred(value: Any) -> Iterator[str]:
    """Every path in a JSON document."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from referred(inner)
    elif isinstance(value, str) and value.startswith("./"):
        yield value


def test_the_extension_is_whole() -> None:
    package = json.loads((EDITOR / "package.json").read_text("utf-8"))
    paths = list(referred(package))
    assert sorted(paths) == ["./language-configuration.json", "./scn.tmLanguage.json"]
    assert [path for path in paths if not (EDITOR / path).is_file()] == []
    (language,), (grammar,) = package["contributes"]["languages"], package["contributes"]["grammars"]
    assert grammar["language"] == language["id"] and grammar["scopeName"] == GRAMMAR["scopeName"]
    assert [f".{ending}" for ending in GRAMMAR["fileTypes"]] == language["extensions"]
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version and package["version"] == version[1]
    assert f"tonnage-scn-{version[1]}" in (EDITOR / "README.md").read_text("utf-8")


def test_a_double_click_takes_a_whole_name() -> None:
    configuration = json.loads((EDITOR / "language-configuration.json").read_text("utf-8"))
    word = re.compile(configuration["wordPattern"])
    assert word.findall("gpu = h100-sxm - llama-3.1-70b.layers") == ["gpu", "h100-sxm", "llama-3.1-70b", "layers"]


def test_lines_after_an_open_bracket_are_indented() -> None:
    rules = json.loads((EDITOR / "language-configuration.json").read_text("utf-8"))["indentationRules"]
    more, less = (re.compile(rules[name]) for name in ("increaseIndentPattern", "decreaseIndentPattern"))
    assert all(more.search(line) for line in ("run a {", "show = [  # why", 'run a "x {" {', "vary {"))
    assert not any(more.search(line) for line in ("tier a { b = 1 }", "# {", 'a = "x" # {', 'a = "{"'))
    assert less.search("  }") and not less.search("a = 1 }")

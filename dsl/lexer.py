"""A Pygments lexer for scenario files; it colors the scenario in reports. It gives back every character it is given."""

from typing import Any, ClassVar

from pygments import token as t  # type: ignore[import-untyped]  # pygments ships no type hints
from pygments.lexer import RegexLexer, bygroups  # type: ignore[import-untyped]  # the same

from dsl.words import rules

TOKENS = {
    "space": t.Whitespace,
    "comment": t.Comment.Single,
    "opening": t.Keyword.Declaration,
    "block": t.Name.Class,
    "base": t.Name.Class,
    "text": t.String,
    "setting": t.Name.Attribute,
    "statement": t.Keyword.Reserved,
    "file": t.Name.Namespace,
    "number": t.Number,
    "unit": t.Keyword.Type,
    "word operator": t.Operator.Word,
    "word": t.Keyword,
    "constant": t.Keyword.Constant,
    "function": t.Name.Builtin,
    "choice": t.Name.Function,
    "name": t.Name,
    "operator": t.Operator,
    "punctuation": t.Punctuation,
}


class ScnLexer(RegexLexer):  # type: ignore[misc]  # pygments ships no type hints
    """Tokens of a scenario; what the grammar refuses is an Error token, one character at a time."""

    name = "Scenario"
    aliases: ClassVar[list[str]] = ["scn"]
    filenames: ClassVar[list[str]] = ["*.scn"]
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"\s+", t.Whitespace),
            *((rule.pattern, bygroups(*(TOKENS[role] for role in rule.roles))) for rule in rules()),
        ]
    }

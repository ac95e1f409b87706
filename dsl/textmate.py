"""The TextMate grammar of scenario files, which VS Code and other editors color them by; kept in dsl/editor/."""

import json
from typing import Any

from dsl.words import Rule, rules

SCOPES = {
    "comment": "comment.line.number-sign",
    "opening": "storage.type",
    "block": "entity.name.type",
    "base": "entity.other.inherited-class",
    "text": "string.quoted.double",
    "setting": "variable.other.property",
    "statement": "keyword.control",
    "file": "entity.name.namespace",
    "number": "constant.numeric",
    "unit": "keyword.other.unit",
    "word operator": "keyword.operator.word",
    "word": "keyword.other",
    "constant": "constant.language",
    "function": "support.function",
    "choice": "entity.name.function",
    "name": "variable.other",
    "operator": "keyword.operator",
    "punctuation": "punctuation",
}


def grammar() -> dict[str, Any]:
    """The grammar as VS Code reads it."""
    return {
        "name": "Scenario",
        "scopeName": "source.scn",
        "fileTypes": ["scn"],
        "patterns": [_pattern(rule) for rule in rules()],
    }


def _pattern(rule: Rule) -> dict[str, Any]:
    scopes = {str(i): {"name": f"{SCOPES[role]}.scn"} for i, role in enumerate(rule.roles, 1) if role in SCOPES}
    return {"match": rule.pattern, "captures": scopes}


def text() -> str:
    """The grammar as the file holds it."""
    return json.dumps(grammar(), ensure_ascii=False, indent=1) + "\n"

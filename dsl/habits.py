"""What people write who know another language: one row a habit, with what it is here.

A pattern is looked for in the line that could not be read. ``write: …`` is a whole statement, ``write …`` stands for
what is marked.
"""

import re

from dsl.refused import Hint, Looks, Refused, after, both

NAME = r"[A-Za-z_][\w-]*(?:\.[\w-]+)*"
VALUE = r"[^\s,#{}][^,#{}]*?"
COMPARED = {
    "at most": "<=",
    "no more than": "<=",
    "at least": ">=",
    "no less than": ">=",
    "less than": "<",
    "below": "<",
    "under": "<",
    "more than": ">",
    "above": ">",
    "over": ">",
    "is": "==",
    "equals": "==",
}
JOINED = {"&": "and", "|": "or", "!": "not"}
IMPORTS = ("include", "require", "use", "load", "source")
LETS = ("var", "const", "def", "set", "val", "local", "define")


def _unquoted(found: re.Match[str]) -> str:
    """A pair of JSON as a setting: names lose their quotes, texts keep them."""
    value = found.group(2).strip().rstrip(",")
    named = re.fullmatch(rf'"({NAME})"', value)
    return f"write: {found.group(1)} = {named.group(1) if named else value}"


def _divides(found: re.Match[str]) -> str:
    return f"write: {found.group(1)} {found.group(4)} divides {found.group(2)}"


def _compared(found: re.Match[str]) -> str:
    return f"write: {found.group(1)} {found.group(2)} {COMPARED[found.group(3)]} {found.group(4)}"


def _imported(found: re.Match[str]) -> str:
    path = found.group("file").strip("\"'")
    return f'write: import "{path if path.endswith(".scn") else path + ".scn"}"'


def _python_import(found: re.Match[str]) -> str:
    return f'write: import "{found.group(1).replace(".", "/")}/{found.group(2)}.scn"'


def _header(found: re.Match[str]) -> str:
    section, _, name = found.group(1).partition(".")
    return f"write: {section} {name} {{ ... }}" if name else f"write: {section} {{ ... }}"


def _listed(r: Refused) -> str:
    items = ", ".join(line.strip().lstrip("-").split("#")[0].strip() for line in r.below)
    return f"write: {r.said.rstrip('=: ')} = [{items}]"


def _chained(found: re.Match[str]) -> str:
    return f"write: {found.group(1)} = {found.group(3).strip()}, {found.group(2)} = {found.group(3).strip()}"


def _in_require(r: Refused) -> bool:
    return bool(r.before) and r.before[0][0] in ("REQUIRE", "WHERE")


def _at_start(r: Refused) -> bool:
    return not r.before


HABITS = (
    # numbers
    Looks(r"(?P<mark>(?<![\d_.,])(\$?\d{1,3}),(\d{1,2}|\d{4,})(?![\d,.:]))(?!\s*[\])])", "a decimal point is a dot",
          lambda m: f"write {m.group(2)}.{m.group(3)}", lambda r: r.ended == "," and not r.before or r.kind == "COMMA"),
    # YAML, JSON, TOML, Python, shells
    Hint(lambda r: bool(r.below) and r.last == "EQUAL", "a list stands in square brackets", _listed),
    Looks(rf"^\s*({NAME})\s*:\s*(?:#.*)?$", "a block is opened with a brace", r"write: \1 { ... }"),
    Looks(rf'^\s*"({NAME})"\s*[:=]\s*(.+?)\s*$', "names stand without quotes, values after =", _unquoted, _at_start),
    Looks(rf"^\s*\[\[?({NAME})\]?\]\s*(?:#.*)?$", "a block is opened with a brace", _header, _at_start),
    Looks(rf"^\s*from\s+({NAME})\s+import\s+({NAME})\s*$", "a file is imported by its name in quotes", _python_import),
    Looks(rf"^\s*(?:{'|'.join(IMPORTS)})\s+(?P<file>\"[^\"]*\"?)\s*$", "a file is brought in with import", _imported),
    Looks(r"^\s*import\s+(?P<file>[\w./-]+)\s*$", "the file's name stands in double quotes", _imported),
    Looks(rf"^\s*(?:{'|'.join(LETS)})\s+({NAME})\s*:?=\s*([^#]*?)\s*(?:#.*)?$", "a value of its own is a let",
          r"write: let \1 = \2"),
    Looks(rf"^\s*let\s+({NAME})\s*(?::=|:(?!=)|\s)\s*(?P<mark>[^=#\s][^#=]*?)\s*(?:#.*)?$",
          "a let needs an = after its name", r"write: let \1 = \2"),
    Looks(rf"^\s*let\s+({NAME}(?:\s+{NAME})+)\s*=\s*([^=#\s][^#=]*?)\s*(?:#.*)?$", "a let has one name",
          lambda m: f"write: let {'_'.join(m.group(1).split())} = {m.group(2)}"),
    Looks(rf"({NAME})\s*:=\s*({VALUE})\s*(?=[,}}#]|$)", "a setting is given with a single =", r"write: \1 = \2"),
    Looks(rf"({NAME})\s*[+*/-]=\s*({VALUE})\s*(?=[,}}#]|$)", "a setting is given once, with a single =",
          r"write: \1 = \2"),
    Looks(rf"\$\{{?({NAME})\}}?", "a name stands by itself", r"write \1"),
    Looks(rf"({NAME})\s*=\s*({NAME})\s*=\s*([^=,#{{}}]+)", "one value to a setting", _chained,
          lambda r: r.kind == "EQUAL"),
    Looks(rf"({NAME})\s*=\s*({VALUE})\s*\?\s*({VALUE})\s*:\s*({VALUE})\s*(?=[,}}#]|$)",
          "of two values one is chosen with if", r"write: \1 = if \2 then \3 else \4"),
    Looks(rf"({NAME})\s*=\s*(?P<mark>({NAME}(?:,\s*{NAME})+))\s*(?:#.*$|(?=}})|$)", "a list stands in square brackets",
          r"write [\3]", lambda r: r.ended == "," and r.types in ("NAME", "NAME DOT NAME")),
    Looks(r"(?P<mark>\*\*)", "a power is written with ^", "write ^"),
    Looks(r"(\d+)\.\.\.+(\d)", "a range has two dots", r"write \1..\2"),
    # comments and quotes
    Looks(r"(?P<mark>/\*\s*(.*?)\s*(?:\*/)?\s*$)", "a comment starts with #", r"write # \2"),
    Looks(r"(?P<mark>//\s*(.*?)\s*$)", "a comment starts with #", r"write # \2"),
    Looks(r"(?P<mark>(?<!-)--+\s+(.*?)\s*$)", "a comment starts with #", r"write # \2", _at_start),
    Looks("(?P<mark>['`\u2018\u201a\u201c\u201e]([^'`\"\u2018\u2019\u201c\u201d]*)['`\u2019\u2018\u201c\u201d])",
          "text stands between plain double quotes", r'write "\2"'),
    Looks(r"because\s+(?P<mark>([^\"\s#][^\"#{}]*?))\s*(?=[}#]|$)", "the reason stands in double quotes",
          r'write "\2"'),
    # conditions
    Looks(r"(?P<mark>&&|\|\||[&|]|!(?!=))", "conditions are joined with words",
          lambda m: f"write {JOINED[m.group()[0]]}"),
    Looks(rf"(require|where)\s+({NAME})\s*(?P<mark>%)\s*([\w.]+)\s*==\s*0\b",
          "% only follows a number, as in 90%", _divides),
    Looks(rf"(require|where)\s+({NAME})\s+({'|'.join(COMPARED)})\s+([^#{{}}]+?)\s*(?=[}}#]|$)",
          "conditions compare with signs", _compared, _in_require),
    Looks(r"(?P<mark>=([<>]))", "the = comes last", r"write \2="),
    # headers of blocks
    Looks(rf"^\s*(\w+)\s+({NAME})\s*(?::|<|extends|inherits|like|copies|of|is)\s*({NAME})\s*(?=\{{)",
          "a copy is made with from", r"write: \1 \2 from \3 { ... }"),
    Looks(rf"^\s*(\w+)\s+({NAME})\s+from\s+({NAME})\s*(?:,|and|\+)\s*{NAME}.*(?=\{{)", "a block copies one other block",
          r"write: \1 \2 from \3 { ... }"),
    Looks(rf"^\s*(\w+)\s+({NAME}(?:[ \t]+{NAME})+)\s*(?=\{{)", "a block has one name",
          lambda m: f"write: {m.group(1)} {'-'.join(m.group(2).split())} {{ ... }}",
          lambda r: r.kind not in ("FROM",) and " from " not in r.line),
    # money
    Looks("(?P<mark>[\u20ac\u00a3\u00a5]\\s*[\\d._]*\\S*)", "amounts are in US dollars",
          "write $2.10/gpu-hour; a report's `currency` and `rate` print another currency"),
)  # fmt: skip

IF_WITHOUT_ELSE = Hint(
    both(after(r".*IF .*", "_NL", "$END", "RBRACE", "COMMA"), lambda r: "ELSE" not in r.types),
    "an if needs an else",
    lambda r: f"write: {r.said} else …",
)
ROWS = tuple(row.hint if isinstance(row, Looks) else row for row in HABITS) + (IF_WITHOUT_ELSE,)

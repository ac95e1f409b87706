"""Mistakes of grammar, one a row: what a person typed, what to call it, what to type instead.

A row applies where its patterns match the token that was refused, the tokens of the statement before
it, and the text of the line. The first row that applies is used; a new hint is a new row.
"""

import re
from collections.abc import Callable

from dsl.habits import ROWS
from dsl.problems import Label, Problem, Span, printable
from dsl.refused import Hint, Refused, after, both, spelled, within

GROUPED = re.compile(r"\d{1,3}(?:[, ]\d{3})+(?!\d)")


def _group(r: Refused) -> "re.Match[str] | None":
    """24,576 or 32 000: digits that a comma or a space groups, around the refused token."""
    at = r.span.column - 1
    return next((m for m in GROUPED.finditer(r.line) if m.start() <= at <= m.end()), None)


def _grouped(by: str) -> Callable[[Refused], bool]:
    def grouped(r: Refused) -> bool:
        found = _group(r)
        after = r.kind == "COMMA" or (r.kind == "NUMBER" and len(r.text) == 3)
        return found is not None and by in found.group() and after

    return grouped


def _regrouped(r: Refused) -> str:
    found = _group(r)
    return f"write {re.sub('[, ]', '_', found.group())}" if found else ""


def _digits(r: Refused) -> Span:
    found = _group(r)
    return r.marked(found.start(), found.end()) if found else r.span


SUFFIXES = {"k": "k", "K": "k", "m": "M", "M": "M", "b": "B", "B": "B", "G": "B", "g": "B", "t": "T", "T": "T"}


def _one_word(r: Refused) -> str:
    return f"write {r.before[-2][1]}{SUFFIXES[r.before[-1][1]]} {r.text}"


def _three_words(r: Refused) -> Span:
    head = r.head.rstrip().removesuffix(r.before[-1][1]).rstrip()
    return r.marked(len(head.removesuffix(r.before[-2][1])), r.span.end - 1)


def _inserted_equals(r: Refused) -> str:
    return f"write: {r.said} = {r.tail}"


def _word_before(r: Refused) -> Span:
    head = r.head.rstrip()
    return r.marked(len(head) - len(r.before[-1][1]), len(head))


VALUE_ENDS = frozenset({"NUMBER", "UNIT", "MONEY", "RATIO", "STRING", "BOOLEAN", "NAME", "RPAR", "RSQB", "RBRACE"})
OPERATORS = ("ADD", "MULTIPLY", "COMPARE", "IN", "DIVIDES", "POWER", "CIRCUMFLEX")
JOINING = (*OPERATORS, "AND", "OR", "NOT", "RANGE")


def _next_setting(r: Refused) -> bool:
    """Whether a new setting begins with the refused token, at the start of its line."""
    return not r.head.strip() and bool(re.match(r"[\w.-]+\s*=(?!=)", r.rest))


HEADER = r"NAME( NAME)?( STRING)?( FROM NAME( DOT NAME)*)?"


def _open_text(r: Refused) -> str:
    """What stands behind a quote that is not closed, without the brace that opens a block."""
    return r.rest[1:].rstrip().removesuffix("{").rstrip()


HINTS = (
    Hint(_grouped(","), "digits are grouped with _, not a comma", _regrouped, _digits),
    Hint(_grouped(" "), "digits are grouped with _, not a space", _regrouped, _digits),
    Hint(both(lambda r: r.kind == "$END", within("{")), "this block is never closed", "add a } on its own line"),
    Hint(
        both(lambda r: r.kind in ("$END", "RBRACE", "RPAR", "EQUAL", "BECAUSE") or _next_setting(r), within("[")),
        "the list is not closed",
        "add a ] before this",
    ),
    Hint(
        both(lambda r: r.kind in ("$END", "RBRACE", "RSQB", "BECAUSE") or _next_setting(r), within("(")),
        "the bracket is not closed",
        "add a ) before this",
    ),
    Hint(
        lambda r: r.kind == "RBRACE" and r.opened is None,
        "this } closes nothing",
        "remove it, or look for a block closed too early above",
    ),
    Hint(
        lambda r: r.kind in ("RSQB", "RPAR") and not (r.opened and r.opened[0] in "[("),
        "this bracket closes nothing",
        "remove it",
    ),
    *ROWS,
    Hint(
        both(spelled('"'), lambda r: r.kind == ""),
        "this text is not closed on its line",
        lambda r: f'write "{_open_text(r)}"{" {" if r.line.rstrip().endswith("{") else ""}',
        lambda r: r.marked(len(r.head), len(r.line.rstrip())),
    ),
    Hint(
        lambda r: r.kind == "" and not r.text.isascii() and r.text.isalpha(),
        "names are written in plain letters",
        "use a to z, digits, _ and -; titles and texts in quotes may hold any letter",
    ),
    Hint(
        spelled("\N{NO-BREAK SPACE}", "\N{ZERO WIDTH SPACE}", "\N{NARROW NO-BREAK SPACE}"),
        "an invisible character that is not a space",
        "write a plain space",
    ),
    Hint(spelled("\N{MINUS SIGN}", "\N{EN DASH}", "\N{EM DASH}"), "a dash that is not a minus", "write -"),
    Hint(spelled("\N{MULTIPLICATION SIGN}"), "a sign that is not *", "write *"),
    Hint(spelled(";"), "statements end at the line's end", "remove the ;"),
    Hint(
        both(spelled(":"), after(r"NAME( DOT NAME)*")),
        "settings are given with =, not a colon",
        lambda r: f"write: {r.said} = {r.tail[1:].strip() or '3'}",
    ),
    Hint(
        both(spelled("%"), lambda r: r.last not in ("NUMBER", "EQUAL")),
        "% only follows a number, as in 90%",
        "for `tp divides heads` write: layout.tensor divides model.heads",
    ),
    Hint(spelled("$"), "money is one word: the $ touches its number", "write: $2.10/gpu-hour"),
    Hint(
        both(after(r"(LET )?NAME( DOT NAME)* EQUAL", "EQUAL"), lambda r: r.head.endswith("=")),
        "== compares; a setting is given with a single =",
        lambda r: f"write: {r.said} {r.tail[1:].strip()}",
    ),
    Hint(
        both(after(r"(REQUIRE|WHERE).*", "EQUAL"), lambda r: r.last in VALUE_ENDS),
        "= gives a setting; a comparison has two",
        lambda r: f"write: {r.said} == {r.tail[1:].strip()}",
    ),
    Hint(after("REQUIRE", "_NL", "$END", "RBRACE", "BECAUSE"), "a condition is missing", "write: require mfu >= 35%"),
    Hint(after("WHERE", "_NL", "$END", "RBRACE"), "a condition is missing", "write: where layout.tensor <= 8"),
    Hint(after(r".*BECAUSE"), "the reason is missing or not in quotes", 'write: because "the reason"'),
    Hint(after("IMPORT"), "the file's name stands in double quotes", 'write: import "library/gpus.scn"'),
    Hint(after("EDITION"), "the edition is a year", "write: edition 2026"),
    Hint(after("LET"), "a let needs a name of its own", "write: let deadline = 100 days"),
    Hint(after("LET NAME"), "a let needs an = after its name", "write: let deadline = 100 days"),
    Hint(
        after(r".*EQUAL", "LBRACE"),
        "a block has no = before its {",
        lambda r: f"write: {r.said.rstrip('= ')} {{ ... }}",
    ),
    Hint(
        after(r".*EQUAL", "_NL", "$END", "RBRACE", "COMMA", "EQUAL"), "the value is missing", "put a value after the ="
    ),
    Hint(
        both(after(r"NAME", "NUMBER"), lambda r: bool(re.search(r"\{\s*(#.*)?$", r.line))),
        "a name starts with a letter",
        lambda r: f"write: {r.said} a{r.rest.split('{')[0].strip()} {{ ... }}",
    ),
    Hint(
        both(after(r"NAME( DOT NAME)*", "NUMBER", "MONEY", "RATIO", "BOOLEAN", "LSQB", "ADD")),
        "a setting needs an = between its name and its value",
        _inserted_equals,
    ),
    Hint(
        after(HEADER, "_NL", "$END", "RBRACE"),
        "a block needs { and }",
        lambda r: f"write: {r.said or 'cluster hopper'} {{ ... }}",
    ),
    Hint(
        after(r"NAME NAME NAME|NAME NAME", "NAME", "NUMBER"),
        "a block has one name",
        "put the words in double quotes: they are its title",
    ),
    Hint(after(r"NAME NAME( STRING)?", "EQUAL", "DOT"), "a setting's name is one word", "join the words with _"),
    Hint(
        both(
            lambda r: r.last == "UNIT" and r.before[-1][1] in SUFFIXES and not r.types.endswith("RSQB UNIT"),
            lambda r: r.text.isalpha(),
        ),
        "k, M, B and T touch their number",
        _one_word,
        _three_words,
    ),
    Hint(
        lambda r: not r.before and r.kind in OPERATORS,
        "a line cannot start with an operator",
        "put the operator at the end of the line before, or the whole in ( )",
    ),
    Hint(
        lambda r: not r.before and r.kind in ("NUMBER", "STRING", "MONEY", "RATIO", "LSQB", "LPAR", "BOOLEAN"),
        "a value stands alone here",
        "give it a name: batch = 2048 sequences",
    ),
    Hint(
        lambda r: r.last in JOINING and r.kind in ("_NL", "$END", "RBRACE", "COMMA"),
        "a value is missing after the operator",
        "put a value after it, or remove it",
    ),
    Hint(
        lambda r: r.kind == "COMMA" and not r.opened, "statements of a file do not end in a comma", "remove the comma"
    ),
    Hint(
        both(within("[", "("), lambda r: r.last in VALUE_ENDS and (r.kind in VALUE_ENDS or r.kind in ("LSQB", "LPAR"))),
        "values are separated by commas",
        "put a comma between the two",
    ),
    Hint(
        lambda r: r.last in ("UNIT", "NAME") and r.kind == "EQUAL" and r.types.count("EQUAL") == 1,
        "each setting goes on its own line",
        "put a newline or a comma before it",
        _word_before,
    ),
    Hint(
        lambda r: (
            r.last in VALUE_ENDS
            and r.kind in ("NAME", "UNIT", "LET", "REQUIRE", "WHERE", "IMPORT", "EDITION", "NUMBER", "STRING")
        ),
        "each setting goes on its own line",
        "put a newline or a comma between the two",
    ),
    Hint(
        lambda r: r.last in OPERATORS and r.kind in OPERATORS, "two operators in a row", "put a value between the two"
    ),
    Hint(lambda r: r.kind == "COMMA" and not r.before, "this comma separates nothing", "remove the comma"),
)

SHOWN = {"_NL": "the end of the line", "$END": "the end of the file"}


def explained(refused: Refused) -> Problem:
    """The problem that tells a reader what the parser refused."""
    labels: tuple[Label, ...] = ()
    if refused.opened is not None and (refused.kind in ("$END", "RBRACE", "RSQB", "RPAR") or refused.opened[0] in "[("):
        labels = (Label(refused.opened[1], "opened here"),)
    for hint in HINTS:
        if hint.applies(refused):
            help = hint.help if isinstance(hint.help, str) else hint.help(refused)
            span = hint.mark(refused) if hint.mark else refused.span
            return Problem("E01", hint.title, span, "here", labels, (), printable(help))
    shown = None if refused.text == "," else SHOWN.get(refused.kind)  # a comma ends a statement as a line does
    what = shown or f"`{printable(refused.text)}`"
    return Problem("E01", f"did not expect {what} here", refused.span, "here", labels)

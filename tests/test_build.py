"""From the parser's reductions to the tree: exact numbers, and which part of the text each node marks."""

import pytest

from dsl.build import exact, unescaped
from dsl.limits import DIGITS
from dsl.parse import parse
from dsl.problems import Span
from dsl.syntax import Block, Flag, Import, Let, List, Number, Range, Ratio, Require, Statement, Text, written
from tests.typed_names import expression


@pytest.mark.parametrize(
    ("text", "fraction"),
    [
        ("7", (7, 1)),
        ("24_576", (24_576, 1)),
        ("2.5", (25, 10)),
        ("2.5e3", (2500, 1)),
        ("2.5E1", (25, 1)),
        ("2.5e0", (25, 10)),
        ("25e-1", (25, 10)),
        ("1e300", (10**300, 1)),
        ("1e-300", (1, 10**300)),
        ("3k", (3000, 1)),
        ("16.8M", (168 * 10**6, 10)),
        ("80B", (80 * 10**9, 1)),
        ("15T", (15 * 10**12, 1)),
        ("8Ki", (8192, 1)),
        ("2Mi", (2_097_152, 1)),
        ("2Gi", (2_147_483_648, 1)),
        ("1Ti", (1_099_511_627_776, 1)),
        ("0.5Ki", (5120, 10)),
        ("10000000e300", (10**307, 1)),
        ("100000000e300", (10**308, 1)),
        ("1000000000e300", None),
        ("1e301", None),
        ("1e-301", None),
        ("1e0300", (10**300, 1)),
        ("1e00300", None),
        ("9" * DIGITS, (int("9" * DIGITS), 1)),
        ("9" * (DIGITS + 1), None),
        ("0." + "1" * (DIGITS - 1), (int("1" * (DIGITS - 1)), 10 ** (DIGITS - 1))),
        ("0." + "1" * DIGITS, None),
    ],
)
def test_a_literal_is_a_fraction_of_whole_numbers(text: str, fraction: tuple[int, int] | None) -> None:
    assert exact(text) == fraction


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ('"plain"', "plain"),
        (r'"a\nb\tc"', "a\nb\tc"),
        (r'"say \"hi\""', 'say "hi"'),
        (r'"back\\slash"', "back\\slash"),
        (r'"\\n"', "\\n"),
        (r'"a\\\"b"', 'a\\"b'),
        (r'"\q"', "\\q"),
    ],
)
def test_escapes_in_a_text(token: str, text: str) -> None:
    assert unescaped(token) == text


def test_numbers_keep_their_unit_and_their_text() -> None:
    unit = Span("expression.scn", 1, 12, 14)
    assert expression("80 GB") == Number(80, 1, "GB", "80 GB", unit._replace(column=9), unit)
    assert expression("80GB") == Number(80, 1, "GB", "80 GB", Span("expression.scn", 1, 9, 13), unit._replace(
        column=11, end=13))  # fmt: skip
    assert expression("90 %")[:4] == (90, 1, "%", "90%")
    assert expression("10 μs")[:4] == (10, 1, "µs", "10 µs")
    whole = Span("expression.scn", 1, 9, 23)
    assert expression("$2.10/gpu-hour") == Number(210, 100, "$/gpu-hour", "$2.10/gpu-hour", whole, whole)
    assert expression("$12M")[:4] == (12, 1, "$M", "$12M")
    assert expression("7") == Number(7, 1, "", "7", Span("expression.scn", 1, 9, 10), Span("expression.scn", 1, 9, 10))


def test_other_atoms_keep_their_values() -> None:
    assert expression("7:2")[:3] == (7.0, 2.0, "7:2")
    assert isinstance(expression("7:2"), Ratio)
    assert (expression("true")[0], expression("false")[0]) == (True, False)
    assert isinstance(expression("true"), Flag)
    range_, doubling, stepped = expression("1..8"), expression("1..8 doubling"), expression("2..8 step 3")
    assert isinstance(range_, Range) and isinstance(doubling, Range) and isinstance(stepped, Range)
    assert (range_.doubling, range_.step) == (False, None)
    assert (doubling.doubling, doubling.step) == (True, None)
    assert isinstance(stepped.low, Number) and isinstance(stepped.high, Number) and isinstance(stepped.step, Number)
    assert (stepped.doubling, stepped.low.over, stepped.high.over, stepped.step.over) == (False, 2, 8, 3)
    listed = expression("[1, 2] μs")
    assert isinstance(listed, List) and (len(listed.items), listed.unit) == (2, "µs")


def test_a_literal_that_is_too_long_is_told_at_its_place() -> None:
    for literal in ("9" * (DIGITS + 1), f"${'9' * (DIGITS + 1)}", f"{'9' * DIGITS}:1"):
        tree, (problem,) = parse(f"let a = 1\nlet b = {literal}\nlet c = 3", "long.scn")
        assert problem.span == Span("long.scn", 2, 9, 9 + len(literal))
        assert (problem.code, problem.help) == ("E16", "write it with an exponent: 1.5e12")
        assert [row.name for row in tree if isinstance(row, Let)] == ["a", "c"]
    assert not parse(f"let b = {'9' * (DIGITS - 2)}:1", "long.scn")[1]


MARKS = r"""
edition 2026
    Edition span: edition
    Number span: 2026; unit_span: 2026
import "library/gpus.scn"
    Import span: import; alias_span: "library/gpus.scn"
    Text span: "library/gpus.scn"
import "a.scn" as zoo
    Import span: import; alias_span: zoo
    Text span: "a.scn"
let a = b.c + 2 GB
    Let span: a
    Chain span: b.c + 2 GB
    Name span: b.c
    Number span: 2 GB; unit_span: GB
run r "Title" from b.c { batch = 3 }
    Block span: run; name_span: r; title_span: "Title"
    Name span: b.c
    Assign span: batch = 3
    Name span: batch
    Number span: 3; unit_span: 3
run r { }
    Block span: run; name_span: r; title_span: r
layout { }
    Block span: layout; name_span: layout; title_span: layout
check "T" { }
    Block span: check; name_span: check; title_span: "T"
measured at a.b = 1 and c = 2 { mfu = 3% }
    Block span: measured; name_span: measured; title_span: measured
    Assign span: a.b = 1
    Name span: a.b
    Number span: 1; unit_span: 1
    Assign span: c = 2
    Name span: c
    Number span: 2; unit_span: 2
    Assign span: mfu = 3%
    Name span: mfu
    Number span: 3%; unit_span: %
run r { where a <= b < c, require not d because "why" }
    Block span: run; name_span: r; title_span: r
    Where span: where a <= b < c
    Compare span: a <= b < c
    Name span: a
    Name span: b
    Name span: c
    Require span: require not d
    Not span: not d
    Name span: d
let a = 1..b
    Let span: a
    Range span: 1..b
    Number span: 1; unit_span: 1
    Name span: b
let a = x and y and z
    Let span: a
    Chain span: x and y and z
    Name span: x
    Name span: y
    Name span: z
let a = x or y or z
    Let span: a
    Chain span: x or y or z
    Name span: x
    Name span: y
    Name span: z
let a = x or y and z
    Let span: a
    Chain span: x or y and z
    Name span: x
    Chain span: y and z
    Name span: y
    Name span: z
let a = -x ^ 2 * (y - z)
    Let span: a
    Chain span: -x ^ 2 * (y - z)
    Sign span: -x ^ 2
    Power span: x ^ 2
    Name span: x
    Number span: 2; unit_span: 2
    Chain span: (y - z)
    Name span: y
    Name span: z
let a = if x then 1 else y
    Let span: a
    If span: if x then 1 else y
    Name span: x
    Number span: 1; unit_span: 1
    Name span: y
let a = f(1, n = x)
    Let span: a
    Call span: f(1, n = x)
    Argument span: 1
    Number span: 1; unit_span: 1
    Argument span: n = x
    Name span: x
let a = [1, x] GB
    Let span: a
    List span: [1, x] GB; unit_span: GB
    Number span: 1; unit_span: 1
    Name span: x
let a = [ ]
    Let span: a
    List span: [ ]; unit_span: [ ]
let a = mfu as GB called "Peak"
    Let span: a
    Shown span: mfu as GB; unit_span: GB
    Name span: mfu
let a = mfu called "Peak"
    Let span: a
    Shown span: mfu called "Peak"; unit_span: mfu
    Name span: mfu
let a = 2..8 step 3
    Let span: a
    Range span: 2..8 step 3
    Number span: 2; unit_span: 2
    Number span: 8; unit_span: 8
    Number span: 3; unit_span: 3
let a = 1..b doubling
    Let span: a
    Range span: 1..b
    Number span: 1; unit_span: 1
    Name span: b
let a = 7:1
    Let span: a
    Ratio span: 7:1
"""


def marks(node: object, row: str) -> list[str]:
    """What a node of the tree and those in it mark, outermost first."""
    if not isinstance(node, tuple):
        return []
    fields: dict[str, object] = getattr(node, "_asdict", dict)()
    found = [
        f"{name}: {row[span.column - 1 : span.end - 1]}" for name, span in fields.items() if isinstance(span, Span)
    ]
    own = [f"{type(node).__name__} {'; '.join(found)}"] if found else []
    return [*own, *(line for child in node if not isinstance(child, Span) for line in marks(child, row))]


def cases() -> list[tuple[str, list[str]]]:
    """The rows of MARKS with the lines below each."""
    from tests.told import wanted

    return wanted(MARKS)


@pytest.mark.parametrize(("text", "lines"), cases(), ids=[text for text, _ in cases()])
def test_each_node_marks_its_text(text: str, lines: list[str]) -> None:
    tree, problems = parse(text, "marks.scn")
    assert (marks(tree, text), problems) == (lines, [])


@pytest.mark.parametrize(
    "text",
    ["-x ^ 2", "f(1, n = x)", 'mfu as GB called "Peak"', 'mfu called "Peak"', "(a or b) and not c", "a < b <= c"],
)
def test_each_part_is_where_it_belongs(text: str) -> None:
    assert written(expression(text)) == text


def statement(text: str) -> Statement:
    """The one statement of a text."""
    tree, problems = parse(text, "one.scn")
    assert not problems
    return tree[0]


def test_statements_keep_their_words() -> None:
    named = statement('import "a.scn" as zoo')
    assert isinstance(named, Import) and isinstance(named.path, Text) and (named.path.value, named.alias) == (
        "a.scn", "zoo")  # fmt: skip
    plain = statement('import "a.scn"')
    assert isinstance(plain, Import) and plain.alias == ""
    named_block, bare = statement('run r "T" from b { }'), statement("layout { }")
    assert isinstance(named_block, Block) and named_block[:3] == ("run", "r", "T") and len(named_block.body) == 0
    assert isinstance(bare, Block) and bare[:6] == ("layout", "", "", None, (), ())
    block = statement('run r { require a because "so \\"it\\" is"\nrequire b }')
    assert isinstance(block, Block) and [type(one) for one in block.body] == [Require, Require]
    assert [one.because for one in block.body if isinstance(one, Require)] == ['so "it" is', ""]
    measured = statement("measured at a = 1 and b = 2 { c = 3, d = 4 }")
    assert isinstance(measured, Block) and (len(measured.at), len(measured.body)) == (2, 2)

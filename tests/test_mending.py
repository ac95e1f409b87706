"""Numbers whose unit is none or another: what is said of them, and what to write."""

import pytest

from dsl.mending import digits, glued, meant_unit, narrowed, unread_unit
from dsl.parse import parse
from dsl.problems import Problem, Span
from dsl.quantities import dimension
from dsl.syntax import Expression, Let, Number
from dsl.units import Refusal

LENGTHS = ("months and years differ in length",)
HOURS = ("a year has 8,760 hours",)


def value(text: str) -> Expression:
    (let,), problems = parse(f"let a = {text}\n", "case.scn")
    assert isinstance(let, Let) and not problems
    return let.value


def number(text: str) -> Number:
    found = value(text)
    assert isinstance(found, Number)
    return found


@pytest.mark.parametrize(
    ("text", "plain"),
    [("450 GB", "450"), ("13b", "13"), ("13 b", "13"), ("1_000  GB/s", "1_000"), ("$3/hour", "$3/hour"), ("15", "15")],
)
def test_the_digits_of_a_quantity(text: str, plain: str) -> None:
    assert digits(number(text)) == plain


# A month is taken as 30 days and a year as 365; 365 days have 8,760 hours.
UNREAD = {
    "3 month": (LENGTHS, "write 90 days"), "5 months": (LENGTHS, "write 150 days"), "7 mo": (LENGTHS, "write 210 days"),
    "3 year": (LENGTHS, "write 1_095 days"), "0.5 years": (LENGTHS, "write 182.5 days"),
    "5 yr": (LENGTHS, "write 1_825 days"), "7 yrs": (LENGTHS, "write 2_555 days"),
    "3 gpu-year": (HOURS, "write 26_280 gpu-hours"), "0.5 GPU-year": (HOURS, "write 4_380 gpu-hours"),
    "5 gpu-years": (HOURS, "write 43_800 gpu-hours"),
    "3 USD": ((), "write $3"), "2.50 dollars/hour": ((), "write $2.50/hour"),
    "7 usd/gpu-hour": ((), "write $7/gpu-hour"),
}  # fmt: skip


@pytest.mark.parametrize("text", UNREAD)
def test_for_a_whole_quantity_another_is_written(text: str) -> None:
    e, (notes, help) = number(text), UNREAD[text]
    title = f"`{text.split()[1]}` is not a unit"
    expected = Problem("E17", title, Span("case.scn", 1, 9, 9 + len(text)), "unknown unit", (), notes, help)
    assert unread_unit(e, Refusal("other")) == expected


def test_else_the_unit_is_marked_with_the_help_that_units_have() -> None:
    e = number("15 blubs")
    title, help = "`blubs` is not a unit", "write blobs"
    assert unread_unit(e, Refusal(help)) == Problem(
        "E17", title, Span("case.scn", 1, 12, 17), "unknown unit", (), (), help
    )
    assert unread_unit(e, Refusal("write $/hour")).help == "write $/hour"
    assert unread_unit(number("$2.50/gpu-hr"), Refusal("write $/gpu-hour")).help == "write $2.50/gpu-hour"
    assert unread_unit(number("$2.50/gpu-hr"), Refusal("write it out")).help == "write it out"


REFUSED = Problem("E17", "no unit", Span("case.scn", 1, 12, 13), help="write one")


@pytest.mark.parametrize(
    ("text", "help"),
    [("13 b", "write 13B"), ("13 K", "write 13k"), ("13 k", "write 13k"), ("7 m", "write 7M"), ("7 G", "write 7B"),
     ("2.5 t", "write 2.5T"), ("5 M", "write 5M"), ("5 B", "write 5B"), ("5 T", "write 5T"), ("3 Ki", "write 3Ki"),
     ("3 Ti", "write 3Ti")],
)  # fmt: skip
def test_a_suffix_of_a_count_touches_it(text: str, help: str) -> None:
    span = Span("case.scn", 1, 9, 9 + len(text))
    assert glued(number(text), REFUSED) == REFUSED._replace(
        span=span, notes=("count suffixes touch their number: k, M, B, T",), help=help
    )


def test_other_problems_keep_their_help() -> None:
    for e, problem in ((number("13 GB"), REFUSED), (number("13 b"), REFUSED._replace(code="E18")),
                       (value("b"), REFUSED), (value("[13] b"), REFUSED)):  # fmt: skip
        assert glued(e, problem) is problem


def test_of_two_units_the_one_that_fits_is_written() -> None:
    two, e = REFUSED._replace(help="write Gb/s (bits) or GB/s (bytes)"), number("3 Gbps")
    tokens = REFUSED._replace(help="write GB, or (GFLOP);")
    assert narrowed(e, tokens, dimension("bytes")).help == "write GB"
    assert narrowed(e, tokens, dimension("flop")).help == "write GFLOP"
    assert narrowed(e, REFUSED._replace(help="write GB or GB"), dimension("bytes")).help == "write GB"
    assert narrowed(e, two, dimension("bytes/s")) is two  # both fit
    assert narrowed(e, two, dimension("seconds")) is two  # neither does
    one, coded = tokens._replace(help="write GB"), tokens._replace(code="E18")
    for other, problem in ((value("b"), tokens), (e, coded), (e, one)):
        assert narrowed(other, problem, dimension("bytes")) is problem


@pytest.mark.parametrize(
    ("text", "holds", "meant"),
    [
        ("450 GB", "bytes/s", "450 GB/s"), ("450 GB/s", "bytes", "450 GB"), ("989 TFLOP", "flop/s", "989 TFLOPS"),
        ("989 TFLOPS", "flop", "989 TFLOP"), ("1_000 tokens", "bytes", ""), ("450 GB", "bytes", ""),
        ("450", "bytes", ""), ("$3/s", "usd", ""), ("450 GB", "seconds", ""), ("b", "bytes", ""),
    ],
)  # fmt: skip
def test_a_unit_that_is_one_letter_away(text: str, holds: str, meant: str) -> None:
    assert meant_unit(value(text), dimension(holds)) == meant

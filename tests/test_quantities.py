"""Numbers as they are printed: separators, signs, units, precision; dimensions, their words and usual units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.quantities import dimension, display_unit, in_words
from reports.quantities import MINUS, MISSING, NBSP, Quantity, fixed, grouped, legible, plain, readable
from reports.units import ALIASES, SCALES, UNITS, unit_of

NUMBERS = st.floats(-1e12, 1e12, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "shown"),
    [
        (102.4 * 86400, "days", 1, "102.4 days"),
        (0.432, "%", 1, "43.2 %"),
        (31.8e6, "M$", 1, "31.8 M$"),
        (84.9 * 2**30, "GiB", 1, "84.9 GiB"),
        (141e9, "GB", 0, "141 GB"),
        (989e12, "TFLOP/s", 0, "989 TFLOP/s"),
        (50e9, "GB/s", 0, "50 GB/s"),
        (50e9, "Gb/s", 0, "400 Gb/s"),
        (2.1 / 3600, "$/GPU-h", 2, "2.10 $/GPU-h"),
        (6.8e6, "MW", 2, "6.80 MW"),
        (3.6e12, "MWh", 0, "1 000 MWh"),
        (4096 * 3600.0, "GPU-h", 0, "4 096 GPU-h"),
        (1e-3, "ms", 2, "1.00 ms"),
        (2e-6, "µs", 1, "2.0 µs"),
        (4096, "", 0, "4 096"),
        (0.63e-6, "$/Mtoken", 2, "0.63 $/M tokens"),
        (None, "days", 1, MISSING),
        (float("nan"), "days", 1, MISSING),
    ],
)
def test_conversions(value: float | None, unit: str, decimals: int, shown: str) -> None:
    assert Quantity(value, unit, decimals).text() == shown.replace(" ", NBSP)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (15e12, "15 000 000 000 000"),
        (0.0875, "0.0875"),
        (79.6, "79.6"),
        (1234567.5, "1 234 568"),
        (2.5e-9, "2.5 × 10⁻⁹"),
        (0, "0"),
        (-3, MINUS + "3"),
    ],
)
def test_plain_numbers(value: float, shown: str) -> None:
    assert plain(value) == shown.replace(" ", NBSP)


@given(NUMBERS, st.integers(0, 4))
def test_a_printed_number_reads_back(value: float, decimals: int) -> None:
    text = fixed(value, decimals)
    back = float(text.replace(NBSP, "").replace(MINUS, "-"))
    assert back == pytest.approx(round(value, decimals), abs=10.0**-decimals)
    assert len(text.partition(".")[2]) == decimals
    assert " " not in text and "-" not in text and "," not in text


@given(NUMBERS.filter(lambda v: v != 0))
def test_what_rounds_to_nothing_has_no_sign(value: float) -> None:
    assert not fixed(value / 1e20, 2).startswith(MINUS)


@given(st.floats(1e-9, 1e15), st.sampled_from(sorted(SCALES)))
def test_a_readable_value_is_at_least_one_of_its_unit(value: float, base: str) -> None:
    name = {"USD": "$"}.get(base, base)
    shown = readable(value, name)
    units = [UNITS[u] for u in SCALES[base]]
    assert shown.display.base == base
    assert value / shown.display.factor >= 1 or shown.display == min(units, key=lambda u: u.factor) or value < 1


def test_memory_in_the_unit_that_divides_it() -> None:
    assert readable(80e9, "bytes").text() == f"80{NBSP}GB"
    assert readable(79.6 * 2**30, "bytes").text() == f"79.6{NBSP}GiB"


def test_a_small_value_is_not_printed_as_zero() -> None:
    assert legible(Quantity(0.0002, "s", 2)).text() == f"200.0{NBSP}µs"
    assert legible(Quantity(431.0, "M$", 2)).text() == f"431.0{NBSP}$"
    assert legible(Quantity(0.0, "s", 2)).text() == f"0.00{NBSP}s"


def test_differences_carry_their_sign() -> None:
    assert Quantity(0.018, "points", 1, signed=True).number() == "+1.8"
    assert Quantity(-0.018, "points", 1, signed=True).number() == MINUS + "1.8"
    assert Quantity(0.0001, "points", 1, signed=True).number() == "0.0"


def test_limits() -> None:
    assert Quantity(1.0, "days", 1, 60 * 86400.0, "<=").limit_text() == f"≤{NBSP}60.0"
    assert Quantity(1.0, "days", 1).limit_text() == MISSING


def test_unit_text_cannot_become_markup() -> None:
    assert "<b>" not in Quantity(1.0, "<b>").__html__()


def test_every_spelling_leads_to_a_unit() -> None:
    assert [alias for alias, name in ALIASES.items() if name not in UNITS] == []
    assert unit_of("parsecs").name == "parsecs" and unit_of("parsecs").factor == 1


def test_thousands_are_grouped_before_the_point_only() -> None:
    assert grouped("-1234567.8901") == f"{MINUS}1{NBSP}234{NBSP}567.8901"


# What a setting holds, as powers of byte, FLOP, second, dollar, joule and kilogram; a watt is a joule a second.
SIZES = {
    "number": (0, 0, 0, 0, 0, 0),
    "bytes": (1, 0, 0, 0, 0, 0),
    "bytes/s": (1, 0, -1, 0, 0, 0),
    "flop": (0, 1, 0, 0, 0, 0),
    "flop/s": (0, 1, -1, 0, 0, 0),
    "seconds": (0, 0, 1, 0, 0, 0),
    "usd": (0, 0, 0, 1, 0, 0),
    "usd/s": (0, 0, -1, 1, 0, 0),
    "usd/joule": (0, 0, 0, 1, -1, 0),
    "joules": (0, 0, 0, 0, 1, 0),
    "watts": (0, 0, -1, 0, 1, 0),
    "kg": (0, 0, 0, 0, 0, 1),
    "kg/joule": (0, 0, 0, 0, -1, 1),
    "tokens": (0, 0, 0, 0, 0, 0),
    "tokens/s": (0, 0, -1, 0, 0, 0),
    "flop/byte": (-1, 1, 0, 0, 0, 0),
}


@pytest.mark.parametrize(("holds", "size"), SIZES.items())
def test_dimensions(holds: str, size: tuple[int, int, int, int, int, int]) -> None:
    assert dimension(holds) == size


SHOWN = [  # the largest unit that gives at least one; the usual one where there is no value
    ("bytes", None, "GB"), ("bytes", 3e12, "TB"), ("bytes", 3e9, "GB"), ("bytes", -3e6, "MB"), ("bytes", 0.5, "bytes"),
    ("bytes/s", None, "GB/s"), ("bytes/s", 1e12, "TB/s"), ("bytes/s", 5e9, "GB/s"), ("bytes/s", 3.0, "MB/s"),
    ("usd", None, "$"), ("usd", 1e6, "$M"), ("usd", 999_999.0, "$"), ("usd/s", None, "$/hour"),
    ("usd/joule", None, "$/kWh"), ("kg/joule", None, "kgCO2/kWh"), ("kg", 999.0, "kg"), ("kg", 1000.0, "t"),
    ("watts", None, "kW"), ("watts", 2e6, "MW"), ("joules", None, "MWh"), ("joules", 3.6e6, "kWh"),
    ("seconds", None, "s"), ("seconds", 86_400.0, "days"), ("seconds", 86_399.0, "hours"), ("seconds", 2e-3, "ms"),
    ("number", 3.0, ""), ("flop/byte", 3.0, ""),
]  # fmt: skip


@pytest.mark.parametrize(("holds", "value", "unit"), SHOWN)
def test_usual_units(holds: str, value: float | None, unit: str) -> None:
    assert display_unit(dimension(holds), value) == unit


WORDS = [
    ((0, 0, 0, 0, 0, 0), "a plain number"),
    ((0, 0, -1, 0, 1, 0), "watts"),
    ((0, 1, -1, 0, 0, 0), "FLOP/s"),
    ((1, 0, -1, 0, 0, 0), "bytes per second"),
    ((0, 0, -1, 1, 0, 0), "dollars per second"),
    ((2, 0, 0, 1, 0, 0), "bytes^2 x dollars"),
    ((0, 0, -2, 0, -1, 0), "1 per second^2 per joule"),
    ((0, 3, 1, 0, 0, -3), "FLOP^3 x seconds per kg^3"),
]


@pytest.mark.parametrize(("size", "words"), WORDS)
def test_dimensions_in_words(size: tuple[int, int, int, int, int, int], words: str) -> None:
    assert in_words(size) == words

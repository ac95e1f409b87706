"""The unit table: what each spelling means, what is refused, and with which fix."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.quantities import dimension, display_unit, in_words
from dsl.units import REFUSED, UNITS, Refusal, Unit, find, number, scale, shown


@pytest.mark.parametrize(
    ("spelling", "scale", "like"),
    [
        ("GB", 1e9, "bytes"),
        ("GiB", 2.0**30, "bytes"),
        ("Gb", 1e9 / 8, "bytes"),
        ("kB", 1e3, "bytes"),
        ("Gb/s", 0.125e9, "bytes/s"),
        ("TB/s", 1e12, "bytes/s"),
        ("TFLOPS", 1e12, "flop/s"),
        ("TFLOP/s", 1e12, "flop/s"),
        ("TFLOP", 1e12, "flop"),
        ("us", 1e-6, "seconds"),
        ("µs", 1e-6, "seconds"),
        ("days", 86400.0, "seconds"),
        ("gpu-hours", 3600.0, "seconds"),
        ("$M", 1e6, "usd"),
        ("$/gpu-hour", 1 / 3600, "usd/s"),
        ("$/kWh", 1 / 3.6e6, "usd/joule"),
        ("MWh", 3.6e9, "joules"),
        ("MW", 1e6, "watts"),
        ("kgCO2/kWh", 1 / 3.6e6, "kg/joule"),
        ("%", 0.01, "share"),
        ("$/Mtoken", 1e-6, "usd"),
        ("tokens/s", 1.0, "tokens/s"),
    ],
)
def test_spellings_mean_what_the_field_means(spelling: str, scale: float, like: str) -> None:
    unit = find(spelling)
    assert isinstance(unit, Unit)
    assert unit.scale == pytest.approx(scale, rel=1e-15)
    assert unit.dimension == dimension(like)


def test_gib_is_more_than_gb_and_case_matters() -> None:
    assert scale("GiB") / scale("GB") == pytest.approx(1.0737, abs=1e-4)
    assert scale("GB") == 8 * scale("Gb")
    assert isinstance(find("gb"), Refusal)


@pytest.mark.parametrize(
    ("spelling", "fix"),
    [
        ("gb", "write GB (bytes) or Gb (bits)"),
        ("Gbps", "write Gb/s (bits) or GB/s (bytes)"),
        ("GBps", "write GB/s"),
        ("B", "write `bytes`"),
        ("T", "15T tokens"),
        ("k", "15T tokens"),
        ("TFLOPs", "TFLOPS for a rate"),
        ("PFLOPs", "PFLOP for a count"),
        ("months", "days or hours"),
        ("years", "days or hours"),
        ("GB/tensor", "to divide write `GB / tensor`"),
        ("GB-x", "to subtract write `GB - x`"),
        ("hous", "did you mean `hours`?"),
        ("kwh", "write kWh"),
        ("USD", "$2.10"),
        ("GB/gbs", ""),
    ],
)
def test_refused_spellings_say_what_to_write(spelling: str, fix: str) -> None:
    found = find(spelling)
    assert isinstance(found, Refusal)
    assert fix in found.help


def test_no_spelling_is_both_accepted_and_refused() -> None:
    assert not set(UNITS) & set(REFUSED)


def test_per_gpu_is_kept_as_a_tag() -> None:
    price, plain = find("$/gpu-hour"), find("$/hour")
    assert isinstance(price, Unit) and isinstance(plain, Unit)
    assert (price.per, plain.per) == ("gpus", "")
    assert price.dimension == plain.dimension


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.1 / 3600, "$/gpu-hour", "$2.1/gpu-hour"),
        (78.2 * 2**30, "GiB", "78.2 GiB"),
        (0.35, "%", "35%"),
        (12e6, "$M", "$12M"),
        (4.0, "", "4"),
    ],
)
def test_values_are_shown_in_their_unit(value: float, unit: str, text: str) -> None:
    assert shown(value, unit) == text


def test_numbers_and_words() -> None:
    assert (number(24576), number(1 / 7), number(1e30)) == ("24_576", "0.142857", "1e+30")
    assert in_words(dimension("usd/s")) == "dollars per second"
    assert in_words(dimension("watts")) == "watts"
    assert display_unit(dimension("bytes"), 3e12) == "TB"
    assert display_unit(dimension("bytes")) == "GB"


@given(st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)))
def test_a_quotient_of_units_divides_their_scales(over: str, under: str) -> None:
    unit = find(f"{over}/{under}")
    assert isinstance(unit, Unit)
    assert math.isclose(unit.scale, UNITS[over].scale / UNITS[under].scale, rel_tol=1e-12)


@given(st.text(max_size=12))
def test_any_spelling_is_a_unit_or_a_refusal(spelling: str) -> None:
    assert isinstance(find(spelling), Unit | Refusal)


def test_counts_are_shown_in_the_plural() -> None:
    assert [shown(1.0, "sequence"), shown(4.0, "sequence"), shown(2.0, "gpus")] == [
        "1 sequence",
        "4 sequences",
        "2 gpus",
    ]

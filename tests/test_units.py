"""The unit table: what each spelling means, what is refused, and with which fix."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.quantities import dimension, display_unit, in_words
from dsl.units import REFUSED, UNITS, Dimension, Refusal, Unit, find, in_prose, number, scale, shown


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


# How much one of a spelling is in base units.
EVERY: dict[Dimension, str] = {
    (1, 0, 0, 0, 0, 0): """byte 1, bytes 1, kB 1e3, MB 1e6, GB 1e9, TB 1e12, PB 1e15, EB 1e18, KiB 1024, MiB 1048576,
        GiB 1073741824, TiB 1099511627776, PiB 1125899906842624, bit 1/8, bits 1/8, Mb 125000, Gb 125e6, Tb 125e9""",
    (0, 1, 0, 0, 0, 0): "FLOP 1, MFLOP 1e6, GFLOP 1e9, TFLOP 1e12, PFLOP 1e15, EFLOP 1e18, ZFLOP 1e21",
    (0, 1, -1, 0, 0, 0): "FLOPS 1, MFLOPS 1e6, GFLOPS 1e9, TFLOPS 1e12, PFLOPS 1e15, EFLOPS 1e18, ZFLOPS 1e21",
    (0, 0, 1, 0, 0, 0): """ns 1e-9, us 1e-6, µs 1e-6, ms 1e-3, s 1, second 1, seconds 1, min 60, minute 60, minutes 60,
        h 3600, hour 3600, hours 3600, day 86400, days 86400, week 604800, weeks 604800,
        gpu-second 1, gpu-seconds 1, gpu-hour 3600, gpu-hours 3600, gpu-day 86400, gpu-days 86400,
        GPU-second 1, GPU-seconds 1, GPU-hour 3600, GPU-hours 3600, GPU-day 86400, GPU-days 86400,
        node-second 1, node-seconds 1, node-hour 3600, node-hours 3600, node-day 86400, node-days 86400""",
    (0, 0, 0, 1, 0, 0): "$ 1, $k 1e3, $M 1e6, $B 1e9, $T 1e12",
    (0, 0, 0, 0, 1, 0): """J 1, kJ 1e3, MJ 1e6, GJ 1e9, pJ 1e-12, Wh 3600, kWh 3.6e6, MWh 3.6e9, GWh 3.6e12,
        TWh 3.6e15""",
    (0, 0, -1, 0, 1, 0): "W 1, kW 1e3, MW 1e6, GW 1e9",
    (0, 0, 0, 0, 0, 1): """g 1e-3, kg 1, t 1e3, kt 1e6, gCO2 1e-3, kgCO2 1, tCO2 1e3, ktCO2 1e6, gCO2e 1e-3, kgCO2e 1,
        tCO2e 1e3, ktCO2e 1e6""",
    (0, 0, 0, 0, 0, 0): """% 1/100, gpu 1, gpus 1, GPU 1, GPUs 1, node 1, nodes 1, token 1, tokens 1, ktoken 1e3,
        ktokens 1e3, Mtoken 1e6, Mtokens 1e6, Btoken 1e9, Btokens 1e9, Ttoken 1e12, Ttokens 1e12, sequence 1,
        sequences 1, layer 1, layers 1, step 1, steps 1, parameter 1, parameters 1""",
}
TAGS = {"gpu": "gpus", "node": "nodes", "token": "tokens", "sequence": "sequences", "layer": "layers"}
TAGS |= {"step": "steps", "parameter": "parameters"}


def test_every_unit_has_its_exact_size_its_dimension_and_its_tag() -> None:
    wanted = {}
    for exponents, sizes in EVERY.items():
        for spelling, size in (one.split() for one in sizes.split(",")):
            tag = next((tag for word, tag in TAGS.items() if word in spelling.lower()), "")
            wanted[spelling] = (Fraction(size), exponents, tag)
    found = {}
    for spelling in UNITS:
        unit = find(spelling)
        assert isinstance(unit, Unit)
        found[spelling] = (Fraction(unit.over, unit.under), unit.dimension, unit.tag)
    assert found == wanted


@pytest.mark.parametrize(
    ("spelling", "unit"),
    [
        ("Gb/s", Unit(10**9, 8, (1, 0, -1, 0, 0, 0))),
        ("$/gpu-hour", Unit(1, 3600, (0, 0, -1, 1, 0, 0), "", "gpus")),
        ("$/gpu-hour/gpu", Unit(1, 3600, (0, 0, -1, 1, 0, 0), "", "gpus")),
        ("$/node-hour", Unit(1, 3600, (0, 0, -1, 1, 0, 0), "", "nodes")),
        ("tokens/gpu/s", Unit(1, 1, (0, 0, -1, 0, 0, 0), "tokens", "gpus")),
        ("kgCO2/kWh", Unit(1, 3_600_000, (0, 0, 0, 0, -1, 1))),
        ("bytes/ms", Unit(1000, 1, (1, 0, -1, 0, 0, 0))),
    ],
)
def test_compound_units_are_quotients(spelling: str, unit: Unit) -> None:
    assert find(spelling) == unit


def test_a_spelling_that_is_no_unit_has_no_scale_of_its_own() -> None:
    assert (scale("parsec"), scale(""), scale("gb"), scale("GB")) == (1.0, 1.0, 1.0, 1e9)


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


@pytest.mark.parametrize(
    ("spelling", "help"),
    [
        ("TB/sec", "write TB/s"),
        ("GB/hr", "write GB/hours"),
        ("$/gpu-hr", "did you mean `$/gpu-hour`?"),
        ("GB/B", "`B` after a space could be bytes or billions; write `bytes`, or glue it (`80B`) for billions"),
        ("sec", "write s or seconds"),
        ("sec/GB", "write s/GB"),
        ("gb/s", "write GB/s"),
        ("GB/tensor", "glued, this is one unit; to divide write `GB / tensor`"),
        ("tensor/GB", ""),
        ("GB/x/y", ""),
        ("GB-8", "glued, this is one unit; to subtract write `GB - 8`"),
        ("GB-a-b", "glued, this is one unit; to subtract write `GB - a - b`"),
        ("a-GB", ""),
        ("Tokens", "did you mean `tokens`?"),
        ("hous/GB", "did you mean `hours/GB`?"),
        ("GFlops", "write GFLOPS for a rate (per second) or GFLOP for a count"),
        ("parsec", ""),
    ],
)
def test_a_refusal_has_these_words(spelling: str, help: str) -> None:
    assert find(spelling) == Refusal(help)


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
        (-2e6, "$M", "-$2M"),
        (4096.0, "GPU", "4_096 GPUs"),
        (1.0, "node", "1 node"),
        (0.0, "GB", "0 GB"),
        (1e9 / 3, "GB", "0.333333 GB"),
    ],
)
def test_values_are_shown_in_their_unit(value: float, unit: str, text: str) -> None:
    assert shown(value, unit) == text


def test_numbers_and_words() -> None:
    assert (number(24576), number(1 / 7), number(1e30)) == ("24_576", "0.142857", "1e+30")
    assert (number(1e15), number(1e15 - 1), number(-1e15)) == ("1e+15", "999_999_999_999_999", "-1e+15")
    assert (number(-24576.0), number(0.0), number(1.5e-7)) == ("-24_576", "0", "1.5e-07")
    assert in_prose(24576) == "24\u00a0576"
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

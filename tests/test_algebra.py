"""Types of expressions: how dimensions, tags and units go through sums, products and ratios."""

import pytest

from dsl.algebra import PLAIN, Type
from dsl.quantities import dimension
from dsl.units import BYTE, NONE, SECOND, plus
from tests.told import wanted
from tests.typed_names import typed

HERTZ = plus(NONE, SECOND, -1)


@pytest.mark.parametrize(
    ("text", "dimension", "tag", "unit"),
    [
        ("gpus * price", dimension("usd/s"), "*", "$/gpu-hour"),
        ("price * gpus", dimension("usd/s"), "*", "$/gpu-hour"),
        ("gpus * tokens", NONE, "*", ""),
        ("gpus * time", SECOND, "gpus", "days"),
        ("time * gpus", SECOND, "gpus", "days"),
        ("tokens / gpus", NONE, "", ""),
        ("time / gpus", SECOND, "", "days"),
        ("memory / gpus", BYTE, "", "GB"),
        ("gpus / memory", plus(NONE, BYTE, -1), "gpus", ""),
        ("gpus / 2", NONE, "gpus", ""),
        ("memory / 2", BYTE, "", "GB"),
        ("2 * memory", BYTE, "", "GB"),
        ("memory * 2", BYTE, "", "GB"),
        ("2 / time", HERTZ, "", ""),
        ("mfu * memory", BYTE, "", "GB"),
        ("memory * mfu", BYTE, "", "GB"),
        ("memory * time", plus(BYTE, SECOND), "", ""),
        ("memory / time", plus(BYTE, SECOND, -1), "", ""),
        ("mfu * mfu", NONE, "", ""),
        ("mfu * plain", NONE, "", ""),
        ("plain * mfu", NONE, "", ""),
        ("mfu + mfu", NONE, "", "%"),
        ("gpus + gpus", NONE, "gpus", "gpus"),
        ("gpus + 1", NONE, "gpus", "gpus"),
        ("1 + gpus", NONE, "gpus", "gpus"),
        ("gpus + tokens", NONE, "", "gpus"),
        ("memory + 0", BYTE, "", "GB"),
        ("0 + memory", BYTE, "", "GB"),
        ("0 - memory", BYTE, "", "GB"),
        ("3 GiB + memory", BYTE, "", "GiB"),
        ("power * time", dimension("joules"), "", ""),
        ("$2/gpu-hour", dimension("usd/s"), "/gpus", "$/gpu-hour"),
        ("4 nodes", NONE, "nodes", "nodes"),
        ("3 tokens/s", HERTZ, "tokens", "tokens/s"),
    ],
)
def test_dimensions_multiply_and_tags_stay_where_they_mean_something(
    text: str, dimension: tuple[int, ...], tag: str, unit: str
) -> None:
    own, lines = typed(text)
    assert (tuple(own), lines) == (("number", dimension, tag, (), unit), [])


@pytest.mark.parametrize("text", ["7:1", "1:1", "0.5:0.25"])
def test_a_ratio_is_a_plain_number(text: str) -> None:
    assert typed(text) == (PLAIN, [])


PARTS = {"1:2": "one half", "1:3": "one third", "1:4": "one quarter", "1:5": "one fifth", "1:6": "one sixth"}
PARTS |= {"1:7": "one seventh", "1:8": "one eighth", "2:16": "one eighth", "1:9": "11%", "2:3": "67%"}


@pytest.mark.parametrize(("text", "part"), PARTS.items())
def test_a_ratio_below_one_is_turned_round(text: str, part: str) -> None:
    down, up = text.split(":")
    own, lines = typed(text)
    assert own == Type("any")
    assert lines == [
        "E20 oversubscription below one",
        f"[{text}: reads as {float(down) / float(up):.2g}]",
        f"note: the ratio is downlink:uplink, so {up}:{down} means {part} of the bandwidth leaves",
        f"note: some papers write the same fabric as {text}",
        f"did you mean {up}:{down}?",
    ]


TOLD = """
3:0
    E24 3:0 is not a ratio
    [3:0: divides by zero]
    note: a ratio is downlink:uplink, both of them more than zero
0:3
    E24 0:3 is not a ratio
    [0:3: is nothing]
    note: a ratio is downlink:uplink, both of them more than zero
10 furlong
    E17 `furlong` is not a unit
    [furlong: unknown unit]
[80] Gbps
    E17 `Gbps` is not a unit
    [Gbps: unknown unit]
    write Gb/s (bits) or GB/s (bytes)
3 months
    E17 `months` is not a unit
    [3 months: unknown unit]
    note: months and years differ in length
    write 90 days
"""


@pytest.mark.parametrize(("text", "lines"), wanted(TOLD), ids=[text for text, _ in wanted(TOLD)])
def test_what_has_no_type_is_told(text: str, lines: list[str]) -> None:
    assert typed(text) == (Type("any"), lines)

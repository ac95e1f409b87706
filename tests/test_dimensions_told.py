"""What is told of expressions that do not go together: the words, what they mark, what to write instead."""

import pytest

from dsl.algebra import FLAG, PLAIN, Type
from dsl.quantities import dimension
from dsl.units import BYTE, DOLLAR, NONE
from tests.told import wanted
from tests.typed_names import typed

TOLD = """
memory + speed
    E18 bytes and bytes per second cannot be added
    [speed: bytes per second] [memory: bytes]
    note: they differ by seconds
speed + 450 GB
    E18 bytes per second and bytes cannot be added
    [450 GB: bytes] [speed: bytes per second]
    note: they differ by 1 per second
    write 450 GB/s
4 GB - 3 GB/s
    E18 bytes and bytes per second cannot be subtracted
    [3 GB/s: bytes per second] [4 GB: bytes]
    note: they differ by seconds
    write 3 GB
memory + 80
    E19 80 what?
    [80: needs a unit] [memory: in bytes]
    write 80 GB
80 + memory
    E19 80 what?
    [80: needs a unit] [memory: in bytes]
    write 80 GB
4 + price
    E19 4 what?
    [4: needs a unit] [price: in dollars per second]
    write $4/hour
carbon + 3
    E19 3 what?
    [3: needs a unit] [carbon: in kg]
    write 3 t
0 + memory + time
    E18 bytes and seconds cannot be added
    [time: seconds] [memory: bytes]
    note: they differ by bytes per second
memory + 0 + time
    E18 bytes and seconds cannot be added
    [time: seconds] [memory: bytes]
    note: they differ by bytes per second
power * 2 < energy
    E18 watts and joules cannot be compared
    [energy: joules] [power * 2: watts]
    note: they differ by 1 per second
cost <= 3 days
    E18 dollars and seconds cannot be compared
    [3 days: seconds] [cost: dollars]
    note: they differ by dollars per second
3 < 4 GB
    E19 3 what?
    [3: needs a unit] [4 GB: in bytes]
    write 3 GB
memory / 0
    E24 a division by zero
    [0: is zero]
    divide by a value that is never zero
2 / 0 GB
    E24 a division by zero
    [0 GB: is zero]
    divide by a value that is never zero
1..3
    E16 a range only stands where a setting varies
    [1..3: here]
    write it in a vary { } block
mfu >= 38
    E19 `mfu` is a share
    [38: 38 what?]
    note: 38 would be 3_800%
    write 38%
mfu >= 2
    E19 `mfu` is a share
    [2: 2 what?]
    note: 2 would be 200%
    write 2%
38 <= mfu
    E19 `mfu` is a share
    [38: 38 what?]
    note: 38 would be 3_800%
    write 38%
mfu < 3 < 5
    E19 `mfu` is a share
    [3: 3 what?]
    note: 3 would be 300%
    write 3%
memory and on
    E16 a condition belongs here
    [memory: this is a number]
    compare it: memory <= 72 GB
on and mfu
    E16 a condition belongs here
    [mfu: this is a number]
    compare it: mfu >= 35%
time or on
    E16 a condition belongs here
    [time: this is a number]
    compare it: time <= 30 days
power or on
    E16 a condition belongs here
    [power: this is a number]
    compare it: power <= 2 MW
energy or on
    E16 a condition belongs here
    [energy: this is a number]
    compare it: energy <= 500 MWh
plain or on
    E16 a condition belongs here
    [plain: this is a number]
    compare it: plain <= 8
gpus or on
    E16 a condition belongs here
    [gpus: this is a number]
    compare it: gpus <= 8
title and on
    E16 a condition belongs here
    [title: this is a text]
    compare it: mfu >= 35%
not memory
    E16 a condition belongs here
    [memory: this is a number]
    compare it: memory <= 72 GB
if 3 then 1 else 2
    E16 a condition belongs here
    [3: this is a number]
    compare it: 3 <= 8
on + 1
    E16 a number belongs here
    [on: this is a condition]
-on
    E16 a number belongs here
    [on: this is a condition]
on ^ 2
    E16 a number belongs here
    [on: this is a condition]
memory ^ 10
    E18 a quantity is only raised to a whole number
    [10: here]
    divide by a unit first: (x / 1 GB) ^ 0.5
memory ^ 0.5
    E18 a quantity is only raised to a whole number
    [0.5: here]
    divide by a unit first: (x / 1 GB) ^ 0.5
memory ^ 200%
    E18 a quantity is only raised to a whole number
    [200%: here]
    divide by a unit first: (x / 1 GB) ^ 0.5
memory ^ 2 GB
    E18 an exponent is a plain number
    [2 GB: bytes]
2 ^ memory
    E18 an exponent is a plain number
    [memory: bytes]
recompute == ful
    E21 `ful` is not a choice of `recompute`
    [ful: not one of them]
    note: choices: none, selective, full
    did you mean `full`?
recompute != 3
    E16 `recompute` is a choice
    [3: not a word] [recompute: a choice]
    note: choices: none, selective, full
    compare it with one of them
3 == recompute
    E16 `recompute` is a choice
    [3: not a word] [recompute: a choice]
    note: choices: none, selective, full
    compare it with one of them
recompute in [none, 3]
    E16 `recompute` is a choice
    [3: not a word] [recompute: a choice]
    note: choices: none, selective, full
    compare it with one of them
recompute < none
    E16 `<` cannot compare choices
    [none: here] [recompute: a choice]
    use ==, != or in [ ]
on < on
    E16 `<` cannot compare these
    [on: this is a condition] [on: this is a condition]
on == 3
    E16 `==` cannot compare these
    [3: this is a number] [on: this is a condition]
title < "b"
    E16 `<` cannot compare these
    ["b": this is a text] [title: this is a text]
mfu in 3
    E16 `in` looks in a list
    [3: this is a number]
    write [3]
time in [1 GB]
    E18 seconds and bytes cannot be compared
    [[1 GB]: bytes] [time: seconds]
    note: they differ by seconds per byte
3 GB divides time
    E18 bytes and seconds cannot be divided evenly
    [time: seconds] [3 GB: bytes]
    note: they differ by bytes per second
gpus divides 3 GB
    E18 a plain number and bytes cannot be divided evenly
    [3 GB: bytes] [gpus: a plain number]
    note: they differ by 1 per byte
if on then 1 GB else 2 s
    E18 bytes and seconds cannot be alternatives
    [2 s: seconds] [1 GB: bytes]
    note: they differ by bytes per second
if on then 1 GB else 2
    E19 2 what?
    [2: needs a unit] [1 GB: in bytes]
    write 2 GB
if on then on else 3
    E16 the two alternatives are of different kinds
    [3: a number] [on: a condition]
if on then on else "a"
    E16 the two alternatives are of different kinds
    ["a": a text] [on: a condition]
[1 GB, 2] GB
    E18 this item has a unit, and so has its list
    [1 GB: has a unit] [GB: for all items]
    give one of the two
[1 GB, 2 s]
    E18 bytes and seconds cannot be in one list
    [2 s: seconds] [1 GB: bytes]
    note: they differ by bytes per second
[0, memory, time]
    E18 bytes and seconds cannot be in one list
    [time: seconds] [memory: bytes]
    note: they differ by bytes per second
[1, 2] furlong
    E17 `furlong` is not a unit
    [furlong: unknown unit]
memory as s
    E18 `s` cannot show this
    [s: for seconds] [memory: bytes]
    write GB
mfu as s
    E18 `s` cannot show this
    [s: for seconds] [mfu: a plain number]
    write %
on as GB
    E18 `GB` cannot show this
    [GB: for bytes] [on: a condition]
    leave the unit out
memory as furlong
    E17 `furlong` is not a unit
    [furlong: unknown unit]
range(1, 4)
    E15 a range is written with two dots
    [range(1, 4): no function]
    note: both ends are part of it; doubling and step 2 may follow
    write 1..4
range(1)
    E15 there is no function `range`
    [range: not found]
    note: functions: min, max, ceil, floor, round, abs, sqrt, log2
maxx(1, 2)
    E15 there is no function `maxx`
    [maxx: not found]
    note: functions: min, max, ceil, floor, round, abs, sqrt, log2
    did you mean `max`?
max()
    E16 max( ) takes one value or more, without names
    [max(): here]
ceil(1, 2)
    E16 ceil( ) takes one value, without names
    [ceil(1, 2): here]
ceil(x = 1)
    E16 ceil( ) takes one value, without names
    [ceil(x = 1): here]
max(1, x = 2)
    E16 max( ) takes one value or more, without names
    [max(1, x = 2): here]
ceil(on)
    E16 a number belongs here
    [on: this is a condition]
max(memory, 3)
    E19 3 what?
    [3: needs a unit] [memory: in bytes]
    write 3 GB
max(memory, 3 GB, time)
    E18 bytes and seconds cannot be compared
    [time: seconds] [memory: bytes]
    note: they differ by bytes per second
max(0, 0, memory, time)
    E18 bytes and seconds cannot be compared
    [time: seconds] [memory: bytes]
    note: they differ by bytes per second
sqrt(memory)
    E18 sqrt( ) of bytes depends on the unit
    [memory: bytes]
    divide by a unit: sqrt(memory / 1 GB)
sqrt(memory ^ 3)
    E18 sqrt( ) of bytes^3 depends on the unit
    [memory ^ 3: bytes^3]
ceil(memory)
    E18 ceil( ) of bytes depends on the unit
    [memory: bytes]
    divide by a unit: ceil(memory / 1 GB)
round(price)
    E18 round( ) of dollars per second depends on the unit
    [price: dollars per second]
    divide by a unit: round(price / $1/gpu-hour)
"""


@pytest.mark.parametrize(("text", "lines"), wanted(TOLD), ids=[text for text, _ in wanted(TOLD)])
def test_what_does_not_go_together_is_told_in_these_words(text: str, lines: list[str]) -> None:
    assert typed(text)[1] == lines


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("on and on or not on", FLAG),
        ("1 < plain < 3", FLAG),
        ("recompute == none", FLAG),
        ("none != recompute", FLAG),
        ('recompute in [none, "full"]', FLAG),
        ("model == llama", FLAG),
        ("mfu >= 1", FLAG),
        ("plain >= 38", FLAG),
        ("40% >= 38", FLAG),
        ("mfu >= plain", FLAG),
        ('title in ["a", "b"]', FLAG),
        ("mfu in [30%, 40%]", FLAG),
        ("memory ^ 0", Type("number", NONE)),
        ("memory ^ 2", Type("number", (2, 0, 0, 0, 0, 0))),
        ("memory ^ 9", Type("number", (9, 0, 0, 0, 0, 0))),
        ("mfu ^ 0.5", PLAIN),
        ("sqrt(memory ^ 4)", Type("number", (2, 0, 0, 0, 0, 0))),
        ("sqrt(speed * speed)", Type("number", dimension("bytes/s"))),
        ("sqrt(mfu)", PLAIN),
        ("abs(-mfu)", Type("number", NONE, "", (), "%")),
        ("floor(mfu)", PLAIN),
        ("max(1)", PLAIN),
        ("max(" + ", ".join(map(str, range(150))) + ")", PLAIN),
        ("max(0, memory)", Type("number", BYTE, "", (), "GB")),
        ("min(30%, mfu)", Type("number", NONE, "", (), "%")),
        ("memory * 0", Type("number", BYTE, "", (), "GB")),
        ("memory - 0", Type("number", BYTE, "", (), "GB")),
        ("if on then 3 GB else memory", Type("number", BYTE, "", (), "GB")),
        ("if on then 0 else cost", Type("number", DOLLAR, "", (), "$M")),
        ('if on then "a" else title', Type("text")),
        ("[1, 2] GB", Type("list", BYTE, "", (), "GB")),
        ("[0, memory]", Type("list", BYTE, "", (), "GB")),
        ("[1, 2]", Type("list")),
        ("[memory, on]", Type("list")),
        ("[]", Type("list")),
        ("memory as GiB", Type("number", BYTE, "", (), "GiB")),
        ("price as $/hour", Type("number", dimension("usd/s"), "/gpus", (), "$/hour")),
        ('memory called "Peak"', Type("number", BYTE, "", (), "GB")),
        ("7:1", PLAIN),
        ("-memory", Type("number", BYTE, "", (), "GB")),
        ("recompute", Type("choice", NONE, "", ("none", "selective", "full"))),
    ],
)
def test_what_goes_together_has_a_type(text: str, own: Type) -> None:
    assert typed(text) == (own, [])


@pytest.mark.parametrize(
    "text",
    [
        "on or nothing",
        "nothing + 1",
        "memory * nothing",
        "-nothing",
        "nothing ^ 2",
        "2 ^ nothing",
        "nothing == 3",
        "3 in nothing",
        "if nothing then 1 else 2",
        "if on then nothing else 3",
        "max(nothing, 1)",
        "max(1, nothing)",
        "log2(nothing)",
        "nothing as GB",
        "[1, nothing] GB",
        "memory / (nothing - 1)",
    ],
)
def test_of_an_unknown_name_nothing_else_is_told(text: str) -> None:
    assert typed(text) == (Type("any"), ["E15 there is no `nothing`", "[nothing: here]"])


def test_a_comparison_with_a_mistake_hides_no_other() -> None:
    found = typed("memory < time < 3")
    assert found[0] == FLAG
    assert typed("mfu in 3")[0] == Type("any")
    assert [line for line in found[1] if line.startswith("E")] == [
        "E18 bytes and seconds cannot be compared",
        "E19 3 what?",
    ]

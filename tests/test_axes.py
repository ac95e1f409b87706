"""What varies: the values of ranges, lists and distributions, and what is told of those that are none."""

import pytest

from dsl import axes as own
from dsl.limits import AXIS
from dsl.scenario import Axis
from tests.language import START, resolved
from tests.told import lines_of, wanted


def axes(line: str) -> list[Axis]:
    """The axes of a sweep that varies ``line``."""
    scenario, problems = resolved(f"{START}sweep s {{ base = base, vary {{ {line} }} }}\n")
    assert not problems, problems
    return [axis for one in scenario.experiments for axis in getattr(one, "axes", ())]


@pytest.mark.parametrize(
    ("line", "values", "texts"),
    [
        ("layout.tensor = 1..4", (1, 2, 3, 4), "1, 2, 3, 4"),
        ("layout.tensor = 2..2", (2,), "2"),
        ("layout.tensor = 1..16 doubling", (1, 2, 4, 8, 16), "1, 2, 4, 8, 16"),
        ("layout.tensor = 3..24 doubling", (3, 6, 12, 24), "3, 6, 12, 24"),
        ("layout.tensor = 4..4 doubling", (4,), "4"),
        ("layout.tensor = 1..10 doubling", (1, 2, 4, 8), "1, 2, 4, 8"),
        ("layout.tensor = 2..8 step 3", (2, 5, 8), "2, 5, 8"),
        ("layout.tensor = 2..9 step 3", (2, 5, 8), "2, 5, 8"),
        ("layout.tensor = [1, 2, 4]", (1, 2, 4), "1, 2, 4"),
        ("layout.tensor = 4", (4,), "4"),
        ("batch = 512..1024 sequences step 256", (512, 768, 1024), "512 sequences, 768 sequences, 1_024 sequences"),
        ("batch = [512, 1024] sequences", (512, 1024), "512 sequences, 1024 sequences"),
        ("batch = [512 sequences, 8Mi tokens]", (512, 1024), "512 sequences, 8Mi tokens"),
        ("batch = 4Mi..8Mi tokens doubling", (512, 1024), "4_194_304 tokens, 8_388_608 tokens"),
        ("cluster.tier.pod.bandwidth = 100..200 Gb/s step 50", (12.5e9, 18.75e9, 25e9), "100 Gb/s, 150 Gb/s, 200 Gb/s"),
        ("memory.reserve = 1..3 GB", (1e9, 2e9, 3e9), "1 GB, 2 GB, 3 GB"),
        ("memory.reserve = 0..2 GB step 1 GB", (0, 1e9, 2e9), "0 GB, 1 GB, 2 GB"),
        ("memory.reserve = 0.5..1.5 GB step 0.5", (0.5e9, 1e9, 1.5e9), "0.5 GB, 1 GB, 1.5 GB"),
        ("precision = [bf16, fp8]", ("bf16", "fp8"), "bf16, fp8"),
        ("cluster.gpus = [8, 16]", (8, 16), "8, 16"),
        (
            "layout.schedule = [gpipe, interleaved(virtual_stages = 2)]",
            ("gpipe", {"layout.schedule": "interleaved", "layout.schedule.virtual_stages": 2}),
            "gpipe, interleaved(virtual_stages = 2)",
        ),
        (
            "tokens = normal(1T tokens, 2B tokens)",
            ({"distribution": "normal", "arguments": (1e12, 2e9)},),
            "normal(1T tokens, 2B tokens)",
        ),
    ],
)
def test_an_axis_has_its_values_and_their_texts(line: str, values: tuple[object, ...], texts: str) -> None:
    (axis,) = axes(line)
    written = ", ".join(axis.texts)
    assert (axis.path, axis.values, written, axis.together) == (line.split(" =")[0], values, texts, 0)


def test_the_most_values_of_an_axis() -> None:
    (axis,) = axes(f"memory.reserve = 1..{AXIS} bytes")
    assert (len(axis.values), axis.values[-1], axis.texts[-1]) == (AXIS, AXIS, f"{AXIS:_} bytes")
    assert lines_of(f"sweep s {{ base = base, vary {{ memory.reserve = 1..{AXIS + 1} bytes }} }}\n") == [
        f"E20 this range has {AXIS + 1:_} values",
        f"[1..{AXIS + 1} bytes: more than {AXIS:_}]",
        "give it a larger step",
    ]


def test_the_most_points_and_values_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    two, three = "layout.tensor = [1, 2]", "layout.pipeline = [1, 2, 4]"
    monkeypatch.setattr(own, "POINTS", 6)
    monkeypatch.setattr(own, "AXES", 5)
    monkeypatch.setattr(own, "AXIS", 3)
    assert [len(axis.values) for axis in axes(f"{two}, {three}")] == [2, 3]
    head, counts = "sweep s { base = base, vary { ", "note: layout.tensor has 2 values, layout.pipeline has 3 values"
    long = lines_of(f"{head}layout.tensor = [1, 2, 4, 8] }} }}\n")
    assert long == ["E20 this list has 4 values", "[[1, 2, 4, 8]: more than 3]",
                    "give it fewer values, or a range with a step"]  # fmt: skip
    marked, help = f"[{three}: more than ", "take fewer values, or let some vary together"
    monkeypatch.setattr(own, "AXES", 4)
    many = [f"{marked}4]", counts, help]
    assert lines_of(f"{head}{two}, {three} }} }}\n") == ["E20 what varies has 5 values", *many]
    monkeypatch.setattr(own, "AXES", 5)
    monkeypatch.setattr(own, "POINTS", 5)
    points = [f"{marked}5]", counts, help]
    assert lines_of(f"{head}{two}, {three} }} }}\n") == ["E20 this varies over 6 points", *points]


def test_blocks_that_vary_together_have_their_number() -> None:
    text = "sweep s { base = base\nvary { layout.tensor = [1, 2] }\n"
    text += "vary together { layout.pipeline = [1, 2], layout.context = [1, 4] } }\n"
    scenario, problems = resolved(START + text)
    (sweep,) = (one for one in scenario.experiments if getattr(one, "axes", ()))
    assert not problems
    assert [(axis.path, axis.together) for axis in getattr(sweep, "axes", ())] == [
        ("layout.tensor", 0),
        ("layout.pipeline", 2),
        ("layout.context", 2),
    ]
    unlike = text.replace("layout.context = [1, 4]", "layout.context = [1, 2, 4]")
    assert lines_of(unlike) == [
        "E26 settings that vary together have the same number of values",
        "[together: differ]",
        "note: layout.pipeline has 2, layout.context has 3",
        "give each as many, or write vary for a product",
    ]


TOLD = """
layout.tensor = 1..10 doubling
    W01 this range stops at 8
    [1..10: does not land on 10]
    note: the next value would be 16
    write 1..8
layout.tensor = 2..9 step 3
    W01 this range stops at 8
    [2..9 step 3: does not land on 9]
    note: the next value would be 11
    write 2..8 step 3
cluster.tier.pod.bandwidth = 100..250 Gb/s step 100
    W01 this range stops at 200
    [100..250 Gb/s step 100: does not land on 250 Gb/s]
    note: the next value would be 300 Gb/s
    write 100..200 Gb/s step 100
layout.tensor = 4..2
    E20 a range starts at its smaller end
    [4..2: 4 is more than 2]
    write 2..4
batch = 1024..512 sequences
    E20 a range starts at its smaller end
    [1024..512 sequences: 1024 is more than 512 sequences]
    write 512..1024 sequences
layout.tensor = 0..2
    E20 `layout.tensor` is at least 1
    [0: reads as 0]
    note: tensor-parallel degree
    write 1 or more
layout.tensor = 1..4 step 0
    E20 a step is more than zero
    [0: here]
    note: the range would never end
memory.reserve = 0..4 GB doubling
    E20 doubling starts above zero
    [0: here]
layout.tensor = []
    E27 `layout.tensor` varies over nothing
    [layout.tensor = []: varies nothing]
    give it values: [1, 2, 4]
precision = bf16..fp8
    E16 `precision` has no range
    [bf16..fp8: not a number]
    write [bf16, fp16, fp8, fp4, fp32]
layout.schedule = [interleaved(virtual_stages = 0)]
    E20 `layout.schedule.virtual_stages` is at least 2
    [0: reads as 0]
    note: model chunks per rank
    write 2 or more
layout.order = [tensor]
    E27 `layout.order` cannot vary
    [layout.order: varies nothing]
    note: one value is taken for a whole table
    write a run for each of them, and compare the runs
layout.stages = [1, 2] layers
    E27 `layout.stages` cannot vary
    [layout.stages: varies nothing]
    note: a list does not vary
    write a run for each of them, and compare the runs
nothing = 3
    E11 `nothing` is not a setting of run `base`
    [nothing: varies nothing]
tokens = normal(1T tokens)
    E16 normal( ) takes 2 values
    [normal(1T tokens): 1 given]
    note: normal(mean, deviation)
    give it mean and deviation
layout.tensor = triangular(1, 2)
    E16 triangular( ) takes 3 values
    [triangular(1, 2): 2 given]
    note: triangular(low, mode, high)
    give it low and mode and high
"""


@pytest.mark.parametrize(("line", "lines"), wanted(TOLD), ids=[text for text, _ in wanted(TOLD)])
def test_what_does_not_vary_is_told(line: str, lines: list[str]) -> None:
    assert lines_of(f"sweep s {{ base = base, vary {{ {line} }} }}\n") == lines

"""What a sensitivity says of settings that are not uncertain, to the letter; how ranges are read."""

import pytest

from tests.language import START, scenario_of
from tests.told import told_of, wanted

TOLD = """
sensitivity s { base = base, show = mfu | vary { tokens = 1..3T tokens } }
sensitivity s { base = base, show = mfu | vary { model = [small] } }
    E27 `model` is no number
    [[small]: not uncertain]
    note: an uncertain setting is low..high, normal, triangular, uniform or lognormal
    note: the model trained
    compare runs that differ in it
sensitivity s { base = base, show = mfu | vary { cluster.nodes = [8, 16] } }
    E27 `cluster.nodes` has no range
    [[8, 16]: not uncertain]
    note: an uncertain setting is low..high, normal, triangular, uniform or lognormal
    note: nodes bought or rented
    write a range or a distribution: cluster.nodes = low..high
sensitivity s { base = base, show = mfu | vary { cluster.nodes = 8..32 step 8 } }
    E27 `cluster.nodes` has no range
    [8..32 step 8: not uncertain]
    note: an uncertain setting is low..high, normal, triangular, uniform or lognormal
    note: nodes bought or rented
    write a range or a distribution: cluster.nodes = low..high
sensitivity s { base = base, show = mfu | vary { cluster.nodes = 8..32 doubling } }
    E27 `cluster.nodes` has no range
    [8..32: not uncertain]
    note: an uncertain setting is low..high, normal, triangular, uniform or lognormal
    note: nodes bought or rented
    write a range or a distribution: cluster.nodes = low..high
sensitivity s { base = base, show = mfu | vary { layout.schedule = gpipe } }
    E27 `layout.schedule` is no number
    [gpipe: not uncertain]
    note: an uncertain setting is low..high, normal, triangular, uniform or lognormal
    note: pipeline schedule
    compare runs that differ in it
sensitivity s { base = base, show = mfu | vary { cluster.nodez = 8..32 } }
    E11 `cluster.nodez` is not a setting of run `base`
    [cluster.nodez: varies nothing]
    did you mean `cluster.nodes`?
sensitivity s { base = base, show = mfu | vary { stack.passes = normal(0.9, 0) } }
    E20 `stack.passes`: a deviation is more than zero
    [stack.passes = normal(0.9, 0): draws nothing]
    write normal(mean, deviation), such as normal(80, 5)
sensitivity s { base = base, show = mfu | vary { stack.passes = normal(0.9, 0.1) } }
sensitivity s { base = base, show = mfu | vary { stack.passes = lognormal(0, 1.5) } }
    E20 `stack.passes`: a median is more than zero and a factor more than one
    [stack.passes = lognormal(0, 1.5): draws nothing]
    write lognormal(median, factor), such as lognormal(80, 1.2)
sensitivity s { base = base, show = mfu | vary { stack.passes = lognormal(0.9, 1) } }
    E20 `stack.passes`: a median is more than zero and a factor more than one
    [stack.passes = lognormal(0.9, 1): draws nothing]
    write lognormal(median, factor), such as lognormal(80, 1.2)
sensitivity s { base = base, show = mfu | vary { stack.passes = lognormal(0.9, 1.5) } }
sensitivity s { base = base, show = mfu | vary { stack.passes = uniform(0.9, 0.7) } }
    E20 `stack.passes`: uniform has its values from low to high
    [stack.passes = uniform(0.9, 0.7): draws nothing]
    put the smaller value first
sensitivity s { base = base, show = mfu | vary { stack.passes = uniform(0.9, 0.9) } }
    E20 `stack.passes`: uniform has its values from low to high
    [stack.passes = uniform(0.9, 0.9): draws nothing]
    put the smaller value first
sensitivity s { base = base, show = mfu | vary { stack.passes = triangular(0.7, 0.6, 0.9) } }
    E20 `stack.passes`: triangular has its values from low to high
    [stack.passes = triangular(0.7, 0.6, 0.9): draws nothing]
    put the smaller value first
sensitivity s { base = base, show = mfu | vary { stack.passes = triangular(0.7, 0.7, 0.9) } }
sensitivity s { base = base, show = mfu | vary { stack.passes = triangular(0.7, 0.9, 0.9) } }
sensitivity s { base = base, show = mfu | vary { stack.passes = 0.9..0.7 } }
    E20 `stack.passes`: uniform has its values from low to high
    [stack.passes = 0.9..0.7: draws nothing]
    put the smaller value first
"""


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told


def test_a_range_is_drawn_evenly_and_its_ends_share_a_unit() -> None:
    text = "sensitivity s {\n base = base\n vary { tokens = 3..5T tokens, stack.passes = normal(0.9, 0.2) }\n}\n"
    (table,) = scenario_of(START + text).tables
    assert {axis.path: axis.values for axis in table.axes} == {
        "tokens": ({"distribution": "uniform", "arguments": (3.0, 5e12)},),
        "stack.passes": ({"distribution": "normal", "arguments": (0.9, 0.2)},),
    }
    assert [axis.texts for axis in table.axes] == [("3..5T tokens",), ("normal(0.9, 0.2)",)]


def test_ends_that_state_their_units_keep_them() -> None:
    text = (
        "sensitivity s {\n base = base\n vary { cluster.gpu.memory = 80 GB..1 TB, cluster.gpu.power = 600..800 W }\n}\n"
    )
    (table,) = scenario_of(START + text).tables
    assert [axis.values[0]["arguments"] for axis in table.axes] == [(80e9, 1e12), (600.0, 800.0)]

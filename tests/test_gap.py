"""How far a point misses a rule: only where one number is held below or above another."""

import pytest

from dsl.gap import gap, sides
from tests.language import START, scenario_of


@pytest.mark.parametrize(
    ("rule", "two"),
    [
        ("layout.tensor <= 4", True),
        ("4 < layout.tensor", True),
        ("layout.tensor == 4", False),
        ("1 <= layout.tensor <= 4", False),
        ("layout.tensor <= 4 and layout.pipeline <= 4", False),
        ("precision == bf16", False),
    ],
)
def test_a_rule_has_two_sides_where_it_compares_two_numbers(rule: str, two: bool) -> None:
    run = scenario_of(START + f"run r from base {{ require {rule} }}\n").runs[-1]
    assert (sides(run.requires[-1]) is not None) == two


def test_the_gap_is_a_share_of_the_larger_side() -> None:
    run = scenario_of(START + "run r from base { require layout.tensor <= 4 }\n").runs[-1]
    both = sides(run.requires[-1])
    assert gap(both, {"layout.tensor": 16.0}) == 0.75 == gap(both, {"layout.tensor": 1.0})
    assert gap(both, {"layout.tensor": 4.0}) == 0.0 and gap(None, {}) is None

"""Why an expression has no result, told to the letter."""

import pytest

from tests.told import told_of, wanted

TOLD = """
run r from base { layout { tensor = 8 / (layout.context - 1) } }
    E24 a division by zero
    [(layout.context - 1): is zero]
    note: `layout.context - 1` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = 8 / layout.pipeline / (layout.context - layout.pipeline) } }
    E24 a division by zero
    [(layout.context - layout.pipeline): is zero]
    note: `layout.context - layout.pipeline` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = 1 / 0 } }
    E24 a division by zero
    [0: is zero]
    divide by a value that is never zero
run r from base { let none = layout.context - 1, layout { tensor = 3 + 8 / none } }
    E24 a division by zero
    [none: is zero]
    divide by a value that is never zero
run r from base { let none = 8 / (layout.context - 1), layout { tensor = none * 3 } }
    E24 a division by zero
    [(layout.context - 1): is zero] [none: used here]
    note: `layout.context - 1` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = sqrt(layout.context - 3) } }
    E24 sqrt( ) of a number that is not positive
    [layout.context - 3: reads as -2]
    take it of a positive number
run r from base { layout { tensor = 1 + sqrt(layout.context - 1) } }
run r from base { layout { tensor = log2(layout.context - 1) } }
    E24 log2( ) of a number that is not positive
    [layout.context - 1: reads as 0]
    take it of a positive number
run r from base { layout { tensor = log2(layout.context - 3) } }
    E24 log2( ) of a number that is not positive
    [layout.context - 3: reads as -2]
    take it of a positive number
run r from base { layout { tensor = 1 + log2(layout.context) } }
run r from base { layout { tensor = (layout.context - 3) ^ 0.5 } }
    E24 a root of a negative number
    [(layout.context - 3): reads as -2]
    take it of a positive number
run r from base { layout { tensor = (layout.context - 3) ^ 2 } }
run r from base { layout { tensor = (layout.context - 1) ^ 0.5 + 4 } }
run r from base { layout { tensor = 10 ^ (300 * layout.context) * 10 ^ (9 * layout.context) } }
    E24 this is too large a number
    [10 ^ (300 * layout.context) * 10 ^ (9 * layout.context): more than 1.8e308]
    note: a computer holds no larger ones
    check the units and the factors
run r from base { layout { tensor = 3 + 10 ^ (300 * layout.context) * 10 ^ (9 * layout.context) } }
    E24 this is too large a number
    [10 ^ (300 * layout.context) * 10 ^ (9 * layout.context): more than 1.8e308]
    note: a computer holds no larger ones
    check the units and the factors
run r from base { layout { tensor = 10 ^ (400 * layout.context) } }
    E24 this is too large a number
    [10 ^ (400 * layout.context): more than 1.8e308]
    note: a computer holds no larger ones
    check the units and the factors
run r from base { layout { tensor = if layout.context > 1 then 2 else 8 / (layout.pipeline - 1) } }
    E24 a division by zero
    [(layout.pipeline - 1): is zero]
    note: `layout.pipeline - 1` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = max(3, 8 / (layout.pipeline - 1)) } }
    E24 a division by zero
    [(layout.pipeline - 1): is zero]
    note: `layout.pipeline - 1` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = -(8 / (layout.pipeline - 1)) } }
    E24 a division by zero
    [(layout.pipeline - 1): is zero]
    note: `layout.pipeline - 1` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = sqrt(0.5) + log2(3) + (layout.context - 1) ^ 0.5 + 8 / (layout.context - 1) } }
    E24 a division by zero
    [(layout.context - 1): is zero]
    note: `layout.context - 1` comes to 0
    divide by a value that is never zero
run r from base { layout { tensor = (layout.context - 1) ^ -2 } }
    E24 a division by zero
    [(layout.context - 1): is zero]
    divide by a value that is never zero
run r from base { layout { tensor = (layout.context - 3) ^ -2 + 8 / (layout.context - 1) } }
    E24 a division by zero
    [(layout.context - 1): is zero]
    note: `layout.context - 1` comes to 0
    divide by a value that is never zero
"""


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told

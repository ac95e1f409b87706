"""What does not hold, for the terminal."""

from reports.commands.unmet import unmet
from reports.document import build
from tests.language import START, scenario_of

FITS = "layout { tensor = 8, pipeline = 4, recompute = full }\n"


def lines(run: str) -> list[str]:
    """What does not hold in a run r, without the words that name it."""
    found = unmet(build(scenario_of(f"{START}run r from base {{\n{run}}}\n")))
    return [line.removeprefix("run `r`: ") for line in found if line.startswith("run `r`: ")]


def test_a_require_that_holds_is_not_mentioned() -> None:
    assert lines(FITS + "require layout.tensor == 8\n") == []


def test_every_operand_of_a_failed_require_is_shown_with_its_value() -> None:
    condition = "layout.recompute == none and layout.tensor * layout.pipeline <= 16"
    assert lines(FITS + f'require {condition} because "the racks are small"\n') == [
        f"{condition} does not hold: layout.recompute = full, layout.tensor * layout.pipeline = 32, layout.tensor = 8,"
        ' layout.pipeline = 4, because "the racks are small" (case.scn:19)'
    ]


def test_values_stand_in_the_unit_they_are_compared_in() -> None:
    (line,) = lines(FITS + "require cluster.gpu.memory >= 100 GiB\n")
    assert line == "cluster.gpu.memory >= 100 GiB does not hold: cluster.gpu.memory = 74.51 GiB (case.scn:19)"


def test_a_layout_that_does_not_fit_says_by_how_much() -> None:
    (line,) = lines("layout { shard = none, micro_batch = 8 sequences }\n")
    assert "GiB more than the GPU has" in line

"""The reference page is what its tables say, and names everything that a scenario may hold."""

import re
from pathlib import Path

import pytest

from dsl.dimensions import DISTRIBUTIONS, FUNCTIONS
from dsl.kinds import ARGUMENTS, KINDS, Kind
from dsl.problems import CODES
from dsl.quantities import HOLDS
from dsl.reference import reference, table
from dsl.schema import REFERENCES
from dsl.units import REFUSED, UNITS
from engine.metrics import FACTS, METRICS

PAGE = Path(__file__).resolve().parents[1] / "dsl" / "REFERENCE.md"
MADE = reference(METRICS, FACTS)


def every(kind: Kind) -> list[Kind]:
    """A kind and the blocks inside it."""
    return [kind, *(inner for block in kind.blocks for inner in every(block))]


def section(name: str) -> str:
    """The text under a kind's own heading, its inner blocks included."""
    found = re.search(rf"^### {name}\n(.*?)(?=^##[^#]|^### )", MADE + "\n## \n", re.MULTILINE | re.DOTALL)
    assert found
    return found.group(1)


def test_the_page_does_not_lag() -> None:
    assert PAGE.read_text("utf-8") == reference(METRICS, FACTS), "run `make reference`"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_setting_has_a_row_in_its_kind(kind: Kind) -> None:
    text = section(kind.name)
    for inner in every(kind):
        for setting in inner.settings:
            rows = [line for line in text.split("\n") if line.startswith(f"| `{setting.path}` |")]
            assert any(setting.doc.replace("|", "\\|") in row for row in rows)
            assert any((f"`{setting.default}`" in row) if setting.default else True for row in rows)
            assert any("| required |" in row for row in rows) >= setting.required
            assert all(f"`{choice}`" in text for choice in setting.choices)


def test_arguments_stand_with_the_run() -> None:
    text = section("run")
    for (path, choice), rows in ARGUMENTS.items():
        assert text.count(f"Arguments of `{path.rpartition('.')[2]} = {choice}(…)`:") == 1
        assert [row.path for row in rows if f"| `{row.path}` |" not in text] == []


def test_everything_else_is_named() -> None:
    names = [*UNITS, *REFUSED, *FUNCTIONS, *DISTRIBUTIONS, *(m.name for m in (*METRICS, *FACTS))]
    assert [name for name in names if f"`{name}`" not in MADE] == []
    assert [code for code, meaning in CODES.items() if f"| {code} | {meaning} |" not in MADE] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_settings_hold_is_known(kind: Kind) -> None:
    known = {*HOLDS, *REFERENCES, "text", "flag", "date", "file", "choice", "expression", "axes", "sections"}
    held = {setting.holds.removeprefix("list of ") for inner in every(kind) for setting in inner.settings}
    assert held <= known


def test_sizes_of_units_are_those_of_the_table() -> None:
    for line in ("`GiB` 2^30", "`Gb` 10^9/8", "`us` 10^-6", "`bit` 1/8", "`day` 86,400", "`kWh` 3,600,000"):
        assert line in MADE


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert table(("a", "b"), [("x|y", "z")]) == "| a | b |\n| --- | --- |\n| x\\|y | z |\n"

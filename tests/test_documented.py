"""What the engine's docstrings say: where a function stands, in which room, and from what source."""

import ast

import pytest

from engine.provenance.documented import OTHER, Said, files, functions, parted, room_of, said


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("kernels.wave", ["kernels.py", ""]),
        ("operators.work.linear", ["operators/work.py", "operators.py", ""]),
        ("network.Group.bandwidth", ["network/Group.py", "network.py", ""]),
        ("alone", [""]),
    ],
)
def test_a_function_stands_in_the_file_that_its_name_begins_with(function: str, expected: list[str]) -> None:
    assert list(files(function)) == expected


@pytest.mark.parametrize(
    ("function", "room"),
    [
        ("kernels.wave", "Kernels"),
        ("operators.work.linear", "Operators"),
        ("collectives.all_reduce.seconds", "Collectives"),
        ("traffic.facts", "Facts for checks"),
        ("nowhere.known", "Facts for checks"),
    ],
)
def test_a_function_is_in_the_room_of_its_module(function: str, room: str) -> None:
    assert room_of(function) == room and OTHER == "Facts for checks"


def test_a_function_that_is_not_there_says_nothing() -> None:
    assert said("kernels.gone") == Said("kernels.gone", "Kernels", "", 0, "", "", "")
    assert said("nowhere.known") == Said("nowhere.known", "Facts for checks", "", 0, "", "", "")


def test_a_method_is_told_with_its_class_and_its_line() -> None:
    found = said("network.Group.bandwidth")
    assert (found.function, found.room, found.file) == (
        "network.Group.bandwidth", "Layout and network", "engine/network.py")  # fmt: skip
    assert found.line > 1 and found.text


MODULE = '''"""A module. Source: Of all 2020."""
LIMIT = 5

def first(x):
    """Twice x."""

class Held:
    def own(self):
        """Half of x. Left out: y. Source: Own 2021."""

def silent(x):
    return x
'''


def test_functions_of_a_module_and_its_classes_take_its_source_where_they_have_none() -> None:
    found = functions(ast.parse(MODULE), "kernels", "engine/kernels.py", "Of all 2020.")
    assert list(found) == [
        Said("kernels.first", "Kernels", "engine/kernels.py", 4, "Twice x.", "Of all 2020.", ""),
        Said("kernels.Held.own", "Kernels", "engine/kernels.py", 8, "Half of x.", "Own 2021.", "y."),
        Said("kernels.silent", "Kernels", "engine/kernels.py", 11, "", "Of all 2020.", ""),
    ]


def test_a_docstring_without_ends_is_text() -> None:
    assert parted("Half of x.") == {"text": "Half of x.", "left_out": "", "source": ""}
    assert parted("Source: A 2020.") == {"text": "", "left_out": "", "source": "A 2020."}

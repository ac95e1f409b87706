"""What holds for every figure, whatever it shows: none forgotten, crowds fit, marks tell values, grey prints."""

import pkgutil
import re
import time
from dataclasses import replace
from html import unescape
from importlib import import_module
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from reports import figures, style
from reports.figures.picture import Picture, told
from tests.figure_samples import point
from tests.other_samples import DATA, EVERY
from tests.test_figures import holds_whatever_the_data, whole

NAMES = sorted(dict.fromkeys((*figures.FIGURES, *figures.OF_EXPERIMENTS)))
LONG = "제목이 아주 긴 실행 — a name of two hundred letters, as a sweep over everything would make it " * 2
ROWS = ("step_time", "memory", "cost_by_line", "traffic_by_tier", "profiled", "measured", "changes", "calendar",
        "residuals")  # fmt: skip
SERIES = dict.fromkeys(ROWS, "rows") | {
    "columns": "bars", "scatter": "marks", "front": "options", "tornado": "swings", "removed": "rules",
    "predicted_measured": "spots", "residuals_by_scale": "spots", "roofline": "operators",
    "pipeline_schedule": "passes",
}  # fmt: skip
"""What a figure may have many of."""
SLOW = 6.0  # seconds of one core, for the largest of them


def test_every_figure_is_named_and_has_odd_data() -> None:
    found = {m.name for m in pkgutil.iter_modules(figures.__path__)}
    drawn = {m for m in found if hasattr(import_module(f"reports.figures.{m}"), "draw") and m not in ("roofline_key",)}
    assert drawn == set(NAMES) == set(EVERY)


@pytest.mark.parametrize("name", DATA)
def test_figure_of_odd_data(name: str) -> None:
    holds_whatever_the_data(name, DATA[name])


def crowd(name: str, data: Any) -> Any:
    """The data with a hundred of what it has several of, the first under a long name in two scripts."""
    own = getattr(data, SERIES[name])
    named = hasattr(own[0], "name")
    first = (replace(own[0], name=LONG),) if named else own[:1]
    return replace(data, **{SERIES[name]: (*first, *(own * 100)[:99])})


@pytest.mark.slow
@pytest.mark.parametrize("name", SERIES)
def test_a_hundred_of_a_kind_and_a_long_name_fit_in_bounded_time(name: str) -> None:
    draw = import_module(f"reports.figures.{name}").draw

    @settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(EVERY[name])
    def holds(data: Any) -> None:
        data, began = crowd(name, data), time.process_time()
        whole(draw(data))
        assert time.process_time() - began < SLOW

    holds()


@pytest.mark.parametrize("name", NAMES)
def test_marks_tell_their_values_on_screens_and_not_on_paper(name: str) -> None:
    draw, found = import_module(f"reports.figures.{name}").draw, []

    @settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(EVERY[name])
    def holds(data: Any) -> None:
        picture: Picture = draw(data)
        titles = re.findall(r"<title>([^<]*)</title>", picture.svg)
        assert sorted(map(unescape, titles)) == sorted(map(told, picture.tips))
        assert "<title>" not in picture.still and len(picture.still) <= len(picture.svg)
        assert all(any(tip) for tip in picture.tips) and picture.alt
        found.extend(titles)

    holds()
    assert found


def looks(svg: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Colors of plain areas, and color and dash of thick lines."""
    plain, lines = set(), set()
    svg = re.sub(r"<pattern.*?</pattern>", "", svg, flags=re.S)
    for own in re.findall(r'<path [^>]*style="([^"]*)"', svg):
        rules = dict(rule.split(": ", 1) for rule in own.split("; ") if ": " in rule)
        fill, width = rules.get("fill", "none").upper(), float(rules.get("stroke-width", "1"))
        if fill.startswith("#") and "opacity" not in own:
            plain.add(fill)
        elif fill == "NONE" and width >= 1.4 and "stroke" in rules:
            lines.add((rules["stroke"].upper(), rules.get("stroke-dasharray", "")))
    return plain, lines


QUIET = {c.upper() for c in (style.WHITE, style.PAPER, style.INFEASIBLE, style.SELECTED, style.MUTE, style.RULE,
                             style.HAIRLINE, style.INK, style.FAIL)}  # fmt: skip
"""Grounds, lines and limits: told apart by an outline, a place or a word."""
BY_VALUE = ("heatmap",)  # its colors are a scale


@pytest.mark.parametrize("name", [n for n in NAMES if n not in BY_VALUE])
def test_neighbors_differ_on_a_grey_print(name: str) -> None:
    draw = import_module(f"reports.figures.{name}").draw

    @settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(EVERY[name])
    def holds(data: Any) -> None:
        plain, lines = looks(draw(data).svg)
        for a, b in combinations(sorted(plain - QUIET), 2):
            assert abs(style.lightness(a) - style.lightness(b)) >= 9, (a, b)
        for (a, dash), (b, other) in combinations(sorted(lines), 2):
            apart = abs(style.lightness(a) - style.lightness(b)) >= 9
            assert apart or dash != other or {a, b} & QUIET, (a, b, dash)

    holds()


def test_every_figure_of_a_plan_says_its_main_values() -> None:
    for name in figures.FIGURES:
        picture = figures.of_point(name, point())
        assert picture is not None and re.search(r"\d", picture.alt) and picture.alt.endswith("."), name

"""Design points: products, steps, choices with arguments."""

from dsl.files import load
from dsl.points import points, size
from dsl.resolve import resolve
from tests.language import RESULTS, START, scenario_of
from tests.test_samples import SAMPLES


def test_axes_alone_are_a_product_and_together_a_zip() -> None:
    text = """sweep s {
  base = base
  vary { batch = [512, 1024] sequences }
  vary together { layout.tensor = [8, 4, 2], layout.pipeline = [1, 2, 4] }
}
"""
    (table,) = scenario_of(START + text).tables
    found = list(points(table.axes))
    assert len(found) == size(table.axes) == 6
    assert found[0] == {"batch": 512, "layout.tensor": 8, "layout.pipeline": 1}
    assert found[1] == {"batch": 512, "layout.tensor": 4, "layout.pipeline": 2}
    assert found[3]["batch"] == 1024


def test_a_choice_brings_its_arguments() -> None:
    text = "sweep s { base = base, vary { layout.schedule = [gpipe, interleaved(virtual_stages = 2)] } }\n"
    (table,) = scenario_of(START + text).tables
    assert list(points(table.axes)) == [
        {"layout.schedule": "gpipe"},
        {"layout.schedule": "interleaved", "layout.schedule.virtual_stages": 2},
    ]


def test_the_samples_have_the_points_that_one_counts_by_hand() -> None:
    counts = {}
    for name in ("sweep_batch", "optimize_layout"):
        scenario, problems = resolve(load(SAMPLES / f"{name}.scn"), RESULTS)
        assert not problems
        counts[name] = size(scenario.tables[0].axes)
    assert counts == {"sweep_batch": 4 * 5 * 3, "optimize_layout": 8 * 4 * 5 * 2 * 3 * 3 * 3}

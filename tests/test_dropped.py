"""What the `where` rules of a table drop, counted by hand; settings that follow from what varies."""

from pathlib import Path
from typing import Any

import pytest

from dsl.dropped import dropped, points
from dsl.points import size
from dsl.scenario import Table
from reports.commands.source import read
from reports.experiments.table import evaluate_table

HEAD = 'edition 2026\nimport "library/gpus.scn"\nimport "library/models.scn"\n'
CLUSTER = (
    "cluster c { gpu = h100-sxm, nodes = 16\n tier node { bandwidth = 450 GB/s }\n tier pod { bandwidth = 50 GB/s } }\n"
)
RUN = "run base { model = llama-3-8b, cluster = c, batch = 64 sequences, tokens = 1T tokens }\n"


def table(tmp_path: Path, body: str) -> tuple[Table, list[str]]:
    """The sweep of a file with this body, and what `scn check` says of its size."""
    file = tmp_path / "a.scn"
    cluster = CLUSTER.replace("nodes = 16", "gpus = 128") if "cluster.gpus" in body else CLUSTER
    file.write_text(f"{HEAD}{cluster}{RUN}sweep s {{ base = base\n{body} }}\n", "utf-8")
    source = read(file)
    assert not source.in_error, source.shown
    return source.scenario.tables[0], source.sizes


def test_rules_are_counted_together_and_alone(tmp_path: Path) -> None:
    """Of 4 x 4 points tensor <= 4 drops 4, tensor x pipeline <= 8 drops 6; tensor 8 with pipeline 2 to 8 is in both."""
    swept, lines = table(
        tmp_path,
        "vary { layout.tensor = 1..8 doubling, layout.pipeline = 1..8 doubling }\n"
        "where layout.tensor <= 4\nwhere layout.tensor * layout.pipeline <= 8",
    )
    kept, (few, product) = dropped(swept)
    assert (kept, size(swept.axes)) == (9, 16)
    assert (few.dropped, few.alone, product.dropped, product.alone) == (4, 1, 6, 3)
    assert few.nearest == {"layout.tensor": 8.0, "layout.pipeline": 1.0}
    assert product.nearest is not None
    assert product.nearest["layout.tensor"] * product.nearest["layout.pipeline"] == 16
    assert lines[1] == "  its rules leave 9"
    assert lines[2] == "  where layout.tensor <= 4: drops 4, 1 of them alone, nearest: layout.tensor = 8"


def test_a_rule_on_a_result_waits_for_it(tmp_path: Path) -> None:
    swept, lines = table(tmp_path, "vary { layout.tensor = [1, 2] }\nwhere mfu > 30%")
    kept, (rule,) = dropped(swept)
    assert (kept, rule.dropped, rule.missing) == (2, 0, ("mfu",))
    assert lines[-1] == "  where mfu > 30%: judged with the results (mfu)"


def test_a_table_too_large_to_count_says_so(tmp_path: Path) -> None:
    many = "vary { batch = 1..30_000 sequences step 1 }\nwhere batch > 2 sequences"
    _, lines = table(tmp_path, many)
    assert lines[1:] == ["  what its rules drop is not counted above 20_000 points"]


@pytest.mark.parametrize(
    ("varied", "expected"),
    [
        ("cluster.nodes = [4]", {"cluster.gpus": 32.0, "layout.data": 32.0}),
        ("cluster.gpus = [24]", {"cluster.nodes": 3.0, "layout.data": 24.0}),
        ("layout.tensor = [4]", {"cluster.gpus": 128.0, "layout.data": 32.0}),
        ("layout.data = [2]", {"cluster.gpus": 128.0, "layout.data": 2.0}),
    ],
)
def test_what_follows_from_the_varied_is_worked_out_again(
    tmp_path: Path, varied: str, expected: dict[str, Any]
) -> None:
    swept, _ = table(tmp_path, f"vary {{ {varied} }}")
    assert swept.space is not None
    ((number, found),) = points(swept.space(), frozenset(expected))
    assert (number, found) == (0, expected)


def test_a_rule_judges_the_settings_that_a_reference_brings(tmp_path: Path) -> None:
    """Llama 3 8B has 32 layers and 32 heads, 70B 80 and 64: of 2 x 2 points the layers drop the two of 70B."""
    swept, lines = table(
        tmp_path,
        "vary { layout.tensor = [1, 64], model = [llama-3-8b, llama-3.1-70b] }\n"
        "where model.layers <= 40\nwhere layout.tensor divides model.heads",
    )
    kept, (layers, heads) = dropped(swept)
    assert (kept, layers.dropped, layers.alone, heads.dropped, heads.alone) == (1, 2, 2, 1, 1)
    assert layers.nearest == {"layout.tensor": 1.0, "model.layers": 80.0, "model.heads": 64.0}
    assert heads.nearest is None  # no number tells how far a point misses a rule that does not compare
    assert lines[2] == "  where model.layers <= 40: drops 2, 2 of them alone, nearest: model.layers = 80 layers"


def test_a_rule_judges_a_condition_of_the_run(tmp_path: Path) -> None:
    """Pipeline 1 and 2 have micro-batch 4, pipeline 4 has 1: what an `if` of the run says of each is what is judged."""
    file = tmp_path / "b.scn"
    run = RUN.replace(" }", "\n layout { micro_batch = if layout.pipeline > 2 then 1 sequences else 4 sequences } }")
    body = "vary { layout.pipeline = [1, 2, 4] }\nwhere layout.micro_batch <= 2 sequences"
    file.write_text(f"{HEAD}{CLUSTER}{run}sweep s {{ base = base\n{body} }}\n", "utf-8")
    source = read(file)
    assert not source.in_error, source.shown
    kept, (rule,) = dropped(source.scenario.tables[0])
    assert (kept, rule.dropped) == (1, 2)
    assert rule.nearest == {"layout.micro_batch": 4.0}


@pytest.mark.parametrize("rule", ["layout.tensor * layout.pipeline <= 8", "cluster.nodes >= 8", "layout.data >= 16"])
def test_a_rule_drops_as_many_points_as_the_evaluation_says(tmp_path: Path, rule: str) -> None:
    body = "vary { cluster.nodes = [4, 8, 16], layout.tensor = 1..8 doubling, layout.pipeline = 1..4 doubling }"
    swept, _ = table(tmp_path, f"{body}\nwhere {rule}")
    kept, (own,) = dropped(swept)
    made = evaluate_table(swept)
    (removed,) = [r for r in made["removed"] if r["kind"] == "where"]
    assert (kept, own.dropped, own.alone) == (len(made["points"]), removed["points"], removed["alone"])
    assert own.nearest is not None and removed["nearest"] is not None
    assert {p: v for p, v in own.nearest.items() if p in removed["nearest"]}.items() <= removed["nearest"].items()

"""What a `size` varies, asks and orders by."""

from typing import Any

from dsl.problems import Label, Problem, Span
from dsl.scenario import Table
from tests.language import START, problems_of, scenario_of

LINE = START.count("\n")
SIZES = (8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16_384.0)
WIDE = "cluster wide from hopper { tier node { span = 32 gpus } }\n"


def sized(block: str) -> Table:
    (table,) = scenario_of(START + WIDE + f"size s {{ base = base\n{block}\n}}\n").tables
    return table


def axes(block: str) -> dict[str, tuple[Any, ...]]:
    return {axis.path: axis.values for axis in sized(block).axes}


def test_without_anything_it_tries_every_size_and_every_layout() -> None:
    made = axes("")
    assert made["cluster.gpus"] == SIZES and list(made)[0] == "cluster.gpus" and "cluster" not in made
    assert made["layout.tensor"] == (1.0, 2.0, 4.0, 8.0) and len(made) == 8


def test_the_widest_of_the_clusters_decides_the_layouts() -> None:
    """A domain of 32 GPUs has 32 tensor ranks, which divide the 32 heads."""
    for clusters in ("[hopper, wide]", "[wide, hopper]", "wide"):
        assert axes(f"clusters = {clusters}")["layout.tensor"] == (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    both = axes("clusters = [hopper, wide], gpus = [64, 192]")
    assert list(both)[:2] == ["cluster", "cluster.gpus"] and both["cluster.gpus"] == (64.0, 192.0)
    assert both["cluster"] == ("hopper", "wide")


def test_what_it_varies_takes_the_place_of_the_layouts() -> None:
    assert axes("gpus = [64, 192]\nvary { layout.tensor = [2, 4] }") == {
        "cluster.gpus": (64.0, 192.0), "layout.tensor": (2.0, 4.0),
    }  # fmt: skip
    assert axes("vary { cluster.gpus = [32, 96] }") == {"cluster.gpus": (32.0, 96.0)}


def test_a_deadline_and_a_budget_are_rules_and_orders_are_given() -> None:
    made = sized("gpus = [64], deadline = 30 days, budget = $9M\nvary { layout.tensor = [2, 4] }")
    assert [(rule.text, rule.because, rule.origin) for rule in made.requires] == [
        ("time_to_train <= 30 days", "the deadline of s", ""), ("cost <= $9M", "the budget of s", ""),
    ]  # fmt: skip
    assert {aim: [item.text for item in items] for aim, items in made.aims.items()} == {
        "cheapest": ["cost", "time_to_train", "cluster.gpus"],
        "fewest": ["cluster.gpus", "cost", "time_to_train"],
    }


def test_a_run_without_tokens_has_neither_days_nor_a_cost() -> None:
    text = START.replace("tokens = 1T tokens, ", "") + "size s { base = base, gpus = [64], budget = $9M }\n"
    assert problems_of(text) == [
        Problem(
            "E13", "run `base` needs tokens for a budget", Span("case.scn", LINE + 1, 36, 48), "cannot be judged",
            (Label(Span("case.scn", LINE + 1, 6, 7), "sizes `base`"),), (), "write: tokens = 1T tokens, in the run",
        )
    ]  # fmt: skip
    assert problems_of(text.replace(", budget = $9M", "")) == []

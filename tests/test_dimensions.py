"""The check of dimensions: what goes together, what does not, and how that is said."""

import pytest

from dsl.quantities import dimension
from tests.language import START, problems_of, scenario_of


def problem_of(condition: str) -> tuple[str, str]:
    """Code and title of what is wrong with a require."""
    found = problems_of(START + f"run r from base {{ require {condition} }}\n")
    return (found[0].code, found[0].title) if found else ("", "")


@pytest.mark.parametrize(
    "condition",
    [
        "memory_per_gpu <= cluster.gpu.memory - 8 GB",
        "cluster.gpus * cluster.gpu.power * 1.2 <= 2 MW",
        "cost / tokens <= $3/Mtoken",
        "exposed_communication <= 15% * step_time",
        "batch * sequence >= 16Mi tokens",
        "energy < 3 MWh and peak_power < 2 MW",
        "cluster.gpu.peak.bf16 / cluster.gpu.memory_bandwidth > 100 FLOP/byte",
        "sqrt(cluster.gpu.memory * 2 GB) < 80 GB",
        "tokens / batch_tokens * step_time < 100 days",
        "cost > 0",
        "cluster.gpus * time_to_train * $2.10/gpu-hour < $12M",
        "memory_per_gpu ^ 2 / 1 GB < 80 TB",
        "if mfu > 30% then cost < $3M else cost < $2M",
        "cost in [$1M, $2M]",
        "mfu == 43%",
        "gpu_hours <= 3_000_000 gpu-hours",
        "model.layers / layout.pipeline >= 2",
        "cluster.tier.pod.oversubscription <= 7:1",
    ],
)
def test_what_goes_together(condition: str) -> None:
    assert problem_of(condition) == ("", "")


@pytest.mark.parametrize(
    ("condition", "code", "title"),
    [
        ("cost <= 3 days", "E18", "dollars and seconds cannot be compared"),
        ("memory_per_gpu + step_time > 3 GB", "E18", "bytes and seconds cannot be added"),
        ("memory_per_gpu - 3 < 1 GB", "E19", "3 what?"),
        ("cost <= 12", "E19", "12 what?"),
        ("2 ^ memory_per_gpu > 3", "E18", "an exponent is a plain number"),
        ("memory_per_gpu ^ 0.5 > 3", "E18", "a quantity is only raised to a whole number"),
        ("log2(memory_per_gpu) > 3", "E18", "log2( ) of bytes depends on the unit"),
        ("sqrt(memory_per_gpu) > 3", "E18", "sqrt( ) of bytes depends on the unit"),
        ("min(cost, mfu) > 3", "E18", "dollars and a plain number cannot be compared"),
        ("mfu and cost > $3", "E16", "a condition belongs here"),
        ("(mfu > 3) + 1 > 2", "E16", "a number belongs here"),
        ("layout.recompute > full", "E16", "`>` cannot compare choices"),
        ("layout.recompute == 3", "E16", "`layout.recompute` is a choice"),
        ("mfu in 3", "E16", "`in` looks in a list"),
        ("cost in [1, 2]", "E18", "dollars and a plain number cannot be compared"),
        ("kernels.flash == 3", "E16", "`==` cannot compare these"),
        ("3 GB divides step_time", "E18", "bytes and seconds cannot be divided evenly"),
        ("1..3 > 2", "E01", "did not expect `..` here"),
        ("max() > 2", "E16", "max( ) takes one value or more, without names"),
        ("cost > $3 as $M", "E01", "did not expect `as` here"),
        ("[1, 2 GB] == 3", "E19", "1 what?"),
    ],
)
def test_what_does_not(condition: str, code: str, title: str) -> None:
    assert problem_of(condition) == (code, title)


def test_both_sides_are_labelled_and_the_difference_is_named() -> None:
    (problem,) = problems_of(START + "run r from base { require memory_per_gpu <= 3 GB/s }\n")
    assert (problem.label, problem.labels[0].text, problem.notes) == (
        "bytes per second",
        "bytes",
        ("they differ by seconds",),
    )


def test_columns_to_show_know_their_dimension() -> None:
    text = (
        START
        + "compare c { between = [base], show = [cost / tokens as $/Mtoken, mfu * step_time, ceil(cost / $1k)] }\n"
    )
    (compare,) = scenario_of(text).compares
    per_token, product, plain = compare.show
    assert per_token.compute.type.dimension == dimension("usd")
    assert product.compute.type.dimension == dimension("seconds")
    assert plain.compute.type.dimension == dimension("number")
    assert per_token({"cost": 3e6, "tokens": 1e12}) == 3e-6


def test_what_is_wrong_with_a_let_is_told_once() -> None:
    conditions = [
        "a > 1",
        "a > 1 and mfu > 1%",
        "not (a > 1)",
        "1 in [a, 2]",
        "(if a > 1 then 1 else 2) > 1",
        "max(a, 1) > 1",
    ]
    text = START + "run r from base {\n  let a = nothing\n" + "".join(f"  require {c}\n" for c in conditions) + "}\n"
    assert [p.title for p in problems_of(text)] == ["there is no `nothing`"]

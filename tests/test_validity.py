"""What can be built, said in words, with the nearest layouts that can."""

from typing import Any

import pytest

from engine import layout, validity
from engine.columns import column
from tests.settings import run


def broken(**changed: Any) -> list[str]:
    r = run(**changed)
    return [rule.reason for rule in validity.rules(r, layout.resolve(r)) if not rule.holds.all()]


def test_s4s_plan_can_be_built() -> None:
    assert broken() == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"batch": 2047}, "not a whole number of micro-batches"),
        ({"layout__data": 1024}, "the cluster has 4_096"),
        ({"layout__tensor": 6, "layout__data": 512}, "heads do not divide by tensor 6"),
        ({"layout__shard": "zero2", "layout__pipeline": 2}, "use zero1 or zero3"),
        ({"layout__expert": 8}, "needs a model with experts"),
        ({"layout__stages": (40, 41), "layout__pipeline": 2}, "stages list 81 layers"),
        ({"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2}, "at least two stages"),
        ({"layout__shard": "zero3", "layout__shard__group": 3000}, "equal shard groups"),
        (
            {"stack__refuses_uneven_stages": True, "layout__pipeline": 16, "model__layers": 126},
            "needs 126 layers to divide",
        ),
        ({"stack__replicates_kv_heads": False, "layout__tensor": 16}, "does not replicate"),
        (
            {"stack__zero3_with_pipeline": False, "layout__shard": "zero3", "layout__pipeline": 2},
            "refuses zero3 with pipeline stages",
        ),
    ],
)
def test_reasons(changed: dict[str, Any], words: str) -> None:
    assert any(words in reason for reason in broken(**changed))


def test_a_table_keeps_its_infeasible_rows() -> None:
    r = run(batch=column([2048, 2047, 4096]))
    rule = next(rule for rule in validity.rules(r, layout.resolve(r)) if rule.name == "batch")
    assert rule.holds.tolist() == [True, False, True]

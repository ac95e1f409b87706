"""Parameters and bytes of one rank, by hand from small whole numbers."""

from dataclasses import fields, replace
from typing import Any

import pytest

from engine import layout, models, states
from engine.columns import column
from engine.inputs import Run
from engine.layer_counts import Layer
from engine.layers import LayerKind
from engine.stages import Stage
from tests.settings import run
from tests.test_experts import moe

FULL, EXPERTS = LayerKind(False, False), LayerKind(False, True)
LATENT: dict[str, Any] = {
    "model__attention": "latent", "model__attention__query_rank": 3, "model__attention__kv_rank": 5,
    "model__attention__rope_head": 2, "model__hidden": 10, "model__heads": 6, "model__head": 4,
}  # fmt: skip


def parts(**changed: float) -> Layer:
    """A layer with so many parameters of each part, 0 where none is said."""
    return Layer(**{f.name: column(changed.get(f.name, 0.0)) for f in fields(Layer)})


def degrees(r: Run, tp: float, kv: float = 1.0) -> layout.Degrees:
    return replace(layout.resolve(r), tp=column(tp), kv_heads=column(kv))


OTHERS = {
    "norms": 1, "attention_norms": 2, "router": 3, "index": 4, "sinks": 40, "output": 100, "mlp": 200, "shared": 300,
    "biases": 500, "mixer": 700, "mixer_vectors": 900,
}  # fmt: skip
WHOLE, SPLIT = 1 + 2 + 3 + 4 + 40 / 4, (100 + 200 + 300 + 500 + 700 + 900) / 4


def test_without_attention_norms_and_router_stay_whole() -> None:
    r = run()
    assert states.dense_parameters(r, parts(**OTHERS), degrees(r, 4)).tolist() == [SPLIT + WHOLE]


def test_queries_are_split_and_key_value_heads_stand_on_every_rank_that_needs_them() -> None:
    """h 96, head 16: 2 heads of a rank have 96 x 2 x (16 + 16) key and value parameters."""
    r = run(model__hidden=96, model__heads=6)
    found = states.dense_parameters(r, parts(query=80, **OTHERS), degrees(r, 4, 2))
    assert found.tolist() == [SPLIT + 80 / 4 + 96 * 2 * 32 + WHOLE]


def test_latent_down_projections_stay_whole() -> None:
    """h (rq + rk + dr) = 10 (3 + 5 + 2) = 100 of query and key/value matrices of 600 and 700."""
    r = run(**LATENT)
    found = states.dense_parameters(r, parts(query=600, key_value=700, **OTHERS), degrees(r, 4))
    assert found.tolist() == [SPLIT + (600 + 700 - 100) / 4 + 100 + WHOLE]


def rank(modules: int = 0) -> states.RankParameters:
    kinds = (FULL, FULL, FULL, EXPERTS, EXPERTS)
    return states.RankParameters(
        kinds, {FULL: column(10), EXPERTS: column(7)}, {FULL: column(0), EXPERTS: column(100)}, column(1000),
        column(2000), column(40000), column(50000), modules, {FULL: column(3), EXPERTS: column(5)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("first", "last", "tied", "pipeline", "modules", "expected"),
    [
        (False, False, False, 3, 0, 0),
        (True, False, False, 2, 0, 1000),
        (False, True, False, 2, 0, 2000),
        (False, True, True, 2, 0, 2000),  # a tied matrix stands on both ends
        (True, True, True, 1, 0, 1000),  # and once where there is one end
        (True, True, False, 1, 0, 3000),
        (False, True, False, 2, 1, 2000 + 40000 + 1000),  # the module's embedding is a copy
        (False, True, True, 2, 1, 2000 + 40000),
        (True, True, False, 1, 1, 3000 + 40000),
        (True, False, False, 2, 1, 1000),
    ],
)
def test_ends_of_a_pipeline(first: bool, last: bool, tied: bool, pipeline: int, modules: int, expected: float) -> None:
    """Two layers of 10 and one of 7 beside what stands at the ends."""
    stage = Stage(0, (range(1, 4),), first, last)
    assert rank(modules).stage(stage, tied, pipeline).tolist() == [27 + expected]


def test_experts_and_adapters_of_a_stage() -> None:
    own, last = Stage(0, (range(1, 5),), True, False), Stage(1, (range(1, 4),), False, True)
    assert rank().stage_experts(own).tolist() == [200]
    assert rank().stage_experts(last).tolist() == [100 + 50000]
    assert rank().stage_adapters(own).tolist() == [2 * 3 + 2 * 5]
    assert rank().largest_layer.tolist() == [7]


def test_what_a_tensor_rank_holds_of_a_small_model() -> None:
    """h 12, V 50, w 6, tp 3, two modules: each a layer, a projection of 2 h x h and three norms of h."""
    r = run(model__hidden=12, model__heads=3, model__kv_heads=3, model__ffn=9, model__layers=2, model__vocabulary=50,
            model__mtp=2, model__embedding=6, model__positions=4, model__embedding_norm=True, model__bias__head=True,
            layout__tensor=3)  # fmt: skip
    d = layout.resolve(r)
    found = states.rank_parameters(r, models.count(r.model), d)
    each = (4 * 12 * 12 + 3 * 12 * 9) / 3 + 2 * 12
    assert found.dense[FULL].tolist() == [each]
    assert found.embedding.tolist() == [50 * 6 / 3 + 6 * 12 + 4 * 12 + 12]
    assert found.head.tolist() == [50 * 6 / 3 + 6 * 12 + 50 / 3 + 12]
    assert found.prediction.tolist() == [2 * (each + 2 * 12 * 12 / 3 + 3 * 12)]
    assert (found.modules, found.adapters, found.prediction_experts.tolist()) == (2, {}, [0])


def test_experts_are_split_over_expert_and_expert_tensor_ranks() -> None:
    """6 experts of 3 x 12 x 5 over ep 3 and etp 2; a module has them too."""
    r = moe(model__hidden=12, model__heads=4, model__kv_heads=4, model__layers=2, model__mtp=2,
            model__experts__routed=6, model__experts__active=2, model__experts__ffn=5, layout__expert=3,
            layout__expert_tensor=2, model__experts__dense_layers=1)  # fmt: skip
    found = states.rank_parameters(r, models.count(r.model), layout.resolve(r))
    assert found.experts[EXPERTS].tolist() == [6 * 3 * 12 * 5 / 6]
    assert found.prediction_experts.tolist() == [2 * 6 * 3 * 12 * 5 / 6]


@pytest.mark.parametrize(
    ("precision", "changed", "expected"),
    [
        ("bf16", {}, 4),
        ("fp16", {}, 4),
        ("fp16", {"stack__fp16_gradient_bytes": 3}, 3),
        ("bf16", {"stack__fp16_gradient_bytes": 3}, 4),
        ("fp16", {"stack__fp16_gradient_bytes": 3, "states__gradients": 5}, 5),
    ],
)
def test_bytes_of_a_gradient(precision: str, changed: dict[str, Any], expected: float) -> None:
    r = run(**{"precision": precision, "states__gradients": None} | changed)
    assert states.gradient_bytes(r).tolist() == [expected]
    assert states.accumulated_bytes(r).tolist() == [2 * expected]


def test_what_a_weight_gradient_moves_is_the_stacks_where_it_says_so() -> None:
    assert states.accumulated_bytes(run(stack__accumulate_bytes=7)).tolist() == [7]


@pytest.mark.parametrize(("changed", "expected"), [({"states__gradients": 5}, 5), ({"states__gradients": None}, 3)])
def test_bytes_of_a_gradient_in_its_reduction(changed: dict[str, Any], expected: float) -> None:
    assert states.reduce_bytes(run(**{"stack__reduce_bytes": 3} | changed)).tolist() == [expected]


@pytest.mark.parametrize(("precision", "expected"), [("bf16", 5 + 8), ("fp16", 5 + 8 + 3), ("fp8", 5 + 8)])
def test_bytes_of_the_optimizer(precision: str, expected: float) -> None:
    assert states.shard_bytes(run(precision=precision, states__master=5, stack__fp16_shard_bytes=3))[0] == expected


@pytest.mark.parametrize(
    ("precision", "weights", "changed", "expected"),
    [
        ("bf16", 4, {"stack__unflattened_bytes": 3}, 7),
        ("fp16", 4, {"stack__unflattened_bytes": 3, "stack__eight_bit_weights": True}, 4),
        ("fp8", 4, {"stack__unflattened_bytes": 3}, 4),
        ("fp8", 4, {"stack__eight_bit_weights": True}, 2),  # and the transposed copy
        ("fp8", 4, {"stack__eight_bit_weights": True, "cluster__gpu__peak__fp4": 9e15}, 1),
        ("fp8", 0.5, {"stack__eight_bit_weights": True}, 0.5),
    ],
)
def test_bytes_of_a_weight(precision: str, weights: float, changed: dict[str, Any], expected: float) -> None:
    assert states.weight_bytes(run(precision=precision, states__weights=weights, **changed)).tolist() == [expected]


def test_the_largest_and_which_it_is() -> None:
    found = [column([1, 9, 4]), column([5, 9, 2]), column([3, 2, 8])]
    assert states.largest(found).tolist() == [5, 9, 8]
    assert states.first_largest(found).tolist() == [1, 0, 2]
    assert states.first_largest([*found, column([3, 9, 9])]).tolist() == [1, 0, 3]

"""Mixture of experts: rows, groups, states and tensors against what follows by hand and what was published."""

from typing import Any

import pytest

from engine import entries, groups, layout, memory, models
from engine.columns import column
from engine.evaluate import Result, evaluate
from engine.flops import flops_per_token
from engine.inputs import Run
from engine.layers import LayerKind, layer_kinds
from engine.operators.experts import routing
from engine.operators.work import Gemm, Traffic
from engine.read import read
from engine.step import Step
from tests.settings import settings

GIB = 2.0**30
EXPERTS = {"routed": 128, "shared": 0, "active": 8, "ffn": 768, "shared_gate": False, "dense_layers": 0, "every": 1,
           "imbalance": 1, "router_bias": False, "bias": False}  # fmt: skip
QWEN3_30B = {"layers": 48, "hidden": 2048, "ffn": None, "heads": 32, "kv_heads": 4, "head": 128, "vocabulary": 151936,
             "sequence": 4096, "qk_norm": "per_head"}  # fmt: skip


def moe(**changed: Any) -> Run:
    """Qwen3-30B-A3B on 64 GPUs, tensor 4, expert 8: case M08."""
    base: dict[str, Any] = {f"model__{k}": v for k, v in QWEN3_30B.items()}
    base |= {"model__experts": True} | {f"model__experts__{k}": v for k, v in EXPERTS.items()}
    base |= {"cluster__gpus": 64, "layout__tensor": 4, "layout__expert": 8, "batch": 256, "states__gradients": 4,
             "stack__vocabulary_multiple": 1}  # fmt: skip
    return read({k: v for k, v in settings(**(base | changed)).items() if v is not None})


def taken(r: Run) -> tuple[layout.Degrees, Step]:
    d = layout.resolve(r)
    return d, entries.step(r, d, models.count(r.model))


def test_parameters_and_states_of_case_m08() -> None:
    """Non-experts /TP with 6 + 12/DP bytes, norms and router replicated, experts /(ETP EP) with 6 + 12/EDP."""
    d, s = taken(moe())
    stage = s.timing.stages[0]
    dense, experts = s.timing.parameters.stage(stage, False, 1), s.timing.parameters.stage_experts(stage)
    assert (d.dp[0], d.edp[0]) == (16, 8)
    assert dense[0] == pytest.approx(0.3949e9, rel=2e-3)
    parts = memory.states(moe(), d, s.timing, dense, experts)
    assert sum(float(part[0]) for part in parts[:3]) / GIB == pytest.approx(27.79, rel=5e-3)


def test_rows_of_a_rank() -> None:
    r = moe(model__experts__imbalance=1.5)
    d = layout.resolve(r)
    assert r.model.experts is not None
    rows = routing(r, d, r.model.experts)
    assert rows.sent[0] == 4096 * 8 / 4  # T K / tp under sequence parallelism
    assert rows.local[0] == 16
    assert rows.busy[0] == 1.5 * rows.sent[0]
    assert rows.each[0] == rows.busy[0] / 16
    assert rows.passes[0] == 2 + 2 / 8 + 4


def test_a_capacity_pads_every_expert() -> None:
    r = moe(model__experts__capacity=1.25)
    assert r.model.experts is not None
    assert routing(r, layout.resolve(r), r.model.experts).busy[0] == 1.25 * 8192


def test_expert_flops_are_those_of_the_active_experts() -> None:
    r = moe()
    _, s = taken(r)
    block = next(iter(s.timing.layers.values()))[1].block
    flops = sum(float((2 * w.m * w.n * w.k * (w.groups if w.groups is not None else 1))[0])
                for w in block.forward if isinstance(w, Gemm) and w.op.startswith("expert"))  # fmt: skip
    assert flops == pytest.approx(2 * 3 * 2048 * 768 * 8 * 4096 / 4)


def test_permutation_is_2k_plus_2_passes_over_the_rows() -> None:
    """Counted: (2K + 2) T h w without a second sort."""
    _, s = taken(moe(layout__expert=1))
    block = next(iter(s.timing.layers.values()))[1].block
    moved = sum(float((w.passes * w.bytes)[0]) for w in block.forward if isinstance(w, Traffic) and w.op == "permute")
    assert moved == pytest.approx((2 * 8 + 2) * 4096 / 4 * 2048 * 2)


def test_expert_ranks_fill_tensor_ranks_first() -> None:
    """EP 8 over TP 4: two data ranks, and all eight in one node."""
    r = moe()
    g = groups.groups(r, layout.resolve(r))
    assert (g["expert"].size[0], g["expert"].per_domain[0], g["expert"].reach[0]) == (8, 8, 0)
    assert (g["expert_data"].size[0], g["expert_data"].per_domain[0]) == (8, 1)


def test_first_dense_layers_and_every_other() -> None:
    first = moe(model__experts__dense_layers=3, model__experts__dense_ffn=6144, model__layers=7)
    assert [k.experts for k in layer_kinds(first.model)] == [False] * 3 + [True] * 4
    other = moe(model__experts__every=2, model__ffn=6144, model__layers=4)
    assert layer_kinds(other.model) == (LayerKind(False, False), LayerKind(False, True)) * 2


def test_a_deduplicating_dispatcher_never_takes_longer() -> None:
    plain, once = (
        evaluate(moe(layout__expert=64, layout__tensor=1, batch=256, dispatcher=d))
        for d in ("alltoall", "deduplicated")
    )
    assert once.columns["expert_communication"][0] < plain.columns["expert_communication"][0]


def test_overlap_hides_its_share_of_the_all_to_all() -> None:
    whole, half = (evaluate(moe(layout__overlap__expert=x)).columns["expert_communication"][0] for x in (0.0, 0.5))
    assert half == pytest.approx(whole / 2)


def test_what_cannot_be_built() -> None:
    assert "do not divide by expert" in evaluate(moe(layout__expert=48)).reasons[0]
    assert "does not divide the 64 ranks" in evaluate(moe(layout__expert=128)).reasons[0]


LATENT = {"kind": "latent"}


def deepseek(**changed: Any) -> Result:
    """DeepSeek-V3's dimensions on 2,048 GPUs: pp 16, ep 64."""
    base: dict[str, Any] = {
        "model__layers": 61, "model__hidden": 7168, "model__ffn": None, "model__heads": None, "model__kv_heads": None,
        "model__vocabulary": 129280, "model__sequence": 4096, "model__attention": "latent",
        "model__attention__heads": 128, "model__attention__head": 128, "model__attention__query_rank": 1536,
        "model__attention__kv_rank": 512, "model__attention__rope_head": 64, "model__experts": True,
        "model__experts__routed": 256, "model__experts__shared": 1, "model__experts__active": 8,
        "model__experts__ffn": 2048, "model__experts__shared_gate": False, "model__experts__dense_layers": 3,
        "model__experts__dense_ffn": 18432, "model__experts__every": 1, "model__experts__imbalance": 1,
        "model__experts__router_bias": False, "model__experts__bias": False, "cluster__gpus": 2048, "layout__tensor": 1,
        "layout__pipeline": 16, "layout__expert": 64, "layout__data": 128, "batch": 15360, "layout__recompute": "full",
    }  # fmt: skip
    return evaluate(read({k: v for k, v in settings(**(base | changed)).items() if v is not None}))


def test_deepseek_v3_counts_and_runs() -> None:
    r = deepseek()
    assert r.columns["parameters"][0] == 671_026_404_352
    assert r.status in ("ok", "does_not_fit") and 0.05 < r.columns["mfu"][0] < 0.6
    assert r.columns["expert_communication"][0] > 0


def test_queries_without_a_rank_are_one_projection() -> None:
    """DeepSeek-V2-Lite's way: h x a d_qk for the queries instead of h x rq and rq x a d_qk."""
    one, none = deepseek(layout__recompute="none"), deepseek(layout__recompute="none", model__attention__query_rank=0)
    assert one.step is not None and none.step is not None
    by_op = [
        {e.row.op: e.row for e in step.entries if (e.row.block, e.row.phase) == ("attention", "forward")}
        for step in (one.step, none.step)
    ]
    assert "q_down" in by_op[0] and "q_down" not in by_op[1]
    assert by_op[1]["q_up"].flops[0] == 2 * 4096 * 7168 * 128 * (128 + 64)
    assert by_op[0]["q_up"].flops[0] == 2 * 4096 * 1536 * 128 * (128 + 64)
    launched = [sum(row.kernels[0] for row in rows.values()) for rows in by_op]
    assert launched[1] == launched[0] - 1
    assert 0 < none.step.seconds[0] < 100


def test_latent_flops_of_the_ledger_are_the_models() -> None:
    """Forward rows of one token over all layers: 2 per active matrix element and 2 a (d_qk + d_v) keys."""
    one = {"cluster__gpus": 1, "layout__pipeline": 1, "layout__expert": 1, "layout__data": 1, "batch": 1}
    r = deepseek(**one, layout__recompute="none", layout__shard="none")
    assert r.step is not None and r.degrees is not None
    own = sum(float((e.count * e.row.flops)[0]) for e in r.step.entries if e.row.phase == "forward")
    f = flops_per_token(r.run.model, column(4096.0)).forward
    assert own == pytest.approx(float((f.linear + f.attention + f.head)[0]) * 4096, rel=1e-9)

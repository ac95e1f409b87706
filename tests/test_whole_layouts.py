"""Whole runs drawn from all settings at once: what must hold for every layout that can be built."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import layout, validity
from engine.evaluate import Result, evaluate, fill_memory
from engine.read import read
from reports.sections.memory import TERMS
from tests.settings import settings as flat

EXPERTS = {
    "model.experts.routed": 16, "model.experts.shared": 1, "model.experts.active": 2, "model.experts.ffn": 1024,
    "model.experts.shared_gate": False, "model.experts.dense_layers": 1, "model.experts.dense_ffn": 4096,
    "model.experts.every": 1, "model.experts.imbalance": 1.2, "model.experts.router_bias": False,
    "model.experts.bias": False,
}  # fmt: skip
WINDOW = {"model.attention": "sliding", "model.attention.window": 1024, "model.attention.every": 4}
LATENT = {
    "model.attention": "latent", "model.attention.head": 64, "model.attention.value_head": 64,
    "model.attention.query_rank": 512, "model.attention.kv_rank": 256, "model.attention.rope_head": 32,
}  # fmt: skip
PARTS = ("compute_time", "exposed_communication", "bubble_time", "optimizer_time", "launch_time", "overhead_time",
         "offload_time")  # fmt: skip
SHAPE = {"hidden": 2048, "ffn": 8192, "heads": 16, "kv_heads": 8, "vocabulary": 32_768, "sequence": 4096}


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of a run: model, layout, schedule, sharding, recomputation, offload, adapters, checkpoints, failures."""
    one = st.sampled_from
    tensor, context, data = draw(one([1, 2, 4, 8])), draw(one([1, 1, 2, 4])), draw(one([1, 2, 4, 8]))
    pipeline, micro, count = draw(one([1, 1, 2, 4, 8])), draw(one([1, 2])), draw(one([1, 2, 4, 8, 16]))
    kind = draw(one(["one_f_one_b", "gpipe", "interleaved", "zero_bubble", "dualpipe", "dualpipe_v"]))
    changed = {
        **{f"model.{name}": value for name, value in SHAPE.items()},
        "model.layers": draw(one([7, 8, 13, 16])), "cluster.gpus": tensor * context * data * pipeline,
        "layout.tensor": tensor, "layout.context": context, "layout.data": data, "layout.pipeline": pipeline,
        "layout.micro_batch": micro, "batch": micro * data * count, "layout.split": draw(one(["balanced", "even"])),
        "layout.schedule": kind if pipeline > 1 else "one_f_one_b", "layout.schedule.virtual_stages": 2,
        "layout.shard": draw(one(["none", "zero1", "zero2", "zero3"])), "layout.reshard": draw(st.booleans()),
        "layout.gradient_sync": draw(one(["every", "last"])),
        "layout.recompute": draw(one(["none", "selective", "full"])),
        "layout.context_method": draw(one(["ring", "all_gather", "all_to_all"])),
        "layout.sequence_parallel": tensor > 1 and draw(st.booleans()),
        "kernels.flash": draw(st.booleans()), "kernels.graphs": draw(st.booleans()),
        "precision": draw(one(["bf16", "bf16", "fp8"])), "cluster.slow_rank": draw(one([0.0, 0.1])),
        "stack.load_copy": draw(one([0.0, 0.67])), "cluster.mtbf": draw(one([1e4, 1e6])), "cluster.price": 1e-3,
        "checkpoint.mode": draw(one(["sync", "async"])), "frozen": draw(one([0.0, 0.0, 0.5])),
    }  # fmt: skip
    changed |= draw(one([{}, {}, EXPERTS])) | draw(one([{}, WINDOW, LATENT]))
    if "model.experts.routed" in changed:
        changed["layout.expert"] = draw(one([1, 2, 4, 8]))
    if draw(st.booleans()):
        shares = one([0.0, 0.5, 1.0])
        changed |= {f"offload.{part}": draw(shares) for part in ("optimizer", "weights", "activations")}
    if draw(one([False, False, True])):
        changed |= {"lora.rank": 8, "lora.targets": ("o", "up", "down"), "frozen": 0.0}
    if draw(st.booleans()):
        changed["checkpoint.host.survives"] = draw(one([0.0, 0.4, 1.0]))
    return changed


def evaluated(changed: dict[str, Any]) -> Result:
    return evaluate(read(flat() | changed), advise=False)


def whole(changed: dict[str, Any]) -> bool:
    r = read(flat() | changed)
    return all(bool(np.all(rule.holds)) for rule in validity.rules(r, layout.resolve(r)))


def value(r: Result, name: str) -> float:
    return float(r.columns[name][0])


@pytest.mark.slow
@settings(max_examples=2000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(layouts().filter(whole))
def test_every_layout_that_can_be_built_adds_up(changed: dict[str, Any]) -> None:
    r = evaluated(changed)
    assert r.status in ("ok", "does_not_fit"), r.reasons
    step = value(r, "step_time")
    assert step > 0 and np.isfinite(step)
    assert sum(value(r, part) for part in PARTS) == pytest.approx(step, rel=1e-9)
    assert all(value(r, part) >= 0 for part in PARTS)
    assert r.step is not None
    for e in r.step.entries:
        row = (float(e.count[0]), float(e.row.seconds[0]), float(e.row.exposed[0]), float(e.row.bytes[0]))
        assert all(x >= -1e-12 for x in row), (e.row.block, e.row.op, row)
        if e.row.block != "pipeline":  # a chain of sends through all stages is longer than a rank's own
            assert e.row.exposed[0] <= e.row.seconds[0] * (1 + 1e-9) + 1e-12, e.row.op
    parts = sum(value(r, name) for name in r.columns if name.endswith("_memory"))
    assert parts == pytest.approx(value(r, "memory_per_gpu"), rel=1e-9)
    fullest = value(r, "memory_per_gpu")
    assert fullest == max(value(r, f"memory_{p}") for p in ("step", "load", "update", "save"))
    fill_memory(r)  # every stage, not only those that can be the fullest
    assert sum(s.layers for s in r.memory) == changed["model.layers"]
    assert max(float(s.total[0]) for s in r.memory) == value(r, "memory_per_gpu") == fullest
    for stage in r.memory:
        terms = sum(float(getattr(stage, term)[0]) for term, _ in TERMS)
        assert terms == pytest.approx(float(stage.total[0]), rel=1e-9)
    assert 0 < value(r, "effective_training_time") <= 1
    assert 0 <= value(r, "mfu") < 1


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(layouts().filter(whole))
def test_more_bandwidth_never_slows_and_more_memory_never_unfits(changed: dict[str, Any]) -> None:
    plain = evaluated(changed)
    for path, factor in (("cluster.gpu.memory_bandwidth", 2.0), ("cluster.tier.node.bandwidth", 2.0),
                         ("cluster.tier.pod.bandwidth", 2.0), ("cluster.gpu.host_link", 2.0)):  # fmt: skip
        faster = evaluated(changed | {path: flat()[path] * factor})
        assert value(faster, "step_time") <= value(plain, "step_time") * (1 + 1e-9), path
    larger = evaluated(changed | {"cluster.gpu.memory": flat()["cluster.gpu.memory"] * 2})
    assert larger.status == "ok" or plain.status == "does_not_fit"

"""What a framework keeps or frees in memory, each against the bytes that follow by hand (70B, tensor 8)."""

from typing import Any

import numpy as np
import pytest

from engine import entries, layout, memory, models
from engine.kept import layer_bytes
from engine.operators.head import logits_bytes
from engine.states import gradient_bytes, shard_bytes, weight_bytes
from tests.settings import run

H, F, HEAD = 8192, 28672, 128


def kept(ops: tuple[str, ...] = (), **settings: Any) -> float:
    """Bytes that a layer of the 70B keeps of one token: tensor 1, one sequence."""
    r = run(layout__tensor=1, cluster__gpus=8, layout__data=8, batch=8, **settings)
    d = layout.resolve(r)
    timing = entries.step(r, d, models.count(r.model)).timing
    blocks = tuple(b.block for b in next(iter(timing.layers.values())))
    return float(layer_bytes(blocks, ops)[0] / d.tokens[0])


def test_every_second_multiply_keeps_half() -> None:
    """2h input, queries, values, attention output and its 4 bytes a head, gate, down: TorchTitan's policy."""
    by_hand = 2 * (H + 64 * HEAD + 8 * HEAD + 64 * HEAD) + 4 * 64 + 2 * F + 2 * H
    assert kept(("alternate",)) == by_hand
    assert kept(("alternate", "mlp block input")) == by_hand - 2 * H
    assert kept() > 1.9 * by_hand


def test_every_second_multiply_runs_again_for_its_share() -> None:
    """Recomputed FLOPs: keys 2 h k dh, output projection 2 h h, up projection 2 h f a token and layer."""
    r = run(layout__tensor=1, cluster__gpus=8, layout__data=8, batch=8,
            layout__recompute="selective", layout__recompute__ops=("alternate",))  # fmt: skip
    d = layout.resolve(r)
    made = entries.step(r, d, models.count(r.model)).timing
    blocks = next(iter(made.layers.values()))
    flops = sum(float(row.flops[0]) for b in blocks for row in b.recompute if row.kind == "gemm")
    assert flops / d.tokens[0] == pytest.approx(2 * H * (8 * HEAD + H + F))


def test_casts_of_fp8_are_kept_or_not() -> None:
    """Norm outputs and the activation's output are 1 byte as cast, 2 without; the output projection keeps a cast."""
    both = kept(precision="fp8"), kept(precision="fp8", stack__keeps_casts=False)
    assert both[1] - both[0] == 2 * H + F - H
    stored = kept(precision="fp8", stack__eight_bit_activation_input=True)
    assert both[0] - stored == 2 * F


@pytest.mark.parametrize(("fp4", "expected"), [(1e16, 1.0), (None, 2.0)])
def test_eight_bit_weights_have_a_transposed_copy_on_hopper(fp4: float | None, expected: float) -> None:
    r = run(precision="fp8", stack__eight_bit_weights=True, cluster__gpu__peak__fp4=fp4)
    assert np.all(weight_bytes(r) == expected)
    assert np.all(weight_bytes(run(precision="bf16", stack__eight_bit_weights=True)) == 2.0)


def test_deepspeeds_states_under_fp16_are_4_and_18_over_d() -> None:
    r = run(precision="fp16", states__gradients=None, stack__fp16_gradient_bytes=2, stack__fp16_shard_bytes=6)
    assert float((weight_bytes(r) + gradient_bytes(r))[0]) == 4.0
    assert float(shard_bytes(r)[0]) == 18.0
    wide = run(
        states__gradients=None,
        precision="bf16",
        stack__fp16_gradient_bytes=2,
        stack__gradient_bytes=6,
        stack__unflattened_bytes=2,
    )
    assert float((weight_bytes(wide) + gradient_bytes(wide))[0]) == 10.0
    assert float(shard_bytes(wide)[0]) == 12.0


def test_a_stage_keeps_the_output_that_it_sent() -> None:
    """2h bytes a token and micro-batch in flight, /tp under sequence parallelism; the last stage sends nothing."""
    at: dict[str, Any] = {
        "layout__tensor": 8,
        "layout__pipeline": 4,
        "cluster__gpus": 64,
        "layout__data": 2,
        "batch": 32,
    }
    both = []
    for keeps in (False, True):
        r = run(stack__keeps_outputs=keeps, **at)
        d = layout.resolve(r)
        timing = entries.step(r, d, models.count(r.model)).timing
        both.append([memory.stage_memory(r, d, timing, s) for s in timing.stages])
    more = [float(b.activations[0] - a.activations[0]) for a, b in zip(*both, strict=True)]
    token = float(2 * H * d.tokens[0] / 8)
    assert more == pytest.approx([4 * token, 3 * token, 2 * token, 0.0])


def test_gathered_inputs_are_whole_under_sequence_parallelism() -> None:
    at: dict[str, Any] = {"layout__tensor": 8, "cluster__gpus": 8, "layout__data": 1, "batch": 1}
    sizes = []
    for keeps in (False, True):
        r = run(stack__keeps_gathered=keeps, **at)
        d = layout.resolve(r)
        timing = entries.step(r, d, models.count(r.model)).timing
        blocks = tuple(b.block for b in next(iter(timing.layers.values())))
        sizes.append(float(layer_bytes(blocks, ())[0] / d.tokens[0]))
    assert sizes[1] - sizes[0] == pytest.approx(2 * 2 * H * (1 - 1 / 8))


def test_the_loss_of_2021_holds_ten_bytes_a_logit() -> None:
    r = run(loss="vocab_parallel_2021", layout__tensor=1, cluster__gpus=8, layout__data=8, batch=8)
    d = layout.resolve(r)
    assert float(logits_bytes(r, d)[0] / d.tokens[0]) == 10.0 * 128000

"""Blocks of a layer, whole: every GEMM, pass, collective and kept tensor of 10 tokens, by hand.

Weights take 3 bytes, gradients move 7, an element 2; h 96 over tp 3: rows of 10 x 96 x 2 = 1,920 bytes, 640 of them
on a rank under sequence parallelism.
"""

from dataclasses import replace
from typing import Any

import pytest

from engine import layout
from engine.columns import column
from engine.inputs import Run
from engine.operators.attention import attention
from engine.operators.experts import expert_mlp
from engine.operators.head import head, logits_bytes, padded_vocabulary
from engine.operators.latent import latent_attention
from engine.operators.mixer import mixer
from engine.operators.mlp import inner_size, mlp
from tests.block_lines import Line, linear, lines
from tests.settings import run
from tests.test_experts import moe

GRADIENT = column(7)
SMALL: dict[str, Any] = {
    "model__hidden": 96, "model__heads": 6, "model__kv_heads": 3, "model__head": 20, "model__ffn": 45,
    "model__vocabulary": 50, "states__weights": 3, "layout__tensor": 3,
}  # fmt: skip
ROWS, OWN = 1920.0, 640.0


def small(make: Any = run, **changed: Any) -> Run:
    made: Run = make(**(SMALL | changed))
    return made


def degrees(r: Run, **changed: Any) -> layout.Degrees:
    base: dict[str, Any] = {"tokens": column(10), "sequence": column(40), "sequence_parallel": True}
    return replace(layout.resolve(r), **(base | changed))


def enter(block: str) -> Line:
    return f"{block} gather", "all_gather", ROWS, "tensor"


def leave(block: str) -> Line:
    return f"{block} sum", "reduce_scatter", ROWS, "tensor"


def leave_back(block: str) -> Line:
    return f"{block} sum", "all_gather", ROWS, "tensor", "dY"


def enter_back(block: str, op: str, rows: float = ROWS) -> list[Line]:
    return [
        (f"{block} gather", "all_gather", rows, "tensor", f"{op} dX", "X again"),
        (f"{block} gather", "reduce_scatter", rows, "tensor", f"{op} dW", "dX"),
    ]


NORM, NORM_BACK, RESIDUAL, RESIDUAL_BACK = (("norm", OWN, 3), ("norm", OWN, 5), ("residual", OWN, 2),
                                            ("residual", OWN, 3))  # fmt: skip


def test_attention_with_a_fused_kernel() -> None:
    """2 of 6 heads and one key/value head of 20; scores 4 x 10 x 20 x 2 x 20 FLOP, 2.5 times that backward."""
    r = small()
    found = attention(r, degrees(r), GRADIENT, True)
    (qkv, qkv_back), (out, out_back) = linear("qkv", 10, 80, 96), linear("attn_out", 10, 96, 40)
    rope, flops = ("rope", 10 * 60 * 2, 3), 4 * 10 * 20 * 2 * 20
    ring = "keys and values", "ring_exchange", 2 * 10 * 1 * 20 * 2, "context", "sdpa"
    assert lines(found.forward) == [
        NORM, enter("attention"), qkv, rope, ring, ("sdpa", flops, 40, 20), out, leave("attention"), RESIDUAL,
    ]  # fmt: skip
    assert lines(found.backward) == [
        RESIDUAL_BACK, leave_back("attention"), *out_back, (*ring[:2], 2 * ring[2], *ring[3:]),
        ("sdpa", 2.5 * flops, 40, 20, "backward"), rope, *qkv_back, *enter_back("attention", "qkv"), NORM_BACK,
    ]  # fmt: skip
    assert lines(found.keeps) == [
        ("residual", "block input", OWN), ("norm", "norm output", OWN), ("qkv", "queries", 800),
        ("qkv", "keys and values", 800), ("attention", "attention output", 800), ("sdpa", "softmax statistics", 80),
    ]  # fmt: skip


def test_attention_without_a_fused_kernel_and_with_dropout() -> None:
    """The whole square, twice that backward; 10 x 40 x 2 scores of 2 bytes, dropped ones and a mask of 1."""
    r = small(model__dropout=True, stack__mixed_qkv=True)
    found = attention(r, degrees(r, sequence_parallel=False), GRADIENT, False)
    flops = 4 * 10 * 40 * 2 * 20
    assert lines(found.forward)[0] == ("norm", ROWS, 3)
    assert lines(found.forward)[4:6] == [("sdpa", flops, 40, 20, "unfused"), ("scores", 1600, 3.2)]
    assert lines(found.forward)[-2:] == [("attention sum", "all_reduce", ROWS, "tensor"), ("residual", ROWS, 2)]
    back = lines(found.backward)
    assert [("sdpa", 2 * flops, 40, 20, "backward", "unfused"), ("scores", 1600, 3.8)] == back[4:6]
    assert back[-2] == ("attention gather", "all_reduce", ROWS, "tensor", "qkv dW", "dX")
    assert (back[0], back[-1]) == (("residual", ROWS, 3), ("norm", ROWS, 5))
    assert lines(found.keeps) == [
        ("residual", "block input", ROWS), ("norm", "norm output", ROWS), ("qkv", "queries", 800),
        ("qkv", "keys and values", 800), ("attention", "attention output", 800), ("sdpa", "scores", 1600),
        ("sdpa", "dropped scores and mask", 2400), ("residual", "dropout mask", 960),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "forward", "backward"),
    [
        ("ring", ("ring_exchange", 2400, "context", "sdpa"), ("ring_exchange", 4800, "context", "sdpa")),
        ("all_gather", ("all_gather", 2400, "context"), ("all_gather", 4800, "context")),
        ("all_to_all", ("all_to_all", 2400, "context"), ("all_to_all", 2400, "context")),
    ],
)
def test_what_context_ranks_exchange(method: str, forward: Line, backward: Line) -> None:
    """cp 3: 2 x 3 x 10 x 1 x 20 elements of 2 bytes; all to all 2 x 10 x (2 + 1) x 20."""
    r = small(layout__context_method=method)
    found = attention(r, degrees(r, cp=column(3)), GRADIENT, True)
    assert lines(found.forward)[4] == ("keys and values", *forward)
    assert lines(found.backward)[4] == ("keys and values", *backward)


def test_attention_with_a_gate_in_eight_bits() -> None:
    """2 heads, 2 key/value heads and a gate of 20 columns each; casts of 1 byte are kept."""
    gate = {"model__attention": "grouped", "model__attention__gate": True}
    r = small(**gate, precision="fp8", stack__mixed_qkv=True, model__kv_heads=6)
    found = attention(r, degrees(r), GRADIENT, True)
    qkv, qkv_back = linear("qkv", 10, 160, 96)
    assert lines(found.forward)[2] == qkv and [x for x in lines(found.backward) if x[0] == "qkv"] == qkv_back
    assert lines(found.forward)[6] == ("gate", 800, 3) and lines(found.backward)[4] == ("gate", 800, 5)
    assert lines(found.keeps) == [
        ("residual", "block input", OWN), ("norm", "norm output", OWN / 2), ("qkv", "queries", 800),
        ("qkv", "keys and values", 1600), ("attention", "attention output", 800),
        ("attention", "attention output cast", 400), ("qkv", "gate", 800), ("sdpa", "softmax statistics", 80),
        ("qkv", "mixed qkv buffer", 1600),
    ]  # fmt: skip


def test_a_gated_mlp() -> None:
    """f 45, 15 a rank: 30 columns up, 10 x 15 x 2 bytes an activation."""
    r = small()
    found = mlp(r, degrees(r), GRADIENT)
    (up, up_back), (down, down_back) = linear("mlp_up", 10, 30, 96), linear("mlp_down", 10, 96, 15)
    assert lines(found.forward) == [NORM, enter("mlp"), up, ("activation", 300, 3), down, leave("mlp"), RESIDUAL]
    assert lines(found.backward) == [
        RESIDUAL_BACK, leave_back("mlp"), *down_back, ("activation", 300, 5), *up_back, *enter_back("mlp", "mlp_up"),
        NORM_BACK,
    ]  # fmt: skip
    kept: list[Line] = [
        ("residual", "block input", OWN), ("norm", "norm output", OWN), ("mlp_up", "activation input", 600),
        ("activation", "activation output", 300),
    ]  # fmt: skip
    assert lines(found.keeps) == kept
    unfused = small(kernels__fused=False, model__dropout=True)
    more: list[Line] = [("activation", "gate output", 300), ("residual", "dropout mask", 320)]
    assert lines(mlp(unfused, degrees(unfused), GRADIENT).keeps) == [*kept, *more]


def test_a_plain_mlp() -> None:
    r = small(model__gated=False, kernels__fused=False)
    found = mlp(r, degrees(r, sequence_parallel=False), GRADIENT)
    assert lines(found.forward)[1:3] == [linear("mlp_up", 10, 15, 96)[0], ("activation", 300, 2)]
    assert ("activation", 300, 3) in lines(found.backward)
    assert lines(found.keeps)[2:] == [("mlp_up", "activation input", 300), ("activation", "activation output", 300)]


@pytest.mark.parametrize(("input_bits", "kept"), [(False, 600), (True, 300)])
def test_an_mlp_in_eight_bits(input_bits: bool, kept: float) -> None:
    r = small(precision="fp8", stack__eight_bit_activation_input=input_bits)
    assert lines(mlp(r, degrees(r), GRADIENT).keeps)[1:] == [
        ("norm", "norm output", OWN / 2), ("mlp_up", "activation input", kept),
        ("activation", "activation output", 150),
    ]  # fmt: skip
    gathered = small(stack__keeps_gathered=True)
    assert lines(mlp(gathered, degrees(gathered), GRADIENT).keeps)[1] == ("norm", "norm output", ROWS)


@pytest.mark.parametrize(("ffn", "size"), [(45, 45), (None, 4 * 96)])
def test_the_inner_size_of_an_mlp(ffn: float | None, size: float) -> None:
    assert inner_size(small(model__ffn=ffn)).tolist() == [size]
    assert inner_size(small(moe, model__experts__dense_ffn=33)).tolist() == [33]


def test_the_head() -> None:
    """V 50 in steps of 4 x 3: 60, 20 a rank; 10 x 20 fp32 logits passed over 6 and 6 times, three scalars a token."""
    r = small(stack__vocabulary_multiple=4)
    d = degrees(r)
    found, (gemm, back) = head(r, d, GRADIENT), linear("head", 10, 20, 96)
    assert lines(found.forward) == [
        NORM, enter("head"), gemm, ("loss", 800, 6), ("loss sum", "all_reduce", 120, "tensor"),
    ]  # fmt: skip
    assert lines(found.backward) == [("loss", 800, 6), *back, *enter_back("head", "head"), NORM_BACK]
    assert lines(found.keeps) == [("norm", "final norm input and output", 2 * OWN)]
    assert logits_bytes(r, d).tolist() == [6 * 10 * 20]


@pytest.mark.parametrize(("multiple", "rows"), [(1, 50), (2, 54), (4, 60), (25, 75)])
def test_rows_of_a_padded_vocabulary(multiple: float, rows: float) -> None:
    assert padded_vocabulary(small(stack__vocabulary_multiple=multiple)).tolist() == [rows]


@pytest.mark.parametrize(
    ("loss", "each"),
    [("fused", 4), ("compiled", 4), ("vocab_parallel", 6), ("vocab_parallel_2021", 10), ("eager", 14),
     ("loss_parallel", 22)],
)  # fmt: skip
def test_bytes_of_logits_by_the_form_of_the_loss(loss: str, each: float) -> None:
    r = small(loss=loss, model__vocabulary=60)
    assert logits_bytes(r, degrees(r)).tolist() == [each * 10 * 20]


def test_a_head_of_another_width() -> None:
    """Layers of 96 are narrowed to an embedding of 32 before a head of 32 x 20."""
    r = small(model__embedding=32, model__vocabulary=60)
    found = head(r, degrees(r, sequence_parallel=False), GRADIENT)
    (narrow, narrow_back), (gemm, back) = linear("projection", 10, 32, 96), linear("head", 10, 20, 32)
    assert lines(found.forward)[:3] == [("norm", ROWS, 3), narrow, gemm]
    assert lines(found.backward)[1:3] == back and lines(found.backward)[4:6] == narrow_back


LATENT: dict[str, Any] = {
    "model__attention": "latent", "model__attention__query_rank": 12, "model__attention__kv_rank": 9,
    "model__attention__rope_head": 4, "model__attention__head": 20, "model__attention__value_head": 15,
}  # fmt: skip


def test_latent_attention() -> None:
    """Ranks 12 and 9, heads of 20 + 4 for queries and 15 for values, 2 a rank: 10/3 rows go through each
    down-projection; latents of 12 + 9 + 4 are gathered."""
    r = small(**LATENT, stack__mixed_qkv=True)
    found = latent_attention(r, degrees(r), GRADIENT, True)
    own = 10 / 3
    (q_down, q_down_back), (q_up, q_up_back) = linear("q_down", own, 12, 96), linear("q_up", 10, 48, 12)
    (kv_down, kv_down_back), (kv_up, kv_up_back) = linear("kv_down", own, 13, 96), linear("kv_up", 10, 70, 9)
    out, out_back = linear("attn_out", 10, 96, 30)
    latents, rope, flops = own * 21 * 2, ("rope", 10 * 3 * 4 * 2, 3), 2 * 10 * 20 * 2 * 39
    ring = "keys and values", "ring_exchange", 10 * 2 * 39 * 2, "context", "sdpa"
    gather = "attention gather", "all_gather", 10 * 2 * 25, "tensor"
    assert lines(found.forward) == [
        NORM, q_down, kv_down, ("latent norm", latents, 3), gather, q_up, kv_up, rope, ring, ("sdpa", flops, 40, 24),
        out, leave("attention"), RESIDUAL,
    ]  # fmt: skip
    assert lines(found.backward) == [
        RESIDUAL_BACK, leave_back("attention"), *out_back, (*ring[:2], 2 * ring[2], *ring[3:]),
        ("sdpa", 2.5 * flops, 40, 24, "backward"), rope, *kv_up_back, *q_up_back,
        *enter_back("attention", "q_up", 500), ("latent norm", latents, 5), *kv_down_back, *q_down_back, NORM_BACK,
    ]  # fmt: skip
    assert lines(found.keeps) == [
        ("residual", "block input", OWN), ("norm", "norm output", OWN),
        ("latent norm", "latents and their norms", own * (24 + 18 + 4) * 2), ("q_up", "queries", 960),
        ("kv_up", "keys and values", 1560), ("attention", "attention output", 600), ("sdpa", "softmax statistics", 80),
        ("kv_up", "mixed key/value buffer", 800),
    ]  # fmt: skip


def test_latent_attention_with_a_full_query_projection() -> None:
    """Without a rank queries come straight from h: no down-projection, h itself is gathered; whole rows without
    sequence parallelism, the whole square without a fused kernel, halves of rows in 8 bits."""
    r = small(**LATENT | {"model__attention__query_rank": 0, "layout__context_method": "all_to_all"}, precision="fp8")
    found = latent_attention(r, degrees(r), GRADIENT, False)
    flops = 2 * 10 * 40 * 2 * 39
    assert [x[0] for x in lines(found.forward)][:4] == ["norm", "kv_down", "latent norm", "attention gather"]
    assert lines(found.forward)[3] == ("attention gather", "all_gather", 10 * 2 * (96 + 13), "tensor")
    assert lines(found.forward)[4] == linear("q_up", 10, 48, 96)[0]
    assert lines(found.forward)[7:9] == [
        ("keys and values", "all_to_all", 2 * 1560, "context"), ("sdpa", flops, 40, 24, "unfused"),
    ]  # fmt: skip
    assert ("sdpa", 2 * flops, 40, 24, "backward", "unfused") in lines(found.backward)
    assert lines(found.keeps)[1:3] == [
        ("norm", "norm output", OWN / 2), ("latent norm", "latents and their norms", 10 / 3 * 22 * 2),
    ]  # fmt: skip
    whole = latent_attention(r, degrees(r, sequence_parallel=False), GRADIENT, True)
    assert lines(whole.forward)[:3] == [("norm", ROWS, 3), linear("kv_down", 10, 13, 96)[0], ("latent norm", 180, 3)]
    gathered = small(**LATENT, layout__context_method="all_gather", layout__context=3)
    found = latent_attention(gathered, degrees(gathered), GRADIENT, True)
    assert ("keys and values", "all_gather", 3 * 1560, "context") in lines(found.forward)
    assert ("keys and values", "all_gather", 6 * 1560, "context") in lines(found.backward)


MIXER: dict[str, Any] = {
    "model__mixer": "mamba2", "model__mixer__heads": 12, "model__mixer__head": 5, "model__mixer__state": 8,
    "model__mixer__groups": 2, "model__mixer__convolution": 4, "model__mixer__chunk": 16,
}  # fmt: skip


def test_a_mixer() -> None:
    """Inner size 60, entry 2 x 60 + 2 x 16 + 12 = 164, 92 channels convolved, 164 scanned, a state of 60 x 8."""
    r = small(**MIXER)
    found = mixer(r, degrees(r, cp=column(2)), GRADIENT)
    (entry, entry_back), (out, out_back) = linear("mixer_in", 10, 164 / 3, 96), linear("mixer_out", 10, 96, 20)
    convolved, scanned = 10 * 92 / 3 * 2, 10 * (164 * 2 + 4 * 480 / 16) / 3
    states = "mixer states", "all_gather", 2 * (10 * 2 / 40) * 4 * 480 / 3, "context"
    assert lines(found.forward) == [
        NORM, enter("mixer"), entry, ("convolution", pytest.approx(convolved), 3), states,
        ("scan", pytest.approx(scanned), 3), out, leave("mixer"), RESIDUAL,
    ]  # fmt: skip
    assert lines(found.backward) == [
        RESIDUAL_BACK, leave_back("mixer"), *out_back, states, ("scan", pytest.approx(scanned), 5),
        ("convolution", pytest.approx(convolved), 5), *entry_back, *enter_back("mixer", "mixer_in"), NORM_BACK,
    ]  # fmt: skip
    kept = (("mixer_in", "projected", 164 * 2), ("convolution", "convolved", 92 * 2), ("scan", "scan output", 60 * 2),
            ("scan", "states of chunks", 4 * 480 / 16))  # fmt: skip
    assert lines(found.keeps) == [
        ("residual", "block input", OWN), ("norm", "norm output", OWN),
        *((op, name, pytest.approx(10 / 3 * each)) for op, name, each in kept),
    ]  # fmt: skip


def test_a_mixer_with_small_inner_matrices() -> None:
    """mamba1: 60 (6 + 2 x 8) + 6 x 60 = 1,680 elements, 28 columns of 60/3 rows; states of chunks are not kept."""
    r = small(model__mixer="mamba1", model__mixer__inner=60, model__mixer__state=8, model__mixer__rank=6,
              model__mixer__groups=1, model__mixer__convolution=4, model__mixer__chunk=16)  # fmt: skip
    found = mixer(r, degrees(r, sequence_parallel=False), GRADIENT)
    gemm, back = linear("mixer_inner", 10, 28, 20)
    assert lines(found.forward)[0] == ("norm", ROWS, 3) and gemm in lines(found.forward)
    assert ("scan", pytest.approx(10 * (4 * 60 + 16) * 2 / 3), 3) in lines(found.forward)
    assert [x for x in lines(found.backward) if x[0] == "mixer_inner"] == back
    assert [x[1] for x in lines(found.keeps)][-2:] == ["convolved", "scan output"]


EXPERTS: dict[str, Any] = {
    "model__experts__routed": 12, "model__experts__active": 4, "model__experts__ffn": 30, "layout__expert": 2,
    "model__experts__imbalance": 1.5, "layout__expert_tensor": 2,
}  # fmt: skip


def test_experts() -> None:
    """R = 10 x 4/3 rows sent, times 1.5 and etp 2 on the busiest rank: 40 over 6 experts of 2 x 30/2 columns; passes
    (2 + 2/4 + 4)/2 of permutation; shared experts of 2 x 30 like an MLP, whose gate is a 13th router output."""
    r = small(moe, **EXPERTS, model__experts__shared=2, model__experts__shared_gate=True)
    found = expert_mlp(r, degrees(r), GRADIENT)
    near = pytest.approx

    def grouped(op: str, n: float, k: float) -> tuple[Line, list[Line]]:
        size, m = 6 * n * k, near(40 / 6)
        return (op, m, n, k, size * 3, 6), [(op, m, k, n, size * 3, "dX", 6), (op, k, n, m, size * 10.5, "dW", 6)]

    (up, up_back), (down, down_back) = grouped("expert_up", 30, 96), grouped("expert_down", 96, 15)
    (wide, wide_back), (narrow, narrow_back) = linear("mlp_up", 10, 40, 96), linear("mlp_down", 10, 96, 20)
    router, router_back = linear("router", 10 / 3, 13, 96)
    moved, gathered = near(40 / 3 * 96 * 2), near(40 * 96 * 2)
    permute, top = ("permute", moved, 3.25), ("top k", near(10 / 3 * 12 * 4), 2)
    dispatch, combine = (("dispatch", "all_to_all", moved, "expert"), ("combine", "all_to_all", moved, "expert"))
    gather, scatter = (("expert rows", kind, gathered, "expert_tensor") for kind in ("all_gather", "reduce_scatter"))
    assert lines(found.forward) == [
        NORM, router, top, permute, dispatch, gather, up, ("activation", near(1200), 3), down, scatter, combine,
        permute, enter("shared"), wide, ("activation", 400, 3), narrow, leave("shared"), RESIDUAL,
    ]  # fmt: skip
    assert lines(found.backward) == [
        RESIDUAL_BACK, leave_back("shared"), *narrow_back, ("activation", 400, 5), *wide_back,
        *enter_back("shared", "mlp_up"), permute, combine, gather, *down_back, ("activation", near(1200), 5), *up_back,
        scatter, dispatch, permute, *router_back, NORM_BACK,
    ]  # fmt: skip
    assert lines(found.keeps) == [
        ("residual", "block input", OWN), ("norm", "norm output", OWN), ("router", "router logits", top[1]),
        ("permute", "permuted input", gathered), ("expert_up", "activation input", near(2400)),
        ("activation", "activation output", near(1200)), ("mlp_up", "shared activation input", 800),
        ("activation", "shared activation output", 400),
    ]  # fmt: skip


def test_plain_experts_with_a_capacity_in_eight_bits() -> None:
    """Capacity 1.2 in the place of the imbalance; one expert a rank is not sorted; one copy a node is sent."""
    changed = EXPERTS | {"layout__expert": 12, "layout__expert_tensor": 1, "model__experts__capacity": 1.2}
    changed |= {"model__gated": False, "model__experts__shared_ffn": 45, "dispatcher": "deduplicated"}
    r = small(moe, **changed, precision="fp8")
    found = expert_mlp(r, degrees(r, sequence_parallel=False), GRADIENT)
    forward, kept = lines(found.forward), lines(found.keeps)
    assert [x[0] for x in forward] == [
        "norm", "router", "top k", "permute", "dispatch", "expert_up", "activation", "expert_down", "combine",
        "permute", "mlp_up", "activation", "mlp_down", "shared sum", "residual",
    ]  # fmt: skip
    assert forward[3:6] == [
        ("permute", 40 * 96 * 2, 1.25), ("dispatch", "all_to_all_once", 40 * 96 * 2, "expert"),
        ("expert_up", 48, 30, 96, 30 * 96 * 3, 1),
    ]  # fmt: skip
    assert forward[6] == ("activation", 48 * 30 * 2, 2) and forward[11] == ("activation", 300, 2)
    assert [x for x in lines(found.backward) if x[0] == "activation"] == [
        ("activation", 300, 3), ("activation", 48 * 30 * 2, 3),
    ]  # fmt: skip
    assert kept[1] == ("norm", "norm output", ROWS / 2) and kept[3] == ("permute", "permuted input", 48 * 96)
    assert [x[2] for x in kept[4:]] == [48 * 30 * 2, 48 * 30, 300, 300]

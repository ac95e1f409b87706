"""Parts of a layer and its FLOPs from dimensions of a few units, counted by hand."""

from dataclasses import fields
from typing import Any

import pytest

from engine import flops, models
from engine.columns import column
from engine.layer_counts import Layer, dense_layer, expert_layer, layer
from engine.layers import LayerKind
from engine.model_inputs import Model
from tests.settings import run
from tests.test_experts import moe
from tests.test_states import parts

ATTENTION: dict[str, Any] = {"model__attention": "grouped", "model__attention__value_head": 5}
BIASED: dict[str, Any] = {f"model__bias__{name}": True for name in ("qkv", "out", "mlp")}
LATENT: dict[str, Any] = {
    "model__attention": "latent", "model__attention__query_rank": 12, "model__attention__kv_rank": 9,
    "model__attention__rope_head": 4, "model__attention__head": 20, "model__attention__value_head": 15,
}  # fmt: skip
INDEX: dict[str, Any] = {"model__attention__index_heads": 2, "model__attention__index_head": 3}
EXPERTS: dict[str, Any] = {
    "model__experts__routed": 12, "model__experts__active": 4, "model__experts__ffn": 5, "model__experts__shared": 2,
}  # fmt: skip


def model(make: Any = run, **changed: Any) -> Model:
    """6 query and 3 key/value heads of 4 (5 for values where said), h 10, f 7, a layernorm twice a layer."""
    base = {"model__hidden": 10, "model__heads": 6, "model__kv_heads": 3, "model__head": 4, "model__ffn": 7,
            "model__norm": "layernorm", "model__layers": 3, "model__vocabulary": 50}  # fmt: skip
    made: Model = make(**(base | changed)).model
    return made


def told(found: Layer) -> dict[str, float]:
    """The parts that are there."""
    values = {f.name: float(getattr(found, f.name)[0]) for f in fields(Layer)}
    return {name: value for name, value in values.items() if value}


PLAIN = {"query": 240, "key_value": 240, "output": 240, "mlp": 210, "norms": 40}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {}),
        (ATTENTION, {"key_value": 10 * 3 * (4 + 5), "output": 6 * 5 * 10}),
        ({"model__gated": False}, {"mlp": 140}),
        ({"model__norm": "rmsnorm"}, {"norms": 20}),
        ({"model__norm": "layernorm_no_bias"}, {"norms": 20}),
        ({"model__norm": "layernorm", "model__norms_per_layer": 4}, {"norms": 80}),
        ({"model__qk_norm": "per_head"}, {"attention_norms": 8}),
        ({"model__qk_norm": "full"}, {"attention_norms": (6 + 3) * 4}),
        ({"model__sinks": True}, {"sinks": 6}),
        (BIASED, {"biases": (24 + 24) + 10 + (2 * 7 + 10)}),
        (BIASED | {"model__gated": False}, {"mlp": 140, "biases": 48 + 10 + (7 + 10)}),
        (BIASED | ATTENTION | {"model__attention__gate": True},
         {"query": 480, "key_value": 270, "output": 300, "biases": (48 + 27) + 10 + 24}),
        (ATTENTION | LATENT, {"query": 12 * (10 + 6 * 24), "key_value": 10 * (9 + 4) + 9 * 6 * (20 + 15),
                              "output": 6 * 15 * 10, "attention_norms": 12 + 9}),
        (LATENT | {"model__attention__query_rank": 0, "model__bias__qkv": True},
         {"query": 10 * 6 * 24, "key_value": 2020, "output": 900, "attention_norms": 9, "biases": 9 + 4}),
        (LATENT | INDEX, {"query": 1848, "key_value": 2020, "output": 900, "attention_norms": 21 + 6,
                          "index": 12 * 2 * 3 + 10 * (3 + 2)}),
    ],
)  # fmt: skip
def test_a_dense_layer(changed: dict[str, Any], expected: dict[str, float]) -> None:
    assert told(dense_layer(model(**changed))) == PLAIN | expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {"shared": 3 * 10 * 10}),
        ({"model__experts__shared_gate": True}, {"shared": 300 + 10}),
        ({"model__experts__shared_ffn": 8}, {"shared": 240}),
        ({"model__experts__router_bias": True}, {"shared": 300, "biases": 12}),
        ({"model__experts__bias": True}, {"shared": 300, "expert_biases": 12 * (2 * 5 + 10)}),
        ({"model__experts__ffn": None, "model__ffn": 6, "model__experts__granularity": 2},
         {"experts": 12 * 3 * 10 * 3, "shared": 3 * 10 * 6}),
    ],
)  # fmt: skip
def test_a_layer_of_experts(changed: dict[str, Any], expected: dict[str, float]) -> None:
    base = {"query": 240, "key_value": 240, "output": 240, "norms": 40, "router": 120, "experts": 12 * 3 * 10 * 5,
            "active_share": 4 / 12}  # fmt: skip
    found = told(expert_layer(model(moe, **EXPERTS | {"model__qk_norm": "none"} | changed)))
    assert found == base | expected


def test_the_first_dense_layers_of_a_model_with_experts() -> None:
    own = model(moe, **EXPERTS, model__qk_norm="none", model__experts__dense_ffn=33)
    assert told(dense_layer(own))["mlp"] == 3 * 10 * 33
    assert told(dense_layer(model(moe, **EXPERTS, model__ffn=8)))["mlp"] == 240


def test_layers_of_one_block() -> None:
    """mamba2 with an inner size of 60: 10 (164 + 60) and 5 x 92 + 3 x 12 + 60."""
    mixer = {"model__mixer": "mamba2", "model__mixer__heads": 12, "model__mixer__head": 5, "model__mixer__state": 8,
             "model__mixer__groups": 2, "model__mixer__convolution": 4, "model__mixer__chunk": 16}  # fmt: skip
    own = model(**mixer)
    mixed = {"mixer": 2240, "mixer_vectors": 556, "norms": 40}
    assert told(layer(own, LayerKind(False, False, "mixer", False))) == mixed
    assert told(layer(own, LayerKind(False, False, "mixer"))) == mixed | {"mlp": 210}
    assert told(layer(own, LayerKind(False, False, ""))) == {"mlp": 210, "norms": 40}
    alone = {name: size for name, size in PLAIN.items() if name != "mlp"}
    assert told(layer(own, LayerKind(False, False, "attention", False))) == alone


def test_sums_of_a_layers_parts() -> None:
    """Every part is another power of two, so that a sum tells what is in it."""
    names = [f.name for f in fields(Layer) if f.name != "active_share"]
    own = parts(**{name: 2.0**i for i, name in enumerate(names)}, active_share=0.5)
    value = {name: 2.0**i for i, name in enumerate(names)}
    attention = sum(value[x] for x in ("query", "key_value", "output", "index"))
    matrices = attention + sum(value[x] for x in ("mixer", "mlp", "router", "shared"))
    vectors = sum(value[x] for x in ("biases", "norms", "attention_norms", "sinks", "mixer_vectors"))
    assert own.attention.tolist() == [attention]
    assert own.vectors.tolist() == [vectors]
    assert own.matmul.tolist() == [matrices + value["experts"] / 2]
    assert own.total.tolist() == [sum(value.values())]
    assert own.active.tolist() == [matrices + vectors + (value["experts"] + value["expert_biases"]) / 2]


@pytest.mark.parametrize(("window", "keys"), [(None, 20), (16, 16 - 256 / 80), (40, 20), (60, 20)])
def test_mean_keys(window: float | None, keys: float) -> None:
    assert flops.mean_keys(column(40), None if window is None else column(window)).tolist() == [keys]


@pytest.mark.parametrize(("chunk", "keys"), [(16, (2 * 256 + 64) / 80), (20, 10), (60, 20)])
def test_keys_of_chunks(chunk: float, keys: float) -> None:
    assert flops.chunk_keys(column(40), column(chunk)).tolist() == [keys]


@pytest.mark.parametrize(
    ("kind", "changed", "windowed", "keys"),
    [
        ("grouped", {}, True, 20),
        ("sliding", {"window": 16}, True, 12.8),
        ("sliding", {"window": 16}, False, 20),
        ("chunked", {"window": 16}, True, 7.2),
        ("latent", {"index_keys": 16}, False, 12.8),
    ],
)
def test_keys_that_a_layer_sees(kind: str, changed: dict[str, Any], windowed: bool, keys: float) -> None:
    own = model(model__attention=kind, **{f"model__attention__{k}": v for k, v in changed.items()})
    assert flops.keys_seen(own.attention, windowed, column(40)).tolist() == [keys]
    assert flops.keys_seen(None, windowed, column(40)).tolist() == [20]


def test_an_indexer_scores_pairs() -> None:
    assert flops.index_pair(model(**LATENT, **INDEX).attention).tolist() == [2 * 2 * 3]
    assert flops.index_pair(model(**LATENT).attention).tolist() == [0]
    assert flops.index_pair(None).tolist() == [0]


def test_flops_of_a_token_in_every_convention() -> None:
    """Two layers of three see 12.8 keys of 40, the last one 20; two modules of the last kind; a narrow embedding."""
    own = model(**ATTENTION | {"model__attention": "sliding"}, model__attention__window=16, model__attention__every=3,
                model__mtp=2, model__embedding=8)  # fmt: skip
    matrices, pair = 240 + 270 + 300 + 210, 2 * 6 * (4 + 5)
    found = flops.flops_per_token(own, column(40))
    forward = found.forward
    assert forward.linear.tolist() == [2 * (3 * matrices + 2 * 8 * 10)]
    assert forward.attention.tolist() == [pytest.approx(pair * (2 * 12.8 + 20))]
    assert forward.attention_full.tolist() == [3 * pair * 40]
    assert forward.head.tolist() == [2 * 50 * 8]
    assert forward.mtp.tolist() == [2 * (2 * (matrices + 2 * 100 + 400) + pair * 20)]
    assert forward.total.tolist() == [forward.linear[0] + forward.attention[0] + 800]
    n = models.count(own)
    assert found.six_n.tolist() == [6 * n.active[0]]
    assert found.with_attention.tolist() == [6 * n.active[0] + 3 * 3 * pair * 40]
    assert found.causal.tolist() == [pytest.approx(6 * n.matmul[0] + 3 * pair * 45.6)]


def test_flops_with_an_indexer() -> None:
    """Each query scores 20 keys at 2 x 2 x 3 FLOP and sees the 12.8 that are picked; three layers."""
    own = model(**LATENT, **INDEX, model__attention__index_keys=16)
    found = flops.forward_flops(own, models.count(own), column(40))
    assert found.attention.tolist() == [pytest.approx(3 * (2 * 6 * 39 * 12.8 + 12 * 20))]


def test_a_stated_count_has_no_attention() -> None:
    own = model(model__hidden=None, model__parameters=1000)
    found = flops.forward_flops(own, models.count(own), column(40))
    assert [float(getattr(found, f.name)[0]) for f in fields(found)] == [2000, 0, 0, 0, 0]

"""Context parallelism by all-to-all: the same four tensors change hands in both directions, latent attention or not."""

from typing import Any

import pytest

from engine import entries, layout, models
from engine.operators.work import Collective
from tests.settings import run

LATENT: dict[str, Any] = {
    "model__attention": "latent", "model__attention__heads": 128, "model__attention__head": 128,
    "model__attention__query_rank": 1536, "model__attention__kv_rank": 512, "model__attention__rope_head": 64,
    "model__heads": None, "model__kv_heads": None,
}  # fmt: skip
CONTEXT: dict[str, Any] = {"layout__tensor": 1, "layout__context": 8, "layout__context_method": "all_to_all"}


def sent(**changed: Any) -> list[float]:
    """Bytes of the exchange of keys and values of a layer: forward, backward."""
    r = run(**CONTEXT, layout__data=64, batch=2048, **changed)
    d = layout.resolve(r)
    made = entries.step(r, d, models.count(r.model))
    block = next(iter(made.timing.layers.values()))[0].block
    return [
        float(next(w.bytes for w in works if isinstance(w, Collective) and w.axis == "context")[0])
        for works in (block.forward, block.backward)
    ]


def test_queries_keys_values_and_output_each_way() -> None:
    """8,192 tokens over 8 ranks, 64 query and 8 key/value heads of 128: 2 T (64 + 8) 128 elements."""
    assert sent() == pytest.approx([2 * 1024 * 72 * 128 * 2] * 2)


def test_latent_attention_sends_its_expanded_heads() -> None:
    """128 heads, 192 wide for queries and keys, 128 for values and output: 2 T 128 (192 + 128) elements."""
    assert sent(**LATENT) == pytest.approx([2 * 1024 * 128 * 320 * 2] * 2)

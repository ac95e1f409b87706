"""The dimensions of a model with every default filled in, and which of them an exact count lacks."""

from dataclasses import dataclass

from engine.columns import ONE, ZERO, Column
from engine.model_inputs import Experts, Model
from engine.once import once

MIXER_NEEDS = {
    "mamba1": ("inner", "state", "rank"),
    "mamba2": ("heads", "head", "state"),
    "delta": ("heads", "head", "key_head"),
    "lightning": ("heads", "head"),
}


@dataclass(frozen=True)
class Shape:
    """The dimensions of a model with every default filled in; ``head`` is d, rotary part included."""

    hidden: Column
    ffn: Column
    heads: Column
    kv_heads: Column
    head: Column
    value_head: Column
    vocabulary: Column
    embedding: Column  # width of the embedding table


def given(*options: Column | None) -> Column:
    """The first option that is given; the caller has made sure there is one."""
    return next(o for o in options if o is not None)


@once
def missing_dimensions(model: Model) -> tuple[str, ...]:
    """Settings an exact count lacks ("model.ffn" …); empty when ``count`` can work from dimensions."""
    attention, experts = model.attention, model.experts
    needed = {"layers": model.layers, "hidden": model.hidden, "vocabulary": model.vocabulary}
    needed["heads"] = model.heads if model.heads is not None or attention is None else attention.heads
    inner = [model.ffn] if experts is None else [model.ffn, experts.ffn]
    needed["ffn"] = next((f for f in inner if f is not None), None)
    if model.mixer is not None:
        needed |= {f"mixer.{name}": getattr(model.mixer, name) for name in MIXER_NEEDS[model.mixer.kind]}
    return tuple(f"model.{name}" for name, value in needed.items() if value is None)


@once
def shape(model: Model) -> Shape:
    """The model's dimensions with defaults: k = a, d = h/a, dv = d; latent attention adds the rotary part to d."""
    attention = model.attention
    hidden, heads = given(model.hidden), given(model.heads, attention.heads if attention else None)
    plain = given(attention.head if attention else None, model.head, hidden / heads)
    rotary = attention.rope_head if attention and attention.kind == "latent" else None
    return Shape(
        hidden=hidden,
        ffn=given(model.ffn, ZERO),
        heads=heads,
        kv_heads=given(model.kv_heads, heads),
        head=plain + given(rotary, ZERO),
        value_head=given(attention.value_head if attention else None, plain),
        vocabulary=given(model.vocabulary),
        embedding=given(model.embedding, hidden),
    )


def expert_ffn(model: Model, experts: Experts) -> Column:
    """Inner size of one routed expert: stated, or the model's f over the granularity."""
    return experts.ffn if experts.ffn is not None else given(model.ffn) / given(experts.granularity, ONE)

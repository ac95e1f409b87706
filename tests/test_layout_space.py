"""What an `optimize` without `vary` searches, as far as the model and the cluster go."""

import pytest

from tests.language import START, scenario_of

MODEL = "model small {\n  layers = 32, hidden = 4096, ffn = 14_336, heads = 32,"


def axes(text: str, *overrides: str) -> dict[str, tuple[str, ...]]:
    """The axes of the whole space, by path, as written."""
    assert MODEL in START
    (table,) = scenario_of(text + "optimize best { base = base, minimize = step_time }\n", *overrides).tables
    return {axis.path: axis.texts for axis in table.axes}


def test_the_whole_space_of_a_dense_model() -> None:
    assert axes(START) == {
        "layout.tensor": ("1", "2", "4", "8"),
        "layout.pipeline": ("1", "2", "4", "8", "16"),
        "layout.context": ("1", "2", "4", "8"),
        "layout.micro_batch": ("1 sequence", "2 sequences", "4 sequences"),
        "layout.recompute": ("none", "selective", "full"),
        "layout.shard": ("zero1", "zero2", "zero3"),
        "layout.schedule": (
            "one_f_one_b", "interleaved(virtual_stages = 2)", "interleaved(virtual_stages = 4)",
            "interleaved(virtual_stages = 8)", "zero_bubble",
        ),
    }  # fmt: skip


@pytest.mark.parametrize(("layers", "stages", "chunks"), [
    (3, ("1", "2"), (2,)),
    (4, ("1", "2", "4"), (2, 4)),
    (7, ("1", "2", "4"), (2, 4)),
    (8, ("1", "2", "4", "8"), (2, 4, 8)),
    (15, ("1", "2", "4", "8"), (2, 4, 8)),
])  # fmt: skip
def test_no_more_stages_than_layers(layers: int, stages: tuple[str, ...], chunks: tuple[int, ...]) -> None:
    made = axes(START.replace("layers = 32", f"layers = {layers}"))
    written = [f"interleaved(virtual_stages = {n})" for n in chunks]
    assert made["layout.pipeline"] == stages
    assert made["layout.schedule"] == ("one_f_one_b", *written, "zero_bubble")


def test_tensor_ranks_divide_the_heads_within_a_domain() -> None:
    assert axes(START.replace("heads = 32, kv_heads = 8", "heads = 12, kv_heads = 4"))["layout.tensor"] == (
        "1",
        "2",
        "4",
    )
    wide = START.replace("tier node { bandwidth", "tier node { span = 72 gpus, bandwidth")
    assert axes(wide)["layout.tensor"] == ("1", "2", "4", "8", "16", "32")


def test_experts_are_spread_where_there_are_some() -> None:
    """64 ranks at most, each with whole experts; 24 experts on up to 8."""
    block = "experts {{ routed = {}, active = 4, ffn = 512 }} | layers = 32".replace(" | ", "\n")
    few, many = (axes(START.replace("layers = 32", block.format(n))) for n in (24, 256))
    assert (few["layout.expert"], few["layout.expert_tensor"]) == (("1", "2", "4", "8"), ("1", "2", "4", "8"))
    assert many["layout.expert"] == ("1", "2", "4", "8", "16", "32", "64")

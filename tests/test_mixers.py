"""Hybrid models: which layers scan, what their blocks cost and keep; indexers, gates, and prediction modules."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load_text
from dsl.resolve import resolve
from engine import entries, layout, memory, models
from engine.columns import column
from engine.evaluate import Result, evaluate
from engine.flops import chunk_keys, flops_per_token, keys_seen
from engine.inputs import Run
from engine.layer_counts import layer
from engine.layers import counted_kinds, layer_kind, layer_kinds
from engine.mixers import mixer_parameters, widths
from engine.operators.layer import layer_blocks
from engine.operators.work import Collective, Traffic
from engine.read import read
from engine.step import Timing
from tests.language import RESULTS, problems_of
from tests.settings import run

HYBRIDS = ("nemotron-h-8b", "nemotron-3-nano-30b-a3b", "jamba-v0.1", "qwen3-next-80b-a3b", "qwen3.5-35b-a3b",
           "minimax-m1-80k")  # fmt: skip
SPARSE = ("deepseek-v3.2-exp", "glm-5")
TEXT = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
import "library/fabrics.scn"
cluster c from h100-rail { nodes = 8 }
run r { model = NAME, cluster = c, batch = BATCH sequences, layout { LAYOUT }, MORE }
"""


@cache
def run_of(name: str, split: str = "tensor = 1", more: str = "", batch: int = 128) -> Run:
    """A library model on 64 GPUs."""
    text = TEXT.replace("NAME", name).replace("LAYOUT", split).replace("MORE", more).replace("BATCH", str(batch))
    scenario, problems = resolve(load_text(text, "case.scn"), RESULTS)
    assert [(p.title, p.span) for p in problems] == []
    return read(scenario.runs[0].plain())


def timing(run: Run) -> tuple[layout.Degrees, Timing]:
    d = layout.resolve(run)
    return d, entries.step(run, d, models.count(run.model)).timing


# Which layers.


def test_one_layer_in_four_attends() -> None:
    kinds = layer_kinds(run_of("qwen3-next-80b-a3b").model)
    assert [k.name for k in kinds[:4]] == ["mixer experts"] * 3 + ["full experts"]
    assert sum(k.first == "attention" for k in kinds) == 12


def test_jamba_attends_in_the_fifth_of_eight_with_experts_in_every_second() -> None:
    kinds = layer_kinds(run_of("jamba-v0.1").model)
    assert [i for i, k in enumerate(kinds) if k.first == "attention"] == [4, 12, 20, 28]
    assert [k.experts for k in kinds[:4]] == [False, True, False, True]


def test_a_pattern_is_a_letter_a_layer() -> None:
    model = run_of("nemotron-3-nano-30b-a3b").model
    assert [k.name for k in layer_kinds(model)[:6]] == ["mixer", "experts", "mixer", "experts", "mixer", "full"]
    assert sorted(counted_kinds(model).values()) == [6, 23, 23]


def test_a_pattern_repeats() -> None:
    model = run_of("nemotron-h-8b").model
    assert layer_kind(model, 52) == layer_kind(model, 0)


def test_chunked_layers_are_all_but_every_fourth() -> None:
    kinds = layer_kinds(run_of("llama-4-scout-17b-16e").model)
    assert [k.windowed for k in kinds[:5]] == [True, True, True, False, True]


@given(sequence=st.integers(1, 3000), chunk=st.integers(1, 3500))
def test_mean_keys_in_chunks_is_the_average_over_the_mask_less_a_half(sequence: int, chunk: int) -> None:
    exact = sum(i % chunk + 1 for i in range(sequence)) / sequence
    assert chunk_keys(column(sequence), column(chunk))[0] == pytest.approx(exact - 0.5)


def test_an_indexer_leaves_each_query_its_keys() -> None:
    model = run_of("deepseek-v3.2-exp").model
    assert keys_seen(model.attention, False, column(2048))[0] == 1024
    assert keys_seen(model.attention, False, column(131_072))[0] == pytest.approx(2048, rel=0.01)


# Counts by part.


def test_a_mixer_layer_by_hand() -> None:
    """Mamba-2 of Nemotron-H 8B: h (2 di + 2 g s + H) + di h; (c + 1)(di + 2 g s) + 3 H + di; one norm."""
    model = run_of("nemotron-h-8b").model
    found = layer(model, layer_kind(model, 0))
    h, di, gs, heads = 4096, 128 * 64, 8 * 128, 128
    assert found.mixer[0] == h * (2 * di + 2 * gs + heads) + di * h
    assert found.mixer_vectors[0] == 5 * (di + 2 * gs) + 3 * heads + di
    assert found.total[0] == found.mixer[0] + found.mixer_vectors[0] + h


def test_an_output_gate_doubles_the_query_projection() -> None:
    model = run_of("qwen3-next-80b-a3b").model
    assert layer(model, layer_kind(model, 3)).query[0] == 2 * 2048 * 16 * 256


# Time, memory and the ledger.


@pytest.mark.parametrize("name", [*HYBRIDS, *SPARSE, "opt-350m", "llama-4-maverick-17b-128e"])
def test_flops_of_the_ledger_are_those_of_the_model(name: str) -> None:
    """Forward rows of one micro-batch on one device, over the tokens, are the causal convention's forward FLOPs."""
    run = run_of(name, "data = 1", "stack = torchtitan")
    step = entries.step(run, layout.resolve(run), models.count(run.model))
    own = sum(float((e.count * e.row.flops)[0]) for e in step.entries
              if e.row.phase == "forward" and e.row.block != "mtp")  # fmt: skip
    d = layout.resolve(run)
    forward = flops_per_token(run.model, d.sequence).forward
    tokens = float((d.micro_batches * d.tokens)[0])
    assert own / tokens == pytest.approx(float(forward.total[0]), rel=1e-9)


@pytest.mark.parametrize("name", [*HYBRIDS, *SPARSE])
@pytest.mark.parametrize("split", ["tensor = 4, recompute = full", "tensor = 2, context = 2", "pipeline = 4"])
def test_a_hybrid_is_evaluated_under_every_kind_of_split(name: str, split: str) -> None:
    result: Result = evaluate(run_of(name, split), advise=False)
    assert result.status in ("ok", "does_not_fit")
    assert result.step is not None
    assert float(result.step.seconds[0]) == pytest.approx(sum(float(e.exposed[0]) for e in result.step.entries))
    assert 0 < float(result.columns["mfu"][0]) < 1
    assert all(float(m.total[0]) > 0 for m in result.memory)
    assert any("low confidence" in note for note in result.notes)


def test_tensor_parallelism_splits_a_mixer() -> None:
    """Half the heads on each of two ranks: half of the scanned bytes, and a gather and a sum as in attention."""
    one, two = (
        layer_blocks(run, layout.resolve(run), layer_kind(run.model, 0), fused=True)[0]
        for run in (run_of("nemotron-h-8b"), run_of("nemotron-h-8b", "tensor = 2"))
    )
    assert one.name == two.name == "mixer"
    scans = [next(w for w in b.forward if isinstance(w, Traffic) and w.op == "scan").bytes[0] for b in (one, two)]
    assert scans[1] * 2 == scans[0]
    assert [w.kind for w in two.forward if isinstance(w, Collective) and w.axis == "tensor"] == [
        "all_gather", "reduce_scatter"
    ]  # fmt: skip


def test_a_scan_moves_its_operands_and_the_states_of_its_chunks() -> None:
    run = run_of("nemotron-h-8b")
    d, (block,) = layout.resolve(run), layer_blocks(run, layout.resolve(run), layer_kind(run.model, 0), fused=True)
    di, gs, state = 8192, 1024, 8192 * 128
    scan = next(w for w in block.forward if isinstance(w, Traffic) and w.op == "scan")
    assert scan.bytes[0] / d.tokens[0] == 2 * (2 * di + 2 * gs + 128) + 4 * state / 128
    kept = {k.tensor: float(k.bytes[0] / d.tokens[0]) for k in block.keeps}
    assert kept["block input"] == 2 * 4096 and kept["projected"] == 2 * (2 * di + 2 * gs + 128)


def test_the_time_of_scans_does_not_grow_with_the_square_of_the_sequence() -> None:
    short, long = (
        evaluate(run_of("nemotron-h-8b", "tensor = 8", f"sequence = {s} tokens", b))
        for s, b in ((8192, 128), (65_536, 16))
    )
    blocks = [{b: sum(float(e.exposed[0]) for e in r.step.entries if e.row.block == b) for b in ("mixer", "attention")}
              for r in (short, long) if r.step is not None]  # fmt: skip
    assert blocks[1]["mixer"] == pytest.approx(blocks[0]["mixer"], rel=0.2)
    assert blocks[1]["attention"] > 2 * blocks[0]["attention"]


def test_heads_of_a_mixer_divide_by_tensor() -> None:
    """40 query heads and 128 mixer heads of Nemotron Nano: tensor 5 suits the first alone."""
    result = evaluate(run_of("nemotron-nano-9b-v2", "tensor = 5, data = 1"), advise=False)
    assert "128 heads of the mixer do not divide by tensor 5" in result.reasons


# Multi-token prediction.


def predicting(pipeline: int, mtp: int) -> tuple[Run, layout.Degrees, Timing]:
    """DeepSeek-V3 with so many modules, its layers always on the same stages."""
    split = f"pipeline = {pipeline}, expert = 8" + (", stages = [16, 15, 15, 15]" if pipeline == 4 else "")
    run = run_of("deepseek-v3", split)
    run = replace(run, model=replace(run.model, mtp=mtp))
    return run, *timing(run)


def test_prediction_modules_stand_on_the_last_stage() -> None:
    _, _, without = predicting(4, 0)
    _, _, with_one = predicting(4, 1)
    more = [float(b[0] - a[0]) for a, b in zip(without.forward, with_one.forward, strict=True)]
    assert more[:3] == [0, 0, 0] and more[3] > 0
    _, _, with_two = predicting(4, 2)
    assert float(with_two.forward[3][0] - without.forward[3][0]) == pytest.approx(2 * more[3])


def test_flops_of_a_module_are_a_layer_a_projection_and_a_head() -> None:
    run, d, made = predicting(1, 1)
    flops = sum(float(r.flops[0]) for b in made.prediction for r in b.forward)
    assert flops / float(d.tokens[0]) == pytest.approx(float(flops_per_token(run.model, d.sequence).forward.mtp[0]))


def test_parameters_of_a_module_are_those_counted() -> None:
    """On one tensor and expert rank of one stage the module's parameters are the count's, to the last one."""
    run = run_of("deepseek-v3")
    _, made = timing(run)
    held = made.parameters.prediction + made.parameters.prediction_experts
    assert held[0] == models.count(run.model).mtp[0]


def test_a_module_takes_memory_on_the_last_stage_only() -> None:
    one, two = ([memory.stage_memory(r, d, made, s) for s in made.stages]
                for r, d, made in (predicting(4, 0), predicting(4, 1)))  # fmt: skip
    more = [float(b.total[0] - a.total[0]) for a, b in zip(one, two, strict=True)]
    assert more[:3] == [0, 0, 0]
    assert two[3].logits[0] == 2 * one[3].logits[0]
    assert more[3] > 0


def test_results_leave_prediction_modules_out_of_the_model() -> None:
    run = run_of("deepseek-v3", "pipeline = 4, expert = 8")
    result = evaluate(run)
    assert result.columns["parameters"][0] == 671_026_404_352
    assert result.step is not None
    assert sum(float(e.row.exposed[0]) for e in result.step.entries if e.row.block == "mtp") > 0


# The language.


@pytest.mark.parametrize(("pattern", "title"), [("M-Mx", "`x` is no letter"), ("", "a letter a layer")])
def test_letters_of_a_pattern_are_checked(pattern: str, title: str) -> None:
    text = f"""edition 2026
import "library/gpus.scn"
model m {{ layers = 4, hidden = 64, heads = 4, ffn = 128, vocabulary = 100, sequence = 128 tokens
  mixer mamba2 {{ pattern = "{pattern}", heads = 4, head = 16, state = 16 }}
}}
cluster c {{ gpu = h100-sxm, gpus = 8 gpus }}
run r {{ model = m, cluster = c, batch = 8 sequences }}
"""
    assert any(title in p.title for p in problems_of(text))


def test_an_offset_lies_within_its_period() -> None:
    text = """edition 2026
model m { mixer delta { every = 4, offset = 4, heads = 4, head = 16, key_head = 16 } }
"""
    assert [(p.code, p.help) for p in problems_of(text)] == [("E26", "write a number from 0 to 3")]


def test_a_mixer_without_its_sizes_has_no_count() -> None:
    run = run_of("nemotron-h-8b")
    assert run.model.mixer is not None
    model = replace(run.model, mixer=replace(run.model.mixer, state=None))
    assert models.missing_dimensions(model) == ("model.mixer.state",)
    assert np.isnan(models.count(model).total[0])


SIZES = {"heads": 12, "head": 5, "key_heads": 4, "key_head": 7, "inner": 60, "state": 8, "groups": 2, "rank": 6,
         "convolution": 4, "chunk": 16}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("mamba1", {"entry": 120, "inner": 60, "small": 60 * 22 + 6 * 60, "convolved": 60, "scanned": 4 * 60 + 16,
                    "state": 480, "heads": 1, "vectors": 5 * 60 + 60 * 8 + 2 * 60 + 6 + 16}),
        ("mamba2", {"entry": 120 + 32 + 12, "inner": 60, "small": 0, "convolved": 92, "scanned": 164, "state": 480,
                    "heads": 12, "vectors": 5 * 92 + 3 * 12 + 60}),
        ("delta", {"entry": 56 + 120 + 24, "inner": 60, "small": 0, "convolved": 56 + 60, "scanned": 200,
                   "state": 60 * 7, "heads": 12, "vectors": 4 * 116 + 24 + 5}),
        ("lightning", {"entry": 240, "inner": 60, "small": 0, "convolved": 0, "scanned": 240, "state": 300,
                       "heads": 12, "vectors": 60}),
    ],
)  # fmt: skip
def test_widths_of_every_mixer(kind: str, expected: dict[str, float]) -> None:
    """12 heads of 5 (4 key heads of 7), inner size 60, 2 groups of 8 states, rank 6, 4 taps."""
    sizes: dict[str, Any] = {f"model__mixer__{name}": size for name, size in SIZES.items()}
    mixer = run(model__mixer=kind, **sizes).model.mixer
    assert mixer is not None
    assert {name: float(value[0]) for name, value in vars(widths(mixer)).items()} == expected
    matrices = 10 * (expected["entry"] + expected["inner"]) + expected["small"]
    assert [float(x[0]) for x in mixer_parameters(mixer, column(10))] == [matrices, expected["vectors"]]

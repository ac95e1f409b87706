"""TorchTitan's file of a run: its stages, schedules, sharding and model, and what it does not say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load_text
from dsl.importers import torchtitan as reader
from dsl.importers.titan_stages import Split, chunks, on_ranks, split_of
from dsl.resolve import resolve
from engine.stages import assign
from reports.document import build
from reports.operations import flavors
from reports.operations.files import exported, unsaid
from tests.report_documents import Json, main_point

START = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster c {{
  gpu = h100-sxm, gpus_per_node = 8, nodes = {nodes}
  tier node {{ bandwidth = 450 GB/s, latency = 1 us }}
  tier pod {{ span = 64 gpus, bandwidth = 400 Gb/s, latency = 5 us }}
  tier spine {{ bandwidth = 400 Gb/s, latency = 7 us }}
}}
run r {{
  model = {model}, cluster = c, stack = torchtitan, batch = 512 sequences, tokens = 1T tokens
  layout {{ {layout} }}
  {more}
}}
"""


def point(layout: str, model: str = "llama-3.1-8b", nodes: int = 16, more: str = "") -> Json:
    """The point of a run under TorchTitan."""
    text = START.format(layout=layout, model=model, nodes=nodes, more=more)
    scenario, problems = resolve(load_text(text, "a.scn"), {})
    assert not problems, problems
    return main_point(build(scenario))


def read_back(made: Json) -> tuple[str, Any]:
    ((_, text),) = exported(made, "r").items()
    draft, problems = reader.read(text.encode(), "r.toml")
    assert problems == [] and set(draft.given) <= draft.used, problems
    return text, draft


# Stages


@pytest.mark.parametrize(
    ("layers", "count", "first", "last", "found"),
    [
        (3, 2, 2, 2, [2, 1]),  # the example of generate_llm_fqn_per_model_part
        (126, 16, 1, 1, [7, *[8] * 14, 7]),
        (80, 4, 1, 1, [20, 21, 20, 19]),
        (80, 4, 0, 0, [20] * 4),
        (4, 4, 2, 2, [0, 2, 2, 0]),
        (4, 8, 1, 1, None),
        (8, 4, 4, 0, None),
    ],
)
def test_layers_of_each_virtual_stage(layers: int, count: int, first: int, last: int, found: list[int] | None) -> None:
    assert chunks(layers, count, first, last) == found


def test_schedules_shaped_like_a_v_put_the_last_stage_on_the_first_rank() -> None:
    assert on_ranks([1, 2, 3, 4], 2, folded=True) == [5, 5] and on_ranks([1, 2, 3, 4], 2, folded=False) == [4, 6]


@given(st.integers(1, 8), st.integers(2, 8), st.integers(1, 4))
def test_a_balanced_split_of_the_engine_is_torchtitans_own(each: int, ranks: int, more: int) -> None:
    layers = each * ranks + more % ranks
    placed = [s.layers for s in assign(layers, ranks, 1, "balanced", None)]
    if min(placed) >= 1:
        found = split_of(placed, 1, "1F1B")
        assert found is not None and on_ranks(chunks(layers, ranks, *found[:2]) or [], ranks, False) == placed


def test_stages_that_torchtitan_cannot_make() -> None:
    """An own last stage can be made; more layers in the middle of equal ones cannot."""
    assert split_of([4, 4, 4, 1], 1, "1F1B") == Split(0, 2, 4)
    assert split_of([4, 6, 4, 4], 1, "1F1B") is None
    made = point("pipeline = 4, stages = [7 layers, 10 layers, 7 layers, 8 layers], shard = zero3")
    assert unsaid(made) == ["how many layers stand on each stage (7, 10, 7, 8)"]
    assert "less_layers" not in read_back(made)[0]


@pytest.mark.parametrize(
    ("layout", "model", "keys", "schedule"),
    [
        ("pipeline = 4", "llama-3.1-8b", {"first_stage_less_layers = 0", "last_stage_less_layers = 0"}, "one_f_one_b"),
        ("pipeline = 4, schedule = interleaved(virtual_stages = 4)", "llama-3.1-8b",
         {"layers_per_stage = 2", "first_stage_less_layers = 0", 'schedule = "Interleaved1F1B"'},
         "interleaved(virtual_stages = 4)"),
        ("pipeline = 4, schedule = gpipe", "llama-3.1-8b", {'schedule = "GPipe"'}, "gpipe"),
        ("pipeline = 4, schedule = dualpipe_v", "llama-3.1-8b", {'schedule = "DualPipeV"'}, "dualpipe_v"),
        ("pipeline = 16, tensor = 8", "llama-3.1-405b",
         {"first_stage_less_layers = 1", "last_stage_less_layers = 1"}, "one_f_one_b"),
    ],
)  # fmt: skip
def test_a_pipeline_reads_back_with_the_stages_of_the_engine(
    layout: str, model: str, keys: set[str], schedule: str
) -> None:
    made = point(f"{layout}, shard = zero3", model)
    placed = [s["layers"] for s in made["stages"]]
    text, draft = read_back(made)
    assert all(f"pipeline_parallel_{key}\n" in text for key in keys), text
    assert draft.run["layout.schedule"] == schedule and unsaid(made) == []
    stated, split = draft.run.get("layout.stages"), draft.run.get("layout.split")
    assert stated in (None, placed) and (len(set(placed)) == 1 or bool(stated) or split == "balanced")


def test_layers_a_stage_say_how_many_virtual_stages_there_are() -> None:
    """32 layers, 2 a stage, with the defaults of 1 and 1: 17 stages do not divide by 4 ranks; with 0 and 0: 16."""
    text = '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nseq_len = 8192\n[parallelism]\n'
    text += "data_parallel_shard_degree = 2\npipeline_parallel_degree = 4\npipeline_parallel_layers_per_stage = 2\n"
    text += 'pipeline_parallel_schedule = "interleaved1f1b"\n'
    _, wrong = reader.read(text.encode(), "a.toml")
    assert "17 stages of 2 layers do not divide by 4 ranks" in wrong[0].title
    less = "".join(f"pipeline_parallel_{end}_stage_less_layers = 0\n" for end in ("first", "last"))
    draft, problems = reader.read((text + less).encode(), "a.toml")
    assert not problems and draft.run["layout.schedule"] == "interleaved(virtual_stages = 4)"
    plain = text.replace("pipeline_parallel_layers_per_stage = 2\n", "").replace("interleaved1f1b", "1F1B")
    assert reader.read(plain.encode(), "a.toml")[0].run["layout.stages"] == [8, 9, 8, 7]


def test_what_torchtitan_has_no_word_for() -> None:
    made = point("pipeline = 4, schedule = dualpipe, shard = zero3, micro_batch = 1 sequence")
    assert "the schedule DualPipe" in unsaid(made) and "parallel_schedule" not in read_back(made)[0]
    late = point("pipeline = 4, schedule = zero_bubble, shard = zero1, recompute = full(first = 2 layers)")
    assert unsaid(late) == [
        "that a stage is one piece in the schedule zero bubble: there it is two", "sharding ZeRO-1",
        "that only the first layers of a stage are recomputed",
    ]  # fmt: skip
    assert 'selective_ac_option = "op"' in read_back(point("shard = zero3, recompute = selective"))[0]
    assert unsaid(point("shard = zero3, recompute = selective(ops = [alternate])")) == []


# Sharding and model


@pytest.mark.parametrize(
    ("layout", "shard", "copies", "back"),
    [
        ("tensor = 8, shard = zero3", 16, 1, "zero3"),
        ("tensor = 8, shard = zero3(within = pod)", 8, 2, "zero3(group = 64 gpus)"),
        ("tensor = 4, shard = zero3(group = 32 gpus)", 8, 4, "zero3(group = 32 gpus)"),
        ("context = 2, shard = zero3(group = 64 gpus)", 32, 2, "zero3(group = 64 gpus)"),
    ],
)
def test_states_are_sharded_over_the_ranks_of_the_engine(layout: str, shard: int, copies: int, back: str) -> None:
    """128 GPUs; a pod of 64 holds 8 ranks of tensor 8."""
    text, draft = read_back(point(layout))
    degrees = f"data_parallel_shard_degree = {shard}\ndata_parallel_replicate_degree = {copies}\n"
    assert degrees in text and draft.run["layout.shard"] == back


def test_a_model_of_the_library_has_its_flavor_and_one_of_ones_own_is_to_be_registered() -> None:
    made = point("shard = zero3")
    text, draft = read_back(made)
    assert '[model]\nname = "llama3"\nflavor = "8B"\n' in text and "\n# model.dim = 4096\n" in text
    assert draft.run["model"] == "llama-3.1-8b" and draft.model == {} and draft.notes == []
    changed = point("shard = zero3", more="model.layers = 30")
    text, draft = read_back(changed)
    assert "flavor = " in text and 'flavor = "8B"' not in text and draft.model["layers"] == 30
    assert unsaid(changed) == [f"the flavor {flavors.registered(changed['settings'])[1]}, to be registered with its "
                               "dimensions"]  # fmt: skip


def test_flavors_have_the_layers_of_the_library() -> None:
    for model, layers in reader.LIBRARY.values():
        assert flavors.in_library(model)["layers"] == layers, model

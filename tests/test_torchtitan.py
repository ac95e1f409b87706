"""TorchTitan's configurations, setting by setting: what each says of the model, the layout and the batch."""

import json
from typing import Any

import pytest

from dsl.importers.run_draft import Draft
from dsl.importers.torchtitan import commented_out, detects, read
from dsl.problems import Problem, Span

SMALL: dict[str, Any] = {
    "model.dim": 4096, "model.n_layers": 32, "model.n_heads": 32, "model.vocab_size": 128_256, "training.seq_len": 8192,
    "training.local_batch_size": 2, "parallelism.data_parallel_shard_degree": 8,
}  # fmt: skip


def text(changed: dict[str, Any], head: str = "") -> bytes:
    """The small configuration with some keys changed; None takes a key away."""
    keys = {key: value for key, value in (SMALL | changed).items() if value is not None}
    lines = [head] if head else []
    for section in dict.fromkeys(key.partition(".")[0] for key in keys):
        lines.append(f"[{section}]")
        own = {key.partition(".")[2]: value for key, value in keys.items() if key.startswith(f"{section}.")}
        lines += [f"{key} = {json.dumps(value)}" for key, value in own.items()]
    return ("\n".join(lines) + "\n").encode()


def run(head: str = "", /, **changed: Any) -> Draft:
    """The small configuration, changed and right; `__` in a name is a dot."""
    draft, problems = read(text({key.replace("__", "."): value for key, value in changed.items()}, head), "a.toml")
    assert not problems, problems
    return draft


def wrong(head: str = "", /, **changed: Any) -> list[Problem]:
    return read(text({key.replace("__", "."): value for key, value in changed.items()}, head), "a.toml")[1]


def test_the_small_configuration_whole() -> None:
    found = run()
    assert found.gpus == 8 and found.notes == []
    assert found.model == {"layers": 32, "hidden": 4096, "heads": 32, "vocabulary": 128_256, "ffn": 11_008}
    assert found.run == {
        "layout.shard": "zero3", "layout.recompute": "selective", "sequence": 8192, "layout.micro_batch": 2,
        "batch": 16, "precision": "bf16", "stack": "torch-fsdp2", "states.weights": 4.0, "states.gradients": 4.0,
        "states.master": 0.0, "states.moments": 8.0,
    }  # fmt: skip
    assert found.why == {
        "layout.shard": "data_parallel_shard_degree, data_parallel_replicate_degree", "sequence": "training.seq_len",
        "layout.recompute": "activation_checkpoint.mode", "layout.micro_batch": "training.local_batch_size",
        "batch": "local_batch_size of every replica", "precision": "mixed_precision_param",
        "stack": "compile.enable is not given", "states.weights": "parameters in fp32 (training.dtype)",
        "model.hidden": "model.dim", "model.layers": "model.n_layers", "model.heads": "model.n_heads",
        "model.vocabulary": "model.vocab_size", "model.ffn": "model.ffn_dim is not given",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("dim", "multiplier", "multiple", "size"),
    [
        (4096, None, None, 11_008),  # Llama 2 7B
        (8192, 1.3, 4096, 28_672), (4096, 1.3, 1024, 14_336), (16_384, 1.2, 4096, 53_248),  # Llama 3.1 70B, 8B, 405B
        (96, 0, 0, 256), (96, 1, 0.5, 256), (97, 1, 1, 258),
    ],
)  # fmt: skip
def test_the_inner_size_of_llama(dim: int, multiplier: float | None, multiple: float | None, size: int) -> None:
    found = run(model__dim=dim, model__ffn_dim_multiplier=multiplier, model__multiple_of=multiple)
    assert found.model["ffn"] == size
    assert run(model__dim=dim, model__hidden_dim=300).model["ffn"] == 300


@pytest.mark.parametrize(
    ("family", "flavor", "model", "stages"),
    [
        ("llama3", "8B", "llama-3.1-8b", 32), ("llama3", "70B", "llama-3.1-70b", 80),
        ("llama3", "405B", "llama-3.1-405b", 126), ("llama4", "17bx16e", "llama-4-scout-17b-16e", 48),
        ("llama4", "17bx128e", "llama-4-maverick-17b-128e", 48), ("deepseek_v3", "671B", "deepseek-v3", 61),
        ("deepseek_v3", "16B", "deepseek-v2-lite", 27),
    ],
)  # fmt: skip
def test_a_flavor_is_a_model_of_the_library_with_its_layers(family: str, flavor: str, model: str, stages: int) -> None:
    """Two ranks, two layers less on the first: (L + 2)/2 layers each, the first one more where they are odd."""
    named = {"model__name": family, "model__flavor": flavor, "model__dim": None, "model__n_layers": None,
             "model__n_heads": None, "model__vocab_size": None}  # fmt: skip
    found = run(**named, parallelism__pipeline_parallel_degree=2,
                parallelism__pipeline_parallel_first_stage_less_layers=2,
                parallelism__pipeline_parallel_last_stage_less_layers=0)  # fmt: skip
    assert found.model == {} and found.run["model"] == model
    assert found.why["model"] == f"model.name, model.flavor = {family} {flavor}"
    first = -(-(stages + 2) // 2) - 2
    assert found.run["layout.stages"] == [first, stages - first]


def test_experts() -> None:
    moe = {"model__num_experts": 8, "model__top_k": 2}
    dense = {"layers": 32, "hidden": 4096, "heads": 32, "vocabulary": 128_256, "ffn": 11_008}
    assert run(**moe).model == dense | {"experts.routed": 8, "experts.active": 2, "experts.ffn": 11_008}
    assert run(**moe, model__moe_inter_dim=512, model__num_shared_experts=1).model == dense | {
        "experts.routed": 8, "experts.active": 2, "experts.ffn": 512, "experts.shared": 1
    }  # fmt: skip
    assert run(model__num_experts=0, model__n_kv_heads=8).model == dense | {"kv_heads": 8}
    assert [p.title for p in wrong(model__num_experts=8)] == ["a.toml has no model.top_k"]


def parallel(**given: Any) -> dict[str, Any]:
    """Keys of degrees: shard=8 is parallelism.data_parallel_shard_degree."""
    data = {"shard": "data_parallel_shard", "replicate": "data_parallel_replicate"}
    return {f"parallelism__{data.get(key, f'{key}_parallel')}_degree": value for key, value in given.items()}


@pytest.mark.parametrize(
    ("head", "given", "gpus", "shard", "batch"),
    [
        ("", {"shard": 8}, 8, "zero3", 16),
        ("", {"shard": 1}, 1, "none", 2),
        ("", {"shard": 2}, 2, "zero3", 4),
        ("", {"shard": 4, "tensor": 2, "context": 2}, 16, "zero3", 8),
        ("", {"shard": 4, "replicate": 2}, 8, "zero3(group = 4 gpus)", 16),
        ("", {"shard": 4, "replicate": 2, "tensor": 2, "context": 2}, 32, "zero3(group = 16 gpus)", 16),
        ("", {"shard": 1, "replicate": 4}, 4, "none", 8),
        ("# world_size = 64", {"shard": -1}, 64, "zero3", 128),
        ("# world_size = 64", {"shard": None, "tensor": 4, "replicate": 2}, 64, "zero3(group = 32 gpus)", 32),
        ("# world_size = 8", {"shard": None, "tensor": 8}, 8, "none", 2),
        ("# world_size = 8", {"shard": 8, "expert": 4, "expert_tensor": 2}, 8, "zero3", 16),
    ],
)  # fmt: skip
def test_degrees_shards_and_ranks(head: str, given: dict[str, Any], gpus: int, shard: str, batch: int) -> None:
    found = run(head, **parallel(**given))
    assert (found.gpus, found.run["layout.shard"], found.run["batch"]) == (gpus, shard, batch)
    for axis in ("tensor", "context", "expert", "expert_tensor"):
        degree = given.get(axis)
        assert (found.run.get(f"layout.{axis}"), found.why.get(f"layout.{axis}")) == (
            (degree, f"{axis}_parallel_degree") if degree else (None, None)
        )


def test_degrees_of_zero_or_one_are_none_and_their_product_is_told() -> None:
    assert run(**parallel(tensor=0, context=1, expert=1, replicate=0)).run == run().run
    assert wrong("# world_size = 64", **parallel(replicate=2, tensor=2, context=1, expert=4)) == [
        Problem("E26", "the degrees make 32 ranks, world_size is 64", Span("a.toml", 11, 1), "8 x 2 x 2")
    ]  # fmt: skip
    assert [p.label for p in wrong("# world_size = 64", **parallel(shard=1))] == ["1"]
    assert wrong(**parallel(shard=None, tensor=4)) == [
        Problem("E13", "a.toml has no number of GPUs", Span("a.toml", 1, 1, 2), "needed",
                help="add a line `# world_size = 64`, or a data_parallel_shard_degree")
    ]  # fmt: skip
    assert [p.title for p in wrong(**parallel(shard=0))] == ["`parallelism.data_parallel_shard_degree` is a number",
                                                             "a.toml has no number of GPUs"]  # fmt: skip


def pipeline(ranks: int, layers: int = 32, **given: Any) -> dict[str, Any]:
    own = {f"parallelism__pipeline_parallel_{key}": value for key, value in given.items()}
    return {"parallelism__pipeline_parallel_degree": ranks, "model__n_layers": layers, **own}


@pytest.mark.parametrize(
    ("ranks", "layers", "given", "schedule", "stages"),
    [
        (4, 30, {}, "one_f_one_b", [7, 8, 8, 7]),  # 32/4 with embedding and head as a layer each: `balanced`
        (4, 32, {}, "one_f_one_b", [8, 9, 8, 7]),
        (4, 32, {"first_stage_less_layers": 0, "last_stage_less_layers": 0}, "one_f_one_b", None),
        (4, 31, {"first_stage_less_layers": 1, "last_stage_less_layers": 0}, "one_f_one_b", [7, 8, 8, 8]),
        (4, 31, {"first_stage_less_layers": 0}, "one_f_one_b", [8, 8, 8, 7]),
        (4, 30, {"schedule": "GPipe"}, "gpipe", [7, 8, 8, 7]),
        (4, 30, {"schedule": "1f1b"}, "one_f_one_b", [7, 8, 8, 7]),
        (4, 62, {"schedule": "Interleaved1F1B"}, "interleaved(virtual_stages = 2)", [15, 16, 16, 15]),
        (4, 62, {"schedule": "Interleaved1F1B", "layers_per_stage": 4}, "interleaved(virtual_stages = 4)",
         [15, 16, 16, 15]),
        (2, 4, {"schedule": "Interleaved1F1B", "layers_per_stage": 1, "first_stage_less_layers": 0,
                "last_stage_less_layers": 0}, "interleaved(virtual_stages = 2)", None),
        (2, 7, {"schedule": "Interleaved1F1B", "layers_per_stage": 2, "first_stage_less_layers": 0,
                "last_stage_less_layers": 0}, "interleaved(virtual_stages = 2)", [4, 3]),
        (2, 4, {"schedule": "Interleaved1F1B", "layers_per_stage": 2, "first_stage_less_layers": 2,
                "last_stage_less_layers": 2}, "interleaved(virtual_stages = 2)", [2, 2]),
        (2, 6, {"schedule": "InterleavedZeroBubble"}, "zero_bubble", [3, 3]),
        (2, 6, {"schedule": "ZBVZeroBubble"}, "zero_bubble", [2, 4]),  # stages 1, 2, 2, 1: the last on the first rank
        (2, 6, {"schedule": "DualPipeV"}, "dualpipe_v", [2, 4]),
        (2, 7, {"schedule": "DualPipeV"}, "dualpipe_v", [3, 4]),  # 2, 2, 2, 1
    ],
)  # fmt: skip
def test_schedules_and_the_layers_of_each_rank(
    ranks: int, layers: int, given: dict[str, Any], schedule: str, stages: list[int] | None
) -> None:
    found = run(**pipeline(ranks, layers, **given))
    assert (found.run["layout.schedule"], found.why["layout.schedule"]) == (schedule, "pipeline_parallel_schedule")
    split = found.run.get("layout.stages")
    if found.run.get("layout.split") is not None:
        assert (found.run["layout.split"], split) == ("balanced", None)
        assert found.why["layout.split"] == "first_stage_less_layers, last_stage_less_layers"
    else:
        assert split == stages
    assert (found.gpus, found.run["batch"], found.run["layout.micro_batch"]) == (8 * ranks, 16, 1)
    assert found.why["layout.micro_batch"] == "pipeline_parallel_microbatch_size"


@pytest.mark.parametrize(
    ("ranks", "layers", "given", "balanced"),
    [
        (4, 30, {}, True), (4, 31, {}, True), (4, 32, {}, False),  # 32 over 4 would be 8 each, which this is not
        (4, 30, {"first_stage_less_layers": 2, "last_stage_less_layers": 2}, False),
        (4, 30, {"first_stage_less_layers": 1, "last_stage_less_layers": 2}, False),
        (2, 7, {"schedule": "DualPipeV"}, False), (4, 62, {"schedule": "Interleaved1F1B"}, True),
        (4, 64, {"schedule": "Interleaved1F1B"}, False),
    ],
)  # fmt: skip
def test_a_split_that_balanced_has_is_named(ranks: int, layers: int, given: dict[str, Any], balanced: bool) -> None:
    found = run(**pipeline(ranks, layers, **given)).run
    assert ("layout.split" in found, "layout.stages" in found) == (balanced, not balanced)


def test_splits_that_torchtitan_refuses() -> None:
    place = Span("a.toml", 1, 1)
    assert wrong(**pipeline(4, 32, layers_per_stage=7)) == [
        Problem("E26", "5 stages of 7 layers do not divide by 4 ranks", place._replace(line=12),
                "TorchTitan refuses this")
    ]  # fmt: skip
    assert wrong(**pipeline(4, 6, first_stage_less_layers=3)) == [
        Problem("E26", "6 layers do not fill 4 stages, 3 less on the first and 1 on the last", place._replace(line=11),
                "TorchTitan refuses this")
    ]  # fmt: skip
    assert [p.title for p in wrong(**pipeline(4, 0))] == []
    assert run(**pipeline(2, 32, microbatch_size=4, layers_per_stage=17)).run["layout.micro_batch"] == 4


@pytest.mark.parametrize(
    ("key", "value", "path", "found"),
    [
        ("parallelism.fsdp_reshard_after_forward", "always", "layout.reshard", True),
        ("parallelism.fsdp_reshard_after_forward", "never", "layout.reshard", False),
        ("parallelism.fsdp_reshard_after_forward", "default", "layout.reshard", None),
        ("activation_checkpoint.mode", "Full", "layout.recompute", "full"),
        ("activation_checkpoint.mode", "none", "layout.recompute", None),
        ("training.dtype", "bfloat16", "states.weights", None),
        ("training.dtype", "float32", "states.weights", 4.0),
        ("model.converters", ["float8"], "precision", "fp8"), ("model.converters", ["mx"], "precision", "bf16"),
        ("float8.enable_fsdp", True, "precision", "fp8"), ("quantize.linear", True, "precision", "fp8"),
        ("compile.enable", True, "stack", "torchtitan"), ("compile.enable", False, "stack", "torch-fsdp2"),
        ("training.compile", True, "stack", "torchtitan"),
        ("training.global_batch_size", 64, "batch", 64), ("training.global_batch_size", -1, "batch", 16),
        ("training.steps", 100, "tokens", 100 * 16 * 8192), ("training.steps", 0, "tokens", None),
        ("training.local_batch_size", None, "layout.micro_batch", 8), ("training.local_batch_size", None, "batch", 64),
    ],
)  # fmt: skip
def test_what_one_setting_says(key: str, value: Any, path: str, found: Any) -> None:
    assert read(text({key: value}), "a.toml")[0].run.get(path) == found


def test_where_precision_and_batch_come_from() -> None:
    found = run(training__global_batch_size=64, model__converters=["float8"], compile__enable=True, training__steps=5)
    assert {path: found.why[path] for path in ("batch", "precision", "stack", "tokens")} == {
        "batch": "global_batch_size", "precision": "model.converters", "stack": "compile.enable",
        "tokens": "training.steps",
    }  # fmt: skip


def test_the_option_of_selective_checkpointing_is_a_note() -> None:
    note = "selective_ac_option = 2: read as recomputation by operation"
    assert run(activation_checkpoint__selective_ac_option="2").notes == [note]
    assert run(activation_checkpoint__selective_ac_option="op").notes == []
    assert run(activation_checkpoint__selective_ac_option="2", activation_checkpoint__mode="full").notes == []


def test_what_cannot_be_read_stands_at_its_line() -> None:
    assert wrong(model__dim=None) == [
        Problem("E13", "a.toml has no model.dim", Span("a.toml", 1, 1, 2), "needed", help="add dim to [model]")
    ]
    named = {"model__name": "llama3", "model__flavor": "9B", "model__dim": None}
    assert wrong(**named) == [
        Problem("E15", "`llama3 9B` is no model of the library", Span("a.toml", 6, 1), "stated here",
                help="state dim, n_layers, n_heads, vocab_size as comments: `# model.dim = 8192`")
    ]  # fmt: skip
    assert read(b"[model]\nname = 1\n= 2\n", "b")[1][0][:3] == ("E02", "b is not TOML", Span("b", 3, 1))
    assert read(b"[model]\nname = 1", "b\n")[1] != []
    deep = b"[training]\nx = " + b"{a = " * 12 + b"1" + b"}" * 12 + b"\n"
    assert [name for name in read(deep, "b")[0].given if name.startswith("training")] == []
    shallow = b"[training]\nx = {a = {b = true}}\n"
    assert read(shallow, "b")[0].given["training.x.a.b"][1:] == ("true", 1)


def test_dimensions_of_a_flavor_as_comments() -> None:
    """A flavor of the library takes none; one that is not there takes those that the file does not state itself."""
    head = "# model.dim = 2048\n#model.n_layers = 16\n # model.n_heads = 8\n# model.vocab_size = 1000 or so"
    given = {"model__name": "llama3", "model__flavor": "debug", "model__dim": None, "model__n_heads": None}
    found = run(head, **given)
    assert found.model == {"hidden": 2048, "layers": 32, "heads": 8, "vocabulary": 128_256, "ffn": 5632}
    assert (found.given["model.dim"].line, found.given["model.n_heads"].line) == (1, 3)
    assert run(head, model__name="llama3", model__flavor="8B").given.get("model.dim") == ("model.dim", "4096", 6)


def test_detection_and_comments() -> None:
    for section in ("training", "parallelism", "activation_checkpoint"):
        assert detects(f"a = 1\n  [{section}]\n")
    assert not detects("[model]\n") and not detects("x [training]\n")
    assert commented_out("# a = 1\n#world_size = 8\n# model.dim = 4\n# b-c = \n x # d = 1\n") == ["a (line 1)"]

"""Arguments of Megatron-LM: each setting with its value and the argument that it comes from, and each problem whole."""

from typing import Any

import pytest

from dsl.importers.megatron import detects, read
from dsl.importers.run_draft import Draft
from dsl.limits import CONFIGURATION
from dsl.problems import Problem, Span

BASE = {"num-layers": "12", "hidden-size": "96", "num-attention-heads": "6", "vocab-size": "5000", "seq-length": "384",
        "micro-batch-size": "3", "world-size": "48"}  # fmt: skip
ABSENT = "is not given"


def script(more: str = "", **changed: str | None) -> bytes:
    """Line 1 holds the base with some arguments changed, or left out where they are None; line 2 holds ``more``."""
    own = BASE | {name.replace("_", "-"): value for name, value in changed.items()}
    return (" ".join(f"--{name} {value}" for name, value in own.items() if value is not None) + f"\n{more}\n").encode()


def made(more: str = "", **changed: str | None) -> Draft:
    draft, problems = read(script(more, **changed), "run.args")
    assert problems == []
    return draft


def told(draft: Draft) -> dict[str, tuple[Any, str]]:
    """Each setting and its comment; those of the model have "model." before them."""
    values = {f"model.{path}": value for path, value in draft.model.items()} | draft.run
    return {path: (value, draft.why.get(path, "")) for path, value in values.items()}


def problems_of(more: str = "", **changed: str | None) -> list[Problem]:
    return read(script(more, **changed), "run.args")[1]


def test_what_is_not_given_has_the_default_of_the_framework() -> None:
    """An inner size of four hidden sizes, a tied embedding, biases, LayerNorm; one micro-batch for each of 48 GPUs."""
    unbiased = f"--disable-bias-linear {ABSENT}"
    assert told(made()) == {
        "model.layers": (12, "--num-layers"), "model.hidden": (96, "--hidden-size"),
        "model.ffn": (384, f"--ffn-hidden-size {ABSENT}"), "model.heads": (6, "--num-attention-heads"),
        "model.vocabulary": (5000, "--vocab-size"),
        "model.tied": (True, f"--untie-embeddings-and-output-weights {ABSENT}"),
        "model.gated": (False, f"--swiglu {ABSENT}"), "model.norm": ("layernorm", f"--normalization {ABSENT}"),
        "model.bias.qkv": (True, unbiased), "model.bias.out": (True, unbiased), "model.bias.mlp": (True, unbiased),
        "model.dropout": (True, f"--hidden-dropout {ABSENT}: 0.1"),
        "layout.tensor": (1, "--tensor-model-parallel-size"), "layout.pipeline": (1, "--pipeline-model-parallel-size"),
        "layout.micro_batch": (3, "--micro-batch-size"),
        "layout.shard": ("none", f"--use-distributed-optimizer {ABSENT}"),
        "layout.overlap.data": (False, f"--overlap-grad-reduce {ABSENT}"), "sequence": (384, "--seq-length"),
        "batch": (144, f"--global-batch-size {ABSENT}: one micro-batch a replica"),
        "precision": ("fp32", "no --bf16, --fp16"), "stack": ("megatron-core", ""),
    }  # fmt: skip
    assert (made().gpus, made().notes) == (48, [])


OFF = "--disable-bias-linear"


@pytest.mark.parametrize(
    ("more", "path", "expected"),
    [
        ("--ffn-hidden-size 250", "model.ffn", (250, "--ffn-hidden-size")),
        ("--kv-channels 24", "model.head", (24, "--kv-channels")),
        ("--untie-embeddings-and-output-weights", "model.tied", (False, "--untie-embeddings-and-output-weights")),
        ("--swiglu", "model.gated", (True, "--swiglu")),
        ("--normalization RMSNorm", "model.norm", ("rmsnorm", "--normalization")),
        ("--normalization LayerNorm", "model.norm", ("layernorm", "--normalization")),
        (OFF, "model.bias.qkv", (False, OFF)), (OFF, "model.bias.out", (False, OFF)),
        (f"{OFF} --add-qkv-bias", "model.bias.qkv", (True, "--add-qkv-bias")),
        (f"{OFF} --add-qkv-bias", "model.bias.out", (False, OFF)),
        (f"{OFF} --add-qkv-bias", "model.bias.mlp", (False, OFF)),
        ("--add-qkv-bias", "model.bias.qkv", (True, f"{OFF} {ABSENT}")),
        ("--qk-layernorm", "model.qk_norm", ("per_head", "--qk-layernorm")), ("", "model.qk_norm", None),
        ("--mtp-num-layers 7", "model.mtp", (7, "--mtp-num-layers")),
        ("--use-flash-attn", "kernels.flash", (True, "--use-flash-attn")), ("", "kernels.flash", None),
        ("--overlap-grad-reduce", "layout.overlap.data", (True, "--overlap-grad-reduce")),
    ],
)  # fmt: skip
def test_a_setting_and_the_argument_that_it_comes_from(more: str, path: str, expected: Any) -> None:
    assert told(made(more)).get(path) == expected


@pytest.mark.parametrize(
    ("more", "positions"),
    [
        ("--position-embedding-type learned_absolute --max-position-embeddings 77", 77),
        ("--position-embedding-type learned_absolute --max-position-embeddings 78 --use-rotary-position-embeddings",
         78),
        ("--max-position-embeddings 77", 77), ("", None),
        ("--position-embedding-type rope --max-position-embeddings 77", None),
        ("--max-position-embeddings 77 --use-rotary-position-embeddings", None),
    ],
)  # fmt: skip
def test_a_table_of_positions_is_learned_unless_they_rotate(more: str, positions: int | None) -> None:
    assert made(more).model.get("positions") == positions


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("--hidden-dropout 0 --attention-dropout 0", (False, "--hidden-dropout")),
        ("--hidden-dropout 0.0", (True, "--hidden-dropout")),
        ("--hidden-dropout 0.3 --attention-dropout 0", (True, "--hidden-dropout")),
        ("--attention-dropout 0", (True, f"--hidden-dropout {ABSENT}: 0.1")),
    ],
)
def test_dropout_is_on_until_both_rates_are_zero(more: str, expected: tuple[bool, str]) -> None:
    assert told(made(more))["model.dropout"] == expected


def test_grouped_queries_are_meant_even_where_megatron_would_ignore_them() -> None:
    draft = made("--num-query-groups 2")
    assert draft.model["kv_heads"] == 2 and draft.notes == [
        "--group-query-attention is not given: Megatron would ignore --num-query-groups, which is taken as meant"
    ]
    draft = made("--num-query-groups 2 --group-query-attention")
    assert draft.model["kv_heads"] == 2 and draft.notes == []
    draft = made("--group-query-attention")
    assert "kv_heads" not in draft.model and draft.notes == []


def of(draft: Draft, head: str) -> dict[str, Any]:
    """The settings below a path."""
    return {path.removeprefix(head): value for path, (value, _) in told(draft).items() if path.startswith(head)}


def test_experts_and_what_they_default_to() -> None:
    assert of(made("--num-experts 0 --moe-router-topk 3"), "model.experts.") == {}
    assert of(made("--num-experts 8"), "model.experts.") == {"routed": 8, "active": 2, "ffn": 384}
    more = "--num-experts 8 --moe-router-topk 3 --moe-ffn-hidden-size 40 --moe-shared-expert-intermediate-size 50"
    expected = {"routed": 8, "active": 3, "ffn": 40, "shared": 1, "shared_ffn": 50}
    assert of(made(more), "model.experts.") == expected
    assert of(made(f"{more} --moe-layer-freq 4"), "model.experts.") == expected | {"every": 4}
    assert of(made(f"{more} --moe-layer-freq ([0]*3+[1]*9)"), "model.experts.") == expected | {"dense_layers": 3}


def test_a_pattern_of_expert_layers_that_is_not_read() -> None:
    problem = Problem("E30", "this pattern of expert layers is not read", Span("run.args", 2, 1), "stated here",
                      help="a number, or ([0]*3+[1]*58): the first layers dense, the rest with experts")  # fmt: skip
    for pattern in ("[0,1,1]", "\u00b2", "9" * 400, f"[0]*{'9' * 400}+[1]*3"):
        assert problems_of(f"--num-experts 8 --moe-layer-freq {pattern}") == [problem]


def test_latent_attention_and_its_ranks() -> None:
    ranks = {"query_rank": 0, "kv_rank": 32, "head": 128, "rope_head": 64, "value_head": 128}
    assert "attention" not in made("--kv-lora-rank 9").model
    draft = made("--multi-latent-attention")
    assert draft.model["attention"] == "latent" and of(draft, "model.attention.") == ranks
    names = ("--q-lora-rank", "--kv-lora-rank", "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim")
    more = " ".join(f"{name} {number}" for number, name in enumerate(names, start=11))
    found = of(made(f"--multi-latent-attention {more}"), "model.attention.")
    assert found == dict(zip(ranks, range(11, 16), strict=True))


@pytest.mark.parametrize(
    ("more", "gpus"),
    [("--nnodes 5 --nproc-per-node 8", 40), ("--nproc_per_node 8", 8), ("--world-size 0 --nproc-per-node=7", 7)],
)
def test_gpus_of_a_launcher(more: str, gpus: int) -> None:
    assert made(more, world_size=None).gpus == gpus


def test_one_gpu_is_a_run_and_none_is_not() -> None:
    assert made(world_size="1").gpus == 1
    problem = Problem("E13", "run.args has no --world-size", Span("run.args", 1, 1, 2), "needed",
                      help="add it: the number of GPUs")  # fmt: skip
    assert problems_of("--nnodes 5", world_size=None) == [problem]


def degrees(tensor: int = 1, pipeline: int = 1, context: int = 1, expert: int = 1) -> str:
    own = {"tensor": tensor, "pipeline": pipeline, "context": context, "expert": expert}
    return " ".join(f"--{axis}-model-parallel-size {n}" for axis, n in own.items()).replace(
        "context-model", "context")  # fmt: skip


def test_degrees_of_one_are_said_of_the_pipeline_and_of_tensors_alone() -> None:
    axes = ("tensor", "pipeline", "context", "expert")
    found = {axis: told(made(degrees(3, 2, 4, 6))).get(f"layout.{axis}") for axis in axes}
    assert found == {"tensor": (3, "--tensor-model-parallel-size"),
                     "pipeline": (2, "--pipeline-model-parallel-size"), "context": (4, "--context-parallel-size"),
                     "expert": (6, "--expert-model-parallel-size")}  # fmt: skip
    for more in (degrees(), degrees(0, 0, 0, 0)):
        assert {axis: made(more).run.get(f"layout.{axis}") for axis in axes} == {
            "tensor": 1, "pipeline": 1, "context": None, "expert": None,
        }  # fmt: skip
    assert made(degrees(context=2, expert=2)).run["layout.context"] == 2


def test_experts_take_the_tensor_degree_of_the_rest() -> None:
    assert "layout.expert_tensor" not in made(f"{degrees(tensor=3)} --expert-tensor-parallel-size 4").run
    assert made(f"{degrees(tensor=3)} --num-experts 8").run["layout.expert_tensor"] == 3
    assert made(f"{degrees(tensor=3)} --num-experts 8 --expert-tensor-parallel-size 4").run["layout.expert_tensor"] == 4


@pytest.mark.parametrize(
    ("tensor", "more", "expected"),
    [(1, "--sequence-parallel", None), (2, "", False), (2, "--sequence-parallel", True), (3, "", False)],
)
def test_sequence_parallelism_belongs_to_a_tensor_degree(tensor: int, more: str, expected: bool | None) -> None:
    draft = made(f"{degrees(tensor=tensor)} {more}")
    assert draft.run.get("layout.sequence_parallel") == expected and draft.notes == []


EACH, COUNT = "--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (f"{EACH} 3", ("interleaved(virtual_stages = 2)", EACH)),
        (f"{EACH} 2", ("interleaved(virtual_stages = 3)", EACH)),
        (f"{EACH} 6", None), (f"{EACH} 0", None), (f"{COUNT} 1", None),
        (f"{COUNT} 2", ("interleaved(virtual_stages = 2)", COUNT)),
    ],
)  # fmt: skip
def test_virtual_stages_of_twelve_layers_over_two_stages(more: str, expected: Any) -> None:
    assert told(made(f"{degrees(pipeline=2)} {more}")).get("layout.schedule") == expected


def test_layers_that_do_not_divide_into_virtual_stages() -> None:
    assert problems_of(f"{degrees(pipeline=2)}\n{EACH} 4\n{COUNT} 1") == [
        Problem("E26", "6 layers of a stage are no multiple of 4 layers of a virtual stage", Span("run.args", 3, 1),
                "Megatron refuses this", help="12 layers over 2 stages: 1 or 6 a virtual stage divide them")
    ]  # fmt: skip


def test_layers_that_are_not_given_are_one_problem() -> None:
    problem = Problem("E13", "run.args has no --num-layers", Span("run.args", 1, 1, 2), "needed",
                      help="add it: the number of transformer layers")  # fmt: skip
    assert problems_of(f"{degrees(pipeline=4)} {EACH} 3", num_layers=None) == [problem]


FIRST, LAST = "--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"
EMBEDDING, LOSS = "--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"


@pytest.mark.parametrize(
    ("layers", "pipeline", "more", "path", "expected"),
    [
        (12, 4, f"{FIRST} 2 {LAST} 4", "stages", ([2, 3, 3, 4], f"{FIRST}, -last-")),
        (12, 4, f"{FIRST} 3", "stages", ([3, 3, 3, 3], f"{FIRST}, -last-")),
        (12, 3, f"{FIRST} 2", "stages", ([2, 5, 5], f"{FIRST}, -last-")),
        (12, 3, f"{LAST} 2", "stages", ([5, 5, 2], f"{FIRST}, -last-")),
        (12, 3, f"{FIRST} 2 {LAST} 5", "stages", ([2, 5, 5], f"{FIRST}, -last-")),
        (12, 2, f"{FIRST} 5", "stages", ([5, 7], f"{FIRST}, -last-")),
        (11, 2, EMBEDDING, "stages", ([5, 6], EMBEDDING)), (11, 2, LOSS, "stages", ([6, 5], LOSS)),
        (11, 3, EMBEDDING, "stages", ([3, 4, 4], EMBEDDING)),
        (10, 2, f"{EMBEDDING} {LOSS}", "split", ("balanced", f"{EMBEDDING}, -loss-")),
        (10, 1, f"{EMBEDDING} {LOSS}", "split", None), (10, 1, LOSS, "stages", None), (12, 3, "", "stages", None),
    ],
)  # fmt: skip
def test_stages_of_other_sizes(layers: int, pipeline: int, more: str, path: str, expected: Any) -> None:
    draft = made(f"{degrees(pipeline=pipeline)} {more}", num_layers=str(layers))
    assert told(draft).get(f"layout.{path}") == expected
    other = {"split": "stages", "stages": "split"}[path]
    assert f"layout.{other}" not in draft.run


@pytest.mark.parametrize(
    ("layers", "pipeline", "more", "title", "rest"),
    [
        (13, 2, "", "13 layers over 2 stages are 6.5 a stage", True),
        (12, 4, LOSS, "13 layers over 4 stages are 3.25 a stage", True),
        (12, 4, f"{FIRST} 2 {LAST} 3", "7 layers are left for 2 inner stages", False),
        (12, 2, f"{FIRST} 5 {LAST} 7", "0 layers are left for 0 inner stages", False),
    ],
)
def test_layers_that_the_stages_do_not_hold(layers: int, pipeline: int, more: str, title: str, rest: bool) -> None:
    place, help = Span("run.args", 2, 1), f"give {FIRST} and {LAST}"
    full = Problem("E26", title, place, "Megatron refuses this", help=help)
    expected = full if rest else Problem("E26", title, place, "stated here")
    assert problems_of(f"{degrees(pipeline=pipeline)} {more}", num_layers=str(layers)) == [expected]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("--use-distributed-optimizer", ("zero1", "--use-distributed-optimizer")),
        ("--use-torch-fsdp2", ("zero3", "--use-torch-fsdp2")),
        ("--use-megatron-fsdp --use-distributed-optimizer", ("zero3", "--use-distributed-optimizer")),
        ("--data-parallel-sharding-strategy optim --use-megatron-fsdp", ("zero1", "--use-megatron-fsdp")),
        ("--data-parallel-sharding-strategy optim_grads --use-megatron-fsdp", ("zero2", "--use-megatron-fsdp")),
        ("--data-parallel-sharding-strategy optim_grads_params", ("zero3", f"--use-distributed-optimizer {ABSENT}")),
        ("--data-parallel-sharding-strategy no_shard", ("none", f"--use-distributed-optimizer {ABSENT}")),
    ],
)
def test_sharded_states(more: str, expected: tuple[str, str]) -> None:
    assert told(made(more))["layout.shard"] == expected


GRANULARITY, NUMBER = "--recompute-granularity", "--recompute-num-layers"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", None), ("--recompute-activations", ("selective", "--recompute-activations")),
        (f"{GRANULARITY} selective", ("selective", GRANULARITY)),
        (f"{GRANULARITY} full --recompute-activations", ("full", GRANULARITY)), (f"{GRANULARITY} other", None),
        (f"{GRANULARITY} full --recompute-method block {NUMBER} 5", ("full(first = 5 layers)", GRANULARITY)),
        (f"{GRANULARITY} selective --recompute-method block {NUMBER} 5", ("selective", GRANULARITY)),
        (f"{GRANULARITY} full --recompute-method block", ("full", GRANULARITY)),
        (f"{GRANULARITY} full --recompute-method uniform {NUMBER} 5", ("full", GRANULARITY)),
    ],
)  # fmt: skip
def test_what_is_computed_again(more: str, expected: Any) -> None:
    assert told(made(more)).get("layout.recompute") == expected


@pytest.mark.parametrize(
    ("more", "batch", "tokens"),
    [
        ("--global-batch-size 20 --train-iters 7", (20, "--global-batch-size"), (7 * 20 * 384, "--train-iters")),
        ("--global-batch-size 20 --train-samples 70 --train-iters 7", (20, "--global-batch-size"),
         (70 * 384, "--train-samples")),
        # 48 GPUs in replicas of 2 * 3 * 4 = 24; of 48 / 10, four whole ones: 14.4 sequences, 14
        (degrees(2, 3, 4), (6, f"--global-batch-size {ABSENT}: one micro-batch a replica"), None),
        (degrees(5, 2, 1), (14, f"--global-batch-size {ABSENT}: one micro-batch a replica"), None),
    ],
)  # fmt: skip
def test_batch_and_tokens(more: str, batch: Any, tokens: Any) -> None:
    found = told(made(more))
    assert (found["batch"], found.get("tokens")) == (batch, tokens)


@pytest.mark.parametrize(
    ("more", "expected"),
    [("--bf16", ("bf16", "--bf16")), ("--fp16", ("fp16", "--fp16")),
     ("--bf16 --fp8-format hybrid", ("fp8", "--fp8-format"))],
)  # fmt: skip
def test_precision(more: str, expected: tuple[str, str]) -> None:
    draft = made(more)
    assert told(draft)["precision"] == expected and draft.notes == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("--num-layers 2 --hidden-size 3", True), ("--num-layers=2\n--hidden-size\t3", True), ("--num-layers 2", False),
     ("--hidden-size 3", False), ("--num-layers-x 2 --hidden-size 3", False)],
)  # fmt: skip
def test_both_dimensions_tell_the_format(text: str, expected: bool) -> None:
    assert detects(text) is expected


def test_variables_of_the_shell_are_a_problem_each_and_nothing_else_is_said() -> None:
    name = "$" + "".join(chr(97 + i % 26) for i in range(50))
    assert problems_of(f"--lr {name}", num_layers="${L}") == [
        Problem("E15", f"`{value}` is a variable of the shell", Span("run.args", line, 1), "stated here",
                help="write its value")
        for value, line in (("${L}", 1), (name[:40], 2))
    ]  # fmt: skip


def test_a_file_that_is_too_large_is_the_only_problem() -> None:
    _, problems = read(b"--a 1\n" * (CONFIGURATION // 6 + 1), "run.args")
    assert problems == [Problem("E02", "`run.args` is larger than 1 MB", Span("run.args", 1, 1, 1),
                                help="name the file that holds the arguments")]  # fmt: skip


def test_dashes_alone_and_names_of_one_letter() -> None:
    """`--` ends the options of a launcher; a value keeps the words up to the next argument, without brackets."""
    draft = made('--swiglu -- x\nARGS+=(--a 1)\n"--b=2"\n--tokenizer-model "my file" \\')
    assert draft.notes == ["not used: --a, --b, --tokenizer-model"]
    assert [draft.given[name].value for name in ("--swiglu", "--a", "--b", "--tokenizer-model")] == [
        "-- x", "1", "2", "my file",
    ]  # fmt: skip

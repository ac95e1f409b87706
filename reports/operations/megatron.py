"""Megatron-LM's arguments of a run, model and layout; dsl/importers/megatron.py reads them back to the same.

Source of the names: megatron/training/arguments.py of NVIDIA/Megatron-LM.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports import terms
from reports.operations.settings import amount, ends, flag, total_steps

Settings = Mapping[str, Any]
Argument = tuple[str, str]  # name with its dashes, value ("" for a flag)
STACKS = ("megatron-core", "nemo", "megatron-2021", "megatron-deepspeed", "llama-3")
CORE = ["sdpa"]  # what --recompute-granularity selective computes again (its --recompute-modules core_attn)
ENDS = ("first", "last")
COUNTED = ("--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split")
SHARDS = {"zero1": "--use-distributed-optimizer"}
EFFECTS = {"zero2": "optim_grads", "zero3": "optim_grads_params"}


def arguments(settings: Settings, layers: Sequence[int]) -> list[Argument]:
    """All arguments of a run in the order of model, layout and training; ``layers`` are those of each stage."""
    return [*model(settings), *layout(settings, layers), *training(settings)]


def model(s: Settings) -> Iterator[Argument]:
    """The model's dimensions, written out: the importer, and a reader, need no other file."""
    yield from _numbers(s, {"--num-layers": "model.layers", "--hidden-size": "model.hidden"})
    yield "--ffn-hidden-size", str(amount(s, "model.ffn") or amount(s, "model.experts.ffn"))
    yield "--num-attention-heads", str(amount(s, "model.heads"))
    if amount(s, "model.kv_heads") < amount(s, "model.heads"):
        yield "--group-query-attention", ""
        yield "--num-query-groups", str(amount(s, "model.kv_heads"))
    if s.get("model.attention") == "latent":
        yield from latent(s)
    elif amount(s, "model.attention.head"):
        yield "--kv-channels", str(amount(s, "model.attention.head"))
    yield "--vocab-size", str(amount(s, "model.vocabulary"))
    yield from _flags(
        (flag(s, "model.gated"), "--swiglu"), (not flag(s, "model.tied"), "--untie-embeddings-and-output-weights")
    )
    yield "--normalization", "RMSNorm" if s.get("model.norm") == "rmsnorm" else "LayerNorm"
    yield from _flags(
        (not flag(s, "model.bias.mlp"), "--disable-bias-linear"),
        (flag(s, "model.bias.qkv") and not flag(s, "model.bias.mlp"), "--add-qkv-bias"),
        (s.get("model.qk_norm") == "per_head", "--qk-layernorm"),
    )
    if not amount(s, "model.positions"):
        yield "--position-embedding-type", "rope"
        yield from _numbers(s, {"--max-position-embeddings": "sequence"})  # it refuses to start without
    else:
        yield "--position-embedding-type", "learned_absolute"
        yield "--max-position-embeddings", str(amount(s, "model.positions"))
    if not flag(s, "model.dropout"):
        yield "--hidden-dropout", "0"
        yield "--attention-dropout", "0"
    if amount(s, "model.mtp"):
        yield "--mtp-num-layers", str(amount(s, "model.mtp"))
    if amount(s, "model.experts.routed"):
        yield from experts(s)


def latent(s: Settings) -> Iterator[Argument]:
    """Multi-latent attention."""
    yield "--multi-latent-attention", ""
    yield from _numbers(
        s,
        {
            "--q-lora-rank": "model.attention.query_rank",
            "--kv-lora-rank": "model.attention.kv_rank",
            "--qk-head-dim": "model.attention.head",
            "--v-head-dim": "model.attention.value_head",
            "--qk-pos-emb-head-dim": "model.attention.rope_head",
        },
    )


def experts(s: Settings) -> Iterator[Argument]:
    """A mixture of experts: its layers, its experts, those of a token, the shared one."""
    yield from _numbers(
        s,
        {
            "--num-experts": "model.experts.routed",
            "--moe-router-topk": "model.experts.active",
            "--moe-ffn-hidden-size": "model.experts.ffn",
        },
    )
    shared = amount(s, "model.experts.shared")
    if shared:
        inner = amount(s, "model.experts.shared_ffn") or shared * amount(s, "model.experts.ffn")
        yield "--moe-shared-expert-intermediate-size", str(inner)
    dense, every, layers = (
        amount(s, "model.experts.dense_layers"),
        amount(s, "model.experts.every"),
        amount(s, "model.layers"),
    )
    if dense:
        yield "--moe-layer-freq", f"([0]*{dense}+[1]*{layers - dense})"
    elif every > 1:
        yield "--moe-layer-freq", str(every)


def layout(s: Settings, layers: Sequence[int]) -> Iterator[Argument]:
    """Degrees, stages, schedule, sharding, recomputation, overlap."""
    yield "--world-size", str(amount(s, "cluster.gpus"))
    yield "--tensor-model-parallel-size", str(amount(s, "layout.tensor"))
    yield "--pipeline-model-parallel-size", str(amount(s, "layout.pipeline"))
    yield from _degrees(
        s, {"--context-parallel-size": "layout.context", "--expert-model-parallel-size": "layout.expert"}
    )
    if amount(s, "model.experts.routed"):
        yield "--expert-tensor-parallel-size", str(amount(s, "layout.expert_tensor") or 1)
    if virtual(s) > 1:
        yield "--num-virtual-stages-per-pipeline-rank", str(virtual(s))
    yield from split(s, layers) or ()
    yield from _flags((flag(s, "layout.sequence_parallel") and amount(s, "layout.tensor") > 1, "--sequence-parallel"))
    shard = str(s.get("layout.shard") or "none")
    if shard in SHARDS:
        yield SHARDS[shard], ""
    elif shard in EFFECTS:
        yield "--use-megatron-fsdp", ""
        yield "--data-parallel-sharding-strategy", EFFECTS[shard]
    yield from recompute(s)
    yield from _flags(
        (bool(s.get("layout.overlap.data")), "--overlap-grad-reduce"),
        (bool(s.get("layout.overlap.data")) and shard != "none", "--overlap-param-gather"),
    )


def virtual(s: Settings) -> int:
    """Virtual stages of a pipeline rank."""
    return amount(s, "layout.schedule.virtual_stages") if s.get("layout.schedule") == "interleaved" else 1


def split(s: Settings, layers: Sequence[int]) -> list[Argument] | None:
    """What Megatron's arguments say of the layers of each stage; None where they cannot say it.

    It knows a first and a last stage of their own beside equal ones, each cut evenly into virtual stages, and stages
    that are equal once the embedding and the loss count as a layer each: as ``split = balanced`` has them.
    """
    found, chunks = ends(layers), max(1, virtual(s))
    if len(layers) != (amount(s, "layout.pipeline") or 1) or found is None:
        return None
    if not any(n % chunks for n in layers):
        return [(f"--decoder-{end}-pipeline-num-layers", str(n)) for end, n in zip(ENDS, found, strict=True) if n]
    full = {n + 1 if n in found else n for n in layers}
    return [(flag, "") for flag in COUNTED] if balanced(s) and len(full) == 1 and not full.pop() % chunks else None


def balanced(s: Settings) -> bool:
    """Whether the layers stand where the embedding and the head count as a layer each."""
    return s.get("layout.split") == "balanced" and not s.get("layout.stages") and not amount(s, "model.mtp")


def recompute(s: Settings) -> Iterator[Argument]:
    """Which activations are computed again."""
    kind, first = s.get("layout.recompute"), amount(s, "layout.recompute.first")
    if kind == "selective":
        yield "--recompute-granularity", "selective"
    elif kind == "full":
        yield "--recompute-granularity", "full"
        yield "--recompute-method", "block" if first else "uniform"
        yield "--recompute-num-layers", str(first or 1)


def training(s: Settings) -> Iterator[Argument]:
    """Sequence, batch, steps and precision."""
    yield from _numbers(
        s, {"--seq-length": "sequence", "--micro-batch-size": "layout.micro_batch", "--global-batch-size": "batch"}
    )
    steps = total_steps(s)
    yield from (("--train-iters", str(steps)),) if steps else ()
    precision = str(s.get("precision") or "bf16")
    yield from _flags((precision in ("bf16", "fp8"), "--bf16"), (precision == "fp16", "--fp16"))
    yield from (("--fp8-format", "hybrid"),) if precision == "fp8" else ()
    yield from _flags((flag(s, "kernels.flash"), "--use-flash-attn"))


def _numbers(s: Settings, pairs: Mapping[str, str]) -> Iterator[Argument]:
    yield from ((name, str(amount(s, path))) for name, path in pairs.items() if amount(s, path))


def _degrees(s: Settings, pairs: Mapping[str, str]) -> Iterator[Argument]:
    yield from ((name, str(amount(s, path))) for name, path in pairs.items() if amount(s, path) > 1)


def _flags(*pairs: tuple[bool, str]) -> Iterator[Argument]:
    yield from ((name, "") for there, name in pairs if there)


def text(found: list[Argument]) -> str:
    """The arguments as a file, one a line: `pretrain_gpt.py $(cat FILE)`."""
    return "".join(f"{name} {value}".strip() + "\n" for name, value in found)


def not_said(s: Settings, layers: Sequence[int]) -> list[str]:
    """What of a layout these arguments do not say."""
    found = []
    if split(s, layers) is None:
        each = f" ({', '.join(str(n) for n in layers)})" if layers else ""
        found.append(f"how many layers stand on each stage{each}")
    schedule = str(s.get("layout.schedule") or "one_f_one_b")
    if schedule not in ("one_f_one_b", "interleaved"):
        found.append(f"the schedule {terms.words(schedule)}")
    if s.get("layout.recompute") == "selective" and list(s.get("layout.recompute.ops") or CORE) != CORE:
        found.append(
            f"which operations are recomputed ({', '.join(terms.words(o) for o in s['layout.recompute.ops'])})"
        )
    if s.get("layout.order") not in (None, ["tensor", "context", "data", "pipeline"]):
        found.append("the order in which ranks are placed")
    return found

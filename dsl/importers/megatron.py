"""Arguments of Megatron-LM's pretrain_gpt.py, as a file or a launch script holds them: a model, a layout, a batch.

What is not given has the framework's own default (megatron/training/arguments.py): a tied embedding, biases, LayerNorm,
an inner size of four hidden sizes, no distributed optimizer, traffic that does not overlap.
"""

import re
import shlex

from dsl.importers.run_draft import Draft, Line
from dsl.importers.text import lines_of, long_line
from dsl.limits import CONFIGURATION, LINE
from dsl.problems import Problem

DEGREES = {"tensor": "--tensor-model-parallel-size", "pipeline": "--pipeline-model-parallel-size",
           "context": "--context-parallel-size", "expert": "--expert-model-parallel-size"}  # fmt: skip
UNTIED = "--untie-embeddings-and-output-weights"
COUNTED = ("--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split")  # as a layer each
SCHEDULING = ("--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank")
FREQUENCY = re.compile(r"^\(?\[0\]\s*\*\s*([0-9]{1,9})\s*\+\s*\[1\]\s*\*\s*\d+\)?$")
OPENING = re.compile(r"^(\w+\+?=)?\((?=--)")  # ARGS=(--num-layers 12


def detects(text: str) -> bool:
    """Whether a text holds arguments of Megatron-LM."""
    return all(re.search(rf"--{word}[\s=]", text) for word in ("num-layers", "hidden-size"))


def read(data: bytes, name: str) -> tuple[Draft, list[Problem]]:
    """The run of a file of arguments, and what keeps it from being one."""
    lines, problems = lines_of(data, name, CONFIGURATION, "name the file that holds the arguments")
    problems += long_line(lines, name)
    arguments: list[Line] = []
    for number, line in lines.numbered(LINE) if not problems else ():
        arguments += _arguments(line, number)
    draft = Draft(name, arguments)
    for a in arguments:
        if "$" in a.value:
            draft.wrong("E15", f"`{a.value[:40]}` is a variable of the shell", a.name, help="write its value")
    if not problems and not draft.problems:
        model(draft)
        experts(draft)
        latent(draft)
        layout(draft)
        training(draft)
        draft.finish()
    return draft, [*problems, *draft.problems]


def _arguments(line: str, number: int) -> list[Line]:
    """The arguments of one line: --name value, --name=value, --flag; words before the first are of the shell."""
    try:
        words = shlex.split(line.rstrip().rstrip("\\"), comments=True)
    except ValueError:
        words = line.split()
    found: list[Line] = []
    for word in (OPENING.sub("", w) for w in words):
        if word.startswith("--") and len(word) > 2:
            name, equals, value = word.partition("=")
            found.append(Line(name.replace("_", "-"), value if equals else "", number))
        elif found:
            found[-1] = found[-1]._replace(value=f"{found[-1].value} {word}".strip())
    return [a._replace(value=a.value.strip(" )\"'")) for a in found]


def model(d: Draft) -> None:
    """Dimensions, norms, biases and positions."""
    d.take("model.layers", "--num-layers", missing="add it: the number of transformer layers")
    hidden = d.take("model.hidden", "--hidden-size", missing="add it: the hidden size")
    d.take("model.ffn", "--ffn-hidden-size", default=None if hidden is None else 4 * hidden)
    d.take("model.heads", "--num-attention-heads", missing="add it: the number of attention heads")
    if d.has("--num-query-groups"):
        d.take("model.kv_heads", "--num-query-groups")
        if not d.has("--group-query-attention"):
            d.notes.append("--group-query-attention is not given: Megatron would ignore --num-query-groups, which is "
                           "taken as meant")  # fmt: skip
    d.has("--group-query-attention")
    d.take("model.head", "--kv-channels")
    d.take("model.vocabulary", "--vocab-size", "--padded-vocab-size",
           missing="add --vocab-size: the tokenizer's, as 128256")  # fmt: skip
    d.put("model.tied", not d.flag(UNTIED), d.by(UNTIED))
    d.put("model.gated", d.flag("--swiglu"), d.by("--swiglu"))
    norm = (d.text("--normalization") or "LayerNorm").lower()
    d.put("model.norm", "rmsnorm" if norm == "rmsnorm" else "layernorm", d.by("--normalization"))
    biased = not d.flag("--disable-bias-linear")
    for part in ("qkv", "out", "mlp"):
        own = biased or (part == "qkv" and d.flag("--add-qkv-bias"))
        d.put(f"model.bias.{part}", own, "--add-qkv-bias" if own and not biased else d.by("--disable-bias-linear"))
    if d.flag("--qk-layernorm"):
        d.put("model.qk_norm", "per_head", "--qk-layernorm")
    kind = d.text("--position-embedding-type")
    table = d.number("--max-position-embeddings")
    if kind == "learned_absolute" or (kind is None and not d.flag("--use-rotary-position-embeddings") and table):
        d.put("model.positions", table, "--max-position-embeddings")
    drops = [d.number(n) != 0 for n in ("--hidden-dropout", "--attention-dropout")]
    d.put("model.dropout", any(drops), d.by("--hidden-dropout") + ("" if d.has("--hidden-dropout") else ": 0.1"))
    d.take("model.mtp", "--mtp-num-layers")


def experts(d: Draft) -> None:
    """Experts, where there are some."""
    routed = d.number("--num-experts")
    if not routed:
        return
    d.put("model.experts.routed", routed, "--num-experts")
    d.take("model.experts.active", "--moe-router-topk", default=2.0)
    d.take("model.experts.ffn", "--moe-ffn-hidden-size", default=d.model.get("ffn"))
    shared = d.number("--moe-shared-expert-intermediate-size")
    if shared:
        d.put("model.experts.shared", 1.0)
        d.put("model.experts.shared_ffn", shared, "--moe-shared-expert-intermediate-size")
    every = d.text("--moe-layer-freq")
    pattern = FREQUENCY.match(every or "")
    if pattern:
        d.put("model.experts.dense_layers", float(pattern[1]), "--moe-layer-freq")
    elif every and re.fullmatch("[0-9]{1,9}", every):
        d.put("model.experts.every", float(every), "--moe-layer-freq")
    elif every:
        d.wrong("E30", "this pattern of expert layers is not read", "--moe-layer-freq",
                help="a number, or ([0]*3+[1]*58): the first layers dense, the rest with experts")  # fmt: skip


def latent(d: Draft) -> None:
    """Multi-latent attention."""
    if not d.flag("--multi-latent-attention"):
        return
    d.put("model.attention", "latent", "--multi-latent-attention")
    for path, name, default in (
        ("query_rank", "--q-lora-rank", 0.0), ("kv_rank", "--kv-lora-rank", 32.0), ("head", "--qk-head-dim", 128.0),
        ("rope_head", "--qk-pos-emb-head-dim", 64.0), ("value_head", "--v-head-dim", 128.0),
    ):  # fmt: skip
        d.take(f"model.attention.{path}", name, default=default)


def layout(d: Draft) -> None:
    """Degrees, schedule, sharding, recomputation and overlap."""
    degrees = {axis: d.number(name, default=1.0) or 1.0 for axis, name in DEGREES.items()}
    d.gpus = int(d.number("--world-size", default=0.0))
    if not d.gpus:
        nodes, each = d.number("--nnodes"), d.number("--nproc-per-node")
        d.gpus = int((nodes or 1) * (each or 0))
    if not d.gpus:
        d.lacks("--world-size", "add it: the number of GPUs")
    for axis, degree in degrees.items():
        d.put(f"layout.{axis}", degree if degree > 1 or axis in ("tensor", "pipeline") else None, DEGREES[axis])
    if "experts.routed" in d.model:
        d.take("layout.expert_tensor", "--expert-tensor-parallel-size", default=degrees["tensor"])
    d.take("layout.micro_batch", "--micro-batch-size", missing="add it: sequences of one pass")
    counted = [d.flag(name) for name in COUNTED]
    _virtual(d, degrees["pipeline"], sum(counted))
    _stages(d, degrees["pipeline"], *counted)
    _shard(d)
    if degrees["tensor"] > 1:
        d.put("layout.sequence_parallel", d.flag("--sequence-parallel"), d.by("--sequence-parallel"))
    d.has("--sequence-parallel")
    _recompute(d)
    d.put("layout.overlap.data", d.flag("--overlap-grad-reduce"), d.by("--overlap-grad-reduce"))
    d.flag("--overlap-param-gather")


def _virtual(d: Draft, pipeline: float, counted: int) -> None:
    """Interleaved stages, by layers of one or by their number; ``counted`` modules stand for a layer each."""
    layers, each = (d.model.get("layers") or 0.0) + counted, d.number(SCHEDULING[0])
    stages = d.number(SCHEDULING[1])
    if each and layers:
        stages = layers / pipeline / each
        if stages != int(stages):
            own = layers / pipeline
            title = f"{own:g} layers of a stage are no multiple of {each:g} layers of a virtual stage"
            help = f"{layers:g} layers over {pipeline:g} stages: 1 or {own:g} a virtual stage divide them"
            d.wrong("E26", title, SCHEDULING[0], "Megatron refuses this", help)
            return
    if stages and stages > 1:
        d.put("layout.schedule", f"interleaved(virtual_stages = {stages:g})", d.by(*SCHEDULING))


def _stages(d: Draft, pipeline: float, embedding: bool, loss: bool) -> None:
    """First and last stages of other sizes, and stages that the layers do not fill evenly."""
    layers = d.model.get("layers") or 0.0
    first, last = (d.number(f"--decoder-{end}-pipeline-num-layers") for end in ("first", "last"))
    inner = pipeline - (first is not None) - (last is not None)
    rest = layers - (first or 0) - (last or 0)
    if first is None and last is None:
        total = layers + embedding + loss
        if total % pipeline:
            each = total / pipeline
            title = f"{total:g} layers over {pipeline:g} stages are {each:g} a stage"
            help = "give --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers"
            d.wrong("E26", title, DEGREES["pipeline"], "Megatron refuses this", help)
        elif pipeline > 1 and embedding and loss:
            d.put("layout.split", "balanced", f"{COUNTED[0]}, -loss-")
        elif pipeline > 1 and (embedding or loss):
            each = total / pipeline
            stages = [each - embedding, *[each] * int(pipeline - 2), each - loss]
            d.put("layout.stages", stages, COUNTED[loss])
        return
    if inner < 1 or rest % inner:
        d.wrong("E26", f"{rest:g} layers are left for {inner:g} inner stages", DEGREES["pipeline"])
        return
    middle = [rest / inner] * int(inner)
    ends = [[n] if n is not None else [] for n in (first, last)]
    d.put("layout.stages", [*ends[0], *middle, *ends[1]],
          "--decoder-first-pipeline-num-layers, -last-")  # fmt: skip


def _shard(d: Draft) -> None:
    """Sharded states: the distributed optimizer is ZeRO-1, the FSDP options ZeRO-3."""
    whole = d.flag("--use-torch-fsdp2", "--use-megatron-fsdp", "--use-custom-fsdp")
    strategy = d.text("--data-parallel-sharding-strategy")
    named = {"optim": "zero1", "optim_grads": "zero2", "optim_grads_params": "zero3"}.get(strategy or "")
    found = named or ("zero3" if whole else "zero1" if d.flag("--use-distributed-optimizer") else "none")
    d.put("layout.shard", found, d.by("--use-distributed-optimizer", "--use-torch-fsdp2", "--use-megatron-fsdp"))


def _recompute(d: Draft) -> None:
    """Which activations are computed again."""
    kind = d.text("--recompute-granularity") or ("selective" if d.flag("--recompute-activations") else None)
    first = d.number("--recompute-num-layers") if d.text("--recompute-method") == "block" else None
    if kind in ("full", "selective"):
        shown = f"full(first = {first:g} layers)" if kind == "full" and first else kind
        d.put("layout.recompute", shown, d.by("--recompute-granularity", "--recompute-activations"))
    d.number("--recompute-num-layers")


def training(d: Draft) -> None:
    """Sequence, batch, tokens and precision."""
    length = d.take("sequence", "--seq-length", missing="add it: tokens of a sequence")
    micro, batch = d.run.get("layout.micro_batch"), d.number("--global-batch-size")
    degrees = [float(d.run.get(f"layout.{a}") or 1) for a in ("tensor", "pipeline", "context")]
    if batch is None and micro and d.gpus:
        batch = micro * d.gpus // (degrees[0] * degrees[1] * degrees[2])
        d.put("batch", batch, "--global-batch-size is not given: one micro-batch a replica")
    else:
        d.put("batch", batch, "--global-batch-size")
    steps, samples = d.number("--train-iters"), d.number("--train-samples")
    if samples and batch and length:
        d.put("tokens", samples * length, "--train-samples")
    elif steps and batch and length:
        d.put("tokens", steps * batch * length, "--train-iters")
    low = d.text("--fp8-format")
    found = "fp8" if low else next((p for p in ("bf16", "fp16") if d.flag(f"--{p}")), "fp32")
    d.put("precision", found, "--fp8-format" if low else f"--{found}" if found != "fp32" else "no --bf16, --fp16")
    d.flag("--bf16", "--fp16")
    d.put("stack", "megatron-core")
    if d.has("--use-flash-attn"):
        d.put("kernels.flash", True, "--use-flash-attn")

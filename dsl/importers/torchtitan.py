"""Configurations of TorchTitan (TOML): a model by its dimensions or by its name and flavor, a layout, a batch.

What is not given has the framework's own default (torchtitan/config/job_config.py): FSDP over the rest of the ranks,
parameters in fp32, no compilation, activation checkpointing by operation.
"""

import math
import re
import tomllib
from typing import Any

from dsl.importers import titan_stages
from dsl.importers.run_draft import Draft, Line
from dsl.importers.text import Lines, lines_of, long_line
from dsl.limits import CONFIGURATION
from dsl.problems import Problem, Span

WORLD = re.compile(r"^[ \t]*#[ \t]*world_size[ \t]*=[ \t]*(\d+)", re.MULTILINE)
COMMENTED = re.compile(r"^[ \t]*#[ \t]*([A-Za-z_][\w.-]*)[ \t]*=[ \t]*\S")
DIMENSION = re.compile(r"^[ \t]*#[ \t]*(model\.\w+)[ \t]*=[ \t]*(\d+)[ \t]*$")
KEY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=")
LIBRARY = {  # the model of the library that a flavor is, and its layers
    ("llama3", "8B"): ("llama-3.1-8b", 32), ("llama3", "70B"): ("llama-3.1-70b", 80),
    ("llama3", "405B"): ("llama-3.1-405b", 126), ("llama4", "17bx16e"): ("llama-4-scout-17b-16e", 48),
    ("llama4", "17bx128e"): ("llama-4-maverick-17b-128e", 48), ("deepseek_v3", "671B"): ("deepseek-v3", 61),
    ("deepseek_v3", "16B"): ("deepseek-v2-lite", 27),
}  # fmt: skip
OWN, EXPERT = ("tensor", "pipeline", "context"), ("expert", "expert_tensor")  # axes: of a rank, of its experts


def detects(text: str) -> bool:
    """Whether a text is a TorchTitan configuration."""
    return bool(re.search(r"^[ \t]*\[(training|parallelism|activation_checkpoint)\]", text, re.MULTILINE))


def read(data: bytes, name: str) -> tuple[Draft, list[Problem]]:
    """The run of a configuration, and what keeps it from being one."""
    lines, problems = lines_of(data, name, CONFIGURATION, "name the configuration of the run")
    problems += long_line(lines, name)
    if problems:
        return Draft(name, []), problems
    try:
        found = tomllib.loads(lines.text)
    except (ValueError, RecursionError) as error:  # no TOML, nested too deep, or a number of thousands of digits
        line = re.search(r"line (\d+)", str(error))
        place = Span(name, int(line[1]) if line else 1, 1)
        return Draft(name, []), [Problem("E02", f"{name} is not TOML", place, str(error)[:80].lower())]
    world = WORLD.search(lines.text)
    given = [*_flat(found, _lines(lines.text)), *([Line("world_size", world[1], 1)] if world else [])]
    draft = Draft(name, [*given, *_dimensions(lines.text, given)])
    model(draft)
    layout(draft)
    training(draft)
    draft.finish()
    if out := commented_out(lines.text):
        draft.notes.append(f"commented out, so not read: {', '.join(out)}")
    return draft, draft.problems


def commented_out(text: str) -> list[str]:
    """Settings that stand behind a comment sign on a line of their own, each with its line."""
    found = ((m[1], number) for number, line in Lines(text).numbered() if (m := COMMENTED.match(line)))
    return [f"{name} (line {line})" for name, line in found if name != "world_size" and not name.startswith("model.")]


def _dimensions(text: str, given: list[Line]) -> list[Line]:
    """Dimensions of a flavor that is no model of the library, which TorchTitan takes as comments alone."""
    known = {line.name: line.value for line in given}
    if _flavor(known.get("model.name"), known.get("model.flavor")) is not None:
        return []
    found = ((m[1], m[2], number) for number, line in Lines(text).numbered() if (m := DIMENSION.match(line)))
    return [Line(*line) for line in found if line[0] not in known]


def _flavor(family: str | None, flavor: str | None) -> tuple[str, int] | None:
    """The model of the library that a flavor is."""
    return LIBRARY.get((family or "", flavor or ""))


def _lines(text: str) -> dict[str, int]:
    """The first line that sets each key."""
    found: dict[str, int] = {}
    for number, line in Lines(text).numbered():
        if (key := KEY.match(line)) is not None:
            found.setdefault(key[1], number)
    return found


def _shown(value: Any) -> str:
    """A value as text; a number of thousands of digits is none."""
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError:
        return "a number that is too large"


def _flat(found: dict[str, Any], lines: dict[str, int], head: str = "") -> list[Line]:
    """Every key by its dotted path, with its line."""
    made: list[Line] = []
    for key, value in found.items():
        if isinstance(value, dict):
            made += _flat(value, lines, f"{head}{key}.") if head.count(".") < 8 else []
        else:
            made.append(Line(f"{head}{key}", _shown(value), lines.get(key, 1)))
    return made


def model(d: Draft) -> None:
    """Dimensions of Llama's shape, or a model of the library."""
    family, flavor = d.text("model.name"), d.text("model.flavor")
    known = _flavor(family, flavor)
    if known is not None:
        d.put("model", known[0], f"model.name, model.flavor = {family} {flavor}")
        return
    if flavor is not None and not d.has("model.dim"):
        d.wrong("E15", f"`{family} {flavor}` is no model of the library", "model.flavor",
                help="state dim, n_layers, n_heads, vocab_size as comments: `# model.dim = 8192`")  # fmt: skip
        return
    hidden = d.take("model.hidden", "model.dim", missing="add dim to [model]")
    d.take("model.layers", "model.n_layers", missing="add n_layers to [model]")
    d.take("model.heads", "model.n_heads", missing="add n_heads to [model]")
    d.take("model.kv_heads", "model.n_kv_heads")
    d.take("model.vocabulary", "model.vocab_size", missing="add vocab_size to [model]: the tokenizer's, as 128256")
    if hidden is not None:
        d.take("model.ffn", "model.ffn_dim", "model.hidden_dim", default=inner(d, hidden))
    routed = d.number("model.num_experts")
    if routed:
        d.put("model.experts.routed", routed, "model.num_experts")
        d.take("model.experts.active", "model.top_k", missing="add top_k to [model]: experts of a token")
        d.take("model.experts.ffn", "model.moe_inter_dim", default=d.model.get("ffn"))
        d.take("model.experts.shared", "model.num_shared_experts")


def inner(d: Draft, hidden: float) -> float:
    """Llama's inner size: 2/3 of 4 h, times a multiplier, rounded up to a multiple (256)."""
    size = int(8 * hidden / 3)
    size = int(size * (d.number("model.ffn_dim_multiplier") or 1.0))
    step = int(d.number("model.multiple_of") or 0) or 256
    return float(-(-size // step) * step)


def layout(d: Draft) -> None:
    """Degrees, sharding, schedule and activation checkpointing."""
    degrees = {axis: d.number(f"parallelism.{axis}_parallel_degree") or 1.0 for axis in (*OWN, *EXPERT)}
    shard = _signed(d, "parallelism.data_parallel_shard_degree")
    copies = d.number("parallelism.data_parallel_replicate_degree") or 1.0
    factors = [copies, *(degrees[axis] for axis in OWN)]
    inside = math.prod(factors)
    d.gpus = int(d.number("world_size") or inside * (shard or 0))
    if not d.gpus:
        d.lacks("number of GPUs", "add a line `# world_size = 64`, or a data_parallel_shard_degree")
    elif shard and inside * shard != d.gpus:
        product = " x ".join(f"{v:g}" for v in (shard, *factors) if v > 1) or "1"
        d.wrong("E26", f"the degrees make {inside * shard:g} ranks, world_size is {d.gpus}",
                "parallelism.data_parallel_shard_degree", product)  # fmt: skip
    for axis, degree in degrees.items():
        if degree > 1:
            d.put(f"layout.{axis}", degree, f"{axis}_parallel_degree")
    data = shard or d.gpus / inside
    whole = data * degrees["context"] * degrees["tensor"]  # GPUs of a group, as the language counts them
    group = f"zero3(group = {whole:g} gpus)" if copies > 1 else "zero3"
    d.put("layout.shard", group if data > 1 else "none", "data_parallel_shard_degree, data_parallel_replicate_degree")
    policy = d.text("parallelism.fsdp_reshard_after_forward")
    if policy in ("always", "never"):
        d.put("layout.reshard", policy == "always", "fsdp_reshard_after_forward")
    if degrees["pipeline"] > 1:
        pipeline(d, int(degrees["pipeline"]))
    mode = (d.text("activation_checkpoint.mode") or "selective").lower()
    if mode in ("full", "selective"):
        d.put("layout.recompute", mode, "activation_checkpoint.mode")
    option = d.text("activation_checkpoint.selective_ac_option")
    if mode == "selective" and option not in (None, "op"):
        d.notes.append(f"selective_ac_option = {option}: read as recomputation by operation")


def pipeline(d: Draft, ranks: int) -> None:
    """The schedule, and the layers of each rank where a balanced split does not put them there."""
    own = d.text("parallelism.pipeline_parallel_schedule") or "1F1B"
    head = "parallelism.pipeline_parallel"
    first, last = (int(d.number(f"{head}_{end}_stage_less_layers", default=1)) for end in ("first", "last"))
    layers, each = _layers(d), int(d.number(f"{head}_layers_per_stage", default=0))
    total, usual = layers + first + last, titan_stages.usual_stages(own)
    virtual = -(-total // each) / ranks if each and layers else usual
    if virtual != int(virtual):
        title = f"{-(-total // each)} stages of {each} layers do not divide by {ranks} ranks"
        d.wrong("E26", title, "parallelism.pipeline_parallel_layers_per_stage", "TorchTitan refuses this")
        return
    kind = {name.lower(): found for name, found in titan_stages.SCHEDULES.items()}.get(own.lower(), "one_f_one_b")
    schedule = f"interleaved(virtual_stages = {virtual:g})" if kind == "interleaved" else kind
    d.put("layout.schedule", schedule, "pipeline_parallel_schedule")
    count = int(virtual) * ranks
    sizes = titan_stages.chunks(layers, count, first, last)
    if layers and sizes is None:
        title = f"{layers} layers do not fill {count} stages, {first} less on the first and {last} on the last"
        d.wrong("E26", title, "parallelism.pipeline_parallel_degree", "TorchTitan refuses this")
    elif sizes is not None and len(set(sizes)) > 1:
        why = "first_stage_less_layers, last_stage_less_layers"
        folded = own.lower() in titan_stages.FOLDED
        even = first == last == 1 and layers % count and not folded  # as `balanced` has it
        ranked = titan_stages.on_ranks(sizes, ranks, folded)
        d.put(*("layout.split", "balanced", why) if even else ("layout.stages", [float(n) for n in ranked], why))


def _layers(d: Draft) -> int:
    """Layers of the model, by its flavor or its dimensions; 0 where they are not known."""
    known = _flavor(d.text("model.name"), d.text("model.flavor"))
    return known[1] if known else int(d.model.get("layers") or 0)


def _signed(d: Draft, name: str) -> float | None:
    """A degree; None where it is the rest of the ranks: -1, or absent."""
    text = d.text(name)
    return None if text is None or text.strip() == "-1" else d.number(name, least=1)


def training(d: Draft) -> None:
    """Sequence, batch, steps, precision and the framework as it is compiled."""
    length = d.take("sequence", "training.seq_len", missing="add seq_len to [training]")
    local = d.take("layout.micro_batch", "training.local_batch_size", "training.batch_size", default=8.0) or 0.0
    degrees = {axis: float(d.run.get(f"layout.{axis}", 1)) for axis in OWN}
    replicas = d.gpus // math.prod(degrees.values())
    stated = _signed(d, "training.global_batch_size")
    batch = stated or local * replicas
    d.put("batch", batch, "global_batch_size" if stated else "local_batch_size of every replica")
    if degrees["pipeline"] > 1:
        micro = d.number("parallelism.pipeline_parallel_microbatch_size") or 1.0
        d.put("layout.micro_batch", micro, "pipeline_parallel_microbatch_size")
    steps = d.number("training.steps")
    if steps and length:
        d.put("tokens", steps * batch * length, "training.steps")
    low = "float8" in (d.text("model.converters") or "") or any(n.startswith(("float8.", "quantize.")) for n in d.given)
    d.put("precision", "fp8" if low else "bf16", "model.converters" if low else "mixed_precision_param")
    compiled = d.flag("compile.enable", "training.compile")
    d.put("stack", "torchtitan" if compiled else "torch-fsdp2", d.by("compile.enable"))
    if (d.text("training.dtype") or "float32") == "float32":
        sizes = (("weights", 4.0), ("gradients", 4.0), ("master", 0.0), ("moments", 8.0))
        for path, size in sizes:
            d.put(f"states.{path}", size, "parameters in fp32 (training.dtype)" if path == "weights" else "")

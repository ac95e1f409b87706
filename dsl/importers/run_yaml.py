"""A measured run in a few lines of YAML: model { hidden, layers, ffn, heads, kv_heads, vocab }, seq_len, gpu, a rate.

Only what such a file needs is read: `key: value` a line, and one-line maps in braces.
"""

import re

from dsl.importers.run_draft import Draft, Line
from dsl.importers.text import lines_of
from dsl.limits import CONFIGURATION
from dsl.problems import Problem, did_you_mean

PAIR = re.compile(r"^([A-Za-z_][\w-]*)\s*:\s*(.*)$")
MODEL = {"layers": "layers", "hidden": "hidden", "ffn": "ffn", "heads": "heads", "kv_heads": "kv_heads",
         "head": "head", "vocab": "vocabulary", "vocabulary": "vocabulary"}  # fmt: skip
RATES = ("tokens_per_s_per_gpu", "tokens_per_second_per_gpu", "step_time_s")


def detects(text: str) -> bool:
    """Whether a text says a model in braces and a sequence or a GPU, a line each."""
    found = {m[1] for line in text.splitlines() if (m := PAIR.match(line))}
    return "model" in found and bool(found & {"seq_len", "gpu", *RATES})


def read(data: bytes, name: str) -> tuple[Draft, list[Problem]]:
    """The run, and what keeps it from being one."""
    lines, problems = lines_of(data, name, CONFIGURATION, "name the file of one run")
    found: list[Line] = []
    for number, line in lines.numbered():
        pair = PAIR.match(line.split(" #")[0].rstrip())
        if pair is None:
            continue
        inner = re.match(r"^\{(.*)\}$", pair[2].strip())
        if inner:
            for part in inner[1].split(","):
                key, _, value = part.partition(":")
                found.append(Line(f"{pair[1]}.{key.strip()}", value.strip(), number))
        else:
            found.append(Line(pair[1], pair[2].strip().strip("\"'"), number))
    d = Draft(name, found)
    if not problems:
        _run(d)
    return d, [*problems, *d.problems]


def _run(d: Draft) -> None:
    """Settings of the model and of the run; what the file does not say is assumed, and said."""
    for key in ("layers", "hidden", "heads"):
        d.take(f"model.{key}", f"model.{key}", missing=f"add {key} to model")
    for key in ("ffn", "kv_heads", "head"):
        d.take(f"model.{key}", f"model.{key}")
    d.take("model.vocabulary", "model.vocab", "model.vocabulary", missing="add vocab to model")
    d.take("sequence", "seq_len", "sequence", missing="add seq_len")
    precision = d.text("precision") or "bf16"
    if precision not in ("bf16", "fp16", "fp8", "fp4", "fp32"):
        d.wrong("E21", f"`{precision[:20]}` is no precision", "precision",
                help=did_you_mean(precision, ("bf16", "fp16", "fp8", "fp4", "fp32")))  # fmt: skip
    d.put("precision", precision)
    d.gpus = int(d.number("gpus", "world_size", default=8.0) or 8)
    batch = d.number("batch", "global_batch_size", default=float(d.gpus))
    d.put("batch", batch, "" if d.has("batch") or d.has("global_batch_size") else "not given: a sequence a GPU")
    if not d.has("gpus") and not d.has("world_size"):
        d.notes.append("missing: the number of GPUs; a node of 8 is assumed")
    d.put("layout.shard", "zero3", "not given")
    d.put("stack", "torch-fsdp2", "not given")
    rate = d.number("tokens_per_s_per_gpu", "tokens_per_second_per_gpu")
    if rate:
        d.put("measured.tokens_per_second_per_gpu", rate, "")
    seconds = d.number("step_time_s")
    if seconds:
        d.put("measured.step_time", seconds, "")
    d.has("gpu")
    d.finish()

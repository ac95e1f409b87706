"""Scenarios that make sense more often than not: a model of the library on a cluster, with settings of the schema."""

import re
from functools import cache
from random import Random

from dsl.kind import Kind, Setting
from dsl.schema import kinds, schema
from engine.metrics import METRICS
from tests.fuzz.experiments import experiment
from tests.fuzz.texts import ROOT, damaged
from tests.fuzz.values import text, value

LIBRARY = ROOT / "scenarios/library"
IMPORTS = "".join(f'import "library/{path.name}"\n' for path in sorted(LIBRARY.glob("*.scn")))
SKIPPED = ("cluster", "model", "stack", "calibration", "trace", "gpu", "hf", "gpus", "nodes", "batch", "fidelity")
GROUPS = ("actual", "attention", "experts", "mixer", "lora", "phase")
DEGREES = (1, 1, 1, 1, 2, 2, 4, 8)


@cache
def named(kind: str) -> tuple[str, ...]:
    """The names of a kind of block in the library."""
    text = "".join(path.read_text("utf-8") for path in sorted(LIBRARY.glob("*.scn")))
    return tuple(re.findall(rf"(?m)^{kind} (\S+)", text))


def scenario(random: Random) -> str:
    """A file: a model, a cluster, one or two runs, often an experiment and a report; one in seven is damaged."""
    parts = [f"edition 2026\n{IMPORTS}", model(random), cluster(random), run(random)]
    if random.random() < 0.3:
        parts.append(f"run other from base {{\n{settings(random, kinds()['run'], 3)}}}\n")
    if random.random() < 0.4:
        parts.append(experiment(random, "other" if "run other" in parts[-1] else ""))
    if random.random() < 0.4:
        parts.append(report(random))
    made = "\n".join(parts)
    return damaged(random, made, 2) if random.random() < 0.15 else made


def model(random: Random) -> str:
    """A model of the library with some settings of its own, or dimensions that fit each other."""
    if random.random() < 0.7:
        head = f"model m {title(random)}from {random.choice(named('model'))}"
        return f"{head} {{\n{settings(random, kinds()['model'], 1)}}}\n"
    heads = random.choice((8, 16, 32, 64))
    lines = [f"layers = {random.choice((1, 2, 16, 32, 80))}", f"hidden = {heads * random.choice((64, 128))}",
             f"ffn = {random.choice((1024, 4096, 14_336))}", f"heads = {heads}",
             f"kv_heads = {random.choice((1, 8, heads))}", f"vocabulary = {random.choice((1000, 50_257, 128_256))}",
             f"sequence = {random.choice((512, 2048, 8192))} tokens"]  # fmt: skip
    if random.random() < 0.2:
        rows = schema(kinds()["model"]).rows.items()
        group = [(p, row) for p, row in rows if p.partition(".")[0] in GROUPS and row.holds != "choice"]
        lines += [f"{path} = {value(random, path, row)}" for path, row in random.sample(group, 1)]
    if random.random() < 0.3:
        active = random.choice((1, 2, 8))
        lines.append(f"experts {{ routed = {random.choice((8, 16, 64))}, active = {active}, ffn = 1024 }}")
    return f"model m {title(random)}{{\n{_block(lines)}{settings(random, kinds()['model'], 1)}}}\n"


def cluster(random: Random) -> str:
    """A fabric of the library, or tiers of the file's own."""
    nodes = f"nodes = {random.choice((1, 2, 4, 16, 64, 128, 512))}"
    own = settings(random, kinds()["cluster"], 3)
    if random.random() < 0.5:
        return f"cluster c from {random.choice(named('cluster'))} {{\n{_block([nodes])}{own}}}\n"
    lines = [f"gpu = {random.choice(named('gpu'))}", nodes, "tier node { bandwidth = 450 GB/s, latency = 1 us }"]
    if random.random() < 0.4:
        lines.append(f"tier pod {{ span = {random.choice((64, 256, 1024))} gpus, bandwidth = 400 Gb/s }}")
    lines.append(f"tier spine {{ bandwidth = 400 Gb/s, oversubscription = {random.choice(('1', '2:1', '7:1'))} }}")
    return f"cluster c {title(random)}{{\n{_block(lines)}{own}}}\n"


def run(random: Random) -> str:
    """A run with a layout; degrees are small, so that many can be built."""
    lines = [
        "model = m",
        "cluster = c",
        f"tokens = {random.choice(('1T', '15T', '1e9', '300e9'))} tokens",
        f"batch = {random.choice((64, 256, 1024, 2048, 4096))} sequences",
    ]
    if random.random() < 0.5:
        lines.append(f"stack = {random.choice(named('stack'))}")
    if random.random() < 0.08:
        lines.append(f"fidelity = {random.choice(('operator', 'reduced', 'roofline'))}")
    for axis in ("tensor", "pipeline", "context", "expert"):
        if random.random() < 0.4:
            lines.append(f"layout.{axis} = {random.choice(DEGREES)}")
    return f"run base {title(random)}{{\n{_block(lines)}{settings(random, kinds()['run'], 4)}{requires(random)}}}\n"


def settings(random: Random, kind: Kind, most: int) -> str:
    """Some settings of a kind of block, each once, in any order."""
    rows = [(path, row) for path, row in schema(kind).rows.items() if _alone(path, row)]
    picked = random.sample(rows, min(len(rows), random.randint(0, most)))
    return _block([f"{path} = {value(random, path, row, 0.03)}" for path, row in picked])


def _alone(path: str, row: Setting) -> bool:
    """Whether a setting can be stated without others beside it."""
    own = path.partition(".")[0]
    return path not in SKIPPED and own not in GROUPS and row.holds not in ("file", "usd/s") and "list" not in row.holds


def requires(random: Random) -> str:
    """Conditions on results."""
    names = [metric.name for metric in METRICS]
    lines = []
    for _ in range(random.choice((0, 0, 1, 2))):
        limit = random.choice(("1", "50%", "80 GB", "10 days", "$1M", "0", "1e300"))
        because = f" because {text(random)}" if random.random() < 0.5 else ""
        lines.append(f"require {random.choice(names)} {random.choice(('<=', '>', '=='))} {limit}{because}")
    return _block(lines) if random.random() < 0.3 else ""


def title(random: Random) -> str:
    """A title with whatever a user may type into it, or none."""
    return f"{text(random)} " if random.random() < 0.3 else ""


def report(random: Random) -> str:
    """What the document holds."""
    plain = [f"author = {text(random)}", f"subtitle = {text(random)}", f"kind = {random.choice(KINDS)}",
             "show = [mfu, step_time as s, cost as $M]", f"currency = {text(random)}", "rate = 0.9",
             f"sections = [{random.choice(('summary, memory', 'cost', 'ledger', 'roofline, network'))}]",
             f'condition {text(random)} {{ owner = {text(random)}, due = "2026-05-29" }}',
             f"approval {text(random)} {{ role = {text(random)} }}"]  # fmt: skip
    own = random.sample(plain, random.randint(0, len(plain)))
    return f"report {text(random)} {{\n{_block(own)}{settings(random, kinds()['report'], 1)}}}\n"


KINDS = ("procurement", "design_review", "comparison", "validation", "one_page")


def _block(lines: list[str]) -> str:
    return "".join(f"  {line}\n" for line in lines)


"""Experiments over a run `base` (and `other`): every kind of block that evaluates more than one point."""

from random import Random

SHOWN = ("mfu", "step_time as s", "memory_per_gpu as GiB", "time_to_train as days", "cost as $M", "bubble",
         "tokens_per_second", "layout.tensor * 2", "1 / bubble", "mfu called \"MFU\"")  # fmt: skip
AXES = (
    "layout.tensor = [1, 2, 4, 8]", "layout.pipeline = 1..4 doubling", "layout.micro_batch = [1, 2] sequences",
    "batch = [256, 512] sequences", "cluster.nodes = [2, 4, 64]", "layout.recompute = [none, selective, full]",
    "cluster.price = [$2/gpu-hour, $3/gpu-hour]", "precision = [bf16, fp8]", "layout.shard = [zero1, zero3]",
    "layout.schedule = [one_f_one_b, interleaved(virtual_stages = 2)]", "sequence = [2048, 8192] tokens",
    "cluster.pue = [1.1, 1.3]", "layout.tensor = [8]", "layout.context = [1, 0]",
)  # fmt: skip
RANGES = (
    "cluster.price = uniform($1/gpu-hour, $3/gpu-hour)", "cluster.mtbf = uniform(5 hours, 50 hours)",
    "tokens = 1T tokens..2T tokens", "cluster.restart = triangular(5 min, 10 min, 30 min)",
    "cluster.gpu.efficiency.gemm = normal(70%, 5%)", "cluster.pue = lognormal(1.2, 1.1)",
)  # fmt: skip
RULES = (
    "where layout.tensor <= 4", "where layout.micro_batch divides batch", "require mfu > 10%",
    "require memory_per_gpu <= 90% * cluster.gpu.memory", "where mfu > 200%", "require cost <= $1M",
)  # fmt: skip
CHARTS = ("chart line { x = batch, y = mfu }", "chart heatmap { x = layout.pipeline, y = layout.tensor, color = mfu }",
          "chart bar { x = layout.tensor, y = cost }", "chart scatter { x = time_to_train, y = cost }")  # fmt: skip


def experiment(random: Random, other: str) -> str:
    """One block; a comparison only where there is another run."""
    makers = [sweep, optimize, scale, sensitivity, size, portfolio, roofline, *([compare] * 3 if other else [])]
    return random.choice(makers)(random)


def _some(random: Random, lines: tuple[str, ...], least: int, most: int) -> list[str]:
    return random.sample(lines, random.randint(least, most))


def _block(head: str, lines: list[str]) -> str:
    return f"{head} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _shown(random: Random) -> str:
    return f"show = [{', '.join(_some(random, SHOWN, 1, 4))}]"


def _vary(random: Random, axes: tuple[str, ...], least: int = 1, most: int = 2) -> str:
    chosen = {axis.partition(" ")[0]: axis for axis in _some(random, axes, least, most)}
    return f"vary {{ {', '.join(chosen.values())} }}"


def sweep(random: Random) -> str:
    """A table of points."""
    own = [*_some(random, RULES, 0, 2), *_some(random, CHARTS, 0, 2)]
    return _block("sweep s", ["base = base", _vary(random, AXES, 1, 3), _shown(random), *own])


def optimize(random: Random) -> str:
    """A search."""
    aim = random.choice(("minimize = cost", "maximize = mfu", "minimize = step_time", "minimize = 1 / bubble"))
    own = [*_some(random, RULES, 0, 2), f"keep = {random.choice((1, 3, 10, 0))}"]
    return _block("optimize o", ["base = base", _vary(random, AXES, 1, 3), _shown(random), aim, *own])


def scale(random: Random) -> str:
    """One run over more and more GPUs."""
    own = [random.choice(("over = cluster.nodes", "mode = weak", "mode = strong")), _shown(random)]
    return _block("scale g", ["base = base", *own])


def sensitivity(random: Random) -> str:
    """Ranges and distributions."""
    own = [f"samples = {random.choice((1, 2, 50))}", f"seed = {random.randint(0, 9)}"]
    return _block("sensitivity u", ["base = base", _vary(random, RANGES), _shown(random), *own])


def size(random: Random) -> str:
    """How many GPUs for a deadline."""
    return _block("size z", ["base = base", f"deadline = {random.choice((1, 60, 1000))} days", "gpus = [64, 256]"])


def portfolio(random: Random) -> str:
    """Runs on a calendar."""
    own = _some(random, ("hold = 80 days", 'start = "2027-01-04"', "require programme.cost <= $20M"), 0, 3)
    lines = ["run = base", *_some(random, ("count = 2", "trials = 5%", "gpus = 8", "deadline = 10 days"), 0, 3)]
    return _block("portfolio p", ["cluster = c", *own, f"entry one {{ {', '.join(lines)} }}"])


def roofline(random: Random) -> str:
    """One operation on one part."""
    work = random.choice(("flops = 1e12", "m = 8192, n = 8192, k = 8192", "flops = 1, bytes = 0 bytes", "m = 1"))
    return _block("roofline l", ["gpu = h100-sxm", work])


def compare(random: Random) -> str:
    """Two runs side by side."""
    return _block("compare v", ["between = [base, other]", "baseline = base", _shown(random)])

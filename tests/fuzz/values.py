"""Values of settings, by what the schema says that a setting holds."""

from math import exp, log
from random import Random

from dsl.kind import Setting
from dsl.kinds import ARGUMENTS

# What each dimension is written in, and the usual range of its number.
UNITS: dict[str, tuple[tuple[str, float, float], ...]] = {
    "bytes": (("{} bytes", 1, 16), ("{} GB", 0.1, 2000), ("{} GiB", 0.1, 500)),
    "bytes/s": (("{} GB/s", 1, 900), ("{} Gb/s", 10, 1600), ("{} TB/s", 0.1, 8)),
    "flop/s": (("{} TFLOPS", 10, 5000), ("{} PFLOPS", 0.1, 10)),
    "seconds": (("{} us", 1, 50), ("{} ms", 0.1, 100), ("{} minutes", 1, 60), ("{} hours", 1, 200), ("{} days", 1, 90)),
    "usd": (("${}", 1, 50_000), ("${}M", 0.1, 100)),
    "usd/s": (("${}/gpu-hour", 0.5, 10), ("${}/hour", 1, 1000)),
    "usd/joule": (("${}/kWh", 0.02, 0.4),),
    "kg/joule": (("{} g/kWh", 10, 900),),
    "watts": (("{} W", 10, 2000), ("{} kW", 0.1, 20)),
    "joules": (("{} kWh", 1, 1e6),),
    "share": (("{}%", 0, 100), ("{}", 0.01, 1)),
    "ratio": (("{}", 1, 3), ("{}:1", 1, 8)),
}
WHOLE: dict[str, tuple[str, tuple[int, ...]]] = {
    "number": ("{}", (1, 1, 2, 2, 4, 8, 16, 32, 64, 128, 3, 5)),
    "gpus": ("{} gpus", (1, 4, 8, 16, 32, 64, 72, 256, 1024)),
    "nodes": ("{} nodes", (1, 2, 4, 8, 16, 32, 64, 128, 512)),
    "layers": ("{} layers", (1, 2, 3, 4, 8, 16, 24, 32, 80)),
    "steps": ("{} steps", (1, 10, 1000, 100_000)),
    "sequences": ("{} sequences", (1, 2, 4, 8, 64, 256, 512, 1024, 2048)),
    "tokens": ("{} tokens", (128, 1024, 2048, 4096, 8192, 32_768, 10**9, 10**11, 10**12, 15 * 10**12)),
}
EXTREMES = (
    "0", "-1", "1e300", "-1e300", "1e-300", "1e9", "0.5", "9" * 400, "1e400", "nan", "inf", "true", '"x"', "[]",
    "[1, 2]", "GB", "1 / 0",
    "0 GB / 0", "80 GB", "5%", "mfu", "layout.tensor", "if true then 1 else 2", "sqrt(-1)", "2 ^ 2000",
    "bf16", "none(x = 1)", "zero3(within = nowhere)", "normal(1, 2)", "1..8", "min()", "(1", "$", "1 2",
)  # fmt: skip
TEXTS = (
    "", "plain", "größer 🚀", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "$x^2$", "a{{ 7 * 7 }}", "한국어",
    "x" * 300, "{% raw %}", "a & b", "'; drop", "%s %d", "]]>",
    "<!--", "#", "a" * 80,
)  # fmt: skip
REFUSED = ("\u202eright to left", "\x1b[31m", "\u2066", "\x00", "x" * 5000)


def text(random: Random) -> str:
    """A text between quotes; one in fifty is one that no text may be."""
    own = random.choice(TEXTS if random.random() < 0.98 else REFUSED)
    return '"' + own.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(random: Random, low: float, high: float) -> str:
    """A number between two others: whole, or of few digits, every size as likely as any other."""
    low = max(low, 1e-3)
    value = exp(random.uniform(log(low), log(max(high, low))))
    return str(round(value)) if value >= 1 and random.random() < 0.6 else f"{value:.3g}".replace("e+", "e")


def value(random: Random, path: str, row: Setting, wild: float = 0.05) -> str:
    """A value that a setting may hold; with probability ``wild`` one that it hardly may."""
    if random.random() < wild:
        return random.choice(EXTREMES)
    if row.holds == "choice":
        return chosen(random, path, row.choices)
    if row.holds in UNITS:
        form, low, high = random.choice(UNITS[row.holds])
        return form.format(number(random, low, high))
    if row.holds in WHOLE:
        form, values = WHOLE[row.holds]
        return form.format(random.choice(values))
    if row.holds == "flag":
        return random.choice(("true", "false"))
    if row.holds == "date":
        return f'"{random.choice(("2026-05-04", "2024-02-29", "2025-02-29", "9999-12-31", "0001-01-01", "soon"))}"'
    return text(random) if row.holds in ("text", "file") else random.choice(EXTREMES)


def chosen(random: Random, path: str, choices: tuple[str, ...]) -> str:
    """A choice, now and then with an argument."""
    word = random.choice(choices) if choices else "none"
    own = ARGUMENTS.get((path, word), ())
    if not own or random.random() < 0.7:
        return word
    row = random.choice(own)
    return f"{word}({row.path} = {value(random, '', row, 0)})"

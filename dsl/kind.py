"""What the schema is written in: kinds of blocks, rows of settings, and what a setting holds.

One table (kinds.py) serves the checker, the formatter, the reference page and the editor; nothing about a
setting is written anywhere else. A row gives the setting's path inside its block, what it holds,
its default as one would type it ("" = no default, the result shows "–"), and one line of doc.

What a setting holds is one of
  a dimension   bytes  bytes/s  flop/s  seconds  usd  usd/s  usd/joule  watts  joules  number  share  ratio
                kg/joule  (carbon)
  a count       gpus  nodes  tokens  sequences  layers  steps (no dimension, a tag that is checked)
  text, flag, date, file
  choice        one of ``choices``; a choice may take arguments, listed in ARGUMENTS
  a reference   gpu  model  cluster  run  stack  (the name of a block of that kind)
  list of …     a list of any of these
  expression    kept as a tree (show, minimize …)
"""

from typing import NamedTuple


class Setting(NamedTuple):
    """One row of the schema."""

    path: str
    holds: str
    doc: str
    default: str = ""
    choices: tuple[str, ...] = ()
    bounds: str = ""
    required: bool = False


class Kind(NamedTuple):
    """One kind of block: its settings, the blocks it may contain, and how it is named."""

    name: str
    doc: str
    settings: tuple[Setting, ...] = ()
    blocks: tuple["Kind", ...] = ()
    named: str = "optional"  # "required" | "optional" | "none" | "choice" (the name is one of name_choices)
    name_choices: tuple[str, ...] = ()
    repeats: bool = False  # several may stand in one parent (tiers, charts, conditions)
    open_settings: bool = False  # any setting path of the base run is allowed (vary, measured)
    statements: tuple[str, ...] = ()  # "require", "where", "let"


def row(path: str, holds: str, doc: str, default: str = "", *choices: str, bounds: str = "") -> Setting:
    """A setting; a default of "!" marks a setting that must be given."""
    required = default == "!"
    return Setting(path, holds, doc, "" if required else default, choices, bounds, required)


DTYPES = ("bf16", "fp16", "fp8", "fp4", "fp32", "tf32")
OPERATIONS = ("qkv", "attn_out", "sdpa", "mlp_up", "mlp_down", "router", "expert_up", "expert_down", "head")
AXES = ("tensor", "context", "data", "pipeline", "expert")
# What `report { sections = [...] }` may name: the words that ask for each chapter of the document.
CHAPTERS: dict[str, tuple[str, ...]] = {
    "summary": ("summary",),
    "configuration": ("configuration", "layout", "memory", "recommendation"),
    "performance": (
        *("performance", "step", "step_time", "step_breakdown"),
        *("pipeline", "network", "measured", "roofline"),
    ),
    "failures-and-checkpoints": ("failures", "checkpoint", "checkpoints", "reliability"),
    "cost-and-power": ("cost", "power", "energy"),
    "bill-of-materials": ("materials", "bill_of_materials"),
    "acceptance-test": ("acceptance",),
    "alternatives-side-by-side": ("alternatives", "compare", "comparison"),
    "programme": ("programme", "portfolio"),
    "size": ("size", "sizing"),
    "best-points": ("optimize", "search"),
    "sweeps": ("sweep", "sweeps"),
    "scaling": ("scale", "scaling"),
    "uncertainty": ("sensitivity", "uncertainty"),
    "design-points": ("points",),
    "all-results": ("results", "all_results"),
    "operations": ("operations", "launch"),
    "operator-ledger": ("ledger",),
}
SECTIONS = tuple(word for words in CHAPTERS.values() for word in words)
ATTENTION_KERNELS = ("flash1", "flash2", "flash3", "cudnn", "unfused")

SOURCE = (
    row("source", "text", "where the figures of this block were published"),
    row(
        "confidence",
        "choice",
        "how good the source is",
        "",
        "datasheet",
        "measured",
        "quote",
        "third-party",
        "estimate",
        "derived",
    ),
    row(
        "verified",
        "choice",
        "whether the source was opened for this row or recalled",
        "",
        "read",
        "derived",
        "mixed",
        "recall",
        "unverified",
    ),
    row("as_of", "date", "the day the figure was taken"),
)

"""The schema by path: what kinds.py lists, laid out for looking up.

Blocks that stand once in their parent (layout, experts, checkpoint …) are flattened: their settings are
"layout.tensor", "experts.routed". Blocks that repeat (tiers, charts, conditions) keep a schema of their own.
"""

from functools import cache
from typing import NamedTuple

from dsl.kind import SECTIONS
from dsl.kinds import ARGUMENTS, AXES, KINDS, Kind, Setting

REFERENCES = ("gpu", "model", "cluster", "run", "stack", "calibration", "trace")

# Where the settings of a block are found in the table of a run.
PREFIXES = {
    "model": "model.", "cluster": "cluster.", "gpu": "cluster.gpu.", "stack": "stack.", "calibration": "calibration.",
    "trace": "trace.", "run": "",
}  # fmt: skip


class Schema(NamedTuple):
    """One kind: its settings by path, the words that open a group of them, and the blocks that repeat."""

    kind: Kind
    rows: dict[str, Setting]
    groups: frozenset[str]
    choosing: dict[str, Kind]  # blocks whose name is a choice: attention latent { … }
    repeated: dict[str, Kind]

    def row(self, path: str) -> Setting | None:
        """The setting at ``path``, an argument of a choice included (layout.schedule.virtual_stages)."""
        return self.rows.get(path) or argument(path)


@cache
def schema(kind: Kind) -> Schema:
    """The layout of one kind."""
    rows = {row.path: row for row in kind.settings}
    choosing, repeated, groups = {}, {}, set[str]()
    for block in kind.blocks:
        if block.repeats:
            repeated[block.name] = block
            continue
        inner = schema(block)
        rows |= {f"{block.name}.{path}": row for path, row in inner.rows.items()}
        groups |= {block.name, *(f"{block.name}.{group}" for group in inner.groups)}
        if block.named == "choice":
            choosing[block.name] = block
            rows[block.name] = Setting(block.name, "choice", block.doc, choices=block.name_choices)
    for path in rows:
        head, dot, _ = path.rpartition(".")
        while dot:
            groups.add(head)
            head, dot, _ = head.rpartition(".")
    return Schema(kind, rows, frozenset(groups), choosing, repeated)


@cache
def kinds() -> dict[str, Kind]:
    """The kinds of blocks that stand in a file, by name."""
    return {kind.name: kind for kind in KINDS}


@cache
def arguments() -> dict[str, Setting]:
    """Every argument of a choice by its full path: "layout.schedule.virtual_stages"."""
    return {f"{path}.{row.path}": row for (path, _), rows in ARGUMENTS.items() for row in rows}


def argument(path: str) -> Setting | None:
    """The argument of a choice at this path of a run, or None."""
    return arguments().get(path)


@cache
def run_rows() -> dict[str, Setting]:
    """Every setting of a run with those of its model, cluster, gpu and stack, by full path; tiers apart."""
    rows = dict(arguments())
    for name, prefix in PREFIXES.items():
        rows |= {prefix + path: row for path, row in schema(kinds()[name]).rows.items()}
    return rows


# Names that follow from settings: expressions may read them, nothing may set them.
READ_ONLY = {
    "batch_tokens": Setting("batch_tokens", "tokens", "global batch in tokens: batch x sequence"),
    "checkpoint.rule": Setting(
        "checkpoint.rule", "choice", "what decides the interval", choices=("young", "daly", "best", "stated")
    ),
}


def run_row(path: str) -> Setting | None:
    """The setting at a full path of a run, tiers and the like included (cluster.tier.pod.bandwidth), or None."""
    found = run_rows().get(path)
    return found if found is not None else part_row(path)


@cache
def parts() -> dict[str, Kind]:
    """Blocks that repeat in what a run refers to, by the path of their settings: cluster.tier, calibration.shape …"""
    found: dict[str, Kind] = {}
    for name, prefix in PREFIXES.items():
        if prefix:
            found |= {prefix + kind.name: kind for kind in schema(kinds()[name]).repeated.values()}
    return found


def part_row(path: str) -> Setting | None:
    """The setting of a repeated block: cluster.tier.NAME.bandwidth."""
    for head, kind in parts().items():
        if path.startswith(head + "."):
            name, dot, last = path.removeprefix(head + ".").partition(".")
            return schema(kind).rows.get(last) if dot and name else None
    return None


def item_row(row: Setting) -> Setting:
    """What one item of a list setting holds."""
    holds = row.holds.removeprefix("list of ")
    if holds == "axes":
        return row._replace(holds="choice", choices=AXES, default="")
    if holds == "sections":
        return row._replace(holds="choice", choices=SECTIONS, default="")
    return row._replace(holds=holds, default="")

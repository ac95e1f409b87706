"""Settings of an attention or of a mixer where the model says of neither what kind it is."""

from dsl.problems import Problem
from dsl.table import Table

KINDS = {"attention": "latent", "mixer": "mamba2"}


def kinds_stated(table: Table) -> None:
    """A problem for settings of no kind of attention or mixer: nothing says what layers they belong to."""
    for word, kind in KINDS.items():
        own = next((entry for path, entry in table.entries.items() if path.startswith(f"model.{word}.")), None)
        if own is None or table.get(f"model.{word}") is not None or f"model.{word}" in table.entries:
            continue
        title = f"model `{table.get('model')}` needs a kind of {word} for `{own.path.removeprefix('model.')}`"
        help = f"write: {word} {kind} {{ ... }}"
        table.problems.append(Problem("E13", title, own.span, f"a setting of no {word}", help=help))

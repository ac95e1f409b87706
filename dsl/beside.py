"""A document that compares needs something to compare."""

from collections.abc import Iterable, Sequence

from dsl.problems import Problem
from dsl.scenario import Compare, Experiment, Report, Run

SEARCHED = ("sweep", "optimize", "size")


def without_alternatives(report: Report | None, experiments: Sequence[Experiment]) -> Iterable[Problem]:
    """The problem of a report of kind comparison over a file that holds nothing to compare."""
    kind = None if report is None else report.settings.get("kind")
    if kind is None or kind.value != "comparison" or kind.span is None or alternatives(experiments):
        return
    yield Problem(
        "E26",
        "a comparison needs alternatives, and the file holds none",
        kind.span,
        "nothing to compare",
        notes=("alternatives are two runs, a compare block of two, or an optimize, size or sweep",),
        help="write a second run, or write `procurement` or `design_review`",
    )


def alternatives(experiments: Sequence[Experiment]) -> bool:
    """Whether the experiments of a file stand beside each other."""
    runs = sum(isinstance(e, Run) for e in experiments)
    compared = any(isinstance(e, Compare) and len(e.runs) > 1 for e in experiments)
    return runs > 1 or compared or any(e.kind in SEARCHED for e in experiments)

"""Changes of a layout with which a run meets more of what it should, where it can be built and fits already."""

from collections.abc import Callable, Iterator

from engine.alternatives import WANTED, Alternative, Change, Evaluated, built, changes, choice, varied
from engine.inputs import Recompute, Run, Schedule

CHUNKS = (2, 3, 4, 5, 6, 8, 10)


def improvements(run: Run, gap: Callable[[Run], float], limit: int = WANTED) -> list[Alternative]:
    """Up to ``limit`` runs of which ``gap`` is 0, the fewest changes first; else the one whose gap is the smallest.

    ``gap`` says how far a run is from what it should meet. The batch stays: another one trains another model.
    """

    def judged(changed: Run) -> Evaluated:
        far = gap(changed)
        return ("ok" if far == 0.0 else "misses"), far, None

    own = [c for c in (*faster(run), *changes(run)) if c.setting != "batch"]
    found = built(run, own, judged, limit)
    met = [a for a in found if a.evaluated[0] == "ok"]
    if met:
        return varied(met, limit)
    near = min(found, key=lambda a: a.evaluated[1] or 0.0, default=None)
    return [] if near is None or (near.evaluated[1] or 0.0) >= gap(run) else [near]


def faster(run: Run) -> Iterator[Change]:
    """Changes that take more memory or messages for less time: less recomputation, chunks of stages in turn."""
    kind, schedule = run.layout.recompute.kind, run.layout.schedule
    for less in {"full": ("selective", "none"), "selective": ("none",)}.get(kind, ()):
        yield choice("recompute", less, 0.5, recompute=Recompute(less, run.layout.recompute.ops, None))
    if run.layout.pipeline > 1 and schedule.kind == "one_f_one_b":
        for chunks in CHUNKS:
            words = f"interleaved(virtual_stages = {chunks})"
            yield choice("schedule", words, 1.0, schedule=Schedule("interleaved", chunks))

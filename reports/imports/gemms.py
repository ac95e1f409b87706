"""A table of timed matrix multiplies as a calibration: the best share of the peak, and the largest shapes by name."""

from collections.abc import Sequence
from statistics import median

from dsl.files import load_text
from dsl.importers.gemm_table import Timed, read
from dsl.importers.printed import block, name_of
from dsl.kinds import CALIBRATION
from dsl.problems import Problem
from dsl.resolve import resolve
from engine.gemm_fit import GemmFit, fit
from engine.inputs import Run
from engine.kernels import Device, device
from engine.read import read as read_run
from reports.imports.asked import Asked, Made, follows, lacks, opening, refused

SHAPES = 32  # timed shapes that are printed
SHARES = {"bf16": "gemm", "fp16": "gemm", "fp8": "gemm_fp8", "fp4": "gemm_fp4"}
# A run that is only there to reach a GPU of the library with the engine's own reading of it.
SMALLEST = """edition 2026
import "library/gpus.scn"
model one { layers = 1, hidden = 64, ffn = 64, heads = 1, head = 64, vocabulary = 64, sequence = 64 tokens }
cluster one { gpu = %s, nodes = 1 }
run one { model = one, cluster = one, batch = 8 sequences, precision = %s }
"""


def gemms(asked: Asked) -> Made:
    """A `calibration` block of the table: fitted where the GPU is known, and the shapes that take longest."""
    rows, problems = list[Timed](), list[Problem]()
    for file in asked.files:
        found, wrong = read(file.data, file.name)
        rows += found
        problems += wrong
    if problems:
        return refused(problems)
    if asked.plan is None and not asked.gpu:
        return lacks(asked.files[0].name, "which GPU was it timed on?", "add --gpu h100-sxm, or --plan plan.scn")
    settings: dict[str, object] = {}
    notes = ["Fitted from timed GEMMs: t = 2MNK/(peak eta) + streaming of weights, eta = A wave K/(K + K_half)."]
    for precision in dict.fromkeys(r.precision for r in rows):
        dev, wrong = device_of(asked, precision)
        if dev is None:
            return refused(wrong)
        own = [r for r in rows if r.precision == precision]
        best = fit([r.m for r in own], [r.n for r in own], [r.k for r in own], [r.seconds for r in own], dev, precision)
        if best is None or precision not in SHARES:
            notes.append(f"{precision}: {len(own)} shapes, not fitted: the GPU has no {precision} peak of its own.")
            continue
        settings |= fitted(best, precision, settings)
        notes.append(told(best, precision, len(own)))
    name = name_of(asked.name or asked.files[0].stem, "calibration")
    gpu = asked.gpu or (asked.plan.engine.gpu.name if asked.plan is not None else "")
    settings |= {"source": f"timed GEMMs, {asked.sources}, on {gpu}", "confidence": "measured", "verified": "read"}
    text = block(CALIBRATION, name, settings, shapes(rows), notes=notes)
    return Made(opening(asked.plan) + text + follows(asked.plan, name), [])


def fitted(found: GemmFit, precision: str, before: dict[str, object]) -> dict[str, object]:
    """The settings of one precision; K_half is one number, of the first precision that says it."""
    made: dict[str, object] = {SHARES[precision]: found.best}
    if found.half_k is not None and "half_k" not in before:
        made["half_k"] = found.half_k
    return made


def told(found: GemmFit, precision: str, rows: int) -> str:
    """One fit in words."""
    half = "" if found.half_k is None else f", half of it at K = {found.half_k:.0f}"
    return (
        f"{precision}: {found.best:.1%} of the dense peak at best{half}; {found.shapes} of {rows} rows, "
        f"{found.spread:.1%} off at the median, {found.worst:.0%} at worst."
    )


def device_of(asked: Asked, precision: str) -> tuple[Device | None, list[Problem]]:
    """The plan's GPU, or one of the library, as the engine reads it for a precision; the library's rates, no other."""
    if asked.plan is not None and not asked.gpu:
        settings = asked.plan.run.plain() | {"precision": precision}
        return device(uncalibrated(settings)), []
    scenario, problems = resolve(load_text(SMALLEST % (asked.gpu, precision), "--gpu"))
    wrong = [p for p in problems if p.severity == "error"]
    if wrong or not scenario.runs:
        return None, [wrong[0]._replace(help=wrong[0].help or "`scn catalog gpu` lists them")]
    return device(read_run(scenario.runs[0].plain())), []


def uncalibrated(settings: dict[str, object]) -> Run:
    """The run without its own calibration, so that a new one does not build on it."""
    return read_run({p: v for p, v in settings.items() if p.partition(".")[0] != "calibration"})


def shapes(rows: Sequence[Timed]) -> list[tuple[str, str, dict[str, object]]]:
    """The shapes that take longest, each with the median of its times."""
    times: dict[tuple[float, float, float, str], list[float]] = {}
    for r in rows:
        times.setdefault((r.m, r.n, r.k, r.precision), []).append(r.seconds)
    longest = sorted(times, key=lambda shape: -median(times[shape]))[:SHAPES]
    return [
        (
            "shape",
            f"{precision}-{m:.0f}x{n:.0f}x{k:.0f}",
            {"m": m, "n": n, "k": k, "precision": precision, "seconds": median(times[m, n, k, precision])},
        )
        for m, n, k, precision in longest
    ]

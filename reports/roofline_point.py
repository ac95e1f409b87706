"""One roofline block as a point of the document: intensity against the ridge, and a time between two bounds."""

from typing import Any

from dsl.scenario import Roofline
from engine import roofline
from engine.columns import Column, column
from reports.point import Json, number

ELEMENT = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5, "fp32": 4.0, "tf32": 4.0}
RESULTS = ("intensity", "ridge", "compute", "movement", "lower", "upper", "attainable")


def roofline_point(block: Roofline) -> Json:
    """Settings, results in base units, and what was missing: a matmul by m, n, k, or an operation by FLOP and bytes."""
    settings = {path: value.value for path, value in block.settings.items()}
    peak = settings.get(f"gpu.peak.{settings['precision']}")
    bandwidth, link = settings.get("gpu.memory_bandwidth"), settings.get("gpu.link")
    split = float(settings.get("split") or 1.0)
    needed = {f"gpu.peak.{settings['precision']}": peak, "gpu.memory_bandwidth": bandwidth}
    missing = [name for name, value in needed.items() if value is None]
    results: Json = dict.fromkeys((*RESULTS, "smallest_batch", "smallest_inner"))
    if not missing:
        results |= _results(settings, column(peak), column(bandwidth), None if link is None else column(link), split)
    bound = None
    if results["intensity"] is not None:
        bound = "compute" if results["intensity"] >= results["ridge"] else "network" if split > 1 else "memory"
    return {"settings": settings, "results": results, "bound": bound, "missing": missing}


def _results(settings: dict[str, Any], peak: Column, bandwidth: Column, link: Column | None, split: float) -> Json:
    """The figures of one operation; a stated FLOP count without bytes has only its time."""
    element = column(ELEMENT[settings["precision"]])
    m, n, k = (settings.get(name) for name in ("m", "n", "k"))
    if m and n and k:
        shape = (column(m), column(k), column(n))
        smallest = {"smallest_batch": number(roofline.smallest_batch(peak, bandwidth, shape[1], shape[2], element))}
        if split > 1 and link is not None:
            found = roofline.split_matmul(*shape, column(split), peak, link, element)
            smallest["smallest_inner"] = number(roofline.smallest_split_inner(peak, link, column(split), element))
        else:
            flops, moved = roofline.matmul_flops(*shape), roofline.matmul_bytes(*shape, element)
            found = roofline.roofline(flops, moved, peak, bandwidth)
        return {name: number(getattr(found, name)) for name in RESULTS} | smallest
    stated, size = settings.get("flops"), settings.get("bytes")
    if stated and size:
        found = roofline.roofline(column(stated), column(size), peak, bandwidth)
        return {name: number(getattr(found, name)) for name in RESULTS}
    compute = None if not stated else number(roofline.seconds(column(stated), peak))
    return {"ridge": number(roofline.ridge(peak, bandwidth)), "compute": compute, "lower": compute}

"""What the library's fitted numbers are worth on runs that they were not fitted on, as the document of a validation."""

from typing import Any

import numpy as np

from reports.validation.fit import Fit, errors_left_out

Json = dict[str, Any]


def told(found: Fit) -> Json:
    """Errors of every source, and of every publisher with all its sources, by the fit that has not seen it."""
    parts = (("source", found.left_out), ("publisher", found.publisher_left_out))
    return {
        "rows": len(found.cases),
        "numbers": len(found.numbers),
        "without": [
            {"a": name, "of": len({getattr(case, name) for case in found.cases}), **errors(found, residuals)}
            for name, residuals in parts
            if not np.any(np.isnan(residuals))
        ],
    }


def errors(found: Fit, residuals: np.ndarray[Any, Any]) -> Json:
    e = errors_left_out(found, residuals)
    return {"median_abs": e.median_abs, "p90_abs": e.p90_abs, "bias": e.bias}

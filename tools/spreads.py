"""Derives the tables of reports/acceptance/spreads.py anew; --write puts them there.

They are published measurements of parts over the engine's predictions, so they follow whenever an efficiency does.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from reports.acceptance import spreads

PARTS = Path(__file__).parents[1] / "tests" / "data" / "parts"
PLACE = Path(spreads.__file__)


def lines(found: Mapping[object, spreads.Spread]) -> dict[str, str]:
    """Each group as the table writes it, with its spread."""
    return {repr(key).replace("'", '"'): f"Spread({s.low}, {s.rows})" for key, s in found.items()}


bus = lines(spreads.spreads(spreads.bus_ratios(spreads.rows_of(PARTS / "collectives.csv"))))
gemm = lines(spreads.spreads(spreads.gemm_ratios(spreads.rows_of(PARTS / "gemms.csv"))))
lowest = min(ratio for _, ratio in spreads.triad_ratios(spreads.rows_of(PARTS / "triads.csv")))
text = PLACE.read_text("utf-8")
for key, spread in {**bus, **gemm}.items():
    print(f"{key}: {spread}")
    text = re.sub(re.escape(key) + r": Spread\([^)]*\)", f"{key}: {spread}", text)
print(f"the lowest triad reaches {lowest:.2f} of its prediction")
if "--write" in sys.argv:
    PLACE.write_text(text, "utf-8")

"""Prints the tables of reports/acceptance/spreads.py anew: published measurements of parts over the predictions."""

from pathlib import Path

from reports.acceptance import spreads

PARTS = Path(__file__).parents[1] / "tests" / "data" / "parts"

for name, ratios in (
    ("collectives", spreads.bus_ratios),
    ("gemms", spreads.gemm_ratios),
    ("triads", spreads.triad_ratios),
):
    print(name)
    for key, found in spreads.spreads(ratios(spreads.rows_of(PARTS / f"{name}.csv"))).items():  # type: ignore[operator]
        print(f"    {key!r}: Spread({found.low}, {found.rows}),")

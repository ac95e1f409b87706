"""FLOPs of a whole step, row by row, against what torch's FlopCounterMode counted on the meta device."""

import csv
from pathlib import Path

import pytest

from dsl.files import load_text
from dsl.resolve import resolve
from engine import entries, layout, models
from engine.ledger import Entry
from engine.read import read
from tests.language import RESULTS

DATA = Path(__file__).parent / "data"
TEXT = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster one { gpu = h100-sxm, gpus = 1 gpus }
run r {
  model = NAME, cluster = one, stack = torch-fsdp2, batch = 1 sequences, sequence = LONG tokens
  kernels { flash = false }
  layout { recompute = AGAIN, shard = none }
}
"""


def counted() -> list[dict[str, str]]:
    """Steps counted elsewhere: with and without recomputation of every layer.

    torch's non-reentrant checkpoint stops early and skips a layer's last matmul, which nothing here imitates.
    """
    with (DATA / "flops_backward.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [r for r in rows if r["checkpointing"] in ("none", "full_layer_reentrant")]


def rows_of(name: str, sequence: str, recompute: str) -> list[Entry]:
    """The ledger of one micro-batch of one sequence on one device, without a fused attention kernel."""
    text = TEXT.replace("NAME", name).replace("LONG", sequence).replace("AGAIN", recompute)
    scenario, problems = resolve(load_text(text, "case.scn"), RESULTS)
    assert not problems
    run = read(scenario.runs[0].plain())
    return list(entries.step(run, layout.resolve(run), models.count(run.model)).entries)


def flops(found: list[Entry], *phases: str) -> float:
    """FLOPs of the model itself in some phases, prediction modules left out."""
    return sum(float((e.count * e.row.flops)[0]) for e in found if e.row.phase in phases and e.row.block != "mtp")


@pytest.mark.parametrize("row", counted(), ids=lambda r: f"{r['name']}-{r['attention']}-{r['checkpointing']}")
def test_flops_of_a_step(row: dict[str, str]) -> None:
    """Forward to the last FLOP; backward twice the forward, and once more each layer that is recomputed."""
    found = rows_of(row["name"], row["seq"], "none" if row["checkpointing"] == "none" else "full")
    assert flops(found, "forward") == float(row["fwd_flops"])
    assert flops(found, "backward") == 2 * float(row["fwd_flops"])
    assert flops(found, "backward", "recompute") == float(row["bwd_flops_incl_recompute"])

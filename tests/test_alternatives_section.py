"""The other runs of a file side by side: which runs, which settings, in which order and unit."""

from typing import Any

import pytest

from reports.document import build
from reports.plan import plan_of
from reports.sections.alternatives import SETTINGS_SHOWN, alternatives, settings_table
from reports.tables import Table
from tests.language import scenario_of

FILE = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
import "library/stacks.scn"

cluster hopper { gpu = h100-sxm, nodes = 8, price = $2/gpu-hour }
cluster blackwell { gpu = gb200, nodes = 16, price = $4/gpu-hour }

run old {
  model   = llama-3-8b
  cluster = hopper
  tokens  = 1T tokens
  batch   = 512 sequences
  layout { tensor = 2, micro_batch = 1 sequence, recompute = selective }
}
run new from old { cluster = blackwell, layout.tensor = 1, stack = nemo, batch = 1024 sequences }
%s
"""
PROGRAMME = "portfolio year { cluster = hopper, entry first { run = old }, entry next { run = new } }"


def document(more: str = "") -> Any:
    return build(scenario_of(FILE % more))


@pytest.fixture(scope="module")
def table() -> Table:
    found = settings_table(plan_of(document()))
    assert found is not None
    return found


def test_settings_of_run_and_layout_come_first_and_what_is_cut_is_said(table: Table) -> None:
    paths = [str(row[0]) for row in table.rows]
    assert paths[:4] == ["batch", "cluster", "stack", "layout.data"]  # batch_tokens follows from the batch
    assert paths.index("layout.tensor") < paths.index("cluster.nodes") < paths.index("cluster.gpu.memory")
    assert not {p.rpartition(".")[2] for p in paths} & {"source", "verified", "name"}
    assert len(paths) > SETTINGS_SHOWN == len(table.shown) and table.left_out == len(paths) - SETTINGS_SHOWN


def test_one_quantity_has_one_unit_in_a_row(table: Table) -> None:
    rows = {str(row[0]): [str(c).replace("\u00a0", " ") for c in row[1:]] for row in table.rows}
    assert rows["cluster.gpu.memory"] == ["85.5208 GB", "198.675 GB"]  # 81 559 and 189 471 MiB
    assert rows["batch"] == ["512 sequences", "1 024 sequences"]


def test_runs_that_a_portfolio_holds_are_not_alternatives() -> None:
    assert alternatives(plan_of(document())) is not None
    assert alternatives(plan_of(document(PROGRAMME))) is None

"""Scenarios with tables for tests: a 70B plan that is varied, and a mixture of experts."""

from pathlib import Path

from dsl.scenario import Table
from reports.commands.source import read

HEAD = """edition 2026
import "library/gpus.scn"
import "library/models.scn"

cluster hopper {
  gpu           = h100-sxm
  gpus_per_node = 8
  nodes         = 128
  price         = $2.10/gpu-hour
  mtbf          = 50_000 gpu-hours
  power_price   = $0.08/kWh
  storage { write = 100 GB/s }
  tier node { bandwidth = 450 GB/s, latency = 1 us }
  tier pod { span = 512 gpus, bandwidth = 400 Gb/s, latency = 10 us }
  tier spine { span = 65_536 gpus, bandwidth = 400 Gb/s, latency = 15 us, oversubscription = 3:1 }
}
cluster blackwell from hopper {
  gpu   = b200
  nodes = 64
  price = $3.90/gpu-hour
  tier node { bandwidth = 900 GB/s }
}
run dense {
  model   = llama-3.1-70b
  cluster = hopper
  tokens  = 15T tokens
  batch   = 2048 sequences
  layout { tensor = 8, pipeline = 4, micro_batch = 1 sequence, recompute = selective }
  require memory_per_gpu <= 90% * cluster.gpu.memory because "room for fragments"
}
run mixture from dense {
  model = qwen3-235b-a22b
  layout { tensor = 4, pipeline = 4, expert = 8, recompute = full }
}
"""


def loaded(folder: Path, text: str, name: str = "table.scn") -> list[Table]:
    """The tables of a scenario that begins with ``HEAD``."""
    path = folder / name
    path.write_text(HEAD + text, "utf-8")
    source = read(path)
    assert not source.in_error, source.shown
    return list(source.scenario.tables)


def sweep(folder: Path, vary: str, rest: str = "", base: str = "dense") -> Table:
    """A sweep of a run of ``HEAD``."""
    (table,) = loaded(folder, f"sweep varied {{\n base = {base}\n vary {{\n{vary}\n}}\n{rest}\n}}\n")
    return table

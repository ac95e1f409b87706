"""The speed of tables: valid, evaluated design points a second on one core, and the memory of a million of them.

Rates count processor time of this one process, which neighbors on a shared machine cannot spoil as they do wall time;
only points that can be built count, and every result is worked out for each of them.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")
ROOT = Path(__file__).resolve().parents[1]
SEARCH = ROOT / "scenarios" / "search-70b.scn"
MEASURE = "import resource, sys; from reports.commands.render import render\n"
MEASURE += "render.main(sys.argv[1:], standalone_mode=False)\n"
MEASURE += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
HEAD = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster hopper {
  gpu = h100-sxm, gpus_per_node = 8, nodes = 256, price = $2.10/gpu-hour
  storage { write = 200 GB/s }
  tier node { bandwidth = 450 GB/s, latency = 1 us }
  tier pod { span = 512 gpus, bandwidth = 400 Gb/s, latency = 10 us }
  tier spine { span = 65_536 gpus, bandwidth = 400 Gb/s, latency = 15 us, oversubscription = 2:1 }
}
"""
NODES = "[32, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 480, 512, 640, 768, 960]"
DENSE = HEAD + f"""
run base {{
  model = llama-3.1-70b, cluster = hopper, tokens = 15T tokens, batch = 1920 sequences
  layout {{ tensor = 8, pipeline = 4, micro_batch = 1 sequence }}
}}
sweep many {{
  base = base
  vary {{
    cluster.nodes = {NODES}
    batch = 3840..92_160 sequences step 1920
    layout.tensor = [2, 4, 8], layout.context = [1, 2], layout.micro_batch = [1, 2, 4] sequences
    layout.pipeline = [1, 2, 4, 8], layout.recompute = [none, selective, full], layout.schedule = [one_f_one_b, gpipe]
  }}
  where layout.data * layout.micro_batch <= batch
}}
"""
MIXTURE = HEAD + f"""
run base {{
  model = qwen3-235b-a22b, cluster = hopper, tokens = 15T tokens, batch = 1920 sequences
  layout {{ tensor = 4, pipeline = 4, expert = 8, micro_batch = 1 sequence }}
}}
sweep many {{
  base = base
  vary {{
    cluster.nodes = {NODES}
    batch = 3840..92_160 sequences step 1920
    layout.tensor = [1, 2, 4], layout.expert = [2, 4, 8], layout.micro_batch = [1, 2] sequences
    layout.pipeline = [1, 2, 4, 8], layout.recompute = [none, selective, full], layout.schedule = [one_f_one_b, gpipe]
  }}
  where layout.data * layout.micro_batch <= batch
}}
"""


def rate(text: str) -> tuple[float, str]:
    """Valid points a second of a sweep with every result, the best of three; and what was counted."""
    from reports.commands.source import read
    from reports.experiments.evaluation import CANNOT_BE_BUILT, evaluated, loose
    from reports.experiments.parts import parts
    from reports.experiments.work import CHUNK

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.scn"
        path.write_text(text, "utf-8")
        (table,) = read(path).scenario.tables
    assert table.space is not None and table.base is not None
    space = table.space()

    def all_of_it() -> tuple[int, int]:
        assert table.base is not None
        valid = points = 0
        for piece in parts(space, CHUNK, loose(table.base)):
            found = evaluated(table, piece)
            valid, points = valid + int((found.status != CANNOT_BE_BUILT).sum()), points + piece.size
        return valid, points

    (valid, points), took = best(all_of_it)
    return valid / took, f"{valid:,} valid of {points:,} points, {len(table.axes)} settings vary, {took:.2f} s"


def best(work: Callable[[], Found], runs: int = 3) -> tuple[Found, float]:
    """What some work gives, and the least processor time that it took."""
    found, times = work(), []
    for _ in range(runs):
        start = time.process_time()
        found = work()
        times.append(time.process_time() - start)
    return found, min(times)


def search() -> tuple[float, float, str]:
    """Processor seconds of the shipped search, the most it may take at half a million points a second, and its size."""
    from reports.commands.source import read
    from reports.document import TABLES

    (table,) = read(SEARCH).scenario.tables
    made, took = best(lambda: TABLES[table.kind](table))
    points = made["counts"]["points"]
    return took, points / 500_000, f"{points:,} points, {made['counts']['met']:,} meet what is required"


def memory() -> float:
    """MiB of a process that renders the shipped search."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", MEASURE, str(SEARCH), "--out", folder, "--format", "json", "--quiet"]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True,
                              capture_output=True, text=True)  # fmt: skip
    return float(done.stdout.split()[-1])

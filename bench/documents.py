"""The speed of whole documents: one report warm and cold, twenty over two processes, a large sweep's.

Seconds of a single report are those of the processor, which is what it takes on one core that nobody else uses.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "scenarios" / "team-70b.scn"
BODY = ("configuration", "performance", "failures-and-checkpoints", "alternatives-side-by-side")  # with ten figures
ALONE = "import documents; documents.one()"
RUNS = int(os.environ.get("BENCH_RUNS", "4"))
SWEEP = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster box {
  gpu = h100-sxm, nodes = 8, price = $2/gpu-hour
  tier node { bandwidth = 450 GB/s }
  tier rail { bandwidth = 50 GB/s }
}
run small { model = llama-3-8b, cluster = box, tokens = 1B tokens, batch = 512 sequences, layout { tensor = 8 } }
sweep wide {
  base = small
  vary {
    cluster.nodes = 1..250
    layout.micro_batch = [1, 2, 4, 8] sequences
    layout.tensor = [1, 2, 4, 8, 16]
    layout.recompute = [none, full]
  }
  show = [time_to_train as days, cost, mfu as %]
}
report "Nodes by layout" { sections = [sweep, points] }
"""


def report() -> tuple[int, int]:
    """Makes one report of the design's size from a text, as HTML and PDF; its pages and figures."""
    import io

    import pypdf

    from reports.book import bound
    from reports.commands.job import no_collection
    from reports.commands.source import read
    from reports.document import build
    from reports.html import screen_page
    from reports.pdf import render_pdf
    from reports.plan import plan_of
    from reports.sections import OUTLINE
    from reports.sections.control import control
    from reports.sections.front import front

    plan = plan_of(build(read(PLAN).scenario))
    with no_collection():
        book = bound(plan, front(plan), control(plan), [c for c in OUTLINE if c.key in BODY])
        screen_page(book)
        data, _ = render_pdf(book)
    return len(pypdf.PdfReader(io.BytesIO(data)).pages), len(book.pictures)


def one() -> None:
    """Makes the report once, alone in its process, and prints what it took."""
    size = report()
    spent = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([spent.ru_utime + spent.ru_stime, *size]))


def warm() -> tuple[float, str]:
    """Seconds of a report in a process that made one before, and its size; its figures are drawn every time."""
    from reports.figures import picture

    vars(picture)["drawn_before"] = lambda salt: None
    pages, figures = report()
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        report()
        times.append(time.process_time() - start)
    return min(times), f"{pages} pages, {figures} figures, of the processor"


def cold() -> tuple[float, str]:
    """Seconds of a report in a new process that finds no cache."""
    times = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            place = os.environ | {"TONNAGE_CACHE": folder, "PYTHONPATH": f"{ROOT}:{ROOT / 'bench'}"}
            done = subprocess.run([sys.executable, "-c", ALONE], env=place, check=True, capture_output=True, text=True)
        spent, pages, figures = json.loads(done.stdout)
        times.append(spent)
    return min(times), f"{pages} pages, {figures} figures, no cache, of the processor"


def whole() -> tuple[float, str]:
    """Seconds of the team's whole report, all appendices included."""
    from reports.commands.job import perform
    from reports.commands.outcome import Job

    with tempfile.TemporaryDirectory() as folder:
        times = [spent(lambda: perform(Job(PLAN, Path(folder), ("html", "pdf")))) for _ in range(2)]
    return min(times), "HTML and PDF, of the processor"


def spent(work: Callable[[], object]) -> float:
    """Seconds of the processor that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def side_by_side() -> tuple[float, str]:
    """Twenty reports over two processes against one after the other: the share of the time."""
    text = (ROOT / "scenarios" / "reduced-70b.scn").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"plan-{number}.scn" for number in range(20)]
        for file in files:
            file.write_text(f"{text}# {file.stem}\n", "utf-8")
        took = []
        for jobs in ("1", "2"):
            command = [Path(sys.executable).parent / "render", *files, "--out", f"{folder}/out", "--jobs", jobs]
            start = time.perf_counter()
            subprocess.run([*command, "--force", "--quiet"], stdout=subprocess.DEVNULL, check=False)
            took.append(time.perf_counter() - start)
    return took[1] / took[0], f"{took[1]:.0f} s against {took[0]:.0f} s"


def large_sweep() -> tuple[float, str]:
    """Seconds of the report of a sweep of 10,000 points, all of them in a CSV file."""
    from reports.commands.job import perform
    from reports.commands.outcome import Job

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wide.scn"
        file.write_text(SWEEP, "utf-8")
        outcomes = []
        job = Job(file, Path(folder) / "out", ("html", "pdf", "csv"))
        times = [spent(lambda: outcomes.append(perform(job))) for _ in range(2)]
        assert outcomes[-1].written, outcomes[-1].problems
        rows = max(file.read_bytes().count(b"\n") for file in (Path(folder) / "out").glob("*.csv")) - 1
    return min(times), f"{rows:,} rows in CSV, of the processor"

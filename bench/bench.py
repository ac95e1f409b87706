"""`make bench`: the speed the product promises. Prints a table and exits 1 when a limit is missed.

Start-ups are measured in pairs with `python -c pass`, one right after the other, and each side's fastest run counts:
on a shared machine the minimum is the only figure that neighbors cannot spoil.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAIRS = int(os.environ.get("BENCH_PAIRS", "20"))
SCN = Path(sys.executable).parent / "scn"
SCENARIO = ROOT / "scenarios" / "team-70b.scn"
SECOND = ROOT / "scenarios" / "reduced-70b.scn"


@dataclass(frozen=True)
class Row:
    """One promise: what was measured, the limit it is held against, and both as shown."""

    name: str
    value: float
    limit: float
    unit: str
    detail: str
    least: bool = False  # the limit is the least that is promised, not the most

    @property
    def met(self) -> bool:
        return self.value >= self.limit if self.least else self.value <= self.limit


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Wall time of one process, which must end well."""
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return time.perf_counter() - start


def paired(command: list[str], before: Callable[[], dict[str, str]]) -> tuple[float, float]:
    """The fastest of ``PAIRS`` runs of `python -c pass` and of ``command``; ``before`` gives each run's environment."""
    bare, own = [], []
    for _ in range(PAIRS):
        environment = before()
        bare.append(seconds([sys.executable, "-c", "pass"], environment))
        own.append(seconds(command, environment))
    return min(bare), min(own)


def start_up(name: str, limit: float, command: list[str], before: Callable[[], dict[str, str]]) -> Row:
    """How many times longer ``command`` takes than an interpreter that does nothing."""
    bare, own = paired(command, before)
    return Row(name, own / bare, limit, "x", f"{own * 1e3:.0f} ms against {bare * 1e3:.0f} ms")


def whole_library(folder: Path) -> Path:
    """A scenario that imports every file of the library."""
    names = sorted(p.name for p in (ROOT / "scenarios" / "library").glob("*.scn"))
    path = folder / "all.scn"
    path.write_text("edition 2026\n" + "".join(f'import "library/{name}"\n' for name in names), "utf-8")
    return path


def fresh_cache(folder: Path) -> Callable[[], dict[str, str]]:
    """Environments that each name a cache folder nobody has used.

    They hide interegular, as a user's installation has no development tools: where lark finds it, the first run checks
    the grammar for collisions, which is a test's business.
    """
    hidden = folder / "hidden"
    hidden.mkdir()
    (hidden / "interegular.py").write_text("raise ImportError\n", "utf-8")

    def environment() -> dict[str, str]:
        return os.environ | {"TONNAGE_CACHE": tempfile.mkdtemp(dir=folder), "PYTHONPATH": str(hidden)}

    return environment


def warm_cache(folder: Path) -> Callable[[], dict[str, str]]:
    """One environment whose cache the runs share."""
    environment = os.environ | {"TONNAGE_CACHE": str(folder / "warm")}
    return lambda: environment


def fastest(work: Callable[[], object], runs: int = 5) -> float:
    """The fastest of a few runs in this process, the first left out."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def own_work(folder: Path) -> Row:
    """A report without WeasyPrint and matplotlib: language, engine, document, JSON, CSV, and HTML without figures."""
    from reports import book
    from reports.commands.job import documents
    from reports.commands.outcome import Job
    from reports.commands.source import read
    from reports.document import build

    job = Job(SCENARIO, folder, ("html", "json", "csv"))

    def report() -> None:
        source = read(SCENARIO)
        assert not source.in_error
        documents(job, source, build(source.scenario))

    drawn, book.drawn = book.drawn, lambda plan, wanted: {}
    took = fastest(report)
    book.drawn = drawn
    return Row("a report's own work, warm", took, 1.0, "s", "from text to JSON, CSV and HTML without figures")


def second_file(folder: Path) -> Row:
    """The share of a start-up that a second file in the same call pays again: 0 = none of it.

    saved = t(A) + t(B) - t(A B), and a start-up is what a file without content takes.
    """
    environment = warm_cache(folder)()
    empty = folder / "empty.scn"
    empty.write_text("edition 2026\n", "utf-8")
    calls = {"start": [empty], "a": [SCENARIO], "b": [SECOND], "ab": [SCENARIO, SECOND]}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(PAIRS):
        for name, files in calls.items():
            times[name].append(seconds([str(SCN), "check", *map(str, files)], environment))
    best = {name: min(values) for name, values in times.items()}
    saved = best["a"] + best["b"] - best["ab"]
    detail = f"start-up {best['start'] * 1e3:.0f} ms, saved {saved * 1e3:.0f} ms"
    return Row("a second file in one call", 1 - saved / best["start"], 0.2, "of a start-up", detail)


def long_text(lines: int) -> str:
    """The team's scenario again and again, each time under other names, until it has so many lines."""
    names = re.compile(r"\b(team-70b|two-pods|flat|hsdp|compare placement)\b")
    text = SCENARIO.read_text("utf-8")
    head, body = text.split("model team-70b", 1)
    body = "model team-70b" + body.split("\nreport ", 1)[0]
    parts = [head]
    while sum(part.count("\n") for part in parts) < lines:
        parts.append(names.sub(rf"\g<0>-{len(parts)}", body))
    return "".join(parts)


def long_file(folder: Path) -> Row:
    """`scn check` of a file of 10,000 lines that has never been read."""
    path = folder / "long.scn"
    text = long_text(10_000)
    times = []
    for run in range(3):
        path.write_text(f"{text}# {run}\n", "utf-8")
        times.append(seconds([str(SCN), "check", str(path)], warm_cache(folder)()))
    return Row("scn check of a long file, changed", min(times), 3.0, "s", f"{text.count(chr(10)):,} lines")


def keystroke(folder: Path) -> Row:
    """From a keystroke in a file of 500 lines to its problems, over the protocol."""
    return asyncio.run(_typed(folder))


async def _typed(folder: Path) -> Row:
    from lsprotocol import types as lsp
    from pygls.lsp.client import LanguageClient

    client, told, wrong = LanguageClient("bench", "1"), asyncio.Event(), list[lsp.Diagnostic]()

    def published(params: lsp.PublishDiagnosticsParams) -> None:
        wrong.extend(params.diagnostics)
        told.set()

    client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    await client.start_io(str(SCN), "lsp", env=warm_cache(folder)())
    await client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
    uri, text, times = (folder / "typed.scn").as_uri(), long_text(500), []
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "scn", 0, text)))
    await told.wait()
    for version in range(1, 21):
        told.clear()
        whole = lsp.TextDocumentContentChangeWholeDocument(f"{text}# {'x' * version}\n")
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        start = time.perf_counter()
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
        await told.wait()
        times.append(time.perf_counter() - start)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]  # pygls gives this one no hints
    assert not wrong, wrong[0].message
    detail = f"{text.count(chr(10))} lines, slowest of {len(times)} {max(times) * 1e3:.0f} ms"
    return Row("the editor server's answer to a keystroke", min(times) * 1e3, 100, "ms", detail)


def rows() -> list[Row]:
    """All promises, measured."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = whole_library(folder)
        check = [str(SCN), "check", str(library)]
        seconds(check, warm_cache(folder)())
        return [
            start_up("scn check of the whole library, warm", 15, check, warm_cache(folder)),
            start_up("scn check of the whole library, first run", 60, check, fresh_cache(folder)),
            own_work(folder),
            second_file(folder),
            long_file(folder),
            keystroke(folder),
            *tables(),
            *whole_documents(),
        ]


def tables() -> list[Row]:
    """The speed of tables of design points, and their memory."""
    import points

    dense, of_dense = points.rate(points.DENSE)
    mixture, of_mixture = points.rate(points.MIXTURE)
    took, most, of_search = points.search()
    return [
        Row("points of a dense model", dense / 1e3, 500, "thousand a second", of_dense, least=True),
        Row("points of a mixture of experts", mixture / 1e3, 300, "thousand a second", of_mixture, least=True),
        Row("the shipped search", took, most, "s", of_search),
        Row("memory of the shipped search", points.memory(), 1024, "MiB", "the whole process"),
    ]


def whole_documents() -> list[Row]:
    """The speed of reports from text to HTML and PDF."""
    import documents

    return [
        Row("a report of 9 to 12 pages, warm", *with_limit(documents.warm(), 4.5)),
        Row("a report of 9 to 12 pages, cold", *with_limit(documents.cold(), 7.0)),
        Row("the team's whole report, warm", *with_limit(documents.whole(), 12.0)),
        Row("the report of a sweep of 10,000 points", *with_limit(documents.large_sweep(), 10.0)),
        Row("twenty reports with two processes", *with_limit(documents.side_by_side(), 0.6, "of the time with one")),
    ]


def with_limit(measured: tuple[float, str], limit: float, unit: str = "s") -> tuple[float, float, str, str]:
    """What was measured, with the limit it is held against and its unit."""
    return measured[0], limit, unit, measured[1]


def main() -> int:
    """Measures, prints, and says by the exit code whether every limit holds."""
    measured = rows()
    width = max(len(r.name) for r in measured)
    for r in measured:
        mark = "ok  " if r.met else "MISS"
        bound = "at least" if r.least else "at most"
        print(f"{mark}  {r.name:<{width}}  {r.value:6.2f} {r.unit} ({bound} {r.limit:g})  {r.detail}")
    return 0 if all(r.met for r in measured) else 1


if __name__ == "__main__":
    sys.exit(main())

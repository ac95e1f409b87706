"""Large tables as files: every point with every result, the same bytes whether the work was stopped or not."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.metrics import METRICS
from reports.commands.job import perform
from reports.commands.outcome import Job
from reports.commands.shell import IN_ERROR
from reports.experiments import work as module
from tests.point_tables import HEAD
from tests.test_render import call
from tests.test_work import stopping

TEXT = HEAD + """
sweep prices {
 base = dense
 vary { layout.tensor = [3, 4, 8], layout.schedule = [one_f_one_b, interleaved(virtual_stages = 5)], cluster.price = $1/gpu-hour..$2/gpu-hour step $0.01/gpu-hour }
}
"""  # noqa: E501
COUNT = 3 * 2 * 101


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that streams though it is small."""
    monkeypatch.setattr(module, "CHUNK", 50)
    monkeypatch.setattr(module, "STREAMED", 100)
    path = tmp_path / "long.scn"
    path.write_text(TEXT, "utf-8")
    return path


def job(file: Path, folder: str, **more: Any) -> Job:
    return Job(file, file.parent / folder, ("json", "csv"), **more)


def test_a_large_table_streams_to_a_file_of_its_own(file: Path) -> None:
    outcome = perform(job(file, "out"))
    place = file.parent / "out" / "long.sweep-prices.points.csv"
    assert outcome.code == 0 and place in outcome.written
    rows = list(csv.DictReader(io.StringIO(place.read_text("utf-8"), newline="")))
    assert len(rows) == COUNT and sorted(int(r["index"]) for r in rows) == list(range(COUNT))
    assert list(rows[0])[:7] == ["index", "layout.tensor", "layout.schedule", "cluster.price", "cluster.gpus",
                                 "layout.data", "status"]  # fmt: skip
    assert list(rows[0])[7:] == [m.name for m in METRICS]
    document = json.loads((file.parent / "out" / "long.json").read_text("utf-8"))
    (sweep,) = [e for e in document["experiments"] if e["kind"] == "sweep"]
    assert sweep["streamed"] == {"file": place.name, "files": [place.name], "rows": COUNT}
    by_index = {int(r["index"]): r for r in rows}
    for point in sweep["points"]:
        row = by_index[point["index"]]
        assert row["layout.schedule"] == point["settings"]["layout.schedule"] and row["status"] == point["status"]
        assert {n: float(row[n]) if row[n] else None for n in point["results"]} == point["results"]


def test_a_stopped_stream_goes_on_to_the_same_bytes(file: Path) -> None:
    perform(job(file, "fresh"))
    assert perform(job(file, "out"), stopping(300)).code == 130
    assert not list((file.parent / "out").glob("*.points.csv"))
    assert perform(job(file, "out", resume=True)).code == 0
    name = "long.sweep-prices.points.csv"
    assert (file.parent / "out" / name).read_bytes() == (file.parent / "fresh" / name).read_bytes()
    assert not [p for p in os.listdir(file.parent / "out") if p.startswith(".")]


def test_a_stream_that_is_gone_is_begun_anew(file: Path) -> None:
    assert perform(job(file, "out"), stopping(300)).code == 130
    (part,) = (file.parent / "out").glob(".*.points.csv.part")
    part.unlink()
    assert perform(job(file, "out", resume=True)).code == 0
    assert len((file.parent / "out" / "long.sweep-prices.points.csv").read_text("utf-8").splitlines()) == COUNT + 1


def test_parquet_holds_the_same(file: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install 'tonnage[parquet]'")
    outcome = perform(Job(file, file.parent / "out", ("json", "parquet")))
    (place,) = [p for p in outcome.written if p.suffix == ".parquet"]
    assert parquet.read_table(place).num_rows == COUNT


def test_parquet_without_its_library_is_refused(file: Path) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        done = call("render", file, "--format", "parquet", cwd=file.parent)
        assert done.code == IN_ERROR and "pip install 'tonnage[parquet]'" in done.err

"""What travels in a PDF is enough: taken out into an empty folder it renders the same JSON, byte for byte."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from reports.attached import placed
from reports.book import bind
from reports.commands.job import perform
from reports.commands.outcome import Job, Outcome
from reports.selfcheck.checks import findings
from reports.selfcheck.finding import close
from reports.selfcheck.inside import attached
from reports.selfcheck.navigation import contents_of
from reports.selfcheck.opened import opened
from reports.tables import Table

DATA = Path(__file__).parent / "data"
PLAN = """edition 2026
import "library/gpus.scn"
import "../site/clusters.scn"
model m { hf = "configs/llama.json", sequence = 4096 tokens }
run r { model = m, cluster = hall, batch = 64 sequences, tokens = 1B tokens, layout { tensor = 8, data = 8 } }
report { sections = [memory] }
"""
SITE = """edition 2026
import "library/gpus.scn"
cluster hall { gpu = h100-sxm, nodes = 8, tier node { bandwidth = 450 GB/s, latency = 2 us }
  tier rail { bandwidth = 400 Gb/s, latency = 5 us } }
"""


def rendered(file: Path, out: Path, *formats: str, allowed: tuple[Path, ...] = ()) -> Outcome:
    outcome = perform(Job(file, out, formats, allowed=allowed))
    assert outcome.code in (0, 1) and not outcome.missing, outcome.problems
    return outcome


def taken_out(pdf: Path, folder: Path) -> list[str]:
    """Writes what travels in a PDF to a folder; the names."""
    names = []
    for name, data, _ in attached(opened(pdf)):
        place = folder / name
        assert place.resolve().is_relative_to(folder.resolve())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        names.append(name)
    return names


def again(pdf: Path, scenario: str, folder: Path, *allowed: Path) -> None:
    """The JSON that travels in a PDF is that of the scenario that does."""
    folder.mkdir()
    names = taken_out(pdf, folder)
    assert scenario in names and f"{pdf.stem}.json" in names
    rendered(folder / scenario, folder / "again", "json", allowed=allowed)
    assert (folder / "again" / f"{pdf.stem}.json").read_bytes() == (folder / f"{pdf.stem}.json").read_bytes()


def test_a_plan_with_files_of_every_kind_comes_back(tmp_path: Path) -> None:
    plans, site = tmp_path / "plans", tmp_path / "site"
    (plans / "configs").mkdir(parents=True)
    site.mkdir()
    (plans / "plan.scn").write_bytes(b"\xef\xbb\xbf" + PLAN.replace("\n", "\r\n").encode())
    (site / "clusters.scn").write_text(SITE, "utf-8")
    shutil.copy(DATA / "hf_configs" / "llama-3.1-8b.json", plans / "configs" / "llama.json")
    rendered(plans / "plan.scn", tmp_path / "out", "pdf", allowed=(site,))
    pdf = tmp_path / "out" / "plan.pdf"
    again(pdf, "scenario/plan.scn", tmp_path / "empty", tmp_path / "empty" / "site")
    own = {"scenario/plan.scn", "site/clusters.scn", "scenario/configs/llama.json", "scenario/library/gpus.scn"}
    held = {p.relative_to(tmp_path / "empty").as_posix() for p in (tmp_path / "empty").rglob("*") if p.is_file()}
    assert own <= held
    found = {f.name: f for f in findings(opened(pdf))}
    assert [f for f in found.values() if f.holds is False] == []
    assert "by the SHA-256 that the document states" in found["attachments"].found


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["roofline", *(pytest.param(name, marks=pytest.mark.long) for name in ("reduced-70b", "team-70b", "buy"))],
)
def test_shipped_scenarios_pass_every_check_and_come_back(name: str, scenarios: Path, tmp_path: Path) -> None:
    outcome = rendered(scenarios / f"{name}.scn", tmp_path / "out", "pdf")
    assert outcome.problems == ""  # what WeasyPrint or a font complains of would stand here
    pdf = tmp_path / "out" / f"{name}.pdf"
    assert [f for f in findings(opened(pdf)) if f.holds is False] == []
    in_order(pdf)
    again(pdf, f"{name}.scn", tmp_path / "empty")
    document = json.loads((tmp_path / "empty" / f"{name}.json").read_text("utf-8"))
    assert [parted for table in bind(document).tables for parted in no_sums(table)] == []


def in_order(pdf: Path) -> None:
    """Another program selects the text, and meets the headings in the order of the contents."""
    text = close(subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout)
    file, at = opened(pdf), 0
    for line in contents_of(file)[1:]:
        at = text.find(close(line.text), at)
        assert at >= 0, line.text
        at += 1


def no_sums(table: Table) -> list[str]:
    """The columns of a table whose total, the first of its last rows, is not the sum of the rows above."""
    wrong = []
    for i, column in enumerate(table.columns):
        cells = [column.quantity(row[i]) for row in table.rows]
        cut = len(cells) - table.totals
        whole, parts = cells[cut] if table.totals else None, [q.value for q in cells[:cut] if q and q.value is not None]
        if column.kind == "number" and whole and whole.value is not None and parts:
            far = abs(sum(parts) - whole.value) > 1e-9 * max(abs(v) for v in (whole.value, *parts))
            wrong += [f"{table.key}: {column.name}"] if far else []
    return wrong


def test_files_taken_out_stand_where_they_find_each_other() -> None:
    assert placed(["a.scn", "library/gpus.scn"]) == {"a.scn": "a.scn", "library/gpus.scn": "library/gpus.scn"}
    assert placed(["a.scn", "../site/x.scn", "b/c.json"]) == {
        "a.scn": "scenario/a.scn", "../site/x.scn": "site/x.scn", "b/c.json": "scenario/b/c.json",
    }  # fmt: skip

"""What travels in a PDF is enough: taken out into an empty folder it renders the same JSON, byte for byte."""

import shutil
from pathlib import Path

import pytest

from reports.attached import placed
from reports.commands.job import perform
from reports.commands.outcome import Job, Outcome
from reports.selfcheck.checks import findings
from reports.selfcheck.inside import attached
from reports.selfcheck.opened import opened

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


def rendered(file: Path, out: Path, *formats: str) -> Outcome:
    outcome = perform(Job(file, out, formats))
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


def again(pdf: Path, scenario: str, folder: Path) -> None:
    """The JSON that travels in a PDF is that of the scenario that does."""
    folder.mkdir()
    names = taken_out(pdf, folder)
    assert scenario in names and f"{pdf.stem}.json" in names
    rendered(folder / scenario, folder / "again", "json")
    assert (folder / "again" / f"{pdf.stem}.json").read_bytes() == (folder / f"{pdf.stem}.json").read_bytes()


def test_a_plan_with_files_of_every_kind_comes_back(tmp_path: Path) -> None:
    plans, site = tmp_path / "plans", tmp_path / "site"
    (plans / "configs").mkdir(parents=True)
    site.mkdir()
    (plans / "plan.scn").write_bytes(b"\xef\xbb\xbf" + PLAN.replace("\n", "\r\n").encode())
    (site / "clusters.scn").write_text(SITE, "utf-8")
    shutil.copy(DATA / "hf_configs" / "llama-3.1-8b.json", plans / "configs" / "llama.json")
    rendered(plans / "plan.scn", tmp_path / "out", "pdf")
    pdf = tmp_path / "out" / "plan.pdf"
    again(pdf, "scenario/plan.scn", tmp_path / "empty")
    own = {"scenario/plan.scn", "site/clusters.scn", "scenario/configs/llama.json", "scenario/library/gpus.scn"}
    held = {p.relative_to(tmp_path / "empty").as_posix() for p in (tmp_path / "empty").rglob("*") if p.is_file()}
    assert own <= held
    found = {f.name: f for f in findings(opened(pdf))}
    assert [f for f in found.values() if f.holds is False] == []
    assert "by the SHA-256 that the document states" in found["attachments"].found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["roofline", "reduced-70b", "team-70b", "buy"])
def test_shipped_scenarios_pass_every_check_and_come_back(name: str, scenarios: Path, tmp_path: Path) -> None:
    outcome = rendered(scenarios / f"{name}.scn", tmp_path / "out", "pdf")
    assert outcome.problems == ""  # what WeasyPrint or a font complains of would stand here
    pdf = tmp_path / "out" / f"{name}.pdf"
    assert [f for f in findings(opened(pdf)) if f.holds is False] == []
    again(pdf, f"{name}.scn", tmp_path / "empty")


def test_files_taken_out_stand_where_they_find_each_other() -> None:
    assert placed(["a.scn", "library/gpus.scn"]) == {"a.scn": "a.scn", "library/gpus.scn": "library/gpus.scn"}
    assert placed(["a.scn", "../site/x.scn", "b/c.json"]) == {
        "a.scn": "scenario/a.scn", "../site/x.scn": "site/x.scn", "b/c.json": "scenario/b/c.json",
    }  # fmt: skip

"""What the doctor says on machines that lack something."""

import tomllib
from pathlib import Path

import pytest

from reports.commands import doctor


def without(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> None:
    """A machine whose loader does not find ``libraries``."""
    monkeypatch.setattr(doctor, "loads", lambda name: not name.startswith(libraries))
    monkeypatch.setattr("sys.platform", "linux")


def test_a_machine_without_pango_is_told_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "libpango", "libgobject")
    lost = doctor.missing_for_pdf()
    assert lost is not None
    assert "\n" not in lost
    assert lost.endswith("run: sudo apt-get install -y libpangoft2-1.0-0")
    assert "libgobject-2.0.so.0" in lost
    assert [finding.mark for finding in doctor.libraries()] == ["missing", "ok"]


def test_the_subsetter_is_advised_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "libharfbuzz-subset")
    assert doctor.missing_for_pdf() is None
    assert [finding.mark for finding in doctor.libraries()] == ["ok", "advised"]
    assert doctor.libraries()[1].remedy.endswith("libharfbuzz-subset0")


def test_a_complete_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "nothing")
    assert {finding.mark for finding in doctor.examine()} == {"ok"}


def test_a_missing_package_is_named() -> None:
    finding = doctor.package("no-such-package-of-ours")
    assert (finding.mark, finding.remedy) == ("missing", "pip install no-such-package-of-ours")


def test_every_declared_dependency_is_examined(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert tuple(d.split(">")[0] for d in project["dependencies"]) == doctor.PACKAGES

"""What the doctor says on machines that lack something."""

import tomllib
from pathlib import Path

import pytest

import reports.pdf
from reports import installing
from reports.commands import doctor


def test_a_machine_without_pango_is_told_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports.pdf, "missing_libraries", lambda: ["libpangoft2-1.0.so.0"])
    finding = doctor.libraries()
    assert finding.mark == "missing"
    assert finding.found == "no libpangoft2-1.0.so.0"
    assert finding.remedy == installing.for_pdf()


def test_this_machine_is_complete() -> None:
    assert {finding.what: finding.remedy for finding in doctor.examine() if finding.remedy} == {}


def test_a_missing_package_is_named_and_libraries_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PACKAGES", ("no-such-package-of-ours",))
    last = doctor.examine()[-1]
    assert (last.what, last.mark, last.remedy) == (
        "no-such-package-of-ours",
        "missing",
        "pip install no-such-package-of-ours",
    )


def test_every_declared_dependency_is_examined(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert tuple(d.split(">")[0] for d in project["dependencies"]) == doctor.PACKAGES

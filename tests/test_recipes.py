"""The container's recipe and the example for continuous integration: read, and run as far as it goes without them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from reports import installing
from tests.test_render import HOLDS

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / "docs/ci/github.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["render"]["steps"]
SCRIPTS = {step["name"]: step["run"] for step in STEPS if "run" in step}
RECIPE = (ROOT / "Containerfile").read_text("utf-8")


def test_the_documents_are_attached_whatever_became_of_the_plans() -> None:
    assert [step.get("uses", step.get("name")) for step in STEPS] == [
        "actions/checkout@v4", "actions/setup-python@v5", "Install", "Changed scenarios", "Check", "Render",
        "actions/upload-artifact@v4",
    ]  # fmt: skip
    assert STEPS[-1]["if"] == "${{ !cancelled() }}" and STEPS[-1]["with"]["path"] == "plans"
    assert STEPS[0]["with"]["fetch-depth"] == 0  # the base must be there to compare with
    assert WORKFLOW["permissions"] == {"contents": "read"}


def test_what_a_pull_request_says_never_becomes_a_command() -> None:
    """Names of files and branches reach the scripts as data alone."""
    assert all("${{" not in script for script in SCRIPTS.values())


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_is_read_by_bash(name: str) -> None:
    read = subprocess.run(["bash", "-n"], input=SCRIPTS[name], text=True, capture_output=True)
    assert (read.returncode, read.stderr) == (0, "")


def test_both_recipes_install_what_the_pdf_needs() -> None:
    for text in (RECIPE, SCRIPTS["Install"]):
        assert installing.PDF["debian"] in text


def test_the_image_names_no_registry_and_copies_what_is_there() -> None:
    bases = re.findall(r"^FROM (\S+)", RECIPE, re.MULTILINE)
    assert bases == ["python:3.12-slim"] * 2 and "://" not in RECIPE
    assert re.findall(r"^USER (\S+)", RECIPE, re.MULTILINE) == ["planner"]
    assert (ROOT / ".dockerignore").read_text() == (ROOT / ".containerignore").read_text()
    assert RECIPE.rstrip().endswith('CMD ["render", "--help"]')


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    call = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(call, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def step(name: str, folder: Path, base: str) -> int:
    """Runs a step as the service does."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "BASE": base, "RUNNER_TEMP": str(folder.parent)}
    return subprocess.run(["bash", "-e", "-c", SCRIPTS[name]], cwd=folder, env=env, capture_output=True).returncode


@pytest.fixture
def request_of(tmp_path: Path) -> tuple[Path, str]:
    """(a repository whose last commit adds, changes and removes scenarios, the commit before)."""
    folder = tmp_path / "plans"
    (folder / "team one").mkdir(parents=True)
    for name in ("same.scn", "gone.scn"):
        (folder / name).write_text(HOLDS)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "before")
    base = git(folder, "rev-parse", "HEAD")
    (folder / "gone.scn").unlink()
    (folder / "team one" / "new plan.scn").write_text(HOLDS)
    (folder / "notes.txt").write_text("none of ours")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "after")
    return folder, base


@pytest.mark.slow
def test_changed_scenarios_are_rendered(request_of: tuple[Path, str]) -> None:
    folder, base = request_of
    assert [step(name, folder, base) for name in ("Changed scenarios", "Check", "Render")] == [0, 0, 0]
    made = {str(path.relative_to(folder / "plans")) for path in (folder / "plans").rglob("*.*")}
    assert made == {f"team one/new plan.{kind}" for kind in ("html", "pdf", "json")}


@pytest.mark.slow
def test_a_mistake_stops_the_check(request_of: tuple[Path, str]) -> None:
    folder, base = request_of
    (folder / "same.scn").write_text("edition 2026\nno such thing")
    git(folder, "commit", "-qam", "a mistake")
    assert [step(name, folder, base) for name in ("Changed scenarios", "Check")] == [0, 123]


@pytest.mark.slow
def test_nothing_changed_is_nothing_done(request_of: tuple[Path, str]) -> None:
    folder, _ = request_of
    head = git(folder, "rev-parse", "HEAD")
    assert [step(name, folder, head) for name in ("Changed scenarios", "Check", "Render")] == [0, 0, 0]
    assert not (folder / "plans").exists()

"""README's examples are read by the language, its tables name what is there, and its links lead somewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dsl.files import load_text
from dsl.problems import Problem
from dsl.resolve import resolve
from engine.metrics import METRICS
from reports.commands.render import render
from reports.commands.scn import scn
from reports.commands.source import NAMES
from reports.document import build
from tests.test_against import nccl
from tests.test_surface import subcommands

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")
SCENARIOS = [block for block in re.findall(r"```\n(.*?)```", TEXT, re.DOTALL) if re.match(r"edition|gpu|check", block)]

TABLES = {
    "COLLECTIVES": "engine/collectives/__init__.py",
    "SCHEDULES": "engine/schedules/__init__.py",
    "OUTLINE": "reports/sections/__init__.py",
}


def problems(text: str) -> list[Problem]:
    """What there is to say about a scenario's text."""
    whole = text if text.startswith("edition") else f"edition 2026\n{text}"
    scenario, found = resolve(load_text(whole), NAMES)
    return [*found, *scenario.warnings]


def test_the_examples_are_there() -> None:
    assert [block.split()[0] for block in SCENARIOS] == ["edition", "gpu", "check"]


@pytest.mark.parametrize("text", SCENARIOS, ids=lambda text: str(text).split()[0])
def test_an_example_checks(text: str) -> None:
    assert problems(text) == []


def test_an_example_with_a_mistake_does_not() -> None:
    assert problems(SCENARIOS[0].replace("tensor    = 8", "tensr = 8")) != []


def test_the_results_named_are_results() -> None:
    table = TEXT.split("## Results")[1].split("## Exit codes")[0]
    named = set(re.findall(r"`([a-z_]+)`", "\n".join(line for line in table.splitlines() if line.startswith("|"))))
    assert len(named) > 35
    assert named - {metric.name for metric in METRICS} == set()


def test_files_and_tables_named_exist() -> None:
    paths = {p for p in re.findall(r"`([a-z/_.-]+/[a-z/_.-]*)`", TEXT) if not p.startswith("out/")}
    assert {path for path in paths if not (ROOT / path).exists()} == {"library/"}  # under scenarios/
    for table, file in TABLES.items():
        assert f"{table}: " in (ROOT / file).read_text("utf-8")
        assert f"`{table}` of `{file}`" in TEXT


@pytest.mark.parametrize("page", ["README.md", "docs/README.md"])
def test_pictures_and_pages_named_are_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)\)", text)) | set(re.findall(r"`([A-Za-z/_]+\.(?:md|csv|py))`", text))
    assert linked
    near = (ROOT, (ROOT / page).parent)
    assert {name for name in linked if "NAME" not in name and not any((p / name).exists() for p in near)} == set()


def test_commands_named_exist() -> None:
    assert set(re.findall(r"bin/scn ([a-z]+)", TEXT)) == {name.split()[0] for name in subcommands(scn)}
    options = {option for command in (render, scn.commands["check"]) for p in command.params for option in p.opts}
    assert set(re.findall(r"bin/(?:render|scn check).*? (--[a-z-]+)", TEXT)) <= options


def test_make_targets_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z-]+)", TEXT)) <= targets


# what stands in the README is done as it stands

BIN = Path(sys.executable).parent
COMMANDS = re.findall(r"^(\.venv/bin/[^#\n]*[^#\s])(?: +#.*)?$", TEXT, re.MULTILINE)
CONFIG = ROOT / "tests" / "data" / "hf_configs" / "qwen3-8b.json"


def evaluated(text: str) -> dict[str, Any]:
    """The first point of a scenario's document."""
    scenario, found = resolve(load_text(text), NAMES)
    assert found == []
    point: dict[str, Any] = build(scenario)["experiments"][0]["points"][0]
    return point


def test_the_example_scenario_is_evaluated() -> None:
    point = evaluated(SCENARIOS[0])
    assert point["status"] == "ok"
    assert [v["holds"] for v in point["verdicts"]] == [True, True]
    assert 0.3 < point["results"]["mfu"] < 0.6 and point["results"]["cost"] > 1e6


def test_the_example_gpu_can_be_trained_on() -> None:
    text = (
        SCENARIOS[0]
        .replace("gpu   = h100-sxm", "gpu   = x1")
        .replace("cluster hopper", f"{SCENARIOS[1]}\ncluster hopper")
    )
    point = evaluated(text)
    assert (point["settings"]["cluster.gpu"], point["settings"]["cluster.gpu.memory"]) == ("x1", 96e9)
    assert point["results"]["tokens_per_second"] > 0


def test_the_example_check_is_judged() -> None:
    point = evaluated(SCENARIOS[0] + SCENARIOS[2])
    (row,) = [check for check in point["checks"] if check["id"] == "bubble-small"]
    assert row["status"] in ("pass", "warn") and row["advice"].startswith("more micro-batches")


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 12
    assert not [command for command in COMMANDS if "`" in command or command.endswith("#")]


@pytest.mark.long
def test_every_command_works_as_it_stands(tmp_path: Path) -> None:
    """One after the other, in a folder that looks like the checkout; tests/test_docs.py tries most of them too."""
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(BIN)
    (tmp_path / "scenarios").mkdir()
    for name in ("team-70b.scn", "reduced-70b.scn"):
        (tmp_path / "scenarios" / name).write_bytes((ROOT / "scenarios" / name).read_bytes())
    shutil.copytree(ROOT / "scenarios" / "unhappy", tmp_path / "scenarios" / "unhappy")
    (tmp_path / "tests" / "data").mkdir(parents=True)
    for name in ("runs.csv", "memory.csv", "fit_runs.csv"):
        (tmp_path / "tests" / "data" / name).write_bytes((ROOT / "tests" / "data" / name).read_bytes())
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "style.css").write_text("h1 { color: #053A62 }", "utf-8")
    (tmp_path / "config.json").write_bytes(CONFIG.read_bytes())
    for name, nodes in (("old.scn", 8), ("new.scn", 16)):
        text = (ROOT / "scenarios" / "team-70b.scn").read_text("utf-8")
        (tmp_path / name).write_text(text.replace("nodes         = 512", f"nodes         = {64 * nodes}"), "utf-8")
    (tmp_path / "nccl.txt").write_text(nccl("all_reduce", 8, [(2.0**32, 400.0)]), "utf-8")
    (tmp_path / "gemm.csv").write_text("dtype,m,n,k,tflops\nbf16,8192,8192,8192,650\n", "utf-8")
    for command in COMMANDS:
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        rendered = command.startswith((".venv/bin/render", ".venv/bin/scn diff"))  # 1: not all holds
        assert run.returncode in ((0, 1) if rendered else (0,)), f"{command}\n{run.stderr}"
        assert "error" not in run.stderr, f"{command}\n{run.stderr}"
    made = {path.suffix for path in (tmp_path / "out").iterdir() if path.is_file()}
    assert made == {".html", ".pdf", ".json", ".csv", ".args"}
    assert (tmp_path / "out" / "index.html").exists()

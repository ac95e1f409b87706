"""What shells offer: bash is run with the script that it gets, and asked as a terminal would."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem

from dsl.schema import run_rows
from engine.metrics import METRICS
from reports.commands import completion, offered
from reports.commands.completion import SHELLS, Bash, Zsh, script
from reports.commands.render import render
from reports.commands.scn import scn

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
ASK = """eval "$(scn completion bash)"
compopt() { echo "compopt $1 $2"; }
COMP_LINE=$1 COMP_POINT=${#1}
"_${1%% *}_completion" "${1%% *}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offers(program: click.Command, line: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that are offered for a line."""
    monkeypatch.setenv("COMP_WORDS", line)
    name = line.split()[0]
    asked = Bash(program, {}, name, f"_{name.upper()}_COMPLETE")
    return [item.value for item in asked.get_completions(*asked.get_completion_args())]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user: scenarios, other files, a folder, one with a space."""
    for name in ("plan.scn", "other plan.scn", "notes.txt", "old.json", "report.pdf", ".hidden.scn", "runs/a.scn"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("render ", ["other plan.scn", "plan.scn", "runs/"]),
        ("render runs/", ["runs/a.scn"]),
        ("render other\\ p", ["other plan.scn"]),
        ("render .", [".hidden.scn"]),
        ("render no-such-folder/", []),
        ("render --check-pdf r", ["report.pdf", "runs/"]),
        ("render --diff o", ["old.json", "other plan.scn"]),
        ("render --diff old.json p", ["plan.scn"]),
        ("render --re", ["--resume"]),
        ("render plan.scn --format h", ["html"]),
        ("render plan.scn --format html,p", ["html,pdf", "html,parquet"]),
        ("render plan.scn --set la", ["layout."]),
        ("render plan.scn --set layout.tens", ["layout.tensor="]),
        ("render plan.scn --vary cluster.no", ["cluster.nodes=", "cluster.nodes_per_rack="]),
        ("render plan.scn --set=layout.tens", ["layout.tensor="]),
        ("render plan.scn --set layout.schedule=z", ["layout.schedule=zero_bubble"]),
        ("render plan.scn --set no.such=", []),
    ],
)
def test_render_offers(line: str, expected: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offers(render, line, monkeypatch) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("scn comp", ["completion"]),
        ("scn completion ", ["bash", "zsh", "fish"]),
        ("scn check ", ["other plan.scn", "plan.scn", "runs/"]),
        ("scn explain E17", ["E17"]),
        ("scn explain plan.scn step_t", ["step_time"]),
        ("scn catalog gp", ["gpu"]),
        ("scn catalog gpu h100-p", ["h100-pcie"]),
        ("scn new --model llama-3.1-70", ["llama-3.1-70b"]),
        ("scn new --model old", ["old.json"]),
        ("scn size --gpu h100-sxm,b200,h100-n", ["h100-sxm,b200,h100-nvl"]),
        ("scn validate --kind ", ["time", "memory"]),
    ],
)
def test_scn_offers(line: str, expected: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offers(scn, line, monkeypatch) == expected


def test_every_setting_is_reached_dot_by_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Following what is offered from nothing leads to all settings and to nothing else."""
    found, groups = set(), [""]
    while groups:
        typed = groups.pop()
        for item in offered.settings(click.Context(render), render.params[0], typed):
            if item.value.endswith("."):
                groups.append(item.value)
            else:
                found.add(item.value.removesuffix("="))
                assert item.help
    assert found == set(run_rows())


def test_every_result_is_offered() -> None:
    words = offered.results(click.Context(scn), render.params[0], "")
    assert {item.value for item in words} == {metric.name for metric in METRICS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("render ru", ["compopt -o nospace", "runs/"]),
        ("render oth", ["other\\ plan.scn"]),
        ("render plan.scn --set layout.schedule=z", ["zero_bubble"]),  # bash keeps what stands before the =
        ("render plan.scn --set layout.tens", ["compopt -o nospace", "layout.tensor="]),
        ("render plan.scn --out ", ["compopt -o dirnames", ""]),
        ("scn import ", ["compopt -o default", ""]),
        ("scn completion b", ["bash"]),
    ],
)
def test_bash_completes(line: str, expected: list[str], folder: Path) -> None:
    bash = shutil.which("bash")
    assert bash
    run = subprocess.run(
        [bash, "--norc", "-c", ASK, "ask", line],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert (run.stdout.splitlines(), run.stderr) == (expected, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_completes_both_programs(shell: str) -> None:
    text = script(shell)
    assert text.startswith(f"# {completion.HOW[shell]}\n")
    for name in completion.PROGRAMS:
        assert f"_{name}_completion" in text and f"_{name.upper()}_COMPLETE=" in text
    program = shutil.which(shell)
    if program:
        subprocess.run([program, "-n"], input=text, text=True, check=True)


def test_zsh_is_told_a_word_with_a_colon_whole() -> None:
    shown = Zsh(scn, {}, "scn", "_SCN_COMPLETE").format_completion(CompletionItem("a:b", help="what: it is"))
    assert shown == "plain\na\\:b\nwhat: it is"

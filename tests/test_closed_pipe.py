"""A reader that goes away ends every command quietly, however much it has still to say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reports.commands import shell
from tests.hostile import ROOT
from tests.language import START

COMMANDS = (
    ("scn", "catalog", "gpu"), ("scn", "catalog", "gpu", "--format", "json"), ("scn", "explain"),
    ("scn", "explain", "E17"),
    ("scn", "explain", "a.scn", "step_time", "--format", "json"), ("scn", "check", "a.scn", "--format", "json"),
    ("scn", "completion", "bash"), ("scn", "diff", "a.scn", "b.scn", "--format", "json"), ("scn", "doctor"),
    ("render", "a.scn", "--format", "json", "--out", "-"), ("render", "a.scn", "--format", "json"), ("scn", "--help"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("typed", COMMANDS, ids=" ".join)
def test_a_reader_that_went_away(tmp_path: Path, typed: tuple[str, ...]) -> None:
    (tmp_path / "a.scn").write_text(START)
    (tmp_path / "b.scn").write_text(START.replace("nodes = 16", "nodes = 32"))
    command, *arguments = typed
    code = f"from reports.commands.{command} import main; main()"
    ends = os.pipe()
    os.close(ends[0])  # nobody reads
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, stdout=ends[1], stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    os.close(ends[1])
    assert (done.returncode, done.stderr) == (shell.CANNOT_WRITE, b"")


def test_an_exit_of_click_is_a_reader_that_went_away() -> None:
    def leaves() -> None:
        sys.exit(1)

    assert shell.ended(leaves) == shell.CANNOT_WRITE

"""Attacks run in a process of their own, with a bound on its memory and on its time."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MEMORY = 1_200_000_000  # bytes of address space; a check of a small file takes 0.2e9 of it
SECONDS = 60  # of processor time: several times what is needed, machines are slow


class Answer(NamedTuple):
    """What a call said, and its exit code."""

    code: int
    said: str


def call(command: str, *arguments: str | Path, cache: Path, where: Path, seconds: int = SECONDS) -> Answer:
    """`scn` or `render` with these arguments, called in ``where``; it is killed past the bounds."""

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    code = f"from reports.commands.{command} import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TONNAGE_CACHE": str(cache), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, cwd=where, env=environment, preexec_fn=bounded, timeout=600, check=False,
    )  # fmt: skip
    return Answer(done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace"))

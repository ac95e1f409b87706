"""Faults for tests: a small disk, a user without rights, processes that are killed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
BOUND = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner")  # permissions bind root, too


def python(code: str, folder: Path, *arguments: object, before: Sequence[str] = (),
           **environment: str) -> "subprocess.CompletedProcess[str]":  # fmt: skip
    """What Python code does in a folder, with the tests and the program at hand."""
    given = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    command = [*before, sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, encoding="utf-8")
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    return done


def answer(done: "subprocess.CompletedProcess[str]") -> Any:
    """The JSON that code printed last."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def snapshot(folder: Path) -> Mapping[str, bytes]:
    """All files below a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@cache
def mounts() -> bool:
    """Whether this user may mount a file system of its own."""
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(command, capture_output=True).returncode == 0


def small_disk(place: Path, script: str) -> tuple[str, ...]:
    """What goes before a command that sees a file system of 1 MB at ``place``; ``script`` runs first."""
    if not mounts():
        pytest.skip("a file system can be mounted only by root in a machine that allows it")
    return ("unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size=1m none "{place}" && {script} && exec "$@"', "sh")


def covered(*places: Path) -> tuple[str, ...]:
    """What goes before a command that finds files empty and folders without anything."""
    if not mounts():
        pytest.skip("a file system can be mounted only by root in a machine that allows it")
    hidden = [f'mount -t tmpfs none "{p}"' if p.is_dir() else f'mount --bind /dev/null "{p}"' for p in places]
    return ("unshare", "-m", "sh", "-c", " && ".join((*hidden, 'exec "$@"')), "sh")


def without_rights() -> tuple[str, ...]:
    """What goes before a command that permissions bind."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None or subprocess.run([*BOUND, "true"], capture_output=True).returncode:
        pytest.skip("root can give up its rights only with setpriv")
    return BOUND

"""The command `scn`: check and doctor, and that checking stays quick to start."""

import json
import subprocess
import sys
from pathlib import Path

from tests.test_render import HOLDS, THREE, call, put

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("numpy", "pandas", "matplotlib", "weasyprint", "jinja2", "rich", "PIL")


def test_good_files_are_said_to_be_good(tmp_path: Path) -> None:
    files = put(tmp_path, a=HOLDS, b=HOLDS)
    done = call("scn", "check", files[0], cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "no problem found\n", "")
    assert call("scn", "check", *files, cwd=tmp_path).out == "2 checked, 0 in error\n"


SWEEP = """sweep layouts {
  base = tiny
  vary { layout.micro_batch = [1, 2, 4] sequences, batch = 64..1000 sequences doubling }
  vary together { layout.tensor = [4, 8], layout.pipeline = [2, 1] }
}
"""


def test_the_size_of_a_table_is_said_and_the_range_that_does_not_land(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a=HOLDS + SWEEP)
    done = call("scn", "check", file, cwd=tmp_path)
    assert done.code == 0
    assert done.out.splitlines() == ["a.scn: sweep `layouts` varies over 24 points (3 x 4 x 2)", "no problem found"]
    assert "warning[W01]: this range stops at 512" in done.err


def test_every_mistake_has_its_place_and_a_help(tmp_path: Path) -> None:
    files = put(tmp_path, bad=THREE, good=HOLDS)
    done = call("scn", "check", *files, cwd=tmp_path)
    assert done.code == 2
    assert done.out == "2 checked, 1 in error\n"
    assert [done.err.count(sign) for sign in ("error[", "--> bad.scn:", "= help:")] == [3, 3, 3]


def test_problems_as_json_for_editors(tmp_path: Path) -> None:
    (file,) = put(tmp_path, bad=THREE)
    done = call("scn", "check", file, "--format", "json", cwd=tmp_path)
    problems = json.loads(done.out)
    assert (done.code, done.err) == (2, "")
    assert [problem["severity"] for problem in problems] == ["error"] * 3
    assert {"code", "title", "file", "line", "column", "end", "help", "labels", "notes"} <= set(problems[0])
    assert {problem["line"] for problem in problems} == {4, 5}


def test_checking_computes_and_draws_nothing(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS, bad=THREE)
    code = (
        "import sys, atexit\nsys.argv = ['scn', 'check', 'a.scn', 'bad.scn']\n"
        f"atexit.register(lambda: print([m for m in {HEAVY} if m in sys.modules]))\n"
        "from reports.commands.scn import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_json_report_draws_nothing(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS)
    heavy = ("matplotlib", "weasyprint", "jinja2", "pandas")
    code = (
        "import sys, atexit\nsys.argv = ['render', 'a.scn', '--format', 'json', '--quiet']\n"
        f"atexit.register(lambda: print([m for m in {heavy} if m in sys.modules]))\n"
        "from reports.commands.render import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n")


def test_the_doctor_finds_this_installation_complete(tmp_path: Path) -> None:
    done = call("scn", "doctor", cwd=tmp_path)
    assert done.code == 0
    lines = done.out.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    assert any("weasyprint" in line for line in lines)


def test_a_file_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    done = call("scn", "check", "no\x1b[2Jwhere.scn", cwd=tmp_path)
    assert done.code == 2
    assert "\x1b" not in done.err


def test_both_commands_say_their_version_and_their_options(tmp_path: Path) -> None:
    for name, options in (
        ("render", ["--out", "--format", "--set", "--jobs", "--quiet"]),
        ("scn", ["check", "doctor"]),
    ):
        done = call(name, "--help", cwd=tmp_path)
        assert done.code == 0
        assert [option for option in options if option not in done.out] == []
        assert call(name, "--version", cwd=tmp_path).out == "tonnage, version 0.1.0\n"

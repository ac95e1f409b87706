"""What tools/setup.sh decides, on machines that are made of a folder of pretended tools."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PDF = {"libpangoft2-1.0-0", "libharfbuzz-subset0"}
TESTING = {"poppler-utils", "qpdf", "chromium"}
REAL = ("bash", "cat", "env", "mkdir", "cp", "rm", "tr")

PYTHON = """#!/usr/bin/env bash
case "$*" in
    *version_info*) exit {old} ;;
    *"import ctypes"*) exit 1 ;;
    *"import ensurepip"*) [[ -e {state}/python3-venv ]] ;;
    *"import pip, sys"*) [[ "$0" == .venv/* ]] && echo 3.11 ;;
    *sys.version*) echo 3.11 ;;
    *"-m venv"*)
        echo "venv" >> {log}
        mkdir -p .venv/bin && cp "$0" .venv/bin/python && [[ -e {state}/python3-venv ]] ;;
    *"-m pip"*"-e ."*) echo "pip ${{*: -1}}" >> {log}; [[ ! -e {state}/offline ]] && cp "$0" .venv/bin/render ;;
    *"-m pip"*) echo "pip ${{*: -1}}" >> {log}; [[ ! -e {state}/offline ]] ;;
esac
"""
DPKG = """#!/usr/bin/env bash
[[ -e {state}/$2 ]] && echo "Status: $(<{state}/$2)"
"""
APT = """#!/usr/bin/env bash
echo "apt-get $*" >> {log}
[[ -e {state}/offline ]] && exit 100
[[ "$1" == install ]] || exit 0
for name in "$@"; do echo "install ok installed" > "{state}/$name"; done
"""
SUDO = """#!/usr/bin/env bash
[[ -e {state}/password ]] && exit 1
shift
"$@"
"""


@dataclass
class Machine:
    """A checkout on a machine with some packages, a user and perhaps a sudo."""

    home: Path
    packages: set[str]
    user: int = 0
    sudo: bool = True
    old_python: bool = False
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in ("bin", "state", "project/tools"):
            (self.home / folder).mkdir(parents=True)
        for name in self.packages:
            self.note(name, "install ok installed")
        for name in REAL:
            (self.home / "bin" / name).symlink_to(shutil.which(name) or name)
        for name in ("tools/setup.sh", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.home / "project" / name)
        tools = {"python3": PYTHON, "dpkg": DPKG, "apt-get": APT, "id": f"#!/usr/bin/env bash\necho {self.user}\n"}
        for name, text in (tools | ({"sudo": SUDO} if self.sudo else {})).items():
            self.tool(name, text)

    def tool(self, name: str, text: str) -> None:
        """Puts a pretended tool on the path."""
        path = self.home / "bin" / name
        values = {"state": self.home / "state", "log": self.home / "log", "old": int(self.old_python)}
        path.write_text(text.format(**values) if "{" in text else text)
        path.chmod(0o755)

    def note(self, name: str, text: str = "") -> None:
        """Writes down a fact that the pretended tools look at."""
        (self.home / "state" / name).write_text(text)

    def setup(self, mode: str) -> tuple[int, list[str]]:
        """Runs the script; its exit code and what it said. ``calls`` holds what it had done."""
        log = self.home / "log"
        log.unlink(missing_ok=True)
        done = subprocess.run(
            [self.home / "bin" / "bash", "tools/setup.sh", mode],
            cwd=self.home / "project",
            env={"PATH": str(self.home / "bin"), "HOME": os.devnull},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        self.calls = log.read_text().splitlines() if log.exists() else []
        assert done.stdout == ""
        return done.returncode, done.stderr.splitlines()

    @property
    def stamped(self) -> bool:
        return any((self.home / "project" / ".venv").glob("setup-*.stamp"))


def test_root_installs_what_is_missing_and_a_second_run_does_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, set())
    assert machine.setup("test")[0] == 0
    assert machine.calls[0] == "apt-get update -qq"
    assert set(machine.calls[1].split()) >= PDF | TESTING | {"python3-venv"}
    assert machine.calls[2:] == ["venv", "pip hatchling", "pip .[dev]"]
    assert machine.setup("test") == (0, [])
    assert machine.calls == []
    assert machine.setup("run") == (0, [])  # what tests need includes what rendering needs
    assert machine.calls == []


def test_rendering_asks_for_nothing_that_only_tests_need(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {"python3-venv"})
    assert machine.setup("demo")[0] == 0
    assert not TESTING & set(machine.calls[1].split())
    assert machine.calls[-1] == "pip ."


def test_a_user_installs_through_a_sudo_that_asks_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {"python3-venv"}, user=1000)
    assert machine.setup("run")[0] == 0
    assert [call.split()[1] for call in machine.calls[:2]] == ["update", "install"]


@pytest.mark.parametrize("password", [True, False])
def test_a_user_without_rights_is_told_in_one_line_what_to_run(tmp_path: Path, password: bool) -> None:
    machine = Machine(tmp_path, {"python3-venv"} | TESTING, user=1000, sudo=password)
    if password:
        machine.note("password")
    code, said = machine.setup("test")
    assert code == 3
    assert len(said) == 1
    assert said[0].endswith("sudo apt-get install -y libpangoft2-1.0-0 libharfbuzz-subset0")
    assert machine.calls == []
    assert not machine.stamped


def test_without_pango_the_rest_is_set_up(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {"python3-venv"}, user=1000, sudo=False)
    code, said = machine.setup("run")
    assert code == 3
    assert sum("missing" in line for line in said) == 1
    assert machine.stamped
    assert machine.setup("demo") == (0, [])  # `render` says it then


def test_without_venv_nothing_can_be_done(tmp_path: Path) -> None:
    machine = Machine(tmp_path, PDF, user=1000, sudo=False)
    code, said = machine.setup("demo")
    assert code == 3
    assert said == ["setup: missing: python3-venv; run: sudo apt-get update && sudo apt-get install -y python3-venv"]
    assert machine.calls == []


def test_a_removed_package_whose_settings_stayed_is_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, PDF | TESTING | {"python3-venv"})
    machine.note("qpdf", "deinstall ok config-files")
    assert machine.setup("test")[0] == 0
    assert machine.calls[1].split()[-1] == "qpdf"


OTHERS = {
    "dnf": "run: sudo dnf install -y pango harfbuzz poppler-utils qpdf chromium",
    "pacman": "run: sudo pacman -S --needed pango harfbuzz poppler qpdf chromium",
    "apk": "run: sudo apk add pango harfbuzz-subset poppler-utils qpdf chromium",
    "zypper": "run: sudo zypper install -y libpango-1_0-0 libharfbuzz-subset0 poppler-tools qpdf chromium",
    "brew": "run: brew install pango harfbuzz poppler qpdf chromium",
    "nix-env": "install them and run this again",
}


@pytest.mark.parametrize("manager", OTHERS)
def test_another_system_is_told_its_own_command(tmp_path: Path, manager: str) -> None:
    machine = Machine(tmp_path, {"python3-venv"})
    for name in ("dpkg", "apt-get"):
        (tmp_path / "bin" / name).unlink()
    machine.tool(manager, "#!/usr/bin/env bash\n")
    code, said = machine.setup("test")
    assert (code, len(said)) == (3, 1)
    assert said[0].endswith(f"; {OTHERS[manager]}")
    assert machine.calls == []


def test_an_old_python_is_refused_with_one_line(tmp_path: Path) -> None:
    code, said = Machine(tmp_path, set(), old_python=True).setup("run")
    assert code == 3
    assert len(said) == 1
    assert "3.11" in said[0]


def test_a_set_up_that_broke_off_is_done_again(tmp_path: Path) -> None:
    machine = Machine(tmp_path, PDF | {"python3-venv"})
    machine.note("offline")
    assert machine.setup("run")[0] == 1
    assert not machine.stamped
    (tmp_path / "state" / "offline").unlink()
    assert machine.setup("run")[0] == 0
    assert machine.stamped


def test_new_pins_are_installed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, PDF | {"python3-venv"})
    machine.setup("run")
    with (tmp_path / "project" / "constraints.txt").open("a") as file:
        file.write("# newer\n")
    assert machine.setup("run")[0] == 0
    assert machine.calls == ["pip hatchling", "pip ."]  # the environment itself is kept


def test_pins_are_exact_and_name_no_address() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(line.count("==") == 1 and not set(line) & set("/@:; ") for line in lines)
    assert len(lines) > 40


def test_continuous_integration_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().rstrip().splitlines()[-1].startswith("make test")

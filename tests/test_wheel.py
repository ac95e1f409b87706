"""A wheel, made of the checkout or of the sdist, is the same to the byte; installed elsewhere it gives the documents
that the checkout gives, from a folder that has its own `templates/`."""

import email
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = "team-70b.scn"
RENDER = "from reports.commands.render import main; main()"
WHERE = "import dsl, engine, reports, scenarios, templates; print(dsl.__file__, templates.__file__, sep='\\n')"

pytestmark = pytest.mark.slow


def done(command: list[str | Path], folder: Path, **more: str) -> bytes:
    """What a command prints; it must end well."""
    env = {**os.environ, **more}
    process = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, env=env)
    assert process.returncode == 0, process.stderr.decode()
    return process.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, built without a network."""
    return built("--sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network."""
    return built("--wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def built(kind: str, source: Path, folder: Path) -> Path:
    """A wheel or an sdist of the files in ``source``, at a date of 2023."""
    command: list[str | Path] = [sys.executable, "-m", "build", kind, "--no-isolation", "--outdir", folder, source]
    done(command, folder, SOURCE_DATE_EPOCH="1700000000")
    return next(folder.glob("tonnage-*"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel, and sees this one's packages but not the checkout."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    own = Path(done([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], home).decode().strip())
    (own / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    done(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel], home
    )
    return python


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A user's folder: one scenario, and folders that happen to be called like our packages."""
    shutil.copy(ROOT / "scenarios" / SCENARIO, tmp_path / SCENARIO)
    for name in ("templates", "reports", "scenarios"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_the_wheel_holds_the_library_the_grammar_and_the_templates_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"dsl/scn.lark", "templates/index.html", "scenarios/library/gpus.scn", f"scenarios/{SCENARIO}"} <= set(names)
    files = {p.relative_to(ROOT).as_posix() for room in ("templates", "scenarios") for p in (ROOT / room).rglob("*.*")}
    assert {name for name in files if "__pycache__" not in name} - set(names) == set()
    assert {name.split("/")[0] for name in names} == {
        "dsl", "engine", "reports", "templates", "scenarios", "tonnage-0.1.0.dist-info",
    }  # fmt: skip


def test_the_sdist_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "dist").mkdir()
    again = built("--wheel", next(tmp_path.glob("tonnage-*")), tmp_path / "dist")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_the_wheel_says_what_it_is_and_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        said = email.message_from_string(archive.read("tonnage-0.1.0.dist-info/METADATA").decode())
    assert said["Requires-Python"] == ">=3.11"
    assert set(said.get_all("Provides-Extra", [])) == {"dask", "dev", "lsp", "parquet"}
    versions = [row.rpartition(" ")[2] for row in said.get_all("Classifier", []) if "Python :: 3." in row]
    assert versions == ["3.11", "3.12", "3.13"]
    assert said.get_payload() == (ROOT / "README.md").read_text("utf-8")


def test_everything_comes_from_the_wheel(installed: Path, elsewhere: Path) -> None:
    places = done([installed, "-I", "-c", WHERE], elsewhere).decode().split()
    assert all(Path(place).is_relative_to(installed.parents[1]) for place in places)


def test_the_same_json_as_the_checkout(installed: Path, elsewhere: Path) -> None:
    call: list[str | Path] = ["-I", "-c", RENDER, SCENARIO, "--format", "json", "--out", "-"]
    ours = done([sys.executable, *call], ROOT / "scenarios")
    assert len(ours) > 10_000
    assert done([installed, *call], elsewhere) == ours


def test_the_installed_commands_write_a_report(installed: Path, elsewhere: Path) -> None:
    command = installed.parent / "render"
    done([command, SCENARIO, "--format", "html,csv", "--out", "o"], elsewhere)
    assert (elsewhere / "o" / "team-70b.html").stat().st_size > 50_000
    assert b"no problem" in done([installed.parent / "scn", "check", SCENARIO], elsewhere)

"""The house rules that a machine can hold: who imports whom, how long a file is, where packages lie."""

import ast
import importlib.util
import subprocess
import sys
import tomllib
from collections.abc import Container, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("dsl", "engine", "reports", "templates", "scenarios")
SERVER = {"pygls", "lsprotocol"}  # an optional part: two files of dsl/server/ alone know it
ALLOWED = {  # beside the standard library and the package itself
    "dsl": {"lark", "platformdirs", "pygments", *SERVER},
    "engine": {"numpy"},
    "templates": set(),
    "scenarios": set(),
}
LONGEST = 400


def sources(package: str) -> list[Path]:
    """The Python files of one package."""
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The first part of every name that ``path`` imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


def strangers(package: str, allowed: Container[str]) -> set[str]:
    """The imports of ``package`` that ``allowed`` does not hold, each with its file."""
    found = {(p.relative_to(ROOT), name) for p in sources(package) for name in imported(p)}
    return {f"{path}: {name}" for path, name in found if name not in allowed}


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_its_room_allows(package: str) -> None:
    allowed = ALLOWED[package] | sys.stdlib_module_names | {package}
    assert strangers(package, allowed) == set()


def test_only_the_editor_server_knows_its_library() -> None:
    knows = {path.name for path in sources("dsl") if SERVER & set(imported(path))}
    assert knows == {"editor.py", "server.py"}


def test_reports_imports_what_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [d for name in ("dask", "parquet") for d in project["optional-dependencies"][name]]
    declared = {d.split(">")[0].replace("-", "_") for d in (*project["dependencies"], *extras)}
    allowed = declared | sys.stdlib_module_names | set(PACKAGES) | {"pydyf", "tinycss2", "fontTools", "markupsafe"}
    assert strangers("reports", allowed) == set()


def test_the_language_loads_without_numpy() -> None:
    modules = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in sources("dsl") if p.stem != "__init__"]
    code = f"import sys, importlib\nfor m in {modules}: importlib.import_module(m)\nprint('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_no_file_is_longer_than_a_reader_bears() -> None:
    rooms = (*PACKAGES, "tests", "bench")
    lengths = {str(p.relative_to(ROOT)): len(p.read_text("utf-8").splitlines()) for r in rooms for p in sources(r)}
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}


def test_every_folder_with_code_is_a_package_that_the_wheel_holds() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert tuple(wheel["packages"]) == PACKAGES
    folders = {p.parent for package in PACKAGES for p in sources(package)}
    assert {str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").exists()} == set()


def test_all_packages_come_from_one_place() -> None:
    places = set()
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        places.add(Path(spec.origin).parents[1])
    assert places == {ROOT}


def test_templates_and_scenarios_hold_no_code() -> None:
    assert [p.relative_to(ROOT).as_posix() for r in ("templates", "scenarios") for p in sources(r)] == [
        "templates/__init__.py",
        "scenarios/__init__.py",
    ]

"""Imports: what is found where, what is visible, and what is told."""

from pathlib import Path

import pytest

from dsl.files import Loaded, load, load_text
from dsl.problems import Problem
from dsl.resolve import resolve
from dsl.scenario import Scenario
from tests.language import RESULTS


def folder(tmp_path: Path, **files: str) -> Path:
    """A folder with files; ``a__b`` is a/b.scn."""
    for name, text in files.items():
        path = tmp_path / f"{name.replace('__', '/')}.scn"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def resolved(path: Path, library: Path | None = None) -> tuple[Scenario, list[Problem], Loaded]:
    loaded = load(path, library)
    scenario, problems = resolve(loaded, RESULTS)
    return scenario, problems, loaded


# imports

GPU = "gpu h { memory = 80 GB, memory_bandwidth = 3 TB/s }\n"


def test_names_are_not_handed_on(tmp_path: Path) -> None:
    folder(tmp_path, a=GPU, b='import "a.scn"\n', c='import "b.scn"\ncluster x { gpu = h, nodes = 1 }\n')
    _, problems, _ = resolved(tmp_path / "c.scn")
    assert [p.title for p in problems] == ["there is no gpu called `h`"]


def test_the_same_file_twice_is_one(tmp_path: Path) -> None:
    folder(
        tmp_path,
        sub__a=GPU,
        b='import "sub/a.scn"\n',
        c='import "b.scn"\nimport "sub/a.scn"\nimport "sub/../sub/a.scn"\ncluster x { gpu = h, nodes = 1 }\n',
    )
    scenario, problems, _ = resolved(tmp_path / "c.scn")
    assert not problems
    assert [item.path for item in scenario.imports if not item.path.startswith("library/")] == ["b.scn", "sub/a.scn"]


def test_an_import_with_a_name(tmp_path: Path) -> None:
    folder(
        tmp_path,
        a=GPU + "let room = 8 GB\n",
        c='import "a.scn" as zoo\ncluster x { gpu = zoo.h, nodes = 1 }\nlet y = zoo.room * 2\nlet z = zoo.h.memory\n',
    )
    assert not resolved(tmp_path / "c.scn")[1]
    folder(tmp_path, d='import "a.scn" as zoo\ncluster x { gpu = h, nodes = 1 }\n')
    (problem,) = resolved(tmp_path / "d.scn")[1]
    assert problem.help == "did you mean `zoo.h`?"


def test_circles_are_told(tmp_path: Path) -> None:
    folder(tmp_path, a='import "b.scn"\n', b='import "c.scn"\n', c='import "a.scn"\n', d='import "d.scn"\n')
    (ring,) = resolved(tmp_path / "a.scn")[1]
    assert ring.code == "E04" and ring.notes[0].count("imports") == 3 and ring.labels
    assert [p.code for p in resolved(tmp_path / "d.scn")[1]] == ["E04"]


def test_two_files_with_one_name(tmp_path: Path) -> None:
    folder(tmp_path, a=GPU, b=GPU, c='import "a.scn"\nimport "b.scn"\n', d='import "a.scn"\n' + GPU)
    (both,) = resolved(tmp_path / "c.scn")[1]
    (own,) = resolved(tmp_path / "d.scn")[1]
    assert both.title == own.title == "gpu `h` is defined twice"
    assert len(both.labels) == 2 and own.span.line == 2


def test_the_library_is_found_behind_the_files_own_folder(tmp_path: Path) -> None:
    folder(tmp_path, shelf__gpus=GPU, case__x='import "library/gpus.scn"\ncluster x { gpu = h, nodes = 1 }\n')
    scenario, problems, _ = resolved(tmp_path / "case" / "x.scn", tmp_path / "shelf")
    assert not problems
    assert [item.path for item in scenario.imports] == ["library/gpus.scn"]
    folder(tmp_path, case__library__gpus=GPU.replace("80", "64"))
    scenario, problems, _ = resolved(tmp_path / "case" / "x.scn", tmp_path / "shelf")
    assert "stands in for the library's" in scenario.notes[0]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "library\\\\gpus.scn", "", "library/none.scn", "none.scn", ".", "library/../x.scn"]
)
def test_imports_that_find_nothing(path: str, tmp_path: Path) -> None:
    (problem,) = load_text(f'import "{path}"\n', "case.scn", tmp_path).problems
    assert problem.code == "E02" and problem.span.line == 1


def test_paths_in_documents_are_logical(tmp_path: Path) -> None:
    folder(tmp_path, case__x='import "../near.scn"\nimport "library/gpus.scn"\n', near=GPU.replace("gpu h", "gpu near"))
    loaded = load(tmp_path / "case" / "x.scn", allowed=[tmp_path])
    scenario, problems = resolve(loaded, RESULTS)
    assert not problems and scenario.file == "x.scn"
    assert [i.path for i in scenario.imports][:1] != [] and not any(i.path.startswith("/") for i in scenario.imports)
    assert "../near.scn" in [i.path for i in scenario.imports]


def test_problems_of_an_imported_file_point_into_it(tmp_path: Path) -> None:
    folder(tmp_path, a="gpu h { memory = 80 Gbps, memory_bandwidth = 3 TB/s }\n", c='import "a.scn"\n')
    _, (problem,), loaded = resolved(tmp_path / "c.scn")
    assert problem.span.file.endswith("a.scn") and problem.span.file in loaded.sources

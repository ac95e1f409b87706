"""`hf = "config.json"`: which files may be named, what their problems say, and what a block keeps of its own."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dsl.files import load, load_text
from dsl.limits import CONFIGURATION
from dsl.problems import Label, Problem, Span
from dsl.resolve import resolve
from dsl.scenario import Scenario
from tests.language import RESULTS
from tests.test_hf import config

HEAD = 'edition 2026\nimport "library/gpus.scn"\ncluster one { gpu = h100-sxm, gpus = 1 gpus }\n'
RUN = "run r { model = m, cluster = one, batch = 2 sequences, sequence = 4096 tokens }\n"


def scenario(folder: Path, path: str, more: str = "") -> tuple[Scenario, list[Problem]]:
    """A scenario whose model, on line 4, names a file from column 16 on."""
    (folder / "a.scn").write_text(f'{HEAD}model m {{ hf = "{path}"{more} }}\n{RUN}', "utf-8")
    return resolve(load(folder / "a.scn"), RESULTS)


RELATIVE = 'write it relative to this file, with /: hf = "config.json"'


@pytest.mark.parametrize(
    ("path", "title", "help"),
    [
        ("", "`` is not a path that can be read", RELATIVE),
        ("/c.json", "`/c.json` is not a path that can be read", RELATIVE),
        ("a\\\\b", "`a\\b` is not a path that can be read", RELATIVE),
        ("no.json", "there is no file `no.json`", "it is looked for beside the scenario file"),
        (".", "`.` is a folder", "name the config.json"),
        ("large.json", "`large.json` is larger than 1 MB", "name the config.json, not the weights"),
        ("a.scn/x", "`a.scn/x` cannot be read", "not a directory"),
    ],
)
def test_files_that_cannot_be_read(path: str, title: str, help: str, tmp_path: Path) -> None:
    (tmp_path / "large.json").write_bytes(b" " * (CONFIGURATION + 1))
    _, problems = scenario(tmp_path, path)
    shown = len(path) + 2  # with its quotes
    assert problems == [Problem("E02", title, Span(str(tmp_path / "a.scn"), 4, 16, 16 + shown), help=help)]


def test_a_file_outside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(config())
    inner = tmp_path / "inner"
    inner.mkdir()
    (problem,) = scenario(inner, "../config.json")[1]
    assert problem.title == "`../config.json` lies outside the scenario's folder" and problem.help
    assert problem.span == Span(str(inner / "a.scn"), 4, 16, 32)


def test_a_problem_of_the_file_has_the_line_that_names_it_beside(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(config(hidden_size=-3))
    _, problems = scenario(tmp_path, "c.json")
    assert problems == [
        Problem("E16", "`hidden_size` of c.json is not a whole number", Span("c.json", 4, 1), "it is -3",
                labels=(Label(Span(str(tmp_path / "a.scn"), 4, 16, 24), "read here"),))
    ]  # fmt: skip


def settings(found: Scenario, *paths: str) -> dict[str, tuple[Any, str]]:
    given = found.runs[0].settings
    return {path: (given[f"model.{path}"].value, given[f"model.{path}"].where) for path in paths if
            f"model.{path}" in given}  # fmt: skip


def test_a_kind_of_attention_that_the_block_states_replaces_the_files(tmp_path: Path) -> None:
    """Its window is not kept; the rest of the file is, and a file below is printed by its path from the scenario."""
    (tmp_path / "sub").mkdir()
    data = config(model_type="mistral", sliding_window=512)
    (tmp_path / "sub" / "c.json").write_bytes(data)
    found, problems = scenario(tmp_path, "sub/c.json")
    assert problems == [] and settings(found, "attention.window", "hidden") == {
        "attention.window": (512, "sub/c.json:8"), "hidden": (64, "sub/c.json:4"),
    }  # fmt: skip
    files = [(i.path, i.sha256, i.size) for i in found.imports if i.path.endswith(".json")]
    assert files == [("sub/c.json", sha256(data).hexdigest(), len(data))]
    found, problems = scenario(tmp_path, "sub/c.json", ", attention full { gate = true }")
    assert problems == [] and settings(found, "attention", "attention.window", "hidden") == {
        "attention": ("full", "a.scn:4"), "hidden": (64, "sub/c.json:4"),
    }  # fmt: skip


def test_a_text_without_a_folder_reads_where_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.json").write_bytes(config())
    monkeypatch.chdir(tmp_path)
    found, problems = resolve(load_text(f'{HEAD}model m {{ hf = "c.json" }}\n{RUN}'), RESULTS)
    assert problems == [] and settings(found, "hidden") == {"hidden": (64, "c.json:4")}

"""Scenarios that are made to keep a program busy: each is answered in bounded time and memory, with a problem."""

import os
from pathlib import Path

import pytest

from dsl.files import load, load_text
from dsl.limits import BLOCKS, DEEPEST, FILE, IMPORTS, LINE, LINES, NAME, PARTS, TEXT, WORDS
from dsl.problems import Problem, show
from dsl.resolve import resolve
from tests.hostile import call
from tests.language import RESULTS, START

FLAT = {
    "too long": "let x = " + "1 + " * (WORDS // 2) + "1\n",
    "too long ": START + "let x = max(" + ",\n".join(["1"] * WORDS) + ")\n",
    "this line is too long": "let x = " + " " * LINE + "1\n",
    "this file is too long": "#\n" * LINES,
    "this file is too long ": "\n" * LINES,
    "this name is too long": "run r" + "x" * NAME + " from base { }\n",
    "this text is too long": 'run r "' + "x" * (TEXT + 1) + '" from base { }\n',
    "this unit is too long": "let x = 1 a" + "/a" * NAME + "\n",
    "this amount is too long": "let x = $1/a" + "-a" * NAME + "\n",
    "nested too deep": "a {\n" * (DEEPEST + 1),
    "too many blocks": START + "".join(f"run r{i} from base {{ }}\n" for i in range(BLOCKS)),
    "too many blocks ": "run r from base {\n" + 'approval "x" { role = "b" }\n' * (PARTS + 1) + "}\n",
}


@pytest.mark.parametrize("title", FLAT)
def test_more_than_is_read_is_told(title: str) -> None:
    problems = load_text(FLAT[title], "case.scn").problems
    assert [p.code for p in problems] == ["E05"]
    assert title.strip() in problems[0].title


@pytest.mark.parametrize("number", ["1e400", "1e-400", "1e999999999", "9" * 41, "9" * 40_000, "1:" + "9" * 41])
def test_numbers_that_no_float_holds(number: str) -> None:
    assert [p.code for p in load_text(f"let x = {number}\n", "case.scn").problems] == ["E16"]


@pytest.mark.parametrize("value", ["nan", "inf", "infinity", "NaN"])
def test_words_for_numbers_are_names_that_nothing_has(value: str) -> None:
    assert [p.code for p in resolve(load_text(f"{START}let x = {value}\n", "case.scn"), RESULTS)[1]] == ["E15"]


CHAINS = {
    "lets": START + "let x0 = 1\n" + "".join(f"let x{i} = x{i - 1} + x{i - 1}\n" for i in range(1, 2000)),
    "lets back": START + "".join(f"let x{i} = x{i + 1} + x{i + 1}\n" for i in range(2000)) + "let x2000 = 1\n",
    "from": START + "run r0 from base { }\n" + "".join(f"run r{i} from r{i - 1} {{ }}\n" for i in range(1, 300)),
    "from back": START + "".join(f"run r{i} from r{i + 1} {{ }}\n" for i in range(900)) + "run r900 from base { }\n",
    "axes": START + "sweep s { base = base\nvary { batch = 1..90000 sequences\nlayout.tensor = 1..90000\n"
            "layout.pipeline = 1..90000 } }\n",
    "wrong": START + "".join(f"run r{i} from nothing {{ foo = {i} }}\n" for i in range(300)),
    "power": START + "let x = 9 ^ 9 ^ 9 ^ 9 ^ 9\nlet y = 2 ^ 1e300\nlet z = 1e300 * 1e300\n",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAINS)
def test_what_grows_by_naming_is_bounded(name: str, tmp_path: Path) -> None:
    (tmp_path / "case.scn").write_text(CHAINS[name])
    found = call("scn", "check", "case.scn", cache=tmp_path / "cache", where=tmp_path)
    assert found.code in (0, 2), found.said[-300:]
    assert len(found.said) < 200_000


def test_many_problems_are_shown_in_part() -> None:
    loaded = load_text(START + "".join(f"let x{i} = y{i}\n" for i in range(300)), "case.scn")
    _, problems = resolve(loaded, RESULTS)
    assert len(problems) == 300
    assert show(problems, loaded.sources).endswith("200 more problems are not shown")


def test_a_file_larger_than_is_read(tmp_path: Path) -> None:
    (tmp_path / "case.scn").write_bytes(b"#" * (FILE + 1))
    (problem,) = load(tmp_path / "case.scn").problems
    assert "is larger than 500 kB" in problem.title


# files that a scenario names


def told(tmp_path: Path, text: str, *allowed: Path) -> list[Problem]:
    inner = tmp_path / "plans"
    inner.mkdir(exist_ok=True)
    (inner / "case.scn").write_text(START + text)
    return resolve(load(inner / "case.scn", allowed=allowed), RESULTS)[1]


MODEL = 'model m { hf = "%s" }\n'
NAMES = ("../secret", "link", "inner/../../secret")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("statement", ['import "%s"\n', MODEL])
def test_files_outside_the_folder_are_not_read(tmp_path: Path, name: str, statement: str) -> None:
    (tmp_path / "secret").write_text("hunter2 = 1\n")
    (tmp_path / "plans" / "inner").mkdir(parents=True)
    (tmp_path / "plans" / "link").symlink_to(tmp_path / "secret")
    (problem,) = told(tmp_path, statement % name)
    assert problem.code == "E02" and "outside the scenario's folder" in problem.title
    assert "--allow-import" in problem.help and "hunter2" not in str(problem)
    assert all("lies outside" not in p.title for p in told(tmp_path, statement % name, tmp_path))


@pytest.mark.parametrize("statement", ['import "%s"\n', MODEL])
def test_pipes_devices_and_folders_are_not_waited_for(tmp_path: Path, statement: str) -> None:
    (tmp_path / "plans" / "folder").mkdir(parents=True)
    os.mkfifo(tmp_path / "plans" / "pipe")
    (tmp_path / "plans" / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "folder"):
        (problem,) = told(tmp_path, statement % name)
        assert problem.code == "E02"
    for name in ("zero", "/dev/zero", "/etc/passwd"):
        (problem,) = told(tmp_path, statement % name, Path("/dev"))
        assert problem.code == "E02"


def test_imports_are_counted(tmp_path: Path) -> None:
    statements = "".join('import "library/gpus.scn"\n' for _ in range(IMPORTS + 1))
    problems = told(tmp_path, statements)
    assert [p.title for p in problems if p.code == "E05"] == ["a scenario has at most 500 imports"]


def test_files_are_counted(tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    for i in range(102):
        (tmp_path / "plans" / f"f{i}.scn").write_text(f'import "f{i + 1}.scn"\n')
    problems = told(tmp_path, 'import "f0.scn"\n')
    assert [p.title for p in problems if p.code == "E05"] == ["a scenario has at most 100 files"]


def test_terminals_are_not_steered(tmp_path: Path) -> None:
    name = "a\x1b]0;x\x07\u202e.scn"
    (tmp_path / name).write_text('run "\x1b[31m\u202e" from \x9b1m { }\nlet x = \x1b\n')
    loaded = load(tmp_path / name)
    shown = show(resolve(loaded, RESULTS)[1], loaded.sources)
    assert all(c.isprintable() or c == "\n" for c in shown)


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\x00", "\x9b", "\u202e", "\u2066"])
def test_texts_hold_no_control_characters(character: str) -> None:
    (problem,) = load_text(f'run r "a{character}b" from base {{ }}\n', "case.scn").problems
    assert problem.title == "this text holds a control character"
    assert problem.label.startswith(f"U+{ord(character):04X}")


def test_the_command_takes_the_option(tmp_path: Path) -> None:
    (tmp_path / "near.scn").write_text("let room = 1\n")
    told(tmp_path, 'import "../near.scn"\n')
    cache, where = tmp_path / "cache", tmp_path / "plans"
    assert call("scn", "check", "case.scn", cache=cache, where=where).code == 2
    assert call("scn", "check", "case.scn", "--allow-import", "..", cache=cache, where=where).code == 0

"""Names: what a file defines and sees, and the whole of each problem where a name is wrong."""

from pathlib import Path
from typing import Any

import pytest

from dsl.files import load
from dsl.problems import Label, Problem, Span
from dsl.resolve import resolve
from dsl.scope import Scope, scopes
from dsl.syntax import Name
from tests.language import RESULTS, START, problems_of, scenario_of

TWICE = "give one of them another name"
LINES = START.count("\n")  # what a test adds begins on the line after


def at(line: int, column: int, end: int) -> Span:
    """A place in the text that follows START."""
    return Span("case.scn", LINES + line, column, end)


def one(text: str) -> Problem:
    (problem,) = problems_of(START + text)
    return problem


def test_a_block_or_a_let_twice_shows_both_places() -> None:
    assert one("gpu h { memory = 64 GB, memory_bandwidth = 2 TB/s }\n") == Problem(
        "E12", "gpu `h` is defined twice", at(1, 5, 6), "defined again",
        (Label(Span("case.scn", 2, 5, 6), "first defined here"),), (), TWICE,
    )  # fmt: skip
    assert one("let room = 8 GB\nlet room = 9 GB\n") == Problem(
        "E12", "`room` is defined twice", at(2, 5, 9), "defined again",
        (Label(at(1, 5, 9), "first defined here"),), (), TWICE,
    )  # fmt: skip


def test_a_let_with_the_name_of_a_setting_would_hide_it() -> None:
    assert one("let batch = 64\n") == Problem(
        "E25", "`batch` is a setting of every run", at(1, 5, 10), "would hide it", (), (),
        "give the let another name, or move it into the run",
    )  # fmt: skip


@pytest.mark.parametrize("word", ["require", "where"])
def test_conditions_stand_in_blocks(word: str) -> None:
    text = f"{word} mfu > 40%"
    assert one(f"{text}\n") == Problem(
        "E28", f"a {word} stands in a block", at(1, 1, len(text) + 1), "here", (), (),
        "move it into a run, sweep or optimize",
    )  # fmt: skip


EDITIONS: list[tuple[str, Any]] = [
    ("2027", ("edition 2027 is newer than this version", "write: edition 2026")),
    ("2025", ("edition 2025 is unknown to this version", "write: edition 2026")),
]


@pytest.mark.parametrize(("year", "told"), EDITIONS, ids=[year for year, _ in EDITIONS])
def test_only_one_edition_is_known(year: str, told: tuple[str, str]) -> None:
    found = [p for p in problems_of(START.replace("2026", year, 1)) if p.code == "E06"]
    assert found == [Problem("E06", told[0], Span("case.scn", 1, 9, 9 + len(year)), "here", (), (), told[1])]


@pytest.mark.parametrize("text", ["let a = 3\nedition 2026\n", "edition 2026\nedition 2026\n"])
def test_the_edition_comes_first(text: str) -> None:
    (problem,) = problems_of(text)
    assert problem == Problem(
        "E06", "the edition comes first in a file, once", Span("case.scn", 2, 1, 8), "here", (), (),
        "move it to the first line",
    )  # fmt: skip


def test_a_let_that_leads_back_to_itself() -> None:
    assert one("let one = two + 3\nlet two = one * 5\n") == Problem(
        "E23", "`one` is defined by itself", at(2, 11, 14), "leads back here", (Label(at(1, 5, 8), "defined here"),),
        (), "give one of the names a value of its own",
    )  # fmt: skip


def test_a_let_cannot_see_a_run() -> None:
    for path in ("layout.tensor", "cluster.gpus", "batch", "stack.mfu"):
        assert one(f"let a = {path} * 3\n") == Problem(
            "E25", f"`{path}` belongs to a run; a let of the file cannot see it", at(1, 9, 9 + len(path)),
            "not visible here", (), (), "move the let into the run",
        )  # fmt: skip


def test_a_setting_that_a_block_does_not_state() -> None:
    assert one("let a = hopper.price * 3\n") == Problem(
        "E13", "cluster `hopper` has no price", at(1, 9, 21), "has none",
        (Label(Span("case.scn", 10, 9, 15), "defined here"),), (), "state price there, or write the value here",
    )  # fmt: skip


def test_lets_read_settings_of_blocks() -> None:
    made = scenario_of(START + "let a = hopper.nodes * 3\nrun r from base { batch = a * 5 sequences }\n")
    assert made.runs[1].settings["batch"].value == 16 * 3 * 5


GPUS = "".join(f"gpu b{n} {{ memory = 80 GB, memory_bandwidth = 3 TB/s }}\n" for n in range(10, 22))


def test_the_names_in_reach_are_told() -> None:
    """All of up to twelve; of more, those that begin like the name, else the first eight."""
    cluster = "cluster c {{ gpu = {}, nodes = 4 }}\n"
    twelve = GPUS.replace("gpu b21 ", "gpu h2 ").replace("gpu b10 ", "let unused = 3 #")
    few = one(twelve + cluster.format("zzzzzz"))
    assert few.notes == ("gpus in reach: h, b11, b12, b13, b14, b15, b16, b17, b18, b19, b20 and h2",)
    many = one(GPUS + cluster.format("zzzzzz"))
    assert many.notes == ("gpus in reach: h, b10, b11, b12, b13, b14, b15, b16 … (all: scn catalog gpu)",)
    alike = one(GPUS + GPUS.replace("gpu b", "gpu Long") + cluster.format("longer"))
    assert alike.notes == (
        "gpus in reach: Long10, Long11, Long12, Long13, Long14, Long15, Long16, Long17 … (all: scn catalog gpu)",
    )
    assert (few.title, few.label, few.help) == (
        "there is no gpu called `zzzzzz`", "not found", 'write at the top: import "library/gpus.scn"',
    )  # fmt: skip


def test_a_name_of_another_kind() -> None:
    assert one("run r { model = hopper, cluster = hopper, tokens = 1T tokens }\n") == Problem(
        "E15", "`hopper` is a cluster, not a model", at(1, 17, 23), "a model belongs here",
        (Label(Span("case.scn", 10, 9, 15), "cluster `hopper` is defined here"),), ("models in reach: small",),
    )  # fmt: skip


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.scn").write_text(text)
    return tmp_path / "main.scn"


def names(path: Path) -> tuple[Scope, list[Problem]]:
    """The names of the file at ``path``."""
    loaded, problems = load(path), list[Problem]()
    return scopes(loaded, problems)[loaded.main.key], problems


GPU = "gpu {} {{ memory = 80 GB, memory_bandwidth = 3 TB/s }}\n"


def test_what_a_file_sees(tmp_path: Path) -> None:
    """Own before imported; behind an alias only by it; what an import imports not at all."""
    scope, problems = names(
        folder(
            tmp_path,
            main='import "near.scn"\nimport "zoo.scn" as zoo\nlet a = 3\n' + GPU.format("own"),
            near='import "far.scn"\nlet b = 5\n' + GPU.format("near"),
            zoo="let c = 7\n" + GPU.format("caged"),
            far="let d = 9\n" + GPU.format("far"),
        )
    )
    assert not problems
    assert [scope.let(name) is not None for name in "abcd"] == [True, True, False, False]
    assert scope.known("gpu") == ["own", "near", "zoo.caged"]
    here = Span("main.scn", 1, 1, 2)
    paths = ("own", "near", "caged", "far", "zoo.caged", "zoo.own", "own.x", "zoo.caged.x")
    seen = {path: scope.block("gpu", Name(tuple(path.split(".")), here)) for path in paths}
    assert {path: block.name for path, block in seen.items() if block} == {
        "own": "own", "near": "near", "zoo.caged": "caged",
    }  # fmt: skip
    assert [s.file.logical for s in scope.visible()][:2] == ["main.scn", "near.scn"]
    assert len(scope.visible()) == len({id(s) for s in scope.visible()}) == 2 + len(scope.implicit)


def of(path: Path) -> list[Problem]:
    return resolve(load(path), RESULTS)[1]


def test_a_name_that_an_import_brings_again(tmp_path: Path) -> None:
    path = folder(tmp_path, main='import "a.scn"\n' + GPU.format("h"), a=GPU.format("h"))
    assert of(path) == [
        Problem(
            "E12", "gpu `h` is defined twice", Span(str(path), 2, 5, 6), "defined again",
            (Label(Span(str(tmp_path / "a.scn"), 1, 5, 6), "defined here"),), (),
            'rename one of them, or import with a name: import "…" as other',
        )
    ]  # fmt: skip


def test_a_name_in_two_imports(tmp_path: Path) -> None:
    path = folder(tmp_path, main='import "a.scn"\nimport "b.scn"\n', a="let x = 3\n", b="\nlet x = 5\n")
    first, second = Span(str(tmp_path / "a.scn"), 1, 5, 6), Span(str(tmp_path / "b.scn"), 2, 5, 6)
    assert of(path) == [
        Problem(
            "E12", "`x` is defined twice", Span(str(path), 2, 8, 15), "brings it in again",
            (Label(first, "defined here"), Label(second, "and here")), (),
            'rename one of them, or import with a name: import "…" as other',
        )
    ]  # fmt: skip


def test_the_same_import_twice_is_one(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        main='import "main.scn"\nimport "a.scn"\nimport "a.scn"\nimport "b.scn" as b\nimport "b.scn" as b\n',
        a=GPU.format("h"),
        b=GPU.format("h"),
    )
    assert [p.code for p in of(path)] == ["E04"]  # a circle, and nothing twice


def test_a_name_that_could_not_be_read_is_not_missed_too(tmp_path: Path) -> None:
    assert [p.code for p in problems_of(START + "let a = 3 +\nrun r from base { batch = a * 5 sequences }\n")] == [
        "E01"
    ]


def test_one_alias_for_two_files(tmp_path: Path) -> None:
    path = folder(
        tmp_path, main='import "a.scn" as zoo\nimport "b.scn" as zoo\nlet y = zoo.x\n', a="let x = 3\n", b="let z = 3\n"
    )
    assert of(path) == [
        Problem("E12", "`zoo` names two files", Span(str(path), 2, 19, 22), "given again", (), (), TWICE)
    ]  # fmt: skip


def test_a_let_behind_an_alias(tmp_path: Path) -> None:
    """Only by alias and name, not by more or fewer parts."""
    text = 'import "a.scn" as zoo\nlet one = zoo.few * 3\nlet two = zoo.few.more\nlet three = few\n'
    assert [(p.code, p.span.line, p.title) for p in of(folder(tmp_path, main=text, a="let few = 5\n"))] == [
        ("E15", 3, "there is no `zoo.few.more`"), ("E15", 4, "there is no `few`"),
    ]  # fmt: skip


def test_settings_of_blocks_behind_an_alias(tmp_path: Path) -> None:
    text = 'import "a.scn" as zoo\nlet one = zoo.x.memory / 2\nlet two = zoo.x.memoy\nlet three = x.memory\n'
    found = of(folder(tmp_path, main=text, a=GPU.format("x")))
    assert [(p.code, p.span.line) for p in found] == [("E11", 3), ("E15", 4)]


def test_a_check_of_the_same_name_in_two_files_stands_once(tmp_path: Path) -> None:
    """A check of the file stands for that of an import; blocks of other kinds may not share a name."""
    check = 'check x "{}" {{ require mfu > 20% }}\n'
    path = folder(tmp_path, main='import "a.scn"\n' + check.format("own"), a=check.format("theirs"))
    scenario, problems = resolve(load(path), RESULTS)
    assert problems == []
    assert [c.title for c in scenario.checks if c.name == "x"] == ["own"]

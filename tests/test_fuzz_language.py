"""Whatever is written, saved or typed: a scenario or problems, never an exception; and the hard cases one by one.

`HYPOTHESIS_PROFILE=search pytest tests/test_fuzz_language.py` looks longer.
"""

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load, load_text
from dsl.form import canonical
from dsl.limits import LINE, NAME, TEXT
from dsl.problems import Problem, show, to_json
from dsl.resolve import resolve
from dsl.server.checked import Checked
from dsl.server.completion import Completion
from dsl.server.cursor import cursor
from dsl.server.hover import Hover
from dsl.server.marks import marks
from dsl.server.rename import definition
from tests.fuzz.texts import WORDS, any_text
from tests.language import RESULTS, START
from tests.scenario_texts import scenarios

ROOT = Path(__file__).resolve().parents[1]

def told(text: str, *overrides: str) -> list[Problem]:
    """The problems of a text; each has its place in the text, and all can be shown."""
    loaded = load_text(text, "case.scn")
    scenario, problems = resolve(loaded, RESULTS, overrides)
    assert show(problems, loaded.sources) or not problems
    assert len(to_json(problems)) == len(problems)
    rows = loaded.main.text.split("\n")
    for problem in (*problems, *scenario.warnings):
        assert problem.title and problem.code
        if problem.span.file == "case.scn":
            assert 1 <= problem.span.line <= len(rows)
            assert 1 <= problem.span.column <= len(rows[problem.span.line - 1]) + 1
    return problems


TEXTS = st.text(max_size=120) | st.builds(any_text, st.randoms(use_true_random=True))


@given(TEXTS)
def test_any_text_is_a_scenario_or_problems(text: str) -> None:
    told(text)
    told(START + text)


@given(st.text(max_size=40) | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
def test_any_override_is_taken_or_told(text: str) -> None:
    told(START, text)
    _, problems = resolve(load_text(START, "case.scn"), RESULTS, (), [text])
    assert all(problem.title for problem in problems)


@given(st.binary(max_size=80) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_file_or_problems(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.scn"
    file.write_bytes(data)
    loaded = load(file)
    problems = resolve(loaded, RESULTS)[1]
    assert len(show(problems, loaded.sources)) >= len(problems)


@given(TEXTS, st.integers(0, 10**6))
def test_an_editor_may_ask_anything_anywhere(text: str, seed: int) -> None:
    whole = START + text
    key = str(ROOT / "tests" / "typed.scn")
    checked = Checked(key, {key: whole}, RESULTS)
    rows = checked.loaded.main.text.split("\n")
    hover = Hover(checked, {})
    found = marks(checked.world, checked.scope)
    for mark in Random(seed).sample(found, min(5, len(found))):
        hover.text(mark)
        definition(checked, mark)
    line = Random(seed).randrange(len(rows))
    column = Random(seed + 1).randrange(len(rows[line]) + 1)
    Completion(checked, {}).offers(cursor("\n".join(rows), line + 1, column + 1))
    assert all(1 <= m.span.line <= len(rows) for m in found)


@given(scenarios())
def test_the_canonical_form_is_canonical_and_means_the_same(text: str) -> None:
    form, problems = canonical(text)
    assert not problems
    assert canonical(form) == (form, [])
    assert [p.code for p in told(form)] == [p.code for p in told(text)]


# The hard cases, a clear problem each.

DEEP = 10_000
NESTED = {
    "blocks": "run a { " + "layout { " * DEEP + "} " * DEEP + "}",
    "blocks that stay open": "run a { " + "layout { " * DEEP,
    "brackets": "let a = " + "(" * DEEP + "1" + ")" * DEEP,
    "lists": "let a = " + "[" * DEEP + "]" * DEEP,
    "calls": "let a = " + "min(" * DEEP + "1" + ")" * DEEP,
    "not": "let a = " + "not " * DEEP + "true",
    "signs": "let a = " + "-" * DEEP + "1",
    "powers": "let a = 2" + " ^ 2" * DEEP,
    "if": "let a = " + "if true then 1 else " * DEEP + "1",
    "lets that build on each other": "".join(f"let a{i} = a{i + 1} + 1\n" for i in range(DEEP)) + f"let a{DEEP} = 1\n",
    "blocks that copy each other": "".join(f"cluster c{i} from c{i + 1} {{}}\n" for i in range(DEEP)),
}


@pytest.mark.parametrize("what", NESTED)
def test_ten_thousand_levels_are_too_deep(what: str) -> None:
    assert told(NESTED[what])[0].code == "E05"


def test_what_is_long_but_not_deep_is_read() -> None:
    assert told("let a = 1" + " + 1" * DEEP) == []
    assert told(f'let a = "{"x" * (TEXT - 2)}"\nlet {"b" * NAME} = 1 # {"c" * (LINE // 2)}\n') == []
    assert [p.code for p in told("let a = " + "9" * 10**4)] == ["E16"]
    assert [p.code for p in told("let a = " + "9" * 10**6)] == ["E05"]
    (problem,) = told(f"let a = 1 {' ' * 10**5}+ x")
    assert len(max(show([problem], {"case.scn": f"let a = 1 {' ' * 10**5}+ x"}).split("\n"), key=len)) < 250


def run(settings: str) -> str:
    """A file whose last run has these settings."""
    return f"{START}run r from base {{ {settings} }}\n"


def sweep(axes: str) -> str:
    """A file with a sweep over these axes."""
    return f"{START}sweep s {{ base = base, vary {{ {axes} }} }}\n"


ARITHMETIC = {
    "division by zero": (run("memory.reserve = 1 GB / 0"), "E24", "a division by zero"),
    "in a let": (START + "let z = 1 / 0\n", "E24", "a division by zero"),
    "in a require": (run("require mfu / 0 > 1"), "E24", "a division by zero"),
    "by a let that is zero": (run("let z = 0, memory.reserve = 1 GB / z"), "E24", "a division by zero"),
    "overflow": (run("memory.reserve = 1e300 * 1e300 * 1 GB"), "E24", "too large"),
    "overflow of a literal": (run("memory.reserve = 1e300 GB"), "E24", "too large"),
    "overflow of a suffix": (run("memory.reserve = 9e299T"), "E16", "too large"),
    "overflow of a power": (run("memory.reserve = 10 ^ 400 * 1 GB"), "E24", "too large"),
    "infinity minus infinity": (run("memory.reserve = (1e200 ^ 2 - 1e200 ^ 2) * 1 GB"), "E24", "too large"),
    "a root of less than zero": (run("memory.reserve = sqrt(-1) * 1 GB"), "E24", "not positive"),
    "a logarithm of zero": (run("memory.reserve = log2(0) * 1 GB"), "E24", "not positive"),
    "nan": (run("memory.reserve = nan"), "E15", "`nan`"),
    "more layers than a computer goes through": (run("model.layers = 1e300"), "E20", "at most 10_000"),
    "more nodes than there are": (run("cluster.nodes = 1e300 nodes"), "E20", "at most 1_000_000"),
    "a range of a billion": (sweep("layout.tensor = 1..1e12"), "E20", "values"),
    "a product of 10^12": (
        sweep("layout.tensor = 1..1e4, batch = 1..1e4 sequences, accumulation = 1..1e4"),
        "E20",
        "this varies over 1_000_000_000_000 points",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ARITHMETIC)
def test_arithmetic_without_a_result_is_told(what: str) -> None:
    text, code, words = ARITHMETIC[what]
    problem = told(text)[0]
    assert (problem.code, words in problem.title) == (code, True), problem


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends_of_other_systems_change_nothing(end: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.scn"
    text = START.replace("gpu h", '# größer 🚀\ngpu h "Größe"').replace("  ", "\t")
    for start in ("", "\ufeff"):
        file.write_bytes((start + text.replace("\n", end)).encode())
        assert resolve(load(file), RESULTS)[1] == []
        file.write_bytes((start + text.replace("nodes = 16", "nodes = 16 GB").replace("\n", end)).encode())
        (problem,) = resolve(load(file), RESULTS)[1]
        assert (problem.code, text.split("\n")[problem.span.line - 1][problem.span.column - 1 :][:5]) == ("E18", "16")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "latin.scn").write_bytes(b'let a = "caf\xe9"\n')
    (tmp_path / "folder.scn").mkdir()
    (tmp_path / "closed.scn").write_text("let a = 1\n")
    os.chmod(tmp_path / "closed.scn", 0)
    imports = [f'import "{name}.scn"' for name in ("latin", "folder", "missing")]
    if os.geteuid() != 0:  # root may read everything
        imports.append('import "closed.scn"')
    (tmp_path / "main.scn").write_text("\n".join(["edition 2026", *imports]))
    problems = resolve(load(tmp_path / "main.scn"), RESULTS)[1]
    assert sorted(p.code for p in problems) == ["E02"] * (len(imports) - 1) + ["E03"]
    assert load(tmp_path / "nowhere" / "main.scn").problems[0].code == "E02"


def test_imports_in_a_circle_are_told_once(tmp_path: Path) -> None:
    ring = [f"f{i}" for i in range(50)]
    for i, name in enumerate(ring):
        (tmp_path / f"{name}.scn").write_text(f'import "{ring[(i + 1) % len(ring)]}.scn"\nlet {name} = 1\n')
    assert [p.code for p in resolve(load(tmp_path / "f0.scn"), RESULTS)[1]] == ["E04"]

"""Problems: what is shown, and the wanted messages about meaning."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load, load_text
from dsl.problems import Label, Problem, Span, did_you_mean, hints, listed, nearest, printable, short, show, to_json
from dsl.resolve import resolve
from tests.language import RESULTS, START, problems_of

SAMPLES = Path(__file__).parent / "samples"

# A line inside run r, and what is to be said of it: title, marked, label, help. These are the wanted messages of the
# language's design and what no file of tests/problems shows.
RUN_CASES = [
    ("require memory_per_gpu <= 80 Gbps", "`Gbps` is not a unit", "Gbps", "unknown unit",
     "write Gb/s (bits) or GB/s (bytes)"),
    ("require memory_per_gpu <= 640 GB/tensor", "`GB/tensor` is not a unit", "GB/tensor", "unknown unit",
     "glued, this is one unit; to divide write `GB / tensor`"),
    ("require memry_per_gpu <= 80 GB", "there is no `memry_per_gpu`", "memry_per_gpu", "not found",
     "did you mean `memory_per_gpu`?"),
    ("require cost-tokens <= 3", "there is no `cost-tokens`", "cost-tokens", "one word: a glued dash joins",
     "to subtract write `cost - tokens`"),
    ("require 1:7 > 3", "oversubscription below one", "1:7", "reads as 0.14", "did you mean 7:1?"),
    ("require memory_per_gpu <= 80 B", "`B` is not a unit", "B", "unknown unit",
     "`B` after a space could be bytes or billions; write `bytes`, or glue it (`80B`) for billions"),
    ("require ceil(memory_per_gpu) > 3", "ceil( ) of bytes depends on the unit", "memory_per_gpu", "bytes",
     "divide by a unit: ceil(memory_per_gpu / 1 GB)"),
    ("memory.reserve = 1 s", "`memory.reserve` is in bytes", "1 s", "this is in seconds", "units: GB, GiB, MB …"),
    ("utilisation = 3%", "`utilisation` is not a setting of run `r`", "utilisation", "not a setting",
     "it is spelled `utilization` here"),
    ("let batch = 3", "`batch` is a setting of every run", "batch", "would hide it", "write: batch = 3"),
    ("global_batch = 3", "`global_batch` is not a setting of run `r`", "global_batch", "not a setting",
     "did you mean `batch`?"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "title", "marked", "label", "help"), RUN_CASES, ids=[case[0][:40] for case in RUN_CASES]
)
def test_a_wrong_line_of_a_run_has_its_words(line: str, title: str, marked: str, label: str, help: str) -> None:
    text = START + f"run r from base {{\n  {line}\n}}\n"
    (problem,) = problems_of(text)
    row = text.split("\n")[problem.span.line - 1]
    assert row.strip() == line
    assert (problem.title, problem.label, problem.help) == (title, label, help)
    assert row[problem.span.column - 1 : problem.span.end - 1] == marked


# Text after START, and the title, help and labelled lines of what is said of it.
FILE_CASES = [
    ("cluster b from hoper { nodes = 3 }", "there is no cluster called `hoper`", "did you mean `hopper`?", 0),
    ("cluster c from hopper { restart = 3 gpu-hours }", "`restart` is a time", "write it in hours", 0),
    ("cluster c from d { }\ncluster d from c { }", "blocks copy each other in a circle",
     "let one of them copy nothing", 0),
    ("let x = 1 / 0\nrun r from base { frozen = x }", "a division by zero", "divide by a value that is never zero", 0),
    ("__x__ a { }", "there is no kind of block called `__x__`", "", 0),
    ('report "x" { section = [summary] }', "`section` is not a setting of report", "did you mean `sections`?", 0),
    ("tier node { bandwidth = 3 GB/s }", "`tier` stands inside a cluster or calibration", "move it into a cluster", 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "title", "help", "labels"), FILE_CASES, ids=[case[0][:50] for case in FILE_CASES])
def test_a_wrong_block_has_its_words(text: str, title: str, help: str, labels: int) -> None:
    problems = problems_of(START + text + "\n")
    assert (problems[0].title, problems[0].help, len(problems[0].labels)) == (title, help, labels)
    assert len(problems) == 1, [p.title for p in problems]


def test_three_errors_are_three_problems_in_order() -> None:
    text = START + "run r from base {\n  layout.tensr = 4\n  batch 3\n  require memory_per_gpu <= 80 Gbps\n}\n"
    problems = problems_of(text)
    assert [p.code for p in problems] == ["E11", "E01", "E17"]


def test_a_broken_block_is_not_reported_again_by_those_that_use_it() -> None:
    text = START + "cluster 8x {\n  gpu = h\n}\nrun r from base { cluster = x8 }\n"
    assert [p.title for p in problems_of(text)] == ["a name starts with a letter"]


def test_a_problem_is_shown_with_its_line_and_caret() -> None:
    source = "# title\nrun r {\n\trequire 1:7 > 3\n}\n"
    span = Span("case.scn", 3, 10, 13)
    origin = Label(Span("case.scn", 2, 5, 6), "in this run")
    problem = Problem(
        "E20", "oversubscription below one", span, "reads as 0.14", (origin,), ("some note",), "did you mean 7:1?"
    )
    assert show([problem], {"case.scn": source}) == (
        "error[E20]: oversubscription below one\n"
        " --> case.scn:3:10\n"
        "3 |  require 1:7 > 3\n"
        "  |          ^^^ reads as 0.14\n"
        "  ::> case.scn:2:5\n"
        "2 | run r {\n"
        "  |     ^ in this run\n"
        "  = note: some note\n"
        "  = help: did you mean 7:1?"
    ).replace(" --> ", "  --> ")


def test_control_characters_do_not_reach_the_terminal() -> None:
    source = "let a = \x1b[31m 3"
    problem = Problem("E01", "x", Span("c", 1, 9, 10))
    assert "\x1b" not in show([problem], {"c": source})
    assert "\x1b" not in show(problems_of(source), {"case.scn": source})


def test_of_a_long_line_the_part_around_the_mark_is_shown() -> None:
    source = "let x = " + "1 + " * 1000 + "y"
    shown = show([Problem("E15", "x", Span("c", 1, 809, 812))], {"c": source})
    row, carets = shown.split("\n")[2:4]
    assert len(row) < 180 and row.count("…") == 2
    assert row[carets.index("^")] == "1" and carets.count("^") == 3


def test_json_has_every_field() -> None:
    (problem,) = problems_of(START + "cluster c from hoper { nodes = 3 }")
    (plain,) = to_json([problem])
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["file"], plain["line"], plain["code"], plain["severity"]) == (
        "case.scn",
        problem.span.line,
        "E15",
        "error",
    )


def test_suggestions_are_at_most_one_and_never_far() -> None:
    assert nearest("hoper", ["hopper", "blackwell"]) == "hopper"
    assert nearest("HOPPER", ["hopper"]) == "hopper"
    assert nearest("tensor", ["layout.tensor", "layout.data"]) == "layout.tensor"
    assert nearest("tensor", ["tokens", "layout.overlap.tensor", "layout.tensor"]) == "layout.tensor"
    assert nearest("h100", ["h200", "h100-sxm"]) == "h100-sxm"
    assert nearest("xyz", ["hopper"]) is None
    assert did_you_mean("xyz", ["hopper"]) == ""
    assert listed(["a", "b", "c"]) == "a, b and c"


SAMPLE_TEXTS = [path.read_text() for path in sorted(SAMPLES.rglob("*.scn"))]


@given(st.data())
def test_any_change_of_a_sample_gives_a_scenario_or_problems(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SAMPLE_TEXTS))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    other = data.draw(st.sampled_from(SAMPLE_TEXTS))
    taken = data.draw(st.integers(0, len(other)))
    text = text[:start] + other[taken : taken + data.draw(st.integers(0, 30))] + text[end:]
    loaded = load_text(text, "case.scn", SAMPLES)
    scenario, problems = resolve(loaded, RESULTS)
    assert show(problems, loaded.sources) or not problems
    for run in scenario.runs:
        for rule in run.requires:
            rule.operands(run.plain())


def test_a_file_that_is_missing_is_a_problem_of_its_scenario(tmp_path: Path) -> None:
    loaded = load(tmp_path / "none.scn")
    scenario, problems = resolve(loaded, RESULTS)
    assert [p.code for p in problems] == ["E02"] and not scenario.experiments


@pytest.mark.parametrize(
    ("column", "end", "carets"),
    [(1, 4, "^^^"), (1, 2, "^"), (5, 8, "    ^^^"), (5, 0, "    ^^^"), (5, 5, "    ^^^"),
     (8, 9, "       ^"), (40, 41, "       ^")],
)  # fmt: skip
def test_carets_stand_under_what_is_marked(column: int, end: int, carets: str) -> None:
    shown = show([Problem("E01", "x", Span("c", 1, column, end), "so")], {"c": "let a b"})
    assert shown == f"error[E01]: x\n  --> c:1:{column}\n1 | let a b\n  | {carets} so"


def test_a_place_without_a_source_is_told_in_words() -> None:
    span = Span("c", 12, 3, 4)
    for sources in ({}, {"c": "one line"}):
        assert show([Problem("E01", "x", span, "so")], sources) == "error[E01]: x\n   --> c:12:3\n   | so"
        assert show([Problem("E01", "x", span)], sources) == "error[E01]: x\n   --> c:12:3"
    stated = Problem("W01", "x", Span("--set a=1", 1, 3, 4), "so", severity="warning")
    assert show([stated], {}) == "warning[W01]: x\n  --> --set:1:3\n1 | a=1\n  |   ^ so"


@pytest.mark.parametrize(
    ("column", "row", "carets"),
    [
        (1, "0123456789" * 16 + "…", 0),
        (42, "…" + ("0123456789" * 17)[1:161] + "…", 41),
        (50, "…" + ("0123456789" * 17)[9:169] + "…", 41),
        (195, "…" + ("0123456789" * 20)[40:200], 155),
        (200, "…" + ("0123456789" * 20)[40:200], 160),
    ],
)
def test_of_200_columns_160_are_shown(column: int, row: str, carets: int) -> None:
    shown = show([Problem("E01", "x", Span("c", 1, column, column + 1), "so")], {"c": "0123456789" * 20})
    assert shown.split("\n")[2:] == [f"1 | {row}", f"  | {' ' * carets}^ so"]
    whole = show([Problem("E01", "x", Span("c", 1, 1, 2), "so")], {"c": "0123456789" * 16})
    assert whole.split("\n")[2] == f"1 | {'0123456789' * 16}"


def test_a_mark_that_goes_beyond_what_is_shown_ends_with_it() -> None:
    shown = show([Problem("E01", "x", Span("c", 1, 42, 190), "so")], {"c": "0123456789" * 20})
    assert shown.split("\n")[3] == f"  | {' ' * 41}{'^' * 121} so"  # of the 162 columns with both … the last 121


def test_long_texts_and_many_problems_are_cut() -> None:
    assert (short("a" * 1000), short("a" * 600 + "b" * 401)) == ("a" * 1000, "a" * 500 + " … " + "b" * 250)
    one = Problem("E01", "x", Span("c", 1, 1, 2))
    assert "more" not in show([one] * 100, {}) and show([one] * 1102, {}).endswith(
        "\n\n1_002 more problems are not shown"
    )
    assert printable("a\tb\x1bc\u00a0") == "a b\N{REPLACEMENT CHARACTER}c\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("word", "legal", "found"),
    [
        ("gb", ["gb-nvl-200"], None),
        ("h10", ["h10-x", "h10_y"], "h10-x"),
        ("tensor", ["a.tensor", "b.tensor"], "b.tensor"),  # no one of them is nearer: the closest letters
        ("tensor", ["a.b.tensor", "b.tensor"], "b.tensor"),
        ("TENSOR", ["tensor", "Tensor"], "tensor"),
        ("abcde", ["abcxy"], "abcxy"),  # three letters of five are enough, two of four are not
        ("abcd", ["abxy"], None),
        ("a" * 100, ["a" * 99], "a" * 99),
        ("a" * 101, ["a" * 99], None),
        ("a" * 99, ["a" * 101], None),
    ],
)
def test_the_nearest_name(word: str, legal: list[str], found: str | None) -> None:
    assert nearest(word, legal) == found


def test_names_are_looked_for_so_many_times() -> None:
    with hints(2):
        assert [nearest("hoper", ["hopper"]) for _ in range(3)] == ["hopper", "hopper", None]
    assert nearest("hoper", ["hopper"]) == "hopper"
    assert nearest("hoper", ["hopper", *map(str, range(9_999))]) == "hopper"
    assert nearest("hoper", ["hopper", *map(str, range(10_000))]) is None


def test_words_are_listed() -> None:
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    twelve = [chr(97 + i) for i in range(12)]
    assert listed(twelve) == "a, b, c, d, e, f, g, h, i, j, k and l"
    assert listed([*twelve, "m"]) == "a, b, c, d, e, f, g, h, i, j, k, l … (13 in all)"
    assert listed(["a", "b", "c"], 2) == "a, b … (3 in all)"

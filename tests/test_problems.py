"""Problems: what is shown, and the wanted messages about meaning."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load, load_text
from dsl.problems import CODES, Label, Problem, Span, did_you_mean, listed, nearest, show, to_json
from dsl.resolve import resolve
from tests.language import RESULTS, START, problems_of

SAMPLES = Path(__file__).parent / "samples"

# A line inside run r, and what is to be said of it: title, columns marked, label, help.
RUN_CASES = [
    (
        "require memory_per_gpu <= 80 Gbps",
        "`Gbps` is not a unit",
        "Gbps",
        "unknown unit",
        "write Gb/s (bits) or GB/s (bytes)",
    ),
    (
        "require memory_per_gpu <= 640 GB/tensor",
        "`GB/tensor` is not a unit",
        "GB/tensor",
        "unknown unit",
        "glued, this is one unit; to divide write `GB / tensor`",
    ),
    (
        "require memry_per_gpu <= 80 GB",
        "there is no `memry_per_gpu`",
        "memry_per_gpu",
        "not found",
        "did you mean `memory_per_gpu`?",
    ),
    (
        "require cost-tokens <= 3",
        "there is no `cost-tokens`",
        "cost-tokens",
        "one word: a glued dash joins",
        "to subtract write `cost - tokens`",
    ),
    (
        "require batch-1 <= 3",
        "there is no `batch-1`",
        "batch-1",
        "one word: a glued dash joins",
        "to subtract write `batch - 1`",
    ),
    ("require 1:7 > 3", "oversubscription below one", "1:7", "reads as 0.14", "did you mean 7:1?"),
    (
        "require memory_per_gpu <= 80 B",
        "`B` is not a unit",
        "B",
        "unknown unit",
        "`B` after a space could be bytes or billions; write `bytes`, or glue it (`80B`) for billions",
    ),
    ("require memory_per_gpu <= 80", "80 what?", "80", "needs a unit", "write 80 GB"),
    ("require memory_per_gpu <= 3 s", "bytes and seconds cannot be compared", "3 s", "seconds", ""),
    (
        "require layout.recompute == ful",
        "`ful` is not a choice of `layout.recompute`",
        "ful",
        "not one of them",
        "did you mean `full`?",
    ),
    ("require mfu", "a condition belongs here", "mfu", "this is a number", "compare it: mfu >= 35%"),
    (
        "require ceil(memory_per_gpu) > 3",
        "ceil( ) of bytes depends on the unit",
        "memory_per_gpu",
        "bytes",
        "divide by a unit: ceil(memory_per_gpu / 1 GB)",
    ),
    (
        "require maximum(mfu, 3) > 1",
        "there is no function `maximum`",
        "maximum(mfu, 3)",
        "not found",
        "did you mean `max`?",
    ),
    (
        "layout.tensr = 4",
        "`layout.tensr` is not a setting of run `r`",
        "layout.tensr",
        "not a setting",
        "did you mean `layout.tensor`?",
    ),
    ("layout.tensor = 2.5", "`layout.tensor` is a whole number", "2.5", "reads as 2.5", "write 2"),
    ("layout.tensor = 0", "`layout.tensor` is at least 1", "0", "reads as 0", ""),
    (
        "layout.schedule = interleaved(virtual_stage = 2)",
        "`interleaved` has no argument `virtual_stage`",
        "virtual_stage = 2",
        "not an argument",
        "did you mean `virtual_stages`?",
    ),
    ("precision = bf17", "`bf17` is not a choice of `precision`", "bf17", "not one of them", "did you mean `bf16`?"),
    (
        "checkpoint.interval = 27",
        "`checkpoint.interval` needs a unit",
        "27",
        "27 what?",
        "units: us, ms, s, minutes, hours, days",
    ),
    ("frozen = 30", "`frozen` is a share", "30", "30 what?", "write 30%"),
    ("kernels.flash = 1", "`kernels.flash` is true or false", "1", "this is a number", "write: kernels.flash = true"),
    ("layout.micro_batch = 1", "`layout.micro_batch` needs a unit", "1", "1 what?", "write 1 sequence"),
    ("layout.order = tensor", "`layout.order` is a list", "tensor", "not a list", "write: layout.order = [tensor]"),
    ("memory.reserve = 1 s", "`memory.reserve` is in bytes", "1 s", "this is in seconds", "units: GB, GiB, MB …"),
    (
        "phase_start = 2026-01-01",
        "`phase_start` is a date in double quotes",
        "2026-01-01",
        "not a text",
        'write: phase_start = "2026-01-01"',
    ),
    (
        'phase_start = "2026-02-30"',
        "`2026-02-30` is not a date",
        '"2026-02-30"',
        "not a date",
        "write year-month-day: 2026-03-31",
    ),
    ("frozen = mfu", "`mfu` is a result; a setting cannot depend on it", "mfu", "worked out later", ""),
    ("edition 2026", "`edition` stands at the top of a file", "edition", "here", "move it out of the block"),
    (
        "where mfu > 3%",
        "a run has no where",
        "where mfu > 3%",
        "here",
        "it stands in: sweep, compare, optimize, scale, sensitivity",
    ),
    ("tier pod { bandwidth = 3 GB/s }", "a run has no block `tier`", "tier", "not a block", ""),
    (
        "utilisation = 3%",
        "`utilisation` is not a setting of run `r`",
        "utilisation",
        "not a setting",
        "it is spelled `utilization` here",
    ),
]


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
    ("clutser b { nodes = 3 }", "there is no kind of block called `clutser`", "did you mean `cluster`?", 0),
    ("optimise o { base = base }", "there is no kind of block called `optimise`", "it is spelled `optimize` here", 0),
    ("cluster hopper { gpu = h, nodes = 3 }", "cluster `hopper` is defined twice", "give one of them another name", 1),
    ("cluster c from hopper { nodes = 3, nodes = 4 }", "`nodes` is set twice", "remove one of the two", 1),
    ("cluster c from hopper { model = 3 }", "`model` is not a setting of cluster `c`", "did you mean `nodes`?", 0),
    ("cluster c { gpu = small, nodes = 3 }", "`small` is a model, not a gpu", "", 1),
    ("cluster c from c { nodes = 3 }", "blocks copy each other in a circle", "", 0),
    ("cluster c { nodes = 3 }", "cluster `c` needs gpu", "write: gpu = …", 0),
    (
        "cluster c from hopper { nodes = 3, gpus = 25 }",
        "gpus and nodes contradict each other",
        "state one of the two",
        1,
    ),
    (
        "cluster c from hopper { price = $2/gpu-hour, capex { gpu = $3k } }\nrun c1 from base { cluster = c }",
        "the cluster has a price and a capex",
        "write: ownership = rented, or: ownership = owned",
        1,
    ),
    ("cluster c from hopper { price = 2.10 }", "`price` needs a unit", "write $2.10/gpu-hour", 0),
    ("cluster c from hopper { price = $2.10/hour }", "`price` is for each GPU", "write $2.10/gpu-hour", 0),
    (
        "cluster c from hopper { storage { price = $2.10/gpu-hour } }",
        "`storage.price` is for the whole cluster",
        "write it in $/hour",
        0,
    ),
    ("let mfu = 3", "`mfu` is a result of every run", "give the let another name", 0),
    ("run r from base { let mfu = 3 }", "`mfu` is a result of every run", "give the let another name", 0),
    ("run r from base { let batch = 3 }", "`batch` is a setting of every run", "write: batch = …", 0),
    ("__x__ a { }", "there is no kind of block called `__x__`", "", 0),
    (
        "cluster c from hopper { tier pod { span = 4 gpus } }\nrun r from base { cluster = c }",
        "tier `pod` spans less than tier `node` inside it",
        "",
        0,
    ),
    (
        "cluster c from hopper { tier pod { span = 64 gpus } }\nrun r from base { cluster = c }",
        "the network spans 64 of 128 GPUs",
        "give the outermost tier a larger span, or add a tier",
        0,
    ),
    ("cluster c from hopper { pue = 0.9 }", "`pue` is at least 1", "", 0),
    ("cluster c from hopper { restart = 3 gpu-hours }", "`restart` is a time", "write it in hours", 0),
    (
        "cluster c from hopper { tier rack { latency = 1 us } }",
        "tier `rack` needs bandwidth",
        "write: bandwidth = …",
        0,
    ),
    ("cluster { nodes = 3 }", "a cluster needs a name", "write: cluster my-cluster { ... }", 0),
    (
        "run r from base { batch = 16.8M tokens }",
        "`batch` is not a whole number of sequences",
        "write 2_048 sequences, or 16Mi tokens",
        0,
    ),
    ("run r from base { batch = 2048 }", "`batch` needs a unit", "write 2048 sequences, or 2048 tokens", 0),
    ("run r { model = small, cluster = hopper }", "run `r` needs a batch", "write: batch = 2048 sequences", 0),
    (
        "run r from base { layout { tensor = 2 }, layout.tensor = 4 }",
        "`layout.tensor` is set twice",
        "remove one of the two",
        1,
    ),
    (
        "run r from base { layout.tensor = layout.context, layout.context = layout.tensor }",
        "`layout.tensor` is defined by itself",
        "",
        0,
    ),
    ("run r from base { let a = b, let b = a }", "`a` is defined by itself", "", 1),
    ("let tokens = 3", "`tokens` is a setting of every run", "give the let another name, or move it into the run", 0),
    (
        "let x = cluster.nodes * 2",
        "`cluster.nodes` belongs to a run; a let of the file cannot see it",
        "move the let into the run",
        0,
    ),
    ("let x = 3\nlet x = 4", "`x` is defined twice", "", 1),
    ("let x = x + 1", "`x` is defined by itself", "", 1),
    ("let x = 1 / 0\nrun r from base { frozen = x }", "this has no result", "", 0),
    (
        "let x = 3 months",
        "`months` is not a unit",
        "months and years differ in length: write days or hours (30 days, 365 days)",
        0,
    ),
    (
        "sweep s { base = base, vary { layout.tensr = [1, 2] } }",
        "`layout.tensr` is not a setting of run `base`",
        "did you mean `layout.tensor`?",
        0,
    ),
    ("sweep s { base = base, vary { layout.order = [1] } }", "`layout.order` cannot vary", "", 0),
    (
        "sweep s { base = base, vary { layout.tensor = [] } }",
        "`layout.tensor` varies over nothing",
        "give it values: [1, 2, 4]",
        0,
    ),
    (
        "sweep s { base = base, vary { layout.tensor = 8..1 } }",
        "a range starts at its smaller end",
        "turn the two ends round",
        0,
    ),
    (
        "sweep s { base = base, vary { layout.recompute = 1..2 } }",
        "`layout.recompute` has no range",
        "write: layout.recompute = [none, selective]",
        0,
    ),
    (
        "sweep s { base = base, vary together { layout.tensor = [1, 2], layout.pipeline = [1] } }",
        "settings that vary together have the same number of values",
        "",
        0,
    ),
    ("sweep s { base = base, show = [mfu as GB] }", "`GB` cannot show this", "", 1),
    ("sweep s { base = bass }", "there is no run called `bass`", "did you mean `base`?", 0),
    ("sweep s { vary { batch = [1, 2] sequences } }", "sweep `s` needs base", "write: base = …", 0),
    ("optimize o { base = base }", "optimize `o` needs minimize or maximize", "write: minimize = cost", 0),
    (
        "compare c { between = [base], baseline = other }\nrun other from base { }",
        "the baseline `other` is not compared",
        "add it to between",
        0,
    ),
    ('report "x" { section = [summary] }', "`section` is not a setting of report", "did you mean `sections`?", 0),
    ('report "x" { }\nreport "y" { }', "a file has one report", "make one of the two, or split the file", 0),
    ('check c { advice = "x" }', "check `c` needs a require", "write: require launch_share <= 10%", 0),
    ("require mfu > 3%", "a require stands in a block", "move it into a run, sweep or optimize", 0),
    ("nodes = 3", "`nodes` is set outside of a block", "write: let nodes = …, or put it into a block", 0),
    ("edition 2026", "the edition comes first in a file, once", "move it to the first line", 0),
    (
        'model m { hf = "config.json" }\nrun r from base { model = m }',
        "there is no file `config.json`",
        "it is looked for beside the scenario file",
        0,
    ),
    (
        "run r from base { measured { mfu = 43% } }",
        "measured values need a source",
        'write: source = "where they were published"',
        0,
    ),
    ('run r from base { measured { mfuu = 43%, source = "x" } }', "there is no `mfuu`", "did you mean `mfu`?", 0),
]


@pytest.mark.parametrize(("text", "title", "help", "labels"), FILE_CASES, ids=[case[0][:50] for case in FILE_CASES])
def test_a_wrong_block_has_its_words(text: str, title: str, help: str, labels: int) -> None:
    problems = problems_of(START + text + "\n")
    assert (problems[0].title, problems[0].help, len(problems[0].labels)) == (title, help, labels)
    assert len(problems) == 1, [p.title for p in problems]


@pytest.mark.parametrize("code", sorted({p.code for case in FILE_CASES for p in problems_of(START + case[0])}))
def test_codes_are_explained(code: str) -> None:
    assert code in CODES


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

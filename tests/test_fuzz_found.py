"""What `make fuzz` found: each input as small as it could be made, with what is said of it now."""

import json
from datetime import date
from pathlib import Path

import pytest

from dsl.importers import gemm_table, hf, nccl_tests, nsight
from engine.evaluate import evaluate
from engine.read import read
from reports.acceptance.sheet import of_csv
from reports.dates import dates
from reports.document import build
from reports.imports.asked import Asked, Given
from reports.imports.runs import yaml_runs
from tests.fuzz.files import GEMM, NSIGHT
from tests.language import START, problems_of, scenario_of
from tests.library_models import LIBRARY_GPUS, LIBRARY_MODELS

CLUSTER = "cluster few from hopper { gpus_per_node = 0 }\n"
WINDOW = START.replace("heads = 32", "heads = 32, attention.window = 128 tokens")
FOUND = {
    "an attention of no kind": (
        WINDOW,
        "E13",
        "model `small` needs a kind of attention for `attention.window`",
    ),
    "an attention of no kind in the reduced model": (
        WINDOW.replace("1T tokens", "1T tokens, fidelity = reduced"),
        "E13",
        "model `small` needs a kind of attention for `attention.window`",
    ),
    "a mixer of no kind": (
        START.replace("heads = 32", "heads = 32, mixer.heads = 8"),
        "E13",
        "model `small` needs a kind of mixer for `mixer.heads`",
    ),
    "nodes of no GPUs": (
        START + CLUSTER + "run r from base { cluster = few }\n",
        "E20",
        "`gpus_per_node` is at least 1",
    ),
    "a programme on a cluster of no size": (
        START.replace("  nodes = 16\n", "") + "portfolio p { cluster = hopper, entry one { run = base } }\n",
        "E13",
        "cluster `hopper` needs nodes or gpus",
    ),
}


def test_the_reduced_model_needs_no_sequence_and_no_batch() -> None:
    bare = START.replace(", sequence = 8192 tokens", "").replace(", batch = 2048 sequences", "")
    assert [p.title for p in problems_of(bare)] == ["run `base` needs a sequence", "run `base` needs a batch"]
    assert problems_of(bare.replace("1T tokens", "1T tokens, fidelity = reduced")) == []


@pytest.mark.parametrize("what", FOUND)
def test_a_scenario_is_told_what_it_lacks(what: str) -> None:
    text, code, title = FOUND[what]
    assert (code, title) in [(problem.code, problem.title) for problem in problems_of(text)]


def test_the_reduced_model_without_a_rate_is_a_document_that_says_so() -> None:
    text = START.replace("tokens = 1T tokens", "fidelity = reduced, tokens = 1T tokens")
    document = build(scenario_of(text))
    point = document["experiments"][0]["points"][0]
    assert point["results"]["step_time"] is None and json.dumps(document, allow_nan=False)
    lacking = {row["result"]: row["missing"] for row in point["unavailable"]}
    assert {"accumulation", "cluster.link", "efficiency.compute"} & set(lacking["step_time"])


def test_a_line_end_inside_a_cell_is_a_problem_or_a_blank() -> None:
    found, problems = nsight.read(NSIGHT.replace("sm90", "sm\r90").encode(), "a.csv")
    assert not problems and len(found.traces[0].events) == 2
    assert not nsight.detects('Name,"' + "x" * 200_000)


def test_a_cell_that_never_ends_is_a_problem() -> None:
    rows, problems = gemm_table.read((GEMM + '1024,"' + "x" * 200_000).encode(), "a.csv")
    assert not rows and [problem.code for problem in problems] == ["E16"]
    assert [problem.code for problem in of_csv(b'"a' + b"x" * 200_000, Path("a.csv"))[2]] == ["E02"]


def test_a_sheet_with_old_line_ends_is_read_by_lines() -> None:
    assert "lacks the column" in of_csv(b"a,b\rc,d\r", Path("a.csv"))[2][0].title


def test_a_call_of_no_bytes_has_no_rate(root: Path) -> None:
    data = (root / "tests/data/inputs/c01_nccl_tests.txt").read_bytes()
    found, _ = nccl_tests.read(data.replace(b"  1000000000     250000000", b"  0     250000000", 1), "a.txt")
    assert sum(len(test.rows) for test in found) == 2


@pytest.mark.parametrize(("names", "rows"), [
    ("size count type redop root time algbw busbw #wrong time algbw busbw #wrong", 2),
    ("size count type redop root time algbw busbw #wrong time", 1),  # the names in place are cut
    ("size count type redop root time algbw #wrong busbw", 0),
])  # fmt: skip
def test_a_table_of_collectives_has_its_speeds_side_by_side(names: str, rows: int) -> None:
    line = "1000000000 250000000 float sum -1 5000.0 200.00 350.00 0 5000.0 200.00 350.00 0"
    found, _ = nccl_tests.read(f"# all_reduce_perf, nranks 8\n# {names}\n{line}\n".encode(), "a.txt")
    assert sum(len(test.rows) for test in found) == rows


@pytest.mark.parametrize(("outer", "inner"), [({}, ""), ([], None), ("llama", 7)])
def test_a_model_type_that_is_no_text_is_refused_at_either_place(outer: object, inner: object) -> None:
    text = {} if inner is None else {"model_type": inner}
    data = json.dumps({"model_type": outer, "text_config": text | {"hidden_size": 5120}}).encode()
    found, problems = hf.read_config(data, "config.json")
    assert found is None and [p.title for p in problems] == ["`model_type` of config.json is not a text"]


@pytest.mark.parametrize("stated", ["capex.staff = 5%", "price = 2 $/gpu-hour"])
def test_a_price_that_varies_beside_a_capex_wants_an_ownership(stated: str) -> None:
    text = START.replace("  nodes = 16\n", f"  nodes = 16\n  {stated}\n")
    path, values = ("price", "[1, 3] $/gpu-hour") if "capex" in stated else ("capex.staff", "[5%, 8%]")
    vary = f"vary {{ cluster.{path} = {values} }}"
    text += f"sweep s {{ base = base, {vary}, show = [cost] }}\n"
    (problem,) = problems_of(text)
    assert (problem.code, problem.title) == ("E26", "the cluster has a price and a capex")
    assert problems_of(text.replace("nodes = 16", "nodes = 16, ownership = rented")) == []
    other = text.replace("run base", "cluster other from hopper { ownership = rented }\nrun base")
    assert problems_of(other.replace("vary {", "vary { cluster = [other, other],")) == []


@pytest.mark.parametrize("end", ["\x1c", "\x1e", "\x85", "\u2028", "\v", "\f"])
def test_a_key_that_is_not_used_stays_inside_its_comment(end: str) -> None:
    inner = f"hidden: 4096, layers: 32, ffn: 11008, heads: 32, odd{end}key: 1, vocab: 32000"
    data = f"model: {{{inner}}}\nseq_len: 4096\ngpu: H100-SXM\n".encode()
    made = yaml_runs(Asked((Given("a.yaml", data),)))
    assert not made.problems and "model.odd key" in made.text


def test_a_first_day_after_which_no_calendar_goes_on_has_no_last() -> None:
    text = START + 'report "R" { start = "9999-12-31", date = "0001-01-01" }\n'
    text = text.replace("nodes = 16", "nodes = 16, lead_time = 900 days, commissioning = 9 days")
    document = build(scenario_of(text))
    assert json.dumps(document, allow_nan=False)
    point = {"settings": {"cluster.lead_time": 900 * 86400.0}, "results": {"time_to_train": 1e300}}
    found = dates(point, {"start": "9999-12-31", "date": "0001-01-01"})
    assert (found.last, found.first, found.order) == (None, date(9999, 12, 31), date(9997, 7, 14))


@pytest.mark.parametrize("precision", ["bf16", "fp16", "fp32"])
def test_every_gpu_takes_some_time_or_lacks_a_rate(precision: str) -> None:
    """The V100, whose half precision is fp16 alone, took no number of seconds in fp32, and nothing said why."""
    imports = 'edition 2026\nimport "library/gpus.scn"\nimport "library/models.scn"\n'
    for gpu in LIBRARY_GPUS:
        text = f"cluster c {{ gpu = {gpu}, gpus = 8 gpus, gpus_per_node = 8, tier node {{ bandwidth = 50 GB/s }} }}\n"
        text += f"run r {{ model = llama-3-8b, cluster = c, batch = 64 sequences, precision = {precision} }}\n"
        found = evaluate(read(scenario_of(imports + text).runs[0].plain()), advise=False)
        lacking = found.missing.get("step_time", ())
        assert found.step is not None and (lacking or 0 < found.step.seconds[0] < 1e4), gpu
        assert lacking in ((), (f"cluster.gpu.peak.{precision}",), ("cluster.gpu.peak.bf16",)), gpu

MODELS = sorted(LIBRARY_MODELS)


def test_every_model_of_the_library_takes_some_time() -> None:
    """Two have latent attention without a rank of queries: their step took no number of seconds."""
    assert {"deepseek-v2-lite", "moonlight-16b-a3b"} <= set(MODELS)
    text = "".join(f'import "library/{name}.scn"\n' for name in ("gpus", "models", "stacks", "fabrics"))
    text = f"edition 2026\n{text}cluster c from h100-rail {{ nodes = 64 }}\n"
    for i, model in enumerate(MODELS):
        text += f"run on-{i} {{ model = {model}, cluster = c, batch = 4096 sequences, sequence = 2048 tokens }}\n"
    found = [evaluate(read(run.plain()), advise=False).step for run in scenario_of(text).runs]
    times = {name: step.seconds[0] for name, step in zip(MODELS, found, strict=True) if step is not None}
    assert len(times) > 100 and [name for name, seconds in times.items() if not 0 < seconds < 1e5] == []

"""Values that a setting may hold and no plan has: refused with a reason, or evaluated to finite numbers in seconds."""

import json
import time
import warnings
from typing import Any

import numpy as np
import pytest

from dsl.files import load_text
from dsl.kind import Setting
from dsl.kinds import KINDS
from dsl.resolve import resolve
from dsl.schema import schema
from engine.evaluate import evaluate
from engine.read import read
from engine.schedules.one_f_one_b import stages_ahead, stretches
from engine.validity import divisors
from reports.commands.source import NAMES
from reports.document import build
from reports.point import point_of
from tests.fuzz.values import UNITS, WHOLE
from tests.language import problems_of, scenario_of

IMPORTS = "edition 2026\n" + "".join(f'import "library/{n}.scn"\n' for n in ("gpus", "fabrics", "models", "stacks"))
BLOCKS = ("gpu", "model", "stack", "cluster", "run")


def text(kind: str = "", line: str = "", **run: str) -> str:
    """A run whose GPU, model, stack, cluster and settings are blocks of the file; one of them has one more line."""
    own = {name: f"{line}\n" if name == kind else "" for name in BLOCKS}
    asked = {"tokens": "1T tokens", "batch": "256 sequences", "layout.tensor": "8", "layout.pipeline": "2"} | run
    return f"""{IMPORTS}
gpu g from h100-sxm {{ {own["gpu"]} }}
model m from llama-3-8b {{ {own["model"]} }}
stack s from megatron-core {{ {own["stack"]} }}
cluster c from h100-rail {{ gpu = g, nodes = 16, price = $2/gpu-hour
{own["cluster"]} }}
run r {{ model = m, cluster = c, stack = s
{own["run"]}{"".join(f"{path} = {value}" + chr(10) for path, value in asked.items() if not line.startswith(path))} }}
"""


def written(row: Setting, number: str) -> str:
    """A number in a unit of what a setting holds; empty where it holds none."""
    if row.holds in UNITS:
        return UNITS[row.holds][0][0].format(number)
    return WHOLE[row.holds][0].format(number) if row.holds in WHOLE else ""


def finite(text: str) -> bool:
    """Whether the runs of a text are evaluated, to finite numbers or none; False where it has problems."""
    scenario, problems = resolve(load_text(text, "case.scn"), NAMES)
    if any(problem.severity == "error" for problem in problems):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the command does
        for run in scenario.runs:
            json.dumps(point_of(evaluate(read(run.plain()), advise=False)), allow_nan=False)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("kind", BLOCKS)
def test_a_setting_of_nothing_divides_nothing(kind: str) -> None:
    rows = {path: written(row, "0") for path, row in schema(next(k for k in KINDS if k.name == kind)).rows.items()}
    told = {path: finite(text(kind, f"{path} = {value}")) for path, value in rows.items() if value}
    assert any(told.values()) and (kind == "stack" or not all(told.values()))


@pytest.mark.parametrize(("kind", "path"), [
    *(("gpu", f"efficiency.{of}") for of in ("clock", "gemm", "gemm_fp8", "gemm_fp4", "attention", "memory", "gather")),
    ("gpu", "efficiency.all_reduce"), ("gpu", "efficiency.all_to_all"), ("gpu", "attention.first"),
    *(("gpu", f"attention.{of}") for of in ("forward", "backward", "eager_forward", "eager_backward")),
    ("run", "utilization"), ("run", "efficiency.memory"), ("run", "efficiency.qkv"),
])  # fmt: skip
def test_an_efficiency_of_zero_is_refused_with_what_it_is(kind: str, path: str) -> None:
    (problem,) = problems_of(text(kind, f"{path} = 0%"))
    assert problem.code == "E20" and problem.title.endswith("is more than 0") and problem.notes


@pytest.mark.parametrize(("kind", "line", "title"), [
    ("gpu", "memory = 1e-290 bytes", "`memory` is closer to zero than any quantity"),
    ("model", "hidden = 1e200", "`hidden` is larger than any quantity"),
    ("model", "vocabulary = 1e31", "`vocabulary` is larger than any quantity"),
    ("model", "ffn = 0", "`ffn` is at least 1"),
    ("model", "layers = 10_001", "`layers` is at most 10_000"),
    ("run", "layout.pipeline = 1_001", "`layout.pipeline` is at most 1_000"),
])  # fmt: skip
def test_a_value_that_no_plan_has_is_refused(kind: str, line: str, title: str) -> None:
    assert [(p.code, p.title) for p in problems_of(text(kind, line))] == [("E20", title)]


def test_samples_are_bounded() -> None:
    more = "sensitivity u { base = r, samples = 1_000_001\nvary { tokens = 1T tokens..2T tokens }\nshow = [cost] }\n"
    assert [p.title for p in problems_of(text() + more)] == ["`samples` is at most 1_000_000"]


ABSURD = {
    "a model as wide as it may be": text("model", "hidden = 1e12\nheads = 1e9\nkv_heads = 1e9"),
    "a model of 10 000 layers": text("model", "layers = 10_000"),
    "a vocabulary of 10^13": text("model", "vocabulary = 1e13"),
    "a sequence of 10^12": text("run", "sequence = 1e12 tokens"),
    **{f"10^9 micro-batches, {schedule}": text(**{"batch": "1e9 sequences", "layout.schedule": schedule})
       for schedule in ("gpipe", "one_f_one_b", "interleaved(virtual_stages = 2)", "zero_bubble", "dualpipe_v")},
    "400 stages": text(**{"batch": "100_000 sequences", "layout.pipeline": "400", "layout.tensor": "1",
                            "cluster.nodes": "1_000", "model.layers": "10_000"}),
    "10^6 nodes": text(**{"batch": "1e9 sequences", "cluster.nodes": "1_000_000"}),
    "a failure every moment": text("cluster", "mtbf = 1e-20 hours"),
    "a programme of 10^9 runs": text() + "portfolio p { cluster = c\nentry e { run = r, count = 1e9 } }\n",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ABSURD)
def test_an_absurd_plan_is_evaluated_in_bounded_time(name: str) -> None:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the command does
        document: Any = build(scenario_of(ABSURD[name]))
    assert json.dumps(document, allow_nan=False) and time.process_time() - start < 60


def test_divisors_of_large_numbers() -> None:
    for number in (*range(200), 10**12):
        found = divisors(np.array([float(number)]))
        assert found == sorted(set(found)) and all(number % n == 0 for n in found)
        assert number > 200 or found == [n for n in range(1, number + 1) if number % n == 0]
    assert len(divisors(np.array([1e12]))) == 169


def test_stretches_hold_each_kind_of_stage_as_often() -> None:
    a, b, c = (np.array([float(i)]) for i in range(3))
    whole = (a, b, b, b, c)
    for n in range(1, 6):
        windows = [whole[i : i + n] for i in range(len(whole) - n + 1)]
        brute = {tuple(sum(own is kind for own in window) for kind in (a, b, c)) for window in windows}
        assert stretches(stages_ahead(whole), n) == sorted(brute)

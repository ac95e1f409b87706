"""Every headline number follows from the leaves of its tree, by the printed formulas alone."""

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dsl.follows import FOLLOWS, follows
from dsl.scenario import Run
from engine.evaluate import evaluate
from engine.provenance.quantities import COUNTED
from engine.read import read as engine_run
from reports.commands.source import read
from reports.document import build, evaluated, phased
from reports.provenance import SHOWS_ITS_PASSES, Provenance
from tests.conftest import ROOT
from tests.formulas import from_leaves, index, worked_out

SHIPPED = sorted((ROOT / "scenarios").glob("*.scn"))
SAMPLES = sorted((ROOT / "tests" / "samples").glob("*.scn"))
DIGITS = 1e-12
PHASES = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster hopper {
  gpu = h100-sxm
  nodes = 16
  price = $2/gpu-hour
  mtbf = 50_000 gpu-hours
  spares = 16 gpus
  repair = 4 hours
  slow_rank = 5%
  tier node { bandwidth = 450 GB/s, latency = 1 us }
  tier pod { bandwidth = 400 Gb/s, latency = 10 us }
}
run ramp {
  model = llama-3-8b
  cluster = hopper
  tokens = 1T tokens
  batch = 512 sequences
  checkpoint { mode = async, write = 200 s, host { interval = 5 minutes, survives = 70% } }
  layout { tensor = 2, pipeline = 4, micro_batch = 1 sequence, schedule = interleaved(virtual_stages = 4) }
  phase small { tokens = 100B tokens, batch = 128 sequences }
}
run half from ramp { frozen = 50% }
"""


@cache
def document(file: Path) -> Any:
    source = read(file)
    assert not source.in_error, source.shown
    return build(source.scenario)


@cache
def runs(file: Path) -> tuple[Run, ...]:
    return read(file).scenario.runs


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("phases") / "phases.scn"
    file.write_text(PHASES, encoding="utf-8")
    return file


def same(found: float, value: float, digits: float = DIGITS) -> bool:
    return found == value or abs(found - value) <= digits * abs(value)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_headline_number_follows_from_its_leaves(file: Path) -> None:
    """Leaf values and the text of the formulas are all that is used; the engine is not called."""
    d = document(file)
    items, known = index(d["provenance"]), dict[str, float]()
    trees = {tree["name"]: tree for tree in d["provenance"]}
    assert list(trees) == [key["name"] for key in d["key_numbers"] if key["value"] is not None]
    for key in d["key_numbers"]:
        if key["value"] is not None:
            found = from_leaves(trees[key["name"]], items, known)
            assert float(f"{found:.12g}") == pytest.approx(key["value"], rel=DIGITS), key["name"]
    assert known.keys() == items.keys() or not trees
    for number, item in items.items():
        assert same(known[number], item["value"]), (item["name"], item["formula"])
        assert item["formula"] or item["source"], item
    said(items)
    assert not variables(items.values())


def variables(items: Iterable[dict[str, Any]]) -> set[str]:
    """Numbers that a tree knows by nothing but an expression of the engine, which says nothing to a reader."""
    words = {label for _, label in COUNTED.values()}
    return {item["label"] for item in items if item["kind"] == "counted" and item["label"] not in words}


def said(items: dict[str, Any]) -> None:
    """The line of "team-70b.scn:36" or "library/gpus.scn:22" holds the last word of the setting's path, that of a
    constant its name."""
    for item in items.values():
        place, _, _ = item["source"].partition(": ")
        name, _, line = place.partition(":")
        if item["children"] or not line or item["kind"] not in ("setting", "constant"):
            continue
        folder = ROOT / "scenarios" if name.endswith(".scn") else ROOT
        text = (folder / name).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        word = item["label"].partition("[")[0].rpartition(".")[2]
        assert word in text, (item["label"], text)


def checked(run: Run, digits: float = DIGITS) -> int:
    """Recomputes all results of a run from leaves and holds them against an untraced evaluation; how many there are."""
    made, plain = Provenance(run, phased), evaluated(run).columns
    assert set(plain) - set(made.names) <= {SHOWS_ITS_PASSES}
    for name in made.names:  # under record a run has the same results to the last bit
        assert np.array_equal(made.trees.results[name].value, float(plain[name][0]), equal_nan=True), name
    trees = made.list(made.names)
    items, known = index(trees), dict[str, float]()
    assert not variables(items.values())
    for tree in trees:
        value, found = float(plain[tree["name"]][0]), from_leaves(tree, items, known)
        assert same(found, value, digits) or (math.isnan(value) and tree["value"] is None), tree["name"]
    return len(trees)


@pytest.mark.slow
@pytest.mark.parametrize("file", [*SHIPPED, *SAMPLES], ids=lambda file: file.stem)
def test_all_results_of_all_runs_follow_from_their_leaves(file: Path) -> None:
    for run in runs(file):
        assert checked(run) >= 20


def test_phases_spares_faster_checkpoints_and_frozen_parameters_follow_from_their_leaves(phases: Path) -> None:
    """The best interval of a copy to host memory, a thirtieth of a second in hundreds of hours, is a root that float64
    holds to less than 12 digits."""
    for run in runs(phases):
        assert checked(run, 1e-11) >= 60


def test_the_recomputed_number_hangs_on_its_leaves(root: Path) -> None:
    """Twice the peak: the step gets shorter where GEMMs set it, and the utilization falls."""
    tree = Provenance(runs(root / "scenarios" / "team-70b.scn")[0], phased).list(["mfu"])[0]
    items = index([tree])
    before = from_leaves(tree, items, {})
    peak = next(item for item in items.values() if item["label"] == "cluster.gpu.peak.bf16")
    peak["value"] *= 2
    assert 0.5 < from_leaves(tree, items, {}) / before < 0.9


def test_the_reduced_model_hangs_on_stages_and_layers_as_they_are_stated(root: Path) -> None:
    """n = tp pp dp; 4 L collectives a micro-batch: pp and L are plain whole numbers in the engine."""
    trees = Provenance(runs(root / "scenarios" / "reduced-70b.scn")[0], phased).list(["step_time"])
    items = list(index(trees).values())
    formulas = {item["label"]: item["formula"] for item in items}
    assert formulas["GPUs that work"] == "layout.tensor × layout.pipeline × layout.data"
    tensor = next(item for item in items if item["name"] == "tensor_communication")
    assert tensor["formula"].startswith("4 × model.layers × accumulation × ring_factor × ")
    bubble = next(item for item in items if item["name"] == "bubble_time")
    assert bubble["formula"] == "compute_time × (layout.pipeline - 1) / accumulation"
    stated = {item["label"]: (item["value"], item["kind"]) for item in items}
    assert stated["layout.pipeline"] == (4, "setting") and stated["model.layers"] == (80, "setting")


def test_after_a_record_nothing_is_traced_any_more(root: Path) -> None:
    run = runs(root / "scenarios" / "team-70b.scn")[0]
    Provenance(run, phased)
    columns = evaluate(engine_run(run.plain()), advise=False).columns
    assert {type(column) for column in columns.values()} == {np.ndarray}


@pytest.mark.parametrize("path", FOLLOWS)
def test_formulas_of_derived_settings_give_what_the_language_works_out(path: str) -> None:
    rows = {file: follows(path, run.plain()) for file in [*SHIPPED, *SAMPLES] for run in runs(file)}
    for file, row in rows.items():
        if row is not None:
            plain = runs(file)[-1].plain()
            parts = {name: float(plain[name]) for name in row.inputs}
            assert worked_out(row.text, parts) == pytest.approx(plain[path], rel=1e-15)
    if path in ("cluster.gpus", "sequence", "model.head", "layout.data"):
        assert any(rows.values())


def test_failures_of_the_library_are_the_mtbf(tmp_path: Path) -> None:
    file = tmp_path / "plan.scn"
    file.write_text(PHASES.replace("  mtbf = 50_000 gpu-hours\n", ""), encoding="utf-8")
    tree = Provenance(runs(file)[0], phased).list(["mtbf"])[0]
    (cause,) = tree["children"]
    assert "hazard.gpu" in cause["formula"] and len(cause["children"]) == 6
    assert from_leaves(tree, index([tree]), {}) == pytest.approx(tree["value"], rel=1e-14)

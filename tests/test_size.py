"""Size: the answer is the cheapest of all points, the fewest GPUs are the fewest, misses are named; the command."""

import json
from pathlib import Path
from typing import Any

import pytest

from dsl.catalog import catalog
from dsl.layout_space import ONCE
from engine.evaluate import evaluate
from engine.read import read as read_settings
from reports import figures
from reports.commands.size import amount_of, counted_range, usual_price
from reports.commands.source import read
from reports.document import build, exit_code
from reports.html import render_html
from reports.sections.size import layout, sentences
from tests.language import START, problems_of, scenario_of
from tests.test_figures import whole
from tests.test_render import call

PLAN = START.replace("nodes = 16", "nodes = 16, price = $2/gpu-hour") + """
gpu fast from h { peak { bf16 = 1978 TFLOPS }, memory = 160 GB, memory_bandwidth = 6.7 TB/s, power = 1000 W }
cluster quick from hopper { gpu = fast, price = $3/gpu-hour }
size which "How many?" {
  base = base
  clusters = [hopper, quick]
  gpus = [64, 128, 256]
  vary { layout.tensor = [1, 2, 4], layout.recompute = [none, selective, full], layout.shard = [zero1, zero3] }
  %s
}
"""
DAY = 86400.0


def sized(block: str, *overrides: str) -> dict[str, Any]:
    """The document of a file with one size, read back from JSON."""
    return dict(json.loads(json.dumps(build(scenario_of(PLAN % block, *overrides)), allow_nan=False)))


def of(document: dict[str, Any]) -> dict[str, Any]:
    return dict(next(e for e in document["experiments"] if e["kind"] == "size"))


def by_hand(days: float, cost: float) -> list[tuple[float, float, str]]:
    """(cost, GPUs, cluster) of every point that meets a deadline and a budget, each evaluated by itself."""
    found = []
    for cluster in ("hopper", "quick"):
        for gpus in (64, 128, 256):
            for tensor in (1, 2, 4):
                for recompute in ("none", "selective", "full"):
                    for shard in ("zero1", "zero3"):
                        given = (f"base.cluster={cluster}", f"cluster.gpus={gpus}", f"layout.tensor={tensor}",
                                 f"layout.recompute={recompute}", f"layout.shard={shard}")  # fmt: skip
                        (run,) = scenario_of(PLAN.partition("size which")[0], *given).runs
                        result = evaluate(read_settings(run.plain()), advise=False)
                        if result.status == "ok":
                            time, usd = (float(result.columns[n][0]) for n in ("time_to_train", "cost"))
                            if time <= days * DAY and usd <= cost:
                                found.append((usd, float(gpus), cluster))
    return found


@pytest.mark.slow
def test_the_answer_is_that_of_a_plain_loop_over_every_point() -> None:
    found = of(sized("deadline = 30 days, budget = $150k"))
    met = by_hand(30, 150e3)
    own = {p["index"]: p for p in found["points"]}
    best = own[found["chosen"]]
    assert found["counts"]["met"] == len(met) > 0
    assert best["results"]["cost"] == pytest.approx(min(met)[0], rel=1e-9)
    assert best["settings"]["cluster"] == min(met)[2]
    for answer in found["answers"]:
        mine = [m for m in met if m[2] == answer["cluster"]]
        assert answer["met"] == len(mine)
        assert own[answer["fewest"]]["settings"]["cluster.gpus"] == min(m[1] for m in mine)
        assert own[answer["cheapest"]]["results"]["cost"] == pytest.approx(min(mine)[0], rel=1e-9)


def test_deadline_and_budget_are_requirements_with_their_reasons() -> None:
    found = of(sized("deadline = 30 days, budget = $150k, require mfu >= 1%"))
    assert [(r["text"], r["because"]) for r in found["requires"]] == [
        ("mfu >= 1%", None),
        ("time_to_train <= 30 days", "the deadline of which"),
        ("cost <= $150k", "the budget of which"),
    ]
    assert (found["deadline"], found["budget"]) == (30 * DAY, 150e3)


def test_without_an_answer_the_nearest_miss_is_named_and_the_exit_code_is_one() -> None:
    document = sized("deadline = 30 days, budget = $1k")
    found = of(document)
    assert found["chosen"] is None and found["best"] == [] and exit_code(document) == 1
    for answer in found["answers"]:
        assert answer["cheapest"] is None and answer["nearest"]["require"] == "cost <= $1k"
    page = render_html(document)
    assert "No answer." in page and "Clusters without an answer" in page
    assert all("no number of GPUs meets all: cost &lt;= $1k" not in s for s in sentences(found))
    assert sentences(found)[0].startswith("h (hopper): no number of GPUs meets all: cost <= $1k stands against")


def test_the_nearest_miss_is_one_of_its_own_cluster() -> None:
    """Every rule counts each point once, and the least cost of each cluster is its nearest to a budget of $1k."""
    found = of(sized("deadline = 30 days, budget = $1k"))
    (cost,) = [r for r in found["removed"] if r["rule"] == "cost <= $1k"]
    fits = found["counts"]["points"] - found["counts"]["does_not_fit"] - found["counts"]["cannot_be_built"]
    assert cost["points"] == fits == found["counts"]["failed"]
    own = {p["index"]: p for p in found["points"]}
    assert len(found["answers"]) == 2
    for answer, first in zip(found["answers"], by_cluster(30), strict=True):
        near = own[answer["nearest"]["index"]]
        assert near["settings"]["cluster"] == answer["cluster"] == first[2]
        assert near["results"]["cost"] == pytest.approx(first[0], rel=1e-9)
        assert answer["nearest"]["gap"] == pytest.approx(1 - 1e3 / first[0], rel=1e-9)


def by_cluster(days: float) -> list[tuple[float, float, str]]:
    """The cheapest point of each cluster that meets a deadline."""
    met = by_hand(days, 1e12)
    return [min(m for m in met if m[2] == cluster) for cluster in ("hopper", "quick")]


def test_without_a_price_the_fewest_gpus_are_the_answer() -> None:
    text = (PLAN % "deadline = 60 days").replace(", price = $2/gpu-hour", "").replace(", price = $3/gpu-hour", "")
    found = of(build(scenario_of(text)))
    own = {p["index"]: p for p in found["points"]}
    few = min(own[a["fewest"]]["settings"]["cluster.gpus"] for a in found["answers"])
    assert own[found["chosen"]]["settings"]["cluster.gpus"] == few


def test_a_budget_without_a_price_is_open_and_said_to_be() -> None:
    text = (PLAN % "deadline = 60 days, budget = $1k").replace(", price = $3/gpu-hour", "")
    text = text.replace(", price = $2/gpu-hour", "")
    found = of(document := build(scenario_of(text)))
    assert [a["open"] for a in found["answers"]] == [["cost <= $1k"]] * 2
    assert "could not be judged: cost &lt;= $1k of hopper" in render_html(document)
    assert "not judged: cost <= $1k" in sentences(found)[0]


def test_a_deadline_that_is_a_name_is_read_where_it_stands() -> None:
    text = PLAN.replace("gpu h {", "let limit = 30 days\ngpu h {", 1) % "deadline = limit"
    assert of(build(scenario_of(text)))["requires"][-1]["text"] == "time_to_train <= limit"


@pytest.mark.slow
def test_without_vary_every_layout_and_size_is_tried() -> None:
    text = (PLAN % "deadline = 60 days").replace("  gpus = [64, 128, 256]\n", "")
    start, end = text.index("  vary {"), text.index("}\n", text.index("  vary {")) + 2
    found = of(build(scenario_of(text[:start] + text[end:])))
    assert [a["path"] for a in found["axes"]][:2] == ["cluster", "cluster.gpus"]
    assert found["axes"][1]["values"] == [2**k for k in range(3, 15)]
    assert {"layout.tensor", "layout.pipeline", "layout.schedule"} <= {a["path"] for a in found["axes"]}


def test_all_layouts_reach_as_far_as_the_widest_cluster() -> None:
    """The run's nodes have 8 GPUs, those of the other cluster 32: tensor parallelism to 32, the model's heads."""
    text = PLAN % "deadline = 60 days"
    start, end = text.index("  vary {"), text.index("}\n", text.index("  vary {")) + 2
    wide = "cluster quick from hopper { gpus_per_node = 32, gpu = fast,"
    both = text[:start] + text[end:]
    for given, most in ((both, 8.0), (both.replace("cluster quick from hopper { gpu = fast,", wide), 32.0)):
        (table,) = scenario_of(given).tables
        (tensor,) = [a for a in table.axes if a.path == "layout.tensor"]
        (micro,) = [a for a in table.axes if a.path == "layout.micro_batch"]
        assert max(tensor.values) == most and micro.texts[:2] == ("1 sequence", "2 sequences")
        assert [w.text for w in table.wheres] == [ONCE]


def test_the_report_says_how_many(tmp_path: Path) -> None:
    (tmp_path / "a.scn").write_text(PLAN % "deadline = 30 days, budget = $150k", encoding="utf-8")
    document = build(read(tmp_path / "a.scn").scenario)
    page = render_html(document)
    assert "What meets every requirement" in page and "The cheapest is" in page
    picture = figures.of_experiment("front", of(document))
    assert picture is not None
    whole(picture)


@pytest.mark.parametrize(("old", "new", "code"), [
    ("clusters = [hopper, quick]", "clusters = [hopper, quik]", "E15"),
    ("gpus = [64, 128, 256]", "gpus = [64, 128] GB", "E18"),
    ("deadline = 30 days", "deadline = 30 GB", "E18"),
    ("deadline = 30 days", "deadline = 0 days", "E20"),
    ("base = base", "base = bass", "E15"),
    ("tokens = 1T tokens, ", "", "E13"),
])  # fmt: skip
def test_mistakes(old: str, new: str, code: str) -> None:
    text = PLAN % "deadline = 30 days"
    assert old in text
    found = problems_of(text.replace(old, new))
    assert code in {p.code for p in found}


def test_a_layout_in_one_line() -> None:
    settings = {"layout.tensor": 8.0, "layout.data": 64.0, "layout.pipeline": 1.0, "layout.shard": "zero1"}
    assert layout(settings) == "TP 8 · DP 64, ZeRO-1"


def test_prices_are_the_median_of_what_can_be_relied_on() -> None:
    """H100: 2.35, 2.95, 3.99, 6.88 and 10.00 without the preemptible 1.25."""
    name, said = usual_price(catalog(), "h100-sxm")
    assert name == "h100-lambda.rent" and said == "$3.99/gpu-hour: the median of the library's 5 rents of this GPU"
    assert usual_price(catalog(), "no-such-part") == ("", "")


@pytest.mark.parametrize(("text", "amount"), [("20M", "20M"), ("$20M", "20M"), ("20M$", "20M"), ("1,500", "1_500")])
def test_sums_of_money(text: str, amount: str) -> None:
    assert amount_of(text) == amount


@pytest.mark.parametrize(("text", "ends"), [("8..64", (8, 64)), ("1_024", (1024, 1024))])
def test_ranges_of_gpus(text: str, ends: tuple[int, int]) -> None:
    assert counted_range(text) == ends


SMALL = ("--model", "llama-3.1-8b", "--tokens", "1T", "--gpu", "h100-sxm", "--count", "128..256", "--price", "2")


@pytest.mark.slow
def test_the_command_answers_writes_a_scenario_and_says_what_is_wrong(tmp_path: Path) -> None:
    done = call("scn", "size", *SMALL, "--days", "30", "--budget", "500k", "plan.scn", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "h100-sxm (on-h100-sxm), cheapest:" in done.out and "plan.scn: written" in done.out
    assert call("scn", "check", "plan.scn", cwd=tmp_path).code == 0
    assert call("scn", "fmt", "--check", "plan.scn", cwd=tmp_path).code == 0
    assert call("scn", "size", *SMALL, "plan.scn", cwd=tmp_path).code == 3  # it is there already
    found = json.loads(call("scn", "size", *SMALL, "--days", "30", "--format", "json", cwd=tmp_path).out)
    assert found["kind"] == "size" and found["chosen"] is not None
    assert call("scn", "size", *SMALL, "--days", "0.1", cwd=tmp_path).code == 1


@pytest.mark.parametrize("wrong", [
    ("--gpu", "h1000"), ("--model", "lama"), ("--budget", "much"), ("--count", "9..8"), ("--price", "2,3"),
    ("--tokens", "many"), ("--days", "0"),
])  # fmt: skip
def test_what_is_not_there_is_a_usage_error(wrong: tuple[str, str], tmp_path: Path) -> None:
    given = dict(zip(SMALL[::2], SMALL[1::2], strict=True)) | {wrong[0]: wrong[1]}
    done = call("scn", "size", *(part for pair in given.items() for part in pair), cwd=tmp_path)
    assert done.code == 2 and done.err and "Traceback" not in done.err

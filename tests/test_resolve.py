"""From, references, defaults, settings that follow from others, and what a document holds."""

import pytest

from dsl.scenario import Portfolio, Value
from reports.validation.settings import template
from tests.language import START, problems_of, scenario_of


def settings(text: str, *overrides: str) -> dict[str, Value]:
    """The settings of the last run of START and ``text``."""
    return scenario_of(START + text, *overrides).runs[-1].settings


def plain(text: str, *overrides: str) -> dict[str, object]:
    """The same, only the values."""
    return {path: value.value for path, value in settings(text, *overrides).items()}


# from


def test_from_copies_then_overrides() -> None:
    text = """cluster larger from hopper {
  nodes = 32
  tier pod { span = 64 gpus, latency = 9 us }
  tier spine { bandwidth = 100 Gb/s, oversubscription = 7:1 }
}
run r from base { cluster = larger, layout.order = [data, tensor] }
"""
    found = plain(text)
    assert found["cluster.gpus"] == 256
    assert found["cluster.tier"] == ("node", "pod", "spine")  # merged by name, new ones last
    assert (found["cluster.tier.pod.latency"], found["cluster.tier.pod.bandwidth"]) == (9e-6, 50e9)
    assert found["layout.order"] == ("data", "tensor")  # lists replace
    assert found["tokens"] == 1e12


def test_an_overridden_setting_remembers_both_lines() -> None:
    tokens = settings("run r from base {\n  tokens = 2T tokens\n}\n")["tokens"]
    batch = settings("run r from base {\n  tokens = 2T tokens\n}\n")["batch"]
    assert tokens.span is not None and tokens.instead_of is not None
    assert (tokens.origin, tokens.where, tokens.instead_of.line) == ("stated", "case.scn:18", 16)
    assert (batch.origin, batch.where) == ("inherited", "case.scn:16")


def test_nodes_and_gpus_replace_each_other_in_a_copy() -> None:
    assert plain("cluster c from hopper { gpus = 48 }\nrun r from base { cluster = c }")["cluster.nodes"] == 6
    assert plain("cluster c from hopper { gpus = 1 }\nrun r from base { cluster = c }")["cluster.nodes"] == 1


def test_a_choice_with_arguments_is_replaced_whole() -> None:
    text = """run a from base { layout.schedule = interleaved(virtual_stages = 4) }
run b from a { layout.schedule = one_f_one_b }"""
    found = plain(text)
    assert found["layout.schedule"] == "one_f_one_b"
    assert "layout.schedule.virtual_stages" not in found


def test_a_copied_stack_has_the_range_and_not_the_runs() -> None:
    """22 runs were of MaxText on H100; its TPU variant, which copies it, has none of them and says so by silence."""
    own, copy = (template("h100-sxm", name) for name in ("jax-maxtext", "jax-maxtext-tpu"))
    assert (own["stack.measured_rows"], copy.get("stack.measured_rows")) == (22, None)
    assert own["stack.measured_high"] == copy["stack.measured_high"] == 1.21
    peaks = {name: template("h100-sxm", name).get("stack.memory_rows") for name in ("nemo", "llama-3", "deepspeed")}
    assert peaks == {"nemo": 20, "llama-3": None, "deepspeed": 0}


def test_measured_values_are_not_inherited_and_requires_are() -> None:
    text = """run a from base { require mfu > 1%, measured { mfu = 43%, source = "paper" } }
run b from a { tokens = 2T tokens }"""
    a, b = scenario_of(START + text).runs[1:]
    assert (a.measured[0].values["mfu"].value, a.measured[0].source, b.measured) == (0.43, "paper", ())
    assert [rule.origin for rule in b.requires] == ["a"]


# what follows from what


@pytest.mark.parametrize(
    ("line", "path", "value"),
    [
        ("batch = 16Mi tokens", "batch", 2048),
        ("layout.shard = zero3(within = pod)", "layout.shard.within", "pod"),
        ("layout.shard = zero3(group = 64 gpus)", "layout.shard.group", 64),
        ("layout.shard = zero1", "layout.shard.within", "all"),
        ("layout.schedule = interleaved", "layout.schedule.virtual_stages", 2),
        ("layout.tensor = 8", "layout.data", 16),
        ("layout.tensor = 8", "layout.sequence_parallel", True),
        ("layout.tensor = 1", "layout.sequence_parallel", False),
        ("layout { tensor = 3 }", "layout.data", 42),
        ("sequence = 4096 tokens", "batch_tokens", 2048 * 4096),
        ("checkpoint.interval = 27 minutes", "checkpoint.rule", "stated"),
        ("checkpoint.interval = young", "checkpoint.rule", "young"),
        ("checkpoint.interval = 27 minutes", "checkpoint.interval", 1620),
        ("frozen = 30%", "frozen", 0.3),
        ("frozen = 0.3", "frozen", 0.3),
        ("kernels.graphs = layout.tensor == 1", "kernels.graphs", True),
        ("layout.recompute = if layout.tensor > 1 then none else full", "layout.recompute", "full"),
        ("layout.recompute = selective", "layout.recompute.ops", ("sdpa",)),
        ("cluster.nodes = 4", "cluster.gpus", 32),
        ("cluster.tier.pod.latency = 2 us", "cluster.tier.pod.latency", 2e-6),
        ("tokens = 20 * model.layers * 1B tokens", "tokens", 640e9),
    ],
)
def test_settings_that_follow(line: str, path: str, value: object) -> None:
    assert plain(f"run r from base {{ {line} }}")[path] == value


@pytest.mark.parametrize(
    ("line", "path", "value"),
    [
        ("mtbf = 12 hours", "cluster.mtbf", 43200),
        ("mtbf = 50_000 gpu-hours", "cluster.mtbf", 50_000 * 3600 / 128),
        ("price = $2/gpu-hour", "cluster.price", 2 / 3600),
        ("power_price = $0.07/kWh", "cluster.power_price", 0.07 / 3.6e6),
        ("carbon_intensity = 0.4 kgCO2/kWh", "cluster.carbon_intensity", 0.4 / 3.6e6),
        ("capex { gpu = $30k }", "cluster.ownership", "owned"),
        ("capex { gpu = $30k }, price = $2/gpu-hour, ownership = rented", "cluster.ownership", "rented"),
        ("pue = 1.2", "cluster.ownership", "rented"),
        ("storage { write = 4 GB/s * nodes }", "cluster.storage.write", 64e9),
        ("spares = 8", "cluster.spares", 8),
    ],
)
def test_settings_of_a_cluster(line: str, path: str, value: object) -> None:
    found = plain(f"cluster c from hopper {{ {line} }}\nrun r from base {{ cluster = c }}")
    assert found[path] == pytest.approx(value) if isinstance(value, float) else found[path] == value


def test_the_price_of_the_gpu_serves_where_the_cluster_has_none() -> None:
    text = "gpu p from h { price = $3/gpu-hour }\ncluster c from hopper { gpu = p }\nrun r from base { cluster = c }"
    price = settings(text)["cluster.price"]
    assert (price.value, price.origin, price.note) == (3 / 3600, "derived", "the gpu's own price")


def test_a_setting_of_another_block_brings_its_source() -> None:
    text = """price p { gpu = h, rent = $2.35/gpu-hour, source = "an index", confidence = quote }
cluster c from hopper { price = p.rent }
run r from base { cluster = c }"""
    price = settings(text)["cluster.price"]
    assert (price.value, price.source, price.confidence) == (pytest.approx(2.35 / 3600), "an index", "quote")
    assert price.note == "p.rent, case.scn:17"


def test_spans_of_tiers_default_to_a_node_and_to_all_gpus() -> None:
    found = settings("")
    assert (found["cluster.tier.node.span"].value, found["cluster.tier.pod.span"].value) == (8, 128)
    assert found["cluster.tier.pod.span"].origin == "default"
    (problem,) = problems_of(
        START + "cluster c from hopper { tier spine { bandwidth = 1 GB/s } }\nrun r from base { cluster = c }"
    )
    assert problem.title == "tier `pod` needs a span"


def test_every_default_is_said_to_be_one() -> None:
    found = settings("")
    wanted = {
        "layout.context": 1,
        "layout.pipeline": 1,
        "layout.order": ("tensor", "context", "data", "pipeline"),
        "layout.schedule": "one_f_one_b",
        "layout.recompute": "none",
        "layout.shard": "zero1",
        "layout.sequence_parallel": False,
        "precision": "bf16",
        "kernels.flash": True,
        "checkpoint.rule": "best",
        "checkpoint.mode": "sync",
        "cluster.restart": 600,
        "cluster.spares": 0,
        "cluster.pue": 1.3,
        "cluster.ownership": "rented",
        "layout.tp_overlap": "async_backward",
        "layout.overlap.data": True,
        "layout.split": "balanced",
        "cluster.placement": "packed",
        "stack": "megatron-core",
        "layout.data": 128,
    }
    assert {path: found[path].value for path in wanted} == wanted
    assert {found[path].origin for path in wanted} == {"default"}


def test_what_is_absent_is_absent() -> None:
    found = settings("run r { model = small, cluster = hopper, batch = 64 sequences }")
    assert not {"tokens", "cluster.price", "cluster.power_price", "checkpoint.interval", "model.experts.routed"} & set(
        found
    )


def test_the_library_gives_the_stack_and_the_failure_rates() -> None:
    found = settings("")
    assert found["stack.kernel_gap"].origin == "library"
    rates = sum(found[f"hazard.{part}"].value for part in ("gpu", "host", "network", "software", "other"))
    assert found["cluster.mtbf"].value == pytest.approx(8760 * 3600 / rates / 128)
    assert found["cluster.mtbf"].origin == "default" and "hazard" in found["cluster.mtbf"].note
    large = settings("cluster large from hopper { nodes = 2048 }\nrun q from base { cluster = large }\n")
    assert large["cluster.mtbf"].note.endswith("over 16\u00a0384 GPUs")
    assert large["cluster.gpus"].note == "2\u00a0048 nodes of 8 GPUs"


def test_no_tiers_one_gpu_no_tokens() -> None:
    text = "cluster one { gpu = h, gpus = 1 }\nrun r { model = small, cluster = one, batch = 4 sequences }"
    found = plain(text)
    assert (found["cluster.gpus"], found["cluster.nodes"], found["layout.data"]) == (1, 1, 1)
    assert "cluster.tier" not in found


def test_a_layout_larger_than_the_cluster_is_left_to_the_engine() -> None:
    assert "layout.data" not in plain("run r from base { layout.tensor = 256 }")


def test_accumulation_instead_of_a_batch() -> None:
    text = "run r { model = small, cluster = hopper, accumulation = 8, layout.tensor = 8 }"
    assert plain(text)["batch"] == 8 * 16


# documents


def test_a_report_is_kept_with_its_blocks() -> None:
    text = """report "Buy" {
  kind = procurement, sections = [summary, cost], date = "2026-03-31", show = [mfu, cost as $M called "Price"]
  condition "Price holds" { owner = "procurement", due = "2026-04-30" }
  approval "A. Reader" { role = "head of infrastructure" }
  revision "2" { change = "prices" }
}
"""
    scenario = scenario_of(START + text)
    report = scenario.report
    assert report is not None and scenario.title == "Buy"
    assert report.settings["sections"].value == ("summary", "cost")
    assert report.settings["paper"].value == "A4"
    assert "kind" in report.settings and "author" not in report.settings
    assert (report.show[1].text, report.show[1].called, report.show[1].unit) == ("cost", "Price", "$M")
    assert report.conditions == ({"title": "Price holds", "owner": "procurement", "due": "2026-04-30"},)
    assert (report.approvals[0]["role"], report.revisions[0]["change"]) == ("head of infrastructure", "prices")


def test_checks_of_the_file_stand_before_those_of_the_library() -> None:
    text = """check ours "Ours" {
  severity = fail, when = layout.tensor > 1, let x = 10%
  require launch_share <= x because "slow"
  limit = x
}
"""
    check = scenario_of(START + text).checks[0]
    assert (check.name, check.severity, check.requires[0].because) == ("ours", "fail", "slow")
    assert check.when is not None and check.when({"layout.tensor": 4}) is True
    assert check.limit is not None and check.limit({}) == 0.1
    assert check.requires[0].holds({"launch_share": 0.2}) is False


def test_experiments_keep_the_files_order() -> None:
    text = """compare c { between = [base] }
sweep s { base = base, vary { batch = 512..2048 sequences doubling } }
run last from base { }
roofline x { gpu = h }
"""
    assert [e.kind for e in scenario_of(START + text).experiments] == ["run", "compare", "sweep", "run", "roofline"]


def test_other_kinds_check() -> None:
    text = """scale s { base = base, over = cluster.nodes, points = [2, 4, 8], mode = weak, show = [mfu] }
sensitivity t {
  base = base
  vary {
    cluster.price = 1..3 $/gpu-hour, cluster.gpu.efficiency.gemm = normal(80%, 3%)
    cluster.pue = triangular(1.1, 1.2, 1.5), tokens = lognormal(1T tokens, 1.2)
  }
  samples = 500
}
"""
    scale, sensitivity = scenario_of(START + text).tables
    assert scale.settings["points"].value == (2, 4, 8)
    assert sensitivity.axes[1].values[0] == {"distribution": "normal", "arguments": (0.8, 0.03)}


def test_a_range_that_does_not_land_and_a_round_thousand_are_warned_of() -> None:
    text = """sweep s { base = base, vary { layout.tensor = 1..48 doubling } }
model k from small { sequence = 8k tokens }
"""
    warnings = scenario_of(START + text).warnings
    assert [w.title for w in warnings] == ["this range stops at 32", "8k is 8_000"]
    assert warnings[1].help == "write 8Ki tokens for 8_192"


def test_measured_points_of_a_sweep() -> None:
    text = """sweep s {
  base = base
  vary { layout.tensor = [1, 2] }
  measured at layout.tensor = 2 and batch = 2048 sequences { mfu = 40%, source = "ours" }
}
"""
    (table,) = scenario_of(START + text).tables
    assert table.measured[0].at == {"layout.tensor": 2, "batch": 2048}


def test_an_edition_that_is_absent_is_noted() -> None:
    assert scenario_of(START).notes == ()
    assert scenario_of(START.replace("edition 2026\n", "")).notes == (
        "case.scn states no edition: read as edition 2026",
    )


def test_long_chains_are_problems_not_exceptions() -> None:
    lets = (
        "let a0 = 1\n"
        + "".join(f"let a{i} = a{i - 1} + 1\n" for i in range(1, 3000))
        + "run r from base { frozen = a2999 * 0% }\n"
    )
    assert {p.code for p in problems_of(START + lets)} <= {"E05"}
    blocks = "".join(f"run r{i + 1} from r{i} {{ }}\n" for i in range(3000)).replace("from r0 ", "from base ")
    assert {p.code for p in problems_of(START + blocks)} <= {"E05"}


def codes(text: str, *overrides: str) -> list[str]:
    return [problem.code for problem in problems_of(START + text, *overrides)]


def test_what_only_echoes_another_problem_is_left_out() -> None:
    """A let that may not stand there is not missed as well; one that hides a setting does not lead back to itself."""
    assert codes("cluster c from hopper { let few = 3, nodes = few }\n") == ["E28"]
    assert codes("let batch = batch * 3\nlet few = zz\n") == ["E25", "E15"]
    assert codes("let few = few * 3\nlet many = zz\n") == ["E23", "E15"]


def test_a_file_without_an_edition_is_noted_and_has_its_name_for_a_title() -> None:
    made = scenario_of(START)
    assert (made.notes, made.title, made.edition) == ((), "case", 2026)
    bare = scenario_of(START.replace("edition 2026\n", ""))
    assert bare.notes == ("case.scn states no edition: read as edition 2026",)


def test_what_is_set_for_a_block_takes_the_place_of_its_alternative() -> None:
    sizes = ("cluster.nodes", "cluster.gpus")
    for text, numbers in (
        ("hopper.gpus=64", (8.0, 64.0)),
        ("hopper.nodes=3", (3.0, 24.0)),
        ("hopper.ports=2", (16.0, 128.0)),
    ):
        settings = scenario_of(START, text).runs[0].settings
        assert tuple(settings[path].value for path in sizes) == numbers


ENTRIES = """
run own from base { cluster.nodes = 8 }
portfolio p {
  cluster = hopper
  entry few { run = own, gpus = 32 }
  entry all { run = own }
}
"""


@pytest.mark.parametrize("overrides", [(), ("own.cluster.nodes=12",), ("cluster.nodes=16",)])
def test_a_run_of_a_portfolio_has_the_gpus_of_its_entry(overrides: tuple[str, ...]) -> None:
    """Neither its own nodes nor those that --set states for it; the run itself keeps them."""
    made = scenario_of(START + ENTRIES, *overrides)
    (few, every) = next(e for e in made.experiments if isinstance(e, Portfolio)).entries
    assert [few.run.settings[path].value for path in ("cluster.gpus", "cluster.nodes")] == [32.0, 4.0]
    assert every.run.settings["cluster.gpus"].value == 128.0
    own = {(): 64.0, ("own.cluster.nodes=12",): 96.0, ("cluster.nodes=16",): 128.0}[overrides]
    assert made.runs[1].settings["cluster.gpus"].value == own

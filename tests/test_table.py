"""Settings of a run: their values, where each comes from, what they are in an expression, which a run may have."""

import pytest

from dsl.algebra import ANY, FLAG, Type
from dsl.files import load_text
from dsl.kinds import Setting
from dsl.resolve import Resolution
from dsl.table import Table, result_type, row_type
from dsl.units import BYTE, NONE, SECOND, plus
from tests.language import RESULTS, START, scenario_of
from tests.told import lines_of

BOUGHT = START.replace("edition 2026", 'edition 2026\nimport "library/gpus.scn"') + """\
price deal { rent = $3.60/gpu-hour, source = "a letter", as_of = "2026-03-05" }
let few = 3
cluster c from hopper { gpu = b200, price = deal.rent, nodes = hopper.nodes }
calibration k { source = "a run", tier node { gather = 300 GB/s } }
run r from base {
  cluster = c, calibration = k, batch = 96 sequences
  layout { tensor = few, schedule = interleaved(virtual_stages = 4), pipeline = 2 }
}
"""  # fmt: skip
LINE = START.count("\n") + 2  # of the first line of what is added


def test_where_each_setting_comes_from() -> None:
    found = scenario_of(BOUGHT).runs[1].settings
    assert {path: (found[path].value, found[path].origin, found[path].where) for path in (
        "layout.tensor", "layout.schedule", "layout.schedule.virtual_stages", "batch", "tokens", "model.layers",
        "layout.context", "cluster.gpus", "cluster.gpu.name", "calibration.tier.node.gather", "cluster.tier",
    ) if path in found} == {
        "layout.tensor": (3.0, "stated", f"case.scn:{LINE + 6}"),
        "layout.schedule": ("interleaved", "stated", f"case.scn:{LINE + 6}"),
        "layout.schedule.virtual_stages": (4.0, "stated", f"case.scn:{LINE + 6}"),
        "batch": (96.0, "stated", f"case.scn:{LINE + 5}"),
        "tokens": (1e12, "inherited", f"case.scn:{LINE - 1}"),
        "model.layers": (32.0, "stated", "case.scn:9"),
        "layout.context": (1.0, "default", ""),
        "cluster.gpus": (128.0, "derived", f"case.scn:{LINE + 2}"),
        "calibration.tier.node.gather": (300e9, "calibration", f"case.scn:{LINE + 3}"),
        "cluster.tier": (("node", "pod"), "derived", ""),
    }  # fmt: skip
    memory = found["cluster.gpu.memory"]
    assert (memory.origin, memory.where.rpartition(":")[0]) == ("library", "library/gpus.scn")


def test_a_setting_of_another_block_brings_its_source() -> None:
    found = scenario_of(BOUGHT).runs[1].settings
    price, nodes = found["cluster.price"], found["cluster.nodes"]
    assert (price.value, price.origin, price.note, price.source, price.as_of) == (
        1e-3, "stated", f"deal.rent, case.scn:{LINE}", "a letter", "2026-03-05",
    )  # fmt: skip
    assert (nodes.value, nodes.origin, nodes.note) == (16.0, "stated", "hopper.nodes, case.scn:13")
    taken = START.replace("edition 2026", 'edition 2026\nimport "library/gpus.scn"')
    made = scenario_of(taken + "run r from base { cluster.gpu.power = b200.power }\n").runs[1].settings
    power = made["cluster.gpu.power"]
    assert (power.origin, power.note.rpartition(":")[0]) == ("library", "b200.power, library/gpus.scn")


def test_what_the_command_line_says_is_stated() -> None:
    batch = scenario_of(START, "base.batch=96 sequences").runs[0].settings["batch"]
    assert (batch.value, batch.origin, batch.where) == (96.0, "stated", "--set")


GROUPS = ("model.experts", "model.mixer", "offload", "lora", "checkpoint.host", "calibration", "trace")


def table(text: str) -> Table:
    """The settings of the run ``base`` of a text."""
    made = Resolution(load_text(text, "case.scn"), RESULTS)
    return made.table(made.main.blocks["run", "base"])


def test_settings_of_blocks_that_are_not_there_are_left_out() -> None:
    """Groups such as experts count once anything of them is stated, whichever block states it."""

    def groups(text: str) -> dict[str, int]:
        paths = table(text).paths()
        assert len(paths) == len(set(paths))
        return {g: sum(p.startswith(f"{g}.") or p == g for p in paths) for g in GROUPS}

    assert set(groups(START).values()) == {0}
    experts = groups(START.replace("layers = 32", "experts { routed = 8 }\n  layers = 32"))
    assert experts.pop("model.experts") > 5 and set(experts.values()) == {0}
    hosted = groups(START.replace("run base {", "run base { checkpoint { host { interval = 600 s } },"))
    assert hosted.pop("checkpoint.host") >= 2 and set(hosted.values()) == {0}


def test_tiers_have_settings_of_their_own() -> None:
    own = table(START)
    assert own.tiers == ("node", "pod")
    paths = [path for path in own.paths() if path.startswith("cluster.tier.")]
    assert [p for p in paths if p.endswith(".bandwidth")] == [
        "cluster.tier.node.bandwidth",
        "cluster.tier.pod.bandwidth",
    ]
    row = own.row("cluster.tier.pod.bandwidth")
    assert row is not None and row.holds == "bytes/s"
    assert own.row("cluster.tier.rack.bandwidth") is None and own.row("cluster.tier.pod.zzz") is None
    within = own.row("layout.shard.within")
    assert within is not None and own.with_tiers("layout.shard.within", within).choices == ("all", "node", "pod")
    assert own.with_tiers("layout.shard", within) == within


def test_arguments_have_defaults_only_where_their_choice_is_taken() -> None:
    plain = table(START)
    chosen = table(START.replace("run base {", "run base { layout.schedule = interleaved,"))
    assert (plain.get("layout.schedule"), plain.get("layout.schedule.virtual_stages")) == ("one_f_one_b", None)
    assert (chosen.get("layout.schedule.virtual_stages"), plain.get("layout.shard.within")) == (2.0, "all")


TYPES = [
    ("flag", FLAG),
    ("choice", Type("choice", choices=("a", "b"))),
    ("model", Type("choice")),
    ("gpu", Type("choice")),
    ("text", Type("text")),
    ("date", Type("text")),
    ("file", Type("text")),
    ("list of number", Type("list")),
    ("open", ANY),
    ("share", Type("number", NONE, "", (), "%")),
    ("number", Type("number", NONE, "", (), "")),
    ("bytes", Type("number", BYTE, "", (), "")),
    ("tokens", Type("number", NONE, "tokens", (), "")),
]


@pytest.mark.parametrize(("holds", "kind"), TYPES)
def test_what_a_setting_is_in_an_expression(holds: str, kind: Type) -> None:
    choices = ("a", "b") if holds == "choice" else ()
    assert row_type(Setting("x", holds, "", choices=choices), None) == kind


def test_a_let_of_a_run_is_worked_out_with_its_settings() -> None:
    text = START.replace("run base {", "run base { let half = cluster.gpu.memory / 2, require memory_per_gpu < half,")
    (rule,) = scenario_of(text).runs[0].requires
    assert rule.holds({"memory_per_gpu": 39e9, "cluster.gpu.memory": 80e9}) is True
    assert rule.holds({"memory_per_gpu": 41e9, "cluster.gpu.memory": 80e9}) is False


RESULT_TYPES = [
    ("flag", FLAG),
    ("text", Type("choice")),
    ("choice", Type("choice")),
    ("share", Type("number", NONE, "", (), "%")),
    ("seconds", Type("number", SECOND, "", (), "")),
    ("bytes/s", Type("number", plus(BYTE, SECOND, -1), "", (), "")),
    ("tokens/s", Type("number", plus(NONE, SECOND, -1), "", (), "")),
    ("gpus", Type("number", NONE, "gpus", (), "")),
]


@pytest.mark.parametrize(("holds", "kind"), RESULT_TYPES)
def test_what_a_result_is_in_an_expression(holds: str, kind: Type) -> None:
    assert result_type(holds) == kind


def test_names_of_a_run_before_those_of_the_file() -> None:
    """A let of the run hides one of the file; what a block copies reads its own settings first."""
    own = "run s from base { layout { tensor = few } }\nrun r from base { let few = 5, layout { tensor = few } }\n"
    text = START + "let few = 3\n" + own
    _, s, r = scenario_of(text).runs
    assert (r.settings["layout.tensor"].value, s.settings["layout.tensor"].value) == (5.0, 3.0)
    wide = scenario_of(START.replace("nodes = 16", "gpus = 3 * gpus_per_node")).runs[0]
    assert (wide.settings["cluster.nodes"].value, wide.settings["cluster.gpus"].value) == (3.0, 24.0)


def test_a_list_is_no_number() -> None:
    told = lines_of("run r from base { layout { stages = [20, 12], pipeline = 2, tensor = layout.stages } }\n")
    assert told == [
        "E16 `layout.tensor` is a number",
        "[layout.stages: this is a list]",
        "note: tensor-parallel degree",
    ]

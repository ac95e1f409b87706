"""Marks: what each word of a file means, where that is defined, and the place of the word itself."""

from pathlib import Path

import pytest

from dsl.problems import Span
from dsl.schema import schema
from dsl.server.checked import Checked
from dsl.server.marks import at, marks
from dsl.server.meanings import Mark, Names, Place, Target
from tests.server_files import alone, written

PLAN = """edition 2026
import "parts.scn" as p
import "other.scn"
gpu h { memory = 80 GB }
cluster pods { gpu = h, nodes = 16, tier node { bandwidth = 450 GB/s } }
let room = 8 GB
run base "The plan" {
  let own = 3
  layout { let inner = 7 }
}
run wider from base { let own = 5 }
sweep t { base = wider, let own = 9 }
sweep u from t { }
compare c { between = [wider, base] }
"""
PARTS = """edition 2026
let spare = 3 GB
model m { layers = 5 layers }
  cluster far { gpu = g }
gpu g { memory = 3 GB }
"""
OTHER = "edition 2026\n\n  let extra = 5 GB\n"


def plan(folder: Path, line: str) -> Checked:
    return written(folder, plan=PLAN + line + "\n", parts=PARTS, other=OTHER)["plan"]


def told(mark: Mark, text: str) -> str:
    """A mark in one phrase: the word as it stands, its role, path, definition, and first definition where another."""
    word = text.split("\n")[mark.span.line - 1][mark.span.column - 1 : mark.span.end - 1]
    role = f"unknown {mark.role}" if mark.role == "setting" and mark.row is None else mark.role
    to, root = (placed(mark.target), placed(mark.root)) if mark.target else ("", "")
    first = f"first {root}" if root not in ("", to) else ""
    more = [mark.path, to, first, f"in {mark.owner.name}" if mark.owner else ""]
    return " ".join([word, role, *([] if word == mark.text else [f"({mark.text})"]), *filter(None, more)])


def placed(target: Target | None) -> str:
    """Where a definition stands."""
    if target is None:
        return ""
    return f"{Path(target.key).stem}:{target.line}:{target.column}-{target.end} {target.kind} {target.name}"


def meant(made: Checked, line: int) -> list[str]:
    """The marks that begin in a line, or below it."""
    text = made.loaded.main.text
    return [told(mark, text) for mark in marks(made.world, made.scope) if mark.span.line >= line]


LINES = {
    # statements of a file
    'import "parts.scn" as q': [
        '"parts.scn" file (parts.scn) parts:1:1-1 file parts.scn', "q alias plan:15:23-24 alias q"],
    'import "gone.scn"': ['"gone.scn" file (gone.scn)'],
    "let a = room": ["a let plan:15:5-6 let a", "room let plan:6:5-9 let room"],
    "foo bar { a = room }": [],
    "let a = nothing.at.all": ["a let plan:15:5-6 let a"],
    # expressions
    "let a = -room ^ extra": [
        "a let plan:15:5-6 let a", "room let plan:6:5-9 let room", "extra let other:3:7-12 let extra"],
    "let a = min(room, p.spare) * 3 GB": [
        "a let plan:15:5-6 let a", "min function", "room let plan:6:5-9 let room", "p alias plan:2:23-24 alias p",
        "spare let parts:2:5-10 let spare", "GB unit"],
    "let a = [room, 5] GB": ["a let plan:15:5-6 let a", "room let plan:6:5-9 let room", "GB unit"],
    "let a = not (room == extra)": [
        "a let plan:15:5-6 let a", "room let plan:6:5-9 let room", "extra let other:3:7-12 let extra"],
    "let a = if room > extra then pods.nodes else 3 nodes": [
        "a let plan:15:5-6 let a", "room let plan:6:5-9 let room", "extra let other:3:7-12 let extra",
        "pods block plan:5:9-13 cluster pods in pods", "nodes setting cluster.nodes in pods", "nodes unit"],
    "let a = p . far . gpu": [
        "a let plan:15:5-6 let a", "p alias plan:2:23-24 alias p", "far block parts:4:11-14 cluster far in far",
        "gpu setting cluster.gpu in far"],
    "let a = (p # of\n  . # the\n  far.nodes)": [
        "a let plan:15:5-6 let a", "p alias plan:2:23-24 alias p", "far block parts:4:11-14 cluster far in far",
        "nodes setting cluster.nodes in far"],
    "let a = ( (room)) * (min ((extra), 3))": [
        "a let plan:15:5-6 let a", "room let plan:6:5-9 let room", "min function", "extra let other:3:7-12 let extra"],
    "run r { batch = (tokens) * (own), layout.recompute = (none), layout.tp_overlap = (fraction((3%))) }": [
        "run kind", "r block plan:15:5-6 run r in r", "batch setting batch in r", "tokens setting tokens in r",
        "layout.recompute setting layout.recompute in r", "none choice layout.recompute in r",
        "layout.tp_overlap setting layout.tp_overlap in r", "fraction choice layout.tp_overlap in r", "% unit"],
    "let a = pods.tier.node.bandwidth": ["a let plan:15:5-6 let a"],  # of a tier only a run knows the settings
    "let a = p.nothing": ["a let plan:15:5-6 let a", "p alias plan:2:23-24 alias p"],
    "let a = p.far": [
        "a let plan:15:5-6 let a", "p alias plan:2:23-24 alias p", "far block parts:4:11-14 cluster far in far"],
    "let a = wider.layout.tensor": [
        "a let plan:15:5-6 let a", "wider block plan:11:5-10 run wider in wider",
        "layout.tensor setting layout.tensor in wider"],
    "let a = mfu": ["a let plan:15:5-6 let a"],  # a file has no results
    # blocks
    "gpu x from h { memory = 3 GB }": [
        "gpu kind", "x block plan:15:5-6 gpu x in x", "h block plan:4:5-6 gpu h in h",
        "memory setting cluster.gpu.memory in x", "GB unit"],
    "run r from p.base { }": ["run kind", "r block plan:15:5-6 run r in r"],
    "cluster x from p.far { gpu = p.g }": [
        "cluster kind", "x block plan:15:9-10 cluster x in x", "p alias plan:2:23-24 alias p",
        "far block parts:4:11-14 cluster far in far", "gpu setting cluster.gpu in x", "p alias plan:2:23-24 alias p",
        "g block parts:5:5-6 gpu g in g"],
    "cluster x { tier pod { bandwidth = 3 GB/s } }": [
        "cluster kind", "x block plan:15:9-10 cluster x in x", "tier kind",
        "bandwidth setting cluster.tier.pod.bandwidth in x", "GB/s unit"],
    "model x { attention latent { heads = 3 } }": [
        "model kind", "x block plan:15:7-8 model x in x", "attention group model.attention in x",
        "latent choice model.attention in x", "heads setting model.attention.heads in x"],
    "model x { attention { heads = 3 }, bias full { qkv = true }, nothing { a = 3 } }": [
        "model kind", "x block plan:15:7-8 model x in x", "attention group model.attention in x",
        "heads setting model.attention.heads in x", "bias group model.bias in x", "qkv setting model.bias.qkv in x"],
    "price x { rent = $3/gpu-hour, gpu = h }": [
        "price kind", "x block plan:15:7-8 price x in x", "rent setting rent in x", "$3/gpu-hour unit ($/gpu-hour)",
        "gpu setting gpu in x", "h block plan:4:5-6 gpu h in h"],
    # values
    "run r { layout { overlap { data = true } } }": [
        "run kind", "r block plan:15:5-6 run r in r", "layout group layout in r", "overlap group (layout.overlap)"
        " layout.overlap in r", "data setting layout.overlap.data in r"],
    "run r { layout { schedule = interleaved(virtual_stages = room) } }": [
        "run kind", "r block plan:15:5-6 run r in r", "layout group layout in r",
        "schedule setting layout.schedule in r", "interleaved choice layout.schedule in r",
        "virtual_stages setting layout.schedule.virtual_stages in r", "room let plan:6:5-9 let room in r"],
    "run r { layout.shard = zero3(node, group = 16 gpus, more = room) }": [
        "run kind", "r block plan:15:5-6 run r in r", "layout.shard setting layout.shard in r",
        "zero3 choice layout.shard in r", "node choice layout.shard.within in r",
        "group setting layout.shard.group in r", "gpus unit"],
    "run r { layout.order = [data, tensor], layout.stages = [3, 5] layers }": [
        "run kind", "r block plan:15:5-6 run r in r", "layout.order setting layout.order in r",
        "data choice layout.order in r", "tensor choice layout.order in r", "layout.stages setting layout.stages in r",
        "layers unit"],
    "run r { model = if mfu > 3% then p.m else p.none }": [
        "run kind", "r block plan:15:5-6 run r in r", "model setting model in r", "% unit",
        "p alias plan:2:23-24 alias p", "m block parts:3:7-8 model m in m"],
    "run r { tokens = if tokens > 3 tokens then room else extra }": [
        "run kind", "r block plan:15:5-6 run r in r", "tokens setting tokens in r", "tokens setting tokens in r",
        "tokens unit", "room let plan:6:5-9 let room in r", "extra let other:3:7-12 let extra in r"],
    "run r { require mfu > 35% and batch_tokens < room }": [
        "run kind", "r block plan:15:5-6 run r in r", "mfu result in r", "% unit",
        "batch_tokens setting batch_tokens in r",
        "room let plan:6:5-9 let room in r"],
    "run r { let a = mfu, where mfu > a }": [
        "run kind", "r block plan:15:5-6 run r in r", "a let plan:15:13-14 let a in r", "mfu result in r",
        "mfu result in r", "a let plan:15:13-14 let a in r"],
    "run r { nothing = room }": [
        "run kind", "r block plan:15:5-6 run r in r", "nothing unknown setting nothing in r",
        "room let plan:6:5-9 let room in r"],
    "run r { batch = mfu }": ["run kind", "r block plan:15:5-6 run r in r", "batch setting batch in r"],
    "cluster x { nodes = 3 * gpus_per_node }": [
        "cluster kind", "x block plan:15:9-10 cluster x in x", "nodes setting cluster.nodes in x",
        "gpus_per_node setting cluster.gpus_per_node in x"],
    "price x { rent = 3 * buy }": [
        "price kind", "x block plan:15:7-8 price x in x", "rent setting rent in x", "buy setting buy in x"],
    "price x { rent = 3 * tokens }": ["price kind", "x block plan:15:7-8 price x in x", "rent setting rent in x"],
    "report { show = [mfu as %, cluster.nodes, room] }": [
        "report kind", "show setting show in ", "mfu result in ", "% unit", "cluster.nodes setting cluster.nodes in ",
        "room let plan:6:5-9 let room in "],
    # lets of blocks
    "run r from wider { batch = own + inner }": [
        "run kind", "r block plan:15:5-6 run r in r", "wider block plan:11:5-10 run wider in wider",
        "batch setting batch in r", "own let plan:11:27-30 let own first plan:8:7-10 let own in r",
        "inner let plan:9:16-21 let inner in r"],
    "run r from wider { let own = 3 * inner }": [
        "run kind", "r block plan:15:5-6 run r in r", "wider block plan:11:5-10 run wider in wider",
        "own let plan:15:24-27 let own first plan:8:7-10 let own in r", "inner let plan:9:16-21 let inner in r"],
    # tables
    "sweep s from u { where own > 3 }": [
        "sweep kind", "s block plan:15:7-8 sweep s in s", "u block plan:13:7-8 sweep u in u",
        "own let plan:12:29-32 let own first plan:8:7-10 let own in s"],
    "sweep s { base = base, vary { layout.tensor = 3..9 step 2 nodes, nothing = room } }": [
        "sweep kind", "s block plan:15:7-8 sweep s in s", "base setting base in s",
        "base block plan:7:5-9 run base in base", "vary kind", "layout.tensor setting layout.tensor in s", "nodes unit",
        "nothing unknown setting nothing in s", "room let plan:6:5-9 let room in s"],
    "sweep s { measured at layout.tensor = own { mfu = 35% } }": [
        "sweep kind", "s block plan:15:7-8 sweep s in s", "measured kind", "layout.tensor setting layout.tensor in s",
        "mfu result in s", "% unit"],
    "sweep s { chart line { x = layout.tensor, y = step_time as ms } }": [
        "sweep kind", "s block plan:15:7-8 sweep s in s", "chart kind", "x setting x in s",
        "layout.tensor setting layout.tensor in s", "y setting y in s", "step_time result in s", "ms unit"],
    "compare d from c { require own > 3 }": [
        "compare kind", "d block plan:15:9-10 compare d in d", "c block plan:14:9-10 compare c in c",
        "own let plan:11:27-30 let own first plan:8:7-10 let own in d"],
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_each_word_means_one_thing(tmp_path: Path, line: str) -> None:
    assert meant(plan(tmp_path, line), 15) == LINES[line]


def test_kinds_groups_and_choices_carry_their_schema(tmp_path: Path) -> None:
    made = plan(tmp_path, "model x { attention latent { heads = 3 } }")
    kind, _, group, choice, heads = marks(made.world, made.scope)[-5:]
    assert kind.kind and kind.kind.name == "model" and group.kind == kind.kind
    assert choice.row == schema(kind.kind).rows["attention"]
    assert heads.row == schema(kind.kind).rows["attention.heads"]


def test_a_word_at_a_place() -> None:
    """Where one word ends and the next begins, the next; a place between words has none."""
    made = alone("let abc = ((de) + fg)\nlet de = 3\nlet fg = 5 GB\n")
    found = marks(made.world, made.scope)
    places = {(1, 4): "", (1, 5): "abc", (1, 8): "abc", (1, 9): "", (1, 12): "", (1, 13): "de", (1, 15): "de",
              (1, 16): "", (1, 18): "", (1, 19): "fg", (1, 21): "fg", (1, 22): "", (2, 5): "de",
              (3, 14): "GB"}  # fmt: skip
    told = {place: found_at.text if (found_at := at(found, *place)) else "" for place in places}
    assert told == places
    one, two = Mark(Span("x", 3, 5, 8), "let", "one"), Mark(Span("x", 3, 8, 9), "unit", "two")
    assert (at([one, two], 3, 7), at([one, two], 3, 8), at([one, two], 3, 9), at([], 3, 8)) == (one, two, two, None)


def test_the_run_that_a_block_reads(tmp_path: Path) -> None:
    made = plan(tmp_path, "sweep v { base = nothing }\nsweep w { }\nsweep x from x { }\ncompare e { between = 3 }")
    names = Names(made.world)
    runs = {defined.name: run.name if (run := names.run_of(defined)) else "" for defined in made.scope.ordered}
    assert runs == {"h": "", "pods": "", "base": "base", "wider": "wider", "t": "wider", "u": "wider", "c": "wider",
                    "v": "", "w": "", "x": "", "e": ""}  # fmt: skip


def test_where_the_lets_of_a_block_come_from(tmp_path: Path) -> None:
    made = plan(tmp_path, "run x from x { }\nrun y from z { }\nrun z from y { }")
    names, blocks = Names(made.world), made.scope.blocks
    chains = {name: [d.name for d in names.chain(blocks["run", name])] for name in ("base", "wider", "x", "y", "z")}
    assert chains == {"base": ["base"], "wider": ["wider", "base"], "x": ["x"], "y": ["y", "z"], "z": ["z", "y"]}
    assert [d.name for d in names.chain(blocks["sweep", "u"])] == ["u", "t", "wider", "base"]
    assert [d.name for d in names.chain(blocks["compare", "c"])] == ["c", "wider", "base"]
    assert names.chain(blocks["run", "wider"]) is names.chain(blocks["run", "wider"])


def test_blocks_without_a_name_keep_apart() -> None:
    made = alone("report { let a = 3, show = [a] }\nreport { let a = 5, show = [a] }\n")
    names = Names(made.world)
    first, second = [d for d in made.scope.ordered if d.kind.name == "report"]
    assert [names.chain(first), names.chain(second), names.chain(first)] == [[first], [second], [first]]


def test_the_setting_that_a_path_of_a_place_means(tmp_path: Path) -> None:
    blocks = plan(tmp_path, "").scope.blocks
    run, cluster, sweep = blocks["run", "base"], blocks["cluster", "pods"], blocks["sweep", "t"]
    vary = schema(sweep.kind).repeated["vary"]
    for place, path, found in (
        (Place(run, run.kind), "cluster.nodes", "nodes"), (Place(run, run.kind), "layout.tensor", "tensor"),
        (Place(cluster, cluster.kind), "nodes", "nodes"), (Place(cluster, cluster.kind), "cluster.nodes", None),
        (Place(sweep, sweep.kind), "cluster.nodes", None), (Place(sweep, vary), "cluster.nodes", "nodes"),
    ):  # fmt: skip
        row = place.row(path)
        assert (row.path.rpartition(".")[2] if row else None) == found, (place.kind.name, path)

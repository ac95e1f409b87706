"""Hover: what is said beside a word, and what a setting or a let comes to."""

from pathlib import Path

import pytest

from dsl.kinds import Setting
from dsl.problems import Span
from dsl.scenario import Value
from dsl.server.checked import Checked
from dsl.server.hover import Hover, about, plain, said
from dsl.server.marks import at, marks
from dsl.server.meanings import Mark
from tests.server_files import BY_NAME, alone, placed, written

PLAN = """edition 2026
import "parts.scn" as p
gpu h "One chip" { memory = 80 GB, source = "a sheet" }
cluster pods { gpu = h, nodes = 16, tier node { bandwidth = 450 GB/s } }
let room = 8 GB
run base "The plan" {
  cluster = pods
  let own = 3
  layout { tensor = own, recompute = full(2 layers) }
}
run wider from base { layout.reshard = false, layout.order = [data, tensor], tokens = 15T tokens }
"""
PARTS = "edition 2026\n" + "".join(f"gpu g{i} {{ memory = {i} GB }}\n" for i in range(1, 22)) + "report { }\n"


def hovered(made: Checked, text: str) -> str:
    """What is said at the | of a text that these files hold."""
    mark = at(marks(made.world, made.scope), *placed(text)[1:])
    return Hover(made, BY_NAME).text(mark) if mark else ""


def hover(line: str) -> str:
    text = PLAN.replace('import "parts.scn" as p\n', "") + line
    return hovered(alone(placed(text)[0]), text)


TENSOR = "**layout.tensor**: tensor-parallel degree\n\nnumber, >= 1, default `1`\n\n"
SAID = {
    "r|un r { }": "**run**: one training run: a model on a cluster, for so many tokens",
    "cluster c { t|ier a { } }": "**tier**: one level of the network, from the scale-up domain outwards",
    "run r { l|ayout { } }": "**layout**: how the work is split",
    "run r { layout { over|lap { } } }": "**layout.overlap**: settings of layout.overlap",
    # blocks
    "run r { cluster = p|ods }": "cluster **pods**\n\n- `gpu = h`\n- `nodes = 16`\n\ndefined in untitled:3",
    "run r { cluster.gpu = |h }": 'gpu **h** "One chip"\n\n- `memory = 80 GB`\n\ndefined in untitled:2',
    "run r from w|ider { }": "run **wider** from `base`\n\n- `cluster = pods`\n- `layout.tensor = own`\n"
    "- `layout.recompute = full(2 layers)`\n- `layout.reshard = false`\n- `layout.order = [data, tensor]`\n"
    "- `tokens = 15T tokens`\n\n"
    "defined in untitled:10",
    "run |r { }": "run **r**\n\ndefined in untitled:11",
    # lets
    "let a = r|oom": "let **room** = `8 GB`\n\n= 8 GB",
    "let |a = room * 2.5": "let **a** = `room * 2.5`\n\n= 20 GB",
    "let |a = 900 s + 15 minutes": "let **a** = `900 s + 15 minutes`\n\n= 1_800 s",
    "let |a = [room, 3 GB]": "let **a** = `[room, 3 GB]`",
    "let |a = 3 > 5": "let **a** = `3 > 5`",
    "run r from base { let |a = own * 7 }": "let **a** = `own * 7`\n\n= 21",
    "run r from base { let a = o|wn * 7 }": "let **own** = `3`\n\n= 3",
    "run r from base { let |a = cluster.nodes * own }": "let **a** = `cluster.nodes * own`\n\n= 48",
    "sweep s { base = base, let own = 5, where layout.tensor < o|wn }": "let **own** = `5`\n\n= 5",
    "sweep s { base = base, let a = o|wn * 7 }": "let **own** = `3`\n\n= 3",
    "report { let a = r|oom * 7 }": "let **room** = `8 GB`\n\n= 8 GB",
    "run r from base { let |a = mfu * 2 }": "let **a** = `mfu * 2`",
    # settings, in the block and in the run that is varied
    "run r from base { layout.ten|sor = 7 }": TENSOR + "= **7**, stated at untitled:11",
    "run r from base { batch = layout.ten|sor }": TENSOR + "= **3**, inherited at untitled:8",
    "sweep s { base = wider, vary { layout.ten|sor = [5, 7] } }": TENSOR + "= **3**, inherited at untitled:8",
    "run r { layout.ten|sor = 2 * mfu }": TENSOR.rstrip(),
    "run r { not|hing = 3 }": "**nothing**",
    "cluster c from pods { price = $2.50/gpu-hour, pr|ice = $3/gpu-hour }": "**cluster.price**: rent per GPU-hour; wins"
    " over the gpu's own\n\nusd/s ($/hour or $/gpu-hour), no default\n\n= **$2.5/gpu-hour**, stated at untitled:11",
    "run r from wider { layout { reco|mpute = none } }": "**layout.recompute**: activations that are computed again\n\n"
    "one of `none`, `selective`, `full`, default `none`\n\n= **none**, stated at untitled:11",
    "run r from wider { layout { shard = zer|o3 } }": "**layout.shard**: model states sharded over data parallelism\n\n"
    "one of `none`, `zero1`, `zero2`, `zero3`, default `zero1`\n\n= **zero3**, stated at untitled:11",
    "run r from wider { require layout.resh|ard }": "**layout.reshard**: free gathered weights after the forward pass"
    " (zero3)\n\nflag, default `true`\n\n= **false**, inherited at untitled:10",
    "run r from wider { require cluster.gpus_per|_node > 3 }": "**cluster.gpus_per_node**: GPUs in one operating-system"
    " node; only counts nodes\n\ngpus (gpus), >= 1, default `8 gpus`\n\n= **8 gpus**, default",
    "run r from base { require cluster.gpu.mem|ory > 3 GB }": "**cluster.gpu.memory**: device memory as the driver"
    " reports it; GB is 10^9, GiB 2^30 bytes\n\nbytes (GB, GiB, MB …), > 0, required, no default\n\n= **80 GB**, stated"
    " at untitled:2\n\nsource: a sheet",
    "report { sh|ow = [mfu] }": "**show**: key numbers\n\nlist of expression, no default",
    "sweep s { ba|se = base }": "**base**: the run whose settings are varied\n\nrun, required, no default",
    # results and units
    "report { show = [m|fu] }": "**mfu**: model FLOPs utilization\n\na result, shown in %; worked out when the file is"
    " rendered",
    "report { show = [memory_p|er_gpu] }": "**memory_per_gpu**: bytes on the busiest GPU\n\na result; worked out when"
    " the file is rendered",
    "let a = 3 G|B": "**GB** = 1_000_000_000 bytes",
    "let a = 3 node|s": "**nodes** = 1 nodes",
    "let a = $36|/gpu-hour": "**$/gpu-hour** = 0.000277778 dollars per second for each gpu",
    "let a = 3 Gb|ps": "`Gbps` is not a unit: write Gb/s (bits) or GB/s (bytes)",
    "let a = 3 blub|s": "`blubs` is not a unit",
    "edi|tion 2026": "",
    "let a = m|in(3, 5)": "",
}


@pytest.mark.parametrize("line", SAID)
def test_what_is_said_beside_a_word(line: str) -> None:
    assert hover(line) == SAID[line]


def test_of_a_block_eight_settings_are_shown() -> None:
    settings = [
        f"layout.{name} = {i}"
        for i, name in enumerate(
            ("tensor", "context", "pipeline", "expert", "expert_tensor", "data", "reshard", "order", "split", "stages")
        )
    ]
    for count, more in ((8, ""), (9, "\n- … 1 more"), (10, "\n- … 2 more")):
        rows = "\n".join(f"- `{row}`" for row in settings[:8])
        assert hover(f"run |r {{ {', '.join(settings[:count])} }}") == (
            f"run **r**\n\n{rows}{more}\n\ndefined in untitled:11"
        )


def test_an_imported_file_says_what_it_names(tmp_path: Path) -> None:
    twenty = ", ".join(f"gpu `g{i}`" for i in range(1, 21))
    made = written(tmp_path, plan=PLAN + 'import "some.scn"\nimport "library/gpus.scn"\n', parts=PARTS,
                   some=PARTS.replace("gpu g21 { memory = 21 GB }\n", ""))["plan"]  # fmt: skip
    assert hovered(made, PLAN.replace("parts.scn", "pa|rts.scn")) == (
        f"**parts.scn** (parts.scn): 21 blocks\n\n{twenty} …"
    )
    text = PLAN + 'import "so|me.scn"\nimport "library/gpus.scn"\n'
    assert hovered(made, text) == f"**some.scn** (some.scn): 20 blocks\n\n{twenty}"
    library = hovered(made, text.replace("|", "").replace("gpus.scn", "gp|us.scn"))
    assert library.startswith("**library/gpus.scn** (of the installed library): ")
    assert hovered(made, PLAN.replace("as p", "as |p")) == ""


def test_a_let_of_another_file_has_its_value(tmp_path: Path) -> None:
    text = 'edition 2026\nimport "parts.scn" as p\nlet a = 3 * p.|room\n'
    made = written(tmp_path, plan=text.replace("|", ""), parts="let room = 5 GB\n")["plan"]
    assert hovered(made, text) == "let **room** = `5 GB`\n\n= 5 GB"


def test_what_is_said_of_a_setting() -> None:
    row = Setting("a", "bytes", "doc", "10 minutes", (), ">= 0", False)
    assert list(about(row)) == ["bytes (GB, GiB, MB …)", ">= 0", "default `10 minutes`"]
    assert list(about(row._replace(holds="number", bounds="", default=""))) == ["number", "no default"]
    assert list(about(row._replace(holds="open", bounds="", default="", required=True))) == ["required", "no default"]
    assert list(about(row._replace(choices=("x", "y"), default="none"))) == [
        "one of `x`, `y`",
        ">= 0",
        "default `none`",
    ]


def test_how_a_value_is_written() -> None:
    def row(holds: str) -> Setting:
        return Setting("a", holds, "")

    rows = [(True, "", None, "true"), (False, "", row("flag"), "false"), (3, "", None, "3"),
            (3, "", row("nodes"), "3 nodes"), (0.35, "", row("share"), "35%"), (1.25, "", row("ratio"), "1.25"),
            (0.35, "%", row("share"), "35%"), (5e9, "", row("bytes"), "5 GB"), (5e9, "MB", row("bytes"), "5_000 MB"),
            (3.5, "", row("number"), "3.5"), ((3, 5), "", row("layers"), "[3 layers, 5 layers]"),
            ("abc", "", None, "abc"),
            (7200.0, "", row("seconds"), "2 hours"), (3, "", row("text"), "3")]  # fmt: skip
    assert [plain(value, unit, own) for value, unit, own, _ in rows] == [text for *_, text in rows]


def test_a_value_says_where_it_comes_from() -> None:
    value = Value(7, "nodes", Span("plan.scn", 3, 5), "derived", "56 GPUs of 8 each", "plan.scn:3", "a sheet")
    nodes = Setting("nodes", "nodes", "")
    assert said(value, nodes) == "= **7 nodes**, derived at plan.scn:3: 56 GPUs of 8 each\n\nsource: a sheet"
    assert said(value._replace(where="", source=""), nodes) == "= **7 nodes**, derived: 56 GPUs of 8 each"
    assert said(value._replace(origin="default", where="", source=""), None) == "= **7 nodes**, default"
    assert said(value._replace(note="", source=""), nodes) == "= **7 nodes**, derived at plan.scn:3"


def test_a_mark_that_nothing_is_known_of_says_nothing() -> None:
    made = alone(PLAN)
    span = Span("x", 2, 5, 6)
    for role in ("kind", "block", "let", "result", "file", "alias"):
        assert Hover(made, BY_NAME).text(Mark(span, role, "x")) == "", role

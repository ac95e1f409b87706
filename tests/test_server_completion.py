"""Completion: what is offered at the cursor, in which order, and what it says."""

from pathlib import Path

import pytest

from dsl.dimensions import FUNCTIONS
from dsl.kinds import KINDS
from dsl.schema import argument, run_rows
from dsl.server import completion
from dsl.server.checked import Checked
from dsl.server.completion import Completion, Offer
from tests.server_files import BY_NAME, alone, at_bar, placed, written

FILE = """edition 2026
gpu h "One chip" { memory = 80 GB }
cluster pods "Two pods" { gpu = h, nodes = 16 }
price listed "A list" { gpu = h, rent = $3/gpu-hour }
let room = 8 GB
run base "The plan" { cluster = pods, layout { let inner = 3 }, let spare = 2 * room }
run wider from base { let own = 5 }
sweep table { base = base, vary { layout.tensor = [3, 5] } }
"""


def offered(checked: Checked, text: str) -> list[Offer]:
    return Completion(checked, BY_NAME).offers(at_bar(text))


def offers(typed: str, before: str = FILE) -> list[Offer]:
    """What is offered at the | of a text that follows the file."""
    text = before + typed
    return offered(alone(placed(text)[0]), text)


def texts(typed: str) -> list[str]:
    return [offer.text for offer in offers(typed)]


def ranks(found: list[Offer]) -> dict[str, int]:
    return {offer.text: offer.rank for offer in found}


def test_at_the_margin_every_kind_and_three_words_are_offered() -> None:
    assert offers("|") == [
        *(Offer(kind.name, "kind", kind.doc, 1, "") for kind in KINDS),
        Offer("import", "word", "another file's names", 1, ""),
        Offer("let", "word", "a named value", 1, ""),
        Offer("edition", "word", "of the language, first in a file", 1, ""),
    ]


def test_a_setting_says_what_it_holds() -> None:
    assert offers("cluster d { tier pod { |")[1:3] == [
        Offer(
            "bandwidth",
            "setting",
            "per GPU and per direction, before oversubscription · bytes/s (GB/s, TB/s or Gb/s), > 0, required,"
            " no default",
            0,
        ),
        Offer(
            "latency",
            "setting",
            "of one hop at this tier · seconds (us, ms, s, minutes, hours, days), default `5 us`",
            0,
        ),
    ]


def test_a_block_is_offered_its_settings_then_those_of_what_it_refers_to() -> None:
    found = {offer.text: (offer.role, offer.rank) for offer in offers("run r { |")}
    assert list(found)[:3] == ["model", "cluster", "stack"]
    assert (found["tokens"], found["layout.tensor"], found["layout"], found["cluster.nodes"]) == (
        ("setting", 0), ("setting", 1), ("group", 0), ("setting", 3))  # fmt: skip
    assert (found["let"], found["require"]) == (("word", 2), ("word", 2))
    paths = [path for path in run_rows() if argument(path) is None]
    assert set(paths) <= set(found) and not any(argument(path) for path in found)
    assert "layout.overlap" not in found  # a group of a group is offered inside it


def test_other_blocks_are_offered_their_own_settings_alone() -> None:
    found = ranks(offers("cluster d { |"))
    assert found["nodes"] == found["tier"] == 0 and "cluster.nodes" not in found and "tokens" not in found
    assert ranks(offers("model m { |"))["attention"] == 0  # the word opens a block: it is no setting there
    assert [(o.role, o.says) for o in offers("model m { |") if o.text == "attention"] == [
        ("group", "a group of settings")
    ]
    assert [o for o in offers("sweep t { |") if o.role == "kind"][0] == Offer(
        "vary", "kind", "settings that change: a product; `vary together` changes them in step", 0
    )


def test_a_group_is_offered_the_rest_of_each_path() -> None:
    found = ranks(offers("run r { layout { |"))
    assert found["tensor"] == 0 and found["overlap.data"] == 1 and found["overlap"] == 0
    assert not {"let", "tokens", "layout.tensor", "cluster.nodes"} & set(found)
    assert ranks(offers("run r { layout { overlap { |")) == {"data": 0, "tensor": 0, "expert": 0, "pipeline": 0}
    assert texts("model m { attention latent { |")[:3] == ["heads", "head", "value_head"]
    assert texts("foo { |") == texts("foo { bar { |") == texts("foo { tier { |") == []


def test_what_varies_is_any_setting_of_a_run_and_what_is_measured_any_result() -> None:
    assert ranks(offers("sweep t { vary { |"))["cluster.nodes"] == 3
    found = {offer.text: (offer.role, offer.rank) for offer in offers("sweep t { measured { |")}
    assert found["mfu"] == found["step_time"] == ("result", 0) and found["layout.tensor"] == ("setting", 3)
    assert "mfu" not in texts("sweep t { vary { |")


def test_headers() -> None:
    word = [Offer("from", "word", "copies another block", 1, "")]
    assert offers("run r |") == offers("run r f|") == word
    assert offers("run |") == offers("let a|") == offers("foo r |") == offers('import "x" as |') == []
    assert offers("run r from |") == [Offer("base", "block", "The plan", 0), Offer("wider", "block", "", 0)]
    assert texts("sweep t from |") == ["table"]
    doc = "the kind of attention, where it is not plain"
    kinds = ("full", "latent", "sliding", "chunked")
    assert offers("model m { attention |") == [Offer(kind, "choice", doc, 1) for kind in kinds]
    assert texts("sweep t { chart |") == ["heatmap", "line", "bar", "scatter"]
    assert texts("sweep t { chart line |") == texts("cluster c { tier |") == texts("run r { nothing |") == []
    assert texts("calibration c { kernel |") == []


def test_values_of_choices_flags_and_references() -> None:
    doc = "activations that are computed again"
    assert offers("run r { layout { recompute = |") == [
        Offer("none", "choice", doc, 0), Offer("selective", "choice", "selective(ops = …)", 0),
        Offer("full", "choice", "full(first = …)", 0)]  # fmt: skip
    tied = "input and output embedding are one matrix"
    assert offers("model m { tied = |") == [Offer("true", "choice", tied, 0), Offer("false", "choice", tied, 0)]
    assert offers("run r { cluster = |") == [Offer("pods", "block", "Two pods", 0)]
    assert offers("sweep t { vary { cluster.gpu = |") == [Offer("h", "block", "One chip", 0)]
    assert texts("run r { layout.order = [|") == ["tensor", "context", "data", "pipeline", "expert"]
    assert texts("report { sections = [|")[:3] == ["summary", "configuration", "layout"]
    assert texts("model m { source = |") == texts("run r { require mfu > 3 because |") == []


def test_arguments_of_a_choice() -> None:
    stages = Offer("virtual_stages", "setting", "model chunks per rank", 0, "virtual_stages = ")
    assert offers("run r { layout.schedule = interleaved(|") == [stages]
    assert offers("run r { layout { schedule = interleaved(vir|") == [stages]
    assert texts("run r { layout.shard = zero3(|") == ["within", "group"]
    assert texts("run r { layout.shard = zero3(within = |") == ["all", "node", "rack", "pod"]
    assert texts("run r { layout.shard = zero3(group = 16 |") == ["gpu", "gpus", "GPU", "GPUs"]
    assert texts("run r { layout.shard = zero3(within = node, |") == ["within", "group"]
    assert texts("run r { layout.schedule = interleaved(virtual_stages = |")[0] == "room"


@pytest.mark.parametrize(
    ("typed", "units"),
    [
        ("cluster d { restart = 10 |", "s ns us µs"),
        ("cluster d { tier pod { bandwidth = 400 G|", "GB/s TB/s MB/s GiB/s"),
        ("run r { cluster.nodes = 16 |", "node nodes"),
        ("cluster d { price = $2.10/|", "$2.10/hour $2.10/gpu-hour $2.10/day"),
        ("cluster d { price = $3k/gpu|", "$3k/hour $3k/gpu-hour $3k/day"),
        ("cluster d { price = 3 $|", "$/hour $/gpu-hour $/day"),
        ("let a = $3/|", "$3/hour $3/gpu-hour $3/day $3/kWh"),
        ("run r { require x > $3/|", "$3/hour $3/gpu-hour $3/day $3/kWh"),
        ("let a = 3 |", "byte bytes kB MB"),
        ("run r { require x > 3 |", "byte bytes kB MB"),
        ("sweep t { where x > 3 G|", "byte bytes kB MB"),
        ("report { show = [mfu, step_time as |", "s ns us µs"),
        ("report { show = [cluster.nodes as |", "node nodes"),
        ("report { show = [mfu as |", "%"),
        ("report { show = [nothing as |", "byte bytes kB MB"),
        ("cluster d { protocol = 3 |", ""),
    ],
)
def test_units_after_a_number(typed: str, units: str) -> None:
    assert texts(typed)[:4] == units.split()
    assert {(offer.role, offer.says) for offer in offers(typed)} <= {("unit", "")}


def test_units_keep_their_order() -> None:
    assert [offer.rank for offer in offers("cluster d { tier pod { bandwidth = 400 |")] == [0, 1, 2, 3, 4, 5]
    assert {offer.rank for offer in offers("cluster d { price = $3/|")} == {0}
    assert [offer.rank for offer in offers("report { show = [step_time as |")[:3]] == [1, 1, 1]


def test_an_expression_begins_with_what_is_nearest() -> None:
    """Lets of the block, of what it copies and of the file; results; settings; blocks; functions."""
    text = FILE.replace("let own = 5", "let own = 5, batch = |3")
    found = offered(alone(text.replace("|", "")), text)
    assert [tuple(offer)[:4] for offer in found if offer.role == "let"] == [
        ("own", "let", "a let of the block", 0), ("inner", "let", "a let of the block", 0),
        ("spare", "let", "a let of the block", 0), ("room", "let", "a let of untitled", 0)]  # fmt: skip
    roles = [offer.role for offer in found]
    assert list(dict.fromkeys(roles)) == ["let", "setting", "block", "function"]
    assert ranks(found)["tokens"] == ranks(found)["cluster.gpu.memory"] == 2
    blocks = [tuple(offer) for offer in found if offer.role == "block"]
    assert blocks[:5] == [
        ("h", "block", "One chip", 3, ""), ("pods", "block", "Two pods", 3, ""), ("listed", "block", "A list", 3, ""),
        ("base", "block", "The plan", 3, ""), ("wider", "block", "", 3, "")]  # fmt: skip
    assert {offer[0] for offer in blocks[5:]} >= {"megatron-core", "nemo"}  # of the library, without an import
    assert found[-len(FUNCTIONS) :] == [Offer(name, "function", "", 3, f"{name}(") for name in FUNCTIONS]


def test_results_are_offered_where_they_can_be_read() -> None:
    results = [Offer(r.name, "result", r.doc, 1) for r in BY_NAME.values()]
    for typed in ("run r { require |", "sweep t { where |", "report { show = [|",
                  "run r { let a = |", "run r { nothing = |", "cluster d { tokens = |",
                  "check c { when = |"):  # fmt: skip
        assert [offer for offer in offers(typed) if offer.role == "result"] == results, typed
    for typed in ("let a = |", "cluster d { nodes = |", "run r { batch = |"):
        assert not any(offer.role == "result" for offer in offers(typed)) and texts(typed), typed


def test_settings_are_offered_by_the_path_that_holds_where_the_cursor_stands() -> None:
    found = ranks(offers("cluster d { nodes = |"))
    assert found["nodes"] == found["gpu.memory"] == 2
    assert not {"cluster.nodes", "tokens", "layout.tensor"} & set(found)
    assert {"cluster.nodes", "tokens"} <= set(texts("sweep t { where |"))
    assert not {"nodes", "tokens"} & set(texts("let a = |"))


def test_settings_of_a_named_block_after_its_dot() -> None:
    dotted = [offer for offer in offers("let a = 3 * pods.no|") if offer.text.startswith("pods.")]
    assert dotted[2] == Offer("pods.nodes", "setting", "nodes bought or rented · nodes (nodes), >= 1, no default", 0)
    assert not [text for text in texts("let a = 3 * pods|") if text.startswith("pods.")]
    assert not [text for text in texts("let a = 3 * pods.no|") if text.startswith("h.")]
    assert "listed.rent" in texts("let a = listed.|")


def test_names_behind_an_alias(tmp_path: Path) -> None:
    text = 'edition 2026\nimport "parts.scn" as p\nimport "other.scn"\nrun r { cluster = |p.pods }\nlet a = |3\n'
    other = 'edition 2026\ncluster near "Beside" { gpu = x }\nlet extra = 5\n'
    made = written(tmp_path, plan=text.replace("|", ""), parts=FILE, other=other)["plan"]
    assert offered(made, text.replace("|3", "3")) == [
        Offer("near", "block", "Beside", 0), Offer("p.pods", "block", "Two pods", 0)]  # fmt: skip
    found = offered(made, text.replace("|p", "p"))
    assert [offer for offer in found if offer.role == "let"] == [
        Offer("a", "let", "a let of plan.scn", 0), Offer("extra", "let", "a let of other.scn", 0),
        Offer("p.room", "let", "a let of parts.scn", 1)]  # fmt: skip
    assert [offer.text for offer in found if offer.role == "block"][:2] == ["r", "near"]


def test_files_to_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "inner.scn").write_text("edition 2026\n")
    made = written(tmp_path, plan='edition 2026\nimport ""\n', parts=FILE, zoo=FILE)["plan"]
    found = offered(made, 'edition 2026\nimport "|')
    own = [Offer(name, "file", "beside this file", 1) for name in ("deep/inner.scn", "parts.scn", "zoo.scn")]
    assert found[:3] == own
    assert found[3].text.startswith("library/") and {o.says for o in found[3:]} == {"of the library"}
    monkeypatch.setattr(completion, "BESIDE", 2)
    assert [offer.text for offer in offered(made, 'import "|')[:2]] == ["deep/inner.scn", "parts.scn"][:2]
    assert offers('import "|', "")[0].text.startswith("library/")
    assert offers('let a = "|') == offers("# cl|") == offers('let a = "b" # |') == []

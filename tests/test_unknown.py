"""Words that mean nothing where they stand: whole problems, with what was probably meant."""

import pytest

from dsl.kinds import KINDS
from dsl.parse import parse
from dsl.problems import Label, Problem, Span
from dsl.syntax import Assign, Block, Name
from dsl.unknown import inner_name, known_setting, outside, unknown_kind, unknown_name
from tests.server_files import alone

ANY = ("a name is a let, a setting such as layout.tensor, or a result such as mfu",)
HERE = Span("case.scn", 1, 5, 9)


def statement(text: str) -> object:
    (found,), _ = parse(text + "\n", "case.scn")
    return found


def kind(text: str) -> Problem:
    block = statement(f"{text} a {{ }}")
    assert isinstance(block, Block)
    return unknown_kind(block)


def test_a_kind_that_there_is_not() -> None:
    span = Span("case.scn", 1, 1, 7)
    title = "there is no kind of block called `{}`"
    assert kind("clustr") == Problem(
        "E10", title.format("clustr"), span, "not found", (), (), "did you mean `cluster`?"
    )
    every = f"kinds: {', '.join(each.name for each in KINDS)}"
    assert kind("zzzzzz") == Problem("E10", title.format("zzzzzz"), span, "not found", (), (every,), "")
    assert kind("tier").title == "`tier` stands inside a cluster or calibration"


def unknown(path: str, *legal: str) -> Problem:
    return unknown_name(Name(tuple(path.split(".")), HERE), list(legal))


def test_a_name_that_there_is_not() -> None:
    title = "there is no `{}`"
    assert unknown("batsh", "batch", "mfu") == Problem(
        "E15", title.format("batsh"), HERE, "not found", (), (), "did you mean `batch`?"
    )
    assert unknown("zzzzz", "batch") == Problem("E15", title.format("zzzzz"), HERE, "not found", (), ANY, "")
    assert unknown("Yes", "batch") == Problem("E15", title.format("Yes"), HERE, "not found", help="write true")
    assert unknown("off", "batch") == Problem("E15", title.format("off"), HERE, "not found", help="write false")


@pytest.mark.parametrize(
    ("path", "difference"),
    [
        ("cost-tokens", "`cost - tokens`"), ("cost-3", "`cost - 3`"), ("a-b-cost", "`a-b - cost`"),
        ("cost-a-b", "`cost - a-b`"), ("layout.tensor-cost", "`layout.tensor - cost`"),
    ],
)  # fmt: skip
def test_a_glued_dash_between_two_names_subtracts_nothing(path: str, difference: str) -> None:
    assert unknown(path, "cost", "tokens", "a-b", "layout.tensor") == Problem(
        "E15", f"there is no `{path}`", HERE, "one word: a glued dash joins", help=f"to subtract write {difference}"
    )


def test_a_dash_beside_one_known_name_is_part_of_a_word() -> None:
    for path in ("cost-zzzzz", "zzzzz-cost", "zzzzz-3", "zz-yy-xx"):
        assert unknown(path, "cost", "tokens").label == "not found", path


FILE = "gpu h { memory = 80 GB }\ncluster pods { gpu = h }\nrun pods { batch = 3 sequences }\n"


def inner(path: str, text: str = FILE) -> Problem | None:
    return inner_name(alone(text).scope, Name(tuple(path.split(".")), HERE))


def test_a_path_into_a_block_that_has_no_such_setting() -> None:
    labels = (Label(Span("untitled", 2, 9, 13), "defined here"),)
    title = "`{}` is not a setting of cluster `pods`"
    assert inner("pods.nods") == Problem(
        "E11", title.format("nods"), HERE, "not a setting", labels, (), "did you mean `pods.nodes`?"
    )
    assert inner("pods.zzzz.yyyy") == Problem("E11", title.format("zzzz.yyyy"), HERE, "not a setting", labels, (), "")
    assert inner("nothing.nodes") is None and inner("pods") is None


def test_a_path_into_a_block_behind_an_alias() -> None:
    scope = alone(FILE).scope
    scope.aliases["far"] = alone("cluster near { gpu = h }\n").scope
    found = inner_name(scope, Name(("far", "near", "nods"), HERE))
    assert found is not None and found.title == "`nods` is not a setting of cluster `near`"
    assert found.help == "did you mean `far.near.nodes`?"
    assert inner_name(scope, Name(("far", "near"), HERE)) is None


def test_a_setting_outside_of_a_block() -> None:
    def told(text: str) -> Problem:
        found = statement(text)
        assert isinstance(found, Assign)
        return outside(found)

    assert told("batch = 3") == Problem(
        "E28",
        "`batch` is set outside of a block",
        Span("case.scn", 1, 1, 10),
        help="put it into the block that it belongs to",
    )
    assert told("spare = 3 GB") == Problem(
        "E28",
        "`spare` is set outside of a block",
        Span("case.scn", 1, 1, 13),
        help="write: let spare = 3 GB, or put it into a block",
    )
    assert told("a.b = 3").help == "put it into the block that it belongs to"


def test_the_settings_that_some_block_has() -> None:
    paths = {"nodes": True, "batch": True, "memory": True, "zzz": False, "a.b": True, "": False}
    assert {path: known_setting(path) for path in paths} == paths

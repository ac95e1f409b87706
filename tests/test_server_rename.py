"""Definition, references and rename: where a name is defined, and every word that changes with it."""

from pathlib import Path

import pytest

from dsl.problems import Span
from dsl.server.checked import Checked
from dsl.server.marks import at, marks
from dsl.server.meanings import Mark
from dsl.server.rename import Refused, definition, edited, legal, renamable, renamed, same
from tests.server_files import alone, placed, written

PLAN = """edition 2026
import "parts.scn" as p
gpu h { memory = 80 GB }
cluster pods { gpu = h, nodes = 16, tier node { bandwidth = 450 GB/s } }
let room = 8 GB
run base {
  cluster = pods
  let own = 3
  layout { tensor = 2 * (own) }
  let size = p.spare + 2 * (room)
}
run wider from base { let own = 5, layout.pipeline = own, cluster.nodes = pods.nodes * 2 }
"""
PARTS = "edition 2026\nlet spare = 3 GB\nlet twice = 2 * spare\n"


def marked(made: Checked, text: str) -> Mark | None:
    """The mark at the | of a text."""
    return at(marks(made.world, made.scope), *placed(text)[1:])


def files(folder: Path, plan: str = PLAN, **texts: str) -> dict[str, Checked]:
    return written(folder, plan=plan.replace("|", ""), parts=PARTS, **texts)


def changed(folder: Path, plan: str, new: str) -> dict[str, str]:
    """The texts after the name at the | of the plan was changed, of the files in which it stands."""
    made = files(folder, plan)
    every = list(made.values())
    places = renamed(renamable(marked(made["plan"], plan)), new, every, [file.key for file in every])
    return {Path(key).stem: edited(made[Path(key).stem].loaded.main.text, spans, new) for key, spans in places.items()}


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("(ro|om)", "plan:5:5-9"), ("cluster = po|ds", "plan:4:9-13"), ("gpu = |h", "plan:3:5-6"),
        ("= |p.spare", "plan:2:23-24"), ("p.sp|are", "parts:2:5-10"), ('"par|ts.scn"', "parts:1:1-1"),
        ("(ow|n)", "plan:8:7-10"), ("pipeline = o|wn", "plan:12:27-30"), ("from ba|se", "plan:6:5-9"),
        # a setting: where its value was written
        ("nod|es = 16", "plan:4:33-35"), ("pods.no|des", "plan:4:33-35"), ("layout.pipe|line", "plan:12:54-57"),
        ("bandwi|dth", "plan:4:61-69"),
    ],
)  # fmt: skip
def test_where_a_word_is_defined(tmp_path: Path, word: str, place: str) -> None:
    plan = PLAN.replace(word.replace("|", ""), word, 1)
    found = definition(files(tmp_path)["plan"], marked(files(tmp_path)["plan"], plan))
    assert found is not None
    assert f"{Path(found.key).stem}:{found.span.line}:{found.span.column}-{found.span.end}" == place


def test_what_has_no_definition() -> None:
    made = alone("gpu h { memory = 80 GB }\nrun r { batch = tokens, layout.tensor = 2 * mfu, nothing = 3 }\n")
    for word in (
        "ru|n r",
        "80 G|B",
        "bat|ch =",
        "= tok|ens",
        "layout.ten|sor",
        "m|fu",
        "noth|ing",
        "layout.tensor |= 2",
    ):
        text = made.texts["untitled"].replace(word.replace("|", ""), word, 1)
        assert "|" in text and definition(made, marked(made, text)) is None, word


def test_every_word_that_stands_for_a_name(tmp_path: Path) -> None:
    made = files(tmp_path)
    found = {}
    for word in ("let o|wn = 3", "let |room", "cluster po|ds", "let sp|are"):
        file, text = ("parts", PARTS) if "sp|are" in word else ("plan", PLAN)
        mark = marked(made[file], text.replace(word.replace("|", ""), word, 1))
        assert mark is not None and mark.root is not None
        found[word] = [f"{Path(f.key).stem}:{f.span.line}:{f.span.column}" for f in same(made.values(), mark.root)]
    assert found == {
        "let o|wn = 3": ["plan:8:7", "plan:9:26", "plan:12:27", "plan:12:54"], "let |room": ["plan:5:5", "plan:10:29"],
        "cluster po|ds": ["plan:4:9", "plan:7:13", "plan:12:75"],
        "let sp|are": ["plan:10:16", "parts:2:5", "parts:3:17"]}  # fmt: skip


def test_a_rename_changes_the_words_that_mean_the_same_and_no_others(tmp_path: Path) -> None:
    assert changed(tmp_path, PLAN.replace("(own)", "(o|wn)"), "mine") == {
        "plan": PLAN.replace("let own", "let mine").replace("(own)", "(mine)").replace("= own", "= mine")
    }
    assert changed(tmp_path, PLAN.replace("let room", "let roo|m"), "place") == {"plan": PLAN.replace("room", "place")}
    assert changed(tmp_path, PLAN.replace("p.spare", "p.spar|e"), "rest") == {
        "plan": PLAN.replace("spare", "rest"), "parts": PARTS.replace("spare", "rest")}  # fmt: skip
    assert changed(tmp_path, PLAN.replace("as p", "as |p"), "q") == {
        "plan": PLAN.replace("as p", "as q").replace("p.spare", "q.spare")
    }


def test_a_name_of_the_library_stays(tmp_path: Path) -> None:
    made = files(tmp_path)
    mark = marked(made["plan"], PLAN.replace("p.sp", "p.sp|"))
    with pytest.raises(Refused, match="^`spare` is defined in the installed library; copy the block and rename"):
        renamed(renamable(mark), "rest", list(made.values()), [made["plan"].key])


@pytest.mark.parametrize(
    ("word", "new", "why"),
    [
        ("run ba|se", "wider", "run `wider` is defined twice then"),
        ("let ro|om", "size", "`size` is defined by itself then"),
        ("let ow|n = 3", "mfu", "`mfu` is a result of every run then"),
        ("let ow|n = 3", "2x", "`2x` is not a name: letters, digits, _ and glued - or ., and it begins with a letter"),
    ],
)
def test_a_name_that_is_taken_is_refused(tmp_path: Path, word: str, new: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        changed(tmp_path, PLAN.replace(word.replace("|", ""), word, 1), new)
    assert str(refused.value) == why


@pytest.mark.parametrize(("old", "new"), [("room", "own"), ("own", "room")])
def test_a_name_that_would_take_over_other_words_is_refused(tmp_path: Path, old: str, new: str) -> None:
    plan = "let room = 3\nrun base { let own = 5, layout.tensor = room * own }\n"
    with pytest.raises(Refused, match=f"^`{new}` already means something in plan.scn$"):
        changed(tmp_path, plan.replace(f"let {old}", f"let {old}|"), new)


def test_problems_that_a_file_has_already_do_not_stand_in_the_way(tmp_path: Path) -> None:
    plan = PLAN.replace("8 GB", "8 Gbps")
    assert changed(tmp_path, plan.replace("p.spare", "p.spar|e"), "rest")["plan"] == plan.replace("spare", "rest")


def test_what_is_no_name_of_a_person_is_not_renamed() -> None:
    words = {"ru|n r": "`run` is a word of the language", "bat|ch": "`batch` is a word of the language",
             "= 3 |": "there is no name here", 'import "|x"': "`x` is a word of the language"}  # fmt: skip
    made = alone('import "x"\nrun r { batch = 3 }\n')
    for word, what in words.items():
        text = made.texts["untitled"].replace(word.replace("|", ""), word, 1)
        with pytest.raises(Refused) as refused:
            renamable(marked(made, text))
        assert str(refused.value) == f"{what}; blocks, lets and the names of imports can be renamed"


def test_what_a_name_may_be() -> None:
    for new in ("a", "gpu-2", "llama-3.1-70b", "a_b"):
        legal(new)
    for new in ("", "Größe", "2a", "a b", "let", "import", "true", "false", "a-", "-a", "a\n"):
        pytest.raises(Refused, legal, new)


def test_each_place_is_replaced_whatever_their_order() -> None:
    text = "let ab = 3\nlet c = ab + ab * ab"
    places = [Span("x", 2, 9, 11), Span("x", 1, 5, 7), Span("x", 2, 19, 21), Span("x", 2, 14, 16)]
    assert edited(text, places, "longer") == "let longer = 3\nlet c = longer + longer * longer"
    assert edited(text, places[1:2], "") == "let  = 3\nlet c = ab + ab * ab"

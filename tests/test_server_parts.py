"""The server's parts by themselves: places in code units, half-typed texts, the cursor, units to offer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.parse import parse
from dsl.problems import Span
from dsl.quantities import HOLDS, dimension
from dsl.server.cursor import cursor
from dsl.server.mended import mended
from dsl.server.places import UTF8, UTF16, UTF32, Position, Text
from dsl.server.spellings import COMPOUND, spellings
from dsl.syntax import Block
from dsl.units import UNITS, Unit, find


@pytest.mark.parametrize(("encoding", "start", "end"), [(UTF8, 10, 12), (UTF16, 7, 9), (UTF32, 6, 8)])
def test_columns_are_counted_in_the_editors_units(encoding: str, start: int, end: int) -> None:
    area = Text('a\r\n"🚀é" = GB\n', encoding).area(Span("x", 2, 7, 9))
    assert area == (Position(1, start), Position(1, end))


@given(st.text(st.sampled_from('aé🚀 "\t\n\r'), max_size=40), st.sampled_from([UTF8, UTF16, UTF32]), st.data())
def test_a_place_goes_there_and_back(text: str, encoding: str, data: st.DataObject) -> None:
    made = Text(text, encoding)
    line = data.draw(st.integers(1, len(made.rows)))
    column = data.draw(st.integers(1, len(made.rows[line - 1]) + 1))
    assert made.place(made.area(Span("x", line, column, column + 1)).start) == (line, column)


def test_places_beyond_the_text_are_cut_and_a_byte_order_mark_counts_for_the_editor_only() -> None:
    text = Text("\ufefflet a = 1\nb")
    assert text.area(Span("x", 1, 5, 6)) == (Position(0, 5), Position(0, 6))
    assert text.place(Position(0, 5)) == (1, 5)
    assert text.place(Position(9, 9)) == (2, 2)
    assert text.place(Position(1, 99)) == (2, 2)
    assert text.area(Span("x", 7, 7, 9)) == (Position(1, 1), Position(1, 1))
    assert text.area(Span("x", 2, 1)) == (Position(1, 0), Position(1, 1))


def test_a_span_without_an_end_reaches_to_the_end_of_its_line() -> None:
    text = Text("let a = 1\nlet beta = 2\nc")
    assert text.area(Span("x", 2, 5)) == (Position(1, 4), Position(1, 12))
    assert text.area(Span("x", 2, 5, 5)) == (Position(1, 4), Position(1, 12))
    assert text.area(Span("x", 2, 5, 6)) == (Position(1, 4), Position(1, 5))
    assert text.area(Span("x", 2, 5, 99)) == (Position(1, 4), Position(1, 12))
    assert text.area(Span("x", 0, 5)) == (Position(0, 4), Position(0, 9))


def test_a_place_below_the_last_line_is_the_end_of_the_text() -> None:
    text = Text("let a = 1\nlet be\nc = 3")
    assert [text.place(Position(line, 2)) for line in (0, 1, 2, 3, 4)] == [(1, 3), (2, 3), (3, 3), (3, 6), (3, 6)]


@pytest.mark.parametrize(("encoding", "end"), [(UTF8, 7), (UTF16, 4), (UTF32, 3)])
def test_the_whole_text_ends_with_its_last_line(encoding: str, end: int) -> None:
    whole = Text("a long line\nand another\n🚀é1", encoding).whole
    assert whole == (Position(0, 0), Position(2, end))
    assert all(type(count) is int for place in whole for count in place)


OPEN = {
    "at the end": ("run a {\n  b = 1", "run a {\n  b = 1 }"),
    "before the next block": ("run a {\n  b = 1\n\n# next\nrun c { }", "run a {\n  b = 1 }\n\n# next\nrun c { }"),
    "a line break first": ("\n\nrun a {\n", "\n\nrun a { }\n"),
    "lines that end with two characters": ("run a {\r\n  b = 1\r\n", "run a {\r\n  b = 1 }\r\n"),
    "several blocks": ("run a {\nrun b {\n l {\nedition 3\n", "run a { }\nrun b {\n l { }}\nedition 3\n"),
    "one brace too many": ("run a { } }\nrun b {\n", "run a { } }\nrun b { }\n"),
    "a name like a kind's": ("run a {\nruns b {\n", "run a {\nruns b { }}\n"),
    "a kind without a block": ("run a {\nmodel = x\n", "run a {\nmodel = x }\n"),
    "a kind whose brace is in a comment": ("run a {\nmodel = x # {\n", "run a {\nmodel = x } # {\n"),
    "a comment sign in a text": ('run a {\n  b = "#" # c\n', 'run a {\n  b = "#" } # c\n'),
    "a text that breaks off": ('run a {\n  b = "{\n  c = 3', 'run a {\n  b = "{\n  c = 3 }'),
    "two levels, before a comment": ("run a {\n  l { # {\n\nimport \"x\"", "run a {\n  l { }} # {\n\nimport \"x\""),
    "a brace in a text": ('let a = "{"\n', 'let a = "{"\n'),
    "nothing open": ("run a { }\nlet b = 1\n", "run a { }\nlet b = 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPEN)
def test_open_blocks_are_closed_where_they_most_likely_end(case: str) -> None:
    typed, closed = OPEN[case]
    assert mended(typed) == closed


@given(st.lists(st.sampled_from(["run a {", "l {", "b = 1", "}", "\n", "# c", '"{"', "cluster d {", " "]), max_size=25))
def test_mending_closes_everything_and_moves_nothing(words: list[str]) -> None:
    text = "".join(words)
    closed = mended(text)
    assert mended(closed) == closed
    assert closed.count("\n") == text.count("\n")
    assert sorted(closed.replace(" ", "")) == sorted(
        text.replace(" ", "") + "}" * (closed.count("}") - text.count("}"))
    )


def test_names_after_an_open_block_are_known() -> None:
    text = "run a {\n  b = 1\n\ncluster c {\n  nodes = 1\n}\n"
    assert parse(text, "open.scn")[0] == ()
    tree, problems = parse(mended(text), "closed.scn")
    assert not problems and [s.name for s in tree if isinstance(s, Block)] == ["a", "c"]


CURSORS = {
    "": ((), (), "", False),
    "run r {\n  lay": (("run",), (), "lay", False),
    "run r {\n  layout {\n    schedule = inter": (("run", "layout"), ("schedule", "="), "inter", False),
    "run r { a = 1, b": (("run",), (), "b", False),
    "run r { } clu": ((), (), "clu", False),
    "cluster c {\n  tier pod { bandwidth = 400 Gb/": (("cluster", "tier"), ("bandwidth", "=", "400"), "Gb/", True),
    "cluster c { price = $2.10/gpu-h": (("cluster",), ("price", "="), "$2.10/gpu-h", False),
    "run r {\n  require a >= 1\n    and cluster.n": (("run",), ("require", "a", ">=", "1", "and"), "cluster.n", False),
    "report {\n  show = [\n    mfu,\n    co": (("report",), ("show", "=", "[", "mfu", ","), "co", False),
}


@pytest.mark.parametrize("text", CURSORS)
def test_the_cursor_knows_where_it_stands(text: str) -> None:
    rows = text.split("\n")
    found = cursor(text, len(rows), len(rows[-1]) + 1)
    kinds, words, typed, unit = CURSORS[text]
    assert (tuple(b.kind for b in found.blocks), found.words, found.typed, found.unit) == (kinds, words, typed, unit)
    assert rows[-1][found.column - 1 :] == typed


def test_the_cursor_knows_texts_comments_and_calls() -> None:
    assert cursor('import "lib', 1, 12).inside == "text"
    assert cursor('import "lib"', 1, 13).inside == ""
    assert cursor("# clu", 1, 6).inside == "comment"
    assert cursor("run r { layout.schedule = interleaved(virt", 1, 43).call == "interleaved"
    assert cursor("run r { a = min(1, 2) + b", 1, 26).call == ""


@pytest.mark.parametrize("holds", [h for h in HOLDS if h not in ("number", "ratio")])
def test_units_offered_are_units_of_what_the_setting_holds(holds: str) -> None:
    offered = spellings(holds)
    assert offered
    for spelling in offered:
        unit = find(spelling)
        assert isinstance(unit, Unit) and unit.dimension == dimension(holds)


# The usual unit first, then those that count the same thing; a share in %, a plain number in nothing.
UNITS_OF = {
    "gpus": "gpu gpus GPU GPUs", "layers": "layer layers", "share": "%", "number": "", "text": "",
    "flop/s": "TFLOPS TFLOP/s FLOPS MFLOPS GFLOPS PFLOPS EFLOPS ZFLOPS",
    "seconds": "s ns us µs ms second seconds min minute minutes h hour hours day days week weeks",
    "gpu-seconds": "gpu-second gpu-seconds gpu-hour gpu-hours gpu-day gpu-days GPU-second GPU-seconds GPU-hour"
                   " GPU-hours GPU-day GPU-days s ns us µs ms second seconds min minute minutes h hour hours day days"
                   " week weeks",
    "kg": "t g kg kt gCO2 kgCO2 tCO2 ktCO2 gCO2e kgCO2e tCO2e ktCO2e", "usd": "$ $k $M $B $T",
    "bytes/s": "GB/s TB/s MB/s GiB/s Gb/s Tb/s", "tokens/s": "tokens/s ktokens/s Mtokens/s",
}  # fmt: skip


@pytest.mark.parametrize("holds", UNITS_OF)
def test_the_usual_unit_is_offered_first(holds: str) -> None:
    assert spellings(holds) == tuple(UNITS_OF[holds].split())


def test_all_units_are_offered_where_nothing_says_what_a_number_is() -> None:
    assert spellings("") == (*UNITS, *(spelling for found in COMPOUND.values() for spelling in found))


def test_units_with_a_slash_are_units() -> None:
    for holds, found in COMPOUND.items():
        for spelling in found:
            unit = find(spelling)
            assert isinstance(unit, Unit) and unit.dimension == dimension(holds), spelling

"""From text to tree: literals, names, blocks, recovery after mistakes, and any text at all."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from dsl import cache
from dsl import parse as parsing
from dsl.build import exact
from dsl.files import load, load_text
from dsl.lines import Lines
from dsl.parse import GRAMMAR, OPTIONS, parse
from dsl.syntax import Block, Let, Name, Number, Range, written


def value(text: str) -> str:
    """A value read and written back."""
    tree, problems = parse(f"let x = {text}", "value.scn")
    assert not problems, problems
    let = tree[0]
    assert isinstance(let, Let)
    return written(let.value)


def test_the_grammar_has_no_conflicts_and_no_colliding_terminals() -> None:
    pytest.importorskip("interegular")
    strict = Lark(GRAMMAR.read_text("utf-8"), **OPTIONS, postlex=Lines(), strict=True)  # raises where there is one
    assert strict.rules


@pytest.mark.parametrize(
    "text",
    [
        "400 Gb/s",
        "80 GB",
        "989 TFLOPS",
        "$2.10/gpu-hour",
        "$12M",
        "16.8M tokens",
        "10 us",
        "90%",
        "7:1",
        "24_576",
        "8Ki",
        "1..16",
        "1..64 doubling",
        "32..256 step 32",
        "200..800 Gb/s step 200 Gb/s",
        "[1, 2, 4] sequences",
        "[]",
        "interleaved(virtual_stages = 5)",
        "a - b",
        "a-b",
        "-a ^ 2",
        "(a + b) * c",
        "a - (b - c)",
        "2 ^ -1",
        "1 <= a <= 8 and not b or c",
        "a divides b",
        "x in [1, 2]",
        "if a > b then 80% else 0%",
        "mfu as GiB",
        'cost as $M called "Cost"',
        "llama-3.1-70b.layers",
        "zoo.qwen2.5-72b",
        "true",
        '"text"',
        "not (a and b)",
        "8 - 1",
        "80 GB - 8 GB",
    ],
)
def test_values_read_and_written_back_are_the_same(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("80GB-8GB", "80 GB - 8 GB"),
        ("8-1", "8 - 1"),
        ("2*a", "2 * a"),
        ("90 %", "90%"),
        ("[1,2,]", "[1, 2]"),
        ("f(1,)", "f(1)"),
    ],
)
def test_spacing_is_made_regular(text: str, spaced: str) -> None:
    assert value(text) == spaced


def test_dashes_join_names_and_dots_select() -> None:
    tree, _ = parse("let x = llama-3.1-70b.layers", "names.scn")
    assert isinstance(tree[0], Let) and isinstance(tree[0].value, Name)
    assert tree[0].value.parts == ("llama-3.1-70b", "layers")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("16.8M", 16_800_000),
        ("14.8T", 14.8e12),
        ("80B", 80e9),
        ("8k", 8000),
        ("8Ki", 8192),
        ("16Mi", 2**24),
        ("24_576", 24576),
        ("1.5e-3", 0.0015),
    ],
)
def test_literals_are_exact(text: str, amount: float) -> None:
    found = exact(text)
    assert found is not None
    assert found[0] / found[1] == amount


@pytest.mark.parametrize("text", ["1e999999999", "9" * 60, "1e-400"])
def test_literals_beyond_a_float_are_refused_at_once(text: str) -> None:
    assert exact(text) is None
    _, problems = parse(f"run r {{\n a = {text}\n b = = 2\n}}", "long.scn")
    assert [p.code for p in problems] == ["E16", "E01"]


def test_soft_keywords_are_names_where_a_setting_stands() -> None:
    words = ["from", "step", "as", "at", "doubling", "and_more", "not_so", "called", "if_any", "in_all", "divides_by"]
    tree, problems = parse("run r {\n" + "\n".join(f"  {word} = 1" for word in words) + "\n}", "soft.scn")
    assert not problems
    assert isinstance(tree[0], Block) and len(tree[0].body) == len(words)


def test_blocks_have_kind_name_title_and_base() -> None:
    tree, _ = parse(
        'run b "Title" from a.b { x { y = 1 } }\nmeasured at batch = 2 and layout.tensor = 4 { mfu = 1 }', "blocks.scn"
    )
    first, second = tree
    assert isinstance(first, Block) and isinstance(second, Block)
    assert (first.kind, first.name, first.title, first.base.path if first.base else "") == ("run", "b", "Title", "a.b")
    assert [point.path.path for point in second.at] == ["batch", "layout.tensor"]


def test_a_range_keeps_its_ends_and_step() -> None:
    tree, _ = parse("let x = 200..800 Gb/s step 200 Gb/s", "range.scn")
    assert isinstance(tree[0], Let) and isinstance(tree[0].value, Range)
    step = tree[0].value.step
    assert isinstance(step, Number) and (step.value, step.unit) == (200, "Gb/s")


def test_every_mistake_of_a_file_is_found() -> None:
    text = "cluster a {\n  nodes 3\n  gpus == 4\n  link: 3\n}\ncluster 8x {\n  nodes = 3\n}\n"
    text += "run r {\n  show = [1, 2\n}\nlet z =\n"
    _, problems = parse(text, "many.scn")
    assert [p.span.line for p in problems] == [2, 3, 4, 6, 11, 12]


def test_what_follows_a_mistake_is_still_read() -> None:
    tree, problems = parse("run r {\n  a b\n  c = 3\n}\nlet x = 1", "rest.scn")
    assert len(problems) == 1
    assert isinstance(tree[0], Block) and len(tree[0].body) == 1
    assert isinstance(tree[1], Let)


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_tabs_and_byte_order_marks(tmp_path: Path, ends: str, mark: str) -> None:
    text = f"{mark}let a =\t1{ends}{ends}let b = [{ends}\t1,{ends}\t2]{ends}let c 3{ends}"
    file = tmp_path / "x.scn"
    file.write_bytes(text.encode())
    loaded = load(file)
    assert [(p.span.line, p.span.column) for p in loaded.problems] == [(6, 7)]


def test_what_is_not_utf8_is_told_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "x.scn"
    file.write_bytes(b'let a = 1\nlet t = "caf\xe9"\n')
    (problem,) = load(file).problems
    assert (problem.code, problem.span.line, problem.span.column) == ("E03", 2, 13)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "near.scn").write_text("")
    assert load(tmp_path / "neer.scn").problems[0].help == "did you mean `near.scn`?"
    assert load(tmp_path).problems[0].title.endswith("is a folder, not a scenario file")
    assert load("a\0b").problems[0].code == "E02"
    assert load(tmp_path / "none" / "x.scn").problems[0].code == "E02"
    os.mkfifo(tmp_path / "pipe.scn")
    assert load(tmp_path / "pipe.scn").problems[0].title.endswith("is not a plain file")


def test_a_tree_is_taken_from_the_cache_only_for_the_same_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNAGE_CACHE", str(tmp_path))
    cache.folder.cache_clear()
    try:
        first, _ = parse("let a = 1", "same.scn")
        assert list(tmp_path.iterdir())
        monkeypatch.setattr(parsing, "_read", {})
        monkeypatch.setattr(parsing, "_parse", lambda text, file: pytest.fail("read again"))
        assert parse("let a = 1", "same.scn")[0] == first
        monkeypatch.undo()
        monkeypatch.setenv("TONNAGE_CACHE", str(tmp_path))
        assert parse("let a = 2", "same.scn")[0] != first
        for kept in tmp_path.iterdir():
            kept.write_bytes(b"damaged")
        monkeypatch.setattr(parsing, "_read", {})
        assert parse("let a = 1", "same.scn")[0] == first
    finally:
        cache.folder.cache_clear()


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TONNAGE_CACHE", str(tmp_path / "file" / "below"))
    cache.folder.cache_clear()
    try:
        tree, problems = parse("let a = 1", "unwritable.scn")
        assert len(tree) == 1 and not problems
    finally:
        cache.folder.cache_clear()


WORDS = st.sampled_from(
    [
        "run",
        "cluster",
        "let",
        "require",
        "where",
        "import",
        "edition",
        "from",
        "as",
        "at",
        "because",
        "and",
        "or",
        "not",
    ]
    + [
        "in",
        "divides",
        "if",
        "then",
        "else",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "=",
        "==",
        ",",
        ".",
        "..",
        ":",
        "+",
        "-",
        "*",
    ]
    + ["/", "^", "%", "$", "1", "2.5", "16Mi", "7:1", "80", "GB", "tokens", "$2.10/gpu-hour", '"text"', '"', "#", "\n"]
    + ["\r", "\t", "name", "a-b", "tensor", "mfu", " "]
)


@given(st.text(max_size=80) | st.lists(WORDS, max_size=40).map(" ".join) | st.lists(WORDS, max_size=40).map("".join))
def test_any_text_is_a_tree_or_problems(text: str) -> None:
    loaded = load_text(text, "any.scn")
    for problem in loaded.problems:
        assert problem.span.line >= 1 and problem.span.column >= 1
        assert problem.span.line <= loaded.main.text.count("\n") + 1

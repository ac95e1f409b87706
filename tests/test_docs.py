"""The pages in docs/: every command and block in them is run, every link leads somewhere, what is generated is new."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dsl.files import load_text
from dsl.resolve import resolve
from reports.commands.source import NAMES
from tools import command_pages, consoles, pages

ROOT = Path(__file__).resolve().parents[1]
RUN = sorted(p for p in (ROOT / "docs").glob("*.md") if "```console" in p.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.stem))
def test_every_command_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    outcome = consoles.run(page.read_text("utf-8"), tmp_path)
    assert not outcome.faults, "\n\n".join(outcome.faults) + f"\n\ntools/consoles.py FOLDER {page} writes it anew"
    assert outcome.printed


def test_every_scenario_checks_by_itself_or_is_a_file_of_a_command() -> None:
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text("utf-8")
        found = list(consoles.blocks(text))
        ran = " ".join(b.text for b in found if b.kind in ("console", "scn"))
        for block in (b for b in found if b.kind == "scn"):
            if block.file:
                assert Path(block.file).name in ran, f"{page.name}:{block.line}: no command reads {block.file}"
                continue
            whole = block.text if block.text.startswith("edition") else f"edition 2026\n{block.text}"
            assert resolve(load_text(whole), NAMES)[1] == [], f"{page.name}:{block.line}"


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = "```text a.txt\none\ntwo\nthree\n```\n\n```console\n$ cat a.txt\none\n…\n$ echo other\nthis\n$ false\n```\n"
    outcome = consoles.run(page, tmp_path)
    assert [fault.split("`")[1] for fault in outcome.faults] == ["echo other", "false"]
    assert "$ cat a.txt\none\n…\n$ echo other\nother\n" in consoles.renewed(page, outcome)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [(("a", "…"), ["a"], True), (("a", "…", "c"), ["a", "b", "b", "c"], True), (("a … c",), ["a b c"], True),
     (("a", "…", "c"), ["a", "b"], False), (("a.c",), ["abc"], False), (("…",), [], True)],
)  # fmt: skip
def test_a_cut_stands_for_anything(shown: tuple[str, ...], printed: list[str], same: bool) -> None:
    assert consoles.matches(shown, printed) is same


def test_an_edit_applies_where_its_lines_stand_once() -> None:
    assert consoles.edited("a\nb\nc\n", "- b\n+ x\n+ y\n\n  c\n+ d\n") == "a\nx\ny\nc\nd\n"
    assert consoles.edited("a\na\n", "- a\n+ b\n") is None and consoles.edited("a\n", "- b\n") is None


def test_the_page_of_commands_does_not_lag() -> None:
    made = command_pages.page()
    assert (ROOT / "docs/commands.md").read_text("utf-8") == made, "run `make reference`"
    assert made.count("\n## ") > 12 and "`--check-pdf`" in made and "## `scn import`" in made


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    out = tmp_path_factory.mktemp("docs")
    return out, pages.build(out)


@pytest.mark.slow
def test_every_link_leads_somewhere(built: tuple[Path, list[str]]) -> None:
    out, broken = built
    assert broken == []
    made = {path.name for path in out.glob("*.html")}
    assert {"index.html", "tutorial.html", "language.html", "method.html", "right.html", "extend.html"} <= made
    for file in out.glob("*.html"):
        text = file.read_text("utf-8")
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids)) and text.count("<h1") == 1
        for target in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', text):
            assert (out / target).is_file(), f"{file.name}: {target}"


@pytest.mark.slow
def test_no_page_fetches_anything(built: tuple[Path, list[str]]) -> None:
    for file in built[0].glob("*.html"):
        text = file.read_text("utf-8")
        assert 'content="default-src &#39;none&#39;; ' in text
        assert not re.search(r"<link|<script[^>]+src|src=\"https?:", text)
        assert not re.search(r"@import|url\((?![\"']?data:)", text.split("<style>")[1].split("</style>")[0])


def test_a_dead_link_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    made = pages.sources()
    page = pages.read(ROOT / "docs/README.md", made)
    page.links += ["tutorial.html#no-such-heading", "gone.html"]
    others = [pages.read(ROOT / "docs/tutorial.md", made)]
    dead = [line.split(": ")[1] for line in pages.broken([page, *others])]
    assert {"tutorial.html#no-such-heading", "gone.html"} <= set(dead)


def test_a_heading_has_an_address_of_its_own() -> None:
    address: Callable[..., str] = pages.address
    assert address("1. The model", []) == "1-the-model"
    assert address("A `b_c`, d", ["a-b_c-d"]) == "a-b_c-d-1"

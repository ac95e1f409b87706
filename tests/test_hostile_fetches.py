"""Addresses in titles, logos and templates: nothing is fetched, no file of theirs is opened, and it is said."""

from pathlib import Path

import pytest

from tests.faults import answer, python
from tests.language import START

WATCHED = """
import json, os, sys
from pathlib import Path
seen = []
def hook(event, arguments):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "urllib.")) and not (
            str(arguments[0]).startswith("data:") or str(arguments[0]).endswith((".ttf", ".otf"))) or (
            event == "open" and "sentinel" in str(arguments[0])):
        seen.append([event, str(arguments[:1])])
sys.addaudithook(hook)
from reports.commands.job import perform
from reports.commands.outcome import Job
"""
ADDRESSES = ("file://{}/sentinel.png", "http://127.0.0.1:9/sentinel.png", "//127.0.0.1/sentinel.png", "ftp://127.0.0.1/sentinel")
MARKUP = "<img src='{0}'><link rel=stylesheet href='{0}'><svg><image href='{0}'/></svg><style>@import '{0}';</style>"


@pytest.mark.slow
def test_addresses_in_words_are_words(tmp_path: Path) -> None:
    (tmp_path / "sentinel.png").write_bytes(b"\x89PNG")
    words = "".join(MARKUP.format(address.format(tmp_path)) for address in ADDRESSES)
    head = f'report "{words[:900]}" {{\n  author = "{words[-900:]}"\n  subtitle = "url({ADDRESSES[1]})"\n}}\n'
    (tmp_path / "a.scn").write_text(START + head)
    code = WATCHED + """
done = perform(Job(Path("a.scn"), Path("out"), ("html", "pdf")))
print(json.dumps([done.code, [str(p) for p in done.written], seen, done.problems]))
"""
    code_, written, seen, problems = answer(python(code, tmp_path))
    assert code_ in (0, 1) and len(written) == 2, problems
    assert seen == []
    page = (tmp_path / "out" / "a.html").read_text("utf-8")
    assert "&lt;img src=" in page and "<img src='file" not in page


LOGO = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9">{}</svg>'
PARTS = (
    '<image href="{}" width="9" height="9"/>', '<use xlink:href="{}#a"/>', "<style>@import url({});</style>",
    '<rect fill="url({})"/>', '<foreignObject><iframe src="{}"/></foreignObject>',
)  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("place", ["logo", "style", "chapter"])
def test_addresses_in_logos_and_templates_are_refused_and_said(tmp_path: Path, part: str, place: str) -> None:
    address = f"file://{tmp_path}/sentinel.png"
    (tmp_path / "sentinel.png").write_bytes(b"\x89PNG")
    (tmp_path / "own" / "sections" / "own").mkdir(parents=True)
    templates = None if place == "logo" else "own"
    style = f"h1 {{ background: url({address}) }}" if "<style" not in part else f"@import url({address});"
    chapter = "{# title: Terms #}\n" + part.format(address)
    match place:
        case "logo":
            (tmp_path / "logo.svg").write_text(LOGO.format(part.format(address)))
        case "style":
            (tmp_path / "own" / "style.css").write_text(style)
        case "chapter":
            (tmp_path / "own" / "sections" / "own" / "terms.html").write_text(chapter)
    report = 'report "r" { logo = "logo.svg" }\n' if place == "logo" else ""
    (tmp_path / "a.scn").write_text(START + report)
    code = WATCHED + f"""
done = perform(Job(Path("a.scn"), Path("out"), ("html",), templates={f'Path("{templates}")' if templates else None}))
print(json.dumps([done.code, done.problems, seen]))
"""
    ended, problems, seen = answer(python(code, tmp_path))
    said = "names other files" in problems if place == "logo" else ended == 2 and "error[" in problems
    assert said and seen == [], problems

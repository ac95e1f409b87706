"""A company's own templates and style: what they change, what they may not do, and how that is said."""

import io
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pypdf
import pytest

from reports import bounded
from reports.book import bind
from reports.commands.company import Refused, company_of
from reports.company import Company
from reports.html import render_html
from reports.pdf import render_pdf
from tests.report_documents import cannot_be_built, document

TERMS = """{# title: Our terms; after: cost-and-power #}
<p>{{ report.author }} buys {{ quantity(setting("cluster.gpus"), "", 0) }} GPUs
{{ see("section", "cost-and-power") }}.</p>
"""
HEADER = """{% extends "tonnage/sections/front.html" %}
{% block brand %}<div class="brand"><div><b>Example Corp</b></div><div>{{ report.classification }}</div></div>
{% endblock %}
"""


def company(folder: Path, **files: str) -> Company:
    """The company of a folder of these files; "__" stands for "/" and "_" for "-" in front of the dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_html", ".html").replace("_css", ".css")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return company_of(folder)


def refused(folder: Path, **files: str) -> str:
    """What is said of a folder of these files, when it is read or when a page is made with it."""
    with pytest.raises(Refused) as caught:
        render_html(cannot_be_built(), company(folder, **files))
    return caught.value.text


def test_a_header_line_of_ones_own_and_a_chapter_more(tmp_path: Path) -> None:
    own = company(tmp_path, sections__front_html=HEADER, sections__own__terms_html=TERMS, style_css="h1 { color: red }")
    page = render_html(document(), own)
    assert "<b>Example Corp</b>" in page and "Capacity plan · procurement" not in page
    assert page.index("h1 { color: red }") > page.index("/* Only for screens") < page.index("</style>")
    chapters = [c.heading for c in bind(document(), own).chapters]
    assert chapters[chapters.index("6 Our terms") - 1] == "5 Cost and power"
    assert '<li><a href="#section-own-terms"><span>6 Our terms</span></a></li>' in page
    assert re.search(r"buys <span class=\"q\">4\u00a0096</span> GPUs", page)
    plain = [c.chapter.title for c in bind(document()).chapters]
    assert [c.chapter.title for c in bind(document(), own).chapters if c.chapter.title != "Our terms"] == plain


@pytest.mark.slow
def test_the_pdf_has_them_too_and_says_whose_they_are(tmp_path: Path) -> None:
    own, given = company(tmp_path, sections__front_html=HEADER, sections__own__terms_html=TERMS), cannot_be_built()
    data, heard = render_pdf(bind(given, own))
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    assert heard == [] and "EXAMPLE CORP" in pages[0].extract_text().upper()
    assert own.digest[:20] in pages[1].extract_text().replace("\n", "")
    assert render_pdf(bind(given, own))[0] == data


def test_without_a_place_a_chapter_stands_before_the_appendices(tmp_path: Path) -> None:
    own = company(tmp_path, sections__own__terms_html="{# title: Our terms #}\n<p>Net 30 days.</p>")
    keys = [c.chapter.key for c in bind(document(), own).chapters if c.number.isdigit()]
    assert keys[-1] == "own-terms"


def test_macros_and_style_alone(tmp_path: Path) -> None:
    shouted = '{% extends "tonnage/sections/glossary.html" %}'
    assert "Glossary" in render_html(cannot_be_built(), company(tmp_path, sections__glossary_html=shouted))


BAD = {
    "reaching into Python": ("{{ ''.__class__.__mro__ }}", "E28", 1, "unsafe"),
    "an unknown name": ("<p>\n{{ nothing_of_that_name }}</p>", "E15", 2, "nothing_of_that_name"),
    "a syntax error": ("<p>\n\n{% if %}</p>", "E01", 3, "Expected an expression"),
    "an unknown filter": ("<p>\n{{ degrees | shout }}</p>", "E01", 2, "shout"),
    "escaping off": ("\n{% autoescape false %}{{ degrees }}{% endautoescape %}", "E28", 2, "escaping"),
    "safe": ("{{ report.author | safe }}", "E01", 1, "safe"),
    "a missing include": ('\n{% include "elsewhere.html" %}', "E15", 2, "elsewhere.html"),
    "a way out": ('{% include "../../etc/passwd" %}', "E15", 1, "no template"),
    "a division by zero": ("\n\n{{ 1 / 0 }}", "E16", 3, "division by zero"),
    "an image from elsewhere": ('<p>\n<img src="https://example.com/a.png"></p>', "E28", 2, "fetches"),
    "an image beside it": ("<img src='a.png'>", "E28", 1, "fetches"),
    "a file": ('<p style="background: url(file:///etc/passwd)">', "E28", 1, "fetches"),
    "a script": ("<p>\n<script>alert(1)</script>", "E28", 2, "script"),
    "an event": ('<p onclick="x()">', "E28", 1, "runs a script"),
    "a frame": ("<iframe></iframe>", "E28", 1, "iframe"),
    "a number without end": ("{{ 10 ** 1000000000 }}", "E28", 1, "bits"),
    "text without end": ("{% for i in range(99999) %}{{ 'x' * 99999 }}{% endfor %}", "E28", 1, "characters"),
    "a text too large": ("{{ 'x' * 9999999999 }}", "E28", 1, "memory"),
    "itself": ('{% include "sections/glossary.html" %}', "E16", 1, "without end"),
    "a change of what is given": ("{{ report.update(author='me') }}", "E28", 1, "unsafe"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_template_may_not_do_is_said_with_file_and_line(name: str, tmp_path: Path) -> None:
    text, code, line, words = BAD[name]
    said = refused(tmp_path, sections__glossary_html=text)
    assert said.startswith(f"error[{code}]: ") and words in said
    assert f"--> {tmp_path / 'sections' / 'glossary.html'}:{line}:" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_loop_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "SECONDS", 1.5)
    loops = "\n{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    start = time.process_time()
    said = refused(tmp_path, sections__glossary_html=loops)
    assert time.process_time() - start < 15 and "ran for more than" in said and "glossary.html:2:" in said
    assert render_html(cannot_be_built())  # and nothing of it is left behind


def test_what_comes_after_templates_can_be_profiled() -> None:
    """Provenance sets a profile function: taking back an exception that was never set made the next file hang."""
    code = ("import sys; from reports.bounded import bounded\nwith bounded(): pass\n"
            "sys.setprofile(lambda *a: None)\n(lambda: 1)()\nprint('on')")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "on\n", done.stderr


def test_an_exception_on_its_way_stays_in_bounds() -> None:
    for _ in range(3):
        with suppress(bounded.TooMuch), bounded.bounded(0.05):
            start = time.process_time()
            while time.process_time() - start < 0.3:
                pass
        assert sum(range(1000)) == 499500


def test_only_plain_files_of_the_folder_count(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text("secret")
    folder = tmp_path / "own"
    folder.mkdir()
    os.symlink(tmp_path / "secret.html", folder / "macros.html")
    assert "leads out of the folder" in refused(folder)
    (folder / "macros.html").unlink()
    os.symlink("/etc", folder / "sections")
    assert "leads out of the folder" in refused(folder)
    (folder / "sections").unlink()
    os.mkfifo(folder / "page.html")
    assert "is no plain file" in refused(folder)
    (folder / "page.html").unlink()
    (folder / "README.md").write_text("For our own eyes.")
    assert company_of(folder).files == ()
    assert "no folder of templates" in refused(tmp_path / "nowhere")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_bytes(b"h1 {}\n/* caf\xe9 */")
    assert "style.css:2:1" in refused(tmp_path)
    (tmp_path / "style.css").write_text("x" * 600_000)
    assert "style.css is larger than 500 kB" in refused(tmp_path)


def test_a_style_fetches_nothing_and_ends_nowhere(tmp_path: Path) -> None:
    said = refused(tmp_path, style_css='h1 {}\n@import "more.css";\np { background: url(http://x) }\n</style>')
    assert [w in said for w in ("style.css:2:1", "style.css:3:17", "style.css:4:1")] == [True] * 3


def test_names_that_nothing_includes(tmp_path: Path) -> None:
    assert "did you mean `sections/glossary.html`?" in refused(tmp_path, sections__glosary_html="<p></p>")
    own = {"sections__glossary_html": '{% include "footer.html" %}', "footer_html": "<p>Ours</p>"}
    assert "<p>Ours</p>" in render_html(cannot_be_built(), company(tmp_path / "a", **own))
    assert "has no title" in refused(tmp_path / "b", sections__own__terms_html="<p>x</p>")
    lost = "{# title: Terms; after: cost-and-powr #}"
    assert "did you mean `cost-and-power`?" in refused(tmp_path / "c", sections__own__terms_html=lost)


def test_a_page_keeps_its_policy(tmp_path: Path) -> None:
    whole = "<!DOCTYPE html><html><body>{{ front }}</body></html>"
    assert "lacks the policy" in refused(tmp_path / "a", page_html=whole)
    kept = '{% extends "tonnage/page.html" %}{% block after %}<p>End of document</p>{% endblock %}'
    assert "End of document" in render_html(cannot_be_built(), company(tmp_path / "b", page_html=kept))


def test_texts_of_a_scenario_stay_texts(tmp_path: Path) -> None:
    given = document() | {"report": document()["report"] | {"author": "<b>me</b>"}}
    given = cannot_be_built() | {"report": given["report"]}
    page = render_html(given, company(tmp_path, sections__own__terms_html=TERMS))
    assert "&lt;b&gt;me&lt;/b&gt; buys" in page


def test_the_examples_of_the_page_about_templates_work(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "docs" / "templates.md").read_text("utf-8")
    header, terms = (block.strip("\n") for block in text.split("```")[1::2])
    page = render_html(
        cannot_be_built(), company(tmp_path, sections__front_html=header, sections__own__terms_html=terms)
    )
    assert "<b>Example Corp</b>" in page and "Our terms" in page and " orders " in page


def test_the_blocks_named_are_those_that_there_are() -> None:
    root = Path(__file__).parents[1]
    rows = re.findall(
        r"^\| `([\w/.]+)`[^|]*\| (`[^|]+`) \|$", (root / "docs" / "templates.md").read_text("utf-8"), re.M
    )
    named = {name: re.findall(r"`(\w+)`", blocks) for name, blocks in rows if (root / "templates" / name).exists()}
    assert len(named) == 3
    for name, blocks in named.items():
        assert re.findall(r"{% block (\w+) %}", (root / "templates" / name).read_text("utf-8")) == blocks


def test_render_says_it_once_and_writes_nothing(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from reports.commands.render import render

    (tmp_path / "style.css").write_text("p { background: url(http://x/y.png) }")
    scenario = Path(__file__).parents[1] / "scenarios" / "reduced-70b.scn"
    asked = [str(scenario), "--out", str(tmp_path / "out"), "--templates", str(tmp_path)]
    found = CliRunner().invoke(render, asked, standalone_mode=False)
    assert found.return_value == 2 and "style.css:1:17" in found.stderr and not (tmp_path / "out").exists()

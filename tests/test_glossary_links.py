"""Terms link to the glossary: the first use in each section's prose, and nothing else."""

import re
import time

import pytest
from markupsafe import Markup

from reports.book import bind
from reports.glossary_links import linked, words
from reports.html import render_html, screen_page
from reports.sections.glossary import TERMS, anchor
from tests.page_text import nodes
from tests.report_documents import document

ALL = "".join(f'<div id="{t.anchor}"><dt>{t.name}</dt></div>' for t in TERMS)


def with_links(body: str, key: str = "step", entries: str = ALL) -> str:
    return str(linked({key: Markup(body), "glossary": Markup(entries)})[key])


def test_the_first_use_of_each_term_links_to_its_entry() -> None:
    found = with_links("<p>A step has micro-batches; the steps of MFU, 10.6&nbsp;GiB, and MFU again.</p><p>MFU</p>")
    assert found == (
        '<p>A <a href="#term-step">step</a> has <a href="#term-micro-batch">micro-batches</a>; the steps of '
        '<a href="#term-mfu">MFU</a>, 10.6&nbsp;<a href="#term-gib-gb">GiB</a>, and MFU again.</p><p>MFU</p>'
    )


def test_each_section_has_its_own_first_use() -> None:
    made = linked({"a": Markup("<p>MFU</p>"), "b": Markup("<p>MFU</p>"), "glossary": Markup(ALL)})
    assert made["a"] == made["b"] == '<p><a href="#term-mfu">MFU</a></p>' and made["glossary"] == ALL


@pytest.mark.parametrize(
    "body",
    [
        "<h3>MFU</h3>",
        "<figcaption><b>MFU of figure 1.</b> Shown</figcaption>",
        "<p><code>MFU</code> and <a href='#x'>the <i>MFU</i></a></p>",
        "<svg><text>MFU</text><title><p>MFU</p></title></svg>",
        "<pre>MFU</pre>",
        "<table><tr><th>MFU</th><td>MFU</td></tr></table>",
        '<details class="values"><summary>x</summary><p>MFU</p></details>',
        '<div class="equation"><div class="body"><p>MFU = 1</p></div><div class="number">(1)</div></div>',
        '<p class="label">MFU</p>',
        '<p title="MFU">x</p>',
        "<p>XMFU, MFU-6, MFU/x, stepping, in step, GB/s, the next step, reserved nodes, xDP, EPYC, ranking</p>",
    ],
)
def test_what_is_no_prose_or_no_term_has_no_link(body: str) -> None:
    assert with_links(body) == body


@pytest.mark.parametrize("term", TERMS, ids=lambda t: t.anchor)
def test_every_term_is_found_by_each_of_its_words(term: object) -> None:
    assert term in TERMS
    own = TERMS[TERMS.index(term)]
    for word in own.words:
        key = own.within or "step"
        assert with_links(f"<p>Of {word}, it</p>", key) == f'<p>Of <a href="#{own.anchor}">{word}</a>, it</p>'
        assert key == "step" or with_links(f"<p>Of {word}, it</p>") == f"<p>Of {word}, it</p>"


def test_entries_are_in_order_and_no_word_means_two_things() -> None:
    names = [t.name.lower() for t in TERMS]
    assert names == sorted(names) and len({t.anchor for t in TERMS}) == len(TERMS)
    every = [word for t in TERMS for word in t.words]
    assert len(set(every)) == len(every) and all(t.meaning.endswith(".") for t in TERMS)
    assert (anchor("M$"), anchor("FSDP, ZeRO-1, 2, 3")) == ("term-musd", "term-fsdp-zero-1-2-3")


def test_without_its_entry_a_term_has_no_link() -> None:
    only = with_links("<p>MFU of a step</p>", entries='<dt id="term-mfu">')
    assert only == '<p><a href="#term-mfu">MFU</a> of a step</p>'
    assert with_links("<p>MFU</p>", entries="<dt>MFU</dt>") == "<p>MFU</p>"
    assert "term-" not in linked({"step": Markup("<p>MFU</p>")})["step"]


def test_a_report_links_to_entries_that_it_has_and_says_the_same() -> None:
    page = render_html(document())
    ids, links = set(re.findall(r'id="(term-[^"]*)"', page)), re.findall(r'href="#(term-[^"]*)"', page)
    assert len(ids) > 20 and len(set(links)) > 10 and set(links) <= ids
    assert len("".join(f'<a href="#{link}"></a>' for link in links)) < 10_000
    plain = re.sub(r'<a href="#term-[^"]*">([^<]*)</a>', r"\1", page)
    read, said = ("".join("".join(n.text for n in nodes(text)).split()) for text in (page, plain))
    assert read == said
    inside = [n for n in nodes(page) if any(e.startswith("a") for e in n.inside) and n.text in ("MFU", "step", "GiB")]
    assert inside and not any(n.within("h1", "h2", "h3", "code", "pre", "svg", "b") for n in inside)


def test_one_page_has_no_glossary_and_no_links() -> None:
    given = document()
    given["report"]["kind"] = "one_page"
    assert 'href="#term-' not in render_html(given)


def test_links_take_no_time() -> None:
    book = bind(document())
    page = screen_page(book)
    start = time.process_time()
    linked({"whole": Markup(page), "glossary": Markup(ALL)})
    assert time.process_time() - start < 0.2
    assert words(frozenset((TERMS[0].anchor,)), "step") is words(frozenset((TERMS[0].anchor,)), "step")

"""The HTML: numbering, links, headings, escaping, self-containment; the same for the page the PDF is made from."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from reports.book import bind
from reports.html import paper_page, render_html, screen_page
from tests.report_documents import VARIANTS, document, hostile, main_point

INLINE = {"a", "b", "code", "i", "span", "sub", "sup", "wbr"}
NUMBERED = re.compile(r"<b>(Table|Figure) (\d+)\.</b>")


class Page(HTMLParser):
    """Tags with their attributes, in order, and the text outside style and script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {k: v or "" for k, v in attrs}))
        self.part(tag)
        self.inside = tag if tag in ("style", "script") else ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""
        self.part(tag)

    def part(self, tag: str) -> None:
        """Words on both sides of a block do not run together."""
        if tag not in INLINE:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).replace("\u00a0", " ").split())

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] for _, attrs in self.tags if name in attrs]


@pytest.fixture(scope="module", params=VARIANTS)
def screen(request: pytest.FixtureRequest) -> str:
    return render_html(VARIANTS[request.param]())


def test_numbers_run_through_in_the_order_of_the_page(screen: str) -> None:
    for kind in ("Table", "Figure"):
        numbers = [int(n) for k, n in NUMBERED.findall(screen) if k == kind]
        assert numbers == list(range(1, len(numbers) + 1))
    equations = [int(n) for n in re.findall(r'<div class="number">\((\d+)\)</div>', screen)]
    assert equations == list(range(1, len(equations) + 1))


def test_every_link_leads_somewhere_and_no_id_is_given_twice(screen: str) -> None:
    page = Page(screen)
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    links = [a["href"] for tag, a in page.tags if tag == "a"]
    assert links and all(href[0] == "#" and href[1:] in ids for href in links)


def test_headings_do_not_skip_a_level(screen: str) -> None:
    levels = [int(tag[1]) for tag, _ in Page(screen).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(levels, levels[1:], strict=False))


def test_header_cells_say_what_they_head_and_images_what_they_show(screen: str) -> None:
    tags = Page(screen).tags
    assert all(a.get("scope") in ("row", "col") for tag, a in tags if tag == "th")
    assert all(a.get("aria-label") for tag, a in tags if tag == "svg")


def test_nothing_is_fetched_from_outside(screen: str) -> None:
    page = Page(screen)
    assert all(v.startswith(("data:", "#")) for name in ("src", "href", "xlink:href") for v in page.attributes(name))
    assert not re.search(r"url\(\s*(?!['\"]?(?:data:|#))", screen.replace("&quot;", '"'))
    assert not re.search(r"@import", screen)


def test_the_policy_allows_the_one_script_by_its_hash(screen: str) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", screen, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [a["content"] for tag, a in Page(screen).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy and "unsafe-eval" not in policy


def test_no_template_syntax_and_no_python_leaks_into_the_text(screen: str) -> None:
    text = Page(screen).text
    assert not re.search(r"\bNone\b(?!:)|\bnan\b|\{\{|\{%|Quantity\(|Markup|\bTrue\b|\bFalse\b", text)


def test_sentences_are_put_together_cleanly(screen: str) -> None:
    body = re.sub(r"<pre>.*?</pre>|<svg.*?</svg>", "", screen, flags=re.S)
    text = Page(body).text
    assert not re.search(r"[a-z]\.[A-Z][a-z]", text)
    assert not re.search(r" ,| \.(?!\d)|\( | \)|,,|\.\.(?!\.)|\(\)", text)


@pytest.mark.parametrize("name", VARIANTS)
def test_tables_and_figures_are_mentioned_before_they_appear(name: str) -> None:
    html = render_html(VARIANTS[name]())
    front = {"conditions", "revisions", "provenance", "approval"}
    for key in (t.key for t in bind(VARIANTS[name]()).tables if t.key not in front):
        place = html.index(f'id="table-{key}"')
        assert f'href="#table-{key}"' in html[:place], key


@pytest.mark.parametrize("part", main_point(document()))
def test_a_document_that_lacks_a_part_is_rendered(part: str) -> None:
    given = document()
    point = main_point(given)
    held = point[part]
    empty: object = [] if isinstance(held, list) else {} if part in ("settings", "results", "figures") else None
    point[part] = held if isinstance(held, str) else empty
    html = render_html(given)
    assert "Executive summary" in html and "Appendix" in html


def test_the_same_document_gives_the_same_page() -> None:
    assert render_html(document()) == render_html(document())


BAIT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7 * 7 }}{% raw %}</style></pre>"


@pytest.mark.parametrize("page", [screen_page, paper_page])
@pytest.mark.parametrize("name", VARIANTS)
def test_text_of_a_scenario_never_becomes_markup(name: str, page: object) -> None:
    given = hostile(VARIANTS[name](), BAIT) | {"source": BAIT * 3}
    html = screen_page(bind(given)) if page is screen_page else paper_page(bind(given))
    tags = Page(html).tags
    assert sum(tag == "script" for tag, _ in tags) == (1 if page is screen_page else 0)
    assert not [a for _, a in tags if any(k.startswith("on") for k in a)]
    assert "49" not in Page(html).text.partition("{{ 7")[2][:5]
    assert "{{ 7 * 7 }}" in Page(html).text


def test_the_first_page_says_what_to_decide_on() -> None:
    text = Page(render_html(document())).text
    front = text[: text.index("Contents")]
    for words in (
        "Decision requested.",
        "Why this plan.",
        "What could change the answer.",
        "What is not covered.",
        "not included",
    ):
        assert words in front


@pytest.mark.parametrize(
    ("name", "words"),
    [("cannot be built", "Why it cannot be built."), ("does not fit", "By how much it does not fit.")],
)
def test_an_infeasible_plan_has_its_own_first_page(name: str, words: str) -> None:
    html = render_html(VARIANTS[name]())
    assert '<div class="verdict fail">' in html
    assert words in html and "What would mend it." in html and "Why this plan." not in html


def test_letter_paper() -> None:
    given = document()
    given["report"]["paper"] = "Letter"
    assert "size: Letter landscape" in paper_page(bind(given)) and "size: A4" not in paper_page(bind(given))

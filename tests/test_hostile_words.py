"""Words of a scenario that look like markup, script, mathematics or formulas come out as the words they are."""

import csv
import html
import io
import re

import pytest

from dsl.files import load_text
from dsl.resolve import resolve
from reports.book import bind
from reports.csv_files import csv_files
from reports.document import build
from reports.html import paper_page, screen_page
from tests.language import RESULTS, START

WORDS = (
    "</script><!--<script>alert(1)</script><img src=file:///etc/passwd onerror=alert(2)></title></svg>"
    "$\\\\frac{1}{0$ {{ 7*7 }} {% raw %} @import url(http://a.example/x.css) </style>]]>"
)
TEXT = START.replace("run base {", f'run base "{WORDS}" {{') + f"""
report "=cmd|{WORDS}" {{
  author = "@{WORDS}", subtitle = "-2+3{WORDS}"
  approval "+1{WORDS}" {{ role = "=1+1" }}
  condition "\\t=1{WORDS}" {{ owner = "=1+1", effect = "+1-1" }}
}}
run b2 "={WORDS}" from base {{ batch = 1024 sequences }}
compare c "{WORDS}" {{ between = [base, b2] }}
sweep s "{WORDS}" {{ base = base
  vary {{ batch = [1024, 2048] sequences }} }}
"""


@pytest.fixture(scope="module")
def document() -> dict[str, object]:
    """The document of the scenario above."""
    scenario, problems = resolve(load_text(TEXT, "case.scn"), RESULTS)
    assert problems == []
    return build(scenario)


def test_words_are_no_markup(document: dict[str, object]) -> None:
    book = bind(document)
    for page in (screen_page(book), paper_page(book)):
        assert "<script>alert" not in page and "<img src=file" not in page and "<!--" not in page
        assert "alert(2)" in page and "{{ 7*7 }}" in page
        tags = re.findall(r"<[a-zA-Z][^>]*>", page)
        assert not [tag for tag in tags if re.search(r"\son\w+\s*=\s*[^\s\"]", re.sub(r'"[^"]*"', '""', tag))]
        addresses = [a for tag in tags for a in re.findall(r'\s(?:src|href|xlink:href|action)="([^"]*)"', tag)]
        assert not [a for a in addresses if not html.unescape(a).startswith(("#", "data:"))]


def test_the_page_states_a_strict_policy(document: dict[str, object]) -> None:
    page = screen_page(bind(document))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    stated = dict(part.strip().split(" ", 1) for part in html.unescape(policy[1]).split(";"))
    assert stated["default-src"] == stated["base-uri"] == stated["form-action"] == "'none'"
    assert stated["img-src"] == stated["font-src"] == "data:"
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", stated["script-src"])
    assert page.count("<script>") == 1


def test_cells_are_no_formulas(document: dict[str, object]) -> None:
    found = 0
    for text in csv_files(bind(document).tables).values():
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                found += cell.startswith(("'=", "'+", "'@", "'-"))
                if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
                    float(cell)  # numbers stay numbers
    assert found >= 3


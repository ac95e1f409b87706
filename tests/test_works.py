"""The list of works cited: every work that a docstring or the library names is in it, and it names no other."""

import re

from reports.works import NOTE, WORKS, Work, listed, read
from tests.conftest import ROOT

CITED = re.compile(r"\b(?:[A-Z][\w-]+(?:, [A-Z]\w+)* and [A-Z]\w+|[A-Z][\w-]+ et al\.|Daly|Young|Dao|Kolisch|Shazeer)"
                   r"\s(?:19|20)\d\d\b")  # fmt: skip
PLACES = ("engine/**/*.py", "reports/**/*.py", "scenarios/**/*.scn")


def text() -> str:
    """All that may cite a work, line breaks taken out; the list itself is left out."""
    files = (p for place in PLACES for p in sorted(ROOT.glob(place)) if p.name != "works.py")
    return re.sub(r"\s+#?\s*", " ", " ".join(p.read_text("utf-8") for p in files))


def test_every_work_that_is_cited_is_listed() -> None:
    known = {w.cited for w in WORKS}
    assert len(known) == len(WORKS) > 40
    found = set(CITED.findall(text()))
    assert len(found) > 25
    assert sorted(found - known) == []


def test_every_work_that_is_listed_is_cited() -> None:
    said = text()
    assert [w.cited for w in WORKS if w.cited not in said] == []


def test_numbers_of_arxiv_stand_for_one_work_each() -> None:
    numbers = [w.where.removeprefix("arXiv ") for w in WORKS if w.where.startswith("arXiv ")]
    assert len(set(numbers)) == len(numbers) and all(re.fullmatch(r"\d{4}\.\d{5}", n) for n in numbers)
    assert [w.cited for w in WORKS] == sorted((w.cited for w in WORKS), key=lambda c: (c == "jax-ml/scaling-book", c))


def test_the_list_says_what_was_read() -> None:
    lines = list(listed())
    assert "- Young 1974: A first order approximation to the optimum checkpoint interval. Communications of the ACM " \
           "17 (9), 530-531, doi 10.1145/361147.361115; number in harvard-edge/cs249r_book, " \
           "references.bib.\n" in lines  # fmt: skip
    assert 5 < sum(line.endswith("; read.\n") for line in lines) < len(lines)


def test_a_work_is_read_or_its_number_was_looked_up_or_neither() -> None:
    assert Work("A 2020", "B", "C").state == "not looked up"
    assert Work("A 2020", "B", "C", number="a/b, README.md").state == "number in a/b, README.md"
    assert read("A 2020", "B", "2001.00001") == Work("A 2020", "B", "arXiv 2001.00001", True)
    assert read("A 2020", "B", "2001.00001").state == "read"
    assert [w.cited for w in WORKS if w.read and w.number] == []
    said = set(re.findall(r'"(read|number in)"', NOTE))
    assert {w.state.split(" ")[0] for w in WORKS} == {s.split(" ")[0] for s in said} == {"read", "number"}

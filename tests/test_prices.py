"""Prices and rates: their age to the day, what was never looked up, and where the document says so."""

from datetime import date, timedelta

import pytest

from dsl.files import load_text
from dsl.resolve import resolve
from reports.book import bind
from reports.document import build
from reports.html import render_html
from reports.plan import plan_of
from reports.prices import age, flags, prices, told
from reports.sections.cost import cost
from tests.report_documents import Json

TEXT = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
import "library/fabrics.scn"
price mine {{
  rent     = $2.10/gpu-hour
  quote    = "Q-117"
  as_of    = "2026-03-01"
  source   = "Vendor A"
  verified = {verified}
}}
cluster hopper from h100-rail {{
  nodes = 16
  price = mine.rent
  cost.tax = 19%
  power_price = $0.1/kWh
}}
run a {{
  model = llama-3.1-8b
  cluster = hopper
  tokens = 1T tokens
  batch = 512 sequences
  layout.tensor = 2
}}
report "T" {{ kind = procurement {more} }}
"""


def made(more: str = "", verified: str = "read") -> Json:
    scenario, problems = resolve(load_text(TEXT.format(more=more, verified=verified), "own.scn"), {})
    assert not problems
    return build(scenario)


def row(**own: object) -> Json:
    return {"path": "cluster.price", "value": 1.0, "unit": "usd/s", "origin": "stated", "where": "a.scn:1",
            "source": "Vendor A", "verified": "read", "as_of": "2026-03-01", "quote": None} | own  # fmt: skip


@pytest.mark.parametrize(("days", "found"), [(0, []), (179, []), (180, []), (181, ["old"]), (-30, [])])
def test_a_price_is_old_from_the_181st_day(days: int, found: list[str]) -> None:
    on = (date(2026, 3, 1) + timedelta(days=days)).isoformat()
    assert age(row(), on) == days and flags(row(), on) == found


def test_what_was_never_looked_up_and_what_has_no_day() -> None:
    assert flags(row(verified="recall"), "2026-03-02") == ["recall"]
    assert flags(row(verified="unverified", as_of=None), "2026-03-02") == ["unverified", "undated"]
    assert flags(row(path="cluster.cost.tax", unit="share", as_of=None), "2026-03-02") == []  # no price
    assert flags(row(verified="recall"), "2026-08-29") == ["old", "recall"]


def test_the_day_is_that_of_the_report_else_the_newest_of_the_file() -> None:
    """Never that of rendering: without a report's date a price of the newest day is not old, whenever it is read."""
    own = [{"inputs": [row(), row(value=2.0, as_of="2025-01-01")]}]
    assert prices(own, {"date": "2026-08-28"})["on"] == "2026-08-28"
    assert prices(own, {"date": None})["on"] == "2026-03-01"
    assert prices(own, {"revisions": [{"date": "2026-04-01"}]})["on"] == "2026-04-01"
    assert [r["flags"] for r in prices(own, {})["rows"]] == [[], ["old"]]
    assert prices([], {}) == {"on": None, "rows": []}


def test_a_price_counts_once_and_a_default_not_at_all() -> None:
    own = [row(), row(path="cluster.gpu.price"), row(origin="default", value=3.0), row(path="tokens", unit="tokens")]
    assert len(prices([{"inputs": own}, {"inputs": [row()]}], {})["rows"]) == 1


def test_page_one_counts_them() -> None:
    own = [row(), row(value=2.0, path="cluster.power_price", verified="recall", as_of="2026-08-01")]
    found = prices([{"inputs": own}], {"date": "2026-08-29"})
    said = "one is older than 180 days on 29 August 2026 and one is from recall: cluster.price and cluster.power_price."
    assert told(found) == f"Of two\u00a0prices and rates, {said}"
    assert told(prices([{"inputs": own[:1]}], {"date": "2026-08-28"})) == "" and told({}) == ""


def test_tables_of_assumptions_and_cost_flag_an_old_price() -> None:
    given = made(', date = "2026-08-29"')
    found = {t.key: t for t in bind(given).tables}
    assert next(r for r in found["cost"].rows if r[0] == "GPUs")[-1] == "Q-117; 1 March 2026; older than 180 days"
    stated = {r[0]: dict(zip((c.name for c in found["stated"].columns), r, strict=True)) for r in found["stated"].rows}
    assert stated["cluster.price"]["Flag"] == "older than 180 days"
    assert stated["cluster.power_price"]["Flag"] == "no date stated" and stated["cluster.nodes"]["Flag"] is None
    page = " ".join(render_html(given).split())
    assert "one is older than 180 days on 29 August 2026 and one states no date" in page


def test_a_day_earlier_nothing_is_old() -> None:
    given = made(', date = "2026-08-28"')
    rows = {r["path"]: r for r in given["prices"]["rows"]}
    assert rows["cluster.price"]["days"] == 180 and rows["cluster.price"]["flags"] == []
    assert rows["cluster.price"]["quote"] == "Q-117"
    assert made(', date = "2026-03-01"', "recall")["prices"]["rows"][0]["flags"] == ["recall"]


def test_a_bases_source_says_nothing_of_what_is_stated_anew() -> None:
    inputs = {r["path"]: r for r in made()["experiments"][0]["points"][0]["inputs"]}
    assert inputs["cluster.power_price"]["source"] is None and inputs["cluster.nodes"]["source"] is None
    assert inputs["cluster.tier.spine.radix"]["source"] == "NVIDIA DGX SuperPOD H100 reference architecture"


def test_the_currency_is_named_once_with_tax_and_days() -> None:
    section = cost(plan_of(made()))
    assert section is not None and section.facts is not None
    assert section.facts["days"] == ["1 March 2026"] and section.facts["tax"] == 0.19
    page = " ".join(render_html(made()).split())
    assert page.count("Amounts are in US dollars") == 1 and "prices are those of 1 March 2026" in page

"""A check that does not apply is n/a, never a pass: every check of the library whose `when` does not hold."""

from collections import Counter
from functools import cache

import pytest

from dsl.files import load_text
from dsl.resolve import resolve
from dsl.scenario import Check
from reports.commands.source import NAMES
from reports.document import build
from reports.judgement import check, truth
from reports.plan import plan_of
from reports.sections.requirements import requirements_table
from reports.sections.verdict_rules import RULES, rules_table
from reports.summary import word
from reports.terms import VERDICTS
from tests.report_documents import Json, document

PLAIN = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
import "library/fabrics.scn"
cluster c from h100-rail {{ nodes = 1 }}
run r {{
  model = llama-3-8b
  cluster = c
  batch = 8 sequences
  tokens = 1B tokens
  {more}
}}
"""


@cache
def checks_of(more: str) -> tuple[tuple[Check, ...], Json]:
    scenario, problems = resolve(load_text(PLAIN.format(more=more), "plain.scn"), NAMES)
    assert not problems
    return scenario.checks, build(scenario)


@pytest.mark.parametrize("more", ["layout.tensor = 1", "fidelity = roofline"])
def test_checks_that_do_not_apply_are_neither_passed_nor_counted(more: str) -> None:
    rules, given = checks_of(more)
    point = given["experiments"][0]["points"][0]
    found = {c["id"]: c for c in point["checks"]}
    names = point["settings"] | point["results"]
    for rule in rules:
        if rule.when is not None and truth(rule.when(names)) is False:
            assert (found[rule.name]["status"], found[rule.name]["margin"]) == ("na", None), rule.name
            assert found[rule.name]["limit"] is None and found[rule.name]["result"] is None
    assert given["verdict"]["counts"]["na"] == sum(c["status"] == "na" for c in point["checks"]) > 0


def test_every_condition_of_the_library_has_a_plan_to_which_it_does_not_apply() -> None:
    rules, _ = checks_of("layout.tensor = 1")
    conditional = [r for r in rules if r.when is not None]
    values = {"fidelity": "roofline", "layout.tensor": 1.0, "layout.pipeline": 1.0, "data_parallel": 1.0,
              "layout.recompute": "none", "layout.shard": "none"}  # fmt: skip
    assert len(conditional) >= 14
    assert {r.name: check(r, values)["status"] for r in conditional} == {r.name: "na" for r in conditional}


def test_every_rule_of_the_verdict_is_stated_in_its_order() -> None:
    given = document()
    main = given["experiments"][0]["points"][0] | {"status": "ok"}
    clear: Counter[str] = Counter()
    tried = [
        word(main, [False], clear, 0, [], {}),
        word(main, [None], clear, 0, [], {}),
        word(main, [True], clear, 1, [], {"name": "b"}),
        word(main, [True], clear, 1, [], None),
        word(main, [True], clear, 0, [], None),
    ]
    assert tried == [name for name, _ in RULES] and set(tried) | {"nothing_to_decide"} == set(VERDICTS)


@pytest.mark.parametrize("name", [name for name, _ in RULES])
def test_the_rule_that_applied_is_marked(name: str) -> None:
    given = document()
    given["verdict"] = given["verdict"] | {"word": name}
    table = rules_table(plan_of(given))
    assert table is not None and [r[3] for r in table.rows].count("applies") == 1
    assert table.chosen is not None and table.rows[table.chosen][1] == VERDICTS[name]


def test_a_requirement_has_its_margin() -> None:
    """40 of 50 days allowed leave a fifth; another form than a limit has none."""
    given = document()
    row = {"require": "time_to_train <= 50 days", "holds": True, "where": "a.scn:3", "because": None, "missing": []}
    row |= {"values": {"time_to_train": {"value": 40 * 86400.0, "unit": "seconds"}},
            "limit": {"name": "time_to_train", "op": "<=", "value": 50 * 86400.0}}  # fmt: skip
    given["experiments"][0]["points"][0]["verdicts"] = [row, row | {"require": "a or b", "limit": None}]
    table = requirements_table(plan_of(given))
    assert table is not None
    margin = [column.name for column in table.columns].index("Margin")
    assert [row[margin] for row in table.rows] == [pytest.approx(0.2), None]

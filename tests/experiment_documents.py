"""Documents of experiments, small: the tables of one file, each evaluated as a report evaluates it."""

import copy
from functools import cache
from pathlib import Path

from dsl.scenario import Scenario
from reports.commands.source import read
from reports.document import build, summary
from tests.report_documents import Json

TABLES = Path(__file__).parent / "data" / "tables.scn"


@cache
def scenario() -> Scenario:
    """The file of small tables."""
    found = read(TABLES)
    assert not found.in_error, found.shown
    return found.scenario


def experiment(name: str) -> Json:
    """A fresh copy of one evaluated table, by the name of its block."""
    found: Json = next(e for e in _built()["experiments"] if e["kind"] != "run" and e["name"] == name)
    return copy.deepcopy(found)


def point(found: Json, index: int) -> Json:
    """The point of a table with this number; numbers count those that a `where` drops."""
    return next(dict(p) for p in found["points"] if p["index"] == index)


def document(*names: str, runs: bool = False) -> Json:
    """A document that holds those tables and, where asked for, the run that they vary."""
    made: Json = copy.deepcopy(_built())
    own = [experiment(n) for n in names]
    of_runs = [e for e in made["experiments"] if e["kind"] == "run"] if runs else []
    made |= {"experiments": of_runs + own, "not_evaluated": []}
    return made if runs else made | summary(scenario(), [], own, made["report"], []) | {"provenance": []}


@cache
def _built() -> Json:
    return build(scenario())

"""The schema: every row is well formed, every default checks against its own row, the engine reads every path."""

from collections.abc import Iterator
from functools import cache

import pytest

from dsl.blocks import Entry
from dsl.defaults import default_expression
from dsl.files import load_text
from dsl.kinds import ARGUMENTS, EVALUATED, KINDS, Kind, Setting
from dsl.problems import Problem
from dsl.quantities import HOLDS
from dsl.resolve import Resolution
from dsl.schema import REFERENCES, kinds, run_row, run_rows, schema
from dsl.values import Context, settle
from tests.language import RESULTS, START

OTHER = {"text", "flag", "date", "file", "choice", "expression", "axes", "sections", *REFERENCES}


def rows(kind: Kind) -> Iterator[Setting]:
    yield from kind.settings
    for block in kind.blocks:
        yield from rows(block)


ROWS = [(f"{kind.name}.{row.path}", row) for kind in KINDS for row in rows(kind)]
ROWS += [(f"{path}={choice}.{row.path}", row) for (path, choice), own in ARGUMENTS.items() for row in own]


@pytest.mark.parametrize("row", [row for _, row in ROWS], ids=[name for name, _ in ROWS])
def test_each_row_is_well_formed(row: Setting) -> None:
    assert row.doc and row.doc[-1] != "."
    assert row.holds.removeprefix("list of ") in OTHER | set(HOLDS)
    assert (row.holds == "choice") <= bool(row.choices)
    if row.bounds:
        sign, limit = row.bounds.split(" ")
        assert sign in (">", ">=") and float(limit) >= 0


@cache
def world() -> Resolution:
    """START, resolved once."""
    made = Resolution(load_text(START, "case.scn"), RESULTS)
    made.scenario()
    return made


@pytest.mark.parametrize("row", [r for _, r in ROWS if r.default], ids=[name for name, r in ROWS if r.default])
def test_each_default_is_a_value_of_its_row(row: Setting) -> None:
    table = world().table(world().main.blocks["run", "base"])
    problems: list[Problem] = []
    context = Context(row, row.path, table.names(), table.get, table.scope, problems)
    assert settle(default_expression(row.default), context) is not None, problems


def test_no_path_is_listed_twice() -> None:
    for kind in KINDS:
        for own in (kind, *kind.blocks):
            paths = [row.path for row in own.settings]
            assert len(paths) == len(set(paths)), own.name


def test_no_setting_is_also_a_group() -> None:
    for kind in KINDS:
        found = schema(kind)
        assert not (set(found.rows) - set(found.choosing)) & found.groups, kind.name


def test_choices_with_arguments_are_choices() -> None:
    for path, choice in ARGUMENTS:
        row = run_row(path)
        assert row is not None and choice in row.choices


def test_rows_of_a_run_reach_all_that_it_refers_to() -> None:
    found = run_rows()
    assert {
        "layout.tensor",
        "model.experts.routed",
        "cluster.gpu.peak.bf16",
        "stack.kernel_gap",
        "layout.schedule.virtual_stages",
    } <= set(found)
    assert run_row("cluster.tier.pod.bandwidth") is not None
    assert run_row("cluster.tier.pod.nothing") is None
    assert set(EVALUATED) <= set(kinds())


def test_entries_of_a_block_carry_their_rows() -> None:
    body = world().body(world().main.blocks["model", "small"])
    assert all(isinstance(entry, Entry) and entry.row.path == path for path, entry in body.entries.items())

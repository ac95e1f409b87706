"""The JSON document as text: as readable as the json module's, but quick for tables of ten thousand points."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.commands.job import LONG, as_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NODES = st.recursive(LEAVES, lambda own: st.lists(own, max_size=4) | st.dictionaries(st.text(), own, max_size=4))


@given(NODES)
def test_any_document_reads_as_the_json_module_writes_it(node: Any) -> None:
    assert as_json(node) == json.dumps(node, ensure_ascii=False, indent=1, allow_nan=False)


def test_a_long_list_has_an_item_a_line() -> None:
    points = [{"index": k, "results": {"mfu": 0.5, "cost": None}} for k in range(LONG)]
    lines = as_json({"points": points}).splitlines()
    assert lines[2] == '  {"index": 0, "results": {"mfu": 0.5, "cost": null}},' and len(lines) == LONG + 4
    assert json.loads("\n".join(lines)) == {"points": points}


def test_no_nan_gets_through() -> None:
    with pytest.raises(ValueError):
        as_json({"points": [float("nan")] * LONG})

"""`scn catalog`: the library with its values, units and sources."""

import json
import re
from pathlib import Path

import pytest

from dsl.catalog import Item, catalog
from dsl.schema import kinds
from engine.metrics import FACTS, METRICS
from reports.commands.catalog import COLUMNS, listed
from tests.test_render import call

LIBRARY = Path(__file__).resolve().parents[1] / "scenarios" / "library"
ITEMS = catalog({m.name: m.dimension for m in (*METRICS, *FACTS)})


def item(kind: str, name: str) -> Item:
    (found,) = [i for i in ITEMS if (i.kind, i.name) == (kind, name)]
    return found


def texts(kind: str, name: str) -> dict[str, str]:
    """The settings of an entry as text."""
    return {quoted.path: quoted.text for quoted in item(kind, name).settings}


def test_every_block_of_the_library_is_in_it() -> None:
    written = [
        (kind, name)
        for file in sorted(LIBRARY.glob("*.scn"))
        for kind, name in re.findall(r"^(\w+) (\S+) .*\{", file.read_text("utf-8"), re.MULTILINE)
    ]
    assert [(i.kind, i.name) for i in ITEMS] == written
    assert len(written) > 100


@pytest.mark.parametrize("kind", sorted({i.kind for i in ITEMS}))
def test_every_entry_has_settings_and_figures_have_a_source(kind: str) -> None:
    entries = [i for i in ITEMS if i.kind == kind]
    assert [i.name for i in entries if kind != "check" and not i.about.get("source")] == []
    assert [i.name for i in entries if not i.settings] == []


def test_values_are_said_in_the_units_they_are_written_in() -> None:
    part = texts("gpu", "h100-sxm")
    assert part["memory"] == "81_559 MiB"
    assert part["memory_bandwidth"] == "3.35 TB/s"
    assert part["peak.bf16"] == "989 TFLOPS"
    assert part["efficiency.memory"] == "82%"
    assert part["in_switch_reduction"] == "true"
    assert "source" not in part


def test_values_are_kept_in_base_units() -> None:
    values = {q.path: (q.value, q.unit) for q in item("gpu", "h100-sxm").settings}
    assert values["memory"] == (81_559 * 2**20, "MiB")
    assert values["power"] == (700.0, "W")


def test_what_is_copied_keeps_its_place() -> None:
    copy = item("gpu", "h100-sxm-96gb")
    places = {quoted.path: quoted.where for quoted in copy.settings}
    own = int(copy.where.rpartition(":")[2])
    assert copy.base == "h100-sxm"
    assert int(places["memory"].rpartition(":")[2]) > own > int(places["peak.bf16"].rpartition(":")[2])


def test_a_cluster_has_its_tiers_and_not_the_settings_of_its_gpu() -> None:
    fabric = texts("cluster", "meta-24k")
    assert fabric["tier.spine.oversubscription"] == "7:1"
    assert fabric["tier.pod.span"] == "3_072 gpus"
    assert fabric["gpu"] == "h100-sxm"
    assert [path for path in fabric if path.startswith("gpu.")] == []


def test_prices_and_rules() -> None:
    assert texts("price", "h100-aws")["rent"] == "$6.88/gpu-hour"
    assert item("price", "h100-aws").about["as_of"] == "2026-01-01"
    rule = item("check", "memory-room")
    assert rule.rules[0].startswith("require memory_per_gpu <= 92% * cluster.gpu.memory because ")
    assert {q.path: q.text for q in rule.settings}["severity"] == "warn"


def test_a_company_may_have_a_library_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "own.scn").write_text('model house "Ours" { layers = 12, source = "us" }\n', "utf-8")
    (own,) = catalog(library=tmp_path)
    assert (own.name, own.title, own.where, own.about) == ("house", "Ours", "library/own.scn:1", {"source": "us"})


def test_the_columns_of_lists_are_settings() -> None:
    for kind, columns in COLUMNS.items():
        rows = {row.path for row in kinds()[kind].settings}
        assert set(columns) <= rows


def test_lists_have_a_line_an_entry() -> None:
    parts = [i for i in ITEMS if i.kind == "gpu"]
    lines = listed(parts).split("\n")
    assert len(lines) == len(parts) + 1
    assert lines[0].split()[:2] == ["name", "memory"]
    assert any(re.match(r"h100-sxm +81_559 MiB +3\.35 TB/s +989 TFLOPS", line) for line in lines)


def test_the_command_shows_kinds_then_entries_then_one(tmp_path: Path) -> None:
    kinds = call("scn", "catalog", cwd=tmp_path)
    assert kinds.code == 0 and re.search(r"^gpu +\d+ ", kinds.out, re.MULTILINE)
    one = call("scn", "catalog", "gpu", "h100-sxm", cwd=tmp_path)
    assert one.out.startswith('gpu h100-sxm "NVIDIA H100 SXM5 80 GB"\nlibrary/gpus.scn:')
    assert re.search(r"^memory +81_559 MiB +library/gpus\.scn:\d+$", one.out, re.MULTILINE)
    assert "\nsource: NVIDIA H100 datasheet" in one.out


def test_the_command_gives_json(tmp_path: Path) -> None:
    (entry,) = json.loads(call("scn", "catalog", "gpu", "h100-sxm", "--format", "json", cwd=tmp_path).out)
    memory = next(q for q in entry["settings"] if q["path"] == "memory")
    assert memory["value"] == 81_559 * 2**20 and memory["text"] == "81_559 MiB"
    assert entry["about"]["confidence"] == "datasheet"
    assert len(json.loads(call("scn", "catalog", "--format", "json", cwd=tmp_path).out)) == len(ITEMS)


def test_what_is_not_there_is_told_with_what_is(tmp_path: Path) -> None:
    kind = call("scn", "catalog", "gpus", cwd=tmp_path)
    assert kind.code == 2 and "the library has no gpus; did you mean gpu?" in kind.err
    name = call("scn", "catalog", "gpu", "h100", cwd=tmp_path)
    assert name.code == 2 and "no gpu called h100; it has h100-sxm, h100-sxm-96gb" in name.err

"""Files that leave things out: each renders, shows an en dash with the name of what is missing, and never a zero."""

import re
from pathlib import Path

import pytest

from reports.commands.source import read
from reports.document import build
from reports.html import render_html

HEAD = 'edition 2026\nimport "library/gpus.scn"\nimport "library/models.scn"\n'
TIERS = "tier node { bandwidth = 450 GB/s }\n tier pod { bandwidth = 400 Gb/s }"
FILES = {
    "one GPU": (
        "gpus = 1\n gpus_per_node = 1",
        "model = gpt2-xl\n batch = 8 sequences\n layout { shard = none, micro_batch = 8 sequences }",
    ),
    "no tokens": (f"nodes = 2\n{TIERS}", "model = llama-3-8b\n batch = 64 sequences"),
    "no price": (f"nodes = 2\n{TIERS}", "model = llama-3-8b\n tokens = 1T tokens\n batch = 64 sequences"),
    "no tiers": ("nodes = 1", "model = llama-3-8b\n batch = 64 sequences"),
    "no tiers over two nodes": ("nodes = 2", "model = llama-3-8b\n batch = 64 sequences"),
    "one micro-batch": (
        f"nodes = 2\n{TIERS}",
        "model = llama-3-8b\n batch = 4 sequences\n layout { tensor = 2, pipeline = 2 }",
    ),
    "smaller than its cluster": (
        f"nodes = 4\n{TIERS}",
        "model = llama-3-8b\n batch = 64 sequences\n layout { tensor = 2, data = 8 }",
    ),
    "cannot be built": (f"nodes = 2\n{TIERS}", "model = llama-3-8b\n batch = 63 sequences"),
    "does not fit": (f"nodes = 2\n{TIERS}", "model = llama-3-70b\n batch = 64 sequences\n layout { shard = none }"),
}  # fmt: skip


def shown(page: str) -> str:
    """The text of a page without markup, script and style."""
    return re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)


@pytest.mark.parametrize("what", FILES)
def test_it_renders(what: str, tmp_path: Path) -> None:
    cluster, run = FILES[what]
    file = tmp_path / "unusual.scn"
    text = f"{HEAD}cluster c {{ gpu = h100-sxm\n {cluster} }}\nrun r {{ cluster = c\n {run} }}\n"
    file.write_text(text, encoding="utf-8")
    source = read(file)
    assert not source.in_error, source.shown
    document = build(source.scenario)
    point = document["experiments"][0]["points"][0]
    page = render_html(document)
    for row in point["unavailable"]:
        assert point["results"][row["result"]] is None and row["missing"]
    if point["results"]["time_to_train"] is None:
        assert "–" in page
    assert not re.search(r"\b(nan|inf)\b", shown(page), re.IGNORECASE)


def test_a_file_without_a_run_renders(tmp_path: Path) -> None:
    file = tmp_path / "empty.scn"
    file.write_text("edition 2026\n", encoding="utf-8")
    assert "<h1" in render_html(build(read(file).scenario))

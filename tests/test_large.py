"""Large documents lay out in bounded time and memory: 200 alternatives, 10,000 points, very long names."""

from pathlib import Path

import pypdf
import pytest

from tests.hostile import call

HEAD = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster box {
  gpu = h100-sxm, nodes = 8, price = $2/gpu-hour
  tier node { bandwidth = 450 GB/s }
  tier rail { bandwidth = 50 GB/s }
}
"""
LONG = "a name that goes on " * 12
RUN = "model = llama-3-8b, cluster = box, tokens = 100B tokens, batch = 512 sequences, layout { tensor = 8 }"
ALTERNATIVES = (
    f'{HEAD}run r0 "{LONG}" {{ {RUN} }}\n'
    + "".join(
        f'run r{i} "{i} {LONG}" from r0 {{ layout.micro_batch = {2 ** (i % 3)} sequences }}\n' for i in range(1, 200)
    )
    + f"compare all {{ between = [{', '.join(f'r{i}' for i in range(200))}], baseline = r0 }}\n"
    + f'report "{LONG}" {{ kind = comparison }}\n'
)  # fmt: skip
POINTS = f"""{HEAD}run small {{ {RUN} }}
sweep wide {{
  base = small
  vary {{
    cluster.nodes = 1..250
    layout.micro_batch = [1, 2, 4, 8] sequences
    layout.tensor = [1, 2, 4, 8, 16]
    layout.recompute = [none, full]
  }}
}}
report "Ten thousand points" {{ }}
"""


def rendered(folder: Path, text: str, form: str, seconds: int) -> Path:
    """The document of a text, made within so many seconds of the processor and the memory of attacks."""
    (folder / "large.scn").write_text(text, "utf-8")
    given = "large.scn", "--format", form, "--out", "out"
    answer = call("render", *given, cache=folder / "cache", where=folder, seconds=seconds)
    assert answer.code in (0, 1), answer.said
    return folder / "out" / f"large.{form}"


@pytest.mark.slow
def test_two_hundred_alternatives(tmp_path: Path) -> None:
    page = rendered(tmp_path, ALTERNATIVES, "html", 90).read_text("utf-8")
    assert page.count(">r199<") >= 2 and "12 of 200 runs" in page


@pytest.mark.long
@pytest.mark.parametrize(("text", "pages"), [(ALTERNATIVES, 120), (POINTS, 90)], ids=["alternatives", "points"])
def test_on_paper(tmp_path: Path, text: str, pages: int) -> None:
    """Pages are bounded too: the rest of a table is in its CSV, which the PDF holds."""
    found = pypdf.PdfReader(rendered(tmp_path, text, "pdf", 180))
    assert 20 < len(found.pages) < pages
    assert any(name.endswith(".csv") for name in found.attachments)

"""The bounds are what the reference page promises: a lower one would refuse what was read before."""

from pathlib import Path

from dsl import limits

PAGE = (Path(__file__).resolve().parents[1] / "dsl" / "REFERENCE.md").read_text("utf-8")


def test_every_bound_is_the_one_that_the_page_promises() -> None:
    lines = PAGE.partition("## Bounds\n")[2].split("\n")
    told = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line.startswith("| ")][1:]
    counts = [f"10^{len(f'{b.most}') - 1}" if b.most >= 10**15 else f"{b.most:,}" for b in limits.BOUNDS]
    known = [(b.of, b.counted, f"{n} {b.unit}".strip()) for b, n in zip(limits.BOUNDS, counts, strict=True)]
    assert [row for row in told if row[0] != "---"] == known and len(known) == 44


def test_bounds_that_are_no_rows_of_their_own() -> None:
    assert (limits.TINY, limits.HUGE, limits.TINY * limits.HUGE) == (1e-30, 1e30, 1)
    assert limits.HINTS == 10_000  # names
    assert limits.HINTED == 100  # problems, of the 100 that are printed
    assert limits.HINTED == limits.SHOWN

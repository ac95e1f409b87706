"""What a table of collective times says about a link, against what follows by hand and what was published."""

from collections.abc import Sequence

import pytest

from engine import link_fit

MIB = 2.0**20


@pytest.mark.parametrize(
    ("kind", "n", "k", "share", "hops"),
    [
        ("all_reduce", 8, 1, 2 * 7 / 8, (14, 0)),
        ("all_reduce", 16, 2, 2 * 1 / (2 * 8), (14, 2)),
        ("all_reduce", 32, 4, 2 * 3 / (4 * 8), (14, 4)),
        ("all_reduce", 8, 4, 2 * 3 / (4 * 2), (2, 4)),
        ("all_gather", 8, 1, 7 / 8, (7, 0)),
        ("all_gather", 16, 2, 15 / (16 * 8), (14, 2)),
        ("reduce_scatter", 8, 4, 7 / (8 * 2), (4, 4)),
        ("all_to_all", 8, 1, 7 / 8, (1, 0)),
        ("all_to_all", 32, 4, 24 / 32, (0, 1)),
        ("send", 2, 1, 1, (1, 0)),
        ("send", 16, 2, 1, (0, 1)),
    ],
)
def test_bytes_and_hops_of_a_call(kind: str, n: float, k: float, share: float, hops: tuple[float, float]) -> None:
    assert (link_fit.share(kind, n, k), link_fit.hops(kind, n, k)) == (share, hops)


@pytest.mark.parametrize(("kind", "n", "k"), [("all_reduce", 8, 1), ("all_gather", 16, 2), ("all_to_all", 32, 4)])
def test_the_link_fit_is_exact_on_its_own_form(kind: str, n: float, k: float) -> None:
    sizes = [2.0**i for i in range(10, 34, 2)]
    seconds = [30e-6 + link_fit.share(kind, n, k) * s / 300e9 for s in sizes]
    found = link_fit.fit(kind, n, k, sizes, seconds)
    assert found.rate == pytest.approx(300e9, rel=1e-6)
    assert found.fixed == pytest.approx(30e-6, rel=1e-6)


def test_one_size_leaves_the_librarys_fixed_time() -> None:
    """5 ms over 8 ranks: 1.75 GB less a call of 10 us and fourteen hops of 1 us."""
    found = link_fit.fit("all_reduce", 8, 1, [1e9], [5e-3])
    assert found.fixed == pytest.approx(24e-6)
    assert found.rate == pytest.approx(1.75e9 / (5e-3 - 24e-6), rel=1e-12)


def test_a_published_table_is_held_where_training_moves_data() -> None:
    """8 H200 of one node, all-reduce (stas00/ml-engineering, network tables): within 10 % from 64 MB up."""
    series = {2**15: 39.82e-6, 2**18: 39.08e-6, 2**20: 45.96e-6, 2**22: 68.5e-6, 2**24: 133.52e-6, 2**26: 338.92e-6,
              2**28: 1077.07e-6, 2**30: 4053.34e-6, 2**32: 15887.11e-6, 2**34: 62341.42e-6}  # fmt: skip
    found = link_fit.fit("all_reduce", 8, 1, list(series), list(series.values()))
    for size, seconds in series.items():
        if size >= 2**26:
            fitted = found.fixed + link_fit.share("all_reduce", 8, 1) * size / found.rate
            assert fitted == pytest.approx(seconds, rel=0.1)
    assert 450e9 < found.rate < 490e9  # 482 GB/s at 16 GiB


def test_three_sizes_say_the_fixed_time_and_two_do_not() -> None:
    """All-gather over 2 nodes of 8: the library's call of 10 us, 14 hops of 1 us inside and two of 5 us across."""
    sizes = [4 * MIB, 64 * MIB, 1024 * MIB]
    seconds = [30e-6 + 15 / 128 * s / 40e9 for s in sizes]
    assert link_fit.fit("all_gather", 16, 2, sizes, seconds).fixed == pytest.approx(30e-6, rel=1e-9)
    assert link_fit.fit("all_gather", 16, 2, sizes[1:] * 2, seconds[1:] * 2).fixed == 10e-6 + 14e-6 + 2 * 5e-6


def test_a_small_size_counts_by_what_it_is_of_4_mib() -> None:
    """Weights S/(S + 4 MiB) of a relative error: 1/2, 2/3 and 4/5 of 4, 8 and 16 MiB, by the normal equations."""
    sizes, seconds = [4 * MIB, 8 * MIB, 16 * MIB], [50e-6, 60e-6, 120e-6]
    rows = [(w / t, w * s / t, w) for w, s, t in zip((1 / 2, 2 / 3, 4 / 5), sizes, seconds, strict=True)]
    aa, ab, bb, ac, bc = (sum(r[i] * r[j] for r in rows) for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2)))
    det = aa * bb - ab * ab
    found = link_fit.fit("send", 2, 1, sizes, seconds)
    assert found.fixed == pytest.approx((ac * bb - bc * ab) / det, rel=1e-9)
    assert found.rate == pytest.approx(det / (aa * bc - ab * ac), rel=1e-9)


@pytest.mark.parametrize("seconds", [(1e-3, 3e-3, 9e-3), (9e-3, 3e-3, 1e-3)])
def test_times_that_no_fixed_part_or_no_rate_explains_are_a_line_through_zero(seconds: Sequence[float]) -> None:
    """Below zero at size 0, and faster the larger: sum(x)/sum(x^2) of x = S/t has the least relative errors."""
    sizes = [100 * MIB, 200 * MIB, 300 * MIB]
    x = [s / t for s, t in zip(sizes, seconds, strict=True)]
    found = link_fit.fit("send", 2, 1, sizes, seconds)
    assert found.fixed == 0.0
    assert found.rate == pytest.approx(sum(a * a for a in x) / sum(x), rel=1e-12)


def test_the_fixed_time_is_at_most_half_of_what_was_measured() -> None:
    """A send takes 11 us without its bytes; one of 16 us in all is half bytes."""
    found = link_fit.fit("send", 2, 1, [16e3, 32e3], [16e-6, 24e-6])
    assert found.fixed == 8e-6
    assert [found.rate, found.worst] == pytest.approx([2e9, 0.0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("unit", "held"), [(MIB, (0, 1, 2, 3)), (MIB / 2, (1, 2, 3)), (MIB / 100, (3,))])
def test_a_fit_is_judged_from_1_mib_or_by_its_largest_size(unit: float, held: Sequence[int]) -> None:
    """A line through zero, whose errors follow from the rate found."""
    sizes, seconds = [unit, 2 * unit, 3 * unit, 4 * unit], [1e-3, 2.5e-3, 4.5e-3, 8e-3]
    found = link_fit.fit("send", 2, 1, sizes, seconds)
    assert found.fixed == 0.0
    errors = sorted(abs(sizes[i] / found.rate / seconds[i] - 1) for i in held)
    middle = (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2
    assert [found.spread, found.worst] == pytest.approx([middle, errors[-1]], rel=1e-9)


@pytest.mark.parametrize(
    ("tests", "call", "inside", "across"),
    [
        ([("all_gather", 8, 1, 24e-6)], 10e-6, 2e-6, None),
        ([("all_reduce", 8, 1, 10e-6 + 14 * 3e-6), ("all_gather", 8, 1, 24e-6)], 10e-6, 2.5e-6, None),
        ([("all_gather", 8, 1, 4e-6)], 4e-6, 0.0, None),
        ([("all_gather", 16, 2, 10e-6 + 14e-6 + 2 * 6e-6)], 10e-6, None, 6e-6),
        ([("all_gather", 8, 1, 24e-6), ("all_reduce", 16, 2, 10e-6 + 14 * 2e-6 + 2 * 7e-6)], 10e-6, 2e-6, 7e-6),
        ([("all_gather", 16, 2, 20e-6), ("send", 16, 2, 16e-6)], 10e-6, None, 3e-6),  # 0 and 6 us
        ([("all_gather", 1, 1, 11e-6)], 10e-6, None, None),
    ],
)
def test_what_fixed_times_say_about_call_and_hops(tests: Sequence[tuple[str, float, float, float]], call: float,
                                                  inside: float | None, across: float | None) -> None:  # fmt: skip
    found = link_fit.latency(tests)
    assert found is not None
    assert (found.inside is None, found.across is None) == (inside is None, across is None)
    assert [x for x in (found.call, found.inside, found.across) if x is not None] == pytest.approx(
        [x for x in (call, inside, across) if x is not None], rel=1e-9, abs=1e-15)  # fmt: skip


def test_no_test_says_nothing() -> None:
    assert link_fit.latency([]) is None

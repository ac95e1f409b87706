"""Pipeline schedules: closed forms against published formulas and against the simulation."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import Column, column
from engine.schedules import SCHEDULES, StageTimes, equal_stages
from engine.schedules.passes import round_trips
from engine.simulate import Timeline, simulate

NAMES = tuple(SCHEDULES)
ONE_COPY = ("gpipe", "one_f_one_b", "interleaved", "zero_bubble")


def stage_times(forward: list[float], backward: list[float], weight: list[float] | None = None) -> StageTimes:
    columns = [tuple(column(t) for t in times) for times in (forward, backward)]
    return StageTimes(columns[0], columns[1], None if weight is None else tuple(column(t) for t in weight))


def closed(name: str, times: StageTimes, m: int, v: int = 1, send: float = 0.0) -> float:
    return float(SCHEDULES[name].total(times, column(m), v, column(send))[0])


def counts(name: str, p: int, m: int) -> tuple[int, int]:
    """(stages, micro-batches) near the drawn ones that the schedule's rules allow."""
    if name == "dualpipe":
        return 2 * max(1, p // 2), 2 * max(m, 2 * p)
    return p, max(m, 2 * p) if name == "dualpipe_v" else m


def chunks(name: str, v: int) -> int:
    return v if name == "interleaved" else 1


@pytest.mark.oracle("times-bubble")
def test_bubble_of_sixteen_stages_is_the_case_studys() -> None:
    m = column([16, 8, 4])
    assert (SCHEDULES["one_f_one_b"].bubble(16, m) * 100).tolist() == [93.75, 187.5, 375.0]


@pytest.mark.oracle("training-bubble")
def test_bubble_of_four_stages_and_sixteen_micro_batches() -> None:
    assert SCHEDULES["gpipe"].bubble(4, column(16)).tolist() == [0.1875]
    assert SCHEDULES["one_f_one_b"].bubble(4, column(16)).tolist() == [0.1875]


def test_interleaving_divides_the_bubble() -> None:
    assert SCHEDULES["interleaved"].bubble(16, column([16.0, 128.0]), 8).tolist() == [15 / 128, 15 / 1024]


@pytest.mark.parametrize(("stages", "bubble"), [(4, 3), (8, 7), (16, 15)])
def test_zero_bubble_of_equal_halves(stages: int, bubble: int) -> None:
    m, three = column(4 * stages), column(3.0)
    share = SCHEDULES["zero_bubble"].bubble(stages, m)
    assert (share * m * three)[0] == pytest.approx(bubble, rel=1e-12)


def test_dualpipe_bubble_is_the_published_one() -> None:
    """(p/2-1)(F&B + b - 3w) with F&B = f + b: 3 (3 + 2 - 3) at p = 8; the V form halves the chunks."""
    useful = column(3.0) * 16
    assert (SCHEDULES["dualpipe"].bubble(8, column(16)) * useful).tolist() == [6.0]
    assert (SCHEDULES["dualpipe_v"].bubble(8, column(16)) * useful).tolist() == [7.0]


@pytest.mark.parametrize(
    ("name", "stage", "kept"),
    [
        ("gpipe", 0, 32),
        ("one_f_one_b", 0, 8),
        ("one_f_one_b", 7, 1),
        ("zero_bubble", 7, 8),
        ("dualpipe", 3, 9),
        ("dualpipe_v", 3, 8.5),
    ],
)
def test_in_flight(name: str, stage: int, kept: float) -> None:
    assert SCHEDULES[name].in_flight(stage, 8, column(32)).tolist() == [kept]


@pytest.mark.parametrize(("stages", "chunks_kept", "factor"), [(4, 11, 1.375), (8, 23, 1.4375)])
def test_interleaved_first_stage_keeps_what_megatron_warms_up(stages: int, chunks_kept: int, factor: float) -> None:
    """Two chunks: 2(p-1) + (v-1)p + 1 of them, 1 + (p-1)/(pv) times what 1F1B keeps (NVIDIA/Megatron-LM#169)."""
    kept = SCHEDULES["interleaved"].in_flight(0, stages, column(64), 2)
    assert kept.tolist() == [chunks_kept / 2] == [factor * stages]


def test_interleaved_in_flight_is_capped_by_the_micro_batches() -> None:
    assert SCHEDULES["interleaved"].in_flight(0, 16, column(16), 8).tolist() == [16.0]


@pytest.mark.parametrize(
    ("name", "stages", "m", "v", "holds"),
    [
        ("one_f_one_b", 4, 1, 1, True),
        ("one_f_one_b", 4, 1.5, 1, False),
        ("interleaved", 4, 6, 2, True),
        ("interleaved", 4, 8, 1, False),
        ("dualpipe", 5, 20, 1, False),
        ("dualpipe", 4, 9, 1, False),
        ("dualpipe", 4, 6, 1, False),
        ("dualpipe", 4, 8, 1, True),
        ("dualpipe_v", 5, 9, 1, False),
        ("dualpipe_v", 5, 11, 1, True),
    ],
)
def test_rules(name: str, stages: int, m: float, v: int, holds: bool) -> None:
    rules = SCHEDULES[name].rules(stages, column(m), v)
    assert all(bool(rule.holds.all()) for rule in rules) is holds
    assert all(rule.holds.shape == (1,) and rule.reason for rule in rules)


@given(name=st.sampled_from(NAMES), p=st.integers(1, 6), m=st.integers(1, 14), v=st.integers(2, 4))
def test_every_stage_passes_every_micro_batch_once(name: str, p: int, m: int, v: int) -> None:
    p, m = counts(name, max(p, 2) if name == "interleaved" else p, m)
    places = len(SCHEDULES[name].chunk_times([0.0] * p, chunks(name, v))[0])
    each = m // 2 if name == "dualpipe" else m
    for stage in range(p):
        order = SCHEDULES[name].passes(stage, p, m, chunks(name, v))
        seen = Counter((work.kind, work.micro_batch, work.chunk) for work in order)
        assert set(seen.values()) == {1}
        assert sum(kind == "F" for kind, _, _ in seen) == sum(kind == "B" for kind, _, _ in seen) == each * places


@given(
    name=st.sampled_from(NAMES),
    p=st.integers(2, 6),
    m=st.integers(1, 16),
    v=st.integers(2, 4),
    forward=st.floats(0.2, 3.0),
)
def test_closed_form_equals_simulation_where_stages_are_equal(
    name: str, p: int, m: int, v: int, forward: float
) -> None:
    p, m = counts(name, p, m)
    forward = 1.0 if name not in ONE_COPY else forward
    times = equal_stages(p, column(forward), column(2.0))
    line = simulate(name, [forward] * p, [2.0] * p, m, chunks(name, v))
    assert closed(name, times, m, chunks(name, v)) == pytest.approx(line.total, rel=1e-12)
    useful = m * (forward + 2.0)
    bubble = SCHEDULES[name].bubble(p, column(m), chunks(name, v), column(forward))
    assert (1.0 + bubble[0]) * useful == pytest.approx(line.total, rel=1e-12)


@given(name=st.sampled_from(NAMES), p=st.integers(2, 6), m=st.integers(1, 16), v=st.integers(2, 4))
def test_in_flight_equals_the_simulated_peaks(name: str, p: int, m: int, v: int) -> None:
    p, m = counts(name, p, m)
    line = simulate(name, [1.0] * p, [2.0] * p, m, chunks(name, v))
    kept = [SCHEDULES[name].in_flight(stage, p, column(m), chunks(name, v))[0] for stage in range(p)]
    assert list(line.peaks) == pytest.approx(kept, rel=1e-12)


@given(p=st.integers(2, 8), m=st.integers(1, 24), inputs=st.floats(0.1, 3.0), weight=st.floats(0.1, 3.0))
def test_zero_bubble_closed_form_holds_for_any_split(p: int, m: int, inputs: float, weight: float) -> None:
    """E1's form is the case m >= p and w no longer than f and the input half; beyond it w no longer hides."""
    b = inputs + weight
    line = simulate("zero_bubble", [1.0] * p, [b] * p, m, weight=[weight] * p)
    times = stage_times([1.0] * p, [b] * p, [weight] * p)
    assert closed("zero_bubble", times, m) == pytest.approx(line.total, rel=1e-12)
    bubble = SCHEDULES["zero_bubble"].bubble(p, column(m), 1, column(1.0), column(b), column(weight))
    assert bubble[0] == pytest.approx(line.total / (m * (1.0 + b)) - 1.0, abs=1e-12)


@given(
    name=st.sampled_from(("gpipe", "one_f_one_b", "zero_bubble", "interleaved")),
    p=st.integers(2, 6),
    m=st.integers(1, 20),
    v=st.integers(2, 4),
    share=st.floats(0.0, 0.5),
)
def test_exposed_sends_equal_the_simulation(name: str, p: int, m: int, v: int, share: float) -> None:
    """For sends up to half of the shortest pass of a chunk."""
    v = chunks(name, v)
    send = share / v
    line = simulate(name, [1.0] * p, [2.0] * p, m, v, send)
    assert closed(name, equal_stages(p, column(1.0), column(2.0)), m, v, send) == pytest.approx(line.total, rel=1e-12)


@pytest.mark.parametrize(("stages", "m", "sends"), [(4, 16, 28), (8, 64, 124), (16, 1, 30)])
def test_one_f_one_b_exposes_about_two_sends_a_micro_batch(stages: int, m: int, sends: int) -> None:
    """2(p-1)c + 2(m-1)c(p-1)/p, within one send each way."""
    times = equal_stages(stages, column(1.0), column(2.0))
    exposed = SCHEDULES["one_f_one_b"].exposed_sends(times, column(m), 1, column(1.0))[0]
    assert exposed == sends
    assert 0 <= 2 * (stages - 1) + 2 * (m - 1) * (stages - 1) / stages - exposed < 2


def test_interleaving_exposes_a_send_a_chunk_boundary() -> None:
    times = equal_stages(4, column(1.0), column(2.0))
    for m in (4, 8, 32):  # 2 (p v - 1) sends however many micro-batches
        assert SCHEDULES["interleaved"].exposed_sends(times, column(m), 2, column(0.25))[0] == 14 * 0.25
    slow = simulate("interleaved", [1.0] * 4, [2.0] * 4, 32, 2, send=1.0).total
    assert closed("interleaved", times, 32, 2, 1.0) == pytest.approx(slow, rel=0.01)  # longer than a chunk: stalls


@given(
    name=st.sampled_from(("dualpipe", "dualpipe_v")), p=st.integers(2, 6), m=st.integers(4, 16), send=st.floats(0, 0.5)
)
def test_two_way_sends_are_an_upper_bound(name: str, p: int, m: int, send: float) -> None:
    p, m = counts(name, p, m)
    line = simulate(name, [1.0] * p, [2.0] * p, m, send=send)
    formula = closed(name, equal_stages(p, column(1.0), column(2.0)), m, send=send)
    assert line.total * (1 - 1e-12) <= formula <= line.total + 4 * p * send + 1e-9


spread = st.lists(st.tuples(st.floats(0.5, 1.5), st.floats(1.0, 3.0)), min_size=2, max_size=6)


@given(
    name=st.sampled_from(ONE_COPY), stages=spread, m=st.integers(1, 16), v=st.integers(2, 3), share=st.floats(0.0, 0.2)
)
def test_closed_form_is_an_upper_bound_but_for_a_send_a_stage_where_stages_differ(
    name: str, stages: list[tuple[float, float]], m: int, v: int, share: float
) -> None:
    forward, backward = [f for f, _ in stages], [b for _, b in stages]
    v = chunks(name, v)
    send = share * min(forward) / v
    line = simulate(name, forward, backward, m, v, send)
    formula = closed(name, stage_times(forward, backward), m, v, send)
    assert formula + send * len(stages) >= line.total * (1 - 1e-9)  # sends may wait where the slowest stage does not


@given(stages=spread, m=st.integers(1, 24))
def test_one_f_one_b_is_exact_where_the_last_stage_is_slowest(stages: list[tuple[float, float]], m: int) -> None:
    """Sum + (m-1) max."""
    stages = sorted(stages, key=sum)
    forward, backward = [f for f, _ in stages], [b for _, b in stages]
    line = simulate("one_f_one_b", forward, backward, m)
    assert closed("one_f_one_b", stage_times(forward, backward), m) == pytest.approx(line.total, rel=1e-12)


@given(stages=spread, m=st.integers(1, 24), send=st.floats(0.0, 3.0))
def test_gpipe_is_exact_for_any_stages(stages: list[tuple[float, float]], m: int, send: float) -> None:
    forward, backward = [f for f, _ in stages], [b for _, b in stages]
    line = simulate("gpipe", forward, backward, m, send=send)
    assert closed("gpipe", stage_times(forward, backward), m, send=send) == pytest.approx(line.total, rel=1e-12)


def test_a_slow_first_stage_makes_the_bound_loose() -> None:
    """Two stages, the first twice as slow: 8 x 6 + 3 by the closed form, one forward of the second hides."""
    times, line = stage_times([2.0, 1.0], [4.0, 2.0]), simulate("one_f_one_b", [2.0, 1.0], [4.0, 2.0], 8)
    assert (line.total, closed("one_f_one_b", times, 8)) == (49.0, 51.0)


@given(
    name=st.sampled_from(("dualpipe", "dualpipe_v")),
    p=st.integers(1, 3),
    m=st.integers(1, 12),
    forward=st.floats(0.33, 3.0),
    weight=st.floats(0.33, 2.0),
)
def test_dualpipe_closed_form_is_close_for_any_split(name: str, p: int, m: int, forward: float, weight: float) -> None:
    p, m = counts(name, 2 * p, m)
    line = simulate(name, [forward] * p, [1.0 + weight] * p, m, weight=[weight] * p)
    times = stage_times([forward] * p, [1.0 + weight] * p, [weight] * p)
    assert closed(name, times, m) == pytest.approx(line.total, rel=0.1)


@pytest.mark.parametrize("name", ["dualpipe", "dualpipe_v"])
def test_overlapped_pairs_shorten_the_steady_phase(name: str) -> None:
    times = equal_stages(4, column(1.0), column(2.0))
    faster = StageTimes(times.forward, times.backward, None, tuple(0.8 * t for t in times.whole))
    line = simulate(name, [1.0] * 4, [2.0] * 4, 16, pair=[0.8 * 3.0] * 4)
    assert closed(name, faster, 16) == pytest.approx(line.total, rel=1e-12)
    assert line.total < 0.9 * simulate(name, [1.0] * 4, [2.0] * 4, 16).total


def test_round_trips_are_those_of_the_published_share() -> None:
    m = np.arange(1, 60, dtype=np.float64)
    assert (round_trips(8, m) == np.floor((m - 1) * 7 / 8)).all()


def many(name: str) -> tuple[StageTimes, Column, Column]:
    rng = np.random.default_rng(7)
    columns = [tuple(rng.uniform(1, 2, 50) for _ in range(4)) for _ in range(2)]
    return StageTimes(columns[0], columns[1]), column(8 + 2 * rng.integers(0, 9, 50)), rng.uniform(0, 0.1, 50)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_alone_equals_the_row_among_many(name: str) -> None:
    times, m, send = many(name)
    whole = SCHEDULES[name].total(times, m, 2, send)
    for k in (0, 17, 49):
        alone = StageTimes(*(tuple(c[k : k + 1] for c in part) for part in (times.forward, times.backward)))
        assert SCHEDULES[name].total(alone, m[k : k + 1], 2, send[k : k + 1]).tolist() == [whole[k]]
        assert SCHEDULES[name].in_flight(1, 4, m[k : k + 1], 2).tolist() == [SCHEDULES[name].in_flight(1, 4, m, 2)[k]]


@pytest.mark.parametrize("m", range(1, 40))
def test_interleaving_never_deadlocks_and_keeps_its_bubble(m: int) -> None:
    """A multiple of p or not; with m < p each chunk waits for the pipe."""
    line: Timeline = simulate("interleaved", [1.0] * 8, [2.0] * 8, m, 4)
    assert line.total == pytest.approx(3 * m + 3 * 7 / 4 + 3 * 3 / 4 * max(0, 8 - m), rel=1e-12)


def test_zero_bubble_sends_that_come_late_wait_for_what_half_a_weight_pass_leaves() -> None:
    times = StageTimes((column(1.0),) * 4, (column(2.0),) * 4, (column(1.0),) * 4)
    # p = 4, m = 32: 3 + min(23, 3) sends each way, then 20 that half a weight pass hides
    exposed = SCHEDULES["zero_bubble"].exposed_sends(times, column(32), 1, column(0.75))[0]
    assert exposed == pytest.approx(2 * 0.75 * 6 + 2 * 20 * (0.75 - 0.5))
    # p = 4, m = 3: 1 round trip, none of which is late
    exposed = SCHEDULES["zero_bubble"].exposed_sends(times, column(3), 1, column(0.75))[0]
    assert exposed == pytest.approx(2 * 0.75 * (3 + 1))

"""The simulated timeline: printed rows, idle shares, peaks, where rank 0 waits."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.simulate import Timeline, idle_share, rows, simulate, waits

GPIPE = """\
01234567.........aabbccddeeffgghh
.01234567......aabbccddeeffgghh..
..01234567...aabbccddeeffgghh....
...01234567aabbccddeeffgghh......"""
ONE_F_ONE_B = """\
0123......aa4bb5cc6dd7ee.ff.gg.hh
.012....aa3bb4cc5dd6ee7ff.gg.hh..
..01..aa2bb3cc4dd5ee6ff7gg.hh....
...0aa1bb2cc3dd4ee5ff6gg7hh......"""


def four_stages(schedule: str) -> Timeline:
    """Four stages, eight micro-batches, a forward of 1 and a backward of 2."""
    return simulate(schedule, [1.0] * 4, [2.0] * 4, 8)


@pytest.mark.oracle("training-gpipe")
def test_gpipe_is_the_printed_timeline() -> None:
    line = four_stages("gpipe")
    assert "\n".join(rows(line)) == GPIPE
    assert (line.total, line.peaks, f"{idle_share(line):.0%}") == (33.0, (8.0, 8.0, 8.0, 8.0), "27%")


@pytest.mark.oracle("training-1f1b")
def test_one_f_one_b_is_the_printed_timeline() -> None:
    line = four_stages("one_f_one_b")
    assert "\n".join(rows(line)) == ONE_F_ONE_B
    assert (line.total, line.peaks, f"{idle_share(line):.0%}") == (33.0, (4.0, 3.0, 2.0, 1.0), "27%")
    assert sum(span.end - span.start for span in line.stages[0]) == 24.0


def test_zero_bubble_splits_the_backward() -> None:
    """Capitals are weight gradients: three units idle instead of nine."""
    line = simulate("zero_bubble", [1.0] * 4, [2.0] * 4, 4)
    assert rows(line) == ["0123...aAbBcCdD", ".012..a3bAcBdCD", "..01.a2b3cAdBCD", "...0a1b2c3dABCD"]
    assert line.total == 4 * 3 + 3


def test_a_send_delays_what_waits_for_it() -> None:
    line = simulate("gpipe", [1.0, 1.0], [2.0, 2.0], 2, send=1.0)
    assert rows(line) == ["01.....aabb", "..01aabb..."]


def test_a_single_stage_is_never_idle() -> None:
    line = simulate("one_f_one_b", [1.0], [2.0], 3, send=5.0)
    assert rows(line) == ["0aa1bb2cc"]
    assert idle_share(line) == 0.0


def test_stages_of_their_own_times() -> None:
    """The slow last stage sets the pace: its eight micro-batches and one pass through the others."""
    line = simulate("one_f_one_b", [1.0, 1.0, 2.0], [2.0, 2.0, 4.0], 8)
    assert line.total == (1 + 2) * 2 + 8 * 6
    assert idle_share(line) == pytest.approx(1 - (2 * 24 + 48) / (3 * 54))


@pytest.mark.parametrize("schedule", ["gpipe", "one_f_one_b", "interleaved", "zero_bubble", "dualpipe", "dualpipe_v"])
def test_no_pass_overlaps_another_of_its_stage(schedule: str) -> None:
    line = simulate(schedule, [1.0] * 4, [2.0] * 4, 10, 2 if schedule == "interleaved" else 1, send=0.25)
    assert all(a.end <= b.start for stage in line.stages for a, b in pairwise(stage))
    assert all(span.end > span.start for span in line.spans)


@given(p=st.integers(2, 6), m=st.integers(1, 12), send=st.floats(0.0, 2.0))
def test_a_pass_starts_after_what_it_needs(p: int, m: int, send: float) -> None:
    line = simulate("one_f_one_b", [1.0] * p, [2.0] * p, m, send=send)
    spans = {(s.kind, s.stage, s.micro_batch): s for s in line.spans}
    for (kind, stage, i), span in spans.items():
        source = (kind, stage - 1 if kind == "F" else stage + 1, i)
        assert source not in spans or span.start >= spans[source].end + send - 1e-12
    assert spans["B", p - 1, 0].start >= spans["F", p - 1, 0].end


def test_the_largest_pipeline_drawn() -> None:
    line = simulate("interleaved", [1.0] * 16, [2.0] * 16, 32, 8, send=0.01)
    assert len(line.spans) == 16 * 8 * 32 * 2
    assert line.total == pytest.approx(32 * 3 + 15 * 3 / 8 + 2 * (16 * 8 - 1) * 0.01, rel=1e-12)


def case_study(micro_batches: int, sequences: int) -> Timeline:
    """The profiled pipeline of 16 stages whose first stage, with an embedding instead of layers, has less to do.

    A pass of one sequence takes 0.08 s forward and 0.16 s backward, a send 10 ms; all grow with the micro-batch.
    """
    forward, backward = [0.08 * sequences] * 16, [0.16 * sequences] * 16
    forward[0], backward[0] = 0.7 * forward[0], 0.7 * backward[0]
    return simulate("one_f_one_b", forward, backward, micro_batches, send=0.01 * sequences)


@pytest.mark.oracle("times-flip")
def test_rank_zero_waits_on_sends_with_many_micro_batches_and_on_receives_with_few() -> None:
    """Many: send waits sum to the same whatever the micro-batch. Few: one receive lasts as long as the whole pipe."""
    large = [waits(case_study(m, b)) for m, b in ((256, 1), (128, 2), (64, 4))]
    assert all(w.send > 3 * w.receive for w in large)
    assert all(20 < w.send < 30 for w in large)  # measured 21.6, 20.6, 20.9 s
    assert [w.receive for w in large] == pytest.approx([2.71, 4.29, 7.64], rel=0.25)  # measured
    assert large[2].send / 64 > 3 * large[0].send / 256  # per call: 326 ms against 84 ms
    pipe = case_study(4, 4)
    few = waits(pipe)
    assert few.receive > 10 * few.send
    there_and_back = sum(s.end - s.start for s in pipe.spans if s.stage > 0 and s.micro_batch == 0) + 2 * 15 * pipe.send
    filling = pipe.stages[0][3].end - pipe.stages[0][0].end
    assert few.longest_receive + few.longest_send == pytest.approx(there_and_back - filling, rel=1e-9)


def test_waits_add_up_to_the_gaps() -> None:
    line = case_study(16, 1)
    gaps = sum(b.start - a.end for a, b in pairwise(line.stages[3]))
    found = waits(line, 3)
    assert found.send + found.receive == pytest.approx(gaps)
    assert found.longest_send <= found.send
    assert found.longest_receive <= found.receive

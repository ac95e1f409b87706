"""Power by line, peak and mean: a node draws far more than its GPUs."""

from typing import Any

import pytest

from engine import cost, goodput, power
from engine.columns import ONE, column
from tests.settings import run

HOUR = 3600.0


def lines(used: float = 8, busy: float = 1.0, **cluster: Any) -> tuple[power.Line, ...]:
    made = run(**({"cluster__gpus": 8, "cluster__pue": 1.0} | {f"cluster__{k}": v for k, v in cluster.items()}))
    counts = cost.gpus(made.cluster, column(used))
    assert counts is not None
    return power.lines(made.cluster, counts, column(busy))


def watts(found: tuple[power.Line, ...], name: str) -> float | None:
    peak = next(line.peak for line in found if line.line == name)
    return None if peak is None else float(peak[0])


def both(found: tuple[power.Line, ...]) -> list[float]:
    total = power.total(found)
    assert total is not None
    return [float(total[0][0]), float(total[1][0])]


def test_a_dgx_h100_draws_ten_kilowatts_and_its_gpus_five_and_a_half() -> None:
    found = lines(gpu__power=700.0, gpu__node_power=1275.0)
    assert both(found) == pytest.approx([10_200, 10_200])
    assert watts(found, "GPUs") == 5_600
    assert watts(found, "host") == pytest.approx(8 * (1275 - 700 - 25))
    assert watts(found, "NICs") == 200


def test_board_power_alone_says_what_it_leaves_out() -> None:
    found = lines(gpu__power=700.0, gpu__node_power=None)
    assert both(found) == [5_600, 5_600]
    assert [line.line for line in found if line.peak is None] == ["host", "NICs", "switches", "storage"]


def test_stated_parts_win_over_the_nodes_figure() -> None:
    found = lines(power__host=2400.0, power__nic=30.0, power__switch=60.0, storage__power=1000.0)
    assert [watts(found, n) for n in ("GPUs", "host", "NICs", "switches", "storage")] == [5600, 2400, 240, 480, 1000]
    assert both(found)[0] == 9720


def test_a_stated_nic_leaves_the_nodes_total_as_it_is() -> None:
    assert both(lines(power__nic=40.0)) == pytest.approx(both(lines()))


def test_a_power_cap_takes_the_gpus_down_and_nothing_else() -> None:
    assert both(lines(power__gpu=500.0))[0] == pytest.approx(10_200 - 8 * 200)


def test_the_facility_comes_on_top() -> None:
    found = lines(pue=1.3)
    assert watts(found, "PUE overhead") == pytest.approx(0.3 * 10_200)
    assert both(found) == pytest.approx([1.3 * 10_200] * 2)


def test_idle_and_spare_gpus_draw_their_idle_share() -> None:
    """Six of eight GPUs work, two are left out, two are spares; idle at 30 %."""
    found = lines(used=6, gpus=8, spares=2)
    assert both(found)[0] == pytest.approx(1275 * (6 + 0.3 * 4))


def test_mean_power_weighs_pauses_and_restarts() -> None:
    """12 h between failures, 10 min to restart, 30 s of 27.5 min saving: busy 96.8 % of the time."""
    busy = goodput.busy_share(column(1620.0), column(30.0), column(12 * HOUR), column(600.0))
    assert busy[0] == pytest.approx(72 / 73 * 54 / 55)
    peak, mean = both(lines(busy=float(busy[0])))
    assert mean / peak == pytest.approx(busy[0] + 0.3 * (1 - busy[0]))


def test_switches_and_storage_never_idle() -> None:
    found = lines(busy=0.5, power__switch=60.0, storage__power=1000.0)
    assert all(
        line.mean is not None and line.peak is not None and line.mean[0] == line.peak[0]
        for line in found
        if line.line in ("switches", "storage")
    )


def test_without_a_board_power_there_is_no_total() -> None:
    found = lines(gpu__power=None, gpu__node_power=None)
    assert power.total(found) is None
    assert watts(found, "PUE overhead") is None
    assert all(line.basis and line.source.startswith("cluster.") for line in found)


def test_energy_and_carbon() -> None:
    """A megawatt for a day is 24 MWh; at 400 g/kWh 9.6 t."""
    joules = power.energy(column(1e6), column(24 * HOUR))
    assert joules[0] / 3.6e9 == 24.0
    assert power.carbon(joules, column(0.4 / 3.6e6))[0] == pytest.approx(9600.0)


def test_lines_come_in_the_documents_order() -> None:
    assert [line.line for line in lines()] == ["GPUs", "host", "NICs", "switches", "storage", "PUE overhead"]


def test_columns_of_many_points() -> None:
    made = run(cluster__gpus=[64.0, 128.0], cluster__gpu__power=[500.0, 700.0], cluster__pue=1.0)
    counts = cost.gpus(made.cluster, column([64.0, 120.0]))
    assert counts is not None
    total = power.total(power.lines(made.cluster, counts, ONE))
    assert total is not None
    assert total[0].tolist() == pytest.approx([64 * 1275.0, 1275 * (120 + 0.3 * 8)])


def test_gpus_at_work_and_at_rest() -> None:
    """50 of 60 work, three quarters of the time; 10 rest at 0.4 of their power."""
    counts = cost.Gpus(column(60), column(50), column(10), column(0))
    made = run(cluster__power__idle=0.4).cluster
    found = power.working(made, counts, column(0.75))
    assert [float(x[0]) for x in found] == pytest.approx([54, 50 * (0.75 + 0.4 * 0.25) + 4])

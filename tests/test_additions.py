"""What README says of additions: a collective or a schedule is one small file and its name in one table."""

from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from dsl.schema import kinds
from engine import schedules
from engine.collectives import COLLECTIVES, Collective, all_to_all
from engine.evaluate import evaluate
from engine.schedules import SCHEDULES, one_f_one_b
from tests.settings import run

ENGINE = Path(schedules.__file__).parents[1]
HELPERS = {"passes", "terms", "bus", "point_to_point", "parameter_server", "__init__"}


def modules(room: str) -> set[str]:
    """The files of a room that hold one entry of its table each."""
    return {path.stem for path in (ENGINE / room).glob("*.py")} - HELPERS


def test_every_schedule_is_a_file_of_its_name_and_a_choice_of_the_language() -> None:
    (layout,) = [block for block in kinds()["run"].blocks if block.name == "layout"]
    (setting,) = [row for row in layout.settings if row.path == "schedule"]
    assert modules("schedules") == set(SCHEDULES) == set(setting.choices)


@pytest.mark.parametrize("name", sorted(modules("collectives")))
def test_every_collective_is_a_file_with_time_and_traffic(name: str) -> None:
    file = import_module(f"engine.collectives.{name}")
    assert callable(file.seconds) and callable(file.traffic)
    assert name in COLLECTIVES


def lazy(extra: float) -> ModuleType:
    """1F1B with a pause at the end of every step: a schedule that only its table entry makes known."""
    own = {name: getattr(one_f_one_b, name) for name in one_f_one_b.__all__}

    def steady(*arguments: Any) -> Any:
        return one_f_one_b.steady(*arguments) + extra

    return cast(ModuleType, SimpleNamespace(**own | {"steady": steady}))


def seconds(**changed: Any) -> float:
    found = evaluate(
        run(layout__pipeline=2, layout__data=2, cluster__gpus=4, layout__tensor=1, **changed), advise=False
    )
    return float(found.columns["step_time"][0])


def test_a_schedule_works_from_its_table_entry_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCHEDULES, "lazy", cast(Any, lazy(3.0)))
    assert seconds(layout__schedule="lazy") == pytest.approx(seconds(layout__schedule="one_f_one_b") + 3.0, rel=0.02)


def test_a_collective_works_from_its_table_entry_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An all-reduce that is replaced by a slower one slows the step that uses it."""
    slower = Collective(lambda s, g, t: 100 * all_to_all.seconds(s, g, t), all_to_all.traffic, "test")
    before = seconds(layout__shard="none", stack__data_exposed=1.0)
    monkeypatch.setitem(COLLECTIVES, "all_reduce", slower)
    assert seconds(layout__shard="none", stack__data_exposed=1.0) > before

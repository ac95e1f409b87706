"""The campaigns of `make fuzz` for a moment, and what guards them: a hang, a file elsewhere, a process that dies."""

import os
import signal
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.__main__ import main, short
from tests.fuzz.campaigns import CAMPAIGNS, Campaign, Input
from tests.fuzz.files import SEEDS, file
from tests.fuzz.run import Ended, campaign
from tests.fuzz.scenarios import scenario

COUNTS = {"parser": 60, "check": 16, "html": 2}


def ended(own: Campaign, out: Path, count: int, seed: int = 4) -> Ended:
    """A campaign over the first inputs of a seed."""
    return campaign(own, seed, 0, count, 600, out)


def trying(tried: str, limit: float = 2.0) -> Campaign:
    """A campaign whose inputs do something that they must not."""

    def act(given: Input, folder: Path) -> bool:
        if tried == "write elsewhere":
            (folder.parent / f"beside-{folder.name}").write_text("x")
        elif tried == "write":
            (folder / "inside").write_text("x")
        elif tried == "hang":
            while True:
                pass
        elif tried == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif tried == "memory":
            bytearray(2**36)
        return True

    return Campaign(tried.replace(" ", "-"), lambda random: str(random.random()), act, 1, 1, limit)


@pytest.mark.parametrize("own", CAMPAIGNS[:-1], ids=lambda own: own.name)
def test_nothing_fails(own: Campaign, tmp_path: Path) -> None:
    done = ended(own, tmp_path, COUNTS.get(own.name, 8))
    assert done.done == COUNTS.get(own.name, 8)
    assert not done.failures, done.failures[0].read_text()


@pytest.mark.slow
def test_nothing_fails_on_paper(tmp_path: Path) -> None:
    done = ended(CAMPAIGNS[-1], tmp_path, 3)
    assert done.done == 3 and not done.failures, done.failures[0].read_text()


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("write elsewhere", "PermissionError: open"),
        ("hang", "took too long"),
        ("die", "exit code -9"),
        ("memory", "MemoryError"),
    ],
)
def test_what_an_input_must_not_do_is_a_failure_with_its_input_kept(what: str, why: str, tmp_path: Path) -> None:
    done = ended(trying(what, 0.3), tmp_path, 1)
    assert [why in failure.read_text() for failure in done.failures] == [True]
    kept = done.failures[0].with_suffix(".input").read_text()
    assert kept == str(Random(f"4:{done.name}:0").random())


def test_a_campaign_goes_on_behind_a_process_that_died(tmp_path: Path) -> None:
    assert len(ended(trying("die"), tmp_path, 3).failures) == 3
    assert ended(trying("write"), tmp_path, 3).good == 3


def test_a_third_of_the_scenarios_must_be_good() -> None:
    check = next(own for own in CAMPAIGNS if own.name == "check")
    assert short(check, Ended("check", 90, 29, 1.0, ())) and not short(check, Ended("check", 90, 30, 1.0, ()))


def test_inputs_follow_from_seed_and_number() -> None:
    assert scenario(Random("1:check:7")) == scenario(Random("1:check:7")) != scenario(Random("1:check:8"))
    for form in SEEDS:
        assert file(Random(5), form) == file(Random(5), form)


def test_the_command_says_seed_and_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--seed", "3", "--only", "log", "--count", "4", "--seconds", "100", "--out", str(tmp_path)]
    assert main(asked) == 0
    first, row = capsys.readouterr().out.splitlines()
    assert first == "seed 3" and row.split()[:3] == ["log", "4", "inputs"]

"""Portfolios: what is told of them, to the letter; what is kept of their entries."""

import pytest

from dsl.scenario import Portfolio, PortfolioEntry
from tests.language import START, scenario_of
from tests.told import told_of, wanted

TOLD = """
portfolio p { cluster = hopper }
    E13 portfolio `p` needs an entry
    [p: has none]
    write: entry first { run = ... }
portfolio p { cluster = nowhere, entry one { run = base } }
    E15 there is no cluster called `nowhere`
    [nowhere: not found]
    note: clusters in reach: hopper
portfolio p { entry one { run = base } }
    E13 portfolio `p` needs cluster
    [p: has none]
    note: the cluster that all entries share
    write: cluster = hopper
portfolio p { cluster = hopper, entry one { } }
    E13 entry `one` needs run
    [one: has none]
    note: the run that is trained, on the programme's cluster
    write: run = base
portfolio p { cluster = hopper, entry one { run = nobody } }
    E15 there is no run called `nobody`
    [nobody: not found]
    note: runs in reach: base
portfolio p { cluster = hopper, entry one { run = base, gpus = 129 } }
    E26 entry `one` takes 129 of 128 GPUs
    [129: more than there are] [cluster = hopper: the cluster they share]
    write 128 gpus or less
portfolio p { cluster = hopper, entry one { run = base, gpus = 128 } }
portfolio p { cluster = hopper, entry one { run = base, after = two } }
    E15 there is no entry `two`
    [two: not an entry]
    entries: one
portfolio p { cluster = hopper, entry one { run = base, after = [3] } }
    E15 `after` names entries
    [3: not an entry]
    entries: one
portfolio p { cluster = hopper, entry one { run = base, after = one } }
    E23 entries wait for each other in a circle
    [one: leads back]
    let one of them wait for nothing
portfolio p { cluster = hopper | entry a { run = base, after = [b] } | entry b { run = base, after = c } | entry c { run = base, after = [b] } }
    E23 entries wait for each other in a circle
    [c: leads back]
    let one of them wait for nothing
portfolio p { cluster = hopper | entry a { run = base, after = [b, c] } | entry b { run = base } | entry c { run = base, after = b } }
portfolio p { cluster = hopper, entry one { run = base } | require zz < 3 }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
portfolio p { cluster = hopper, entry one { run = base } | let few = zz }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
"""  # noqa: E501


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told


PROGRAMME = """
run other from base { batch = 64 sequences }
portfolio all "Programme" {
  cluster = hopper, start = "2027-03-05", hold = 90 days
  entry first "Small" { run = base, gpus = 32, count = 3, trials = 5%, evaluation = 4%, restarts = 7% }
  entry second { run = other, after = [first], start = 6 days, deadline = 80 days }
  require cost < $90M
}
"""


def test_what_is_kept_of_a_portfolio() -> None:
    (made,) = [e for e in scenario_of(START + PROGRAMME).experiments if isinstance(e, Portfolio)]
    line = START.count("\n") + 3
    assert (made.name, made.title, made.where, made.cluster) == ("all", "Programme", f"case.scn:{line}", "hopper")
    assert (made.gpus, made.start, made.hold) == (128.0, "2027-03-05", 90 * 86_400.0)
    assert (made.whole.name, [rule.text for rule in made.requires]) == ("base", ["cost < $90M"])
    first, second = made.entries
    assert first._replace(run=made.whole) == PortfolioEntry(
        "first", "Small", f"case.scn:{line + 2}", made.whole, 32.0, 0.0, (), None, 3.0, 0.05, 0.04, 0.07
    )
    assert second._replace(run=made.whole) == PortfolioEntry(
        "second", "", f"case.scn:{line + 3}", made.whole, 128.0, 6 * 86_400.0, ("first",), 80 * 86_400.0,
        1.0, 0.0, 0.0, 0.0,
    )  # fmt: skip
    gpus = [e.run.settings["cluster.gpus"].value for e in made.entries]
    assert (gpus, [e.run.name for e in made.entries]) == ([32.0, 128.0], ["base", "other"])

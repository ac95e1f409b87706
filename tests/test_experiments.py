"""What experiments, checks and reports lack or say of what is not there: told to the letter; what is kept of them."""

import pytest

from dsl.scenario import Roofline
from tests.language import START, scenario_of
from tests.told import told_of, wanted

TOLD = """
compare c { }
    E13 compare `c` needs between
    [c: has none]
    note: the runs compared
    write: between = …
compare c { between = base }
    E16 `between` is a list of runs
    [base: not a list]
    write: between = [base, …]
compare c { between = [base, nobody] }
    E15 there is no run called `nobody`
    [nobody: not found]
    note: runs in reach: base
run other from base { batch = 64 sequences } | compare c { between = [base, other], baseline = other }
run other from base { batch = 64 sequences } | run third from base { batch = 32 sequences } | compare c { between = [base, other], baseline = third }
    E26 the baseline `third` is not compared
    [third: not in between]
    note: between: base, other
    add it to between
run other from base { batch = 64 sequences } | compare c { between = [base, other], show = [mfu, zz] }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
run other from base { batch = 64 sequences } | compare c { between = [base, other], let few = zz }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
run other from base { batch = 64 sequences } | compare c { between = [base, other] | chart { y = mfu } }
    E14 which chart?
    [chart: needs a word after it]
    note: choices: heatmap, line, bar, scatter
    write: chart heatmap { ... }
optimize o { base = base | vary { layout.tensor = [1, 4] } }
    E13 optimize `o` needs minimize or maximize
    [o: has neither]
    write: minimize = cost
optimize o { base = base, minimize = cost | vary { layout.tensor = [1, 4] } }
optimize o { base = base, maximize = mfu | vary { layout.tensor = [1, 4] } }
sweep s { vary { layout.tensor = [1, 4] } }
    E13 sweep `s` needs base
    [s: has none]
    note: the run whose settings are varied
    write: base = base
sweep s { base = nobody | vary { layout.tensor = [1, 4] } }
    E15 there is no run called `nobody`
    [nobody: not found]
    note: runs in reach: base
sweep s { base = base }
sweep s { base = base | vary { layout.tensr = [1, 4] } }
    E11 `layout.tensr` is not a setting of run `base`
    [layout.tensr: varies nothing]
    did you mean `layout.tensor`?
sweep s { base = base | vary { layout.tensor = [1, 4] } | where layout.tensr > 3 }
    E15 there is no `layout.tensr`
    [layout.tensr: not found]
    did you mean `layout.tensor`?
sweep s { base = base | vary { layout.tensor = [1, 4] } | where layout.tensor }
    E16 a condition belongs here
    [layout.tensor: this is a number]
    compare it: layout.tensor <= 8
sweep s { base = base, show = mfuu | vary { layout.tensor = [1, 4] } }
    E15 there is no `mfuu`
    [mfuu: not found]
    did you mean `mfu`?
sweep s { base = base, let few = zz | vary { layout.tensor = [1, 4] } }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
sweep s { base = base, let few = mfu * 3 | vary { layout.tensor = [1, 4] } }
sweep s { base = base | vary { layout.tensor = [1, 4] } | measured { mfu = 40% } }
    E13 measured values need a source
    [measured: has none]
    write: source = "where they were published"
check c { severity = warning }
    E13 check `c` needs a require
    [c: has none]
    write: require launch_share <= 10%
    E21 `warning` is not a choice of `severity`
    [warning: not one of them]
    note: choices: note, warn, fail
    did you mean `warn`?
check c { require mfu }
    E16 a condition belongs here
    [mfu: this is a number]
    compare it: mfu >= 35%
check c { when = mfu, require mfu > 3% }
    E16 a condition belongs here
    [mfu: this is a number]
    compare it: mfu >= 35%
check c { severity = loud, require mfu > 3% }
    E21 `loud` is not a choice of `severity`
    [loud: not one of them]
    note: choices: note, warn, fail
check c { let few = zz, require mfu > 3% }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
report "a" { currency = "EUR" }
report "a" { show = [zz] }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
report "a" { } | report "b" { }
    E12 a file has one report
    [report: a second one]
    make one of the two, or split the file
report "a" { condition "x" { zz = 3 } }
    E11 `zz` is not a setting of condition
    [zz: not a setting]
    note: settings: owner, due, effect, check
roofline r { }
    E13 roofline `r` needs gpu
    [r: has none]
    note: the accelerator
    write: gpu = h
roofline r { gpu = g }
    E15 there is no gpu called `g`
    [g: not found]
    note: gpus in reach: h
    write at the top: import "library/gpus.scn"
roofline r { gpu = h, precision = fp3 }
    E21 `fp3` is not a choice of `precision`
    [fp3: not one of them]
    note: choices: bf16, fp16, fp8, fp4, fp32, tf32
    did you mean `fp32`?
size s { base = base }
"""  # noqa: E501


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told


COMPARED = """
run other from base { batch = 64 sequences }
compare both "Two" {
  between = [base, other, base], baseline = other
  show = [mfu, cost as $M called "Price"]
  require mfu > 30%
  chart bar "Side by side" { y = mfu }
}
"""
LINE = START.count("\n") + 3


def test_what_is_kept_of_a_comparison() -> None:
    (made,) = scenario_of(START + COMPARED).compares
    assert (made.name, made.title, made.where, made.baseline) == ("both", "Two", f"case.scn:{LINE}", "other")
    assert [run.name for run in made.runs] == ["base", "other"]
    assert [(item.text, item.called, item.unit) for item in made.show] == [("mfu", "", ""), ("cost", "Price", "$M")]
    assert [(rule.text, rule.origin) for rule in made.requires] == [("mfu > 30%", "")]
    assert [(c.kind, c.title, c.where, {axis: item.text for axis, item in c.axes.items()}) for c in made.charts] == [
        ("bar", "Side by side", f"case.scn:{LINE + 4}", {"y": "mfu"}),
    ]


def test_the_first_run_is_the_baseline_unless_stated() -> None:
    (made,) = scenario_of((START + COMPARED).replace(", baseline = other", "")).compares
    assert made.baseline == "base"


SWEPT = """
run held from base { require mfu > 30% }
sweep wide "All" {
  base = held, show = mfu
  let few = 4
  vary { layout.tensor = [1, 4] }
  where layout.tensor <= few
  require step_time < 40 s
  measured at layout.tensor = 4 { mfu = 38%, source = "a page" }
}
optimize best { base = held, minimize = cost, then_by = [mfu, step_time] | vary { layout.tensor = [1, 4] } }
"""


def test_what_is_kept_of_a_table() -> None:
    wide, best = scenario_of(START + SWEPT.replace(" | ", "\n")).tables
    assert (wide.kind, wide.name, wide.title, wide.where) == ("sweep", "wide", "All", f"case.scn:{LINE}")
    assert [(rule.text, rule.origin) for rule in (*wide.wheres, *wide.requires)] == [
        ("layout.tensor <= few", ""), ("mfu > 30%", "held"), ("step_time < 40 s", ""),
    ]  # fmt: skip
    assert wide.wheres[0].holds({"layout.tensor": 4.0}) is True
    assert ([item.text for item in wide.show], wide.aims) == (["mfu"], {})
    assert [(m.at, m.source) for m in wide.measured] == [({"layout.tensor": 4.0}, "a page")]
    aims = {aim: [item.text for item in items] for aim, items in best.aims.items()}
    assert aims == {"minimize": ["cost"], "then_by": ["mfu", "step_time"]}
    assert wide.base is not None and wide.base.name == "held"
    assert wide.space is not None and wide.space_over is not None
    assert [list(d.steps) for d in wide.space().dimensions] == [
        list(d.steps) for d in wide.space_over(wide.axes).dimensions
    ]


JUDGED = """
check narrow "Narrow" {
  when = layout.tensor > 3, require mfu > 20%, severity = fail
  limit = 20%, result = mfu, advice = "widen", source = "a book"
}
check plain { require mfu > 10% }
report "Plan" {
  show = [mfu]
  condition "Power" { owner = "A. Person", due = "2027-03-05" }
  approval "B. Person" { }
}
roofline line { gpu = h }
"""


def test_what_is_kept_of_checks_a_report_and_a_roofline() -> None:
    made = scenario_of(START + JUDGED)
    narrow, plain = (next(c for c in made.checks if c.name == name) for name in ("narrow", "plain"))
    assert (narrow.title, narrow.severity, narrow.advice, narrow.source) == ("Narrow", "fail", "widen", "a book")
    assert (plain.severity, plain.advice, plain.source, plain.when) == ("warn", "", "", None)
    assert narrow.when is not None and narrow.limit is not None and narrow.result is not None
    assert [narrow.when({"layout.tensor": n}) for n in (3.0, 4.0)] == [False, True]
    assert (narrow.limit({}), narrow.result({"mfu": 0.4})) == (0.2, 0.4)
    assert (plain.limit, plain.result, plain.where) == (None, None, f"case.scn:{LINE + 3}")
    report = made.report
    assert report is not None and (made.title, report.title) == ("Plan", "Plan")
    assert report.conditions == ({"title": "Power", "owner": "A. Person", "due": "2027-03-05"},)
    assert (report.approvals, report.revisions) == (({"title": "B. Person"},), ())
    (line,) = [e for e in made.experiments if isinstance(e, Roofline)]
    assert line.settings["gpu.memory"].value == 80e9

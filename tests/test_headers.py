"""Heads of blocks: how a kind is named, and where what stands elsewhere belongs; told to the letter."""

import pytest

from tests.told import told_of, wanted

TOLD = """
gpu "x" { memory = 80 GB }
    E14 a gpu needs a name
    [gpu: has none]
    note: quotes make a title, which stands after the name
    write: gpu x { ... }
gpu "two words" { memory = 80 GB }
    E14 a gpu needs a name
    [gpu: has none]
    write: gpu my-gpu { ... }
gpu { memory = 80 GB }
    E14 a gpu needs a name
    [gpu: has none]
    write: gpu my-gpu { ... }
gpu from h { memory = 64 GB }
    E14 a gpu needs a name
    [gpu: has none]
    write: gpu my-gpu from h { ... }
run "x" from base { batch = 64 sequences }
    E14 a run needs a name
    [run: has none]
    note: quotes make a title, which stands after the name
    write: run x from base { ... }
report x { currency = "EUR" }
calibration k { row zzz { factor = 3 } }
    E10 `row` stands inside a trace
    [row: does not stand here]
    move it into a trace
calibration k { factor { zzz = 3 } }
    E11 `factor.zzz` is not a setting of calibration `k`
    [zzz: not a setting]
    outside of it: `factor`?
trace t { row zzz { time = 3 ms } }
    E13 trace `t` needs step_time
    [t: has none]
    note: of one step, mean over the steps and ranks
    write: step_time = …
    E21 `zzz` is not a kind of row
    [zzz: not one of them]
    note: choices: gemm, sdpa, hbm, tensor, context, expert, pipeline, data, optimizer, host, idle, other
sweep s { base = base | vary { layout.tensor = [1, 4] } | chart lien { y = mfu } }
    E21 `lien` is not a kind of chart
    [lien: not one of them]
    note: choices: heatmap, line, bar, scatter
    did you mean `line`?
run r from base { tier x { latency = 3 us } }
    E10 `tier` stands inside a cluster or calibration
    [tier: does not stand here]
    move it into a cluster
gpu g from h { layout { tensor = 3 } }
    E10 `layout` stands inside a run
    [layout: does not stand here]
    move it into a run
run r from base { peak { bf16 = 3 TFLOPS } }
    E10 `peak` stands inside a gpu
    [peak: does not stand here]
    move it into a gpu
run r from base { virtual_stages = 4 }
    E11 `virtual_stages` is not a setting of run `r`
    [virtual_stages: not a setting]
    write it with its choice: layout.schedule = interleaved(virtual_stages = 4)
run r from base { layout.virtual_stages = 4 }
    E11 `layout.virtual_stages` is not a setting of run `r`
    [layout.virtual_stages: not a setting]
    write it with its choice: layout.schedule = interleaved(virtual_stages = 4)
run r from base { layout { within = node } }
    E11 `layout.within` is not a setting of run `r`
    [within: not a setting]
    write it with its choice: shard = zero3(within = node)
"""


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told

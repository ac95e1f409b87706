"""What blocks say that is no setting of theirs, stands there twice or stands there wrongly: told to the letter."""

import pytest

from tests.language import START, scenario_of
from tests.told import told_of, wanted

TOLD = """
cluster c from hopper { nodes = 3, nodes = 5 }
    E12 `nodes` is set twice
    [nodes = 5: set again] [nodes = 3: first set here]
    remove one of the two
cluster c from hopper { edition 2026 }
    E28 `edition` stands at the top of a file
    [edition: here]
    move it out of the block
cluster c from hopper { import "a.scn" }
    E28 `import` stands at the top of a file
    [import: here]
    move it out of the block
run r from base { tensr = 3 }
    E11 `tensr` is not a setting of run `r`
    [tensr: not a setting]
    did you mean `tokens`?
run r from base { layers = 3 }
    E11 `layers` is not a setting of run `r`
    [layers: not a setting]
    did you mean `model.layers`?
run r from base { zzzzqq = 3 }
    E11 `zzzzqq` is not a setting of run `r`
    [zzzzqq: not a setting]
    note: settings: model, cluster, stack, calibration, trace, tokens, batch, sequence, accumulation, precision, fidelity, optimizer, loss, dispatcher, frozen, utilization …
cluster c from hopper { nods = 3 }
    E11 `nods` is not a setting of cluster `c`
    [nods: not a setting]
    did you mean `nodes`?
cluster c from hopper { tier x { zzz = 3 } }
    E13 tier `x` needs bandwidth
    [x: has none]
    note: per GPU and per direction, before oversubscription
    write: bandwidth = 400 Gb/s
    E11 `zzz` is not a setting of tier `x`
    [zzz: not a setting]
    note: settings: span, bandwidth, latency, oversubscription, radix, cable, links_per_transceiver
run r from base { layout = 3 }
    E11 `layout` is a block, not a setting
    [layout: not a setting]
    write: layout { ... }
cluster c from hopper { tier = 3 }
    E11 `tier` is a block, not a setting
    [tier: not a setting]
    write: tier { ... }
run r from base { layout { tensr = 3 } }
    E11 `layout.tensr` is not a setting of run `r`
    [tensr: not a setting]
    did you mean `tensor`?
run r from base { layout { batch = 3 } }
    E11 `layout.batch` is not a setting of run `r`
    [batch: not a setting]
    did you mean `micro_batch`?
run r from base { layout { zzzzzz = 3 } }
    E11 `layout.zzzzzz` is not a setting of run `r`
    [zzzzzz: not a setting]
    outside of it: `layout`?
run r from base { layout { virtual_stages = 4 } }
    E11 `layout.virtual_stages` is not a setting of run `r`
    [virtual_stages: not a setting]
    write it with its choice: schedule = interleaved(virtual_stages = 4)
run r from base { layout { schedule zero { } } }
    E10 `layout.schedule` is a setting, not a block
    [schedule: here]
    write: layout.schedule = …
run r from base { layout { tensor { } } }
    E10 `layout.tensor` is a setting, not a block
    [tensor: here]
    write: layout.tensor = …
run r from base { layout x { tensor = 4 } }
    E14 a `layout` block has no name
    [x: remove this]
    write: layout { ... }
run r from base { layout "x" { tensor = 4 } }
    E14 a `layout` block has no name
    [layout: remove this]
    write: layout { ... }
run r from base { layout from x { tensor = 4 } }
    E14 a `layout` block copies nothing
    [x: remove this]
    write: layout { ... }
model m from small { attention { heads = 3 } }
    E14 which attention?
    [attention: needs a word after it]
    note: choices: full, latent, sliding, chunked
    write: attention latent { ... }
model m from small { attention mha { heads = 4 } | attention gqa { heads = 8 } }
    E21 `mha` is not a choice of `attention`
    [mha: not one of them]
    note: choices: full, latent, sliding, chunked
    did you mean `full`?
    E12 `attention` is set twice
    [gqa: set again] [mha: first set here]
    remove one of the two
    E12 `attention.heads` is set twice
    [heads = 8: set again] [heads = 4: first set here]
    remove one of the two
model m from small { mixer { } }
    E14 which mixer?
    [mixer: needs a word after it]
    note: choices: mamba1, mamba2, delta, lightning
    write: mixer mamba2 { ... }
run r from base { gpu x { } }
    E10 a gpu does not stand inside a run
    [gpu: here]
    move it out to the top of the file
run r from base { tier x { bandwidth = 3 GB/s } }
    E10 `tier` stands inside a cluster or calibration
    [tier: does not stand here]
    move it into a cluster
cluster c from hopper { zzzzz { } }
    E10 a cluster has no block `zzzzz`
    [zzzzz: not a block]
    note: blocks: capex, cost, power, storage, tier
gpu g from h { zzzz { } }
    E10 a gpu has no block `zzzz`
    [zzzz: not a block]
    note: blocks: attention, efficiency, peak
run r from base { batch { } }
    E10 `batch` is a setting, not a block
    [batch: here]
    write: batch = …
run r from base { layuot { tensor = 4 } }
    E10 a run has no block `layuot`
    [layuot: not a block]
    did you mean `layout`?
cluster c from hopper { tier x from y { bandwidth = 3 GB/s } }
    E14 a `tier` block copies nothing
    [y: remove this]
    write: tier x { ... }
cluster c from hopper { tier x { bandwidth = 3 GB/s } | tier x { bandwidth = 5 GB/s } }
    E12 tier `x` is given twice
    [x: given again] [x: first given here]
    give one of them another name
cluster c from hopper { tier { bandwidth = 3 GB/s } }
    E14 a tier needs a name
    [tier: has none]
    write: tier my-tier { ... }
cluster c from hopper { let a = 3 }
    E28 a cluster has no let
    [a: here]
    move it to the top of the file, or into the run
run r from base { let a = 3 | let a = 5 }
    E12 `a` is given twice
    [a: given again] [a: first given here]
    give one of them another name
cluster c from hopper { require nodes > 3 }
    E28 a cluster has no require
    [require nodes > 3: here]
    it stands in: run, sweep, compare, optimize, scale, sensitivity, size, portfolio, check
run r from base { where mfu > 3 }
    E28 a run has no where
    [where mfu > 3: here]
    it stands in: sweep, compare, optimize, scale, sensitivity, size
report "x" { let a = 3 }
    E28 a report has no let
    [a: here]
    move it to the top of the file, or into the run
gpu g from h { pekk { bf16 = 3 TFLOPS } }
    E10 a gpu has no block `pekk`
    [pekk: not a block]
    did you mean `peak`?
calibration k { tier x { gather = 3 GB/s } | tier x { gather = 5 GB/s } }
    E12 tier `x` is given twice
    [x: given again] [x: first given here]
    give one of them another name
report "x" { require mfu > 3 }
    E28 a report has no require
    [require mfu > 3: here]
    it stands in: run, sweep, compare, optimize, scale, sensitivity, size, portfolio, check
run r { model = small, cluster = hopper, batch = 64 sequences | layout { schdule = gpipe } }
    E11 `layout.schdule` is not a setting of run `r`
    [schdule: not a setting]
    did you mean `schedule`?
run r from base { phase a { tokens = 3T tokens } | phase a { tokens = 5T tokens } }
    E12 phase `a` is given twice
    [a: given again] [a: first given here]
    give one of them another name
run r from base { chart "x" { } }
    E10 `chart` stands inside a sweep, compare, optimize, scale or sensitivity
    [chart: does not stand here]
    move it into a sweep
run r from nobody { layout { tensor = 3 } }
    E15 there is no run called `nobody`
    [nobody: not found]
    note: runs in reach: base and r
cluster c from c { nodes = 3 }
    E23 a block cannot copy itself
    [c: leads back]
    note: c from c
    name another block after from
cluster c from d { nodes = 3 } | cluster d from c { nodes = 5 }
    E23 blocks copy each other in a circle
    [d: leads back]
    note: c from d from c
    let one of them copy nothing
cluster c from hopper { nodes = 3, nodse = 5 } | run r from base { cluster = c, layout { tensor = zz } }
    E11 `nodse` is not a setting of cluster `c`
    [nodse: not a setting]
    did you mean `nodes`?
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
"""  # noqa: E501


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told


COPIES = """
run first from base {
  let few = 3, let many = 5
  layout { split = even, pipeline = 2 }
  require mfu > 30% because "a"
  measured at batch = 64 sequences { mfu = 40%, source = "a page" }
  phase short { tokens = 3T tokens }
  phase long { tokens = 5T tokens, sequence = 12_288 tokens }
}
run second from first {
  let many = 7
  layout { stages = [20, 12] }
  require mfu > 35%
  phase long { batch = 32 sequences }
  phase last { tokens = 7T tokens }
}
run third from second { layout { split = even } }
"""


def test_a_copy_replaces_settings_merges_blocks_of_a_name_and_adds_the_rest() -> None:
    _, first, second, third = scenario_of(START + COPIES).runs
    assert [(rule.text, rule.because, rule.origin) for rule in second.requires] == [
        ("mfu > 30%", "a", "first"), ("mfu > 35%", "", ""),
    ]  # fmt: skip
    assert [let({}) for let in second.lets.values()] == [3, 7]
    assert (len(first.measured), second.measured) == (1, ())
    phases = {name: {path: value.value for path, value in own.items()} for name, own in second.phases}
    assert phases == {
        "short": {"tokens": 3e12},
        "long": {"tokens": 5e12, "sequence": 12_288.0, "batch": 32.0},
        "last": {"tokens": 7e12},
    }
    stated = [
        {
            p
            for p in ("layout.split", "layout.stages")
            if run.settings.get(p) and run.settings[p].origin in ("stated", "inherited")
        }
        for run in (first, second, third)
    ]
    assert stated == [{"layout.split"}, {"layout.stages"}, {"layout.split"}]


def test_a_copied_cluster_keeps_what_it_does_not_state() -> None:
    text = (
        START
        + "cluster wide from hopper { gpus = 256 | tier pod { latency = 3 us } }\nrun r from base { cluster = wide }\n"
    )
    run = scenario_of(text.replace(" | ", "\n"), "r.batch=512 sequences").runs[1]
    assert run.settings["cluster.tier"].value == ("node", "pod")
    assert run.settings["cluster.tier.pod.bandwidth"].value == 50e9
    assert (run.settings["cluster.tier.pod.latency"].value, run.settings["cluster.nodes"].value) == (3e-6, 32)
    where = {path: run.settings[path].where for path in ("batch", "tokens", "cluster.tier.pod.latency", "cluster.gpu")}
    line = START.count("\n")
    assert where == {
        "batch": "--set", "tokens": f"case.scn:{line}",
        "cluster.tier.pod.latency": f"case.scn:{line + 2}", "cluster.gpu": "case.scn:11",
    }  # fmt: skip
    replaced = run.settings["cluster.tier.pod.bandwidth"].instead_of, run.settings["batch"].instead_of
    assert replaced == (None, None)

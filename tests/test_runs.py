"""What a run lacks, hides, says twice or says of what is not there: told to the letter."""

import pytest

from tests.language import START, scenario_of
from tests.told import told_of, wanted

TOLD = """
run r { model = small }
    E13 run `r` needs cluster
    [r: has none]
    note: the cluster used
    write: cluster = hopper
run r { cluster = hopper, tokens = 3T tokens, batch = 64 sequences }
    E13 run `r` needs model
    [r: has none]
    note: the model trained
    write: model = small
model m { hidden = 64, heads = 4, vocabulary = 100, sequence = 64 tokens } | run r from base { model = m }
    E13 model `m` needs layers
    [m: has none] [m: used here]
    note: transformer layers
    write: layers = 80, or that of your model
    E13 model `m` needs ffn
    [m: has none] [m: used here]
    note: inner size of the MLP f
    write: ffn = 28672, or that of your model
model m { hidden = 64, layers = 4, vocabulary = 100, ffn = 128, sequence = 64 tokens } | run r from base { model = m }
    E13 model `m` needs heads
    [m: has none] [m: used here]
    note: query heads a
    write: heads = 64, or that of your model
model m { hidden = 64, layers = 4, heads = 4, ffn = 128 } | run r from base { model = m }
    E13 model `m` needs vocabulary
    [m: has none] [m: used here]
    note: vocabulary V, not padded
    write: vocabulary = 128256, or that of your model
    E13 run `r` needs a sequence
    [r: has none]
    write: sequence = 8192 tokens
model m { layers = 4, heads = 4, ffn = 128 } | run r from base { model = m, fidelity = reduced }
model m from small { experts { routed = 8 } } | run r from base { model = m }
    E13 model `m` needs experts.active
    [m: has none] [m: used here]
    note: experts per token K
    write: experts.active = 8, or that of your model
    E13 model `m` needs experts.ffn
    [m: has none] [m: used here]
    note: inner size of one expert
    write: experts.ffn = 2048, or that of your model
model m from small { experts { routed = 8, granularity = 4 } } | run r from base { model = m }
    E13 model `m` needs experts.active
    [m: has none] [m: used here]
    note: experts per token K
    write: experts.active = 8, or that of your model
model m from small { experts { active = 3 } } | run r from base { model = m }
    E13 model `m` needs experts.routed
    [m: has none] [m: used here]
    note: routed experts E
    write: experts.routed = 64, or that of your model
    E13 model `m` needs experts.ffn
    [m: has none] [m: used here]
    note: inner size of one expert
    write: experts.ffn = 2048, or that of your model
cluster c { gpu = h } | run r from base { cluster = c }
    E13 cluster `c` needs nodes or gpus
    [c: has neither] [c: used here]
    write: nodes = 128
cluster c { nodes = 8 }
    E13 cluster `c` needs gpu
    [c: has none]
    note: the accelerator
    write: gpu = h
gpu g { memory = 80 GB }
    E13 gpu `g` needs memory_bandwidth
    [g: has none]
    note: peak device-memory bandwidth
    write: memory_bandwidth = 400 Gb/s
cluster c from hopper { tier rack { } }
    E13 tier `rack` needs bandwidth
    [rack: has none]
    note: per GPU and per direction, before oversubscription
    write: bandwidth = 400 Gb/s
calibration k { tier rack { latency = 3 us } }
run r { model = small, cluster = hopper, tokens = 3T tokens }
    E13 run `r` needs a batch
    [r: has none]
    write: batch = 2048 sequences
run r { model = small, cluster = hopper, tokens = 3T tokens, accumulation = 5 }
run r { model = small, cluster = hopper, tokens = 3T tokens, fidelity = reduced }
run r from base { model.hf = "x.json" }
    E15 `model.hf` has no effect here
    [model.hf = "x.json": a configuration is read by the model that names it, not by a run]
    write hf in a model block, or --set NAME.hf=… with that model's name
run r from base { let batch = 3 }
    E25 `batch` is a setting of every run
    [batch: would hide it]
    write: batch = 3
run r from base { let mfu = 3 }
    E25 `mfu` is a result of every run
    [mfu: would hide it]
    give the let another name
let mfu = 3
    E25 `mfu` is a result of every run
    [mfu: would hide it]
    give the let another name
run r from base { layout { split = even, stages = [16, 16] } }
    E26 split and stages say the same thing twice
    [stages = [16, 16]: stated here] [split = even: split by a rule here]
    remove one of the two
run r from base { layout { stages = [16, 16], split = even } }
    E26 split and stages say the same thing twice
    [stages = [16, 16]: stated here] [split = even: split by a rule here]
    remove one of the two
cluster c from hopper { tier node { span = 64 gpus }, tier pod { span = 32 gpus } } | run r from base { cluster = c }
    E26 tier `pod` spans less than tier `node` inside it
    [32 gpus: contradicts]
    note: `node` spans 64 GPUs, `pod` 32
    write 64 gpus or more
cluster c from hopper { tier node { span = 128 gpus }, tier pod { span = 128 gpus } } | run r from base { cluster = c }
cluster c from hopper { tier node { span = 8 gpus }, tier pod { span = 127 gpus } } | run r from base { cluster = c }
    E26 the network spans 127 of 128 GPUs
    [127 gpus: the outermost tier]
    give the outermost tier a larger span, or add a tier
cluster c from hopper { tier node { span = 8 gpus }, tier pod { span = 128 gpus } } | run r from base { cluster = c }
calibration k { tier node { gather = 400 GB/s }, tier zone { gather = 300 GB/s } } | run r from base { calibration = k }
    W01 calibration `k` measures tier `zone`, which the cluster does not have
    [k: named here]
    call it as the cluster does: node, pod
calibration k { tier a { } } | cluster c { gpu = h, nodes = 3 } | run r from base { cluster = c, calibration = k }
    W01 calibration `k` measures tier `a`, which the cluster does not have
    [k: named here]
calibration k { tier node { gather = 400 GB/s }, tier pod { gather = 300 GB/s } } | run r from base { calibration = k }
run r from base { measured { mfu = 40% } }
    E13 measured values need a source
    [measured: has none]
    write: source = "where they were published"
run r from base { measured { mfuu = 40%, source = "x" } }
    E15 there is no `mfuu`
    [mfuu: not a result]
    did you mean `mfu`?
run r from base { measured { mfu = 3 GB, source = "x" } }
    E18 `mfu` is a plain number
    [3 GB: this is in bytes]
    note: a result, as measured
    units: %
run r from base { measured { zzzz = 40%, source = "x" } }
    E15 there is no `zzzz`
    [zzzz: not a result]
    note: measured values have the names of results, such as mfu or step_time
run r from base { measured { step_time = 40%, source = "x" } }
    E18 `step_time` is in seconds
    [40%: this is a plain number]
    note: a result, as measured
    units: us, ms, s, minutes, hours, days
run r from base { measured { tokens_per_second = 3 GB, source = "x" } }
    E18 `tokens_per_second` is in tokens/s
    [3 GB: this is in bytes]
    note: a result, as measured
run r from base { measured { tokens_per_second = 30, source = "x" } }
    E18 `tokens_per_second` is in tokens/s
    [30: this is a plain number]
    note: a result, as measured
run r from base { measured at layout.tensr = 4 { mfu = 40%, source = "x" } }
    E11 `layout.tensr` is not a setting of run `r`
    [layout.tensr: names no point]
    did you mean `layout.tensor`?
run r from base { measured at mfu = 4 { mfu = 40%, source = "x" } }
    E11 `mfu` is not a setting of run `r`
    [mfu: names no point]
    note: `mfu` is a result, which follows
    hold it in a where or a require instead
run r from base { phase long { tokens = 3T tokens, sequence = 12_000 tokens, batch = 4M tokens } }
    E22 `batch` is not a whole number of sequences
    [4M tokens: of the phase's sequence length]
    write sequences, or a multiple of the sequence
run r from base { phase long { tokens = 3T tokens, batch = 81_920 tokens } }
run r from base { phase long { tokens = 3T tokens, batch = 81_921 tokens } }
    E22 `batch` is not a whole number of sequences
    [81_921 tokens: of the phase's sequence length]
    write sequences, or a multiple of the sequence
run r from base { phase long { sequence = 12_000 tokens } }
    E13 phase `long` needs tokens
    [long: has none]
    note: tokens of the stretch
    write: tokens = 1T tokens
run r from base { phase long { tokens = 3T tokens, share = 3, sequnce = 12_000 tokens } }
    E11 `share` is not a setting of run `r`
    [share: not a setting]
    did you mean `layout.tp_overlap.share`?
    E11 `sequnce` is not a setting of run `r`
    [sequnce: not a setting]
    did you mean `sequence`?
run r from base { let a = b * 3, let b = a + 5, require mfu > a }
    E23 `a` is defined by itself
    [a: leads back here] [a: defined here]
    give one of the names a value of its own
run r from base { let a = b * 3, let b = zz + 5, require mfu > a }
    E15 there is no `zz`
    [zz: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
run r from base { require mfuu > 30% }
    E15 there is no `mfuu`
    [mfuu: not found]
    did you mean `mfu`?
run r from base { layout { tensor = layout.tensor * 3 } }
    E23 `layout.tensor` is defined by itself
    [tensor = layout.tensor * 3: leads back here]
    note: layout.tensor needs layout.tensor
    give one of them a value of its own
run r from base { layout { tensor = 3 * layout.context, context = layout.pipeline, pipeline = layout.tensor / 5 } }
    E23 `layout.tensor` is defined by itself
    [tensor = 3 * layout.context: leads back here]
    note: layout.tensor needs layout.context needs layout.pipeline needs layout.tensor
    give one of them a value of its own
run r from base { batch = mfu * 300 sequences }
    E15 `mfu` is a result; a setting cannot depend on it
    [mfu: worked out later]
    note: settings are known before a run is evaluated, results after
    hold it in a require of the run instead
run r from base { layout { tensor = hopper.nods } }
    E11 `nods` is not a setting of cluster `hopper`
    [hopper.nods: not a setting] [hopper: defined here]
    did you mean `hopper.nodes`?
run r from base { layout { tensor = zz.nodes } }
    E15 there is no `zz.nodes`
    [zz.nodes: not found]
    note: a name is a let, a setting such as layout.tensor, or a result such as mfu
cluster c from hopper { nodes = gpus_per_nod * 3 }
    E15 there is no `gpus_per_nod`
    [gpus_per_nod: not found]
    did you mean `gpus_per_node`?
run r from base { layout { shard = zero3(within = nod) } }
    E21 `nod` is not a choice of `layout.shard.within`
    [nod: not one of them]
    note: choices: all, node, pod
    did you mean `node`?
run r from base { layout { shard = zero3(within = node) } }
run r from base { layout { schedule = interleaved(virtual = 3) } }
    E11 `interleaved` has no argument `virtual`
    [virtual = 3: not an argument]
    note: arguments: virtual_stages
    write virtual_stages = 3
run r from base { layout { schedule = one_f_one_b(virtual_stages = 3) } }
    E11 `one_f_one_b` has no argument `virtual_stages`
    [one_f_one_b(virtual_stages = 3): takes none]
    note: `virtual_stages` belongs to interleaved
    write one_f_one_b
run r from base { cluster.nodes = 32 } --set cluster.nodes=0
    E20 `cluster.nodes` is at least 1
    [0: reads as 0]
    note: nodes bought or rented
    write 1 or more
run r from base { layout { tensor = 4 } } --set r.layout.tensr=4
    E11 `layout.tensr` is not a setting of run `r`
    [r.layout.tensr: not a setting]
    did you mean `r.layout.tensor`?
"""


@pytest.mark.parametrize(("text", "told"), wanted(TOLD))
def test_what_is_told(text: str, told: list[str]) -> None:
    assert told_of(text) == told


MEASURED = """
run r from base {
  let few = 3
  measured at batch = 64 sequences and layout.tensor = 4 {
    source = "a page", mfu = 41%, tokens_per_second = 1000 * few / 1 s, step_time = 3 s
  }
  phase long { tokens = 3T tokens, sequence = 12_288 tokens, batch = 1_228_800 tokens }
  phase short { tokens = 5T tokens, batch = 81_920 tokens }
}
"""


def test_what_was_measured_and_stretches_of_a_run() -> None:
    run = scenario_of(START + MEASURED).runs[1]
    (found,) = run.measured
    values = {path: (value.value, value.unit_written, value.origin) for path, value in found.values.items()}
    assert values == {
        "mfu": (0.41, "%", "stated"), "tokens_per_second": (3000.0, "", "stated"), "step_time": (3.0, "s", "stated"),
    }  # fmt: skip
    line = START.count("\n") + 4
    assert (found.source, found.at, found.where) == (
        "a page", {"batch": 64.0, "layout.tensor": 4.0}, f"case.scn:{line}",
    )  # fmt: skip
    assert {value.where for value in found.values.values()} == {f"case.scn:{line + 1}"}
    stretches = {name: {path: (v.value, v.unit_written) for path, v in own.items()} for name, own in run.phases}
    assert stretches == {
        "long": {"tokens": (3e12, "tokens"), "sequence": (12_288.0, "tokens"), "batch": (100.0, "sequences")},
        "short": {"tokens": (5e12, "tokens"), "batch": (10.0, "sequences")},  # of the run's 8192 tokens
    }

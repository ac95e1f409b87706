"""Values of settings: their form, their bounds, and what is told of those that are none."""

import pytest

from tests.language import START, scenario_of
from tests.told import lines_of, wanted

TOLD = r"""
run r from base { layout.tensor = [1, 2] }
    E16 `layout.tensor` is one value
    [[1, 2]: this is a list]
    note: several values stand in the vary of a sweep, optimize, scale or sensitivity
    in a sweep: vary { layout.tensor = [1, 2] }
run r from base { layout.tensor = 1..4 }
    E16 `layout.tensor` is one value
    [1..4: this is a range]
    note: several values stand in the vary of a sweep, optimize, scale or sensitivity
    in a sweep: vary { layout.tensor = 1..4 }
run r from base { batch = None }
    E16 `batch` is a number
    [None: not a number]
    note: global batch; in tokens it is converted by the sequence, exactly
    leave the line out where there is none
run r from base { memory.reserve = -3 GB }
    E20 `memory.reserve` is below zero
    [-3 GB: reads as -3 GB]
    write 3 GB
run r from base { memory.reserve = 1 GB - 3 GB }
    E20 `memory.reserve` is below zero
    [1 GB - 3 GB: reads as -2 GB]
    write a value of zero or more
run r from base { layout.tensor = 2 gpus }
    E18 `layout.tensor` is a plain number
    [2 gpus: this is a number of gpus]
    note: tensor-parallel degree
    leave the unit out
run r from base { layout.tensor = 2.5 }
    E20 `layout.tensor` is a whole number
    [2.5: reads as 2.5]
    write 2
run r from base { layout.tensor = 50% }
    E18 `layout.tensor` is a plain number
    [50%: this is a share]
    leave the % out
run r from base { layout.tensor = 1 - 4 }
    E20 `layout.tensor` is at least 1
    [1 - 4: reads as -3]
    note: tensor-parallel degree
    write 1..4, if a range is meant
run r from base { layout.tensor = 1 - 4 - 2 }
    E20 `layout.tensor` is at least 1
    [1 - 4 - 2: reads as -5]
    note: tensor-parallel degree
    write 1 or more
run r from base { layout.pipeline = 1001 }
    E20 `layout.pipeline` is at most 1_000
    [1001: reads as 1_001]
    write 1_000 or less
cluster d from hopper { gpus_per_node = 10_001 }
    E20 `gpus_per_node` is at most 10_000
    [10_001: reads as 10_001]
    write 10_000 or less
cluster d from hopper { gpus = 10_000_008 gpus }
    E20 `gpus` is at most 10_000_000
    [10_000_008 gpus: reads as 10_000_008 gpus]
    write 10_000_000 or less
model m from small { layers = 10_001 }
    E20 `layers` is at most 10_000
    [10_001: reads as 10_001]
    write 10_000 or less
run r from base { sequence = 8k tokens }
    W01 8k is 8_000
    [8k tokens: a round number]
    note: k is 1,000, Ki is 1,024
    write 8Ki tokens for 8_192
run r from base { sequence = 8_192k tokens }
    W01 8_192k is 8_192_000
    [8_192k tokens: a round number]
    note: k is 1,000, Ki is 1,024
    write 8_192Ki tokens for 8_388_608
model m from small { vocabulary = 128k }
    W01 128k is 128_000
    [128k: a round number]
    note: k is 1,000, Ki is 1,024
    write 128Ki for 131_072
run r from base { precision = fp88 }
    E21 `fp88` is not a choice of `precision`
    [fp88: not one of them]
    note: choices: bf16, fp16, fp8, fp4, fp32
    did you mean `fp8`?
run r from base { precision = [fp8] }
    E16 `precision` is one of several words
    [[fp8]: not a word]
    note: choices: bf16, fp16, fp8, fp4, fp32
    for example: bf16
run r from base { layout.sequence_parallel = yes }
    E16 `layout.sequence_parallel` is true or false
    [yes: another word]
    write true
run r from base { layout.sequence_parallel = "No" }
    E16 `layout.sequence_parallel` is true or false
    ["No": another word]
    write false
run r from base { layout.sequence_parallel = 0 }
    E16 `layout.sequence_parallel` is true or false
    [0: this is a number]
    write false
run r from base { layout.sequence_parallel = 1 }
    E16 `layout.sequence_parallel` is true or false
    [1: this is a number]
    write true
run r from base { layout.sequence_parallel = (1 GB) }
    E16 `layout.sequence_parallel` is true or false
    [(1 GB): this is a number]
    write true
run r from base { model = "llama-3.1-70b" }
    E16 `model` names a model
    ["llama-3.1-70b": not a name]
    note: names stand without quotes; those of a hub have no owner before them here
    for example: small
run r from base { model = "small" }
    E16 `model` names a model
    ["small": not a name]
    note: names stand without quotes; those of a hub have no owner before them here
    write small
run r from base { model = meta-llama / small }
    E16 `model` names a model
    [meta-llama / small: not a name]
    note: names stand without quotes; those of a hub have no owner before them here
    write small
run r from base { batch = sqrt(0 - 4) * 1 sequence }
    E24 sqrt( ) of a number that is not positive
    [0 - 4: reads as -4]
    take it of a positive number
run r from base { batch = log2(layout.tensor - 1) * 1 sequence }
    E24 log2( ) of a number that is not positive
    [layout.tensor - 1: reads as 0]
    take it of a positive number
run r from base { batch = (8 + sqrt(layout.tensor - 1)) * 1 sequence }
run r from base { batch = 8 sequences / (layout.tensor - 1) }
    E24 a division by zero
    [(layout.tensor - 1): is zero]
    note: `layout.tensor - 1` comes to 0
    divide by a value that is never zero
run r from base { batch = 1e300 * 1e300 * 1 sequence }
    E24 this is too large a number
    [1e300 * 1e300 * 1 sequence: more than 1.8e308]
    note: a computer holds no larger ones
    check the units and the factors
run r from base { tokens = 13 T }
    E17 `T` is not a unit
    [13 T: unknown unit]
    note: count suffixes touch their number: k, M, B, T
    write 13T
run r from base { tokens = 13 b }
    E17 `b` is not a unit
    [13 b: unknown unit]
    note: count suffixes touch their number: k, M, B, T
    write 13B
cluster d from hopper { as_of = 2026-03-31 }
    E16 `as_of` is a date in double quotes
    [2026-03-31: not a text]
    write "2026-03-31"
cluster d from hopper { as_of = "31.03.2026" }
    E16 `31.03.2026` is not a date
    ["31.03.2026": not a date]
    note: dates are written year-month-day
    write "2026-03-31"
cluster d from hopper { as_of = "1.3.2026" }
    E16 `1.3.2026` is not a date
    ["1.3.2026": not a date]
    note: dates are written year-month-day
    write "2026-03-01"
cluster d from hopper { as_of = "2026/3/31" }
    E16 `2026/3/31` is not a date
    ["2026/3/31": not a date]
    note: dates are written year-month-day
    write "2026-03-31"
cluster d from hopper { as_of = "2026-02-30" }
    E16 `2026-02-30` is not a date
    ["2026-02-30": not a date]
    note: dates are written year-month-day
    write "2026-03-31"
cluster d from hopper { as_of = "20260331" }
    E16 `20260331` is not a date
    ["20260331": not a date]
    note: dates are written year-month-day
    write "2026-03-31"
cluster d from hopper { source = report }
    E16 `source` is a text in double quotes
    [report: not a text]
    write "report"
cluster d from hopper { nodes = 3.5 }
    E20 `nodes` is a whole number
    [3.5: reads as 3.5]
    write 4
cluster d from hopper { pue = 0.8 }
    E20 `pue` is at least 1
    [0.8: reads as 0.8]
    note: facility power over IT power
    write 1 or more
gpu g from h { memory = 0 GB }
    E20 `memory` is more than 0
    [0 GB: reads as 0 GB]
    note: device memory as the driver reports it; GB is 10^9, GiB 2^30 bytes
run r from base { layout.stages = [3, 2.5] layers }
    E20 `layout.stages` is a whole number
    [2.5: reads as 2.5]
    write 2
run r from base { layout.stages = [3 GB, 2] }
    E18 `layout.stages` is a number of layers
    [3 GB: this is in bytes]
    note: layers of each stage, instead of split
    units: layers
run r from base { layout.stages = 3 layers }
    E16 `layout.stages` is a list
    [3 layers: not a list]
    write [3 layers]
run r from base { layout.order = [tensor, 3] }
    E21 `3` is not a choice of `layout.order`
    [3: not one of them]
    note: choices: tensor, context, data, pipeline, expert
run r from base { tokens = 0 tokens }
    E20 `tokens` is more than 0
    [0 tokens: reads as 0 tokens]
    note: training tokens
run r from base { precision = if layout.tensor > 1 then fp9 else bf16 }
    E21 `fp9` is not a choice of `precision`
    [fp9: not one of them]
    note: choices: bf16, fp16, fp8, fp4, fp32
    did you mean `fp8`?
run r from base { precision = if mfu > 3% then fp8 else bf16 }
    E15 `mfu` is a result; a setting cannot depend on it
    [mfu: worked out later]
    note: settings are known before a run is evaluated, results after
    hold it in a require of the run instead
"""


@pytest.mark.parametrize(("text", "lines"), wanted(TOLD), ids=[text for text, _ in wanted(TOLD)])
def test_what_is_no_value_of_a_setting_is_told(text: str, lines: list[str]) -> None:
    assert lines_of(f"{text}\n") == lines


@pytest.mark.parametrize(
    ("statement", "path", "value"),
    [
        ("precision = if layout.tensor > 1 then fp8 else bf16", "precision", "bf16"),
        ("layout.tensor = 2, precision = if layout.tensor > 1 then fp8 else bf16", "precision", "fp8"),
        ('precision = "fp8"', "precision", "fp8"),
        ("layout.sequence_parallel = layout.tensor > 1", "layout.sequence_parallel", False),
        ("layout.sequence_parallel = layout.tensor >= 1", "layout.sequence_parallel", True),
        ("layout.stages = [20, 12] layers, layout.pipeline = 2", "layout.stages", (20, 12)),
        ("layout.order = [data, tensor, context, pipeline]", "layout.order", ("data", "tensor", "context", "pipeline")),
        ("layout.pipeline = 1000", "layout.pipeline", 1000),
        ("memory.reserve = 0", "memory.reserve", 0),
        ("memory.reserve = 3 GB as GiB", "memory.reserve", 3e9),
        ("batch = 1 sequence", "batch", 1),
        ("batch = 2 * 512 sequences", "batch", 1024),
        ("tokens = 3 * 1T tokens", "tokens", 3e12),
        ("layout.tensor = 2 ^ 3", "layout.tensor", 8),
    ],
)
def test_a_setting_has_its_value(statement: str, path: str, value: object) -> None:
    assert scenario_of(f"{START}run r from base {{ {statement} }}\n").runs[-1].settings[path].value == value

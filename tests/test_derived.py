"""Settings that follow from others, each with its value by hand, where it comes from and how that is said."""

import pytest

from tests.language import START, scenario_of
from tests.told import lines_of, wanted

OTHER = "run r from base { cluster = d }"
BARE = "model m { layers = 32, hidden = 4096, ffn = 14_336, heads = 32, vocabulary = 128_256, sequence = 8Ki tokens }"
SMALL = "cluster d { gpu = h, gpus = 20 gpus, tier node { bandwidth = 450 GB/s } }"
STEPS = "run r { model = small, cluster = hopper, tokens = 1T tokens, accumulation = 8, layout.tensor = 2"
LEFT, SPLIT = "the GPUs that the other axes leave", "on where tensor is more than 1 and the stack has it"
PRICED = "gpu g from h { price = $3.6/gpu-hour }\ncluster d from hopper"


@pytest.mark.parametrize(
    ("text", "path", "value", "unit", "origin", "note"),
    [
        (f"cluster d from hopper {{ nodes = 4 }}\n{OTHER}", "cluster.gpus", 32, "gpus", "derived", "4 nodes of 8 GPUs"),
        (f"{SMALL}\n{OTHER}", "cluster.nodes", 3, "nodes", "derived", "20 GPUs, 8 in a node"),
        (f"{SMALL}\n{OTHER}", "cluster.gpus", 20, "gpus", "stated", ""),
        (f"{SMALL}\n{OTHER}", "cluster.tier.node.span", 20, "gpus", "default", "all GPUs"),
        ("", "cluster.tier.node.span", 8, "gpus", "default", "gpus_per_node"),
        ("", "cluster.tier.pod.span", 128, "gpus", "default", "all GPUs"),
        ("", "cluster.ownership", "rented", "", "default", "which cost lines apply"),
        ("run r from base { layout.tensor = 4 }", "layout.data", 32, "", "default", LEFT),
        ("run r from base { layout.tensor = 4, layout.pipeline = 2 }", "layout.data", 16, "", "default", LEFT),
        ("run r from base { layout.tensor = 48 }", "layout.data", 2, "", "default", LEFT),
        ("run r from base { layout.tensor = 128 }", "layout.data", 1, "", "default", LEFT),
        ("", "batch_tokens", 2048 * 8192, "tokens", "derived", "batch x sequence"),
        ("", "sequence", 8192, "tokens", "derived", "the model's"),
        ("", "model.head", 128, "", "derived", "hidden / heads"),
        (f"{BARE}\nrun r from base {{ model = m }}", "model.kv_heads", 32, "", "derived", "equal to heads"),
        ("", "layout.sequence_parallel", False, "", "default", SPLIT),
        ("run r from base { layout.tensor = 2 }", "layout.sequence_parallel", True, "", "default", SPLIT),
        (
            "stack s from megatron-core { sequence_parallel = false }\n"
            "run r from base { stack = s, layout.tensor = 2 }",
            "layout.sequence_parallel", False, "", "default", SPLIT,
        ),
        (f"{STEPS} }}", "batch", 512, "sequences", "derived", "accumulation x micro_batch x data"),
        (
            f"{STEPS}, layout.micro_batch = 2 sequences }}",
            "batch", 1024, "sequences", "derived", "accumulation x micro_batch x data",
        ),
        (
            "run r from base { batch = 16Mi tokens }",
            "batch", 2048, "sequences", "stated", "16 777 216 tokens of 8 192",
        ),
        (
            "run r from base { batch = 65_536 tokens, sequence = 4096 tokens }",
            "batch", 16, "sequences", "stated", "65 536 tokens of 4 096",
        ),
        (
            f"cluster d from hopper {{ mtbf = 256_000 gpu-hours }}\n{OTHER}",
            "cluster.mtbf", 2000 * 3600, "hours", "stated", "256 000 gpu-hours over 128 GPUs",
        ),
        (f"cluster d from hopper {{ mtbf = 3 hours }}\n{OTHER}", "cluster.mtbf", 10_800, "hours", "stated", ""),
        (
            "hazard z { gpu = 2, host = 1, network = 0.5, software = 0.25, other = 0.25 }",
            "cluster.mtbf", 8760 * 3600 / 4 / 128, "hours", "default",
            "4 failures a GPU-year (hazard `z`) over 128 GPUs",
        ),
        (
            "hazard z { gpu = 0.123456 }",
            "cluster.mtbf", 8760 * 3600 / 0.123456 / 128, "hours", "default",
            "0.1235 failures a GPU-year (hazard `z`) over 128 GPUs",
        ),
        (f"cluster d from hopper {{ capex {{ gpu = $30k }} }}\n{OTHER}", "cluster.ownership", "owned", "", "derived",
         "capex is stated"),
        (f"{PRICED} {{ gpu = g }}\n{OTHER}", "cluster.price", 0.001, "$/gpu-hour", "derived", "the gpu's own price"),
        ("run r from base { checkpoint.interval = 30 minutes }", "checkpoint.rule", "stated", "", "stated", ""),
        ("run r from base { checkpoint.interval = young }", "checkpoint.rule", "young", "", "stated", ""),
    ],
)  # fmt: skip
def test_what_follows(text: str, path: str, value: object, unit: str, origin: str, note: str) -> None:
    found = scenario_of(f"{START}{text}\n").runs[-1].settings[path]
    assert (found.value, found.unit_written, found.origin, found.note.replace("\u00a0", " ")) == (
        value, unit, origin, note)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", "cluster.price"),
        (f"{PRICED} {{ gpu = g, ownership = owned }}\n{OTHER}", "cluster.price"),
        (f"{PRICED} {{ gpu = g, capex {{ gpu = $30k }} }}\n{OTHER}", "cluster.price"),
        ("run r from base { layout.tensor = 129 }", "layout.data"),
        ("hazard z { gpu = 0, host = 0, network = 0, software = 0, other = 0 }",
         "cluster.mtbf"),
    ],
)  # fmt: skip
def test_what_does_not_follow(text: str, path: str) -> None:
    assert path not in scenario_of(f"{START}{text}\n").runs[-1].settings


def test_what_follows_stands_where_it_comes_from() -> None:
    settings = scenario_of(f"{START}cluster d from hopper {{ nodes = 4 }}\n{OTHER}\n").runs[-1].settings
    gpus, ours = settings["cluster.gpus"], START.count("\n") + 1
    assert gpus.span is not None and (gpus.span.line, gpus.where) == (ours, f"case.scn:{ours}")


TOLD = """
run r from base { batch = 4M tokens }
    E22 `batch` is not a whole number of sequences
    [4M tokens: 4_000_000 / 8_192 = 488.28]
    note: a sequence has 8_192 tokens
    write 488 sequences, or 3_997_696 tokens
run r from base { batch = 16.8M tokens }
    E22 `batch` is not a whole number of sequences
    [16.8M tokens: 16_800_000 / 8_192 = 2_050.78]
    note: a sequence has 8_192 tokens
    write 2_048 sequences, or 16Mi tokens
run r from base { batch = 1000 tokens }
    E22 `batch` is not a whole number of sequences
    [1000 tokens: 1_000 / 8_192 = 0.12]
    note: a sequence has 8_192 tokens
    write 1 sequence, or 8_192 tokens
run r from base { batch = 20_000 tokens }
    E22 `batch` is not a whole number of sequences
    [20_000 tokens: 20_000 / 8_192 = 2.44]
    note: a sequence has 8_192 tokens
    write 2 sequences, or 16_384 tokens
run r from base { batch = 4M tokens, sequence = 3000 tokens }
    E22 `batch` is not a whole number of sequences
    [4M tokens: 4_000_000 / 3_000 = 1_333.33]
    note: a sequence has 3_000 tokens
    write 1_328 sequences, or 3_984_000 tokens
run r from base { model = nothing, batch = 4M tokens }
    E15 there is no model called `nothing`
    [nothing: not found]
    note: models in reach: small
    write at the top: import "library/models.scn"
model m { layers = 2, hidden = 8, ffn = 8, heads = 2, vocabulary = 8 } run r from base { model = m, batch = 1M tokens }
    E13 run `r` needs a sequence
    [r: has none]
    write: sequence = 8192 tokens
    E22 `batch` in tokens needs a sequence length
    [1M tokens: how many sequences?]
    state `sequence` in the run or the model, or write sequences
cluster d from hopper { price = $2/gpu-hour, capex { gpu = $30k } } run r from base { cluster = d }
    E26 the cluster has a price and a capex
    [price = $2/gpu-hour: rented] [gpu = $30k: owned]
    write: ownership = rented, or: ownership = owned
cluster d { gpu = h, nodes = 16, gpus = 120 gpus, tier node { bandwidth = 1 GB/s } } run r from base { cluster = d }
    E26 gpus and nodes contradict each other
    [gpus = 120 gpus: reads as 120] [nodes = 16: nodes are stated here]
    note: 16 nodes of 8 GPUs are 128
    state one of the two
model m from small { mixer mamba2 { pattern = "MX-" } } run r from base { model = m }
    E16 `X` is no letter of a pattern
    ["MX-": here]
    note: a letter a layer of one block: M mixer, * attention, - MLP, E experts; repeats
    write for example: pattern = "M-M-M*-"
model m from small { mixer mamba2 { pattern = "" } } run r from base { model = m }
    E16 a pattern needs a letter a layer
    ["": here]
    note: a letter a layer of one block: M mixer, * attention, - MLP, E experts; repeats
    write for example: pattern = "M-M-M*-"
model m from small { mixer mamba2 { every = 4, offset = 4 } } run r from base { model = m }
    E26 an offset of 4 layers is beyond a period of 4
    [4: no layer would attend]
    note: layers before the first attention layer; every - 1 when absent
    write a number from 0 to 3
model m from small { mixer mamba2 { every = 4, offset = 3 } } run r from base { model = m }
model m from small { mixer mamba2 { pattern = "M*-E" } } run r from base { model = m }
"""


@pytest.mark.parametrize(("text", "lines"), wanted(TOLD), ids=[text for text, _ in wanted(TOLD)])
def test_what_contradicts_is_told(text: str, lines: list[str]) -> None:
    assert lines_of(text.replace("} run", "}\nrun") + "\n") == lines


def test_a_tier_in_the_middle_needs_a_span() -> None:
    tiers = "".join(f"\ntier {name} {{ bandwidth = 50 GB/s }}" for name in ("node", "rack", "pod"))
    assert lines_of(f"cluster d {{ gpu = h, nodes = 16{tiers} }}\n{OTHER}\n") == [
        "E13 tier `rack` needs a span",
        "[bandwidth = 50 GB/s: a middle tier]",
        "write: span = 64 gpus (the GPUs below one element of this tier)",
    ]

"""Numbers and their settings: units, tags, shares; what is told where they do not fit."""

import pytest

from tests.told import lines_of, wanted

TOLD = r"""
run r from base { tokens = true }
    E16 `tokens` is a number
    [true: this is a condition]
    note: training tokens
run r from base { batch = "2048 sequences" }
    E16 `batch` is a number
    ["2048 sequences": this is a text]
    note: global batch; in tokens it is converted by the sequence, exactly
    write 2048 sequences
run r from base { batch = "many" }
    E16 `batch` is a number
    ["many": this is a text]
    note: global batch; in tokens it is converted by the sequence, exactly
run r from base { memory.reserve = true }
    E16 `memory.reserve` is a number with a unit: GB, GiB, MB …
    [true: this is a condition]
    note: memory kept free on every GPU
cluster d from hopper { gpus_per_node = true }
    E16 `gpus_per_node` is a number
    [true: this is a condition]
    note: GPUs in one operating-system node; only counts nodes
run r from base { tokens = 3 GB }
    E18 `tokens` is a number of tokens
    [3 GB: this is in bytes]
    note: training tokens
    units: tokens
run r from base { tokens = 15T }
    E19 `tokens` needs a unit
    [15T: 15T what?]
    note: training tokens
    write 15T tokens
run r from base { tokens = 15T sequences }
    E18 `tokens` is a number of tokens
    [15T sequences: this is a number of sequences]
    note: training tokens
    write it in tokens
run r from base { batch = 12 }
    E19 `batch` needs a unit
    [12: 12 what?]
    note: global batch; in tokens it is converted by the sequence, exactly
    write 12 sequences, or 12 tokens
run r from base { batch = 1 }
    E19 `batch` needs a unit
    [1: 1 what?]
    note: global batch; in tokens it is converted by the sequence, exactly
    write 1 sequence
run r from base { batch = 0 }
    E20 `batch` is at least 1
    [0: reads as 0]
    note: global batch; in tokens it is converted by the sequence, exactly
    write 1 or more
run r from base { batch = 12% }
    E18 `batch` is a number of sequences
    [12%: this is a share]
    leave the % out
run r from base { batch = 12 gpus }
    E18 `batch` is a number of sequences
    [12 gpus: this is a number of gpus]
    note: global batch; in tokens it is converted by the sequence, exactly
    write it in sequences
run r from base { memory.reserve = 3 }
    E19 `memory.reserve` needs a unit
    [3: 3 what?]
    note: memory kept free on every GPU
    write 3 bytes, or another unit: GB, GiB, MB …
run r from base { memory.reserve = 3 s }
    E18 `memory.reserve` is in bytes
    [3 s: this is in seconds]
    note: memory kept free on every GPU
    units: GB, GiB, MB …
run r from base { memory.reserve = 3 GB/s }
    E18 `memory.reserve` is in bytes
    [3 GB/s: this is in bytes per second]
    note: memory kept free on every GPU
    write 3 GB
run r from base { memory.reserve = 3% }
    E18 `memory.reserve` is in bytes
    [3%: this is a plain number]
    note: memory kept free on every GPU
    units: GB, GiB, MB …
run r from base { memory.reserve = 3 gpus }
    E18 `memory.reserve` is in bytes
    [3 gpus: this is a number of gpus]
    note: memory kept free on every GPU
    units: GB, GiB, MB …
cluster d from hopper { price = 3 }
    E19 `price` needs a unit
    [3: 3 what?]
    note: rent per GPU-hour; wins over the gpu's own
    write $3/gpu-hour
cluster d from hopper { price = $3 }
    E18 `price` is in dollars per second
    [$3: this is in dollars]
    note: rent per GPU-hour; wins over the gpu's own
    units: $/hour or $/gpu-hour
cluster d from hopper { price = $3/hour }
    E19 `price` is for each GPU
    [$3/hour: for how many?]
    write $3/gpu-hour
cluster d from hopper { price = $3/node-hour }
    E19 `price` is for each GPU
    [$3/node-hour: for how many?]
    write $3/gpu-hour
cluster d from hopper { cost.staff = $3/gpu-hour }
    E18 `cost.staff` is for the whole cluster
    [$3/gpu-hour: this is for each of its gpus]
    write it in $/hour
cluster d from hopper { cost.staff = 3 }
    E19 `cost.staff` needs a unit
    [3: 3 what?]
    note: staff
    write $3/hour
cluster d from hopper { cost.egress = 3 }
    E19 `cost.egress` needs a unit
    [3: 3 what?]
    note: data transfer charges
    write $3
cluster d from hopper { power_price = 3 }
    E19 `power_price` needs a unit
    [3: 3 what?]
    note: price of electricity
    write $3/kWh
cluster d from hopper { power_price = $3/hour }
    E18 `power_price` is in dollars per joule
    [$3/hour: this is in dollars per second]
    note: price of electricity
    units: $/kWh
cluster d from hopper { carbon_intensity = 3 }
    E19 `carbon_intensity` needs a unit
    [3: 3 what?]
    note: emissions of the electricity used
    write 3 kgCO2/kWh
cluster d from hopper { nodes = 4 gpus }
    E18 `nodes` is a number of nodes
    [4 gpus: this is a number of gpus]
    note: nodes bought or rented
    write: gpus = 4 gpus
cluster d from hopper { gpus = 4 nodes }
    E18 `gpus` is a number of gpus
    [4 nodes: this is a number of nodes]
    note: all GPUs, instead of nodes
    write: nodes = 4 nodes
cluster d from hopper { nodes = 4 layers }
    E18 `nodes` is a number of nodes
    [4 layers: this is a number of layers]
    note: nodes bought or rented
    write it in nodes
cluster d from hopper { mtbf = 3 }
    E19 `mtbf` needs a unit
    [3: 3 what?]
    note: in hours: of the whole job; in gpu-hours: of one GPU
    units: us, ms, s, minutes, hours, days
cluster d from hopper { restart = 3 gpu-hours }
    E18 `restart` is a time
    [3 gpu-hours: this is a number of GPU-hours]
    note: failure to training again with a spare at hand: detect, swap, reload
    write it in hours
cluster d from hopper { tier pod { oversubscription = 2 GB } }
    E18 `tier.pod.oversubscription` is a plain number
    [2 GB: this is in bytes]
    note: downlink : uplink for traffic that leaves the tier below, 7:1 = one seventh leaves
cluster d from hopper { tier pod { bandwidth = 50 } }
    E19 `tier.pod.bandwidth` needs a unit
    [50: 50 what?]
    note: per GPU and per direction, before oversubscription
    write 50 GB/s, or 50 Gb/s for bits
cluster d from hopper { tier pod { bandwidth = 50 GB } }
    E18 `tier.pod.bandwidth` is in bytes per second
    [50 GB: this is in bytes]
    note: per GPU and per direction, before oversubscription
    write 50 GB/s
cluster d from hopper { tier pod { bandwidth = 400 Gbps } }
    E17 `Gbps` is not a unit
    [Gbps: unknown unit]
    write Gb/s (bits) or GB/s (bytes)
cluster d from hopper { tier pod { latency = 5 } }
    E19 `tier.pod.latency` needs a unit
    [5: 5 what?]
    note: of one hop at this tier
    write 5 us, or another unit: us, ms, s, minutes, hours, days
gpu g from h { efficiency { clock = 87 } }
    E19 `efficiency.clock` is a share
    [87: 87 what?]
    write 87%
gpu g from h { efficiency { clock = 1.1 } }
    E19 `efficiency.clock` is a share
    [1.1: 1.1 what?]
    write 1.1%
gpu g from h { efficiency { clock = 87 GB } }
    E18 `efficiency.clock` is a plain number
    [87 GB: this is in bytes]
    note: sustained over peak clock under the power limit (phi)
    units: %
"""


@pytest.mark.parametrize(("text", "lines"), wanted(TOLD), ids=[text for text, _ in wanted(TOLD)])
def test_a_number_that_does_not_fit_is_told(text: str, lines: list[str]) -> None:
    assert lines_of(f"{text}\n") == lines

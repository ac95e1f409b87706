"""The quantities of the engine that a tree shows by name: functions by what they return, fields of its records.

A key is a module of the engine and what it holds: "kernels.wave" is that function, "kernels.gemm_seconds[0]" the first
of what it returns, "operators.work.Gemm.n" a field. What is not here is written out in the formula of what uses it.
"""

from typing import NamedTuple


class Quantity(NamedTuple):
    """How one is shown. ``label`` and ``group`` are filled from the function's names or the record's fields."""

    label: str
    unit: str = ""  # a base unit of the reports: s, B, B/s, FLOP, FLOP/s, $, W, J, tokens, %
    symbol: str = ""  # in formulas; the last part of its key where empty
    group: str = ""  # long sums have a subtotal for each
    apart: bool = False  # a place of its own, even where another has the same value by the same way
    weak: bool = False  # a name that a later one replaces
    open: bool = False  # a sum that a longer one takes apart


Q = Quantity
GEMM = "the GEMM {op} {tag}"
QUANTITIES: dict[str, Quantity] = {
    # the layout and its groups
    "layout.data_parallel": Q("data-parallel degree"),
    "layout.Degrees.used": Q("GPUs that work", "GPUs"),
    "layout.Degrees.micro_batches": Q("micro-batches per step and pipeline"),
    "layout.Degrees.tokens": Q("tokens of a micro-batch on one rank", "tokens"),
    "layout.Degrees.tokens_per_step": Q("global batch in tokens", "tokens"),
    "layout.Degrees.shard": Q("ranks over which dense states are sharded"),
    "layout.Degrees.copies": Q("copies of the sharded states"),
    "layout.Degrees.edp": Q("copies of an expert, over which its states are sharded", symbol="expert_data_parallel"),
    "layout.Degrees.kv_heads": Q("key/value heads of one tensor rank"),
    "network.Group.size": Q("ranks of the {axis} group"),
    "network.Group.members": Q("ranks of the {axis} group in one element of tier {index}"),
    "network.Group.elements": Q("elements of tier {index} that the {axis} group spans"),
    "network.Group.inside": Q("bandwidth inside the scale-up domain, {axis} group", "B/s"),
    "network.Group.outside": Q("bandwidth of a GPU's NIC after oversubscription, {axis} group", "B/s"),
    "network.Group.per_domain": Q("ranks of the {self.axis} group in one scale-up domain"),
    "network.Group.domains": Q("scale-up domains that the {self.axis} group spans"),
    "network.Group.bandwidth": Q("bandwidth of a ring over the {self.axis} group, per rank", "B/s"),
    "network.Group.ring_latency": Q("latency of a ring over the {self.axis} group", "s"),
    "network.Group.tree_latency": Q("latency of a tree over the {self.axis} group", "s"),
    "network.uplinks": Q("bandwidth of a GPU for what an all-to-all sends over tier {tier}", "B/s"),
    "network.oversubscribed": Q("slow-down of the links of tier {tier} by oversubscription"),
    # collectives
    "collectives.all_gather.seconds": Q("all-gather or reduce-scatter over the {group.axis} group", "s", "ring"),
    "collectives.all_reduce.seconds": Q("all-reduce over the {group.axis} group", "s", "all_reduce"),
    "collectives.all_to_all._slower": Q("all-to-all over the {group.axis} group", "s", "all_to_all"),
    "collectives.point_to_point.seconds": Q("one send to the next pipeline stage", "s", "send"),
    "collectives.terms.stepped_transfer": Q("transfer at the stepped efficiency", "s"),
    # work and its price
    "operators.work.Gemm.m": Q(f"M of {GEMM}"),
    "operators.work.Gemm.n": Q(f"N of {GEMM}"),
    "operators.work.Gemm.k": Q(f"K of {GEMM}"),
    "operators.work.Gemm.weights": Q(f"weights or gradients streamed by {GEMM}", "B"),
    "operators.work.Gemm.groups": Q(f"groups of {GEMM}"),
    "operators.work.Sdpa.flops": Q("FLOPs of the attention core", "FLOP"),
    "operators.work.Traffic.bytes": Q("bytes that {op} touches once", "B", weak=True),
    "operators.work.Traffic.passes": Q("passes of {op} over its bytes"),
    "operators.work.Collective.bytes": Q("buffer of {op}", "B", weak=True),
    "operators.work.Kept.bytes": Q("{tensor}, kept for the backward pass", "GiB", "{tensor}", apart=True),
    "operators.attention.attention:rows": Q("activations of a micro-batch between blocks", "B", "activations"),
    "operators.attention._keeps:rows": Q("a tensor rank's part of these activations", "B", "activations"),
    "operators.mlp.mlp:inner": Q("activations inside the MLP of a micro-batch", "B", "inner_activations"),
    "operators.experts.expert_mlp:moved": Q("rows that a rank sends to experts", "B", "dispatched"),
    "operators.experts.expert_mlp:glu": Q("activations inside the experts of a rank", "B", "inner_activations"),
    "operators.head.head:logits": Q("logits of a micro-batch in fp32", "B", "logits"),
    "operators.experts.Routing.sent": Q("rows that a rank sends to experts"),
    "operators.experts.Routing.busy": Q("rows that the busiest rank computes on"),
    "operators.experts.Routing.each": Q("rows of one local expert"),
    "operators.experts.Routing.local": Q("experts on one rank"),
    "operators.attention.head_dimension": Q("head dimension"),
    "operators.mlp.inner_size": Q("inner size of the MLP"),
    "operators.head.padded_vocabulary": Q("vocabulary as the stack pads it"),
    "operators.head.logits_bytes": Q("logits alive at the loss", "GiB", "logits"),
    "operators.lora.trained_share": Q("share of the model's parameters that is trained", "%"),
    "operators.lora.parameters": Q("parameters of the adapters", symbol="adapters"),
    "kernels.Device.memory": Q("attainable memory bandwidth", "B/s", "memory_rate"),
    "kernels.Device.attention_forward": Q("attention's share of the sustained peak, forward", "%"),
    "kernels.Device.attention_backward": Q("attention's share of the sustained peak, backward", "%"),
    "kernels.gemm_flops": Q("FLOPs of the GEMM {gemm.op} {gemm.tag}", "FLOP"),
    "kernels.gemm_seconds[0]": Q("time of the GEMM {gemm.op} {gemm.tag}", "s"),
    "kernels.efficiency": Q("efficiency of the GEMM {gemm.op} {gemm.tag} against the peak", "%"),
    "kernels.wave": Q("share of the GPU that the output tiles fill", "%"),
    "kernels.sdpa_seconds[0]": Q("time of the attention core", "s"),
    "kernels.sdpa_seconds[1]": Q("efficiency of the attention core against the peak", "%", "sdpa_efficiency"),
    "kernels.traffic_seconds[0]": Q("time of {work.op} at the memory's bandwidth", "s"),
    "ledger.Row.seconds": Q("{block}: {op}, {phase}: time of one execution", "s"),
    "ledger.Row.exposed": Q("{block}: {op}, {phase}: exposed time of one execution", "s"),
    "ledger.Row.kernels": Q("{block}: {op}, {phase}: kernels"),
    "ledger.launched": Q("kernels that the rows launch", symbol="kernels"),
    "ledger.total": Q("exposed time of the rows of a pass", "s", "rows", weak=True),
    "ledger.Entry.count": Q("executions a step"),
    "ledger.Entry.exposed": Q(
        "{self.row.block}: {self.row.op}, {self.row.phase}",
        "s",
        "{self.row.op} {self.row.phase}",
        "{self.row.block}",
        apart=True,
    ),
    "ledger.PricedBlock.forward_seconds": Q("{self.block.name}: forward pass of a micro-batch", "s"),
    "ledger.PricedBlock.backward_seconds": Q("{self.block.name}: backward pass of a micro-batch", "s"),
    # stages and the schedule
    "step.Timing.forward": Q("forward pass of a micro-batch on stage {index}", "s"),
    "step.Timing.backward": Q("backward pass of a micro-batch on stage {index}", "s"),
    "step.Timing.whole": Q("a micro-batch on the rank of stage {index}", "s"),
    "step.Timing.slowest": Q("a micro-batch on the slowest rank", "s"),
    "step.send_bytes": Q("bytes of one send between stages", "B"),
    "step.recomputed_flops": Q("FLOPs of a token that run again in the backward pass", "FLOP"),
    "step.rank_states[0]": Q("dense parameters of a rank", symbol="dense"),
    "step.rank_states[1]": Q("expert parameters of a rank", symbol="experts"),
    "entries.exposed_sends": Q("sends that a step waits for", "s"),
    **{
        f"schedules.{name}.{what}": row
        for name in ("gpipe", "one_f_one_b", "interleaved", "zero_bubble", "dualpipe", "dualpipe_v")
        for what, row in {
            "total": Q("the pipeline schedule of a step", "s", "schedule"),
            "exposed_sends": Q("sends that the schedule waits for", "s"),
            "in_flight": Q("micro-batches in flight on stage {stage}"),
        }.items()
    },
    "overlap._expose:late": Q("time of a call that is late, on average", "s", "late"),
    "overlap._expose:busy": Q("time of one call", "s", "busy"),
    "overlap._hidden:busy": Q("time of one call", "s", "busy"),
    "entries.overheads:doublings": Q("doublings beyond a node", symbol="doublings"),
    "entries.overheads:rest": Q("exposed time of all rows before", "s", "rows", open=True),
    "overlap.Bucket.parameters": Q("{name}parameters of a rank that are gathered"),
    "overlap.Bucket.trained": Q("{name}parameters of a rank that have gradients"),
    # parameters and FLOPs
    "states.dense_parameters": Q("dense parameters of a layer on one tensor rank", symbol="layer_parameters"),
    "states.RankParameters.embedding": Q("parameters of the embedding on one tensor rank"),
    "states.RankParameters.head": Q("parameters of the head on one tensor rank"),
    "states.RankParameters.stage": Q("dense parameters of stage {stage.index} on one tensor rank"),
    "states.RankParameters.stage_experts": Q("expert parameters of stage {stage.index} on one rank"),
    "states.RankParameters.stage_adapters": Q("adapter parameters of stage {stage.index} on one rank"),
    "models.Parameters.total": Q("parameters, each once", symbol="parameters"),
    "models.Parameters.active": Q("parameters that one token uses", symbol="active_parameters"),
    "models.Parameters.matmul": Q("active parameters that multiply", symbol="parameters_matmul"),
    "models.Parameters.outside": Q("parameters outside the layers"),
    "models.Parameters.embedding": Q("parameters of the embedding"),
    "models.Parameters.head": Q("parameters of the head"),
    "layer_counts.Layer.total": Q("parameters of a layer", symbol="layer"),
    "layer_counts.Layer.active": Q("parameters of a layer that one token uses", symbol="active_layer"),
    "layer_counts.Layer.matmul": Q("parameters of a layer that multiply", symbol="multiplying_layer"),
    "layer_counts.Layer.query": Q("query matrices of a layer"),
    "layer_counts.Layer.key_value": Q("key and value matrices of a layer"),
    "layer_counts.Layer.output": Q("output matrix of a layer"),
    "layer_counts.Layer.router": Q("router of a layer"),
    "layer_counts.Layer.biases": Q("biases of a layer"),
    "states.dense_parameters:down": Q("down-projections of a layer, whole on every tensor rank", symbol="down"),
    "layer_counts.Layer.attention": Q("attention matrices of a layer"),
    "layer_counts.Layer.mixer": Q("mixer matrices of a layer"),
    "layer_counts.Layer.mlp": Q("MLP matrices of a layer"),
    "layer_counts.Layer.experts": Q("matrices of all experts of a layer"),
    "layer_counts.Layer.shared": Q("matrices of the shared experts of a layer"),
    "layer_counts.Layer.norms": Q("norms of a layer"),
    "flops.FlopsPerToken.six_n": Q("FLOPs of a token, 6 N", "FLOP"),
    "flops.FlopsPerToken.with_attention": Q("FLOPs of a token with full attention", "FLOP"),
    "flops.FlopsPerToken.causal": Q("FLOPs of a token with causal attention", "FLOP"),
    "flops.keys_seen": Q("keys that a query sees on average"),
    # memory
    "memory.StageMemory.total": Q("memory of stage {stage}", "GiB", "stage_memory"),
    "memory.StageMemory.step": Q("peak of stage {stage} in the forward and backward pass", "GiB"),
    "memory.StageMemory.load": Q("peak of stage {stage} while a checkpoint is loaded", "GiB"),
    "memory.StageMemory.update": Q("peak of stage {stage} in the optimizer step", "GiB"),
    "memory.StageMemory.save": Q("peak of stage {stage} while a checkpoint is saved", "GiB"),
    "memory.StageMemory.activations": Q("tensors kept on stage {stage}, all micro-batches in flight", "GiB"),
    "memory.StageMemory.communicators": Q("buffers of communicators", "GiB"),
    "memory.StageMemory.allocated": Q("handed out by the allocator on stage {stage}", "GiB"),
    "memory.StageMemory.reserved": Q("reserved by the allocator on stage {stage}", "GiB"),
    "memory.Held.device": Q("weights, gradients and optimizer states", "GiB", "states"),
    "memory.Held.weights": Q("weights", "GiB"),
    "memory.Held.gradients": Q("gradients", "GiB"),
    "memory.Held.optimizer": Q("optimizer states", "GiB"),
    "memory.states[3]": Q("gathered layers and unreduced gradients", "GiB", "gathered"),
    "memory.kept_bytes": Q("kept by one micro-batch on stage {stage.index}", "GiB"),
    "memory.working_set": Q("tensors of the backward pass and one recomputed layer", "GiB"),
    "memory.communicators": Q("communicators that a rank belongs to"),
    "kept.layer_bytes": Q("kept by a layer", "GiB", "layer_kept"),
    # failures and checkpoints
    "goodput.checkpoint_size": Q("bytes of a checkpoint", "B"),
    "goodput.save_time": Q("seconds until a checkpoint is stored", "s"),
    "goodput.host_copy": Q("copy of a GPU's part to host memory", "s"),
    "goodput.young": Q("Young's interval", "s"),
    "goodput.daly": Q("Daly's interval", "s"),
    "goodput.best": Q("interval that leaves most useful time", "s"),
    "goodput.young_recovery": Q("Young's interval with the restart counted", "s"),
    "goodput.availability": Q("interval that leaves most time available", "s"),
    "goodput.effective": Q("useful training over time passed", "%"),
    "goodput.busy_share": Q("share of the time in which the GPUs compute", "%"),
    "goodput.tiered_busy_share": Q("share of the time in which the GPUs compute", "%"),
    "goodput.Goodput.restart": Q("from a failure to training again", "s"),
    "goodput.Goodput.staleness": Q("work that an unfinished save had not stored", "s"),
    "goodput.Goodput.used": Q("interval between saves", "s", "interval"),
    "recovery.expanded": Q("time that a unit of useful work takes"),
    "recovery.expansion": Q("time that a unit of useful work takes with the faster tiers"),
    "recovery.spare_wait": Q("mean wait of a failure for a node", "s"),
    "recovery.Tier.mtbf": Q("time between failures that come back from the {self.name} tier", "s"),
    # days, power and money
    "cost.Gpus.bought": Q("GPUs bought or rented, spares included", "GPUs"),
    "cost.time_to_train": Q("time to train", "s"),
    "cost.gpu_time": Q("GPU time billed", "GPU-s"),
    "cost.Line.usd": Q("cost of {line}", "$", "{line}"),
    "cost._capex": Q("all that is bought", "$", "capex"),
    "power.working[0]": Q("GPUs at full load, idle ones at their share", "GPUs", "at_full_load"),
    "power.working[1]": Q("GPUs at full load on average, idle ones at their share", "GPUs", "at_mean_load"),
    "power.Line.peak": Q("peak power of {line}", "W", "{line}"),
    "power.Line.mean": Q("mean power of {line}", "W", "{line}"),
    "power.total[0]": Q("peak power", "W", "peak_power"),
    "power.total[1]": Q("mean power", "W", "mean_power"),
    "power.energy": Q("energy of the run", "J"),
    "outcome.Stretch.seconds": Q("time of the stretch {name}", "s", "stretch"),
    "reduced.ring_factor": Q("what each rank sends in a ring, over its data"),
}

# Variables of functions that have a name of their own: "function:variable" in QUANTITIES.
VARIABLES: dict[str, tuple[str, ...]] = {}
for _key in QUANTITIES:
    if ":" in _key:
        VARIABLES[_key.partition(":")[0]] = (*VARIABLES.get(_key.partition(":")[0], ()), _key.partition(":")[2])

# Iterations, and the equation that each solves: an expression in x that is 0 there, x between 0 and 1, and a factor.
SOLVED = {"goodput.best": "root(x + expm1(-(pause / mtbf) - x)) × mtbf of pause, mtbf"}

# Fields that hold a constant of the engine as a column, and that constant's name.
PLAIN = {"collectives.terms.Terms.call": "CALL", "collectives.terms.Terms.across": "ACROSS"}

# Numbers that the engine counts from the structure of the layout, by the expression that counts them: symbol and label.
COUNTED = {
    "made.mean([s.count(made.kinds, kind) for s in made.stages])[index]": (
        "layers",
        "layers of this kind on the rank that sets the pace",
    ),
    "made.mean([recomputed(run, s).count(made.kinds, kind) for s in made.stages])[index]": (
        "recomputed_layers",
        "recomputed layers of this kind on the rank that sets the pace",
    ),
    "made.mean(here)[index]": ("held", "share of the passes in which the rank that sets the pace holds it"),
    "made.mean([s.last for s in made.stages])[index]": ("last", "1 where the rank that sets the pace is the last"),
    "stages[index].count(kinds, k)": ("layers", "layers of this kind on the stage"),
    "stage.count(kinds, k)": ("layers", "layers of this kind on the stage"),
    "again.count(kinds, k)": ("recomputed_layers", "recomputed layers of this kind on the stage"),
    "stage.count(self.kinds, kind)": ("layers", "layers of this kind on the stage"),
    "stage.count(made.kinds, kind) - less": ("whole_layers", "layers of this kind on the stage, not recomputed"),
    "less": ("recomputed_layers", "recomputed layers of this kind on the stage"),
    "sum((recomputed(run, s).count(made.kinds, kind) for s in made.stages))": (
        "recomputed_layers",
        "recomputed layers of this kind in the model",
    ),
    "found.layers": ("layers", "layers of this kind in the model"),
    "layers": ("layers", "layers of this kind in the model"),
    "max(bucket.layers, 1)": ("layers", "layers of the fullest stage"),
    "bucket.layers": ("layers", "layers of the fullest stage"),
    "len(held)": ("held_stages", "stages that a rank holds"),
    "len(self.ranks[r])": ("held_stages", "stages that a rank holds"),
    "len(stages)": ("held_stages", "stages that a rank holds"),
    "rows": ("rows", "rows of the output tile that fills the GPU best"),
    "columns": ("columns", "columns of the output tile that fills the GPU best"),
    "rate": ("rate", "rate of that tile against the largest"),
    "kept_element(run)": ("kept_element", "bytes of an element that a linear layer keeps as its input"),
    "times": ("times", "backward work over forward work"),
    "work.passes": ("passes", "passes over the memory"),
    "kernels": ("kernels", "kernels that the work launches"),
    "row.kernels": ("kernels", "kernels that the work launches"),
    "passes": ("passes", "passes over the memory"),
    "activation_element(run)": ("element", "bytes of an element of an activation"),
    "gates": ("projections", "up-projections of the shared experts, 2 where they are gated"),
    "stages": ("stretch", "neighboring stages that their micro-batches go round"),
    "of_kind": ("stages_alike", "neighboring stages that hold the same layers"),
    "edge": ("sends", "sends that fill the pipeline, its stages less one"),
    "size": ("ranks", "ranks of the group"),
    "self.size": ("ranks", "ranks of the group"),
    "2.0 * (stages - stage - 1)": ("chunks_ahead", "chunks that a stage runs ahead, twice the stages after it"),
    "float(stages - stage)": ("stages_ahead", "stages from this one to the last"),
}

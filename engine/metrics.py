"""Result columns: the names usable in require, where, show and minimize, and the columns of JSON and CSV.

Dimension names are those of the schema. Values are in base units; the display unit and decimals are for people.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """One result: its name, dimension, how people read it, and what it counts."""

    name: str
    dimension: str
    unit: str
    decimals: int
    doc: str


METRICS: tuple[Metric, ...] = (
    Metric("step_time", "seconds", "s", 3, "one optimizer step: the sum of the ledger's exposed seconds"),
    Metric("simulated_step_time", "seconds", "s", 3, "the same with the pipeline schedule simulated pass by pass"),
    Metric(
        "compute_time", "seconds", "s", 3, "matrix multiplies, attention and memory-bound kernels of the slowest stage"
    ),
    Metric("tensor_communication", "seconds", "s", 3, "exposed seconds of tensor-parallel collectives"),
    Metric("context_communication", "seconds", "s", 3, "exposed seconds of context-parallel collectives"),
    Metric("pipeline_communication", "seconds", "s", 3, "exposed seconds of sends between pipeline stages"),
    Metric("expert_communication", "seconds", "s", 3, "exposed seconds of expert-parallel collectives"),
    Metric("data_communication", "seconds", "s", 3, "exposed seconds of data-parallel collectives"),
    Metric("exposed_communication", "seconds", "s", 3, "all exposed communication together"),
    Metric("bubble_time", "seconds", "s", 3, "pipeline idle time: schedule minus micro-batches on the slowest stage"),
    Metric("bubble", "share", "%", 1, "bubble over useful time"),
    Metric("bubble_share", "share", "%", 1, "bubble over step time"),
    Metric("optimizer_time", "seconds", "s", 3, "the optimizer step's memory traffic"),
    Metric("offload_time", "seconds", "s", 3, "exposed copies to and from host memory, and the update made there"),
    Metric("launch_time", "seconds", "s", 3, "gaps between kernels and the host floor"),
    Metric("overhead_time", "seconds", "s", 3, "stragglers and the fixed time of a step"),
    Metric("communication_fraction", "share", "%", 1, "exposed communication over step time"),
    Metric("tokens_per_step", "tokens", "tokens", 0, "global batch in tokens"),
    Metric("tokens_per_second", "tokens/s", "tokens/s", 0, "tokens of the whole job per second of training"),
    Metric("tokens_per_second_per_gpu", "tokens/s", "tokens/s", 1, "the same per GPU that works"),
    Metric("model_flops", "flop/s", "TFLOP/s", 1, "6 x active parameters x tokens/s per GPU"),
    Metric(
        "mfu", "share", "%", 1, "model FLOPs utilization, 6N convention, against the dense peak of the run's precision"
    ),
    Metric("mfu_attention", "share", "%", 1, "the same with 12 L a dh s attention FLOPs added (PaLM)"),
    Metric("mfu_causal", "share", "%", 1, "the same counting what a causal kernel computes"),
    Metric("mfu_bf16", "share", "%", 1, "6N utilization against the dense bf16 peak"),
    Metric("hfu", "share", "%", 1, "hardware FLOPs utilization: causal FLOPs with recomputed ones"),
    Metric("weights_memory", "bytes", "GiB", 2, "weights on the fullest stage"),
    Metric("gradients_memory", "bytes", "GiB", 2, "gradients on the fullest stage"),
    Metric("optimizer_memory", "bytes", "GiB", 2, "master weights and moments on the fullest stage"),
    Metric("gathered_memory", "bytes", "GiB", 2, "layers gathered by ZeRO-3 at the peak"),
    Metric("activation_memory", "bytes", "GiB", 2, "tensors kept for the backward pass, all micro-batches in flight"),
    Metric("logits_memory", "bytes", "GiB", 2, "logits at the loss, where they set the peak"),
    Metric("buffer_memory", "bytes", "GiB", 2, "communicators, buckets, context, working set and allocator slack"),
    Metric("memory_per_gpu", "bytes", "GiB", 1, "what the driver shows on the fullest stage, stated reserve included"),
    Metric("memory_allocated", "bytes", "GiB", 1, "what the framework's allocator hands out on that stage"),
    Metric("memory_step", "bytes", "GiB", 1, "peak of the forward and backward pass"),
    Metric("memory_load", "bytes", "GiB", 1, "peak while a checkpoint is loaded"),
    Metric("memory_update", "bytes", "GiB", 1, "peak of the optimizer step"),
    Metric("memory_save", "bytes", "GiB", 1, "peak while a checkpoint is saved"),
    Metric("memory_host", "bytes", "GiB", 1, "offloaded states and activations in the host memory of one node"),
    Metric("memory_headroom", "bytes", "GiB", 1, "device memory that is left"),
    Metric("parameters", "number", "parameters", 0, "trained parameters, each once"),
    Metric("trained_parameters", "number", "parameters", 0, "parameters with gradients: not frozen, or adapters"),
    Metric("active_parameters", "number", "parameters", 0, "parameters one token uses, embeddings included"),
    Metric(
        "parameters_matmul", "number", "parameters", 0, "active parameters that multiply: head yes, input embedding no"
    ),
    Metric("micro_batches", "number", "", 0, "micro-batches per step and pipeline"),
    Metric("data_parallel", "number", "", 0, "data-parallel degree"),
    Metric("expert_data_parallel", "number", "", 0, "copies of an expert: tensor x context x data / expert ranks"),
    Metric("expert_tensor_parallel", "number", "", 0, "tensor-parallel degree of the experts"),
    Metric("kv_replication", "number", "", 0, "tensor ranks that hold a copy of the same key/value head"),
    Metric("sequence_multiple", "tokens", "tokens", 0, "a sequence must be a multiple of this to split"),
    Metric("padded_vocabulary", "number", "", 0, "rows of the embedding as the stack pads them"),
    Metric("steps", "steps", "steps", 0, "optimizer steps of the run"),
    Metric("checkpoint_size", "bytes", "GB", 1, "one checkpoint: master weights and moments, weights where saved"),
    Metric("checkpoint_interval", "seconds", "min", 1, "time between saves that is used"),
    Metric("checkpoint_best", "seconds", "min", 1, "the best interval"),
    Metric("checkpoint_save", "seconds", "s", 1, "time a save stops training"),
    Metric("restart_time", "seconds", "min", 1, "from a failure to training again, hang detection and waits included"),
    Metric("spare_wait", "seconds", "min", 1, "mean wait of a failure for a node, where no spare is at hand"),
    Metric("effective_training_time", "share", "%", 1, "useful training over time passed"),
    Metric("mtbf", "seconds", "h", 2, "mean time between failures of the job"),
    Metric("time_to_train", "seconds", "days", 1, "tokens over tokens/s, over the effective training time"),
    Metric("gpu_hours", "gpu-seconds", "GPU-hours", 0, "all GPUs billed, for the whole run"),
    Metric("straggler_time", "seconds", "days", 2, "what the stated slow rank adds to the run"),
    Metric("straggler_cost", "usd", "$M", 2, "the GPUs' line for that time"),
    Metric("cost", "usd", "$M", 2, "all cost lines that are included"),
    Metric("cost_per_token", "usd", "$/Mtoken", 3, "cost over training tokens"),
    Metric("energy", "joules", "MWh", 0, "energy of the run, facility included"),
    Metric("peak_power", "watts", "MW", 2, "all lines at full load, facility included"),
    Metric("mean_power", "watts", "MW", 2, "mean over the run, facility included"),
    Metric("carbon", "kg", "t", 1, "emissions of that energy, kg CO2 equivalent"),
    Metric("used_gpus", "gpus", "GPUs", 0, "GPUs that work"),
    Metric("idle_gpus", "gpus", "GPUs", 0, "GPUs of the cluster that the layout leaves out"),
    Metric("valid_layout", "flag", "", 0, "whether the layout can be built"),
    Metric("scaling_efficiency", "share", "%", 1, "compute over step time (reduced)"),
    Metric("launch_share", "share", "%", 1, "launch tax over step time"),
    Metric("smallest_collective", "bytes", "MB", 2, "smallest collective of the step"),
    Metric("ridge", "number", "FLOP/byte", 0, "peak over memory bandwidth"),
)

BY_NAME: dict[str, Metric] = {m.name: m for m in METRICS}

GROUP_AXES = ("tensor", "context", "expert", "pipeline", "data", "shard")

# Results of a portfolio: what its conditions may ask.
PROGRAMME: tuple[Metric, ...] = (
    Metric("programme.time", "seconds", "days", 1, "from the start of a portfolio to the end of its last entry"),
    Metric("programme.cost", "usd", "$M", 2, "the cluster for as long as it is held, with all cost lines"),
    Metric("programme.energy", "joules", "MWh", 0, "energy of that time, facility and idle GPUs included"),
    Metric("programme.gpu_hours", "gpu-seconds", "GPU-hours", 0, "GPUs held for that time, spares included"),
    Metric("programme.utilization", "share", "%", 1, "GPU-hours of the entries over those of the cluster's GPUs"),
    Metric("programme.peak_gpus", "gpus", "GPUs", 0, "most GPUs wanted at once if no entry had to wait"),
    Metric("programme.shortfall", "gpu-seconds", "GPU-hours", 0, "GPU-hours wanted beyond the cluster's GPUs then"),
    Metric("programme.lateness", "seconds", "days", 1, "by how much the latest entry misses its deadline; 0 for none"),
)

# Facts: what checks may ask beside results. A group's tier is a text, the rest are numbers.
FACTS: tuple[Metric, ...] = PROGRAMME + tuple(
    Metric(f"group.{axis}.{what}", dimension, unit, 0, doc)
    for axis in GROUP_AXES
    for what, dimension, unit, doc in (
        ("size", "number", "", f"ranks of one {axis} group"),
        ("members", "number", "", f"ranks of one {axis} group in one scale-up domain"),
        ("domains", "number", "", f"scale-up domains one {axis} group spans"),
        ("pods", "number", "", f"pods one {axis} group spans"),
        ("slowdown", "ratio", "", f"slow-down of a {axis} group's links by oversubscription"),
        ("tier", "text", "", f"outermost tier a {axis} group uses"),
    )
)

"""The schema: every kind of block, its settings and what each setting holds.

One table serves the checker, the formatter, the reference page and the editor; nothing about a
setting is written anywhere else. A row gives the setting's path inside its block, what it holds,
its default as one would type it ("" = no default, the result shows "–"), and one line of doc.

What a setting holds is one of
  a dimension   bytes  bytes/s  flop/s  seconds  usd  usd/s  usd/joule  watts  joules  number  share  ratio
                kg/joule  (carbon)
  a count       gpus  nodes  tokens  sequences  layers  steps (no dimension, a tag that is checked)
  text, flag, date, file
  choice        one of ``choices``; a choice may take arguments, listed in ARGUMENTS
  a reference   gpu  model  cluster  run  stack  (the name of a block of that kind)
  list of …     a list of any of these
  expression    kept as a tree (show, minimize …)
"""

from typing import NamedTuple


class Setting(NamedTuple):
    """One row of the schema."""

    path: str
    holds: str
    doc: str
    default: str = ""
    choices: tuple[str, ...] = ()
    bounds: str = ""
    required: bool = False


class Kind(NamedTuple):
    """One kind of block: its settings, the blocks it may contain, and how it is named."""

    name: str
    doc: str
    settings: tuple[Setting, ...] = ()
    blocks: tuple["Kind", ...] = ()
    named: str = "optional"  # "required" | "optional" | "none" | "choice" (the name is one of name_choices)
    name_choices: tuple[str, ...] = ()
    repeats: bool = False  # several may stand in one parent (tiers, charts, conditions)
    open_settings: bool = False  # any setting path of the base run is allowed (vary, measured)
    statements: tuple[str, ...] = ()  # "require", "where", "let"


def row(path: str, holds: str, doc: str, default: str = "", *choices: str, bounds: str = "") -> Setting:
    """A setting; a default of "!" marks a setting that must be given."""
    required = default == "!"
    return Setting(path, holds, doc, "" if required else default, choices, bounds, required)


DTYPES = ("bf16", "fp16", "fp8", "fp4", "fp32", "tf32")
OPERATIONS = ("qkv", "attn_out", "sdpa", "mlp_up", "mlp_down", "router", "expert_up", "expert_down", "head")
AXES = ("tensor", "context", "data", "pipeline", "expert")
ATTENTION_KERNELS = ("flash1", "flash2", "flash3", "cudnn", "unfused")

# fmt: off  (one row a line: this is a table)
SOURCE = (
    row("source", "text", "where the figures of this block were published"),
    row("confidence", "choice", "how good the source is", "", "datasheet", "measured", "quote", "third-party", "estimate", "derived"),
    row("verified", "choice", "whether the source was opened for this row or recalled", "", "read", "derived", "mixed", "recall", "unverified"),
    row("as_of", "date", "the day the figure was taken"),
)

GPU = Kind("gpu", "an accelerator, as one orderable part", (
    row("memory", "bytes", "device memory as the driver reports it; GB is 10^9, GiB 2^30 bytes", "!", bounds="> 0"),
    row("marketed", "bytes", "device memory as sold"),
    row("memory_bandwidth", "bytes/s", "peak device-memory bandwidth", "!", bounds="> 0"),
    *(row(f"peak.{d}", "flop/s", f"dense {d} peak (never the sparse figure)", bounds="> 0") for d in DTYPES),
    row("link", "bytes/s", "scale-up link (NVLink, Infinity Fabric, ICI) per GPU and per direction", bounds="> 0"),
    row("pair_link", "bytes/s", "what one peer alone can get of the link, on meshes without a switch", bounds="> 0"),
    row("domain", "gpus", "GPUs in one scale-up domain (8, 72 …)"),
    row("topology", "choice", "how the scale-up domain is wired", "switched", "switched", "mesh", "torus", "pcie"),
    row("in_switch_reduction", "flag", "whether the scale-up switch can reduce (NVLS, SHARP)", "false"),
    row("power", "watts", "board power limit (TDP)", bounds="> 0"),
    row("node_power", "watts", "what a whole node of this part draws at full load, per GPU: host, fans, NICs and switches inside it included"),
    row("sms", "number", "streaming multiprocessors or compute units", bounds="> 0"),
    row("price", "usd/s", "rent per GPU-hour", bounds=">= 0"),
    row("efficiency.clock", "share", "sustained over peak clock under the power limit (phi)", "87%"),
    row("efficiency.gemm", "share", "best matrix-multiply share of the sustained peak (eta_max)", "80%"),
    row("efficiency.gemm_fp8", "share", "the same in fp8", "72%"),
    row("efficiency.gemm_fp4", "share", "the same in fp4", "60%"),
    row("efficiency.half_k", "number", "inner dimension at which a GEMM reaches half of eta_max (K_half)", "175"),
    row("efficiency.memory", "share", "attainable share of the memory bandwidth (epsilon)", "85%"),
    row("efficiency.gather", "share", "share of link bandwidth in all-gather and reduce-scatter", "69%"),
    row("efficiency.all_reduce", "share", "share of link bandwidth in all-reduce", "81%"),
    row("efficiency.all_to_all", "share", "share of link bandwidth in all-to-all", "65%"),
    row("attention.forward", "share", "fused attention kernel, forward, share of the sustained bf16 peak", "58%"),
    row("attention.backward", "share", "the same, backward", "50%"),
    row("attention.half_sequence", "tokens", "sequence at which fused attention reaches half its best rate", "500 tokens"),
    row("attention.eager_forward", "share", "PyTorch SDPA (flash-2) kernel, forward", "36%"),
    row("attention.eager_backward", "share", "the same, backward", "34%"),
    *SOURCE,
), named="required")

MODEL = Kind("model", "a transformer, by its dimensions", (
    row("layers", "layers", "transformer layers", bounds=">= 1"),
    row("hidden", "number", "hidden size h", bounds=">= 1"),
    row("ffn", "number", "inner size of the MLP f", bounds=">= 0"),
    row("heads", "number", "query heads a", bounds=">= 1"),
    row("kv_heads", "number", "key/value heads; equal to heads when absent", bounds=">= 1"),
    row("head", "number", "head dimension; hidden / heads when absent", bounds=">= 1"),
    row("vocabulary", "number", "vocabulary V, not padded", bounds=">= 1"),
    row("sequence", "tokens", "training sequence length s", bounds=">= 1"),
    row("tied", "flag", "input and output embedding are one matrix", "false"),
    row("gated", "flag", "gated MLP (SwiGLU, GeGLU): three matrices instead of two", "true"),
    row("norm", "choice", "normalisation", "rmsnorm", "rmsnorm", "layernorm", "layernorm_no_bias", "none"),
    row("norms_per_layer", "number", "norms in a layer", "2"),
    row("embedding_norm", "flag", "a norm after the embedding (BLOOM)", "false"),
    row("final_norm", "flag", "a norm before the head", "true"),
    row("bias.qkv", "flag", "bias on the q, k, v projections", "false"),
    row("bias.out", "flag", "bias on the attention output projection", "false"),
    row("bias.mlp", "flag", "bias on the MLP's matrices", "false"),
    row("bias.head", "flag", "bias on the output head", "false"),
    row("qk_norm", "choice", "norm on queries and keys", "none", "none", "per_head", "full"),
    row("positions", "number", "rows of a learned position table", "0"),
    row("dropout", "flag", "dropout masks are kept (GPT-2, GPT-3)", "false"),
    row("parameters", "number", "parameter count as stated, read by fidelity = reduced and where no dimensions are given"),
    row("hf", "file", "a Hugging Face config.json to read the dimensions from"),
    row("mtp", "layers", "multi-token-prediction modules", "0 layers"),
    row("source", "text", "where the dimensions were published"),
    row("confidence", "choice", "how good the source is", "", *SOURCE[1].choices),
    row("verified", "choice", "whether the source was opened or recalled", "", *SOURCE[2].choices),
    row("sinks", "flag", "one learned attention sink a query head (gpt-oss)", "false"),
), blocks=(
    Kind("attention", "the kind of attention, where it is not plain", (
        row("heads", "number", "query heads"),
        row("head", "number", "head dimension without position part (MLA: qk_nope and v)"),
        row("value_head", "number", "value head dimension, where it differs"),
        row("query_rank", "number", "rank of the query projection (0 = full)"),
        row("kv_rank", "number", "rank of the key/value projection"),
        row("rope_head", "number", "rotary part of the head dimension"),
        row("window", "tokens", "keys a sliding-window layer sees"),
        row("every", "layers", "one full-attention layer in every this many"),
    ), named="choice", name_choices=("full", "latent", "sliding")),
    Kind("experts", "mixture of experts", (
        row("routed", "number", "routed experts E", bounds=">= 1"),
        row("shared", "number", "shared experts", "0"),
        row("active", "number", "experts per token K", bounds=">= 1"),
        row("ffn", "number", "inner size of one expert"),
        row("shared_ffn", "number", "inner size of the shared expert; shared x ffn when absent"),
        row("shared_gate", "flag", "a gate on the shared expert (Qwen2-MoE)", "false"),
        row("dense_layers", "layers", "first layers that keep a dense MLP", "0 layers"),
        row("dense_ffn", "number", "inner size of those dense MLPs; the model's ffn when absent"),
        row("every", "layers", "one expert layer in every this many", "1 layers"),
        row("imbalance", "ratio", "busiest expert over the mean", "1", bounds=">= 1"),
        row("capacity", "ratio", "capacity factor; absent = dropless"),
        row("granularity", "number", "dense inner size over expert inner size"),
        row("router_bias", "flag", "bias on the router", "false"),
        row("bias", "flag", "bias on the experts' matrices", "false"),
    ), named="none"),
), named="required")

TIER = Kind("tier", "one level of the network, from the scale-up domain outwards", (
    row("span", "gpus", "GPUs below one element of this tier; the first defaults to gpus_per_node, the last to all", bounds=">= 1"),
    row("bandwidth", "bytes/s", "per GPU and per direction, before oversubscription", "!", bounds="> 0"),
    row("latency", "seconds", "of one hop at this tier", "5 us"),
    row("oversubscription", "ratio", "downlink : uplink for traffic that leaves the tier below, 7:1 = one seventh leaves", "1:1", bounds=">= 1"),
    row("radix", "number", "ports of one switch of this tier"),
), named="required", repeats=True)

CLUSTER = Kind("cluster", "GPUs, the network between them, and what they cost", (
    row("gpu", "gpu", "the accelerator", "!"),
    row("gpus_per_node", "gpus", "GPUs in one operating-system node; only counts nodes", "8 gpus", bounds=">= 1"),
    row("nodes", "nodes", "nodes bought or rented", bounds=">= 1"),
    row("gpus", "gpus", "all GPUs, instead of nodes", bounds=">= 1"),
    row("link", "bytes/s", "the one link of fidelity = reduced, per GPU and direction"),
    row("placement", "choice", "how ranks are laid over the outer tiers", "packed", "packed", "balanced", "scattered"),
    row("protocol", "choice", "bandwidth efficiency of collectives by size: fitted (library) or S0's table", "fitted", "fitted", "s0"),
    row("price", "usd/s", "rent per GPU-hour; wins over the gpu's own"),
    row("spare_price", "usd/s", "rent per hour of a spare GPU; the price when absent"),
    row("ownership", "choice", "which cost lines apply", "", "rented", "owned"),
    row("power_price", "usd/joule", "price of electricity"),
    row("pue", "ratio", "facility power over IT power", "1.3", bounds=">= 1"),
    row("carbon_intensity", "kg/joule", "emissions of the electricity used"),
    row("mtbf", "seconds", "in hours: of the whole job; in gpu-hours: of one GPU"),
    row("restart", "seconds", "from failure to training again: detect, swap, reload", "10 minutes"),
    row("hang_detection", "seconds", "watchdog time before a hang counts as a failure"),
    row("spares", "gpus", "hot spare GPUs, billed and idle", "0 gpus"),
    row("storage.write", "bytes/s", "checkpoint write rate of the whole store"),
    row("storage.read", "bytes/s", "checkpoint read rate of the whole store"),
    row("storage.node_write", "bytes/s", "write rate of one node (default: 2 TB/s over the 2,048 nodes of Llama 3's cluster)", "1 GB/s"),
    row("storage.price", "usd/s", "price of the store"),
    row("storage.power", "watts", "power of the store"),
    row("capex.gpu", "usd", "purchase price of one GPU with its share of the node"),
    row("capex.network", "share", "network as a share of the GPUs' capex"),
    row("capex.storage", "usd", "purchase price of the store"),
    row("capex.facility", "usd", "facility and installation"),
    row("capex.amortization", "seconds", "over which capex is written off", "4 * 8760 hours"),
    row("capex.staff", "share", "yearly staff and support as a share of capex"),
    row("power.gpu", "watts", "of one GPU at full load; the gpu's power when absent"),
    row("power.host", "watts", "of one node's host: CPUs, memory, fans"),
    row("power.nic", "watts", "of one NIC"),
    row("power.switch", "watts", "of network switches, per GPU"),
    row("power.idle", "share", "idle over full power", "30%"),
    row("cost.network", "usd/s", "network charge beyond the GPU price"),
    row("cost.egress", "usd", "data transfer charges"),
    row("cost.staff", "usd/s", "staff"),
    row("cost.support", "share", "support contract, share of the GPU line"),
    row("cost.tax", "share", "tax on all lines before it"),
    row("cost.trials", "share", "trial and failed runs, share of the main run"),
    row("cost.contingency", "share", "reserve on all lines"),
    *SOURCE,
), blocks=(TIER,), named="required")

STACK = Kind("stack", "a training framework: which kernels it has, what it overlaps, what it refuses", (
    row("attention", "choice", "attention kernel", "cudnn", *ATTENTION_KERNELS),
    row("passes", "ratio", "memory passes over the textbook count (1 = every pass is made)", "1"),
    row("kernel_gap", "seconds", "idle time between two kernels", "7 us"),
    row("host_time", "seconds", "host time to launch one kernel", "5 us"),
    row("graph_gap", "share", "share of the kernel gap that is left with CUDA graphs", "35%"),
    row("fused_loss", "choice", "loss implementation", "vocab_parallel", "fused", "compiled", "vocab_parallel", "eager", "loss_parallel"),
    row("loss_passes", "number", "fp32 passes over the logits, forward and backward together", "12"),
    row("overlap_tax", "share", "slow-down of compute per overlapped communication time", "15%"),
    row("pipeline_exposed", "share", "share of interleaved sends that is not hidden", "19%"),
    row("data_exposed", "share", "least share of gradient and parameter traffic that is not hidden", "9%"),
    row("straggler", "share", "slow-down per doubling of GPUs beyond one node of eight", "0.7%"),
    row("step_time", "seconds", "fixed time of a step: data, clip norm, synchronisation", "10 ms"),
    row("optimizer_bytes", "bytes", "moved per parameter of the shard in the optimizer step; from the states when absent"),
    row("vocabulary_multiple", "number", "the vocabulary is padded to a multiple of this times tensor (1 = not padded)", "128"),
    row("sequence_parallel", "flag", "sequence parallelism when tensor > 1", "true"),
    row("gradient_bytes", "bytes", "of one gradient while it is summed", "4 bytes"),
    row("reduce_bytes", "bytes", "of one gradient in the reduction", "4 bytes"),
    row("context_memory", "bytes", "CUDA context and libraries on each GPU", "0.6 GiB"),
    row("communicator_memory", "bytes", "NCCL buffers per communicator of a rank", "0.65 GiB"),
    row("buckets", "bytes", "gradient and parameter buckets"),
    row("allocated_slack", "share", "allocated over the sum of tensors, minus one", "2%"),
    row("reserved_slack", "share", "reserved over allocated, minus one", "3%"),
    row("refuses_uneven_stages", "flag", "layers must divide by pipeline x virtual stages", "false"),
    row("mixed_qkv", "flag", "v is a view into the mixed qkv buffer, which stays alive (Transformer Engine)", "false"),
    row("replicates_kv_heads", "flag", "allows tensor > kv_heads by replicating them", "true"),
    *SOURCE,
), named="required")

RUN = Kind("run", "one training run: a model on a cluster, for so many tokens", (
    row("model", "model", "the model trained", "!"),
    row("cluster", "cluster", "the cluster used", "!"),
    row("stack", "stack", "the training framework", "megatron-core"),
    row("tokens", "tokens", "training tokens", bounds="> 0"),
    row("batch", "sequences", "global batch; in tokens it is converted by the sequence, exactly", bounds=">= 1"),
    row("sequence", "tokens", "sequence length; the model's when absent", bounds=">= 1"),
    row("accumulation", "number", "micro-batches per step and pipeline, for fidelity = reduced instead of batch"),
    row("precision", "choice", "arithmetic of the matrix multiplies", "bf16", "bf16", "fp16", "fp8", "fp4", "fp32"),
    row("fidelity", "choice", "which model of the step is used", "operator", "operator", "reduced", "roofline"),
    row("optimizer", "choice", "optimizer", "adamw", "adamw", "adam", "sgd"),
    row("loss", "choice", "loss implementation; the stack's when absent", "", "fused", "compiled", "vocab_parallel", "eager", "loss_parallel"),
    row("dispatcher", "choice", "expert dispatch", "alltoall", "alltoall", "deduplicated"),
    row("frozen", "share", "share of the parameters that is not trained", "0%"),
    row("utilization", "share", "MFU of the rule-of-thumb duration shown beside the prediction", "40%"),
    row("kernels.flash", "flag", "a fused attention kernel; false keeps the score tables", "true"),
    row("kernels.fused", "flag", "fused norms, activations and rotary embedding", "true"),
    row("kernels.graphs", "flag", "CUDA graphs", "false"),
    row("states.weights", "bytes", "per parameter", "2 bytes"),
    row("states.gradients", "bytes", "per parameter, while they are summed; the stack's when absent"),
    row("states.master", "bytes", "per parameter", "4 bytes"),
    row("states.moments", "bytes", "per parameter, both moments together", "8 bytes"),
    *(row(f"efficiency.{op}", "share", f"stated matrix-multiply efficiency of {op}, share of peak") for op in OPERATIONS),
    row("efficiency.compute", "flop/s", "stated compute rate of fidelity = reduced"),
    row("efficiency.memory", "share", "attainable share of memory bandwidth; the gpu's when absent"),
    row("checkpoint.interval", "seconds", "time between saves; or young, daly, best", "best", "young", "daly", "best"),
    row("checkpoint.mode", "choice", "whether training waits for the store", "sync", "sync", "async"),
    row("checkpoint.pause", "seconds", "time a save stops training; from storage.write when absent"),
    row("checkpoint.write", "seconds", "time an asynchronous save takes in the background"),
    row("checkpoint.weights", "flag", "bf16 weights are saved too", "false"),
    row("checkpoint.restart_can_fail", "flag", "a failure may fall into a restart", "true"),
    row("checkpoint.retain", "number", "checkpoints kept"),
    row("memory.reserve", "bytes", "memory kept free on every GPU", "0 bytes"),
    row("phase_start", "date", "first day of the run"),
), blocks=(
    Kind("layout", "how the work is split", (
        row("tensor", "number", "tensor-parallel degree", "1", bounds=">= 1"),
        row("context", "number", "context-parallel degree", "1", bounds=">= 1"),
        row("pipeline", "number", "pipeline stages", "1", bounds=">= 1"),
        row("expert", "number", "expert-parallel degree", "1", bounds=">= 1"),
        row("expert_tensor", "number", "tensor-parallel degree of the experts", "1", bounds=">= 1"),
        row("data", "number", "data-parallel degree; the rest of the GPUs when absent", bounds=">= 1"),
        row("micro_batch", "sequences", "sequences of one pass", "1 sequence", bounds=">= 1"),
        row("schedule", "choice", "pipeline schedule", "one_f_one_b", "gpipe", "one_f_one_b", "interleaved", "zero_bubble", "dualpipe", "dualpipe_v"),
        row("recompute", "choice", "activations that are computed again", "none", "none", "selective", "full"),
        row("shard", "choice", "model states sharded over data parallelism", "zero1", "none", "zero1", "zero2", "zero3"),
        row("reshard", "flag", "free gathered weights after the forward pass (zero3)", "true"),
        row("sequence_parallel", "flag", "split norms and residuals along the sequence when tensor > 1"),
        row("tp_overlap", "choice", "tensor collectives hidden behind compute", "async_backward", "none", "async_backward", "fraction"),
        row("context_method", "choice", "how context parallelism exchanges keys and values", "ring", "ring", "all_gather", "all_to_all"),
        row("split", "choice", "layers over stages: balanced counts embedding and head as a layer each", "balanced", "balanced", "even"),
        row("stages", "list of layers", "layers of each stage, instead of split"),
        row("order", "list of axes", "axes from the innermost outwards", "[tensor, context, data, pipeline]"),
        row("overlap.data", "flag", "gradient and parameter traffic overlaps compute", "true"),
        row("overlap.tensor", "share", "share of tensor collectives hidden, with tp_overlap = fraction", "0%"),
        row("overlap.expert", "share", "share of the expert all-to-all hidden", "0%"),
        row("overlap.pipeline", "flag", "pipeline sends overlap compute in interleaved schedules", "true"),
    ), named="none"),
    Kind("measured", "published or own measurements of this run, beside the prediction", (
        row("source", "text", "where they were published", "!"),
    ), named="none", open_settings=True, repeats=True),
    Kind("offload", "states kept in host memory", (
        row("optimizer", "share", "of the optimizer states", "0%"),
        row("activations", "share", "of the activations", "0%"),
    ), named="none"),
    Kind("lora", "low-rank adapters on a frozen model", (
        row("rank", "number", "rank", "!"),
        row("targets", "list of text", "matrices adapted"),
    ), named="none"),
    Kind("phase", "a stretch of the run with its own batch, sequence or layout", (
        row("tokens", "tokens", "tokens of the stretch", "!"),
    ), named="required", open_settings=True, repeats=True),
), named="required", statements=("require", "let"))

TABLE = (
    row("base", "run", "the run whose settings are varied", "!"),
    row("show", "list of expression", "columns shown"),
)
CHART = Kind("chart", "a figure of the table", (
    row("x", "expression", "horizontal axis"), row("y", "expression", "vertical axis"),
    row("color", "expression", "value of a cell"), row("series", "expression", "one line each"),
    row("facet", "expression", "one panel each"),
), named="choice", name_choices=("heatmap", "line", "bar", "scatter"), repeats=True)
VARY = Kind("vary", "settings that change: a product; `vary together` changes them in step", named="choice",
            name_choices=("together",), repeats=True, open_settings=True)
RULES = ("require", "where", "let")

SWEEP = Kind("sweep", "a table of design points", TABLE, (VARY, CHART, Kind("measured", "measured values of points", (
    row("source", "text", "where they were published", "!"),), named="none", open_settings=True, repeats=True)),
    named="required", statements=RULES)
COMPARE = Kind("compare", "runs side by side with a baseline", (
    row("between", "list of run", "the runs compared", "!"), row("baseline", "run", "the run the others are held against"),
    row("show", "list of expression", "rows shown"),
), (CHART,), named="required", statements=RULES)
OPTIMIZE = Kind("optimize", "the best points of a space", (
    *TABLE, row("minimize", "expression", "what should be small"), row("maximize", "expression", "what should be large"),
    row("then_by", "list of expression", "ties"), row("keep", "number", "points shown", "10"),
), (VARY, CHART), named="required", statements=RULES)
SCALE = Kind("scale", "one run over GPU counts or bandwidths", (
    *TABLE, row("over", "expression", "the setting that grows"), row("points", "list of number", "its values"),
    row("mode", "choice", "whether the batch grows with the GPUs", "strong", "strong", "weak"),
), (VARY, CHART), named="required", statements=RULES)
SENSITIVITY = Kind("sensitivity", "how results move with uncertain inputs", (
    *TABLE, row("samples", "number", "Monte-Carlo samples", "10000"), row("seed", "number", "of the random numbers", "0"),
), (VARY, CHART), named="required", statements=RULES)
ROOFLINE = Kind("roofline", "arithmetic intensity of one operation on one part", (
    row("gpu", "gpu", "the accelerator", "!"), row("precision", "choice", "arithmetic", "bf16", *DTYPES),
    row("m", "number", "rows (tokens) of the matrix multiply"), row("n", "number", "columns of the result"),
    row("k", "number", "inner dimension"), row("flops", "number", "FLOP of the operation, instead of m, n, k"),
    row("bytes", "bytes", "bytes moved, instead of m, n, k"), row("split", "number", "devices the inner dimension is split over", "1"),
), named="required")
CHECK = Kind("check", "a rule of thumb", (
    row("severity", "choice", "what a check that does not hold means", "warn", "note", "warn", "fail"),
    row("when", "expression", "the check applies only where this holds"),
    row("advice", "text", "what to do"), row("source", "text", "where the rule was published"),
    row("limit", "expression", "the limit, as shown"), row("result", "expression", "the value held against it"),
), named="required", statements=("require", "let"))
REPORT = Kind("report", "what the document holds", (
    row("kind", "choice", "kind of document", "", "procurement", "design_review", "comparison", "validation", "one_page"),
    row("sections", "list of text", "sections in order"), row("show", "list of expression", "key numbers"),
    row("author", "text", "author"), row("reviewer", "text", "reviewer"), row("status", "text", "status of the document"),
    row("document", "text", "document number"), row("date", "date", "date of the document; none stated, none printed"),
    row("classification", "text", "classification line"), row("subtitle", "text", "one line under the title"),
    row("paper", "choice", "paper size", "A4", "A4", "Letter"), row("currency", "text", "currency printed", '"USD"'),
    row("rate", "number", "units of that currency for one USD", "1"), row("logo", "file", "image for page 1"),
    row("start", "date", "first day of the run"), row("decision", "text", "what is asked of the reader"),
), (
    Kind("condition", "a condition on the decision", (
        row("owner", "text", "who sees to it"), row("due", "date", "by when"),
        row("effect", "text", "if it is not met"), row("check", "text", "the check it belongs to"),
    ), named="optional", repeats=True),
    Kind("approval", "a signature line", (row("role", "text", "role"), row("date", "date", "date")), named="optional", repeats=True),
    Kind("revision", "one entry of the revision history", (
        row("date", "date", "date"), row("author", "text", "author"), row("change", "text", "what changed"),
    ), named="optional", repeats=True),
), named="optional")
PRICE = Kind("price", "a price as quoted or listed", (
    row("gpu", "gpu", "the part"), row("rent", "usd/s", "per GPU-hour"), row("buy", "usd", "per GPU"),
    row("term", "text", "on demand, reserved, spot"), *SOURCE,
), named="required")
HAZARD = Kind("hazard", "failure rates by component", (
    row("gpu", "number", "failures per GPU-year caused by GPUs and their memory"),
    row("host", "number", "per GPU-year, hosts and maintenance"), row("network", "number", "per GPU-year, switches, cables, NICs"),
    row("software", "number", "per GPU-year, software"), row("other", "number", "per GPU-year, all else"), *SOURCE,
), named="required")

KINDS = (GPU, MODEL, CLUSTER, STACK, RUN, SWEEP, COMPARE, OPTIMIZE, SCALE, SENSITIVITY, ROOFLINE, CHECK, REPORT, PRICE, HAZARD)
EVALUATED = ("run",)  # kinds this version evaluates; the others are checked and reported as not evaluated

# Arguments of choices: {(setting path, choice): rows}. They resolve to "<setting path>.<argument>".
ARGUMENTS: dict[tuple[str, str], tuple[Setting, ...]] = {
    ("layout.schedule", "interleaved"): (row("virtual_stages", "number", "model chunks per rank", "2", bounds=">= 2"),),
    ("layout.shard", "zero3"): (
        row("within", "choice", "shard group: all, or the GPUs of one tier (HSDP)", "all", "all", "node", "rack", "pod"),
        row("group", "gpus", "shard group by size, instead of a tier"),
    ),
    ("layout.recompute", "selective"): (row("ops", "list of text", "operations computed again", "[sdpa]"),),
    ("layout.recompute", "full"): (row("first", "layers", "only the first so many layers of each stage"),),
    ("layout.tp_overlap", "fraction"): (row("share", "share", "share hidden"),),
}

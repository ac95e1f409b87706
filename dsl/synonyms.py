"""Words that other tools, papers and countries use, and what they are called here; and the nearest legal name.

A suggestion is made only where the word here is legal in that place.
"""

from collections.abc import Iterable, Sequence

from dsl.problems import nearest


def _words(rows: str) -> dict[str, tuple[str, ...]]:
    """Rows of "other words: words here", in order of preference."""
    found: dict[str, tuple[str, ...]] = {}
    for row in rows.strip().splitlines():
        others, _, ours = row.partition(":")
        found |= dict.fromkeys(others.split(), tuple(ours.split()))
    return found


BRITISH = {
    "optimise": "optimize",
    "minimise": "minimize",
    "maximise": "maximize",
    "colour": "color",
    "amortisation": "amortization",
    "capex.amortisation": "capex.amortization",
    "utilisation": "utilization",
}

# Settings and kinds: Megatron, DeepSpeed, PyTorch, Hugging Face, SLURM, and what people say.
SETTINGS = _words("""
tp tensor_parallel tensor_parallel_size tensor_model_parallel_size: tensor layout.tensor
pp pipeline_parallel pipeline_parallel_size pipeline_model_parallel_size: pipeline layout.pipeline
dp data_parallel data_parallel_size replicas: data layout.data
cp context_parallel context_parallel_size: context layout.context
ep expert_parallel expert_parallel_size: expert layout.expert
etp expert_tensor_parallel_size: expert_tensor layout.expert_tensor
sp sequence_parallelism: sequence_parallel layout.sequence_parallel
mbs micro_batch_size microbatch micro_bs: micro_batch layout.micro_batch
gbs global_batch_size global_batch batch_size train_batch_size: batch
gradient_accumulation_steps grad_accum: accumulation
zero zero_stage fsdp sharding: shard layout.shard
recomputation activation_checkpointing checkpoint_activations: recompute layout.recompute
vpp virtual_pipeline virtual_stages: schedule layout.schedule
seq_len seq_length sequence_length seqlen max_position_embeddings context_length: sequence
num_layers n_layers num_hidden_layers n_layer depth: layers
hidden_size d_model dim n_embd width: hidden
ffn_hidden_size intermediate_size d_ff mlp: ffn
num_heads n_heads num_attention_heads n_head: heads
num_key_value_heads num_query_groups n_kv_heads num_kv_heads: kv_heads
head_dim d_head kv_channels: head
vocab vocab_size padded_vocab_size: vocabulary
tie_word_embeddings tied_embeddings: tied
num_experts n_experts num_local_experts: experts.routed routed
top_k topk num_experts_per_tok: experts.active active
moe: experts
mla: attention
dtype datatype torch_dtype: precision
framework library engine: stack
train_tokens training_tokens num_tokens: tokens
num_nodes node_count servers hosts: nodes
num_gpus gpu_count world_size: gpus
gpu_type accelerator device: gpu
gpus_per_server gpus_per_host: gpus_per_node
hbm hbm_size vram memory_size: memory
hbm_bandwidth mem_bandwidth memory_bw: memory_bandwidth
nvlink interconnect: link
bw: bandwidth
tdp wattage: power
flops tflops: peak
oversub: oversubscription
gpu_price gpu_cost hourly_rate rent cost_per_hour: price
electricity_price energy_price: power_price
mttf: mtbf
save_interval ckpt_interval checkpoint_every: checkpoint.interval interval
target objective: minimize
runs: between
reference: baseline
columns: show
machine system hardware: cluster
architecture network: model
experiment job training: run
grid search: sweep
assert constraint: check
""")

CHOICES = _words("""
1f1b 1F1B pipedream: one_f_one_b
interleaved_1f1b vpp: interleaved
zb zb_h1 zb-h1 zb1p: zero_bubble
fsdp fsdp2 FSDP zero_3 zero-3: zero3
hsdp HSDP hybrid: zero3(within=pod)
ddp DDP: none
zero_1 zero-1 distributed_optimizer: zero1
zero_2 zero-2: zero2
mla MLA: latent
swa SWA local: sliding
gqa GQA mha MHA mqa: full
bfloat16 bf16-mixed mixed: bf16
float16 half: fp16
float32 single: fp32
float8 e4m3: fp8
block layer all on full_recompute: full
rms: rmsnorm
error critical: fail
warning: warn
info: note
megatron megatron-lm: megatron-core
fsdp-torch pytorch: torch-fsdp2
""")

# Results of a run.
RESULTS = _words("""
training_time train_time duration wall_time days runtime: time_to_train
throughput tokens_per_sec tps: tokens_per_second
memory gpu_memory peak_memory memory_usage hbm: memory_per_gpu
iteration_time step_duration time_per_step: step_time
params parameter_count: parameters
tflops flops achieved_flops tflops_per_gpu: model_flops
price budget total_cost: cost
bubble_fraction: bubble_share
goodput: effective_training_time
power: peak_power
co2 emissions: carbon
""")

NOTHING = frozenset({"none", "null", "nil", "n/a", "undefined"})
TRUTHS = {"true": "true", "yes": "true", "on": "true", "enabled": "true"}
TRUTHS |= {"false": "false", "no": "false", "off": "false", "disabled": "false"}


def suggested(word: str, legal: Iterable[str], table: dict[str, tuple[str, ...]] = SETTINGS) -> str | None:
    """The legal name that ``word`` stands for: as another word for it, as its beginning, or misspelled."""
    names = list(legal)
    known = set(names)
    for key in (word, word.rpartition(".")[2]):
        near = next((name for name in table.get(key.lower(), table.get(key, ())) if name in known), None)
        if near is not None:
            return near
    return nearest(word, names)


def help_for(word: str, legal: Sequence[str] | Iterable[str], table: dict[str, tuple[str, ...]] = SETTINGS) -> str:
    """The help for a word that is not legal, or an empty text."""
    if word in BRITISH:
        return f"it is spelled `{BRITISH[word]}` here"
    names = list(legal)
    name = suggested(word, names, table)
    return f"did you mean `{name}`?" if name else ""


def chosen(word: str, choices: Sequence[str]) -> str:
    """What to write for a word that is not one of the choices, or an empty text."""
    lowered = word.lower()
    for ours in CHOICES.get(word, CHOICES.get(lowered, ())):
        if ours.partition("(")[0] in choices:
            return f"did you mean `{ours}`?"
    if lowered in ("false", "off", "no", "0", "null") and "none" in choices:
        return "did you mean `none`?"
    if lowered in ("true", "on", "yes") and "full" in choices:
        return "did you mean `full`?"
    if word.isdigit() and f"zero{word}" in choices:
        return f"did you mean `zero{word}`?"
    near = nearest(word, choices)
    return f"did you mean `{near}`?" if near else ""

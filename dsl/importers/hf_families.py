"""What each model type of the Hugging Face library means, beyond the keys of its config.json: one row a type.

A configuration leaves out what its class fixes: biases, norms, whether the embedding is tied, what an absent number of
key/value heads stands for. The rows were held against the classes themselves and against released weights.
"""

from typing import NamedTuple

Flag = bool | tuple[str, bool]  # fixed, or a key with what its absence means
REQUIRED = -1  # no default that a release relies on


class Experts(NamedTuple):
    """Where a type keeps its experts. ``ffn``: keys of their inner size; ``layers``: which rule names their layers."""

    ffn: tuple[str, ...]
    layers: str = "all"  # all | first | sparse | step | period
    shared: str = ""  # key of the number of shared experts
    shared_ffn: tuple[str, ...] = ()  # keys of the shared expert's inner size
    shared_fixed: int = 0  # shared experts that no key states
    gate: bool = False
    router_bias: bool = False
    bias: bool = False
    optional: bool = False
    active: int = REQUIRED


class Family(NamedTuple):
    """One model type. Defaults of kv and head: a number, REQUIRED, or 0 for heads and for hidden / heads."""

    kv: int = 0
    head: int = 0
    heads: int = REQUIRED
    vocabulary: int = REQUIRED
    ffn: tuple[str, ...] = ("intermediate_size",)
    ffn_times: int = 0  # the inner size is this many times hidden where no key says it
    tied: bool = False
    gated: bool = True
    norm: str = "rmsnorm"
    norms: int = 2
    qkv: Flag = False
    out: Flag = False
    mlp: Flag = False
    head_bias: Flag = False
    qk_norm: str = "none"
    qk_norm_key: tuple[str, bool] | None = None
    experts: Experts | None = None
    parts: tuple[str, ...] = ()  # rules of hf_parts.py that apply
    fixed: tuple[tuple[str, float | bool], ...] = ()  # settings that no key states


ATTENTION_BIAS: Flag = ("attention_bias", False)
MOE = ("moe_intermediate_size",)
WIDTH = ("intermediate_size",)
DEEPSEEK = Experts(MOE, "first", shared="n_shared_experts", optional=True)
LATENT = Family(qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, experts=DEEPSEEK, parts=("latent", "mtp"))
SPARSE = LATENT._replace(parts=("latent", "indexer", "mtp"))
LLAMA = Family(qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, mlp=("mlp_bias", False))
LLAMA_4 = Family(
    kv=8, head=128, heads=40, vocabulary=202_048, ffn=("intermediate_size_mlp",), qkv=ATTENTION_BIAS,
    out=ATTENTION_BIAS, experts=Experts(WIDTH, "step", shared_fixed=1, active=1), parts=("chunked",),
)  # fmt: skip
GPT = Family(gated=False, norm="layernorm", qkv=True, out=True, mlp=True, ffn_times=4)
QWEN_3 = Family(kv=32, head=128, qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, qk_norm="per_head", parts=("windows",))
QWEN_NEXT = QWEN_3._replace(
    kv=2, head=256, ffn=(), parts=("delta",),
    experts=Experts(MOE, "sparse", shared_ffn=("shared_expert_intermediate_size",), gate=True),
)  # fmt: skip
GEMMA = Family(kv=16, head=256, tied=True, qkv=ATTENTION_BIAS, out=ATTENTION_BIAS)
GEMMA_3 = GEMMA._replace(
    kv=4, heads=8, vocabulary=262_208, norms=4, qk_norm="per_head", parts=("alternating",)
)  # fmt: skip
MINIMAX = Family(kv=8, ffn=(), experts=Experts(WIDTH, shared_ffn=("shared_intermediate_size",)), parts=("lightning",))

FAMILIES: dict[str, Family] = {
    "bloom": GPT._replace(tied=True, ffn=("n_inner",), fixed=(("embedding_norm", True),)),
    "cohere": Family(tied=True, norm="layernorm_no_bias", norms=1, qkv=ATTENTION_BIAS, out=ATTENTION_BIAS,
                     qk_norm="full", qk_norm_key=("use_qk_norm", False)),
    "dbrx": Family(kv=1, norm="layernorm_no_bias", ffn=(), experts=Experts(("ffn_config.ffn_hidden_size",))),
    "deepseek": Family(qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, experts=DEEPSEEK),
    "deepseek_v2": LATENT,
    "deepseek_v3": LATENT,
    "deepseek_v32": SPARSE,
    "falcon": GPT._replace(tied=True, ffn=("ffn_hidden_size",), qkv=("bias", False), out=("bias", False),
                           mlp=("bias", False), parts=("falcon",)),
    "gemma": GEMMA,
    "gemma2": GEMMA._replace(kv=4, norms=4, parts=("alternating",)),
    "gemma3": GEMMA_3,
    "gemma3_text": GEMMA_3,
    "glm4_moe": Family(kv=8, head=REQUIRED, qkv=ATTENTION_BIAS, qk_norm="per_head", qk_norm_key=("use_qk_norm", False),
                       experts=DEEPSEEK, parts=("mtp",)),
    "glm4_moe_lite": LATENT,
    "glm_moe_dsa": SPARSE,
    "gpt2": GPT._replace(tied=True, ffn=("n_inner",), parts=("gpt2",)),
    "gpt_neox": GPT._replace(qkv=("attention_bias", True), out=("attention_bias", True)),
    "gpt_oss": Family(kv=8, head=64, ffn=(), qkv=("attention_bias", True), out=("attention_bias", True),
                      experts=Experts(WIDTH, router_bias=True, bias=True), parts=("alternating",),
                      fixed=(("sinks", True),)),
    "gptj": GPT._replace(norms=1, qkv=False, out=False, head_bias=True, ffn=("n_inner",)),
    "grok-1": Family(norms=4, tied=True, ffn=(), experts=Experts(WIDTH)),
    "jamba": Family(kv=8, experts=Experts(WIDTH, "period"), parts=("jamba",)),
    "kimi_k2": LATENT,
    "llama": LLAMA,
    "llama4": LLAMA_4,
    "llama4_text": LLAMA_4,
    "minimax": MINIMAX,
    "minimax_m1": MINIMAX,
    "minimax_text_01": MINIMAX,
    "minimax_m2": MINIMAX._replace(qk_norm="full", qk_norm_key=("use_qk_norm", True), parts=("unreleased_mtp",)),
    "mistral": Family(kv=8, parts=("window",)),
    "mixtral": Family(kv=8, ffn=(), experts=Experts(WIDTH), parts=("window",)),
    "mpt": GPT._replace(tied=True, parts=("mpt",), ffn=()),
    "nemotron": Family(gated=False, norm="layernorm", qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, mlp=("mlp_bias", False)),
    "nemotron_h": Family(kv=8, head=128, gated=False, norms=1, qkv=ATTENTION_BIAS, out=ATTENTION_BIAS,
                         mlp=("mlp_bias", False), parts=("nemotron_h",),
                         experts=Experts(MOE, shared_ffn=("moe_shared_expert_intermediate_size",), optional=True)),
    "olmo2": Family(qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, qk_norm="full"),
    "olmoe": Family(kv=16, ffn=(), qkv=ATTENTION_BIAS, out=ATTENTION_BIAS, qk_norm="full", experts=Experts(WIDTH)),
    "opt": GPT._replace(tied=True, ffn=("ffn_dim",), ffn_times=0, qkv=("enable_bias", True),
                        out=("enable_bias", True), mlp=("enable_bias", True), parts=("opt",)),
    "phi": GPT._replace(norms=1, head_bias=True, parts=("phi",)),
    "phi3": Family(parts=("window",)),
    "phimoe": Family(kv=8, ffn=(), norm="layernorm", qkv=("attention_bias", False), out=("attention_bias", False),
                     head_bias=("lm_head_bias", False), experts=Experts(WIDTH), parts=("window",)),
    "qwen2": Family(kv=32, qkv=True, parts=("windows",)),
    "qwen2_moe": Family(kv=16, qkv=("qkv_bias", True), parts=("windows",), experts=Experts(
        MOE, "sparse", shared_ffn=("shared_expert_intermediate_size",), gate=True)),
    "qwen3": QWEN_3,
    "qwen3_moe": QWEN_3._replace(kv=4, head=REQUIRED, experts=Experts(MOE, "sparse")),
    "qwen3_next": QWEN_NEXT,
    "qwen3_5_moe": QWEN_NEXT,
    "qwen3_5_moe_text": QWEN_NEXT,
    "smollm3": LLAMA._replace(tied=True),
    "starcoder2": GPT._replace(kv=2, tied=True, ffn_times=0, qkv=("use_bias", True), out=("use_bias", True),
                               mlp=("use_bias", True), parts=("window",)),
}  # fmt: skip

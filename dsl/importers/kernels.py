"""Names of GPU kernels and of process groups, and the class of work that each stands for (dsl/kinds_measured.py).

Rows are tried in order, the first that is found decides. Collectives are told apart by the description of their group:
Megatron's DATA_PARALLEL_GROUP …, the mesh_tp … of a device mesh. A kernel's name cannot do it: a pipeline's sends and
an expert dispatch run the same kernel.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from dsl.limits import KERNEL, KERNELS_NAMED
from dsl.problems import Problem, Span

NCCL = re.compile(r"nccl|rccl|nvshmem|deep_ep|deepep|mscclpp", re.IGNORECASE)
KERNELS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("sdpa", r"flash|fmha|sdpa|attention|attn_fwd|attn_bwd|mha_fwd|mha_bwd"),
        ("optimizer", r"adam|multi_tensor_apply|lamb|sgd|fused_optim|_foreach_(?:lerp|addcdiv|addcmul)"),
        ("gemm", r"gemm|cutlass|nvjet|cublas|wgmma|gemv|cijk_|triton_mm|_mm_|matmul|xmma|splitk"),
        ("hbm", r"elementwise|reduce|norm|softmax|copy|cat|index|gather|scatter|rope|rotary|swiglu|silu|gelu|dropout|"
                r"triton|transpose|embedding|fill|cast|cross_?entropy|vectorized|unrolled|quant|permut|topk|sort|memset|"
                r"scan|amax|scale|bias|router|rms|where|mul|add|sum"),
    )
)  # fmt: skip
# Words of a group's description, cut at what is no letter or digit; all of a row's words must be there.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("data", ("expert", "data")),
    ("data", ("efsdp",)),
    ("data", ("edp",)),
    ("expert", ("expert",)),
    ("expert", ("moe",)),
    ("expert", ("ep",)),
    ("expert", ("etp",)),
    ("pipeline", ("pipeline",)),
    ("pipeline", ("embedding",)),
    ("pipeline", ("pp",)),
    ("data", ("data",)),
    ("data", ("fsdp",)),
    ("data", ("zero",)),
    ("data", ("dp",)),
    ("data", ("shard",)),
    ("data", ("replicate",)),
    ("data", ("optimizer",)),
    ("tensor", ("tensor",)),
    ("tensor", ("tp",)),
    ("context", ("context",)),
    ("context", ("cp",)),
    ("context", ("ulysses",)),
    ("context", ("sequence",)),
)
COLLECTIVE = re.compile(r"AllReduce|AllGather|ReduceScatter|SendRecv|AllToAll|Broadcast", re.IGNORECASE)
UNSAID = ("", "undefined", "default_pg", "default", "world", "0")


def short(name: object) -> str:
    """A kernel's name as far as it is read."""
    return str(name)[:KERNEL]


def too_many(names: Iterable[str], file: str) -> list[Problem]:
    """A problem where there are more different names than any step has."""
    if len(set(names)) <= KERNELS_NAMED:
        return []
    title = f"`{file}` has kernels of more than {KERNELS_NAMED:_} names"
    return [Problem("E05", title, Span(file, 1, 1, 2), "read up to here", help="export one or two steps")]


@lru_cache(maxsize=KERNELS_NAMED)
def collective_of(name: str) -> str:
    """What a kernel of NCCL does, in small letters; empty where its name does not say it."""
    found = COLLECTIVE.search(name) if NCCL.search(name) else None
    return found[0].lower() if found else ""


@lru_cache(maxsize=KERNELS_NAMED)
def kernel_class(name: str) -> str:
    """The class of a kernel that is no collective; "other" where its name says nothing."""
    return next((found for found, pattern in KERNELS if pattern.search(name)), "other")


def group_class(description: str) -> str | None:
    """The class of a process group by its description; None where it says nothing, "other" where nothing is known."""
    if description.strip().lower() in UNSAID:
        return None
    words = set(re.findall(r"[a-z]+", description.lower()))
    return next((found for found, wanted in GROUPS if words.issuperset(wanted)), "other")

"""The works that formulas and rules of thumb are cited from: what "Narayanan et al. 2021" stands for."""

from collections.abc import Iterator
from dataclasses import dataclass

NOTE = """
The titles and numbers of all works were compared with public files that name the works by them. Where "read" stands the
passage that is cited was read, too: in the work, in a copy of its text, or in notes that quote or retell it. Where
"number in" stands it was not: such a file gives the number, and the formula is derived where it stands.
"""


@dataclass(frozen=True)
class Work:
    """A work: how it is cited, its title, where it is found, whether the cited passage was read; and if it was not, the
    public file in which its number was looked up.
    """

    cited: str
    title: str
    where: str
    read: bool = False
    number: str = ""

    @property
    def state(self) -> str:
        """What of the work was looked up: the passage, the number, or neither."""
        if self.read:
            return "read"
        return f"number in {self.number}" if self.number else "not looked up"


def read(cited: str, title: str, number: str) -> Work:
    """A work of arXiv whose cited passage was read."""
    return Work(cited, title, f"arXiv {number}", True)


WORKS = (
    read("Brown et al. 2020", "Language models are few-shot learners", "2005.14165"),
    read("Chowdhery et al. 2022", "PaLM: scaling language modeling with pathways", "2204.02311"),
    read(
        "Dai et al. 2024",
        "DeepSeekMoE: towards ultimate expert specialization in mixture-of-experts language models",
        "2401.06066",
    ),
    Work(
        "Daly 2006",
        "A higher order estimate of the optimum checkpoint interval for restart dumps",
        "Future Generation Computer Systems 22, 303-312, doi 10.1016/j.future.2004.11.016",
        True,
    ),
    read("Dao 2023", "FlashAttention-2: faster attention with better parallelism and work partitioning", "2307.08691"),
    read(
        "Dao et al. 2022", "FlashAttention: fast and memory-efficient exact attention with IO-awareness", "2205.14135"
    ),
    read(
        "DeepSeek-V2 2024",
        "DeepSeek-V2: a strong, economical, and efficient mixture-of-experts language model",
        "2405.04434",
    ),
    read("DeepSeek-V3 technical report 2024", "DeepSeek-V3 technical report", "2412.19437"),
    read("DeepSeek-V3.2 2025", "DeepSeek-V3.2: pushing the frontier of open large language models", "2512.02556"),
    read("Gale et al. 2022", "MegaBlocks: efficient sparse training with mixture-of-experts", "2211.15841"),
    read("Gated DeltaNet 2024", "Gated delta networks: improving Mamba2 with delta rule", "2412.06464"),
    read("Hoffmann et al. 2022", "Training compute-optimal large language models", "2203.15556"),
    read("Hu et al. 2021", "LoRA: low-rank adaptation of large language models", "2106.09685"),
    read(
        "Huang et al. 2018",
        "GPipe: efficient training of giant neural networks using pipeline parallelism",
        "1811.06965",
    ),
    read("Kaplan et al. 2020", "Scaling laws for neural language models", "2001.08361"),
    Work(
        "Kolisch 1996",
        "Serial and parallel resource-constrained project scheduling methods revisited: theory and computation",
        "European Journal of Operational Research 90, 320-333",
        number="a public copy of its first page",
    ),
    read("Korthikanti et al. 2022", "Reducing activation recomputation in large transformer models", "2205.05198"),
    read(
        "Lepikhin et al. 2020",
        "GShard: scaling giant models with conditional computation and automatic sharding",
        "2006.16668",
    ),
    read("Li et al. 2020", "PyTorch distributed: experiences on accelerating data parallel training", "2006.15704"),
    read("Llama 3 paper", "The Llama 3 herd of models", "2407.21783"),
    read("Loshchilov and Hutter 2019", "Decoupled weight decay regularization", "1711.05101"),
    read("Mamba 2023", "Mamba: linear-time sequence modeling with selective state spaces", "2312.00752"),
    read(
        "Mamba-2 2024",
        "Transformers are SSMs: generalized models and efficient algorithms through structured state space duality",
        "2405.21060",
    ),
    read("Micikevicius et al. 2017", "Mixed precision training", "1710.03740"),
    read("MiniMax-01 2025", "MiniMax-01: scaling foundation models with lightning attention", "2501.08313"),
    read(
        "Narayanan et al. 2021",
        "Efficient large-scale language model training on GPU clusters using Megatron-LM",
        "2104.04473",
    ),
    read("Qi et al. 2023", "Zero bubble pipeline parallelism", "2401.10241"),
    Work("Radford et al. 2019", "Language models are unsupervised multitask learners", "OpenAI report", True),
    read(
        "Rajbhandari et al. 2020", "ZeRO: memory optimizations toward training trillion parameter models", "1910.02054"
    ),
    read(
        "Rajbhandari et al. 2021",
        "ZeRO-Infinity: breaking the GPU memory wall for extreme scale deep learning",
        "2104.07857",
    ),
    read("Ren et al. 2021", "ZeRO-Offload: democratizing billion-scale model training", "2101.06840"),
    Work(
        "Sanders, Speck and Träff 2009",
        "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
        "Parallel Computing 35 (12), 581-594",
        True,
    ),
    read(
        "Shah et al. 2024",
        "FlashAttention-3: fast and accurate attention with asynchrony and low-precision",
        "2407.08608",
    ),
    read("Shazeer 2020", "GLU variants improve transformer", "2002.05202"),
    read(
        "Shoeybi et al. 2019",
        "Megatron-LM: training multi-billion parameter language models using model parallelism",
        "1909.08053",
    ),
    read(
        "Smith et al. 2022",
        "Using DeepSpeed and Megatron to train Megatron-Turing NLG 530B, a large-scale generative language model",
        "2201.11990",
    ),
    Work(
        "Thakur, Rabenseifner and Gropp 2005",
        "Optimization of collective communication operations in MPICH",
        "International Journal of High Performance Computing Applications 19 (1), 49-66",
        True,
    ),
    read("Touvron et al. 2023", "LLaMA: open and efficient foundation language models", "2302.13971"),
    read("Vaswani et al. 2017", "Attention is all you need", "1706.03762"),
    Work(
        "Williams et al. 2009",
        "Roofline: an insightful visual performance model for multicore architectures",
        "Communications of the ACM 52 (4), 65-76",
        True,
    ),
    Work(
        "Young 1974",
        "A first order approximation to the optimum checkpoint interval",
        "Communications of the ACM 17 (9), 530-531, doi 10.1145/361147.361115",
        number="harvard-edge/cs249r_book, references.bib",
    ),
    read("Zhao et al. 2023", "PyTorch FSDP: experiences on scaling fully sharded data parallel", "2304.11277"),
    Work(
        "jax-ml/scaling-book",
        "How to scale your model",
        "github.com/jax-ml/scaling-book, chapter All About Rooflines",
        True,
    ),
)


def listed() -> Iterator[str]:
    """The works as items of a list, in Markdown."""
    for work in WORKS:
        yield f"- {work.cited}: {work.title}. {work.where}; {work.state}.\n"

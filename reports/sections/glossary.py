"""The terms the document uses, one sentence each; only those that occur in it are printed.

``words`` are those by which the text calls a term: the first of them in each section is a link to here
(reports/glossary_links.py). Terms called by capitals are found as they are written, others also at the start of a
sentence and in the plural.
"""

from typing import NamedTuple

from reports.plan import Plan, Section


class Term(NamedTuple):
    """One entry: ``called`` are words among the settings that call for it, ``kinds`` the experiments that do.

    ``within`` names the only section in which its words mean it.
    """

    name: str
    meaning: str
    words: tuple[str, ...]
    called: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    within: str = ""

    @property
    def anchor(self) -> str:
        """Where links to it lead: term-mfu."""
        return anchor(self.name)


def anchor(name: str) -> str:
    """The id of a term's entry: "term-fsdp-zero-1-2-3"."""
    kept = "".join(c if c.isalnum() and c.isascii() else "usd" if c == "$" else " " for c in name.lower())
    return "-".join(["term", *kept.split()])


TERMS = (
    Term("1F1B", "Pipeline schedule in which each stage alternates one forward and one backward pass.", ("1F1B",),
         ("one_f_one_b", "interleaved")),
    Term("Bubble", "Time in which a pipeline stage waits for another; as a share, over useful time.", ("bubble",)),
    Term("Bus bandwidth", "Bytes of a collective over its time, scaled so that it compares with the rate of a link.",
         ("bus bandwidth",)),
    Term("Collective", "An operation that all ranks of a group take part in: all-reduce, all-gather, reduce-scatter, "
         "all-to-all.", ("collective", "all-reduce", "all-gather", "reduce-scatter", "all-to-all")),
    Term("DP, TP, PP, CP, EP, ETP", "Data, tensor, pipeline, context, expert and expert-tensor parallel degree: into "
         "how many parts each of these is split.", ("DP", "TP", "PP", "CP", "EP", "ETP")),
    Term("Effective training time", "Share of wall time that advances the model: without saves, lost work and "
         "restarts.", ("effective training time",)),
    Term("Exposed", "Communication that no compute hides; only this part lengthens the step.", ("exposed",)),
    Term("FLOP/s", "Floating-point operations a second; G, T, P and E before it are 10⁹, 10¹², 10¹⁵ and 10¹⁸.",
         ("GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s")),
    Term("FSDP, ZeRO-1, 2, 3", "Sharding over the data-parallel ranks: of optimizer states (ZeRO-1), also of gradients "
         "(ZeRO-2), also of weights (ZeRO-3, which FSDP is).", ("FSDP", "ZeRO-1", "ZeRO-2", "ZeRO-3")),
    Term("GBS, MB", "Sequences of a global batch, and of a micro-batch, in the names of points.", ("GBS",), (),
         ("sweep", "optimize", "scale", "sensitivity", "size")),
    Term("GEMM", "A multiply of two matrices, the work that peak rates are stated for.", ("GEMM",)),
    Term("GiB, GB", "2³⁰ and 10⁹ bytes. Memory used is in GiB, capacity as sold and traffic in GB.", ("GiB", "GB")),
    Term("GPU-hour", "One GPU for one hour, whatever it does.", ("GPU-hour", "GPU-h")),
    Term("HBM", "The memory on the GPU package.", ("HBM",)),
    Term("HFU", "Hardware FLOPs utilization: as MFU, with recomputed FLOPs counted.", ("HFU",)),
    Term("HSDP", "FSDP inside a group of GPUs, with copies of the model across the groups.", ("HSDP",),
         ("within", "group")),
    Term("M$", "Million US dollars.", ("M$",)),
    Term("MFU", "Model FLOPs utilization: FLOPs the model needs over dense peak FLOPs. 6N counts six a parameter and "
         "token.", ("MFU", "6N")),
    Term("Micro-batch", "Sequences that pass through the model at once; several make a step.", ("micro-batch",)),
    Term("MTBF", "Mean time between failures of the whole job, unless a GPU is named.", ("MTBF",)),
    Term("NCCL", "The library of collective operations; its buffers take memory for each communicator.", ("NCCL",)),
    Term("Oversubscription", "Bandwidth below a switch tier over bandwidth above it.",
         ("oversubscription", "oversubscribed")),
    Term("P10, P50, P90", "Values that 10, 50 and 90 % of the samples lie below; P50 is the median.",
         ("P10", "P50", "P90"), (), ("sensitivity",)),
    Term("PUE", "Facility power over IT power.", ("PUE",)),
    Term("Rank", "One process of the job; it drives one GPU.", ("rank",)),
    Term("Recompute", "Activations dropped in the forward pass and computed again in the backward pass, to save "
         "memory.", ("recompute", "recomputed", "recomputing", "recomputation")),
    Term("Reserved, allocated", "Memory the allocator holds, and the part of it tensors occupy; the driver shows "
         "reserved plus context.", ("reserved", "allocated"), within="memory"),
    Term("Scale-up domain", "The GPUs that NVLink or its like joins: a node or a rack.", ("scale-up domain",)),
    Term("SDPA", "Scaled dot-product attention, the attention kernel.", ("SDPA",)),
    Term("Step", "One update of the weights from one global batch.", ("step",)),
    Term("Straggler", "A rank that is slower than the others, which wait for it.", ("straggler",)),
    Term("Virtual stages", "The parts of a pipeline stage, which take turns; more of them shorten the bubble.",
         ("virtual stage",), ("interleaved", "dualpipe", "zero_bubble_v")),
)  # fmt: skip


def glossary(plan: Plan) -> Section:
    layout = " ".join(str(v) for k, v in plan.settings.items() if k.startswith("layout"))
    kinds = {e["kind"] for e in plan.document["experiments"]}
    names = f"{layout} {' '.join(plan.settings)}"

    def occurs(term: Term) -> bool:
        asked = any(word in names for word in term.called) or not kinds.isdisjoint(term.kinds)
        return asked or not (term.called or term.kinds)

    shown = filter(occurs, TERMS)
    return Section("glossary", "", facts={"terms": [(t.name, t.meaning) for t in shown]})

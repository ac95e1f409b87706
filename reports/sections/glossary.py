"""The terms the document uses, one sentence each; only those that occur in it are printed."""

from reports.plan import Plan, Section

TERMS: tuple[tuple[str, str, tuple[str, ...]], ...] = (  # term, meaning, words of the document that call for it
    (
        "1F1B",
        "Pipeline schedule in which each stage alternates one forward and one backward pass.",
        ("one_f_one_b", "interleaved"),
    ),
    ("Bubble", "Time in which a pipeline stage waits for another; as a share, over useful time.", ()),
    ("DP, TP, PP, CP, EP", "Data, tensor, pipeline, context and expert parallel degree.", ()),
    (
        "Effective training time",
        "Share of wall time that advances the model: without saves, lost work and restarts.",
        (),
    ),
    ("Exposed", "Communication that no compute hides; only this part lengthens the step.", ()),
    (
        "FSDP, ZeRO-1, 2, 3",
        "Sharding of optimizer states, gradients and weights over the data-parallel ranks; FSDP is ZeRO-3.",
        (),
    ),
    ("HSDP", "FSDP inside a group of GPUs, with copies of the model across the groups.", ("within", "group")),
    ("GiB, GB", "2³⁰ and 10⁹ bytes. Memory used is in GiB, capacity as sold and traffic in GB.", ()),
    ("HBM", "The memory on the GPU package.", ()),
    ("HFU", "Hardware FLOPs utilization: as MFU, with recomputed FLOPs counted.", ()),
    ("M$", "Million US dollars.", ()),
    (
        "MFU",
        "Model FLOPs utilization: FLOPs the model needs over dense peak FLOPs. 6N counts six a parameter and token.",
        (),
    ),
    ("Micro-batch", "Sequences that pass through the model at once; several make a step.", ()),
    ("MTBF", "Mean time between failures of the whole job, unless a GPU is named.", ()),
    ("NCCL", "The library of collective operations; its buffers take memory for each communicator.", ()),
    ("Oversubscription", "Bandwidth below a switch tier over bandwidth above it.", ()),
    ("PUE", "Facility power over IT power.", ()),
    (
        "Recompute",
        "Activations dropped in the forward pass and computed again in the backward pass, to save memory.",
        (),
    ),
    (
        "Reserved, allocated",
        "Memory the allocator holds, and the part of it tensors occupy; the driver shows reserved plus context.",
        (),
    ),
    ("SDPA", "Scaled dot-product attention, the attention kernel.", ()),
    ("Step", "One update of the weights from one global batch.", ()),
)


def glossary(plan: Plan) -> Section:
    layout = " ".join(str(v) for k, v in plan.settings.items() if k.startswith("layout"))
    names = f"{layout} {' '.join(plan.settings)}"
    return Section(
        "glossary",
        "",
        facts={"terms": [(t, meaning) for t, meaning, keys in TERMS if not keys or any(k in names for k in keys)]},
    )

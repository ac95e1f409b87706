"""What goes wrong, by the plan's own numbers: symptoms with cause and fix, and what each choice trades for what."""

from collections.abc import Iterator
from dataclasses import replace

from reports import terms
from reports.operations import watched
from reports.operations.settings import near
from reports.plan import Plan
from reports.prose import capital, joined
from reports.quantities import Quantity
from reports.tables import Table, text

Row = tuple[str, str, str]
REPEATED = {"sdpa": "attention", "alternate": "every second matrix multiply of a layer"}  # of selective recomputation
AXES = {
    "tensor": "tensor_communication",
    "context": "context_communication",
    "expert": "expert_communication",
    "pipeline": "pipeline_communication",
    "data": "data_communication",
}


def signs_table(plan: Plan) -> Table | None:
    """Symptom, likely cause, what to do."""
    rows = tuple(signs(plan))
    columns = (text("Symptom", 48), text("Likely cause", 62), text("What to do"))
    return Table("signs", "Symptoms, causes and what to do", columns, rows, wide=True) if rows else None


def trades_table(plan: Plan) -> Table | None:
    """A choice of the layout, what it saves and what it costs in this plan."""
    rows = tuple(trades(plan))
    columns = (text("Choice", 44), text("It saves", 62), text("It costs"))
    return Table("trades", "What each choice trades for what", columns, rows, wide=True) if rows else None


def signs(plan: Plan) -> Iterator[Row]:
    """The rows that this plan has numbers for."""
    yield from slow_steps(plan)
    yield from full_memory(plan)
    yield from lost_days(plan)


def slow_steps(plan: Plan) -> Iterator[Row]:
    """Steps that take longer than planned, all of them or some."""
    step = plan.result("step_time")
    if step.missing:
        return
    rows = plan.point["acceptance"]
    longest = next((r["threshold"] for r in rows if r["test"] == "step_time"), None)
    over = Quantity(longest, step.unit, step.decimals).text() if longest else f"well over {step.text()}"
    tested = any(r["test"] == "all_reduce" and r["command"] for r in rows)
    yield (
        f"Every step takes over {over}",
        "One slow rank: each collective waits for it. A hot GPU, a link at half speed",
        "Run the all-reduce test node by node and leave out the node that is below its figure"
        if tested
        else "Time the step on parts of the machine and leave out the node that makes each part slow",
    )
    axis = worst_axis(plan)
    if axis is not None:
        name, exposed, tier = axis
        yield (
            f"Steps are slower by more than {exposed.text()}, the exposed {name}-parallel communication",
            f"The {name} group does not reach what tier {tier} can carry"
            if tier
            else "A link does not reach its speed",
            "Compare its collective with the sheet; check the placement of ranks and the ports of tier "
            f"{tier or 'node'}",
        )
    bubble = plan.result("bubble")
    if (plan.number("layout.pipeline") or 1) > 1 and not bubble.missing:
        yield (
            f"Pipeline stages idle for more than {bubble.text()} of the useful time",
            f"Fewer than {plan.result('micro_batches').text()} micro-batches a step, or stages of unlike length",
            "Raise the batch or lower the micro-batch; move layers from the first and the last stage",
        )


def worst_axis(plan: Plan) -> tuple[str, Quantity, str] | None:
    """The axis whose communication exposes most, its seconds a step and the tier that it reaches."""
    found = [(axis, plan.result(name)) for axis, name in AXES.items() if plan.results.get(name)]
    if not found:
        return None
    axis, exposed = max(found, key=lambda f: f[1].value or 0.0)
    tiers = {str(t["axis"]): str(t.get("tier") or "") for t in plan.point.get("traffic") or ()}
    return axis, exposed, tiers.get(axis, "")


def full_memory(plan: Plan) -> Iterator[Row]:
    """A GPU that runs out of memory."""
    left = plan.result("memory_headroom")
    if left.missing:
        return
    stage = max(plan.point["memory"], key=lambda s: s.get("total") or 0.0, default=None)
    where = f"stage {stage['stage']}" if stage and len(plan.point["memory"]) > 1 else "the GPU"
    sizes = [(k, v) for k, v in (stage or {}).items() if k in ("activations", "logits", "slack") and v]
    largest = max(sizes, key=lambda s: float(s[1]), default=None)
    beside = "fragments of the allocator" if watched.on_pytorch(plan.settings) else "buffers that the compiler adds"
    big = f"{capital(largest[0])} ({Quantity(largest[1], 'GiB', 1).text()})" if largest else ""
    cause = f"{big} or {beside}" if big else capital(beside)
    lacks = replace(left, value=-left.value) if left.value is not None and left.value < 0 else None
    planned = f"the plan does not fit by {lacks.text()}" if lacks else f"{left.text()} was planned to be left"
    yield (
        f"Out of memory on {where}; {planned}",
        cause,
        next(iter(less_memory(plan)), "Reduce the micro-batch"),
    )


def less_memory(plan: Plan) -> Iterator[str]:
    """The nearest way to need less memory."""
    allocator = "; expandable segments of the allocator" if watched.on_pytorch(plan.settings) else ""
    if plan.setting("layout.recompute") in (None, "none"):
        yield f"Recompute selectively, then fully{allocator}"
    elif plan.setting("layout.recompute") == "selective":
        yield f"Recompute fully, or more pipeline stages{allocator}"
    elif (plan.number("layout.micro_batch") or 1) > 1:
        yield f"Lower the micro-batch{allocator}"
    else:
        yield "Shard more of the states, or split the model over more GPUs"


def lost_days(plan: Plan) -> Iterator[Row]:
    """Failures, saves and hangs."""
    mtbf, checkpoint = plan.result("mtbf"), plan.point.get("checkpoint") or {}
    if mtbf.missing or not checkpoint.get("used"):
        return
    pause, used = near(checkpoint.get("pause"), "s"), Quantity(checkpoint["used"], "min", 1).text()
    yield (
        f"Training stops for more than {pause} every {used}",
        "The store is slower than planned, or saves are synchronous",
        "Save asynchronously; measure the store with the command of the acceptance sheet",
    )
    yield (
        f"Interruptions come more often than every {mtbf.text()}",
        "Failures of parts beyond the rates of the library; "
        f"effective training time was planned at {plan.result('effective_training_time').text()}",
        f"Save every √(2 δ M): with δ = {pause}, and M as observed; leave out nodes that fail twice",
    )
    yield (
        "The job hangs and no error is told",
        "A GPU or a link that failed leaves collectives waiting; every rank waits with it",
        "Read the dump of the collectives, drain the node of the rank that did not join"
        if watched.on_pytorch(plan.settings)
        else "Compare the last lines of all hosts, drain the host that stopped first",
    )


def trades(plan: Plan) -> Iterator[Row]:
    """Each choice that this layout makes."""
    yield from splits(plan)
    yield from activations(plan)
    checkpoint = plan.point.get("checkpoint") or {}
    if checkpoint.get("used") and checkpoint.get("pause"):
        lost = near(float(checkpoint["used"]) / 2, "s")
        yield (
            f"A checkpoint every {Quantity(checkpoint['used'], 'min', 1).text()}",
            f"Half of it, {lost} on average, is lost with each failure",
            f"{near(checkpoint['pause'], 's')} of pause at each save",
        )


def splits(plan: Plan) -> Iterator[Row]:
    """Degrees above one, and sharding."""
    weights = plan.result("weights_memory").text()
    for axis, said in (
        ("tensor", "Weights and activations over its ranks"),
        ("pipeline", "Layers over its stages"),
        ("context", "Activations over its ranks"),
        ("expert", "Experts over its ranks"),
    ):
        degree = plan.number(f"layout.{axis}") or 1
        if degree > 1:
            cost = plan.result(AXES[axis])
            idle = plan.result("bubble_time")
            extra = f", and {idle.text()} of bubble a step" if axis == "pipeline" and not idle.missing else ""
            yield (
                f"{capital(axis)} parallelism over {Quantity(degree, '', 0).text()}",
                f"{said}: {weights} of weights a GPU",
                f"{cost.text()} of exposed communication a step{extra}",
            )
    shard = str(plan.setting("layout.shard") or "none")
    if shard != "none":
        kept = (
            "optimizer states"
            if shard == "zero1"
            else "gradients and optimizer states"
            if shard == "zero2"
            else "all states"
        )
        yield (
            f"Sharding {terms.words(shard)}",
            f"{capital(kept)} over data-parallel ranks: "
            f"{plan.result('optimizer_memory').text()} of optimizer states a GPU",
            f"{plan.result('data_communication').text()} of exposed communication a step",
        )


def activations(plan: Plan) -> Iterator[Row]:
    """Recomputation and the micro-batch."""
    kept = plan.result("activation_memory").text()
    recompute, hfu, mfu = str(plan.setting("layout.recompute") or "none"), plan.result("hfu"), plan.result("mfu_causal")
    if recompute != "none" and not hfu.missing and not mfu.missing:
        yield (
            f"Recomputation: {recompute}",
            f"Activations are {kept} a GPU",
            f"{capital(again(plan))} computed again: hardware utilization {hfu.text()} for {mfu.text()} of the model's",
        )
    micro, batches = plan.number("layout.micro_batch"), plan.result("micro_batches")
    if micro and (plan.number("layout.pipeline") or 1) > 1:
        kept_busy = "micro-batch keeps" if batches.value == 1 else "micro-batches keep"
        yield (
            f"Micro-batch of {Quantity(micro, 'sequences' if micro > 1 else 'sequence', 0).text()}",
            f"{batches.number()} {kept_busy} the stages busy",
            f"Activations of each in flight: {kept} a GPU",
        )


def again(plan: Plan) -> str:
    """What recomputation runs again, with its verb."""
    first = plan.number("layout.recompute.first")
    if plan.setting("layout.recompute") == "selective":
        ops = [REPEATED.get(str(o), terms.words(str(o))) for o in plan.setting("layout.recompute.ops") or ("sdpa",)]
        return f"{joined(ops)} {'is' if len(ops) == 1 else 'are'}"
    if first:
        return f"the forward pass of the first {Quantity(first, '', 0).text()} layers of a stage is"
    return "the forward pass of every layer is"

"""Appendix: how the run is started, the command that answers each question on the cluster, and what to look for.

Every figure is the plan's own: a result, an expectation of the acceptance sheet, a setting.
"""

from collections.abc import Iterator
from dataclasses import replace

from reports.operations import watched
from reports.operations.files import exported, unsaid
from reports.operations.launch import launch
from reports.operations.settings import counted_save, near
from reports.plan import Json, Plan, Section
from reports.quantities import Quantity
from reports.sections.operations_signs import signs_table, trades_table
from reports.tables import Table, command, text

NVLINK = ("NVLink", "; nvidia-smi nvlink --status")
WIRED = {"pcie": ("PCIe", "")}  # else NVLink
LINES = 60  # of the exported file in the document


def operations(plan: Plan) -> Section | None:
    """Launch line, exported arguments, questions with their commands, symptoms, trades; for a run that can be built."""
    if (
        not plan.experiment["points"]
        or plan.point["status"] == "cannot_be_built"
        or plan.setting("fidelity") == "reduced"
    ):
        return None
    files = exported(plan.point, stem(plan))
    tables = tuple(t for t in (questions_table(plan), signs_table(plan), trades_table(plan)) if t)
    name, content = next(iter(files.items()), ("", ""))
    lines = content.splitlines()
    facts = {
        "launch": launch_line(plan, name),
        "file": name,
        "lines": lines[:LINES],
        "more": max(0, len(lines) - LINES),
        "unsaid": unsaid(plan.point) if files else [],
        "stack": plan.name_of("stack"),
        "prints": not name,
    }
    return Section("operations", "", tables, facts=facts) if tables else None


def stem(plan: Plan) -> str:
    """The name of exported files: the run's."""
    return str(plan.experiment["name"] or "run")


def launch_line(plan: Plan, file: str) -> str:
    """One process a GPU on every node; empty where no such line is known."""
    gpus, each = plan.number("cluster.gpus"), plan.number("cluster.gpus_per_node")
    return " \\\n  ".join(launch(plan.settings, int(gpus), int(each), file)) if gpus and each else ""


def questions_table(plan: Plan) -> Table | None:
    """The question, the command that answers it on the running cluster, and the figure to expect there."""
    rows = tuple(questions(plan))
    columns = (text("Question", 34), command("Command"), text("Expect", 54))
    return Table("questions", "Questions on the running cluster", columns, rows, wide=True) if rows else None


def questions(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """The rows of the table that this plan can answer."""
    part = watched.toolkit(plan.settings)
    if part == "cuda":
        yield from links(plan)
    yield from collectives(plan)
    step, interval = plan.result("step_time"), (plan.point.get("intervals") or {}).get("step_time")
    if not step.missing:
        ends = ""
        if interval:
            low, high = (Quantity(interval[side], step.unit, step.decimals).text() for side in ("low", "high"))
            ends = f"; four in five published runs: {low} to {high}"
        each = plan.result("tokens_per_second_per_gpu").text()
        yield "How long is a step?", watched.step_line(plan.settings), f"{step.text()}{ends}; {each} a GPU"
    memory = plan.result("memory_per_gpu")
    if not memory.missing and part in watched.USED:
        yield (
            "How full is a GPU?",
            watched.USED[part],
            f"{memory.text()} on the fullest stage, {left_over(plan)}",
        )
    yield from recovery(plan)


def left_over(plan: Plan) -> str:
    """What is left of a GPU's memory, or lacks."""
    left = plan.result("memory_headroom")
    if left.value is not None and left.value < 0:
        return f"{replace(left, value=-left.value).text()} more than it has"
    return f"{left.text()} left"


def links(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """How GPUs of a node, and nodes, are connected."""
    tiers = [str(t) for t in plan.setting("cluster.tier") or ()]
    if tiers:
        span, band = (plan.number(f"cluster.tier.{tiers[0]}.{what}") for what in ("span", "bandwidth"))
        wired, status = WIRED.get(str(plan.setting("cluster.gpu.topology") or ""), NVLINK)
        yield (
            "How are the GPUs of a node connected?",
            f"nvidia-smi topo -m{status}",
            f"{wired} between {Quantity(span, 'GPUs', 0).text()}, {near(band, 'B/s')} each way a GPU",
        )
    if len(tiers) > 1:
        band = plan.number(f"cluster.tier.{tiers[-1]}.bandwidth")
        yield (
            "Is the link up, and at what speed?",
            "rdma link; cat /sys/class/infiniband/*/ports/*/rate",
            f"every port ACTIVE; {Quantity(band, 'Gb/s', 0).text()} over the ports of a GPU",
        )
        yield (
            "Which rings and transports did NCCL choose?",
            "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH … 2>&1 | grep -E 'Ring|Tree|via'",
            "P2P inside a node, between nodes a network transport that is not NET/Socket",
        )


def collectives(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """The all-reduce at the largest size of the acceptance sheet, one row a span."""
    rows: dict[str, Json] = {}
    for row in plan.point.get("acceptance") or ():
        if row["test"] == "all_reduce" and row.get("expected") and row.get("command"):
            rows[str(row["span"])] = row
    for span, row in rows.items():
        least = f", sound from {Quantity(row['threshold'], 'GB/s', 1).text()}" if row.get("threshold") else ""
        yield (
            f"What does an all-reduce reach over {span}?",
            str(row["command"]),
            f"busbw {Quantity(row['expected'], 'GB/s', 1).text()} at {near(row['size'], 'B')}{least}",
        )


def recovery(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Saves, and the rank behind a hang."""
    checkpoint, save = plan.point.get("checkpoint") or {}, counted_save(plan.point)
    if save:
        how = "in the background" if plan.setting("checkpoint.mode") == "async" else "of pause"
        yield (
            "How long does a save take?",
            "grep -i 'checkpoint' LOG",
            f"at most {near(save, 's')} {how} for {near(checkpoint.get('size'), 'B')}, "
            f"every {Quantity(checkpoint.get('used'), 'min', 1).text()}",
        )
    mtbf = plan.result("mtbf")
    if not mtbf.missing:
        command, says = watched.hang(plan.settings)
        yield "Which rank is behind a hang?", command, f"an interruption every {mtbf.text()} on average; {says}"

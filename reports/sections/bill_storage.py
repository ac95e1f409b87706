"""Lines of a bill of materials about storage: checkpoints kept, rates of saving and reading, data set, local disks."""

from collections.abc import Iterator
from typing import Any

from reports.plan import Plan
from reports.quantities import Quantity, fixed
from reports.sections.bill_rows import Row, row

ID = 4.0  # bytes of a token in a data set


def storage(plan: Plan) -> Iterator[Row]:
    """Checkpoints kept, rates of a save and of a restart, the data set and its feed, disks of the nodes."""
    yield from checkpoints(plan)
    tokens, data = plan.results.get("tokens_per_second"), plan.number("tokens")
    yield row("Data set feed", tokens * ID / 1e9 if tokens else None, "GB/s", "tokens a second, four bytes each", 3)
    yield row("Data set", data * ID / 1e12 if data else None, "TB", "training tokens, four bytes each", 1)
    yield from local_disks(plan)


def checkpoints(plan: Plan) -> Iterator[Row]:
    """Bytes of the checkpoints kept, and the rates that saving and restarting need."""
    found: dict[str, Any] = dict(plan.point.get("checkpoint") or {})
    size, save, kept = found.get("size"), found.get("save"), plan.number("checkpoint.retain")
    total = size * kept / 1e12 if size and kept else None
    one = Quantity(size, "TB", 2).text()
    how = f"{fixed(kept or 0.0, 0)} kept of {one}" if total else "needs checkpoint.retain"
    yield row("Storage of checkpoints", total, "TB", how, 1)
    rate = size / save / 1e9 if size and save else None
    how = f"{one} in {Quantity(save, 's', 1).text()}" if rate else "needs cluster.storage.write or checkpoint.pause"
    yield row("Write rate of a save", rate, "GB/s", how, 1)
    yield reading(plan, size, found.get("restart"))


def reading(plan: Plan, size: float | None, restart: float | None) -> Row:
    """The rate at which a restart reads: as stated, else the least that the restart leaves time for."""
    stated = plan.number("cluster.storage.read")
    if stated and size:
        how = f"cluster.storage.read; {Quantity(size, 'TB', 2).text()} in {Quantity(size / stated, 's', 1).text()}"
        return row("Read rate at a restart", stated / 1e9, "GB/s", how, 1)
    least = size / restart / 1e9 if size and restart else None
    how = f"at least: all of the restart of {Quantity(restart, 'min', 1).text()}" if least else "needs a checkpoint"
    return row("Read rate at a restart", least, "GB/s", how, 1)


def local_disks(plan: Plan) -> Iterator[Row]:
    """Disks of a node where they are stated, or where checkpoints are copied to them."""
    stated = plan.number("cluster.storage.local")
    used = any(t["name"] == "local" for t in (plan.point.get("checkpoint") or {}).get("tiers") or ())
    if stated or used:
        how = "cluster.storage.local" if stated else "checkpoints are copied to them; needs cluster.storage.local"
        yield row("Local disks of a node", stated and stated / 1e12, "TB", how, 2)

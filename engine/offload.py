"""Offload to host memory: activations between the passes, optimizer states and weights between steps.

Rows of kind "host" are copies over the link between GPU and host (PCIe, or a chip-to-chip link), and the update that
the host's processors make. Copies of activations hide behind the layer that is computed meanwhile, those of gradients
behind the last backward pass; the update and the way back of the weights are waited for.

Symbols: beta_h bytes/s of the host link per GPU and direction; y share of the activations, x of the optimizer states.
Source: ZeRO-Offload (Ren et al. 2021) section 4, without its delayed update; ZeRO-Infinity (Rajbhandari et al. 2021)
section 5.1 (weights, activations).
"""

import numpy as np

from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Offload, Run
from engine.kept import layer_bytes
from engine.layout import Degrees
from engine.ledger import Entry, PricedBlock, Prices, Row, total
from engine.operators.optimizer import step_bytes
from engine.operators.work import Block
from engine.states import gradient_bytes

BLOCK = "offload"
KIND = "host"
NONE = Offload(ZERO, ZERO, ZERO)
WEIGHT = 2.0  # bytes of a bf16 weight on its way back
BUFFERS = 2.0  # layers in flight between GPU and host: one is computed, one is copied
WINDOW = 0.8  # share of a backward pass that can hide gradients, as on the network


def of(run: Run) -> Offload:
    """The run's offload; nothing where it states none."""
    return NONE if run.offload is None else run.offload


def copies(run: Run, priced: tuple[PricedBlock, ...], prices: Prices, ops: tuple[str, ...]) -> tuple[PricedBlock, ...]:
    """A layer's blocks, with one more for the copies of its activations: y kept bytes each way, t = bytes / beta_h.

    exposed = max(0, t - seconds of the layer's forward pass), and of its backward pass on the way back.
    """
    share = of(run).activations
    if not np.any(share > 0):
        return priced
    moved = share * layer_bytes(tuple(b.block for b in priced), ops)
    forward = _activations("forward", moved, run, total(r for b in priced for r in b.forward))
    backward = _activations("backward", moved, run, total(r for b in priced for r in (*b.recompute, *b.backward)))
    return (*priced, PricedBlock(Block(BLOCK, (), (), ()), (forward,), (), (backward,)))


def _activations(phase: str, moved: Column, run: Run, window: Column) -> Row:
    seconds = moved / run.gpu.host_link
    way = "to" if phase == "forward" else "from"
    exposed = np.maximum(seconds - window, 0.0)
    return _row(f"activations {way} host", phase, moved, seconds, exposed, f"the layer's {phase} pass")


def _row(op: str, phase: str, moved: Column, seconds: Column, exposed: Column, behind: str | None) -> Row:
    return Row(BLOCK, op, phase, KIND, ZERO, moved, None, None, None, seconds, exposed, behind, ONE)


def optimizer_rows(run: Run, shard: Column, backward: Column) -> list[Entry]:
    """Once-a-step rows of offloaded optimizer states: gradients down, the host's update, weights back up.

    gradients g x P/D and weights 2 x P/D over beta_h; update x P/D (g + 2 (master + moments) + w) over the node's host
    memory, which its GPUs share. P/D: the rank's shard of the trained parameters.
    """
    share = of(run).optimizer
    if not np.any(share > 0):
        return []
    part, g = share * shard, gradient_bytes(run)
    down, up = g * part / run.gpu.host_link, WEIGHT * part / run.gpu.host_link
    work = part * step_bytes(run, g)
    update = work * run.cluster.gpus_per_node / run.cluster.host_memory_bandwidth
    late = np.maximum(down - WINDOW * backward, 0.0)
    rows = [
        _row("gradients to host", "step", g * part, down, late, "one backward pass"),
        _row("update on the host", "step", work, update, update, None),
        _row("weights from host", "step", WEIGHT * part, up, up, None),
    ]
    return [Entry(r, ONE) for r in rows]


def weight_rows(run: Run, d: Degrees, shard: Column, forward: Column) -> list[Entry]:
    """Sharded weights read from host memory for every pass that gathers them: 2 P/D over beta_h, m times a pass.

    Exposed: what exceeds a micro-batch's forward pass.
    """
    share = of(run).weights
    if not np.any(share > 0):
        return []
    moved = share * run.states.weights * shard
    seconds = moved / run.gpu.host_link
    count = d.micro_batches * (2 if run.layout.reshard else 1)
    late = np.maximum(seconds - forward, 0.0)
    return [Entry(_row("sharded weights from host", "step", moved, seconds, late, "the forward pass"), count)]


def buffers(run: Run, layer: Column) -> Column:
    """Bytes on the GPU for activations on their way: two layers' y kept bytes."""
    return column(BUFFERS) * of(run).activations * layer

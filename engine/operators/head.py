"""The head on the last stage: final norm, output projection, cross-entropy.

Symbols: T tokens of a micro-batch on one rank; h hidden; Vp padded vocabulary; tp tensor degree.
"""

import numpy as np

from engine.columns import Column, column
from engine.dimensions import shape
from engine.inputs import Run
from engine.layout import Degrees
from engine.operators.tensor_parallel import enter, enter_back
from engine.operators.work import ELEMENT, Block, Collective, Kept, Traffic, Work, linear

# Bytes of logits per token and vocabulary entry alive at the loss, by implementation: tensor counts,
# held against the published memory of Megatron-Core, Megatron-DeepSpeed, NeMo and TorchTitan.
LOGIT_BYTES = {"fused": 4.0, "compiled": 4.0, "vocab_parallel": 6.0, "eager": 14.0, "loss_parallel": 22.0,
               "vocab_parallel_2021": 10.0}  # fmt: skip
FORWARD_SHARE = 0.5  # of the loss's passes
SINGLE = 4.0  # bytes of an fp32 element


def padded_vocabulary(run: Run) -> Column:
    """Vp: V rounded up to the stack's multiple times tp (Megatron 128 tp; FSDP does not pad). Memory and time only.

    Source: padding in Megatron-LM's tokenizer set-up; FSDP does not pad.
    """
    assert run.model.vocabulary is not None
    multiple = run.stack.vocabulary_multiple
    step = np.where(multiple > 1, multiple * run.layout.tensor, 1.0)
    return np.ceil(run.model.vocabulary / step) * step


def loss_kind(run: Run) -> str:
    """The loss implementation: the run's, else the stack's."""
    return run.loss if run.loss is not None else run.stack.fused_loss


def head(run: Run, d: Degrees, gradient: Column) -> Block:
    """Work of the head: norm, GEMM T x h x Vp/tp, fp32 passes of the loss over T Vp/tp, three scalars a token summed.

    The scalars are the maximum, the own logit and the sum of exponentials, as in Megatron-LM's cross-entropy.
    Source: Shoeybi et al. 2019 section 3 (losses summed in place of logits); passes of the stack's loss measured
    (12 for Megatron's fused loss).
    """
    assert run.model.hidden is not None
    h, t = run.model.hidden, d.tokens
    split = d.tp if d.sequence_parallel else column(1.0)
    rows = t * h * ELEMENT
    shard = padded_vocabulary(run) / d.tp
    logits = t * shard * SINGLE
    width = shape(run.model).embedding
    gemm, back = linear("head", t, shard, width, run.states.weights, gradient)
    narrow, narrow_back = narrowed(run, t, width, h, gradient)
    passes = run.stack.loss_passes
    forward: list[Work] = [Traffic("norm", rows / split, 3), *narrow, *enter(d, "head", rows), gemm]
    forward += [
        Traffic("loss", logits, passes * FORWARD_SHARE),
        Collective("loss sum", "all_reduce", 3 * t * SINGLE, "tensor"),
    ]
    backward: list[Work] = [Traffic("loss", logits, passes * (1 - FORWARD_SHARE)), *back]
    backward += [*enter_back(d, "head", "head", rows), *narrow_back, Traffic("norm", rows / split, 5)]
    return Block(
        "head", tuple(forward), tuple(backward), (Kept("norm", "final norm input and output", 2 * rows / split),)
    )


def narrowed(run: Run, m: Column, n: Column, k: Column, gradient: Column) -> tuple[list[Work], list[Work]]:
    """The projection between the layers and an embedding of another width: T x w x h, nothing where they are equal."""
    if np.all(n == k):
        return [], []
    gemm, back = linear("projection", m, n, k, run.states.weights, gradient)
    return [gemm], list(back)


def logits_bytes(run: Run, d: Degrees) -> Column:
    """Bytes of logits alive at the loss on one rank of the last stage: (4 | 6 | 10 | 14 | 22) T Vp/tp.

    Source: copies of the logits alive at the loss, counted for each form of loss.
    """
    return LOGIT_BYTES[loss_kind(run)] * d.tokens * padded_vocabulary(run) / d.tp

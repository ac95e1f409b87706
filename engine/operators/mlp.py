"""The dense MLP block of a layer: norm, up (and gate) projection, activation, down projection, residual.

Symbols: T tokens of a micro-batch on one rank; h hidden; f inner size; G 2 for a gated MLP, 1 for a plain one;
tp tensor degree; w bytes of an element.
"""

from engine.columns import Column, column
from engine.inputs import Run
from engine.layout import Degrees
from engine.operators.tensor_parallel import enter, enter_back, leave, leave_back
from engine.operators.work import (
    ELEMENT,
    Block,
    Kept,
    Traffic,
    Work,
    activation_element,
    kept_element,
    linear,
    linear_input,
)


def inner_size(run: Run) -> Column:
    """f of a dense MLP: that of the first dense layers where the model has experts, else stated, else 4h.

    Source: definition.
    """
    assert run.model.hidden is not None
    if run.model.experts is not None and run.model.experts.dense_ffn is not None:
        return run.model.experts.dense_ffn
    return run.model.ffn if run.model.ffn is not None else 4 * run.model.hidden


def mlp(run: Run, d: Degrees, gradient: Column) -> Block:
    """Work and kept tensors of one MLP block of one micro-batch on one rank.

    FLOPs forward: 2 T h G f/tp up, 2 T f h/tp down.
    Source: Shoeybi et al. 2019 section 3, Shazeer 2020 eq. 6 (gated units), Korthikanti et al. 2022 section 4.1;
    counted.
    """
    model = run.model
    assert model.hidden is not None
    h, f, t, tp = model.hidden, inner_size(run), d.tokens, d.tp
    width = (2.0 if model.gated else 1.0) * f / tp
    split = tp if d.sequence_parallel else column(1.0)
    rows, inner = t * h * ELEMENT, t * f * ELEMENT / tp
    up, up_back = linear("mlp_up", t, width, h, run.states.weights, gradient)
    down, down_back = linear("mlp_down", t, h, f / tp, run.states.weights, gradient)
    c_forward, c_backward = (3.0, 5.0) if model.gated else (2.0, 3.0)
    forward: list[Work] = [Traffic("norm", rows / split, 3), *enter(d, "mlp", rows), up]
    forward += [
        Traffic("activation", inner, c_forward),
        down,
        *leave(d, "mlp", rows),
        Traffic("residual", rows / split, 2),
    ]
    backward: list[Work] = [Traffic("residual", rows / split, 3), *leave_back(d, "mlp", rows), *down_back]
    backward += [Traffic("activation", inner, c_backward), *up_back, *enter_back(d, "mlp", "mlp_up", rows)]
    backward += [Traffic("norm", rows / split, 5)]
    kept = [
        Kept("residual", "block input", rows / split),
        Kept("norm", "norm output", linear_input(run, d, t * h)),
        Kept("mlp_up", "activation input", (2.0 if model.gated else 1.0) * inner * activation_element(run) / ELEMENT),
        Kept("activation", "activation output", inner * kept_element(run) / ELEMENT),
    ]
    if model.gated and not run.kernels.fused:
        kept.append(Kept("activation", "gate output", inner))
    if model.dropout:
        kept.append(Kept("residual", "dropout mask", rows / split / ELEMENT))
    return Block("mlp", tuple(forward), tuple(backward), tuple(kept))

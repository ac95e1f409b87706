"""Evaluation: the named steps, in order, from a run's inputs to its result columns.

    layout → counts → step → rates → memory → goodput → money

``evaluate`` takes one group of design points that share their structure and returns columns; a result that lacks an
input is absent, and ``missing`` names the settings it lacks. Nothing is ever filled with 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from engine import cost, flops, goodput, layout, memory, models, network, power, reduced, simulate, step, traffic, validity
from engine.columns import ONE, ZERO, Column
from engine.inputs import Run
from engine.layout import Degrees
from engine.models import Parameters

SIMULATED_PASSES = 40_000  # a schedule larger than this is not simulated beside the closed form
DEVIATION = 0.02  # from which a difference between closed form and simulation is noted

Columns = dict[str, Column]


@dataclass
class Result:
    """Everything one evaluation knows. ``columns`` holds the results; the rest is for tables and figures."""

    run: Run
    columns: Columns = field(default_factory=dict)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    status: str = "ok"  # ok | does_not_fit | cannot_be_built | not_evaluated
    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    degrees: Degrees | None = None
    parameters: Parameters | None = None
    step: step.Step | None = None
    memory: list[memory.StageMemory] = field(default_factory=list)
    traffic: list[traffic.AxisTraffic] = field(default_factory=list)
    timeline: simulate.Timeline | None = None
    goodput: goodput.Goodput | None = None
    cost: list[cost.Line] = field(default_factory=list)
    power: list[power.Line] = field(default_factory=list)
    reduced: reduced.Reduced | None = None

    def lack(self, names: tuple[str, ...], settings: tuple[str, ...]) -> None:
        """Marks results as unavailable for want of ``settings``."""
        for name in names:
            self.missing[name] = tuple(dict.fromkeys((*self.missing.get(name, ()), *settings)))

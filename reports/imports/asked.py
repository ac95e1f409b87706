"""What `scn import` was asked: the files, the plan they are held against, and what the files do not say themselves."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dsl.problems import Problem, Span
from dsl.scenario import Run
from engine.inputs import Run as Engine


class Given(NamedTuple):
    """One file: its name as problems show it, and its bytes."""

    name: str
    data: bytes

    @property
    def shown(self) -> str:
        """The name without its folder, as a comment can hold it."""
        return "".join(c for c in Path(self.name).name if c.isprintable())

    @property
    def stem(self) -> str:
        """The name without its folder and endings."""
        return Path(self.name).name.removesuffix(".gz").partition(".")[0]


@dataclass(frozen=True)
class Plan:
    """A run of a scenario file, resolved, and as the engine reads it."""

    file: str  # as a scenario in the present folder imports it
    run: Run
    engine: Engine


@dataclass(frozen=True)
class Asked:
    """The files and the options of one call."""

    files: tuple[Given, ...]
    name: str = ""
    plan: Plan | None = None
    gpu: str = ""
    tier: str = ""
    steps: int = 0
    per_node: int = 8

    @property
    def sources(self) -> str:
        """The names of the files as a source of figures."""
        names = [f.shown for f in self.files]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Made(NamedTuple):
    """What came of it: text of the language, problems, and lines that are said beside it."""

    text: str
    problems: list[Problem]
    said: tuple[str, ...] = ()


def refused(problems: list[Problem]) -> Made:
    """Nothing but problems."""
    return Made("", problems)


def lacks(name: str, title: str, help: str) -> Made:
    """One problem: what a file or the call does not say."""
    return refused([Problem("E13", title, Span(name, 1, 1), "this file", help=help)])


def follows(plan: Plan | None, name: str) -> str:
    """A run that copies the plan's and names a calibration: what makes the printed text a file that renders."""
    if plan is None:
        return ""
    return f"\nrun {plan.run.name}-calibrated from {plan.run.name} {{\n  calibration = {name}\n}}\n"


def opening(plan: Plan | None) -> str:
    """The first lines of the printed file: its edition, and the plan that it adds to."""
    return f'edition 2026\n\nimport "{plan.file}"\n\n' if plan is not None else ""

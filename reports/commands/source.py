"""A scenario file read and checked: what `scn check` says and what `render` starts from. Imports no numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dsl.files import load
from dsl.problems import Problem, show, to_json
from dsl.resolve import resolve
from dsl.scenario import Scenario
from engine.metrics import FACTS, METRICS

NAMES = {m.name: m.dimension for m in (*METRICS, *FACTS)}  # what conditions may use beside settings


@dataclass(frozen=True)
class Source:
    """A file's scenario and everything there is to say about it; ``texts`` are the sources that problems point into."""

    file: Path
    scenario: Scenario
    problems: tuple[Problem, ...]
    texts: Mapping[str, str]

    @property
    def in_error(self) -> bool:
        return any(problem.severity == "error" for problem in self.problems)

    @property
    def shown(self) -> str:
        """The problems as text, with their lines; empty where there are none."""
        return show(self.problems, self.texts)

    def to_json(self) -> list[dict[str, object]]:
        """The problems as plain dictionaries."""
        return to_json(self.problems)


def read(file: Path, overrides: Sequence[str] = ()) -> Source:
    """The scenario of ``file`` with the settings of ``--set`` replaced."""
    loaded = load(file)
    scenario, problems = resolve(loaded, NAMES, overrides)
    return Source(file, scenario, (*problems, *scenario.warnings), loaded.sources)

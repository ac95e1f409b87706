"""The resolved scenario: frozen, typed, in base units, every value with the place it comes from."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dsl.expressions import Compiled, Operand, operands
from dsl.problems import Problem, Span
from dsl.syntax import Expression

if TYPE_CHECKING:
    from dsl.space import Space


class Value(NamedTuple):
    """One setting. ``origin`` is stated, default, inherited, derived or library; ``where`` is "file:line"."""

    value: Any  # number in base units, text, flag, or a tuple of these
    unit_written: str = ""
    span: Span | None = None
    origin: str = "stated"
    note: str = ""
    where: str = ""
    source: str = ""
    confidence: str = ""
    verified: str = ""
    as_of: str = ""
    quote: str = ""
    instead_of: Span | None = None  # the inherited line that this one replaces


class Item(NamedTuple):
    """An expression to show: its text, the words over it, the unit to show it in, and how to work it out."""

    text: str
    called: str
    unit: str
    compute: Compiled
    span: Span

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """The value in base units from {setting path or result name: value}; None where something is missing."""
        return self.compute(values)


class Rule(NamedTuple):
    """A require or where: its text, the author's reason, and the block it comes from where that is another one."""

    text: str
    because: str
    origin: str
    where: str
    span: Span
    compute: Compiled

    def holds(self, values: Mapping[str, Any]) -> Any:
        """True or False (or a column of them); None where a value that it needs is missing."""
        return self.compute(values)

    def operands(self, values: Mapping[str, Any]) -> list[Operand]:
        """What it was judged on, with units to show."""
        return operands(self.compute, values)

    def missing(self, values: Mapping[str, Any]) -> list[str]:
        """The names that it needs and ``values`` lacks."""
        return self.compute.missing(values)


class Measured(NamedTuple):
    """Measured results of a run, in base units; ``at`` names the point of a sweep."""

    values: dict[str, Value]
    source: str
    at: dict[str, Any]
    where: str


class Run(NamedTuple):
    """One training run with every setting that its model, cluster, gpu and stack have."""

    name: str
    title: str
    span: Span
    where: str
    settings: dict[str, Value]
    requires: tuple[Rule, ...]
    lets: dict[str, Compiled]
    measured: tuple[Measured, ...]
    phases: tuple[tuple[str, dict[str, Value]], ...]
    notes: tuple[str, ...]
    kind: str = "run"

    def plain(self) -> dict[str, Any]:
        """The flat table {path: value} that the engine reads."""
        return {path: value.value for path, value in self.settings.items()}


class Chart(NamedTuple):
    kind: str
    title: str
    axes: dict[str, Item]
    where: str


class Compare(NamedTuple):
    """Runs side by side; ``baseline`` is the name of one of them."""

    name: str
    title: str
    span: Span
    where: str
    runs: tuple[Run, ...]
    baseline: str
    show: tuple[Item, ...]
    requires: tuple[Rule, ...]
    charts: tuple[Chart, ...]
    kind: str = "compare"


class Axis(NamedTuple):
    """A setting that varies: its values in base units (or choices), as written, and which axes move together with it.

    A value that is a choice with arguments is a dictionary {path: value}, so that a point takes all of it.
    """

    path: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    together: int  # axes of one number move in step; 0 = alone
    span: Span
    written: tuple[Expression, ...] = ()  # where other settings decide the values: what each was written as


class Table(NamedTuple):
    """A sweep, optimize, scale or sensitivity: checked, kept for the version that evaluates it."""

    kind: str
    name: str
    title: str
    span: Span
    where: str
    base: Run | None
    axes: tuple[Axis, ...]
    wheres: tuple[Rule, ...]
    requires: tuple[Rule, ...]
    show: tuple[Item, ...]
    aims: dict[str, tuple[Item, ...]]  # minimize, maximize, then_by, over; cheapest and fewest of a size
    settings: dict[str, Value]
    charts: tuple[Chart, ...]
    measured: tuple[Measured, ...]
    space: "Callable[[], Space] | None" = None  # the settings of its points, worked out when it is evaluated
    space_over: "Callable[[Sequence[Axis]], Space] | None" = None  # the same with other values of its axes


class Roofline(NamedTuple):
    name: str
    title: str
    span: Span
    where: str
    settings: dict[str, Value]
    kind: str = "roofline"


class PortfolioEntry(NamedTuple):
    """A run of a programme on its share of the cluster; times in seconds from the start of the programme."""

    name: str
    title: str
    where: str
    run: Run
    gpus: float
    start: float
    after: tuple[str, ...]
    deadline: float | None
    runs: float  # of this kind, one after the other
    trials: float
    evaluation: float
    restarts: float


class Portfolio(NamedTuple):
    """Several runs on a calendar; ``whole`` is the first entry's run on the whole cluster, for what the cluster is."""

    name: str
    title: str
    span: Span
    where: str
    cluster: str
    whole: Run
    gpus: float
    start: str
    hold: float | None
    entries: tuple[PortfolioEntry, ...]
    requires: tuple[Rule, ...]
    kind: str = "portfolio"


class Check(NamedTuple):
    """A rule of thumb; it applies where ``when`` holds (or is None) and is kept where every require holds."""

    name: str
    title: str
    severity: str
    when: Compiled | None
    requires: tuple[Rule, ...]
    limit: Item | None
    result: Item | None
    advice: str
    source: str
    where: str


class Report(NamedTuple):
    """What the document is to hold; every setting that was stated, and the blocks inside."""

    title: str
    where: str
    settings: dict[str, Value]
    show: tuple[Item, ...]
    conditions: tuple[dict[str, str], ...]
    approvals: tuple[dict[str, str], ...]
    revisions: tuple[dict[str, str], ...]


class Imported(NamedTuple):
    """A file that the scenario read: its logical path, the SHA-256 of its bytes, their number, and they themselves."""

    path: str
    sha256: str
    size: int
    data: bytes = b""


Experiment = Run | Compare | Table | Portfolio | Roofline


class Scenario(NamedTuple):
    """A scenario file resolved. ``experiments`` are those written in the file itself, in its order."""

    file: str
    title: str
    edition: int
    sha256: str
    source: str
    experiments: tuple[Experiment, ...]
    report: Report | None
    imports: tuple[Imported, ...]
    checks: tuple[Check, ...]
    overrides: tuple[str, ...]
    notes: tuple[str, ...]
    warnings: tuple[Problem, ...]
    varied: tuple[str, ...] = ()  # what the command line varies

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(e for e in self.experiments if isinstance(e, Run))

    @property
    def compares(self) -> tuple[Compare, ...]:
        return tuple(e for e in self.experiments if isinstance(e, Compare))

    @property
    def portfolios(self) -> tuple[Portfolio, ...]:
        return tuple(e for e in self.experiments if isinstance(e, Portfolio))

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(e for e in self.experiments if isinstance(e, Table))

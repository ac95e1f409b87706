"""From the files as read to the resolved scenario: names, ``from``, references, settings, conditions.

``resolve`` never raises for what a person wrote; it gives what it could make of the scenario, and every problem.
"""

from collections.abc import Iterable, Sequence

from dsl.algebra import Type
from dsl.beside import without_alternatives
from dsl.blocks import ALTERNATIVES, EMPTY, Body, Entry, Reader, inherited
from dsl.experiments import check_of, compare_of, report_of, roofline_of, table_of
from dsl.files import File, Loaded
from dsl.importers.beside import filled
from dsl.kinds import EVALUATED
from dsl.portfolios import portfolio_of
from dsl.problems import ECHOES, Problem, Span, hints
from dsl.runs import hides, named_block, run_of, table_of_block
from dsl.scenario import Check, Experiment, Imported, Report, Run, Scenario, Value
from dsl.schema import PREFIXES
from dsl.scope import EDITION, Defined, Scope, scopes
from dsl.sets import Override, overrides_of
from dsl.syntax import Edition
from dsl.table import Results, Table, row_type
from dsl.values import Settled

NAMED = ("gpu", "model", "cluster", "stack", "price", "hazard", "calibration", "trace")
TABLES = ("sweep", "optimize", "scale", "sensitivity", "size")


def resolve(
    loaded: Loaded, results: Results | None = None, overrides: Sequence[str] = (), varied: Sequence[str] = ()
) -> tuple[Scenario, list[Problem]]:
    """The scenario and its problems. ``results`` maps result names to dimensions ("seconds", "bytes/s"), so that
    conditions on them can be checked; ``overrides`` are texts such as "cluster.nodes=256", ``varied`` such as
    "layout.tensor=1..8"."""
    world = Resolution(loaded, results)
    try:
        with hints():
            world.override(overrides)
            scenario = world.scenario(varied)
    except RecursionError:
        world.problems.append(
            Problem(
                "E05",
                "nested too deep",
                Span(loaded.main.name, 1, 1, 1),
                help="shorten the chain of blocks or lets that build on each other",
            )
        )
        scenario = world.nothing()
    found = [p for p in dict.fromkeys(world.problems) if p.severity == "error"]
    if loaded.problems:  # an unreadable statement leaves holes; what only echoes them is left out
        found = [p for p in found if p.code not in ECHOES]
    elif any(p.code == "E28" for p in found):  # so does one that is not read where it stands
        found = [p for p in found if p.code != "E15"]
    if any(p.code == "E25" for p in found):
        found = [p for p in found if p.code != "E23"]
    return scenario, in_order([*loaded.problems, *found], loaded)


def in_order(problems: list[Problem], loaded: Loaded) -> list[Problem]:
    """The problems as a reader meets them: the file itself first, from top to bottom."""
    files = {file.name: index for index, file in enumerate(loaded.files.values())}
    return sorted(problems, key=lambda p: (files.get(p.span.file, -1), p.span.line, p.span.column))


class Resolution:
    """The files of one scenario while they are worked out."""

    def __init__(self, loaded: Loaded, results: Results | None) -> None:
        self.loaded, self.results = loaded, results
        self.problems: list[Problem] = []
        self.notes: list[str] = list(loaded.notes)
        self.scopes = scopes(loaded, self.problems)
        self.main = self.scopes[loaded.main.key]
        self.overrides: list[Override] = []
        self.texts: tuple[str, ...] = ()
        self.bodies: dict[tuple[str, str, str], Body] = {}
        self.configurations: dict[str, Imported] = {}  # files that models name
        self.runs: dict[tuple[str, str, str], Run | None] = {}
        self.literals: dict[tuple[str, int], Settled] = {}  # values that name nothing, by path and identity
        self.tables: dict[tuple[str, str, str], Table] = {}
        self.open: list[tuple[str, str, str]] = []
        for scope in self.scopes.values():
            scope.value_of = self.value_of

    def scope_of(self, file: str) -> Scope:
        """The names of the file with this key; what --set says is read with those of the main file."""
        return self.scopes.get(file, self.main)

    def override(self, texts: Sequence[str]) -> None:
        """Takes in the --set texts."""
        self.texts = tuple(texts)
        self.overrides = overrides_of(texts, self.main, self.problems)

    def body(self, defined: Defined) -> Body:
        """A block with all that it copies, and with what --set says about it."""
        key = defined.key
        if defined.name and key in self.bodies:
            return self.bodies[key]
        if key in self.open:
            ring = " from ".join([k[2] for k in self.open[self.open.index(key) :]] + [key[2]])
            name = defined.block.base
            span = name.span if name else defined.block.span
            alone = self.open[-1] == key
            title = "a block cannot copy itself" if alone else "blocks copy each other in a circle"
            help = "name another block after from" if alone else "let one of them copy nothing"
            self.problems.append(Problem("E23", title, span, "leads back", (), (ring,), help))
            return EMPTY._replace(whole=False)
        self.open.append(key)
        body = Reader(defined.block, defined.kind, defined.scope.file, self.problems).read()
        if defined.kind.name == "model":
            body = body._replace(entries=body.entries | self._configuration(defined))
            body = filled(body, self.loaded, self.configurations, self.problems)
        base = self.base(defined)
        if base is not None:
            body = inherited(self.body(base), body)
        elif defined.block.base is not None:
            body = body._replace(whole=False)
        self.open.pop()
        body = self._set(defined, body)
        self.bodies[key] = body
        return body

    def base(self, defined: Defined) -> Defined | None:
        """The block that this one copies."""
        name = defined.block.base
        return None if name is None else defined.scope.find(defined.kind.name, name, self.problems)

    def _configuration(self, defined: Defined) -> dict[str, Entry]:
        """The configuration that --set names for this model, looked for beside the scenario like that of the file."""
        folder = self.loaded.main.folder
        told = [o.entry._replace(path=o.path) for o in self.overrides if o.block is defined and o.path == "hf"]
        return {e.path: e._replace(file=e.file._replace(folder=folder)) for e in told}

    def _set(self, defined: Defined, body: Body) -> Body:
        """What --set says about this block."""
        own = {o.path: o.entry._replace(path=o.path) for o in self.overrides if o.block is defined}
        if not own:
            return body
        dropped = {ALTERNATIVES[p] for p in own if p in ALTERNATIVES} - set(own)
        return body._replace(entries={p: e for p, e in body.entries.items() if p not in dropped} | own)

    def run(self, defined: Defined) -> Run | None:
        """A run resolved, once."""
        if defined.key not in self.runs:
            self.runs[defined.key] = run_of(self, defined)
        return self.runs[defined.key]

    def run_with(self, defined: Defined, entries: Sequence[Entry]) -> Run | None:
        """A run resolved with some settings replaced; its own of the same name give way, and what --set says of them.

        On another cluster, or with other GPUs, it takes neither its own nodes nor its own GPUs along.
        """
        overrides, body, paths = self.overrides, self.body(defined), {e.path for e in entries}
        hidden = paths | {"cluster.nodes", "cluster.gpus"} if paths & {"cluster", "cluster.gpus"} else paths
        own = {p: e for p, e in body.entries.items() if p not in hidden}
        self.bodies[defined.key] = body._replace(entries=own)
        told = paths | {"cluster.nodes"} if "cluster.gpus" in paths else paths
        kept = [o for o in overrides if o.block is not None or o.path not in told]
        self.overrides = [*kept, *(Override(e.path, e, None) for e in entries)]
        run = run_of(self, defined)
        self.overrides, self.bodies[defined.key] = overrides, body
        return run

    def table(self, defined: Defined) -> Table:
        """The settings of a named block by themselves, once."""
        if not defined.name:
            return table_of_block(self, defined)
        if defined.key not in self.tables:
            self.tables[defined.key] = table_of_block(self, defined)
        return self.tables[defined.key]

    def value_of(self, defined: Defined, path: str) -> tuple[Type, Value] | None:
        """A setting of a named block with its type, for expressions such as hopper.nodes."""
        table = self.table(defined)
        full = PREFIXES.get(defined.kind.name, "") + path
        row, value, entry = table.row(full), table.value(full), table.entries.get(full)
        return None if row is None or value is None else (row_type(row, entry.value if entry else None), value)

    def for_runs(self) -> list[Entry]:
        """The --set settings that reach every run."""
        return [o.entry._replace(path=o.path) for o in self.overrides if o.block is None]

    def nothing(self) -> Scenario:
        """An empty scenario of this file."""
        main = self.loaded.main
        return Scenario(
            main.logical, title_of(main), EDITION, main.sha256, main.text, (), None, (), (), self.texts, (), ()
        )

    def scenario(self, varied: Sequence[str] = ()) -> Scenario:
        """Everything that the main file says, and what the command line varies in it."""
        self._check_blocks()
        experiments = [e for d in self.main.ordered if (e := self._experiment(d)) is not None]
        if varied:
            from dsl.varied import tables_of, varied_of

            runs = [(d, self.run(d)) for d in self.main.ordered if d.kind.name == "run"]
            experiments += tables_of(self, varied_of(varied, self.main, self.problems), runs)
        report = self._report()
        if not any(p.severity == "error" for p in self.problems):  # one in error is no alternative, but may become one
            self.problems.extend(without_alternatives(report, experiments))
        checks = tuple(self._checks())
        main = self.loaded.main
        if main.tree and not isinstance(main.tree[0], Edition):
            self.notes.append(f"{main.logical} states no edition: read as edition {EDITION}")
        warnings = dict.fromkeys(p for p in self.problems if p.severity == "warning")
        return self.nothing()._replace(
            title=report.title if report and report.title else title_of(main),
            experiments=tuple(experiments),
            report=report,
            imports=tuple(self._imports()),
            checks=checks,
            notes=tuple(dict.fromkeys(self.notes)),
            warnings=tuple(in_order(list(warnings), self.loaded)),
            varied=tuple(varied),
        )

    def _check_blocks(self) -> None:
        """Blocks that no run may use are checked by themselves: those of the file and of files beside it."""
        for scope in self.scopes.values():
            if scope is self.main or not scope.file.library:
                for cell in scope.lets.values():
                    cell.typed(self.problems, cell.span)
                    hides(cell.name, cell.span, self.results or {}, self.problems)
                for defined in scope.ordered:
                    if defined.kind.name in NAMED:
                        named_block(self, defined)
                    elif scope is not self.main:
                        self._experiment(defined)

    def _experiment(self, defined: Defined) -> Experiment | None:
        kind = defined.kind.name
        if kind == "run":
            return self.run(defined)
        if kind == "compare":
            return compare_of(self, defined)
        if kind == "portfolio":
            return portfolio_of(self, defined)
        if kind == "roofline":
            return roofline_of(self, defined)
        return table_of(self, defined) if kind in TABLES else None

    def _report(self) -> Report | None:
        own = [d for d in self.main.ordered if d.kind.name == "report"]
        for extra in own[1:]:
            self.problems.append(
                Problem(
                    "E12",
                    "a file has one report",
                    extra.block.span,
                    "a second one",
                    help="make one of the two, or split the file",
                )
            )
        return report_of(self, own[0]) if own else None

    def _checks(self) -> Iterable[Check]:
        """The checks of the file, of its imports, and of the library; one of a name replaces those behind it."""
        seen = set[str]()
        order = [
            self.main,
            *(s for s in self.scopes.values() if s is not self.main and s.file.key not in self.loaded.implicit),
            *(self.scopes[key] for key in self.loaded.implicit),
        ]
        for scope in dict.fromkeys(order):
            for defined in scope.ordered:
                if defined.kind.name == "check" and defined.name not in seen:
                    seen.add(defined.name)
                    before = len(self.problems)
                    check = check_of(self, defined)
                    if scope.file.library and scope is not self.main and len(self.problems) > before:
                        del self.problems[before:]  # the library is not the reader's to mend
                        self.notes.append(
                            f"check `{defined.name}` of {scope.file.logical} needs results that are not there yet"
                        )
                    elif check is not None:
                        yield check

    def _imports(self) -> Iterable[Imported]:
        for file in self.loaded.files.values():
            if file.key != self.loaded.main.key:
                yield Imported(file.logical, file.sha256, file.size, file.data)
        yield from self.configurations.values()

    def hazard(self, scope: Scope) -> Defined | None:
        """The failure rates that hold where no mtbf is stated: the one called default, else the library's first."""
        every = [d for s in scope.visible() for (kind, _), d in s.blocks.items() if kind == "hazard"]
        return next((d for d in every if d.name == "default"), every[0] if every else None)


def title_of(file: File) -> str:
    """A file's own title: its name without the ending."""
    return file.logical.rpartition("/")[2].removesuffix(".scn")


def not_evaluated(scenario: Scenario) -> list[Experiment]:
    """The experiments that this version checks and does not evaluate."""
    return [e for e in scenario.experiments if e.kind not in EVALUATED]

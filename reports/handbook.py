"""The method handbook: every formula of the engine with its source, and with the numbers of a shipped scenario.

The text is that of the docstrings, the formulas and numbers are traced from runs of the scenarios named in EXAMPLES.
"""

from collections.abc import Iterator, Mapping, Sequence

from dsl.scenario import Run
from engine.metrics import METRICS
from engine.provenance.documented import ROOMS, Said, modules
from engine.provenance.quantities import QUANTITIES
from reports.document import phased
from reports.equations import Equation, Form, equations, printed
from reports.prose import capital
from reports.provenance import Provenance, formulas
from reports.works import NOTE, listed

FORMS = 4  # of one function
EXAMPLES = ("team-70b", "deepseek-v3", "llama-405b-16k", "reduced-70b")
HEAD = """# How the numbers are worked out

Made from the engine's docstrings and from runs of shipped scenarios by `make reference`; not edited by hand. Each entry
is a function of the engine: what it returns and by which equation, then its formula in the names of what it is worked
out from, the same with the numbers of a scenario, and the result. Names with dots are settings of the scenario. Values
are in base units inside the engine (seconds, bytes, FLOP, USD, joules) and printed here in units that suit them.
"""


def handbook(runs: Mapping[str, Run]) -> str:
    """The page. ``runs``: a run of each example, by the name of its file; a function has the numbers of the first."""
    worked = examples(runs)
    parts = [HEAD]
    for room, found in rooms(list(worked)):
        parts.append(f"\n## {room}\n")
        parts += [entry(said, *worked.get(said.function, ("", None))) for said in found]
    return "".join((*parts, "\n## Works cited\n", NOTE, "\n", *map(literal, listed())))


def examples(runs: Mapping[str, Run]) -> dict[str, tuple[str, Equation | None]]:
    """The equation of each function with the file that its numbers are of."""
    worked: dict[str, tuple[str, Equation | None]] = {}
    for name, run in runs.items():
        trees = Provenance(run, phased).list([m.name for m in METRICS])
        for e in equations(trees, formulas(trees), FORMS):
            if e.forms:
                worked.setdefault(e.function, (name, e))
    return worked


def rooms(traced: Sequence[str]) -> Iterator[tuple[str, list[Said]]]:
    """The functions of each room: those that a tree shows by name, and those that an example goes through."""
    named = {key.partition("[")[0].partition(":")[0] for key in QUANTITIES} | set(traced)
    known = [s for file in modules().values() for s in file.values() if s.function in named]
    for title, _ in ROOMS:
        yield title, sorted((s for s in known if s.room == title), key=lambda s: (s.file, s.line))


def entry(said: Said, example: str, found: Equation | None) -> str:
    """One function in Markdown."""
    lines = [f"\n### `{said.function}`\n", f"\n{literal(printed(said.text))}\n"]
    if found is not None:
        lines += ["\n", *(worked_out(form) for form in found.forms)]
        more = f" {found.more} more of its forms are in `scn explain`." if found.more else ""
        lines.append(f"\nNumbers of `scenarios/{example}.scn`.{more}\n")
    if said.left_out:
        lines.append(f"\nLeft out: {literal(printed(said.left_out))}\n")
    return "".join((*lines, f"\nSource: {literal(capital(printed(said.source)))} `{said.file}`\n"))


def worked_out(form: Form) -> str:
    """A formula, and the same with its numbers, as an item of a list."""
    names = "".join(f"{p.text}{'_' if p.number else ''}{p.number}".replace(" ", "_") if p.variable else p.text
                    for p in form.pieces)  # fmt: skip
    numbers = "".join(p.value if p.variable else p.text for p in form.pieces)
    note = "".join(f"; {part}" for part in (form.label, form.note) if part)
    return f"- `{form.symbol} = {names}`  \n  = {literal(numbers)} = **{literal(form.shown)}**{note}\n"


def literal(text: str) -> str:
    """Text in which no sign of Markdown acts."""
    return "".join(f"\\{c}" if c in "\\*_[]<>|" else c for c in text)

"""The reference page of the language, dsl/REFERENCE.md, written from the tables that the checker itself reads."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from dsl.dimensions import DISTRIBUTIONS, FUNCTIONS
from dsl.kinds import ARGUMENTS, KINDS, Kind, Setting
from dsl.limits import BOUNDS
from dsl.problems import CODES
from dsl.quantities import HOLDS, in_words
from dsl.units import REFUSED, UNITS, Unit

INTRODUCTION = """\
# The scenario language: reference

Written from the program's own tables by `make reference`; a test fails when this page lags behind them.

## A file

    edition 2026

    import "library/gpus.scn"
    import "library/models.scn" as zoo

    let deadline = 100 days

    kind name "Title" from base {
      setting = value
      require condition because "the reason"
    }

- Glued is one word, spaced is an operator: `a-b` is a name, `a - b` a subtraction; `GB/s` a unit, `GB / s` a division.
- `edition`, `import`, `let`, `where` and `require` begin a statement. A statement ends with its line, or with a comma
  inside { }; it goes on inside ( ) and [ ], after an operator, and on a line that begins with `and`, `or`, `because`.
- `from` copies a block: settings replace those of the base, inner blocks merge, lists replace. `layout { tensor = 8 }`
  and `layout.tensor = 8` say the same.
- A comment begins with #. `scn fmt` puts a file into canonical form, `scn check` names its mistakes, `scn explain CODE`
  tells more about one, `scn explain FILE RESULT` where a number comes from, `scn catalog` lists the library.

## Values

| form | examples |
|---|---|
| numbers | `24_576`, `1.5e12`; glued suffixes `8k` = 8,000, `15T`, `70B`, `2M`; `8Ki` = 8,192, `16Mi`, `1Gi`, `1Ti` |
| quantities | `80 GB`, `400 Gb/s`, `90%`, `15T tokens`, `$2.10/gpu-hour`, `$12M`; ratios `7:1` |
| texts, flags, names | `"a text"`, `true`, `false`, `h100-sxm`, `cluster.gpu.memory` |
| lists | `[1, 2, 4] sequences`, `[tensor, data]` |
| ranges, where a setting varies | `1..8`, `512..8192 sequences doubling`, `32..256 step 32`; both ends belong to them |
| arithmetic | `+ - * / ^`, brackets; sums need one dimension |
| conditions | `< <= > >= == !=`, in chains; `and`, `or`, `not`, `in`, `divides`; `if a then b else c` |
| shown values | `step_time as ms`, `mfu called "Utilization"` |
"""


BOUNDED = """\
Files may come from anyone: past one of these bounds there is a problem, and nothing is cut off in silence. A scenario
names files in its own folder and below, and in the library; `--allow-import DIR` allows another folder, links are
followed before that is judged, and pipes and devices are refused. Nothing is ever fetched from a network.
"""


class Named(Protocol):
    """A result as the caller knows it."""

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def doc(self) -> str: ...


def reference(results: Sequence[Named], facts: Sequence[Named]) -> str:
    """The page as text; ``results`` and ``facts`` are the names that conditions may use beside settings."""
    parts = [INTRODUCTION, *_functions(), *_units(), *_kinds(), *_results(results, facts), *_codes(), *_bounds()]
    return "\n".join(parts)


def _count(most: int) -> str:
    """A count in digits, or as a power of ten."""
    return f"10^{len(str(most)) - 1}" if most >= 10**15 else f"{most:,}"


def _bounds() -> list[str]:
    """What is read of each input at most, from the table that the readers themselves use."""
    rows = [(bound.of, bound.counted, f"{_count(bound.most)} {bound.unit}".rstrip()) for bound in BOUNDS]
    return ["## Bounds\n", BOUNDED, table(("input", "counted", "at most"), rows)]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines) + "\n"


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _functions() -> Iterator[str]:
    yield "## Functions\n"
    yield f"{_code(FUNCTIONS)}; `min` and `max` take one value or more, the others one.\n"
    counts = ", ".join(f"`{name}` ({count} values)" for name, count in DISTRIBUTIONS.items())
    yield f"Distributions, in a sensitivity: {counts}.\n"


def _units() -> Iterator[str]:
    """Units by what they measure; of counts the tag."""
    groups: dict[str, list[str]] = {}
    for spelling, unit in UNITS.items():
        groups.setdefault(_measures(unit), []).append(f"`{spelling}` {_size(unit)}".rstrip())
    yield "## Units\n"
    yield "Units are multiplied out with a slash: `TB/s`, `$/Mtoken`. Base units have no size beside them.\n"
    yield table(("of", "spellings"), ((what, ", ".join(spellings)) for what, spellings in groups.items()))
    yield "Spellings that are refused, with what to write instead:\n"
    helps: dict[str, list[str]] = {}
    for spelling, refusal in REFUSED.items():
        helps.setdefault(refusal.help, []).append(spelling)
    yield table(("not a unit", "instead"), ((_code(spellings), help) for help, spellings in helps.items()))


def _measures(unit: Unit) -> str:
    if unit.tag and any(unit.dimension):
        return f"time of {unit.tag}"
    return unit.tag or ("shares" if unit.scale == 0.01 else in_words(unit.dimension))


def _size(unit: Unit) -> str:
    """How many base units, powers of ten and of two as such; "" for one."""
    over, under = _power(unit.over), _power(unit.under)
    if under == "1":
        return "" if over == "1" else over
    return f"{under.replace('^', '^-')}" if over == "1" and "^" in under else f"{over}/{under}"


def _power(size: int) -> str:
    if size >= 1000 and set(str(size)) == {"1", "0"}:
        return f"10^{len(str(size)) - 1}"
    return f"2^{size.bit_length() - 1}" if size >= 1024 and size & (size - 1) == 0 else f"{size:,}"


def _kinds() -> Iterator[str]:
    yield "## Kinds of blocks\n"
    yield table(("kind", "what it is"), ((f"[`{kind.name}`](#{kind.name})", kind.doc) for kind in KINDS))
    yield "A setting that is required has no default; one without either is absent unless it is given.\n"
    for kind in KINDS:
        yield from _kind(kind, "###", "")


def _kind(kind: Kind, level: str, parent: str) -> Iterator[str]:
    """A kind with its settings and the blocks inside it."""
    yield f"{level} {kind.name}\n"
    yield f"{kind.doc[0].upper()}{kind.doc[1:]}.{_naming(kind, parent)}\n"
    if kind.settings:
        yield table(("setting", "holds", "default", "meaning"), map(_row, kind.settings))
    for (path, choice), rows in ARGUMENTS.items():
        if kind.name == path.split(".")[0] or (kind.name == "run" and "." not in path):
            yield f"Arguments of `{path.rpartition('.')[2]} = {choice}(…)`:\n"
            yield table(("argument", "holds", "default", "meaning"), map(_row, rows))
    for block in kind.blocks:
        yield from _kind(block, "####", f"{parent}{kind.name}")


def _naming(kind: Kind, parent: str) -> str:
    """How a block of the kind is written, and which statements it takes beside settings."""
    name = {
        "required": f" Written `{kind.name} name {{ … }}`.",
        "choice": f" Written {_code(f'{kind.name} {choice} {{ … }}' for choice in kind.name_choices)}.",
        "none": f" Written `{kind.name} {{ … }}`.",
        "optional": f' Written `{kind.name} "Title" {{ … }}`.',
    }[kind.named]
    inside = f" Stands in a `{parent}`" + (", several times." if kind.repeats else ".") if parent else ""
    takes = f" Takes {_code(kind.statements)}." if kind.statements else ""
    varies = " Takes any setting or result by its path." if kind.open_settings else ""
    return name + inside + takes + varies


def _row(row: Setting) -> tuple[str, str, str, str]:
    default = "required" if row.required else f"`{row.default}`" if row.default else ""
    meaning = row.doc + (f" ({row.bounds})" if row.bounds else "")
    return f"`{row.path}`", _holds(row), default, meaning


def _holds(row: Setting) -> str:
    """What a setting holds, with the units or the choices that one would type."""
    if row.choices and row.holds == "choice":
        return _code(row.choices)
    units = HOLDS[row.holds][2] if row.holds in HOLDS else ""
    words = {"share": "share, %", "number": "number", "ratio": "ratio"}.get(row.holds)
    held = words or (f"{row.holds}: {units}" if units and units != row.holds else row.holds)
    return f"{held}; or {_code(row.choices)}" if row.choices else held


def _results(results: Sequence[Named], facts: Sequence[Named]) -> Iterator[str]:
    yield "## Results\n"
    yield "Usable in `require`, `where`, `show`, `minimize`, `maximize` and `measured`; the columns of JSON and CSV.\n"
    yield table(("result", "shown in", "meaning"), ((f"`{m.name}`", m.unit, m.doc) for m in results))
    yield "### Facts\n"
    yield "Beside results, conditions may ask about the groups of ranks that the layout makes.\n"
    yield table(("fact", "meaning"), ((f"`{m.name}`", m.doc) for m in facts))


def _codes() -> Iterator[str]:
    yield "## Problem codes\n"
    yield "`scn explain CODE` has the long story of each, with a wrong line and the right one.\n"
    yield table(("code", "meaning"), CODES.items())

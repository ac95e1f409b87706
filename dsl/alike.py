"""Runs that are compared train the same tokens and are paid in the same currency, or the comparison is refused."""

from collections.abc import Sequence
from typing import Protocol

from dsl.blocks import Body, Entry, text_of
from dsl.problems import Label, Problem
from dsl.scenario import Run, Value
from dsl.scope import Defined
from dsl.syntax import written
from dsl.units import number

Stated = tuple[str, Value | None]


class World(Protocol):
    """What the judgement needs of the scenario."""

    problems: list[Problem]

    def body(self, defined: Defined) -> Body: ...


def alike(world: World, between: Entry, found: Sequence[Defined], runs: Sequence[Run]) -> bool:
    """Whether runs may stand side by side; a problem that names the first that does not match where they may not.

    A run that states no tokens has neither days nor a cost, and contradicts nobody.
    """
    tokens = [(run, value) for run in runs if (value := run.settings.get("tokens")) is not None]
    for run, value in tokens[1:]:
        first, own = tokens[0]
        if value.value != own.value:
            _refuse(world, between, first.name, run.name, "tokens", (own, value))
            return False
    money = [_currency(world, defined) for defined in found]
    for defined, own_money in zip(found, money, strict=True):
        if own_money != money[0]:
            title = f"`{found[0].name}` is reported in {money[0]}, `{defined.name}` in {own_money}"
            notes = ("runs of different currencies cannot be compared: no rate between the two is stated",)
            help = "let the reports of both files state the same currency and rate"
            world.problems.append(Problem("E26", title, between.value.span, "unlike currency", (), notes, help))
            return False
    return True


SUFFIXES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


def amount(value: float) -> str:
    """A count as the language writes it: 15T, 500B, 16.8M."""
    size, suffix = next((row for row in SUFFIXES if value >= row[0]), (1.0, ""))
    return f"{number(value / size)}{suffix}"


def _refuse(world: World, between: Entry, first: str, other: str, path: str, values: tuple[Value, Value]) -> None:
    """The problem of two runs that state different amounts of what both must have."""
    own, value = (f"{amount(v.value)} {path}" for v in values)
    names = zip(values, (first, other), strict=True)
    labels = tuple(Label(v.span, f"those of `{name}`") for v, name in names if v.span is not None)
    world.problems.append(
        Problem(
            "E26",
            f"`{first}` trains {own}, `{other}` {value}",
            between.value.span,
            f"unlike {path}",
            labels,
            ("their days and costs would differ by what they train, not by how they train it",),
            f"give both the same {path}, or compare runs that have them",
        )
    )


def _currency(world: World, defined: Defined) -> str:
    """The currency and rate in which the file of a run reports, dollars where it says nothing."""
    reports = [d for d in defined.scope.ordered if d.kind.name == "report"]
    body = world.body(reports[0]) if reports else None
    if body is None:
        return "USD"
    rate = body.entries.get("rate")
    text = text_of(body, "currency") or "USD"
    return text if rate is None or text == "USD" else f"{text} at {written(rate.value)}"

"""The campaigns: what each makes of a random number, and what the program is asked to do with it."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from dsl.files import load, load_text
from dsl.form import canonical
from dsl.parse import parse
from dsl.problems import show, to_json
from dsl.resolve import resolve
from engine.evaluate import evaluate
from engine.read import read
from reports.commands import shell
from reports.commands.job import perform
from reports.commands.outcome import Job
from reports.commands.source import NAMES
from reports.document import build
from reports.imports.asked import Asked, Given
from reports.imports.formats import detected, named, plain
from reports.point import point_of
from tests.fuzz.files import SEEDS, file
from tests.fuzz.scenarios import scenario
from tests.fuzz.texts import any_bytes, any_text

Input = str | bytes
OPEN = "edition 2026\n"


@dataclass(frozen=True)
class Campaign:
    """How inputs are made and tried. ``tried`` says whether the input was good: it checked clean and was evaluated,
    or the file was read; ``least`` is the share of good ones that the campaign must reach.
    """

    name: str
    made: Callable[[Random], Input]
    tried: Callable[[Input, Path], bool]
    weight: float  # of the time
    nightly: int  # inputs of a nightly run
    limit: float  # seconds of the processor for one input
    least: float = 0.0


def parsed(given: Input, folder: Path) -> bool:
    """A text becomes a tree or problems, each with its place; a file that is right has a canonical form."""
    if isinstance(given, bytes):
        place = folder / "bytes.scn"
        place.write_bytes(given)
        loaded = load(place)
        show(loaded.problems, loaded.sources)
        return not loaded.problems
    _, problems = parse(given, "case.scn")
    assert len(to_json(problems)) == len(problems)
    assert show(problems, {"case.scn": given}) or not problems
    if problems:
        return False
    form, wrong = canonical(given)
    assert wrong or canonical(form) == (form, []), "the canonical form is not canonical"
    return True


def checked(given: Input, folder: Path) -> bool:
    """A scenario becomes problems, or runs with finite results; of one in sixteen also the whole document is made."""
    loaded = load_text(_text(given), "case.scn")
    scenario, problems = resolve(loaded, NAMES)
    assert show((*problems, *scenario.warnings), loaded.sources) or not problems
    if problems:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the command does
        for run in scenario.runs:
            found = evaluate(read(run.plain()), advise=False)
            told = any(row["result"] == "step_time" for row in point_of(found)["unavailable"])
            assert told or found.step is None or np.isfinite(found.step.seconds).all(), "a step takes no time"
        if len(loaded.main.text) % 16 == 0:
            json.dumps(build(scenario), allow_nan=False)
    return True


def imported(form: str) -> Callable[[Input, Path], bool]:
    """A file of another program becomes blocks that the language reads, or problems."""

    def tried(given: Input, folder: Path) -> bool:
        assert isinstance(given, bytes)
        files, packed = plain([Given(f"case.{form}", given)])
        detected(files)
        found = named(form)
        assert found is not None
        made = found.make(Asked(files, gpu="h100-sxm" if form == "gemm" else "")) if not packed else None
        if made is None or made.problems:
            wrong = packed if made is None else made.problems
            assert show(wrong, {f"case.{form}": given.decode("utf-8", "replace")})
            return False
        assert not parse(made.text, "made.scn")[1], "what was printed cannot be read"
        return True

    return tried


def rendered(*formats: str) -> Callable[[Input, Path], bool]:
    """A scenario file is rendered as the command does; an accident of the program is told as such by its outcome."""

    def tried(given: Input, folder: Path) -> bool:
        place = folder / "case.scn"
        place.write_text(_text(given), "utf-8", errors="surrogatepass")
        outcome = perform(Job(place, folder / "out", formats))
        assert outcome.code not in (shell.INTERNAL, shell.CANNOT_WRITE), outcome.problems
        return outcome.code in (shell.HOLDS, shell.DOES_NOT_HOLD)

    return tried


def _text(given: Input) -> str:
    return given if isinstance(given, str) else given.decode("utf-8", "replace")


def _any(random: Random) -> Input:
    pick = random.random()
    return any_bytes(random) if pick < 0.2 else scenario(random) if pick < 0.3 else any_text(random)


CAMPAIGNS = (
    Campaign("parser", _any, parsed, 2, 10**6, 20),
    Campaign("check", scenario, checked, 4, 10**5, 60, 1 / 3),
    *(Campaign(form, lambda r, form=form: file(r, form), imported(form), 0.4, 10**5, 20) for form in SEEDS),  # type: ignore[misc]
    Campaign("html", scenario, rendered("html", "csv"), 3, 10**4, 120, 1 / 3),
    Campaign("pdf", scenario, rendered("pdf"), 3, 100, 300, 1 / 3),
)  # fmt: skip

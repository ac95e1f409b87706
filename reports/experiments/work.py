"""How the points of a table are worked through: in this process, over several, or on other machines.

A table is cut into parts; whoever evaluates them, results are taken in the order of the parts, so that every way gives
the same bytes. What has been gathered is kept beside the output from time to time and when Ctrl-C stops the work;
``--resume`` goes on from there, as long as the scenario, the settings and the program are the same.
"""

import hashlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from dsl.inside import Unreadable, plain
from dsl.limits import DOCUMENT
from dsl.scenario import Scenario, Table
from dsl.space import Space
from reports.experiments.evaluation import Found, evaluated, loose
from reports.experiments.parts import Part, parts
from reports.program import program
from reports.recipe import Recipe

if TYPE_CHECKING:
    from reports.experiments.streams import Stream

CHUNK = 32_768  # points evaluated at a time: more gain nothing, and memory stays flat
STREAMED = 10_000  # points from which a table streams to a file of its own
SAVED = 5.0  # seconds between two savings of what is done
TOGETHER = 4  # parts that a worker evaluates at a time
LARGE = 4 * CHUNK  # points from which other processes are worth starting


class Task(NamedTuple):
    """Some parts of a table of a scenario; ``wanted`` are the results asked for, all where it is None."""

    recipe: Recipe
    table: int
    first: int
    last: int
    wanted: tuple[str, ...] | None


class Gatherer(Protocol):
    """What takes evaluated parts in, and can be put aside."""

    def add(self, found: Found, points: int) -> None: ...
    def state(self) -> Any: ...
    def restore(self, state: Any) -> None: ...
    def stop(self) -> None: ...
    def streamed(self, files: list[dict[str, Any]]) -> None: ...


Pool = Callable[[Sequence[Task]], Iterator[list[Found]]]  # results in the order of the tasks
Told = Callable[[str, int, int], None]  # table, points done, points in all


def untold(table: str, done: int, total: int) -> None:
    """Says nothing of points that are done."""


@dataclass
class Work:
    """How the tables of one scenario are worked through."""

    recipe: Recipe | None = None
    tables: tuple[Table, ...] = ()
    pool: Pool | None = None
    told: Told = untold
    kept: Path | None = None  # the folder of what is put aside, and of tables that stream
    resume: bool = False
    formats: tuple[str, ...] = ()  # of large tables: csv, parquet


CURRENT: ContextVar[Work] = ContextVar("work")


@contextmanager
def working(work: Work) -> Iterator[None]:
    """Tables evaluated meanwhile are worked through like this."""
    token = CURRENT.set(work)
    try:
        yield
    finally:
        CURRENT.reset(token)


def gather(table: Table, space: Space, into: Gatherer, wanted: frozenset[str] | None = None) -> None:
    """Every part of a table, evaluated and taken in. Ctrl-C ends it early, and ``into`` says so."""
    assert table.base is not None
    work = CURRENT.get(None) or Work()
    pieces = list(parts(space, CHUNK, loose(table.base)))
    total, saved = sum(piece.size for piece in pieces), time.monotonic()
    place = _place(work, table)
    streams = list(_streams(work, table, space)) if total > STREAMED else []
    wanted = None if streams else wanted  # a file holds every result
    key = identity(work, table, wanted) if place is not None else ""
    number = restored(place, key, into, streams) if work.resume else 0
    done = sum(piece.size for piece in pieces[:number])
    with until_ctrl_c() as stopped:
        for found in _found(work, table, pieces, number, wanted):
            into.add(found, pieces[number].size)
            for stream in streams:
                stream.write(found)
            number, done = number + 1, done + pieces[number].size
            work.told(table.name, done, total)
            if place is not None and (stopped() or time.monotonic() - saved > SAVED) and number < len(pieces):
                put_aside(place, key, number, into, streams)
                saved = time.monotonic()
            if stopped() and number < len(pieces):
                into.stop()
                for stream in streams:
                    stream.leave()
                return
    for stream in streams:
        stream.finish()
    into.streamed([{"file": stream.place.name, "rows": stream.rows} for stream in streams])
    if place is not None:
        place.unlink(missing_ok=True)


@contextmanager
def until_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed meanwhile: the part at hand is finished first. Pressed again it stops at once."""
    pressed: list[int] = []

    def press(number: int, frame: Any) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    deaf = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if deaf or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def _found(
    work: Work, table: Table, pieces: Sequence[Part], start: int, wanted: frozenset[str] | None
) -> Iterator[Found]:
    """The parts from ``start`` on, evaluated, in order."""
    left = pieces[start:]
    known = [i for i, own in enumerate(work.tables) if own is table]
    if work.pool is None or work.recipe is None or not known or sum(p.size for p in left) < LARGE:
        yield from (evaluated(table, piece, wanted) for piece in left)
        return
    asked = None if wanted is None else tuple(sorted(wanted))
    tasks = [
        Task(work.recipe, known[0], i, min(i + TOGETHER, len(pieces)), asked)
        for i in range(start, len(pieces), TOGETHER)
    ]
    for several in work.pool(tasks):
        yield from several


def perform(task: Task) -> list[Found]:
    """The parts of a task, evaluated by a worker that has nothing but the task."""
    table, pieces = _opened(task.recipe, task.table)
    return [evaluated(table, piece, task.wanted) for piece in pieces[task.first : task.last]]


@lru_cache(maxsize=4)
def _opened(recipe: Recipe, number: int) -> tuple[Table, list[Part]]:
    """A table of a scenario and its parts, cut as everybody cuts them."""
    table = read(recipe).tables[number]
    assert table.space is not None and table.base is not None
    return table, list(parts(table.space(), CHUNK, loose(table.base)))


def read(recipe: Recipe) -> Scenario:
    """The scenario of a recipe."""
    from dsl.files import load
    from dsl.resolve import resolve
    from reports.commands.source import NAMES

    loaded = load(recipe.file, unsaved=dict(recipe.texts), allowed=recipe.allowed)
    return resolve(loaded, NAMES, recipe.overrides, recipe.varied)[0]


def _streams(work: Work, table: Table, space: Space) -> Iterator["Stream"]:
    """Files for the whole table, where they are asked for and a folder is there to take them."""
    if work.kept is not None and work.recipe is not None and work.formats:
        from reports.experiments.streams import opened

        yield from opened(work.kept, Path(work.recipe.file).stem, work.formats, table, space)


# What is put aside


def _place(work: Work, table: Table) -> Path | None:
    if work.kept is None or work.recipe is None:
        return None
    stem = Path(work.recipe.file).stem
    return work.kept / f".{stem}.{table.kind}.{table.name}.partial"


def identity(work: Work, table: Table, wanted: frozenset[str] | None) -> str:
    """What results depend on, as one number: the texts, the settings, the table, the program."""
    recipe = work.recipe and (work.recipe.overrides, work.recipe.varied, [text for _, text in work.recipe.texts])
    told = [recipe, table.kind, table.name, sorted(wanted or ()), CHUNK, program()]
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


def put_aside(place: Path, key: str, number: int, into: Gatherer, streams: Sequence["Stream"] = ()) -> None:
    """Writes what has been gathered, whole or not at all; where it cannot be written nothing is put aside."""
    from reports.commands.files import write
    from reports.commands.shell import CannotWrite

    try:
        files = [stream.state() for stream in streams]
        data = json.dumps({"key": key, "parts": number, "state": into.state(), "streams": files}).encode()
        write({place: hashlib.sha256(data).hexdigest().encode() + b"\n" + data})
    except CannotWrite:
        return


def _whole(place: Path) -> Any:
    """What was put aside; None where nothing is, or where it is not as it was written."""
    try:
        digest, _, data = plain(place, DOCUMENT).partition(b"\n")
        return json.loads(data) if hashlib.sha256(data).hexdigest().encode() == digest else None
    except (OSError, ValueError, Unreadable):
        return None


def restored(place: Path | None, key: str, into: Gatherer, streams: Sequence["Stream"] = ()) -> int:
    """How many parts are done; what was gathered from them is back in ``into``. 0 where anything is different."""
    found = _whole(place) if place is not None else None
    if found is None or found.get("key") != key or len(found["streams"]) != len(streams):
        return 0
    if not all(stream.restore(own) for stream, own in zip(streams, found["streams"], strict=True)):
        return 0
    into.restore(found["state"])
    return int(found["parts"])

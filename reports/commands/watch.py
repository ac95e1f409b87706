"""`render --watch`: files rendered again when they, or what they name, change; Ctrl-C ends it."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from reports.commands import shell
from reports.commands.outcome import Job, Outcome

EVERY = 0.5  # seconds between two looks at the files
SETTLED = 0.1  # seconds in which an editor that is writing goes on
LOOKS = 20  # that long at most are changes waited for to come to an end

State = dict[Path, tuple[int, int, int] | None]
Render = Callable[[Sequence[Job]], list[Outcome]]
Tell = Callable[[Sequence[Outcome], Sequence[str], float], None]
"""Says what became of the files: their outcomes, the names of what changed, and the seconds it took."""


def state(paths: Iterable[Path]) -> State:
    """Time, size and number of every file; None where there is none."""
    found: State = {}
    for path in paths:
        try:
            status = os.stat(path)
            found[path] = status.st_mtime_ns, status.st_size, status.st_ino
        except (OSError, ValueError):
            found[path] = None
    return found


def watched(work: Sequence[Job], render: Render, tell: Tell) -> int:
    """Renders all files, then those that change, until Ctrl-C: exit code 0, as every document written is whole."""
    try:
        seen = {job: state([job.file.absolute()]) for job in work}
        if again(work, seen, render, tell, []):
            return shell.HOLDS
        while True:
            time.sleep(EVERY)
            changed = {job: different(seen[job]) for job in work}
            if any(changed.values()):
                names = settled([path for paths in changed.values() for path in paths])
                if again([job for job in work if changed[job]], seen, render, tell, names):
                    return shell.HOLDS
    except KeyboardInterrupt:
        return shell.HOLDS


def again(work: Sequence[Job], seen: dict[Job, State], render: Render, tell: Tell, names: Sequence[str]) -> bool:
    """Renders files and notes what they depend on now; whether Ctrl-C ended one of them.

    What was there before is noted as it was when rendering began: a change meanwhile is a change.
    """
    before = {job: state(seen[job]) for job in work}
    start = time.monotonic()
    outcomes = render(work)
    for job, outcome in zip(work, outcomes, strict=True):
        paths = {job.file.absolute(), *outcome.reads, *(() if outcome.reads else seen[job])}
        seen[job] = state(paths) | {path: own for path, own in before[job].items() if path in paths}
    tell(outcomes, names, time.monotonic() - start)
    return any(outcome.code == shell.STOPPED for outcome in outcomes)


def different(before: State) -> list[Path]:
    """The files that are not what they were."""
    now = state(before)
    return [path for path in before if now[path] != before[path]]


def settled(paths: Sequence[Path]) -> list[str]:
    """The names of files, once nobody writes them any more."""
    last = state(paths)
    for _ in range(LOOKS):
        time.sleep(SETTLED)
        now = state(paths)
        if now == last:
            break
        last = now
    return sorted({path.name for path in paths})

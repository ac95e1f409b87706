"""What documents were made from, so that they are not made again where nothing changed.

A stamp lies in the cache folder, not among the documents. It holds what came of a job, with the fingerprints of all
that was read, of the program, and of every file that was written: one that is missing or altered is made again.
"""

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from dsl.cache import digest
from reports import shelf
from reports.commands import shell
from reports.commands.outcome import Job, Outcome
from reports.commands.reads import below, fingerprints
from reports.commands.source import Source
from reports.program import program, surroundings, versions

LASTING = (shell.HOLDS, shell.DOES_NOT_HOLD)  # outcomes that stay what they are: nothing was missing or stopped

HOW = ("resume", "workers", "scheduler", "force")  # ways to work that change no document


def unchanged(job: Job) -> Outcome | None:
    """What came of the job last time, where it would come out the same and all its documents are still there."""
    if job.out is None or job.force:
        return None
    kept = stamp(job)
    if kept is None or kept["made"] != made(job):
        return None
    if any(fingerprints(kept[part]) != kept[part] for part in ("read", "written")):
        return None
    told: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in kept["outcome"].items()}
    paths = {part: tuple(map(Path, told[part])) for part in ("written", "reads")}
    return Outcome(**(told | paths | {"unchanged": True}))


def keep(job: Job, source: Source, read: dict[str, str], outcome: Outcome) -> None:
    """Stamps what came of a job; ``read`` are the fingerprints taken before it was evaluated.

    A file that changed while it was read leaves no stamp.
    """
    torn = not source.digests <= set(read.values())
    if job.out is None or torn or outcome.code not in LASTING:
        return
    written = fingerprints(os.path.abspath(path) for path in outcome.written)
    kept = {"made": made(job), "read": read, "written": written, "outcome": asdict(outcome)}
    shelf.put("stamps", name(job), json.dumps(kept, default=str).encode("utf-8", "surrogatepass"))


def stamp(job: Job) -> Any:
    """What is kept of a job."""
    data = shelf.taken("stamps", name(job))
    try:
        return None if data is None else json.loads(data)
    except ValueError:
        return None


def name(job: Job) -> str:
    """A stamp's name: one for every folder, file and choice of formats."""
    return digest(os.path.abspath(job.out or ""), job.file.stem, *job.formats)


def made(job: Job) -> str:
    """Everything beside the files read that decides what comes of a job, as one number."""
    asked = (f"{f.name} {getattr(job, f.name)!r}" for f in fields(job) if f.name not in HOW)
    return digest(os.getcwd(), *asked, *map(str, below(job.templates)), program(), versions(), surroundings())

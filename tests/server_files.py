"""Files as an editor holds them, checked in this process: two that import each other, and what results there are."""

from pathlib import Path

from dsl.server.checked import Checked, key_of
from dsl.server.cursor import Cursor, cursor
from dsl.server.hover import Result

RESULTS = [
    Result("mfu", "%", "model FLOPs utilization"),
    Result("step_time", "s", "time of one step"),
    Result("memory_per_gpu", "", "bytes on the busiest GPU"),
]
BY_NAME = {result.name: result for result in RESULTS}
DIMENSIONS = {"mfu": "share", "step_time": "seconds", "memory_per_gpu": "bytes"}


def placed(text: str) -> tuple[str, int, int]:
    """A text without its |, and the line and column of it."""
    before = text.partition("|")[0].split("\n")
    return text.replace("|", "", 1), len(before), len(before[-1]) + 1


def at_bar(text: str) -> Cursor:
    """The cursor at the | of a text."""
    return cursor(*placed(text))


def alone(text: str) -> Checked:
    """A text that is in no file."""
    return Checked("untitled", {"untitled": text}, DIMENSIONS)


def written(folder: Path, **texts: str) -> dict[str, Checked]:
    """Files of a folder, on disk and open, by name without ending."""
    held = {}
    for name, text in texts.items():
        path = folder / f"{name}.scn"
        path.write_text(text, "utf-8")
        held[key_of(str(path))] = text
    return {name: Checked(str(folder / f"{name}.scn"), held, DIMENSIONS) for name in texts}

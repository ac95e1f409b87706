"""Progress on a terminal: how many files are done, and of a large table how many points, how fast, how long still."""

import time
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from reports.commands.outcome import Outcome


class Bars:
    """Two bars on standard error; they are gone when the work is done."""

    def __init__(self, files: int) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        self.bars = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self.files = self.bars.add_task("rendering", total=files)
        self.table: tuple[str, TaskID, float, int] | None = None  # name, bar, start, points done then

    def __enter__(self) -> "Bars":
        self.bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.bars.stop()

    def __call__(self, outcome: Outcome) -> None:
        """A file is done."""
        self.bars.update(self.files, advance=1, description=Path(outcome.file).name)

    def points(self, table: str, done: int, total: int) -> None:
        """So many points of a table are done."""
        if self.table is None or self.table[0] != table:
            self.table = table, self.bars.add_task(table, total=total), time.monotonic(), done
            self.bars.update(self.table[1], completed=done)
            return
        _, bar, start, before = self.table
        rate = (done - before) / max(time.monotonic() - start, 1e-9)
        self.bars.update(bar, completed=done, description=f"{table}: {rate:,.0f} points/s".replace(",", " "))
        if done >= total:
            self.bars.remove_task(bar)
            self.table = None

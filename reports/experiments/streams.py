"""The whole of a large table as a file, written part by part: CSV, or Parquet where pyarrow is installed.

Rows stand in the order in which parts are evaluated; ``index`` numbers the points as the table is written. The file has
a hidden name until its last row is there.
"""

import fcntl
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Protocol, TextIO

import numpy as np

from dsl.scenario import Table
from dsl.space import Space
from dsl.whole import aside
from engine.metrics import METRICS
from reports.commands.shell import CannotWrite
from reports.experiments.evaluation import STATUS, Found
from reports.experiments.table import FOLLOWING, axis_value, picked

DIGITS = "%.12g"
FORMATS = ("csv", "parquet")


class Stream(Protocol):
    """A file that takes the points of a table part by part."""

    rows: int
    place: Path

    def write(self, found: Found) -> None: ...
    def state(self) -> Any: ...
    def restore(self, state: Any) -> bool: ...
    def finish(self) -> None: ...
    def leave(self) -> None: ...


def frame(table: Table, space: Space, found: Found) -> Any:
    """Some points as a data frame: number, settings that vary and what follows, status, every result."""
    import pandas as pd

    lengths = [len(d.steps) for d in space.dimensions]
    at = np.unravel_index(found.index, lengths)
    columns: dict[str, Any] = {"index": found.index}
    for dimension, positions in zip(space.dimensions, at, strict=True):
        for axis in dimension.axes:
            values = [axis_value(axis, i) for i in range(len(axis.values))]
            columns[axis.path] = np.array(values, dtype=object if isinstance(values[0], str) else np.float64)[positions]
    for path in FOLLOWING:
        if path not in columns:
            own = [picked(found.settings.get(path), k) for k in range(found.size)]
            columns[path] = np.array(own, dtype=np.float64)
    columns["status"] = np.array(STATUS, dtype=object)[found.status]
    empty = np.full(found.size, np.nan)
    return pd.DataFrame(columns | {m.name: found.results.get(m.name, empty) for m in METRICS})


class Written(ABC):
    """A table written beside its place, which takes its name when it is whole."""

    def __init__(self, place: Path, table: Table, space: Space) -> None:
        self.place, self.table, self.space, self.rows = place, table, space, 0
        self.part = place.with_name(f".{place.name}.part")
        self.file: Any = None
        self.folder = ExitStack()
        self.apart = False  # in a folder of its own, which ends with this call

    def go_apart(self) -> None:
        """Writes where no other call does."""
        self.part, self.apart = self.folder.enter_context(aside(self.place.parent)) / "0", True

    def write(self, found: Found) -> None:
        """Adds points; the first ones come with the names of the columns."""
        try:
            self.add(found)
        except OSError as error:
            self.drop()
            raise CannotWrite(self.place, error) from error
        self.rows += found.size

    @abstractmethod
    def add(self, found: Found) -> None:
        """Adds points to the file that is written."""

    def finish(self) -> None:
        """Gives the file its name; only then may another call take its old one."""
        try:
            if self.file is not None:
                self.end()
                self.part.replace(self.place)
                self.file.close()
        except OSError as error:
            self.drop()
            raise CannotWrite(self.place, error) from error
        self.folder.close()

    def end(self) -> None:
        """All of the file is with the system."""
        self.file.flush()

    def drop(self) -> None:
        """Takes away what cannot be finished."""
        with suppress(OSError):
            self.part.unlink(missing_ok=True)
        with suppress(OSError):
            if self.file is not None:
                self.file.close()
        self.folder.close()


class Csv(Written):
    """Comma-separated values; base units, 12 digits, what is missing is empty."""

    def add(self, found: Found) -> None:
        if self.file is None:
            self.file = self.begun()
        made = frame(self.table, self.space, found)
        made.to_csv(self.file, header=not self.file.tell(), index=False, float_format=DIGITS, lineterminator="\r\n")

    def begun(self) -> TextIO:
        """The empty file; one apart where another call writes the same table."""
        self.part.parent.mkdir(parents=True, exist_ok=True)
        file = claimed(self.part)
        if file is None:
            self.go_apart()
            return self.part.open("w", encoding="utf-8", newline="")
        file.seek(0)
        file.truncate()
        return file

    def state(self) -> Any:
        """How much of the file is whole; None where it cannot be gone on with."""
        if self.file is None:
            return {"rows": 0, "bytes": 0}
        try:
            self.file.flush()
        except OSError as error:
            raise CannotWrite(self.place, error) from error
        return None if self.apart else {"rows": self.rows, "bytes": self.file.tell()}

    def restore(self, state: Any) -> bool:
        """Goes on where a file was left; False where it is not there any more, or another call goes on with it."""
        if state is None or not self.part.exists() or self.part.stat().st_size < state["bytes"]:
            return False
        file = claimed(self.part)
        if file is None:
            return False
        file.truncate(state["bytes"])
        file.seek(0, os.SEEK_END)
        self.file, self.rows = file, state["rows"]
        return True

    def leave(self) -> None:
        """Leaves the file for a call that goes on."""
        if self.file is not None:
            self.file.close()
        self.folder.close()


def claimed(part: Path) -> TextIO | None:
    """A file to go on writing, which no other call gets as long as it is open; None where another has it."""
    while True:
        file = part.open("a", encoding="utf-8", newline="")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        except OSError:
            return file  # a file system without locks
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(part)):
                return file
        file.close()  # it has got its name meanwhile


class Parquet(Written):
    """Parquet, a row group a part. It cannot be gone on with: a call that resumes begins anew."""

    def add(self, found: Found) -> None:
        import pyarrow
        from pyarrow import parquet

        made = pyarrow.Table.from_pandas(frame(self.table, self.space, found), preserve_index=False)
        if self.file is None:
            self.go_apart()
            self.file = parquet.ParquetWriter(self.part, made.schema)
        self.file.write_table(made)

    def end(self) -> None:
        """The foot of the file, too."""
        self.file.close()

    def state(self) -> Any:
        """Nothing can be gone on with."""
        return None

    def restore(self, state: Any) -> bool:
        """Begins anew."""
        return False

    def leave(self) -> None:
        """Takes away what cannot be gone on with."""
        self.drop()


def opened(folder: Path, stem: str, formats: tuple[str, ...], table: Table, space: Space) -> Iterator[Stream]:
    """A stream for each format that is asked for."""
    kinds: dict[str, Any] = {"csv": Csv, "parquet": Parquet}
    for name in formats:
        if name in kinds:
            yield kinds[name](folder / f"{stem}.{table.kind}-{table.name}.points.{name}", table, space)

"""The whole of a large table as a file, written part by part: CSV, or Parquet where pyarrow is installed.

Rows stand in the order in which parts are evaluated; ``index`` numbers the points as the table is written. The file has
a hidden name until its last row is there.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from dsl.scenario import Table
from dsl.space import Space
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


class Written:
    """A table written beside its place, which takes its name when it is whole."""

    def __init__(self, place: Path, table: Table, space: Space) -> None:
        self.place, self.table, self.space, self.rows = place, table, space, 0
        self.part = place.with_name(f".{place.name}.part")
        self.file: Any = None

    def finish(self) -> None:
        """Gives the file its name."""
        if self.file is not None:
            self.file.close()
            self.part.replace(self.place)


class Csv(Written):
    """Comma-separated values; base units, 12 digits, what is missing is empty."""

    def write(self, found: Found) -> None:
        """Adds points; the first ones come with the names of the columns."""
        try:
            if self.file is None:
                self.part.parent.mkdir(parents=True, exist_ok=True)
                self.file = self.part.open("w", encoding="utf-8", newline="")
            made = frame(self.table, self.space, found)
            made.to_csv(self.file, header=not self.file.tell(), index=False, float_format=DIGITS, lineterminator="\r\n")
        except OSError as error:
            raise CannotWrite(self.place, error) from error
        self.rows += found.size

    def state(self) -> Any:
        """How much of the file is whole."""
        if self.file is None:
            return {"rows": 0, "bytes": 0}
        self.file.flush()
        return {"rows": self.rows, "bytes": self.file.tell()}

    def restore(self, state: Any) -> bool:
        """Goes on where a file was left; False where it is not there any more."""
        if not self.part.exists() or self.part.stat().st_size < state["bytes"]:
            return False
        os.truncate(self.part, state["bytes"])
        self.file, self.rows = self.part.open("a", encoding="utf-8", newline=""), state["rows"]
        return True

    def leave(self) -> None:
        """Leaves the file for a call that goes on."""
        if self.file is not None:
            self.file.close()


class Parquet(Written):
    """Parquet, a row group a part. It cannot be gone on with: a call that resumes begins anew."""

    def write(self, found: Found) -> None:
        """Adds points as a row group."""
        import pyarrow
        from pyarrow import parquet

        made = pyarrow.Table.from_pandas(frame(self.table, self.space, found), preserve_index=False)
        try:
            if self.file is None:
                self.part.parent.mkdir(parents=True, exist_ok=True)
                self.file = parquet.ParquetWriter(self.part, made.schema)
            self.file.write_table(made)
        except OSError as error:
            raise CannotWrite(self.place, error) from error
        self.rows += found.size

    def state(self) -> Any:
        """Nothing can be gone on with."""
        return None

    def restore(self, state: Any) -> bool:
        """Begins anew."""
        return False

    def leave(self) -> None:
        """Takes away what cannot be gone on with."""
        if self.file is not None:
            self.file.close()
        self.part.unlink(missing_ok=True)


def opened(folder: Path, stem: str, formats: tuple[str, ...], table: Table, space: Space) -> Iterator[Stream]:
    """A stream for each format that is asked for."""
    kinds: dict[str, Any] = {"csv": Csv, "parquet": Parquet}
    for name in formats:
        if name in kinds:
            yield kinds[name](folder / f"{stem}.{table.kind}-{table.name}.points.{name}", table, space)

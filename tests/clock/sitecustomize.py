"""A clock ten years ahead that the product's own code may not read: Python starts with it where this folder is in
PYTHONPATH, in processes that are started by others, too. A library that reads it is told the other time.
"""

import datetime
import os
import sys
import time
from collections.abc import Callable
from typing import Any

ROOMS = ("dsl", "engine", "reports", "templates", "scenarios")
AHEAD = 3652 * 86400.0


def refuse(name: str) -> None:
    """Raises where a file of the product asks; the two frames between are of this file."""
    caller = str(sys._getframe(2).f_globals.get("__name__"))
    if caller.partition(".")[0] in ROOMS:
        sys.stderr.write(f"{caller} reads the clock: {name}\n")
        sys.stderr.flush()
        os._exit(70)  # an exception might be caught


def ahead(name: str, unit: float = 1.0) -> Callable[[], Any]:
    """A clock that counts seconds or parts of one."""
    real = getattr(time, name)

    def clock() -> Any:
        refuse(f"time.{name}")
        return real() + type(real())(AHEAD * unit)

    return clock


def calendar(name: str) -> Callable[..., time.struct_time]:
    """A function that converts a given time, and without one the present."""
    real, now = getattr(time, name), time.time

    def converted(seconds: float | None = None) -> time.struct_time:
        if seconds is None:
            refuse(f"time.{name}")
        shown: time.struct_time = real(now() + AHEAD if seconds is None else seconds)
        return shown

    return converted


class Day(datetime.date):
    """A date whose today is ahead."""

    @classmethod
    def today(cls) -> "Day":
        refuse("date.today")
        return cls.fromtimestamp(NOW() + AHEAD)


class Moment(datetime.datetime):
    """A time whose now is ahead."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "Moment":
        refuse("datetime.now")
        return cls.fromtimestamp(NOW() + AHEAD, tz)

    @classmethod
    def utcnow(cls) -> "Moment":
        refuse("datetime.utcnow")
        return cls.fromtimestamp(NOW() + AHEAD)

    @classmethod
    def today(cls) -> "Moment":
        refuse("datetime.today")
        return cls.fromtimestamp(NOW() + AHEAD)


NOW = time.time
for function in ("localtime", "gmtime"):
    setattr(time, function, calendar(function))
for function, size in (("time", 1.0), ("time_ns", 1e9)):
    setattr(time, function, ahead(function, size))
for kind, other in (("date", Day), ("datetime", Moment)):
    setattr(datetime, kind, other)

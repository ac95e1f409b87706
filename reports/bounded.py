"""Work that others' templates do, bounded: so many seconds, so much memory, so many characters.

A sandbox keeps a template from files and from Python; these keep it from running on for ever.
"""

import ctypes
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from jinja2 import Template
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

SECONDS = 10.0  # of the processor, for one template of a company with all it includes
MEMORY = 1 << 30  # bytes beyond what the process has
CHARACTERS = 1_000_000  # of what one template adds
DIGITS = 4096  # bits of a whole number


class TooMuch(Exception):
    """A template ran on for too long, or wrote too much."""


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox in which nothing given is changed and no arithmetic grows without end."""

    intercepted_binops = frozenset(["*", "**"])

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Products of short numbers and texts; powers of small ones."""
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
            if bits > DIGITS:
                raise SecurityError(f"{operator} makes a number of more than {DIGITS} bits")
        return super().call_binop(context, operator, left, right)


@contextmanager
def bounded(seconds: float | None = None) -> Iterator[None]:
    """Inside, this thread is stopped by TooMuch after so many seconds of its own; the process may take so much more
    memory.
    """
    thread, lock, ended = threading.get_ident(), threading.Lock(), threading.Event()
    clock, most = time.pthread_getcpuclockid(thread), seconds or SECONDS
    end, fired = time.clock_gettime(clock) + most, threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            with lock:
                if not ended.is_set() and time.clock_gettime(clock) > end:
                    fired.set()
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TooMuch))
                    return

    watcher = threading.Thread(target=watch, daemon=True)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    known = [size for size in (soft, hard) if size != resource.RLIM_INFINITY]
    watcher.start()
    try:
        resource.setrlimit(resource.RLIMIT_AS, (min([taken() + MEMORY, *known]), hard))
        yield
    finally:
        with suppress(TooMuch):  # on its way when the work ended
            with lock:
                ended.set()
            arrived(fired.is_set())
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def arrived(due: bool) -> None:
    """Waits for an exception that was set for this thread, if it still comes.

    To take it back instead leaves Python 3.11 asking for it for ever, and a profile function then hangs it.
    """
    for _ in range(100_000 if due else 0):
        pass


def taken() -> int:
    """Bytes of address space that the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def written(template: Template, given: dict[str, Any], most: int) -> str:
    """What a template writes, stopped at ``most`` characters."""
    parts, size = [], 0
    for part in template.generate(given):
        size += len(part)
        if size > most:
            raise TooMuch(f"it writes more than {most:,} characters")
        parts.append(part)
    return "".join(parts)

"""What an input may not do: take too long, take too much memory, write outside its folder, open a connection."""

import os
import resource
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

MEMORY = 6 * 2**30  # bytes of address space
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.rmtree")
FORBIDDEN = ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec")
# Programs that name the system's fonts and, for ctypes.util.find_library, its libraries.
PROGRAMS = ("fc-list", "fc-match", "ldconfig", "gcc", "cc", "objdump", "ld")


class Hang(BaseException):
    """An input that takes longer than its limit; no `except Exception` stops it."""


class Watch:
    """Notes what a process does that it should not; audit hooks stay as long as the process."""

    def __init__(self, allowed: tuple[Path, ...]) -> None:
        self.allowed = tuple(str(path.resolve()) for path in (*allowed, Path(os.devnull)))
        self.seen: list[str] = []
        self.on = False
        sys.addaudithook(self.heard)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGPROF, _hang)

    def heard(self, event: str, args: tuple[object, ...]) -> None:
        """Notes a file opened for writing or changed outside the allowed folders, a connection, a program started."""
        if not self.on:
            return
        if event in FORBIDDEN and os.path.basename(str(args[0])) not in PROGRAMS:
            self.seen.append(f"{event} {args!r:.100}")
        elif event in CHANGES or (event == "open" and _writes(args)):
            self._place(event, args[0])

    def _place(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):  # the number of a file that is open
            return
        real = os.path.realpath(os.fsdecode(path))
        if not any(real == own or real.startswith(own + os.sep) for own in self.allowed):
            self.seen.append(f"{event} {real}")

    @contextmanager
    def watching(self, seconds: float) -> Generator[None, None, None]:
        """One input: at most so many seconds of the processor; the first forbidden thing that it did is raised."""
        self.seen.clear()
        self.on = True
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.on = False
        if self.seen:
            raise PermissionError(self.seen[0])


def _writes(args: tuple[object, ...]) -> bool:
    mode, flags = args[1], args[2]
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def _hang(signum: int, frame: FrameType | None) -> None:
    raise Hang("took too long")

"""A campaign in a process of its own, so that a crash of the process, a hang in C and a full memory are told too."""

import os
import signal
import struct
import tempfile
import time
import traceback
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from random import Random

from tests.fuzz.campaigns import Campaign
from tests.fuzz.guard import Watch

STATE = struct.Struct("qqqq")  # the input at work, inputs done, good ones, failures
MOST = 20  # failures after which a campaign ends


@dataclass(frozen=True)
class Ended:
    """What came of a campaign."""

    name: str
    done: int
    good: int
    seconds: float
    failures: tuple[Path, ...]

    @property
    def line(self) -> str:
        """The figures of a campaign."""
        share = self.good / self.done if self.done else 0.0
        rate = self.done / self.seconds if self.seconds else 0.0
        return f"{self.name:<12}{self.done:>9} inputs{share:>7.0%} good{rate:>10.1f}/s{len(self.failures):>5} failures"


def campaign(own: Campaign, seed: int, first: int, count: int, seconds: float, out: Path) -> Ended:
    """Inputs ``first`` and following, at most ``count`` of them, for so many seconds."""
    state, start = mmap(-1, STATE.size), time.monotonic()
    state[:] = STATE.pack(first - 1, 0, 0, 0)
    at, end = first, first + count
    while at < end and time.monotonic() - start < seconds:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            pid = os.fork()
            if pid == 0:
                _child(own, seed, (at, end), start + seconds, state, Path(folder), out)
            died = _waited(pid, state, own.limit)
        if not died:
            break
        last = STATE.unpack(state[:])[0]
        made = own.made(Random(f"{seed}:{own.name}:{last}"))
        kept(out, own.name, seed, last, made, f"the process ended: {died}\n")
        at = last + 1
    _, done, good, _ = STATE.unpack(state[:])
    failures = tuple(sorted(out.glob(f"{own.name}-{seed}-*.txt")))
    return Ended(own.name, done, good, time.monotonic() - start, failures)


def _waited(pid: int, state: mmap, limit: float) -> str:
    """How a process died; empty where it ended by itself. It is stopped at 20 times the limit by the clock."""
    last, since = state[: STATE.size], time.monotonic()
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "" if code == 0 else f"exit code {code}"
        if state[: STATE.size] != last:
            last, since = state[: STATE.size], time.monotonic()
        elif time.monotonic() - since > 20 * limit + 60:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "a hang"
        time.sleep(0.02)


def _child(
    own: Campaign, seed: int, inputs: tuple[int, int], until: float, state: mmap, folder: Path, out: Path
) -> None:
    """Never returns."""
    code = 1
    try:
        os.chdir(folder)
        cache = Path(os.environ["TONNAGE_CACHE"])
        os.environ |= {"MPLCONFIGDIR": str(cache / "matplotlib"), "TMPDIR": str(folder)}
        tempfile.tempdir = None  # the temporary files of an input are its own
        watch = Watch((folder, cache))
        _, done, good, failed = STATE.unpack(state[:])
        for i in range(*inputs):
            if time.monotonic() > until or failed >= MOST:
                break
            made = own.made(Random(f"{seed}:{own.name}:{i}"))
            state[:] = STATE.pack(i, done, good, failed)
            try:
                with watch.watching(own.limit):
                    good += own.tried(made, folder)
            except BaseException:  # noqa: BLE001 - whatever it is, it is what is looked for
                failed += 1
                kept(out, own.name, seed, i, made, traceback.format_exc())
            done += 1
            state[:] = STATE.pack(i, done, good, failed)
        code = 0
    except BaseException:  # noqa: BLE001 - the process ends here
        traceback.print_exc()
    finally:
        os._exit(code)


def kept(out: Path, name: str, seed: int, i: int, made: str | bytes, why: str) -> None:
    """Writes an input that failed, and why beside it."""
    out.mkdir(parents=True, exist_ok=True)
    data = made if isinstance(made, bytes) else made.encode("utf-8", "surrogatepass")
    (out / f"{name}-{seed}-{i}.input").write_bytes(data)
    (out / f"{name}-{seed}-{i}.txt").write_text(why, "utf-8", errors="backslashreplace")

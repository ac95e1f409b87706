"""`render --watch`: what changes is rendered again, errors do not end it, Ctrl-C does."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from reports.commands import shell, watch
from reports.commands.outcome import Job, Outcome
from tests.test_render import BIN, HOLDS, SMALL

IMPORTING = 'import "box.scn"\n' + SMALL


class Watched:
    """A watch whose clock changes files: at every look the next of some changes is made, then Ctrl-C is pressed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, codes: Sequence[int] = ()) -> None:
        self.jobs = [Job(folder / name, folder, ("json",)) for name in ("a.scn", "b.scn")]
        for job in self.jobs:
            job.file.write_text("one", "utf-8")
        self.shared = folder / "shared.scn"
        self.rendered: list[list[str]] = []
        self.said: list[tuple[list[int], list[str]]] = []
        self.codes, self.steps = iter(codes), iter(list[object]())
        monkeypatch.setattr(time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        if seconds == watch.EVERY:
            step = next(self.steps, None)
            if step is None:
                raise KeyboardInterrupt
            step()  # type: ignore[operator]

    def render(self, work: Sequence[Job]) -> list[Outcome]:
        self.rendered.append([job.file.name for job in work])
        code = next(self.codes, 0)
        return [Outcome(str(job.file), code, reads=(job.file, self.shared)) for job in work]

    def tell(self, outcomes: Sequence[Outcome], names: Sequence[str], took: float) -> None:
        self.said.append(([outcome.code for outcome in outcomes], list(names)))

    def run(self, *steps: object) -> int:
        self.steps = iter(steps)
        return watch.watched(self.jobs, self.render, self.tell)


def test_what_changed_is_rendered_again_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Watched(tmp_path, monkeypatch)
    code = own.run(
        lambda: None,
        lambda: (tmp_path / "b.scn").write_text("three"),
        lambda: own.shared.write_text("new"),  # looked for by both, and not there before
        lambda: (tmp_path / "other.scn").write_text("nobody's"),
        lambda: own.shared.unlink(),
    )
    both = ["a.scn", "b.scn"]
    assert code == shell.HOLDS and own.rendered == [both, ["b.scn"], both, both]
    assert [names for _, names in own.said] == [[], ["b.scn"], ["shared.scn"], ["shared.scn"]]


def test_a_file_in_error_does_not_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Watched(tmp_path, monkeypatch, [2, 70, 0])
    assert own.run(*[lambda n=n: (tmp_path / "a.scn").write_text("x" * n) for n in (5, 6)]) == 0
    assert [codes for codes, _ in own.said] == [[2, 2], [70], [0]]


def test_a_change_while_it_renders_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Watched(tmp_path, monkeypatch)
    plain = own.render

    def slow(work: Sequence[Job]) -> list[Outcome]:
        if len(own.rendered) == 1:
            (tmp_path / "a.scn").write_text("changed again")
        return plain(work)

    monkeypatch.setattr(own, "render", slow)
    own.run(lambda: (tmp_path / "a.scn").write_text("changed"), lambda: None, lambda: None)
    assert own.rendered[1:] == [["a.scn"], ["a.scn"]]


def test_a_table_that_ctrl_c_stopped_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Watched(tmp_path, monkeypatch, [shell.STOPPED])
    assert own.run(lambda: None) == shell.HOLDS and len(own.rendered) == 1


def lines(process: "subprocess.Popen[str]") -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line.rstrip("\n")


@pytest.mark.slow
def test_the_command_watches_until_ctrl_c(tmp_path: Path) -> None:
    plan, box, out = tmp_path / "plan.scn", tmp_path / "box.scn", tmp_path / "out"
    text = HOLDS.replace("edition 2026\n", 'edition 2026\nimport "box.scn"\n')
    plan.write_text(text, "utf-8")
    box.write_text("edition 2026\n", "utf-8")
    command = [str(BIN / "render"), plan.name, "--format", "json", "--watch"]
    with subprocess.Popen(command, cwd=tmp_path, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, encoding="utf-8", stdin=subprocess.DEVNULL) as process:  # fmt: skip
        said = lines(process)
        assert [next(said), next(said)] == ["plan.scn: Recommended, with conditions", "  out/plan.json"]
        assert next(said) == "watching; Ctrl-C ends"
        plan.write_text(text.replace("tensor = 8,", "tensor = 8 colour"), "utf-8")
        assert next(said).startswith("plan.scn: In error (plan.scn; ")
        assert (out / "plan.json").exists()
        plan.write_text(text, "utf-8")
        assert next(said).startswith("plan.scn: Recommended, with conditions (plan.scn; ")
        box.write_text("edition 2026 # changed\n", "utf-8")
        assert next(said).startswith("plan.scn: Recommended, with conditions (box.scn; ")
        assert spent(process.pid) < 20  # no busy loop
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None and "error[" in process.stderr.read()


def spent(pid: int) -> float:
    """Processor seconds of a process in one second, in percent."""
    def ticks() -> int:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    if not sys.platform.startswith("linux"):
        return 0.0
    before = ticks()
    time.sleep(1.0)
    return 100 * (ticks() - before) / os.sysconf("SC_CLK_TCK")


def test_a_stream_cannot_be_watched(tmp_path: Path) -> None:
    done = subprocess.run([BIN / "render", "x.scn", "--watch", "--out", "-", "--format", "json"], cwd=tmp_path,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)  # fmt: skip
    assert done.returncode == 2 and "--watch renders FILES to a folder" in done.stderr

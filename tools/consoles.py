"""Does what the pages in docs/ say, in a folder of its own, and holds the output that they show against the real one.

A fenced block with a file's name (```scn plan.scn) writes that file; ```edit FILE replaces its lines with - by those
with +; ```console runs each line that begins with $. Under a command stands what it prints: … stands for any part of a
line, alone on a line for any lines; nothing is compared where nothing stands. A command that ends with another exit
code than 0 has to be followed by `$ echo $?`. Blocks marked "long" run only where they are asked for.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
CUT = "…"
COPY = "<!-- folder: a copy of the repository -->"
ROOMS = ("dsl", "engine", "reports", "templates", "scenarios")


@dataclass(frozen=True)
class Block:
    """A fenced block: the words behind its fence, its text, the line it begins on, and whether it waits to be asked."""

    kind: str
    file: str
    text: str
    line: int
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Command:
    """A line after $, and the lines that stand under it."""

    text: str
    shown: tuple[str, ...]


@dataclass
class Outcome:
    """What differs, each with the page's line, and what each command printed by the line of its block."""

    faults: list[str] = field(default_factory=list)
    printed: dict[int, list[tuple[Command, list[str]]]] = field(default_factory=dict)


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page in order."""
    for token in MarkdownIt().parse(page):
        if token.type == "fence" and token.map:
            words = token.info.split()
            names = [word for word in words[1:] if "." in word]
            marks = tuple(word for word in words[1:] if word not in names)
            yield Block(words[0] if words else "", "".join(names[:1]), token.content, token.map[0] + 1, marks)


def commands(text: str) -> list[Command]:
    """The commands of a console block; a line that ends with a backslash goes on in the next."""
    found: list[tuple[str, list[str]]] = []
    for line in text.rstrip("\n").split("\n"):
        if found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        elif line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [Command(command, tuple(shown)) for command, shown in found]


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether what a page shows is what was printed; … stands for anything."""
    parts = [r"(?:.*\n)*" if line.strip() == CUT else
             re.escape(line.rstrip()).replace(re.escape(CUT), ".*") + r"\n" for line in shown]  # fmt: skip
    return re.fullmatch("".join(parts), "".join(f"{line.rstrip()}\n" for line in printed)) is not None


def edited(text: str, changes: str) -> str | None:
    """The text with each stretch of - and + lines replaced; None where one does not stand in it exactly once."""
    for stretch in re.split(r"^\s*\n", changes, flags=re.MULTILINE):
        lines = stretch.rstrip("\n").split("\n")
        old = "".join(f"{line[2:]}\n" for line in lines if line[:1] in "- " or not line)
        new = "".join(f"{line[2:]}\n" for line in lines if line[:1] in "+ " or not line)
        if text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text


def prepare(folder: Path, copied: bool) -> dict[str, str]:
    """Fills the folder so that it looks like a checkout; the environment of its commands."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ROOMS if copied else ("scenarios",):
        if copied:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / name).symlink_to(ROOT / name)
    (folder / "tests").mkdir()
    (folder / "tests" / "data").symlink_to(ROOT / "tests" / "data")
    own = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}", "TZ": "UTC",
           "PYTHONPATH": str(folder if copied else ROOT), "SOURCE_DATE_EPOCH": "1782864000", "LC_ALL": "C.UTF-8",
           "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
    return {**os.environ, **own}


def run(page: str, folder: Path, asked: tuple[str, ...] = ()) -> Outcome:
    """Does everything that a page says, in order."""
    named = re.match(r"<!-- folder: (\S+) -->", page)
    folder = folder / (named.group(1) if named else "plans")
    env = prepare(folder, page.startswith(COPY))
    outcome = Outcome()
    for block in blocks(page):
        if block.kind == "console":
            if all(mark in asked for mark in block.marks):
                _console(block, folder, env, outcome)
        elif block.kind == "edit":
            changed = edited((folder / block.file).read_text("utf-8"), block.text)
            if changed is None:
                outcome.faults.append(f"line {block.line}: what is to be replaced does not stand once in {block.file}")
            else:
                (folder / block.file).write_text(changed, "utf-8")
        elif block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, "utf-8")
    return outcome


def _console(block: Block, folder: Path, env: dict[str, str], outcome: Outcome) -> None:
    """Runs the commands of one block one after the other."""
    code = 0
    found = outcome.printed.setdefault(block.line, [])
    for command in commands(block.text):
        asks = command.text == "echo $?"
        if code and not asks:
            outcome.faults.append(f"line {block.line}: `{found[-1][0].text}` ends with {code}: {found[-1][1][-3:]}")
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"(exit {code}); {command.text}"],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        code = 0 if asks else done.returncode
        printed = done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []
        found.append((command, printed))
        if command.shown and not matches(command.shown, printed):
            outcome.faults.append("\n".join([f"line {block.line}: `{command.text}` prints", *printed]))
    if code:
        outcome.faults.append(f"line {block.line}: `{found[-1][0].text}` ends with {code}: {found[-1][1][-3:]}")


def renewed(page: str, outcome: Outcome) -> str:
    """The page with the output that differs replaced: as many lines before and after a … as there were."""
    lines = page.split("\n")
    for block in sorted(blocks(page), key=lambda b: -b.line):
        if block.line in outcome.printed:
            made: list[str] = []
            for command, printed in outcome.printed[block.line]:
                made += f"$ {command.text}".split("\n")
                kept = not command.shown or matches(command.shown, printed)
                made += command.shown if kept else _cut(command.shown, printed)
            lines[block.line : block.line + block.text.count("\n")] = made
    return "\n".join(lines)


def _cut(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """What was printed, cut where the page cut it once."""
    if shown.count(CUT) != 1:
        return printed
    at = shown.index(CUT)
    after = len(shown) - at - 1
    return [*printed[:at], CUT, *(printed[len(printed) - after :] if after else [])]


if __name__ == "__main__":  # tools/consoles.py FOLDER PAGE…: runs the pages and writes what they print into them
    for name in sys.argv[2:]:
        file = Path(name)
        given = file.read_text("utf-8")
        result = run(given, Path(sys.argv[1]) / file.stem, ("long",) if os.environ.get("LONG") else ())
        file.write_text(renewed(given, result), "utf-8")
        print("\n".join([f"{name}: {len(result.faults)} differ", *result.faults]))

"""`hf = "config.json"` in a model: the configuration beside the scenario, read into the block that names it.

What the block states itself wins over the file, so that one setting of a published model can be changed; what the file
says wins over what the block copies. A kind of attention or mixer that the block states replaces the file's whole.
"""

import os
from hashlib import sha256
from pathlib import Path

from dsl.blocks import Body, Entry
from dsl.files import File, Loaded, installed_library
from dsl.importers.hf import Imported, read_config
from dsl.importers.hf_block import stated
from dsl.inside import Unreadable, inside, outside, plain
from dsl.limits import CONFIGURATION
from dsl.problems import Label, Problem
from dsl.scenario import Imported as ReadFile
from dsl.syntax import Text

CHOICES = ("attention", "mixer")  # blocks whose kind decides which of their settings mean something


def filled(body: Body, main: Loaded, read: dict[str, ReadFile], problems: list[Problem]) -> Body:
    """The block with the settings of the configuration that it names; the file is added to ``read``.

    What is wrong with the file is a problem, and the block then counts as not whole: what it lacks may stand there.
    """
    entry = body.entries.get("hf")
    if entry is None or not isinstance(entry.value, Text):
        return body
    path, data = _bytes(entry, entry.value, main, problems)
    if data is None:
        return body._replace(whole=False)
    logical = _logical(path, main.main)
    found, wrong = read_config(data, entry.value.value)
    problems += [_labelled(problem, entry) for problem in wrong]
    read.setdefault(logical, ReadFile(logical, sha256(data).hexdigest(), len(data), data))
    return body._replace(whole=False) if found is None else _with(body, entry, found, logical)


def _with(body: Body, entry: Entry, found: Imported, logical: str) -> Body:
    """The settings of the configuration behind those of the block."""
    file = entry.file._replace(logical=logical)  # places in the configuration, names of the scenario
    taken = {
        s.path: Entry(s.path, s.row, s.value, file, s.span, entry.block)
        for s in stated(found, logical)
        if not any(s.path.startswith(f"{group}.") and group in body.entries for group in CHOICES)
    }
    return body._replace(entries=taken | body.entries)


def _labelled(problem: Problem, entry: Entry) -> Problem:
    return problem._replace(labels=(*problem.labels, Label(entry.value.span, "read here")))


def _bytes(entry: Entry, named: Text, main: Loaded, problems: list[Problem]) -> tuple[Path, bytes | None]:
    """The file that ``hf`` names, relative to the scenario, and what is in it; None with a problem."""
    wanted, folder = named.value, entry.file.folder
    path = (folder or Path()) / wanted.replace("\0", "")
    title, help = "", ""
    if not wanted or os.path.isabs(wanted) or "\0" in wanted or "\\" in wanted:
        title = f"`{wanted}` is not a path that can be read"
        help = 'write it relative to this file, with /: hf = "config.json"'
    else:
        title, help = _outside(path, wanted, main)
    if not title:
        try:
            return path, plain(path, CONFIGURATION)
        except FileNotFoundError:
            title, help = f"there is no file `{wanted}`", "it is looked for beside the scenario file"
        except OSError as error:
            title, help = f"`{wanted}` cannot be read", (error.strerror or "unknown").lower()
        except Unreadable as error:
            large = "larger" in error.why
            title, help = f"`{wanted}` {error.why}", "name the config.json" + (", not the weights" if large else "")
    problems.append(Problem("E02", title, named.span, help=help))
    return path, None


def _outside(path: Path, wanted: str, main: Loaded) -> tuple[str, str]:
    """That a file lies where the scenario may not read, and what to do; empty where it may."""
    folder = main.main.folder
    if inside(path, (folder or Path(), installed_library(), *main.allowed)):
        return "", ""
    return f"`{wanted}` lies outside the scenario's folder", outside(path)


def _logical(path: Path, main: File) -> str:
    """The path as documents print it: from the scenario's own folder."""
    if main.folder is None:
        return path.name
    return Path(os.path.relpath(os.path.realpath(path), os.path.realpath(main.folder))).as_posix()

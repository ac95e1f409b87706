"""Files: reading them, and following their imports.

``import "x.scn"`` is looked for beside the importing file, then, where it begins with ``library/``, in
the library that is installed with the program. A file that is imported twice is one file.
"""

import os
import re
import stat
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache as once
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from dsl.inside import Unreadable, inside, outside, plain
from dsl.limits import FILE, FILES, IMPORTS, TOGETHER
from dsl.parse import Tree, parse
from dsl.problems import Label, Problem, Span
from dsl.syntax import Import

# Library files that every scenario sees without importing them: default stack, failure rates, rules of thumb.
IMPLICIT = ("stacks.scn", "reliability.scn", "checks.scn")


class File(NamedTuple):
    """One file as read: ``name`` as shown to people, ``logical`` as printed in documents (no absolute path)."""

    name: str
    logical: str
    key: str  # the same for every way to write its path
    folder: Path | None
    library: bool
    text: str
    sha256: str
    size: int
    tree: Tree
    problems: tuple[Problem, ...]
    data: bytes = b""  # as they stand on disk: what the SHA-256 is of


class Link(NamedTuple):
    """One import of a file: the statement and the key of the file that it found ("" where it found none)."""

    statement: Import
    key: str


class Loaded(NamedTuple):
    """A scenario file with all that it imports; ``problems`` are those of reading, not of meaning."""

    main: File
    files: dict[str, File]
    links: dict[str, tuple[Link, ...]]
    implicit: tuple[str, ...]  # keys of the library files that every scenario sees
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    allowed: tuple[Path, ...] = ()  # folders that its files may lie in beside its own

    @property
    def sources(self) -> dict[str, str]:
        """The text of each file by the name that spans carry, for ``problems.show``."""
        return {file.name: file.text for file in self.files.values()}


@once
def installed_library() -> Path:
    """The folder of the library that comes with the program: its packages are installed side by side."""
    return Path(__file__).resolve().parents[1] / "scenarios" / "library"


Unsaved = Mapping[str, str]  # texts that an editor holds, by the real path of their file, instead of what is on disk
NONE: Unsaved = {}


def load(
    path: str | Path, library: Path | None = None, unsaved: Unsaved = NONE, allowed: Iterable[Path] = ()
) -> Loaded:
    """The scenario file at ``path`` and everything it imports; what cannot be read is a problem, never an exception.

    Files are read from its folder and below, the library, and the folders ``allowed``.
    """
    place = Path(path)
    name = str(path)
    problem = _refused(place, _start(name), unsaved)
    if problem is not None:
        return _follow(_empty(name, place, problem), library, unsaved)
    own = _shelved_at(place, library or installed_library())
    file = _read(place, name, f"library/{place.name}" if own else place.name, own, unsaved)
    return _follow(file, library, unsaved, tuple(allowed))


def load_text(text: str, name: str = "scenario.scn", folder: Path | None = None, library: Path | None = None) -> Loaded:
    """The same for a text; imports are looked for in ``folder``."""
    key = str(folder / name) if folder else name
    return _follow(_file(text.encode("utf-8", "surrogatepass"), name, Path(name).name, key, folder, False), library)


def _shelved_at(path: Path, folder: Path) -> bool:
    return os.path.realpath(path.parent) == os.path.realpath(folder)


def _start(name: str) -> Span:
    return Span(name, 1, 1, 1)


def _empty(name: str, place: Path, problem: Problem) -> File:
    return File(name, place.name, os.path.realpath(name.replace("\0", "")), None, False, "", "", 0, (), (problem,))


SURROGATE = re.compile("[\ud800-\udfff]")  # in a name: bytes that are no text


def _refused(path: Path, span: Span, unsaved: Unsaved = NONE) -> Problem | None:
    """Why a path cannot be read as a file; None where it can."""
    if unsaved and os.path.realpath(path) in unsaved:
        return None
    if SURROGATE.search(str(path)):
        return Problem("E02", f"the name of `{path}` cannot be read as text", span,
                             help="rename the file, or set LC_ALL=C.UTF-8")  # fmt: skip
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return Problem(
                "E02", f"`{path}` is a folder, not a scenario file", span, help="name a file that ends in .scn"
            )
        if not stat.S_ISREG(status.st_mode):
            return Problem("E02", f"`{path}` is not a plain file", span, help="name a file that ends in .scn")
        if status.st_size > FILE:
            return Problem(
                "E02", f"`{path}` is larger than {FILE // 1000} kB", span, help="split it and import the parts"
            )
        with open(path, "rb"):
            return None
    except FileNotFoundError:
        return Problem("E02", f"there is no file `{path}`", span, help=_similar(path))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name cannot be used"
        return Problem(
            "E02", f"`{path}` cannot be read", span, notes=(why.lower(),), help="check its name and its permissions"
        )


def _scenarios(folder: Path) -> list[str]:
    """The names of the scenario files of a folder, in order."""
    return sorted(p.name for p in folder.iterdir() if p.suffix == ".scn" and p.is_file())


def _similar(path: Path) -> str:
    from dsl.problems import did_you_mean

    try:
        return did_you_mean(path.name, _scenarios(path.parent))
    except OSError:
        return f"there is no folder `{path.parent}` either"


def _read(path: Path, name: str, logical: str, library: bool, unsaved: Unsaved = NONE) -> File:
    key = os.path.realpath(path)
    try:
        data = unsaved[key].encode("utf-8", "surrogatepass") if key in unsaved else plain(path, FILE)
    except (OSError, Unreadable) as error:
        why = getattr(error, "strerror", None) or str(error)
        return _empty(name, path, Problem("E02", f"`{name}` cannot be read", _start(name), notes=(why.lower(),)))
    return _file(data, name, logical, key, path.parent, library)


def _file(data: bytes, name: str, logical: str, key: str, folder: Path | None, library: bool) -> File:
    hashed = sha256(data).hexdigest()
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        read = data[: error.start].decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        span = Span(name, len(read), len(read[-1]) + 1, len(read[-1]) + 2)
        problem = Problem(
            "E03",
            f"`{name}` is not UTF-8 text",
            span,
            f"byte {data[error.start]:#04x} does not belong here",
            help="save the file as UTF-8",
        )
        shown = data.decode("utf-8", "replace").replace("\r\n", "\n")
        return File(name, logical, key, folder, library, shown, hashed, len(data), (), (problem,), data)
    tree, problems = parse(text, name)
    return File(name, logical, key, folder, library, text, hashed, len(data), tree, tuple(problems), data)


def _follow(main: File, library: Path | None, unsaved: Unsaved = NONE, allowed: tuple[Path, ...] = ()) -> Loaded:
    """Reads what ``main`` imports, what that imports, and so on."""
    shelf = library or installed_library()
    files, problems, notes = {main.key: main}, list(main.problems), list[str]()
    links: dict[str, tuple[Link, ...]] = {}
    todo, followed = deque([main]), 0
    implicit: list[str] = []
    for name in IMPLICIT:
        file = _shelved(shelf, name, unsaved)
        if file is not None:
            implicit.append(file.key)
            if file.key not in files:
                files[file.key] = file
                todo.append(file)
    while todo:
        file = todo.popleft()
        found = []
        for statement in file.tree:
            if isinstance(statement, Import):
                followed += 1
                if _too_many(statement, followed, files, problems):
                    return Loaded(main, files, {key: links.get(key, ()) for key in files}, tuple(implicit),
                                  tuple(problems), tuple(notes), allowed)  # fmt: skip
                target = _target(file, statement, main, shelf, notes, problems, unsaved, files, allowed)
                if target is not None and target.key not in files:
                    files[target.key] = target
                    problems += target.problems
                    todo.append(target)
                found.append(Link(statement, target.key if target else ""))
        links[file.key] = tuple(found)
    problems += _circles(main, files, links)
    return Loaded(main, files, links, tuple(implicit), tuple(problems), tuple(notes), allowed)


def _too_many(statement: Import, followed: int, files: Mapping[str, File], problems: list[Problem]) -> bool:
    """Whether no more is read: more imports, files or bytes than a scenario has; then that is a problem."""
    own = [file for file in files.values() if not file.library]
    for what, count, most in (
        ("imports", followed, IMPORTS),
        ("files", len(own), FILES),
        ("bytes in its files", sum(file.size for file in own), TOGETHER),
    ):
        if count > most:
            title, span = f"a scenario has at most {most:_} {what}", statement.path.span
            problems.append(Problem("E05", title, span, "read up to here", help="import fewer files"))
            return True
    return False


def _shelved(shelf: Path, name: str, unsaved: Unsaved) -> File | None:
    """A file of the installed library, or None where the library has none of that name."""
    path = shelf / name
    return _read(path, _shown(path), f"library/{name}", True, unsaved) if path.is_file() else None


def _shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        beside = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return beside if not beside.startswith(os.pardir) else str(path)


def _target(
    file: File,
    statement: Import,
    main: File,
    shelf: Path,
    notes: list[str],
    problems: list[Problem],
    unsaved: Unsaved,
    known: Mapping[str, File],
    allowed: tuple[Path, ...],
) -> File | None:
    """The file that an import means; where there is none, a problem is added."""
    wanted, span = statement.path.value, statement.path.span
    if not wanted or os.path.isabs(wanted) or "\0" in wanted or "\\" in wanted:
        last = re.split(r"[/\\]", wanted)[-1].replace("\0", "")
        meant = f"library/{last}" if last and (shelf / last).is_file() else "plans/shared.scn"
        title, why = f"`{wanted}` is not a path that can be imported", "paths begin at this file and are parted by /"
        problems.append(Problem("E02", title, span, "here", (), (why,), f'write "{meant}"'))
        return None
    shelved = shelf / wanted.removeprefix("library/") if wanted.startswith("library/") else None
    if file.folder is not None and (file.folder / wanted).is_file() and not _copied(file.folder / wanted, shelved):
        path = file.folder / wanted
        own = _shelved_at(path, shelf)
        if shelved is not None and shelved.is_file() and not own:
            notes.append(
                f"{wanted} is the file beside {file.logical}; it stands in for the library's file of that name"
            )
        logical = f"library/{path.name}" if own else _logical(path, main)
        name = os.path.join(os.path.dirname(file.name), wanted)
    elif shelved is not None and shelved.is_file():
        path, own, logical, name = shelved, True, wanted, _shown(shelved)
    else:
        problems.append(_missing(file, wanted, span, shelf))
        return None
    if main.folder is not None and not inside(path, (main.folder, shelf, *allowed)):
        problems.append(Problem("E02", f"`{wanted}` lies outside the scenario's folder", span, "not read",
                                help=outside(path)))  # fmt: skip
        return None
    if os.path.realpath(path) in known:
        return known[os.path.realpath(path)]
    problem = _refused(path, span, unsaved)
    if problem is not None:
        problems.append(problem)
        return None
    return _read(path, name, logical, own, unsaved)


def _copied(path: Path, shelved: Path | None) -> bool:
    """Whether a file is a copy of the library's of that name, as the attachments of a report hold it."""
    try:
        return shelved is not None and not path.samefile(shelved) and plain(path, FILE) == plain(shelved, FILE)
    except (OSError, Unreadable):
        return False


def _logical(path: Path, main: File) -> str:
    """A path as documents print it: from the scenario's own folder."""
    if main.folder is None:
        return path.name
    return Path(os.path.relpath(os.path.realpath(path), os.path.realpath(main.folder))).as_posix()


def _missing(file: File, wanted: str, span: Span, shelf: Path) -> Problem:
    from dsl.problems import nearest

    places = [f"looked beside {file.name}"] if file.folder else []
    names = _scenarios(file.folder) if file.folder else []
    if wanted.startswith("library/"):
        places.append("and in the installed library")
    names += [f"library/{name}" for name in _scenarios(shelf)]
    inside = file.folder is not None and (file.folder / wanted).is_dir()
    own = _scenarios(file.folder / wanted) if inside and file.folder else []
    near = f"{wanted}/{own[0]}" if own else nearest(wanted, names)
    return Problem(
        "E02",
        f"`{wanted}` is a folder, not a scenario file" if inside else f"there is no file `{wanted}`",
        span,
        "a folder" if inside else "not found",
        notes=(" ".join(places),) if places and not inside else (),
        help=f'did you mean "{near}"?' if near else "",
    )


def _circles(main: File, files: dict[str, File], links: dict[str, tuple[Link, ...]]) -> list[Problem]:
    """A problem for each import that leads back to a file that is being imported."""
    problems, done = [], set[str]()
    path = [(main.key, iter(links.get(main.key, ())))]
    while path:
        key, rest = path[-1]
        link = next(rest, None)
        if link is None:
            done.add(key)
            path.pop()
            continue
        ahead = [k for k, _ in path]
        if link.key in ahead:
            ring = [files[k].name for k in ahead[ahead.index(link.key) :]]
            first = next(x for x in links[link.key] if x.key == (ahead + [link.key])[ahead.index(link.key) + 1])
            labels = (Label(first.statement.path.span, "the circle starts here"),) if len(ring) > 1 else ()
            problems.append(
                Problem(
                    "E04",
                    "files import each other in a circle",
                    link.statement.path.span,
                    "leads back",
                    labels,
                    (" imports ".join([*ring, ring[0]]),),
                    "move what they share to a file of its own",
                )
            )
        elif link.key and link.key not in done:
            path.append((link.key, iter(links.get(link.key, ()))))
    return problems

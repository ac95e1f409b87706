"""Files are written whole or not at all; what is told of files that cannot be read, to the letter."""

from pathlib import Path

import pytest

from dsl.files import Loaded, load, load_text
from dsl.limits import FILE, FILES, IMPORTS, TOGETHER
from dsl.problems import Label, Problem, Span
from reports.commands import files
from reports.commands.shell import CannotWrite


def test_files_replace_what_was_there_and_leave_nothing_beside(tmp_path: Path) -> None:
    old = tmp_path / "deep" / "a.json"
    old.parent.mkdir()
    old.write_bytes(b"old")
    contents = {old: b"new", tmp_path / "deep" / "b.csv": b"1"}
    assert files.write(contents) == list(contents)
    assert {p.name: p.read_bytes() for p in old.parent.iterdir()} == {"a.json": b"new", "b.csv": b"1"}


def test_rights_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    files.write({tmp_path / "ours": b""})
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_when_one_file_cannot_be_written_the_others_stay_as_they_were(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.json", tmp_path / "file" / "b.json"
    good.write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"not a folder")
    with pytest.raises(CannotWrite, match="cannot write .*b.json"):
        files.write({good: b"new", bad: b"new"})
    assert good.read_bytes() == b"old"
    assert {p.name for p in tmp_path.iterdir()} == {"a.json", "file"}


def test_a_write_that_breaks_off_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CannotWrite, match="No space left"):
        files.write({tmp_path / "a.json": b"new"})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(CannotWrite, match="a.json"):
        files.write({tmp_path / "a.json": b"new"})
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(name: str, **texts: str | bytes) -> Loaded:
    """Files of the working folder, ``a__b`` for a/b.scn; the first of them read with what it imports."""
    for stem, text in texts.items():
        path = Path(f"{stem.replace('__', '/')}.scn")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(name)


def unreadable(name: str, title: str, help: str, notes: tuple[str, ...] = ()) -> list[Problem]:
    return [Problem("E02", title, Span(name, 1, 1, 1), "here", (), notes, help)]


def test_a_file_that_is_none(here: Path) -> None:
    (here / "folder.scn").mkdir()
    found = {name: list(made(name, near="let x = 3\n").problems) for name in
             ("nera.scn", "zzzzzz.scn", "deep/near.scn", "folder.scn", "a\0.scn", "near.scn")}  # fmt: skip
    assert found == {
        "nera.scn": unreadable("nera.scn", "there is no file `nera.scn`", "did you mean `near.scn`?"),
        "zzzzzz.scn": unreadable("zzzzzz.scn", "there is no file `zzzzzz.scn`", ""),
        "deep/near.scn": unreadable(
            "deep/near.scn", "there is no file `deep/near.scn`", "there is no folder `deep` either"
        ),
        "folder.scn": unreadable(
            "folder.scn", "`folder.scn` is a folder, not a scenario file", "name a file that ends in .scn"
        ),
        "a\0.scn": unreadable(
            "a\0.scn", "`a\0.scn` cannot be read", "check its name and its permissions", ("its name cannot be used",)
        ),
        "near.scn": [],
    }


def test_a_file_that_is_no_plain_file() -> None:
    title, help = "`/dev/null` is not a plain file", "name a file that ends in .scn"
    assert list(load("/dev/null").problems) == unreadable("/dev/null", title, help)


def test_a_file_is_read_up_to_its_bound(here: Path) -> None:
    fits, over = (made("a.scn", a=(b"#" * 39_999 + b"\n") * 12 + b"#" * n) for n in (20_000, 20_001))
    assert fits.main.size == FILE
    assert fits.problems == ()
    assert list(over.problems) == unreadable("a.scn", "`a.scn` is larger than 500 kB", "split it and import the parts")


def test_bytes_that_are_no_text(here: Path) -> None:
    loaded = made("a.scn", a=b'let long = 33_333\r\n\r\nlet y = "\xff"\r\nlet z = 7')
    assert loaded.problems == (
        Problem(
            "E03", "`a.scn` is not UTF-8 text", Span("a.scn", 3, 10, 11), "byte 0xff does not belong here", (), (),
            "save the file as UTF-8",
        ),
    )  # fmt: skip
    assert (loaded.main.text, loaded.main.size) == ('let long = 33_333\n\nlet y = "\ufffd"\nlet z = 7', 43)


def test_marks_and_line_ends_of_other_systems_are_no_text(here: Path) -> None:
    main = made("a.scn", a=b"\xef\xbb\xbflet x = 3\r\nlet y = 5\rlet z = 7\n").main
    assert (main.text, main.size, main.library, main.logical) == (
        "let x = 3\nlet y = 5\nlet z = 7\n",
        34,
        False,
        "a.scn",
    )


PATHS = [  # what an import says: what is told of it, a note, what to write
    ("/etc/passwd", "is not a path that can be imported", "plans/shared.scn"),
    ("x\\\\gpus.scn", "is not a path that can be imported", "library/gpus.scn"),
    ("x\\\\y.scn", "is not a path that can be imported", "plans/shared.scn"),
    ("x\\\\", "is not a path that can be imported", "plans/shared.scn"),
]


@pytest.mark.parametrize(("path", "title", "write"), PATHS)
def test_paths_that_are_none(path: str, title: str, write: str) -> None:
    (problem,) = load_text(f'import "{path}"\n').problems
    span, why = Span("scenario.scn", 1, 8, 10 + len(path)), "paths begin at this file and are parted by /"
    read = path.replace("\\\\", "\\")
    assert problem == Problem("E02", f"`{read}` {title}", span, "here", (), (why,), f'write "{write}"')


MISSING = [
    ("library/modles.scn", "looked beside a.scn and in the installed library", "library/models.scn"),
    ("naer.scn", "looked beside a.scn", "near.scn"),
    ("../naer.scn", "looked beside a.scn", "near.scn"),
    ("zzzzzzzz/q", "looked beside a.scn", ""),
]


@pytest.mark.parametrize(("path", "note", "near"), MISSING)
def test_imports_that_find_nothing_say_where_they_looked(here: Path, path: str, note: str, near: str) -> None:
    (here / "near.scn").write_text("let x = 3\n")
    (problem,) = made("a.scn", a=f'import "{path}"\n').problems
    span, help = Span("a.scn", 1, 8, 10 + len(path)), f'did you mean "{near}"?' if near else ""
    assert problem == Problem("E02", f"there is no file `{path}`", span, "not found", (), (note,), help)


def test_an_import_of_a_folder_names_its_first_file(here: Path) -> None:
    (here / "empty.scn").mkdir()
    found = made(
        "a.scn", a='import "inner"\nimport "empty.scn"\n', inner__m="let q = 3\n", inner__n="let r = 3\n"
    ).problems
    assert found == (
        Problem("E02", "`inner` is a folder, not a scenario file", Span("a.scn", 1, 8, 15), "a folder", (), (),
                'did you mean "inner/m.scn"?'),
        Problem("E02", "`empty.scn` is a folder, not a scenario file", Span("a.scn", 2, 8, 19), "a folder", (), (), ""),
    )  # fmt: skip


def test_circles_show_where_they_begin_and_end(here: Path) -> None:
    """a imports b, b imports c, c imports b; d imports itself; e imports f twice over, which is no circle."""
    ring, alone, none = (
        made(
            "a.scn", a='import "b.scn"\n', b='import "q.scn"\n\nimport "c.scn"\n', c='let x = 3\nimport "b.scn"\n', q=""
        ),
        made("d.scn", d='import "d.scn"\n'),
        made("e.scn", e='import "f.scn"\nimport "g.scn"\n', f="let x = 3\n", g='import "f.scn"\n'),
    )
    title, help = "files import each other in a circle", "move what they share to a file of its own"
    assert ring.problems == (
        Problem("E04", title, Span("c.scn", 2, 8, 15), "leads back",
                (Label(Span("b.scn", 3, 8, 15), "the circle starts here"),), ("b.scn imports c.scn imports b.scn",),
                help),
    )  # fmt: skip
    assert alone.problems == (
        Problem("E04", title, Span("d.scn", 1, 8, 15), "leads back", (), ("d.scn imports d.scn",), help),
    )
    assert none.problems == ()


def test_a_circle_that_two_imports_lead_to_is_told_once(here: Path) -> None:
    ring = 'import "d.scn"\n'
    loaded = made("a.scn", a='import "b.scn"\nimport "c.scn"\nimport "no.scn"\n', b=ring, c=ring, d=ring)
    assert [problem.code for problem in loaded.problems] == ["E02", "E04"]


GPU = "gpu x { memory = 80 GB, memory_bandwidth = 3 TB/s }\n"
IMPORT = 'import "library/gpus.scn"\n'


def found(loaded: Loaded) -> list[tuple[str, str, bool]]:
    """Name, name in documents and whether it is the library's, of each file."""
    return [(file.name, file.logical, file.library) for file in loaded.files.values()]


def test_the_librarys_files_and_those_that_stand_in_for_them(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A copy of the library's file is the library's; another text under its name stands in for it, which is noted."""
    shelf = tmp_path_factory.mktemp("shelf")
    (shelf / "gpus.scn").write_text(GPU)
    (here / "a.scn").write_text(IMPORT)
    main, theirs = ("a.scn", "a.scn", False), (str(shelf / "gpus.scn"), "library/gpus.scn", True)
    alone = load("a.scn", shelf)
    (here / "library").mkdir()
    (here / "library" / "gpus.scn").write_text(GPU)
    copied = load("a.scn", shelf)
    (here / "library" / "gpus.scn").write_text(GPU.replace("80", "64"))
    other = load("a.scn", shelf)
    assert (found(alone), found(copied)) == ([main, theirs], [main, theirs])
    assert found(other) == [main, ("library/gpus.scn", "library/gpus.scn", False)]
    note = "library/gpus.scn is the file beside a.scn; it stands in for the library's file of that name"
    assert (alone.notes, copied.notes, other.notes) == ((), (), (note,))


def test_a_library_below_the_working_folder_is_shown_from_there(here: Path) -> None:
    (here / "shelf").mkdir()
    (here / "shelf" / "gpus.scn").write_text(GPU)
    (here / "a.scn").write_text(IMPORT + 'import "b.scn"\n')
    (here / "b.scn").write_text("let x = 3\n")
    loaded = load("a.scn", here / "shelf")
    assert found(loaded)[1:] == [("shelf/gpus.scn", "library/gpus.scn", True), ("b.scn", "b.scn", False)]
    assert loaded.notes == ()
    assert found(load("shelf/gpus.scn", here / "shelf")) == [("shelf/gpus.scn", "library/gpus.scn", True)]


def test_texts_of_an_editor_stand_for_files(here: Path) -> None:
    """Also for one that is not on disk yet; the others are read."""
    for name, text in (("a", "let x = 3\n"), ("b", "let y = 5\n"), ("c", "let z = 7\n")):
        (here / f"{name}.scn").write_text(text)
    held = {str(here / name): 'import "b.scn"\nimport "c.scn"\n' for name in ("a.scn", "new.scn")}
    held[str(here / "c.scn")] = "let z = 9\n"
    for name in ("a.scn", "new.scn"):
        loaded = load(name, unsaved=held)
        texts = [file.text for file in loaded.files.values() if not file.library]
        assert (loaded.problems, texts) == ((), [held[str(here / name)], "let y = 5\n", "let z = 9\n"])
    assert [p.title for p in load("none.scn", unsaved=held).problems] == ["there is no file `none.scn`"]


def test_a_name_that_is_no_text() -> None:
    found = load("a\udc80.scn").problems
    title, help = "the name of `a\udc80.scn` cannot be read as text", "rename the file, or set LC_ALL=C.UTF-8"
    assert list(found) == unreadable("a\udc80.scn", title, help)


def test_a_text_is_a_file_of_its_own() -> None:
    main = load_text("let x = 3\n", "deep/b.scn").main
    assert (main.name, main.logical, main.key, main.folder, main.library) == (
        "deep/b.scn", "b.scn", "deep/b.scn", None, False,
    )  # fmt: skip
    nothing = load("none.scn").main
    assert (nothing.library, nothing.size, nothing.text, nothing.folder) == (False, 0, "", None)


def too_many(span: Span, most: str) -> Problem:
    return Problem("E05", f"a scenario has at most {most}", span, "read up to here", (), (), "import fewer files")


def test_imports_are_counted(here: Path) -> None:
    """As many as may be, then one more, of one file that is read once."""
    fits, over = (made("a.scn", a='import "b.scn"\n' * n, b="") for n in (IMPORTS, IMPORTS + 3))
    assert fits.problems == () and over.problems == (too_many(Span("a.scn", IMPORTS + 1, 8, 15), "500 imports"),)


def test_files_are_counted_but_not_those_of_the_library(here: Path) -> None:
    """a.scn is one of them, and the last import is judged before it is read: 100 more and one that is there already."""
    lines = [f'import "b{n}.scn"\n' for n in range(FILES)]
    parts = {f"b{n}": "" for n in range(FILES)}
    fits = made("a.scn", a='import "library/checks.scn"\n' + "".join(lines[:-1]) + lines[0], **parts)
    over = made("a.scn", a="".join(lines) + lines[0])
    assert fits.problems == () and over.problems == (too_many(Span("a.scn", FILES + 1, 8, 16), "100 files"),)


def test_bytes_are_counted(here: Path) -> None:
    """The files before the last import have as many bytes as may be, or one more."""
    main = "".join(f'import "{name}.scn"\n' for name in "bcdefg")
    full, rest = ("#" * 39_999 + "\n") * 10, ("#" * 39_999 + "\n") * 9
    parts = {**dict.fromkeys("bcde", full), "g": ""}
    assert len(full) * 4 + len(rest) + 40_000 == TOGETHER
    last = "#" * (40_000 - len(main))
    fits, over = (made("a.scn", a=main, **parts, f=rest + last + more) for more in ("", "#"))
    assert fits.problems == ()
    assert over.problems == (too_many(Span("a.scn", 6, 8, 15), "2_000_000 bytes in its files"),)

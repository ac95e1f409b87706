"""Full disks, closed folders, closed streams: what was there stays, the other files are done, one line says why."""

import ctypes
import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from dsl.files import load
from dsl.inside import Unreadable, plain
from reports import installing
from reports.commands import fmt, shell
from reports.commands.job import perform
from reports.commands.outcome import Job
from tests.faults import answer, covered, python, small_disk, snapshot, without_rights
from tests.test_render import BIN, FAILS, HOLDS, call, put

PERFORM = """
import json, os, sys
from pathlib import Path
from reports.commands.job import perform
from reports.commands.outcome import Job
def render(name, out, formats=("json", "csv"), **more):
    done = perform(Job(Path(name), Path(out), formats, **more))
    return [done.code, done.problems, [str(p) for p in done.written]]
"""


def test_a_full_disk_leaves_what_was_there_and_the_other_files_are_done(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS, b=FAILS)
    (tmp_path / "disk").mkdir()
    code = PERFORM + """
here = lambda: {str(p): p.stat().st_size for p in sorted(Path("disk").rglob("*"))}
said = []
for free in (1000, 700, 500, 300, 20, 0):  # kB: two reports, one, none
    for old in Path("disk").glob("*"): os.unlink(old)
    Path("disk/a.json").write_text("old")
    left = os.statvfs("disk"); left = left.f_bavail * left.f_frsize
    Path("disk/filler").write_bytes(b"0" * (left - free * 1024))
    before = here()
    said.append([render("a.scn", "disk"), render("b.scn", "disk", ("csv",)), before, here(), free])
print(json.dumps(said))
"""
    done = python(code, tmp_path, before=small_disk(tmp_path / "disk", "true"))
    for first, second, before, after, free in answer(done):
        assert not [name for name in after if "/." in name]
        for (status, problems, written), name in ((first, "a"), (second, "b")):
            mine = {n for n in after if n.startswith(f"disk/{name}.")}
            if status == 3:
                assert problems.startswith(f"error: cannot write disk/{name}.") and problems.endswith(
                    "No space left on device; free some space, or choose another place")
                assert mine == {n for n in before if n.startswith(f"disk/{name}.")}
                assert after.get("disk/a.json", 3) == 3 or name == "b"
            else:
                assert mine == set(written) and status == (0 if name == "a" else 1)
        assert (first[0], second[0]) == {1000: (0, 1), 0: (3, 3), 20: (3, 3)}.get(free, (first[0], second[0]))


def test_a_disk_full_in_the_caches_alone_is_not_heard_of(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS)
    disk = tmp_path / "disk"
    disk.mkdir()
    caches = {name: str(disk / name) for name in ("TONNAGE_CACHE", "MPLCONFIGDIR", "XDG_CACHE_HOME")}
    code = PERFORM + """
done = render("a.scn", "out", ("html",))
print(json.dumps([done, [str(p) for p in Path("disk").rglob("*.part")]]))
"""
    fill = f'head -c 1030000 /dev/zero > "{disk}/z"'
    done = python(code, tmp_path, before=small_disk(disk, fill), HOME=str(disk), TMPDIR=str(disk), **caches)
    assert done.stderr == "" and answer(done) == [[0, "", ["out/a.html"]], []]


def test_closed_folders_bind_and_are_said_and_the_other_files_are_done(tmp_path: Path) -> None:
    rights = without_rights()
    put(tmp_path, a=HOLDS, b=HOLDS, c=HOLDS)
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut" / "a.json").write_text("old")
    (tmp_path / "shut").chmod(0o555)
    (tmp_path / "b.scn").chmod(0)
    caches = {name: str(tmp_path / "shut" / name) for name in ("TONNAGE_CACHE", "MPLCONFIGDIR", "XDG_CACHE_HOME")}
    code = PERFORM + """
print(json.dumps([render("a.scn", "shut"), render("b.scn", "out"), render("c.scn", "out", ("html",))]))
"""
    done = python(code, tmp_path, before=rights, HOME=str(tmp_path / "shut"), TMPDIR=str(tmp_path / "shut"), **caches)
    (closed, reason, _), (unread, why, _), (good, nothing, _) = answer(done)
    assert closed == 3
    assert reason == "error: cannot write shut/a.json: Permission denied; choose a place that you may write to"
    assert unread == 2 and "`b.scn` cannot be read" in why and "permission denied" in why
    assert (good, nothing, done.stderr) == (0, "", "")
    assert snapshot(tmp_path / "shut") == {"a.json": b"old"} and set(snapshot(tmp_path / "out")) == {"c.html"}


def test_without_pango_the_pdf_alone_is_not_made(tmp_path: Path) -> None:
    ctypes.CDLL("libpango-1.0.so.0")
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libpango-1.0." in line}
    made, doctor = lacking(tmp_path, *map(Path, loaded))
    lost = "libpango-1.0.so.0, libpangoft2-1.0.so.0"  # the second is made of the first
    assert made == [3, ["out/a.html", "out/a.json"], f"PDF needs {lost}: {installing.for_pdf()}"]
    assert ["libraries for PDF", f"no {lost}", installing.for_pdf()] in doctor


@pytest.mark.parametrize(("package", "within", "file"), [
    ("font_source_sans_pro", "", "SourceSansPro-Regular.ttf"),
    ("matplotlib", "mpl-data/fonts/ttf", "DejaVuSansMono.ttf"),
])  # fmt: skip
def test_without_fonts_the_numbers_alone_are_made(package: str, within: str, file: str, tmp_path: Path) -> None:
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    made, doctor = lacking(tmp_path, Path(spec.origin).parent / within)
    remedy = f"python -m pip install --force-reinstall {package.replace('_', '-')}"
    assert made == [3, ["out/a.json"], f"all but JSON needs the font {file}: {remedy}"]
    assert ["fonts of documents", f"no {file}", remedy] in doctor


def lacking(folder: Path, *places: Path) -> tuple[object, list[list[str]]]:
    """(what a call writes and lacks, what the doctor says) where some places are empty."""
    put(folder, a=HOLDS)
    code = PERFORM + """
from reports.commands.doctor import examine
done = perform(Job(Path("a.scn"), Path("out"), ("html", "pdf", "json")))
said = [[f.what, f.found, f.remedy] for f in examine()]
print(json.dumps([[done.code, [str(p) for p in done.written], done.missing], said]))
"""
    made, said = answer(python(code, folder, before=covered(*places)))
    return made, said


@pytest.mark.parametrize(("out", "reason"), [
    ("taken", "File exists; a file stands where its folder would be"),
    ("taken/deep", "Not a directory; a file stands where its folder would be"),
    ("dangling", "File exists; a file stands where its folder would be"),
    ("way", "Is a directory; a folder of that name is in the way"),
])  # fmt: skip
def test_what_stands_in_the_way_is_named(tmp_path: Path, out: str, reason: str) -> None:
    put(tmp_path, a=HOLDS)
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "way" / "a.json").mkdir(parents=True)
    before = snapshot(tmp_path)
    done = perform(Job(tmp_path / "a.scn", tmp_path / out, ("html", "json") if out == "way" else ("json",)))
    assert done.code == 3 and reason in done.problems and snapshot(tmp_path) == before


def test_links_to_folders_are_followed_and_links_to_files_are_replaced(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS)
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    (tmp_path / "other").write_text("mine")
    (tmp_path / "real" / "a.json").symlink_to(tmp_path / "other")
    assert perform(Job(tmp_path / "a.scn", tmp_path / "out", ("json",))).code == 0
    assert (tmp_path / "other").read_text() == "mine" and not (tmp_path / "real" / "a.json").is_symlink()


def test_the_longest_names_that_fit_are_written(tmp_path: Path) -> None:
    long, longer = "n" * 250, "é" * 125 + "n"
    put(tmp_path, **{long: HOLDS, longer: HOLDS})
    done = perform(Job(tmp_path / f"{long}.scn", tmp_path / "out", ("json",)))
    assert done.code == 0 and set(snapshot(tmp_path / "out")) == {f"{long}.json"}
    done = perform(Job(tmp_path / f"{longer}.scn", tmp_path / "out", ("json",)))
    assert done.code == 3 and done.problems.endswith("File name too long; give the file a shorter name")


def test_a_name_that_is_no_text_is_said(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.scn")
    try:
        (tmp_path / name).write_text(HOLDS)
    except OSError:
        pytest.skip("this file system takes no such name")
    done = perform(Job(tmp_path / name, tmp_path / "out", ("json",)))
    assert done.code == 2 and "cannot be read as text" in done.problems and "LC_ALL=C.UTF-8" in done.problems


def test_a_full_or_closed_output_is_said_and_the_documents_are_whole(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS)
    for typed, code, said in (
        ("render' a.scn --format json >/dev/full", 3, "standard output: No space left"),
        ("scn' check a.scn >&-", 3, "standard output: Bad file"),
        ("scn' check a.scn <&- 2>&-", 0, ""),
        ("scn' check a.scn nope.scn >/dev/null 2>/dev/full", 2, ""),
    ):
        done = subprocess.run(f"'{BIN}/{typed}", shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code and said in done.stderr and done.stderr.count("\n") <= 1, done.stderr
    json.loads((tmp_path / "out" / "a.json").read_text("utf-8"))


def test_a_plain_terminal_without_home_locale_or_utf8(tmp_path: Path) -> None:

    bare = {"LC_ALL": "xx_YY", "LANG": "C", "TERM": "dumb", "PYTHONIOENCODING": "ascii"}
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "TMPDIR")} | bare
    (tmp_path / "größe.scn").write_text(HOLDS, "utf-8")
    done = subprocess.run([BIN / "render", "größe.scn", "--format", "json"], cwd=tmp_path, env=environment,
                          capture_output=True)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8").startswith("größe.scn: ")
    assert json.loads((tmp_path / "out" / "größe.json").read_text("utf-8"))["file"] == "größe.scn"


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = subprocess.run(f"cd gone && rmdir ../gone && '{BIN / 'scn'}' check a.scn", shell=True, cwd=tmp_path,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == shell.CANNOT_WRITE
    assert done.stderr.endswith("the folder this was called in is not there any more; change to another one\n")
    assert "Traceback" not in done.stderr


def test_a_file_that_is_closed_does_not_stop_the_others(tmp_path: Path) -> None:
    put(tmp_path, good=HOLDS)
    (tmp_path / "folder.scn").mkdir()
    done = call("render", "folder.scn", "good.scn", "none.scn", "--format", "json", cwd=tmp_path)
    assert done.code == 2 and set(snapshot(tmp_path / "out")) == {"good.json"}
    assert "`folder.scn` is a folder" in done.err and "no file `none.scn`" in done.err


def test_a_file_is_read_whole_or_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, texts = tmp_path / "a.scn", [HOLDS, FAILS, HOLDS]
    file.write_text(HOLDS)
    from dsl import inside

    read = inside._read

    def changing(path: Path, most: int) -> bytes:
        data = read(path, most)[:50]  # half of it; then somebody saves
        if len(texts) > 1:
            path.write_text(texts.pop())
            return data
        return read(path, most)

    monkeypatch.setattr(inside, "_read", changing)
    loaded = load(file)
    assert loaded.main.text == file.read_text() and loaded.main.data == file.read_bytes()
    sizes = iter(range(1, 1000))
    monkeypatch.setattr(inside, "_read", lambda path, most: path.write_bytes(b"x" * next(sizes)) and b"")
    with pytest.raises(Unreadable, match="changes all the time"):
        plain(file, 1000)


def test_what_is_saved_while_a_file_is_formatted_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "a.scn").write_text(HOLDS)
    found = fmt.formatted(tmp_path / "a.scn")
    (tmp_path / "a.scn").write_text(FAILS)
    with pytest.raises(shell.CannotWrite, match="changed meanwhile; run it again"):
        fmt.rewrite(tmp_path / "a.scn", found.content, found.was)
    assert snapshot(tmp_path) == {"a.scn": FAILS.encode()}

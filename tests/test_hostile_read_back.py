"""Files that are read back (documents, sheets, tables of runs, PDFs, what was put aside, caches), made to break it."""

import io
import json
import os
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dsl import cache
from dsl.limits import MEASURED, ROWS, TEMPLATES
from reports import shelf
from reports.commands import fit, shell
from reports.commands.check_pdf import checked
from reports.commands.diff import diff
from reports.commands.import_ import import_
from reports.commands.rendered import as_rendered
from reports.commands.validate import validate
from reports.document import build
from reports.pdf import EPOCH, document_date
from tests.hostile import call
from tests.language import START, scenario_of

HEAD = dict.fromkeys(("experiments", "verdict", "file", "engine_version"), 1)


@pytest.fixture(scope="module")
def document() -> Any:
    """What `render --format json` writes."""
    return json.loads(json.dumps(build(scenario_of(START))))


def compared(folder: Path, new: Any, old: Any) -> Result:
    """`scn diff` of two JSON files, in this process, ended as the command ends."""
    for name, given in (("old.json", old), ("new.json", new)):
        (folder / name).write_bytes(given if isinstance(given, bytes) else json.dumps(given).encode())
    done = CliRunner().invoke(diff, [str(folder / "old.json"), str(folder / "new.json")], standalone_mode=False)
    assert done.exception is None or isinstance(done.exception, shell.CannotRead), done.exception
    return done


@pytest.mark.parametrize(("data", "said"), [
    (b"[" * 10**6, "is not the JSON of a scenario that was rendered"),
    (b"", "is not the JSON"),
    (b"\xff\xfe{\0}\0", "is not the JSON"),
    (b'{"x": ' + b"9" * 10_000 + b"}", "is not the JSON"),
    (json.dumps(HEAD).encode(), "is not as this version writes it (TypeError"),
    (b"[1" + b",1" * 20_000_001 + b"]", "holds more than 20_000_000 values"),
])  # fmt: skip
def test_documents_that_are_none(tmp_path: Path, document: Any, data: bytes, said: str) -> None:
    for pair in ((data, document), (document, data)):
        assert said in str(compared(tmp_path, *pair).exception)


def places(found: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value of a document."""
    inner = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return [own for key, value in inner for own in [(*path, key), *places(value, (*path, key))]]


def test_documents_with_other_values_are_compared_or_refused(tmp_path: Path, document: Any) -> None:
    chance, all_places = random.Random(8), places(document)
    told = [place for place in all_places if "results" in place[-2:-1] or len(place) < 4]
    codes = []
    for number in range(150):
        changed = json.loads(json.dumps(document))
        *above, last = chance.choice(told if number % 3 else all_places)
        inner = changed
        for key in above:
            inner = inner[key]
        inner[last] = chance.choice((None, True, -1, 1e400, float("nan"), "\x1b[31m", [], {}, [[1]], {"a": None}, "x"))
        done = compared(tmp_path, changed, document)
        codes.append(2 if done.exception else done.return_value)
        assert "\x1b" not in done.output + str(done.exception or "")
    assert {0, 1, 2} == set(codes) and codes.count(1) >= 5


def test_what_fails_without_a_file_that_is_read_back_is_ours() -> None:
    with pytest.raises(KeyError), as_rendered((Path("a.scn"), Path("b.scn"))):
        raise KeyError("ours")


def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    for name in ("p.json", "p.csv", "p.pdf"):
        os.mkfifo(tmp_path / name)
    for command, *arguments in (
        ("scn", "diff", "p.json", "p.json"), ("scn", "validate", "p.csv"), ("scn", "import", "p.csv"),
        ("scn", "import", "--against", "p.csv", "p.csv"), ("scn", "explain", "p.json", "cost"),
        ("render", "--check-pdf", "p.pdf"), ("render", "--check-pdf", "/dev/zero"),
    ):  # fmt: skip
        found = call(command, *arguments, cache=tmp_path / "cache", where=tmp_path)
        assert found.code == 2 and "not a plain file" in found.said, (arguments, found)


@pytest.mark.parametrize(("text", "said"), [
    ("a" + ",a" * MEASURED + "\n1\n", "has more than 1_000 columns"),
    ("a,b\n" + "1,2\n" * (ROWS + 1), "has more than 100_000 rows; split it"),
    ('a,b\n1,"' + "x" * 200_000, "is no CSV table"),
    ("a\n" * 13_000_000, "is larger than 25 MB"),
])  # fmt: skip
def test_tables_of_runs_past_their_bounds(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "runs.csv").write_text(text)
    done = CliRunner().invoke(validate, [str(tmp_path / "runs.csv")])
    assert done.exit_code == 2 and said in done.output


@pytest.mark.parametrize(("text", "said"), [
    ("a" + ",a" * MEASURED + "\n1\n", "has more than 1_000 columns"),
    ("", "lacks the column"),
])  # fmt: skip
def test_sheets_past_their_bounds(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "sheet.csv").write_text(text)
    (tmp_path / "log").write_text("x")
    done = CliRunner().invoke(import_, ["--against", str(tmp_path / "sheet.csv"), str(tmp_path / "log")])
    assert said in done.output


# PDFs


def pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, the first its root; it says that it is ours."""
    out, places = io.BytesIO(b"%PDF-1.7\n"), []
    out.seek(0, 2)
    for number, body in enumerate((*objects, b"<</Creator (Tonnage)>>"), 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start, count = out.tell(), len(places) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % count + b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<</Root 1 0 R/Info %d 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (count - 1, count, start))
    return out.getvalue()


ROOT, PAGES = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>"
BOMB = zlib.compress(b"\0" * 300_000_000)
STREAM = b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(BOMB), BOMB)
PDFS = {
    "nothing": (b"", 2), "no PDF": (b"x" * 100, 2), "zeros": (b"%PDF-1.7\n" + b"\0" * 1000, 2),
    "brackets": (b"%PDF-1.7\n" + b"[" * 500_000 + b"\ntrailer<</Root " + b"[" * 500_000, 2),
    "many objects": (b"%PDF-1.7\n" + b"".join(b"%d 0 obj\n<<>>\nendobj\n" % i for i in range(1, 100_000)), 2),
    "a circle of pages": (pdf(ROOT, b"<</Type/Pages/Kids[2 0 R]/Count 1>>"), 2),
    "many pages": (pdf(ROOT, b"<</Type/Pages/Kids[" + b"3 0 R " * 200_000 + b"]/Count 200000>>", PAGE), 2),
    "a bomb": (pdf(ROOT, PAGES, PAGE, STREAM), 1),
    "a circle of tags": (pdf(b"<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R/Outlines 5 0 R>>", PAGES, PAGE,
                             b"<</Type/StructTreeRoot/K[4 0 R]>>", b"<</First 5 0 R/Next 5 0 R>>"), 1),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PDFS)
def test_pdfs_that_are_made_to_break_the_check(tmp_path: Path, name: str) -> None:
    data, code = PDFS[name]
    (tmp_path / "a.pdf").write_bytes(data)
    found = call("render", "--check-pdf", "a.pdf", cache=tmp_path / "cache", where=tmp_path)
    assert found.code == code and len(found.said) < 5000, found.said


def test_a_check_that_takes_too_long_or_fails_is_the_files_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from reports.selfcheck import opened

    def endless(_: Path) -> None:
        while True:
            pass

    def fails(_: Path) -> None:
        raise ZeroDivisionError("odd")

    monkeypatch.setattr("dsl.limits.CHECKED", 0.3)
    for stand_in, said in ((endless, "takes more than"), (fails, "is a damaged PDF (odd)")):
        monkeypatch.setattr(opened, "opened", stand_in)
        assert checked((tmp_path / "a.pdf",), quiet=False) == shell.IN_ERROR
        assert said in capsys.readouterr().err


# what is kept between calls


def test_what_others_may_write_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(shelf, "folder", lambda: tmp_path)
    cache.write("a", [1, 2])
    shelf.put("figures", "b", b"<svg>")
    assert (cache.read("a"), shelf.taken("figures", "b")) == ([1, 2], b"<svg>")
    for name in ("a", "figures/b"):
        (tmp_path / name).chmod(0o666)
    assert (cache.read("a"), shelf.taken("figures", "b")) == (None, None)
    if os.geteuid() == 0:
        for name in ("a", "figures/b"):
            (tmp_path / name).chmod(0o600)
            os.chown(tmp_path / name, 12345, 12345)
        assert (cache.read("a"), shelf.taken("figures", "b")) == (None, None)


def test_a_folder_that_is_no_folder_of_templates_is_not_searched(tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for i in range(TEMPLATES + 1):
        (tmp_path / "many" / f"{i}.html").write_text("")
    (tmp_path / "pipes").mkdir()
    os.mkfifo(tmp_path / "pipes" / "style.css")
    (tmp_path / "a.scn").write_text(START)
    for folder, said in (("/", "holds more than 200 files"), ("many", "holds more than 200 files"),
                         ("pipes", "style.css is no plain file")):  # fmt: skip
        how = ("--templates", folder, "--format", "json")
        found = call("render", "a.scn", *how, cache=tmp_path / "cache", where=tmp_path)
        assert found.code == 2 and said in found.said


# days


@pytest.mark.parametrize(("stated", "day"), [("1767225600", "2026-01-01"), ("x", ""), ("", ""), ("9" * 30, ""),
                                             ("-5", ""), ("٣", "")])  # fmt: skip
def test_the_day_that_is_stated(monkeypatch: pytest.MonkeyPatch, stated: str, day: str) -> None:
    from datetime import date

    monkeypatch.setenv("SOURCE_DATE_EPOCH", stated)
    assert fit.today().isoformat() == (day or date.today().isoformat())
    assert document_date("").date().isoformat() == (day or EPOCH.date().isoformat())


def test_figures_are_drawn_whatever_day_is_stated(tmp_path: Path) -> None:
    (tmp_path / "a.scn").write_text(START)
    environment = {"SOURCE_DATE_EPOCH": "no day"}
    for name, value in environment.items():
        os.environ[name] = value
    try:
        done = call("render", "a.scn", "--format", "html", cache=tmp_path / "cache", where=tmp_path)
    finally:
        del os.environ["SOURCE_DATE_EPOCH"]
    assert done.code in (0, 1) and (tmp_path / "out" / "a.html").exists(), done.said

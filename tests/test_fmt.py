"""`scn fmt`: what it writes, what it leaves alone, and what it says."""

import os
import stat
from pathlib import Path

import pytest

from tests.test_render import call, names

ROOT = Path(__file__).resolve().parents[1]
LOOSE = "run  a{\nmodel=b\n  tokens=1T tokens # all\n}\n"
TIGHT = "run a {\n  model  = b\n  tokens = 1T tokens  # all\n}\n"
WRONG = "run  a {\n  layers  80\n}\n"


def put(folder: Path, **texts: str | bytes) -> None:
    for name, text in texts.items():
        (folder / f"{name}.scn").write_bytes(text if isinstance(text, bytes) else text.encode())


def test_files_are_put_into_canonical_form(tmp_path: Path) -> None:
    put(tmp_path, loose=LOOSE, tight=TIGHT)
    done = call("scn", "fmt", "loose.scn", "tight.scn", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "formatted loose.scn\n", "")
    assert {(tmp_path / name).read_text("utf-8") for name in names(tmp_path)} == {TIGHT}
    again = call("scn", "fmt", "loose.scn", "tight.scn", cwd=tmp_path)
    assert (again.code, again.out, again.err) == (0, "nothing to change\n", "")


def test_check_lists_the_files_that_would_change_and_writes_none(tmp_path: Path) -> None:
    put(tmp_path, loose=LOOSE, tight=TIGHT)
    done = call("scn", "fmt", "--check", "tight.scn", "loose.scn", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (1, "loose.scn\n", "")
    assert (tmp_path / "loose.scn").read_text("utf-8") == LOOSE
    assert call("scn", "fmt", "--check", "tight.scn", cwd=tmp_path).code == 0


def test_a_file_in_error_is_left_as_it_is_and_the_others_are_formatted(tmp_path: Path) -> None:
    put(tmp_path, wrong=WRONG, loose=LOOSE)
    done = call("scn", "fmt", "wrong.scn", "loose.scn", "none.scn", cwd=tmp_path)
    assert (done.code, done.out) == (2, "formatted loose.scn\n")
    assert [done.err.count(code) for code in ("error[E01]", "--> wrong.scn:2", "error[E02]")] == [1, 1, 1]
    assert (tmp_path / "wrong.scn").read_text("utf-8") == WRONG
    assert names(tmp_path) == {"wrong.scn", "loose.scn"}
    assert call("scn", "fmt", "--check", "wrong.scn", cwd=tmp_path).code == 2


def test_mistakes_of_meaning_do_not_hinder(tmp_path: Path) -> None:
    put(tmp_path, a='import "nowhere.scn"\nrun r{ colour=3 GB/tensor }\n')
    assert call("scn", "fmt", "a.scn", cwd=tmp_path).code == 0
    assert (tmp_path / "a.scn").read_text("utf-8") == 'import "nowhere.scn"\nrun r { colour = 3 GB/tensor }\n'


@pytest.mark.parametrize("content", [TIGHT.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + TIGHT.encode()])
def test_line_ends_and_byte_order_marks_are_white_space(tmp_path: Path, content: bytes) -> None:
    put(tmp_path, a=content)
    assert call("scn", "fmt", "--check", "a.scn", cwd=tmp_path).code == 1
    assert call("scn", "fmt", "a.scn", cwd=tmp_path).code == 0
    assert (tmp_path / "a.scn").read_bytes() == TIGHT.encode()


def test_bytes_that_are_not_utf8_are_left_alone(tmp_path: Path) -> None:
    content = "# Café\nlet  a = 1\n".encode("latin-1")
    put(tmp_path, a=content)
    done = call("scn", "fmt", "a.scn", cwd=tmp_path)
    assert done.code == 2 and "error[E03]" in done.err
    assert (tmp_path / "a.scn").read_bytes() == content


def test_rights_and_links_are_kept(tmp_path: Path) -> None:
    put(tmp_path, a=LOOSE)
    os.chmod(tmp_path / "a.scn", 0o640)
    (tmp_path / "link.scn").symlink_to("a.scn")
    assert call("scn", "fmt", "link.scn", cwd=tmp_path).code == 0
    assert (tmp_path / "link.scn").is_symlink()
    assert (tmp_path / "a.scn").read_text("utf-8") == TIGHT
    assert stat.S_IMODE((tmp_path / "a.scn").stat().st_mode) == 0o640
    assert names(tmp_path) == {"a.scn", "link.scn"}


def test_a_file_that_cannot_be_written_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reports.commands import fmt, shell

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    put(tmp_path, a=LOOSE)
    monkeypatch.setattr(Path, "replace", full)
    assert fmt.done(fmt.formatted(tmp_path / "a.scn"), check=False) == shell.CANNOT_WRITE
    assert (tmp_path / "a.scn").read_text("utf-8") == LOOSE
    assert names(tmp_path) == {"a.scn"}

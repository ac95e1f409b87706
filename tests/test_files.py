"""Files are written whole or not at all."""

from pathlib import Path

import pytest

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

"""Figures that were drawn before are taken from the cache, and drawn again where anything is different."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from reports import shelf
from reports.figures import drawn, picture
from reports.figures.picture import Picture
from reports.figures.sheet import Sheet


@dataclass(frozen=True)
class Data:
    word: str
    size: float = 8.0


calls: list[Data] = []


@picture.figure
def draw(data: Data) -> Picture:
    calls.append(data)
    sheet = Sheet("word", 84.0, 20.0)
    sheet.text(5, 10, data.word, size=data.size)
    return sheet.finish(f"The word {data.word}.")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    calls.clear()
    monkeypatch.setattr(shelf, "folder", lambda: tmp_path)
    return tmp_path / "figures"


def test_the_same_data_is_drawn_once() -> None:
    first = draw(Data("one"))
    assert draw(Data("one")) == first and calls == [Data("one")]
    assert "one" in first.svg and [box.text for box in first.texts] == ["one"]


def test_other_data_another_program_or_version_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    draw(Data("one"))
    draw(Data("two"))
    draw(Data("one", 8.000000000000002))
    for name in ("program", "versions"):
        monkeypatch.setattr(drawn, name, lambda: "another")
        draw(Data("one"))
    assert len(calls) == 5


@pytest.mark.parametrize("damage", [
    lambda b: b"", lambda b: b[:-1], lambda b: b[:40] + b"?" + b[41:], lambda b: b"x" + b,
])  # fmt: skip
def test_a_damaged_entry_is_drawn_again(own_cache: Path, damage: Callable[[bytes], bytes]) -> None:
    first = draw(Data("one"))
    (place,) = own_cache.iterdir()
    place.write_bytes(damage(place.read_bytes()))
    assert draw(Data("one")) == first and len(calls) == 2
    assert draw(Data("one")) == first and len(calls) == 2  # kept anew


def test_an_entry_that_is_no_picture_is_drawn_again(own_cache: Path) -> None:
    first = draw(Data("one"))
    (place,) = own_cache.iterdir()
    for data in (b"no pickle", pickle.dumps("a text")):
        shelf.put("figures", place.name, data)
        assert draw(Data("one")) == first
    assert len(calls) == 3

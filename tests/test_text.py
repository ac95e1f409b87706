"""Files of other programs as text: sizes at their bounds, compression, lines and cells, each problem whole."""

import gzip

import pytest

from dsl.importers import text
from dsl.importers.text import Lines, cells, known, lines_of, long_line, rows, unpacked, values
from dsl.problems import Problem, Span

PLACE = Span("a.log", 1, 1, 1)
SHORTER = "record a shorter stretch: one or two steps are enough"


@pytest.mark.parametrize(
    ("whole", "lines"),
    [
        ("", [""]), ("a", ["a"]), ("a\n", ["a", ""]), ("\na", ["", "a"]), ("a\n\nb", ["a", "", "b"]),
        ("a\r\nb\r", ["a", "b"]), ("\n\n", ["", "", ""]), ("x\nabcdefgh\ny", ["x", "abcde", "y"]),
        ("abcdefgh", ["abcde"]),
    ],
)  # fmt: skip
def test_lines_with_their_numbers_cut_behind_the_longest(whole: str, lines: list[str]) -> None:
    assert list(Lines(whole).numbered(5)) == list(enumerate(lines, start=1))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_data_up_to_the_largest_that_is_read(pack: type[bytes]) -> None:
    data = b"ab" * 1_750_000
    assert unpacked(pack(data), "a.log", 3_500_000) == (data, [])
    assert unpacked(pack(data), "a.log", 3_499_999) == (
        b"", [Problem("E02", "`a.log` is larger than 3 MB", PLACE, help=SHORTER)]
    )  # fmt: skip
    assert unpacked(pack(data + b"c"), "a.log", 3_500_000, "way out")[1][0].help == "way out"


def test_every_member_of_a_gzip_file_is_read() -> None:
    """Parts that were packed one by one and put together, as block-wise packers and appended logs are."""
    parts = gzip.compress(b"one\n") + gzip.compress(b"two\n")
    assert unpacked(parts, "a.log", 8) == (b"one\ntwo\n", [])
    assert [p.title for p in unpacked(parts, "a.log", 7)[1]] == ["`a.log` is larger than 0 MB"]


def test_a_gzip_file_that_is_cut_off_or_none() -> None:
    cut = Problem("E02", "`a.log` is a gzip file that is cut off", PLACE, help="copy it again")
    packed = gzip.compress(b"abcdefgh" * 99)
    for data in (packed[:-1], packed[:-9], packed[:12], b"\x1f\x8b"):
        assert unpacked(data, "a.log") == (b"", [cut])
    none = Problem("E02", "`a.log` is a gzip file that cannot be unpacked", PLACE)
    damaged = packed[:-8] + bytes(4) + packed[-4:]  # of another check sum
    for data in (b"\x1f\x8b" + b"x" * 20, packed[:10] + b"\xff" * 20, damaged):
        assert unpacked(data, "a.log") == (b"", [none])


def test_values_of_a_json_text_are_no_more_than_its_marks() -> None:
    assert values(b'{"a": [5, 7], "b": {}}') == 2 + 2 + 1  # commas, braces, brackets


def test_the_first_kind_that_tells_the_beginning_as_its_own() -> None:
    kinds = [(lambda start: "\ufeff" in start, 3), (lambda start: start.endswith("z"), 5), (lambda start: True, 7)]
    assert known(b"\xef\xbb\xbfa", kinds) == 7 and known(b"a\xff", kinds[:2]) is None
    assert known(b"a" * 199_999 + b"z" + b"b", kinds) == 5 and known(b"a" * 200_000 + b"z", kinds) == 7


def test_lines_of_a_file_and_more_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines_of(gzip.compress(b"\xef\xbb\xbfa\xff\n"), "a.log") == (Lines("a\ufffd\n"), [])
    monkeypatch.setattr(text, "LOG_LINES", 3)
    assert lines_of(b"a\n" * 3, "a.log") == (Lines("a\n" * 3), [])
    assert lines_of(b"a\n" * 4, "a.log") == (
        Lines(""), [Problem("E05", "`a.log` has more than 3 lines", PLACE, "read up to here", help=SHORTER)]
    )  # fmt: skip
    assert [p.help for p in lines_of(b"a\n" * 4, "a.log", 5, "way out")[1]] == ["way out"]


def test_a_line_that_is_too_long_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LINE", 12_345)
    own = "a\n" + "b" * 12_345
    assert long_line(Lines(own), "a.log") == []
    assert long_line(Lines(own + "b\n" + "c" * 99_999), "a.log") == [
        Problem("E05", "this line of a.log is longer than 12_345 characters", Span("a.log", 2, 1, 2),
                help="break it into several")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "found"),
    [('a,"b,c",d', ["a", "b,c", "d"]), ("", []), ("a\rb\nc,d", ["a b c", "d"]), ("a" * 140_000, ["?"]),
     ("a,", ["a", ""])],
)  # fmt: skip
def test_cells_of_a_line(line: str, found: list[str]) -> None:
    assert cells(line) == found


def test_rows_of_a_table_end_with_one_that_cannot_be_told_apart() -> None:
    assert list(rows(["a;b", '"c', 'd";e'], ";")) == [["a", "b"], ["cd", "e"]]
    assert list(rows(["a", "b" * 140_000, "c"])) == [["a"], ["?"]]

"""Values as text of the language: significant digits, units a person would use, names, notes, whole blocks."""

import pytest

from dsl.importers.printed import block, digits, name_of, quantity, quoted
from dsl.kind import Setting
from dsl.kinds import MODEL


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (3.0, "3"), (-3.25, "-3.25"), (0.1234567, "0.123457"), (100.0, "100"), (9_999.0, "9999"),
        (10_000.0, "10_000"), (-12_345.0, "-12_345"), (1_234_567.0, "1_234_567"), (12_345.5, "12345.5"),
        (1_234_567.5, "1234570"), (123_456_789.5, "123457000"), (1.5e-7, "0.00000015"), (-1.5e-7, "-0.00000015"),
        (1.2345678e-6, "0.00000123457"), (9.9999999e-7, "0.000001"), (999_999.5, "1000000"), (0.5, "0.5"),
    ],
)  # fmt: skip
def test_six_significant_digits(value: float, text: str) -> None:
    assert digits(value) == text


def test_as_many_digits_as_are_asked_for() -> None:
    assert [digits(1.23456789, most) for most in (1, 3, 9)] == ["1", "1.23", "1.23456789"]
    assert digits(1.2345678e-6, 3) == "0.00000123" and digits(1234.5, 2) == "1200"


@pytest.mark.parametrize(
    ("holds", "value", "text"),
    [
        ("bytes/s", 1e12, "1 TB/s"), ("bytes/s", 0.999e12, "999 GB/s"), ("bytes/s", 1e9, "1 GB/s"),
        ("bytes/s", 3e6, "3 MB/s"), ("bytes/s", 1e6, "1 MB/s"), ("bytes/s", 999_000, "999_000 bytes/s"),
        ("bytes/s", 1, "1 bytes/s"), ("bytes/s", 0.5, "0.5 bytes/s"), ("bytes/s", -3e9, "-3 GB/s"),
        ("bytes", 2**30, "1 GiB"), ("bytes", 3 * 2**29, "1.5 GiB"), ("bytes", 2**30 - 2**20, "1023 MiB"),
        ("bytes", 2**20, "1 MiB"), ("bytes", 2**20 - 1, "1_048_575 bytes"), ("bytes", 0, "0 bytes"),
        ("seconds", 1, "1 s"), ("seconds", 90, "90 s"), ("seconds", 0.75, "750 ms"), ("seconds", 1e-3, "1 ms"),
        ("seconds", 0.25e-3, "250 us"), ("seconds", 1e-6, "1 us"), ("seconds", 0.25e-6, "0.25 us"),
        ("flop/s", 1e15, "1 PFLOPS"), ("flop/s", 989e12, "989 TFLOPS"), ("flop/s", 1e12, "1 TFLOPS"),
        ("flop/s", 7e9, "7 GFLOPS"), ("flop/s", 1e9, "1 GFLOPS"), ("flop/s", 5e8, "0.5 GFLOPS"),
        ("share", 0.375, "37.5%"), ("sequences", 1, "1 sequence"), ("sequences", 2, "2 sequences"),
        ("tokens", 8192, "8192 tokens"), ("gpus", 1, "1 gpus"), ("number", 2.5, "2.5"),
        ("list of layers", [3.0, 4], "[3 layers, 4 layers]"), ("list of number", (), "[]"),
        ("flag", True, "true"), ("flag", False, "false"), ("choice", "bf16", "bf16"), ("text", 'a "b"', "\"a 'b'\""),
        ("date", "2026-01-02", '"2026-01-02"'), ("file", "a\\b", '"a/b"'),
    ],
)  # fmt: skip
def test_a_value_in_the_unit_a_person_would_use(holds: str, value: object, text: str) -> None:
    assert quantity(Setting("x", holds, ""), value) == text


def test_what_stands_between_quotes() -> None:
    assert quoted('a\n\t"b"\\c\x00é') == "a'b'/cé"


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("my run", "my-run"), ("7b model-x", "trace-7b-model-x"), ("", "trace"), ("model 7", "model-7"),
     ("model", "model"), ("if", "trace-if"), ("from", "trace-from"), ("7model-7", "trace-7model-7")],
)  # fmt: skip
def test_a_text_as_the_name_of_a_block(wanted: str, name: str) -> None:
    assert name_of(wanted, "trace") == name


def test_a_block_with_groups_comments_and_its_source_last() -> None:
    settings = {"source": "x", "layers": 3, "experts.routed": 8, "hidden": 64, "experts.active": 2, "verified": "read"}
    why = {"layers": "by it", "experts.active": "by that", "hidden": ""}
    assert block(MODEL, "m", settings, title='a "b', notes=["one"], why=why, base="b") == (
        "# one\n"
        'model m "a \'b" from b {\n'
        "  layers = 3 layers  # by it\n"
        "  experts {\n"
        "    routed = 8\n"
        "    active = 2  # by that\n"
        "  }\n"
        "  hidden   = 64\n"
        '  source   = "x"\n'
        "  verified = read\n"
        "}\n"
    )
    assert block(MODEL, "m", {"layers": 3}) == "model m {\n  layers = 3 layers\n}\n"


@pytest.mark.parametrize(
    ("first", "second", "lines"),
    [(60, 55, ["x" * 60 + " " + "y" * 55]), (60, 56, ["x" * 60, "y" * 56]), (130, 3, ["x" * 130, "yyy"]), (0, 0, [])],
)
def test_notes_wrap_at_116_characters(first: int, second: int, lines: list[str]) -> None:
    text = block(MODEL, "m", {"layers": 3}, notes=[f"{'x' * first}\n {'y' * second}"])
    assert [line.removeprefix("# ") for line in text.splitlines() if line.startswith("#")] == lines

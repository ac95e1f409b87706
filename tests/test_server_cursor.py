"""The cursor: where a half-typed text stands, from what comes before it."""

import pytest

from dsl.server.cursor import Cursor, Opened
from tests.server_files import at_bar as at


def opened(*headers: str) -> tuple[Opened, ...]:
    return tuple(Opened(tuple(header.split())) for header in headers)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# text: blocks, words, typed, column of the typed word, call, inside, unit
CURSORS = {
    "|": ((), (), "", 1, "", "", False),
    "# a { b |": ((), (), "", 9, "", "comment", False),
    "a # b\n|": ((), (), "", 1, "", "", False),
    "let a = 15|": ((), words("let a = 15"), "", 11, "", "", False),
    "let a = b /|": ((), words("let a = b /"), "", 12, "", "", False),
    "let a = b |": ((), words("let a = b"), "", 11, "", "", False),
    "let a = be|ta": ((), words("let a ="), "be", 9, "", "", False),
    "run r from base {\n  model| = zoo.x\n}\nlet b = 3": (
        opened("run r from base"), (), "model", 3, "", "", False),
    "run r { layout { tensor = 2 }\n  ba|": (opened("run r"), (), "ba", 3, "", "", False),
    "run r { layout { overlap { a = 2 } }\n  ba|": (opened("run r"), (), "ba", 3, "", "", False),
    "run r { layout { overlap {\n d|": (opened("run r", "layout", "overlap"), (), "d", 2, "", "", False),
    "let a = 3 +\n  be|": ((), words("let a = 3 +"), "be", 3, "", "", False),
    "let a = 3\n  be|": ((), (), "be", 3, "", "", False),
    "divides\n  be|": ((), ("divides",), "be", 3, "", "", False),
    "report { show = [\n    mfu,\n  ]\n  se|": (opened("report"), (), "se", 3, "", "", False),
    "report { show = [mfu|": (opened("report"), words("show = ["), "mfu", 18, "", "", False),
    "let a = min(b, |": ((), words("let a = min ( b ,"), "", 16, "min", "", False),
    "let a = min(max(b), |": ((), words("let a = min ( max ( b ) ,"), "", 21, "min", "", False),
    "let a = min([b, |": ((), words("let a = min ( [ b ,"), "", 17, "min", "", False),
    "(|": ((), ("(",), "", 2, "", "", False),
    "let a = )b, |": ((), (), "", 13, "", "", False),
    "run r { a = min(b }\nlet c = 3\nd|": ((), (), "d", 1, "", "", False),
    "run r {\n  require a >= 3\n  because b|": (
        opened("run r"), words("require a >= 3 because"), "b", 11, "", "", False),
    "run r {\n  require a >= 3\n\n\n  and b|": (opened("run r"), words("require a >= 3 and"), "b", 7, "", "", False),
    'import "lib|': ((), ("import",), '"lib', 8, "", "text", False),
    'import "lib" |': ((), words('import "lib"'), "", 14, "", "", False),
    'import "lib"|': ((), ("import",), '"lib"', 8, "", "", False),
    'let a = "b \\" c|': ((), words("let a ="), '"b \\" c', 9, "", "text", False),
    'let a = "400 G|': ((), words("let a ="), '"400 G', 9, "", "text", True),
    "let a = 400 |": ((), words("let a = 400"), "", 13, "", "", True),
    "let a = 400 G|": ((), words("let a = 400"), "G", 13, "", "", True),
    "let a = 400 GB/s/d|": ((), words("let a = 400"), "GB/s/d", 13, "", "", True),
    "let a = [3, 5] G|": ((), words("let a = [ 3 , 5 ]"), "G", 16, "", "", True),
    "let a = $2.10/gpu-h|": ((), words("let a ="), "$2.10/gpu-h", 9, "", "", False),
}  # fmt: skip


@pytest.mark.parametrize("text", CURSORS)
def test_the_cursor_stands_in_its_blocks_and_its_statement(text: str) -> None:
    assert at(text) == Cursor(*CURSORS[text])


def test_an_opened_block_has_a_kind_and_perhaps_a_name() -> None:
    headers = {"": ("", ""), "run": ("run", ""), "run plan": ("run", "plan"), "run plan from base": ("run", "plan"),
               "report from base": ("report", ""), "measured at": ("measured", ""),
               "gpu h x": ("gpu", "h")}  # fmt: skip
    for header, found in headers.items():
        block = Opened(tuple(header.split()))
        assert (block.kind, block.name) == found, header


def test_a_setting_is_what_stands_before_an_equals_sign() -> None:
    settings = {"|": "", "run r { nodes|": "", "run r { nodes =|": "nodes", "run r { nodes = 3 * |": "nodes",
                "run r { let nodes = |": "", "run r { layout.tensor = |": "layout.tensor"}  # fmt: skip
    assert {text: at(text).setting for text in settings} == settings


def test_an_amount_is_a_number_whose_unit_is_being_typed() -> None:
    amounts = {
        "let a = 3 |": True,
        "let a = 3 G|": True,
        "let a = $3/|": True,
        "let a = b|": False,
        "let a = 3|": False,
    }
    assert {text: at(text).amount for text in amounts} == amounts

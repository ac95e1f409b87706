"""What a page shows: each piece of text and each picture with its place and the tag it stands under."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reports.selfcheck.charmaps import Font, font_of

TOKEN = re.compile(
    rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|<<|>>|<[0-9A-Fa-f\s]*>|\[|\]|/[^\s()<>\[\]{}/%]*"
    rb"|[^\s()<>\[\]{}/%]+",
    re.S,
)
ESCAPE = re.compile(rb"\\([0-7]{1,3}|\r\n|.)", re.S)
LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
Matrix = tuple[float, float, float, float, float, float]
SAME: Matrix = (1, 0, 0, 1, 0, 0)
Tag = tuple[int | None, bool]  # its number, and whether it is an artifact


@dataclass(frozen=True)
class Shown:
    """A piece of text, or a picture (no font): under which tag, and where its base line begins, in points."""

    mark: int | None  # the number that ties it to the tree of tags
    artifact: bool
    x: float
    y: float
    text: str = ""
    font: str = ""
    codes: tuple[int, ...] = ()
    lost: int = 0  # codes that are .notdef or mean no text


def times(a: Matrix, b: Matrix) -> Matrix:
    """The matrix that applies ``a`` and then ``b``."""
    return (
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4], a[4] * b[1] + a[5] * b[3] + b[5],
    )  # fmt: skip


def unquoted(token: bytes) -> bytes:
    """The bytes of a string, written in hex or in parentheses."""
    if token.startswith(b"<"):
        digits = b"".join(token[1:-1].split())
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())

    def letter(match: re.Match[bytes]) -> bytes:
        found = match[1]
        return bytes([int(found, 8) % 256]) if found[:1].isdigit() else LETTERS.get(found, found.strip(b"\r\n"))

    return ESCAPE.sub(letter, token[1:-1])


@dataclass
class Reader:
    """Reads one page's stream, and those of the pictures it shows; ``fonts`` are shared by the pages of a file."""

    fonts: dict[Any, Font]
    shown: list[Shown] = field(default_factory=list)
    lost_tags: int = 0  # marks that end without having begun, or never end

    def font(self, entry: Any) -> Font:
        key = getattr(entry, "idnum", id(entry))
        if key not in self.fonts:
            self.fonts[key] = font_of(entry)
        return self.fonts[key]

    def read(self, data: bytes, resources: Any, base: Matrix = SAME, inside: Tag = (None, False)) -> None:
        """Adds what a stream shows; ``inside`` is the tag under which a picture stands."""
        state = State(self, resources, base, [inside])
        given: list[bytes] = []
        for match in TOKEN.finditer(data):
            token = match[0]
            act = ACTS.get(token)
            if act is not None:
                act(state, given)
                given = []
            elif token[:1].isalpha() or token in (b"'", b'"'):
                given = []
            else:
                given.append(token)
        self.lost_tags += abs(len(state.tags) - 1)


@dataclass
class State:
    """Where the reading stands in one stream."""

    reader: Reader
    resources: Any
    matrix: Matrix
    tags: list[Tag]
    kept: list[Matrix] = field(default_factory=list)
    line: Matrix = SAME
    font: Font | None = None


def numbers(given: list[bytes]) -> Matrix:
    a, b, c, d, e, f = (float(g) for g in given[-6:])
    return a, b, c, d, e, f


def concat(state: State, given: list[bytes]) -> None:
    state.matrix = times(numbers(given), state.matrix)


def save(state: State, _: list[bytes]) -> None:
    state.kept.append(state.matrix)


def restore(state: State, _: list[bytes]) -> None:
    state.matrix = state.kept.pop() if state.kept else state.matrix


def start_text(state: State, _: list[bytes]) -> None:
    state.line = SAME


def place_text(state: State, given: list[bytes]) -> None:
    state.line = numbers(given)


def move_text(state: State, given: list[bytes]) -> None:
    state.line = times((1, 0, 0, 1, float(given[-2]), float(given[-1])), state.line)


def choose_font(state: State, given: list[bytes]) -> None:
    fonts: Any = state.resources["/Font"].get_object() if "/Font" in state.resources else {}
    name = given[-2].decode("latin1")
    state.font = state.reader.font(fonts.raw_get(name)) if name in fonts else None


def show_text(state: State, given: list[bytes]) -> None:
    data = b"".join(unquoted(g) for g in given if g[:1] in b"<(")
    place = times(state.line, state.matrix)
    mark, artifact = state.tags[-1]
    font = state.font
    codes = tuple(font.codes(data)) if font else ()
    text = "".join(font.texts.get(code, "") for code in codes) if font else ""
    lost = sum(code == 0 or not font.texts.get(code) for code in codes) if font else len(data)
    name = font.name if font else "no font"
    state.reader.shown.append(Shown(mark, artifact, place[4], place[5], text, name, codes, lost))


def paint(state: State, given: list[bytes]) -> None:
    """A picture: it counts where its lower left corner is; the words of a drawn one are read too."""
    below = state.resources.get("/XObject", {})
    name = given[-1].decode("latin1")
    if name not in below:
        return
    picture = below[name].get_object()
    mark, artifact = state.tags[-1]
    if picture.get("/Subtype") != "/Form":
        state.reader.shown.append(Shown(mark, artifact, state.matrix[4], state.matrix[5]))
        return
    own = picture.get("/Matrix")
    matrix = times(numbers([str(float(v)).encode() for v in own]), state.matrix) if own else state.matrix
    left, low, right, high = (float(v) for v in picture["/BBox"])
    corners = [times((1, 0, 0, 1, x, y), matrix) for x in (left, right) for y in (low, high)]
    state.reader.shown.append(Shown(mark, artifact, min(c[4] for c in corners), min(c[5] for c in corners)))
    resources = picture["/Resources"].get_object() if "/Resources" in picture else state.resources
    state.reader.read(picture.get_data(), resources, matrix, (mark, artifact))


def begin(state: State, given: list[bytes]) -> None:
    """A tag opens: its number, or that it is an artifact; what stands inside a tag stands under the inmost number."""
    mark, artifact = state.tags[-1]
    own = int(given[given.index(b"/MCID") + 1]) if b"/MCID" in given else mark
    state.tags.append((own, artifact or b"/Artifact" in given[:1]))


def end(state: State, _: list[bytes]) -> None:
    if len(state.tags) > 1:
        state.tags.pop()
    else:
        state.reader.lost_tags += 1


ACTS: dict[bytes, Callable[[State, list[bytes]], None]] = {
    b"cm": concat, b"q": save, b"Q": restore, b"BT": start_text, b"Tm": place_text, b"Td": move_text,
    b"TD": move_text, b"Tf": choose_font, b"Tj": show_text, b"TJ": show_text, b"Do": paint,
    b"BDC": begin, b"BMC": begin, b"EMC": end,
}  # fmt: skip


def read_page(page: Any, fonts: dict[Any, Font]) -> tuple[list[Shown], int]:
    """(what a page shows in the order it is drawn, how many tags do not close)."""
    reader = Reader(fonts)
    content = page.get_contents()
    if content is not None:
        reader.read(content.get_data(), page["/Resources"].get_object())
    return reader.shown, reader.lost_tags

"""Fonts of a PDF: what each one's codes mean, and whether it travels in the file."""

import re
from dataclasses import dataclass
from typing import Any

GROUP = re.compile(rb"begin(bfchar|bfrange)(.*?)end\1", re.S)
WORD = re.compile(rb"<([0-9A-Fa-f\s]*)>|(\[|\])")
SUBSET = re.compile(r"/?[A-Z]{6}\+.+")


@dataclass(frozen=True)
class Font:
    """A font as the file has it: its name, the text of its codes, and what it lacks."""

    name: str
    wide: bool  # two bytes a code
    texts: dict[int, str]
    lacks: tuple[str, ...]

    def codes(self, data: bytes) -> list[int]:
        """The codes of a shown string."""
        return [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2)] if self.wide else list(data)


def font_of(entry: Any) -> Font:
    """A font from its dictionary."""
    whole = entry.get_object()
    wide = whole.get("/Subtype") == "/Type0"
    below = whole["/DescendantFonts"][0].get_object() if wide else whole
    name, described = str(whole.get("/BaseFont", "/a font without a name")), below.get("/FontDescriptor")
    descriptor = described.get_object() if described is not None else {}
    data = whole["/ToUnicode"].get_object().get_data() if "/ToUnicode" in whole else b""
    lacks = {
        "is not embedded": any(f"/FontFile{n}" in descriptor for n in ("", "2", "3")),
        "is not a subset": SUBSET.fullmatch(name) is not None,
        "has no ToUnicode": bool(data),
    }
    return Font(name.lstrip("/"), wide, charmap(data), tuple(what for what, there in lacks.items() if not there))


def charmap(data: bytes) -> dict[int, str]:
    """{code: text} of a ToUnicode map."""
    found: dict[int, str] = {}
    for kind, body in GROUP.findall(data):
        words = [bracket or bytes.fromhex(hexed.decode()) for hexed, bracket in WORD.findall(body)]
        found.update(chars(words) if kind == b"bfchar" else ranges(words))
    return found


def chars(words: list[bytes]) -> dict[int, str]:
    return {number(code): text(to) for code, to in zip(words[::2], words[1::2], strict=False)}


def ranges(words: list[bytes]) -> dict[int, str]:
    found, i = {}, 0
    while i + 2 < len(words):
        low, high, to = number(words[i]), number(words[i + 1]), words[i + 2]
        i += 3
        if to == b"[":
            end = words.index(b"]", i)
            found.update({low + n: text(word) for n, word in enumerate(words[i:end])})
            i = end + 1
        else:
            found.update({low + n: text(to[:-1] + bytes([(to[-1] + n) % 256])) for n in range(high - low + 1)})
    return found


def number(word: bytes) -> int:
    return int.from_bytes(word, "big")


def text(word: bytes) -> str:
    return word.decode("utf-16-be", "replace")

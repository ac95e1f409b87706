"""A system with chosen fonts only, and small fonts to choose, so that tests do not hang on what a machine has."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from reports import other_fonts, style
from reports.figures import sheet


@contextmanager
def only_fonts(*paths: Path) -> Iterator[None]:
    """Inside, the system has these font files and no others; the document has its own and its fallback."""
    held = [style.matplotlib_font("DejaVuSans.ttf"), *paths]
    with mock.patch.object(other_fonts, "files", return_value=held):
        forget()
        yield
    forget()


def forget() -> None:
    """Empties what was found out about fonts."""
    for cached in (other_fonts.family_of, other_fonts.installed, other_fonts.registered, sheet._width):
        cached.cache_clear()


def square_font(path: Path, family: str, characters: str) -> Path:
    """Writes a font whose every character is a black square one em wide."""
    from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]  # ships no type hints
    from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]

    names = [".notdef", *(f"u{ord(c):04X}" for c in characters)]
    pen = TTGlyphPen(None)
    for move, place in (("moveTo", (100, 0)), ("lineTo", (100, 800)), ("lineTo", (900, 800)), ("lineTo", (900, 0))):
        getattr(pen, move)(place)
    pen.closePath()
    square = pen.glyph()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(c): f"u{ord(c):04X}" for c in characters})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 100)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return path

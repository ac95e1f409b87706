"""Characters that the document's own font lacks: the installed font that has them, and the package that brings one.

The document's fallback comes first, so that Greek and Cyrillic look the same everywhere; then the fonts of the system.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from reports import style
from reports.system_fonts import system_fonts

FALLBACK = "DejaVu Sans"  # it comes with matplotlib
PREFERRED = ("Noto Sans CJK", "Noto Sans")
PACKAGES = (
    ((0x1100, 0x11FF), "fonts-noto-cjk"),  # Hangul Jamo
    ((0x2E80, 0x9FFF), "fonts-noto-cjk"),  # radicals, kana, Hangul compatibility, ideographs
    ((0xA960, 0xA97F), "fonts-noto-cjk"),
    ((0xAC00, 0xD7FF), "fonts-noto-cjk"),  # Hangul syllables
    ((0xF900, 0xFAFF), "fonts-noto-cjk"),
    ((0xFE30, 0xFE4F), "fonts-noto-cjk"),
    ((0xFF00, 0xFFEF), "fonts-noto-cjk"),  # full-width forms
    ((0x1F300, 0x1FAFF), "fonts-symbola"),  # emoji, in outlines
    ((0x20000, 0x3FFFF), "fonts-noto-cjk-extra"),
)
"""Blocks of Unicode and the Debian package with a font for them; every other script is in fonts-noto-core."""


def package(character: str) -> str:
    """The Debian package that brings a font for the character."""
    code = ord(character)
    return next((name for (low, high), name in PACKAGES if low <= code <= high), "fonts-noto-core")


def drawable(character: str) -> bool:
    """Whether the document's own font or any other one here has the character."""
    return character in style.characters() or family_of(character) is not None


def families(text: str) -> tuple[str, ...]:
    """The families that draw the text together, the document's own first."""
    others = (family_of(c) for c in text if c not in style.characters())
    return tuple(dict.fromkeys((style.FAMILY, *filter(None, others))))


@cache
def family_of(character: str) -> str | None:
    """The family of the first font beside the document's own that has the character; None where no font has it."""
    place = next((path for path, _, held in installed() if ord(character) in held), None)
    return None if place is None else registered(place)


@cache
def installed() -> tuple[tuple[Path, str, frozenset[int]], ...]:
    """Upright outline fonts (file, family, characters): the fallback, then those of the system, the preferred first."""
    found = [font for path in files() for font in opened(path)]
    fallback, others = found[:1], found[1:]
    return (*fallback, *sorted(others, key=lambda f: (_rank(f[1]), f[1], f[0].name)))


def files() -> list[Path]:
    """The fallback's file, then all font files of the system."""
    return [style.matplotlib_font("DejaVuSans.ttf"), *system_fonts()]


def opened(path: Path) -> Iterator[tuple[Path, str, frozenset[int]]]:
    """What a file holds, where it is a font that figures can be drawn with."""
    from matplotlib.ft2font import FT2Font, StyleFlags

    with suppress(OSError, RuntimeError, ValueError):
        font = FT2Font(str(path))
        slanted = font.style_flags & (StyleFlags.ITALIC | StyleFlags.BOLD)
        if font.scalable and not slanted and font.family_name != style.FAMILY:
            yield path, font.family_name, frozenset(font.get_charmap())


def _rank(family: str) -> int:
    return next((i for i, name in enumerate(PREFERRED) if family.startswith(name)), len(PREFERRED))


@cache
def registered(path: Path) -> str:
    """The family of a file after matplotlib has heard of it, in every weight and slant that figures use.

    A family without a bold file of its own is drawn as it is: matplotlib would complain of what it does not find.
    """
    from matplotlib.font_manager import FontEntry, fontManager

    style.register_fonts()
    family = next(name for own, name, _ in installed() if own == path)
    heavy = style.matplotlib_font("DejaVuSans-Bold.ttf") if family == FALLBACK else path
    made = [FontEntry(fname=str(heavy if weight > 400 else path), name=family, style=slant, variant="normal",
                      weight=weight, stretch="normal", size="scalable")
            for weight in (400, 600, 700) for slant in ("normal", "italic")]  # fmt: skip
    fontManager.ttflist[:] = made + [entry for entry in fontManager.ttflist if entry.name != family]
    fontManager.addfont(style.font_files()[style.FAMILY, 400, "normal"])  # also empties what it found before
    fontManager.ttflist.pop()
    return family

"""The fonts of the document: as files for the PDF, as WOFF2 subsets for the HTML, and which characters they hold."""

import base64
import io
import re
import unicodedata
from contextlib import suppress
from functools import cache
from html import unescape
from importlib import metadata
from pathlib import Path

from dsl.cache import digest, folder
from dsl.whole import replace
from reports import installing, other_fonts
from reports.other_fonts import FALLBACK  # Greek, Cyrillic and signs that Source Sans Pro lacks
from reports.style import FAMILY, font_files, matplotlib_font, missing

# What nearly every document needs; a subset of it is made once a process and serves most documents.
BASIC = (
    "".join(chr(c) for c in (*range(0x20, 0x7F), *range(0xA0, 0x180)))
    + "–—‘’“”†•…′″€™−×≤≥≠≈∞√∑∂∆Δμµηαβτδπσφω⁰¹²³⁴⁵⁶⁷⁸⁹⁻·→←↑↓✓▲■●◆"
)


def faces() -> dict[tuple[str, int, str], Path]:
    """All font files of the document by (family, weight, style)."""
    files = font_files()
    names = {
        (400, "normal"): "DejaVuSans.ttf",
        (400, "italic"): "DejaVuSans-Oblique.ttf",
        (600, "normal"): "DejaVuSans-Bold.ttf",
    }
    return files | {(FALLBACK, weight, style): matplotlib_font(name) for (weight, style), name in names.items()}


@cache
def drawable(path: Path) -> frozenset[str]:
    """The characters a font file can draw, from its character map."""
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # ships no type hints

    with TTFont(path, lazy=True) as font:
        return frozenset(chr(code) for code in font.getBestCmap())


INVISIBLE = "\u00ad\u200b"  # soft hyphen, zero-width space


def file_faces() -> str:
    """@font-face rules that name the installed font files."""
    return "\n".join(face(*key, f'url("{path.as_uri()}")') for key, path in faces().items())


def face(family: str, weight: int, style: str, source: str) -> str:
    """One @font-face rule."""
    return f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; src: {source}; }}'


def data_faces(page: str) -> str:
    """@font-face rules with subset WOFF2 fonts as data addresses, with every character of the page the fonts have."""
    used = set(unescape(page))
    own, fallback = (drawable(faces()[family, 400, "normal"]) for family in (FAMILY, FALLBACK))
    lacking = "".join(sorted(used & fallback - own))  # a font of no character at all would be refused by browsers
    extra = "".join(sorted(used - set(BASIC)))
    texts = {family: lacking if family == FALLBACK else BASIC + extra for family, _, _ in faces()}
    return "\n".join(
        face(*key, f'url("data:font/woff2;base64,{subset(path, texts[key[0]])}") format("woff2")')
        for key, path in faces().items()
        if texts[key[0]]
    )


@cache
def subset(path: Path, text: str) -> str:
    """One font reduced to the characters of a text, as base64 of WOFF2; kept between calls: it takes 0.3 s to make."""
    versions = (metadata.version("fonttools"), metadata.version("brotli"), str(path.stat().st_size))
    place = folder() / "fonts" / f"{digest(path.name, text, *versions)}.woff2"
    try:
        data = place.read_bytes()
    except OSError:
        data = made(path, text)
        keep(place, data)
    return base64.b64encode(data).decode()


def keep(place: Path, data: bytes) -> None:
    """Writes a file of the cache whole; where that cannot be, the next call makes the font again."""
    with suppress(OSError):
        replace(place, data)


def made(path: Path, text: str) -> bytes:
    """The subset as WOFF2; the same bytes for the same font, text and versions."""
    from fontTools.subset import Options, Subsetter  # type: ignore[import-untyped]  # ships no type hints
    from fontTools.ttLib import TTFont

    options = Options(flavor="woff2", notdef_outline=True, hinting=False, name_IDs=[0, 1, 2, 13])
    options.layout_features = ["kern", "liga", "mark", "mkmk"]
    options.drop_tables += ["FFTM"]  # FontForge's time stamps
    with TTFont(path, recalcTimestamp=False) as font:
        subsetter = Subsetter(options)
        subsetter.populate(text=text)
        subsetter.subset(font)
        font.flavor = "woff2"
        data = io.BytesIO()
        font.save(data)
    return data.getvalue()


def missing_glyphs(page: str) -> list[str]:
    """A sentence for the characters of the page, alternative texts included, that no font here can draw.

    On paper they would be empty boxes; it names the package that brings a font for them.
    """
    body = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.S)
    alts = " ".join(re.findall(r' alt="([^"]*)"', body))
    text = unescape(re.sub(r"<[^>]*>", " ", body) + alts)
    return [said(package, chars) for package, chars in by_package(text).items()]


def undrawn(text: str) -> tuple[str, ...]:
    """The characters of a text that no font here can draw, each once, in order: neither one of the document's nor
    one of the system's. What is not seen, and what another one carries, is not looked for.
    """
    own = drawable(faces()[FALLBACK, 400, "normal"])
    return tuple(c for c in missing(text) if c not in own and c not in INVISIBLE and other_fonts.family_of(c) is None)


def spelled(page: str) -> str:
    """A page for paper whose visible characters that no font here can draw are their numbers: [U+BAA8].

    Titles and alternative texts of the PDF, which are read and not drawn, keep them.
    """
    numbers = {ord(c): f"[U+{ord(c):04X}]" for c in undrawn(unescape(page))}
    if not numbers:
        return page
    return DRAWN.sub(lambda found: found[0].translate(numbers), page)


DRAWN = re.compile(r'(?<=>)[^<>]+(?=<(?!/title>|/style>))|(?<= data-identity=")[^"]*|(?<= data-class=")[^"]*')
"""What WeasyPrint draws of a page: texts between tags, and what page margins repeat."""


def lacking(text: str) -> dict[str, str]:
    """What the undrawn characters of a text are, by number and name, under the package that brings a font."""
    found = by_package(text)
    return {package: ", ".join(map(named, chars[:TOLD])) + more(len(chars)) for package, chars in found.items()}


def by_package(text: str) -> dict[str, list[str]]:
    """The same characters, under the package that brings a font for them."""
    found: dict[str, list[str]] = {}
    for c in undrawn(text):
        found.setdefault(other_fonts.package(c), []).append(c)
    return found


def named(character: str) -> str:
    """A character by its number and its name: "U+BAA8 hangul syllable mo"."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name').lower()}"


TOLD = 8  # characters named in a warning


def said(package: str, chars: list[str]) -> str:
    """The sentence about characters of one package."""
    told = " ".join(f"{c} (U+{ord(c):04X})" for c in chars[:TOLD])
    return f"no installed font has {told}{more(len(chars))}: {installing.for_font(package)}"


def more(count: int) -> str:
    """How many of so many characters are not named."""
    return f" and {count - TOLD} others" if count > TOLD else ""

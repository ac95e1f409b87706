"""The fonts of the document: as files for the PDF, as WOFF2 subsets for the HTML, and which characters they hold."""

import base64
import io
import re
from functools import cache
from html import unescape

from reports.style import FAMILY, MONO, font_files, missing

# What nearly every document needs; a subset of it is made once a process and serves most documents.
BASIC = "".join(chr(c) for c in (*range(0x20, 0x7F), *range(0xA0, 0x180))) + "–—‘’“”†•…′″€™−×≤≥≠≈∞√∑∂∆Δμµηαβτδπσφω⁰¹²³⁴⁵⁶⁷⁸⁹⁻·→←↑↓✓▲■●◆"


def file_faces() -> str:
    """@font-face rules that name the installed font files."""
    return "\n".join(f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; src: url("{path.as_uri()}"); }}'
                     for (family, weight, style), path in font_files().items())


def data_faces(page: str) -> str:
    """@font-face rules with subset WOFF2 fonts as data addresses, with every character of the page the fonts have."""
    extra = "".join(sorted(set(unescape(page)) - set(BASIC)))
    return "\n".join(f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; font-display: swap; '
                     f'src: url("data:font/woff2;base64,{subset(family, weight, style, extra)}") format("woff2"); }}'
                     for family, weight, style in font_files())


@cache
def subset(family: str, weight: int, style: str, extra: str) -> str:
    """One font reduced to BASIC and the extra characters, as base64 of WOFF2."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    options = Options(flavor="woff2", layout_features=["kern", "liga", "mark", "mkmk"], notdef_outline=True, hinting=False, name_IDs=[0, 1, 2, 13])
    options.drop_tables += ["FFTM"]
    with TTFont(font_files()[family, weight, style], recalcTimestamp=False) as font:
        subsetter = Subsetter(options)
        subsetter.populate(text=BASIC + extra)
        subsetter.subset(font)
        font.flavor = "woff2"
        data = io.BytesIO()
        font.save(data)
    return base64.b64encode(data.getvalue()).decode()


def missing_glyphs(page: str) -> list[str]:
    """A sentence for each run of characters of the page that its font cannot draw: they would print as boxes."""
    body = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.S)
    code = "".join(re.findall(r"<(?:code|pre)\b[^>]*>(.*?)</(?:code|pre)>", body, flags=re.S))
    texts = ((FAMILY, re.sub(r"<(code|pre)\b.*?</\1>", " ", body, flags=re.S)), (MONO, code))
    found = {family: missing(unescape(re.sub(r"<[^>]*>", " ", text)), family) for family, text in texts}
    return [f"{family} has no glyph for {' '.join(f'{c} (U+{ord(c):04X})' for c in chars)}" for family, chars in found.items() if chars]

"""A finished figure: SVG text at its final size, with its alternative text and the boxes of its words.

The SVG can stand inside an HTML page (no declaration, no style sheet of its own, ids of its own) and, as a data
address, in an `img` of the PDF. Words stay words; the page's @font-face serves "Source Sans Pro".
"""

import hashlib
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Protocol, TypeVar

from reports import style
from reports.figures.boxes import Box, marker_boxes, text_boxes
from reports.figures.drawn import drawn_before, keep

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Data(Protocol):
    """Plain, frozen data of a figure: its repr is the same for the same content."""

    def __repr__(self) -> str: ...


D = TypeVar("D", bound=Data)
Tip = tuple[str, str, str]
"""What a mark shows when pointed at: what it is of, which part of that, its value with its unit."""


@dataclass(frozen=True)
class Picture:
    """One figure, ready for the page."""

    name: str
    svg: str
    width_mm: float
    height_mm: float
    alt: str
    texts: tuple[Box, ...] = ()
    markers: tuple[Box, ...] = ()
    tips: tuple[Tip, ...] = ()

    @property
    def still(self) -> str:
        """The SVG without the words that show when a mark is pointed at: for paper."""
        return re.sub(r"<title>[^<]*</title>", "", self.svg)


def figure(draw: Callable[[D], Picture]) -> Callable[[D], Picture]:
    """Wraps a drawing function so that matplotlib is set up for it, with ids salted by the function and its data.

    What was drawn before from the same data, by the same program and versions, is taken from the cache.
    """

    @wraps(draw)
    def inside(data: D) -> Picture:
        salt = f"{draw.__module__} {data!r}"
        kept = drawn_before(salt)
        if kept is None:
            with style.applied(salt):
                kept = draw(data)
            keep(salt, kept)
        return kept

    return inside


def finish(figure: "Figure", name: str, alt: str, tips: Sequence[Tip] = ()) -> Picture:
    """The matplotlib figure as a Picture of exactly its own size. Call it inside `style.applied`.

    An artist with the id `tip-3` shows the tip of that number; one with `tips-3-9` has a tip for each of its markers.
    """
    import matplotlib

    salt = str(matplotlib.rcParams["svg.hashsalt"])
    prefix = f"{name}-{hashlib.sha256(salt.encode()).hexdigest()[:8]}-"
    figure.patch.set_visible(False)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    width, height = (round(float(inches) * 25.4, 3) for inches in figure.get_size_inches())
    svg = _page_ready(_told(text.getvalue(), tips), prefix, width, height, alt)
    return Picture(name, svg, width, height, alt, text_boxes(figure), marker_boxes(figure), tuple(tips))


def told(tip: Tip) -> str:
    """A tip as it is shown: "Stage 0, weights: 6.1 GiB"."""
    of, part, value = tip
    return ": ".join(filter(None, (", ".join(filter(None, (of, part))), value)))


def _told(svg: str, tips: Sequence[Tip]) -> str:
    """Puts the tips into their marks: what browsers show when a mark is pointed at."""
    titles = [f"<title>{escape(told(tip))}</title>" for tip in tips]
    parts = re.split(r'<g id="tips-(\d+)-(\d+)">', svg)
    made = [parts[0]]
    for first, end, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        for title in titles[int(first) : int(end)]:
            rest = re.sub(r"(<use [^>]*)/>", lambda m, title=title: f"{m[1]}>{title}</use>", rest, count=1)
        made.append("<g>" + rest)
    return re.sub(r'<g id="tip-(\d+)">', lambda m: f"<g>{titles[int(m[1])]}", "".join(made))


DECIMALS = 2  # of a coordinate: a hundredth of a point is finer than any printer draws
PAIR = r"(-?[\d.]+) (-?[\d.]+)"
RECTANGLE = re.compile(rf"M {PAIR} L (-?[\d.]+) \2 L \3 (-?[\d.]+) L \1 \4 z")


def _short(path: str) -> str:
    """A path in as few characters as draw the same: rounded coordinates, rectangles by their edges."""
    path = re.sub(
        r"-?\d+\.\d+", lambda m: f"{float(m[0]):.{DECIMALS}f}".rstrip("0").rstrip("."), " ".join(path.split())
    )
    return RECTANGLE.sub(r"M\1 \2H\3V\4H\1z", path)


def _page_ready(svg: str, prefix: str, width: float, height: float, alt: str) -> str:
    """Strips what an inline SVG must not carry and names every id of it after the figure.

    matplotlib's style sheet would reach every SVG of the page: what it says goes on the root element instead.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg, flags=re.S)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, flags=re.S)
    used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r"(url\(#|href=\"#)", lambda m: m[1] + prefix, svg)
    svg = re.sub(r"\n\s*", "\n", svg).replace("<defs>\n</defs>\n", "").replace(' xml:space="preserve"', "")
    svg = re.sub(r"<g>\n(<(?:path|text) [^>]*?(?:/>|>[^<]*</text>)\n)</g>\n", r"\1", svg)
    svg = re.sub(r' d="([^"]*)"', lambda m: f' d="{_short(m[1])}"', svg)
    svg = re.sub(f"; font-family: '{style.FAMILY}'(?!,)", "", svg).replace("; stroke-linejoin: miter", "")
    svg = re.sub(r' transform="rotate\(-?0 [^"]*"', "", svg)
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None
    root = (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
            f'width="{width:g}mm" height="{height:g}mm" viewBox="{box[1]}" role="img" aria-label="{escape(alt)}" '
            f'font-family="{style.FAMILY}" stroke-linejoin="miter" stroke-linecap="butt">')  # fmt: skip
    return root + svg[svg.index(">") + 1 :]

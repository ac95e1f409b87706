"""A drawing surface in millimeters from the upper left, on a bare matplotlib figure."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from reports import other_fonts, style
from reports.figures import picture, words
from reports.figures.boxes import Box, overlap
from reports.figures.picture import Tip
from reports.style import INK, MM, TEXT, VALUE

if TYPE_CHECKING:
    from matplotlib.artist import Artist

CAP = 0.33  # half the height of a capital, em: texts are centered on it, whatever letters they have
LINE = 3.4  # mm from line to line at 8 pt
Point = tuple[float, float]


@lru_cache(4096)
def _width(text: str, size: float, weight: int) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=other_fonts.families(text), weight=weight, size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / MM


def width(text: str, size: float = TEXT, weight: int = 400) -> float:
    """The width of a text in mm, set in the document's font."""
    return _width(words.printable(text), size, weight)


def cleaned(tip: Tip) -> Tip:
    """The tip as a page can show it."""
    of, part, value = map(words.clean, tip)
    return of, part, value


def fitted(text: str, room: float, size: float = TEXT, weight: int = 400) -> str:
    """The text, cut with "…" where it is wider than the room (mm)."""
    text = words.printable(text)
    if width(text, size, weight) <= room:
        return text
    low, high = 0, min(len(text), 400)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width(text[:middle].rstrip() + "…", size, weight) <= room else (low, middle - 1)
    return text[:low].rstrip() + "…"


class Sheet:
    """One figure being drawn. Make it inside a function marked `@picture.figure`."""

    def __init__(self, name: str, width: float, height: float) -> None:
        from matplotlib.figure import Figure
        from matplotlib.transforms import Affine2D

        self.name, self.width, self.height = name, width, height
        self.figure = Figure(figsize=(width / 25.4, height / 25.4), dpi=72)
        self.millimeters = Affine2D().scale(MM, -MM).translate(0, height * MM)
        self.taken: list[Box] = []  # by texts and markers, for `free`
        self.tips: list[Tip] = []

    def text(self, x: float, y: float, text: str, *, size: float = TEXT, weight: int = 400, color: str = INK,
             align: str = "left", angle: float = 0, plate: str = "", italic: bool = False) -> Box:  # fmt: skip
        """Writes a text whose capitals are centered on y; plate: the color of a ground laid under it.

        An angle turns it (degrees, counterclockwise) about its anchor on the baseline.
        """
        text = words.printable(text)
        down, families = 0 if angle else CAP * size / MM, other_fonts.families(text)
        made = self.figure.text(x, y + down, text, transform=self.millimeters, fontsize=size, fontweight=weight,
                                color=color, ha=align, va="baseline", rotation=angle, rotation_mode="anchor",
                                family=families, style="italic" if italic else "normal", zorder=6)  # fmt: skip
        if plate:
            made.set_bbox({"facecolor": plate, "edgecolor": "none", "pad": 0.6})
        box = self.box(x, y, text, size, weight, align)
        if not angle:
            self.taken.append(box)
        return box

    def box(self, x: float, y: float, text: str, size: float = TEXT, weight: int = 400, align: str = "left") -> Box:
        """The box that a text would take, without drawing it."""
        wide, em = width(text, size, weight), size / MM
        left = x - {"left": 0.0, "center": wide / 2, "right": wide}[align]
        return Box.at(text, left, y - 0.55 * em, left + wide, y + 0.6 * em, size)

    def free(self, box: Box, gap: float = 0.3) -> bool:
        """Whether a box lies on the canvas and touches nothing written so far."""
        on = all(0 <= x <= self.width and 0 <= y <= self.height for x, y in box.corners)
        return on and not any(overlap(box, other, gap) for other in self.taken)

    def take(self, left: float, top: float, right: float, bottom: float, text: str = "") -> None:
        """Keeps an area free of the texts that `place` writes later."""
        self.taken.append(Box.at(text, left, top, right, bottom))

    def keep_off(self, path: Sequence[Point], every: float = 1.0) -> None:
        """Keeps a curve free of the texts that `place` writes later: a small box at every mm along it."""
        for (x0, y0), (x1, y1) in zip(path, path[1:], strict=False):
            parts = max(1, min(200, int(math.hypot(x1 - x0, y1 - y0) / every)))
            for i in range(parts):
                x, y = x0 + (x1 - x0) * i / parts, y0 + (y1 - y0) * i / parts
                self.take(x - 0.3, y - 0.3, x + 0.3, y + 0.3)

    def place(self, candidates: Sequence[tuple[float, float, str]], text: str, **look: Any) -> bool:
        """Writes a text at the first of the places (x, y, align) where it touches nothing; False where none is free."""
        size, weight = look.get("size", TEXT), look.get("weight", 400)
        for x, y, align in candidates:
            if self.free(self.box(x, y, text, size, weight, align)):
                self.text(x, y, text, align=align, **look)
                return True
        return False

    def upright(self, x: float, top: float, bottom: float, text: str, left: float, right: float) -> None:
        """Writes a text along a vertical line: at its foot or head, on the side where nothing stands, or not at all."""
        long = width(text, VALUE)
        for foot in (bottom - 1.0, top + 1.0 + long):
            for at in (x - 0.8, x + 3.2):
                box = Box.at(text, at - 2.6, foot - long, at + 0.8, foot)
                if at - 2.6 > left and at + 0.8 < right and self.free(box, 0.1):
                    self.text(at, foot, text, angle=90, plate=style.WHITE, size=VALUE)
                    self.taken.append(box)
                    return

    def turned(self, x: float, y: float, text: str, angle: float, gap: float = 0.9) -> bool:
        """Writes a text along a line through (x, y), just above it; False where another text is in the way."""
        wide, high = width(text), TEXT / MM * 0.75
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))

        def corner(along: float, off: float) -> Point:
            return x + c * along - s * off, y - s * along - c * off

        low, top = gap, gap + high
        half = wide / 2
        box = Box(text, (corner(-half, top), corner(half, top), corner(half, low), corner(-half, low)), TEXT)
        if not self.free(box, 0.1):
            return False
        at = corner(0, gap + 0.3)
        self.text(*at, text, align="center", angle=angle)
        self.taken.append(box)
        return True

    def rectangle(self, left: float, top: float, width: float, height: float, fill: str, *, edge: str = "",
                  line: float = 0.5, hatch: str = "", dash: bool = False, z: float = 2,
                  tip: Tip | None = None) -> None:  # fmt: skip
        """Draws a rectangle; hatched in the color of its edge. tip: what it shows when pointed at."""
        from matplotlib.patches import Rectangle

        if width <= 0 or height <= 0:
            return
        patch = Rectangle((left, top), width, height, facecolor=fill or "none", edgecolor=edge or "none",
                          linewidth=line if edge else 0, hatch=hatch or None, zorder=z,
                          linestyle=(0, (3, 2)) if dash else "-", transform=self.millimeters)  # fmt: skip
        self._add(patch, tip)

    def line(self, points: Sequence[Point], color: str = INK, line: float = 0.5, *, dash: tuple[float, ...] = (),
             z: float = 3, clip: tuple[float, float, float, float] | None = None,
             tip: Tip | None = None) -> None:  # fmt: skip
        """Draws a line through points; clip: (left, top, right, bottom) outside of which nothing shows."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle

        made = Line2D([p[0] for p in points], [p[1] for p in points], color=color, linewidth=line, zorder=z,
                      linestyle=(0, dash) if dash else "-", transform=self.millimeters,
                      solid_capstyle="butt", dash_capstyle="butt")  # fmt: skip
        self._add(made, tip)
        if clip:
            left, top, right, bottom = clip
            made.set_clip_path(Rectangle((left, top), right - left, bottom - top, transform=self.millimeters))

    def polygon(self, points: Sequence[Point], fill: str, *, edge: str = "", line: float = 0.5, z: float = 2,
                opacity: float = 1.0, tip: Tip | None = None) -> None:  # fmt: skip
        """Draws a closed shape; one of low opacity lets the grid and other bands show through."""
        from matplotlib.patches import Polygon

        self._add(Polygon(list(points), closed=True, facecolor=fill or "none", edgecolor=edge or "none",
                          linewidth=line if edge else 0, zorder=z, alpha=None if opacity == 1.0 else opacity,
                          transform=self.millimeters), tip)  # fmt: skip

    def marker(self, x: float, y: float, shape: str = "o", fill: str = INK, size: float = 4.8, *,
               edge: str = style.WHITE, line: float = 0.5, z: float = 5, tip: Tip | None = None) -> None:  # fmt: skip
        """Draws a marker (matplotlib's shapes) of so many points; texts placed later keep off it."""
        from matplotlib.lines import Line2D

        self._add(Line2D([x], [y], marker=shape, markersize=size, markerfacecolor=fill, markeredgecolor=edge,
                         markeredgewidth=line, linestyle="none", zorder=z, transform=self.millimeters),
                  tip)  # fmt: skip
        half = size / MM / 2
        self.taken.append(Box.at("marker", x - half, y - half, x + half, y + half))

    def markers(self, points: Sequence[Point], shape: str, fill: str, size: float, *, edge: str = style.WHITE,
                line: float = 0.3, z: float = 5, tips: Sequence[Tip] = ()) -> None:  # fmt: skip
        """Draws many markers of one look as one artist; texts placed later keep off them."""
        from matplotlib.lines import Line2D

        made = Line2D([p[0] for p in points], [p[1] for p in points], marker=shape, markersize=size,
                      markerfacecolor=fill, markeredgecolor=edge, markeredgewidth=line, linestyle="none", zorder=z,
                      transform=self.millimeters)  # fmt: skip
        self._add(made)
        if tips:
            made.set_gid(f"tips-{len(self.tips)}-{len(self.tips) + len(tips)}")
            self.tips += map(cleaned, tips)
        half = size / MM / 2
        self.taken += [Box.at("marker", x - half, y - half, x + half, y + half) for x, y in points]

    def _add(self, artist: "Artist", tip: Tip | None = None) -> None:
        if tip:
            artist.set_gid(f"tip-{len(self.tips)}")
            self.tips.append(cleaned(tip))
        self.figure.add_artist(artist)

    def finish(self, alt: str) -> picture.Picture:
        """The finished picture."""
        return picture.finish(self.figure, self.name, words.clean(alt), self.tips)

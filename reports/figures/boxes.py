"""Where the texts and markers of a figure lie, and whether any two touch or leave the canvas."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.text import Text

Corner = tuple[float, float]
TOUCH = 0.05  # mm: boxes that share less than this are said to touch, not to overlap


@dataclass(frozen=True)
class Box:
    """A drawn text (or marker): its four corners in mm from the upper left of the canvas, in order around it."""

    text: str
    corners: tuple[Corner, Corner, Corner, Corner]
    size: float = 0.0  # type size, pt

    @classmethod
    def at(cls, text: str, left: float, top: float, right: float, bottom: float, size: float = 0.0) -> "Box":
        """An upright box."""
        return cls(text, ((left, top), (right, top), (right, bottom), (left, bottom)), size)


def overlap(a: Box, b: Box, gap: float = -TOUCH) -> bool:
    """Whether two boxes lie nearer than gap (mm; negative = share more than that), by the separating axis theorem."""
    for shape in (a, b):
        for (x0, y0), (x1, y1) in zip(shape.corners, shape.corners[1:], strict=False):
            length = math.hypot(x1 - x0, y1 - y0)
            if length == 0:
                continue
            normal = ((y1 - y0) / length, (x0 - x1) / length)
            first, second = _shadow(a, normal), _shadow(b, normal)
            if first[0] >= second[1] + gap or second[0] >= first[1] + gap:
                return False
    return True


def _shadow(box: Box, normal: Corner) -> Corner:
    along = [x * normal[0] + y * normal[1] for x, y in box.corners]
    return min(along), max(along)


def overlaps(texts: Sequence[Box], markers: Sequence[Box] = ()) -> tuple[tuple[str, str], ...]:
    """The pairs of texts, and of a text and a marker, that overlap."""
    pairs = [(a, b) for i, a in enumerate(texts) for b in (*texts[i + 1 :], *markers)]
    return tuple((a.text, b.text) for a, b in pairs if overlap(a, b))


def outside(texts: Sequence[Box], width: float, height: float) -> tuple[str, ...]:
    """The texts that leave a canvas of so many mm."""
    return tuple(box.text for box in texts for x, y in box.corners
                 if not (-TOUCH <= x <= width + TOUCH and -TOUCH <= y <= height + TOUCH))  # fmt: skip


def text_boxes(figure: "Figure") -> tuple[Box, ...]:
    """The boxes of every text that the figure draws, as its SVG renderer measures them."""
    from matplotlib.text import Text

    renderer, scale = _renderer(figure), 25.4 / figure.dpi
    height = figure.bbox.height
    found = [t for t in figure.findobj(Text) if isinstance(t, Text) and t.get_visible() and t.get_text().strip()]
    return tuple(
        Box(text.get_text(), _scaled(_corners(text, renderer), scale, height), float(text.get_fontsize()))
        for text in found
    )


def marker_boxes(figure: "Figure") -> tuple[Box, ...]:
    """The boxes of every marker of the figure's lines."""
    from matplotlib.lines import Line2D

    scale, height, boxes = 25.4 / figure.dpi, figure.bbox.height, []
    for line in figure.findobj(Line2D):
        assert isinstance(line, Line2D)
        if line.get_marker() in ("None", "", " ", None) or not line.get_visible():
            continue
        half = line.get_markersize() / 2 * figure.dpi / 72
        for x, y in line.get_transform().transform(line.get_xydata()).tolist():
            box = Box.at("marker", (x - half) * scale, (height - y - half) * scale, (x + half) * scale,
                         (height - y + half) * scale)  # fmt: skip
            boxes.append(box)
    return tuple(boxes)


def _renderer(figure: "Figure") -> "RendererBase":
    import io

    from matplotlib.backends.backend_svg import RendererSVG

    undated = {"Date": None}  # else it reads SOURCE_DATE_EPOCH, and fails where that is no number
    return RendererSVG(figure.bbox.width, figure.bbox.height, io.StringIO(), metadata=undated)  # type: ignore[no-untyped-call]


def _corners(text: "Text", renderer: "RendererBase") -> list[Corner]:
    """Corners in pixels: of the upright box, turned about the anchor where the text is (else of its bounds)."""
    angle = text.get_rotation()
    turned = angle % 360 != 0 and text.get_rotation_mode() == "anchor"
    if turned:
        text.set_rotation(0)
    bounds = text.get_window_extent(renderer)
    text.set_rotation(angle)
    corners = [(bounds.x0, bounds.y1), (bounds.x1, bounds.y1), (bounds.x1, bounds.y0), (bounds.x0, bounds.y0)]
    if not turned:
        return corners
    ax, ay = text.get_transform().transform(text.get_unitless_position())
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return [(ax + c * (x - ax) - s * (y - ay), ay + s * (x - ax) + c * (y - ay)) for x, y in corners]


def _scaled(corners: list[Corner], scale: float, height: float) -> tuple[Corner, Corner, Corner, Corner]:
    a, b, c, d = ((float(x) * scale, float(height - y) * scale) for x, y in corners)
    return a, b, c, d

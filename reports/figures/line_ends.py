"""The names of lines at their right ends, apart from each other."""

from collections.abc import Sequence

from reports.figures.panels import Panel
from reports.figures.sheet import LINE, Sheet, fitted
from reports.style import RULE

End = tuple[str, float, float, str]  # name, x and y of the line's last point, color


def names_at_ends(sheet: Sheet, ends: Sequence[End], panel: Panel, right: float) -> None:
    """Writes every name at the right of the panel, at the height of its line or as near to it as the others allow."""
    ordered = sorted(ends, key=lambda e: e[2])
    for (text, x, y, color), at in zip(ordered, apart([e[2] for e in ordered], panel), strict=True):
        if abs(at - y) > 0.8 or panel.right - x > 6.5:
            sheet.line([(x + 1.2, y), (panel.right + 0.6, at)], RULE, 0.4, z=1.4)
        sheet.text(panel.right + 1.0, at, fitted(text, right - panel.right - 1.4, weight=600), weight=600, color=color)


def apart(heights: Sequence[float], panel: Panel) -> list[float]:
    """The heights, moved so that each stands a line below the one before and none below the panel."""
    found: list[float] = []
    for y in heights:
        found.append(max(y, found[-1] + LINE if found else panel.top + 1.0))
    limit = panel.bottom - 1.0
    for i in range(len(found) - 1, -1, -1):
        found[i] = min(found[i], limit)
        limit = found[i] - LINE
    return found

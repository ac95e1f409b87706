"""The look of the document in numbers: colors, sizes, fonts, and what matplotlib must be told.

Importing this file costs nothing: matplotlib is imported only by `applied`, when a figure is drawn.
Colors were chosen by numerical search so that neighbors differ for every kind of sight and on a grey print.
"""

import atexit
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs

from reports.installing import FontsMissing

INK, MUTE, RULE, HAIRLINE = "#1C2430", "#55606E", "#9AA4B0", "#DDE2E8"
PAPER, INFEASIBLE, SELECTED, WHITE = "#F4F6F8", "#F3F4F6", "#EAF3F9", "#FFFFFF"
NAVY, BLUE, SKY, GREEN = "#053A62", "#4571AC", "#9ED8F5", "#7EA487"
AMBER, RUST, STONE = "#E3AC40", "#933D21", "#F5E9DB"
SKY_TEXT = "#2A739A"  # sky itself is too pale for words
HATCH_GREY = "#B9C0C8"
PASS, WARN, FAIL, OPEN = "#1E6B45", "#8A5200", "#A3271B", "#55606E"
WARN_TINT, PASS_TINT, FAIL_TINT = "#FBF4E6", "#EAF4EE", "#FBECEA"

PALETTE = (NAVY, BLUE, SKY, GREEN, AMBER, RUST, STONE)  # in this order of use
HEAT = ("#EDF6FC", "#CFE9F8", SKY, BLUE, NAVY)  # light = low
ON = {NAVY: WHITE, BLUE: WHITE, SKY: INK, GREEN: INK, AMBER: INK, RUST: WHITE, STONE: INK, WHITE: INK, PAPER: INK,
      HEAT[0]: INK}  # fmt: skip
"""The color of text on a fill."""
AXIS_COLORS = {"tensor": SKY, "context": BLUE, "expert": RUST, "pipeline": NAVY, "data": GREEN, "expert_tensor": AMBER}
STATUS_COLORS = {"pass": PASS, "note": INK, "warn": WARN, "fail": FAIL, "open": OPEN, "na": OPEN}

LOCKED = 60.0  # seconds; writing the list of fonts takes less than one
FULL, HALF, GUTTER = 174.0, 84.0, 6.0  # widths, mm
TEXT, VALUE, CELL = 8.0, 7.5, 6.5  # type sizes in figures, pt
MM = 72 / 25.4  # points in a millimeter

FAMILY, MONO = "Source Sans Pro", "DejaVu Sans Mono"
FONT_FILES = {(400, "normal"): "SourceSansPro-Regular.ttf", (400, "italic"): "SourceSansPro-It.ttf",
              (600, "normal"): "SourceSansPro-Semibold.ttf", (700, "normal"): "SourceSansPro-Bold.ttf"}  # fmt: skip

RC: dict[str, object] = {
    "svg.fonttype": "none",
    "svg.image_inline": True,
    "text.parse_math": False,  # a "$" in a name is a dollar
    "text.usetex": False,
    "text.color": INK,
    "font.family": [FAMILY],
    "font.size": TEXT,
    "figure.facecolor": "none",
    "figure.edgecolor": "none",
    "savefig.facecolor": "none",
    "savefig.edgecolor": "none",
    "savefig.dpi": 72,
    "savefig.bbox": None,
    "path.simplify": False,
    "path.sketch": None,
    "hatch.linewidth": 0.5,
    "hatch.color": "edge",
    "lines.linewidth": 1.5,
    "lines.dash_capstyle": "butt",
    "lines.scale_dashes": True,
    "patch.linewidth": 0.5,
    "axes.unicode_minus": True,
}


def lightness(color: str) -> float:
    """CIE L* of a color "#RRGGBB", 0 (black) to 100 (white): what is left of it on a grey print."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _channels(color)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


def tint(color: str, share: float) -> str:
    """The color mixed with white; share 1 is the color itself, 0 is white."""
    return "#" + "".join(f"{round(255 * (1 - share + share * c)):02X}" for c in _channels(color))


def _channels(color: str) -> list[float]:
    return [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def font_file(package: str, *place: str) -> Path:
    """A font file of an installed package, without importing it. Raises FontsMissing where it is not there."""
    spec = find_spec(package)
    file = Path(spec.origin if spec is not None and spec.origin is not None else "").parent.joinpath(*place)
    if not file.is_file():
        raise FontsMissing(file.name, package.replace("_", "-"))
    return file


@cache
def font_files() -> dict[tuple[str, int, str], Path]:
    """The font files of the document by (family, weight, style), for @font-face and for matplotlib."""
    files = {(FAMILY, *key): font_file("font_source_sans_pro", "files", name) for key, name in FONT_FILES.items()}
    return files | {(MONO, 400, "normal"): matplotlib_font("DejaVuSansMono.ttf")}


def matplotlib_font(name: str) -> Path:
    """A font file among matplotlib's own data."""
    return font_file("matplotlib", "mpl-data", "fonts", "ttf", name)


@cache
def characters(family: str = FAMILY) -> frozenset[str]:
    """The characters that every font file of the family can draw, from the files' character maps."""
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # ships no type hints

    maps = []
    for (name, _, _), path in font_files().items():
        if name == family:
            with TTFont(path, lazy=True) as font:
                maps.append({chr(code) for code in font.getBestCmap()})
    return frozenset(set.intersection(*maps))


def missing(text: str, family: str = FAMILY) -> tuple[str, ...]:
    """The characters of a text that the family cannot draw, each once, in order."""
    return tuple(c for c in dict.fromkeys(text) if c not in characters(family) and c not in "\n\t")


def _writable(folder: str) -> bool:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def set_matplotlib_folder() -> str:
    """The folder matplotlib keeps its font list in, set in the environment before matplotlib is imported.

    The user's MPLCONFIGDIR where it can be written, else the product's cache, else a folder of this process:
    without one matplotlib warns and lists all fonts anew at every start (1 s).
    """
    own = str(Path(platformdirs.user_cache_dir("tonnage", appauthor=False)) / "matplotlib")
    stated = os.environ.get("MPLCONFIGDIR")
    folder = next((f for f in (stated, own) if f and _writable(f)), None)
    if folder is None:
        folder = tempfile.mkdtemp(prefix="tonnage-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # a list that cannot be kept is made again
    for lock in Path(folder).glob("*.matplotlib-lock"):  # of a call that was killed: every later one would wait for it
        with suppress(OSError):
            if time.time() - lock.stat().st_mtime > LOCKED:
                lock.unlink()
    os.environ["MPLCONFIGDIR"] = folder
    return folder


@cache
def register_fonts() -> None:
    """Puts the document's font files, and no other file of the same family, into matplotlib's list.

    The semibold file calls itself a family of its own ("Source Sans Pro Semibold"); here it is weight 600 of the one.
    """
    from matplotlib.font_manager import FontEntry, fontManager

    own = [FontEntry(fname=str(path), name=family, style=style, variant="normal", weight=weight, stretch="normal",
                     size="scalable") for (family, weight, style), path in font_files().items()]  # fmt: skip
    others = [entry for entry in fontManager.ttflist if entry.name not in (FAMILY, MONO)]
    fontManager.ttflist[:] = own + others
    fontManager.addfont(own[0].fname)  # also empties matplotlib's cache of what it found before


@contextmanager
def applied(salt: str) -> Iterator[None]:
    """Inside, matplotlib draws by this file alone: its own defaults and RC, whatever matplotlibrc the user has.

    salt: goes into the ids of clip paths, markers and hatches, so that two figures of one page never share one.
    """
    set_matplotlib_folder()
    import matplotlib

    register_fonts()
    with matplotlib.rc_context(_settings() | {"svg.hashsalt": salt}):
        yield


@cache
def _settings() -> dict[Any, Any]:
    from matplotlib import rcParamsDefault

    kept = ("backend", "interactive", "toolbar", "timezone", "tk.", "webagg.", "date.", "docstring.", "figure.max_open")
    return {k: v for k, v in rcParamsDefault.items() if not k.startswith(kept)} | RC

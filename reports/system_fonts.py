"""The font files of the system, as fontconfig tells Pango: what it does not list cannot draw a word of a PDF."""

import ctypes
import ctypes.util
from pathlib import Path

SYSTEM, MATCH = 0, 0  # FcSetSystem, FcResultMatch
OUTLINES = (".ttf", ".otf", ".ttc", ".otc")  # Pango draws no others


class FontSet(ctypes.Structure):
    """fontconfig's FcFontSet: how many patterns, room for how many, and where they are."""

    _fields_ = (("number", ctypes.c_int), ("room", ctypes.c_int), ("patterns", ctypes.POINTER(ctypes.c_void_p)))


def system_fonts() -> list[Path]:
    """The font files by name; those that matplotlib finds where there is no fontconfig."""
    try:
        library = ctypes.CDLL(ctypes.util.find_library("fontconfig") or "libfontconfig.so.1")
        return sorted({path for path in map(Path, listed(library)) if path.suffix.lower() in OUTLINES})
    except (OSError, AttributeError):
        from matplotlib.font_manager import findSystemFonts

        return sorted(map(Path, findSystemFonts()))


def listed(library: ctypes.CDLL) -> list[str]:
    """What a configuration read now, as FONTCONFIG_FILE or the system has it, lists."""
    load, fonts, text = library.FcInitLoadConfigAndFonts, library.FcConfigGetFonts, library.FcPatternGetString
    load.restype, fonts.restype = ctypes.c_void_p, ctypes.POINTER(FontSet)
    fonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
    text.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
    library.FcConfigDestroy.argtypes = (ctypes.c_void_p,)
    found, name, config = [], ctypes.c_char_p(), load()
    if config and (held := fonts(config, SYSTEM)):
        for pattern in held.contents.patterns[: held.contents.number]:
            if text(pattern, b"file", 0, ctypes.byref(name)) == MATCH and name.value:
                found.append(name.value.decode(errors="surrogateescape"))
    if config:
        library.FcConfigDestroy(config)
    return found

"""The logo of page 1: an image beside the scenario, carried inside the page as data, so that nothing is fetched.

A PNG, or an SVG: in an `img` neither a browser nor WeasyPrint runs its scripts or fetches what it names.
"""

import base64
import re
import struct
from collections.abc import Iterable
from pathlib import Path

from dsl.inside import Unreadable, inside, plain
from dsl.limits import LOGO, PIXELS, USES

PNG = b"\x89PNG\r\n\x1a\n"
DECLARED = re.compile(rb"<!(DOCTYPE|ENTITY)|<\?xml-stylesheet", re.IGNORECASE)
ADDRESS = re.compile(rb"(href|src)\s*=\s*[\"'](?!#)|@import|url\(\s*[\"']?(?!#)", re.IGNORECASE)
SCRIPT = re.compile(rb"<\s*(script|foreignObject|iframe|animate|set)\b|\son\w+\s*=", re.IGNORECASE)
OTHERWISE = re.compile(rb"encoding\s*=\s*[\"'](?!utf-8|us-ascii)", re.IGNORECASE)  # bytes that would read otherwise


def read_logo(folder: Path, name: str, allowed: Iterable[Path] = ()) -> tuple[str, bytes, str]:
    """(data address, bytes, why it is not shown): of a PNG or SVG in the scenario's folder or below it."""
    place = folder / name.replace("\0", "")
    if not inside(place, (folder, *allowed)) or not place.is_file():
        return "", b"", f"the logo {name} is no file in the scenario's folder"
    try:
        data = plain(place, LOGO)
    except OSError as error:
        return "", b"", f"the logo {name} cannot be read: {(error.strerror or str(error)).lower()}"
    except Unreadable as error:
        return "", b"", f"the logo {name} {error.why}; at most {LOGO:,} bytes travel in every page"
    if data.startswith(PNG):
        why = of_png(data)
        return ("", b"", f"the logo {name} {why}") if why else (address("image/png", data), data, "")
    if place.suffix.lower() == ".svg" and b"<svg" in data:
        why = of_svg(data)
        return ("", b"", f"the logo {name} {why}") if why else (address("image/svg+xml", data), data, "")
    return "", b"", f"the logo {name} is neither a PNG nor an SVG"


def of_png(data: bytes) -> str:
    """Why a PNG is not shown: its header says how large it is unpacked."""
    if len(data) < 24 or data[12:16] != b"IHDR":
        return "is a PNG that is cut off"
    width, height = struct.unpack(">II", data[16:24])
    if width * height > PIXELS:
        return f"has {width:,} x {height:,} pixels; at most {PIXELS:,} are drawn"
    return ""


def of_svg(data: bytes) -> str:
    """Why an SVG is not shown: it is no UTF-8, fetches something, holds a program, or multiplies itself."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    if b"\0" in data or OTHERWISE.search(data):
        return "is not UTF-8 text"
    if DECLARED.search(data) or ADDRESS.search(data):
        return "names other files or holds images; an SVG that stands alone is shown"
    if SCRIPT.search(data):
        return "holds a script or moves; a drawing is shown"
    if (uses := len(re.findall(rb"<\s*(?:\w+:)?use\b", data))) > USES:
        return f"repeats parts of itself {uses} times; at most {USES} are drawn"
    return ""


def address(kind: str, data: bytes) -> str:
    """The bytes as a data: address."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"

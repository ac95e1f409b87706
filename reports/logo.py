"""The logo of page 1: an image beside the scenario, carried inside the page as data, so that nothing is fetched.

A PNG, or an SVG: in an `img` neither a browser nor WeasyPrint runs its scripts or fetches what it names.
"""

import base64
import re
from pathlib import Path

LARGEST = 500_000  # bytes
PNG = b"\x89PNG\r\n\x1a\n"
DECLARED = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
ADDRESS = re.compile(rb"(href|src)\s*=\s*[\"'](?!#|data:)|@import|url\(\s*[\"']?(?!#|data:)", re.IGNORECASE)


def read_logo(folder: Path, name: str) -> tuple[str, bytes, str]:
    """(data address, bytes, why it is not shown): of a PNG or SVG in the scenario's folder or below it."""
    place = (folder / name).resolve()
    if not place.is_relative_to(folder.resolve()) or not place.is_file():
        return "", b"", f"the logo {name} is no file in the scenario's folder"
    data = place.read_bytes()
    if len(data) > LARGEST:
        return "", b"", f"the logo {name} has {len(data):,} bytes; at most {LARGEST:,} travel in every page"
    if data.startswith(PNG):
        return address("image/png", data), data, ""
    if place.suffix.lower() == ".svg" and b"<svg" in data:
        if DECLARED.search(data) or ADDRESS.search(data):
            return "", b"", f"the logo {name} names other files; an SVG that stands alone is shown"
        return address("image/svg+xml", data), data, ""
    return "", b"", f"the logo {name} is neither a PNG nor an SVG"


def address(kind: str, data: bytes) -> str:
    """The bytes as a data: address."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"

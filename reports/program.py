"""What documents depend on beside the scenario: the program's own files, and the versions of what it works with."""

import ctypes
import hashlib
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("dsl", "engine", "reports")
CODE = (".py", ".lark")  # suffixes of what is run
FILES = (("templates", "*"), ("scenarios/library", "*.scn"))  # what else a document is made from
PACKAGES = (
    "brotli", "cssselect2", "font-source-sans-pro", "fonttools", "jinja2", "lark", "markupsafe", "matplotlib", "numpy",
    "pandas", "pillow", "pyarrow", "pydyf", "pygments", "pyphen", "tinycss2", "tinyhtml5", "weasyprint",
)  # fmt: skip
SYSTEM = (  # libraries of the system that set the type of a PDF, and their functions that say a version
    ("libpango-1.0.so.0", "pango_version_string"),
    ("libharfbuzz.so.0", "hb_version_string"),
    ("libharfbuzz-subset.so.0", ""),
)
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts",
         "/Library/Fonts", "/System/Library/Fonts", "~/Library/Fonts")  # fmt: skip


@cache
def program() -> str:
    """The number of the program that evaluates and prints: what its files hold."""
    digest = hashlib.sha256()
    rooms = [sorted(f for f in (ROOT / room).rglob("*") if f.suffix in CODE) for room in ROOMS]
    others = [sorted(f for f in (ROOT / folder).rglob(which) if f.is_file()) for folder, which in FILES]
    for file in (f for files in (*rooms, *others) for f in files if f.suffix != ".pyc"):
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def versions() -> str:
    """The versions of Python, of the packages and of the system's libraries that documents are made with."""
    found = [sys.version]
    for name in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name)}")
    return "\n".join((*found, *(said(*own) for own in SYSTEM), *fonts()))


def fonts() -> list[str]:
    """The system's fonts by place, size and time: they draw what the document's own lack."""
    folders = [Path(folder).expanduser() for folder in FONTS]
    found = [(path, path.stat()) for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in found]


def said(library: str, function: str) -> str:
    """What a library of the system says of its version; that it is missing where it is."""
    try:
        loaded = ctypes.CDLL(library)
        if not function:
            return library
        ask = getattr(loaded, function)
    except (OSError, AttributeError):
        return f"{library} missing"
    ask.restype = ctypes.c_char_p
    return f"{library} {ask()}"


def moment() -> datetime | None:
    """The moment that SOURCE_DATE_EPOCH states; None where it states none that a calendar has."""
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(stated), UTC) if stated.isascii() and stated.isdigit() else None
    except (ValueError, OverflowError, OSError):
        return None


def surroundings() -> str:
    """What else stands in a document: the date of undated ones."""
    return os.environ.get("SOURCE_DATE_EPOCH", "")

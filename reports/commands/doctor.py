"""What the installation has and lacks, and how to get what it lacks."""

import ctypes
import platform
import sys
from dataclasses import dataclass
from importlib import metadata

# What WeasyPrint loads at run time, by the names it tries, and the Debian package that holds each.
LIBRARIES = (
    ("libgobject-2.0.so.0", "libpangoft2-1.0-0"),
    ("libpango-1.0.so.0", "libpangoft2-1.0-0"),
    ("libpangoft2-1.0.so.0", "libpangoft2-1.0-0"),
    ("libharfbuzz.so.0", "libpangoft2-1.0-0"),
    ("libfontconfig.so.1", "libpangoft2-1.0-0"),
)
SUBSETTER = ("libharfbuzz-subset.so.0", "libharfbuzz-subset0")
PACKAGES = (
    "click", "font-source-sans-pro", "jinja2", "lark", "matplotlib", "numpy",
    "pandas", "platformdirs", "pygments", "rich", "weasyprint",
)  # fmt: skip
MACOS = "brew install pango"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's list: what, what was found, and how to get it where it is missing."""

    what: str
    found: str
    remedy: str = ""
    needed: bool = True

    @property
    def mark(self) -> str:
        return "ok" if not self.remedy else ("missing" if self.needed else "advised")


def loads(library: str) -> bool:
    """Whether the system's loader finds ``library``."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def names(library: str) -> tuple[str, ...]:
    """The file names of a library on this platform."""
    if sys.platform == "darwin":
        stem, _, version = library.partition(".so.")
        return (f"{stem}.{version}.dylib", f"/opt/homebrew/lib/{stem}.{version}.dylib")
    return (library,)


def remedy(packages: list[str]) -> str:
    """The one command that installs ``packages``."""
    return MACOS if sys.platform == "darwin" else f"sudo apt-get install -y {' '.join(packages)}"


def missing_for_pdf() -> str | None:
    """None where PDFs can be made, else one sentence that says what is missing and what to run.

    WeasyPrint must not be imported before this: without Pango it prints a banner on standard output.
    """
    lost = [(library, package) for library, package in LIBRARIES if not any(loads(n) for n in names(library))]
    if not lost:
        return None
    packages = sorted({package for _, package in lost})
    return f"no PDF without {', '.join(library for library, _ in lost)}; run: {remedy(packages)}"


def libraries() -> list[Finding]:
    """The system libraries behind the PDF."""
    lost = missing_for_pdf()
    pango = Finding("Pango (for PDF)", "not found" if lost else "found", lost.split("run: ")[1] if lost else "")
    present = any(loads(n) for n in names(SUBSETTER[0]))
    subset = Finding(
        "HarfBuzz subset (smaller PDFs, the same bytes everywhere)",
        "found" if present else "not found",
        "" if present else remedy([SUBSETTER[1]]),
        needed=False,
    )
    return [pango, subset]


def package(name: str) -> Finding:
    """One Python package and its version."""
    try:
        return Finding(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding(name, "not installed", f"pip install {name}")


def examine() -> list[Finding]:
    """Everything that a complete installation has, in the order it is printed."""
    own = package("tonnage")
    python = Finding("Python", f"{platform.python_version()} ({sys.platform}, {platform.machine()})")
    return [own, python, *(package(name) for name in PACKAGES), *libraries()]

"""What the installation has and lacks, and how to get what it lacks."""

import os
import platform
import sys
from dataclasses import dataclass
from importlib import metadata

PACKAGES = (
    "click", "font-source-sans-pro", "jinja2", "lark", "matplotlib", "numpy",
    "pandas", "platformdirs", "pygments", "pypdf", "rich", "weasyprint",
)  # fmt: skip
CACHE = "export TONNAGE_CACHE=a-folder-you-may-write"


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's list: what, what was found, and how to get it where it is missing."""

    what: str
    found: str
    remedy: str = ""

    @property
    def mark(self) -> str:
        return "missing" if self.remedy else "ok"


def package(name: str) -> Finding:
    """One Python package and its version."""
    try:
        return Finding(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding(name, "not installed", f"pip install {name}")


def editors() -> Finding:
    """The optional part that `scn lsp` needs; an installation without it is complete."""
    found = package("pygls")
    return Finding("pygls (optional)", "not installed; for scn lsp: pip install pygls" if found.remedy else found.found)


def libraries() -> Finding:
    """The system libraries behind the PDF."""
    from reports.installing import for_pdf
    from reports.pdf import LIBRARIES, missing_libraries

    lost = missing_libraries()
    what = "libraries for PDF"
    return Finding(what, f"no {', '.join(lost)}", for_pdf()) if lost else Finding(what, f"all {len(LIBRARIES)} found")


def fonts() -> Finding:
    """The font files of documents, which come with Python packages."""
    from reports.fonts import faces
    from reports.installing import FontsMissing

    try:
        return Finding("fonts of documents", f"all {len(faces())} found")
    except FontsMissing as missing:
        return Finding("fonts of documents", f"no {missing.file}", missing.remedy)


def cache() -> Finding:
    """The folder that keeps parsed files between calls; without it every call parses again."""
    from dsl.cache import folder

    place = folder()
    nearest = next(p for p in (place, *place.parents) if p.exists())
    writable = os.access(nearest, os.W_OK)
    return Finding("cache folder", str(place) if writable else f"{place} cannot be written", "" if writable else CACHE)


def examine() -> list[Finding]:
    """Everything that a complete installation has, in the order it is printed."""
    python = Finding("Python", f"{platform.python_version()} ({sys.platform}, {platform.machine()})")
    packages = [package(name) for name in ("tonnage", *PACKAGES)]
    complete = not any(finding.remedy for finding in packages)
    return [python, *packages, *([editors(), libraries(), fonts(), cache()] if complete else [])]

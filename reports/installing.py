"""The one command that installs what the system lacks, by platform."""

import os
import platform
import sys
from contextlib import suppress
from functools import cache


class Missing(Exception):
    """Documents cannot be drawn: the machine lacks something. The text names it, and the command that installs it."""


class FontsMissing(Missing):
    """A font file of the document is not where its Python package has it."""

    def __init__(self, file: str, package: str) -> None:
        self.file, self.remedy = file, f"python -m pip install --force-reinstall {package}"
        super().__init__(f"all but JSON needs the font {file}: {self.remedy}")


COMMANDS = {
    "debian": "apt-get install",
    "fedora": "dnf install",
    "arch": "pacman -S",
    "alpine": "apk add",
    "suse": "zypper install",
    "macos": "brew install",
    "windows": "pacman -S",
}
"""Of the package manager, by family; on Windows that of MSYS2, in its shell."""

ALIKE = {
    "ubuntu": "debian",
    "rhel": "fedora",
    "centos": "fedora",
    "archlinux": "arch",
    "opensuse": "suse",
    "sles": "suse",
}

PDF = {
    "debian": "libpangoft2-1.0-0 libharfbuzz-subset0",
    "fedora": "pango harfbuzz",
    "arch": "pango harfbuzz",
    "alpine": "pango harfbuzz-subset fontconfig",
    "suse": "libpango-1_0-0 libharfbuzz-subset0",
    "macos": "pango",
    "windows": "mingw-w64-ucrt-x86_64-pango",
}
"""Packages with Pango and HarfBuzz's subsetting; they bring GLib and fontconfig. Source: WeasyPrint 70, First steps; of
openSUSE, which it does not name, the packages that hold the same libraries."""

FONTS = {
    "fonts-noto-cjk": {
        "fedora": "google-noto-sans-cjk-fonts",
        "arch": "noto-fonts-cjk",
        "alpine": "font-noto-cjk",
        "macos": "font-noto-sans-cjk",
    },
    "fonts-noto-cjk-extra": {
        "fedora": "google-noto-serif-cjk-fonts",
        "arch": "noto-fonts-cjk",
        "alpine": "font-noto-cjk-extra",
        "macos": "font-noto-serif-cjk",
    },
    "fonts-noto-core": {
        "fedora": "google-noto-fonts-all",
        "arch": "noto-fonts",
        "alpine": "font-noto-all",
        "macos": "font-noto-sans",
    },
    "fonts-symbola": {
        "fedora": "gdouros-symbola-fonts",
        "arch": "noto-fonts",
        "alpine": "font-noto-symbols",
        "macos": "font-noto-sans-symbols-2",
    },
}
"""Packages of other families that bring what a Debian package of fonts does; some have Noto's symbols for Symbola."""


def family(system: str, release: dict[str, str]) -> str:
    """The family of a platform, from `sys.platform` and the fields of os-release; "" where none is known."""
    if system == "darwin":
        return "macos"
    if system in ("win32", "cygwin", "msys"):
        return "windows"
    names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    known = (ALIKE.get(name.partition("-")[0], name) for name in names)
    return next((name for name in known if name in COMMANDS), "")


@cache
def here() -> str:
    """The family of this machine."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    return family(sys.platform, release)


HINTS = {
    "macos": "; then: export DYLD_FALLBACK_LIBRARY_PATH=$(brew --prefix)/lib",
    "windows": "; elsewhere than in its default folder also set WEASYPRINT_DLL_DIRECTORIES",
}
"""What is needed after the packages, so that Python finds the libraries."""


FOLDERS = r"C:\msys64\ucrt64\bin;C:\msys64\mingw64\bin;C:\Program Files\GTK3-Runtime Win64\bin"
"""Where WeasyPrint looks for libraries on Windows."""


def open_folders() -> None:
    """Lets Python load libraries from where MSYS2 puts them, or from WEASYPRINT_DLL_DIRECTORIES, as WeasyPrint does."""
    if sys.platform == "win32":
        for folder in os.environ.get("WEASYPRINT_DLL_DIRECTORIES", FOLDERS).split(";"):
            with suppress(OSError):
                os.add_dll_directory(folder)


def for_pdf(own: str | None = None) -> str:
    """The command that installs what the PDF needs, of this machine where no family is given."""
    own = here() if own is None else own
    if own not in COMMANDS:
        return "install Pango 1.44 or newer and HarfBuzz with its subsetting library"
    return f"{COMMANDS[own]} {PDF[own]}{HINTS.get(own, '')}"


def for_font(package: str, own: str | None = None) -> str:
    """The command that installs the fonts of a Debian package."""
    own = here() if own is None else own
    if own == "debian":
        return f"{COMMANDS[own]} {package}"
    name = FONTS.get(package, {}).get(own)
    if name is None:
        return f"install a Noto font that has them ({package} in Debian)"
    return f"{COMMANDS[own]} {'--cask ' * (own == 'macos')}{name}"

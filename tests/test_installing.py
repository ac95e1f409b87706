"""The command that installs what is missing, on each platform, from what its os-release says.

Packages are those of WeasyPrint's documentation, First steps (doc.courtbouillon.org/weasyprint): libpangoft2-1.0-0 and
libharfbuzz-subset0 for Debian and Ubuntu, pango for Fedora, Arch and Homebrew, libharfbuzz-subset.so.0 for Alpine,
mingw-w64-ucrt-x86_64-pango for MSYS2. openSUSE is not in it.
"""

import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from weasyprint.text import ffi

from reports import installing, other_fonts
from reports.commands import doctor
from reports.fonts import said
from reports.pdf import LIBRARIES, PangoMissing, dll

DEBIAN = "apt-get install libpangoft2-1.0-0 libharfbuzz-subset0"
RELEASES = {
    "Debian 12": ("ID=debian\nVERSION_ID=12", DEBIAN),
    "Ubuntu 24.04": ("ID=ubuntu\nID_LIKE=debian", DEBIAN),
    "Mint": ('ID=linuxmint\nID_LIKE="ubuntu debian"', DEBIAN),
    "Fedora": ("ID=fedora", "dnf install pango harfbuzz"),
    "Rocky": ('ID="rocky"\nID_LIKE="rhel centos fedora"', "dnf install pango harfbuzz"),
    "Arch": ("ID=arch", "pacman -S pango harfbuzz"),
    "Manjaro": ("ID=manjaro\nID_LIKE=arch", "pacman -S pango harfbuzz"),
    "Alpine": ("ID=alpine", "apk add pango harfbuzz-subset fontconfig"),
    "Leap": ('ID="opensuse-leap"\nID_LIKE="suse"', "zypper install libpango-1_0-0 libharfbuzz-subset0"),
    "another": ("ID=nixos", "install Pango 1.44 or newer and HarfBuzz with its subsetting library"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    """This machine's family is found out anew, before and after."""
    installing.here.cache_clear()
    yield
    installing.here.cache_clear()


def pretended(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets this machine be another Linux."""
    fields = dict(line.replace('"', "").split("=") for line in release.splitlines())
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: fields)


@pytest.mark.parametrize(("release", "command"), RELEASES.values(), ids=RELEASES)
def test_each_linux_is_told_its_own_command(release: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretended(release, monkeypatch)
    monkeypatch.setattr("reports.pdf.missing_libraries", lambda: ["libpango-1.0.so.0"])
    assert doctor.libraries().remedy == command
    assert str(PangoMissing(["libpango-1.0.so.0"])) == f"PDF needs libpango-1.0.so.0: {command}"


def test_a_machine_that_does_not_say_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> dict[str, str]:
        raise OSError("no os-release")

    monkeypatch.setattr(platform, "freedesktop_os_release", unknown)
    assert installing.for_pdf() == RELEASES["another"][1]


def test_macos_and_windows() -> None:
    assert installing.family("darwin", {}) == "macos"
    assert installing.for_pdf("macos").startswith("brew install pango; then: export DYLD_FALLBACK_LIBRARY_PATH=")
    assert installing.family("win32", {}) == "windows"
    assert installing.for_pdf("windows").startswith("pacman -S mingw-w64-ucrt-x86_64-pango; ")
    folders = installing.FOLDERS.replace("\\", "\\\\")
    assert "".join(re.findall(r"'(C:[^']*)'", Path(ffi.__file__).read_text("utf-8"))) == folders
    assert [dll(file) for _, file in LIBRARIES][1::3] == ["libpango-1.0-0.dll", "libfontconfig-1.dll"]


def test_every_family_has_everything() -> None:
    assert set(installing.PDF) == set(installing.COMMANDS)
    assert set(installing.ALIKE.values()) <= set(installing.COMMANDS)
    packages = {name for _, name in other_fonts.PACKAGES} | {"fonts-noto-core"}
    assert set(installing.FONTS) == packages
    assert all({"fedora", "arch", "alpine", "macos"} == set(names) for names in installing.FONTS.values())


def test_fonts_have_the_platform_s_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pretended("ID=fedora", monkeypatch)
    assert said("fonts-noto-cjk", ["모"]).endswith("has 모 (U+BAA8): dnf install google-noto-sans-cjk-fonts")
    assert installing.for_font("fonts-noto-cjk", "macos") == "brew install --cask font-noto-sans-cjk"
    assert installing.for_font("fonts-noto-cjk", "") == "install a Noto font that has them (fonts-noto-cjk in Debian)"


@pytest.mark.slow
def test_render_says_the_command_of_another_linux() -> None:
    code = (
        "import platform, reports.pdf\nplatform.freedesktop_os_release = lambda: {'ID': 'alpine'}\n"
        "reports.pdf.LIBRARIES = (('no-such', 'libno-such.so.0'),)\n"
        "import sys\nfrom reports.commands.scn import main\nsys.argv = ['scn', 'doctor']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 3
    assert "no libno-such.so.0; run: apk add pango harfbuzz-subset fontconfig" in done.stdout

#!/usr/bin/env bash
# Everything the product needs, into .venv beside this folder. Safe to run again: when nothing is missing it
# does nothing, says nothing and needs no network.
#
#   tools/setup.sh run     what rendering needs; without Pango everything but the PDF, and exit 3
#   tools/setup.sh demo    the same, but a missing Pango is left to `render` to report
#   tools/setup.sh test    what the tests need as well; anything missing is exit 3
#
# Exit: 0 all there · 1 an installation failed · 3 something is missing, one line says what to run.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.."

MODE="${1:-run}"
PDF_PACKAGES=(libpangoft2-1.0-0 libharfbuzz-subset0)
TEST_PACKAGES=(poppler-utils qpdf chromium)
case "$MODE" in
    run | demo) EXTRA="" ;;
    test) EXTRA="[dev]" ;;
    *) echo "usage: tools/setup.sh run|demo|test" >&2; exit 2 ;;
esac

# The first interpreter of version 3.11 or newer; PYTHON=… chooses another.
find_python() {
    local name
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    echo "setup: Python 3.11 or newer is needed (Debian 12, Ubuntu 24.04 or newer have it); $(remedy python3 python3-venv)" >&2
    exit 3
}

# A package that is gone but left its settings behind passes `dpkg -s`; its status line tells.
installed() {
    if command -v dpkg >/dev/null; then
        [[ "$(dpkg -s "$1" 2>/dev/null)" == *"Status: install ok installed"* ]]
        return
    fi
    case "$1" in # not a Debian: look for the thing itself
        libpangoft2-1.0-0) has_library libpangoft2-1.0.so.0 pangoft2-1.0 ;;
        libharfbuzz-subset0) has_library libharfbuzz-subset.so.0 harfbuzz-subset ;;
        poppler-utils) command -v pdftoppm >/dev/null ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# A library by its file on Linux, or else by the name that the system finds it by.
has_library() {
    "$PY" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null ||
        "$PY" -c 'import ctypes, ctypes.util, sys; ctypes.CDLL(ctypes.util.find_library(sys.argv[1]) or "/")' "$2" 2>/dev/null
}

# The first package manager there is; this script calls apt-get itself and names the command of the others.
manager() {
    local name
    for name in apt-get dnf pacman apk zypper brew; do
        if command -v "$name" >/dev/null; then
            echo "$name"
            return
        fi
    done
}

# What another package manager calls a Debian package.
called() {
    case "$1 $2" in
        "apt-get "*) echo "$2" ;;
        *" python3"*-venv) [[ "$1" == pacman || "$1" == brew ]] && echo python || echo python3 ;;
        "apk libharfbuzz-subset0") echo harfbuzz-subset ;;
        "zypper libpangoft2-1.0-0") echo libpango-1_0-0 ;;
        "zypper libharfbuzz-subset0") echo libharfbuzz-subset0 ;;
        *" libpangoft2-1.0-0") echo pango ;;
        *" libharfbuzz-subset0") echo harfbuzz ;;
        "pacman poppler-utils" | "brew poppler-utils") echo poppler ;;
        "zypper poppler-utils") echo poppler-tools ;;
        *) echo "$2" ;;
    esac
}

# The one command that installs what is missing here.
remedy() {
    local own package names=""
    own="$(manager)"
    for package in "$@"; do names+=" $(called "$own" "$package")"; done
    case "$own" in
        apt-get) echo "run: sudo apt-get update && sudo apt-get install -y$names" ;;
        dnf | zypper) echo "run: sudo $own install -y$names" ;;
        pacman) echo "run: sudo pacman -S --needed$names" ;;
        apk) echo "run: sudo apk add$names" ;;
        brew) echo "run: brew install$names" ;;
        *) echo "install them and run this again" ;;
    esac
}

# Debian keeps ensurepip, without which there is no pip in a new environment, in a package of its own.
can_make_venv() { "$PY" -c 'import ensurepip, venv' 2>/dev/null; }

venv_package() {
    case "$PY" in
        python3.*) echo "$PY-venv" ;;
        *) echo python3-venv ;;
    esac
}

wanted_packages() {
    can_make_venv || venv_package
    printf '%s\n' "${PDF_PACKAGES[@]}"
    if [[ "$MODE" == test ]]; then printf '%s\n' "${TEST_PACKAGES[@]}"; fi
}

missing_packages() {
    local package
    for package in $(wanted_packages); do
        installed "$package" || echo "$package"
    done
}

# Installs packages where this user may: as root, or through a sudo that asks nothing.
install_packages() {
    local as=()
    command -v apt-get >/dev/null || return 1
    if [[ "$(id -u)" != 0 ]]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
        as=(sudo -n)
    fi
    echo "setup: installing $*" >&2
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 &&
        "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# What is still missing: nothing, the PDF's libraries alone (rendering goes on without), or more.
check_packages() {
    local missing
    missing="$(missing_packages | tr '\n' ' ')"
    missing="${missing% }"
    if [[ -n "$missing" ]] && install_packages $missing; then
        missing="$(missing_packages | tr '\n' ' ')"
        missing="${missing% }"
    fi
    [[ -n "$missing" ]] || return 0
    NO_PDF=1
    [[ "$MODE" == demo ]] && can_make_venv && return 0
    echo "setup: missing: $missing; $(remedy $missing)" >&2
    if [[ "$MODE" == test ]] || ! can_make_venv; then exit 3; fi
}

# The stamp says which inputs the environment was made from. It is written last: `python -m venv` that fails
# half-way leaves an interpreter behind that proves nothing.
stamp() {
    echo "$PWD $("$PY" -c 'import sys; print(sys.version)')"
    cat pyproject.toml constraints.txt tools/setup.sh
}

up_to_date() {
    local mode
    for mode in "$1" test; do
        if [[ -x .venv/bin/render && -f ".venv/setup-$mode.stamp" ]] &&
            [[ "$(<".venv/setup-$mode.stamp")" == "$(stamp)" ]]; then return 0; fi
    done
    return 1
}

usable_venv() {
    [[ "$(.venv/bin/python -c 'import pip, sys; print(sys.version)' 2>/dev/null)" == "$("$PY" -c 'import sys; print(sys.version)')" ]]
}

install_python_packages() {
    local pip=(.venv/bin/python -m pip --disable-pip-version-check --quiet --quiet)
    echo "setup: installing Python packages into .venv" >&2
    rm -f .venv/setup-*.stamp
    { usable_venv || "$PY" -m venv --clear .venv; } &&
        "${pip[@]}" install -c constraints.txt hatchling &&
        "${pip[@]}" install -c constraints.txt --no-build-isolation -e ".$EXTRA"
}

PY="$(find_python)"
NO_PDF=0
check_packages
KIND="$MODE"
[[ "$KIND" == demo ]] && KIND=run
if ! up_to_date "$KIND"; then
    install_python_packages || { echo "setup: the Python packages could not be installed" >&2; exit 1; }
    stamp >".venv/setup-$KIND.stamp"
fi
if [[ "$NO_PDF" == 1 && "$MODE" == run ]]; then exit 3; fi

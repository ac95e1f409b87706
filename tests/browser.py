"""Pages in Debian's Chromium: what they complain about, ask for, and look like to axe-core, to a keyboard, on paper."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# axe-core takes half a minute for a page of 20,000 elements. What is alike is judged once: of the rows of a table and
# the words of a listing one of each form stays, of the numbers' trees two, and figures (one image each) are emptied.
THINNED = """() => {
  const once = (parts, form) => {
    const seen = new Set();
    parts.forEach(part => { const f = form(part); if (seen.has(f)) part.remove(); else seen.add(f); });
  };
  const form = e => [e, ...e.querySelectorAll('*')].map(x => x.tagName + '.' + x.className).join(' ');
  document.querySelectorAll('tbody').forEach(body => once([...body.rows], form));
  document.querySelectorAll('.listing').forEach(list => once([...list.querySelectorAll('span')], form));
  document.querySelectorAll('.origins, .origins ul').forEach(list =>
    [...list.children].slice(2).forEach(part => part.remove()));
  document.querySelectorAll('details').forEach(part => { part.open = true; });
  document.querySelectorAll('svg').forEach(image => image.replaceChildren());
}"""
JUDGED = """rules => axe.run(document,
  {resultTypes: ['violations'], runOnly: rules, rules: {'color-contrast': {enabled: false}}})"""

# Contrast follows from the color of words, what is behind them, their size and weight: one element of each is judged.
CONTRAST = """() => {
  const seen = new Set(), parts = [];
  const behind = e => !e ? '' : getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(e.parentElement)
    : getComputedStyle(e).backgroundColor;
  document.querySelectorAll('body *').forEach(e => {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) return;
    const s = getComputedStyle(e), form = [s.color, behind(e), s.fontSize, s.fontWeight, s.opacity, s.filter].join(' ');
    if (!seen.has(form)) { seen.add(form); parts.push(e); }
  });
  return axe.run({include: parts}, {resultTypes: ['violations'], runOnly: {type: 'rule', values: ['color-contrast']}});
}"""

# Elements that stick out at the right of the window, other than inside what scrolls by itself.
WIDE = """() => [...document.querySelectorAll('body *')]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.table > table, figure svg, pre'))
  .map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.trim().slice(0, 40))"""

# What holds the focus: its kind and where it stands.
FOCUS = """() => {
  const e = document.activeElement, place = e.closest('.contents, thead, .filter, .table, figure, .listing, details');
  return e.className === 'skip' ? 'skip' : e.tagName + ' in ' + (place ? place.className || place.tagName : 'BODY');
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a network; the test is skipped where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium here: tools/setup.sh test installs it where it may")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=ARGUMENTS, chromium_sandbox=False)
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page in the browser, with all that it complained about and asked for."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready")

    @property
    def left(self) -> list[str]:
        """Addresses asked for other than the page's own."""
        return [url[:80] for url in self.asked[1:] if not url.startswith("data:")]

    def wide(self, width: int) -> list[str]:
        """What makes the page wider than a window of this width; nothing where it fits."""
        self.page.set_viewport_size({"width": width, "height": 800})
        scrolls = self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        return [*self.page.evaluate(WIDE), "the page scrolls"] if scrolls else []

    def violations(self) -> list[str]:
        """What axe-core finds, contrast left out, on the thinned page."""
        return told(self.page.evaluate(JUDGED, RULES))

    def pale(self, scheme: Literal["light", "dark"]) -> list[str]:
        """Words whose contrast axe-core finds too low, in light or dark."""
        self.page.emulate_media(color_scheme=scheme)
        return told(self.page.evaluate(CONTRAST))

    def thin(self) -> None:
        self.page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
        self.page.evaluate(THINNED)

    def stops(self, most: int) -> list[str]:
        """What the Tab key reaches from the top of the page, in order."""
        found = []
        for _ in range(most):
            self.page.keyboard.press("Tab")
            found.append(str(self.page.evaluate(FOCUS)))
        return found


def told(result: dict[str, Any]) -> list[str]:
    """Each violation in a line."""
    found = [(rule, node) for rule in result["violations"] for node in rule["nodes"]]
    reasons = [[c["message"] for c in (*node["any"], *node["all"], *node["none"])] for _, node in found]
    return [
        f"{rule['id']}: {node['html'][:120]} ({(*why, rule['help'])[0]})"
        for (rule, node), why in zip(found, reasons, strict=True)
    ]


@contextmanager
def opened(browser: Browser, path: Path, **settings: Any) -> Iterator[Opened]:
    """The page of a file in a window of its own."""
    page = browser.new_page(**settings)
    try:
        yield Opened(page, path)
    finally:
        page.close()

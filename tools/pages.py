"""The documentation as static pages: Markdown in, one self-contained HTML file a page out, every link followed.

No page fetches anything: style, script and fonts stand inside, and a content policy holds that.
"""

import base64
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from urllib.parse import unquote

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from reports import fonts
from reports.sections.source import _pieces

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
FIRST = {
    "docs/README.md": "index",
    "docs/tutorial.md": "tutorial",
    "dsl/REFERENCE.md": "language",
    "docs/commands.md": "commands",
    "docs/daily-use.md": "daily-use",
    "docs/method.md": "method",
    "docs/right.md": "right",
    "docs/extend.md": "extend",
    "docs/templates.md": "templates",
    "CHANGELOG.md": "changes",
}
"""The pages in the order of the bar at the top; any other file docs/*.md follows them."""
NAMES = {"index": "Overview", "right": "Is it right?"}


@dataclass
class Page:
    """One page: its source, the file made from it, its headings with their addresses, links and rows to be found."""

    source: Path
    file: str
    title: str = ""
    body: str = ""
    headings: list[tuple[int, str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the bar at the top calls it."""
        stem = self.file.removesuffix(".html")
        return NAMES.get(stem, stem.replace("-", " ").capitalize())


def sources(root: Path = ROOT) -> dict[Path, str]:
    """Every source with the name of its page."""
    more = {f"docs/{path.name}": path.stem for path in sorted((root / "docs").glob("*.md"))}
    stems = FIRST | {path: stem for path, stem in more.items() if path not in FIRST}
    return {root / path: f"{stem}.html" for path, stem in stems.items()}


def address(text: str, taken: Sequence[str]) -> str:
    """The part of an address that leads to a heading, as code hosts make it."""
    plain = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
    return next(a for a in (plain, *(f"{plain}-{n}" for n in range(1, 10_000))) if a not in taken)


def read(source: Path, made: dict[Path, str]) -> Page:
    """A page with its body; links lead to pages, files that it names are taken along."""
    page = Page(source, made[source])
    md = MarkdownIt("commonmark").enable("table")
    tokens = md.parse(re.sub(r"^<!--.*?-->\n", "", source.read_text("utf-8")))
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            _heading(page, token, tokens[i + 1])
        _cells(page, token, tokens[i + 1 : i + 3])
        for inner in token.children or ():
            for name in ("href", "src"):
                if (target := inner.attrGet(name)) is not None:
                    inner.attrSet(name, _target(page, str(target), made))
    body = "".join(_shown(md, run) for run in _parts(tokens))
    body = body.replace("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
    page.body = body.replace("</table>", "</table></div>")
    page.body = page.body.replace("<th>", '<th scope="col">').replace("<img ", '<img loading="lazy" ')
    return page


def _heading(page: Page, opening: Token, inline: Token) -> None:
    text = "".join(t.content for t in inline.children or () if t.type in ("text", "code_inline"))
    anchor = address(text, [a for _, a, _ in page.headings])
    opening.attrSet("id", anchor)
    page.headings.append((int(opening.tag[1]), anchor, text))
    page.title = page.title or text


def _cells(page: Page, token: Token, after: Sequence[Token]) -> None:
    """First cells that are one name in code are found by it, with the words of the next cell beside them."""
    if token.type == "td_open" and after and (found := re.fullmatch(r"`([^`]+)`", after[0].content)):
        near = [h for h in page.headings if h[0] > 1] or page.headings
        page.rows.append((found.group(1), near[-1][1] if near else "", near[-1][2] if near else ""))


def _target(page: Page, target: str, made: dict[Path, str]) -> str:
    """Where a link of a source leads from its page."""
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return target
    end = f"#{anchor}" if anchor else ""
    file = (page.source.parent / unquote(path)).resolve() if path else page.source
    if file in made:
        page.links.append(made[file] + end)
        return (made[file] if path else "") + end
    name = f"files/{file.relative_to(ROOT)}" if file.is_relative_to(ROOT) else path
    page.links.append(name)
    page.files[name] = file
    return name + end


def _parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens, with each fenced block by itself."""
    run: list[Token] = []
    for token in tokens:
        if token.type == "fence":
            yield run
            yield [token]
            run = []
        else:
            run.append(token)
    yield run


def _shown(md: MarkdownIt, run: list[Token]) -> str:
    if len(run) != 1 or run[0].type != "fence":
        return str(md.renderer.render(run, md.options, {}))
    words = run[0].info.split()
    kind, file = (words or [""])[0], "".join([w for w in words[1:] if "." in w][:1])
    named = f' data-file="{escape(file)}"' if file else ""
    return f'<pre tabindex="0"{named}><code>{"".join(_colored(kind, run[0].content))}</code></pre>\n'


def _colored(kind: str, text: str) -> Iterator[str]:
    """The text of a block with the looks of its kind."""
    if kind == "scn":
        for look, part in _pieces(text):
            yield f'<span class="{look}">{escape(part)}</span>' if look else escape(part)
        return
    looks = {"console": {"$": "command"}, "edit": {"+": "added", "-": "removed"}}.get(kind, {})
    for line in text.splitlines(keepends=True):
        look = looks.get(line[:1])
        yield f'<span class="{look}">{escape(line)}</span>' if look else escape(line)


def broken(pages: Sequence[Page]) -> list[str]:
    """Every link that leads nowhere."""
    known = {page.file for page in pages} | {f"{p.file}#{a}" for p in pages for _, a, _ in p.headings}
    files = {name for page in pages for name, file in page.files.items() if file.is_file()}
    dead = [(page, link) for page in pages for link in page.links if link not in known | files]
    return [f"{page.source.relative_to(ROOT)}: {link}" for page, link in dead]


def entries(pages: Sequence[Page]) -> str:
    """What can be searched for: headings, and names in first cells, each once a page."""
    found = [(t, f"{p.file}#{a}", p.name) for p in pages for level, a, t in p.headings if level > 1]
    found += [(name, f"{p.file}#{a}", f"{p.name}, {near}") for p in pages for name, a, near in p.rows]
    return json.dumps(list(dict.fromkeys(found)), ensure_ascii=False).replace("<", "\\u003c")


FIND = ('<div class="find"><label for="find">Find a setting, a result, a command, a formula</label>'
        '<input id="find" type="search" autocomplete="off"><p role="status"></p><ul></ul></div>')  # fmt: skip


def whole(page: Page, pages: Sequence[Page]) -> str:
    """The HTML of a page."""
    first = page.file == "index.html"
    script = (HERE / "find.js").read_text("utf-8").replace("ENTRIES", entries(pages)) if first else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = ("default-src 'none'; img-src 'self' file: data:; font-src data:; style-src 'unsafe-inline'; "
              f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")  # fmt: skip
    body = page.body.replace("</h1>", f"</h1>\n{FIND}", 1) if first else page.body
    style = fonts.data_faces(page.body) + (HERE / "pages.css").read_text("utf-8")
    env = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return env.from_string((HERE / "page.html").read_text("utf-8")).render(
        title=page.title, file=page.file, pages=pages, body=Markup(body), style=Markup(style), policy=policy,
        script=Markup(script), headings=[(a, t) for level, a, t in page.headings if level == 2],
    )  # fmt: skip


def build(out: Path) -> list[str]:
    """Writes all pages; the links that lead nowhere."""
    made = sources()
    pages = [read(source, made) for source in made]
    out.mkdir(parents=True, exist_ok=True)
    for page in pages:
        (out / page.file).write_text(whole(page, pages), "utf-8")
        for name, file in page.files.items():
            if file.is_file():
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, out / name)
    return broken(pages)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if sys.argv[1:] else "out/docs")
    wrong = build(folder)
    print("\n".join([f"{folder}/index.html", *(f"leads nowhere: {link}" for link in wrong)]))
    sys.exit(1 if wrong else 0)

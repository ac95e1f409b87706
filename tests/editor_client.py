"""An editor for tests: pygls' client, two files that it has open, and what the server told it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.client import LanguageClient

SCN = Path(sys.executable).parent / "scn"
PARTS = """edition 2026

gpu h "H100 🚀, 80 GB" { memory = 80 GB, memory_bandwidth = 3.35 TB/s, peak { bf16 = 989 TFLOPS }, power = 700 W }

cluster hopper "Two pods; Größe 16" {
  gpu   = h
  nodes = 16
  price = $2.10/gpu-hour
  tier node { bandwidth = 450 GB/s }
  tier pod { bandwidth = 400 Gb/s }
}

let room = 8 GB
"""
PLAN = """edition 2026

import "parts.scn"
import "library/models.scn" as zoo

run base "Plan 🚀" {
  model   = zoo.llama-3.1-70b
  cluster = hopper
  tokens  = 15T tokens
  batch   = 2048 sequences
  let spare = 2 * room
  layout { tensor = 8, schedule = interleaved(virtual_stages = 5), pipeline = 4 }
  require memory_headroom >= spare because "🚀 needs room"
  require memory_per_gpu <= 90% * h.memory
}

run wider from base {
  layout.tensor = 4
"""
Session = Callable[["Editor"], Awaitable[None]]


class Editor:
    """An editor with two files open, and what the server told it."""

    def __init__(self, folder: Path) -> None:
        self.client = LanguageClient("editor", "1")
        self.folder = folder
        self.texts = {"parts.scn": PARTS, "plan.scn": PLAN}
        self.problems: dict[str, list[lsp.Diagnostic]] = {}
        self.said: list[str] = []
        self.complaints = ""
        self.versions: dict[str, int] = {}
        self.heard = asyncio.Event()
        self.server: Any = None

        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.published(params))
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda params: self.said.append(params.message))

    def published(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.problems[self.name(params.uri)] = list(params.diagnostics)
        self.heard.set()

    async def complained(self) -> str:
        """What the server wrote on standard error."""
        process = self.client._server
        assert process is not None and process.stderr is not None
        text = (await process.stderr.read()).decode()
        assert await process.wait() == 0, text
        return text

    def uri(self, name: str) -> str:
        return str(uris.from_fs_path(str(self.folder / name)))

    def name(self, uri: str) -> str:
        return Path(str(uris.to_fs_path(uri))).name

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))

    async def start(self) -> None:
        for name, text in self.texts.items():
            (self.folder / name).write_text(text, "utf-8")
        await self.client.start_io(str(SCN), "lsp", cwd=self.folder)
        folder = lsp.WorkspaceFolder(str(uris.from_fs_path(str(self.folder))), "here")
        await self.client.initialize_async(
            lsp.InitializeParams(lsp.ClientCapabilities(), workspace_folders=[folder], root_uri=folder.uri)
        )
        self.client.initialized(lsp.InitializedParams())
        for name in self.texts:
            await self.open(name)

    async def open(self, name: str) -> None:
        self.versions[name] = 1
        item = lsp.TextDocumentItem(self.uri(name), "scn", 1, self.texts[name])
        await self._told(name, lambda: self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item)))

    async def type(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Replaces a file's text, unsaved, and waits for its problems."""
        self.texts[name] = text
        self.versions[name] += 1
        change = lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name)),
            [lsp.TextDocumentContentChangeWholeDocument(text)],
        )
        await self._told(name, lambda: self.client.text_document_did_change(change))
        return self.problems[name]

    async def _told(self, name: str, act: Callable[[], None]) -> None:
        self.problems.pop(name, None)
        act()
        while name not in self.problems:
            self.heard.clear()
            await asyncio.wait_for(self.heard.wait(), 60)

    def at(self, name: str, words: str, inside: str = "") -> lsp.Position:
        """Where ``words`` first stand in a file, or ``inside`` within them, in UTF-16 code units."""
        offset = self.texts[name].index(words) + (words.index(inside) if inside else 0)
        before = self.texts[name][:offset].split("\n")
        return lsp.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)

    def covered(self, name: str, span: lsp.Range) -> str:
        """The text that a range covers."""
        row = self.texts[name].split("\n")[span.start.line].encode("utf-16-le")
        return row[2 * span.start.character : 2 * span.end.character].decode("utf-16-le")

    async def hover(self, name: str, words: str, inside: str = "") -> str:
        params = lsp.HoverParams(self.document(name), self.at(name, words, inside))
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return ""
        assert isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    async def definition(self, name: str, words: str, inside: str = "") -> tuple[str, str]:
        params = lsp.DefinitionParams(self.document(name), self.at(name, words, inside))
        found = await self.client.text_document_definition_async(params)
        assert isinstance(found, lsp.Location)
        file = self.name(found.uri)
        return file, self.covered(file, found.range) if file in self.texts else ""

    async def complete(self, name: str, text: str) -> dict[str, lsp.CompletionItem]:
        """What the server offers at the | of a text."""
        start, rest = text.split("|")
        self.texts[name] = start + rest
        await self.type(name, start + rest)
        before = start.split("\n")
        place = lsp.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)
        found = await self.client.text_document_completion_async(lsp.CompletionParams(self.document(name), place))
        assert isinstance(found, lsp.CompletionList)
        return {item.label: item for item in found.items}

    async def rename(self, name: str, words: str, new: str, inside: str = "") -> dict[str, str]:
        """The texts after a rename, by file; what the server changes is also in the editor's texts."""
        params = lsp.RenameParams(self.document(name), self.at(name, words, inside), new)
        found = await self.client.text_document_rename_async(params)
        assert found is not None and found.changes is not None
        return {self.name(uri): self.edited(self.name(uri), edits) for uri, edits in found.changes.items()}

    def edited(self, name: str, edits: Any) -> str:
        rows = [row.encode("utf-16-le") for row in self.texts[name].split("\n")]
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            assert edit.range.start.line == edit.range.end.line
            row, start, end = rows[edit.range.start.line], edit.range.start.character, edit.range.end.character
            rows[edit.range.start.line] = row[: 2 * start] + edit.new_text.encode("utf-16-le") + row[2 * end :]
        return "\n".join(row.decode("utf-16-le") for row in rows)


def drive(folder: Path, session: Session) -> None:
    """Starts the server, opens the two files, and holds the session."""

    async def whole() -> None:
        editor = Editor(folder)
        await editor.start()
        try:
            await asyncio.wait_for(session(editor), 120)
        finally:
            await editor.client.shutdown_async(None)
            editor.client.exit(None)
            editor.complaints = await editor.complained()
            await editor.client.stop()  # type: ignore[no-untyped-call]  # pygls gives this one no hints
        assert editor.said == [], editor.said
        assert editor.complaints == "", editor.complaints

    asyncio.run(whole())


CLOSED = PLAN + "}\n"

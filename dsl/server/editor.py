"""What the server holds of one editor: the open texts, what is known of them, and how the editor counts."""

import asyncio
import gc
import os
from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from dsl.inside import Unreadable, plain
from dsl.limits import FILE
from dsl.problems import Span
from dsl.server.checked import Checked, key_of
from dsl.server.diagnostics import Note, notes
from dsl.server.hover import Result
from dsl.server.marks import at, marks
from dsl.server.meanings import Mark
from dsl.server.places import UTF16, Area, Position, Text
from dsl.server.rename import Found
from dsl.table import Results

PAUSE = 0.005  # seconds before a file is checked: keystrokes that wait already are taken in first
IDLE = 0.5  # seconds without a keystroke before memory is tidied: in the midst of a check that would take longer
OFTEN = 50  # checks after which it is tidied in any case; each leaves a few megabytes
MOST = 2000  # scenario files of a folder looked through for the uses of a name


def spread(area: Area) -> lsp.Range:
    """A stretch of text as the protocol has it."""
    return lsp.Range(lsp.Position(*area.start), lsp.Position(*area.end))


def on_disk(key: str) -> str:
    """The text of a file that is not open; empty where it cannot be read."""
    try:
        return plain(Path(key), FILE).decode("utf-8", "replace")
    except (OSError, ValueError, Unreadable):
        return ""


class Editor:
    """The files that an editor has open, and what is known of them until the next keystroke."""

    def __init__(
        self, server: LanguageServer, names: Results, results: Mapping[str, Result], allowed: tuple[Path, ...] = ()
    ) -> None:
        self.server, self.names, self.results, self.allowed = server, names, results, allowed
        self.known: dict[str, Checked] = {}
        self.waiting: asyncio.TimerHandle | None = None
        self.idle: asyncio.TimerHandle | None = None
        self.checks = 0
        self.changed = set[str]()

    # texts

    def key(self, uri: str) -> str:
        """The name under which a document is known: its real path, or its address where it is in no file."""
        path: str | None = uris.to_fs_path(uri) if uri.startswith("file:") else None
        return key_of(path) if path else uri

    def opened(self) -> dict[str, str]:
        """The texts that the editor holds, by key."""
        return {self.key(doc.uri): doc.source for doc in self.server.workspace.text_documents.values()}

    def uri(self, key: str) -> str:
        """The address of a file: the one that the editor uses where it has the file open."""
        document = self.document(key)
        if document is not None:
            return document.uri
        return (uris.from_fs_path(key) or key) if os.path.isabs(key) else key

    def document(self, key: str) -> TextDocument | None:
        """The text of a file that the editor has open."""
        documents = self.server.workspace.text_documents.values()
        return next((document for document in documents if self.key(document.uri) == key), None)

    def checked(self, key: str) -> Checked:
        """A file as the editor holds it."""
        if key not in self.known:
            self.known[key] = Checked(key, self.opened(), self.names, allowed=self.allowed)
        return self.known[key]

    def text(self, key: str) -> Text:
        """The text of a file with the editor's way of counting."""
        document = self.document(key)
        text = document.source if document is not None else on_disk(key)
        encoding = self.server.workspace.position_encoding
        return Text(text, encoding.value if isinstance(encoding, lsp.PositionEncodingKind) else encoding or UTF16)

    # places

    def area(self, key: str, span: Span) -> lsp.Range:
        """A span of a file as the editor counts."""
        return spread(self.text(key).area(span))

    def mark(self, key: str, position: lsp.Position) -> Mark | None:
        """The word at a position."""
        line, column = self.text(key).place(Position(position.line, position.character))
        checked = self.checked(key)
        return at(marks(checked.world, checked.scope), line, column)

    def location(self, found: Found) -> lsp.Location:
        """A word of a file as the editor counts."""
        return lsp.Location(self.uri(found.key), self.area(found.key, found.span))

    # problems

    def touched(self, uri: str) -> None:
        """A text is not what it was; it and the files that import it are checked when the typing pauses."""
        self.known.clear()
        self.changed.add(self.key(uri))
        if self.waiting is not None:
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().call_later(PAUSE, self.check)

    def check(self) -> None:
        """Checks the changed files and the open ones that import them, and tells their problems."""
        changed, self.changed, self.waiting = self.changed, set(), None
        self.tidy()
        opened = self.opened()
        for key in opened:
            if key in changed or changed & set(self.checked(key).loaded.files):
                self.tell(key, notes(self.checked(key), opened))

    def tidy(self) -> None:
        """Collects garbage when the typing stops, and now and then when it does not."""
        self.checks += 1
        if self.checks % OFTEN == 0:
            gc.collect()
        if self.idle is not None:
            self.idle.cancel()
        self.idle = asyncio.get_running_loop().call_later(IDLE, gc.collect)

    def tell(self, key: str, found: list[Note]) -> None:
        """Publishes what is wrong in a file; of another open file it only says what that file itself says."""
        own = [note for note in found if note.key == key]
        diagnostics = [self.diagnostic(note) for note in own]
        document = self.document(key)
        version = document.version if document is not None else None
        self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(self.uri(key), diagnostics, version))

    def diagnostic(self, note: Note) -> lsp.Diagnostic:
        """A note as the protocol has it."""
        severity = lsp.DiagnosticSeverity.Error if note.severity == "error" else lsp.DiagnosticSeverity.Warning
        others = [
            lsp.DiagnosticRelatedInformation(self.location(Found(key, span)), text) for key, span, text in note.others
        ]
        return lsp.Diagnostic(
            self.area(note.key, note.span), note.text, severity, note.code, source="scn", related_information=others
        )

    # names over files

    def files(self) -> list[Checked]:
        """Every scenario file of the folders that are open, and every open text."""
        keys = dict.fromkeys(self.opened())
        for folder in self.folders():
            for path in sorted(folder.rglob("*.scn"))[:MOST]:
                keys.setdefault(key_of(str(path)))
        return [self.checked(key) for key in keys]

    def folders(self) -> list[Path]:
        """The folders that the editor works in; those of the open files where it named none."""
        named = [uris.to_fs_path(uri) for uri in self.server.workspace.folders] or [self.server.workspace.root_path]
        found = [Path(path) for path in named if path]
        return found or [Path(key).parent for key in self.opened() if os.path.isabs(key)]

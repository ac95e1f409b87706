"""`scn lsp`: the language server, over standard input and output.

What the editor holds stands for what is on disk, in the file itself and in every file that imports it. A file is
checked again a moment after the last keystroke; questions are answered from the text as it is.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, PyglsError
from pygls.lsp.server import LanguageServer

from dsl.form import canonical
from dsl.problems import Span
from dsl.server.asks import Asks
from dsl.server.completion import Completion, Offer
from dsl.server.cursor import cursor
from dsl.server.editor import Editor, spread
from dsl.server.hover import Hover, Result
from dsl.server.places import BOM, Position
from dsl.server.rename import Refused, definition, renamable, renamed, same
from dsl.table import Results

ROLES = {
    "kind": lsp.CompletionItemKind.Class,
    "group": lsp.CompletionItemKind.Module,
    "setting": lsp.CompletionItemKind.Property,
    "choice": lsp.CompletionItemKind.EnumMember,
    "block": lsp.CompletionItemKind.Reference,
    "let": lsp.CompletionItemKind.Variable,
    "result": lsp.CompletionItemKind.Field,
    "function": lsp.CompletionItemKind.Function,
    "unit": lsp.CompletionItemKind.Unit,
    "file": lsp.CompletionItemKind.File,
    "word": lsp.CompletionItemKind.Keyword,
}


def item(offer: Offer, place: lsp.Range) -> lsp.CompletionItem:
    """An offer as the protocol has it: it replaces the word that is being typed."""
    return lsp.CompletionItem(
        offer.text,
        kind=ROLES[offer.role],
        detail=offer.says or None,
        sort_text=f"{offer.rank}{offer.text}",
        filter_text=offer.text,
        text_edit=lsp.TextEdit(place, offer.insert or offer.text),
    )


class Server(LanguageServer):
    """The language server; a refusal is the answer to its request and no accident."""

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Tells the editor about an accident of ours, in one line."""
        if not isinstance(error, JsonRpcInvalidParams):
            text = f"scn lsp: internal error: {type(error).__name__}: {error}"
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, text))


def server(
    names: Results, results: Sequence[Result], version: str, allowed: tuple[Path, ...] = ()
) -> LanguageServer:
    """The server with every feature. ``names`` maps results to dimensions, ``results`` says what they are.

    Files may lie in the folders ``allowed``, too.
    """
    made = Server("scn", version, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    editor = Editor(made, names, {result.name: result for result in results}, allowed)
    _texts(made, editor)
    _words(made, editor)
    _changes(made, editor)
    return made


def _texts(made: LanguageServer, editor: Editor) -> None:
    """Problems as one types."""

    @made.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        editor.touched(params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        editor.touched(params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        editor.touched(params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        editor.touched(params.text_document.uri)
        made.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))

    @made.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            editor.touched(change.uri)


def _words(made: LanguageServer, editor: Editor) -> None:
    """What is asked about the word at the cursor."""

    @made.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", "/", '"', "="]))
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        key = editor.key(params.text_document.uri)
        text, checked = editor.text(key), editor.checked(key)
        line, column = text.place(Position(params.position.line, params.position.character))
        where = cursor("\n".join(text.rows).removeprefix(BOM), line, column)
        begins = Position(params.position.line, params.position.character - text.width(where.typed))
        place = lsp.Range(lsp.Position(*begins), params.position)
        offers = Completion(checked, editor.results).offers(where)
        return lsp.CompletionList(False, [item(offer, place) for offer in offers])

    @made.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        key = editor.key(params.text_document.uri)
        mark = editor.mark(key, params.position)
        text = Hover(editor.checked(key), editor.results).text(mark) if mark is not None else ""
        if mark is None or not text:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), editor.area(key, mark.span))

    @made.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> lsp.Location | None:
        key = editor.key(params.text_document.uri)
        found = definition(editor.checked(key), editor.mark(key, params.position))
        return editor.location(found) if found is not None else None

    @made.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        mark = editor.mark(editor.key(params.text_document.uri), params.position)
        if mark is None or mark.root is None:
            return []
        return [editor.location(found) for found in same(editor.files(), mark.root)]


def _changes(made: LanguageServer, editor: Editor) -> None:
    """What changes texts: renaming and formatting."""

    @made.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> lsp.Range:
        key = editor.key(params.text_document.uri)
        mark = with_reason(lambda: renamable(editor.mark(key, params.position)))
        return editor.area(key, mark.span)

    @made.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        key = editor.key(params.text_document.uri)
        files = editor.files()
        own = [file.key for file in files]
        places = with_reason(lambda: renamed(renamable(editor.mark(key, params.position)), params.new_name, files, own))
        return lsp.WorkspaceEdit(
            changes={editor.uri(k): edits(editor, k, v, params.new_name) for k, v in places.items()}
        )

    @made.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        key = editor.key(params.text_document.uri)
        text = editor.opened()[key]
        form, problems = canonical(text)
        return [] if problems or form == text else [lsp.TextEdit(spread(editor.text(key).whole), form)]


def edits(editor: Editor, key: str, spans: Iterable[Span], new: str) -> list[lsp.TextEdit]:
    """The places of a file with a new name."""
    return [lsp.TextEdit(editor.area(key, span), new) for span in spans]


T = TypeVar("T")


def with_reason(work: Callable[[], T]) -> T:
    """What ``work`` gives; where it refuses, the editor shows why."""
    try:
        return work()
    except Refused as refused:
        raise JsonRpcInvalidParams(message=str(refused)) from refused


def serve(names: Results, results: Sequence[Result], version: str, allowed: tuple[Path, ...] = ()) -> None:
    """Serves one editor until it says goodbye; raises Unreadable where it sends more than is read."""
    with os.fdopen(os.dup(sys.stdin.fileno()), "rb") as asks, os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        made = server(names, results, version, allowed)
        made.start_io(cast(BinaryIO, Asks(asks)), answers)  # it closes what it is given

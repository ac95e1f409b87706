"""The server's words in the protocol's types, without a server: offers, stretches of text, keys and texts of files."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.workspace import Workspace

from dsl.limits import FILE
from dsl.problems import Span
from dsl.server.completion import Offer
from dsl.server.diagnostics import Note
from dsl.server.editor import OFTEN, Editor, on_disk, spread
from dsl.server.marks import at, marks
from dsl.server.places import Area, Position
from dsl.server.rename import Found, Refused
from dsl.server.server import Server, edits, item, server, with_reason
from tests.server_files import BY_NAME, DIMENSIONS

TEXT = "edition 2026\nlet room = 8 GB\nrun base { let own = 3 }\n"


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    """An editor with one file open, as unsaved, in a folder of three."""
    (tmp_path / "deep").mkdir()
    for name in ("plan.scn", "deep/other.scn", "zoo.scn", "notes.txt"):
        (tmp_path / name).write_text("edition 2026\n")
    made = Server("scn", "1", text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    uri = (tmp_path / "plan.scn").as_uri()
    made.protocol._workspace = Workspace(tmp_path.as_uri(), lsp.TextDocumentSyncKind.Full)
    made.workspace.put_text_document(lsp.TextDocumentItem(uri, "scn", 3, TEXT))
    return Editor(made, DIMENSIONS, BY_NAME)


def test_a_stretch_of_text() -> None:
    found = spread(Area(Position(3, 5), Position(7, 9)))
    assert found == lsp.Range(lsp.Position(3, 5), lsp.Position(7, 9))


def test_an_offer_is_sorted_by_its_rank_and_replaces_the_word() -> None:
    place = lsp.Range(lsp.Position(3, 5), lsp.Position(3, 9))
    function = item(Offer("min", "function", "", 3, "min("), place)
    assert (function.label, function.kind, function.detail) == ("min", lsp.CompletionItemKind.Function, None)
    assert (function.sort_text, function.filter_text) == ("3min", "min")
    assert function.text_edit == lsp.TextEdit(place, "min(")
    let = item(Offer("room", "let", "a let of plan.scn", 0), place)
    assert (let.kind, let.detail, let.sort_text) == (lsp.CompletionItemKind.Variable, "a let of plan.scn", "0room")
    assert let.text_edit == lsp.TextEdit(place, "room")


def test_a_refusal_is_an_answer() -> None:
    def refuses() -> str:
        raise Refused("no")

    assert with_reason(lambda: "yes") == "yes"
    with pytest.raises(JsonRpcInvalidParams, match="^no$"):
        with_reason(refuses)


def test_a_file_is_known_by_its_real_path(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "link.scn").symlink_to(tmp_path / "plan.scn")
    key = str((tmp_path / "plan.scn").resolve())
    assert editor.key((tmp_path / "plan.scn").as_uri()) == editor.key((tmp_path / "link.scn").as_uri()) == key
    assert editor.key("untitled:Plan-1") == "untitled:Plan-1"
    assert editor.opened() == {key: TEXT}
    assert editor.uri(key) == (tmp_path / "plan.scn").as_uri() and editor.uri("untitled:a") == "untitled:a"
    assert editor.uri(str(tmp_path / "zoo.scn")) == (tmp_path / "zoo.scn").as_uri()
    document = editor.document(key)
    assert document is not None and document.version == 3 and editor.document("untitled:a") is None


def test_what_is_open_stands_for_what_is_on_disk(editor: Editor, tmp_path: Path) -> None:
    key = str((tmp_path / "plan.scn").resolve())
    assert editor.text(key).rows == TEXT.split("\n")
    assert editor.text(str(tmp_path / "zoo.scn")).rows == ["edition 2026", ""]
    assert editor.checked(key) is editor.checked(key)
    mark = editor.mark(key, lsp.Position(1, 5))
    checked = editor.checked(key)
    assert mark is not None and mark == at(marks(checked.world, checked.scope), 2, 6) and mark.text == "room"
    assert editor.area(key, Span("", 2, 5, 9)) == lsp.Range(lsp.Position(1, 4), lsp.Position(1, 8))
    assert editor.location(Found(key, Span("", 3, 16, 19))) == lsp.Location(
        editor.uri(key), lsp.Range(lsp.Position(2, 15), lsp.Position(2, 18))
    )
    assert edits(editor, key, [Span("", 2, 5, 9)], "space") == [
        lsp.TextEdit(lsp.Range(lsp.Position(1, 4), lsp.Position(1, 8)), "space")
    ]


def test_the_files_of_the_open_folders(editor: Editor, tmp_path: Path) -> None:
    names = [Path(file.path).relative_to(tmp_path.resolve()).as_posix() for file in editor.files()]
    assert names == ["plan.scn", "deep/other.scn", "zoo.scn"]  # the open ones first
    assert editor.folders() == [tmp_path]


def test_what_cannot_be_read_from_disk_is_empty(tmp_path: Path) -> None:
    (tmp_path / "latin.scn").write_bytes(b"let a = \xe9\n")
    (tmp_path / "large.scn").write_bytes(b" " * (FILE + 1))
    texts = [on_disk(str(tmp_path / name)) for name in ("latin.scn", "large.scn", "none.scn", "")]
    assert texts == ["let a = \N{REPLACEMENT CHARACTER}\n", "", "", ""]


def test_the_problems_of_a_file_are_published_with_its_version(
    editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[lsp.PublishDiagnosticsParams] = []
    monkeypatch.setattr(editor.server, "text_document_publish_diagnostics", told.append)
    key, span = str((tmp_path / "plan.scn").resolve()), Span("", 2, 5, 9)
    other = Note(key, Span("", 3, 16, 19), "W01", "warning", "why")
    editor.tell(key, [Note(key, span, "E12", "error", "twice", ((key, span, "here"),)), other._replace(key="x"), other])
    room = lsp.Range(lsp.Position(1, 4), lsp.Position(1, 8))
    related = [lsp.DiagnosticRelatedInformation(lsp.Location(editor.uri(key), room), "here")]
    error, warning = lsp.DiagnosticSeverity.Error, lsp.DiagnosticSeverity.Warning
    own = lsp.Range(lsp.Position(2, 15), lsp.Position(2, 18))
    assert told == [
        lsp.PublishDiagnosticsParams(
            editor.uri(key),
            [
                lsp.Diagnostic(room, "twice", error, "E12", source="scn", related_information=related),
                lsp.Diagnostic(own, "why", warning, "W01", source="scn", related_information=[]),
            ],
            3,
        )
    ]
    editor.tell("untitled:a", [])
    assert told[1] == lsp.PublishDiagnosticsParams("untitled:a", [], None)


class Asked:
    """A server with one text open, and what its features answer."""

    def __init__(self, text: str) -> None:
        self.made = server(DIMENSIONS, list(BY_NAME.values()), "1")
        self.made.protocol._workspace = Workspace(None, lsp.TextDocumentSyncKind.Full)
        self.made.workspace.put_text_document(lsp.TextDocumentItem("untitled:a", "scn", 1, text))
        self.document = lsp.TextDocumentIdentifier("untitled:a")

    def __call__(self, feature: str, params: Any) -> Any:
        return self.made.protocol.fm.features[feature](params)


def test_completion_replaces_the_word_from_where_it_begins() -> None:
    for text, line, column, begins in (
        ("\ufeffclus", 0, 5, 1),
        ("# \ufeff\n clus", 1, 5, 1),
        ("\ufeff\n  clus", 1, 6, 2),
    ):
        asked = Asked(text)
        place = lsp.CompletionParams(asked.document, lsp.Position(line, column))
        found = asked(lsp.TEXT_DOCUMENT_COMPLETION, place)
        assert found.is_incomplete is False and {"cluster", "run", "let"} <= {each.label for each in found.items}
        assert found.items[0].text_edit.range == lsp.Range(lsp.Position(line, begins), lsp.Position(line, column))


def test_what_is_asked_about_a_word() -> None:
    asked = Asked("let room = 8 GB\nlet a = room * max(3, 5)\n")

    def ask(feature: str, params: Any, line: int, character: int, *more: Any) -> Any:
        return asked(feature, params(asked.document, lsp.Position(line, character), *more))

    room, use = (
        lsp.Range(lsp.Position(line, start), lsp.Position(line, start + 4)) for line, start in ((0, 4), (1, 8))
    )
    hover = ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams, 1, 9)
    assert (hover.contents.value, hover.range) == ("let **room** = `8 GB`\n\n= 8 GB", use)
    assert ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams, 1, 17) is None  # a function: nothing to say
    assert ask(lsp.TEXT_DOCUMENT_HOVER, lsp.HoverParams, 0, 1) is None  # no name
    where = lsp.Location("untitled:a", room)
    assert ask(lsp.TEXT_DOCUMENT_DEFINITION, lsp.DefinitionParams, 1, 9) == where
    assert ask(lsp.TEXT_DOCUMENT_DEFINITION, lsp.DefinitionParams, 0, 1) is None
    context = lsp.ReferenceContext(True)
    uses = [where, lsp.Location("untitled:a", use)]
    assert asked(lsp.TEXT_DOCUMENT_REFERENCES, lsp.ReferenceParams(context, asked.document, use.start)) == uses
    for place in (lsp.Position(0, 1), lsp.Position(1, 17)):
        assert asked(lsp.TEXT_DOCUMENT_REFERENCES, lsp.ReferenceParams(context, asked.document, place)) == []
    assert ask(lsp.TEXT_DOCUMENT_PREPARE_RENAME, lsp.PrepareRenameParams, 1, 9) == use
    renamed = ask(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameParams, 1, 9, "space")
    assert renamed.changes == {"untitled:a": [lsp.TextEdit(room, "space"), lsp.TextEdit(use, "space")]}


def test_a_text_is_formatted_as_a_whole_where_it_can_be_read() -> None:
    options = lsp.FormattingOptions(2, True)
    texts = {"let a=3\nlet b = 5": "let a = 3\nlet b = 5\n", "let a = 3\n": "", "let a=\n": ""}
    for text, form in texts.items():
        asked = Asked(text)
        edits_made = asked(lsp.TEXT_DOCUMENT_FORMATTING, lsp.DocumentFormattingParams(asked.document, options))
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(1, 9))
        assert edits_made == ([lsp.TextEdit(whole, form)] if form else []), text


def test_the_folders_are_those_that_are_named_else_those_of_the_open_files(editor: Editor, tmp_path: Path) -> None:
    deep = lsp.WorkspaceFolder((tmp_path / "deep").as_uri(), "deep")
    full = lsp.TextDocumentSyncKind.Full
    document = lsp.TextDocumentItem((tmp_path / "plan.scn").as_uri(), "scn", 1, TEXT)
    for space, folders in (
        (Workspace(tmp_path.as_uri(), full, [deep]), [tmp_path / "deep"]),
        (Workspace(None, full), []),
    ):
        editor.server.protocol._workspace = space
        assert editor.folders() == folders
    editor.server.workspace.put_text_document(document)
    editor.server.workspace.put_text_document(lsp.TextDocumentItem("untitled:a", "scn", 1, TEXT))
    assert editor.folders() == [tmp_path.resolve()]


def test_memory_is_tidied_every_so_many_checks(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr("dsl.server.editor.gc.collect", lambda: collected.append(editor.checks))

    async def checks() -> None:
        for _ in range(2 * OFTEN + 1):
            editor.tidy()
        assert editor.idle is not None
        editor.idle.cancel()

    asyncio.run(checks())
    assert collected == [OFTEN, 2 * OFTEN]

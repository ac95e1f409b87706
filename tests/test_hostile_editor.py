"""`scn lsp` with messages that are made to break it: it goes on serving, or ends with the reason."""

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dsl.limits import MESSAGE
from tests.editor_client import SCN

MEMORY = 2_000_000_000


def message(body: bytes | Any) -> bytes:
    """One message of the protocol."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def asked(method: str, number: int | None = None, **params: Any) -> bytes:
    own = {} if number is None else {"id": number}
    return message({"jsonrpc": "2.0", **own, "method": method, "params": params})


def opened(text: str, uri: str) -> bytes:
    return asked("textDocument/didOpen", textDocument={"uri": uri, "languageId": "scn", "version": 1, "text": text})


def hover(uri: str, number: int, line: int = 0, character: int = 2) -> bytes:
    place = {"line": line, "character": character}
    return asked("textDocument/hover", number, textDocument={"uri": uri}, position=place)


BEGIN = asked("initialize", 1, capabilities={}, processId=None, rootUri=None) + asked("initialized")
END = message({"jsonrpc": "2.0", "id": 9, "method": "shutdown"}) + asked("exit")


def served(folder: Path, sent: bytes, *options: str) -> tuple[int, str, str]:
    """(exit code, what it answered, what it said) of a session that is bounded in memory."""
    done = subprocess.run(
        [SCN, "lsp", *options], input=BEGIN + sent + hover("file:///x.scn", 7) + END, cwd=folder, capture_output=True,
        timeout=100, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)), env=os.environ,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.slow
def test_what_is_no_message_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    deep = b'{"jsonrpc":"2.0","id":3,"method":"x","params":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    bodies: list[Any] = [b"{{{{", b"\xff\xfe", deep, deep.replace(b"[", b"9")[:9000], [1], "x", None, {},
                         {"jsonrpc": "2.0", "id": 3, "method": "foo/bar", "params": {}},
                         {"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": {"textDocument": 5}},
                         ]  # fmt: skip
    uri = (tmp_path / "a.scn").as_uri()
    sent = b"".join(map(message, bodies)) + b"hello\r\n\r\n" + opened("edition 2026\n", uri)
    sent += b"".join(hover(place, 5) for place in ("file:///dev/zero", (tmp_path / "pipe").as_uri(), tmp_path.as_uri(),
                                                   "http://localhost/x.scn"))  # fmt: skip
    sent += hover(uri, 5, -5, 10**15) + hover(uri, 5, 10**9, 10**9) + opened("\0\x1b\u202e\ud800", uri)
    code, answers, errors = served(tmp_path, sent)
    assert code == 0 and '"id":7' in answers.replace(" ", "") and errors == ""


@pytest.mark.slow
@pytest.mark.parametrize("sent", [
    b"Content-Length: 99999999999999999999\r\n\r\n{}", b"Content-Length: %d\r\n\r\n{}" % (MESSAGE + 1),
    b"A" * (MESSAGE + 2) + b"\r\n",
])  # fmt: skip
def test_a_message_past_its_bound_ends_the_service(tmp_path: Path, sent: bytes) -> None:
    code, _, said = served(tmp_path, sent)
    assert (code, said) == (2, "error: a message of the editor is longer than 20 MB\n")


@pytest.mark.slow
def test_folders_outside_are_read_where_they_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "near.scn").write_text("edition 2026\nlet room = 1\n")
    (tmp_path / "plans").mkdir()
    uri = (tmp_path / "plans" / "a.scn").as_uri()
    sent = opened('edition 2026\nimport "../near.scn"\nlet y = room\n', uri) + hover(uri, 6, 2, 9)
    assert "contents" not in served(tmp_path, sent)[1]
    assert "contents" in served(tmp_path, sent, "--allow-import", str(tmp_path))[1]

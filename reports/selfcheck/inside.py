"""Checks of what the file carries: fonts, attachments, dates, and the marks of its form."""

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from typing import Any

from reports.attached import placed
from reports.selfcheck.finding import Finding, close, judged, many, nothing, short
from reports.selfcheck.opened import Element, Opened

HASHED = ("Scenario", "Import")  # rows of the table of provenance that name a file and its SHA-256
MARKS = (('pdfaid:part="3"', "PDF/A-3a"), ('pdfuaid:part="1"', "PDF/UA-1"))


def fonts(file: Opened) -> Finding:
    """Every font travels in the file, cut down to what is used, with the meaning of its codes."""
    _ = file.read  # the fonts are those of the streams
    wrong = [f"{f.name} {why}" for f in file.fonts.values() for why in f.lacks]
    wrong += [f"page {n}: text in no font" for n, (shown, _) in enumerate(file.read, 1)
              if any(p.font == "no font" for p in shown)]  # fmt: skip
    if not file.fonts:
        wrong.append("no fonts")
    return judged("fonts", wrong, f"{many(len(file.fonts), 'font')}, embedded, subset, with ToUnicode")


def glyphs(file: Opened) -> Finding:
    """No sign is shown as the box that stands for a missing one, and each means a character."""
    wrong = []
    count = 0
    for n, (shown, _) in enumerate(file.read, 1):
        count += sum(len(p.codes) for p in shown)
        wrong += [f"page {n}: {many(p.lost, 'missing glyph')} near {short(p.text or '?', 30)}" for p in shown if p.lost]
    return judged("glyphs", wrong, f"{many(count, 'glyph')}, none missing")


def stated(file: Opened) -> dict[str, str]:
    """{file: SHA-256} as the table of provenance prints them."""
    found = {}
    for row in file.of_kind("TR"):
        cells = [c.text for c in row.below if c.kind in ("TH", "TD")]
        if len(cells) == 3 and cells[0] in HASHED and len(close(cells[2])) == 64:
            found[close(cells[1])] = close(cells[2])
    return found


def attached(file: Opened) -> Iterator[tuple[str, bytes, Any]]:
    """(name, content, its parameters) of every attachment."""
    for held in file.root.get("/AF", []):
        item = held.get_object()
        stream = item["/EF"]["/F"].get_object()
        yield str(item.get("/UF", item.get("/F", ""))), stream.get_data(), stream.get("/Params", {})


def attachments(file: Opened) -> Finding:
    """What travels in the file is what the document says it was made from, and nothing of it was changed."""
    held = list(attached(file))
    if not held:
        return nothing("attachments", "none")
    said, wrong, names = stated(file), list[str](), [name for name, _, _ in held]
    places = placed(said)
    printed = {places[name]: sha for name, sha in said.items()}
    wrong += [f"attached twice: {name}" for name in sorted({n for n in names if names.count(n) > 1})]
    sums = {name: hashlib.sha256(data).hexdigest() for name, data, _ in held}
    for name, data, params in held:
        wrong += [f"{name} {why}" for why in changed(name, data, params)]
        if close(name) in printed and printed[close(name)] != sums[name]:
            wrong.append(f"{name} is not the file whose SHA-256 the document states")
    wrong += [f"{name} is stated and not attached" for name in sorted(set(printed) - {close(n) for n in names})]
    for name, data, _ in held:
        if name.endswith(".json") and '"edition"' in data[:200].decode("utf-8", "replace"):
            wrong += [f"{name} {why}" for why in disagrees(data, said)]
    checked = sum(close(name) in printed for name in names)
    return judged("attachments", wrong, f"{many(len(held), 'file')}, {checked} by the SHA-256 that the document states")


def changed(name: str, data: bytes, params: Any) -> list[str]:
    """How a file differs from what was attached, and what cannot be read of it."""
    wrong = []
    if "/Size" in params and int(params["/Size"]) != len(data):
        wrong.append(f"has {len(data)} bytes instead of {int(params['/Size'])}")
    if "/CheckSum" in params and raw(params["/CheckSum"]) != hashlib.md5(data, usedforsecurity=False).digest():
        wrong.append("was changed after it was attached")
    try:
        if name.endswith(".json"):
            json.loads(data)
        elif name.endswith(".csv"):
            widths = {len(row) for row in csv.reader(io.StringIO(data.decode("utf-8"), newline=""))}
            wrong += ["has rows of unequal length"] if len(widths) > 1 else []
    except ValueError:
        wrong.append("cannot be read")
    return wrong


def raw(text: Any) -> bytes:
    """The bytes of a PDF string."""
    kept = getattr(text, "original_bytes", None)
    return bytes(kept) if kept is not None else bytes(text)


def disagrees(data: bytes, printed: dict[str, str]) -> list[str]:
    """Where the attached numbers were made from other files than the document prints."""
    try:
        document = json.loads(data)
        own = {close(document["file"]): document.get("sha256")}
        own |= {close(i["path"]): i["sha256"] for i in document.get("imports", [])}
    except (ValueError, KeyError, TypeError):
        return []
    other = [name for name, sha in own.items() if name in printed and printed[name] != sha]
    return [f"states another SHA-256 of {name}" for name in other]


def dates(file: Opened) -> Finding:
    """Created and modified are one date, that of the document, or none; attachments carry the same."""
    info = file.reader.metadata or {}
    both = [str(info.get(key, "")) for key in ("/CreationDate", "/ModDate")]
    wrong = [f"created {both[0] or 'never'}, modified {both[1] or 'never'}"] if both[0] != both[1] else []
    inside = {str(params.get(key, ""))[:10] for _, _, params in attached(file) for key in ("/CreationDate", "/ModDate")}
    if len(inside) > 1 or (both[0] and inside and inside != {both[0][:10]}):
        wrong.append(f"attachments are dated {', '.join(sorted(d or 'never' for d in inside))}")
    return judged("dates", wrong, day(both[0]) or "undated, as the scenario")


def day(stated: str) -> str:
    """2026-05-04 of D:20260504."""
    digits = stated.removeprefix("D:")[:8]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 else ""


def title(file: Opened) -> Finding:
    """The window shows the title, and the title is that of page 1."""
    name = str((file.reader.metadata or {}).get("/Title", ""))
    heads: list[Element] = file.of_kind("H1")
    wrong = [] if name else ["no title"]
    if not file.root.get("/ViewerPreferences", {}).get("/DisplayDocTitle"):
        wrong.append("DisplayDocTitle is not set")
    if name and heads and not close(name).startswith(close(heads[0].text)):
        wrong.append(f"the title is {short(name)}, page 1 says {short(heads[0].text)}")
    return judged("title", wrong, name)


def marks(file: Opened) -> Finding:
    """The file is marked PDF/A-3a and PDF/UA-1; no validator has judged it, these checks have."""
    held = file.root["/Metadata"].get_object().get_data().decode("utf-8", "replace") if "/Metadata" in file.root else ""
    wrong = [f"no mark {name}" for mark, name in MARKS if mark not in held]
    wrong += ["two blocks of metadata"] if held.count("<rdf:RDF") > 1 else []
    wrong += [] if "/OutputIntents" in file.root else ["no color profile (OutputIntents)"]
    return judged("marks", wrong, "PDF/A-3a and PDF/UA-1: self-checked, not validated")

"""Checks of the tags, by which a screen reader reads the document aloud."""

from reports.selfcheck.finding import Finding, judged, many, nothing, short
from reports.selfcheck.opened import Element, Opened

LEVELS = {"H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6}


def tagged(file: Opened) -> Finding:
    """The file says that it is tagged, and has a tree of tags that shows something."""
    wrong = []
    if file.tree is None:
        wrong.append("no StructTreeRoot")
    elif not file.tree.shown:
        wrong.append("the tree of tags shows nothing")
    if not file.root.get("/MarkInfo", {}).get("/Marked"):
        wrong.append("MarkInfo does not say Marked")
    wrong += [f"page {n}: {many(lost, 'mark')} without an end" for n, (_, lost) in enumerate(file.read, 1) if lost]
    return judged("tagged", wrong, many(len(file.elements), "tag"))


def language(file: Opened) -> Finding:
    """The language is stated."""
    stated = str(file.root.get("/Lang", ""))
    return judged("language", [] if stated else ["no Lang"], stated)


def headings(file: Opened) -> Finding:
    """One title, and no level of headings left out."""
    levels = [LEVELS[e.kind] for e in file.of_kind(*LEVELS)]
    wrong = [] if levels.count(1) == 1 else [f"{levels.count(1)} headings of level 1"]
    for heading, before in zip(file.of_kind(*LEVELS), [0, *levels], strict=False):
        if LEVELS[heading.kind] > before + 1:
            wrong.append(f"{heading.kind} follows level {before}: {short(heading.text)}")
    return judged("headings", wrong, many(len(levels), "heading"))


def header_cells(file: Opened) -> Finding:
    """Every header cell of a table says whether it heads a row or a column."""
    cells = file.of_kind("TH")
    wrong = [f"no Scope: {place(c)}" for c in cells if scope(c) not in ("/Row", "/Column", "/Both")]
    return judged("header cells", wrong, many(len(cells), "header cell")) if cells else nothing("header cells", "none")


def scope(cell: Element) -> str:
    """What a header cell heads."""
    given = cell.raw.get("/A", {})
    given = given.get_object() if hasattr(given, "get_object") else given
    parts = [p.get_object() for p in given] if isinstance(given, list) else [given]
    return next((str(p["/Scope"]) for p in parts if isinstance(p, dict) and "/Scope" in p), "")


def header_ids(file: Opened) -> Finding:
    """Every header cell that others name is in the tree of ids, and every named one is there."""
    heads = {str(c.raw["/ID"]) for c in file.of_kind("TH") if "/ID" in c.raw}
    named = {str(i) for c in file.of_kind("TD", "TH") for i in headers(c)}
    if not heads and not named:
        return nothing("header ids", "no cell names its headers")
    top = file.tree.raw.get("/IDTree") if file.tree else None
    listed = set(names(top)) if top is not None else set()
    wrong = ["no IDTree"] if top is None else [f"not in the IDTree: {i}" for i in sorted(heads - listed)]
    wrong += [f"no cell has the id {i}" for i in sorted(named - heads)]
    return judged("header ids", wrong, many(len(heads), "id"))


def headers(cell: Element) -> list[object]:
    """The ids of the cells that head a cell."""
    given = cell.raw.get("/A", {})
    given = given.get_object() if hasattr(given, "get_object") else given
    parts = [p.get_object() for p in given] if isinstance(given, list) else [given]
    return [i for p in parts if isinstance(p, dict) for i in p.get("/Headers", [])]


def names(node: object) -> list[str]:
    """The names in a tree of names."""
    held = node.get_object() if hasattr(node, "get_object") else node
    if not isinstance(held, dict):
        return []
    return [str(n) for n in held.get("/Names", [])[::2]] + [n for kid in held.get("/Kids", []) for n in names(kid)]


def figures(file: Opened) -> Finding:
    """Every figure has words for those who do not see it."""
    found = file.of_kind("Figure")
    wrong = [f"no Alt: {place(f)}" for f in found if not str(f.raw.get("/Alt", "")).strip()]
    return judged("figures", wrong, f"{many(len(found), 'figure')} with Alt") if found else nothing("figures", "none")


def place(element: Element) -> str:
    """Where a tag stands, for messages."""
    where = f"page {element.page + 1}" if element.page is not None else "no page"
    return f"{where}, {short(element.text, 40)}" if element.text else where


def artifacts(file: Opened) -> Finding:
    """Everything shown is in the tree of tags or is an artifact; the running foot is one on every page."""
    wrong = []
    held = [{id(piece) for piece in marks} for marks in held_by_page(file)]
    for n, (shown, _) in enumerate(file.read):
        loose = [p.text for p in shown if p.text.strip() and not p.artifact and id(p) not in held[n]]
        wrong += [f"page {n + 1}: in no tag: {short(''.join(loose), 40)}"] if loose else []
        foot = f"Page{n + 1}of{len(file.pages)}"
        if foot not in "".join("".join(p.text.split()) for p in shown if p.artifact):
            wrong.append(f"page {n + 1}: no artifact says {foot.replace('e', 'e ', 1).replace('of', ' of ')}")
    return judged("artifacts", wrong, f"running heads and feet of {many(len(file.pages), 'page')}")


def held_by_page(file: Opened) -> list[list[object]]:
    """What the tree of tags shows, by page."""
    found: list[list[object]] = [[] for _ in file.pages]
    every = file.tree.shown if file.tree else []
    ids = {id(piece) for piece in every}
    for n, (shown, _) in enumerate(file.read):
        found[n] += [piece for piece in shown if id(piece) in ids]
    return found

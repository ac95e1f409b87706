"""What the tagged PDF of WeasyPrint 70 lacks, added before it is written.

Scope of header cells, the tree of header ids, headers and footers as artifacts, one entry per attached file, and the
PDF/UA-1 mark beside PDF/A-3a. Self-checked only: no validator has judged the files.
"""

from typing import Any

PROPERTY = (("name", "part"), ("valueType", "Integer"), ("category", "internal"), ("description", "Part of PDF/UA"))
SCHEMA = (
    ("schema", "PDF/UA identification"),
    ("namespaceURI", "http://www.aiim.org/pdfua/ns/id/"),
    ("prefix", "pdfuaid"),
)


def accessible_mark() -> bytes:
    """XMP that says PDF/UA-1, with the description of its one property that PDF/A asks for."""
    spaces = "".join(f' xmlns:pdfa{n.capitalize()}="http://www.aiim.org/pdfa/ns/{n}{end}"'
                     for n, end in (("extension", "/"), ("schema", "#"), ("property", "#")))  # fmt: skip
    member = "".join(f"<pdfaProperty:{k}>{v}</pdfaProperty:{k}>" for k, v in PROPERTY)
    schema = "".join(f"<pdfaSchema:{k}>{v}</pdfaSchema:{k}>" for k, v in SCHEMA)
    item = '<rdf:li rdf:parseType="Resource">'
    return (
        f'<rdf:Description rdf:about="" xmlns:pdfuaid="{SCHEMA[1][1]}" pdfuaid:part="1"/>'
        f'<rdf:Description rdf:about=""{spaces}><pdfaExtension:schemas><rdf:Bag>{item}{schema}<pdfaSchema:property>'
        f"<rdf:Seq>{item}{member}</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>"
        "</rdf:Description></rdf:RDF>"
    ).encode()


def finish(document: Any, pdf: Any) -> None:
    """WeasyPrint's `finisher`: changes the PDF objects in place."""
    scope_headers(document)
    header_ids(pdf)
    artifacts(pdf)
    single_files(pdf)
    mark_accessible(pdf)


def number_of(text: Any) -> int:
    """12 of the reference b"12 0 R"."""
    return int((text if isinstance(text, bytes) else str(text).encode()).split()[0])


def reference(pdf: Any, text: Any) -> Any:
    """The object a reference names."""
    return pdf.objects[number_of(text)]


def is_reference(value: Any) -> bool:
    return isinstance(value, bytes) and value.endswith(b" R")


def scope_headers(document: Any) -> None:
    """Every header cell says whether it heads a column or a row, as its `scope` does."""
    for page in document.pages:
        for box in page._page_box.descendants():
            if box.element_tag == "th" and getattr(box, "mark", None):
                box.mark["A"]["Scope"] = "/Row" if box.element.attrib.get("scope") == "row" else "/Column"


def header_ids(pdf: Any) -> None:
    """The IDTree: every header id in order, with its cell."""
    import pydyf

    cells = sorted(
        (o["ID"].data, o["ID"], o.reference)
        for o in pdf.objects
        if isinstance(o, pydyf.Dictionary) and o.get("S") == "/TH" and "ID" in o
    )
    if cells:
        leaf = pydyf.Dictionary(
            {
                "Names": pydyf.Array([v for _, *pair in cells for v in pair]),
                "Limits": pydyf.Array([cells[0][1], cells[-1][1]]),
            }
        )
        pdf.add_object(leaf)
        tree = pydyf.Dictionary({"Kids": pydyf.Array([leaf.reference])})
        pdf.add_object(tree)
        reference(pdf, pdf.catalog["StructTreeRoot"])["IDTree"] = tree.reference


def reachable(pdf: Any) -> set[int]:
    """Numbers of the structure elements that hang on the tree."""
    found: set[int] = set()
    waiting = [number_of(r) for r in reference(pdf, pdf.catalog["StructTreeRoot"])["K"]]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            element = pdf.objects[number]
            waiting += (
                [number_of(k) for k in element.get("K", ()) if is_reference(k)] if isinstance(element, dict) else []
            )
    return found


def artifacts(pdf: Any) -> None:
    """Marked content whose element is outside the tree (running headers and footers) becomes an artifact."""
    alive = reachable(pdf)
    numbers = reference(pdf, reference(pdf, pdf.catalog["StructTreeRoot"])["ParentTree"])["Nums"]
    pages = {
        p["StructParents"]: p
        for p in pdf.objects
        if isinstance(p, dict) and p.get("Type") == "/Page" and "StructParents" in p
    }
    for key, entries in zip(numbers[0::2], numbers[1::2], strict=True):
        if key not in pages or not isinstance(entries, list):
            continue
        dead = {i for i, e in enumerate(entries) if is_reference(e) and number_of(e) not in alive}
        entries[:] = [b"null" if i in dead else e for i, e in enumerate(entries)]
        unmark(reference(pdf, pages[key]["Contents"]).stream, dead)


def unmark(stream: list[Any], dead: set[int]) -> None:
    """Marks of those content ids (tag, properties, BDC) become "/Artifact BMC"."""
    marks = [i for i, piece in enumerate(stream) if isinstance(piece, dict) and piece.get("MCID") in dead]
    for i in reversed(marks):
        stream[i - 1 : i + 2] = ["/Artifact", b"BMC"]


def single_files(pdf: Any) -> None:
    """Each attached file once in the catalog's list."""
    if "AF" in pdf.catalog:
        pdf.catalog["AF"][:] = list(dict.fromkeys(pdf.catalog["AF"]))


def mark_accessible(pdf: Any) -> None:
    """The PDF/UA-1 mark, in the one RDF block of the metadata."""
    metadata = reference(pdf, pdf.catalog["Metadata"])
    metadata.stream[:] = [piece.replace(b"</rdf:RDF>", accessible_mark()) for piece in metadata.stream]

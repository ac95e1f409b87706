"""Links from terms to the glossary: in each section the first use of a term in prose leads to its entry.

Prose is the text of paragraphs and captions. Headings, labels and all that is bold, code, other links, listings,
equations and figures have none. Where a document has no glossary it has no such links.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from markupsafe import Markup

from reports.sections.glossary import TERMS

ENTRY = re.compile(r'id="(term-[a-z0-9-]+)"')
PROSE = re.compile(
    r'<(?:svg|details|pre)\b.*?</(?:svg|details|pre)>|<div class="equation".*?<div class="number">'  # passed over
    r'|(?P<open><(?:p(?! class="(?:label|value|word|subtitle|logo)")|figcaption|caption)\b[^>]*>)(?!<code>= )'
    r"(?P<text>.*?)(?=</(?:p|figcaption|caption)>)",
    re.DOTALL,
)
KEPT = re.compile(r"(<(b|a|code|i|sub|sup|svg|button)\b.*?</\2>|<[^>]*>|&[^;\s]*;)", re.DOTALL)
BEFORE = r"(?<![\w$./-])(?<!in )(?<!one )(?<!next )(?<!first )(?<!last )"  # what is part of a name, or another step
AFTER = r"(?![\w/-])"


class Words:
    """The words of the terms that a glossary has entries for."""

    def __init__(self, anchors: frozenset[str], section: str) -> None:
        known = [t for t in TERMS if t.anchor in anchors and section.startswith(t.within)]
        self.anchors = {form: t.anchor for t in known for word in t.words for form in forms(word)}
        longest = sorted(self.anchors, key=lambda form: (-len(form), form))
        self.found = re.compile(f"{BEFORE}(?:{'|'.join(map(re.escape, longest))}){AFTER}") if longest else None


def forms(word: str) -> Iterable[str]:
    """How a word may stand in a sentence: as it is, in the plural, with a capital at the start."""
    ending = "es" if word.endswith("ch") else "s"
    for form in (word, f"{word}{ending}"):
        yield form
        if word.islower():
            yield form[0].upper() + form[1:]


@cache
def words(anchors: frozenset[str], section: str) -> Words:
    """The words that link in a section, to these entries."""
    return Words(anchors, section)


def linked(bodies: Mapping[str, Markup], glossary: str = "glossary") -> dict[str, Markup]:
    """The sections of a document, by their keys, with links to the entries that its glossary has."""
    anchors = frozenset(ENTRY.findall(bodies.get(glossary, "")))
    if not anchors:
        return dict(bodies)
    return {key: body if key == glossary else within(body, words(anchors, key)) for key, body in bodies.items()}


def within(body: Markup, own: Words) -> Markup:
    """A section with the first use of each term as a link."""
    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        anchor = own.anchors[found[0]]
        if anchor in seen:
            return found[0]
        seen.add(anchor)
        return f'<a href="#{anchor}">{found[0]}</a>'

    def prose(found: re.Match[str]) -> str:
        if found["open"] is None or own.found is None:
            return found[0]
        parts = KEPT.split(found["text"])
        parts[::3] = [own.found.sub(link, text) if text else text for text in parts[::3]]
        del parts[2::3]
        return found["open"] + "".join(parts)

    return Markup(PROSE.sub(prose, str(body)))

"""Words around numbers: lists, counts, agreement. Sentences themselves are templates; there are no adjectives here."""

import re
from collections.abc import Iterable

from reports.locales import listed, marks
from reports.plan import Json, Plan
from reports.quantities import NBSP, Quantity, fixed, grouped

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
AXES = (("tensor", "TP"), ("context", "CP"), ("pipeline", "PP"), ("data", "DP"), ("expert", "EP"),
        ("expert_tensor", "ETP"))  # fmt: skip


def joined(items: Iterable[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"; "1,5; 2,5 and 3,5" where numbers have a comma."""
    texts = list(items)
    return texts[0] if len(texts) == 1 else f"{listed(texts[:-1])} {last} {texts[-1]}" if texts else ""


def count(number: int, singular: str, plural: str = "") -> str:
    """ "one check", "four checks", "13 checks"; the plural adds an s where it is not given."""
    return f"{amount(number)}{NBSP}{singular if number == 1 else plural or singular + 's'}"


def amount(number: int) -> str:
    """A count without its thing: "four", "13"."""
    return COUNTS[number] if 0 <= number < len(COUNTS) else grouped(str(number))


FILE = re.compile(r"[\w./-]+\.(scn|json|csv|py)\b")


def capital(text: str) -> str:
    """The text with its first letter in upper case; a file's name stays as it is."""
    return text if FILE.match(text) else text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """A title within a sentence: "Bubble" → "bubble"; "MFU" stays."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


THOUSANDS = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")


def sentence(text: str | None) -> str:
    """The text as a sentence: first letter in upper case, a full stop at its end, digits grouped as everywhere."""
    text = THOUSANDS.sub(marks().group, (text or "").strip())
    return text and capital(text) + ("" if text[-1] in ".!?" else ".")


def degrees(plan: Plan) -> str:
    """The layout in one line: "TP 8 · PP 4 · DP 128"; degrees of 1 are left out."""
    parts = [
        f"{short}{NBSP}{fixed(n, 0)}"
        for axis, short in AXES
        if (n := plan.number(f"layout.{axis}")) is not None and n > 1
    ]
    return " · ".join(parts) or "one GPU"


def gpus(plan: Plan) -> str:
    """ "4 096 × h100-sxm"; without the part's name where it is not known."""
    number, part = plan.number("cluster.gpus"), plan.name_of("cluster.gpu")
    return f"{fixed(number, 0)}{NBSP}× {part or 'GPU'}" if number is not None else part


def subtitle(plan: Plan) -> str:
    """The line under the title: the report's own, else made from the facts (what, for what, how much)."""
    if plan.report.get("subtitle"):
        return str(plan.report["subtitle"])
    model, parameters = plan.name_of("model"), plan.results.get("parameters")
    size = f" ({Quantity(parameters, 'B parameters', 1).text()})" if parameters and parameters >= 1e9 else ""
    tokens = plan.number("tokens")
    amount = f", {Quantity(tokens, 'T tokens' if tokens >= 1e12 else 'B tokens').text()}" if tokens else ""
    return f"{gpus(plan)} for {model}{size}{amount}"


def verdict_heading(verdict: Json, conditions: int, status: str) -> tuple[str, str]:
    """(status word, heading) of the verdict box."""
    if status == "cannot_be_built":
        return "fail", "Not feasible: this layout cannot be built"
    if status == "does_not_fit":
        return "fail", "Not feasible: it does not fit in memory"
    if verdict.get("late"):
        return "fail", "Not feasible: ordered now, it comes too late"
    if verdict["word"] == "met_but_bettered":
        depends = f", with {_conditions(verdict, conditions)}" if conditions else ""
        return "warn", f"Meets what is required{depends}; {verdict['better']['heading']}"
    if verdict["word"] == "recommended_with_conditions":
        return "warn", f"Recommended, with {_conditions(verdict, conditions)}"
    words = {"recommended": ("pass", "Recommended"), "not_feasible": ("fail", "Not feasible"),
             "nothing_to_decide": ("open", "Nothing to decide")}  # fmt: skip
    return words.get(verdict["word"], ("open", "Not decided"))


def _conditions(verdict: Json, conditions: int) -> str:
    """What a recommendation depends on: the conditions of the report, else warnings, else limits that may be missed."""
    warnings, doubted = (verdict.get("counts") or {}).get("warn") or 0, len(verdict.get("doubts") or ())
    if conditions or warnings:
        return count(conditions, "condition") if conditions else count(warnings, "warning")
    return f"{count(doubted, 'limit')} that may be missed"

"""Verdicts and checks: conditions of the scenario and of the library held against one design point.

A ``require`` holds, does not hold, or stays open where something it needs is missing. A check is passed, or has the
status of its severity; it is open where something is missing and does not apply (na) where its ``when`` does not hold.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from dsl.expressions import Compiled, Operand, compiled
from dsl.problems import Problem
from dsl.scenario import Check, Item, Rule
from dsl.syntax import Compare, Expression, Name
from reports.point import Json

Values = Mapping[str, Any]
UPPER, LOWER = ("<=", "<"), (">=", ">")
TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}


def plain(value: Any) -> Any:
    """A value as JSON has it: a number with 12 significant digits, a truth value, a text, a list, or None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.12g}") if isfinite(value) else None
    first = np.ravel(np.asarray(value))[0]
    if isinstance(first, np.bool_):
        return bool(first)
    return plain(float(first))


def truth(found: Any) -> bool | None:
    """Whether a condition holds; None where something it needs is missing."""
    return None if found is None else bool(np.all(found))


def operand_values(operands: Sequence[Operand]) -> Json:
    """Every operand of a condition with its value and the unit to show it in."""
    return {o.text: {"value": plain(o.value), "unit": o.unit} for o in operands}


def verdict(rule: Rule, values: Values) -> Json:
    """One ``require`` held against a design point, with the limit it sets where it has that form."""
    return {
        "require": rule.text,
        "holds": truth(rule.holds(values)),
        "values": operand_values(rule.operands(values)),
        "missing": rule.missing(values),
        "because": rule.because or None,
        "where": rule.where,
        "limit": limit_of(rule.compute, values),
    }


def limit_of(condition: Compiled, values: Values) -> Json | None:
    """The limit that a condition of the form ``result <= limit`` (or >=, <, >) sets: name, relation, value."""
    e = condition.expression
    if not isinstance(e, Compare) or len(e.rest) != 1 or e.rest[0][0] not in TURNED:
        return None
    (relation, other), first = e.rest[0], e.first
    if not isinstance(first, Name):
        if not isinstance(other, Name):
            return None
        first, other, relation = other, first, TURNED[relation]
    value = _evaluated(other, condition, values)
    return {"name": first.path, "op": relation, "value": value} if isinstance(value, float) else None


def _evaluated(e: Expression, condition: Compiled, values: Values) -> Any:
    problems: list[Problem] = []
    own = compiled(e, condition.names, problems)
    return None if own is None else plain(own(values))


def margin(result: float | None, limit: Json | None) -> float | None:
    """Unused share of an allowance: 1 - result/limit for an upper limit, result/limit - 1 for a lower one."""
    if result is None or limit is None or not limit["value"]:
        return None
    ratio = result / float(limit["value"])
    return float(f"{1 - ratio if limit['op'] in UPPER else ratio - 1:.12g}")


def miss(found: Mapping[str, Any]) -> float | None:
    """How far a verdict that does not hold is from its limit, as a share of it; None where it sets no number."""
    limit = found["limit"]
    shown = found["values"].get(limit["name"]) if limit else None
    far = margin(shown["value"] if shown and isinstance(shown["value"], float) else None, limit)
    return None if far is None else -far


def check(rule: Check, values: Values) -> Json:
    """One rule of thumb held against a design point.

    na where ``when`` does not hold; open where something is missing; pass where every require holds; else its severity.
    """
    status = _status(rule, values)
    limit, result = (_number(item, values) if status != "na" else None for item in (rule.limit, rule.result))
    relation = _relation(rule)
    bound = {"op": relation, "value": limit} if limit is not None and relation else None
    return {
        "id": rule.name,
        "title": rule.title or rule.name,
        "severity": rule.severity,
        "status": status,
        "limit": limit,
        "result": result,
        "unit": _unit(rule, values),
        "margin": margin(result, bound) if status in ("pass", "warn", "fail", "note") else None,
        "values": {k: v for r in rule.requires for k, v in operand_values(r.operands(values)).items()},
        "missing": sorted({name for r in rule.requires for name in r.missing(values)}) if status == "open" else [],
        "reason": "; ".join(r.because for r in rule.requires if r.because),
        "advice": rule.advice,
        "source": rule.source,
        "where": rule.where,
    }


def _status(rule: Check, values: Values) -> str:
    if rule.when is not None:
        applies = truth(rule.when(values))
        if applies is None:
            return "open"
        if not applies:
            return "na"
    found = [truth(r.holds(values)) for r in rule.requires]
    if False in found:
        return rule.severity
    return "open" if None in found else "pass"


def _number(item: Item | None, values: Values) -> float | None:
    found = None if item is None else plain(item(values))
    return found if isinstance(found, float) else None


def _relation(rule: Check) -> str:
    """How a check's result is compared with its limit, where its only condition is one comparison."""
    if len(rule.requires) != 1:
        return ""
    e = rule.requires[0].compute.expression
    return e.rest[0][0] if isinstance(e, Compare) and len(e.rest) == 1 and e.rest[0][0] in TURNED else ""


def _unit(rule: Check, values: Values) -> str:
    """The unit that limit and result of a check are shown in: as written, else that of an operand of its condition."""
    for item in (rule.limit, rule.result):
        if item is not None and item.unit:
            return item.unit
    operands = [o.unit for r in rule.requires for o in r.operands(values) if o.unit]
    return operands[0] if operands else ""

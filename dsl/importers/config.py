"""A Hugging Face config.json as text: its keys with their places, and what is wrong with them."""

import json
import re
from itertools import islice
from typing import Any, NamedTuple

from dsl.importers.text import unpacked
from dsl.limits import CONFIGURATION, DIMENSION
from dsl.problems import Problem, Span, did_you_mean


class Key(NamedTuple):
    """One key of a configuration: what it holds and the line it stands on."""

    name: str
    value: Any
    line: int


class Config:
    """The keys of a configuration. ``inner`` is the part that describes the language model (text_config)."""

    def __init__(self, outer: dict[str, Any], text: str, name: str) -> None:
        nested = outer.get("text_config")
        self.outer, self.text, self.name = outer, text, name
        self.inner: dict[str, Any] = nested if isinstance(nested, dict) else outer
        self.start = text.find('"text_config"') if self.inner is not outer else 0
        self.problems: list[Problem] = []

    @property
    def multimodal(self) -> bool:
        """Whether there is a part beside the language model."""
        return self.inner is not self.outer

    def find(self, *names: str) -> Key | None:
        """The first of these keys that is there, null included; dots lead into nested parts."""
        for name in names:
            value: Any = self.inner
            for part in name.split("."):
                value = value.get(part, _ABSENT) if isinstance(value, dict) else _ABSENT
            if value is not _ABSENT:
                return Key(name, value, self._line(name, self.start))
        return None

    def beside(self, name: str) -> Key | None:
        """A key of the outer part."""
        return Key(name, self.outer[name], self._line(name, 0)) if name in self.outer else None

    def whole(self, *names: str) -> Key | None:
        """The first of these keys that holds a whole number of at least 0, None for null and where none is there."""
        key = self.find(*names)
        if key is None or key.value is None:
            return None
        value = key.value
        plain = isinstance(value, int) and not isinstance(value, bool)
        if (plain or (isinstance(value, float) and value.is_integer())) and 0 <= value <= DIMENSION:
            return key._replace(value=int(value))
        self.refuse(key, "a whole number")
        return None

    def flag(self, name: str, absent: bool) -> tuple[bool, Key | None]:
        """A true or false, and the key that says so."""
        key = self.find(name)
        if key is None or key.value is None:
            return absent, None
        if isinstance(key.value, bool):
            return key.value, key
        self.refuse(key, "true or false")
        return absent, None

    def items(self, name: str) -> Key | None:
        """A list, None where there is none."""
        key = self.find(name)
        if key is None or key.value is None:
            return None
        if isinstance(key.value, list):
            return key
        self.refuse(key, "a list")
        return None

    def refuse(self, key: Key, wanted: str) -> None:
        """A problem for a key that does not hold what it should."""
        shown = "a number that is too large" if _endless(key.value) else json.dumps(key.value)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        self.wrong("E16", f"`{key.name}` of {self.name} is not {wanted}", key.line, f"it is {shown}")

    def lacks(self, *names: str) -> None:
        """A problem for a key that the model cannot do without."""
        near = did_you_mean(names[0], [k for k in self.inner if k not in names])
        others = f" (or {', '.join(names[1:3])})" if names[1:] else ""
        self.wrong("E13", f"{self.name} has no `{names[0]}`{others}", 1, "needed for a count", help=near)

    def wrong(self, code: str, title: str, line: int, label: str, *notes: str, help: str = "") -> None:
        """Adds a problem at a line of the configuration."""
        self.problems.append(Problem(code, title, Span(self.name, line, 1), label, (), notes, help))

    def _line(self, name: str, start: int) -> int:
        """The line on which a key stands."""
        found = re.compile(rf'"{re.escape(name.rpartition(".")[2])}"\s*:').search(self.text, max(start, 0))
        return 1 + self.text.count("\n", 0, found.start()) if found else 1


_ABSENT = object()


def _endless(value: Any) -> bool:
    return isinstance(value, int) and abs(value) > 10**300


class _Twice(Exception):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are given once."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def parsed(data: bytes, name: str) -> tuple[Config | None, list[Problem]]:
    """The configuration in ``data``, or why there is none. ``name`` is the file as problems show it."""
    place = Span(name, 1, 1, 1)
    help = "name the config.json that lies beside a model's weights"
    data, problems = unpacked(data, name, CONFIGURATION, help)
    if problems:
        return None, problems
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        return None, [Problem("E03", f"`{name}` is {'UTF-16' if wide else 'not UTF-8 text'}", place,
                              help="save it as UTF-8" if wide else help)]  # fmt: skip
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except _Twice as error:
        key = re.escape(json.dumps(error.args[0])[1:-1])
        lines = [1 + text.count("\n", 0, m.start()) for m in islice(re.finditer(f'"{key}"\\s*:', text), 2)] or [1]
        span = Span(name, lines[-1], 1)
        return None, [Problem("E12", f"`{error.args[0][:40]}` is given twice in {name}", span, "given again",
                              help="readers of JSON differ in which one holds: remove one")]  # fmt: skip
    except json.JSONDecodeError as error:
        span = Span(name, error.lineno, error.colno, error.colno + 1)
        return None, [Problem("E02", f"`{name}` is not JSON", span, error.msg.lower(), help=help)]
    except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
        return None, [Problem("E02", f"`{name}` is not JSON that can be read", place, help=help)]
    if not isinstance(found, dict):
        return None, [Problem("E16", f"`{name}` holds no JSON object", place, help=help)]
    return Config(found, text, name), []


def configurations(data: bytes) -> list[tuple[str, bytes]]:
    """Several configurations in one file, each under a name of its own; none where the file is one itself."""
    if len(data) > CONFIGURATION:
        return []
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return []
    whole = isinstance(found, dict) and bool(found) and all(
        isinstance(v, dict) and ("architectures" in v or "model_type" in v) for v in found.values()
    )
    return [(name, json.dumps(value).encode()) for name, value in found.items()] if whole else []

"""A run as a framework's arguments describe it: model, layout, number of GPUs; what was assumed, and not used."""

from typing import Any, NamedTuple, overload

from dsl.problems import Problem, Span


class Line(NamedTuple):
    """One argument: its name, what it says, and where."""

    name: str
    value: str
    line: int


class Draft:
    """Settings of a model and of a run by path, each with the argument that it comes from."""

    def __init__(self, file: str, arguments: list[Line]) -> None:
        self.file = file
        self.given = {a.name: a for a in arguments}
        self.used: set[str] = set()
        self.model: dict[str, Any] = {}
        self.run: dict[str, Any] = {}
        self.why: dict[str, str] = {}  # comment by path, "model." before those of the model
        self.notes: list[str] = []
        self.problems: list[Problem] = []
        self.gpus = 0

    def text(self, *names: str) -> str | None:
        """What the first of these arguments says; None where none is given."""
        for name in names:
            self.used.add(name)
            if name in self.given:
                return self.given[name].value
        return None

    def flag(self, *names: str) -> bool:
        """Whether one of these flags is given and not false."""
        return any(self.given[n].value.lower() not in ("false", "0", "no") for n in names if self.has(n))

    def by(self, *names: str) -> str:
        """The comment of a setting: the argument that says it, or that it is not given."""
        return next((n for n in names if n in self.given), f"{names[0]} is not given")

    def has(self, name: str) -> bool:
        """Whether an argument is given."""
        self.used.add(name)
        return name in self.given

    @overload
    def number(self, *names: str, default: float, least: float = ...) -> float: ...

    @overload
    def number(self, *names: str, default: float | None = ..., least: float = ...) -> float | None: ...

    def number(self, *names: str, default: float | None = None, least: float = 0) -> float | None:
        """A number that an argument says; a problem where it is none."""
        name = next((n for n in names if n in self.given), names[0])
        text = self.text(*names)
        if text is None or text.lower() in ("none", "null", ""):
            return default
        try:
            value = float(text.split()[0].replace("_", ""))  # a script's name may stand behind it
        except ValueError:
            value = -1.0
        if not least <= value < 1e16:
            self.wrong("E16", f"`{name}` is a number", name, f"this is {text[:40] or 'nothing'}")
            return default
        return value

    def put(self, path: str, value: Any, why: str = "") -> None:
        """A setting of the model ("model." before it) or of the run, with its argument as comment."""
        if value is None:
            return
        if path.startswith("model."):
            self.model[path.removeprefix("model.")] = value
        else:
            self.run[path] = value
        if why:
            self.why[path] = why

    def take(self, path: str, *names: str, default: float | None = None, missing: str = "") -> float | None:
        """A number from an argument; ``missing`` says what to add where the run cannot do without it."""
        value = self.number(*names, default=default)
        name = next((n for n in names if n in self.given), "")
        if value is None and missing:
            self.lacks(names[0], missing)
        self.put(path, value, name or (f"{names[0]} is not given" if value is not None else ""))
        return value

    def lacks(self, name: str, help: str) -> None:
        """A problem: an argument that a run cannot do without."""
        place = Span(self.file, 1, 1, 2)
        self.problems.append(Problem("E13", f"{self.file} has no {name}", place, "needed", help=help))

    def wrong(self, code: str, title: str, name: str, label: str = "stated here", help: str = "") -> None:
        """A problem at an argument."""
        line = self.given[name].line if name in self.given else 1
        self.problems.append(Problem(code, title, Span(self.file, line, 1), label, help=help))

    def finish(self) -> None:
        """Notes what was given and is not used."""
        unused = [name for name in self.given if name not in self.used]
        if unused:
            self.notes.append(f"not used: {', '.join(unused)}")

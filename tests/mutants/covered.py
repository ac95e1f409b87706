"""Which tests call which function: taken down once a test file, kept until the file changes."""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.mutants.child import forked
from tests.mutants.sites import Site
from tests.mutants.watch import Noted, options

LIMIT = 1200.0  # seconds for one test file
ROOMS = ("dsl", "engine")


@dataclass(frozen=True)
class Covered:
    """For each test file what it calls outside its tests, and its tests with what they call and take."""

    files: Mapping[str, Mapping[str, Any]]

    def tests(self, site: Site, least: float = 0.05) -> dict[str, float]:
        """The tests that a change could concern, with their seconds: those that call the function, quickest first,
        then the others of files that have it called on import, by fixtures or once for all their tests.
        """
        known = any(self._calls(r["calls"], site) for f in self.files.values() for r in f["tests"].values())
        known = known or any(self._calls(found["outside"], site) for found in self.files.values())
        if site.function and not known:  # called by a profiler, which no tracer sees: the tests of its file
            return self.tests(replace(site, function=""), least)
        rows = []
        for file, found in self.files.items():
            direct = {name for name, row in found["tests"].items() if self._calls(row["calls"], site)}
            if not direct and not self._calls(found["outside"], site):
                continue
            apart = not Path(file).stem.removeprefix("test_").startswith(Path(site.file).stem)
            for name, row in found["tests"].items():
                rows.append((name not in direct, max(least, row["seconds"]) * (1 + apart), name, row["seconds"]))
        return {name: seconds for _, _, name, seconds in sorted(rows)}

    def _calls(self, calls: Sequence[str], site: Site) -> bool:
        if site.function:
            return f"{site.file}:{site.function}" in calls
        return any(call.startswith(f"{site.file}:") for call in calls)

    @property
    def failed(self) -> list[str]:
        """The tests that fail without any change; they decide nothing."""
        return [name for found in self.files.values() for name in found["failed"]]


def covered(tree: Path, files: Sequence[str], kept: Path, cache: Path) -> Covered:
    """The map of the test files; those that have not changed are not run again."""
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.is_file() else {}
    rows = {}
    for file in files:
        digest = hashlib.sha256((tree / file).read_bytes()).hexdigest()
        if known.get(file, {}).get("digest") != digest:
            print(f"  what {file} calls", end="", flush=True)
            known[file] = {"digest": digest, **_noted(tree, file, cache)}
            tests = known[file]["tests"].values()
            print(f": {len(tests)} tests, {sum(row['seconds'] for row in tests):.1f} s", flush=True)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(known, sort_keys=True))
        rows[file] = known[file]
    return Covered(rows)


def _noted(tree: Path, file: str, cache: Path) -> dict[str, Any]:
    """One test file run under the tracer; nothing of it where it takes too long."""

    def work() -> dict[str, Any]:
        import pytest

        noted = Noted(tree, ROOMS)
        args = [a for a in options([file], "-m", "not slow and not long") if a != "-x"]
        code = pytest.main(args, plugins=[noted])
        sys.settrace(None)
        return {"code": int(code), **noted.to_json()}

    _, found = forked(tree, work, LIMIT, cache)
    return {key: found.get(key, empty) for key, empty in (("outside", []), ("tests", {}), ("failed", []))}

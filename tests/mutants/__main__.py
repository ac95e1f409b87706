"""Changes `dsl/` and `engine/` in a copy of the tree, one place at a time, and says which changes no test notices."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from tests.mutants.child import warm
from tests.mutants.covered import ROOMS, Covered, covered
from tests.mutants.same import same
from tests.mutants.sites import Site, sites
from tests.mutants.trial import Tried, copied, difference, tried

ROOT = Path(__file__).resolve().parents[2]
LEAST = 0.9  # of the changes, that the tests must notice


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="changes to try")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of changes")
    parser.add_argument("--only", nargs="*", default=ROOMS, help="folders or files to change")
    parser.add_argument("--budget", type=float, default=40.0, help="seconds of tests for one change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="changes tried at a time")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "mutants", help="folder of the list and the map")
    parser.add_argument("tests", nargs="*", help="test files; all where none is named")
    return parser.parse_args()


def drawn(root: Path, count: int, seed: int, only: Sequence[str] = ROOMS) -> list[Site]:
    """The changes to try: every place where one is possible is as likely as any other."""
    found: list[Site] = []
    for place in only:
        for path in sorted((root / place).rglob("*.py")) or [root / place]:
            found += sites(path.relative_to(root).as_posix(), path.read_bytes())
    print(f"{len(found)} changes are possible; {min(count, len(found))} are tried, seed {seed}", flush=True)
    return Random(seed).sample(found, min(count, len(found)))


def trials(chosen: Sequence[Site], asked: argparse.Namespace, folder: Path) -> Iterator[Tried]:
    """Every change in turn, told as it goes; each process has a copy of the tree to itself."""
    named = asked.tests or [p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "tests").glob("test_*.py"))]
    tests = covered(copied(ROOT, folder / "tree"), named, asked.out / "map.json", folder / "cache")
    for name in tests.failed:
        print(f"  fails without any change, so it is left out: {name}")
    own = asked, tests, folder
    with get_context("fork").Pool(asked.jobs, _begun, own) as pool:
        for i, (one, seconds) in enumerate(pool.imap(_tried, chosen), 1):
            print(f"  {i:4} {one.fate:9} {seconds:6.1f} s  {one.site.file}:{one.site.line}  {one.by}", flush=True)
            yield one


WORK: dict[str, Any] = {}  # of a process that tries changes


def _begun(asked: argparse.Namespace, tests: Covered, folder: Path) -> None:
    """A process that tries changes gets its own copy of the tree and of the kept files."""
    own = folder / str(os.getpid())
    WORK.update(tree=copied(ROOT, own / "tree"), tests=tests, cache=own / "cache", budget=asked.budget)
    if (folder / "cache").is_dir():
        shutil.copytree(folder / "cache", own / "cache")


def _tried(site: Site) -> tuple[Tried, float]:
    """What came of a change, and how long it took."""
    start = time.monotonic()
    return tried(site=site, **WORK), time.monotonic() - start


def report(done: Sequence[Tried], seed: int) -> tuple[str, float]:
    """The survivors with their diffs, the counts, and the share that was caught of those that change anything."""
    equal = {id(one): reason for one in done if not one.caught and (reason := same(ROOT, one.site))}
    lines = []
    for one in done:
        if not one.caught:
            state = f"{one.fate} ({one.ran} of {one.of} tests)"
            state = f"changes nothing: {equal[id(one)]}" if id(one) in equal else state
            lines += [f"{one.site.file}:{one.site.line} {state}", difference(ROOT, one.site), ""]
    counts = Counter(one.fate for one in done if id(one) not in equal)
    total = sum(counts.values())
    share = (counts["caught"] + counts["hangs"]) / total if total else 1.0
    told = ", ".join(f"{n} {fate}" for fate, n in sorted(counts.items()))
    lines.append(f"seed {seed}: {len(done)} changes: {told}; {len(equal)} change nothing; {share:.1%} caught")
    return "\n".join(lines), share


def main() -> int:
    """0 where nine in ten changes are caught."""
    asked = arguments()
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    warm()
    done: list[Tried] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        try:
            done.extend(trials(drawn(ROOT, asked.count, asked.seed, asked.only), asked, Path(folder).resolve()))
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
    text, share = report(done, asked.seed)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "mutants.txt").write_text(text + "\n", "utf-8")
    print(text)
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())

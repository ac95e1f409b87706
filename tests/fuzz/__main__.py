"""`make fuzz SECONDS=60`: all campaigns for that time; `make fuzz NIGHTLY=1`: all inputs of a nightly run.

A failure is repeated by its seed and number:
`.venv/bin/python -m tests.fuzz --seed S --only check --first N --count 1`.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dsl import cache
from tests.fuzz.campaigns import CAMPAIGNS, Campaign
from tests.fuzz.run import Ended, campaign
from tests.fuzz.texts import ROOT

FOREVER = 1e9


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all campaigns together")
    parser.add_argument("--nightly", action="store_true", help="by number of inputs instead of by time")
    parser.add_argument("--seed", type=int, default=None, help="of the inputs; from the clock where none is given")
    parser.add_argument("--only", action="append", choices=[own.name for own in CAMPAIGNS], help="these campaigns")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--count", type=int, default=10**9, help="inputs of a campaign at most")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz", help="folder of the inputs that fail")
    return parser.parse_args(given)


def short(own: Campaign, ended: Ended) -> bool:
    """Whether too few inputs were good ones to say anything; few inputs say nothing of their share."""
    return ended.done >= 30 and ended.good < own.least * ended.done


@contextmanager
def own_cache() -> Iterator[None]:
    """A cache folder for these campaigns alone; afterwards the one before."""
    before = os.environ.get("TONNAGE_CACHE")
    with tempfile.TemporaryDirectory(prefix="fuzz-cache-") as folder:
        os.environ["TONNAGE_CACHE"] = folder
        cache.folder.cache_clear()
        yield
    os.environ.pop("TONNAGE_CACHE")
    os.environ |= {} if before is None else {"TONNAGE_CACHE": before}
    cache.folder.cache_clear()


def main(given: Sequence[str] | None = None) -> int:
    """0 where nothing failed and enough inputs were good."""
    asked = arguments(given)
    seed = int(time.time()) if asked.seed is None else asked.seed
    chosen = [own for own in CAMPAIGNS if not asked.only or own.name in asked.only]
    total = sum(own.weight for own in chosen)
    print(f"seed {seed}", flush=True)
    bad = False
    with own_cache():
        for own in chosen:
            seconds = FOREVER if asked.nightly else asked.seconds * own.weight / total
            count = min(asked.count, own.nightly) if asked.nightly else asked.count
            ended = campaign(own, seed, asked.first, count, seconds, asked.out.resolve())
            print(ended.line, flush=True)
            for failure in ended.failures:
                print(f"    {failure}: {failure.read_text('utf-8').strip().splitlines()[-1][:160]}", flush=True)
            if short(own, ended):
                print(f"    fewer than {own.least:.0%} of the inputs are good", flush=True)
            bad |= bool(ended.failures) or short(own, ended)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

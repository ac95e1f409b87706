"""What all tests share: hypothesis draws the same examples on every machine and measures no time."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# Tests leave the user's cache alone; the folder outlives one run, so that parsed files and fonts are made once.
os.environ.setdefault("TONNAGE_CACHE", str(Path(tempfile.gettempdir()) / f"tonnage-tests-{os.getuid()}"))
Path(os.environ["TONNAGE_CACHE"]).mkdir(parents=True, exist_ok=True)

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout's folder."""
    return ROOT


@pytest.fixture(scope="session")
def scenarios() -> Path:
    """The folder of the shipped scenarios."""
    return ROOT / "scenarios"

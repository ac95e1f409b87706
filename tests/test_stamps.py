"""Documents that are not made again: every kind of change that must make them anew, and none that need not."""

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reports import program, shelf
from reports.commands import reads, shell, stamps
from reports.commands.job import perform
from reports.commands.outcome import Job, Outcome
from tests.test_render import FAILS, HOLDS, SMALL

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "tests" / "data" / "hf_configs" / "llama-3.1-8b.json"
PNG = b"\x89PNG\r\n\x1a\n"
PARTED = (
    'edition 2026\nimport "library/gpus.scn"\nimport "parts/box.scn"\n'
    'model own { hf = "config.json" }\n'
    "run tiny {\n  model = own, cluster = box, tokens = 1B tokens, batch = 64 sequences, sequence = 8192 tokens\n"
    "  layout { tensor = 8, recompute = full }\n}\n"
    'report { logo = "logo.png" }\n'
)
BOX = (
    'edition 2026\nimport "library/gpus.scn"\n'
    "cluster box { gpu = h100-sxm, nodes = 1, tier node { bandwidth = 450 GB/s } }\n"
)
Change = Callable[[Path], object]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(shelf, "folder", lambda: folder)
    return folder


def plan(folder: Path, text: str = HOLDS, **told: object) -> Job:
    """A job for a file of that text in a folder."""
    (folder / "plan.scn").write_text(text, "utf-8")
    return replace(Job(folder / "plan.scn", folder / "out", ("json",)), **told)  # type: ignore[arg-type]


def parted(folder: Path) -> Job:
    """A job for a file with an import, a configuration and a logo."""
    (folder / "parts").mkdir()
    (folder / "parts" / "box.scn").write_text(BOX, "utf-8")
    (folder / "config.json").write_bytes(CONFIG.read_bytes())
    (folder / "logo.png").write_bytes(PNG)
    return plan(folder, PARTED)


def test_nothing_changed(tmp_path: Path) -> None:
    job = plan(tmp_path)
    assert stamps.unchanged(job) is None
    done = perform(job)
    assert done.code == shell.HOLDS
    assert stamps.unchanged(job) == replace(done, unchanged=True)
    os.utime(job.file)  # a time is no change
    assert stamps.unchanged(job) is not None
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["out", "plan.json", "plan.scn"]  # no stamp among them


def test_what_does_not_hold_is_said_again_with_its_exit_code(tmp_path: Path) -> None:
    job = plan(tmp_path, FAILS)
    done = perform(job)
    kept = stamps.unchanged(job)
    assert kept is not None and done.code == kept.code == shell.DOES_NOT_HOLD
    assert kept.unmet == done.unmet != () and (kept.keys, kept.verdict) == (done.keys, done.verdict)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / "plan.scn").write_text(PARTED + "\n"),
        lambda f: (f / "parts" / "box.scn").write_text(BOX.replace("450", "449")),
        lambda f: (f / "parts" / "box.scn").unlink(),
        lambda f: (f / "config.json").write_bytes(CONFIG.read_bytes() + b"\n"),
        lambda f: (f / "logo.png").write_bytes(PNG + b"1"),
        lambda f: (f / "logo.png").unlink(),
        lambda f: ((f / "library").mkdir(), (f / "library" / "gpus.scn").write_text(BOX)),  # for the installed one
        lambda f: (f / "out" / "plan.json").unlink(),
        lambda f: (f / "out" / "plan.json").write_text("{}"),
    ],
)
def test_what_was_read_or_written_changed(tmp_path: Path, change: Change) -> None:
    job = parted(tmp_path)
    assert (done := perform(job)).code == shell.HOLDS, done.problems
    assert stamps.unchanged(job) is not None
    change(tmp_path)
    assert stamps.unchanged(job) is None


@pytest.mark.parametrize(
    "other",
    [
        {"overrides": ("run.tokens=2B tokens",)},
        {"varied": ("layout.tensor=[4, 8]",)},
        {"formats": ("json", "csv")},
        {"force": True},
        {"out": None},
    ],
)
def test_another_call_renders(tmp_path: Path, other: dict[str, object]) -> None:
    job = plan(tmp_path)
    perform(job)
    assert stamps.unchanged(job) is not None
    assert stamps.unchanged(replace(job, **other)) is None  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_template_that_changes_or_comes_renders(tmp_path: Path) -> None:
    own = tmp_path / "templates"
    own.mkdir()
    (own / "style.css").write_text("h1 { color: black }", "utf-8")
    job = plan(tmp_path, templates=own, formats=("html",))
    perform(job)
    assert stamps.unchanged(job) is not None
    (own / "README").write_text("ours", "utf-8")
    assert stamps.unchanged(job) is None
    perform(job)
    (own / "style.css").write_text("h1 { color: blue }", "utf-8")
    assert stamps.unchanged(job) is None


@pytest.mark.parametrize("name", ["program", "versions", "surroundings"])
def test_another_program_renders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    job = plan(tmp_path)
    perform(job)
    monkeypatch.setattr(stamps, name, lambda: "another")
    assert stamps.unchanged(job) is None


def test_the_number_of_the_program_covers_templates_and_library() -> None:
    files = [file for folder, which in program.FILES for file in (ROOT / folder).rglob(which)]
    rooms = {file.relative_to(ROOT).parts[0] for file in files}
    assert rooms == {"templates", "scenarios"} and "weasyprint" in program.versions()


@pytest.mark.parametrize(
    "outcome", [{"code": shell.STOPPED}, {"code": shell.CANNOT_WRITE}]
)
def test_what_is_not_whole_leaves_no_stamp(tmp_path: Path, outcome: dict[str, object], monkeypatch: pytest.MonkeyPatch,
                                           ) -> None:  # fmt: skip
    from reports.commands import job as module

    whole = module.finished
    monkeypatch.setattr(module, "finished", lambda *given: replace(whole(*given), **outcome))  # type: ignore[arg-type]
    job = plan(tmp_path)
    perform(job)
    assert stamps.unchanged(job) is None


def test_a_file_that_changes_while_it_is_read_leaves_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reports.commands import job as module

    real = reads.fingerprints

    def late(paths: tuple[Path, ...]) -> dict[str, str]:
        (tmp_path / "plan.scn").write_text(FAILS, "utf-8")
        return real(paths)

    monkeypatch.setattr(module, "fingerprints", late)
    job = plan(tmp_path)
    perform(job)
    assert stamps.unchanged(job) is None


def test_an_error_is_no_stamp_and_takes_none_away(tmp_path: Path) -> None:
    job = plan(tmp_path)
    perform(job)
    plan(tmp_path, SMALL)
    assert perform(job).code == shell.IN_ERROR and stamps.unchanged(job) is None
    plan(tmp_path)
    assert stamps.unchanged(job) is not None  # the documents of this very text are still there


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_stamp_is_no_stamp(own_cache: Path, data: st.DataObject) -> None:
    job = plan(own_cache)
    shelf.put("stamps", stamps.name(job), b'{"made": 1}')
    place = own_cache / "stamps" / stamps.name(job)
    whole = bytearray(place.read_bytes())
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    place.write_bytes(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    assert shelf.taken("stamps", stamps.name(job)) is None and stamps.unchanged(job) is None


def test_an_outcome_goes_through_a_stamp_as_it_is() -> None:
    made = json.loads(json.dumps(Outcome("f", 0).__dict__, default=str))
    assert set(made) == set(Outcome.__dataclass_fields__)  # nothing of it is lost


def test_a_shelf_holds_no_more_than_it_may(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "MOST", {"figures": 8})
    for number in random.Random(1).sample(range(100), 40):
        shelf.put("figures", str(number), b"x")
        assert shelf.taken("figures", str(number)) == b"x"
    assert len(list((own_cache / "figures").iterdir())) <= 8


def test_a_closed_cache_keeps_nothing_and_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(shelf, "folder", lambda: tmp_path / "file")
    shelf.put("figures", "a", b"x")
    assert shelf.taken("figures", "a") is None

"""The command `render`: exit codes, what is written, and that one bad file does not hurt another."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
HEAD = 'edition 2026\nimport "library/gpus.scn"\nimport "library/models.scn"\n'
SMALL = (
    HEAD
    + """cluster box { gpu = h100-sxm, nodes = 1, tier node { bandwidth = 450 GB/s } }
run tiny {
  model = llama-3-8b, cluster = box, tokens = 1B tokens, batch = 64 sequences
  layout { tensor = 8, recompute = full }
  REQUIRE
}
"""
)
HOLDS = SMALL.replace("REQUIRE", "require layout.tensor == 8")
FAILS = SMALL.replace("REQUIRE", 'require step_time <= 1 ms because "we are impatient"')
THREE = (
    HEAD
    + "cluster c { gpu = h100-sxn, nodes = 4 }\n"
    + "run r { model = llama-3-8b, cluster = c, batch = 64 sequences, tokens = 15, colour = 3 }\n"
)


@dataclass(frozen=True)
class Done:
    """A call that has ended."""

    code: int
    out: str
    err: str


def call(name: str, *arguments: str | Path, cwd: Path, **environment: str) -> Done:
    """Runs an installed command as a user would, without a terminal."""
    done = subprocess.run(
        [BIN / name, *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr + done.stdout
    return Done(done.returncode, done.stdout, done.stderr)


def put(folder: Path, **texts: str) -> list[Path]:
    """Writes scenario files and gives their names."""
    for name, text in texts.items():
        (folder / f"{name}.scn").write_text(text, "utf-8")
    return [Path(f"{name}.scn") for name in texts]


def names(folder: Path) -> set[str]:
    """What lies in a folder, hidden files too."""
    return set(os.listdir(folder)) if folder.exists() else set()


def test_json_streams_and_nothing_else_is_said(tmp_path: Path) -> None:
    (file,) = put(tmp_path, holds=HOLDS)
    done = call("render", file, "--format", "json", "--out", "-", cwd=tmp_path)
    document = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert document["file"] == "holds.scn"
    assert document["experiments"][0]["points"][0]["results"]["parameters"] == 8_030_261_248
    assert names(tmp_path) == {"holds.scn"}


def test_a_require_that_fails_is_exit_1_and_the_report_shows_its_operands(tmp_path: Path) -> None:
    (file,) = put(tmp_path, fails=FAILS)
    done = call("render", file, "--format", "json,html", cwd=tmp_path)
    assert done.code == 1
    document = json.loads((tmp_path / "out" / "fails.json").read_text("utf-8"))
    verdict = document["experiments"][0]["points"][0]["verdicts"][0]
    first, why, *places = done.out.splitlines()
    step = float(f"{verdict['values']['step_time']['value'] * 1000:.4g}")
    told = f'  run `tiny`: step_time <= 1 ms does not hold: step_time = {step:_g} ms, because "we are impatient" ('
    assert first == "fails.scn: Not feasible"
    assert why.startswith(told)
    assert places == ["  out/fails.html", "  out/fails.json"]
    assert verdict["holds"] is False
    assert verdict["because"] == "we are impatient"
    assert verdict["values"]["step_time"]["value"] > 0.001
    assert "we are impatient" in (tmp_path / "out" / "fails.html").read_text("utf-8")


def test_all_mistakes_of_a_file_are_shown_and_the_others_are_rendered(tmp_path: Path) -> None:
    bad, good = put(tmp_path, bad=THREE, good=HOLDS)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bad.html").write_text("of yesterday")
    done = call("render", bad, good, "--format", "json,html", cwd=tmp_path)
    assert done.code == 2
    assert done.err.count("error[") == 3
    assert done.err.count("--> bad.scn:") == 3
    assert done.err.count("= help:") == 3
    assert names(tmp_path / "out") == {"bad.html", "good.html", "good.json", "index.html"}
    assert (tmp_path / "out" / "bad.html").read_text() == "of yesterday"
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "In error" in page
    assert 'href="good.html"' in page
    assert 'href="bad.html"' not in page


def test_quiet_says_nothing_and_json_alone_has_no_index(tmp_path: Path) -> None:
    files = put(tmp_path, a=HOLDS, b=HOLDS)
    assert call("render", *files, "--format", "json", "--quiet", cwd=tmp_path) == Done(0, "", "")
    assert names(tmp_path / "out") == {"a.json", "b.json"}


def test_tables_are_csv_with_units_in_their_heads(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a=HOLDS)
    call("render", file, "--format", "csv", cwd=tmp_path)
    tables = {name: (tmp_path / "out" / name).read_bytes().decode("utf-8") for name in names(tmp_path / "out")}
    assert len(tables) > 5
    files = [name for name in tables if not name.endswith(".csv")]
    assert all(name.startswith("a.") for name in tables) and files == ["a.tiny.megatron.args"]
    tables = {name: text for name, text in tables.items() if name not in files}
    assert any(" [s]" in text.splitlines()[0] for text in tables.values())


def test_workers_give_the_same_bytes_as_one_process(tmp_path: Path) -> None:
    files = put(tmp_path, a=HOLDS, b=FAILS, c=THREE)
    formats = ("--format", "json,html")
    assert call("render", *files, *formats, "--out", "one", cwd=tmp_path).code == 2
    assert call("render", *files, *formats, "--out", "two", "--jobs", "2", cwd=tmp_path).code == 2
    assert names(tmp_path / "one") == names(tmp_path / "two") == {"a.html", "a.json", "b.html", "b.json", "index.html"}
    for name in names(tmp_path / "one"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_setting_from_the_command_line(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a=HOLDS)
    call("render", file, "--format", "json", "--set", "layout.tensor=4", "--set", "cluster.nodes=2", cwd=tmp_path)
    document = json.loads((tmp_path / "out" / "a.json").read_text("utf-8"))
    point = document["experiments"][0]["points"][0]
    assert document["overrides"] == ["layout.tensor=4", "cluster.nodes=2"]
    assert (point["settings"]["layout.tensor"], point["settings"]["cluster.gpus"]) == (4, 16)
    wrong = call("render", file, "--format", "json", "--set", "layout.tensr=4", cwd=tmp_path)
    assert wrong.code == 2
    assert "layout.tensor" in wrong.err


def test_output_that_cannot_be_written_is_exit_3(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a=HOLDS)
    (tmp_path / "taken").write_text("a file")
    done = call("render", file, "--format", "json", "--out", "taken", cwd=tmp_path)
    assert done.code == 3
    assert done.err.startswith("error: cannot write taken")
    assert done.err.count("\n") == 2  # the line, and an empty one after it


def test_without_pango_the_rest_is_written_and_one_line_says_why(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS, b=HOLDS)
    code = (
        "import sys, reports.pdf\nreports.pdf.missing_libraries = lambda: ['libpango-1.0.so.0']\n"
        "from reports.commands.render import main\n"
        "sys.argv = ['render', 'a.scn', 'b.scn', '--format', 'html,pdf,json', '--quiet']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("PDF needs libpango-1.0.so.0: apt-get install libpangoft2-1.0-0")
    assert names(tmp_path / "out") == {"a.html", "a.json", "b.html", "b.json", "index.html"}


def test_an_accident_with_one_file_is_one_line_and_the_others_are_rendered(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS, b=HOLDS)
    code = (
        "import sys, reports.commands.job as job\nbuild = job.build\n"
        "def accident(scenario):\n    if scenario.file == 'a.scn': raise ZeroDivisionError('ours')\n"
        "    return build(scenario)\n"
        "job.build = accident\nfrom reports.commands.render import main\n"
        "sys.argv = ['render', 'a.scn', 'b.scn', '--format', 'json', '--quiet']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 70
    assert done.stderr.startswith("a.scn: internal error: ZeroDivisionError: ours at ")
    assert "Traceback" not in done.stderr
    assert names(tmp_path / "out") == {"b.json"}


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS, b=HOLDS)
    code = (
        "import sys, reports.commands.job as job\nbuild = job.build\n"
        "def stopped(scenario):\n    if scenario.file == 'b.scn': raise KeyboardInterrupt\n    return build(scenario)\n"
        "job.build = stopped\nfrom reports.commands.render import main\n"
        "sys.argv = ['render', 'a.scn', 'b.scn', '--format', 'json']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr.strip() == "stopped; every file written so far is whole"
    assert names(tmp_path / "out") == {"a.json"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.scn", "--format", "docx"], "docx is not a format; there are html, pdf, json, csv"),
        (["a.scn", "--format", ","], "nothing is not a format"),
        (["a.scn", "--out", "-"], "use it with --format json and one file"),
        (["a.scn", "b.scn", "--out", "-", "--format", "json"], "one file"),
        (["a.scn", "other/a.scn"], "would both write a.html"),
        (["a.scn", "index.scn"], "would both write index.html"),
        (["a.scn", "--jobs", "0"], "0 is not in the range"),
        ([], "Missing argument"),
    ],
)
def test_a_wrong_call_is_exit_2_and_says_why(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = call("render", *arguments, cwd=tmp_path)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert names(tmp_path) == set()


def test_a_file_named_twice_is_rendered_once(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a=HOLDS)
    assert call("render", file, file, "--format", "json", cwd=tmp_path).out.count("a.json") == 1


def test_a_file_that_is_not_there_is_exit_2(tmp_path: Path) -> None:
    done = call("render", "nowhere.scn", cwd=tmp_path)
    assert done.code == 2
    assert "nowhere.scn" in done.err
    assert names(tmp_path) == set()


def test_a_reader_that_goes_away_is_no_accident(tmp_path: Path) -> None:
    put(tmp_path, a=HOLDS)
    pipe = f"'{BIN / 'render'}' a.scn --format json --out - | head -c 10"
    done = subprocess.run(["bash", "-c", pipe], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout[:1], done.stderr) == ("{", "")

"""`scn import`: each format is told by what is in the file, and what is printed is text of the language."""

import gzip
from pathlib import Path

import pytest

from dsl.files import load_text
from dsl.form import canonical
from dsl.problems import show
from dsl.resolve import resolve
from tests.test_render import call

INPUTS = Path(__file__).parent / "data" / "inputs"
PLAN = """edition 2026
import "library/fabrics.scn"
import "library/models.scn"
cluster mine from h100-rail { nodes = 16 }
run base {
  model = llama-3-8b
  cluster = mine
  batch = 256 sequences
  tokens = 1T tokens
  layout { tensor = 8, pipeline = 1 }
}
"""
GEMMS = "m,n,k,dtype,tflops\n8192,8192,8192,bf16,620\n4096,4096,1024,bf16,480\n4096,4096,4096,bf16,590\n"


def sound(text: str, before: str = 'edition 2026\nimport "library/gpus.scn"\n') -> None:
    """What was printed is canonical, and free of problems in a file."""
    assert canonical(text) == (text, [])
    _, problems = resolve(load_text(before + text))
    assert not problems, show(problems, {})


def test_nccl_tests_are_told_by_their_table(tmp_path: Path) -> None:
    done = call("scn", "import", INPUTS / "c01_nccl_tests.txt", cwd=tmp_path)
    assert done.code == 0, done.err
    sound(done.out)
    assert "all_reduce = 351.688 GB/s" in done.out  # 1.75 GB in 5 ms less 24 us
    assert done.out == call("scn", "import", "nccl-tests", INPUTS / "c01_nccl_tests.txt", cwd=tmp_path).out


def test_a_gemm_table(tmp_path: Path) -> None:
    (tmp_path / "gemm.csv").write_text(GEMMS)
    done = call("scn", "import", "gemm.csv", "--gpu", "h100-sxm", cwd=tmp_path)
    assert done.code == 0, done.err
    sound(done.out)
    assert "shape bf16-8192x8192x8192 {" in done.out and "gemm       = " in done.out
    assert "which GPU was it timed on?" in call("scn", "import", "gemm.csv", cwd=tmp_path).err
    assert "h100" in call("scn", "import", "gemm.csv", "--gpu", "h100", cwd=tmp_path).err


def test_rendering_with_an_imported_calibration_moves_the_prediction(tmp_path: Path) -> None:
    (tmp_path / "plan.scn").write_text(PLAN)
    done = call("scn", "import", INPUTS / "c01_nccl_tests.txt", "--plan", "plan.scn", cwd=tmp_path)
    assert done.code == 0, done.err
    (tmp_path / "own.scn").write_text(done.out)
    assert call("scn", "fmt", "--check", "own.scn", cwd=tmp_path).code == 0
    before, after = (point(tmp_path, name) for name in ("plan.scn", "own.scn"))
    assert after["results"]["tensor_communication"] > 1.2 * before["results"]["tensor_communication"]
    row = next(r for r in after["inputs"] if r["path"] == "calibration.tier.node.gather")
    assert row["origin"] == "calibration" and "nccl-tests, c01_nccl_tests.txt" in row["source"]


def point(folder: Path, name: str) -> dict:  # type: ignore[type-arg]
    """The one point of a file's last run."""
    import json

    done = call("render", name, "--format", "json", "--out", "-", "--quiet", cwd=folder)
    assert done.code in (0, 1), done.err
    return json.loads(done.out)["experiments"][-1]["points"][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["r01_table.html", "r02_tallrow.html", "r05_ua.html"])
def test_pages_say_why_they_are_no_input(name: str, tmp_path: Path) -> None:
    done = call("scn", "import", INPUTS / name, cwd=tmp_path)
    assert done.code == 2 and "is an HTML page: a report to look at" in done.err and not done.out


def test_several_configurations_in_one_file(tmp_path: Path) -> None:
    done = call("scn", "import", INPUTS / "k02_hf_config.json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "model model-8B {" in done.out and "model model-405B {" in done.out
    sound(done.out)


def test_a_compressed_configuration_is_the_same_model(tmp_path: Path) -> None:
    data = (INPUTS / "k02_hf_config.json").read_bytes()
    (tmp_path / "own.json").write_bytes(data)
    (tmp_path / "own.json.gz").write_bytes(gzip.compress(data))
    made = [call("scn", "import", name, cwd=tmp_path) for name in ("own.json", "own.json.gz")]
    assert made[0].code == made[1].code == 0 and made[0].out == made[1].out


@pytest.mark.parametrize("name", ['a "plan".scn', "a\\b.scn", "a\nb.scn"])
def test_a_plan_whose_path_the_language_cannot_write_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(PLAN)
    done = call("scn", "import", INPUTS / "c01_nccl_tests.txt", "--plan", name, cwd=tmp_path)
    assert done.code == 2 and "cannot be imported by the printed text" in done.err and not done.out


def test_a_plan_by_its_whole_path_is_imported_from_the_present_folder(tmp_path: Path) -> None:
    """The language imports relative paths only."""
    (tmp_path / "plan.scn").write_text(PLAN)
    done = call("scn", "import", INPUTS / "c01_nccl_tests.txt", "--plan", tmp_path / "plan.scn", cwd=tmp_path)
    assert done.code == 0 and '\nimport "plan.scn"\n' in done.out


def test_files_of_two_formats_and_files_of_none(tmp_path: Path) -> None:
    (tmp_path / "gemm.csv").write_text(GEMMS)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "noise.bin").write_bytes(b"\0\1\2\3" * 50)
    mixed = call("scn", "import", INPUTS / "c01_nccl_tests.txt", "gemm.csv", cwd=tmp_path)
    assert mixed.code == 2 and "gemm.csv is gemm, the first file nccl-tests" in mixed.err
    assert "is empty" in call("scn", "import", "empty.txt", cwd=tmp_path).err
    assert "is not text" in call("scn", "import", "noise.bin", cwd=tmp_path).err
    assert "cannot read none.txt" in call("scn", "import", "none.txt", cwd=tmp_path).err


def test_a_plan_that_is_in_error_or_lacks_the_run(tmp_path: Path) -> None:
    (tmp_path / "plan.scn").write_text(PLAN)
    done = call("scn", "import", INPUTS / "c01_nccl_tests.txt", "--plan", "plan.scn", "--run", "bas", cwd=tmp_path)
    assert done.code == 2 and "no run `bas`" in done.err and "did you mean `base`?" in done.err

"""Arguments of frameworks as scenarios: the published cases come out with their published figures."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load_text
from dsl.form import canonical
from dsl.importers import megatron, torchtitan
from dsl.problems import Problem, show
from dsl.resolve import resolve
from engine.metrics import METRICS
from reports.document import build
from reports.imports.asked import Asked, Given
from reports.imports.formats import FORMATS, detected
from reports.imports.runs import megatron_runs, torchtitan_runs, yaml_runs

INPUTS = Path(__file__).parent / "data" / "inputs"
NAMES = {m.name: m.dimension for m in METRICS}


def imported(name: str, data: bytes | None = None, gpu: str = "") -> tuple[str, list[Problem]]:
    """What `scn import` makes of a file."""
    given_file = Given(name, (INPUTS / name).read_bytes() if data is None else data)
    found, problems = detected([given_file])
    assert found is not None, problems
    made = found.make(Asked((given_file,), gpu=gpu))
    return made.text, made.problems


def point(name: str, gpu: str = "") -> dict[str, Any]:
    """The imported run, evaluated."""
    text, problems = imported(name, gpu=gpu)
    assert not problems, show(problems, {})
    assert canonical(text) == (text, [])
    scenario, wrong = resolve(load_text(text), NAMES)
    assert not wrong, show(wrong, {})
    return build(scenario)["experiments"][0]["points"][0]  # type: ignore[no-any-return]


def states(found: dict[str, Any]) -> float:
    """GiB of weights, gradients and optimizer states of a GPU."""
    parts = ("weights_memory", "gradients_memory", "optimizer_memory")
    return float(sum(found["results"][p] for p in parts) / 2**30)


def test_m01_llama_7b_with_the_distributed_optimizer() -> None:
    """Case M01: 6,738,415,616 parameters, 7.5 bytes each over 8 ranks: 47.07 GiB."""
    found = point("m01_megatron.args")
    assert found["results"]["parameters"] == 6_738_415_616
    assert states(found) == pytest.approx(47.067, abs=1e-3)


def test_m08_experts_are_sharded_over_their_own_ranks() -> None:
    """Case M08: 27.79 GiB; Megatron's own script prints 27.795."""
    assert states(point("m08_megatron.args")) == pytest.approx(27.795, rel=1e-3)


def test_m17_a_dense_model_without_a_global_batch() -> None:
    """Case M17: 16.42 billion parameters, 46,983 MiB; the script prints 46,986."""
    found = point("m17_megatron.args")
    assert found["results"]["parameters"] == pytest.approx(16.42e9, rel=1e-3)
    assert states(found) * 1024 == pytest.approx(46_986, rel=1e-3)


def test_m07_eight_v100_do_not_hold_it() -> None:
    """Case M07: 27.49 billion parameters do not fit 8 x 32 GB, data parallelism is 1."""
    found = point("m07_megatron.args", gpu="v100-sxm")
    assert found["status"] == "does_not_fit" and found["results"]["data_parallel"] == 1
    assert found["results"]["parameters"] == pytest.approx(27.49e9, rel=1e-3)


def test_f15_one_gpu_has_a_lower_bound() -> None:
    """Case F15: a prediction lies between 122 and 1,500 ms."""
    assert 0.122 <= point("f15_megatron.args", gpu="v100-sxm")["results"]["step_time"] <= 1.5


def test_m18_fsdp_in_fp32() -> None:
    """Case M18: 16 bytes a parameter over 8 ranks."""
    assert states(point("m18_torchtitan.toml")) == pytest.approx(16 * 8_030_261_248 / 8 / 2**30, rel=1e-6)


def test_l04_torchtitan_refuses_tensor_4_over_two_kv_heads() -> None:
    found = point("l04_torchtitan.toml")
    assert found["status"] == "cannot_be_built" and "2 kv_heads do not divide by tensor 4" in found["reasons"][0]


def test_f01_a_rate_is_a_measured_value() -> None:
    """Case F01: 9,600 tokens/s a GPU of Llama-2-7B."""
    found = point("f01_run.yaml")
    assert found["measured"][0]["name"] == "tokens_per_second_per_gpu" and found["measured"][0]["value"] == 9600


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("l01_megatron.args", ["no --vocab-size", "5 layers of a stage are no multiple of 2", "no --seq-length"]),
        ("l03_megatron.args", ["no --vocab-size", "46 layers over 4 stages are 11.5 a stage"]),
        ("l08_torchtitan.toml", ["no model.vocab_size", "no model.top_k"]),
    ],
)
def test_what_is_missing_is_said_exactly(name: str, titles: list[str]) -> None:
    text, problems = imported(name)
    assert not text and len(problems) == len(titles)
    assert all(title in problem.title for title, problem in zip(titles, problems, strict=True))


def test_l03_with_what_it_lacks_has_the_split_of_the_case() -> None:
    """Case L03: first 11 + 12 + 12 + last 11."""
    more = b"--vocab-size 32000\n--decoder-first-pipeline-num-layers 11\n--decoder-last-pipeline-num-layers 11\n"
    text, problems = imported("l03.args", (INPUTS / "l03_megatron.args").read_bytes() + more)
    assert not problems and "stages            = [11 layers, 12 layers, 12 layers, 11 layers]" in text


@pytest.mark.parametrize(
    ("layers", "more", "split", "stages", "schedule"),
    [
        (126, "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split "
              "--num-layers-per-virtual-pipeline-stage 1", "balanced", None, "interleaved(virtual_stages = 8)"),
        (127, "--account-for-embedding-in-pipeline-split", None, [7, *[8] * 15], None),
        (127, "--account-for-loss-in-pipeline-split", None, [*[8] * 15, 7], None),
        (128, "", None, None, None),
    ],
)  # fmt: skip
def test_megatron_counts_the_embedding_and_the_loss_as_a_layer_each(
    layers: int, more: str, split: str | None, stages: list[float] | None, schedule: str | None
) -> None:
    """Llama 3's 405B (section 3.3.2): 126 layers over 16 stages, one less on the first and the last of them."""
    text = f"--num-layers {layers} --hidden-size 64 --num-attention-heads 4 --vocab-size 1000 --seq-length 128\n"
    text += f"--micro-batch-size 1 --global-batch-size 16 --world-size 16 --pipeline-model-parallel-size 16 {more}\n"
    draft, problems = megatron.read(text.encode(), "run.args")
    assert not problems and draft.notes == []
    assert [draft.run.get(f"layout.{p}") for p in ("split", "stages", "schedule")] == [split, stages, schedule]
    _, wrong = megatron.read(text.replace("126", "125").replace("127", "126").encode(), "run.args")
    assert layers == 128 or "7.9375" in wrong[0].title


def test_a_launch_script_with_continuations_and_what_is_not_used() -> None:
    script = (
        "torchrun --nproc_per_node 8 pretrain_gpt.py \\\n --num-layers=2 --hidden-size 64 \\\n"
        " --num-attention-heads 4 --vocab-size 1000 --seq-length 128 --micro-batch-size 1 \\\n"
        " --train-iters 100 --global-batch-size 16 --bf16 --lr 1e-4  # a comment --fp16\n"
    )
    draft, problems = megatron.read(script.encode(), "run.sh")
    assert not problems and draft.gpus == 8
    assert draft.run["tokens"] == 100 * 16 * 128 and draft.run["precision"] == "bf16"
    assert draft.notes == ["not used: --lr"]
    _, wrong = megatron.read(script.replace("64", "$HIDDEN").encode(), "run.sh")
    assert "is a variable of the shell" in wrong[0].title


def test_torchtitan_by_name_and_flavor_and_by_degrees_that_contradict() -> None:
    text = '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nseq_len = 8192\nlocal_batch_size = 1\nsteps = 1000\n'
    more = "[parallelism]\ndata_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 8\n"
    more += "[compile]\nenable = true\n"
    draft, problems = torchtitan.read((text + more).encode(), "a.toml")
    assert not problems and (draft.gpus, draft.run["model"], draft.run["stack"]) == (16, "llama-3.1-8b", "torchtitan")
    assert draft.run["layout.shard"] == "zero3(group = 8 gpus)" and draft.run["tokens"] == 1000 * 16 * 8192
    _, wrong = torchtitan.read(("# world_size = 64\n" + text + more).encode(), "a.toml")
    assert "the degrees make 16 ranks, world_size is 64" in wrong[0].title
    assert torchtitan.read(b"[model\n", "a.toml")[1][0].code == "E02"


HEADS = (
    (megatron_runs, "a.args", (INPUTS / "m01_megatron.args").read_bytes()),
    (torchtitan_runs, "a.toml", (INPUTS / "m18_torchtitan.toml").read_bytes()),
    (yaml_runs, "a.yaml", (INPUTS / "f01_run.yaml").read_bytes()),
)


@given(st.sampled_from(HEADS), st.binary(max_size=60) | st.text("=-[]:0123456789e. \n", max_size=60).map(str.encode))
def test_whatever_is_read_becomes_text_of_the_language_or_problems(head: Any, noise: bytes) -> None:
    make, name, data = head
    made = make(Asked((Given(name, data + noise),)))
    assert bool(made.text) != bool(made.problems)
    assert all(p.title and p.span.file == name for p in made.problems)
    assert canonical(made.text) == (made.text, [])


@pytest.mark.parametrize("head", HEADS)
def test_files_are_unpacked_before_they_are_measured_and_never_cut(head: Any) -> None:
    """Compressed, the same text comes out; one argument behind a megabyte of comments is not dropped in silence."""
    make, name, data = head
    plain_text = make(Asked((Given(name, data),))).text
    packed = make(Asked((Given(name, gzip.compress(data)),)))
    assert packed.text == plain_text and not packed.problems
    noise = hashlib.shake_256(b"x").digest(700_000).hex().encode()  # that does not compress to less than 0.7 MB
    long = b"\n".join(b"# " + noise[i : i + 80] for i in range(0, len(noise), 80))
    for form in (long, gzip.compress(long)):
        made = make(Asked((Given(name, form),)))
        assert not made.text and f"`{name}` is larger than 1 MB" in made.problems[0].title


def test_settings_that_are_commented_out_are_named_and_prose_is_not() -> None:
    text = (INPUTS / "m18_torchtitan.toml").read_text("utf-8")
    assert torchtitan.commented_out(text + "# a variant, compare with dim = 8\n") == []
    more = "# context_parallel_degree = 2\n  #mode='none'\ndim2 = 3 # x = 1\n"
    count = text.count("\n")
    assert torchtitan.commented_out(text + more) == [f"context_parallel_degree (line {count + 1})",
                                                     f"mode (line {count + 2})"]  # fmt: skip
    draft, problems = torchtitan.read((text + "# context_parallel_degree = 2\n").encode(), "a.toml")
    assert not problems and f"commented out, so not read: context_parallel_degree (line {count + 1})" in draft.notes


def test_a_file_name_with_a_line_break_stays_in_its_comment() -> None:
    make, _, data = HEADS[0]
    made = make(Asked((Given("a\nrun b {.args", data),)))
    assert made.text.startswith("# From Megatron-LM arguments, arun b {.args.") and not made.problems


def test_every_format_has_a_name_of_its_own_and_each_input_is_told() -> None:
    assert len({f.name for f in FORMATS}) == len(FORMATS)
    told = {}
    for path in sorted(INPUTS.iterdir()):
        found, _ = detected([Given(path.name, path.read_bytes())])
        told[path.suffix] = found.name if found else "none"
    assert told == {".args": "megatron", ".html": "none", ".json": "hf", ".toml": "torchtitan", ".txt": "nccl-tests",
                    ".yaml": "yaml"}  # fmt: skip

"""A measured run in a few lines of YAML: each setting with its key, what is assumed, and each problem whole."""

import pytest

from dsl.importers.run_draft import Draft, Line
from dsl.importers.run_yaml import detects, read
from dsl.problems import Problem, Span

MODEL = "model: {layers: 12, hidden: 96, heads: 6, vocab: 5000}\n"


def made(*lines: str) -> Draft:
    draft, problems = read((MODEL + "\n".join(lines)).encode(), "r.yaml")
    assert problems == []
    return draft


def test_what_a_file_says_and_what_is_assumed() -> None:
    own = made("seq_len: 384  # tokens", "- x", "gpu: 'h100'", "odd: 5")
    assert own.model == {"layers": 12, "hidden": 96, "heads": 6, "vocabulary": 5000}
    assert own.run == {"sequence": 384, "precision": "bf16", "batch": 8, "layout.shard": "zero3",
                       "stack": "torch-fsdp2"}  # fmt: skip
    assert own.why == {
        "model.layers": "model.layers", "model.hidden": "model.hidden", "model.heads": "model.heads",
        "model.vocabulary": "model.vocab", "sequence": "seq_len", "batch": "not given: a sequence a GPU",
        "layout.shard": "not given", "stack": "not given",
    }  # fmt: skip
    assert own.gpus == 8
    assert own.notes == ["missing: the number of GPUs; a node of 8 is assumed", "not used: odd"]
    assert own.given["gpu"] == Line("gpu", "h100", 4) and own.given["model.heads"] == Line("model.heads", "6", 1)


@pytest.mark.parametrize(
    ("line", "gpus", "batch"),
    [("gpus: 40", 40, 40), ("world_size: 24", 24, 24), ("gpus: 0", 8, 8), ("batch: 30", 8, 30),
     ("global_batch_size: 30", 8, 30)],
)  # fmt: skip
def test_gpus_and_batch(line: str, gpus: int, batch: int) -> None:
    own = made("seq_len: 384", line)
    assert (own.gpus, own.run["batch"]) == (gpus, batch)
    assert ("batch" in own.why) == ("batch" not in line) and bool(own.notes) == ("batch" in line)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [("tokens_per_s_per_gpu: 9600", "tokens_per_second_per_gpu", 9600), ("step_time_s: 2.5", "step_time", 2.5),
     ("tokens_per_second_per_gpu: 77.5", "tokens_per_second_per_gpu", 77.5), ("step_time_s: 0", "", 0)],
)  # fmt: skip
def test_a_rate_or_a_time_is_measured(line: str, name: str, value: float) -> None:
    found = {k: v for k, v in made("seq_len: 384", line).run.items() if k.startswith("measured")}
    assert found == ({f"measured.{name}": value} if name else {})


def test_sizes_that_a_model_may_have() -> None:
    own, problems = read(
        b"model: {layers: 12, hidden: 96, heads: 6, vocabulary: 5000, ffn: 300, kv_heads: 2, head: 24}\nsequence: 384\n"
        b"precision: fp8\n", "r.yaml",
    )  # fmt: skip
    assert problems == [] and own.model == {"layers": 12, "hidden": 96, "heads": 6, "ffn": 300, "kv_heads": 2,
                                            "head": 24, "vocabulary": 5000}  # fmt: skip
    assert (own.run["precision"], own.run["sequence"]) == ("fp8", 384)


def test_what_is_missing_and_a_precision_that_is_none() -> None:
    _, problems = read(b"gpus: 8\nprecision: bf1\n", "r.yaml")
    needs = [("model.layers", "add layers to model"), ("model.hidden", "add hidden to model"),
             ("model.heads", "add heads to model"), ("model.vocab", "add vocab to model"),
             ("seq_len", "add seq_len")]  # fmt: skip
    assert problems == [
        *[Problem("E13", f"r.yaml has no {n}", Span("r.yaml", 1, 1, 2), "needed", help=help) for n, help in needs],
        Problem("E21", "`bf1` is no precision", Span("r.yaml", 2, 1), "stated here", help="did you mean `bf16`?"),
    ]
    assert read(b"precision: " + b"x" * 30, "r.yaml")[1][-1].title == f"`{'x' * 20}` is no precision"


def test_a_file_that_is_too_large_is_the_only_problem() -> None:
    assert read(b"a: 5\n" * 250_000, "r.yaml")[1] == [
        Problem("E02", "`r.yaml` is larger than 1 MB", Span("r.yaml", 1, 1, 1), help="name the file of one run")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("model: {}\nseq_len: 5", True), ("gpu: x\nmodel: {}", True), ("model: {}\nstep_time_s: 5", True),
     ("model: {}", False),
     ("seq_len: 5", False), (" model: {}\ngpu: x", False)],
)  # fmt: skip
def test_a_model_and_a_run_tell_the_format(text: str, expected: bool) -> None:
    assert detects(text) is expected

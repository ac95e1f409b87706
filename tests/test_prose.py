"""Words: sentences and titles that begin with the name of a file, names of the language in capitals."""

import pytest

from reports.prose import capital, sentence
from reports.sections.step import time_unit
from reports.terms import words


@pytest.mark.parametrize(("text", "said"), [
    ("library/gpus.scn:12, third-party", "library/gpus.scn:12, third-party."),
    ("plan.scn holds no run", "plan.scn holds no run."),
    ("scnd is no file", "Scnd is no file."),
    ("e.g. this", "E.g. this."),
    ("", ""),
])  # fmt: skip
def test_a_sentence_begins_with_a_capital_unless_a_file_does(text: str, said: str) -> None:
    assert sentence(text) == said


@pytest.mark.parametrize(("name", "said"), [
    ("kv_replication", "KV replication"), ("dense_ffn", "Dense FFN"), ("pue", "PUE"), ("mfu_causal", "MFU causal"),
])  # fmt: skip
def test_abbreviations_are_in_capitals(name: str, said: str) -> None:
    assert capital(words(name)) == said


@pytest.mark.parametrize(("step", "unit"), [(0.9, ("ms", 1)), (18.442, ("s", 4)), (25.0, ("s", 3))])
def test_a_step_of_seconds_is_not_counted_in_thousands_of_milliseconds(step: float, unit: tuple[str, int]) -> None:
    assert time_unit(step) == unit


def test_digits_of_a_reason_are_grouped_as_everywhere() -> None:
    made = sentence("a batch of 1_032 over 10_000_000 in run_12")
    assert made == "A batch of 1~032 over 10~000~000 in run_12.".replace("~", "\u00a0")

"""The formats that `scn import` reads: how each is told by what is in a file, and what makes text of it."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dsl.importers import gemm_table, kineto, megatron, nccl_tests, nsight, run_yaml, torchtitan, train_log
from dsl.importers.text import LOOKED, known, unpacked
from dsl.problems import Problem, Span
from reports.imports.asked import Asked, Given, Made, Plan


@dataclass(frozen=True)
class Format:
    """One format: its name on the command line, what it is, how a text is known, and what reads it."""

    name: str
    doc: str
    detects: Callable[[str], bool]
    module: str  # of reports.imports
    function: str

    def make(self, asked: Asked) -> Made:
        """The files read, fitted and printed."""
        from importlib import import_module

        made: Made = getattr(import_module(f"reports.imports.{self.module}"), self.function)(asked)
        return made


def _config(text: str) -> bool:
    return text.lstrip().startswith("{") and bool(re.search(r'"(architectures|model_type|hidden_size|n_embd)"', text))


FORMATS = (
    Format("nccl-tests", "output of nccl-tests, rccl-tests: a calibration of links", nccl_tests.detects, "links",
           "links"),
    Format("gemm", "CSV of m, n, k, dtype, seconds or tflops: a calibration of GEMMs", gemm_table.detects, "gemms",
           "gemms"),
    Format("kineto", "PyTorch profiler traces, a file a rank: a trace", kineto.detects, "traces", "kineto_traces"),
    Format("nsight", "nsys stats --format csv: a trace", nsight.detects, "traces", "nsight_tables"),
    Format("log", "logs of Megatron-LM, NeMo, TorchTitan, DeepSpeed: measured values, progress", train_log.detects,
           "logs", "logs"),
    Format("megatron", "arguments of Megatron-LM: a run with its model and layout", megatron.detects, "runs",
           "megatron_runs"),
    Format("torchtitan", "TorchTitan's TOML: a run with its model and layout", torchtitan.detects, "runs",
           "torchtitan_runs"),
    Format("yaml", "model, seq_len, gpu and a measured rate in YAML: a run", run_yaml.detects, "runs", "yaml_runs"),
    Format("hf", "config.json of a Hugging Face model: a model", _config, "models", "models"),
)  # fmt: skip


def named(word: str) -> Format | None:
    """The format of that name."""
    return next((f for f in FORMATS if f.name == word), None)


def plain(given: Sequence[Given]) -> tuple[tuple[Given, ...], list[Problem]]:
    """The files unpacked, once for all that reads them."""
    files, problems = list[Given](), list[Problem]()
    for file in given:
        data, wrong = unpacked(file.data, file.name)
        files.append(file._replace(data=data))
        problems += wrong
    return tuple(files), problems


def detected(given: Sequence[Given]) -> tuple[Format | None, list[Problem]]:
    """The one format of all files (unpacked), or the problem of one that is none or another."""
    first: Format | None = None
    for file in given:
        found = known(file.data, ((f.detects, f) for f in FORMATS))
        if found is None:
            return None, [unknown(file)]
        if first is not None and found is not first:
            title = f"{file.name} is {found.name}, the first file {first.name}"
            return None, [Problem("E26", title, Span(file.name, 1, 1), "another format", help="import them one by one")]
        first = found
    return first, []


def unknown(file: Given) -> Problem:
    """Why a file is no input, as exactly as it can be told."""
    text = file.data[:LOOKED].decode("utf-8-sig", "replace")
    place, what = Span(file.name, 1, 1, 2), f"{file.name} is no format that can be read"
    notes: tuple[str, ...] = (f"formats: {', '.join(f.name for f in FORMATS)}",)
    help = f"name the format before the file: scn import {FORMATS[0].name} {Path(file.name).name}"
    if re.match(r"\s*(<!doctype html|<html)", text, re.IGNORECASE):
        what = f"{file.name} is an HTML page: a report to look at, not a measurement or a configuration"
        help = "import the log, trace or configuration that the page was made from"
    elif file.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        what, help = f"{file.name} is UTF-16", "save it as UTF-8"
    elif b"\0" in file.data[:LOOKED]:
        what, help = f"{file.name} is not text", "export it as text, CSV or JSON first"
    elif not text.strip():
        what, help = f"{file.name} is empty", ""
    return Problem("E02", what, place, "this file", notes=notes, help=help)


def planned(file: Path, wanted: str) -> tuple[Plan | None, list[Problem]]:
    """The run of a scenario that the files belong to."""
    from engine.read import read as read_run
    from reports.commands.source import read, runs_of, the_run

    source = read(file)
    if source.in_error:
        return None, [p for p in source.problems if p.severity == "error"]
    _, run, problems = the_run(file, runs_of(source.scenario), wanted)
    if run is None:
        return None, problems
    imported = importable(file)
    if not imported:
        title = f"`{file}` cannot be imported by the printed text"
        why = "a path between quotes has no quotes, no \\ and no control characters"
        return None, [Problem("E02", title, Span(str(file), 1, 1), "the plan", notes=(why,), help="rename the file")]
    return Plan(imported, run, read_run(run.plain())), []


def importable(file: Path) -> str:
    """The path as a scenario in the present folder imports it; empty where the language cannot write it."""
    path = Path(os.path.relpath(file)).as_posix() if file.is_absolute() else file.as_posix()
    return path if path.isprintable() and not set(path) & {'"', "\\"} else ""

"""A run that a framework's arguments describe, as a whole scenario file: its model, a cluster for it, the run."""

from collections.abc import Callable
from functools import cache

from dsl.catalog import Item, catalog
from dsl.form import canonical
from dsl.importers import megatron, run_yaml, torchtitan
from dsl.importers.printed import block, digits, name_of, quoted, remarks
from dsl.importers.run_draft import Draft
from dsl.kinds import MODEL, RUN
from dsl.problems import Problem, Span, did_you_mean
from reports.imports.asked import Asked, Given, Made, refused

NODE = 8
USUAL = "h100-sxm"
Reader = Callable[[bytes, str], tuple[Draft, list[Problem]]]


def megatron_runs(asked: Asked) -> Made:
    """Arguments of Megatron-LM."""
    return runs(asked, megatron.read, "Megatron-LM arguments")


def torchtitan_runs(asked: Asked) -> Made:
    """Configurations of TorchTitan."""
    return runs(asked, torchtitan.read, "a TorchTitan configuration")


def yaml_runs(asked: Asked) -> Made:
    """Measured runs in YAML."""
    return runs(asked, run_yaml.read, "a YAML file")


def runs(asked: Asked, reader: Reader, what: str) -> Made:
    """One file a scenario; several are told one by one."""
    if len(asked.files) > 1:
        return refused([Problem("E26", "one run at a time", Span(asked.files[1].name, 1, 1, 2), "a second file")])
    file = asked.files[0]
    draft, problems = reader(file.data, file.name)
    if problems:
        return refused(problems)
    gpu, wrong = gpu_of(asked.gpu or (draft.text("gpu") or ""), file, draft)
    if wrong:
        return refused(wrong)
    name = name_of(asked.name or file.stem, "run")
    head = remarks([f"From {what}, {file.shown}.", *(f"{note}." for note in draft.notes)])
    imports = ["edition 2026", "", 'import "library/gpus.scn"', 'import "library/fabrics.scn"',
               'import "library/models.scn"', ""]  # fmt: skip
    text, found = canonical("\n".join([*head, *imports]) + "\n" + cluster(draft.gpus, gpu, name))
    assert not found, found
    source = f"{what}, {file.shown}"
    if "model" not in draft.run:
        settings = {**draft.model, "source": source, "confidence": "third-party", "verified": "read"}
        text += "\n" + block(MODEL, f"{name}-model", settings, why=_why(draft, "model."))
        draft.run = {"model": f"{name}-model", **draft.run}
    measured = {p.removeprefix("measured."): v for p, v in draft.run.items() if p.startswith("measured.")}
    own = {p: v for p, v in draft.run.items() if not p.startswith("measured.")}
    own = {"model": own.pop("model"), "cluster": f"{name}-cluster", **own}
    return Made(text + "\n" + with_measured(block(RUN, name, own, why=_why(draft, "")), measured, source), [])


def _why(draft: Draft, head: str) -> dict[str, str]:
    """Comments of the model's settings, or of the run's."""
    if head:
        return {p.removeprefix(head): why for p, why in draft.why.items() if p.startswith(head)}
    return {p: why for p, why in draft.why.items() if not p.startswith("model.")}


@cache
def parts() -> tuple[Item, ...]:
    """The parts of the library."""
    return tuple(catalog())


def gpu_of(wanted: str, file: Given, draft: Draft) -> tuple[Item | None, list[Problem]]:
    """The GPU of the library that is asked for; the usual one where nothing says, which is noted."""
    names = {i.name: i for i in parts() if i.kind == "gpu"}
    if not wanted:
        draft.notes.append(f"missing: the GPU, {USUAL} is assumed; name another with --gpu")
    lower = wanted.lower() or USUAL
    if lower in names:
        return names[lower], []
    help = did_you_mean(lower, names) or "`scn catalog gpu` lists them"
    return None, [Problem("E15", f"there is no gpu `{wanted}` in the library", Span(file.name, 1, 1, 2), help=help)]


def cluster(gpus: int, gpu: Item | None, name: str) -> str:
    """A cluster of that many GPUs: the library's network of its GPU, or a plain one."""
    assert gpu is not None
    own = {q.path: q for q in gpu.settings}
    link = f"{gpu.name}.link" if "link" in own else "25 GB/s"
    head = f"cluster {name}-cluster"
    if gpus <= NODE:
        return (f"{head} {{\n  gpu = {gpu.name}\n  gpus_per_node = {gpus} gpus\n  gpus = {gpus} gpus\n"
                f"  tier node {{ bandwidth = {link} }}\n}}\n")  # fmt: skip
    fabrics = [i for i in parts() if i.kind == "cluster"]
    fabric = next((i for i in fabrics if any(q.path == "gpu" and q.text == gpu.name for q in i.settings)), None)
    if fabric is not None:
        return f"{head} from {fabric.name} {{\n  gpus = {gpus} gpus\n}}\n"
    return (f"{head} {{\n  gpu = {gpu.name}\n  gpus_per_node = {NODE} gpus\n  gpus = {gpus} gpus\n"
            f"  tier node {{ bandwidth = {link} }}\n"
            "  tier net { bandwidth = 400 Gb/s }  # not given\n}\n")  # fmt: skip


def with_measured(text: str, measured: dict[str, float], source: str) -> str:
    """The run with a block of measured values at its end."""
    if not measured:
        return text
    lines = [f"{n} = {digits(v)}{' s' if n.endswith('time') else ' tokens/s'}" for n, v in measured.items()]
    inner = "\n".join(["measured {", *lines, f'source = "{quoted(source)}"', "}"])
    made, problems = canonical(text.rstrip().removesuffix("}") + inner + "\n}\n")
    assert not problems, problems
    return made

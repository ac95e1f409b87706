"""Every model and GPU of the library, read through the language as a run reads it."""

import re
from pathlib import Path

from engine.inputs import Gpu, Run
from engine.model_inputs import Model
from engine.read import read
from tests.language import scenario_of

LIBRARY = Path(__file__).parents[1] / "scenarios" / "library"
HEAD = 'edition 2026\nimport "library/gpus.scn"\nimport "library/models.scn"\n'


def _names(file: str, kind: str) -> list[str]:
    return re.findall(rf"^{kind} (\S+) ", (LIBRARY / file).read_text("utf-8"), re.MULTILINE)


def _runs() -> dict[str, Run]:
    """One run a model and one a GPU, named as they are."""
    models, gpus = _names("models.scn", "model"), _names("gpus.scn", "gpu")
    text = HEAD + "cluster one { gpu = h100-sxm, gpus = 1 gpus }\n"
    text += "".join(f"cluster on-{gpu} {{ gpu = {gpu}, gpus = 1 gpus }}\n" for gpu in gpus)
    text += "".join(f"run {name} {{ model = {name}, cluster = one, batch = 2 sequences }}\n" for name in models)
    text += "".join(f"run on-{gpu} {{ model = llama-3-8b, cluster = on-{gpu}, batch = 2 sequences }}\n" for gpu in gpus)
    return {run.name: read(run.plain()) for run in scenario_of(text).runs}


_FOUND = _runs()
LIBRARY_MODELS: dict[str, Model] = {name: run.model for name, run in _FOUND.items() if not name.startswith("on-")}
LIBRARY_GPUS: dict[str, Gpu] = {
    name.removeprefix("on-"): run.gpu for name, run in _FOUND.items() if name.startswith("on-")
}

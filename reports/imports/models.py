"""A Hugging Face config.json as a `model` block."""

import os
from hashlib import sha256
from pathlib import Path

from dsl.importers.config import configurations
from dsl.importers.hf import read_config
from dsl.importers.hf_block import block, model_name
from dsl.problems import Problem
from reports.imports.asked import Asked, Given, Made, refused


def models(asked: Asked) -> Made:
    """A block for every configuration; a file may hold several under names of their own."""
    texts, problems = list[str](), list[Problem]()
    for file in asked.files:
        several = configurations(file.data)
        for own, data in several or (("", file.data),):
            found, wrong = read_config(data, file.name)
            problems += wrong
            if found is not None:
                name = named(file, f"{asked.name}-{own}".strip("-") if own else asked.name, own)
                texts.append(block(found, name, file.shown.removesuffix(".gz"), sha256(file.data).hexdigest()))
    return refused(problems) if problems else Made("\n".join(texts), [])


def named(file: Given, wanted: str, own: str = "") -> str:
    """The name of the model: as asked for, else its own, else the file's, else (config.json) its folder's."""
    path = Path(file.name.removesuffix(".gz"))
    stem = path.stem if path.stem != "config" else os.path.basename(os.path.abspath(path.parent))
    return model_name(wanted or (f"{stem}-{own}" if own else stem))

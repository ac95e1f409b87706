"""The files that start a run: the framework's arguments or configuration of the layout that the document holds."""

from collections.abc import Mapping
from typing import Any

from reports.operations import flavors, megatron, torchtitan
from reports.operations.settings import amount, layers_of, sharded_over

Point = Mapping[str, Any]


def of_document(document: Mapping[str, Any]) -> dict[str, str]:
    """The files of every run of a document, each named after its run."""
    experiments = document.get("experiments") or ()  # a document of changes holds none
    runs = [e for e in experiments if e["kind"] == "run" and e["points"]]
    return {name: text for e in runs for name, text in exported(e["points"][0], str(e["name"] or "run")).items()}


def exported(point: Point, stem: str) -> dict[str, str]:
    """{file name: text} of the framework that the run names; empty where it cannot be built or has no such file."""
    settings = point.get("settings") or {}
    if point.get("status") == "cannot_be_built" or not amount(settings, "cluster.gpus"):
        return {}
    stack = str(settings.get("stack") or "")
    if not amount(settings, "model.hidden") or not amount(settings, "model.heads"):
        return {}
    if stack in megatron.STACKS:
        return {f"{stem}.megatron.args": megatron.text(megatron.arguments(settings, layers_of(point)))}
    if stack in torchtitan.STACKS:
        configuration = torchtitan.configuration(settings, layers_of(point), sharded_over(point))
        gpus = amount(settings, "cluster.gpus")
        return {f"{stem}.torchtitan.toml": torchtitan.text(configuration, gpus, flavors.dimensions(settings))}
    return {}


def unsaid(point: Point) -> list[str]:
    """What of a run the file of its framework does not say."""
    settings, layers = point["settings"], layers_of(point)
    stack = str(settings.get("stack") or "")
    if stack in megatron.STACKS:
        return megatron.not_said(settings, layers)
    return torchtitan.not_said(settings, layers) if stack in torchtitan.STACKS else []

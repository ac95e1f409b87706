"""The scenario of `scn size`: a cluster for each GPU, the run that is sized, and the question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dsl.form import canonical
from reports.draft import Site, tiers

if TYPE_CHECKING:
    from dsl.catalog import Item

ROOM = 'require memory_per_gpu <= 90% * cluster.gpu.memory because "room for NCCL and fragmentation"'


class Asked:
    """What is asked for, in the language's words."""

    def __init__(self, wish: dict[str, str], parts: "Sequence[tuple[Item, Site, str, str]]", sequence: int) -> None:
        self.wish, self.parts, self.sequence = wish, parts, sequence

    def text(self, layout: dict[str, Any] | None = None) -> str:
        """The scenario; with ``layout``, the settings of a point, its run as the answer has it."""
        chosen = (layout or {}).get("cluster") or f"on-{self.parts[0][0].name}"
        lines = ["# How many of which GPUs? Written by `scn size`; `render` shows the whole answer.", "edition 2026\n"]
        lines += [f'import "library/{name}.scn"' for name in ("gpus", "models", "fabrics", "prices")]
        if self.wish["config"]:
            lines.append(f'\nmodel {self.wish["model"]} {{ hf = "{self.wish["config"]}" }}')
        lines += ["", *(self.cluster(*part, chosen, layout) for part in self.parts), self.run(chosen, layout)]
        return canonical("\n".join([*lines, self.question()]))[0]

    def question(self) -> str:
        """The block that asks how many."""
        names = ", ".join(f"on-{part.name}" for part, *_ in self.parts)
        limits = [f"{path} = {self.wish[path]}" for path in ("deadline", "budget") if self.wish[path]]
        rows = ["base = plan", f"clusters = [{names}]", f"gpus = {self.wish['gpus']}", *limits, ROOM]
        return "size which {\n" + "\n".join(rows) + "\n}"

    def cluster(
        self, part: "Item", site: "Site", price: str, source: str, chosen: str, layout: dict[str, Any] | None
    ) -> str:
        """One cluster, of as many GPUs as the answer has where it is the answer's."""
        name = f"on-{part.name}"
        gpus = int((layout or {}).get("cluster.gpus") or 1024) if name == chosen else 1024
        base = f" from {site.fabric}" if site.fabric else ""
        rows = [f"gpus = {gpus}", *([f"price = {price}  # {source}"] if price else [])]
        if not site.fabric:
            rows = [f"gpu = {part.name}", f"gpus_per_node = {site.node}", *rows, tiers(site)]
        return f"cluster {name}{base} {{\n" + "\n".join(rows) + "\n}\n"

    def run(self, chosen: str, layout: dict[str, Any] | None) -> str:
        """The run that is sized."""
        own = {p.removeprefix("layout."): v for p, v in (layout or {}).items() if p.startswith("layout.")}
        known = {name: value for name, value in own.items() if name != "data" and value is not None}
        rows = [f"{name} = {written(name, value)}" for name, value in known.items()]
        inner = "layout {\n" + "\n".join(rows) + "\n}\n" if rows else ""
        return (
            f"run plan {{\nmodel = {self.wish['model']}\ncluster = {chosen}\ntokens = {self.wish['tokens']}\n"
            f"sequence = {self.sequence} tokens\nbatch = {self.wish['batch']} sequences\n{inner}}}\n"
        )


def written(name: str, value: Any) -> str:
    """A setting of a layout as the language writes it."""
    text = f"{int(value)}" if isinstance(value, float) else str(value)
    return f"{text} sequences" if name == "micro_batch" else text

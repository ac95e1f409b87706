"""The order of the document. A section is a file here, a template of the same name, and its row in OUTLINE."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reports.plan import Plan, Section
from reports.sections.acceptance import acceptance, acceptance_commands
from reports.sections.alternatives import alternatives
from reports.sections.assumptions import assumptions, defaults
from reports.sections.compare import compare
from reports.sections.cost import cost, power
from reports.sections.failures import failures
from reports.sections.glossary import glossary
from reports.sections.layout import layout
from reports.sections.ledger import ledger
from reports.sections.limits import limits
from reports.sections.materials import materials
from reports.sections.measured import measured
from reports.sections.memory import memory
from reports.sections.method import equation_rooms, method
from reports.sections.network import network
from reports.sections.one_page import one_page
from reports.sections.operations import operations
from reports.sections.optimize import optimize
from reports.sections.phases import phases
from reports.sections.pipeline import pipeline
from reports.sections.point_lists import point_lists
from reports.sections.portfolio import portfolio
from reports.sections.profiled import profiled
from reports.sections.progress import progress
from reports.sections.provenance import provenance
from reports.sections.requirements import requirements
from reports.sections.results import results
from reports.sections.rooflines import rooflines
from reports.sections.scale import scale
from reports.sections.sensitivity import sensitivity
from reports.sections.size import size
from reports.sections.source import source
from reports.sections.step import step
from reports.sections.sweep import sweep

Make = Callable[[Plan], Section | Sequence[Section] | None]
"""Nothing where it does not apply; several where a document may hold several, one for each experiment."""


@dataclass(frozen=True)
class Chapter:
    """A level-1 section of the document; it is left out where all its sections are."""

    key: str
    title: str
    sections: tuple[Make, ...]
    appendix: bool = False
    numbered: bool = True
    classes: str = ""  # "landscape": wide tables; "flows": no page of its own
    always: bool = False  # stays, whatever sections a report asks for
    kinds: tuple[str, ...] = ()  # of documents that have it unasked; none: all


ONE_PAGE = Chapter("at-a-glance", "At a glance", (one_page,), numbered=False, classes="flows", always=True)
"""All that follows the summary of a document of one page."""

OUTLINE: tuple[Chapter, ...] = (
    Chapter("requirements-and-assumptions", "Requirements and assumptions", (requirements, assumptions), always=True),
    Chapter("configuration", "Configuration", (layout, memory)),
    Chapter("performance", "Performance", (step, phases, pipeline, network, measured, profiled)),
    Chapter("failures-and-checkpoints", "Failures and checkpoints", (failures,)),
    Chapter("cost-and-power", "Cost and power", (cost, power, progress)),
    Chapter("bill-of-materials", "Bill of materials", (materials,), kinds=("procurement",)),
    Chapter("operations-on-the-roof", "Operations on the roof", (rooflines,)),
    Chapter("alternatives-side-by-side", "Alternatives", (compare, alternatives)),
    Chapter("programme", "Programme", (portfolio,)),
    Chapter("size", "Size of the cluster", (size,)),
    Chapter("best-points", "Search", (optimize,)),
    Chapter("sweeps", "Sweeps", (sweep,)),
    Chapter("scaling", "Scaling", (scale,)),
    Chapter("uncertainty", "Sensitivity", (sensitivity,)),
    Chapter("limits-of-this-document", "Limits of this document", (limits,), classes="flows", always=True),
    Chapter(
        "acceptance-test", "Acceptance test", (acceptance, acceptance_commands), kinds=("procurement",)
    ),  # fmt: skip
    Chapter("all-results", "All results", (results,), appendix=True),
    Chapter("where-numbers-come-from", "Where the numbers come from", (provenance,), appendix=True, always=True),
    Chapter("design-points", "Design points", (point_lists,), appendix=True, classes="landscape"),
    Chapter("operations", "Operations", (operations,), appendix=True),
    Chapter("operator-ledger", "Operator ledger", (ledger,), appendix=True, classes="landscape"),
    Chapter("inputs-not-stated", "Inputs not stated in the scenario", (defaults,), appendix=True, always=True),
    Chapter("method-and-sources", "Method", (method, equation_rooms), appendix=True, always=True),
    Chapter("scenario-as-given", "Scenario as given", (source,), appendix=True, always=True),
    Chapter("terms", "Glossary", (glossary,), numbered=False, classes="flows", always=True),
)

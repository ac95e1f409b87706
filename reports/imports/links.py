"""nccl-tests output as a calibration: rates and latencies by tier, fitted in the engine's own form."""

from collections import defaultdict
from collections.abc import Sequence
from math import ceil, exp, log
from typing import NamedTuple

from dsl.importers.nccl_tests import Test, read
from dsl.importers.printed import block, name_of
from dsl.kinds import CALIBRATION
from dsl.problems import Problem
from engine import link_fit
from engine.calibrate import RATES
from engine.columns import column
from engine.link_fit import LinkFit
from engine.network import domain, spans
from reports.imports.asked import Asked, Made, follows, opening, refused

KINDS = {**RATES, "send_receive": "send"}
USUAL = ("node", "pod")  # tiers where no plan names them: inside a scale-up domain, and across


class Fitted(NamedTuple):
    """A test with the tier that its ranks reach and what was fitted."""

    test: Test
    tier: str
    domains: float
    fit: LinkFit


def links(asked: Asked) -> Made:
    """A `calibration` block of every test that the files hold; collectives that the engine has no row for are named."""
    tests, problems = list[Test](), list[Problem]()
    for file in asked.files:
        found, wrong = read(file.data, file.name)
        tests += found
        problems += wrong
    if problems:
        return refused(problems)
    used = [t for t in tests if t.collective in KINDS and t.ranks > 1]
    fits = [fitted(t, asked) for t in used]
    unused = sorted({t.collective for t in tests if t.collective not in KINDS})
    head = "Fitted from nccl-tests: t = t0 + c S / rate for messages from 1 MiB up; smaller ones are faster than that."
    notes = [head, *map(said, fits)]
    if unused:
        notes.append(f"Not used, nothing is predicted with it: {', '.join(unused)}.")
    wrong_rows = sum(row.wrong > 0 for t in tests for row in t.rows)
    if wrong_rows:
        notes.append(f"{wrong_rows} rows report wrong elements: find the cause before the figures are used.")
    if asked.plan is None and not asked.tier:
        notes.append("Tiers are called node and pod; rename them as your cluster does, or import with --plan.")
    name = name_of(asked.name or asked.files[0].stem, "calibration")
    text = block(CALIBRATION, name, settings(fits, asked), parts(fits, asked), notes=notes)
    return Made(opening(asked.plan) + text + follows(asked.plan, name), [])


def fitted(test: Test, asked: Asked) -> Fitted:
    """One test laid on its tier and fitted, out of place and in place together."""
    domains = in_domains(test, asked)
    kind = "send" if test.collective == "send_receive" else test.collective
    found = link_fit.fit(kind, test.ranks, domains, [r.size for r in test.rows], [r.seconds for r in test.rows])
    return Fitted(test, asked.tier or tier_of(test, domains, asked), domains, found)


def in_domains(test: Test, asked: Asked) -> float:
    """Scale-up domains that the ranks fill: as the plan's cluster has them, else hosts, else ranks by --per-node."""
    if asked.plan is not None:
        return float(ceil(test.ranks / float(domain(asked.plan.engine.cluster)[0])))
    return float(test.nodes or ceil(test.ranks / asked.per_node))


def tier_of(test: Test, domains: float, asked: Asked) -> str:
    """The tier that the ranks reach when they are packed."""
    if asked.plan is None or not asked.plan.engine.cluster.tier:
        return USUAL[domains > 1]
    chain = asked.plan.engine.cluster.tier
    width = [float(s[0]) for s in spans(asked.plan.engine.cluster, column(test.ranks))]
    return next((t.name for t, span in zip(chain, width, strict=True) if test.ranks <= span), chain[-1].name)


def said(found: Fitted) -> str:
    """One test in words: what was measured and how well the fit holds it."""
    test, fit = found.test, found.fit
    best, where = test.best(), f"{found.domains:.0f} domains" if found.domains > 1 else "one domain"
    sizes = len({row.size for row in test.rows})
    words = test.collective.replace("_", "-")
    return (
        f"{words} over {test.ranks} ranks in {where} ({found.tier}): bus bandwidth {best.bus / 1e9:.1f} GB/s at best "
        f"({best.size:,} bytes); {fit.rate / 1e9:.1f} GB/s a GPU and {fit.fixed * 1e6:.1f} us a call fit its {sizes} "
        f"size{'s' if sizes != 1 else ''} from 1 MiB up to {fit.spread:.1%} at the median, {fit.worst:.0%} at worst."
    )


def settings(fits: Sequence[Fitted], asked: Asked) -> dict[str, object]:
    """The call's fixed time, where enough sizes say it, and the source."""
    ranks = sorted({f.test.ranks for f in fits})
    devices = sorted({f.test.device for f in fits if f.test.device})
    on = f" on {devices[0]}" if devices else ""
    source = f"nccl-tests, {asked.sources}, {', '.join(map(str, ranks))} ranks{on}"
    found: dict[str, object] = {}
    timed = latencies(fits)
    if timed is not None:
        found["call"] = timed.call
    return found | {"source": source, "confidence": "measured", "verified": "read"}


def latencies(fits: Sequence[Fitted]) -> link_fit.Latency | None:
    """Call and hop times of the tests that have enough sizes."""
    enough = [f for f in fits if len({r.size for r in f.test.rows}) >= link_fit.LEAST]
    kinds = {"send_receive": "send"}
    return link_fit.latency([(kinds.get(f.test.collective, f.test.collective), f.test.ranks, f.domains, f.fit.fixed)
                             for f in enough])  # fmt: skip


def parts(fits: Sequence[Fitted], asked: Asked) -> list[tuple[str, str, dict[str, object]]]:
    """A block for each tier: rates by kind (the geometric mean of several tests), and the latency of a hop."""
    hops = hop_times(fits, asked)
    rates: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for f in fits:
        rates[f.tier][KINDS[f.test.collective]].append(f.fit.rate)
    made: list[tuple[str, str, dict[str, object]]] = []
    for tier, found in rates.items():
        values: dict[str, object] = {
            kind: exp(sum(map(log, found[kind])) / len(found[kind]))
            for kind in ("gather", "all_reduce", "all_to_all", "send")
            if kind in found
        }
        if tier in hops:
            values["latency"] = hops.pop(tier)
        made.append(("tier", tier, values))
    for tier, hop in hops.items():
        made.append(("tier", tier, {"latency": hop}))
    return made


def hop_times(fits: Sequence[Fitted], asked: Asked) -> dict[str, float]:
    """The latency of a hop by tier, as the engine counts hops: rings and sends on the tier that their ranks reach,
    trees and all-to-alls across domains on the outermost tier.
    """
    chain = asked.plan.engine.cluster.tier if asked.plan is not None else ()
    near = [f for f in fits if f.domains == 1]
    found: dict[str, float] = {}
    for tier in dict.fromkeys(f.tier for f in fits):
        own = [f for f in fits if f.tier == tier]
        outer = chain[-1].name if chain and any(f.domains > 1 for f in own) else tier
        far = ("all_reduce", "all_to_all")
        for name, some in (
            (tier, own if outer == tier else [f for f in own if f.test.collective not in far]),
            (outer, own if outer == tier else [f for f in own if f.test.collective in far]),
        ):
            timed = latencies([*near, *(f for f in some if f.domains > 1)])
            hop = None if timed is None or not some else timed.across if some[0].domains > 1 else timed.inside
            if hop is not None:
                found[name] = hop
    return found

"""Counts of a folded Clos network: switches by level, cables and transceivers, from ports, radix and oversubscription.

Legend: n nodes of p ports each, P = n p ports in all, r ports of a switch, o downlinks over uplinks of a leaf.
  leaf   down d = r o/(1 + o); leaves = P/d, their uplinks P/o. With R rails the ports of a node are spread over R
         leaves, and each rail has leaves of its own: R ceil(P/(R d))
  one level where one leaf holds all; two where every spine reaches every leaf (leaves <= r): spines = uplinks/r
  three else: spines = uplinks/(r/2), their uplinks again as many, cores = uplinks/r
Planes are networks of their own, each with its share of the ports of every node.
Source: NVIDIA's DGX SuperPOD reference architectures count so; 4,096 GPUs and 64 ports: 128 leaf, 128 spine, 64 core.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEVELS = ("leaf", "spine", "core")
COUNTED_FROM = ("ports", "rails", "planes", "transceivers", "gpus_per_node")
"""Settings of a cluster that counts follow from, beside the radix of its tiers."""


@dataclass(frozen=True)
class Network:
    """Switches and cables by level; a cable of level i runs from it to the level below (nodes below the leaves)."""

    radix: int
    switches: tuple[int, ...]
    cables: tuple[int, ...]

    def times(self, planes: int) -> "Network":
        """So many networks like this one."""
        return Network(self.radix, tuple(planes * s for s in self.switches), tuple(planes * c for c in self.cables))


@dataclass(frozen=True)
class Optics:
    """Transceivers of one kind: where they sit, links that each carries, bytes/s of a link, how many."""

    place: str
    links: int
    rate: float
    count: int


def clos(ports: int, radix: int, oversubscription: float = 1.0, rails: int = 1) -> Network | None:
    """The network over so many ports of nodes; None where three levels do not hold them."""
    if ports < 1 or radix < 2:
        return None
    if ports <= radix and rails == 1:
        return Network(radix, (1,), (ports,))
    down = int(radix * oversubscription / (1 + oversubscription))
    leaves, up = rails * math.ceil(ports / rails / down), math.ceil(ports / oversubscription)
    if leaves <= radix:
        return Network(radix, (leaves, math.ceil(up / radix)), (ports, up))
    spines, half = math.ceil(up / (radix // 2)), radix // 2
    if leaves > radix * half:
        return None
    return Network(radix, (leaves, spines, math.ceil(up / radix)), (ports, up, up))


def outer_tiers(settings: Mapping[str, Any]) -> list[str]:
    """The tiers beyond the scale-up domain, by name."""
    return [str(t) for t in settings.get("cluster.tier") or ()][1:]


def network_of(settings: Mapping[str, Any]) -> tuple[Network | None, str]:
    """The network of a cluster, and why it is not counted where it is not."""
    gpus, outer = settings.get("cluster.gpus"), outer_tiers(settings)
    if not outer or not gpus:
        return None, "the cluster states no tier beyond the scale-up domain"
    found: list[Any] = [settings.get(f"cluster.tier.{t}.radix") for t in outer]
    missing = [f"cluster.tier.{t}.radix" for t, r in zip(outer, found, strict=True) if r is None]
    missing += ["cluster.ports"] if settings.get("cluster.ports") is None else []
    if missing:
        return None, f"needs {', '.join(missing)}"
    if len(set(found)) > 1:
        return None, "the tiers have switches of unlike radix"
    over = [float(settings.get(f"cluster.tier.{t}.oversubscription") or 1.0) for t in outer]
    if thin := [t for t, ratio in zip(outer[1:], over[1:], strict=True) if ratio > 1]:
        return None, f"tier {thin[0]} is oversubscribed, above leaves: its switches are not counted by one ratio"
    rails, planes = (int(settings.get(f"cluster.{name}") or 1) for name in ("rails", "planes"))
    made = clos(math.ceil(ports_of(settings) / planes), int(found[0]), over[0], max(1, rails // planes))
    return (made.times(planes), "") if made else (None, "three levels of such switches do not hold so many ports")


def ports_of(settings: Mapping[str, Any]) -> int:
    """Ports of all nodes; a node that is not full has them all."""
    nodes = math.ceil(float(settings["cluster.gpus"]) / float(settings.get("cluster.gpus_per_node") or 1.0))
    return nodes * int(settings["cluster.ports"])


def link_rate(settings: Mapping[str, Any], tier: str) -> float:
    """Bytes/s of one link of a tier: what the GPUs of a node have, over its ports."""
    each = float(settings.get("cluster.gpus_per_node") or 1.0) / float(settings["cluster.ports"])
    return float(settings[f"cluster.tier.{tier}.bandwidth"]) * each


def cable_of(settings: Mapping[str, Any], level: int) -> tuple[str, str | None]:
    """The tier whose links lead down from a level, and how they are made; levels beyond the last tier are like it."""
    outer = outer_tiers(settings)
    tier = outer[min(level, len(outer) - 1)]
    return tier, settings.get(f"cluster.tier.{tier}.cable")


def optics(settings: Mapping[str, Any], network: Network) -> Sequence[Optics]:
    """Transceivers by kind, of links that are fiber: at both ends, those of a switch with as many links as stated."""
    found: dict[tuple[str, int, float], int] = {}
    for level, cables in enumerate(network.cables):
        tier, made = cable_of(settings, level)
        if made != "fiber":
            continue
        links, rate = int(settings.get(f"cluster.tier.{tier}.links_per_transceiver") or 1), link_rate(settings, tier)
        key = ("switches", links, rate)
        found[key] = found.get(key, 0) + math.ceil(cables / links) * (1 if level == 0 else 2)
        if level == 0:
            ports = int(settings["cluster.ports"])
            own = int(settings.get("cluster.transceivers") or ports)
            found["nodes", ports // own, rate] = cables // ports * own
    return [Optics(*key, count) for key, count in found.items()]

"""Counts of a folded Clos network: switches by level, cables and transceivers, from GPUs, radix and oversubscription.

Legend: G ports of GPUs, r ports of a switch, o downlinks over uplinks of a leaf.
  leaf   down d = r o/(1 + o); leaves = G/d, their uplinks G/o
  one level where one leaf holds all; two where every spine reaches every leaf (leaves <= r): spines = uplinks/r
  three else: spines = uplinks/(r/2), their uplinks again as many, cores = uplinks/r
Source: NVIDIA's DGX SuperPOD reference architectures count so; 4,096 GPUs and 64 ports: 128 leaf, 128 spine, 64 core.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LEVELS = ("leaf", "spine", "core")


@dataclass(frozen=True)
class Network:
    """Switches and cables by level; a cable of level i runs from it to the level below (GPUs below the leaves)."""

    radix: int
    switches: tuple[int, ...]
    cables: tuple[int, ...]

    @property
    def transceivers(self) -> int:
        """Two at each cable between switches."""
        return 2 * sum(self.cables[1:])


def clos(gpus: int, radix: int, oversubscription: float = 1.0) -> Network | None:
    """The network over so many GPUs with one port each; None where three levels do not hold them."""
    if gpus < 1 or radix < 2:
        return None
    if gpus <= radix:
        return Network(radix, (1,), (gpus,))
    down = int(radix * oversubscription / (1 + oversubscription))
    leaves, up = math.ceil(gpus / down), math.ceil(gpus / oversubscription)
    if leaves <= radix:
        return Network(radix, (leaves, math.ceil(up / radix)), (gpus, up))
    spines, half = math.ceil(up / (radix // 2)), radix // 2
    if leaves > radix * half:
        return None
    return Network(radix, (leaves, spines, math.ceil(up / radix)), (gpus, up, up))


def network_of(settings: Mapping[str, Any]) -> tuple[Network | None, str]:
    """The network of a cluster, and why it is not counted where it is not."""
    tiers = [str(t) for t in settings.get("cluster.tier") or ()]
    gpus = settings.get("cluster.gpus")
    outer = tiers[1:]
    if not outer or not gpus:
        return None, "the cluster states no tier beyond the scale-up domain"
    found = [settings.get(f"cluster.tier.{t}.radix") for t in outer]
    stated = [int(r) for r in found if isinstance(r, (int, float))]
    if len(stated) < len(outer):
        missing = [f"cluster.tier.{t}.radix" for t, r in zip(outer, found, strict=True) if r is None]
        return None, f"needs {', '.join(missing)}"
    if len(set(stated)) > 1:
        return None, "the tiers have switches of unlike radix"
    over = [float(settings.get(f"cluster.tier.{t}.oversubscription") or 1.0) for t in outer]
    if thin := [t for t, ratio in zip(outer[1:], over[1:], strict=True) if ratio > 1]:
        return None, f"tier {thin[0]} is oversubscribed, above leaves: its switches are not counted by one ratio"
    made = clos(int(gpus), stated[0], over[0])
    return made, "" if made else "three levels of such switches do not hold so many GPUs"

"""Ring exchange of context parallelism: n-1 steps, each rank passes its block of keys and values on.

S: bytes of all n blocks, so that a rank sends (n-1)/n S.
"""

from engine.collectives.all_gather import seconds, traffic

__all__ = ["seconds", "traffic"]

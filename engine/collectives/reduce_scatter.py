"""Ring reduce-scatter: the all-gather run backwards, S the bytes of the buffer that is reduced."""

from engine.collectives.all_gather import seconds, traffic

__all__ = ["seconds", "traffic"]

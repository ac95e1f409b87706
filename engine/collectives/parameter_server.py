"""A parameter server, for comparison only: one rank adds for all others through its one link."""

from engine.columns import Column


def traffic(size: Column, n: Column) -> Column:
    """Bytes that enter the adding rank: (n-1) S."""
    return (n - 1) * size


def seconds(size: Column, n: Column, link: Column) -> Column:
    """Seconds of receiving them through one link: (n-1) S/beta; as much again goes back out."""
    return traffic(size, n) / link

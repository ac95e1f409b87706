"""Robust bounded least squares: few numbers fitted to many measurements that hold outliers.

Minimizes sum w 2(sqrt(1 + (r/s)^2) - 1) + sum ((x - c)/d)^2 over low <= x <= high, r the residuals and s their usual
size (soft-L1), c and d where a prior stands and how wide it is, by Gauss-Newton with weights renewed every step.

Symbols: rows x numbers J = dr/dx, r0 the residuals at x0.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import Column, Flags

STEPS = 60
STILL = 1e-4  # of a prior's width: smaller steps end the fit


@dataclass(frozen=True)
class Prior:
    """Where every number is expected, how far it may be from there, and the bounds that it cannot leave."""

    centre: Column
    width: Column
    low: Column
    high: Column


def soft_weights(residuals: Column, weights: Column, size: float) -> Column:
    """Weights that make a sum of squares of soft-L1: w / (s^2 sqrt(1 + (r/s)^2))."""
    return weights / (size**2 * np.sqrt(1.0 + (residuals / size) ** 2))


def step(hessian: Column, gradient: Column, x: Column, prior: Prior) -> Column:
    """The Newton step of a quadratic; numbers on a bound that would leave it stay there."""
    free: Flags = np.ones(len(x), dtype=np.bool_)
    moved = np.zeros_like(x)
    for _ in range(len(x) + 1):
        moved = np.zeros_like(x)
        if np.any(free):
            moved[free] = -np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        leaves = free & (((x <= prior.low) & (moved < 0)) | ((x >= prior.high) & (moved > 0)))
        if not np.any(leaves):
            break
        free = free & ~leaves
    return np.asarray(np.clip(x + moved, prior.low, prior.high))


def fitted(r0: Column, slopes: Column, x0: Column, weights: Column, size: float, prior: Prior) -> Column:
    """The numbers that fit best where residuals are r0 + J (x - x0)."""
    x = np.clip(x0, prior.low, prior.high)
    for _ in range(STEPS):
        residuals = r0 + slopes @ (x - x0)
        own = soft_weights(residuals, weights, size)
        hessian = slopes.T @ (own[:, None] * slopes) + np.diag(1.0 / prior.width**2)
        gradient = slopes.T @ (own * residuals) + (x - prior.centre) / prior.width**2
        new = step(hessian, gradient, x, prior)
        if np.max(np.abs(new - x) / prior.width) < STILL:
            return new
        x = new
    return x

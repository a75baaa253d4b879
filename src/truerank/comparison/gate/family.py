"""Several comparisons at once: the chance of any false verdict, not of each, is held.

Each claim has its own confidence, from :mod:`truerank.comparison.gate.bounds`. Together they are judged
by the largest of them (max-T), with the correlations of the influence rows between claims. In a single step:
every verdict can then be read off its bounds, and all bounds of a side hold at once. Later steps would decide
a little more, of which no bound could say more than that it is beyond the margin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.numerics.max_t import correlated_statistics, single_step_p_values

DRAWS = 20_000
"""Joint draws behind adjusted p-values: a Monte Carlo error of 0.0015 at 0.05."""

LARGEST = 37.0
"""Normal quantiles beyond it cannot be told from certainty."""


@dataclass(frozen=True)
class Family:
    """How k claims of each kind are judged together.

    Attributes:
        above: k p-values, adjusted, of "no better".
        within: k of "worse by the margin or more".
        beyond: k of "not worse than the margin".
        level: of each bound alone, so that all k hold together at the level asked for.
    """

    above: Vector
    within: Vector
    beyond: Vector
    level: float


def judged_together(
    above: Vector, within: Vector, beyond: Vector, rows: Matrix, level: float, seed: int
) -> Family:
    """Adjust the p-values of k comparisons, each kind of claim by itself; one comparison stays as it is."""
    from scipy.special import ndtr, ndtri

    k = len(above)
    if k == 1:
        return Family(above, within, beyond, level)
    by_evidence = rows[:, np.argsort(above, kind="stable")]  # the same digits in whatever order systems are
    drawn = correlated_statistics(by_evidence, DRAWS, stream(seed, "gate", "max-T"))
    largest = np.concatenate([block.max(axis=1) for block in drawn])

    def adjusted(p: Vector) -> Vector:
        z = np.clip(-ndtri(np.clip(p, 0.0, 1.0)), -LARGEST, LARGEST)
        return np.maximum(single_step_p_values(z, [largest[:, None]]), p)

    together = float(ndtr(np.quantile(largest, level, method="higher")))
    return Family(adjusted(above), adjusted(within), adjusted(beyond), max(together, level))

"""What the other systems of a table say of how far apart a pair of them is: the prior that `eb` learns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.errors import TruerankError
from truerank.kinds import Plain
from truerank.reliability.means import Means, Question, means_of
from truerank.reliability.means.means_of import theta_of
from truerank.scores import ScoreMatrix, ranking_order

NEAR = 30.0
"""Standard errors beyond which no undecided pair is: the prior is cut there."""


@dataclass(frozen=True, eq=False)
class PairPrior:
    """The prior of a standardized difference δ: a true difference in standard deviations of one topic's.

    Attributes:
        edges: of slices of |δ|, rising from 0.
        densities: H × slices, of |δ| at each point of the hyperparameters.
        weights: H, the probability of each point, after all pairs of the table were seen.
    """

    edges: Vector
    densities: Matrix
    weights: Vector

    def posterior(self, estimate: float, deviations: Vector, units: float) -> tuple[Vector, Matrix]:
        """Standardized differences, and how likely each is where the observed one is known."""
        from scipy.special import ndtr

        ends = np.concatenate([-self.edges[:0:-1], self.edges])
        middles = (ends[1:] + ends[:-1]) / 2
        seen = (estimate / deviations)[:, None]
        likely = np.diff(ndtr((ends - seen) * np.sqrt(units)), axis=1)
        likely /= deviations[:, None]  # the density of the difference itself, given its deviation
        densities = np.concatenate([self.densities[:, ::-1], self.densities], axis=1)
        evidence = densities @ likely.sum(axis=0)
        found = likely * ((self.weights / np.maximum(evidence, 1e-300)) @ densities)
        return middles, found / found.sum()


def prior_of(means: Means) -> PairPrior:
    """The prior learned from means of systems in ranking order. O(N·m²)."""
    from truerank.reliability.estimators import eb

    found = eb.posterior(means)
    scale = np.sqrt(means.effective)
    near = int(np.searchsorted(eb.EDGES, NEAR)) + 1
    densities = eb._prior(means.effective, eb.FAR_SHARE)[:, : near - 1] * scale
    return PairPrior(eb.EDGES[:near] / scale, densities, found.weights)


def prior_of_table(table: ScoreMatrix, question: Question | None) -> PairPrior | None:
    """The prior of the pairs of a table; ``None`` where there are no other systems to learn from."""
    if table.m < 3 or type(table.kind) is not Plain:
        return None
    try:
        ranked = table.select(ranking_order(theta_of(table, question)))
        means = means_of(ranked, question)
        return prior_of(means) if means.linear else None
    except TruerankError:  # scores that cannot be ranked together; the two can be compared
        return None

"""Means that are to hold on new topics and on new levels of a facet: prompts like these, judges like these.

Two strata of influence rows: topics, and levels (docs/methods/noise.md, where the equations are numbered).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.reliability.means.means import Means
from truerank.repeats import Facet

FEWEST_EFFECTIVE = 2.0
"""Effective topics that are left at least."""

LEAST_VARIANCE = 1e-5
"""Of the mean variance: a system's smaller one counts as this in the shrinkage."""

FEW_SYSTEMS, FEW_LEVELS = 10, 5
"""With fewer of both, the variances of systems tell too little of each other to be shrunken."""


@dataclass(frozen=True, eq=False)
class FacetParts:
    """Where the differences of systems × topics × levels come from.

    Attributes:
        topics: n.
        levels: F.
        by_topic: S_T, mean square of the topic means.
        by_level: S_F, that of the level means.
        rest: S_C, that of the rest.
        kappa: κ, the part of the level means' spread that is no cell noise.
        level_variances: g_s, what levels do to each system, m.
    """

    topics: int
    levels: int
    by_topic: float
    by_level: float
    rest: float
    kappa: float
    level_variances: Vector

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> FacetParts:
        """Split n × F × m scores without holes (eq. 12)."""
        n, f, m = values.shape
        centered = values - values.mean(axis=2, keepdims=True)
        theta = centered.mean(axis=(0, 1))
        t, g = centered.mean(axis=1) - theta, centered.mean(axis=0) - theta
        c = centered - theta - t[:, None, :] - g[None, :, :]
        by_topic = float(np.sum(t**2)) / ((n - 1) * (m - 1))
        by_level = float(np.sum(g**2)) / ((f - 1) * (m - 1))
        rest = float(np.sum(c**2)) / ((n - 1) * (f - 1) * (m - 1))
        kappa = max(0.0, 1 - rest / (n * by_level)) if by_level > 0 else 0.0
        variances = kappa * m / (m - 1) * np.sum(g**2, axis=0) / (f - 1)
        return cls(n, f, by_topic, by_level, rest, kappa, variances)

    @property
    def system_topic(self) -> float:
        """σ²_st."""
        return max(self.by_topic - self.rest / self.levels, 0.0)

    @property
    def system_level(self) -> float:
        """σ²_sf."""
        return max(self.by_level - self.rest / self.topics, 0.0)

    @property
    def variance(self) -> float:
        """Variance of a mean over new topics and new levels."""
        return self.system_level / self.levels + self.by_topic / self.topics

    @property
    def share(self) -> float:
        """What part of that comes from the levels."""
        return self.system_level / self.levels / self.variance if self.variance > 0 else 0.0

    @property
    def effective(self) -> float:
        """σ²_st over the variance, 2 at least (eq. 15)."""
        return max(self.system_topic / self.variance, FEWEST_EFFECTIVE) if self.variance > 0 else self.topics

    @property
    def test(self) -> float:
        """p of no effect of the levels (eq. 16)."""
        from scipy.special import fdtrc

        m = len(self.level_variances)
        if not self.rest > 0:
            return 0.0 if self.by_level > 0 else 1.0
        statistic = self.topics * self.by_level / self.rest
        freedom = (m - 1) * (self.levels - 1)
        return float(fdtrc(freedom, freedom * (self.topics - 1), statistic))

    def interval(self, level: float) -> tuple[float, float]:
        """Of the share, from that of S_F/S_C by an F distribution: for normal scores."""
        from scipy.special import fdtri

        m, n, f = len(self.level_variances), self.topics, self.levels
        freedom = (m - 1) * (f - 1)
        ends = []
        for tail in ((1 + level) / 2, (1 - level) / 2):
            spread = self.by_level / float(fdtri(freedom, freedom * (n - 1), tail))
            part = max(spread - self.rest / n, 0.0) / f
            whole = part + self.by_topic / n
            ends.append(part / whole if whole > 0 else 0.0)
        return min(ends[0], self.share), max(ends[1], self.share)


def shrunken_variances(variances: Vector, degrees: float) -> tuple[Vector, float]:
    """Variances drawn towards a common one, and the degrees of freedom that this adds (Smyth 2004).

    Args:
        variances: of each system, m.
        degrees: of freedom of each.

    Returns:
        The shrunken variances, and d₀, infinite where the systems differ by no more than chance.
    """
    from scipy.special import digamma, polygamma

    mean = float(variances.mean())
    if not mean > 0:
        return np.zeros_like(variances), float("inf")
    logs = np.log(np.maximum(variances, LEAST_VARIANCE * mean))
    away = logs - digamma(degrees / 2) + np.log(degrees / 2)
    spread = float(away.var(ddof=1)) - float(polygamma(1, degrees / 2))
    if spread <= 0:
        return np.full_like(variances, mean), float("inf")
    half = _trigamma_inverse(spread)
    common = float(np.exp(away.mean() + digamma(half) - np.log(half)))
    added = 2 * half
    return (added * common + degrees * variances) / (added + degrees), added


def _trigamma_inverse(value: float) -> float:
    """x with ψ′(x) = value, by Newton’s method on 1/ψ′."""
    from scipy.special import polygamma

    x = 0.5 + 1 / value
    for _ in range(50):
        found = float(polygamma(1, x))
        step = found * (1 - found / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-12 * x:
            break
    return float(x)


def facet_means(facet: Facet, moderated: bool | None = None) -> tuple[Means, FacetParts]:
    """The means over topics and levels, which are both to be replaced by others like them (eq. 13, 14).

    Args:
        facet: n × F × m scores without holes.
        moderated: whether the variances of systems are shrunken; by default so but for few systems at few
            levels.

    Raises:
        InputError: one level only.
    """
    values = facet.values
    n, f, m = values.shape
    if f < 2:
        raise InputError(
            f"column {facet.name!r} has one level, so nothing shows what other levels would do; leave it out"
        )
    parts = FacetParts.of(values)
    if moderated is None:
        moderated = f == 2 or not (m < FEW_SYSTEMS and f < FEW_LEVELS)
    cells = values.mean(axis=1)
    theta = cells.mean(axis=0)
    strata_rows: list[Matrix] = [(cells - theta) / n]
    factors, degrees = [n / (n - 1)], [float(n - 1)]
    if parts.kappa > 0 and moderated:
        found, added = shrunken_variances(parts.level_variances, f - 1)
        half = np.diag(np.sqrt(found / (2 * f)))
        strata_rows.append(np.concatenate([half, -half]))
        factors.append(1.0)
        degrees.append(float(min(added + f - 1, (m - 1) * (f - 1))))
    elif parts.kappa > 0:
        levels = values.mean(axis=0)
        levels = levels - levels.mean(axis=1, keepdims=True)
        strata_rows.append(np.sqrt(parts.kappa) * (levels - levels.mean(axis=0)) / f)
        factors.append(f / (f - 1))
        degrees.append(float(f - 1))
    means = Means(
        theta=theta,
        contrasts=theta - theta.mean(),
        influences=np.concatenate(strata_rows),
        strata=np.repeat(np.arange(len(strata_rows)), [len(rows) for rows in strata_rows]),
        factors=np.array(factors),
        stratum_degrees=np.array(degrees),
        effective=parts.effective,
        by_pairs=True,
    )
    return means, parts

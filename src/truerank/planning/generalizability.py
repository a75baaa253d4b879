"""Generalizability theory for systems × topics: where scores vary, and how stable their averages are.

A G-study splits the variance of scores into that between systems, that between topics and the rest. A D-study
predicts from these how reliable collections of other sizes are (Bodoff & Li 2007; Urbano, Marrero & Martín
2013; docs/methods/generalizability.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np

from truerank._support.plain import Written
from truerank._support.types import Fraction, Unwritten, WholeOrInfinite, WrittenAs
from truerank.errors import InputError
from truerank.numerics.intervals import Interval, whole
from truerank.numerics.pairs import two_way_squares

STABILITY = 0.95  # the default target of stability


@dataclass(frozen=True)
class VarianceComponents(Written):
    """Where the variance of one score comes from: a G-study of systems crossed with topics.

    Attributes:
        ms_system: mean square between systems.
        ms_topic: mean square between topics.
        ms_residual: mean square of what is left.
        topics: n.
        systems: m.
        degrees: of freedom of the residual, (n − 1)(m − 1).

    Example:
        >>> g = variance_components([[0.2, 0.4], [0.3, 0.6], [0.1, 0.2]])
        >>> round(g.system, 4), round(g.topic, 4), round(g.residual, 4)
        (0.0183, 0.02, 0.005)
        >>> round(g.relative(3), 3), round(g.relative(30), 3)
        (0.917, 0.991)
    """

    ms_system: Annotated[float, WrittenAs("system", "topic", "residual")]
    ms_topic: Unwritten[float]
    ms_residual: Unwritten[float]
    topics: Unwritten[float]
    systems: Unwritten[float]
    degrees: Unwritten[int]

    @property
    def system(self) -> float:
        """σ²_s, variance between systems; a negative estimate counts as 0."""
        return max(0.0, (self.ms_system - self.ms_residual) / self.topics)

    @property
    def topic(self) -> float:
        """σ²_q, variance between topics; a negative estimate counts as 0."""
        return max(0.0, (self.ms_topic - self.ms_residual) / self.systems)

    @property
    def residual(self) -> float:
        """σ²_e, variance of what is left: system × topic, and everything that was not looked at."""
        return self.ms_residual

    @property
    def negative(self) -> tuple[str, ...]:
        """The components whose estimate is below 0 and counts as 0: ``system``, ``topic`` or none."""
        squares = {"system": self.ms_system, "topic": self.ms_topic}
        return tuple(name for name, square in squares.items() if square < self.ms_residual)

    def error(self, absolute: bool = False) -> float:
        """Variance of one topic's score around what it stands for, σ²_e; of the score itself with σ²_q."""
        return self.residual + self.topic if absolute else self.residual

    def relative(self, topics: float) -> float:
        """Eρ² of that many topics: the stability of differences between systems, in [0, 1]."""
        return stability(self.system, self.error() / topics)

    def absolute(self, topics: float) -> float:
        """Φ of that many topics: the stability of the scores themselves, in [0, 1]."""
        return stability(self.system, self.error(absolute=True) / topics)

    def relative_interval(self, topics: float, level: float = 0.95) -> Interval:
        """Feldt's interval of Eρ² of that many topics (1965), from the F distribution of MS_s/MS_e."""
        low, high = (_of_ratio(a, topics) for a in self._signal_to_noise(level))
        return Interval(level, low, high, "feldt")

    def absolute_interval(self, topics: float, level: float = 0.95) -> Interval:
        """The interval of Φ of that many topics (Arteaga, Jeyaratnam & Franklin 1982); approximate."""
        low, high = (topics * f / (1 + (topics - 1) * f) for f in self._one_topic_stability(level))
        return Interval(level, low, high, "arteaga")

    def topics_for(
        self, target: float = STABILITY, absolute: bool = False, level: float = 0.95
    ) -> tuple[float, float, float]:
        """Topics that a stability (Eρ², or Φ) takes, and both ends of their interval, from that of the index.

        Whole numbers, at least 1; infinite beyond a million.
        """
        if not 0 < target < 1:
            raise InputError(f"a stability must be between 0 and 1, not {target:g}")
        odds = target / (1 - target)
        signal = self.system
        point = odds * self.error(absolute) / signal if signal > 0 else math.inf
        if absolute:
            low, high = (
                odds * (1 - f) / f if f > 0 else math.inf for f in self._one_topic_stability(level)[::-1]
            )
        else:
            low, high = (odds / a if a > 0 else math.inf for a in self._signal_to_noise(level)[::-1])
        return whole(point), whole(low), whole(high)

    def _signal_to_noise(self, level: float) -> tuple[float, float]:
        """Ends of σ²_s/σ²_e, at least 0; infinite without a residual."""
        from truerank.numerics.special import fdtri

        if self.ms_residual <= 0:
            end = math.inf if self.ms_system > 0 else 0.0
            return end, end
        tail = (1 - level) / 2
        ratio = self.ms_system / self.ms_residual
        ends = [
            (ratio / float(fdtri(self.systems - 1, self.degrees, p)) - 1) / self.topics
            for p in (1 - tail, tail)
        ]
        return max(0.0, ends[0]), max(0.0, ends[1])

    def _one_topic_stability(self, level: float) -> tuple[float, float]:
        """Ends of Φ of a single topic, in [0, 1]."""
        from truerank.numerics.special import chdtri, fdtri

        n, m = self.topics, self.systems
        s, q, e = self.ms_system, self.ms_topic, self.ms_residual
        if s <= 0:
            return 0.0, 0.0
        tail = (1 - level) / 2
        ends = []
        for p in (1 - tail, tail):
            f_all = float(chdtri(m - 1, 1 - p)) / (m - 1)  # F with infinite degrees of freedom below
            f_e = float(fdtri(m - 1, self.degrees, p))
            f_q = float(fdtri(m - 1, n - 1, p))
            numerator = s**2 - f_all * s * e + (f_all - f_e) * f_e * e**2
            denominator = (m - 1) * f_all * s * e + f_q * s * q
            if denominator <= 0:  # neither topics nor a residual
                ends.append(1.0)
                continue
            found = max(0.0, numerator / denominator)
            ends.append(m * found / (m * found + n))
        return ends[0], ends[1]


def stability(signal: float, error: float) -> float:
    """The share of the variance that is signal; 0 where there is none."""
    return signal / (signal + error) if signal > 0 else 0.0


def _of_ratio(ratio: float, topics: float) -> float:
    return 1.0 if math.isinf(ratio) else topics * ratio / (1 + topics * ratio)


def variance_components(values: Any) -> VarianceComponents:
    """The G-study of a complete table of scores, systems × topics, one score per cell. O(n·m).

    Args:
        values: n × m scores, topics in rows; n ≥ 2, m ≥ 2.

    Returns:
        The components.

    Raises:
        InputError: no such table, fewer than two topics or systems, or an empty cell.

    Example:
        >>> g = variance_components([[0.2, 0.4], [0.3, 0.6], [0.1, 0.2]])
        >>> g.topics_for(0.95), g.negative
        ((6.0, 1.0, inf), ())
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or min(x.shape) < 2:
        raise InputError(
            "a G-study needs a table of at least two topics and two systems, not "
            f"{' × '.join(map(str, x.shape)) or 'one number'}"
        )
    if not np.isfinite(x).all():
        raise InputError("a G-study needs a finite score in every cell")
    n, m = x.shape
    systems, topics, residual = two_way_squares(x)
    degrees = (n - 1) * (m - 1)
    return VarianceComponents(systems / (m - 1), topics / (n - 1), residual / degrees, n, m, degrees)


@dataclass(frozen=True)
class StabilityIndex(Written):
    """An index of generalizability theory at the pilot's topics, and the topics that it needs.

    Attributes:
        estimate: Eρ² or Φ.
        low: lower end of its interval: Feldt's or Arteaga's.
        high: upper end.
        topics: that reach the target of stability; infinite beyond a million.
        topics_low: lower end of their interval; infinite in the same cases.
        topics_high: upper end; infinite in the same cases.
    """

    estimate: Fraction
    low: Fraction
    high: Fraction
    topics: WholeOrInfinite
    topics_low: WholeOrInfinite
    topics_high: WholeOrInfinite


@dataclass(frozen=True)
class StabilityPoint:
    """A D-study at one number of topics, with the indices of the published maps.

    Attributes:
        topics: of the collection.
        relative: Eρ², in [0, 1].
        absolute: Φ, in [0, 1].
        mapped: the indices of :func:`mapped`, by name.
    """

    topics: int
    relative: Fraction
    absolute: Fraction
    mapped: dict[str, float]


@dataclass(frozen=True)
class Generalizability(Written):
    """The generalizability of a pilot.

    Attributes:
        variance: where the variance of a score comes from.
        stability: the target.
        relative: Eρ², of differences between systems.
        absolute: Φ, of the scores themselves.
        study: both at other numbers of topics, with the published maps.

    Example:
        >>> import numpy as np, truerank
        >>> scores = np.random.default_rng(1).normal([3, 2, 1], 1, (20, 3))
        >>> found = truerank.plan(scores, draws=64).generalizability
        >>> found.relative.estimate > found.absolute.estimate > 0.5
        True
    """

    variance: VarianceComponents
    stability: float
    relative: StabilityIndex
    absolute: StabilityIndex
    study: tuple[StabilityPoint, ...]


# Label and function of Eρ² and Φ, by name.
MAPS: Mapping[str, tuple[str, Callable[[float, float], float]]] = MappingProxyType(
    {
        "tau": ("Kendall’s τ", lambda relative, absolute: relative**2.84729794),
        "tau_ap": ("τ_AP", lambda relative, absolute: relative**3.98652984),
        "power": ("power of paired tests", lambda relative, absolute: relative**4.77902510),
        "minor_conflicts": ("minor conflicts", lambda relative, absolute: (1 - relative) ** 1.53337367),
        "major_conflicts": ("major conflicts", lambda relative, absolute: (1 - relative) ** 2.62976839),
        "absolute_sensitivity": (
            "absolute sensitivity",
            lambda relative, absolute: (1 - relative) ** 1.54402997,
        ),
        "relative_sensitivity": (
            "relative sensitivity",
            lambda relative, absolute: (1 - absolute) ** 1.29759126,
        ),
        "rmse": ("root mean square error", lambda relative, absolute: (1 - absolute) ** 3.27642726),
    }
)

TAU_MISS = 0.4  # by how much the map of τ was seen to miss at few topics (docs/methods/evidence/planning.md)


def mapped(relative: float, absolute: float) -> dict[str, float]:
    """Every index that the published maps give for a stability.

    Args:
        relative: Eρ², in [0, 1].
        absolute: Φ, in [0, 1].

    Returns:
        The indices by their names in :data:`MAPS`.

    Example:
        >>> round(mapped(0.95, 0.9)["tau"], 5)
        0.86412
    """
    return {name: function(relative, absolute) for name, (_, function) in MAPS.items()}


STUDIED = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500)  # numbers of topics of the D-study shown


def generalizability(values: Any, size: int, target: float, level: float) -> Generalizability:
    """The G-study of a complete table, and its D-study at `size` topics and others."""
    g = variance_components(values)
    relative, absolute = (
        StabilityIndex(index(size), ends.low, ends.high, *g.topics_for(target, of_scores, level))
        for of_scores, index, ends in (
            (False, g.relative, g.relative_interval(size, level)),
            (True, g.absolute, g.absolute_interval(size, level)),
        )
    )
    study = []
    for n in sorted({size, *STUDIED}):
        indices = g.relative(n), g.absolute(n)
        study.append(StabilityPoint(n, *indices, mapped(*indices)))
    return Generalizability(g, target, relative, absolute, tuple(study))

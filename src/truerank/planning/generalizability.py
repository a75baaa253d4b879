"""Generalizability theory for systems × topics: where scores vary, and how stable their averages are.

A G-study splits the variance of scores into that between systems, that between topics and the rest. A D-study
predicts from these how reliable collections of other sizes are (Bodoff & Li 2007; Urbano, Marrero & Martín
2013; docs/methods/generalizability.md). With several data sets, topics are within data sets: systems can
differ from one to the next, which more topics of the same data sets never average out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.plain import Written
from truerank._support.types import Matrix, Unwritten, WrittenAs
from truerank.errors import InputError
from truerank.numerics.fewest import whole
from truerank.numerics.intervals import Interval
from truerank.numerics.matrices import two_way_squares
from truerank.scores import TIE

STABILITY = 0.95  # the default target of stability
NAMES = ("system", "data_set", "topic", "system_data_set", "residual")  # of nested components


@dataclass(frozen=True)
class VarianceComponents(Written):
    """Where the variance of one score comes from: a G-study of systems crossed with topics.

    Attributes:
        ms_system: mean square between systems.
        ms_topic: mean square between topics.
        ms_residual: mean square of what is left.
        topics: n; with empty cells, the number of topics of a complete table that would separate systems as
            well.
        systems: m; with empty cells, the number of systems of such a table.
        degrees: of freedom of the residual, (n − 1)(m − 1) in a complete table.

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
        """Feldt's interval of Eρ² of that many topics (1965), from the F distribution of MS_s/MS_e.

        Exact for normal scores; with empty cells an approximation.
        """
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
    """The G-study of a table of scores, systems × topics, one score per cell. O(n·m), O(n·m + m³) with holes.

    With empty cells (NaN) the sums of squares of systems and topics are each taken after the other's effects.
    They are equated with their expectations (Henderson's method III, Searle, Casella & McCulloch 1992). In a
    complete table that is the usual analysis of variance.

    Args:
        values: n × m scores, topics in rows, NaN where a cell is empty; n ≥ 2, m ≥ 2.

    Returns:
        The components.

    Raises:
        InputError: no such table, fewer than two topics or systems, an infinite score, or too many empty
            cells: systems or topics with nothing in common, or no degree of freedom for the rest.

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
    if np.isinf(x).any():
        raise InputError("a G-study needs finite scores")
    if np.isnan(x).any():
        return _with_holes(x)
    n, m = x.shape
    systems, topics, residual = two_way_squares(x)
    degrees = (n - 1) * (m - 1)
    return VarianceComponents(systems / (m - 1), topics / (n - 1), residual / degrees, n, m, degrees)


def _with_holes(x: Matrix) -> VarianceComponents:
    """The components of a table with empty cells."""
    there = ~np.isnan(x)
    x, there = x[there.any(axis=1)], there[there.any(axis=1)]
    if not there.any(axis=0).all() or min(x.shape) < 2:
        raise InputError("a G-study needs at least one score of every system, on at least two topics")
    n, m = x.shape
    filled = np.where(there, x, 0.0)
    reductions = []
    sizes = []
    for scores, cells in ((filled, there), (filled.T, there.T)):
        counts = cells.sum(axis=1)
        centered = np.where(cells, scores - (scores.sum(axis=1) / counts)[:, None], 0.0)
        information = np.diag(cells.sum(axis=0).astype(float)) - (cells / counts[:, None]).T @ cells
        values, vectors = np.linalg.eigh(information)
        rank = cells.shape[1] - 1
        if values[1] <= 1e-9 * values[-1]:
            raise InputError(
                "the systems fall into groups that share no topic, so their variance can’t be told from that "
                "of the topics; assess the groups by themselves"
            )
        projected = vectors[:, 1:].T @ centered.sum(axis=0)
        reductions.append(float(np.sum(projected**2 / values[1:])))
        sizes.append(float(np.trace(information)) / rank)
        left = float(np.sum(centered**2)) - reductions[-1]
    degrees = int(there.sum()) - n - m + 1
    if degrees < 1:
        raise InputError("too few scores for a G-study: none is left to tell the residual from")
    residual = 0.0 if left <= n * m * TIE**2 else left / degrees
    return VarianceComponents(
        reductions[0] / (m - 1), reductions[1] / (n - 1), residual, sizes[0], sizes[1], degrees
    )


@dataclass(frozen=True)
class NestedComponents(Written):
    """Where the variance of one score comes from, with several data sets.

    Each is at least 0.

    Attributes:
        system: between systems, on average over data sets like these.
        data_set: between data sets, common to all systems.
        topic: between the topics of a data set.
        system_data_set: how much a difference of systems changes from one data set to the next.
        residual: system × topic within a data set, and everything that was not looked at.
        data_sets: K.
        topics: n_k of each data set.
        systems: m.
        negative: the components whose estimate was below 0 and counts as 0.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> scores = rng.normal(size=5) + rng.normal(size=(40, 5))
        >>> g = nested_components(scores, np.repeat([0, 1, 2, 3], 10))
        >>> g.relative(4, 10) < g.relative(4, 20) < g.relative(8, 20)
        True
    """

    system: float
    data_set: float
    topic: float
    system_data_set: float
    residual: float
    data_sets: Unwritten[int]
    topics: Unwritten[tuple[int, ...]]
    systems: Unwritten[int]
    negative: Unwritten[tuple[str, ...]] = ()

    @property
    def typical_topics(self) -> float:
        """Topics per data set that leave the same error as those of the pilot: their harmonic mean."""
        return len(self.topics) / sum(1 / n for n in self.topics)

    def relative(self, data_sets: float, topics: float, fixed: bool = False) -> float:
        """Eρ² of that many data sets with that many topics each, in [0, 1].

        Args:
            data_sets: K′.
            topics: n′ of each.
            fixed: whether it is about these very data sets (new topics only), so that what is particular
                to them counts as signal; otherwise about data sets like these.
        """
        particular = self.system_data_set / data_sets
        error = self.residual / (data_sets * topics)
        if fixed:
            return stability(self.system + particular, error)
        return stability(self.system, particular + error)

    def absolute(self, data_sets: float, topics: float, fixed: bool = False) -> float:
        """Φ of that many data sets with that many topics each, in [0, 1]; arguments as :meth:`relative`."""
        particular = self.system_data_set / data_sets
        error = (self.residual + self.topic) / (data_sets * topics)
        if fixed:
            return stability(self.system + particular, error)
        return stability(self.system, particular + error + self.data_set / data_sets)


def nested_components(values: ArrayLike, strata: ArrayLike) -> NestedComponents:
    """The G-study of systems × (topics within data sets), data sets of any sizes. O(n·m).

    Sums of squares are taken one after the other, each data set weighted by its topics, and equated with
    their expectations (Henderson's method I, Searle, Casella & McCulloch 1992). With data sets of one size
    that is the usual analysis of variance.

    Args:
        values: n × m scores, no cell empty.
        strata: n, the data set of each topic.

    Returns:
        The components.

    Raises:
        InputError: fewer than two systems or data sets, no data set with two topics, or an empty cell.

    Example:
        >>> g = nested_components([[0, 1], [0, 1], [1, 0], [1, 0.0]], [0, 0, 1, 1])
        >>> g.system, g.system_data_set, g.negative
        (0.0, 1.0, ('system', 'data_set'))
    """
    x = np.asarray(values, dtype=np.float64)
    groups = np.unique(np.asarray(strata), return_inverse=True)[1]
    if x.ndim != 2 or len(groups) != len(x) or x.shape[1] < 2:
        raise InputError("needed: a table of at least two systems, and the data set of each of its topics")
    if not np.isfinite(x).all():
        raise InputError("this G-study takes no empty cells; leave such topics out")
    n_k = np.bincount(groups)
    k, n, m = len(n_k), len(x), x.shape[1]
    if k < 2:
        raise InputError("only one data set: differences between data sets need two or more")
    if n <= k:
        raise InputError("every data set has one topic: topics can’t be told from data sets")
    cells = np.stack([np.bincount(groups, x[:, s], k) for s in range(m)], axis=1) / n_k[:, None]
    sets, systems, all_of_it = cells.mean(axis=1), x.mean(axis=0), x.mean()
    topics = x.mean(axis=1)
    interaction = cells - sets[:, None] - systems + all_of_it
    left = x - cells[groups] - topics[:, None] + sets[groups][:, None]
    ms = {
        "residual": _square(left, 1.0) / ((n - k) * (m - 1)),
        "topic": m * _square(topics - sets[groups], 1.0) / (n - k),
        "system_data_set": _square(interaction, n_k[:, None]) / ((k - 1) * (m - 1)),
        "system": n * _square(systems - all_of_it, 1.0) / (m - 1),
        "data_set": m * _square(sets - all_of_it, n_k) / (k - 1),
    }
    spread = float(np.sum(n_k**2)) / n
    size = (n - spread) / (k - 1)  # n_k where all are equal
    e = ms["residual"]
    particular = (ms["system_data_set"] - e) / size
    topic = (ms["topic"] - e) / m
    found = {
        "residual": e,
        "topic": topic,
        "system_data_set": particular,
        "system": (ms["system"] - e - spread * particular) / n,
        "data_set": (ms["data_set"] - e - m * topic - size * particular) / (m * size),
    }
    clipped = {name: max(0.0, found[name]) for name in NAMES}
    negative = tuple(name for name in NAMES if found[name] < 0)
    return NestedComponents(**clipped, data_sets=k, topics=tuple(map(int, n_k)), systems=m, negative=negative)


def _square(deviations: Any, weights: Any) -> float:
    """Sum of squares; exactly 0 where rounding is all there is."""
    return 0.0 if np.abs(deviations).max() <= TIE else float(np.sum(weights * deviations**2))


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

"""Generalizability theory for several data sets: systems × (topics within data sets).

Systems can differ from one data set to the next, which more topics of the same data sets never average out.
So a plan can add topics or data sets (docs/methods/generalizability.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.plain import Written
from truerank._support.types import Unwritten
from truerank.errors import InputError
from truerank.planning.generalizability import stability
from truerank.scores import TIE

NAMES = ("system", "data_set", "topic", "system_data_set", "residual")


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

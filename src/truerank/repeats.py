"""Several scores of one system on one topic: its runs, and the levels of a facet such as prompts or judges.

A cell of a score matrix is one number, the mean of the runs. What else is known of them stands here, beside
the matrix (docs/methods/noise.md).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import frozen


@dataclass(frozen=True, eq=False, repr=False)
class Facets:
    """Scores in cells: one for each combination of a topic and of levels of facets that was scored."""

    names: tuple[str, ...]  # of the facets: the columns that they come from
    levels: tuple[tuple[str, ...], ...]  # names of the levels of each
    topics: NDArray[np.intp]  # C, the topic of each cell, rising
    codes: tuple[NDArray[np.intp], ...]  # for each facet C, the level of each cell
    values: NDArray[np.float64]  # C × m, mean scores; NaN where a system has none
    own: bool = False  # whether levels differ by system, as training seeds do
    runs: float = 1.0  # scores behind each value, their harmonic mean
    # mean variance of the runs within a value; NaN where there is one run each
    run_variance: float = float("nan")

    @classmethod
    def crossed(
        cls, name: str, levels: Sequence[str], values: NDArray[np.float64], own: bool = False
    ) -> Facets:
        """One facet whose F levels each topic has, from n × F × m scores."""
        n, f, m = values.shape
        topics, codes = np.repeat(np.arange(n), f), np.tile(np.arange(f), n)
        return cls((name,), (tuple(levels),), topics, (codes,), frozen(values.reshape(n * f, m)), own)

    def __repr__(self) -> str:
        of = ", ".join(
            f"{name}: {len(levels)} levels" for name, levels in zip(self.names, self.levels, strict=True)
        )
        return f"<Facets {of}; {len(self.topics)} cells>"

    @property
    def several(self) -> tuple[str, ...]:
        """The facets with two levels or more: others have no effect."""
        return tuple(name for name, levels in zip(self.names, self.levels, strict=True) if len(levels) > 1)

    @cached_property
    def nested(self) -> tuple[str, ...]:
        """The facets nested in topics: their levels are drawn anew with the topics."""
        found = []
        for name in self.several:
            codes = self.code(name)
            first = np.zeros(int(codes.max()) + 1, np.intp)
            first[codes] = self.topics
            if (first[codes] == self.topics).all():
                found.append(name)
        return tuple(found)

    def code(self, name: str) -> NDArray[np.intp]:
        """C, the level of each cell of one facet."""
        return self.codes[self.names.index(name)]

    def table(self) -> NDArray[np.float64]:
        """Topics × systems: the mean of the cells of each topic; NaN where a system lacks one of them."""
        starts = np.flatnonzero(np.diff(self.topics, prepend=-1))
        sizes = np.diff(np.append(starts, len(self.topics)))
        return np.add.reduceat(self.values, starts, axis=0) / sizes[:, None]

    def means(self, name: str) -> NDArray[np.float64]:
        """F × m: the mean score at each level of one facet, of the cells that each system has there."""
        codes, there = self.code(name), ~np.isnan(self.values)
        found = np.empty((len(self.levels[self.names.index(name)]), self.values.shape[1]))
        for level in range(len(found)):
            here = codes == level
            with np.errstate(invalid="ignore"):
                sums = np.where(there[here], self.values[here], 0.0).sum(axis=0)
                found[level] = sums / there[here].sum(axis=0)
        return found

    def crossed_over(self, kept: Collection[str]) -> bool:
        """Whether the levels of all other facets are the same for each topic and each level of those kept."""
        cell = _joint(self.topics, *(self.code(name) for name in self.names if name in kept))
        others = [self.code(name) for name in self.names if name not in kept]
        fixed = _joint(*others) if others else np.zeros_like(cell)
        return len(cell) == (int(cell.max()) + 1) * (int(fixed.max()) + 1)

    def array(self, kept: Collection[str]) -> NDArray[np.float64] | None:
        """Topics × levels of the facets kept × m, means over all others; None where a score is missing."""
        shape = (int(self.topics.max()) + 1, *map(len, self.levels), self.values.shape[1])
        found = np.full(shape, np.nan)
        found[(self.topics, *self.codes)] = self.values
        others = tuple(axis for axis, name in enumerate(self.names, 1) if name not in kept)
        return None if np.isnan(found).any() else found.mean(axis=others)

    def rows(self, topics: NDArray[np.intp]) -> Facets:
        """Those of some topics, or in another order."""
        starts = np.searchsorted(self.topics, topics)
        sizes = np.searchsorted(self.topics, topics, side="right") - starts
        ends = np.cumsum(sizes)
        cells = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
        return replace(
            self,
            topics=np.repeat(np.arange(len(topics)), sizes),
            codes=tuple(codes[cells] for codes in self.codes),
            values=frozen(self.values[cells]),
        )

    def columns(self, systems: NDArray[np.intp]) -> Facets:
        """Those of some systems, or in another order."""
        return replace(self, values=frozen(self.values[:, systems]))

    def filled(self, value: float) -> Facets:
        """The facets with a value in each empty cell."""
        return replace(self, values=frozen(np.where(np.isnan(self.values), value, self.values)))

    def negated(self) -> Facets:
        """Those of the scores with a minus sign."""
        return replace(self, values=frozen(-self.values))


def _joint(*codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """One number for each combination of several, from 0 on."""
    found = codes[0]
    for one in codes[1:]:
        found = found * (int(one.max(initial=0)) + 1) + one
    return np.unique(found, return_inverse=True)[1].astype(np.intp)


@dataclass(frozen=True, eq=False, repr=False)
class Repeats:
    """The runs behind each cell of a score matrix."""

    counts: NDArray[np.intp]  # n × m, runs of each system on each topic
    # n × m, variance that the runs leave in the cell's score: that of one run over their number, for a
    # mean. NaN where the runs do not show it, as where there is one
    variances: NDArray[np.float64]
    column: str = ""  # the column of runs; empty where there is none
    measure: str = "mean"  # what a cell is of its runs: mean, pass@3 …
    binary: bool = False  # whether all runs score 0 or 1
    # the score of each run, where every system has the same labels on every topic
    labeled: Facets | None = None
    shared: bool = False  # whether a label is one thing for all topics, as a training seed is

    def __repr__(self) -> str:
        by = f" by {self.column}" if self.column else ""
        return f"<Repeats{by}: {self.counts.min()} to {self.counts.max()} runs>"

    @property
    def several(self) -> bool:
        """Whether any cell has two runs or more."""
        return bool((self.counts > 1).any())

    def rows(self, topics: NDArray[np.intp]) -> Repeats:
        """Those of some topics, or in another order."""
        labeled = self.labeled and self.labeled.rows(topics)
        return self._with(self.counts[topics], self.variances[topics], labeled)

    def columns(self, systems: NDArray[np.intp]) -> Repeats:
        """Those of some systems, or in another order."""
        labeled = self.labeled and self.labeled.columns(systems)
        return self._with(self.counts[:, systems], self.variances[:, systems], labeled)

    def certain(self, cells: NDArray[np.bool_]) -> Repeats:
        """The runs without noise in some cells."""
        counts, variances = np.where(cells, 1, self.counts), np.where(cells, 0.0, self.variances)
        return self._with(counts, variances, self.labeled and self.labeled.filled(0.0))

    def _with(
        self, counts: NDArray[np.intp], variances: NDArray[np.float64], labeled: Facets | None
    ) -> Repeats:
        return replace(self, counts=frozen(counts), variances=frozen(variances), labeled=labeled)

    def negated(self) -> Repeats:
        """Those of the scores with a minus sign."""
        return self if self.labeled is None else replace(self, labeled=self.labeled.negated())

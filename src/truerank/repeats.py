"""Several scores of one system on one topic: its runs, and the levels of a facet such as prompts or judges.

A cell of a score matrix is one number, the mean of the runs. What else is known of them stands here, beside
the matrix (docs/methods/noise.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import frozen


@dataclass(frozen=True, eq=False, repr=False)
class Facet:
    """Scores at each level of what all topics share: prompts, judges, seeds.

    Attributes:
        name: the column that it comes from.
        levels: F names.
        values: n × F × m, mean scores; NaN where a system has none on a topic.
        own: whether each system has levels of its own, as with training seeds.
        runs: scores behind each value, their harmonic mean.
        run_variance: mean variance of the runs within a value; NaN where there is one run each.

    Example:
        >>> Facet("prompt", ("a", "b"), np.zeros((3, 2, 4)))
        <Facet prompt: 2 levels>
    """

    name: str
    levels: tuple[str, ...]
    values: NDArray[np.float64]
    own: bool = False
    runs: float = 1.0
    run_variance: float = float("nan")

    def __repr__(self) -> str:
        return f"<Facet {self.name}: {len(self.levels)} levels>"

    def rows(self, topics: NDArray[np.intp]) -> Facet:
        """The same of some topics, or in another order."""
        return replace(self, values=frozen(self.values[topics]))

    def columns(self, systems: NDArray[np.intp]) -> Facet:
        """The same of some systems, or in another order."""
        return replace(self, values=frozen(self.values[:, :, systems]))

    def filled(self, value: float) -> Facet:
        """The same with a value in each empty cell."""
        return replace(self, values=frozen(np.where(np.isnan(self.values), value, self.values)))


@dataclass(frozen=True, eq=False, repr=False)
class Repeats:
    """The runs behind each cell of a score matrix.

    Attributes:
        counts: n × m, runs of each system on each topic.
        variances: n × m, variance that the runs leave in the cell's score: that of one run over their
            number, for a mean. NaN where the runs do not show it, as where there is one.
        column: the column of runs; empty where there is none.
        measure: what a cell is of its runs: ``mean``, ``pass@3`` …
        binary: whether all runs score 0 or 1.
        labeled: the score of each run, where every system has the same labels on every topic.
        shared: whether a label is one thing for all topics, as a training seed is.

    Example:
        >>> runs = Repeats(np.full((2, 2), 4), np.full((2, 2), 0.01), "trial")
        >>> runs
        <Repeats by trial: 4 to 4 runs>
    """

    counts: NDArray[np.intp]
    variances: NDArray[np.float64]
    column: str = ""
    measure: str = "mean"
    binary: bool = False
    labeled: Facet | None = None
    shared: bool = False

    def __repr__(self) -> str:
        by = f" by {self.column}" if self.column else ""
        return f"<Repeats{by}: {self.counts.min()} to {self.counts.max()} runs>"

    @property
    def several(self) -> bool:
        """Whether any cell has two runs or more."""
        return bool((self.counts > 1).any())

    def rows(self, topics: NDArray[np.intp]) -> Repeats:
        """The same of some topics, or in another order."""
        return replace(
            self,
            counts=frozen(self.counts[topics]),
            variances=frozen(self.variances[topics]),
            labeled=None if self.labeled is None else self.labeled.rows(topics),
        )

    def columns(self, systems: NDArray[np.intp]) -> Repeats:
        """The same of some systems, or in another order."""
        return replace(
            self,
            counts=frozen(self.counts[:, systems]),
            variances=frozen(self.variances[:, systems]),
            labeled=None if self.labeled is None else self.labeled.columns(systems),
        )

    def certain(self, cells: NDArray[np.bool_]) -> Repeats:
        """The same with no run noise in some cells."""
        return replace(
            self,
            counts=frozen(np.where(cells, 1, self.counts)),
            variances=frozen(np.where(cells, 0.0, self.variances)),
            labeled=None if self.labeled is None else self.labeled.filled(0.0),
        )

    def negated(self) -> Repeats:
        """The same of scores with a minus sign."""
        return self if self.labeled is None else replace(self, labeled=negated(self.labeled))


def negated(facet: Facet) -> Facet:
    """The same of scores with a minus sign."""
    return replace(facet, values=frozen(-facet.values))

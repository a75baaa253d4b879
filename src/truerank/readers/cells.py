"""Cells of several scores: runs of a system on a topic, and levels of facets such as prompts or judges.

A cell is the mean of its runs, or what was asked for of them, such as pass@3. What the runs say beside that
is kept (docs/methods/noise.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.wording import Quiet, count, few, listed
from truerank.errors import InputError
from truerank.numerics.over_runs import OVER_RUNS, OverRuns
from truerank.repeats import Facet, Repeats

_OVER = re.compile(r"(pass@|pass\^|best@)([1-9]\d*)")


def over_runs(measure: str | None) -> OverRuns | None:
    """What a measure's name asks of runs: ``pass@3``, ``pass^3`` or ``best@3``; None where it asks nothing.

    >>> over_runs("pass@3").k, over_runs("AP")
    (3, None)
    """
    found = _OVER.fullmatch(measure or "")
    return None if found is None else OverRuns(found[1] + found[2], OVER_RUNS[found[1]], int(found[2]))


@dataclass(frozen=True)
class Labels:
    """A column that tells scores of a cell apart.

    Attributes:
        name: of the column.
        codes: N, the level of each score.
        levels: names of the levels.
        shared: of runs: whether a label is one thing for all topics, as a seed is.
    """

    name: str
    codes: NDArray[np.intp]
    levels: tuple[str, ...]
    shared: bool = False

    @classmethod
    def of(cls, name: str, cells: Sequence[str], shared: bool = False) -> Labels:
        """Number the different cells of a column in the order in which they come."""
        places: dict[str, int] = {}
        codes = np.array([places.setdefault(cell, len(places)) for cell in cells], dtype=np.intp)
        return cls(name, codes, tuple(places), shared)


@dataclass(frozen=True)
class Cells:
    """Topics × systems, and what stands behind the cells."""

    values: NDArray[np.float64]
    repeats: Repeats | None
    facets: tuple[Facet, ...]
    notes: list[str]


@dataclass(frozen=True)
class Scored:
    """Scores with the cell that each belongs to.

    Attributes:
        cell: N, the topic's place times m plus the system's.
        scores: N; NaN where one is missing: of runs the others count, and a cell without any has none.
        shape: n and m.
        where: the start of a message.
        topics: n names.
        systems: m names.
    """

    cell: NDArray[np.intp]
    scores: NDArray[np.float64]
    shape: tuple[int, int]
    where: str
    topics: Sequence[str]
    systems: Sequence[str]

    def gathered(self, runs: Labels | None, facets: Sequence[Labels], over: OverRuns | None = None) -> Cells:
        """The cells, with their runs, or with the levels of facets.

        Args:
            runs: the column of runs; None where nothing does.
            facets: crossed with the topics and systems.
            over: what a cell is of its runs; their mean unless given.

        Raises:
            InputError: a level of a facet that lacks scores, or fewer runs than are asked for.
        """
        if facets:
            if over is not None:
                raise InputError(
                    f"{self.where}{over.name} is of runs of one kind, and column {facets[0].name!r} has "
                    "levels that differ; leave one of the two out"
                )
            found = [self._facet(one) for one in facets]
            values = np.nanmean(found[0].values, axis=1) if _holes(found[0]) else found[0].values.mean(axis=1)
            return Cells(values, None, tuple(found), [Quiet(self._about_facets(found))])
        there = ~np.isnan(self.scores)
        if not there.all():  # a run without a score is missing, as one without a row is
            kept = None if runs is None else replace(runs, codes=runs.codes[there])
            return replace(self, cell=self.cell[there], scores=self.scores[there]).gathered(kept, (), over)
        repeats, values = self._repeats(runs, over)
        return Cells(values, repeats, (), [*missing_runs(repeats), Quiet(_about_runs(repeats, runs))])

    def _repeats(self, runs: Labels | None, over: OverRuns | None) -> tuple[Repeats, NDArray[np.float64]]:
        size = self.shape[0] * self.shape[1]
        counts = np.bincount(self.cell, minlength=size)
        binary = bool(((self.scores == 0) | (self.scores == 1) | np.isnan(self.scores)).all())
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(self.cell, self.scores, minlength=size) / counts
            if over is None:
                away = self.scores - means[self.cell]
                squares = np.bincount(self.cell, away * away, minlength=size)
                values, variances = means, squares / (counts - 1) / counts
                variances[counts < 2] = np.nan
        if over is not None:
            self._check(over, counts, binary)
            values, variances = over.of(self.cell, self.scores, counts)
        labeled = None if runs is None or over is not None else self._labeled(runs, counts)
        repeats = Repeats(
            counts.reshape(self.shape),
            variances.reshape(self.shape),
            "" if runs is None else runs.name,
            "mean" if over is None else over.name,
            binary,
            labeled,
            runs is not None and runs.shared,
        )
        return repeats, values.reshape(self.shape)

    def _check(self, over: OverRuns, counts: NDArray[np.intp], binary: bool) -> None:
        if over.successes and not binary:
            raise InputError(
                f"{self.where}{over.name} counts successes, and some scores are neither 0 nor 1. "
                f"Use best@{over.k} for scores between"
            )
        short = np.flatnonzero((counts > 0) & (counts < over.k))
        if len(short):
            t, s = divmod(int(short[0]), self.shape[1])
            raise InputError(
                f"{self.where}system {self.systems[s]!r} has {count(int(counts[short[0]]), 'run')} on topic "
                f"{self.topics[t]!r}, and {over.name} needs {over.k}. Ask for at most "
                f"{int(counts[counts > 0].min())}"
            )

    def _labeled(self, runs: Labels, counts: NDArray[np.intp]) -> Facet | None:
        """The runs one by one, where each cell has each label once."""
        f = len(runs.levels)
        if f < 2 or not np.isin(counts, (0, f)).all():
            return None
        key = self.cell * f + runs.codes
        if len(np.unique(key)) < len(key):
            return None
        return Facet(runs.name, runs.levels, self._levels(key, f), own=runs.shared)

    def _facet(self, labels: Labels) -> Facet:
        n, m = self.shape
        f = len(labels.levels)
        key = self.cell * f + labels.codes
        times = np.bincount(key, minlength=n * m * f)
        self._check_crossed(labels, times.reshape(n, m, f))
        values = self._levels(key, f)
        means = values.transpose(0, 2, 1).ravel()
        several = times > 1
        variance = float("nan")
        if several.any():
            squares = np.bincount(key, (self.scores - means[key]) ** 2, minlength=len(times))
            variance = float(np.nanmean(squares[several] / (times[several] - 1)))
        runs = round(float(1 / np.mean(1 / times[times > 0])), 12)
        return Facet(labels.name, labels.levels, values, runs=runs, run_variance=variance)

    def _levels(self, key: NDArray[np.intp], f: int) -> NDArray[np.float64]:
        """n × F × m means, read-only."""
        n, m = self.shape
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(key, self.scores, minlength=n * m * f) / np.bincount(key, minlength=n * m * f)
        values = np.ascontiguousarray(means.reshape(n, m, f).transpose(0, 2, 1))
        values.setflags(write=False)
        return values

    def _check_crossed(self, labels: Labels, times: NDArray[np.intp]) -> None:
        """Refuse levels that some system lacks on a topic that it has at others."""
        there = times > 0
        topics_of_level = np.asarray(there.any(axis=1)).sum(axis=0)
        if len(times) > 1 < len(topics_of_level) and (topics_of_level == 1).all():
            raise InputError(
                f"{self.where}each level of column {labels.name!r} has one topic only, so it is no facet. "
                "Take its levels for topics, and the topics for their clusters"
            )
        lacking = there.any(axis=2, keepdims=True) & ~there
        if lacking.any():
            t, s, level = (int(i) for i in np.argwhere(lacking)[0])
            raise InputError(
                f"{self.where}system {self.systems[s]!r} has no score on topic {self.topics[t]!r} at "
                f"{labels.name} {labels.levels[level]!r}. A facet needs every level in every cell: add the "
                "scores, or remove the level or the topic"
            )

    def _about_facets(self, facets: Sequence[Facet]) -> str:
        levels = listed([f"{len(one.levels)} levels of {one.name!r}" for one in facets])
        runs = ", and over runs within them" if facets[0].runs > 1 else ""
        return f"scores are means over {levels} ({few(facets[0].levels, 4)}){runs}"


def _holes(facet: Facet) -> bool:
    return bool(np.isnan(facet.values).any())


def missing_runs(repeats: Repeats) -> list[str]:
    """A warning where some topics of a system have fewer runs than its others.

    >>> missing_runs(Repeats(np.array([[3, 1], [2, 1]]), np.zeros((2, 2))))[0].partition(" ")[0]
    '1'
    """
    planned = np.where(repeats.counts > 0, repeats.counts.max(axis=0, initial=0), 0)
    lacking, total = int((planned - repeats.counts).sum()), int(planned.sum())
    if not lacking:
        return []
    are = "is" if lacking == 1 else "are"
    return [
        f"{lacking:,} of {total:,} runs {are} missing: if failed runs were left out, the scores are "
        "too high. Score them 0"
    ]


def _about_runs(repeats: Repeats, runs: Labels | None) -> str:
    there = repeats.counts[repeats.counts > 0]
    low, high = (int(there.min()), int(there.max())) if len(there) else (1, 1)
    number = f"{low} runs" if low == high else f"{low} to {high} runs"
    column = "" if runs is None or not runs.name else f" (column {runs.name!r})"
    what = "are averaged" if repeats.measure == "mean" else f"make one score by {repeats.measure}"
    return f"{number} of each system on each topic {what}{column}"

"""Scores as records, and the one pivot that makes a table of topics × systems of them.

A cell of several records is their mean, or what was asked for of them, such as pass@3. What runs and levels
of facets say beside that is kept (docs/methods/noise.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.types import frozen
from truerank._support.units import Noun
from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.kinds import Plain
from truerank.numerics.over_runs import OVER_RUNS, OverRuns, pass_of
from truerank.readers.cell_values import Codes, Column, Places, all_differ, in_order
from truerank.reading import Origin, Reading
from truerank.repeats import Facets, Repeats
from truerank.scores import ScoreMatrix, Unnamed

_OVER = re.compile(r"(pass@|pass\^|best@)([1-9]\d*)")


def over_runs(measure: str | None) -> OverRuns | None:
    """What a name asks of runs: ``pass@3``, ``pass^3`` or ``best@3``; None where it asks nothing."""
    found = _OVER.fullmatch(measure or "")
    return None if found is None else OverRuns(found[1] + found[2], OVER_RUNS[found[1]], int(found[2]))


@dataclass(frozen=True, eq=False)
class Factor:
    """A column that distinguishes scores of one cell; a run is shared if it is one thing for all topics."""

    name: str
    codes: Codes
    levels: tuple[str, ...]
    shared: bool = False

    @classmethod
    def of(cls, name: str, codes: Codes, levels: Sequence[str], shared: bool = False) -> Factor:
        """A factor with those of the levels that occur, in the order in which they first come."""
        used, places = in_order(codes, len(levels))
        return cls(name, places, tuple(levels[k] for k in used.tolist()), shared)

    @classmethod
    def joined(cls, parts: Sequence[Factor], name: str, shared: bool = False) -> Factor:
        """The factor of the records of several tables."""
        levels = Places()
        codes = np.concatenate([levels.codes(part.levels)[part.codes] for part in parts])
        return cls(name, codes, tuple(levels), shared)


@dataclass(frozen=True, eq=False)
class Cells:
    """Topics × systems, and what stands behind the cells."""

    values: NDArray[np.float64]
    repeats: Repeats | None
    facets: Facets | None
    notes: list[Note]


@dataclass(frozen=True, eq=False)
class Records:
    """Scores by one measure, as columns."""

    # N; NaN where one is missing: of runs the others count, and a cell without any has none
    scores: NDArray[np.float64]
    topic: Codes  # N, the topic of each, by its place
    system: Codes  # N, its system
    topics: Sequence[tuple[str, str]]  # n, data set (empty where there are none) and name
    systems: Sequence[str]  # m names
    where: str  # the start of a message
    runs: Factor | None = None  # what distinguishes runs of a cell; None where nothing does
    facets: Sequence[Factor] = ()  # what else says which cell a score is of: prompts, judges
    # N, where a score counts the successes in so many attempts, of one record per cell
    attempts: Codes | None = None

    @classmethod
    def grid(
        cls,
        values: NDArray[np.float64],
        topics: Sequence[tuple[str, str]],
        systems: Sequence[str],
        where: str,
    ) -> Records:
        """The records of a table of n topics × m systems."""
        n, m = values.shape
        return cls(
            values.ravel(), np.repeat(np.arange(n), m), np.tile(np.arange(m), n), topics, systems, where
        )

    @classmethod
    def joined(cls, parts: Sequence[Records], where: str) -> Records:
        """The records of several tables, whose topics and systems are in order of first appearance."""
        topics, systems, runs = Places(), Places(), None
        if own := [part.runs for part in parts if part.runs is not None]:
            without = Factor("", np.zeros(0, np.intp), ("",))
            each = [part.runs or replace(without, codes=np.zeros_like(part.topic)) for part in parts]
            runs = Factor.joined(each, own[0].name, all(one.shared for one in own))
        attempts = [part.attempts for part in parts if part.attempts is not None]
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([topics.codes(part.topics)[part.topic] for part in parts]),
            np.concatenate([systems.codes(part.systems)[part.system] for part in parts]),
            list(topics),
            list(systems),
            where,
            runs,
            [Factor.joined(of, of[0].name) for of in zip(*(part.facets for part in parts), strict=True)],
            np.concatenate(attempts) if attempts else None,
        )

    def some(self, topics: Sequence[int] | None = None, systems: Sequence[int] | None = None) -> Records:
        """Those of some topics and systems, or in another order."""
        moved = self
        if topics is not None:
            codes, names = _moved(self.topic, topics, len(self.topics)), [self.topics[t] for t in topics]
            moved = replace(moved, topic=codes, topics=names)
        if systems is not None:
            codes, of = _moved(self.system, systems, len(self.systems)), [self.systems[s] for s in systems]
            moved = replace(moved, system=codes, systems=of)
        return moved._where((moved.topic >= 0) & (moved.system >= 0))

    def _where(self, there: NDArray[np.bool_]) -> Records:
        """Some of the records."""
        if there.all():
            return self
        factors = [replace(one, codes=one.codes[there]) for one in self.facets]
        runs = None if self.runs is None else replace(self.runs, codes=self.runs.codes[there])
        attempts = None if self.attempts is None else self.attempts[there]
        scores, topic, system = self.scores[there], self.topic[there], self.system[there]
        return Records(scores, topic, system, self.topics, self.systems, self.where, runs, factors, attempts)

    @property
    def shape(self) -> tuple[int, int]:
        """n and m."""
        return len(self.topics), len(self.systems)

    @cached_property
    def cell(self) -> Codes:
        """The cell of each score: its topic's place times m plus its system's."""
        return self.topic * len(self.systems) + self.system

    def pivot(self, over: OverRuns | None = None, repeat: bool = False) -> Cells:
        """The table of topics × systems; with `repeat`, records of one cell are runs without a column."""
        if self.attempts is not None:
            return self._of_attempts(self.attempts, over)
        if self.facets:
            return self._with_scores()._over_facets(over)
        if self.runs is None and not repeat:
            values = np.full(self.shape, np.nan)
            values.ravel()[self.cell] = self.scores
            return Cells(values, None, None, [])
        there = ~np.isnan(self.scores)
        if not there.all():  # a run without a score is missing, as one without a row is
            return self._with_scores().pivot(over, True)
        repeats, values = self._repeats(over)
        return Cells(values, repeats, None, [*missing_runs(repeats.counts), _about_runs(repeats, self.runs)])

    def table(
        self,
        cells: Cells,
        place: Callable[[int, int], str] | None,
        measure: str,
        source: str | None,
        notes: Sequence[Note],
        several: bool,
        *,
        clusters: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        families: Mapping[str, str] | None = None,
        unnamed: Unnamed = "",
        lower_is_better: bool = False,
        noun: Noun = "topic",
        reading: Reading | None = None,
    ) -> ScoreMatrix:
        """The scores in the cells, with their origin; `several` is whether data sets are named."""
        scores = ScoreMatrix.build(
            cells.values,
            [topic for _, topic in self.topics],
            self.systems,
            measure,
            source,
            notes,
            holes=True,
            data_sets=[data_set for data_set, _ in self.topics] if several else None,
            clusters=clusters,
            noun=noun,
            origin=Origin(self.where, place, lower_is_better, weights, families, lambda: self),
        )
        return replace(scores, unnamed=unnamed, repeats=cells.repeats, facets=cells.facets, reading=reading)

    def _with_scores(self) -> Records:
        """The records that have a score: at a level of a facet, an empty cell is missing as a row is."""
        there = ~np.isnan(self.scores)
        if self.facets:  # a topic without any score stays, to be noted or refused
            there |= ~np.isin(self.topic, self.topic[there])
        return self._where(there)

    def means(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The mean of each cell's records, NaN where one is missing; and how many each has."""
        size = self.shape[0] * self.shape[1]
        counts = np.bincount(self.cell, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.bincount(self.cell, self.scores, minlength=size) / counts
        return values.reshape(self.shape), counts.reshape(self.shape)

    def _repeats(self, over: OverRuns | None) -> tuple[Repeats, NDArray[np.float64]]:
        cell, size = self.cell, self.shape[0] * self.shape[1]
        means, table = self.means()
        counts = table.ravel()
        binary = bool(((self.scores == 0) | (self.scores == 1) | np.isnan(self.scores)).all())
        if over is None:
            away = self.scores - means.ravel()[cell]
            with np.errstate(invalid="ignore", divide="ignore"):
                squares = np.bincount(cell, away * away, minlength=size)
                values, variances = means.ravel(), squares / (counts - 1) / counts
            variances[counts < 2] = np.nan
        else:
            self._check(over, counts, binary)
            values, variances = over.of(cell, self.scores, counts)
        runs = self.runs
        repeats = Repeats(
            table,
            variances.reshape(self.shape),
            "" if runs is None else runs.name,
            "mean" if over is None else over.name,
            binary,
            None if runs is None or over is not None else self._labeled(runs, counts),
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
                f"{self.topics[t][1]!r}, and {over.name} needs {over.k}. Ask for at most "
                f"{int(counts[counts > 0].min())}"
            )

    def _labeled(self, runs: Factor, counts: NDArray[np.intp]) -> Facets | None:
        """The runs one by one, where each cell has each label once."""
        f = len(runs.levels)
        if f < 2 or not np.isin(counts, (0, f)).all() or not all_differ(self.cell * f + runs.codes):
            return None
        values = np.full((self.shape[0] * f, self.shape[1]), np.nan)
        values[self.topic * f + runs.codes, self.system] = self.scores
        return Facets.crossed(runs.name, runs.levels, values.reshape(-1, f, self.shape[1]), own=runs.shared)

    def _of_attempts(self, attempts: Codes, over: OverRuns | None) -> Cells:
        """Cells of c successes in K attempts each."""
        k = 1 if over is None else over.k
        there = ~np.isnan(self.scores)
        if over is not None and (short := there & (attempts < k)).any():
            tried = attempts[np.argmax(short)]
            raise InputError(f"{self.where}{tried} attempts in a row, and {over.name} needs {k}")
        value, variance = pass_of(
            self.scores, np.where(there, attempts, 1), k, over is None or over.kind != "all"
        )
        table = np.full((3, self.shape[0] * self.shape[1]), np.nan)
        table[2] = 0
        table[:, self.cell] = value, variance, attempts
        values, variances, runs = (one.reshape(self.shape) for one in table)
        name = "mean" if over is None else over.name
        repeats = Repeats(runs.astype(np.intp), variances, "", name, True)
        low, high = (int(attempts[there].min()), int(attempts[there].max())) if there.any() else (0, 0)
        facts = {"case": "attempts", "fewest": low, "most": high, "measure": name}
        note = Note("averaged", facts, "info")
        return Cells(values, repeats, None, [*missing_runs(repeats.counts), note])

    def _over_facets(self, over: OverRuns | None) -> Cells:
        """The mean over the cells of each topic; a system that lacks one of them has none."""
        if over is not None:
            raise InputError(
                f"{self.where}{over.name} is of runs of one kind, and column {self.facets[0].name!r} has "
                "levels that differ; leave one of the two out"
            )
        m, key = self.shape[1], self.topic
        for factor in self.facets:
            key = key * len(factor.levels) + factor.codes
        first, cell = np.unique(key, return_index=True, return_inverse=True)[1:]
        there = ~np.isnan(self.scores)
        place = (cell * m + self.system)[there]
        times = np.bincount(place, minlength=len(first) * m)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.bincount(place, self.scores[there], minlength=len(times)) / times
        variance, several = float("nan"), times > 1
        if several.any():
            squares = np.bincount(place, (self.scores[there] - values[place]) ** 2, minlength=len(times))
            variance = float(np.mean(squares[several] / (times[several] - 1)))
        facets = Facets(
            tuple(factor.name for factor in self.facets),
            tuple(factor.levels for factor in self.facets),
            self.topic[first],
            tuple(factor.codes[first] for factor in self.facets),
            frozen(values.reshape(-1, m)),
            runs=round(float(1 / np.mean(1 / times[times > 0])), 12),
            run_variance=variance,
        )
        missing = missing_runs(times.reshape(-1, m)) if several.any() else []
        return Cells(facets.table(), None, facets, [*missing, _about_facets(facets)])


def _moved(codes: Codes, kept: Sequence[int], size: int) -> Codes:
    """The place of each code among those that are kept, −1 for others."""
    places = np.full(size, -1)
    places[list(kept)] = np.arange(len(kept))
    return places[codes]


def _about_facets(facets: Facets) -> Note:
    levels = {name: list(of) for name, of in zip(facets.names, facets.levels, strict=True)}
    return Note("averaged", {"case": "facets", "levels": levels, "runs": facets.runs > 1}, "info")


def missing_runs(counts: NDArray[np.intp]) -> list[Note]:
    """A warning where some cells (rows) of a system (column) have fewer runs than its others."""
    planned = np.where(counts > 0, counts.max(axis=0, initial=0), 0)
    lacking, total = int((planned - counts).sum()), int(planned.sum())
    if not lacking:
        return []
    return [Note("scores-missing", {"case": "runs", "number": lacking, "of": total})]


def _about_runs(repeats: Repeats, runs: Factor | None) -> Note:
    there = repeats.counts[repeats.counts > 0]
    low, high = (int(there.min()), int(there.max())) if len(there) else (1, 1)
    column = "" if runs is None else runs.name
    facts = {"case": "runs", "fewest": low, "most": high, "measure": repeats.measure, "column": column}
    return Note("averaged", facts, "info")


def runs_together(scores: ScoreMatrix, pattern: str, measure: str | None = None) -> ScoreMatrix:
    """The scores with the runs of each system in one column; a name that does not fit has one run.

    >>> table = ScoreMatrix.build([[0.1, 0.3, 0.5]], systems=["a-1", "a-2", "b"])
    >>> runs_together(table, "{system}-{run}").systems
    ('a', 'b')
    """
    where = at(scores.source)
    if pattern.count("{system}") != 1 or pattern.count("{run}") != 1:
        raise InputError(f"{where}{pattern!r} is not a pattern; write one such as '{{system}}-{{run}}'")
    if type(scores.kind) is not Plain or scores.repeats is not None:
        raise InputError(f"{where}runs by their names are for plain scores; leave the pattern out")
    written = re.escape(pattern).replace(r"\{system\}", "(?P<system>.+)").replace(r"\{run\}", "(?P<run>.+?)")
    names = [re.fullmatch(written, name) for name in scores.systems]
    if not any(names):
        raise InputError(
            f"{where}no system is called like {pattern!r}; the first one is {scores.systems[0]!r}. Write "
            "{system} and {run} where its parts are, and the rest as it stands"
        )
    systems = [
        name if found is None else found["system"] for name, found in zip(scores.systems, names, strict=True)
    ]
    runs = Column.of("1" if found is None else found["run"] for found in names)
    places, over = Places(), over_runs(measure)
    columns = places.codes(systems)
    distinct = list(places)
    cells = replace(
        Records.grid(scores.values, [("", name) for name in scores.topics], distinct, where),
        system=np.tile(columns, scores.n),
        runs=Factor("run", np.tile(runs.codes, scores.n), tuple(runs.levels), shared=True),
    ).pivot(over)
    cells.values.setflags(write=False)
    facts = {"case": "runs", "number": len(systems), "systems_of": len(distinct), "pattern": pattern}
    note = Note("reading", facts, "info")
    return replace(
        scores,
        values=cells.values,
        systems=tuple(distinct),
        repeats=cells.repeats,
        measure=scores.measure if over is None else over.name,
        notes=(*(one for one in scores.notes if one.code != "runs-as-systems"), note, *cells.notes),
    )

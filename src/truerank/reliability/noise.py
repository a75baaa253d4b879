"""Where the noise of a ranking comes from: topics, runs and facets (docs/methods/noise.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.tables import Bounded, Column, Name, Number, Percent, Share
from truerank._support.types import Fraction, Level, OrNaN, Unwritten, Vector
from truerank.readers.records import over_runs
from truerank.reliability.means import Aggregate, Means, Question
from truerank.reliability.means.facets import (
    FEWEST_LEVELS,
    SURE,
    TOGETHER,
    TOPIC,
    Cells,
    Components,
    facets_named,
    level_test,
    no_method,
    sampled_warnings,
)
from truerank.reliability.means.means_of import facet_means, noise_of
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix

DRAWS = 4_000  # draws behind the interval of a share
RUNS = "run"  # the source that stands for the runs of a system on a topic


@dataclass(frozen=True)
class NoiseSource:
    """One source of noise.

    Attributes:
        source: ``run``, ``topic``, the column of a facet, or several of these: ``topic × prompt``.
        names: the same, in a list.
        levels: how many there are; of runs, as many of a system on a topic as would leave the same noise.
        variance: of one level; null where only the share is known.
        share: its part of the variance of a difference of means; of facets, if their levels are a sample.
        low: lower end of the interval; null where it is unknown.
        high: upper end; null in the same cases.
        p_value: of no effect of the levels of a facet on the order of systems; null where it is unknown.
        borrowed: systems without repeats, which borrow the noise of the others.
    """

    source: str
    names: tuple[str, ...]
    levels: float
    variance: OrNaN
    share: Annotated[Fraction, Column("Share", Share())]
    low: OrNaN
    high: OrNaN
    p_value: float | None = None
    borrowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class NoisySystem:
    """The noise of one system.

    Attributes:
        system: its name.
        deviation: standard deviation of one run on a topic; of a facet, of its means over the levels.
        low: lower end of the interval; null where it is unknown.
        high: upper end; null in the same cases.
        topics: variance that topics leave in its score beside the average system’s.
        source: variance that the runs, or the levels, leave there.
        share: of the runs, or levels, in the variance of its score.
        borrowed: whether it has no repeats, so that its noise is that of the others.
    """

    system: Annotated[str, Column("System", Name())]
    deviation: Annotated[
        float,
        Column("{spread}", Bounded(low="low", high="high", digits=3)),
    ]
    low: OrNaN
    high: OrNaN
    topics: Annotated[float, Column("Variance by {topics}", Number(digits=6), details=True)]
    source: Annotated[float, Column("Variance by {source}", Number(digits=6), details=True)]
    share: Annotated[Fraction, Column("Share of {source}", Percent())]
    borrowed: bool = False


@dataclass(frozen=True)
class LevelMeans:
    """The mean scores of one system at the levels of a facet.

    Attributes:
        system: its name.
        means: at each level, in the order of the levels.
        odd: place of the level where it is furthest from its usual distance to the average system.
    """

    system: str
    means: tuple[float, ...]
    odd: int

    @property
    def there(self) -> float:
        return self.means[self.odd]

    @property
    def elsewhere(self) -> float:
        return (sum(self.means) - self.there) / (len(self.means) - 1)


@dataclass(frozen=True)
class Noise:
    """The sources of noise of an assessment.

    Attributes:
        sources: each, the topics first and the runs last; where runs are the only one, these alone.
        systems: the noise of each system by runs, or by `facet`, best system first.
        level: confidence level of the intervals.
        facet: the facet that moves systems most; empty for runs.
        random: the facets on whose new levels the ranking is to hold.
        levels: names of the levels of `facet`; empty for runs.
        by_level: each system at these levels, best system first; empty for runs.
        total: variance of a difference of means, halved; null for runs.
        said_of_more: whether it is known what more runs would bring.
    """

    sources: tuple[NoiseSource, ...]
    systems: tuple[NoisySystem, ...]
    level: Level
    facet: str = ""
    random: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    by_level: tuple[LevelMeans, ...] = ()
    total: OrNaN = float("nan")
    said_of_more: Unwritten[bool] = False

    @property
    def of_runs(self) -> bool:
        """Whether runs are the only source beside the topics."""
        return not self.facet

    @property
    def negligible(self) -> bool:
        """Whether runs are the only source, and even the upper bound of their share rounds to 0%."""
        return self.of_runs and self.main.high < 0.005

    @property
    def by_share(self) -> list[NoiseSource]:
        return sorted(self.sources, key=lambda one: -one.share)

    @property
    def main(self) -> NoiseSource:
        """The runs, or the facet that moves systems most."""
        return next(one for one in self.sources if (self.facet or RUNS) in one.names)

    @property
    def most(self) -> NoisySystem:
        """The system whose score varies most."""
        return max(self.systems, key=lambda one: one.deviation)

    @property
    def matters(self) -> bool:
        """Whether the order of systems depends on the levels of the facet."""
        p = self.main.p_value
        return p is not None and p < SURE


def noise(
    scores: ScoreMatrix, means: Means, question: Question, rule: Aggregate, level: float, seed: int
) -> tuple[Noise | None, list[Note]]:
    """The sources of noise, and what to know about them."""
    population, *named = question.split(",")
    if named:
        facets = facets_named(scores, named)
        notes = sampled_warnings(facets, named, scores.m)
        return _of_facets(facets, scores, means, level, named, seed), notes
    runs = noise_of(scores, question, rule, means)
    if runs is not None:
        return _of_runs(scores, means, runs, level)
    notes = []
    if scores.repeats is not None and scores.repeats.several:
        over = over_runs(scores.repeats.measure)
        needs = "complete" if over is None else "runs" if over.kind != "best" else "other measure"
        facts: dict[str, Any] = {"needs": needs, "unit": scores.unit.one}
        facts |= {} if over is None else {"runs": 2 * over.k, "measure": over.name}
        notes.append(Note("run-noise", {"case": "unknown", **facts}))
    fixed = scores.facets
    cells = None if fixed is None or no_method(scores, rule) else Cells.of(fixed, fixed.several)
    if fixed is None or cells is None or not fixed.several:
        return None, notes
    found = _of_facets(fixed, scores, facet_means(cells), level, [], seed)
    # The facets on whose levels the order of systems depends, though they are fixed.
    sure = {one.source for one in found.sources if one.p_value is not None and one.p_value < SURE}
    if matter := [name for name in fixed.several if name in sure]:
        levels = {name: len(fixed.levels[fixed.names.index(name)]) for name in matter}
        notes.append(Note("facet-levels", {"case": "fixed", "levels": levels, "population": population}))
    return found, notes


def _of_runs(
    scores: ScoreMatrix, means: Means, runs: RunNoise, level: float
) -> tuple[Noise | None, list[Note]]:
    """Runs as the only source beside the topics."""
    m, lent = scores.m, tuple(np.array(scores.systems, dtype=object)[runs.borrowed])
    notes = []
    if runs.share <= 1e-12:  # a table of it would say 0% (0% to 100%)
        return None, [Note("run-noise", {"case": "none"}, "alert"), *_seed_warnings(scores)]
    if runs.share > LARGEST_SHARE:
        notes.append(Note("run-noise", {"case": "large", "share": LARGEST_SHARE, "unit": scores.unit.one}))
    if lent:
        notes.append(Note("run-noise", {"case": "borrowed"}, systems=lent))
    ends = runs.interval(level)
    source = NoiseSource(RUNS, (RUNS,), round(runs.runs, 9), np.nan, runs.share, *ends, None, lent)
    of_runs = runs.errors * (1 - 2 / m) + runs.errors.sum() / m**2  # beside the average of all
    topics = np.maximum(np.sum(means.beside_average**2, axis=0), of_runs) - of_runs
    deviations = (np.sqrt(variances).tolist() for variances in (runs.variances, *runs.system_interval(level)))
    columns = (*deviations, *_shares(topics, of_runs), runs.borrowed.tolist())
    systems = tuple(NoisySystem(*row) for row in zip(scores.systems, *columns, strict=True))
    found = Noise((source,), systems, level, said_of_more=runs.averaged)
    return found, [*notes, *_seed_warnings(scores)]


def _shares(topics: Vector, source: Vector) -> tuple[list[float], ...]:
    """The variance by either, and the share of the source in both."""
    both = topics + source
    share = np.divide(source, both, out=np.zeros_like(both), where=both > 0)
    return topics.tolist(), source.tolist(), share.tolist()


def seeds_together(scores: ScoreMatrix, command: str = "") -> list[Note]:
    """An alert where runs of one label go together over topics; a `command` that cannot count it is named."""
    p, runs = _label_test(scores), scores.repeats
    if p is None or runs is None or p >= (SURE if runs.shared else TOGETHER):
        return []
    few = runs.labeled is not None and len(runs.labeled.levels[0]) < FEWEST_LEVELS
    facts = {"column": runs.column, "unit": scores.unit.one, "p_value": p, "command": command, "few": few}
    return [Note("runs-together", facts, "alert")]


def _label_test(scores: ScoreMatrix) -> float | None:
    """p of no effect of labels that runs share over topics; None where it cannot be tested."""
    runs = scores.repeats
    if runs is None or runs.labeled is None or scores.k > 1 or scores.clusters is not None:
        return None
    return level_test(scores, runs.labeled, runs.column)


def _seed_warnings(scores: ScoreMatrix) -> list[Note]:
    """What labeled runs say of effects that all topics share."""
    found, runs = seeds_together(scores), scores.repeats
    if found or runs is None or not runs.shared:
        return found
    p = _label_test(scores)
    if p is None and runs.labeled is not None and scores.k == 1 and scores.clusters is None:
        return []
    facts = {"case": "untested" if p is None else "tested", "column": runs.column, "unit": scores.unit.one}
    return [Note("runs-independent", facts if p is None else {**facts, "p_value": p})]


def _of_facets(
    facets: Facets, scores: ScoreMatrix, means: Means, level: float, random: Sequence[str], seed: int
) -> Noise:
    """The sources of means whose facets are all a sample of levels, or taken for one."""
    parts = means.components
    assert parts is not None
    first, m = max(parts.cells.factors[1:], key=parts.redrawn), scores.m
    # How much each system’s mean moves over the levels, beside what topics do; not shrunken.
    u, of_base = parts.place(first), parts.place(TOPIC)
    left = parts.squares[u] / max(1 - parts.remaining[u], 1e-300) * m / max(m - 1, 1)
    topics = parts.squares[of_base] / max(1 - parts.remaining[of_base], 1e-300)
    unknown = [np.nan] * m
    columns = (np.sqrt(left / parts.remaining[u]).tolist(), unknown, unknown, *_shares(topics, left))
    # The mean of each system at each level, and where it is furthest from its usual distance to the average.
    of_levels = facets.means(first)
    beside = of_levels - np.nanmean(of_levels, axis=1, keepdims=True)
    odd = np.argmax(np.nan_to_num(np.abs(beside - np.nanmean(beside, axis=0))), axis=0)
    by_level = zip(scores.systems, map(tuple, of_levels.T.tolist()), odd.tolist(), strict=True)
    return Noise(
        sources=tuple(_sources(facets, scores, parts, level, seed)),
        systems=tuple(NoisySystem(*row) for row in zip(scores.systems, *columns, strict=True)),
        level=level,
        facet=first,
        random=tuple(random),
        levels=facets.levels[facets.names.index(first)],
        by_level=tuple(LevelMeans(*row) for row in by_level),
        total=parts.variance,
    )


def _sources(
    facets: Facets, scores: ScoreMatrix, parts: Components, level: float, seed: int
) -> Iterator[NoiseSource]:
    """Each effect, the topics first, and the runs; the share of runs is a piece of the finest effect’s."""
    variance, effects = parts.variance, parts.effects
    ends = np.full((2, len(effects)), np.nan)
    if variance > 0:
        drawn = parts.drawn(DRAWS, stream(seed, "components")) * parts.remaining
        drawn = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1e-300)
        ends = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    of_runs = parts.run_part
    for u in sorted(
        range(len(effects)), key=lambda u: (len(effects[u].factors), TOPIC not in effects[u].factors)
    ):
        label, taken = effects[u].label, of_runs if u == len(effects) - 1 else 0.0
        share = (float(parts.parts[u]) - taken) / variance if variance > 0 else 0.0
        yield NoiseSource(
            label,
            (label,),
            float(effects[u].levels),
            float(parts.variances[u]) - (taken / float(parts.remaining[u])),
            share,
            np.nan if taken else min(float(ends[0, u]), share),
            np.nan if taken else max(float(ends[1, u]), share),
            level_test(scores, facets, label) if label in facets.names else None,
        )
    if of_runs > 0:
        share, of_one = of_runs / variance, parts.cells.run_variance * facets.runs
        yield NoiseSource(RUNS, (RUNS,), facets.runs, of_one, share, np.nan, np.nan)

"""Where the noise of a ranking comes from: topics, runs and facets (docs/methods/noise.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.tables import Bounded, Column, Derived, Name, Number, Percent, Share
from truerank._support.types import Fraction, Level, OrNaN, Unwritten
from truerank.readers.records import over_runs
from truerank.reliability.means import Aggregate, Means, Question
from truerank.reliability.means.facets import (
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
        borrowed: whether it has no repeats, so that its noise is that of the others.
    """

    system: Annotated[str, Column("System", Name())]
    deviation: Annotated[
        float,
        Column(
            "{spread}",
            Bounded(low="low", high="high", digits=3),
            meaning="standard deviation of one run on a {topic}; of a facet, of its means over the levels",
        ),
    ]
    low: OrNaN
    high: OrNaN
    topics: Annotated[
        float,
        Column(
            "Variance by {topics}",
            Number(digits=6),
            meaning="variance that {topics} leave in its score beside the average system’s",
            details=True,
        ),
    ]
    source: Annotated[float, Column("Variance by {source}", Number(digits=6), details=True)]
    borrowed: bool = False

    share = Derived(
        "Share of {source}",
        Percent(),
        "of the runs, or levels, in the variance of its score",
        lambda one: one.source / (one.topics + one.source) if one.topics + one.source > 0 else 0.0,
        Fraction,
    )


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
        """Its mean at the odd level."""
        return self.means[self.odd]

    @property
    def elsewhere(self) -> float:
        """Its mean over the other levels."""
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
        """The sources, the largest share first."""
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
    scores: ScoreMatrix,
    means: Means,
    question: Question,
    rule: Aggregate,
    level: float,
    seed: int,
) -> tuple[Noise | None, list[Note]]:
    """The sources of noise, and what to know about them."""
    population, *named = question.split(",")
    if named:
        facets = facets_named(scores, named)
        about = sampled_warnings(facets, named, scores.m)
        return _of_facets(facets, scores, means, level, named, seed), about
    warnings: list[Note] = []
    runs = noise_of(scores, question, rule, means)
    if runs is not None:
        warnings = [*_run_warnings(scores, runs), *_seed_warnings(scores)]
        return _of_runs(scores, means, runs, level), warnings
    if scores.repeats is not None and scores.repeats.several:
        over = over_runs(scores.repeats.measure)
        needs = "complete" if over is None else "runs" if over.kind != "best" else "other measure"
        facts: dict[str, Any] = {"needs": needs, "unit": scores.unit.one}
        facts |= {} if over is None else {"runs": 2 * over.k, "measure": over.name}
        warnings.append(Note("run-noise", {"case": "unknown", **facts}))
    fixed = scores.facets
    cells = None if fixed is None or no_method(scores, rule) else Cells.of(fixed, fixed.several)
    if fixed is None or cells is None or not fixed.several:
        return None, warnings
    found = _of_facets(fixed, scores, facet_means(cells), level, [], seed)
    return found, [*warnings, *_fixed_warnings(found, fixed, population)]


def _of_runs(scores: ScoreMatrix, means: Means, runs: RunNoise, level: float) -> Noise:
    low, high = runs.interval(level)
    number, lent = round(runs.runs, 9), _borrowed(scores, runs)
    source = NoiseSource(RUNS, (RUNS,), number, np.nan, runs.share, low, high, None, lent)
    systems = _noisy_systems(scores, means, runs, level)
    return Noise((source,), systems, level, said_of_more=runs.averaged)


def _noisy_systems(
    scores: ScoreMatrix, means: Means, runs: RunNoise, level: float
) -> tuple[NoisySystem, ...]:
    low, high = runs.system_interval(level)
    m = scores.m
    of_runs = runs.errors * (1 - 2 / m) + runs.errors.sum() / m**2  # beside the average of all
    total = np.maximum(np.sum(means.beside_average**2, axis=0), of_runs)
    return tuple(
        NoisySystem(
            name,
            float(np.sqrt(runs.variances[s])),
            float(np.sqrt(low[s])),
            float(np.sqrt(high[s])),
            float(total[s] - of_runs[s]),
            float(of_runs[s]),
            bool(runs.borrowed[s]),
        )
        for s, name in enumerate(scores.systems)
    )


def _of_facets(
    facets: Facets, scores: ScoreMatrix, means: Means, level: float, random: Sequence[str], seed: int
) -> Noise:
    """The sources of means whose facets are all a sample of levels, or taken for one."""
    parts = means.components
    assert parts is not None
    first = max(parts.cells.factors[1:], key=parts.redrawn)
    return Noise(
        sources=tuple(_sources(facets, scores, parts, level, seed)),
        systems=_by_level(scores, parts, first),
        level=level,
        facet=first,
        random=tuple(random),
        levels=facets.levels[facets.names.index(first)],
        by_level=_level_means(scores, facets, first),
        total=parts.variance,
    )


def _sources(
    facets: Facets, scores: ScoreMatrix, parts: Components, level: float, seed: int
) -> Iterator[NoiseSource]:
    """Each effect, the topics first, and the runs; the share of runs is a piece of the finest effect’s."""
    nan, variance = float("nan"), parts.variance
    ends = np.full((2, len(parts.effects)), nan)
    if variance > 0:
        drawn = parts.drawn(DRAWS, stream(seed, "components")) * parts.remaining
        drawn = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1e-300)
        ends = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    finest, of_runs = len(parts.effects) - 1, parts.run_part
    order = sorted(
        range(len(parts.effects)),
        key=lambda u: (len(parts.effects[u].factors), TOPIC not in parts.effects[u].factors),
    )
    for u in order:
        one, taken = parts.effects[u], of_runs if u == finest else 0.0
        share = (float(parts.parts[u]) - taken) / variance if variance > 0 else 0.0
        yield NoiseSource(
            one.label,
            (one.label,),
            float(one.levels),
            float(parts.variances[u]) - (taken / float(parts.remaining[u])),
            share,
            nan if taken else min(float(ends[0, u]), share),
            nan if taken else max(float(ends[1, u]), share),
            level_test(scores, facets, one.label) if one.label in facets.names else None,
        )
    if of_runs > 0:
        share, of_one = of_runs / variance, parts.cells.run_variance * facets.runs
        yield NoiseSource(RUNS, (RUNS,), facets.runs, of_one, share, nan, nan)


def _level_means(scores: ScoreMatrix, facets: Facets, name: str) -> tuple[LevelMeans, ...]:
    means = facets.means(name)
    beside = means - np.nanmean(means, axis=1, keepdims=True)
    away = np.nan_to_num(np.abs(beside - np.nanmean(beside, axis=0)))
    odd = np.argmax(away, axis=0)
    return tuple(
        LevelMeans(system, tuple(means[:, s].tolist()), int(odd[s]))
        for s, system in enumerate(scores.systems)
    )


def _by_level(scores: ScoreMatrix, parts: Components, name: str) -> tuple[NoisySystem, ...]:
    """How much each system’s mean moves over the levels, beside what topics do; not shrunken."""
    u, of_base, m = parts.place(name), parts.place(TOPIC), scores.m
    h, h_base = float(parts.remaining[u]), float(parts.remaining[of_base])
    left = parts.squares[u] / max(1 - h, 1e-300) * m / max(m - 1, 1)
    topics = parts.squares[of_base] / max(1 - h_base, 1e-300)
    nan = float("nan")
    return tuple(
        NoisySystem(system, float(np.sqrt(left[s] / h)), nan, nan, float(topics[s]), float(left[s]))
        for s, system in enumerate(scores.systems)
    )


def _run_warnings(scores: ScoreMatrix, runs: RunNoise) -> list[Note]:
    found: list[Note] = []
    if runs.share <= 1e-12:
        found.append(Note("run-noise", {"case": "none"}, "alert"))
    if runs.share > LARGEST_SHARE:
        found.append(Note("run-noise", {"case": "large", "share": LARGEST_SHARE, "unit": scores.unit.one}))
    borrowed = _borrowed(scores, runs)
    if borrowed:
        found.append(Note("run-noise", {"case": "borrowed"}, systems=borrowed))
    return found


def _borrowed(scores: ScoreMatrix, runs: RunNoise) -> tuple[str, ...]:
    return tuple(name for name, is_so in zip(scores.systems, runs.borrowed, strict=True) if is_so)


def _seed_warnings(scores: ScoreMatrix) -> list[Note]:
    """What labeled runs say of effects that all topics share."""
    runs = scores.repeats
    if runs is None:
        return []
    column, unit = runs.column, scores.unit.one
    if runs.labeled is None or scores.k > 1 or scores.clusters is not None:
        untested = Note("runs-independent", {"case": "untested", "column": column, "unit": unit})
        return [untested] if runs.shared else []
    p = level_test(scores, runs.labeled, column)
    if p is not None and p < (SURE if runs.shared else TOGETHER):
        return [Note("runs-together", {"column": column, "p_value": p, "unit": unit})]
    if p is None or not runs.shared:
        return []
    return [Note("runs-independent", {"case": "tested", "column": column, "p_value": p, "unit": unit})]


def _fixed_warnings(found: Noise, facets: Facets, population: str) -> list[Note]:
    """The facets on whose levels the order of systems depends, though they are fixed."""
    matter = [
        name
        for name in facets.several
        for one in found.sources
        if name in one.names and one.p_value is not None and one.p_value < SURE
    ]
    if not matter:
        return []
    levels = {name: len(facets.levels[facets.names.index(name)]) for name in matter}
    return [Note("facet-levels", {"case": "fixed", "levels": levels, "population": population})]

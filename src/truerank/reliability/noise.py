"""Where the noise of a ranking comes from: topics, runs and facets (docs/methods/noise.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.tables import Bounded, Column, Derived, Name, Number, Percent, Share
from truerank._support.types import Correlation, Fraction, LeftOut, Level, Matrix, Nullable, OrNaN, Vector
from truerank._support.wording import count, listed
from truerank.numerics.intervals import quantile_interval
from truerank.readers.records import over_runs
from truerank.reliability.estimators import eb
from truerank.reliability.means import Aggregate, Means, Question
from truerank.reliability.means.facet_means import FEW_LEVELS, FEW_SYSTEMS, FacetParts
from truerank.reliability.means.levels import SURE, TOGETHER, facets_of
from truerank.reliability.means.means_of import noise_of
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.reliability.reruns import NextMean, RerunDraws, expected_tau
from truerank.repeats import Facet
from truerank.scores import ScoreMatrix

RUNS = "run"
"""The source that stands for the runs of a system on a topic."""


@dataclass(frozen=True)
class NoiseSource:
    """One source of noise beside the topics.

    Attributes:
        source: ``run``, or the column of a facet.
        levels: runs of a system on a topic that would leave the same noise, or levels of the facet.
        share: its part of the variance of a difference of means; of a facet, if its levels are a sample.
        low: lower end of the interval.
        high: upper end.
        p_value: of no effect of the levels on the order of systems; null for runs.
        borrowed: systems without repeats, which borrow the noise of the others.
    """

    source: str
    levels: float
    share: Annotated[Fraction, Column("Share", Share())]
    low: Fraction
    high: Fraction
    p_value: float | None
    borrowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class NoiseTau:
    """τ expected of other runs.

    Attributes:
        rerun: between this ranking and that of as many new runs of the same topics.
        rerun_low: lower end of where that of one rerun will lie; null where it is unknown.
        rerun_high: upper end; null likewise.
        todays_topics: between this ranking and the true one on the same topics.
        same_runs: with the true ranking, on as many new topics with as many runs.
        without_runs: the same without run noise.
        one_run: the same with one run each; null where the score is of several runs together.
    """

    rerun: Correlation
    rerun_low: Annotated[Correlation, Nullable()]
    rerun_high: Annotated[Correlation, Nullable()]
    todays_topics: Correlation
    same_runs: Correlation
    without_runs: Correlation
    one_run: Annotated[Correlation, Nullable()]


@dataclass(frozen=True)
class LostPairs:
    """Pairs that are not separated, and why.

    Attributes:
        open: how many.
        to_runs: those that would be separated at the same difference without run noise.
        to_topics: the others.
    """

    open: int
    to_runs: int
    to_topics: int


@dataclass(frozen=True)
class NoisySystem:
    """The noise of one system.

    Attributes:
        system: its name.
        deviation: standard deviation of one run on a topic; of a facet, of its means over the levels.
        low: lower end of the interval; null where it is unknown.
        high: upper end; null likewise.
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
    """The mean scores of one system at the levels of the first facet.

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
        sources: each but the topics.
        tau: what other runs would show; with repeats.
        pairs: what the pairs that are not separated are lost to; with repeats.
        systems: the noise of each system by the first source, best system first.
        level: confidence level of the intervals.
        random: whether the ranking is to hold on new levels of the facet.
        levels: names of the levels of the first facet; empty for runs.
        by_level: each system at these levels, best system first; empty for runs.
    """

    sources: tuple[NoiseSource, ...]
    tau: LeftOut[NoiseTau]
    pairs: LeftOut[LostPairs]
    systems: tuple[NoisySystem, ...]
    level: Level
    random: bool = False
    levels: tuple[str, ...] = ()
    by_level: tuple[LevelMeans, ...] = ()

    @property
    def of_runs(self) -> bool:
        """Whether the first source is the runs."""
        return self.sources[0].source == RUNS

    @property
    def said_of_more(self) -> bool:
        """Whether it is known what more runs would bring."""
        return self.tau is not None and not np.isnan(self.tau.one_run)

    @property
    def most(self) -> NoisySystem:
        """The system whose score varies most."""
        return max(self.systems, key=lambda one: one.deviation)

    @property
    def matters(self) -> bool:
        """Whether the order of systems depends on the levels of the first facet."""
        p = self.sources[0].p_value
        return p is not None and p < SURE


def noise(
    scores: ScoreMatrix,
    means: Means,
    question: Question,
    rule: Aggregate,
    level: float,
    above: NDArray[np.bool_] | None,
    draws: int,
    seed: int,
) -> tuple[Noise | None, list[Note]]:
    """The sources of noise, and what to know about them.

    Args:
        scores: in ranking order, with repeats or facets.
        means: of them.
        question: that the means answer.
        rule: how they are averaged.
        level: of intervals.
        above: m × m, which pairs are separated.
        draws: behind the interval of the τ of a rerun.
        seed: of these draws.
    """
    named = question.split(",")[1:]
    facets = [one for one in facets_of(scores) if not np.isnan(one.values).any() and scores.k == 1]
    if named:
        facet = next(one for one in facets if one.name == named[0])
        return _of_facets([facet], scores, level, random=True), _facet_warnings(facet, scores, True)
    warnings: list[Note] = []
    runs = noise_of(scores, question, rule, means)
    if runs is not None:
        warnings = [*_run_warnings(scores, runs), *_seed_warnings(scores)]
        return _of_runs(scores, means, runs, level, above, draws, seed), warnings
    if scores.repeats is not None and scores.repeats.several:
        unknown = f"the share of run noise is not known here: it takes {_wanting(scores)}"
        warnings.append(Note("run-share-unknown", unknown))
    if not scores.facets or not facets:
        return None, warnings
    for one in facets:
        warnings += _facet_warnings(one, scores, False)
    return _of_facets(facets, scores, level, random=False), warnings


def _wanting(scores: ScoreMatrix) -> str:
    """What the share of run noise would need."""
    over = None if scores.repeats is None else over_runs(scores.repeats.measure)
    if over is None:
        complete = f"complete scores over {scores.unit.many}"
        return f"{complete}, with repeats whose variance is known (docs/methods/noise.md)"
    if over.kind == "best":
        return "means, pass@k or pass^k of the runs"
    return f"{2 * over.k} runs of each system on each {scores.unit.one} for {over.name}"


def _of_runs(
    scores: ScoreMatrix,
    means: Means,
    runs: RunNoise,
    level: float,
    above: NDArray[np.bool_] | None,
    draws: int,
    seed: int,
) -> Noise:
    found = eb.posterior(means)
    share, of_pairs = runs.capped, runs.pair_shares(means)
    low, high = runs.interval(level)
    borrowed = tuple(name for name, is_so in zip(scores.systems, runs.borrowed, strict=True) if is_so)
    source = NoiseSource(RUNS, round(runs.runs, 9), runs.share, low, high, None, borrowed)

    def same_topics(again: float) -> float:
        rerun = partial(NextMean.rerun, runs=1, again=again)
        return expected_tau(found, means.common_degrees, rerun, of_pairs)

    def new_topics(times: float) -> float:
        return expected_tau(found, means.common_degrees, lambda _: NextMean.new_topics(times), share)

    drawn = RerunDraws(found, means.common_degrees, runs, of_pairs).of(draws, stream(seed, "reruns"))
    rerun, ends = same_topics(1), quantile_interval(drawn, level)
    taus = NoiseTau(
        rerun=rerun,
        rerun_low=min(ends.low, rerun),
        rerun_high=max(ends.high, rerun),
        todays_topics=same_topics(np.inf),
        same_runs=new_topics(1),
        without_runs=new_topics(1 / (1 - share)),
        one_run=new_topics(1 / (1 - share) / (1 + runs.ratio)) if runs.averaged else float("nan"),
    )
    pairs = None if above is None else _lost(found, means, runs, level, above)
    return Noise((source,), taus, pairs, _noisy_systems(scores, means, runs, level), level)


def _lost(
    found: eb.Posterior, means: Means, runs: RunNoise, level: float, above: NDArray[np.bool_]
) -> LostPairs:
    """Of pairs that are not separated: those that topics alone would separate at the same difference."""
    upper = np.triu_indices(len(means.theta), 1)
    left_open = ~(above | above.T)[upper]
    variance = means.deviations[upper] ** 2
    of_topics = np.maximum(
        variance - (runs.errors[upper[0]] + runs.errors[upper[1]]), (1 - LARGEST_SHARE) * variance
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.clip(means.differences[upper] / np.sqrt(of_topics), 0, eb.LARGEST)
    z[variance <= 0] = 0.0
    topics = found.of_more_topics(found.topics / (1 - runs.capped))
    wrong = eb.swapped(topics, z, np.asarray(np.broadcast_to(means.degrees, above.shape)[upper]))
    to_runs = int(np.count_nonzero(left_open & (wrong <= 1 - level)))
    total = int(np.count_nonzero(left_open))
    return LostPairs(total, to_runs, total - to_runs)


def _noisy_systems(
    scores: ScoreMatrix, means: Means, runs: RunNoise, level: float
) -> tuple[NoisySystem, ...]:
    low, high = runs.system_interval(level)
    of_runs = _of_contrast(runs.errors)
    total = np.maximum(_contrast_variances(means), of_runs)
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


def _of_contrast(errors: Vector) -> Vector:
    """Variances of systems beside the average of all, from independent variances of their scores."""
    m = len(errors)
    found: Vector = errors * (1 - 2 / m) + errors.sum() / m**2
    return found


def _contrast_variances(means: Means) -> Vector:
    rows: Matrix = means.rows - means.rows.mean(axis=1, keepdims=True)
    return np.asarray(np.sum(rows**2, axis=0))


def _of_facets(facets: Sequence[Facet], scores: ScoreMatrix, level: float, random: bool) -> Noise | None:
    sources = []
    for facet in facets:
        if len(facet.levels) < 2:
            continue
        parts = FacetParts.of(facet.values)
        low, high = parts.interval(level)
        sources.append(NoiseSource(facet.name, float(len(facet.levels)), parts.share, low, high, parts.test))
    if not sources:
        return None
    first = next(one for one in facets if one.name == sources[0].source)
    return Noise(
        tuple(sources),
        None,
        None,
        _by_level(scores, first),
        level,
        random,
        tuple(first.levels),
        _level_means(scores, first),
    )


def _level_means(scores: ScoreMatrix, facet: Facet) -> tuple[LevelMeans, ...]:
    means = facet.values.mean(axis=0)
    beside = means - means.mean(axis=1, keepdims=True)
    odd = np.argmax(np.abs(beside - beside.mean(axis=0)), axis=0)
    return tuple(
        LevelMeans(name, tuple(means[:, s].tolist()), int(odd[s])) for s, name in enumerate(scores.systems)
    )


def _by_level(scores: ScoreMatrix, facet: Facet) -> tuple[NoisySystem, ...]:
    """How much each system’s mean moves over the levels, beside what topics do; not shrunken."""
    n, f, m = facet.values.shape
    centered = facet.values - facet.values.mean(axis=2, keepdims=True)
    levels = centered.mean(axis=0)
    variances = np.var(levels, axis=0, ddof=1) * m / max(m - 1, 1)
    topics = np.var(centered.mean(axis=1), axis=0, ddof=1) / n
    nan = float("nan")
    return tuple(
        NoisySystem(name, float(np.sqrt(variances[s])), nan, nan, float(topics[s]), float(variances[s] / f))
        for s, name in enumerate(scores.systems)
    )


def _run_warnings(scores: ScoreMatrix, runs: RunNoise) -> list[Note]:
    found: list[Note] = []
    if runs.share <= 1e-12:
        found.append(
            Note(
                "runs-equal",
                "repeated runs give the same scores: answers may be cached, or the temperature is 0. They "
                "are no new evidence, and show no run noise",
                "alert",
            )
        )
    if runs.share > LARGEST_SHARE:
        one, many = scores.unit.one, scores.unit.many
        found.append(
            Note(
                "run-noise-large",
                f"run noise is more than {LARGEST_SHARE:.0%} of the variance, so these {many} hardly show "
                f"how systems differ by {one}. Add runs or {many}",
            )
        )
    borrowed = [name for name, one in zip(scores.systems, runs.borrowed, strict=True) if one]
    if borrowed:
        found.append(
            Note(
                "run-noise-borrowed",
                f"{count(len(borrowed), 'system')} without repeats ({listed(borrowed, 4)}): run noise is "
                "borrowed from the others. It is too large for a system that always answers the same",
                systems=tuple(borrowed),
            )
        )
    return found


def _seed_warnings(scores: ScoreMatrix) -> list[Note]:
    """What labeled runs say of effects that all topics share."""
    runs, units = scores.repeats, scores.unit.many
    if runs is None:
        return []
    if runs.labeled is None or scores.k > 1 or scores.clusters is not None:
        if runs.shared:
            untested = (
                f"column {runs.column!r} may hold effects that all {units} share, and not every system has "
                f"every level on every {scores.unit.one}, so they cannot be tested"
            )
            return [Note("runs-together-untested", untested)]
        return []
    p, column = FacetParts.of(runs.labeled.values).test, runs.column
    if p < (SURE if runs.shared else TOGETHER):
        together = (
            f"runs with the same {column!r} go together over {units} (p = {p:.2g}): intervals over {units} "
            f"alone are too narrow. Use {setting('generalize_to', f'topics,{column}')}"
        )
        return [Note("runs-together", together)]
    if runs.shared:
        independent = (
            f"no effect of {column!r} that all {units} share is seen (p = {p:.2g}), so runs count as "
            "independent. A small common effect cannot be excluded"
        )
        return [Note("runs-independent", independent)]
    return []


def _facet_warnings(facet: Facet, scores: ScoreMatrix, random: bool) -> list[Note]:
    name, f = facet.name, len(facet.levels)
    found: list[Note] = []
    if not random:
        if f > 1 and FacetParts.of(facet.values).test < SURE:
            found.append(
                Note(
                    "facet-matters",
                    f"the order of systems depends on {name!r}. The result is about these {f} levels; "
                    f"use {setting('generalize_to', f'topics,{name}')} for others like them",
                )
            )
        return found
    sample = f"new levels of {name!r} are taken to be like these {f}: levels picked by hand are no sample"
    found.append(Note("facet-sampled", sample))
    if f == 2:
        found.append(
            Note(
                "few-levels",
                f"two levels of {name!r} hardly show what others would do; their noise is shrunken over "
                "systems",
                "alert",
            )
        )
    elif scores.m < FEW_SYSTEMS and f < FEW_LEVELS:
        found.append(
            Note(
                "few-levels",
                f"few systems ({scores.m}) at few levels of {name!r} ({f}): intervals are wide, and rest on "
                "the levels alone",
                "alert",
            )
        )
    elif f < FEW_LEVELS:
        high = f"after {f} levels of {name!r} the expected τ tends to be 0.01 to 0.06 too high"
        found.append(Note("few-levels", high))
    return found

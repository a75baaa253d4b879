"""`assess`: how close an observed ranking is to the true one, from one score matrix."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from truerank._support.arguments import check_whole, keywords_checked, setting
from truerank._support.notes import Note
from truerank._support.registry import Named, Registry
from truerank._support.resources import Progress, need_memory, one_blas_thread
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank._support.version import __version__
from truerank.battles import Scale
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError, PairError, at, unknown_name
from truerank.numerics.intervals import check_levels
from truerank.numerics.pairs import mirror
from truerank.readers.beside_scores import Criterion, dates_for, dates_of
from truerank.readers.machine_scores import scores_to_rank
from truerank.readers.missing import ALL_WAYS, Missing
from truerank.readers.score_reading import as_scores
from truerank.reliability.against_one import BaselineDifference, comparison, contradictions, over_time
from truerank.reliability.arena import Arena, arena_of, arena_warnings, style_effects, without_style
from truerank.reliability.boards import board_warnings, data_sets_of, hold_together
from truerank.reliability.diagnostics import check_rankable, data_warnings, one_consequence
from truerank.reliability.estimators import (
    ESTIMATORS,
    Estimator,
    PairEstimator,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.estimators.estimator import TARGET_ERROR
from truerank.reliability.frontier import TradeOff
from truerank.reliability.leader import Contrasts, contrasts, fragility, leader_of, leader_warnings
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import AGGREGATES, Aggregate, Means, Question, means_of
from truerank.reliability.means.bradley_terry import BRADLEY_TERRY
from truerank.reliability.means.means_of import canonical_rows, question_of, theta_of
from truerank.reliability.noise import noise
from truerank.reliability.predictive import DEPENDENCES, OWN, Predictive, default_draws
from truerank.reliability.ranking import by_halves, by_pairs, if_equal, mean_interval, score_limits
from truerank.reliability.results import Assessment, Best, Estimate, RankedSystem
from truerank.reliability.settings import Settings
from truerank.reliability.standings import Guarantee, Standings, standings
from truerank.reliability.standings import guarantee as guarantee_of
from truerank.reliability.trade_off import trade_off
from truerank.scores import ScoreMatrix, identical_systems, ranking_order, unknown_system

_T = TypeVar("_T", bound=Named)

HEADLINE = "eb"
"""The headline estimator: the least biased with few topics (docs/methods/empirical-bayes.md)."""


@keywords_checked
def assess(
    scores: Any,
    estimator: str | Estimator | Sequence[str | Estimator] | None = None,
    coefficients: str | Sequence[str | Coefficient] | None = None,
    *,
    levels: float | Sequence[float] = (0.95,),
    dependence: str = "shrunk",
    drop_bottom: float = 0.0,
    drop_identical: bool = False,
    baseline: str | None = None,
    pareto: Any = None,
    date: Any = None,
    best: int | None = None,
    tried: int | None = None,
    guarantee: bool = False,
    generalize_to: Question | None = None,
    aggregate: str | Aggregate = "mean",
    measure: str | None = None,
    missing: Missing = "error",
    draws: int | None = None,
    resamples: int | None = None,
    machine: Any = None,
    pairs_alike: bool = False,
    draw_prior: float = 0.0,
    scale: Scale | None = None,
    covariates: str | Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Assessment:
    """How close is the observed ranking to the true one?

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes (a path, a data frame, an array
            of n × m, dictionaries, results of other libraries); of one or several data sets.
        estimator: one or several, by name or as objects; ``all`` for all that are registered. By default
            `eb`, or `res` where only resampling is defined (ranks on data sets, ``own`` dependence).
        coefficients: which to compute; τ and τ_AP by default.
        levels: of the intervals, each in (0, 1); the first also of means, ranks and baseline differences.
        dependence: how swaps go together: ``shrunk``, ``sample`` (bavdaz-2018, too wide) or
            ``own`` (only with estimators that have joint draws).
        drop_bottom: keep the systems whose mean is at least this quantile of the means.
        drop_identical: first keep of the systems with the same scores on every topic only one, the first.
        baseline: compare every other system with this one.
        pareto: another criterion, such as cost: a number of each system (a mapping, a series or a file of two
            columns), scores on topics, or another measure in `scores` (docs/methods/trade-offs.md).
        date: when each system was submitted, as a mapping, a series or a file of two columns
            (docs/methods/records.md).
        best: look for the systems that may be among the best so many.
        tried: how many variants the leader was picked from, where they are not all in the table.
        guarantee: control the family-wise error over all pairs: the chance of any wrong order is below 1 −
            level whatever the truth, even if all are equal. Ranges are wider.
        generalize_to: new ``topics`` of these data sets (the default), new ``data_sets`` like these, or new
            topics and levels of a facet: ``topics,prompt``.
        aggregate: how the data sets, or without them the topics, become one score: ``mean``, ``borda``,
            ``win-rate``, or an :class:`truerank.reliability.means.Aggregate`.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`.
        draws: joint draws behind variances and quantile intervals, at least 2; by default 10,000, fewer for
            more than 447 systems and 500 from 2,000 systems on.
        resamples: T of the bootstrap for `res`; by default its Monte Carlo error is under 0.0005.
        machine: a machine judge's scores of the same systems on the topics of `scores`, which people judged,
            and on more (:func:`truerank.readers.with_machine`).
        pairs_alike: of battles, whether every pair that met counts alike, however often it met.
        draw_prior: of battles, how many drawn ones of each system with a player of strength 0 are added.
        scale: of strengths from battles, ``logit`` (the default) or ``elo``.
        covariates: of battles, what else may decide them, as for :func:`truerank.read_scores`.
        seed: the same seed gives the same digits, in whatever order the topics are.
        progress: called with (done, total, label) as the work goes on.

    Returns:
        The assessment. Cost O(n·m² log n + (draws + T)·m²) an estimator.

    Raises:
        InputError: scores that cannot be ranked, or an argument out of range.
        UnknownNameError: an unknown estimator, coefficient, dependence or baseline.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> scores = rng.beta(2, 4, (50, 1)) * [0.9, 0.8, 0.7] + rng.uniform(0, 0.1, (50, 3))
        >>> result = truerank.assess(scores, seed=1)
        >>> result.estimate("tau").estimate > 0.9
        True
    """
    for name, value, least in (
        ("draws", draws, 2),
        ("resamples", resamples, 2),
        ("best", best, 1),
        ("tried", tried, 1),
    ):
        check_whole(name, value, least)
    if dependence not in (*DEPENDENCES, OWN):
        raise unknown_name("dependence", dependence, (*DEPENDENCES, OWN))
    wanted = _chosen(coefficients, COEFFICIENTS, "coefficient")
    with one_blas_thread():  # matrices are many and small
        criterion, dates = criterion_of(pareto, scores, missing), None if date is None else dates_of(date)
        counting = (pairs_alike, draw_prior, scale)
        table = scores_to_rank(scores, measure, missing, covariates, counting, machine)
        rule, question = AGGREGATES.find(aggregate), question_of(table, generalize_to)
        settings = Settings(
            version=__version__,
            seed=seed,
            draws=draws or 0,
            resamples=resamples,
            resampling_error=None,
            levels=check_levels(levels),
            drop_bottom=drop_bottom,
            dropped=(),
            baseline=baseline,
            drop_identical=drop_identical,
            best=best,
            tried=tried,
            guarantee=guarantee,
            generalize_to=question,
            aggregate=rule.name if table.kind.by_cells else BRADLEY_TERRY,
            pairs_alike=table.kind.pairs_alike,
        )
        shown, settings = _to_rank(table, rule, settings)
        ranked = _Ranked(shown, rule, settings, wanted, estimator, dependence)
        unasked = generalize_to is None and question == "data_sets"
        return ranked.assessment(criterion, dates, unasked, progress)


def _to_rank(table: ScoreMatrix, rule: Aggregate, settings: Settings) -> tuple[ScoreMatrix, Settings]:
    """The scores in ranking order without copies and dropped systems, and the settings with these."""
    baseline, where = settings.baseline, at(table.source)
    check_rankable(table)
    if table.m == 2 and not table.kind.by_cells:
        raise InputError(
            f"{where}battles of two systems only; a ranking takes three or more. Their shares of "
            "wins on each prompt are a table of scores, which truerank gate takes"
        )
    if table.m == 2:
        first, second = table.systems if baseline in (None, table.systems[0]) else reversed(table.systems)
        raise PairError(first, second)
    if not table.kind.by_cells and (settings.drop_bottom or settings.drop_identical):
        raise InputError(
            f"{where}systems cannot be dropped from battles, for their opponents’ strengths "
            f"rest on them; leave out those with few battles with {setting('min_battles')}"
        )
    if settings.tried is not None and settings.tried < table.m:
        raise InputError(
            f"{setting('tried', settings.tried)}: {table.m} systems are in the table. Count all variants "
            "that were tried, those in the table among them."
        )
    distinct = kept = table.drop_identical() if settings.drop_identical else table
    theta = theta_of(distinct, settings.generalize_to, rule)
    if settings.drop_bottom:
        kept = distinct.drop_bottom(settings.drop_bottom, theta)
        check_rankable(kept)
        theta = theta_of(kept, settings.generalize_to, rule)
    ranked = kept.select(ranking_order(theta))
    copies = identical_systems(table) if settings.drop_identical else []
    identical = tuple(tuple(table.systems[s] for s in group) for group in copies)
    if baseline is not None and baseline not in ranked.systems:
        for same in (group[0] for group in identical if baseline in group[1:]):
            raise InputError(
                f"the baseline {baseline!r} was dropped as identical to {same!r}; name {same!r} instead"
            )
        if baseline in table.systems:
            raise InputError(
                f"the baseline {baseline!r} was dropped with the bottom {settings.drop_bottom:g}"
            )
        raise unknown_system(ranked, baseline)
    if settings.best is not None and settings.best > ranked.m:
        raise InputError(f"{setting('best', settings.best)}: there are {ranked.m} systems; ask for fewer")
    left = set(ranked.systems)
    dropped = tuple(name for name in distinct.systems if name not in left)
    return ranked, replace(settings, dropped=dropped, identical=identical)


def _defined(given: Any, means: Means, dependence: str) -> tuple[Estimator, list[Estimator], str]:
    """The headline, the estimators requested that are defined for these means, and the dependence."""
    named = given is not None and given not in ("all", ["all"], ("all",))
    dependence = dependence if means.linear else OWN
    chosen = _chosen(given if named else None, ESTIMATORS, "estimator")
    found = [e for e in chosen if e.defined_for(means)]
    if named and len(found) < len(chosen):
        undefined = next(e for e in chosen if e not in found)
        why = "it needs one complete table"
        if isinstance(undefined, SplitHalfEstimator) and means.values is not None:
            why = f"it needs at least {undefined.fewest_topics} topics"
        why = why if means.linear else "points by ranks on data sets can only be resampled"
        raise InputError(f"{undefined.name} is not defined here: {why}; leave it out")
    if dependence == OWN and not named:
        found = [e for e in found if isinstance(e, PairEstimator) and e.replicates is not None]
    headline = min(found, key=lambda e: (e.name != HEADLINE, not isinstance(e, PairEstimator)))
    return headline, [headline] if given is None else found, dependence


class _Ranked:
    """Systems in ranking order, with the joint draws behind all that an assessment says of them."""

    def __init__(
        self,
        shown: ScoreMatrix,
        rule: Aggregate,
        settings: Settings,
        coefficients: Sequence[Coefficient],
        estimator: Any,
        dependence: str,
    ) -> None:
        self.shown, self.rule = shown, rule
        self.scores = scores = canonical_rows(shown)  # the same digits, whatever the order of the topics
        self.means = means_of(scores, settings.generalize_to, rule)
        sample = TopicSample.of(self.means, settings.resamples, settings.seed)
        self.headline, self.estimators, self.dependence = _defined(estimator, self.means, dependence)
        self.method = self.headline if isinstance(self.headline, PairEstimator) else None
        if settings.guarantee and self.method is None:
            raise InputError(
                f"{setting('guarantee')} is about pairs of systems, which {self.headline.name} does not "
                f"compare; leave it out, or use {setting('estimator', 'eb')}"
            )
        draws = settings.draws or default_draws(scores.m)
        # Matrices of all pairs, two of each estimator and a dozen on the way; and draws of all systems.
        peak = 8 * scores.m**2 * (2 * len(self.estimators) + 12) + 24 * draws * scores.m
        need_memory(peak, f"assessing {scores.m:,} systems", "use fewer estimators, draws or systems")
        count, error = None, None
        if any(isinstance(e, PairEstimator) and e.needs == "replicates" for e in self.estimators):
            count, error = sample.replicates.shape[1], sample.resampled[1]
        self.predictive = Predictive(sample, coefficients, draws)
        self.settings = replace(settings, draws=draws, resamples=count, resampling_error=error)
        self.level = settings.levels[0]

    def assessment(
        self,
        criterion: Criterion | None,
        dates: Mapping[str, str] | None,
        unasked: bool,
        progress: Progress | None,
    ) -> Assessment:
        """All of it; `unasked` is whether new data sets are generalized to because topics are missing."""
        scores, means, settings, level = self.scores, self.means, self.settings, self.level
        sets, moving = data_sets_of(self.shown, self.rule) if scores.k > 1 else ((), None)
        judge = machine_judge(scores, level) if scores.machine is not None else None
        arena = arena_of(scores, means)
        learning = any(e.name == HEADLINE for e in self.estimators)
        notes = data_warnings(self.shown, means, learning, self.dependence == "sample")
        notes += board_warnings(self.shown, means, sets, self.rule, unasked)
        notes += machine_warnings(scores, judge, settings.seed) if judge is not None else []
        estimates = self.estimates(notes, progress)
        fits = {e.name: self.predictive.fit(e) for e in self.estimators if isinstance(e, PairEstimator)}
        together, p_values = hold_together(means), None
        if self.method is not None and self.method.name == HEADLINE:
            unit = scores.unit_of(means.unit).one
            equal = if_equal(self.predictive, self.method, self.dependence, estimates, unit)
            estimates, notes = equal[0], notes + equal[2]
            p_values = equal[1] if together else None  # of few data sets no ranges are given
        guaranteed = self.guaranteed() if settings.guarantee else None
        if guaranteed is not None:
            together, p_values = True, guaranteed.p_values
        notes += [] if arena is None else arena_warnings(arena.cycles, arena.decides, arena.battles)
        stand = self.stand(p_values)
        shrunken = contrasts(means) if means.linear else None
        ranking = self.rows(stand, together, shrunken, arena)
        sources, about_noise = noise(scores, means, settings.generalize_to, self.rule, level, settings.seed)
        notes += about_noise
        best = self.best(ranking) if stand is not None and together else None
        leader = None
        if shrunken is not None:
            limits = score_limits(scores, self.rule)
            asked = level, settings.seed, settings.guarantee, settings.tried, limits
            leader = leader_of(scores, means, shrunken, *asked)
            notes += leader_warnings(scores, leader, None if best is None else best.fragility)
            notes += [Note("adaptive-board")] if settings.tried is not None else []
        frontier = None if criterion is None else self.frontier(criterion, ranking, p_values)
        baseline: tuple[BaselineDifference, ...] = ()
        records = None
        if settings.baseline is not None or dates is not None:
            compare = comparison(scores, self.predictive.sample, settings, guaranteed, stand)
            if settings.baseline is not None:
                b = scores.systems.index(settings.baseline)
                baseline = tuple(compare(s, b) for s in range(scores.m) if s != b)
                notes += contradictions(scores, baseline, b)
            if dates is not None:
                submitted = dates_for(dates, scores.systems)
                records = over_time(submitted, scores.systems, means.theta, level, compare)
        for fit in fits.values():
            mirror(fit.probabilities)  # in place, as they are large for many systems
        return Assessment(
            scores=self.shown,
            headline_estimator=self.headline.name,
            dependence=self.dependence,
            estimates=tuple(estimates),
            ranking=ranking,
            swap_probabilities={name: fit.probabilities for name, fit in fits.items()},
            notes=one_consequence(notes),
            settings=settings,
            means=means,
            learned={name: fit.learned for name, fit in fits.items() if fit.learned},
            data_sets=sets or None,
            most_moving=moving,
            above=stand.above if stand is not None and together else None,
            best=best,
            machine=judge,
            leader=leader,
            arena=arena,
            noise=sources,
            covariates=style_effects(scores, means, level) or None,
            baseline=baseline,
            pareto=frontier,
            over_time=records,
        )

    def estimates(self, notes: list[Note], progress: Progress | None) -> list[Estimate]:
        """The results of every estimator; what could not be estimated, or not well, goes to the notes."""
        found, sample, levels = [], self.predictive.sample, self.settings.levels
        for done, method in enumerate(self.estimators):
            if progress:
                progress(done, len(self.estimators), method.label)
            if isinstance(method, PairEstimator):
                found += by_pairs(method, self.dependence, self.predictive, levels)
                continue
            halves = by_halves(method, self.predictive, levels)
            labels = {c.name: c.label for c in self.predictive.coefficients}
            lost = [labels[e.coefficient] for e in halves if math.isnan(e.estimate)]
            facts = {"case": "split-half", "estimator": method.name}
            notes += [Note("not-computed", {**facts, "coefficient": label}) for label in lost]
            found += halves
        if progress:
            progress(len(self.estimators), len(self.estimators), "done")
        count = self.settings.resamples
        if count and sample.resamples is None and (error := sample.resampled[1]) > 2 * TARGET_ERROR:
            # A limit on the bootstrap's work left more error than it aims for.
            notes.append(Note("few-resamples", {"case": "limit", "resamples": count, "error": error}))
        return found

    def guaranteed(self) -> Guarantee:
        """What holds for all pairs together."""
        if not self.means.linear:
            raise InputError("the guarantee needs scores that are means over topics; leave it out")
        covariance = self.predictive.covariance("shrunk" if self.dependence == OWN else self.dependence)
        return guarantee_of(self.means, covariance, self.level, stream(self.settings.seed, "guarantee"))

    def stand(self, p_values: Matrix | None) -> Standings | None:
        """Where the systems stand, if there are probabilities."""
        if self.method is None:
            return None
        draws = self.predictive.rank_draws(self.method, self.dependence)
        probabilities = self.predictive.fit(self.method).probabilities
        return standings(draws, probabilities, self.level, identical_systems(self.scores), p_values)

    def rows(
        self, stand: Standings | None, together: bool, shrunken: Contrasts | None, arena: Arena | None
    ) -> tuple[RankedSystem, ...]:
        """One row per system; what is said of all at once only if that holds together."""
        scores, means, sample = self.scores, self.means, self.predictive.sample
        low, high = mean_interval(scores, sample, self.level, self.rule)
        errors = means.system_errors()[0] if means.linear else sample.replicates.std(axis=1, ddof=1)
        columns: dict[str, Any] = {"mean": means.theta, "mean_low": low, "mean_high": high, "se": errors}
        if shrunken is not None:
            columns["shrunken"] = means.theta.mean() + shrunken.limited
        if stand is not None:
            bands = stand.bands
            columns |= {"marginal_low": bands.low, "marginal_high": bands.high}
            if together:
                columns |= {"rank_low": bands.joint_low, "rank_high": bands.joint_high}
                columns["letters"] = np.array(stand.letters, dtype=object)
        if arena is not None and (battles := scores.battles) is not None:
            columns |= {"battles": battles.fought(scores.m), "win_rate": np.array(arena.win_rates)}
            if battles.covariates is not None:
                theta, ranks = without_style(battles, scores.systems)
                columns |= {"mean_without": theta, "rank_without": np.array(ranks)}
        each = zip(scores.systems, *(column.tolist() for column in columns.values()), strict=True)
        return tuple(
            RankedSystem(rank, system, **dict(zip(columns, row, strict=True)))
            for rank, (system, *row) in enumerate(each, 1)
        )

    def best(self, ranking: Sequence[RankedSystem]) -> Best:
        """The systems that may be among the best, by their rank ranges alone."""
        asked = self.settings.best
        k = asked or 1
        systems = tuple(s.system for s in ranking if s.rank_low is not None and s.rank_low <= k)
        fragile = None if asked is None else fragility(self.scores, self.means, k)
        return Best(self.level, k, systems, fragile)

    def frontier(
        self, criterion: Criterion, ranking: Sequence[RankedSystem], p_values: Matrix | None
    ) -> TradeOff:
        """Which systems may be on the frontier of the scores and the second criterion."""
        if self.method is None or self.dependence == OWN or not self.means.linear:
            raise InputError(
                f"a trade-off rests on the probabilities of scores that are means; leave {setting('pareto')} "
                "out, or the estimator, dependence or aggregate that was asked for"
            )
        given = self.predictive, self.method, self.level, self.dependence, p_values
        return trade_off(criterion, self.scores, ranking, *given)


def _chosen(given: Any, known: Registry[_T], kind: str) -> list[_T]:
    """The entries with those names, or all; a single name stands for a list of one."""
    if given is None:
        return list(known.values())
    names = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if not names:
        raise InputError(f"at least one {kind} is needed; leave the list out for all")
    for one in names:
        if not isinstance(one, str) and not hasattr(one, "name"):
            raise InputError(f"{one!r} is not a known {kind}; give names, e.g. {next(iter(known))!r}")
    return list({thing.name: thing for thing in map(known.find, names)}.values())


def criterion_of(pareto: Any, scores: Any, missing: Missing) -> Criterion | None:
    """The second criterion as it was given; a name is that of another measure of the scores."""

    def read(source: Any, measure: str | None) -> ScoreMatrix:
        return as_scores(scores if source is None else source, measure, missing, one_table="", ways=ALL_WAYS)

    if isinstance(scores, ScoreMatrix) and isinstance(pareto, str) and not os.path.exists(pareto):
        raise InputError(f"no file is called {pareto!r}; give a file, numbers or a table as pareto")
    return None if pareto is None else Criterion.of(pareto, read)

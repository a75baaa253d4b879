"""`assess`: how close an observed ranking is to the true one, from one score matrix."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar

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
from truerank.numerics.intervals import (
    check_levels,
    quantile_interval,
)
from truerank.numerics.pairs import mirror
from truerank.readers.beside_scores import Criterion, dates_for, dates_of
from truerank.readers.machine_scores import scores_to_rank
from truerank.readers.missing import ALL_WAYS, Missing
from truerank.readers.score_reading import as_scores
from truerank.reliability.against_one import (
    BaselineDifference,
    by_means,
    gate_of,
    gates_decide,
    over_time,
)
from truerank.reliability.arena import Arena, arena_of, arena_warnings, style_effects, without_style
from truerank.reliability.boards import board_of, board_warnings, hold_together
from truerank.reliability.diagnostics import (
    check_rankable,
    contradiction,
    data_warnings,
    one_consequence,
    resampling_warnings,
)
from truerank.reliability.estimators import (
    ESTIMATORS,
    Estimator,
    PairEstimator,
    SplitHalfEstimator,
    TopicSample,
)
from truerank.reliability.fragility import fragility
from truerank.reliability.frontier import TradeOff
from truerank.reliability.leader import Contrasts, Leader, leader_of, leader_warnings
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import Aggregate, Question, find_aggregate, means_of
from truerank.reliability.means.bradley_terry import BRADLEY_TERRY
from truerank.reliability.means.means_of import canonical_rows, question_of, theta_of
from truerank.reliability.noise import noise
from truerank.reliability.predictive import OWN, Predictive, default_draws, find_dependence
from truerank.reliability.ranking import (
    Ranking,
    by_pairs,
    if_equal,
    mean_interval,
    ranking_of,
    score_limits,
)
from truerank.reliability.results import (
    Assessment,
    Best,
    Estimate,
    RankedSystem,
    Settings,
)
from truerank.reliability.standings import Guarantee, Standings
from truerank.reliability.standings import guarantee as guarantee_of
from truerank.reliability.trade_off import trade_off
from truerank.scores import ScoreMatrix, identical_systems, ranking_order, unknown_system

_T = TypeVar("_T", bound=Named)

SAMPLES = 20_000
"""Pairs of pairs behind a sampled variance, as in the thesis."""

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
    variance: Literal["draws", "sampled"] = "draws",
    samples: int | None = None,
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
        variance: from the joint draws, or ``sampled`` pairs of pairs as in bavdaz-2018 §4.2.4. Quantile
            intervals come from the draws either way.
        samples: pairs of pairs behind a sampled variance, 20,000 unless said otherwise.
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
        ("samples", samples, 1),
    ):
        check_whole(name, value, least)
    if variance not in ("draws", "sampled"):
        raise unknown_name("variance", variance, ("draws", "sampled"))
    if samples is not None and variance != "sampled":
        raise InputError("samples goes with variance='sampled'; resamples and draws are the other two counts")
    named = estimator is not None and estimator not in ("all", ["all"], ("all",))
    chosen = _chosen(estimator if named else None, ESTIMATORS, "estimator")
    if find_dependence(dependence).name == OWN and not named:
        chosen = [e for e in chosen if isinstance(e, PairEstimator) and e.replicates is not None]
    counting = (pairs_alike, draw_prior, scale)
    with one_blas_thread():  # matrices are many and small
        work = _Work(
            estimators=chosen,
            named=named,
            alone=estimator is None,
            coefficients=_chosen(coefficients, COEFFICIENTS, "coefficient"),
            levels=check_levels(levels),
            rule=find_aggregate(aggregate),
            pairs_of_pairs=(samples or SAMPLES) if variance == "sampled" else None,
            dependence=dependence,
            drop_bottom=drop_bottom,
            drop_identical=drop_identical,
            baseline=baseline,
            pareto=criterion_of(pareto, scores, missing),
            date=None if date is None else dates_of(date),
            best=best,
            tried=tried,
            guarantee=guarantee,
            generalize_to=generalize_to,
            draws=draws,
            resamples=resamples,
            seed=seed,
            table=scores_to_rank(scores, measure, missing, covariates, counting, machine),
        )
        return work.assessment(progress)


@dataclass(kw_only=True)
class _Work:
    """A table and checked arguments, its means and joint draws, and all that an assessment says of them."""

    table: ScoreMatrix
    estimators: list[Estimator]  # unless `named`, all that may serve
    named: bool
    alone: bool
    coefficients: list[Coefficient]
    levels: tuple[float, ...]
    rule: Aggregate
    pairs_of_pairs: int | None
    dependence: str
    drop_bottom: float
    drop_identical: bool
    baseline: str | None
    pareto: Criterion | None
    date: Mapping[str, str] | None
    best: int | None
    tried: int | None
    guarantee: bool
    generalize_to: Question | None
    draws: int | None
    resamples: int | None
    seed: int

    def __post_init__(self) -> None:
        self.level, self.question = self.levels[0], question_of(self.table, self.generalize_to)
        self.ranked, self.dropped = self._ranked()
        # The same digits, in whatever order the table has the topics.
        self.in_order = canonical_rows(self.ranked)
        self.means = means_of(self.in_order, self.question, self.rule)
        self.sample = TopicSample.of(self.means, self.resamples, self.seed)
        self._leave_out_undefined()
        pairwise = [e for e in self.estimators if isinstance(e, PairEstimator)]
        eb = [e for e in pairwise if e.name == HEADLINE]
        self.headline = [*eb, *pairwise, *self.estimators][0]
        self.method = self.headline if isinstance(self.headline, PairEstimator) else None
        if self.guarantee and self.method is None:
            raise InputError(
                f"{setting('guarantee')} is about pairs of systems, which {self.headline.name} does not "
                f"compare; leave it out, or use {setting('estimator', 'eb')}"
            )
        if self.alone:
            self.estimators = [self.headline]
        self.pairwise = [e for e in self.estimators if isinstance(e, PairEstimator)]
        m = self.ranked.m
        draws = default_draws(m) if self.draws is None else self.draws
        # Matrices of all pairs, two of each estimator and a dozen on the way; and draws of all systems.
        peak = 8 * m**2 * (2 * len(self.estimators) + 12) + 24 * draws * m
        need_memory(peak, f"assessing {m:,} systems", "use fewer estimators, draws or systems")
        self.predictive = Predictive(self.sample, self.coefficients, draws)
        self.identical = identical_systems(self.ranked)

    def _leave_out_undefined(self) -> None:
        """Leave out estimators that are not defined for these means, and refuse those that were named."""
        linear = self.means.linear
        ranks = "points by ranks on data sets can only be resampled"
        why = "it needs one complete table" if linear else ranks
        without = [e for e in self.estimators if not e.defined_for(self.means)]
        if without and self.named:
            raise InputError(f"{without[0].name} is not defined here: {why}; leave it out")
        rest = [e for e in self.estimators if e.defined_for(self.means)]
        if not linear and self.dependence != OWN:
            rest = [e for e in rest if isinstance(e, PairEstimator) and e.replicates is not None]
            self.dependence = OWN
        if not rest:
            raise InputError(f"no estimator is defined here: {why}")
        self.estimators = rest

    def _ranked(self) -> tuple[ScoreMatrix, tuple[str, ...]]:
        """The scores in ranking order without copies and dropped systems, and the names of the latter."""
        table, rule, baseline, where = self.table, self.rule, self.baseline, at(self.table.source)
        check_rankable(table)
        if table.m == 2 and not table.kind.by_cells:
            raise InputError(
                f"{where}battles of two systems only; a ranking takes three or more. Their shares of "
                "wins on each prompt are a table of scores, which truerank gate takes"
            )
        if table.m == 2:
            first, second = table.systems if baseline in (None, table.systems[0]) else reversed(table.systems)
            raise PairError(first, second)
        if not table.kind.by_cells and (self.drop_bottom or self.drop_identical):
            raise InputError(
                f"{where}systems cannot be dropped from battles, for their opponents’ strengths "
                f"rest on them; leave out those with few battles with {setting('min_battles')}"
            )
        kept = distinct = table.drop_identical() if self.drop_identical else table
        theta = theta_of(distinct, self.question, rule)
        if self.drop_bottom:
            kept = distinct.drop_bottom(self.drop_bottom, theta)
            check_rankable(kept)
            theta = theta_of(kept, self.question, rule)
        ranked = kept.select(ranking_order(theta))
        if baseline is not None and baseline not in kept.systems:
            if baseline in table.systems and baseline not in distinct.systems:
                same = next(group[0] for group in _identical(table) if baseline in group)
                raise InputError(
                    f"the baseline {baseline!r} was dropped as identical to {same!r}; name {same!r} instead"
                )
            if baseline in table.systems:
                raise InputError(
                    f"the baseline {baseline!r} was dropped with the bottom {self.drop_bottom:g}"
                )
            raise unknown_system(ranked, baseline)
        if self.tried is not None and self.tried < table.m:
            raise InputError(
                f"{setting('tried', self.tried)}: {table.m} systems are in the table. Count all variants "
                "that were tried, those in the table among them."
            )
        if self.best is not None and self.best > ranked.m:
            raise InputError(f"{setting('best', self.best)}: there are {ranked.m} systems; ask for fewer")
        left = set(kept.systems)
        return ranked, tuple(s for s in distinct.systems if s not in left)

    def assessment(self, progress: Progress | None) -> Assessment:
        """All of it."""
        ranked, means = self.ranked, self.means
        board = board_of(ranked, self.rule) if ranked.k > 1 else None
        judge = machine_judge(self.in_order, self.level, self.seed) if ranked.machine is not None else None
        learning = any(e.name == HEADLINE for e in self.estimators)
        unasked = self.generalize_to is None and self.question == "data_sets"
        notes = [
            *data_warnings(ranked, means, learning, self.dependence == "sample"),
            *board_warnings(ranked, means, board, self.rule, unasked),
            *(machine_warnings(self.in_order, judge, self.seed) if judge is not None else ()),
        ]
        estimates = self._estimates(notes, progress)
        resamples = self.sample.replicates.shape[1] if any(e.resampled for e in self.pairwise) else None
        if resamples and self.resamples is None:
            notes += resampling_warnings(resamples, self.sample.resampled[1])
        fits = {e.name: self.predictive.fit(e) for e in self.pairwise}
        p_values = None
        if self.method is not None and self.method.name == HEADLINE:
            unit = self.in_order.unit_of(means.unit).one
            given = self.predictive, self.method, self.dependence, estimates, unit
            estimates, p_values, about_equal = if_equal(*given)
            notes += about_equal
            p_values = p_values if hold_together(means) else None  # of few data sets no ranges are given
        guaranteed = self._guaranteed()
        p_values = p_values if guaranteed is None else guaranteed.p_values
        arena = arena_of(self.in_order, means)
        notes += [] if arena is None else arena_warnings(arena.cycles, arena.decides, arena.battles)
        found = self._placed(arena, p_values)
        sources, about_noise = noise(self.in_order, means, self.question, self.rule, self.level, self.seed)
        notes += about_noise
        together = found.rows[0].rank_low is not None
        best = self._best(found.rows) if together else None
        leader = None if found.shrunken is None else self._leader(found.shrunken)
        if leader is not None:
            notes += leader_warnings(ranked, leader, None if best is None else best.fragility)
            notes += [Note("adaptive-board")] if self.tried is not None else []
        frontier = self._frontier(found.rows, p_values)
        compare = self._comparison(found.stand, guaranteed)
        baseline = self._baseline(compare)
        notes += self._contradictions(baseline)
        dates = None if self.date is None else dates_for(self.date, ranked.systems)
        for fit in fits.values():
            mirror(fit.probabilities)  # in place, as they are large for many systems
        return Assessment(
            scores=ranked,
            headline_estimator=self.headline.name,
            dependence=self.dependence,
            estimates=tuple(estimates),
            ranking=found.rows,
            swap_probabilities={name: f.probabilities for name, f in fits.items()},
            notes=one_consequence(notes),
            baseline=baseline,
            settings=self._settings(resamples),
            means=means,
            board=board,
            learned={name: f.learned for name, f in fits.items() if f.learned},
            above=None if found.stand is None or not together else found.stand.above,
            best=best,
            machine=judge,
            leader=leader,
            arena=arena,
            noise=sources,
            covariates=style_effects(self.in_order, means, self.level) or None,
            pareto=frontier,
            over_time=None
            if dates is None
            else over_time(dates, ranked.systems, means.theta, self.level, compare),
        )

    def _estimates(self, notes: list[Note], progress: Progress | None) -> list[Estimate]:
        """The results of every estimator; what could not be estimated goes to the notes."""
        found = []
        for done, method in enumerate(self.estimators):
            if progress:
                progress(done, len(self.estimators), method.label)
            if isinstance(method, PairEstimator):
                found += by_pairs(method, self.dependence, self.predictive, self.levels, self.pairs_of_pairs)
            elif not self.named and len(self.sample.values) < method.fewest_topics:
                facts = {"estimator": method.name, "fewest": method.fewest_topics}
                notes.append(
                    Note("not-computed", {"case": "estimator", **facts, "unit": self.ranked.unit.one})
                )
            else:
                found += _by_halves(method, self.sample, self.coefficients, self.levels, notes)
        if progress:
            progress(len(self.estimators), len(self.estimators), "done")
        return found

    def _guaranteed(self) -> Guarantee | None:
        """What holds for all pairs together, where that is requested."""
        if not self.guarantee:
            return None
        if not self.means.linear:
            raise InputError("the guarantee needs scores that are means over topics; leave it out")
        covariance = self.predictive.covariance("shrunk" if self.dependence == OWN else self.dependence)
        return guarantee_of(self.means, covariance, self.level, stream(self.seed, "guarantee"))

    def _placed(self, arena: Arena | None, p_values: Matrix | None) -> Ranking:
        """The ranking, with what only battles have."""
        ends = mean_interval(self.ranked, self.sample, self.level, self.rule)
        systems = self.ranked.systems
        found = ranking_of(
            self.predictive, self.method, self.dependence, self.level, systems, ends, self.identical, p_values
        )
        battles = self.ranked.battles
        if arena is None or battles is None:
            return found
        each = zip(found.rows, battles.fought(len(systems)).tolist(), arena.win_rates, strict=True)
        rows = [replace(row, battles=count, win_rate=rate) for row, count, rate in each]
        if battles.covariates is not None:
            theta, ranks = without_style(battles, systems)
            plain = zip(rows, theta.tolist(), ranks, strict=True)
            rows = [replace(row, mean_without=mean, rank_without=rank) for row, mean, rank in plain]
        return replace(found, rows=tuple(rows))

    def _best(self, ranking: Sequence[RankedSystem]) -> Best:
        """The systems that may be among the best, by their rank ranges alone."""
        k = self.best or 1
        systems = tuple(s.system for s in ranking if s.rank_low is not None and s.rank_low <= k)
        fragile = None if self.best is None else fragility(self.in_order, self.means, k)
        return Best(self.level, k, systems, fragile)

    def _leader(self, shrunken: Contrasts) -> Leader:
        options = self.seed, self.guarantee, self.tried, score_limits(self.in_order, self.rule)
        return leader_of(self.in_order, self.means, shrunken, self.level, *options)

    def _frontier(self, ranking: Sequence[RankedSystem], p_values: Matrix | None) -> TradeOff | None:
        """Which systems may be on the frontier of the scores and the second criterion, if one is given."""
        if self.pareto is None:
            return None
        if self.method is None or self.dependence == OWN or not self.means.linear:
            raise InputError(
                f"a trade-off rests on the probabilities of scores that are means; leave {setting('pareto')} "
                "out, or the estimator, dependence or aggregate that was asked for"
            )
        options = self.predictive, self.method, self.level, self.dependence, p_values
        return trade_off(self.pareto, self.ranked, ranking, *options)

    def _comparison(
        self, stand: Standings | None, guaranteed: Guarantee | None
    ) -> Callable[[int, int], BaselineDifference]:
        """Compares one system with another: as a gate of the two where one can, else by the means of all."""
        if gates_decide(self.ranked, self.rule.name, self.question, self.guarantee):
            gate = cache(lambda: gate_of(self.ranked, self.level, self.question))
            observed = self.means.contrasts
            return lambda s, other: gate()(s, other, float(observed[s] - observed[other]))
        rows = cache(
            lambda other: by_means(self.sample, self.ranked.systems, other, self.level, guaranteed, stand)
        )
        return lambda s, other: rows(other)[s]

    def _baseline(self, compare: Callable[[int, int], BaselineDifference]) -> tuple[BaselineDifference, ...]:
        systems, baseline = self.ranked.systems, self.baseline
        if baseline is None:
            return ()
        b = systems.index(baseline)
        return tuple(compare(s, b) for s in range(len(systems)) if s != b)

    def _contradictions(self, differences: Sequence[BaselineDifference]) -> Iterator[Note]:
        """A note where a verdict contradicts the order: a gate may use other topics, or another λ."""
        baseline, place = str(self.baseline), self.ranked.systems.index
        names = [
            row.system
            for row in differences
            if row.verdict != "undecided"
            and (row.verdict == "better") == (place(row.system) > place(baseline))
        ]
        if names:
            yield contradiction(self.ranked, names, baseline)

    def _settings(self, resamples: int | None) -> Settings:
        shared = ["seed", "levels", "drop_bottom", "drop_identical", "baseline", "best", "tried", "guarantee"]
        table = self.table
        return Settings(
            **{name: getattr(self, name) for name in shared},
            version=__version__,
            draws=self.predictive.size,
            resamples=resamples,
            resampling_error=self.sample.resampled[1] if resamples else None,
            dropped=self.dropped,
            identical=_identical(table) if self.drop_identical else (),
            generalize_to=self.question,
            aggregate=self.rule.name if table.kind.by_cells else BRADLEY_TERRY,
            pairs_alike=table.kind.pairs_alike,
        )


def _identical(table: ScoreMatrix) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(table.systems[s] for s in group) for group in identical_systems(table))


def _by_halves(
    method: SplitHalfEstimator,
    sample: TopicSample,
    coefficients: Sequence[Coefficient],
    levels: Sequence[float],
    notes: list[Note],
) -> list[Estimate]:
    """One estimate per coefficient by split-half; what could not be estimated goes to the notes."""
    rng = stream(sample.seed, "split-half", method.name)
    results = method.estimates(sample.values, coefficients, rng)
    found = []
    for c in coefficients:
        estimate, observed = results[c.name].estimate, results[c.name].observations
        some = len(observed) > 1
        variance = float(observed.var(ddof=1)) if some else math.nan
        intervals = tuple(quantile_interval(observed, level) for level in levels if some)
        found.append(Estimate(method.name, c.name, None, estimate, variance, intervals))
        if math.isnan(estimate):
            notes.append(
                Note("not-computed", {"case": "split-half", "estimator": method.name, "coefficient": c.label})
            )
    return found


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

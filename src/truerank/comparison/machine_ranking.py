"""The errors of a ranking by a machine judge alone, according to the machine and people together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.display import Shown
from truerank._support.notes import Note, Noted
from truerank._support.plain import Written
from truerank._support.seeds import stream
from truerank._support.tables import Column, Name, Number, Share
from truerank._support.types import Fraction, Level, Matrix, Unwritten, Vector, Whole, WrittenAs
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank._support.wording import count, few
from truerank.coefficients import TAU
from truerank.errors import InputError, PairError, at
from truerank.kinds import BattlesBesideMachine
from truerank.numerics.intervals import check_levels, quantile_interval
from truerank.readers import as_scores, with_machine
from truerank.readers.machine_scores import OTHER_SCALE, UNLIKE_SCALE, scale_factor
from truerank.readers.missing import FILLED, Filled
from truerank.reliability.assessment import HEADLINE, assess
from truerank.reliability.estimators import TopicSample
from truerank.reliability.guarantee import guarantee
from truerank.reliability.machine_judge import MachineJudge
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means
from truerank.reliability.order import probabilities_above
from truerank.reliability.predictive import DRAWS, Predictive
from truerank.reliability.results import Assessment, Best
from truerank.reliability.swaps import SwapModel, count_swaps
from truerank.scores import TIE, MachineScores, ScoreMatrix, ranking_order

OUTLYING = 2.5  # deviations from the median beyond which a bias tells nothing about the others
# Human topics from which on τ of the machine alone is estimated; fewer cannot tell its biases from chance.
FEWEST = 25
# Quantiles of the posterior of k that τ is averaged over; each stands for a fifth of it.
KEPT_AT = (0.1, 0.3, 0.5, 0.7, 0.9)
NAMED = 10  # pairs named that the machine alone has in the wrong order


@dataclass(frozen=True)
class TauOf:
    """Kendall's τ of a ranking with the true one.

    Attributes:
        estimate: expected.
        low: lower end of its interval.
        high: upper end.
    """

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class WrongPair:
    """A pair of systems that the machine alone has in the wrong order.

    Attributes:
        machine_above: the system that the machine puts first.
        truly_above: the other one.
        difference: how far that is ahead of it by the corrected means.
        probability: that it is truly ahead, of this pair alone.
    """

    machine_above: Annotated[str, Column("Above by the machine", Name())]
    truly_above: Annotated[str, Column("Truly above", Name())]
    difference: Annotated[float, Column("Difference", Number(digits=4))]
    probability: Annotated[float, Column("Probability", Share())]


@dataclass(frozen=True)
class WrongPairs:
    """Pairs that the machine alone has in the wrong order.

    Attributes:
        expected: how many; ``None`` without τ.
        low: lower end of its interval; ``None`` without τ.
        high: upper end; ``None`` without τ.
        established: for how many this is established, at the level for all pairs together.
        named: those of them that are farthest apart.
    """

    expected: float | None
    low: float | None
    high: float | None
    established: Whole
    named: tuple[WrongPair, ...]


@dataclass(frozen=True)
class MachineFirst:
    """The system that the machine puts first.

    Attributes:
        system: its name.
        may_be_best: whether its rank range, by people and machine together, includes 1.
    """

    system: str
    may_be_best: bool


@dataclass(frozen=True, eq=False, repr=False)
class MachineAlone(Noted, Written, Shown):
    """The errors of a ranking by a machine judge alone, according to people and machine together.

    Attributes:
        assessment: of the corrected means, by `eb`.
        ranking: the systems by the machine's means of all its topics, best first.
        tau: of the machine's ranking with the true one, by people and machine together; ``None`` below 25
            human topics.
        claimed: the same τ if the machine's scores were those of people.
        people: of the ranking by the human scores alone.
        both: of the ranking by people and machine together.
        kept: the share of the observed biases that counts as true, in [0, 1].
        established: how many pairs it has in the wrong order, at the level for all pairs together.
        named: those of them that are farthest apart.
        first_may_be_best: whether the rank range of the system that the machine puts first includes 1.
        level: of the intervals, in (0, 1).
        draws: joint draws behind them.
        seed: of everything random.
        version: of truerank.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> people = rng.uniform(size=(200, 1)) + rng.normal([0.2, 0.1, 0.0], 0.1, (200, 3))
        >>> machine = people + rng.normal([-0.3, 0.0, 0.0], 0.05, (200, 3))
        >>> found = machine_alone(people[:20], machine, seed=1)
        >>> found.ranking, found.established, found.first_may_be_best
        (('sys2', 'sys3', 'sys1'), 2, False)
    """

    assessment: Annotated[Assessment, WrittenAs("measure", "systems", machine="judge")]
    ranking: Annotated[tuple[str, ...], WrittenAs(machine_ranking="ranking", ranking="corrected_ranking")]
    tau: TauOf | None
    claimed: TauOf
    people: TauOf
    both: TauOf
    kept: Annotated[Fraction, WrittenAs(bias_kept="kept")]
    established: Annotated[Whole, WrittenAs("why_no_tau", "pairs", "wrong_pairs", "first", "best")]
    named: Unwritten[tuple[WrongPair, ...]]
    first_may_be_best: Unwritten[bool]
    level: Level
    draws: Whole
    seed: Whole
    version: Annotated[str, WrittenAs("version", "warnings", "notes")] = __version__

    def __repr__(self) -> str:
        tau = "no τ" if self.tau is None else f"τ {self.tau.estimate:.3f}"
        return f"<MachineAlone {len(self.ranking)} systems, {tau}, claims {self.claimed.estimate:.3f}>"

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return self.assessment.noun

    @property
    def why_no_tau(self) -> str | None:
        """Why there is no τ of the machine's own ranking; ``None`` where there is one."""
        if self.tau is not None:
            return None
        return (
            f"{self.judge.human_topics} human {self.sampled.many} are too few to tell the machine’s biases "
            f"from chance; it takes {FEWEST}"
        )

    @property
    def pairs(self) -> Whole:
        """How many pairs of systems there are."""
        return self.systems * (self.systems - 1) // 2

    @property
    def measure(self) -> str:
        """Its name; empty when unknown."""
        return self.assessment.measure

    @property
    def judge(self) -> MachineJudge:
        """The machine held against people."""
        assert self.assessment.machine is not None
        return self.assessment.machine

    @property
    def systems(self) -> Whole:
        """How many."""
        return len(self.ranking)

    @property
    def corrected_ranking(self) -> tuple[str, ...]:
        """The systems by people and machine together, best first."""
        return tuple(one.system for one in self.assessment.ranking)

    @property
    def wrong_pairs(self) -> WrongPairs:
        """Those that the machine alone has in the wrong order."""
        tau = self.tau
        taus = (None,) * 3 if tau is None else (tau.estimate, tau.high, tau.low)
        expected, low, high = (None if one is None else self.pairs * (1 - one) / 2 for one in taus)
        return WrongPairs(expected, low, high, self.established, self.named)

    @property
    def first(self) -> MachineFirst:
        """The system that the machine puts first."""
        return MachineFirst(self.ranking[0], self.first_may_be_best)

    @property
    def best(self) -> Best | None:
        """The systems that may be the best, by their rank ranges; ``None`` where there are none."""
        return self.assessment.best

    @property
    def notes(self) -> tuple[Note, ...]:  # type: ignore[override]
        """What to know before quoting a number."""
        return self.assessment.notes


def machine_alone(
    human: Any,
    machine: Any = None,
    *,
    measure: str | None = None,
    missing: Filled = "error",
    level: float = 0.95,
    draws: int = DRAWS,
    named: int = NAMED,
    seed: int = 0,
) -> MachineAlone:
    """What a ranking by the machine alone would have got wrong, and how sure that is.

    The machine ranks the systems by its means over all topics that it judged. How far to trust that ranking
    and which pairs it has wrong come from `eb` and :func:`pooled_means`. Whether its first may be the best
    comes from :func:`truerank.assess` of the corrected means, which assume nothing about its biases.

    Args:
        human: scores of the topics that people judged, a random sample of the machine's; a ScoreMatrix or
            anything :func:`truerank.read_scores` takes.
        machine: the machine's scores, in any of these forms; none where `human` has them already.
        measure: as in :func:`truerank.read_scores`, of both.
        missing: as in :func:`truerank.read_scores`, of both.
        level: of all intervals.
        draws: joint draws behind them, at least 2.
        named: how many wrong pairs to name.
        seed: the same seed gives the same digits.

    Returns:
        What was found. Cost of an assessment by `eb` alone, three times over.

    Raises:
        InputError: as :func:`truerank.readers.with_machine`, fewer than three systems, a machine on another
            scale than people's or with the same mean for all systems, or an argument out of range.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> people = rng.uniform(size=(100, 1)) + rng.normal(np.arange(6) / 20, 0.1, (100, 6))
        >>> machine = people + rng.normal(0, 0.1, 6)
        >>> found = machine_alone(people[:30], machine, seed=1)
        >>> found.claimed.estimate > found.tau.estimate
        True
    """
    check_levels(level)
    if draws < 2:
        raise InputError("at least two draws are needed")
    if named < 0:
        raise InputError(f"the number of pairs to name must be 0 or more, not {named}")
    if machine is None:
        table = as_scores(human, measure, missing, one_table="", ways=FILLED)
    else:
        table = with_machine(human, machine, measure, missing)
    table.refuse("a comparison with a machine alone", BattlesBesideMachine)
    if table.machine is None:
        raise InputError("no machine scores; give a machine's beside the human ones")
    if table.m == 2:
        raise PairError(*table.systems)
    found = assess(table, HEADLINE, "tau", levels=level, draws=draws, seed=seed)
    ranked, judged = found.scores, _machine(found.scores)
    of_machine = judged.values.mean(axis=0)
    notes = (*found.notes, *_check_scale(ranked), *_check_ties(ranked, of_machine))
    order = ranking_order(of_machine)
    tau, kept, above, probability = _beside_people(ranked, of_machine, order, level, draws, seed)
    of_both = found.estimate("tau")
    ends = of_both.interval(level)
    assert ends is not None
    wrong = _established(found, above, probability, of_machine, order)
    first, best = found.ranking[int(order[0])], found.best
    return MachineAlone(
        assessment=replace(found, notes=notes),
        ranking=tuple(ranked.systems[s] for s in order),
        tau=tau if ranked.n >= FEWEST else None,
        claimed=_claimed(judged.values[:, order], level, draws, seed),
        people=_claimed(ranked.values[:, ranking_order(ranked.values.mean(axis=0))], level, draws, seed),
        both=TauOf(of_both.estimate, ends.low, ends.high),
        kept=kept,
        established=len(wrong),
        named=tuple(wrong[:named]),
        first_may_be_best=best is not None and first.system in best.systems,
        level=level,
        draws=draws,
        seed=seed,
    )


def _machine(ranked: ScoreMatrix) -> MachineScores:
    assert ranked.machine is not None
    return ranked.machine


def _beside_people(
    ranked: ScoreMatrix, of_machine: Vector, order: NDArray[np.intp], level: float, draws: int, seed: int
) -> tuple[TauOf, float, NDArray[np.bool_], Matrix]:
    """The machine's ranking beside both judges together: τ, k, and which pairs are established.

    Whether the row's system is above the column's by tests of all pairs together, and the probability of
    that, are m × m in the order of the scores. τ is averaged over the posterior of k; pairs use its median.
    """
    pooled = [pooled_means(ranked, level, at) for at in KEPT_AT]
    shares = [kept for _, kept in pooled]
    believed = {}
    for means, kept in pooled:
        if kept not in believed:
            some = max(2, draws * shares.count(kept) // len(shares))
            by_all = ranking_order(means.theta)
            sample = TopicSample.of(means.select(by_all), seed=seed)
            believed[kept] = Predictive(sample, [TAU], some), np.argsort(by_all)
    tied = level_pairs(of_machine[order])
    found = {
        kept: _held_against(predictive, places[order], tied)
        for kept, (predictive, places) in believed.items()
    }
    expected = float(np.mean([found[kept][0] for kept in shares]))
    tau = _tau_of(expected, np.concatenate([drawn for _, drawn in found.values()]), level)
    kept = shares[KEPT_AT.index(0.5)]
    predictive, places = believed[kept]
    tested = guarantee(
        predictive.sample.means, predictive.covariance("shrunk"), level, stream(seed, "machine alone")
    )
    above = np.triu(tested.p_values <= 1 - level, 1)
    probability = probabilities_above(predictive.model(HEADLINE).probabilities)
    here = np.ix_(places, places)
    return tau, kept, above[here], probability[here]


def _tau_of(expected: float, drawn: Vector, level: float) -> TauOf:
    """The expected τ with the interval of its draws, which holds it."""
    interval = quantile_interval(drawn, level)
    return TauOf(expected, min(interval.low, expected), max(interval.high, expected))


def _check_scale(ranked: ScoreMatrix) -> list[Note]:
    """A note, or an error, where the two judges score on different scales.

    A factor on the machine's scores does not change its ranking, but every difference from people's scores.
    """
    machine = _machine(ranked)
    factor = scale_factor(ranked.values, machine.values[machine.matched])
    if factor is None or 1 / UNLIKE_SCALE < factor < UNLIKE_SCALE:
        return []
    spread = f"the machine’s scores spread {factor:.3g} times as widely as the human ones"
    if not 1 / OTHER_SCALE < factor < OTHER_SCALE:
        raise InputError(
            f"{at(machine.source)}{spread}: on another scale the machine’s own ranking cannot be judged; "
            "bring both to one scale (fractions, percents or grades), or use truerank assess"
        )
    biased = (
        f"{spread}, and a difference of scale counts as bias here. If the scales differ, the machine alone "
        "is better than this says"
    )
    return [Note("other-scale", biased)]


def _check_ties(ranked: ScoreMatrix, of_machine: Vector) -> list[Note]:
    """A note on systems that the machine ties; an error if it ties all."""
    machine = _machine(ranked)
    order = ranking_order(of_machine)
    level = level_pairs(of_machine[order])
    tied = int(level.sum())
    if not tied:
        return []
    if tied == ranked.m * (ranked.m - 1) // 2:
        raise InputError(
            f"{at(machine.source)}the machine has the same mean score for all systems, so it ranks none of "
            "them; check its scores"
        )
    top = [ranked.systems[order[0]], *(ranked.systems[order[j]] for j in np.flatnonzero(level[0]))]
    first = f"; {few(top)} share its first place, listed as people and machine together have them"
    equal = (
        f"the machine has equal means for {count(tied, 'pair')} of systems, which count as half wrong each"
    )
    return [Note("machine-ties", equal + (first if len(top) > 1 else ""))]


def level_pairs(means: Vector) -> NDArray[np.bool_]:
    """Pairs of a ranking with equal means, m × m above the diagonal."""
    group = np.cumsum(np.diff(means, prepend=np.inf) < -TIE)
    return np.triu(group[:, None] == group, 1)


def pooled_means(ranked: ScoreMatrix, level: float = 0.95, at: float = 0.5) -> tuple[Means, float]:
    """Means from the scores of both judges, with the machine's biases as draws from one distribution.

    The corrected means assume nothing about the machine's biases, so they cannot tell that a machine without
    biases is right. Here ``θ̂ = F̄ − k b̂``, with the machine's means F̄ over all N topics and its biases b̂
    on the n that people judged, relative to their average. They are shrunk by ``k = σ²/(σ² + s²)``, where s²
    is the sampling variance of b̂ and σ² the variance of true biases (Fay and Herriot 1979; see
    :func:`shrinkage`). A bias that is established at `level` for all systems together is shrunk by one
    standard error at most. So a single favorite of the machine stays a bias. k is the quantile `at` of its
    posterior.
    """
    from truerank.numerics.special import stdtrit

    machine = _machine(ranked)
    seen, rest = machine.values[machine.matched], machine.values[machine.rest]
    n, total = ranked.n, len(machine.values)
    excess = seen - ranked.values
    beyond = excess - excess.mean(axis=1, keepdims=True)
    bias = beyond.mean(axis=0)
    errors = beyond.std(axis=0, ddof=1) / np.sqrt(n)
    k = shrinkage(bias, errors, at)
    established = np.abs(bias) > stdtrit(n - 1, 1 - (1 - level) / (2 * ranked.m)) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.where(established, np.maximum(k, 1 - errors / np.abs(bias)), k)
    # If the machine judged only the topics that people judged, there is one stratum.
    strata = [(part - part.mean(axis=0)) / total for part in (seen, rest) if len(part)]
    strata[0] -= np.sqrt(kept) * (beyond - bias) / n
    sizes = np.array([float(len(part)) for part in strata])
    theta = machine.values.mean(axis=0) - kept * bias
    means = Means(
        theta=theta,
        contrasts=theta - theta.mean(),
        influences=np.concatenate(strata),
        strata=np.repeat([0, 1], [n, len(rest)]).astype(np.intp),
        factors=sizes / (sizes - 1),
        stratum_degrees=sizes - 1,
        effective=float(n),
    )
    alone = plain_means(ranked.values)
    upper = np.triu_indices(ranked.m, 1)
    error = float(np.sum(means.deviations[upper] ** 2))
    effective = n * float(np.sum(alone.deviations[upper] ** 2)) / error if error > 0 else float(total)
    return replace(means, effective=min(max(effective, 1.0), float(total))), k


def shrinkage(biases: Vector, errors: Vector, at: float = 0.5) -> float:
    """The posterior median, or another quantile, of the shrinkage of biases, ``k = σ²/(σ² + s²)``.

    The prior probability that all biases are 0 is ½; otherwise 1 − k is uniform. The likelihood is that of
    ``Σ b̂²/s² ~ χ²/(1 − k)`` with m − 1 degrees of freedom. So k is 0 unless the biases vary more than by
    chance. Outlying biases count as `OUTLYING` deviations, because one favorite tells nothing about the
    others.
    """
    m = len(biases)
    noise = float(np.mean(errors**2))
    bound = OUTLYING * max(float(np.median(np.abs(biases - np.median(biases)))) / 0.6745, np.sqrt(noise))
    held = np.clip(biases - np.median(biases), -bound, bound)
    spread = float(np.sum((held - held.mean()) ** 2))
    if noise <= 1e-24 or m < 2:
        return 0.0 if m > 1 and spread <= m * 1e-24 else 1.0
    left = (np.arange(2_000) + 0.5) / 2_000  # 1 − k, and 1 where there is no bias
    log = (m - 1) / 2 * np.log(left) - left * spread / noise / 2
    none = -spread / noise / 2
    weights = np.exp(log - max(log.max(), none))
    at_most = np.exp(none - max(log.max(), none)) + np.cumsum(weights[::-1]) / len(left)  # k rising
    place = int(np.searchsorted(at_most, at_most[-1] * at))
    return 0.0 if place == 0 else float(1 - left[::-1][place])


def _turned(probabilities: Matrix, order: NDArray[np.intp]) -> Matrix:
    """Probabilities that pairs of another ranking are in the wrong order, m × m above the diagonal."""
    swapped = probabilities + np.tril(1 - probabilities.T, -1)  # row truly below column
    return np.triu(swapped[np.ix_(order, order)], 1)


def _held_against(
    predictive: Predictive, order: NDArray[np.intp], level: NDArray[np.bool_]
) -> tuple[float, Vector]:
    """The expected τ of another ranking of the same systems with the true one, and τ in each joint draw."""
    model = predictive.model(HEADLINE)
    turned = SwapModel(
        model.estimator,
        model.dependence,
        np.where(level, 1.0, _turned(model.probabilities, order)),
        model.covariance[np.ix_(order, order)],
        model.degrees,
    )
    limits = turned.limits()
    limits[turned.probabilities >= 1] = np.inf  # in every draw, also where the pair never varies
    values = predictive.t_draws_of(model.dependence)
    unsaid = level.sum() / (len(order) * (len(order) - 1) / 2)
    found: Vector = count_swaps(values[order], limits).coefficient(TAU) + unsaid
    return turned.expectation(TAU) + float(unsaid), found


def _claimed(values: Matrix, level: float, draws: int, seed: int) -> TauOf:
    """τ by `eb` from the scores of one judge alone, columns in ranking order."""
    predictive = Predictive(TopicSample.of(plain_means(values), seed=seed), [TAU], draws)
    found = _held_against(predictive, np.arange(values.shape[1]), level_pairs(values.mean(axis=0)))
    return _tau_of(*found, level)


def _established(
    found: Assessment,
    above: NDArray[np.bool_],
    probability: Matrix,
    of_machine: Vector,
    order: NDArray[np.intp],
) -> list[WrongPair]:
    """Pairs that the machine has in the wrong order by tests for all pairs, those farthest apart first.

    The order is that of :func:`pooled_means`, and that of the corrected means.
    """
    place = np.argsort(order)
    names, corrected = found.scores.systems, found.means.differences
    below = place[:, None] > place[None, :]  # the row's system, by the machine
    level = level_pairs(of_machine[order])
    tied = (level | level.T)[np.ix_(place, place)]
    pairs = [
        WrongPair(names[j], names[i], float(corrected[i, j]), float(probability[i, j]))
        for i, j in np.argwhere(below & ~tied & above & (corrected > 0))
    ]
    return sorted(pairs, key=lambda one: -one.difference)

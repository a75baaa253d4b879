"""How few topics carry a lead: the smallest number whose removal changes who is ahead.

It restates the size of the effect in topics and is no new evidence (Broderick, Giordano & Meager 2020). The
number that is usual for a lead of that size is given beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank._support.wording import plural
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics import special
from truerank.reliability.means import Means
from truerank.reliability.means.data_sets import averaged_rest, means_alone
from truerank.scores import ScoreMatrix

SLACK = 1e-12
"""Scores closer than this are tied: a system overtakes another only by more."""

RIVALS = 3
"""Number of closest pairs examined where all pairs would take too long."""

LEVELS = (8, 64, 512)
"""Numbers of topics, over several data sets, tried for all pairs in turn; then for the closest only."""

REMARKABLE = 0.5
"""A lead is fragile if it rests on fewer topics than this share of the number usual for its size."""


@dataclass(frozen=True)
class Fragility:
    """The smallest number of topics whose removal moves another system into first place, or into the first K.

    Attributes:
        topics: how many topics, or other units; null where no removal does.
        total: how many there are.
        unit: what is counted: topic, cluster, data set or family of data sets.
        share: of all of them; null in the same cases.
        by: the best of the systems that would come in then: without these topics the first of all, or of
            those outside the first places before; null as `topics`.
        over: the system that would drop out: the last of those inside before; null as `topics`.
        names: the topics, those that count most first.
        usual: how many topics a lead of that size usually rests on; ``None`` where it has no size.
        exact: whether no smaller number suffices; otherwise a smaller one may.
    """

    topics: int | None
    total: int
    unit: str = "topic"
    share: float | None = None
    by: str | None = None
    over: str | None = None
    names: tuple[str, ...] = ()
    usual: float | None = None
    exact: bool = True

    @property
    def remarkable(self) -> bool:
        """Whether the lead rests on far fewer topics than a lead of its size usually does."""
        return self.topics is not None and self.usual is not None and self.topics < REMARKABLE * self.usual


@dataclass(frozen=True, eq=False)
class Units:
    """Units that can be left out, so that the score is a mean over the rest.

    The sums of the N × m values of topics, clusters or data sets order the systems. Where scores are means
    over data sets of topics, the values are the topics', with the data set of each and the weights of these.
    """

    values: Matrix
    names: tuple[str, ...]
    unit: str
    strata: NDArray[np.intp] | None = None
    weights: Vector | None = None


def units_of(scores: ScoreMatrix, means: Means) -> Units | None:
    """The units that can be left out; ``None`` for empty cells."""
    assert means.influences is not None
    if means.values is not None:
        names = scores.data_sets if means.of_data_sets else scores.topics
        return Units(means.values, names, means.unit)
    if np.isnan(scores.values).any():
        return None
    if means.unit == "topic":
        return Units(scores.values, scores.topics, "topic", scores.strata, scores.set_weights)
    if means.unit == "cluster":
        if scores.k > 1 or scores.clusters is None:
            return None  # a cluster counts by the other topics of its data set
        groups, first, counts = np.unique(scores.clusters, return_index=True, return_counts=True)
        shares = counts / scores.n
        names = tuple(f"cluster of {scores.topics[t]}" for t in first[: len(groups)])
    elif scores.families:
        names = tuple(dict.fromkeys(scores.families))
        each = scores.set_weights
        shares = np.array([each[[f == name for f in scores.families]].sum() for name in names])
    else:
        names, shares = scores.data_sets, scores.set_weights
    # An influence row is a unit's share of the sum without the mean.
    return Units(means.influences[: len(names)] + shares[:, None] * means.theta, names, means.unit)


def overtaking(differences: Vector) -> NDArray[np.intp] | None:
    """The fewest topics whose removal reverses a lead: the largest differences, until the rest is below 0.

    Exact for a mean over topics that count alike: of all sets of k topics the k largest leave the least.
    """
    order = np.argsort(-differences, kind="stable")
    left = differences.sum() - np.cumsum(differences[order])
    below = np.flatnonzero(left[:-1] < -SLACK)  # one topic must stay
    return order[: below[0] + 1] if len(below) else None


def overtaking_in_sets(
    differences: Vector, strata: NDArray[np.intp], weights: Vector, most: int | None = None
) -> NDArray[np.intp] | None:
    """Like :func:`fewest`, for a weighted mean over data sets, one data set at a time; exact, in O(n·most).

    ``best[R] = min_r best′[R − r] + w_k·mean(d_k without its r largest)``. Every data set keeps a topic.
    """
    limit = len(differences) if most is None else most
    order_of_all = np.lexsort((-differences, strata))
    if _out_of_reach(differences[order_of_all], np.bincount(strata), weights, limit):
        return None
    best: Vector = np.zeros(1)
    chosen: list[NDArray[np.intp]] = []
    orders = np.split(order_of_all, np.cumsum(np.bincount(strata))[:-1])
    for order, weight in zip(orders, weights, strict=True):
        values = differences[order]
        without = values.sum() - np.concatenate([[0.0], np.cumsum(values)[:-1]])
        means = weight * without / (len(order) - np.arange(len(order)))
        total = np.full(min(len(best) + len(order) - 1, limit + 1), np.inf)
        picked = np.zeros(len(total), dtype=np.intp)
        for r, mean in enumerate(means[: len(total)]):
            here = slice(r, min(r + len(best), len(total)))
            reached = best[: here.stop - r] + mean
            better = reached < total[here]
            total[here] = np.where(better, reached, total[here])
            picked[here][better] = r
        best = total
        chosen.append(picked)
    below = np.flatnonzero(best < -SLACK)
    if not len(below):
        return None
    removed, found = int(below[0]), []
    for order, picked in zip(reversed(orders), reversed(chosen), strict=True):
        r = int(picked[removed])
        found.append(order[:r])
        removed -= r
    places = np.concatenate(found)
    return places[np.argsort(-differences[places], kind="stable")]


def _out_of_reach(falling: Vector, sizes: NDArray[np.intp], weights: Vector, most: int) -> bool:
    """Whether a lead certainly survives the loss of any ``most`` topics; differences fall by data set.

    A topic of a data set takes at most the largest share of the lead that one of its r largest takes, of any
    r; the topics of the data sets where that is most are taken first. O(n), where the search is O(n·most).
    """
    starts = np.cumsum(sizes) - sizes
    removed = np.arange(len(falling)) - np.repeat(starts, sizes)
    before = np.cumsum(falling) - falling
    left = np.repeat(np.add.reduceat(falling, starts) + before[starts], sizes) - before
    means = np.repeat(weights, sizes) * left / (np.repeat(sizes, sizes) - removed)
    taken = (np.repeat(means[starts], sizes) - means) / np.maximum(removed, 1)
    shares = np.maximum.reduceat(np.where(removed <= most, taken, 0.0), starts)
    first = np.argsort(-shares)
    topics = np.diff(np.minimum(np.cumsum(sizes[first] - 1), most), prepend=0)
    rounding = 1e-9 * float(np.abs(means).max(initial=0.0))
    return bool(means[starts].sum() - shares[first] @ topics > rounding)


def usual(statistic: float, topics: int) -> float | None:
    """The topics that a lead of that size rests on where differences are normal: n·(1 − Φ(z)).

    z solves φ(z)/Φ(z) = t/√n.
    """
    wanted = statistic / math.sqrt(topics)
    if not wanted > 0:
        return None

    # φ/Φ falls from left to right. Halved as often as doubles can tell; scipy.optimize is slow to import.
    low, high = -max(40.0, 2 * wanted), 40.0
    for _ in range(80):
        z = (low + high) / 2
        above = math.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - float(special.log_ndtr(z))) > wanted
        low, high = (z, high) if above else (low, z)
    return float(topics * special.ndtr(-(low + high) / 2))


def fragility(scores: ScoreMatrix, means: Means, k: int = 1) -> Fragility | None:
    """How few topics carry the places of the first k systems. O(k·m·n log n)."""
    kind = scores.kind
    if isinstance(kind, BesideMachine) or not means.linear or not 0 < k < scores.m:
        return None
    _, deviations = next(means.deviation_blocks())
    if k > len(deviations):
        deviations = means.deviations
    with np.errstate(invalid="ignore", divide="ignore"):
        statistics: Matrix = (means.contrasts[:k, None] - means.contrasts[k:]) / deviations[:k, k:]
    near = np.argsort(np.where(np.isnan(statistics), np.inf, statistics), axis=None, kind="stable")[:RIVALS]
    nearest = [(int(one // (scores.m - k)), k + int(one % (scores.m - k))) for one in near]
    if isinstance(kind, InBattles):
        return _of_battles(scores, kind.battles, means, nearest, statistics)
    units = units_of(scores, means)
    if units is not None:
        found, exact = _plain(units, k) if units.strata is None else _in_sets(units, k, nearest)
        return _turned(found, statistics, scores.systems, units.names, units.unit, exact)
    if means.unit != "topic":
        return None
    found = _refitted(scores, means, nearest, k)
    return _turned(found, statistics, scores.systems, scores.topics, "topic", exact=False)


@dataclass(frozen=True, eq=False)
class _Found:
    """The units without which a system outside the first k places passes one inside, and m scores then.

    The pair are the places inside, and outside less k. Scores are up to a factor and a constant.
    """

    pair: tuple[int, int]
    gone: NDArray[np.intp]
    theta: Vector


def _turned(
    found: _Found | None,
    statistics: Matrix,
    systems: Sequence[str],
    names: Sequence[str],
    unit: str,
    exact: bool,
) -> Fragility:
    """The result in words: a third system may then lead, neither the leader nor the one that passes it."""
    k, total = len(statistics), len(names)
    if found is None:
        return Fragility(None, total, unit, exact=exact)
    by, over = systems[k + int(np.argmax(found.theta[k:]))], systems[int(np.argmin(found.theta[:k]))]
    count, gone = len(found.gone), tuple(names[u] for u in found.gone.tolist())
    law = usual(float(statistics[found.pair]), total)
    return Fragility(count, total, unit, count / total, by, over, gone, law, exact)


_Pair = tuple[tuple[int, int], NDArray[np.intp]]
"""The places of a pair, and the units that turn its order."""


def _plain(units: Units, k: int) -> tuple[_Found | None, bool]:
    """Try all pairs, for means over units of equal weight."""
    values, n = units.values, len(units.values)
    best: _Pair | None = None
    first = overtaking(values[:, k - 1] - values[:, k])
    most = n - 1 if first is None else len(first)
    for inside in range(k - 1, -1, -1):
        differences = values[:, inside, None] - values[:, k:]
        left = np.partition(differences, n - most - 1, axis=0)[: n - most].sum(axis=0)
        for place in np.flatnonzero(left < 0).tolist():
            found = overtaking(differences[:, place])
            if found is not None and (best is None or len(found) < len(best[1])):
                best, most = ((inside, place), found), len(found) - 1
    if best is None:
        return None, True
    return _Found(*best, np.delete(values, best[1], axis=0).sum(axis=0)), True


def _in_sets(units: Units, k: int, nearest: list[tuple[int, int]]) -> tuple[_Found | None, bool]:
    """Try all pairs, for means over data sets, with more and more topics; finally only the closest."""
    assert units.strata is not None
    assert units.weights is not None
    values = units.values
    every = [(inside, outside) for inside in range(k - 1, -1, -1) for outside in range(k, values.shape[1])]
    rest = [level for level in LEVELS if level < len(values)]
    for level, pairs in [
        *((one, every) for one in rest),
        (len(values), nearest if rest == list(LEVELS) else every),
    ]:
        best: _Pair | None = None
        for inside, outside in pairs:
            most = level if best is None else len(best[1]) - 1
            found = overtaking_in_sets(
                values[:, inside] - values[:, outside], units.strata, units.weights, most
            )
            if found is not None:
                best = (inside, outside - k), found
        if best is not None:
            kept = np.delete(np.arange(len(values)), best[1])
            each = [values[kept[units.strata[kept] == s]].mean(axis=0) for s in range(len(units.weights))]
            return _Found(*best, units.weights @ np.array(each)), pairs is every
    return None, pairs is every


def _refitted(scores: ScoreMatrix, means: Means, pairs: list[tuple[int, int]], k: int) -> _Found | None:
    """An upper bound where cells are empty: drop the most influential topics and refit the means."""
    best: _Found | None = None
    rows = means.rows
    if scores.clusters is not None or len(rows) != scores.n:
        return None
    without = _Without(scores)
    for inside, outside in pairs:
        order = np.argsort(rows[:, outside] - rows[:, inside], kind="stable")

        def passed(count: int, order: NDArray[np.intp] = order, i: int = inside, j: int = outside) -> bool:
            left = without.means(order[:count])
            return left is not None and bool(left[j] > left[i] + SLACK)

        low, high = 0, 1
        most = scores.n - 3 if best is None else len(best.gone) - 1
        while high <= most and not passed(high):
            low, high = high, 2 * high
        if high > most and (most <= low or not passed(high := most)):
            continue
        high = _between(low, high, passed)
        left = without.means(order[:high])
        assert left is not None
        best = _Found((inside, outside - k), order[:high], left)
    return best


def _of_battles(
    scores: ScoreMatrix, battles: Battles, means: Means, pairs: list[tuple[int, int]], statistics: Matrix
) -> Fragility | None:
    """An upper bound for battles: drop the most influential prompts, or voters if a smaller share."""
    from truerank.reliability.means.bradley_terry import bradley_terry, likeliest, win_table

    together = f"group of {plural(battles.unit)}" if battles.dealt else battles.unit
    ways: list[tuple[Battles, Means, tuple[str, ...], str]] = [(battles, means, scores.topics, together)]
    if battles.voters is not None:
        by_voter = replace(battles, clusters=battles.voters, voters=None, unit="voter")
        ways.append((by_voter, bradley_terry(by_voter, scores.systems), battles.voter_names, "voter"))
    k = len(statistics)
    found = []
    for grouped, of_groups, names, unit in ways:
        best: _Found | None = None
        for inside, outside in pairs:
            most = None if best is None else len(best.gone) - 1
            gone = fewest_without(grouped, of_groups, inside, outside, most)
            if gone is not None:
                left = grouped.only(~np.isin(grouped.clusters, gone))
                best = _Found((inside, outside - k), gone, likeliest(left, win_table(left, scores.m))[0])
        found.append(_turned(best, statistics, scores.systems, names, unit, exact=False))
    return min(found, key=lambda one: 2.0 if one.share is None else one.share)


def fewest_without(
    battles: Battles, means: Means, ahead: int, other: int, most: int | None = None
) -> NDArray[np.intp] | None:
    """Groups of battles without which the other of two systems is ahead, the most influential first.

    ``None`` where the most influential ones do not turn the order before the systems fall apart. The search
    begins at the number that the influence rows foretell; fits take O(N + m³) each.
    """
    from truerank.reliability.means.bradley_terry import refuse_unconnected, strengths
    from truerank.reliability.means.equal_style import Styled, at_equal_style

    rows, m = means.influences, len(means.theta)
    assert rows is not None
    leads = rows[:, ahead] - rows[:, other]
    order = np.argsort(-leads, kind="stable")
    place = np.argsort(order)[battles.clusters]
    fit, styled = None if means.played is None else means.played.fit, Styled(battles, m)
    weights = battles.each_counts
    won, lost = weights * battles.outcomes, weights * (1 - battles.outcomes)

    def passed(gone: int) -> bool | None:
        """``None`` where what is left has no finite strengths."""
        kept = place >= gone
        wins = styled.by_pair(kept * won) + styled.by_pair(kept * lost).T
        try:
            if not battles.draw_prior:
                refuse_unconnected(wins, [str(s) for s in range(m)], "")
            if battles.covariates is None:
                theta = strengths(wins, battles.draw_prior)
            else:
                begun = None if fit is None else (fit.theta, fit.coefficients)
                theta = at_equal_style(styled, begun, kept=kept, pair=(ahead, other))[0]
        except InputError:
            return None
        return bool(theta[other] > theta[ahead] + SLACK)

    limit = len(rows) - 3 if most is None else most
    if limit < 1:
        return None
    turned = np.flatnonzero(np.cumsum(leads[order]) > means.theta[ahead] - means.theta[other])
    foretold = min(int(turned[0]) + 1 if len(turned) else limit, limit)
    while (turns := passed(foretold)) is None and foretold > 1:
        foretold //= 2
    low, high, step = 0, foretold, 1
    if turns:
        while high - step > low and passed(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, low)
    else:
        low = foretold
        while (high := min(low + step, limit)) > low and not passed(high):
            low, step = high, 2 * step
        if high == low:
            return None
    return order[: _between(low, high, passed)]


def _between(low: int, high: int, passed: Callable[[int], bool | None]) -> int:
    """The fewest that pass, of numbers of which the lowest does not and the highest does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high


class _Without:
    """The systems' means without some topics, up to a constant; each data set is fitted once per loss."""

    def __init__(self, scores: ScoreMatrix) -> None:
        self.values, self.weights, self.several = scores.values, scores.set_weights, scores.k > 1
        self.strata = scores.stratum_of_each
        self.fitted: dict[tuple[int, bytes], Vector] = {}

    def means(self, topics: NDArray[np.intp]) -> Vector | None:
        """``None`` where the rest does not connect the systems, or leaves a data set with one topic."""
        kept = np.ones(len(self.values), np.bool_)
        kept[topics] = False
        if self.several and np.bincount(self.strata[kept], minlength=len(self.weights)).min() < 2:
            return None
        table = np.array([self._of_set(k, kept) for k in range(len(self.weights))])
        return averaged_rest(table, self.weights)

    def _of_set(self, k: int, kept: NDArray[np.bool_]) -> Vector:
        here = self.strata == k
        key = (k, kept[here].tobytes())
        if key not in self.fitted:
            self.fitted[key] = means_alone(self.values[here & kept])
        return self.fitted[key]

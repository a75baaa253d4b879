"""Strengths from battles of two systems each, by Bradley and Terry; a prompt, or a voter, is the unit.

Numbers in parentheses are those of the equations in docs/methods/preferences.md. Covariates, such as the
length of answers, are fitted together with the strengths (docs/methods/equal-style.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.numerics import special
from truerank.reliability.means.means import BattleFit, Known, Means, Played, of_contrasts

BRADLEY_TERRY = "bradley-terry"  # the name of this rule, in the place of an aggregate's
# Usual standard deviation of the strengths of an arena, in logits (docs/methods/preferences.md).
USUAL_SPREAD = 0.32
PRIOR_DEGREES = 4.0  # what the pooled variance counts beside a pair's own
# The least share of the dispersion that stays with single battles where prompts explain the rest.
LEAST_SHARE = 0.1
# Groups × systems³ beyond which errors would take minutes; a tenth of it is worked out group by group.
MOST_WORK = 5e11
DENSE = 10  # systems³ that strengths and their covariance cost
FEWEST_GROUPS = 200  # groups that are kept at least where some are merged
TOGETHER = 1_000_000  # groups × parameters² that are worked on at once
# Effective prompts or voters of a system below which its errors are hardly known where both count.
FEW_EFFECTIVE = 3
NAMED = 2  # systems that a warning names, those first that rest on one prompt or voter most
# Cells of prompt and voter beyond which theirs are too many for a correction of small samples to matter.
MOST_CELLS = 20_000
STEPS = 60  # newton steps beyond which coefficients grow without end
# Share of a covariate's squares, beyond strengths and the other covariates, below which nothing is left.
NOTHING_LEFT = 1e-8


@dataclass(frozen=True, eq=False)
class Clustered:
    """What one way to group the battles says of the errors of the P = m + K parameters."""

    squares: Matrix  # P × P, Σ_c U_c U_cᵀ, of the influence rows of the groups
    sizes: Matrix  # m × m, n_ij, 2 at least: groups behind the difference of i and j
    own_sizes: Vector  # of each parameter
    pooled: Matrix  # P × P, the covariance under the working model
    interaction: float  # σ² (4), the variance of a group's own strengths; 0 from one battle a group


def win_rates(theta: Vector) -> Vector:
    """The chance of each system to beat another of these, drawn at random."""
    chances = np.asarray(special.expit(theta[:, None] - theta[None, :]))
    return (chances.sum(axis=1) - 0.5) / max(len(theta) - 1, 1)


def win_table(battles: Battles, m: int) -> Matrix:
    """Wins of the row over the column, m × m, by weight; a tie is half a win of each."""
    a, b, y = battles.first, battles.second, battles.outcomes
    w = battles.each_counts
    table = np.bincount(a * m + b, w * y, m * m) + np.bincount(b * m + a, w * (1 - y), m * m)
    return table.reshape(m, m).astype(np.float64)


def _connected(wins: Matrix) -> tuple[int, NDArray[np.signedinteger]]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    took = csr_array((wins > 0).astype(np.float64))
    count, labels = connected_components(took, directed=True, connection="strong")
    return count, labels


def refuse_unconnected(wins: Matrix, systems: Sequence[str], where: str) -> None:
    """Refuse battles that leave some strengths infinite."""
    count, labels = _connected(wins)
    if count == 1:
        return
    winner, loser = labels[np.array(np.nonzero((wins > 0) & (labels[:, None] != labels)))]
    takes, gives = (np.bincount(groups, minlength=count) > 0 for groups in (winner, loser))
    # The smallest of the groups that took or gave nothing is the easiest to do something about.
    group = int(np.argmin(np.where(takes & gives, len(labels), np.bincount(labels))))
    inside, others = (
        some([repr(systems[s]) for s in np.flatnonzero(here).tolist()], 4)
        for here in (labels == group, labels != group)
    )
    what = "lost or tied against" if takes[group] else "won or tied against" if gives[group] else "met"
    raise InputError(
        f"{where}{inside} never {what} {others}, so no finite strengths separate them. Add battles between "
        f"them, or leave out those of one group ({setting('min_battles')} leaves out those with few). "
        f"{setting('draw_prior', 1)} adds one drawn battle of each system instead"
    )


def bradley_terry(
    battles: Battles, systems: Sequence[str], where: str = "", units: Sequence[str] = ()
) -> Means:
    """Strengths with an influence row a prompt (or voter, or battle). O(N + G·m³) at most."""
    m = len(systems)
    wins = win_table(battles, m)
    refuse_unrated(battles, wins, systems, where)
    fit = fitted(battles, wins, where)
    by_unit = clustered(battles, fit, battles.clusters)
    own, contrasts = np.diag(by_unit.squares), partial(of_pairs, m=m)
    by_voter = None
    if battles.voters is None:
        pair = moderated(contrasts(by_unit.squares), by_unit.sizes, contrasts(by_unit.pooled))
        each = moderated(own, np.maximum(by_unit.own_sizes, 2.0), np.diag(by_unit.pooled))
        own_sizes = by_unit.own_sizes
    else:
        voters = clustered(battles, fit, battles.voters)
        by_voter = voters.interaction
        cells = np.unique(
            battles.clusters * (battles.voters.max() + 1) + battles.voters, return_inverse=True
        )[1]
        both = clustered(battles, fit, cells, counted=int(cells.max()) < MOST_CELLS)
        parts = (by_unit, voters, both)
        pair = _two_way([contrasts(one.squares) for one in parts], [one.sizes for one in parts])
        each = _two_way(
            [np.diag(one.squares) for one in parts], [np.maximum(one.own_sizes, 2.0) for one in parts]
        )
        own_sizes = np.minimum(by_unit.own_sizes, voters.own_sizes)
        # Systems with ties alone would have no error at all: theirs is the pooled one.
        for found, spread in ((pair, contrasts(by_unit.pooled)), (each, np.diag(by_unit.pooled))):
            np.copyto(found[0], spread, where=found[0] <= 1e-9 * spread)
    logit, origin = battles.points
    deviations, errors = logit * np.sqrt(pair[0]), np.sqrt(each[0])
    np.fill_diagonal(deviations, 0.0)
    influences = influence_rows(battles, fit, battles.clusters)
    if battles.draw_prior:  # the drawn battles are of no group, so that the groups' rows do not add up to 0
        influences -= influences.mean(axis=0)
    groups = len(influences)
    return Means(
        theta=origin + logit * fit.theta,
        contrasts=logit * fit.theta,
        influences=logit * influences[:, :m],
        strata=np.zeros(groups, dtype=np.intp),
        factors=np.array([groups / max(groups - 1, 1)]),
        stratum_degrees=np.array([max(groups - 1.0, 1.0)]),
        effective=float(m / np.sum(1 / own_sizes[:m])),
        unit=battles.unit,
        known=Known(deviations, pair[1], logit * errors[:m], each[1][:m]),
        usual_spread=logit * USUAL_SPREAD,
        notes=() if battles.voters is None else _rest_on_few(own_sizes[:m], systems, battles, units),
        played=Played(
            fit,
            by_unit.interaction,
            by_voter,
            np.empty(0) if battles.covariates is None else battles.covariates.scales,
            influences[:, m:],
            errors[m:],
            each[1][m:],
        ),
    )


def theta_alone(battles: Battles, systems: Sequence[str], where: str = "") -> Vector:
    """The strengths of :func:`bradley_terry` without their errors."""
    wins = win_table(battles, len(systems))
    refuse_unrated(battles, wins, systems, where)
    logit, origin = battles.points
    theta = likeliest(battles, wins, where)[0]
    return origin + logit * (theta - theta.mean())


def refuse_unrated(battles: Battles, wins: Matrix, systems: Sequence[str], where: str) -> None:
    """Refuse battles that leave some strengths infinite, or their errors unknown or beyond reach."""
    refuse_large(battles, len(wins), where)
    refuse_short(battles, systems, where)
    if not battles.draw_prior:
        refuse_unconnected(wins, systems, where)


def finite_strengths(battles: Battles, m: int) -> Vector | None:
    """The strengths of m systems; ``None`` where some are infinite."""
    wins = win_table(battles, m)
    if not battles.draw_prior and _connected(wins)[0] > 1:
        return None
    theta = strengths(wins, battles.draw_prior)
    if battles.covariates is None:
        return theta
    theta, _, ended = likeliest_from(Styled(battles, m), theta, np.zeros(len(battles.covariates.names)))
    return theta if ended else None


def fitted(battles: Battles, wins: Matrix, where: str = "") -> BattleFit:
    """The strengths (1), and what they leave: residuals and their dispersion (3)."""
    m, count, styled, w = len(wins), len(battles.first), Styled(battles, len(wins)), battles.each_counts
    theta, coefficients = likeliest(battles, wins, where, styled)
    p = 1 / (1 + np.exp(-styled.logits(theta, coefficients)))
    q, r = w * p * (1 - p), w * (battles.outcomes - p)
    curvature = styled.curvature(theta, q)
    inverse = np.linalg.inv(curvature)
    if not battles.draw_prior:
        inverse[:m, :m] -= 1 / m
    inverse = (inverse + inverse.T) / 2
    bread = inverse.copy()
    if battles.draw_prior:
        bread[:, :m] -= inverse[:, :m].mean(axis=1, keepdims=True)
    variances = q if battles.weights is None else w * q
    dispersion = count / max(count - len(inverse) + 1, 1) * float(np.sum(r**2) / np.sum(variances))
    total = styled.information(variances)
    return BattleFit(
        theta - theta.mean(), coefficients, styled.x, inverse, bread, r, q, variances, total, dispersion
    )


def _of_groups(
    battles: Battles, fit: BattleFit, clusters: NDArray[np.intp], part: NDArray[np.intp]
) -> tuple[Any, Any, NDArray[np.intp]]:
    """The rows of ``M_c = Σ q d d̃ᵀ`` and ``M^w_c`` for the groups of some battles, and the group of each."""
    from scipy.sparse import csr_array

    m, n = len(fit.theta), len(part)
    groups, group = np.unique(clusters[part], return_inverse=True)
    rows = np.concatenate([group * m + battles.first[part], group * m + battles.second[part]])
    signs = np.repeat([1.0, -1.0], n)
    of_systems = csr_array((signs, (rows, np.tile(np.arange(n), 2))), shape=(len(groups) * m, n))
    d = _design(battles, fit, part)
    found = (of_systems @ _times(d, values[part]) for values in (fit.information, fit.variances))
    return *found, np.repeat(groups, m)


def _squares(rows: Any, others: Any, places: NDArray[np.intp], count: int) -> Any:
    """The sums of ``row otherᵀ`` over the rows at each place, one below the other, sparse."""
    from scipy.sparse import csr_array

    n, parameters = rows.shape
    of_row = np.repeat(np.arange(n), np.diff(rows.indptr))
    at = places[of_row] * parameters + rows.indices
    return csr_array((rows.data, (at, of_row)), shape=(count * parameters, n)) @ others


def _spread(omega: Any, bread: Matrix, count: int) -> NDArray[np.float64]:
    """``breadᵀ Ω bread`` of each of these matrices, by the rows that hold anything."""
    held = np.flatnonzero(np.diff(omega.indptr))
    group, system = np.divmod(held, len(bread))
    sizes = np.bincount(group, minlength=count)
    place = np.arange(len(held)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    left, right = np.zeros((2, count, int(sizes.max(initial=0)), len(bread)))
    left[group, place], right[group, place] = bread[system], omega[held] @ bread
    return np.asarray(left.transpose(0, 2, 1) @ right)


def _design(battles: Battles, fit: BattleFit, some: NDArray[np.intp] | slice = slice(None)) -> Any:
    """d̃ of some battles, one sparse row each: 1 and −1 at their systems, then the covariates."""
    from scipy.sparse import csr_array

    first, second, x = battles.first[some], battles.second[some], fit.design.T[some]
    (n, k), m = x.shape, len(fit.theta)
    columns = np.column_stack([first, second, np.broadcast_to(np.arange(m, m + k), (n, k))])
    values = np.column_stack([np.ones(n), -np.ones(n), x])
    ends = np.arange(0, values.size + 1, 2 + k)
    return csr_array((values.ravel(), columns.ravel(), ends), shape=(n, m + k))


def _times(rows: Any, factors: Vector) -> Any:
    """A sparse matrix with each of its rows, of equally many values, times a number."""
    found = rows.copy()
    found.data = (found.data.reshape(len(factors), -1) * factors[:, None]).ravel()
    return found


def _scores(battles: Battles, fit: BattleFit, clusters: NDArray[np.intp]) -> Any:
    """``s_c = Σ r d̃`` of each group, sparse G × P."""
    from scipy.sparse import csr_array

    places, shape = (clusters, np.arange(len(clusters))), (int(clusters.max()) + 1, len(clusters))
    return csr_array((fit.residuals, places), shape=shape) @ _design(battles, fit)


def influence_rows(battles: Battles, fit: BattleFit, clusters: NDArray[np.intp]) -> Matrix:
    """``U_c`` (2), G × P: what each group adds to the error of the strengths, and of the coefficients."""
    return np.asarray(_scores(battles, fit, clusters) @ fit.bread)


def _interaction(battles: Battles, fit: BattleFit, scores: Any, squares: Matrix, products: Matrix) -> float:
    """σ² (4): products of residuals of different battles of a group, less what the fit puts into them."""
    q, r, m = fit.information, fit.residuals, len(fit.theta)
    total = float(np.trace(squares[:m, :m]))
    below = total - 4 * float(np.sum(q**2))
    if below <= 1e-9 * total:
        return 0.0
    inverse, x = fit.inverse, fit.design
    spread = of_pairs(inverse, m)[battles.first, battles.second]
    for k, values in enumerate(x):
        across = inverse[:m, m + k]
        spread += (2 * (across[battles.first] - across[battles.second]) + inverse[m + k, m:] @ x) * values
    found = float(np.sum(scores[:, :m].data ** 2) - 2 * np.sum(r**2))
    taken = float(np.sum(inverse * products) - 2 * np.sum(fit.variances * q * spread))
    return max((found + fit.dispersion * taken) / below, 0.0)


def clustered(
    battles: Battles, fit: BattleFit, clusters: NDArray[np.intp], counted: bool = True
) -> Clustered:
    """Squares of the influence rows of these groups (2), and how many are behind each difference (6)."""
    m, bread, groups = len(fit.theta), fit.bread, int(clusters.max()) + 1
    scores = _scores(battles, fit, clusters)
    squares = bread.T @ (scores.T @ scores).toarray() @ bread
    if battles.draw_prior:
        mean = scores.sum(axis=0) @ bread / groups
        squares -= groups * np.outer(mean, mean)
    if not counted:
        endless, own = np.full((m, m), np.inf), np.full(len(bread), np.inf)
        return Clustered(squares, endless, own, np.zeros(bread.shape), 0.0)
    # Groups are merged, as if they were dealt to fewer, where all would take long.
    most = max(FEWEST_GROUPS, int(MOST_WORK / 10 / m**3))
    larger = clusters % most
    count, step = int(larger.max()) + 1, max(1, TOGETHER // len(bread) ** 2)
    order = np.argsort(larger, kind="stable")
    parts = np.split(order, np.searchsorted(larger[order], np.arange(step, count, step)))
    of_groups, products = np.zeros(bread.shape), np.zeros(bread.shape)
    for part in parts:
        met, weighed, _ = _of_groups(battles, fit, clusters, part)
        of_groups += met.T @ met
        products += met.T @ weighed
    interaction = _interaction(battles, fit, scores, of_groups, products)
    # The two factors of the working model (5): of a battle's own noise, and of its group's.
    repeated = float(np.sum(fit.information**2) / np.sum(fit.variances))
    single = max(fit.dispersion - 2 * interaction * repeated, LEAST_SHARE * fit.dispersion)
    pooled = bread.T @ (single * fit.total + interaction * of_groups) @ bread
    # The squared variances that the groups leave (6), of all pairs and of each parameter.
    squared, own_squared = np.zeros((m, m)), np.zeros(len(bread))
    for start, part in zip(range(0, count, step), parts, strict=True):
        met, _, groups_of = _of_groups(battles, fit, clusters, part)
        d, here = _design(battles, fit, part), min(step, count - start)
        omega = single * _squares(d, _times(d, fit.variances[part]), larger[part] - start, here)
        omega += interaction * _squares(met, met, groups_of % most - start, here)
        variance = _spread(omega, bread, here)
        own = np.diagonal(variance, axis1=1, axis2=2).copy()
        own_squared += np.sum(own**2, axis=0)
        variance = variance[:, :m, :m]
        variance *= -2  # in place: these arrays are most of the memory
        variance += own[:, :m, None]
        variance += own[:, None, :m]
        squared += np.einsum("gij,gij->ij", variance, variance)
    sizes = np.maximum(of_pairs(pooled, m) ** 2 / np.where(squared > 0, squared, np.inf), 2.0)
    own_sizes = np.maximum(np.diag(pooled) ** 2 / np.where(own_squared > 0, own_squared, np.inf), 1.0)
    return Clustered(squares, sizes, own_sizes, pooled, interaction)


def moderated(squares: Matrix, sizes: Matrix, pooled: Matrix) -> tuple[Matrix, Matrix]:
    """Variances drawn towards the pooled ones (7), and their degrees of freedom."""
    degrees = sizes - 1
    own = sizes / degrees * squares
    return (degrees * own + PRIOR_DEGREES * pooled) / (degrees + PRIOR_DEGREES), degrees + PRIOR_DEGREES


def _two_way(squares: Sequence[Matrix], sizes: Sequence[Matrix]) -> tuple[Matrix, Matrix]:
    """Variances by prompts and by voters together (8), and their degrees of freedom."""
    prompts, voters, cells = (v / (1 - 1 / n) for v, n in zip(squares, sizes, strict=True))
    found = np.maximum(np.maximum(prompts, voters), prompts + voters - cells)
    return found, np.minimum(sizes[0], sizes[1]) - 1


def _rest_on_few(
    sizes: Vector, systems: Sequence[str], battles: Battles, units: Sequence[str]
) -> tuple[Note, ...]:
    """A note on systems whose errors by prompts and voters have next to no degrees of freedom."""
    few = np.flatnonzero(sizes < FEW_EFFECTIVE).tolist()
    if not few:
        return ()
    largest = sorted(((*_largest(s, battles, units), s) for s in few), key=lambda one: -one[0])
    shown = [{"system": systems[s], **most} for _, most, s in largest[:NAMED]]
    facts = {"of": len(systems), "fewest": FEW_EFFECTIVE, "largest": shown}
    return (Note("few-prompts", facts, systems=tuple(systems[s] for s in few)),)


def _largest(s: int, battles: Battles, units: Sequence[str]) -> tuple[float, dict[str, Any]]:
    """The share of a system's battles on one prompt, or by one voter, and which one it is."""
    own = (battles.first == s) | (battles.second == s)
    ways = [(battles.clusters, units, battles.unit)]
    if battles.voters is not None:
        ways.append((battles.voters, battles.voter_names, "voter"))
    counts = [np.bincount(groups[own]) for groups, *_ in ways]
    most, total = max(range(len(ways)), key=lambda way: counts[way].max()), int(own.sum())
    k, (_, names, unit) = int(counts[most].argmax()), ways[most]
    played = int(counts[most][k])
    return played / total, {
        "battles": played,
        "total": total,
        "kind": unit,
        "name": names[k] if names else None,
    }


def refuse_short(battles: Battles, systems: Sequence[str], where: str) -> None:
    """Refuse systems with battles on fewer than two prompts."""
    m = len(systems)
    there = np.zeros((int(battles.clusters.max()) + 1, m), dtype=bool)
    there[battles.clusters, battles.first] = there[battles.clusters, battles.second] = True
    if len(short := np.flatnonzero(there.sum(axis=0) < 2)):
        names = some([repr(systems[s]) for s in short.tolist()], 4)
        most = int(battles.fought(m)[short].max())
        raise InputError(
            f"{where}{names} {'have' if len(short) > 1 else 'has'} battles on fewer than two "
            f"{battles.unit}s; leave {'them' if len(short) > 1 else 'it'} out "
            f"({setting('min_battles', most + 1)} does), or add battles"
        )


def refuse_large(battles: Battles, m: int, where: str) -> None:
    """Refuse battles of so many systems that their errors would take minutes."""
    if (min(2 * len(battles.first), FEWEST_GROUPS * m) + DENSE * m) * m**2 <= MOST_WORK:
        return
    most = int((MOST_WORK / (FEWEST_GROUPS + DENSE)) ** (1 / 3))
    played = battles.fought(m)
    fewest, remedy = int(np.sort(played)[::-1][min(most, m - 1)]), "read the battles of fewer systems"
    if np.count_nonzero(played > fewest) > 1:
        remedy = f"{setting('min_battles', fewest + 1)} keeps those with most battles"
    raise InputError(
        f"{where}{len(battles.first):,} battles of {m:,} systems are too many: the errors of all pairs would "
        f"take many minutes; about {most:,} systems are possible: {remedy}"
    )


def of_pairs(form: Matrix, m: int) -> Matrix:
    """``(e_i − e_j)ᵀ form (e_i − e_j)`` of all pairs of the first m parameters."""
    return of_contrasts(form[:m, :m])


class Styled:
    """N battles of m systems, with covariates or without, as sums over them are quickest: by pair."""

    def __init__(self, battles: Battles, m: int) -> None:
        self.battles, self.m = battles, m
        held = battles.covariates
        values = np.empty((len(battles.first), 0)) if held is None else held.values / held.scales
        self.x = np.ascontiguousarray(values.T)  # K × N, in units of their root mean squares
        self._met = battles.first * m + battles.second
        self.weights: Any = 1.0 if battles.weights is None else battles.weights

    def by_pair(self, values: Vector) -> Matrix:
        """The sums of one value per battle, m × m: first system by second."""
        return np.asarray(np.bincount(self._met, values, self.m**2).reshape(self.m, self.m), dtype=np.float64)

    def logits(self, theta: Vector, beta: Vector) -> Vector:
        """Those of the first of each battle to win."""
        return np.asarray((theta[:, None] - theta).ravel()[self._met] + beta @ self.x)

    def likelihood(self, theta: Vector, beta: Vector, w: Vector | float) -> tuple[float, Vector]:
        """The log-likelihood, and the chance of the first of each battle."""
        logits = self.logits(theta, beta)
        low = np.exp(-np.abs(logits))
        # y log p + (1 − y) log(1 − p) = y·logit − log(1 + exp(logit))
        each = self.battles.outcomes * logits - np.maximum(logits, 0) - np.log1p(low)
        found = float(np.sum(w * each))
        if drawn := self.battles.draw_prior:
            found += drawn * float(np.sum(theta / 2 - np.logaddexp(0, theta)))
        return found, np.where(logits < 0, low, 1.0) / (1 + low)

    def score(self, theta: Vector, p: Vector, w: Vector | float) -> Vector:
        """``Σ r d̃``, m + K; d̃ has d and the covariates."""
        r = w * (self.battles.outcomes - p)
        met = self.by_pair(r)
        of_systems = met.sum(axis=1) - met.sum(axis=0)
        if drawn := self.battles.draw_prior:
            of_systems += drawn * (0.5 - 1 / (1 + np.exp(-theta)))
        return np.concatenate([of_systems, self.x @ r])

    def information(self, q: Vector) -> Matrix:
        """``Σ q d̃ d̃ᵀ``, m + K numbers squared."""
        m = self.m
        met = self.by_pair(q)
        met = met + met.T
        found = np.empty((m + len(self.x),) * 2)
        found[:m, :m] = np.diag(met.sum(axis=1)) - met
        weighted = q * self.x
        for k, values in enumerate(weighted, m):
            met = self.by_pair(values)
            found[:m, k] = found[k, :m] = met.sum(axis=1) - met.sum(axis=0)
        found[m:, m:] = self.x @ weighted.T
        return found

    def within_pairs(self, values: Vector) -> float:
        """The share of the squares that varies within pairs, of those that met again; 1 where none did."""
        met, sums, squares = (self.by_pair(one) for one in (np.ones(len(values)), values, values**2))
        met, sums, squares = np.triu(met + met.T), sums - sums.T, squares + squares.T
        again = met > 1
        total = float(np.sum(squares[again]))
        return 1 - float(np.sum(sums[again] ** 2 / met[again])) / total if total > 0 else 1.0

    def curvature(self, theta: Vector, q: Vector) -> Matrix:
        """The information, made invertible by the drawn battles, or by a constant over its null direction."""
        found, m, drawn = self.information(q), self.m, self.battles.draw_prior
        p0 = 1 / (1 + np.exp(-theta))
        found[:m, :m] += np.diag(drawn * p0 * (1 - p0)) if drawn else 1 / m
        return found


def likeliest(
    battles: Battles, wins: Matrix, where: str = "", styled: Styled | None = None
) -> tuple[Vector, Vector]:
    """Strengths, and coefficients of covariates if there are any (1), that make the outcomes likeliest."""
    theta, covariates = strengths(wins, battles.draw_prior), battles.covariates
    if covariates is None:
        return theta, np.empty(0)
    styled, beta = styled or Styled(battles, len(wins)), np.zeros(len(covariates.names))
    _refuse_explained(styled, theta, beta, where)
    theta, beta, ended = likeliest_from(styled, theta, beta)
    if not ended:
        raise _separated(battles, styled.x, beta, covariates.names, where)
    return theta, beta


def strengths(wins: Matrix, draw_prior: float = 0.0) -> Vector:
    """The strengths that make a table of wins likeliest; they may grow without end. O(m³) a step."""
    met = np.triu(wins + wins.T, 1)
    first, second = np.nonzero(met)
    counts = met[first, second]
    shares = wins[first, second] / counts
    of_pairs = Battles(first, second, shares, first, weights=counts, draw_prior=draw_prior)
    return likeliest_from(Styled(of_pairs, len(wins)), np.zeros(len(wins)), np.empty(0))[0]


def likeliest_from(styled: Styled, theta: Vector, beta: Vector) -> tuple[Vector, Vector, bool]:
    """Strengths and coefficients by Newton's method, and whether it came to an end. O(N·K + m³) a step."""
    m, drawn, w = styled.m, styled.battles.draw_prior, styled.weights
    likelihood, p = styled.likelihood(theta, beta, w)
    for _ in range(STEPS):
        curvature = styled.curvature(theta, w * p * (1 - p))
        try:
            step = np.linalg.solve(curvature, styled.score(theta, p, w))
        except np.linalg.LinAlgError:
            break
        scale = 1.0
        while scale > 1e-8:
            tried = theta + scale * step[:m], beta + scale * step[m:]
            found, p = styled.likelihood(*tried, w)
            if found >= likelihood - 1e-12 * abs(likelihood):
                break
            scale /= 2
        theta, beta = tried[0] - (0 if drawn else tried[0].mean()), tried[1]
        likelihood = found
        if float(np.abs(scale * step).max()) <= 1e-10 * (1 + np.abs(theta).max()):
            return theta, beta, True
        if np.abs(beta).max(initial=0.0) > STEPS:
            break
    return theta, beta, False


def _refuse_explained(styled: Styled, theta: Vector, beta: Vector, where: str) -> None:
    """Refuse covariates of which pairs of systems, or strengths and the other covariates, leave nothing."""
    assert styled.battles.covariates is not None
    names, m, w = styled.battles.covariates.names, styled.m, styled.weights
    p = styled.likelihood(theta, beta, w)[1]
    curvature = styled.curvature(theta, w * p * (1 - p))
    own, across = curvature[m:, m:], curvature[:m, m:]
    left = own - across.T @ np.linalg.solve(curvature[:m, :m], across)
    sizes = np.sqrt(np.diag(own))
    share = left / np.outer(sizes, sizes)
    beyond = np.minimum(np.diag(share), [styled.within_pairs(x) for x in styled.x])
    fixed = [names[k] for k in np.flatnonzero(beyond <= NOTHING_LEFT).tolist()]
    if fixed:
        raise InputError(
            f"{where}{some(list(map(repr, fixed)), 4)}: the difference of two systems is the same in all "
            f"their battles, so nothing tells it from strength. Leave it out of {setting('covariates')}"
        )
    values, vectors = np.linalg.eigh(share)
    if values[0] <= NOTHING_LEFT:
        same = [names[k] for k in np.flatnonzero(np.abs(vectors[:, 0]) > 0.1).tolist()]
        raise InputError(
            f"{where}{some(list(map(repr, same)), 4)} say the same, so no fit can separate "
            f"them. Leave one out of {setting('covariates')}"
        )


def _separated(battles: Battles, x: Matrix, beta: Vector, names: tuple[str, ...], where: str) -> InputError:
    """The refusal of coefficients that grow without end, which names the largest."""
    k = int(np.abs(beta).argmax())
    agree = np.sign(x[k]) * np.sign(battles.outcomes - 0.5)
    always = bool(np.all(agree >= 0) or np.all(agree <= 0))
    how = "decides every battle" if always else "and strengths together decide every battle"
    return InputError(
        f"{where}{names[k]!r} {how}, so no finite coefficient fits. Check that it is not made of the "
        f"outcomes, or leave it out of {setting('covariates')}"
    )

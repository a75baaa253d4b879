"""Strengths from battles of two systems each, by Bradley and Terry; a prompt, or a voter, is the unit.

Numbers in parentheses are those of the equations in docs/methods/preferences.md. Covariates, such as the
length of answers, are fitted together with the strengths (docs/methods/equal-style.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.resources import in_threads, one_blas_thread
from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.numerics import special
from truerank.reliability.means.means import Known, Means, of_contrasts

BRADLEY_TERRY = "bradley-terry"  # the name of this rule, in the place of an aggregate's
# Usual standard deviation of the strengths of an arena, in logits (docs/methods/preferences.md).
USUAL_SPREAD = 0.32
PRIOR_DEGREES = 4.0  # what the pooled variance counts beside a pair's own
# The least share of the dispersion that stays with single battles where prompts explain the rest.
LEAST_SHARE = 0.1
EXACT = 10_000_000  # groups × systems² up to which sizes are worked out to all digits
MOST_WORK = 5e11  # systems² × the systems of each group, summed, beyond which errors would take minutes
DENSE = 10  # systems³ that strengths and their covariance cost
FEWEST_GROUPS = 200  # groups that are kept at least where some are merged
PARTS = 8  # parts of the groups that threads share; their sums are added in order, whichever finishes first
TOGETHER = 200_000  # groups × parameters² that are worked on at once: each step has its own cost
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

    influences: Matrix  # G × P, one row per group
    squares: Matrix  # P × P, Σ_c U_c U_cᵀ
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
        few = int(cells.max()) < MOST_CELLS and _work(battles, cells, m) <= MOST_WORK
        both = clustered(battles, fit, cells, counted=few)
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
    groups = len(by_unit.influences)
    return Means(
        theta=origin + logit * fit.theta,
        contrasts=logit * fit.theta,
        influences=logit * by_unit.influences[:, :m],
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
            by_unit.influences[:, m:],
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


class _Groups:
    """What each group of battles says of its m systems and K covariates: ``F_c = Σ q d̃ d̃ᵀ``."""

    def __init__(self, battles: Battles, fit: BattleFit, clusters: NDArray[np.intp]) -> None:
        m = len(fit.theta)
        self.count, self.systems, extra = int(clusters.max()) + 1, m, len(fit.design)
        # Where there are many, a few digits do.
        self.many = self.count * m**2 > EXACT
        self.kind: type = np.float32 if self.many else np.float64
        a, b = battles.first, battles.second
        key = (clusters * m + np.minimum(a, b)) * m + np.maximum(a, b)
        order: Any = slice(None) if (key[1:] >= key[:-1]).all() else np.argsort(key)
        key = key[order]
        starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        self._cells = key[starts]  # battles of one group and pair are added up first
        self._ends = np.searchsorted(self._cells, np.arange(self.count + 1) * m * m)
        each = [fit.information] if battles.weights is None else [fit.information, fit.variances]
        self._sums = [np.add.reduceat(values[order], starts) for values in each]
        # d has +1 at the first system, and a cell's first is the lower one.
        turned = np.where(a < b, fit.design, -fit.design)[:, order] if extra else fit.design
        self._across = [np.add.reduceat(values[order] * turned, starts, axis=1) for values in each if extra]
        self._own = np.empty((len(each), self.count, extra, extra))
        for kind, q in enumerate(each):
            for k, x in enumerate(fit.design):
                for j in range(k + 1):
                    found = np.bincount(clusters, q * x * fit.design[j], self.count)
                    self._own[kind, :, k, j] = self._own[kind, :, j, k] = found

    def of(self, first: int, last: int) -> tuple[NDArray[np.intp], int, list[Any]]:
        """The parameters of some groups, how many are systems, and F_c of each, padded by 0; with w q too."""
        m, cells = self.systems, slice(self._ends[first], self._ends[last])
        of_group, pair = np.divmod(self._cells[cells] - first * m * m, m * m)
        low, high = np.divmod(pair, m)
        there = np.zeros((last - first, m), dtype=np.bool_)
        there[of_group, low] = there[of_group, high] = True
        place = np.cumsum(there, axis=1) - 1
        i, j = place[of_group, low], place[of_group, high]
        size, extra = int(place[:, -1].max()) + 1, self._own.shape[2]
        own = np.zeros((last - first, size + extra), dtype=np.intp)
        own[:, size:] = np.arange(m, m + extra)
        groups, systems = np.nonzero(there)
        own[groups, place[groups, systems]] = systems
        diagonal, found = np.arange(size), []
        for kind, sums in enumerate(self._sums):
            f: NDArray[Any] = np.zeros((last - first, size + extra, size + extra), dtype=self.kind)
            f[of_group, i, j] = f[of_group, j, i] = -sums[cells]
            f[:, diagonal, diagonal] = -f[:, :size, :size].sum(axis=1, dtype=np.float64)
            for k in range(extra):
                across, many = self._across[kind][k, cells], (last - first) * size
                both = (np.bincount(of_group * size + one, across, many) for one in (i, j))
                f[:, :size, size + k] = np.subtract(*both).reshape(-1, size)
            if extra:
                f[:, size:, :size] = f[:, :size, size:].transpose(0, 2, 1)
                f[:, size:, size:] = self._own[kind, first:last]
            found.append(f)
        return own, size, found

    def added(self, add: Callable[[Any, int, int], None], start: Callable[[], Any]) -> list[Any]:
        """What `add` collects over all groups, several at once, in parts that threads share."""
        ends = np.linspace(0, self.count, (PARTS if self.many else 1) + 1).astype(int)
        parts = [start() for _ in ends[1:]]
        step = max(TOGETHER // (self.systems + self._own.shape[2]) ** 2, 1)

        def work(part: int) -> None:
            for first in range(ends[part], ends[part + 1], step):
                add(parts[part], first, min(first + step, ends[part + 1]))

        with one_blas_thread():
            in_threads(work, range(len(parts)))
        return parts


def _products(groups: _Groups, parameters: int) -> Matrix:
    """``Σ_c M_cᵀ M_c`` and ``Σ_c M_cᵀ M^w_c``, 2 × P × P, of ``M_c = Σ q d d̃ᵀ``, the systems' rows of F_c."""
    shape = len(groups.of(0, 1)[2]), parameters, parameters

    def add(sums: Matrix, first: int, last: int) -> None:
        own, size, found = groups.of(first, last)
        at = (own[:, :, None] * parameters + own[:, None, :]).ravel()
        transposed = found[0][:, :size].transpose(0, 2, 1)
        for k, other in enumerate(found):
            here = transposed @ other[:, :size]
            sums[k] += np.bincount(at, here.ravel(), parameters**2).reshape(parameters, parameters)

    found = np.asarray(sum(groups.added(add, lambda: np.zeros(shape))))
    return found[[0, -1]]


def _interaction(
    battles: Battles, fit: BattleFit, clusters: NDArray[np.intp], squares: Matrix, products: Matrix
) -> float:
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
    scores = _scores(battles, r, clusters, int(clusters.max()) + 1, m)
    found = float(np.sum(scores**2) - 2 * np.sum(r**2))
    taken = float(np.sum(inverse * products) - 2 * np.sum(fit.variances * q * spread))
    return max((found + fit.dispersion * taken) / below, 0.0)


def influence_rows(battles: Battles, fit: BattleFit, clusters: NDArray[np.intp]) -> Matrix:
    """``U_c`` (2), G × P: what each group adds to the error of the strengths, and of the coefficients."""
    groups, m = int(clusters.max()) + 1, len(fit.theta)
    scores = _scores(battles, fit.residuals, clusters, groups, m)
    found = np.asarray(scores @ fit.bread[:m])
    if len(fit.design):
        found += _of_covariates(fit, clusters, groups) @ fit.bread[m:]
    return found


def _of_covariates(fit: BattleFit, clusters: NDArray[np.intp], groups: int) -> Matrix:
    """``Σ r x`` of the groups, G × K."""
    return np.stack([np.bincount(clusters, fit.residuals * x, groups) for x in fit.design], axis=1)


def clustered(
    battles: Battles, fit: BattleFit, clusters: NDArray[np.intp], counted: bool = True
) -> Clustered:
    """Influence rows by these groups (2), and how many of them stand behind each difference (6)."""
    m, groups = len(fit.theta), int(clusters.max()) + 1
    bread = fit.bread
    if not counted:
        squares = bread.T @ _outer_scores(battles, fit, clusters, groups) @ bread
        endless, own = np.full((m, m), np.inf), np.full(len(bread), np.inf)
        return Clustered(np.empty((0, len(bread))), squares, endless, own, np.zeros(bread.shape), 0.0)
    influences = influence_rows(battles, fit, clusters)
    if battles.draw_prior:  # the drawn battles are of no group, so that the groups' rows do not add up to 0
        influences -= influences.mean(axis=0)
    larger = for_sizes(battles, clusters, m)
    each = _Groups(battles, fit, larger)
    of_groups, products = _products(each, len(bread))
    interaction = _interaction(battles, fit, larger, of_groups, products)
    # The two factors of the working model (5): of a battle's own noise, and of its group's.
    repeated = float(np.sum(fit.information**2) / np.sum(fit.variances))
    single = max(fit.dispersion - 2 * interaction * repeated, LEAST_SHARE * fit.dispersion)
    pooled = bread.T @ (single * fit.total + interaction * of_groups) @ bread
    squared, own_squared = _squared_variances(each, bread, single, interaction)
    sizes = np.maximum(of_pairs(pooled, m) ** 2 / np.where(squared > 0, squared, np.inf), 2.0)
    own_sizes = np.maximum(np.diag(pooled) ** 2 / np.where(own_squared > 0, own_squared, np.inf), 1.0)
    return Clustered(influences, influences.T @ influences, sizes, own_sizes, pooled, interaction)


def _outer_scores(battles: Battles, fit: BattleFit, clusters: NDArray[np.intp], groups: int) -> Matrix:
    """``Σ_c s_c s_cᵀ``, P × P, of many groups with few battles each."""
    from scipy.sparse import csr_array

    m = len(fit.theta)
    places = np.concatenate([clusters, clusters]), np.concatenate([battles.first, battles.second])
    of_systems = csr_array((np.concatenate([fit.residuals, -fit.residuals]), places), shape=(groups, m))
    found = np.empty(fit.bread.shape)
    found[:m, :m] = (of_systems.T @ of_systems).toarray()
    if len(fit.design):
        more = _of_covariates(fit, clusters, groups)
        found[:m, m:] = of_systems.T @ more
        found[m:, :m], found[m:, m:] = found[:m, m:].T, more.T @ more
    return found


def _squared_variances(groups: _Groups, bread: Matrix, single: float, shared: float) -> tuple[Matrix, Vector]:
    """``Σ_c v_c²`` with ``v_c(a) = aᵀ H⁺ Ω_c H⁺ a`` (6), of all pairs and of each parameter. O(G·m³)."""
    m, kind = groups.systems, groups.kind
    rough: NDArray[Any] = bread.astype(kind)

    def add(sums: tuple[Any, Any], first: int, last: int) -> None:
        own, size, found = groups.of(first, last)
        met = rough[own]
        through, by_battle = found[0] @ met, kind(single) * met
        by_prompt = kind(shared) * through[:, :size]
        if len(found) == 1:  # one product in the place of two
            by_battle[:, :size] += by_prompt
            variance = by_battle.transpose(0, 2, 1) @ through
        else:
            variance = by_battle.transpose(0, 2, 1) @ (found[1] @ met)
            variance += by_prompt.transpose(0, 2, 1) @ through[:, :size]
        each = np.diagonal(variance, axis1=1, axis2=2).copy()
        sums[1][:] += np.sum(each.astype(np.float64) ** 2, axis=0)
        variance = variance[:, :m, :m]
        variance *= -2
        variance += each[:, :m, None]
        variance += each[:, None, :m]
        variance *= variance
        sums[0][:] += variance.sum(axis=0)

    parts = groups.added(add, lambda: (np.zeros((m, m), dtype=kind), np.zeros(len(bread))))
    squared, own_squared = (sum(one.astype(np.float64) for one in sums) for sums in zip(*parts, strict=True))
    return np.asarray(squared), np.asarray(own_squared)


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


def _work(battles: Battles, clusters: NDArray[np.intp], m: int) -> float:
    """Systems² × (systems of all groups + :data:`DENSE` × systems): what sizes and strengths cost."""
    cells = min(2 * len(clusters), (int(clusters.max()) + 1) * m)  # at most; counted where these are too many
    if float(cells + DENSE * m) * m**2 > MOST_WORK:
        there = clusters.astype(np.int64) * m
        cells = len(np.unique(np.concatenate([there + battles.first, there + battles.second])))
    return float(cells + DENSE * m) * m**2


def for_sizes(battles: Battles, clusters: NDArray[np.intp], m: int) -> NDArray[np.intp]:
    """The groups that sizes (6) count; merged, as if they were dealt, where all would take minutes."""
    if _work(battles, clusters, m) <= MOST_WORK:
        return clusters
    return clusters % min(int(clusters.max()) + 1, max(FEWEST_GROUPS, int(MOST_WORK / 2 / m**3)))


def refuse_large(battles: Battles, m: int, where: str) -> None:
    """Refuse battles of so many systems that their errors would take minutes."""
    ways = [way for way in (battles.clusters, battles.voters) if way is not None]
    if all(_work(battles, for_sizes(battles, way, m), m) <= MOST_WORK for way in ways):
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


def _scores(battles: Battles, residuals: Vector, clusters: NDArray[np.intp], groups: int, m: int) -> Matrix:
    """``s_c``, G × m: the residuals of each group, by system."""
    flat = np.bincount(clusters * m + battles.first, residuals, groups * m)
    flat -= np.bincount(clusters * m + battles.second, residuals, groups * m)
    return np.asarray(flat.reshape(groups, m), dtype=np.float64)


def of_pairs(form: Matrix, m: int) -> Matrix:
    """``(e_i − e_j)ᵀ form (e_i − e_j)`` of all pairs of the first m parameters."""
    return of_contrasts(form[:m, :m])


@dataclass(frozen=True, eq=False)
class BattleFit:
    """The fit of N battles of m systems with K covariates; P = m + K."""

    theta: Vector  # m strengths, which add up to 0
    coefficients: Vector  # K, of the covariates in units of their root mean squares
    design: Matrix  # K × N, the covariates in these units
    inverse: Matrix  # P × P, the pseudo-inverse H⁺ of the information; with drawn battles added, its inverse
    bread: Matrix  # P × P, from a sum of residuals to its influence: H⁺, less the row means of the strengths
    residuals: Vector  # N, r = w(y − p)
    information: Vector  # N, q = w p(1 − p)
    variances: Vector  # N, w q, the variance of a residual but for the dispersion
    total: Matrix  # P × P, Σ w q d̃ d̃ᵀ; d̃ has d and the covariates
    dispersion: float  # φ, the variance of an outcome over that of the model; ties make it small


@dataclass(frozen=True, eq=False)
class Played:
    """What battles say beside the strengths."""

    fit: BattleFit
    interaction: float  # σ² (4) of the units, in logits
    by_voter: float | None  # that of voters beside prompts
    scales: Vector  # K, root mean squares of the covariates: the units of the coefficients
    rows: Matrix  # G × K, influence rows of the coefficients, with K errors and degrees of freedom
    errors: Vector
    degrees: Vector


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

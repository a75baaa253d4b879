"""Strengths from battles of two systems each, by Bradley and Terry; a prompt, or a voter, is the unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.errors import InputError
from truerank.reliability.means.means import Known, Means
from truerank.scores import Battles

PRIOR_DEGREES = 4.0
"""What the pooled variance counts beside a pair's own."""

LEAST_SHARE = 0.1
"""The least share of the dispersion that stays with single battles where prompts explain the rest."""

EXACT = 10_000_000
"""Groups × systems² up to which sizes are worked out to all digits."""

MOST_CELLS = 20_000
"""Cells of prompt and voter beyond which theirs are too many for a correction of small samples to matter."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The fit of all battles.

    Attributes:
        theta: m strengths, which add up to 0.
        inverse: m × m, the pseudo-inverse H⁺ of the information.
        residuals: N, the outcome less its probability.
        information: N, ``q = p(1 − p)``.
        dispersion: φ, the variance of an outcome over that of the model; ties make it small.
    """

    theta: Vector
    inverse: Matrix
    residuals: Vector
    information: Vector
    dispersion: float


@dataclass(frozen=True, eq=False)
class Clustered:
    """What one way to group the battles says of the errors.

    Attributes:
        influences: G × m, one row per group.
        squares: m × m, ``Σ_c U_c U_cᵀ``.
        sizes: m × m, ``n_ij``, 2 at least: groups behind the difference of i and j.
        own_sizes: m, the same of each system, 1 at least.
        pooled: m × m, the covariance under the working model.
    """

    influences: Matrix
    squares: Matrix
    sizes: Matrix
    own_sizes: Vector
    pooled: Matrix


def strengths(wins: Matrix) -> Vector:
    """The strengths that make the wins likeliest, by Newton's method. O(m³) a step, a handful of them.

    Example:
        >>> strengths(np.array([[0, 3], [1, 0]])).round(4).tolist()  # half the logit of 3/4
        [0.5493, -0.5493]
    """
    m = len(wins)
    met = wins + wins.T
    theta = np.zeros(m)
    likelihood = _likelihood(wins, theta)
    for _ in range(200):
        p = _probabilities(theta)
        gradient = np.sum(wins - met * p, axis=1)
        step = np.linalg.solve(_information(met * p * (1 - p)) + 1 / m, gradient)
        scale = 1.0
        while scale > 1e-8:
            tried = theta + scale * step
            found = _likelihood(wins, tried)
            if found >= likelihood - 1e-12 * abs(likelihood):
                break
            scale /= 2
        theta, likelihood = tried - tried.mean(), found
        if np.abs(scale * step).max() <= 1e-12 * (1 + np.abs(theta).max()):
            break
    return theta


def win_rates(theta: Vector) -> Vector:
    """The chance of each system to beat another of these, drawn at random.

    Example:
        >>> from truerank.reliability.means.bradley_terry import win_rates
        >>> win_rates(np.array([0.0, 0.0, 0.0])).tolist()
        [0.5, 0.5, 0.5]
    """
    return (_probabilities(theta).sum(axis=1) - 0.5) / max(len(theta) - 1, 1)


def win_table(battles: Battles, m: int) -> Matrix:
    """Wins of the row over the column, m × m; a tie is half a win of each."""
    a, b, y = battles.first, battles.second, battles.outcomes
    table = np.bincount(a * m + b, y, m * m) + np.bincount(b * m + a, 1 - y, m * m)
    return table.reshape(m, m).astype(np.float64)


def refuse_unconnected(wins: Matrix, systems: Sequence[str], where: str) -> None:
    """Refuse battles that leave some strengths infinite."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    took = csr_array((wins > 0).astype(np.float64))
    count, labels = connected_components(took, directed=True, connection="strong")
    if count == 1:
        return
    sizes = np.bincount(labels)
    takes, gives = np.zeros(count, bool), np.zeros(count, bool)
    winner, loser = np.nonzero((wins > 0) & (labels[:, None] != labels[None, :]))
    takes[labels[winner]] = True
    gives[labels[loser]] = True
    # Of the groups that took nothing, or gave nothing, the smallest is the easiest to do something about.
    ends = np.flatnonzero(~takes | ~gives)
    group = int(ends[np.argmin(sizes[ends])])
    inside = some([repr(systems[s]) for s in np.flatnonzero(labels == group).tolist()], 4)
    others = some([repr(systems[s]) for s in np.flatnonzero(labels != group).tolist()], 4)
    if not takes[group] and not gives[group]:
        what = f"{inside} never met {others}"
    elif not takes[group]:
        what = f"{inside} took nothing, not even a tie, from {others}"
    else:
        what = f"{inside} gave nothing, not even a tie, to {others}"
    raise InputError(
        f"{where}{what}, so no finite strengths separate them; add battles between them, or leave out "
        "those of one group"
    )


def bradley_terry(battles: Battles, systems: Sequence[str], where: str = "") -> Means:
    """Strengths with an influence row a prompt (or voter, or battle). O(N + G·m³) at most.

    Example:
        >>> played = Battles.build([0, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 0], [1, 0.5, 0, 1, 1, 0.5],
        ...     [0, 0, 1, 1, 2, 2])
        >>> bradley_terry(played, ["a", "b"]).theta.round(3).tolist()  # a won 4 of 6
        [0.347, -0.347]
    """
    m = len(systems)
    wins = win_table(battles, m)
    refuse_unconnected(wins, systems, where)
    _refuse_short(battles, systems, where)
    fit = fitted(battles, wins)
    by_unit = clustered(battles, fit, battles.clusters)
    own, contrasts = np.diag(by_unit.squares), _of_contrasts
    if battles.voters is None:
        pair = _moderated(contrasts(by_unit.squares), by_unit.sizes, contrasts(by_unit.pooled))
        each = _moderated(own, np.maximum(by_unit.own_sizes, 2.0), np.diag(by_unit.pooled))
        own_sizes = by_unit.own_sizes
    else:
        voters = clustered(battles, fit, battles.voters)
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
    deviations, errors = np.sqrt(pair[0]), np.sqrt(each[0])
    np.fill_diagonal(deviations, 0.0)
    groups = len(by_unit.influences)
    return Means(
        theta=fit.theta,
        contrasts=fit.theta,
        influences=by_unit.influences,
        strata=np.zeros(groups, dtype=np.intp),
        factors=np.array([groups / max(groups - 1, 1)]),
        stratum_degrees=np.array([max(groups - 1.0, 1.0)]),
        effective=float(m / np.sum(1 / own_sizes)),
        unit=battles.unit,
        known=Known(deviations, pair[1], errors, each[1]),
    )


def fitted(battles: Battles, wins: Matrix) -> Fit:
    """The strengths, and what they leave: residuals and their dispersion."""
    m, count = len(wins), len(battles.first)
    a, b = battles.first, battles.second
    theta = strengths(wins)
    p = 1 / (1 + np.exp(theta[b] - theta[a]))
    q, r = p * (1 - p), battles.outcomes - p
    met = (wins + wins.T) * _probabilities(theta) * (1 - _probabilities(theta))
    inverse = np.linalg.inv(_information(met) + 1 / m) - 1 / m
    inverse = (inverse + inverse.T) / 2
    dispersion = count / max(count - m + 1, 1) * float(np.sum(r**2) / np.sum(q))
    return Fit(theta, inverse, r, q, dispersion)


def interaction(battles: Battles, fit: Fit, clusters: NDArray[np.intp]) -> float:
    """σ², the variance of a prompt's (voter's) own strengths in logits; 0 from one battle a group."""
    stacked = _stacked(battles, fit.information, clusters, len(fit.theta))
    return _interaction(battles, fit, clusters, (stacked.T @ stacked).toarray())


def _interaction(battles: Battles, fit: Fit, clusters: NDArray[np.intp], second: Matrix) -> float:
    """The same from ``Σ_c H_c²``."""
    q, r, inverse = fit.information, fit.residuals, fit.inverse
    below = float(np.trace(second) - 4 * np.sum(q**2))
    if below <= 1e-9 * float(np.trace(second)):
        return 0.0
    spread = _of_contrasts(inverse)[battles.first, battles.second]
    scores = _scores(battles, r, clusters, int(clusters.max()) + 1, len(second))
    products = float(np.sum(scores**2) - 2 * np.sum(r**2))
    bias = fit.dispersion * float(np.sum(inverse * second) - 2 * np.sum(q**2 * spread))
    return max((products + bias) / below, 0.0)


def clustered(battles: Battles, fit: Fit, clusters: NDArray[np.intp], counted: bool = True) -> Clustered:
    """Influence rows by these groups, and how many of them stand behind each difference."""
    m, groups = len(fit.theta), int(clusters.max()) + 1
    q, inverse = fit.information, fit.inverse
    if not counted:
        from scipy.sparse import csr_array

        places = np.concatenate([clusters, clusters]), np.concatenate([battles.first, battles.second])
        sparse = csr_array((np.concatenate([fit.residuals, -fit.residuals]), places), shape=(groups, m))
        squares = inverse @ (sparse.T @ sparse).toarray() @ inverse
        endless = np.full((m, m), np.inf)
        return Clustered(np.empty((0, m)), squares, endless, endless[0], np.zeros((m, m)))
    influences = _scores(battles, fit.residuals, clusters, groups, m) @ inverse
    stacked = _stacked(battles, q, clusters, m)
    second = (stacked.T @ stacked).toarray()
    shared = _interaction(battles, fit, clusters, second)
    single = max(fit.dispersion - 2 * shared * float(np.sum(q**2) / np.sum(q)), LEAST_SHARE * fit.dispersion)
    pooled = single * inverse + shared * inverse @ second @ inverse
    squared, own_squared = np.zeros((m, m)), np.zeros(m)
    # Sizes need no more than a few digits where there are many of them.
    kind: type = np.float32 if groups * m**2 > EXACT else np.float64
    rough: NDArray[Any] = inverse.astype(kind)
    stacked = stacked.astype(kind)
    for start in range(0, groups * m, m):
        block = stacked[start : start + m]
        met = np.flatnonzero(np.diff(block.indptr))
        through = block[met] @ rough
        part = (kind(single) * rough[:, met] + kind(shared) * through.T) @ through
        own = np.diag(part).copy()
        own_squared += own**2
        part *= -2
        part += own[:, None]
        part += own[None, :]
        part *= part
        squared += part
    sizes = np.maximum(_of_contrasts(pooled) ** 2 / np.where(squared > 0, squared, np.inf), 2.0)
    own_sizes = np.maximum(np.diag(pooled) ** 2 / np.where(own_squared > 0, own_squared, np.inf), 1.0)
    return Clustered(influences, influences.T @ influences, sizes, own_sizes, pooled)


Values = NDArray[np.float64]


def _moderated(squares: Values, sizes: Values, pooled: Values) -> tuple[Values, Values]:
    """Variances drawn towards the pooled ones, and their degrees of freedom."""
    degrees = sizes - 1
    own = sizes / degrees * squares
    return (degrees * own + PRIOR_DEGREES * pooled) / (degrees + PRIOR_DEGREES), degrees + PRIOR_DEGREES


def _two_way(squares: Sequence[Values], sizes: Sequence[Values]) -> tuple[Values, Values]:
    """Variances by prompts and by voters together (Cameron, Gelbach and Miller 2011), and their degrees."""
    prompts, voters, cells = (v / (1 - 1 / n) for v, n in zip(squares, sizes, strict=True))
    found = np.maximum(np.maximum(prompts, voters), prompts + voters - cells)
    return found, np.minimum(sizes[0], sizes[1]) - 1


def _refuse_short(battles: Battles, systems: Sequence[str], where: str) -> None:
    """Refuse systems with battles on fewer than two prompts."""
    m = len(systems)
    pairs = np.unique(
        np.concatenate([battles.clusters * m + battles.first, battles.clusters * m + battles.second])
    )
    counts = np.bincount(pairs % m, minlength=m)
    short = np.flatnonzero(counts < 2)
    if len(short):
        names = some([repr(systems[s]) for s in short.tolist()], 4)
        raise InputError(
            f"{where}{names} {'have' if len(short) > 1 else 'has'} battles on fewer than two "
            f"{battles.unit}s; leave {'them' if len(short) > 1 else 'it'} out, or add battles"
        )


def _scores(battles: Battles, residuals: Vector, clusters: NDArray[np.intp], groups: int, m: int) -> Matrix:
    """``s_c``, G × m: the residuals of each group, by system."""
    flat = np.bincount(clusters * m + battles.first, residuals, groups * m)
    flat -= np.bincount(clusters * m + battles.second, residuals, groups * m)
    return np.asarray(flat.reshape(groups, m), dtype=np.float64)


def _stacked(battles: Battles, q: Vector, clusters: NDArray[np.intp], m: int) -> Any:
    """``H_c = Σ q d dᵀ`` of the groups one below the other, G·m × m and sparse; K with ``Σ_c H_c² = KᵀK``."""
    from scipy.sparse import coo_array

    a, b, start = battles.first, battles.second, clusters * m
    rows = np.concatenate([start + a, start + b, start + a, start + b])
    columns = np.concatenate([a, b, b, a])
    shape = ((int(clusters.max()) + 1) * m, m)
    return coo_array((np.concatenate([q, q, -q, -q]), (rows, columns)), shape=shape).tocsr()


def _probabilities(theta: Vector) -> Matrix:
    from scipy.special import expit

    return np.asarray(expit(theta[:, None] - theta[None, :]))


def _likelihood(wins: Matrix, theta: Vector) -> float:
    return -float(np.sum(wins * np.logaddexp(0, theta[None, :] - theta[:, None])))


def _information(weights: Matrix) -> Matrix:
    """``Σ q d dᵀ`` from the symmetric table of the q of all pairs."""
    return np.diag(weights.sum(axis=1)) - weights


def _of_contrasts(form: Matrix) -> Matrix:
    """``(e_i − e_j)ᵀ form (e_i − e_j)`` of all pairs."""
    diagonal = np.diag(form)
    return np.maximum(diagonal[:, None] + diagonal[None, :] - 2 * form, 0.0)

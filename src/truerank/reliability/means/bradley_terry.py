"""Strengths from battles of two systems each, by Bradley and Terry; a prompt, or a voter, is the unit.

Numbers in parentheses are those of the equations in docs/methods/preferences.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import either, setting
from truerank._support.notes import Note
from truerank._support.resources import in_threads, one_blas_thread
from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.reliability.means.equal_style import (
    at_equal_style,
    design_of,
    information,
)
from truerank.reliability.means.means import Known, Means
from truerank.reliability.means.played import Fit, Played

BRADLEY_TERRY = "bradley-terry"
"""The name of this rule, in the place of an aggregate's."""

USUAL_SPREAD = 0.32
"""Usual standard deviation of the strengths of an arena, in logits (docs/methods/preferences.md)."""

PRIOR_DEGREES = 4.0
"""What the pooled variance counts beside a pair's own."""

LEAST_SHARE = 0.1
"""The least share of the dispersion that stays with single battles where prompts explain the rest."""

EXACT = 10_000_000
"""Groups × systems² up to which sizes are worked out to all digits."""

PARTS = 8
"""Parts of the groups that threads share; their sums are added in order, whoever finishes first."""

TOGETHER = 20_000
"""Rows of several groups that one sparse product takes, for its overhead is that of a group's whole work."""

FEW_EFFECTIVE = 3
"""Effective prompts or voters of a system below which its errors are hardly known where both count."""

NAMED = 2
"""Of such systems that a warning names, those that rest on one prompt or voter most."""

MOST_CELLS = 20_000
"""Cells of prompt and voter beyond which theirs are too many for a correction of small samples to matter."""


@dataclass(frozen=True, eq=False)
class Clustered:
    """What one way to group the battles says of the errors.

    Attributes:
        influences: G × P, one row per group.
        squares: P × P, ``Σ_c U_c U_cᵀ``.
        sizes: m × m, ``n_ij``, 2 at least: groups behind the difference of i and j.
        own_sizes: P, the same of each parameter, 1 at least.
        pooled: P × P, the covariance under the working model.
        interaction: σ² (4), the variance of a group's own strengths; 0 from one battle a group.
    """

    influences: Matrix
    squares: Matrix
    sizes: Matrix
    own_sizes: Vector
    pooled: Matrix
    interaction: float


def strengths(wins: Matrix, draw_prior: float = 0.0) -> Vector:
    """The strengths that make the wins likeliest, by Newton's method. O(m³) a step, a handful of them.

    With a prior the player of strength 0 is none of the m, and strengths do not add up to 0.

    Example:
        >>> strengths(np.array([[0, 3], [1, 0]])).round(4).tolist()  # half the logit of 3/4
        [0.5493, -0.5493]
        >>> strengths(np.array([[0, 3], [0, 0]]), 1.0).round(4).tolist()  # finite, but drawn towards 0
        [1.1707, -1.1707]
    """
    m = len(wins)
    met = wins + wins.T
    theta = np.zeros(m)
    likelihood = _likelihood(wins, theta, draw_prior)
    for _ in range(200):
        p, drawn = _probabilities(theta), _against_average(theta)
        gradient = np.sum(wins - met * p, axis=1) + draw_prior * (0.5 - drawn)
        step = np.linalg.solve(_curvature(met * p * (1 - p), drawn, draw_prior), gradient)
        scale = 1.0
        while scale > 1e-8:
            tried = theta + scale * step
            found = _likelihood(wins, tried, draw_prior)
            if found >= likelihood - 1e-12 * abs(likelihood):
                break
            scale /= 2
        theta, likelihood = tried - (0 if draw_prior else tried.mean()), found
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
    """Wins of the row over the column, m × m, by weight; a tie is half a win of each."""
    a, b, y = battles.first, battles.second, battles.outcomes
    w = _weights(battles)
    table = np.bincount(a * m + b, w * y, m * m) + np.bincount(b * m + a, w * (1 - y), m * m)
    return table.reshape(m, m).astype(np.float64)


def refuse_unconnected(wins: Matrix, systems: Sequence[str], where: str, drawn: bool = True) -> None:
    """Refuse battles that leave some strengths infinite; `drawn`: whether drawn battles would help."""
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
        what = f"{inside} never won or tied against {others}"
    else:
        what = f"{inside} never lost or tied against {others}"
    raise InputError(
        f"{where}{what}, so no finite strengths separate them. Add battles between them, or leave out those "
        f"of one group ({setting('min_battles')} leaves out systems with few battles)"
        + (f". {setting('draw_prior', 1)} adds one drawn battle of each system instead" if drawn else "")
    )


def bradley_terry(
    battles: Battles, systems: Sequence[str], where: str = "", units: Sequence[str] = ()
) -> Means:
    """Strengths with an influence row a prompt (or voter, or battle). O(N + G·m³) at most.

    Example:
        >>> played = Battles.build([0, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 0], [1, 0.5, 0, 1, 1, 0.5],
        ...     [0, 0, 1, 1, 2, 2])
        >>> bradley_terry(played, ["a", "b"]).theta.round(3).tolist()  # a won 4 of 6
        [0.347, -0.347]
    """
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
    """Refuse battles that leave some strengths infinite, or their errors unknown."""
    refuse_short(battles, systems, where)
    if not battles.draw_prior:
        refuse_unconnected(wins, systems, where)


def likeliest(
    battles: Battles,
    wins: Matrix,
    where: str = "",
    start: Fit | None = None,
    pair: tuple[int, int] | None = None,
) -> tuple[Vector, Vector]:
    """Strengths, and coefficients of the covariates where there are some; see :func:`at_equal_style`."""
    if battles.covariates is None:
        return strengths(wins, battles.draw_prior), np.empty(0)
    begun = (strengths(wins, battles.draw_prior), np.zeros(len(battles.covariates.names)))
    if start is not None:
        begun = start.theta, start.coefficients
    return at_equal_style(battles, len(wins), begun, where, pair)


def fitted(battles: Battles, wins: Matrix, where: str = "") -> Fit:
    """The strengths (1), and what they leave: residuals and their dispersion (3)."""
    m, count = len(wins), len(battles.first)
    a, b, w = battles.first, battles.second, _weights(battles)
    theta, coefficients = likeliest(battles, wins, where)
    x = design_of(battles)
    parameters = m + x.shape[1]
    p = 1 / (1 + np.exp(theta[b] - theta[a] - x @ coefficients))
    q, r = w * p * (1 - p), w * (battles.outcomes - p)
    curvature = information(battles, q, x, m)
    drawn = _against_average(theta)
    curvature[:m, :m] += battles.draw_prior * np.diag(drawn * (1 - drawn)) if battles.draw_prior else 1 / m
    inverse = np.linalg.inv(curvature)
    if not battles.draw_prior:
        inverse[:m, :m] -= 1 / m
    inverse = (inverse + inverse.T) / 2
    bread = inverse.copy()
    if battles.draw_prior:
        bread[:, :m] -= inverse[:, :m].mean(axis=1, keepdims=True)
    dispersion = count / max(count - parameters + 1, 1) * float(np.sum(r**2) / np.sum(w * q))
    return Fit(theta - theta.mean(), coefficients, x, inverse, bread, r, q, w * q, dispersion)


@dataclass(frozen=True, eq=False)
class _Informations:
    """``M_c = Σ q d d̃ᵀ`` of the groups, and sums of products; d̃ has d and the K covariates.

    Attributes:
        each: the columns of systems of ``M_c`` one below the other, G·m × m and sparse.
        across: the columns of covariates, G·m × K.
        own: ``Σ q x xᵀ``, G × K × K.
        weighted: the same three with ``w q`` in the place of q; the same where all battles count alike.
        squares: P × P, ``Σ_c M_cᵀ M_c``.
        products: P × P, ``Σ_c M_cᵀ M^w_c``.
        total: P × P, ``Σ w q d̃ d̃ᵀ``.
    """

    each: Any
    across: NDArray[np.float64]
    own: NDArray[np.float64]
    weighted: tuple[Any, NDArray[np.float64], NDArray[np.float64]]
    squares: Matrix
    products: Matrix
    total: Matrix

    @classmethod
    def of(cls, battles: Battles, fit: Fit, clusters: NDArray[np.intp]) -> _Informations:
        m = len(fit.theta)
        each = weighted = _stacked(battles, fit.information, clusters, fit.design, m)
        squares = products = _products(each, each)
        if battles.weights is not None:
            weighted = _stacked(battles, fit.variances, clusters, fit.design, m)
            products = _products(each, weighted)
        total = information(battles, fit.variances, fit.design, m)
        return cls(*each, weighted, squares, products, total)


def _products(one: tuple[Any, Any, Any], other: tuple[Any, Any, Any]) -> Matrix:
    """``Σ_c M_cᵀ N_c``, P × P."""
    a, b = one[1], other[1]
    m, extra = one[0].shape[1], a.shape[1]
    found = np.empty((m + extra, m + extra))
    found[:m, :m] = (one[0].T @ other[0]).toarray()
    found[:m, m:], found[m:, :m] = one[0].T @ b, (other[0].T @ a).T
    found[m:, m:] = a.T @ b
    return found


def _interaction(battles: Battles, fit: Fit, clusters: NDArray[np.intp], found: _Informations) -> float:
    """σ² (4): products of residuals of different battles of a group, less what the fit puts into them."""
    q, r, m = fit.information, fit.residuals, len(fit.theta)
    squares = float(np.trace(found.squares[:m, :m]))
    below = squares - 4 * float(np.sum(q**2))
    if below <= 1e-9 * squares:
        return 0.0
    inverse, x = fit.inverse, fit.design
    spread = of_pairs(inverse, m)[battles.first, battles.second]
    across = inverse[:m, m:]
    spread += np.sum((2 * (across[battles.first] - across[battles.second]) + x @ inverse[m:, m:]) * x, axis=1)
    scores = _scores(battles, r, clusters, int(clusters.max()) + 1, m)
    products = float(np.sum(scores**2) - 2 * np.sum(r**2))
    taken = float(np.sum(inverse * found.products) - 2 * np.sum(fit.variances * q * spread))
    return max((products + fit.dispersion * taken) / below, 0.0)


def influence_rows(battles: Battles, fit: Fit, clusters: NDArray[np.intp]) -> Matrix:
    """``U_c`` (2), G × P: what each group adds to the error of the strengths, and of the coefficients."""
    groups, m = int(clusters.max()) + 1, len(fit.theta)
    scores = _scores(battles, fit.residuals, clusters, groups, m)
    found = np.asarray(scores @ fit.bread[:m])
    if fit.design.shape[1]:
        found += _of_covariates(fit, clusters, groups) @ fit.bread[m:]
    return found


def _of_covariates(fit: Fit, clusters: NDArray[np.intp], groups: int) -> Matrix:
    """``Σ r x`` of the groups, G × K."""
    return np.stack([np.bincount(clusters, fit.residuals * x, groups) for x in fit.design.T], axis=1)


def clustered(battles: Battles, fit: Fit, clusters: NDArray[np.intp], counted: bool = True) -> Clustered:
    """Influence rows by these groups (2), and how many of them stand behind each difference (6)."""
    m, groups = len(fit.theta), int(clusters.max()) + 1
    bread = fit.bread
    if not counted:
        squares = bread.T @ _outer_scores(battles, fit, clusters, groups) @ bread
        endless = np.full((m, m), np.inf)
        return Clustered(
            np.empty((0, len(bread))),
            squares,
            endless,
            np.full(len(bread), np.inf),
            np.zeros(bread.shape),
            0.0,
        )
    influences = influence_rows(battles, fit, clusters)
    if battles.draw_prior:  # the drawn battles are of no group, so that the groups' rows do not add up to 0
        influences -= influences.mean(axis=0)
    found = _Informations.of(battles, fit, clusters)
    interaction = _interaction(battles, fit, clusters, found)
    single, shared = _working(battles, fit, interaction)
    pooled = bread.T @ (single * found.total + shared * found.squares) @ bread
    squared, own_squared = _squared_variances(found, groups, bread, single, shared)
    sizes = np.maximum(of_pairs(pooled, m) ** 2 / np.where(squared > 0, squared, np.inf), 2.0)
    own_sizes = np.maximum(np.diag(pooled) ** 2 / np.where(own_squared > 0, own_squared, np.inf), 1.0)
    return Clustered(influences, influences.T @ influences, sizes, own_sizes, pooled, interaction)


def _outer_scores(battles: Battles, fit: Fit, clusters: NDArray[np.intp], groups: int) -> Matrix:
    """``Σ_c s_c s_cᵀ``, P × P, of many groups with few battles each."""
    from scipy.sparse import csr_array

    m = len(fit.theta)
    places = np.concatenate([clusters, clusters]), np.concatenate([battles.first, battles.second])
    of_systems = csr_array((np.concatenate([fit.residuals, -fit.residuals]), places), shape=(groups, m))
    found = np.empty(fit.bread.shape)
    found[:m, :m] = (of_systems.T @ of_systems).toarray()
    if fit.design.shape[1]:
        more = _of_covariates(fit, clusters, groups)
        found[:m, m:] = of_systems.T @ more
        found[m:, :m], found[m:, m:] = found[:m, m:].T, more.T @ more
    return found


def _working(battles: Battles, fit: Fit, shared: float) -> tuple[float, float]:
    """The two factors of the working model ``Ω_c`` (5): of a battle's own noise, and of its group's."""
    repeated = float(np.sum(fit.information**2) / np.sum(fit.variances))
    return max(fit.dispersion - 2 * shared * repeated, LEAST_SHARE * fit.dispersion), shared


def _squared_variances(
    found: _Informations, groups: int, bread: Matrix, single: float, shared: float
) -> tuple[Matrix, Vector]:
    """``Σ_c v_c²`` with ``v_c(a) = aᵀ H⁺ Ω_c H⁺ a`` (6), of all pairs and of each parameter. O(G·m³)."""
    m = found.each.shape[1]
    # Sizes need no more than a few digits where there are many of them.
    many = groups * m**2 > EXACT
    kind: type = np.float32 if many else np.float64
    rough: NDArray[Any] = bread.astype(kind)
    systems, covariates = rough[:m], rough[m:]
    each = found.each.astype(kind)
    across: NDArray[Any] = found.across.astype(kind)
    same = found.weighted[0] is found.each
    weighted = each if same else found.weighted[0].astype(kind)
    weighted_across: NDArray[Any] = found.weighted[1].astype(kind)
    weighted_own: NDArray[Any] = found.weighted[2].astype(kind)
    ends = np.linspace(0, groups, (PARTS if many else 1) + 1).astype(int)
    squared: list[Any] = [np.zeros((m, m), dtype=kind) for _ in ends[1:]]
    own_squared = [np.zeros(len(bread)) for _ in ends[1:]]
    step = max(TOGETHER // m, 1)

    def work(part: int) -> None:
        for first in range(ends[part], ends[part + 1], step):
            last = min(first + step, ends[part + 1])
            rows = slice(first * m, last * m)
            there = np.flatnonzero(np.diff(each.indptr[first * m : last * m + 1]))
            throughs = each[rows][there] @ systems
            agains = throughs if same else weighted[rows][there] @ systems
            of_groups = np.split(np.arange(len(there)), np.searchsorted(there // m, range(1, last - first)))
            for c, own_rows in enumerate(of_groups, first):
                own_systems, through, again = there[own_rows] % m, throughs[own_rows], agains[own_rows]
                met = rough[own_systems]
                if len(covariates):
                    through = through + across[c * m + own_systems] @ covariates
                    again = through if same else again + weighted_across[c * m + own_systems] @ covariates
                variance = (kind(single) * met.T) @ again + (kind(shared) * through.T) @ through
                if len(covariates):
                    beside = weighted_across[c * m : (c + 1) * m].T @ systems + weighted_own[c] @ covariates
                    variance += (kind(single) * covariates.T) @ beside
                own = np.diag(variance).copy()
                own_squared[part] += own**2
                variance = variance[:m, :m]
                variance *= -2
                variance += own[:m, None]
                variance += own[None, :m]
                variance *= variance
                squared[part] += variance

    with one_blas_thread():
        in_threads(work, range(len(squared)))
    return np.asarray(sum(one.astype(np.float64) for one in squared)), np.asarray(sum(own_squared))


Values = NDArray[np.float64]


def moderated(squares: Values, sizes: Values, pooled: Values) -> tuple[Values, Values]:
    """Variances drawn towards the pooled ones (7), and their degrees of freedom."""
    degrees = sizes - 1
    own = sizes / degrees * squares
    return (degrees * own + PRIOR_DEGREES * pooled) / (degrees + PRIOR_DEGREES), degrees + PRIOR_DEGREES


def _two_way(squares: Sequence[Values], sizes: Sequence[Values]) -> tuple[Values, Values]:
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
    several = len(few) > 1
    largest = sorted((_largest(s, battles, units) for s in few), key=lambda one: -one.share)
    named = [f"{systems[one.system]!r} has {one}" for one in largest[:NAMED]]
    rest = (
        f"{len(few)} of {len(systems)} systems {'rest' if several else 'rests'} on fewer than "
        f"{FEW_EFFECTIVE} effective prompts or voters, so that "
        f"{'their intervals are' if several else 'its interval is'} wide. {'; '.join(named)}. "
        f"Add battles on other prompts, or count prompts alone: {_ignoring()} with the column of voters"
    )
    return (Note("few-prompts", rest, systems=tuple(systems[s] for s in few)),)


class _Largest(NamedTuple):
    """The prompt or voter with the most battles of a system."""

    system: int
    battles: int
    of: int
    where: str

    @property
    def share(self) -> float:
        return self.battles / self.of

    def __str__(self) -> str:
        return f"{self.battles:,} of its {self.of:,} battles {self.where}"


def _largest(s: int, battles: Battles, units: Sequence[str]) -> _Largest:
    own = (battles.first == s) | (battles.second == s)
    ways = [(battles.clusters, units, "on", battles.unit)]
    if battles.voters is not None:
        ways.append((battles.voters, battles.voter_names, "by", "voter"))
    found = []
    for groups, names, word, unit in ways:
        counts = np.bincount(groups[own])
        k = int(counts.argmax())
        called = f"{unit} {names[k]!r}" if names else f"one {unit}"
        found.append(_Largest(s, int(counts[k]), int(own.sum()), f"{word} {called}"))
    return max(found, key=lambda one: one.battles)


def _ignoring() -> str:
    return either("ignore_columns=[…]", "--ignore-column")


def refuse_short(battles: Battles, systems: Sequence[str], where: str) -> None:
    """Refuse systems with battles on fewer than two prompts."""
    m = len(systems)
    there = np.zeros((int(battles.clusters.max()) + 1, m), dtype=bool)
    there[battles.clusters, battles.first] = there[battles.clusters, battles.second] = True
    counts = there.sum(axis=0)
    short = np.flatnonzero(counts < 2)
    if len(short):
        names = some([repr(systems[s]) for s in short.tolist()], 4)
        played = np.bincount(np.concatenate([battles.first, battles.second]), minlength=m)
        most = int(played[short].max())
        raise InputError(
            f"{where}{names} {'have' if len(short) > 1 else 'has'} battles on fewer than two "
            f"{battles.unit}s; leave {'them' if len(short) > 1 else 'it'} out "
            f"({setting('min_battles', most + 1)} does), or add battles"
        )


def _scores(battles: Battles, residuals: Vector, clusters: NDArray[np.intp], groups: int, m: int) -> Matrix:
    """``s_c``, G × m: the residuals of each group, by system."""
    flat = np.bincount(clusters * m + battles.first, residuals, groups * m)
    flat -= np.bincount(clusters * m + battles.second, residuals, groups * m)
    return np.asarray(flat.reshape(groups, m), dtype=np.float64)


def _stacked(
    battles: Battles, q: Vector, clusters: NDArray[np.intp], design: Matrix, m: int
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """``Σ q d dᵀ`` of the groups one below the other, G·m × m and sparse; ``Σ q d xᵀ`` and ``Σ q x xᵀ``."""
    from scipy.sparse import coo_array

    a, b, start = battles.first, battles.second, clusters * m
    rows = np.concatenate([start + a, start + b, start + a, start + b])
    columns = np.concatenate([a, b, b, a])
    groups, extra = int(clusters.max()) + 1, design.shape[1]
    shape = (groups * m, m)
    of_systems = coo_array((np.concatenate([q, q, -q, -q]), (rows, columns)), shape=shape).tocsr()
    across, own = np.empty((groups * m, extra)), np.empty((groups, extra, extra))
    for k, x in enumerate(design.T):
        values = q * x
        across[:, k] = np.bincount(start + a, values, groups * m) - np.bincount(start + b, values, groups * m)
        for j in range(k + 1):
            own[:, k, j] = own[:, j, k] = np.bincount(clusters, values * design[:, j], groups)
    return of_systems, across, own


def _weights(battles: Battles) -> Vector:
    """What each battle counts."""
    return np.ones(len(battles.first)) if battles.weights is None else battles.weights


def _probabilities(theta: Vector) -> Matrix:
    """``p`` (1) of all pairs."""
    from truerank.numerics.special import expit

    return np.asarray(expit(theta[:, None] - theta[None, :]))


def _against_average(theta: Vector) -> Vector:
    """``p₀``, the chance against a player of strength 0."""
    return 1 / (1 + np.exp(-theta))


def _likelihood(wins: Matrix, theta: Vector, draw_prior: float) -> float:
    drawn = draw_prior * float(np.sum(theta / 2 - np.logaddexp(0, theta)))
    return drawn - float(np.sum(wins * np.logaddexp(0, theta[None, :] - theta[:, None])))


def _curvature(weights: Matrix, drawn: Vector, draw_prior: float) -> Matrix:
    """H, made invertible: by the drawn battles, or by a constant over its null direction."""
    found = np.diag(weights.sum(axis=1)) - weights
    return found + (draw_prior * np.diag(drawn * (1 - drawn)) if draw_prior else 1 / len(weights))


def of_pairs(form: Matrix, m: int) -> Matrix:
    """``(e_i − e_j)ᵀ form (e_i − e_j)`` of all pairs of the first m parameters."""
    return of_contrasts(form[:m, :m])


def of_contrasts(form: Matrix) -> Matrix:
    """``(e_i − e_j)ᵀ form (e_i − e_j)`` of all pairs."""
    diagonal = np.diag(form)
    return np.maximum(diagonal[:, None] + diagonal[None, :] - 2 * form, 0.0)

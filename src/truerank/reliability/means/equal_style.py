"""Strengths at equal style: fitted together with what else decides battles, such as the length of answers.

Numbers in parentheses are those of the equations in docs/methods/equal-style.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.battles import Battles
from truerank.errors import InputError

STEPS = 60  # newton steps beyond which coefficients grow without end
# Share of a covariate's squares, beyond strengths and the other covariates, below which nothing is left.
NOTHING_LEFT = 1e-8


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

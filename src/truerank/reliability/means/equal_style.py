"""Strengths at equal style: fitted together with what else decides battles, such as the length of answers.

Numbers in parentheses are those of the equations in docs/methods/equal-style.md.
"""

from __future__ import annotations

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.battles import Battles
from truerank.errors import InputError

STEPS = 60
"""Newton steps beyond which coefficients grow without end."""

NOTHING_LEFT = 1e-8
"""Share of a covariate's squares, beyond strengths and the other covariates, below which nothing is left."""


def design_of(battles: Battles) -> Matrix:
    """The covariates in units of their root mean squares, N × K; N × 0 without."""
    found = battles.covariates
    return np.empty((len(battles.first), 0)) if found is None else found.values / found.scales


def at_equal_style(
    battles: Battles,
    m: int,
    start: tuple[Vector, Vector] | None = None,
    where: str = "",
    pair: tuple[int, int] | None = None,
) -> tuple[Vector, Vector]:
    """Strengths and coefficients (1) that make the outcomes likeliest, by Newton's method. O(N·K + m³).

    Args:
        battles: with covariates.
        m: how many systems.
        start: strengths and coefficients to begin at.
        where: the file, for messages.
        pair: two systems, where no more than their order is asked for.

    Returns:
        m strengths, which add up to 0 unless battles are drawn with a player of strength 0. K coefficients
        of the covariates, in units of their root mean squares.

    Raises:
        InputError: covariates that separate wins from losses, or that strengths or other covariates explain.
    """
    assert battles.covariates is not None
    x, names, drawn = design_of(battles), battles.covariates.names, battles.draw_prior
    theta, beta = (np.zeros(m), np.zeros(len(names))) if start is None else start
    likelihood, p = _likelihood(battles, x, theta, beta)
    for step_number in range(STEPS):
        gradient, curvature = _derivatives(battles, x, p, m)
        p0 = 1 / (1 + np.exp(-theta))
        gradient[:m] += drawn * (0.5 - p0)
        curvature[:m, :m] += np.diag(drawn * p0 * (1 - p0)) if drawn else 1 / m
        if step_number == 0 and pair is None:
            _refuse_explained(curvature, m, names, where)
        try:
            step = np.linalg.solve(curvature, gradient)
        except np.linalg.LinAlgError:
            break
        scale = 1.0
        while scale > 1e-8:
            tried = theta + scale * step[:m], beta + scale * step[m:]
            found, p = _likelihood(battles, x, *tried)
            if found >= likelihood - 1e-12 * abs(likelihood):
                break
            scale /= 2
        theta, beta = tried[0] - (0 if drawn else tried[0].mean()), tried[1]
        likelihood = found
        size = float(np.abs(scale * step).max())
        # The next step is far smaller than this one, so that it turns no larger difference.
        decided = pair is not None and size < 0.1 and abs(theta[pair[0]] - theta[pair[1]]) > size
        if decided or size <= 1e-10 * (1 + np.abs(theta).max()):
            return theta, beta
        if np.abs(beta).max() > STEPS:
            break
    raise _separated(battles, x, beta, names, where)


def _likelihood(battles: Battles, x: Matrix, theta: Vector, beta: Vector) -> tuple[float, Vector]:
    """The log-likelihood, and the chance of the first of each battle."""
    from truerank.numerics.special import expit, log_expit

    logits = theta[battles.first] - theta[battles.second] + x @ beta
    w = 1.0 if battles.weights is None else battles.weights
    # y log p + (1 − y) log(1 − p) = log(1 − p) + y·logit
    found = float(np.sum(w * (log_expit(-logits) + battles.outcomes * logits)))
    if battles.draw_prior:
        found += battles.draw_prior * float(np.sum(theta / 2 - np.logaddexp(0, theta)))
    return found, expit(logits)


def _derivatives(battles: Battles, x: Matrix, p: Vector, m: int) -> tuple[Vector, Matrix]:
    """``Σ r d̃`` and ``Σ q d̃ d̃ᵀ``, m + K numbers and their square; d̃ has d and the covariates."""
    w = 1.0 if battles.weights is None else battles.weights
    r, q = w * (battles.outcomes - p), w * p * (1 - p)
    of_systems = np.bincount(battles.first, r, m) - np.bincount(battles.second, r, m)
    return np.concatenate([of_systems, r @ x]), information(battles, q, x, m)


def information(battles: Battles, q: Vector, x: Matrix, m: int) -> Matrix:
    """``Σ q d̃ d̃ᵀ``."""
    met = np.bincount(battles.first * m + battles.second, q, m * m).reshape(m, m)
    met = met + met.T
    found = np.empty((m + x.shape[1],) * 2)
    found[:m, :m] = np.diag(met.sum(axis=1)) - met
    weighted = q[:, None] * x
    for k, column in enumerate(weighted.T):
        across = np.bincount(battles.first, column, m) - np.bincount(battles.second, column, m)
        found[:m, m + k] = found[m + k, :m] = across
    found[m:, m:] = x.T @ weighted
    return found


def _refuse_explained(curvature: Matrix, m: int, names: tuple[str, ...], where: str) -> None:
    """Refuse covariates of which strengths, or strengths and the others, leave nothing."""
    own, across = curvature[m:, m:], curvature[:m, m:]
    left = own - across.T @ np.linalg.solve(curvature[:m, :m], across)
    sizes = np.sqrt(np.diag(own))
    share = left / np.outer(sizes, sizes)
    fixed = [names[k] for k in np.flatnonzero(np.diag(share) <= NOTHING_LEFT).tolist()]
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
    agree = np.sign(x[:, k]) * np.sign(battles.outcomes - 0.5)
    always = bool(np.all(agree >= 0) or np.all(agree <= 0))
    how = "decides every battle" if always else "and strengths together decide every battle"
    return InputError(
        f"{where}{names[k]!r} {how}, so no finite coefficient fits. Check that it is not made of the "
        f"outcomes, or leave it out of {setting('covariates')}"
    )

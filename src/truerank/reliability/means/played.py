"""What a fit of battles gives beside the strengths: what their errors are computed from."""

from __future__ import annotations

from dataclasses import dataclass

from truerank._support.types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Fit:
    """The fit of all battles.

    Attributes:
        theta: m strengths, which add up to 0.
        coefficients: K, of the covariates in units of their root mean squares; `design`, K × N, has these.
        inverse: P × P, the pseudo-inverse H⁺ of the information; with drawn battles added, its inverse.
        bread: P × P, from a sum of residuals to its influence on the parameters: H⁺, less the row means of
            the strengths.
        residuals: N, ``r = w(y − p)``.
        information: N, ``q = w p(1 − p)``.
        variances: N, ``w q``, the variance of a residual but for the dispersion.
        total: P × P, ``Σ w q d̃ d̃ᵀ``; d̃ has d and the covariates.
        dispersion: φ, the variance of an outcome over that of the model; ties make it small.
    """

    theta: Vector
    coefficients: Vector
    design: Matrix
    inverse: Matrix
    bread: Matrix
    residuals: Vector
    information: Vector
    variances: Vector
    total: Matrix
    dispersion: float


@dataclass(frozen=True, eq=False)
class Played:
    """What battles say beside the strengths.

    Attributes:
        interaction: σ² (4) of the units, in logits; `by_voter` that of voters beside prompts.
        scales: K, root mean squares of the covariates: the units of the coefficients.
        rows: G × K, influence rows of the coefficients, whose errors and degrees of freedom are K each.
    """

    fit: Fit
    interaction: float
    by_voter: float | None
    scales: Vector
    rows: Matrix
    errors: Vector
    degrees: Vector

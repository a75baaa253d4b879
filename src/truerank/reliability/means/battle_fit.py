"""What a fit of battles holds; numbers in parentheses are of equations in docs/methods/preferences.md."""

from __future__ import annotations

from dataclasses import dataclass

from truerank._support.types import Matrix, Vector


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

"""`ml`: the t distribution with the unbiased maximum-likelihood σ̂."""

from __future__ import annotations

import math

from truerank._support.types import Matrix
from truerank.reliability.estimators.estimator import PairEstimator
from truerank.reliability.estimators.parametric import t_probabilities


def ml(values: Matrix) -> Matrix:
    """Swap probabilities with ``σ̂ = s·C_n`` (urbano-marrero-2016, eqs. 5–7). O(n·m²).

    Args:
        values: n × m scores in ranking order, n ≥ 2.

    Returns:
        m × m, p_ij above the diagonal.
    """
    correction = bias_correction(len(values))
    return t_probabilities(values, lambda differences: correction * differences.std(axis=1, ddof=1))


def bias_correction(n: int) -> float:
    """``C_n = √((n−1)/2) Γ((n−1)/2)/Γ(n/2)``, which makes s·C_n unbiased for a normal σ.

    >>> round(bias_correction(2), 6)
    1.253314
    """
    return math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))


ML = PairEstimator(
    "ml",
    "maximum likelihood",
    lambda sample: ml(sample.values),
    explanation=r"""
    The mean difference follows a t distribution, $$p_{ij} =
    T_{n-1}\left(-\sqrt{n}\,\frac{\hat\mu}{\hat\sigma}\right),$$ with the unbiased standard deviation.
    """,
    formula=r"\hat\sigma = s \sqrt{\frac{n-1}{2}}\, \frac{\Gamma\left(\frac{n-1}{2}\right)}"
    r"{\Gamma\left(\frac{n}{2}\right)}",
    references=("urbano-marrero-2016",),
)

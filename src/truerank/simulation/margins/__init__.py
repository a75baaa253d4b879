"""Margins: the distribution of each system's score over the population of topics."""

from truerank.simulation.margins.base import Margin, PointMargin
from truerank.simulation.margins.beta import BetaMargin
from truerank.simulation.margins.beta_binomial import BetaBinomialMargin
from truerank.simulation.margins.beta_kernel import BetaKernelMargin
from truerank.simulation.margins.discrete_kernel import DiscreteKernelMargin
from truerank.simulation.margins.expectation import MovedMargin, with_mean
from truerank.simulation.margins.family import SHAPES, MarginFamily
from truerank.simulation.margins.gaussian_kernel import GaussianKernelMargin
from truerank.simulation.margins.margin_registry import (
    CRITERIA,
    DEFAULT_SHAPES,
    FAMILIES,
    fit_margin,
    register_margin,
)
from truerank.simulation.margins.truncated_normal import TruncatedNormalMargin

__all__ = [
    "CRITERIA",
    "DEFAULT_SHAPES",
    "FAMILIES",
    "SHAPES",
    "BetaBinomialMargin",
    "BetaKernelMargin",
    "BetaMargin",
    "DiscreteKernelMargin",
    "GaussianKernelMargin",
    "Margin",
    "MarginFamily",
    "MovedMargin",
    "PointMargin",
    "TruncatedNormalMargin",
    "fit_margin",
    "register_margin",
    "with_mean",
]

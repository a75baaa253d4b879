"""Copulas: the dependence between the systems’ scores on a topic."""

from truerank.simulation.copulas.family import COPULAS, Copula, CopulaFamily
from truerank.simulation.copulas.gaussian import GaussianCopula
from truerank.simulation.copulas.vine import VineCopula

__all__ = ["COPULAS", "Copula", "CopulaFamily", "GaussianCopula", "VineCopula"]

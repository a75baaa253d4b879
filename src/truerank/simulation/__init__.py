"""Simulation: models fitted to real scores that draw new topics for the same systems, truth known.

>>> from truerank import simulation
>>> model = simulation.load_embedded("web2010-ap")
>>> scores = model.sample(topics=50, seed=1)
>>> len(model.true_means) == scores.m
True
"""

from truerank.simulation.copula import CopulaModel
from truerank.simulation.copulas import COPULAS, CopulaFamily
from truerank.simulation.effects import EffectsModel
from truerank.simulation.likeness import Diagnostics, diagnose
from truerank.simulation.margin_families import FAMILIES, MarginFamily, register_margin
from truerank.simulation.margins import Margin
from truerank.simulation.model import (
    SIMULATORS,
    SimulationModel,
    Simulator,
    embedded_models,
    fit,
    load,
    load_embedded,
)

__all__ = [
    "COPULAS",
    "FAMILIES",
    "SIMULATORS",
    "CopulaFamily",
    "CopulaModel",
    "Diagnostics",
    "EffectsModel",
    "Margin",
    "MarginFamily",
    "SimulationModel",
    "Simulator",
    "diagnose",
    "embedded_models",
    "fit",
    "load",
    "load_embedded",
    "register_margin",
]

"""Margins: the distribution of each system's score over the population of topics."""

from truerank.simulation.margins.base import Margin
from truerank.simulation.margins.family import SHAPES, MarginFamily
from truerank.simulation.margins.margin_registry import FAMILIES, register_margin

__all__ = ["FAMILIES", "SHAPES", "Margin", "MarginFamily", "register_margin"]

"""Margins: the distribution of each system's score over the population of topics."""

from truerank.simulation.margins.base import Margin
from truerank.simulation.margins.margin_registry import FAMILIES, SHAPES, MarginFamily, register_margin

__all__ = ["FAMILIES", "SHAPES", "Margin", "MarginFamily", "register_margin"]

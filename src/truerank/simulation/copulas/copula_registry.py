"""The copulas by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.simulation.copulas.family import CopulaFamily
from truerank.simulation.copulas.gaussian import GAUSSIAN
from truerank.simulation.copulas.vine import VINE

COPULAS: Registry[CopulaFamily] = Registry("copula", GAUSSIAN, VINE)
"""The families of copulas by name.

Example:
    >>> from truerank.simulation import COPULAS
    >>> list(COPULAS)
    ['gaussian', 'vine']
"""
register = COPULAS.register

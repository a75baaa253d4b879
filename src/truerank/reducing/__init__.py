"""Fewer topics: which to keep, and what they are worth for new systems.

>>> import numpy as np
>>> from truerank.reducing import reduce
>>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
>>> reduce(known, keep=10, repeats=1).for_
'better'
"""

from typing import TYPE_CHECKING

from truerank._support.imports import no_function, opened_when_used

if TYPE_CHECKING:
    from truerank.reducing.applying import Applied, AppliedSystem, apply
    from truerank.reducing.model import KnownSystem, Model, Purpose, load
    from truerank.reducing.reduction import reduce
    from truerank.reducing.results import Gain, HeldOutTau, RandomTopics, Reduction, SizePoint

__all__ = [
    "Applied",
    "AppliedSystem",
    "Gain",
    "HeldOutTau",
    "KnownSystem",
    "Model",
    "Purpose",
    "RandomTopics",
    "Reduction",
    "SizePoint",
    "apply",
    "load",
    "reduce",
]

no_function(__name__, "reduce(scores, keep=…)")

__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "reducing.applying": "Applied AppliedSystem apply",
        "reducing.model": "KnownSystem Model Purpose load",
        "reducing.reduction": "reduce",
        "reducing.results": "Gain HeldOutTau RandomTopics Reduction SizePoint",
    },
)

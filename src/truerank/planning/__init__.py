"""Planning: how many topics, and what generalizability theory says of the ones at hand.

>>> import numpy as np
>>> from truerank.planning import plan
>>> scores = np.random.default_rng(1).normal(np.arange(8) / 4, 1, (20, 8))
>>> result = plan(scores, tau=0.9, draws=64, seed=1)
>>> result.needed[0].what, result.needed[0].topics > 20
('tau', True)
"""

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank.planning.generalizability import (
        Generalizability,
        VarianceComponents,
        mapped,
        variance_components,
    )
    from truerank.planning.plan_results import Plan
    from truerank.planning.planner import plan

__all__ = [
    "Generalizability",
    "Plan",
    "VarianceComponents",
    "mapped",
    "plan",
    "variance_components",
]


__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "planning.generalizability": "Generalizability VarianceComponents mapped variance_components",
        "planning.plan_results": "Plan",
        "planning.planner": "plan",
    },
    "plan_results",
)

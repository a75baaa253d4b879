"""What a simulator is: a way of fitting a model with a known truth to scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from truerank._support.registry import Entry, explained_from
from truerank.simulation.model import SimulationModel

ABOUT = explained_from(__file__)
"""What the simulators of the package say of themselves, by name."""


@dataclass(frozen=True)
class Simulator(Entry):
    """A way of fitting a model to scores.

    Attributes:
        fit: from a ScoreMatrix, a keyword ``seed`` and its own keyword options to a model.
        read: from the document that the model's `body` wrote to the model.

    Example:
        >>> from truerank.scores import ScoreMatrix
        >>> from truerank.simulation import SIMULATORS
        >>> simulator = SIMULATORS["effects"]
        >>> scores = ScoreMatrix.build([[0.5, 0.1], [0.3, 0.2], [0.9, 0.4], [0.4, 0.1]])
        >>> simulator.fit(scores, seed=1, truth="original").true_means
        array([0.525, 0.2  ])
        >>> simulator.options
        ('normal', 'homoscedastic', 'uncorrelated', 'topics', 'truth')
    """

    fit: Callable[..., SimulationModel]
    read: Callable[[dict[str, Any]], SimulationModel]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that its fit takes, besides scores and seed."""
        names = inspect.signature(self.fit).parameters
        return tuple(name for name in names if name not in ("scores", "seed"))

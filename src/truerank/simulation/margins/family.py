"""What a family of margins is: a kind of distribution, or one way of fitting it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from truerank._support.types import Vector
from truerank.simulation.margins.base import Margin

Fit = Callable[[Vector, Vector | None], Margin]


@dataclass(frozen=True)
class MarginFamily:
    """A family of margins, or one way of fitting it.

    Attributes:
        name: what users type.
        label: what users read.
        discrete: whether it needs a finite support.
        fit: from n scores and the support (``None`` for continuous measures) to a margin.
        rebuild: called with a margin's `parameters()` as keywords when a model is loaded, usually the
            margin's class; ``None`` for a second way of fitting a family that has another name.
        explanation: what it is, as :class:`truerank._support.registry.Explained` says.
        formula: of the density or mass, LaTeX.
        references: keys of the publications it comes from.
    """

    name: str
    label: str
    discrete: bool
    fit: Fit
    rebuild: Callable[..., Margin] | None = None
    explanation: str = ""
    formula: str = ""
    references: tuple[str, ...] = ()

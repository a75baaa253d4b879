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

    Example:
        A uniform margin of one's own, which :func:`register_margin` would make known by name:

        >>> from truerank.simulation.margins import BetaMargin
        >>> uniform = MarginFamily(
        ...     "uniform", "uniform", False, fit=lambda scores, support: BetaMargin(1.0, 1.0)
        ... )
        >>> uniform.fit([0.2, 0.9], None).mean
        0.5
    """

    name: str
    label: str
    discrete: bool
    fit: Fit
    rebuild: Callable[..., Margin] | None = None
    explanation: str = ""
    formula: str = ""
    references: tuple[str, ...] = ()

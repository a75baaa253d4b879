"""Families of margins: kinds of distributions, or ways of fitting one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from truerank._support.registry import Entry, explained_from
from truerank._support.types import Vector
from truerank.errors import unknown_name
from truerank.simulation.margins.base import Margin

ABOUT = explained_from(__file__)  # texts of the families, by name

Fit = Callable[[Vector, Vector | None], Margin]

SHAPES = ("bounded", "free")
"""What the shapes of beta and beta-binomial margins may be: 1 or more, or any positive number.

Below 1 the density is infinite at an end of [0, 1], or the masses rise towards an end of the support.

Example:
    >>> from truerank.simulation.margins import SHAPES
    >>> SHAPES
    ('bounded', 'free')
"""


@dataclass(frozen=True)
class MarginFamily(Entry):
    """A family of margins, or one way of fitting it.

    Attributes:
        discrete: whether it needs a finite support.
        fit: from n scores and the support (``None`` for continuous measures) to a margin.
        rebuild: called with a margin's `parameters()` as keywords when a model is loaded, usually the
            margin's class; ``None`` for a second way of fitting a family that has another name.
        fit_bounded: like `fit`, with shapes of 1 or more; ``None`` for a family without shapes.

    Example:
        A uniform margin of one's own, which :func:`register_margin` would make known by name:

        >>> from truerank.simulation.margins.beta import (BetaMargin)
        >>> uniform = MarginFamily(
        ...     "uniform", "uniform", False, fit=lambda scores, support: BetaMargin(1.0, 1.0)
        ... )
        >>> uniform.fit([0.2, 0.9], None).mean
        0.5
    """

    discrete: bool
    fit: Fit
    rebuild: Callable[..., Margin] | None = None
    fit_bounded: Fit | None = None

    def fit_with(self, shapes: str) -> Fit:
        """The way of fitting that keeps to one of `SHAPES`; a family without shapes has only one.

        Raises:
            UnknownNameError: not one of `SHAPES`.
        """
        if shapes not in SHAPES:
            raise unknown_name("kind of shapes", shapes, SHAPES)
        return self.fit_bounded if shapes == "bounded" and self.fit_bounded else self.fit

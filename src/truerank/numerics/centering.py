"""Double centering: what is left of scores without the effects of systems and of topics."""

from __future__ import annotations

from truerank._support.types import Matrix


def doubly_centered(values: Matrix) -> Matrix:
    """n × m values less column means, then less what row means are left: e_ts = x_ts − x̄_t − x̄_s + x̄."""
    centered = values - values.mean(axis=0)
    centered -= centered.mean(axis=1, keepdims=True)
    return centered


def two_way_residuals(values: Matrix) -> Matrix:
    """The same from all three means at once, as the analysis of variance writes it; other last digits."""
    return values - values.mean(axis=0) - values.mean(axis=1)[:, None] + values.mean()

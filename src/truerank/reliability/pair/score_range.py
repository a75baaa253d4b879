"""The range that scores can have: given, or that of a measure that is known; never one seen in the scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truerank._support.arguments import setting
from truerank.errors import InputError, at
from truerank.scores import ScoreMatrix

Range = tuple[float, float]

SHARES = {
    *("ap", "map", "bpref", "err", "nerr", "infap", "iprec", "iprec_at_recall", "ndcg", "ndcg_cut", "p", "r"),
    *("rbp", "recip_rank", "rprec", "rr", "mrr", "success", "acc", "acc_norm", "accuracy", "em"),
    *("exact_match", "f1", "map_cut", "pass", "precision", "recall", "resolved"),
}
"""Measures whose scores lie between 0 and 1, without their cutoffs."""


def score_range(table: ScoreMatrix, given: Sequence[float] | None) -> Range | None:
    """The lowest and the highest score that there can be; ``None`` where nothing is known of them."""
    values = table.values[~np.isnan(table.values)]
    bounds = checked_range(given)
    if bounds is not None:
        low, high = float(values.min()), float(values.max())
        if not bounds[0] <= low <= high <= bounds[1]:
            outside = low if low < bounds[0] else high
            raise InputError(
                f"{at(table.source)}the score {outside:g} is outside of {bounds[0]:g} to {bounds[1]:g}; give "
                f"the range that scores can have with {setting('range')}, or leave it out"
            )
        return bounds
    name = table.measure.casefold().split("@")[0].split("(")[0].rstrip("_0123456789.")
    return (0.0, 1.0) if name in SHARES and values.min() >= 0 and values.max() <= 1 else None


def checked_range(bounds: Sequence[float] | None) -> Range | None:
    """Two finite numbers, the first the smaller one."""
    if bounds is None:
        return None
    try:
        low, high = (float(one) for one in bounds)
    except (TypeError, ValueError):
        raise InputError(f"the range is two numbers, such as (0, 1), not {bounds!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"the range must go from a number to a larger one, not from {low:g} to {high:g}")
    return low, high

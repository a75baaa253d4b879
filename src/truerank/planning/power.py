"""The power of a paired t test."""

from __future__ import annotations

from typing import Any

from truerank.errors import InputError


def check_power(power: float, alpha: float) -> None:
    """Refuse a power or a significance level that no design can have."""
    if not 0 < alpha < 1:
        raise InputError(f"the significance level must be between 0 and 1, not {alpha:g}")
    if not alpha < power < 1:
        raise InputError(f"power must be above the significance level {alpha:g} and below 1, not {power:g}")


def paired_t_power(topics: float, effect: Any, alpha: float = 0.05) -> Any:
    """Probability that a two-sided paired t test finds an effect (in standard deviations) by its sign."""
    import numpy as np

    from truerank.numerics.special import nctdtr, ndtr, stdtrit

    shift = np.sqrt(topics) * np.abs(effect)
    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    near = np.minimum(shift, 30.0)
    found = 1 - nctdtr(topics - 1, near, critical)
    # Far out the noncentral t cannot be computed, and its normal approximation is exact.
    found = np.where(shift > 30.0, ndtr(shift - critical), found)
    return float(found) if np.ndim(effect) == 0 else found

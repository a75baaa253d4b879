"""The scores that a measure can give: finitely many (P@k, RR) or any number in [0, 1]."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError, at
from truerank.scores import ScoreMatrix

DEEPEST = 100  # largest cutoff at which scores that are all multiples of 1/k are taken for P@k
FEWEST_PER_VALUE = 10  # a support found in the data needs this many scores a value
_AT_K = re.compile(r"(?:P|Precision|Success)[@_](\d+)", re.IGNORECASE)
_RR = re.compile(r"(?:M?RR|recip_rank)(?:[@_](\d+))?", re.IGNORECASE)


def check_unit_range(scores: ScoreMatrix) -> None:
    """Raise unless all scores lie in [0, 1]."""
    outside = np.argwhere((scores.values < 0) | (scores.values > 1))
    if len(outside):
        t, s = outside[0]
        raise InputError(
            f"{at(scores.source)}the score of system {scores.systems[s]!r} on topic {scores.topics[t]!r} is "
            f"{scores.values[t, s]:g}; simulation needs scores in [0, 1]: rescale the measure by its range"
        )


def choose_support(scores: ScoreMatrix, support: str | Sequence[float] | None) -> Vector | None:
    """The support to use, increasing, or ``None`` for a continuous measure."""
    if support is None or (isinstance(support, str) and support == "continuous"):
        return None
    if isinstance(support, str):
        if support == "auto":
            return find_support(scores)
        result = support_of_measure(support)
        if result is None:
            raise InputError(
                f"unknown support {support!r}; use auto, continuous, a measure (P@10, RR@20), or the scores"
            )
        return result
    points = np.unique(np.asarray(support, dtype=np.float64))
    if len(points) == 0 or points[0] < 0 or points[-1] > 1:
        raise InputError("a support is one or more scores in [0, 1]")
    return points


def support_of_measure(name: str) -> Vector | None:
    """The support of a measure with a cutoff by its name: 0, 1/k … 1 for P@k, 0 and 1/rank for RR@k."""
    if (match := _AT_K.fullmatch(name)) and 0 < int(match[1]) <= 1000:
        k = 1 if name.lower().startswith("success") else int(match[1])
        return np.arange(k + 1) / k
    if (match := _RR.fullmatch(name)) and match[1] and 0 < int(match[1]) <= 1000:
        return _reciprocal_ranks(int(match[1]))
    return None


def find_support(scores: ScoreMatrix) -> Vector | None:
    """The support by the measure's name, else by the scores (P@k, RR, few values); ``None`` if continuous."""
    values = np.unique(scores.values)
    named = support_of_measure(scores.measure)
    if named is not None and _all_on(values, named):
        return named
    if scores.values.size < FEWEST_PER_VALUE * len(values):
        return None
    positive = values[values > 0]
    deepest = round(1 / float(positive[0])) if len(positive) and positive[0] >= 1e-3 else 1
    multiples = (np.arange(k + 1) / k for k in range(1, DEEPEST + 1))
    fitting = [points for points in (*multiples, _reciprocal_ranks(deepest)) if _all_on(values, points)]
    if fitting:
        return min(fitting, key=len)  # ranks 1 to 5 are multiples of 1/60, too
    return values if len(values) <= DEEPEST else None


def _reciprocal_ranks(deepest: int) -> Vector:
    return np.append(0.0, 1 / np.arange(deepest, 0, -1))


def _all_on(values: Vector, support: Vector) -> bool:
    from truerank.simulation.margins.base import positions

    return bool(positions(values, support)[1].all())

"""What to know before quoting a number of a comparison, one plain sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truerank._support.types import Vector
from truerank._support.wording import some
from truerank.coefficients import tied_ranks
from truerank.comparison.distance import Baseline, RankDistanceTest, rank_distance
from truerank.scores import ScoreMatrix


def left_out_warnings(missing: Sequence[str], extra: Sequence[str]) -> list[str]:
    """Systems that only one of the two rankings has."""
    found = []
    if missing:
        found.append(f"left out, as the other ranking lacks them: {some(missing)}")
    if extra:
        found.append(f"left out, as the baseline lacks them: {some(extra)}")
    return found


def data_warnings(base: ScoreMatrix, other: Any, means: Vector, values: Vector) -> list[str]:
    """What the readers met, other topics than the baseline's, and ties.

    Args:
        base: the baseline's scores.
        other: the other ranking as it was given.
        means: the baseline's means of the systems that both have; m.
        values: the other ranking's values of them; m.
    """
    found = list(base.notes)
    if isinstance(other, ScoreMatrix):
        found += [note for note in other.notes if note not in base.notes]
        if set(other.topics) != set(base.topics):
            both = len(set(other.topics) & set(base.topics))
            found.append(
                f"the other ranking is of {other.n} topics, {both} of them among the baseline's {base.n}: "
                "the p-value allows for the baseline's topics only"
            )
    for what, scores in (("the baseline", means), ("the other ranking", values)):
        sizes = np.bincount(tied_ranks(scores))
        if sizes.max() > 1:
            found.append(
                f"{int(sizes[sizes > 1].sum())} systems are tied in {what}: τ and τ_AP break ties by the "
                "baseline's column order, τ_b corrects for them, the rank distance counts them as agreement"
            )
    return found


def lambda_warnings(values: Vector, baseline: Baseline, test: RankDistanceTest) -> list[str]:
    """Where λ decides, say by how much."""
    if baseline.scores.m <= baseline.scores.n or test.lam == 0 or test.distance == 0:
        return []
    smaller, larger = (
        rank_distance(baseline.scores, values, lam=test.lam * factor, regularise=test.regularise).distance
        for factor in (0.1, 10.0)
    )
    return [
        f"more systems ({baseline.scores.m}) than topics ({baseline.scores.n}): lambda decides the rank "
        f"distance; with {test.lam / 10:g} it is {smaller:.2f}, with {test.lam * 10:g} {larger:.2f}"
    ]

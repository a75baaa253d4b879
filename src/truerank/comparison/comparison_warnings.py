"""Notes on a comparison: what to know before quoting its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truerank._support.notes import Note
from truerank._support.types import Vector
from truerank._support.wording import p_equation, some
from truerank.coefficients import tied_ranks
from truerank.comparison.distance import RankDistanceTest, Reference, rank_distance_test
from truerank.comparison.distance.bootstrap import bootstrap_distribution
from truerank.scores import ScoreMatrix

ALPHA = 0.05  # rankings whose p-value is below it are said to differ
TRIED = 500  # resamples by which another λ is tried


def left_out_warnings(missing: Sequence[str], extra: Sequence[str]) -> list[Note]:
    """Systems that only one of the two rankings has."""
    return [
        Note("systems-left-out", f"left out, as the {one} lacks them: {some(names)}", systems=tuple(names))
        for one, names in (("other ranking", missing), ("reference", extra))
        if names
    ]


def data_warnings(reference: ScoreMatrix, other: Any, means: Vector, values: Vector) -> list[Note]:
    """Notes of the readers, on topics that differ from the reference's, and on ties."""
    found = list(reference.notes)
    units = reference.unit.many
    if isinstance(other, ScoreMatrix):
        found += [note for note in other.notes if note not in found]
        if set(other.topics) != set(reference.topics):
            both = len(set(other.topics) & set(reference.topics))
            found.append(
                Note(
                    "other-topics",
                    f"the other ranking is of {other.n} {units}, {both} of them among the reference’s "
                    f"{reference.n}: the p-value allows for the reference’s {units} only",
                )
            )
    tied = []
    for what, scores in (("the reference", means), ("the other ranking", values)):
        sizes = np.bincount(tied_ranks(scores))
        if sizes.max() > 1:
            tied.append(f"{int(sizes[sizes > 1].sum())} systems are tied in {what}")
    if tied:
        found.append(
            Note(
                "ties",
                f"{' and '.join(tied)}: τ and τ_AP break ties by the reference’s column order, τ_b corrects "
                "for them, the rank distance counts them as agreement",
            )
        )
    return found


def ridge_warnings(values: Vector, reference: Reference, test: RankDistanceTest) -> list[Note]:
    """A note if the verdict depends on λ: if a λ ten times smaller or larger reverses it.

    λ scales the distance of the ranking and those of the resampled ones together, so the distance alone shows
    little. Takes twice :data:`TRIED` resamples.
    """
    if reference.scores.m <= reference.scores.n or test.ridge == 0 or test.distance == 0:
        return []
    found = []
    for ridge in (test.ridge / 10, test.ridge * 10):
        tried = Reference.of(reference.scores, ridge, test.regularize)
        other = rank_distance_test(
            tried, values, distribution=bootstrap_distribution(tried, TRIED, test.seed)
        )
        if (other.p_value <= ALPHA) != (test.p_value <= ALPHA):
            p = p_equation(other.p_value, least=1 / TRIED)
            found.append(f"with λ = {ridge:g} the distance is {other.distance:.2f} ({p})")
    if not found:
        return []
    units = reference.scores.unit.many
    rests = (
        f"more systems ({reference.scores.m}) than {units} ({reference.scores.n}), so the distance needs a "
        f"λ, and the verdict rests on it: {'; '.join(found)}"
    )
    return [Note("rests-on-ridge", rests)]

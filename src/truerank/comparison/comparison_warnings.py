"""What to know before quoting a number of a comparison, one plain sentence each."""

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
    found = []
    if missing:
        said = f"left out, as the other ranking lacks them: {some(missing)}"
        found.append(Note("systems-left-out", said, systems=tuple(missing)))
    if extra:
        said = f"left out, as the reference lacks them: {some(extra)}"
        found.append(Note("systems-left-out", said, systems=tuple(extra)))
    return found


def data_warnings(reference: ScoreMatrix, other: Any, means: Vector, values: Vector) -> list[Note]:
    """What the readers met, other topics than the reference's, and ties."""
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
    """Whether the verdict rests on the choice of λ: said where a λ ten times as small or large turns it.

    λ makes all distances smaller or larger together, that of the ranking and those of the resampled ones, so
    the distance alone says little. Costs twice :data:`TRIED` resamples.
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

"""A gate on two means with their standard errors, where no topics are left to pair the systems by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note, Notes
from truerank._support.tables import Column, Number, PValue, Text
from truerank._support.types import OrNaN, Unwritten
from truerank.comparison.gate.decision import Decisions, Judged
from truerank.errors import InputError, at
from truerank.readers.means_with_errors import Means
from truerank.reliability.pair.comparing import check_level, check_margin, margins_of, name_arms
from truerank.reliability.pair.contrast import Contrast, interval, p_value, verdict_in


@dataclass(frozen=True, kw_only=True)
class UnpairedDecision(Judged):
    """One candidate against the baseline, by their means and standard errors alone.

    Attributes:
        baseline_stderr: the standard error of the baseline's mean, as given.
        candidate_stderr: the standard error of the candidate's mean, as given.
        stderr: the standard error of the difference, as if the two means were independent.
        p_value: two-sided, of no difference, by the normal distribution.
        p_margin: two-sided, of a difference of just −margin; null without a margin.
        notes: what to know before relying on the verdict.
    """

    measure: Annotated[str, Column("Measure", Text(), details=True)]
    data_set: Unwritten[None] = None
    baseline_stderr: Annotated[float, Column("Error of the baseline", Number(digits=4), details=True)]
    candidate_stderr: Annotated[float, Column("Error of the candidate", Number(digits=4), details=True)]
    stderr: Annotated[float, Column("Standard error", Number(digits=4))]
    p_value: Annotated[float, Column("p", PValue())]
    p_margin: Annotated[OrNaN, Column("p, margin", PValue())]
    notes: Notes


@dataclass(frozen=True, eq=False, repr=False)
class UnpairedGate(Decisions[UnpairedDecision]):
    """The verdict on two means with their standard errors."""

    def __repr__(self) -> str:
        (one,) = self.decisions
        return f"<UnpairedGate {one.candidate} against {one.baseline}: {one.verdict}>"


def unpaired_gate(
    means: Means,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    *,
    margin: float | Mapping[str, float] = 0.0,
    level: float = 0.95,
) -> UnpairedGate:
    """Is the candidate better than the baseline, as far as two means and their standard errors say?"""
    check_level(level)
    scores = means.scores
    wanted = [candidate] if isinstance(candidate, str) else candidate or ()
    base, candidates = name_arms(scores, baseline, wanted)
    if len(candidates) > 1:
        raise InputError(
            f"{at(scores.source)}{len(candidates)} candidates; means with standard errors are compared in "
            f"pairs. Choose one with {setting('candidate', candidates[0])}"
        )
    (loss,) = margins_of([scores], margin)
    check_margin(loss)
    a, b = scores.systems.index(base), scores.systems.index(candidates[0])
    (mean_a, mean_b), (error_a, error_b) = scores.values[0, [a, b]].tolist(), means.errors[[a, b]].tolist()
    rows, strata = np.array([error_a, error_b]), np.zeros(2, dtype=np.intp)
    contrast = Contrast(mean_b - mean_a, rows, strata, degrees=math.inf, units=2.0, differing=2.0)
    low, high = interval(contrast, level)
    decision = UnpairedDecision(
        verdict=verdict_in(low, high, loss),
        baseline=base,
        candidate=candidates[0],
        measure=scores.measure,
        baseline_mean=mean_a,
        candidate_mean=mean_b,
        difference=contrast.estimate,
        low=low,
        high=high,
        level=level,
        margin=float(loss),
        baseline_stderr=error_a,
        candidate_stderr=error_b,
        stderr=contrast.error,
        p_value=p_value(contrast),
        p_margin=p_value(contrast, -loss) if loss else math.nan,
        notes=(*scores.notes, Note("unpaired", {}, "warning")),
    )
    return UnpairedGate((decision,))

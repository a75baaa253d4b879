"""The results of a gate that may be looked at repeatedly: one decision per candidate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from truerank._support.notes import Notes
from truerank._support.tables import Column, Count, PValue, Text
from truerank._support.types import Inlined, OrNaN, Unwritten, Vector, Whole
from truerank.comparison.gate.decision import Decisions, Document, Judged
from truerank.comparison.sequential.monitor import Monitor
from truerank.comparison.sequential.rules import Method
from truerank.numerics.error_spending import Spending


@dataclass(frozen=True)
class Sequential:
    """The method of a verdict that holds at every look.

    Attributes:
        method: ``betting`` or ``planned``.
        looks: planned numbers of topics, the last the largest; null where one may look at any time.
        spending: how planned looks spend the error: ``pocock`` or ``obrien-fleming``; null in the same cases.
        range_low: lowest score that there can be; null where no range is known.
        range_high: highest score that there can be; null in the same cases.
        e_better: evidence that the candidate is better, as it stands: an e-value; null with planned looks.
        rounds: how many differences are counted: topics, or one topic of each data set.
        decided: after how many of them the verdict was established; null without a verdict.
        waiting: topics that are not counted yet, because they wait for one of every other data set or for the
            next look.
    """

    method: Method
    looks: tuple[int, ...] | None
    spending: Spending | None
    range_low: float | None
    range_high: float | None
    e_better: OrNaN
    rounds: Whole
    decided: Whole | None
    waiting: Whole


@dataclass(frozen=True, kw_only=True)
class SequentialDecision(Judged):
    """One candidate against the baseline, at any look.

    Attributes:
        verdict: the first that any look established: ``better``, ``pass`` (not worse by the margin), ``fail``
            (worse by more); else ``undecided``, as where the bounds contradict each other.
        baseline_mean: the baseline's mean score; over data sets the average of theirs.
        low: the lower end of the interval of the true difference, which holds whenever one looks; −∞ where
            nothing bounds it.
        high: the upper end; ∞ where nothing bounds it.
        level: of the interval over all looks, for all candidates together.
        p_value: of no difference, two-sided, valid whenever one looks, for this candidate by itself; null
            with planned looks, and where bounds contradict each other.
        p_margin: the same of a difference of just −margin; null in the same cases, and without a margin.
        p_adjusted: `p_value` adjusted for all candidates; null in the same cases.
        topics: topics that the means, the difference and the bounds are of: those of the last look.
        sequential: the method of the verdict.
        notes: what to know before relying on the verdict.
        sizes: K, numbers of rounds at which the bounds are drawn; of planned looks those that were made.
        means: K, the mean difference at each.
        lows: K, the lower bound at each.
        highs: K, the upper bound at each.

    Example:
        >>> from truerank.comparison.sequential import sequential_gate
        >>> (decision,) = sequential_gate([[0.9, 0.5], [0.2, 0.3], [0.4, 0.5]], range=(0, 1))
        >>> decision.verdict, decision.topics
        ('undecided', 3)
    """

    measure: Annotated[str, Column("Measure", Text(), details=True)]
    data_set: Unwritten[None] = None
    p_value: Annotated[OrNaN, Column("p", PValue())]
    p_margin: Annotated[OrNaN, Column("p, margin", PValue())]
    p_adjusted: Annotated[OrNaN, Column("p, adjusted", PValue(), meaning="adjusted for all candidates")]
    topics: Annotated[
        int,
        Column(
            "{Topics}",
            Count(),
            meaning="{topics} that the means, the difference and the bounds are of: those of the last look",
        ),
    ]
    sequential: Sequential
    notes: Notes
    sizes: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    means: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    lows: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    highs: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class SequentialDecisionDocument(Document):
    """One candidate against the baseline at any look, as a gate writes it."""

    decision: Annotated[SequentialDecision, Inlined()]


@dataclass(frozen=True, eq=False, repr=False)
class SequentialGate(Decisions[SequentialDecision]):
    """Verdicts that hold at every look, one a candidate.

    Attributes:
        monitor: all that it takes to go on.
        added: topics that this look added to the state; ``None`` where a monitor is shown by itself.

    Example:
        >>> from truerank.comparison.sequential import sequential_gate
        >>> sequential_gate([[0.9, 0.5], [0.2, 0.3], [0.4, 0.5]], range=(0, 1))
        <SequentialGate: undecided after 3 topics>
    """

    monitor: Monitor
    added: int | None

    def __repr__(self) -> str:
        return f"<SequentialGate: {self.verdict} after {self.monitor.topics} topics>"

    def _document(self, one: SequentialDecision) -> SequentialDecisionDocument:
        return SequentialDecisionDocument(one, len(self), self.version)

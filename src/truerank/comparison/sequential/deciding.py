"""`sequential_gate`: the gate that may be asked after every topic, from a table of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from truerank._support.arguments import keywords_checked, setting
from truerank._support.notes import Note, Notes
from truerank._support.tables import Column, Count, PValue, Text
from truerank._support.types import OrNaN, Unwritten, Vector, Whole
from truerank._support.units import Unit
from truerank.comparison.gate.decision import Decisions, Judged
from truerank.comparison.sequential.monitor import Monitor
from truerank.comparison.sequential.rules import Course, Method, without_range
from truerank.errors import InputError, at
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics.error_spending import Spending
from truerank.readers import as_scores
from truerank.readers.checks import refuse_other_scales
from truerank.readers.missing import FILLED, Filled, lacking_notes
from truerank.reliability.means.means_of import has_topics
from truerank.reliability.noise import seeds_together
from truerank.reliability.pair.comparing import before_arms, check_margin, name_arms, score_range, treated
from truerank.scores import TIE, ScoreMatrix

DRAWN = 200  # numbers of topics at which the bounds are drawn
SORTED = 4.5  # standard errors from which on a trend along the topics is not chance


@keywords_checked
def sequential_gate(
    scores: Any,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    *,
    margin: float = 0.0,
    level: float = 0.95,
    range: Sequence[float] | None = None,
    looks: Sequence[int] | None = None,
    spending: Spending = "pocock",
    missing: Filled = "error",
    measure: str | None = None,
    state: Monitor | None = None,
) -> SequentialGate:
    """Is the candidate as good as the baseline? Asked as often as one likes, over topics in a fixed order.

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes; its topics in the order in
            which they were scored.
        baseline: what the others are compared with; of two systems the first unless said otherwise.
        candidate: one or more systems; all but the baseline by default.
        margin: how much worse still passes, in units of the score.
        level: of the intervals over all looks, for all candidates together, above ½ and below 1.
        range: as for :func:`truerank.gate`.
        looks: numbers of topics at which alone there are verdicts, the last the largest.
        spending: of planned looks: ``pocock`` or ``obrien-fleming``.
        missing: what to do about a topic that one of the systems lacks, as for :func:`truerank.gate`.
        measure: which measure, where `scores` holds several.
        state: a monitor with the topics of earlier looks; those of `scores` that it lacks are added to it.

    Returns:
        The decisions, and the monitor to go on with.

    Raises:
        InputError: scores that can carry no verdict, a state of other settings or other scores, or a margin,
            level, range or looks that there cannot be.
        UnknownNameError: no such system.

    Example:
        >>> import numpy as np
        >>> from truerank.comparison.sequential import sequential_gate
        >>> old = np.random.default_rng(1).beta(2, 4, 60)
        >>> result = sequential_gate(np.column_stack([old, old + 0.1]).clip(0, 1), margin=0.05, range=(0, 1))
        >>> result.verdict, result.decisions[0].low > 0
        ('better', True)
    """
    table = treated(as_scores(scores, measure, before_arms(missing), "", FILLED), missing)
    table.refuse("a gate at any time", InBattles, BesideMachine)
    if table.clusters is not None:
        raise InputError(
            f"{at(table.source)}{table.unit.many} of one cluster do not count one by one; give one row per "
            "cluster, its mean"
        )
    if table.k > 1 and not has_topics(table):
        raise InputError(
            f"{at(table.source)}one score per data set: there is nothing else to look at one by one"
        )
    base, candidates = name_arms(table, baseline, candidate)
    refuse_other_scales(table, [base, *candidates])
    # With a state, new topics alone, all of them right or wrong, may look as if they had another range.
    chosen = score_range(table, range) if state is None or range is not None else state.range
    if chosen is None:
        check_margin(margin, table)
        if looks is None:
            raise without_range((max(table.n // 2, 3), max(table.n, 4), 2 * max(table.n, 4)))
    fresh = Monitor(
        margin,
        level,
        chosen,
        looks=looks,
        spending=spending,
        candidates=candidates,
        data_sets=dict(zip(table.data_sets, table.set_weights.tolist(), strict=True)) if table.k > 1 else (),
        baseline=base,
        measure=table.measure,
    )
    monitor = fresh if state is None else state
    for name, now in fresh.settings.items():
        if (earlier := monitor.settings[name]) != now:
            raise InputError(
                f"{at(monitor.source)}the state was started with {name.replace('_', ' ')} {_text(earlier)}, "
                f"not {_text(now)}; give the same, or start a new state"
            )
    before = monitor.topics
    taken = _take(monitor, table, [base, *candidates], missing == "error")
    added = monitor.topics - before
    gone, unit = before - (taken - added), {"unit": table.unit.one}
    if 0 < gone < before:  # without any of the old topics they are the new ones alone
        facts = {"case": "gone", "gone": gone, "before": before}
        table = table.noting(Note("topics-of-state", {**facts, **unit}))
    if state is not None and added == 0:
        table = table.noting(Note("topics-of-state", {"case": "none-new", **unit}))
    if monitor.topics == 0:
        raise InputError(f"{at(table.source)}no {table.unit.one} has scores of {base!r} and of a candidate")
    return monitored(monitor, table, added)


def monitored(monitor: Monitor, table: ScoreMatrix | None = None, added: int | None = None) -> SequentialGate:
    """The decisions as a monitor has them; `table` is where the topics that were `added` came from."""
    decisions = tuple(_decision(monitor, table, name) for name in monitor.candidates or ("",))
    return SequentialGate(decisions, monitor, added)


def _text(value: Any) -> str:
    items = value if isinstance(value, list | dict) else [value]
    texts = (item if isinstance(item, str) else f"{item:g}" for item in items if item is not None)
    return ", ".join(texts) or "unknown"


def _take(monitor: Monitor, table: ScoreMatrix, systems: list[str], whole: bool) -> int:
    """Add the table's topics in its order, except those on which no candidate can be compared."""
    places, taken = [table.systems.index(name) for name in systems], 0
    for (data_set, topic), row in zip(table.keys, table.values[:, places].tolist(), strict=True):
        empty = [math.isnan(score) for score in row]
        if all(empty):
            continue
        if whole and any(empty):
            without = systems[empty.index(True)]
            raise InputError(
                f"{at(table.source)}{without!r} has no score on {table.unit.one} {topic!r}; add "
                f"it, or use {setting('missing', 'common')}"
            )
        if empty[0] or all(empty[1:]):
            continue
        others = [None if gone else score for score, gone in zip(row[1:], empty[1:], strict=True)]
        monitor.update(topic, row[0], others, data_set if table.k > 1 else None)
        taken += 1
    return taken


def _decision(monitor: Monitor, table: ScoreMatrix | None, name: str) -> SequentialDecision:
    course, looks = monitor.course(name), monitor.looks
    sizes, lows, highs = course.path(DRAWN)
    evidence = course.log_evidence()
    # Least p-values of all looks, of above 0, within the margin, beyond it and below 0.
    p = np.full(4, np.nan)
    if evidence is not None and not course.contradictory:
        p = np.array([min(1.0, math.exp(-float(one.max(initial=0.0)))) for one in evidence])
    # Two-sided, of no difference and of a loss of the margin; NumPy's minimum keeps NaN.
    of_none, of_margin = (float(np.minimum(2 * p[claims].min(), 1)) for claims in ([0, 3], [1, 2]))
    now = math.nan if evidence is None or len(course) == 0 else math.exp(min(float(evidence[0][-1]), 700.0))
    means = monitor.means(name)
    low, high = monitor.range if looks is None and monitor.range else (None, None)
    return SequentialDecision(
        verdict=course.verdict,
        baseline=monitor.baseline or "baseline",
        candidate=name or "candidate",
        measure=monitor.measure,
        baseline_mean=means[0],
        candidate_mean=means[1],
        difference=course.difference,
        low=course.low,
        high=course.high,
        level=monitor.level,
        margin=monitor.margin,
        p_value=of_none,
        p_margin=of_margin if monitor.margin else math.nan,
        p_adjusted=float(np.minimum(of_none * max(len(monitor.candidates), 1), 1)),
        topics=monitor.counted(name),
        sequential=Sequential(
            method=monitor.method,
            looks=looks,
            spending=None if looks is None else monitor.spending,
            range_low=low,
            range_high=high,
            e_better=now,
            rounds=course.counted,
            decided=course.decided,
            waiting=monitor.waiting(name),
        ),
        notes=(*(table.notes if table else ()), *_notes(monitor, course, table, name or "candidate")),
        sizes=np.array(sizes, dtype=np.float64),
        means=np.array([course.differences[:size].mean() for size in sizes]),
        lows=lows,
        highs=highs,
        noun=table.noun if table else "topic",
        reading=table.reading if table else None,
        comparisons=max(len(monitor.candidates), 1),
    )


def _notes(monitor: Monitor, course: Course, table: ScoreMatrix | None, name: str) -> Iterator[Note]:
    """What to know before relying on the verdict."""
    unit, d = table.unit if table else Unit.of("topic"), course.differences
    if course.contradictory:
        yield Note("topic-order", {"case": "bounds", "unit": unit.one}, "alert")
    if len(d) >= 20 and np.ptp(d) > TIE:
        from scipy.stats import spearmanr

        trend = float(spearmanr(d, np.arange(len(d))).statistic) * math.sqrt(len(d) - 1)
        if abs(trend) > SORTED:
            facts = {"case": "trend", "rising": trend > 0, "unit": unit.one}
            yield Note("topic-order", facts, "alert", (name,))
    if monitor.method == "planned":
        yield Note("unseen-losses", {"case": "planned"})
    if table is not None:
        yield from seeds_together(table, "gate in several looks")
        pair = [table.systems.index(each) for each in (monitor.baseline, name)]
        yield from lacking_notes(table.values[:, pair], (monitor.baseline, name), unit)
    if len(d) and float(np.abs(d).max()) <= TIE:
        yield Note("identical", {"case": "copies", "sequential": True, "unit": unit.one}, systems=(name,))


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
    topics: Annotated[int, Column("{Topics}", Count())]
    sequential: Sequential
    notes: Notes
    sizes: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    means: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    lows: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    highs: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))


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

"""What a gate finds: one decision a candidate, measure and data set, and all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np

from truerank._support.display import Shown
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written, plain
from truerank._support.tables import Bounded, Column, Count, Name, Number, PValue, Text, Word
from truerank._support.types import LeftOut, OrNaN, Unwritten, Vector, Whole
from truerank._support.units import Noun, Unit
from truerank._support.version import __version__
from truerank.reading import Reading
from truerank.reliability.pair.comparing import Direct, Scale
from truerank.reliability.pair.contrast import SHOWN, VERDICTS, Rule, Verdict

OneDecision = TypeVar("OneDecision", bound="Judged")

LOSSES = 10  # how many of the topics on which the candidate loses most are listed


@dataclass(frozen=True)
class TopicLoss:
    """A topic on which the candidate scores less than the baseline.

    Attributes:
        topic: its name.
        data_set: the data set it is of; ``None`` where there are none.
        baseline: the baseline's score; of an arena, what the prompt adds to its strength.
        candidate: the candidate's score.
        difference: candidate minus baseline, below 0.
    """

    topic: Annotated[str, Column("{Topic}", Name())]
    data_set: Annotated[str | None, Column("Data set", Name())]
    baseline: Annotated[float, Column("Baseline", Number(digits=4))]
    candidate: Annotated[float, Column("Candidate", Number(digits=4))]
    difference: Annotated[float, Column("Difference", Number(digits=4, sign=True))]


@dataclass(frozen=True, kw_only=True)
class Judged(Noted, Written):
    """One candidate against the baseline by one measure: what gates of either kind say of the two.

    Attributes:
        verdict: read off the interval. ``better``: all of it is above 0; ``pass``: above −margin; ``fail``:
            below −margin; else ``undecided``.
        baseline: the baseline's name.
        candidate: the candidate's name.
        measure: the measure's name; empty when unknown.
        data_set: the data set; ``None`` for all of them, or where there are none.
        baseline_mean: the baseline's mean score.
        candidate_mean: the candidate's mean score.
        difference: candidate minus baseline, in units of the score.
        low: lower end of the two-sided interval of the true difference; −∞ where nothing bounds it.
        high: upper end of it; ∞ where nothing bounds it.
        level: of the interval; of those of all candidates by the measure together where there are several.
        margin: how much worse still passes, in units of the score.
        noun: what sentences call a topic.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.
        comparisons: how many were judged together.
        version: of truerank.
    """

    verdict: Annotated[Verdict, Column("Verdict", Word(shown=SHOWN))]
    baseline: Annotated[str, Column("Baseline", Name(), details=True)]
    candidate: Annotated[str, Column("Candidate", Name())]
    measure: Annotated[str, Column("Measure", Text())]
    data_set: Annotated[str | None, Column("Data set", Text(none="all"))]
    baseline_mean: Annotated[float, Column("Mean of the baseline", Number(digits=4))]
    candidate_mean: Annotated[float, Column("Mean", Number(digits=4))]
    difference: Annotated[
        float, Column("Difference ({level})", Bounded(low="low", high="high", digits=4, sign=True))
    ]
    low: OrNaN
    high: OrNaN
    level: Annotated[float, Column("Level", Number(digits=3), details=True)]
    margin: Annotated[float, Column("Margin", Number(digits=4), details=True)]
    noun: Unwritten[Noun] = "topic"
    reading: LeftOut[Reading] = None
    comparisons: Whole = 1
    version: str = __version__

    @property
    def sampled(self) -> Unit:
        """The unit that is sampled, in words."""
        return Unit.of(self.noun)

    @property
    def passed(self) -> bool:
        """Whether the candidate is better or passes."""
        return self.verdict in ("better", "pass")

    @property
    def surely_worse(self) -> bool:
        """Whether the candidate is below the baseline at the level, by however little."""
        return self.high < 0


@dataclass(frozen=True, kw_only=True)
class Decision(Judged):
    """One candidate against the baseline by one measure, over all topics or those of one data set.

    Attributes:
        p_value: two-sided, of no difference, by the rule of the interval, for this comparison by itself: at
            most 1 − level where the interval of this comparison alone leaves 0 out.
        p_margin: two-sided, of a difference of just −margin, by itself; null without a margin.
        p_randomization: of the paired randomization test of no difference, two-sided, by itself; null of an
            arena, and on new levels of facets.
        p_adjusted: `p_value` adjusted for all comparisons that were made at once, also by other measures.
        topics: how many topics both have.
        units: how many observations: these topics, or their clusters, data sets or families of data sets.
        differing: on how many of the units the two differ.
        skewness: of the differences, as in their sample.
        unit: what counts as one observation. It is a ``topic`` or ``question``, ``cluster``, ``data set``,
            ``family of data sets``, or in an arena ``prompt``, ``voter`` or ``battle``.
        generalize_to: new ones like these. ``topics`` or ``data_sets``; after a comma the facets of which new
            levels are meant too.
        rule: what the interval and p come from: ``t``; or ``exact``, the exact bound for scores of known
            range: where few units differ, or on request.
        topics_needed: of an undecided comparison, the topics, these included, at which the chance of a
            verdict is the power. ``None`` where there is a verdict, on new levels of facets, and beyond a
            million.
        topics_needed_low: where that chance is 10%; ``None`` in the same cases.
        topics_needed_high: where it is 90%; ``None`` in the same cases.
        topics_needed_prior: how far apart systems are: as all pairs of the table say (``table``), or of any
            size, all equally likely (``flat``). ``None`` in the same cases.
        power: chance of a verdict at the topics needed.
        losses: the topics on which the candidate loses most.
        fragility: the fewest units without which the other of the two is ahead; ``None`` where no removal
            does that, of clusters in several data sets, and with a machine judge.
        machine_topics: how many topics a machine judged, these among them; 0 without one.
        scale: what means and differences are in: ``logit``, ``elo``, or ``share`` of direct battles won; of
            battles only.
        covariates: what strengths are freed of; of battles at equal style only.
        direct: what battles between the two alone say; of battles only.
        notes: what to know before relying on the verdict.
        seed: of everything random.
        pairs_alike: of battles, whether every pair that met counted alike; left out for scores.
        differences: n, candidate minus baseline on each topic; of an arena, what each prompt adds to the
            difference of strengths.
        topic_names: n.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5], [0.2, 0.3], [0.4, 0.5], [0.1, 0.6]]
        >>> (decision,) = truerank.gate(scores)
        >>> decision.verdict, decision.candidate, decision.topics
        ('undecided', 'sys2', 4)
    """

    p_value: Annotated[float, Column("p", PValue())]
    p_margin: Annotated[OrNaN, Column("p, margin", PValue())]
    p_randomization: Annotated[OrNaN, Column("p, randomization", PValue(), details=True)]
    p_adjusted: Annotated[float, Column("p, adjusted", PValue(), meaning="adjusted for all comparisons")]
    topics: Annotated[int, Column("{Topics}", Count())]
    units: Annotated[int, Column("Units", Count(), details=True)]
    differing: Annotated[int, Column("Differing", Count(), details=True)]
    skewness: Annotated[float, Column("Skewness", Number(digits=2), details=True)]
    unit: Annotated[str, Column("Unit", Text(), details=True)]
    generalize_to: Annotated[
        str,
        Column("Generalizes to", Word(shown={"topics": "{topics}", "data_sets": "data sets"}), details=True),
    ]
    rule: Annotated[
        Rule,
        Column("Bounds by", Word(shown={"t": "Student’s t", "exact": "the exact bound"}), details=True),
    ]
    topics_needed: Annotated[int | None, Column("{Topics} needed", Count(rough=True))]
    topics_needed_low: Annotated[int | None, Column("Needed, low", Count(rough=True), details=True)]
    topics_needed_high: Annotated[int | None, Column("Needed, high", Count(rough=True), details=True)]
    topics_needed_prior: Annotated[
        Literal["table", "flat"] | None,
        Column(
            "Needed, if differences are",
            Word(shown={"table": "as in this table", "flat": "of any size"}),
            details=True,
        ),
    ]
    power: Annotated[float, Column("Power", Number(digits=2), details=True)]
    fragility: Annotated[int | None, Column("Fragility", Count(), details=True)]
    losses: tuple[TopicLoss, ...]
    notes: Notes
    machine_topics: Annotated[int, Column("Machine {topics}", Count(), details=True)] = 0
    scale: Annotated[LeftOut[Scale], Column("Scale", Text(), details=True)] = None
    covariates: LeftOut[tuple[str, ...]] = None
    direct: LeftOut[Direct] = None
    seed: Whole = 0
    pairs_alike: LeftOut[bool] = None
    differences: Unwritten[Vector] = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    topic_names: Unwritten[tuple[str, ...]] = field(repr=False, compare=False, default=())

    @property
    def by_strengths(self) -> bool:
        """Whether strengths of an arena are compared, which have no scores on single prompts."""
        return self.scale in ("logit", "elo")


@dataclass(frozen=True, eq=False, repr=False)
class Decisions(Shown, Generic[OneDecision]):
    """Decisions that were made together, by a gate of any kind.

    Attributes:
        decisions: by measure, candidate and data set; of each measure and candidate the one over all topics
            first.
    """

    decisions: tuple[OneDecision, ...]

    def __iter__(self) -> Iterator[OneDecision]:
        return iter(self.decisions)

    def __len__(self) -> int:
        return len(self.decisions)

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return self.decisions[0].noun

    @property
    def verdict(self) -> Verdict:
        """The worst verdict that counts, in the order of :data:`VERDICTS`."""
        overall = (one for one in self.decisions if one.data_set is None or one.verdict == "fail")
        return max((one.verdict for one in overall), key=VERDICTS.index)

    @property
    def passed(self) -> bool:
        """Whether everything that counts is better or passes: exit code 0."""
        return self.verdict in ("better", "pass")

    def to_dict(self) -> dict[str, Any] | list[dict[str, Any]]:
        """The one decision as JSON-ready data, or a list of several."""
        documents: list[dict[str, Any]] = plain(self.decisions)
        return documents[0] if len(documents) == 1 else documents


def best_first(decisions: Sequence[OneDecision]) -> tuple[OneDecision, ...]:
    """By measure, then by the difference over all topics, the best candidate first."""
    places = {(one.measure, one.candidate): -one.difference for one in reversed(decisions)}
    measures = list(dict.fromkeys(one.measure for one in decisions))
    return tuple(
        sorted(decisions, key=lambda one: (measures.index(one.measure), places[one.measure, one.candidate]))
    )


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Decisions[Decision]):
    """All decisions that were made together; what it lacks itself is asked of its only decision.

    With several, ``verdict`` is the worst that counts, and ``passed`` whether all that count pass.

    Example:
        >>> import truerank
        >>> scores = [[0.1, 0.5], [0.2, 0.7], [0.4, 0.8], [0.1, 0.6], [0.3, 0.8], [0.2, 0.5]]
        >>> result = truerank.gate(scores, margin=0.05)
        >>> result.passed, result.verdict, round(result.difference, 3)
        (True, 'better', 0.433)
    """

    def __repr__(self) -> str:
        first = self.decisions[0]
        if len(self) == 1:
            return f"<Gate {first.candidate} against {first.baseline}: {first.verdict}>"
        what = "candidates" if len({one.candidate for one in self}) == len(self) else "comparisons"
        count = Counter(one.verdict for one in self)
        counts = ", ".join(f"{count[one]} {one}" for one in reversed(VERDICTS) if count[one])
        return f"<Gate of {len(self)} {what} against {first.baseline}: {self.verdict} ({counts})>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "decisions" or len(self.decisions) > 1:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; ask each of its decisions")
        return getattr(self.decisions[0], name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(dir(self.decisions[0]) if len(self) == 1 else ())})

    @property
    def verdict(self) -> Verdict:
        """The worst verdict that counts: those over all topics, and any *fail*.

        *better* by several measures also needs p-values adjusted for all of them; without it is *pass*.
        """
        unsure = any(one.p_adjusted > 1 - one.level + 1e-12 for one in self.overall)
        return "pass" if super().verdict == "better" and unsure else super().verdict

    @property
    def overall(self) -> tuple[Decision, ...]:
        """The decisions over all topics, without those on single data sets."""
        return tuple(one for one in self.decisions if one.data_set is None)


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

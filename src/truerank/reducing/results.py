"""What a reduction says: topics, weights, and what they are worth for systems that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from truerank._support.display import Shown
from truerank._support.files import PathLike
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Bounded, Column, Count, Interval, Name, Number, Ranks, Word
from truerank._support.types import LeftOut, Level, OrNaN, Unwritten, Whole, WrittenAs
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.reading import Reading
from truerank.reducing.model import Model

Purpose = Literal["better", "like"]
"""Which new systems a reduction is for: better ones than all known, or ones like them.

Example:
    >>> from typing import get_args
    >>> from truerank.reducing import Purpose
    >>> get_args(Purpose)
    ('better', 'like')
"""


@dataclass(frozen=True)
class HeldOutTau:
    """A rank correlation over pairs of systems whose families were held out.

    Attributes:
        estimate: the correlation.
        low: lower end of its interval, from a jackknife over families.
        high: upper end.

    Example:
        >>> import numpy as np, truerank
        >>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
        >>> reduction = truerank.reduce(known, keep=10, repeats=1)
        >>> tau = reduction.tau_board
        >>> tau.low < tau.estimate < tau.high
        True
    """

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class RandomTopics:
    """τ with the full board of as many topics drawn at random, for the same pairs of systems.

    Attributes:
        plain: with plain means, on average over sets of topics.
        weighted: with weights learned as for chosen topics; null where none were learned.

    Example:
        >>> import numpy as np, truerank
        >>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
        >>> reduction = truerank.reduce(known, keep=10, repeats=1)
        >>> reduction.random.weighted is None
        True
    """

    plain: float
    weighted: float | None


@dataclass(frozen=True)
class Gain:
    """How much more τ with the full board chosen and weighted topics have.

    Attributes:
        estimate: over random topics with plain means.
        se: its standard error.
        helps: whether it is above 0 with 95% confidence.
        over_weighted: over random topics with weights.
        over_weighted_se: its standard error.

    Example:
        >>> Gain(estimate=0.05, se=0.02, helps=True, over_weighted=0.03, over_weighted_se=0.02).helps
        True
    """

    estimate: float
    se: float
    helps: bool
    over_weighted: float
    over_weighted_se: float


@dataclass(frozen=True)
class SizePoint:
    """What one number of topics kept is worth.

    Attributes:
        keep: topics kept.
        tau: τ with the full board, of systems held out; null where there are too few families.
        tau_low: lower end of its interval; null likewise.
        tau_high: upper end; null likewise.
        truth: τ with the true ranking; null likewise.
        random: τ with the full board of as many random topics; null likewise.
        half_width: of the interval of a new system's score on the full board.

    Example:
        >>> import numpy as np, truerank
        >>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
        >>> reduction = truerank.reduce(known, keep=10, repeats=1)
        >>> [one.keep for one in reduction.sizes]
        [10]
    """

    keep: Annotated[Whole, Column("Kept", Count(), meaning="{topics} kept")]
    tau: Annotated[OrNaN, Column("τ with the full board", Bounded(low="tau_low", high="tau_high", digits=2))]
    tau_low: OrNaN
    tau_high: OrNaN
    truth: Annotated[OrNaN, Column("τ with the truth", Number(digits=2))]
    random: Annotated[OrNaN, Column("Random {topics}", Number(digits=2))]
    half_width: Annotated[float, Column("Score ±", Number())]


@dataclass(frozen=True, eq=False, repr=False)
class Reduction(Noted, Written, Shown):
    """Topics to keep, how to score by them, and what that is worth for new systems.

    Attributes:
        measure: its name; empty when unknown.
        keep: topics kept.
        all_topics: topics of the full board.
        systems: known systems; of identical ones one.
        families: groups of near-copies among them.
        for_: which new systems the topics serve: ``better`` than all known, or ``like`` them. It is
            ``better`` where the scores do not support a choice for ``like``.
        asked: what was asked for.
        topics: names of those kept, in the order chosen.
        weights: what each counts.
        intercept: what is added to the weighted sum.
        tau_board: τ with the full board over pairs of systems held out; null where too few families.
        tau_truth: their τ with the true ranking; null likewise.
        ceiling: τ of the full board with the true ranking, over the same pairs; null likewise.
        random: as many random topics; null likewise.
        gain: over random topics; null for ``better``, where none is claimed.
        worth: how many random topics have the same τ with the full board; null where not asked or unknown.
        worth_is: whether that number is ``about`` right, ``at most`` or ``more than`` it; null without one.
        half_width: of the interval of a new system's score on the full board, at the level.
        rank_width: ranks of the full board in that interval, for the median known system.
        sizes: what each number of topics that was asked for is worth.
        target: τ with the full board that was asked for; null where none was.
        level: of the intervals.
        repeats: how often families were dealt to folds.
        seed: of everything random.
        notes: what to know before using it.
        version: of truerank.
        noun: what sentences call a topic.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.
        model: what scores new systems.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> known = rng.normal(0.5, 0.2, (60, 1)) + rng.normal(0, 0.1, 20) + rng.normal(0, 0.1, (60, 20))
        >>> reduction = truerank.reduce(known, keep=12, repeats=1)
        >>> len(reduction.topics), reduction.gain
        (12, None)
    """

    measure: str
    keep: Whole
    all_topics: Whole
    systems: Whole
    families: Whole
    for_: Annotated[Purpose, WrittenAs(**{"for": "for_"})]
    asked: Purpose
    topics: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    tau_board: HeldOutTau | None
    tau_truth: HeldOutTau | None
    ceiling: float | None
    random: RandomTopics | None
    gain: Gain | None
    worth: float | None
    worth_is: Literal["about", "at most", "more than"] | None
    half_width: float
    rank_width: Whole
    sizes: tuple[SizePoint, ...]
    target: float | None
    level: Level
    repeats: Whole
    seed: Whole
    model: Unwritten[Model]
    notes: Notes = ()
    version: str = __version__
    noun: Unwritten[Noun] = "topic"
    reading: LeftOut[Reading] = None

    def __repr__(self) -> str:
        return f"<Reduction to {self.keep} of {self.all_topics} topics, for {self.for_}>"

    def score(self, new: Any, *, level: float | None = None) -> Applied:
        """What new systems would score on the full board and in truth: :func:`truerank.reducing.apply`."""
        from truerank.reducing.applying import apply

        return apply(self.model, new, level=self.level if level is None else level)

    def save(self, path: PathLike) -> None:
        """Write what :func:`truerank.reducing.load` reads, as JSON.

        Raises:
            InputError: a folder that is missing or not writable.
        """
        self.model.save(path)


@dataclass(frozen=True)
class AppliedSystem:
    """What a new system's scores on the kept topics say.

    Attributes:
        system: its name.
        board_mean: score that is expected on the full board.
        low: lower end of the interval of that score.
        high: upper end.
        true_low: lower end of the interval of its true mean.
        true_high: upper end.
        rank_low: best rank that it may truly have among the known systems and itself.
        rank_high: worst rank that it may truly have.
        board_rank_low: best rank that it may have on the full board.
        board_rank_high: worst rank that it may have there.
        valid: whether the intervals hold: not for a system near or above the best known one, where the topics
            were chosen for ``like``.

    Example:
        >>> import numpy as np, truerank
        >>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
        >>> reduction = truerank.reduce(known, keep=10, repeats=1)
        >>> new = reduction.score([0.5] * 10).systems[0]
        >>> round(new.board_mean, 6), new.valid
        (0.5, True)
    """

    system: Annotated[str, Column("System", Name())]
    board_mean: Annotated[float, Column("Full board", Bounded(low="low", high="high"))]
    low: float
    high: float
    true_low: Annotated[float, Column("True mean", Interval(high="true_high"))]
    true_high: float
    rank_low: Annotated[
        Whole, Column("Rank range", Ranks(high="rank_high"), meaning="ranks that it may truly have")
    ]
    rank_high: Whole
    board_rank_low: Annotated[
        Whole, Column("Rank on the board", Ranks(high="board_rank_high"), meaning="on the full board")
    ]
    board_rank_high: Whole
    valid: Annotated[bool, Column("Valid", Word(shown={"True": "yes", "False": "no"}))]


@dataclass(frozen=True, eq=False, repr=False)
class Applied(Noted, Written, Shown):
    """New systems beside the known ones of a full board, by their scores on the kept topics.

    Attributes:
        measure: its name; empty when unknown.
        for_: which new systems the topics serve, as :class:`Reduction`.
        keep: topics kept.
        all_topics: topics of the full board.
        known: systems of the full board.
        best_known: the best of them.
        best_score: its score.
        level: of the intervals, each by itself.
        systems: the new ones, in the order of their scores.
        notes: what to know before using it.
        version: of truerank.
        noun: what sentences call a topic.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.

    Example:
        >>> import numpy as np, truerank
        >>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
        >>> reduction = truerank.reduce(known, keep=10, repeats=1)
        >>> reduction.score([0.5] * 10)
        <Applied: 1 new systems by 10 of 50 topics>
    """

    measure: str
    for_: Annotated[Purpose, WrittenAs(**{"for": "for_"})]
    keep: Whole
    all_topics: Whole
    known: Whole
    best_known: str
    best_score: float
    level: Level
    systems: tuple[AppliedSystem, ...]
    notes: Notes = ()
    version: str = __version__
    noun: Unwritten[Noun] = "topic"
    reading: LeftOut[Reading] = None

    def __repr__(self) -> str:
        return f"<Applied: {len(self.systems)} new systems by {self.keep} of {self.all_topics} topics>"

"""The results of a reduction: topics, weights, and what they are worth for new systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from truerank._support.display import Shown
from truerank._support.files import PathLike
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Bounded, Column, Count, Number
from truerank._support.types import LeftOut, Level, OrNaN, Unwritten, Whole, WrittenAs
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.reading import Reading
from truerank.reducing.model import Model, Purpose

if TYPE_CHECKING:
    from truerank.reducing.applying import Applied


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
        tau_low: lower end of its interval; null where `tau` is.
        tau_high: upper end; null where `tau` is.
        truth: τ with the true ranking; null where `tau` is.
        random: τ with the full board of as many random topics; null where `tau` is.
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
        systems: known systems; identical ones count once.
        families: groups of near-copies among them.
        for_: which new systems the topics serve: ``better`` than all known, or ``like`` them. It is
            ``better`` where the scores do not support a choice for ``like``.
        asked: the requested purpose.
        topics: names of those kept, in the order chosen.
        weights: what each counts.
        intercept: what is added to the weighted sum.
        tau_board: τ with the full board over pairs of systems held out; null where too few families.
        tau_truth: their τ with the true ranking; null where `tau_board` is.
        ceiling: τ of the full board with the true ranking, over the same pairs; null where `tau_board` is.
        random: as many random topics; null where `tau_board` is.
        gain: over random topics; null for ``better``, where none is claimed.
        worth: how many random topics have the same τ with the full board; null where that is unknown.
        worth_is: whether that number is ``about`` right, ``at most`` or ``more than`` it; null without one.
        half_width: of the interval of a new system's score on the full board, at the level.
        rank_width: ranks of the full board in that interval, for the median known system.
        sizes: one entry per requested number of topics.
        target: the requested τ with the full board; null without one.
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

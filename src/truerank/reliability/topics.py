"""Which topics decide a ranking: what each adds to the spread between systems, and which disagree with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import check_whole, keywords_checked
from truerank._support.display import Shown
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import Written
from truerank._support.seeds import stream
from truerank._support.tables import Column, Name, Number, Percent, Word
from truerank._support.types import Fraction, LeftOut, Matrix, OrNaN, Unwritten, Vector
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.errors import PairError
from truerank.kinds import BesideMachine
from truerank.readers import as_scores
from truerank.readers.missing import ALL_WAYS, Missing
from truerank.reading import Reading
from truerank.reliability.diagnostics import check_rankable
from truerank.reliability.means.means_of import has_topics, table_of, theta_of
from truerank.scores import TIE, ScoreMatrix, ranking_order

FIRST = 5  # number of topics named as those whose labels to read first

# How often scores are dealt to the systems anew, and how many scores at most in all.
DEALS, MOST_VALUES = 200, 10_000_000
HEAVY = 0.1  # the output states how much of the separation this share of the topics carries


@dataclass(frozen=True)
class DecidingTopic:
    """What one topic adds to a ranking.

    Attributes:
        topic: its name.
        data_set: the data set it is of; null where there are none.
        separation: its share of the separation of the systems; shares add up to 1, and one below 0
            disagrees with the ranking.
        item_rest: correlation, over systems, of the scores on it with the means of all other topics, in [−1,
            1]; null where either are all equal.
        mean: mean score of the systems that have one, low for a difficult topic; null where none has.
        variance_share: its share of the variance of systems' scores around their average, in [0, 1].
        dead: whether all systems that have a score on it have the same.
        leader_margin: score of the leader minus that of the second system; null where one has none.
    """

    topic: Annotated[str, Column("{Topic}", Name())]
    data_set: Annotated[str | None, Column("Data set", Name())]
    separation: Annotated[float, Column("Separation", Percent(digits=2))]
    item_rest: Annotated[OrNaN, Column("Item-rest", Number(digits=2, sign=True))]
    mean: Annotated[OrNaN, Column("Mean", Number())]
    variance_share: Annotated[Fraction, Column("Variance", Percent(digits=2), details=True)]
    dead: Annotated[bool, Column("Dead", Word(shown={"True": "yes", "False": "no"}), details=True)]
    leader_margin: Annotated[OrNaN, Column("Leader’s margin", Number(digits=3, sign=True), details=True)]

    @property
    def place(self) -> str:
        return self.topic if self.data_set in (None, self.topic) else f"{self.topic} ({self.data_set})"


@dataclass(frozen=True, eq=False, repr=False)
class Topics(Noted, Written, Shown):
    """What each topic adds to a ranking.

    Attributes:
        measure: its name; empty when unknown.
        systems: names, in ranking order.
        topics: one each, in the order of the scores.
        read_first: the topics whose labels are to be read first, five by default: lowest item-rest
            correlation, lowest first; of several data sets with theirs, ``q14 (law)``.
        heaviest_tenth: share of the variance that the tenth of the topics with most of it has, in [0, 1].
        against_by_chance: how many topics are expected to disagree with the ranking if all systems are
            equally good.
        carried_by_chance: what share of the separation that agrees with the ranking the tenth of the topics
            with most of it is expected to carry then, in [0, 1].
        notes: what to know before using the table.
        version: of truerank.
        noun: what sentences call a topic.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.
        right_or_wrong: whether all scores are 0 or 1.

    Example:
        >>> import truerank
        >>> result = truerank.topics([[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.2, 0.3, 0.7], [0.5, 0.5, 0.5]])
        >>> result.read_first[0], [one.topic for one in result.topics if one.dead]
        ('3', ['4'])
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[DecidingTopic, ...]
    read_first: tuple[str, ...]
    heaviest_tenth: Fraction
    against_by_chance: float
    carried_by_chance: Fraction
    notes: Notes
    version: str = __version__
    noun: Unwritten[Noun] = "topic"
    reading: LeftOut[Reading] = None
    right_or_wrong: Unwritten[bool] = False

    @property
    def carried(self) -> float:
        """Share of the separation that agrees with the ranking which the tenth with most of it has."""
        whole = sum(max(one.separation, 0.0) for one in self.topics)
        return sum(max(one.separation, 0.0) for one in self.separating) / max(whole, 1e-300)

    @property
    def separating(self) -> tuple[DecidingTopic, ...]:
        """The tenth of the topics that separate the systems most, the first first."""
        ordered = sorted(self.topics, key=lambda one: -one.separation)
        return tuple(ordered[: max(1, round(HEAVY * len(ordered)))])

    def __repr__(self) -> str:
        first = ", ".join(self.read_first)
        return f"<Topics: {len(self.topics)} × {len(self.systems)} systems, read first {first}>"


@keywords_checked
def topics(
    scores: Any, *, measure: str | None = None, missing: Missing = "error", list: int = FIRST
) -> Topics:
    """Which topics decide the ranking, and which labels to read first?

    The table finds topics to look at. Do not assess the ranking on topics that were chosen by it: they were
    chosen for agreeing. The expected τ is then too high by up to 0.2 (docs/methods/topics.md).

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes, of one or several data sets.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`.
        list: how many topics are named as those whose labels to read first.

    Returns:
        One row per topic. O(n·m).

    Raises:
        InputError: scores that cannot be ranked.
        PairError: two systems.
        UnknownNameError: no such measure.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> values = rng.normal([0.6, 0.5, 0.3], 0.1, (20, 3))
        >>> values[7] = values[7, ::-1]  # labels the wrong way round
        >>> truerank.topics(values).read_first[0]
        '8'
    """
    check_whole("list", list, 1)
    table = as_scores(scores, measure, missing, one_table="", ways=ALL_WAYS)
    table.refuse("this", BesideMachine)
    check_rankable(table)
    if table.m == 2:
        raise PairError(*table.systems)
    weights = table.topic_weights
    theta = weights @ table.values if table.complete else theta_of(table)
    order = ranking_order(theta)
    table = table.select(order)
    if empty := int(np.isnan(table.values).sum()):
        table = table.noting(
            Note(
                "empty-cells", {"case": "cells", "empty": empty, "cells": table.values.size, "used": "topics"}
            )
        )
    found = _measured(table, weights, theta[order])
    alive = sorted(
        (one for one in found if not one.dead and np.isfinite(one.item_rest)), key=lambda one: one.item_rest
    )
    shares = np.sort([one.variance_share for one in found])[::-1]
    against, carried = _by_chance(table, weights)
    return Topics(
        table.measure,
        table.systems,
        found,
        tuple(one.place for one in alive[:list]),
        float(shares[: max(1, round(HEAVY * len(found)))].sum()),
        against,
        carried,
        table.notes,
        noun=table.noun,
        reading=table.reading,
        right_or_wrong=bool(np.isin(table.values[~np.isnan(table.values)], (0, 1)).all()),
    )


def _measured(scores: ScoreMatrix, weights: Vector, theta: Vector) -> tuple[DecidingTopic, ...]:
    """One row per topic, of scores in ranking order; sums are over the systems with a score on it."""
    x, contrast = scores.values, theta - theta.mean()
    present = ~np.isnan(x)
    means, within = _centered(x, present)
    # What each topic's data set has on average; what all have where each has one topic.
    alone = scores.strata is None or not has_topics(scores)
    usual = np.tile(theta, (scores.n, 1)) if alone else table_of(scores)[scores.strata]
    squares = np.sum((weights[:, None] * (within - _centered(usual, present)[1])) ** 2, axis=1)
    separation = weights * (within @ contrast)
    # Each system's mean over the other topics that it has, where each counts by how it compares there.
    easy, _ = _centered(x - contrast, present)
    rows = np.where(present, weights[:, None] * (x - easy[:, None]), 0.0)
    shares = weights[:, None] * present
    rest = (rows.sum(axis=0) - rows) / np.maximum(shares.sum(axis=0) - shares, 1e-300)
    _, rest = _centered(rest, present)
    lengths = np.sqrt((within**2).sum(axis=1) * (rest**2).sum(axis=1))
    correlations = np.full(scores.n, np.nan)  # where either are all equal
    np.divide((within * rest).sum(axis=1), lengths, out=correlations, where=lengths > TIE**2)
    dead = np.where(present, x, -np.inf).max(axis=1) - np.where(present, x, np.inf).min(axis=1) <= TIE
    correlations[dead], separation[dead] = np.nan, 0.0
    columns = (
        separation / max(float(separation.sum()), 1e-300),
        np.clip(correlations, -1.0, 1.0),
        means,
        squares / max(float(squares.sum()), 1e-300),
        dead,
        x[:, 0] - x[:, 1],
    )
    sets: Sequence[str | None] = scores.data_set_of_each or [None] * scores.n
    rows_of = zip(scores.topics, sets, *(column.tolist() for column in columns), strict=True)
    return tuple(DecidingTopic(*row) for row in rows_of)


def _by_chance(scores: ScoreMatrix, weights: Vector) -> tuple[float, float]:
    """How many topics disagree, and what the first tenth carries, if scores are dealt to systems anew."""
    _, within = _centered(scores.values, ~np.isnan(scores.values))
    rows = weights[:, None] * within
    rows = rows[np.abs(rows).max(axis=1) > TIE * weights.max()]
    tenth = max(1, round(HEAVY * scores.n))
    rng = stream(0, "topics", "by chance")
    against, carried = [0], [1.0]
    if len(rows):
        deals = range(max(8, min(DEALS, MOST_VALUES // rows.size)))
        dealt = (rng.permuted(rows, axis=1) for _ in deals)
        parts = [one @ one.sum(axis=0) for one in dealt]
        against = [int(np.sum(part < 0)) for part in parts]
        gains = [np.sort(np.maximum(part, 0.0)) for part in parts]
        carried = [part[-tenth:].sum() / max(part.sum(), 1e-300) for part in gains]
    return float(np.mean(against)), float(np.mean(carried))


def _centered(values: Matrix, present: NDArray[np.bool_]) -> tuple[Vector, Matrix]:
    """The mean of each topic over the cells that are there, and what differs from it; 0 where none is."""
    filled = np.where(present, values, 0.0)
    counts = present.sum(axis=1)
    means = filled.sum(axis=1) / np.where(counts, counts, np.nan)
    return means, np.where(present, filled - means[:, None], 0.0)

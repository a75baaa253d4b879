"""The mean score of one system: its interval, and the topics that an interval of a given width takes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from truerank._support.arguments import keywords_checked, setting
from truerank._support.display import Shown
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Bounded, Column, Count, Name, Number, Significant
from truerank._support.types import LeftOut, Level, Unwritten, WholeOrInfinite
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.errors import InputError, at
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics.intervals import check_levels, fewest, in_unit_range, t_half, unit_interval
from truerank.readers import as_scores
from truerank.readers.missing import Missing
from truerank.reading import Reading
from truerank.reliability.diagnostics import too_few
from truerank.reliability.means.means_of import Question, means_of
from truerank.scores import TIE, ScoreMatrix


@dataclass(frozen=True, eq=False, repr=False)
class MeanScore(Noted, Written, Shown):
    """The mean score of one system, with its interval.

    Attributes:
        measure: its name; empty when unknown.
        system: its name.
        topics: number of topics; of data sets where these are the sample.
        effective: effective number of these: as many, counting alike, would leave the same error.
        mean: mean score.
        level: confidence level of the interval.
        mean_low: lower end of the interval of its true mean.
        mean_high: upper end.
        se: standard error of the mean.
        half_width: half the width that an interval is to have; by default half of today's.
        topics_needed: topics that an interval of this width takes, if they vary like these; infinite
            beyond a million.
        notes: what to know before using the mean.
        version: of truerank.
        noun: what sentences call a topic.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.

    Example:
        >>> import truerank
        >>> found = truerank.mean_score([[1], [0], [1], [1], [0], [1], [1], [1]], half_width=0.1)
        >>> found.mean, round(found.mean_low, 2), round(found.mean_high, 2), found.topics_needed
        (0.75, 0.33, 0.95, 82)
    """

    measure: str
    system: Annotated[str, Column("System", Name())]
    topics: Annotated[int, Column("{Topics}", Count())]
    effective: Annotated[float, Column("In effect", Number(digits=1), details=True)]
    mean: Annotated[
        float,
        Column("Mean ({level} interval)", Bounded(low="mean_low", high="mean_high"), meaning="mean score"),
    ]
    level: Level
    mean_low: float
    mean_high: float
    se: Annotated[float, Column("SE", Number(), meaning="standard error of the mean")]
    half_width: Annotated[
        float,
        Column("Target half-width", Significant(), meaning="half the width that an interval is to have"),
    ]
    topics_needed: Annotated[
        WholeOrInfinite, Column("{Topics} needed", Count(), meaning="{topics} that such an interval takes")
    ]
    notes: Notes
    version: str = __version__
    noun: Unwritten[Noun] = "topic"
    reading: LeftOut[Reading] = None

    def __repr__(self) -> str:
        ends = f"{self.mean_low:.3f} to {self.mean_high:.3f}"
        return f"<MeanScore of {self.system}: {self.mean:.3f}, {self.level:.0%} interval {ends}>"


def _column(scores: Any) -> Any:
    """A vector of scores as a table of one column; anything else as it is."""
    if isinstance(scores, Mapping):
        return {"sys1": scores} if scores and all(map(np.isscalar, scores.values())) else scores
    if isinstance(scores, (str, bytes, os.PathLike, ScoreMatrix)) or np.ndim(scores) != 1:
        return scores
    if hasattr(scores, "to_frame"):
        return scores.to_frame("sys1" if scores.name is None else scores.name)
    return np.reshape(scores, (-1, 1))


@keywords_checked
def mean_score(
    scores: Any,
    *,
    level: float = 0.95,
    half_width: float | None = None,
    measure: str | None = None,
    missing: Missing = "error",
    generalize_to: Question | None = None,
) -> MeanScore:
    """The mean score of one system, its interval, and how many topics a narrower one takes.

    The interval is that of each system in :func:`truerank.assess` (docs/methods/intervals.md).

    Args:
        scores: one score per topic, as an array, a series or ``{topic: score}``; else a ScoreMatrix of one
            column, or anything :func:`truerank.read_scores` takes.
        level: confidence level of the interval, in (0, 1).
        half_width: half the width that the interval is to have; by default half of today's.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`.
        generalize_to: ``topics`` or ``data_sets``, as :func:`truerank.assess`.

    Returns:
        The mean and its interval. O(n).

    Raises:
        InputError: several systems, fewer than three topics, equal scores, or scores of a machine.
        UnknownNameError: no such measure.

    Example:
        >>> import truerank
        >>> truerank.mean_score([[3.1], [4.4], [2.9], [5.0]])
        <MeanScore of sys1: 3.850, 95% interval 2.235 to 5.465>
    """
    (level,) = check_levels(level)
    table = as_scores(_column(scores), measure, missing, one_table="")
    _check(table, half_width, generalize_to)
    # Means are made to compare systems, so a copy stands beside the column.
    means = means_of(table.select([0, 0]), generalize_to)
    errors, degrees = means.system_errors()
    mean, se, df = float(means.theta[0]), float(errors[0]), float(np.broadcast_to(degrees, 2)[0])
    now = table.k if means.of_data_sets and table.k > 1 else table.n
    bounded = in_unit_range(table.values)

    def ends(topics: float) -> tuple[float, float]:
        """Ends of the interval with so many topics that vary like these."""
        share = topics / now
        half = float(t_half(max((df + 1) * share - 1, 1.0), level)) * se / share**0.5
        if not bounded:
            return mean - half, mean + half
        low, high = unit_interval(np.array([mean]), np.array([half]), topics, level)
        return float(low[0]), float(high[0])

    def half(topics: float) -> float:
        low, high = ends(topics)
        return (high - low) / 2

    wanted = half(now) / 2 if half_width is None else float(half_width)
    effective = means.effective
    if table.clusters is not None and not means.of_data_sets and se > 0:
        alone = means_of(replace(table, clusters=None).select([0, 0]), generalize_to)
        effective = alone.effective * float(alone.system_errors()[0][0] / se) ** 2
    return MeanScore(
        table.measure,
        table.systems[0],
        now,
        effective,
        mean,
        level,
        *ends(now),
        se,
        wanted,
        fewest(lambda topics: -half(topics), -wanted, 3),
        table.notes,
        noun="data set" if means.of_data_sets else table.noun,
        reading=table.reading,
    )


def _check(table: ScoreMatrix, half_width: float | None, generalize_to: Question | None) -> None:
    """Refuse what has no mean of one system, or one whose error is unknown."""
    where = at(table.source)
    table.refuse("the mean of one system", BesideMachine, InBattles)
    if table.m > 1:
        raise InputError(f"{where}{table.m} systems; the mean of one takes one column. Name it, or rank them")
    if table.n < 3:
        raise too_few(table)
    if "," in (generalize_to or ""):
        raise InputError(
            f"{where}one system does not show how facets vary between systems; use "
            f"{setting('generalize_to', 'topics')}"
        )
    same = float(np.ptp(table.values)) <= TIE
    if same and float(table.values[0, 0]) not in (0.0, 1.0):
        raise InputError(
            f"{where}all scores are equal ({table.values[0, 0]:g}), so nothing shows how they vary; "
            f"check that {table.systems[0]!r} ran"
        )
    if half_width is not None and not 0 < half_width < np.inf:
        raise InputError(f"{setting('half_width', half_width)}: give a width above 0, in the unit of scores")

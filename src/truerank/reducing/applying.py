"""New systems by their scores on the kept topics: their place on the full board, and in truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from truerank._support.arguments import keywords_checked, setting
from truerank._support.display import Shown
from truerank._support.files import PathLike
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Bounded, Column, Interval, Name, Ranks, Word
from truerank._support.types import LeftOut, Level, Matrix, Unwritten, Vector, Whole, WrittenAs
from truerank._support.units import Noun, Unit
from truerank._support.version import __version__
from truerank._support.wording import count, listed, some
from truerank.errors import InputError, at
from truerank.numerics.intervals import check_levels
from truerank.readers import as_scores
from truerank.readers.missing import Missing
from truerank.reading import Reading
from truerank.reducing.model import Model, Purpose, load, row_names
from truerank.scores import TIE, ScoreMatrix


@dataclass(frozen=True)
class AppliedSystem:
    """A new system, by its scores on the kept topics.

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
        <Applied: 1 new system by 10 of 50 topics>
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
        return (
            f"<Applied: {count(len(self.systems), 'new system')} by {self.keep} of {self.all_topics} topics>"
        )


@keywords_checked
def apply(
    model: Model | PathLike,
    new: Any,
    *,
    level: float = 0.95,
    measure: str | None = None,
    missing: Missing = "error",
) -> Applied:
    """What new systems would score on the full board and in truth, by their scores on the kept topics.

    Args:
        model: as :attr:`Reduction.model` or :func:`load` has it, or the file of one.
        new: scores of new systems, by topic: anything :func:`truerank.read_scores` takes, or one system's
            scores as topic → score. Other topics than the kept ones are ignored. An array has one row per
            kept topic, in their order.
        level: of the intervals, each by itself, in (0, 1).
        measure: which measure, where `new` holds several.
        missing: ``error`` or ``zero``, as :func:`truerank.read_scores`.

    Returns:
        One row per new system.

    Raises:
        InputError: kept topics without a score, scores of another direction, or a model that cannot be read.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> known = rng.normal(0.5, 0.2, (60, 1)) + rng.normal(0, 0.1, 20) + rng.normal(0, 0.1, (60, 20))
        >>> reduction = truerank.reduce(known, keep=12, repeats=1)
        >>> new = truerank.reducing.apply(reduction.model, {topic: 0.5 for topic in reduction.topics})
        >>> new.systems[0].board_mean
        0.5
    """
    (level,) = check_levels(level)
    if not isinstance(model, Model):
        model = load(model)
    scores = _scores(model, new, measure, missing)
    own = zip(scores.systems, _kept(model, scores).T, strict=True)
    rows, notes = [_placed(model, system, values, level) for system, values in own], list(scores.notes)
    if above := [row.system for row in rows if not row.valid]:
        notes.append(_above(model, above))
    known = {one.system for one in model.known}
    if again := [one for one in scores.systems if one in known]:
        said = f"systems that have the name of a known one are counted as new ones beside it: {some(again)}"
        notes.append(Note("known-names", said, systems=tuple(again)))
    best = max(model.known, key=lambda one: one.mean)
    return Applied(
        model.measure,
        model.for_,
        len(model.topics),
        model.all_topics,
        len(model.known),
        best.system,
        best.mean,
        level,
        tuple(rows),
        tuple(notes),
        noun=model.noun,  # type: ignore[arg-type]
        reading=scores.reading,
    )


def _scores(model: Model, new: Any, measure: str | None, missing: Missing) -> ScoreMatrix:
    """The scores of the new systems."""
    if isinstance(new, Mapping) and new and all(isinstance(item, int | float) for item in new.values()):
        new = {"new": dict(new)}
    if isinstance(new, list | tuple | np.ndarray) and not any(isinstance(item, str) for item in new):
        values = np.asarray(new, dtype=np.float64)
        values = values[:, None] if values.ndim == 1 else values
        if len(values) != len(model.topics):
            raise InputError(
                f"{len(values)} scores for {len(model.topics)} {Unit.of(model.noun).many}. Give one for "
                "each, in the order of topics."
            )
        return ScoreMatrix.build(values, model.topics)
    scores = as_scores(new, measure, missing, one_table="")
    if scores.reading is not None and model.direction and scores.reading.direction != model.direction:
        raise InputError(
            f"{at(scores.source)}{scores.reading.direction} here, and {model.direction} in the model. "
            "Read the scores as they were read for the choice."
        )
    return scores


def _kept(model: Model, scores: ScoreMatrix) -> Matrix:
    """k × s, the scores on the kept topics, in their order."""
    places = {name: row for row, name in enumerate(row_names(scores))}
    unit = Unit.of(model.noun)
    if absent := [name for name in model.topics if name not in places]:
        raise InputError(
            f"{at(scores.source)}no scores on {len(absent)} of the {unit.count(len(model.topics))} kept: "
            f"{listed(absent)}. Score the new systems on all of them."
        )
    values: Matrix = scores.values[[places[name] for name in model.topics]]
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise InputError(
            f"{at(scores.source)}{scores.systems[column]!r} has no score on {model.topics[row]!r}. "
            f"Score it there, or count missing scores as 0: {setting('missing', 'zero')}."
        )
    return values


def _placed(model: Model, system: str, own: Vector, level: float) -> AppliedSystem:
    """The intervals of one system, from its k scores (docs/methods/reducing.md)."""
    from scipy.stats import t as student

    n, k, m, families = model.all_topics, len(own), len(model.known), model.families
    expected = float(model.intercept + np.asarray(model.weights) @ own)
    if model.for_ == "like":
        degrees, between = families - 1, model.error**2 * (1 + 1 / families)
        spread = max(expected * (1 - expected), 0.0) if model.binary else model.spread
        board, truth = between, between + spread / n
    else:
        degrees, spread = k - 1, float(own.var(ddof=1))
        spread = spread if spread > TIE else model.spread
        between = truth = spread / k
        board = (1 - k / n) * between
    t = float(student.ppf((1 + level) / 2, degrees))
    means, variances = model.means, np.array([one.variance for one in model.known])
    half, true_half = t * np.sqrt(board), t * np.sqrt(truth)
    beside = t * np.sqrt(between + variances / n)
    return AppliedSystem(
        system=system,
        board_mean=expected,
        low=float(expected - half),
        high=float(expected + half),
        true_low=float(expected - true_half),
        true_high=float(expected + true_half),
        rank_low=1 + int(np.sum(means - expected > beside)),
        rank_high=m + 1 - int(np.sum(expected - means > beside)),
        board_rank_low=1 + int(np.sum(means > expected + half)),
        board_rank_high=1 + int(np.sum(means > expected - half)),
        valid=bool(model.for_ == "better" or expected + half <= means.max()),
    )


def _above(model: Model, systems: list[str]) -> Note:
    one = "it" if len(systems) == 1 else "them"
    return Note(
        "above-known",
        f"{listed(systems)}: above or near the best known system",
        "alert",
        tuple(systems),
        meaning=f"these weights pull {one} down, and the intervals are not valid; score {one} on all "
        f"{Unit.of(model.noun).many} or on a random draw",
    )

"""One comparison before its verdict: two arms, their contrast, and what each unit adds to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.tables import Bounded, Column, Count, Number
from truerank._support.types import Fraction, Matrix, OrNaN, Vector
from truerank.errors import InputError, at
from truerank.numerics import special
from truerank.numerics.resampling import bootstrap_blocks, single_step_p_values
from truerank.reliability.fragility import overtaking
from truerank.reliability.means import Means, means_of
from truerank.reliability.means import Question as QuestionOfSets
from truerank.reliability.means.facets import facets_named, sampled_warnings
from truerank.reliability.means.means_of import (
    corrected_of,
    has_topics,
    question_of,
    table_of,
    topics_of,
)
from truerank.reliability.pair.arms import Arms, one_data_set, without_runs
from truerank.reliability.pair.contrast import (
    Contrast,
    contrast_of,
    few_differ,
    interval,
    p_value,
    plain_contrast,
    rule_of,
)
from truerank.scores import TIE, MachineScores, ScoreMatrix

Scale = Literal["logit", "elo", "share"]
"""The scales of differences: strengths in logits or Elo points, or shares of direct battles won."""

BEYOND_CHANCE = 3.0
"""The two disagree beyond this many standard errors: consistent battles reach 2 in up to 10%."""


@dataclass(frozen=True)
class Direct:
    """The battles between two systems alone, compared with the whole graph.

    Attributes:
        battles: how many there are.
        prompts: on how many prompts (voters).
        share: the candidate's share of wins in them, a tie as half a win; null without battles.
        low: lower end of the interval of its true share, at the gate's level, this candidate by itself; null
            with fewer than three prompts.
        high: upper end of it; null in the same cases.
        expected: the share that the strengths of the whole graph expect.
        disagreement: logit of the share less the difference of strengths, in standard errors; null with
            fewer than six battles, and where one of the two won all.
    """

    battles: Annotated[int, Column("Direct battles", Count())]
    prompts: Annotated[int, Column("Prompts", Count())]
    share: Annotated[OrNaN, Column("Won ({level})", Bounded(low="low", high="high", digits=3))]
    low: OrNaN
    high: OrNaN
    expected: Annotated[Fraction, Column("Expected", Number())]
    disagreement: Annotated[OrNaN, Column("Disagreement", Number(digits=1, sign=True))]

    @property
    def disagrees(self) -> bool:
        """Whether direct battles and the whole graph disagree beyond chance."""
        return abs(self.disagreement) > BEYOND_CHANCE


Key = tuple[str, str]
"""What a row of influences is of: the same in every comparison that it is part of."""


@dataclass(frozen=True, eq=False)
class Question:
    """One candidate against the baseline by one measure, over all topics or those of one data set.

    Attributes:
        arms: baseline and candidate.
        data_set: the one that it is about; ``None`` for all.
        contrast: their difference.
        means: 2, of baseline and candidate.
        parts: N, what each unit adds to the difference; their signs are what a randomization test flips.
        keys: N, what each unit is.
        unit: ``topic``, ``cluster``, ``data set`` or ``family of data sets``.
        seen: how many of the units have human scores, where a machine judged more of them; ``None`` where all
            have.
        levels: the facets on whose new levels the verdict is to hold.
    """

    arms: Arms
    data_set: str | None
    contrast: Contrast
    means: Vector
    parts: Vector
    keys: tuple[Key, ...]
    unit: str
    seen: int | None = None
    levels: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many units people judged."""
        return len(self.parts) if self.seen is None else self.seen

    @property
    def differing(self) -> int:
        """On how many of these the two differ."""
        return round(self.contrast.differing / self.contrast.units * self.count)

    @property
    def each(self) -> tuple[Matrix, Vector]:
        """What baseline and candidate score on each topic, n × 2, and the differences, n."""
        return self.arms.scores.values, self.arms.differences

    @property
    def fragility(self) -> int | None:
        """The fewest units without which the other of the two is ahead; ``None`` where no removal does that.

        Nor is it known for topics and clusters of several data sets, and for means corrected by a machine.
        """
        if self.seen is not None or (self.arms.scores.k > 1 and self.unit in ("topic", "cluster")):
            return None
        found = overtaking((-1.0 if self.contrast.estimate < 0 else 1.0) * self.parts)
        return None if found is None else len(found)


def questions_of(
    arms: Arms,
    whole: ScoreMatrix,
    generalize_to: QuestionOfSets | None = None,
    largest: float | None = None,
    guaranteed: bool = False,
    each_data_set: bool = False,
) -> list[Question]:
    """Over all topics first; with `each_data_set` then on each data set of two topics or more."""
    arms = without_runs(arms)
    if arms.scores.machine:
        return [_corrected(arms, arms.scores.machine, whole, largest)]
    if generalize_to is not None and "," in generalize_to:
        return [_over_levels(arms, whole, generalize_to, guaranteed)]
    found = [_question(arms, None, largest, guaranteed, question_of(arms.scores, generalize_to))]
    if each_data_set and arms.scores.k > 1 and has_topics(arms.scores):
        sets = [(name, one_data_set(arms, k)) for k, name in enumerate(arms.scores.data_sets)]
        found += [_question(alone, name, largest, guaranteed) for name, alone in sets if alone.scores.n > 1]
    return found


def _question(
    arms: Arms,
    data_set: str | None,
    largest: float | None = None,
    guaranteed: bool = False,
    asked: QuestionOfSets = "topics",
) -> Question:
    scores, d = arms.scores, arms.differences
    if scores.k == 1 and scores.clusters is None:
        name = data_set if data_set is not None else (scores.data_sets or ("",))[0]
        keys = tuple((name, topic) for topic in scores.topics)
        means = scores.values.mean(axis=0)
        contrast = plain_contrast(d, largest, guaranteed)
        return Question(arms, data_set, contrast, means, d, keys, "topic")
    if guaranteed:
        raise InputError(
            f"{at(scores.source)}{setting('guarantee')} needs one plain mean over {scores.unit.many}, not "
            f"{'clusters of them' if scores.clusters is not None else 'an average over data sets'}; leave it "
            "out"
        )
    means_found = means_of(scores, asked)
    parts, keys = _parts_of_data_sets(scores) if asked == "data_sets" else _parts(scores, d)
    share = float(np.mean(np.abs(parts) > TIE / len(d)))
    contrast = contrast_of(means_found, share)
    if len(parts) == len(d) == scores.k and not scores.weights:  # one score per data set: a plain mean
        contrast = plain_contrast(d, largest)
    return Question(arms, data_set, contrast, means_found.theta, parts, keys, means_found.unit)


FEWEST_LEVELS = 3
"""Fewest levels of a facet from which anything follows about other levels."""


def few_levels(scores: ScoreMatrix, question: QuestionOfSets) -> str:
    """The first facet of ``topics,A,B`` with too few levels for a verdict on others; empty if none."""
    _, *names = question.split(",")
    if not names:
        return ""
    facets = facets_named(scores, names)
    levels = dict(zip(facets.names, facets.levels, strict=True))
    return next((name for name in names if len(levels[name]) < FEWEST_LEVELS), "")


@lru_cache(maxsize=1)
def _means_over_levels(scores: ScoreMatrix, asked: QuestionOfSets) -> Means:
    """Shared by all systems that are compared with a baseline."""
    return means_of(scores, asked)


def _over_levels(arms: Arms, whole: ScoreMatrix, generalize_to: QuestionOfSets, guaranteed: bool) -> Question:
    """On new levels of facets too, whose noise all systems of the table show together."""
    where, asked = at(whole.source), question_of(whole, generalize_to)
    if name := few_levels(whole, asked):
        raise InputError(
            f"{where}fewer than {FEWEST_LEVELS} levels of {name!r} are too few for a verdict on others. Add "
            f"levels, or keep these fixed: {setting('generalize_to', asked.split(',')[0].replace('_', '-'))}"
        )
    if guaranteed:
        raise InputError(f"{where}{setting('guarantee')} is for new {whole.unit.many} alone; leave it out")
    if arms.notes:
        raise InputError(
            f"{where}{arms.baseline!r} or {arms.candidate!r} lacks {whole.unit.many}, so there is no verdict "
            f"on new levels; use {setting('missing', 'complete')} or {setting('missing', 'zero')}"
        )
    found = _means_over_levels(whole, asked)
    parts, keys = _parts(arms.scores, arms.differences)
    first, second = whole.systems.index(arms.baseline), whole.systems.index(arms.candidate)
    share = float(np.mean(np.abs(parts) > TIE / arms.scores.n))
    contrast = contrast_of(found, share, first, second)
    names = tuple(asked.split(",")[1:])
    notes = sampled_warnings(facets_named(whole, names), names, whole.m)
    if contrast.share_of_levels >= FEW_OF_LEVELS:
        notes.append(
            Note("run-noise", {"case": "levels", "facets": list(names), "share": contrast.share_of_levels})
        )
    arms = replace(arms, notes=tuple(notes))
    means = found.theta[[first, second]]
    return Question(arms, None, contrast, means, parts, keys, found.unit, levels=names)


FEW_OF_LEVELS = 0.1
"""Below this share of the variance of a difference more topics decide it, whatever its levels do."""

LEVEL = 0.95
"""The level at which an interval is compared with that of people alone."""

ROUNDING = 1e-9
"""Widths that differ by less than this part are the same."""


def _corrected(arms: Arms, machine: MachineScores, whole: ScoreMatrix, largest: float | None) -> Question:
    """Over human topics, whose difference a machine's scores of more topics correct by the λ of this pair."""
    from truerank.reliability.means.corrected import corrected

    theta = corrected_of(whole).means.theta
    base = theta[whole.systems.index(arms.baseline)]
    alone = _question(replace(arms, scores=replace(arms.scores, machine=None)), None, largest)
    alone = replace(alone, means=base + np.array([0.0, alone.contrast.estimate]))
    if not len(machine.rest):
        return alone
    found = corrected(arms.scores.values, machine.values, machine.matched)
    differing, n = alone.contrast.differing, arms.scores.n
    contrast = contrast_of(found.means, differing / n)
    # The error is known no better than from the human topics, however many the machine's are.
    known = min(contrast.degrees, float(found.means.stratum_degrees[0]), contrast.units - 1)
    contrast = replace(contrast, degrees=max(known, 1.0))
    if few_differ(differing, n) or _width(contrast) >= _width(alone.contrast) * (1 - ROUNDING):
        facts = {"pair": [arms.baseline, arms.candidate], "unit": arms.scores.unit.one}
        note = Note("machine-useless", {"case": "pair", **facts})
        return replace(alone, arms=replace(alone.arms, notes=(*arms.notes, note)))
    d = arms.differences
    of_machine = machine.values[:, 1] - machine.values[:, 0]
    of_machine = found.scale * (of_machine - of_machine.mean())
    parts = np.concatenate(
        [(d - of_machine[machine.matched]) / n, of_machine[machine.rest] / len(machine.rest)]
    )
    keys = (*alone.keys, *((alone.keys[0][0], machine.topics[t]) for t in machine.rest))
    means = base + np.array([0.0, contrast.estimate])
    return Question(arms, None, contrast, means, parts, keys, "topic", n)


def _width(contrast: Contrast) -> float:
    low, high = interval(contrast, LEVEL)
    return high - low


def _parts_of_data_sets(scores: ScoreMatrix) -> tuple[Vector, tuple[Key, ...]]:
    """What each data set, or each family of them, adds to the average over data sets."""
    table = table_of(scores)
    each: Vector = scores.set_weights * (table[:, 1] - table[:, 0])
    if not scores.families:
        return each, tuple((name, "") for name in scores.data_sets)
    names, place = np.unique(np.array(scores.families), return_inverse=True)
    parts = np.asarray(np.bincount(place.ravel(), weights=each), dtype=np.float64)
    return parts, tuple((f"family {name}", "") for name in names)


def _parts(scores: ScoreMatrix, d: Vector) -> tuple[Vector, tuple[Key, ...]]:
    """What each topic or cluster adds to the average over data sets, in the order of the influence rows."""
    parts: list[Vector] = []
    keys: list[Key] = []
    for k, weight in enumerate(scores.set_weights):
        topics = topics_of(scores, k)
        each = weight * d[topics] / len(topics)
        name = scores.data_sets[k] if scores.data_sets else ""
        if scores.clusters is None:
            parts.append(each)
            keys += [(name, scores.topics[t]) for t in topics]
        else:
            groups, place = np.unique(scores.clusters[topics], return_inverse=True)
            parts.append(np.asarray(np.bincount(place.ravel(), weights=each), dtype=np.float64))
            keys += [("", f"cluster {group}") for group in groups]
    return np.concatenate(parts), tuple(keys)


RESAMPLES = 10_000
"""Resamples behind adjusted p-values: a Monte Carlo error of 0.0022 at 0.05."""

LARGEST = 37.0
"""Normal quantiles beyond this count as certain."""


@dataclass(frozen=True)
class Family:
    """How k comparisons are judged together.

    Attributes:
        adjusted: k, two-sided p-values of no difference, adjusted for all comparisons.
        levels: k, of the interval of each alone, at which those of its group hold together.
    """

    adjusted: Vector
    levels: Vector


def judged_together(
    questions: Sequence[Question], level: float, seed: int, groups: Sequence[int] | None = None
) -> Family:
    """Adjust k comparisons for each other: p-values for all, intervals within each group (a measure)."""
    contrasts = [one.contrast for one in questions]
    p = np.array([p_value(one) for one in contrasts])
    of = np.zeros(len(questions), dtype=np.intp) if groups is None else np.asarray(groups)
    if len(questions) == 1:
        return Family(p, np.array([level]))
    if any(one.levels for one in questions):  # resampling topics hides levels’ noise: Bonferroni
        return Family(np.minimum(len(p) * p, 1.0), 1 - (1 - level) / np.bincount(of)[of])
    # The same digits in whatever order systems and topics are.
    columns = np.lexsort((p, of))
    rows = _joined(questions)[:, columns]
    rows = rows[np.lexsort(rows.T)]
    ordered = [questions[k] for k in columns]
    largest = np.concatenate(list(_largest(rows, ordered, of[columns], seed)))
    quantiles = np.quantile(largest, level, axis=0, method="higher")
    levels = np.maximum(1 - 2 * special.ndtr(-quantiles), level)
    levels[np.bincount(of) == 1] = level
    z = np.clip(-special.ndtri(p / 2), 0.0, LARGEST)
    adjusted = single_step_p_values(z, [largest.max(axis=1, keepdims=True)])
    return Family(np.maximum(adjusted, p), levels[of])


def _joined(questions: Sequence[Question]) -> Matrix:
    """N × k influence rows: each topic is one row, whichever comparisons it takes part in."""
    places: dict[Key, int] = {}
    for one in questions:
        for key in one.keys:
            places.setdefault(key, len(places))
    rows = np.zeros((len(places), len(questions)))
    for k, one in enumerate(questions):
        rows[[places[key] for key in one.keys], k] = one.contrast.rows
    return rows


def _largest(
    rows: Matrix, questions: Sequence[Question], groups: NDArray[np.intp], seed: int
) -> Iterator[Matrix]:
    """The largest |normal score| of each group, in blocks of resamples × groups."""
    contrasts = [one.contrast for one in questions]
    units, degrees, errors = (
        np.array([getattr(one, name) for one in contrasts]) for name in ("units", "degrees", "error")
    )
    exact = np.array([rule_of(one) == "exact" for one in contrasts])
    kinds = [
        (group, ~exact & (groups == group) & (degrees == value), value)
        for group in range(max(groups) + 1)
        for value in np.unique(degrees[~exact & (groups == group)])
    ]
    rng = stream(seed, "gate", "max-T")
    for counts in bootstrap_blocks(len(rows), RESAMPLES, rng):
        weights = counts.astype(np.float64)
        first, second = (weights @ rows**power for power in (1, 2))
        squares = second - first**2 / units
        own = np.where(exact | (squares <= 1e-12 * second), errors, np.sqrt(np.maximum(squares, 0.0)))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(first) * np.sqrt((units - 1) / units) / own
        t[np.isnan(t)] = 0.0
        largest = np.zeros((len(t), max(groups) + 1))
        for group in range(largest.shape[1]):
            largest[:, group] = t[:, exact & (groups == group)].max(axis=1, initial=0.0)
        for group, some, value in kinds:
            tail = special.stdtr(value, -t[:, some].max(axis=1))
            np.maximum(largest[:, group], np.minimum(-special.ndtri(tail), LARGEST), out=largest[:, group])
        yield np.minimum(largest, LARGEST)

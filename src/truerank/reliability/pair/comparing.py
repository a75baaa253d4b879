"""One pair of systems before its verdict: their scores, whether these can carry one, and the difference."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.notes import Note
from truerank._support.tables import Bounded, Column, Count, Number
from truerank._support.types import Fraction, Matrix, OrNaN, Vector
from truerank._support.wording import joined
from truerank.errors import InputError, at, unknown_name
from truerank.readers.missing import FILLED, Filled, Missing, lacking_notes, treat_missing, zero_is_worst
from truerank.reliability.diagnostics import too_few
from truerank.reliability.leader import overtaking
from truerank.reliability.means import Question, means_of
from truerank.reliability.means.facets import FEWEST_LEVELS, facets_named, sampled_warnings
from truerank.reliability.means.means_of import (
    corrected_of,
    has_topics,
    question_of,
)
from truerank.reliability.pair.contrast import (
    Contrast,
    PairPrior,
    contrast_of,
    few_differ,
    interval,
    plain_contrast,
)
from truerank.scores import LARGEST, TIE, MachineScores, ScoreMatrix, unknown_system

FEWEST = 3  # fewest topics for any statement
FEWEST_SHARED = 0.5  # pairs that share a smaller fraction of the topics of either are not compared


def name_arms(
    scores: ScoreMatrix, baseline: str | None, candidates: str | Sequence[str] | None
) -> tuple[str, tuple[str, ...]]:
    """The baseline and the candidates: of two systems the first and the second, unless said otherwise."""
    where = at(scores.source)
    candidates = [candidates] if isinstance(candidates, str) else candidates or ()
    if scores.m < 2:
        file = f" {shlex.quote(scores.source)}" if scores.source and os.path.isfile(scores.source) else ""
        alone = either("truerank.mean_score", f"truerank assess{file}")
        raise InputError(
            f"{where}only one system ({scores.systems[0]!r}); a comparison needs a baseline and a candidate. "
            f"For the interval of one mean use {alone}"
        )
    for name in (baseline, *candidates):
        if name is not None and name not in scores.systems:
            raise unknown_system(scores, name)
    if baseline is None:
        rest = [name for name in scores.systems if name not in candidates]
        if scores.m > 2 and len(rest) != 1:
            hint = "".join(f". {note.text}" for note in scores.notes if note.code == "runs-as-systems")
            which = setting("baseline", scores.systems[0])
            raise InputError(f"{where}{scores.m} systems; say which one is the baseline ({which}){hint}")
        if not rest:
            raise InputError(f"{where}both systems are candidates; one must be the baseline")
        baseline = rest[0]
    chosen = tuple(dict.fromkeys(candidates)) or tuple(name for name in scores.systems if name != baseline)
    if baseline in chosen:
        raise InputError(f"{where}{baseline!r} is both baseline and candidate; compare two systems")
    return baseline, chosen


def pair_scores(
    scores: ScoreMatrix, baseline: str, candidate: str, missing: Literal["error", "common"] = "common"
) -> ScoreMatrix | str:
    """The complete n × 2 scores on the topics that both have, or why no verdict is possible."""
    where, unit = at(scores.source), scores.unit
    if scores.n < FEWEST:
        return str(too_few(scores))
    pair = scores.select([scores.systems.index(baseline), scores.systems.index(candidate)])
    pair = replace(pair, notes=tuple(n for note in pair.notes if (n := note.among(pair.systems))))
    named = f"the baseline {baseline!r}", f"the candidate {candidate!r}"
    there = ~np.isnan(pair.values)
    if (empty := ~there.any(axis=0)).any():
        return f"{where}{named[int(empty.argmax())]} has no results{_by(pair)}; it may never have run"
    both = np.asarray(there.all(axis=1))
    shared, fewer = int(both.sum()), int(there.sum(axis=0).min())
    if shared < FEWEST or shared < FEWEST_SHARED * fewer:
        return (
            f"{where}{baseline!r} and {candidate!r} share {shared or 'no'} "
            f"{unit.one if shared == 1 else unit.many} of {len(both)}{_by(pair)}; a verdict needs the same "
            f"{unit.many} in both: are these the right files?"
        )
    lacking = there.any(axis=1) & ~both
    if missing == "error" and lacking.any():
        t = int(lacking.argmax())
        without, (data_set, topic) = pair.systems[int(there[t, 0])], pair.keys[t]
        of_set = f" of data set {data_set!r}" if data_set and pair.k < pair.n else ""
        zero = f" or {setting('missing', 'zero')}" if zero_is_worst(pair) else ""
        return (
            f"{where}{without!r} has no score on {unit.one} {topic!r}{of_set}{_by(pair)} "
            f"({int(lacking.sum())} of {len(both)} {unit.many} lack one of the two); add it, or use "
            f"{setting('missing', 'common')}{zero}"
        )
    kept = pair.rows(np.flatnonzero(both))
    all_right = np.isin(kept.values, (0, 1)).all() & (kept.values[0] == 1)
    if (constant := (np.ptp(kept.values, axis=0) <= TIE) & ~all_right).any():
        s = int(constant.argmax())
        return (
            f"{where}{named[s]} has the same score ({kept.values[0, s]:g}) on all "
            f"{unit.count(kept.n)}{_by(pair)}; constant scores decide nothing: did it run?"
        )
    if lacking.any():
        facts = {
            "case": "pair",
            "pair": [baseline, candidate],
            "of": len(both),
            "topics": [pair.topics[t] for t in np.flatnonzero(lacking)],
            "data_sets": [pair.k - kept.k, pair.k] if kept.k < pair.k < pair.n else None,
            "listed": pair.k == pair.n > 1,
            "unit": unit.one,
        }
        notes = lacking_notes(pair.values, pair.systems, unit)
        kept = kept.noting(Note("topics-left-out", facts), *notes)
    return kept


def margins_of(
    tables: Sequence[ScoreMatrix],
    margin: float | Mapping[str, float],
    range: Sequence[float] | None = None,
) -> list[float]:
    """The margin of each measure: its own, or one for all of them if they have the same range."""
    names = [one.measure.removeprefix("−") for one in tables]  # without the sign of reversed scores
    if isinstance(margin, Mapping):
        if unknown := [name for name in margin if name not in names]:
            if any(names):
                raise unknown_name("measure with a margin", unknown[0], names)
            hint = either(f"margin={margin[unknown[0]]:g}", f"--margin {margin[unknown[0]]:g}")
            raise InputError(f"{at(tables[0].source)}the scores name no measure {unknown[0]!r}; use {hint}")
        return [margin.get(name, 0.0) for name in names]
    if margin and len(tables) > 1:
        largest = {None if one.battles is not None else largest_difference(one, range) for one in tables}
        if None in largest or len(largest) > 1:
            each = (f"--margin {shlex.quote(f'{name}={margin:g}')}" for name in names)
            hint = either(f"margin={dict.fromkeys(names, margin)}", " ".join(each))
            raise InputError(
                f"{at(tables[0].source)}the margin {margin:g} may not mean the same by {joined(names)}; give "
                f"one for each: {hint}"
            )
    return [margin] * len(tables)


def check_margin(margin: float, scores: ScoreMatrix | None = None) -> None:
    if not (isinstance(margin, int | float | np.number) and 0 <= margin <= LARGEST):
        raise InputError(
            f"the margin must be a number of 0 or more ({LARGEST:g} at most), in units of the score, not "
            f"{margin!r}"
        )
    if scores is None:
        return
    low, high = float(np.nanmin(scores.values)), float(np.nanmax(scores.values))
    if margin >= high - low > 0:
        hint = f"; write {margin / 100:g} for {margin:g}%" if margin >= 1 and high <= 1 else ""
        raise InputError(
            f"{at(scores.source)}the margin {margin:g} is as wide as the range of all scores{_by(scores)} "
            f"({low:g} to {high:g}), so nothing could fail. It is in units of the score{hint}"
        )


def check_level(level: float) -> None:
    is_number = isinstance(level, int | float | np.number)
    if not (is_number and 0.5 < level < 1):
        hint = f"; write {level / 100:g} for {level:g}%" if is_number and 50 < level < 100 else ""
        raise InputError(f"the level must be above 0.5 and below 1, not {level!r}{hint}")


def _by(scores: ScoreMatrix) -> str:
    return f" by {scores.measure}" if scores.measure else ""


POLICIES = ("error", "common", "complete", "zero")


def before_arms(missing: Filled) -> Missing:
    """How scores are to be read: under ``error`` and ``common`` cells stay empty until the arms are known."""
    if missing not in POLICIES:
        raise unknown_name("way to treat missing scores", missing, POLICIES)
    return missing if missing in ("complete", "zero") else "model"


def treated(table: ScoreMatrix, missing: Filled) -> ScoreMatrix:
    """Scores that are read already, with their empty cells treated as ``complete`` or ``zero`` say."""
    return treat_missing(table, missing, FILLED) if missing in ("complete", "zero") else table


SHARES = {
    *("ap", "map", "bpref", "err", "nerr", "infap", "iprec", "iprec_at_recall", "ndcg", "ndcg_cut", "p", "r"),
    *("rbp", "recip_rank", "rprec", "rr", "mrr", "success", "acc", "acc_norm", "accuracy", "em"),
    *("exact_match", "f1", "map_cut", "pass", "precision", "recall", "resolved"),
}
"""Measures whose scores lie between 0 and 1, without their cutoffs."""


def score_range(table: ScoreMatrix, given: Sequence[float] | None) -> tuple[float, float] | None:
    """The lowest and highest possible score; ``None`` where the range is unknown."""
    values = table.values[~np.isnan(table.values)]
    if given is not None:
        low, high = checked_range(given)
        turned = (-high, -low)  # that of the file, where scores have got a minus sign since
        ranges = [turned, (low, high)] if table.measure.startswith("−") else [(low, high)]
        for bounds in ranges:
            if bounds[0] <= values.min() and values.max() <= bounds[1]:
                return bounds
        in_file = -values if len(ranges) > 1 else values
        outside = float(in_file.min() if in_file.min() < low else in_file.max())
        raise InputError(
            f"{at(table.source)}the score {outside:g} is outside of {low:g} to {high:g}; give "
            f"the range that scores can have with {setting('range')}, or leave it out"
        )
    name = table.measure.casefold().split("@")[0].split("(")[0].rstrip("_0123456789.")
    share = name in SHARES and values.min() >= 0 and values.max() <= 1
    scored = values if table.facets is None else table.facets.values[~np.isnan(table.facets.values)]
    of_runs = table.repeats is not None and table.repeats.binary
    return (0.0, 1.0) if share or of_runs or np.isin(scored, (0, 1)).all() else None  # all right or wrong


def largest_difference(table: ScoreMatrix, given: Sequence[float] | None = None) -> float | None:
    """The largest possible difference of two scores; ``None`` where their range is unknown."""
    bounds = score_range(table, given)
    return None if bounds is None else bounds[1] - bounds[0]


def checked_range(bounds: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (float(one) for one in bounds)
    except (TypeError, ValueError):
        raise InputError(f"the range is two numbers, such as (0, 1), not {bounds!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"the range must go from a number to a larger one, not from {low:g} to {high:g}")
    return low, high


Scale = Literal["logit", "elo", "share"]
"""The scales of differences: strengths in logits or Elo points, or shares of direct battles won."""

# The two disagree beyond this many standard errors: consistent battles reach 2 in up to 10%.
BEYOND_CHANCE = 3.0


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


Key = tuple[str, str]  # what a row of influences is of: the same in every comparison that it is part of


@dataclass(frozen=True, eq=False)
class Pair:
    """One candidate against the baseline by one measure, over all topics or those of one data set."""

    scores: ScoreMatrix  # n × 2, the baseline first, complete; of an arena what each unit adds
    data_set: str | None  # the one that it is about; ``None`` for all
    contrast: Contrast  # their difference
    means: Vector  # 2, of baseline and candidate
    parts: Vector  # N, what each unit adds to the difference; their signs are what a randomization test flips
    keys: tuple[Key, ...]  # N, what each unit is: the same in every comparison that it is part of
    unit: str  # ``topic``, ``cluster``, ``data set`` or ``family of data sets``
    # How many of the units have human scores, where a machine judged more of them; ``None`` where all have
    seen: int | None = None
    levels: tuple[str, ...] = ()  # the facets on whose new levels the verdict is to hold
    scale: Scale | None = None  # of battles, what the difference is in
    # The battles between the two; ``None`` where there are only two systems, so that all are
    direct: Direct | None = None
    # how many battles, prompts or other units the verdict rests on, before any were dealt to groups
    played: int | None = None
    covariates: tuple[str, ...] | None = None  # what strengths are freed of
    if_open: tuple[Note, ...] = ()  # what to know if it is inconclusive
    prior: Callable[[], PairPrior | None] | None = None  # what the table says of true differences

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
        """What both score on each topic, n × 2, and the differences, n; of strengths what each unit adds."""
        values = self.scores.values
        if self.scale in ("logit", "elo"):
            values = (values - values.mean(axis=0)) / len(values)
        return values, values[:, 1] - values[:, 0]

    @property
    def fragility(self) -> int | None:
        """The fewest units without which the other of the two is ahead; ``None`` if none, or not known."""
        sets = self.scores.k > 1 and self.unit in ("topic", "cluster")
        if self.seen is not None or sets or self.scale is not None:
            return None
        found = overtaking((-1.0 if self.contrast.estimate < 0 else 1.0) * self.parts)
        return None if found is None else len(found)


def pairs_of(
    scores: ScoreMatrix,
    whole: ScoreMatrix,
    generalize_to: Question | None = None,
    largest: float | None = None,
    guaranteed: bool = False,
    each_data_set: bool = False,
) -> list[Pair]:
    """Over all topics of two systems; with `each_data_set` then on each data set of two topics or more."""
    scores = replace(scores, repeats=None, facets=None)  # differences of cell means have the noise of runs
    if scores.machine:
        return [_corrected(scores, scores.machine, whole, largest)]
    if generalize_to is not None and "," in generalize_to:
        return [_over_levels(scores, whole, generalize_to, guaranteed)]
    found = [_pair(scores, None, largest, guaranteed, question_of(scores, generalize_to))]
    if each_data_set and scores.k > 1 and has_topics(scores):
        assert scores.strata is not None
        for k, name in enumerate(scores.data_sets):
            alone = scores.rows(np.flatnonzero(scores.strata == k))
            alone = replace(alone, strata=None, data_sets=(), weights=(), families=(), notes=whole.notes)
            if alone.n > 1:
                found.append(_pair(alone, name, largest, guaranteed))
    return found


def _pair(
    scores: ScoreMatrix,
    data_set: str | None,
    largest: float | None = None,
    guaranteed: bool = False,
    asked: Question = "topics",
) -> Pair:
    d = np.diff(scores.values)[:, 0]
    if scores.k == 1 and scores.clusters is None:
        keys = tuple((data_set or name, topic) for name, topic in scores.keys)
        contrast = plain_contrast(d, largest, guaranteed)
        return Pair(scores, data_set, contrast, scores.values.mean(axis=0), d, keys, "topic")
    if guaranteed:
        raise InputError(
            f"{at(scores.source)}{setting('guarantee')} needs one plain mean over {scores.unit.many}, not "
            f"{'clusters of them' if scores.clusters is not None else 'an average over data sets'}; leave it "
            "out"
        )
    means, (parts, keys) = means_of(scores, asked), _parts(scores, asked)
    if len(parts) == len(d) == scores.k and not scores.weights:  # one score per data set: a plain mean
        contrast = plain_contrast(d, largest)
    else:
        contrast = contrast_of(means, float(np.mean(np.abs(parts) > TIE / len(d))))
    return Pair(scores, data_set, contrast, means.theta, parts, keys, means.unit)


def few_levels(scores: ScoreMatrix, question: Question) -> str:
    """The first facet of ``topics,A,B`` with too few levels for a verdict on others; empty if none."""
    _, *names = question.split(",")
    facets = facets_named(scores, names) if names else None
    levels = dict(zip(facets.names, facets.levels, strict=True)) if facets else {}
    return next((name for name in names if len(levels[name]) < FEWEST_LEVELS), "")


_means_over_levels = lru_cache(maxsize=1)(means_of)  # shared by all systems that are compared with a baseline


def _over_levels(scores: ScoreMatrix, whole: ScoreMatrix, generalize_to: Question, guaranteed: bool) -> Pair:
    """On new levels of facets too, whose noise all systems of the table show together."""
    where, asked = at(whole.source), question_of(whole, generalize_to)
    if name := few_levels(whole, asked):
        raise InputError(
            f"{where}fewer than {FEWEST_LEVELS} levels of {name!r} are too few for a verdict on others. Add "
            f"levels, or keep these fixed: {setting('generalize_to', asked.split(',')[0].replace('_', '-'))}"
        )
    if guaranteed:
        raise InputError(f"{where}{setting('guarantee')} is for new {whole.unit.many} alone; leave it out")
    if scores.n < whole.n:
        raise InputError(
            f"{where}{scores.systems[0]!r} or {scores.systems[1]!r} lacks {whole.unit.many}, so there is no "
            f"verdict on new levels; use {setting('missing', 'complete')} or {setting('missing', 'zero')}"
        )
    means, (parts, keys) = _means_over_levels(whole, asked), _parts(scores)
    places = [whole.systems.index(name) for name in scores.systems]
    contrast = contrast_of(means, float(np.mean(np.abs(parts) > TIE / scores.n)), *places)
    names = tuple(asked.split(",")[1:])
    notes, share = sampled_warnings(facets_named(whole, names), names, whole.m), contrast.share_of_levels
    if share >= FEW_OF_LEVELS:
        notes.append(Note("run-noise", {"case": "levels", "facets": list(names), "share": share}))
    both = means.theta[places]
    return Pair(scores.noting(*notes), None, contrast, both, parts, keys, means.unit, levels=names)


# Below this share of the variance of a difference more topics decide it, whatever its levels do.
FEW_OF_LEVELS = 0.1
LEVEL = 0.95  # the level at which an interval is compared with that of people alone
ROUNDING = 1e-9  # widths that differ by less than this part are the same


def _corrected(
    scores: ScoreMatrix, machine: MachineScores, whole: ScoreMatrix, largest: float | None
) -> Pair:
    """Over human topics, whose difference a machine's scores of more topics correct by the λ of this pair."""
    from truerank.reliability.means.corrected import corrected

    theta = corrected_of(whole).means.theta
    base = theta[whole.systems.index(scores.systems[0])]
    alone = _pair(replace(scores, machine=None), None, largest)
    alone = replace(alone, means=base + np.array([0.0, alone.contrast.estimate]))
    if not len(machine.rest):
        return alone
    found = corrected(scores.values, machine.values, machine.matched)
    differing, n = alone.contrast.differing, scores.n
    contrast = contrast_of(found.means, differing / n)
    # The error is known no better than from the human topics, however many the machine's are.
    known = min(contrast.degrees, float(found.means.stratum_degrees[0]), contrast.units - 1)
    contrast = replace(contrast, degrees=max(known, 1.0))
    if few_differ(differing, n) or _width(contrast) >= _width(alone.contrast) * (1 - ROUNDING):
        facts = {"case": "pair", "pair": list(scores.systems), "unit": scores.unit.one}
        return replace(alone, scores=alone.scores.noting(Note("machine-useless", facts)))
    of_machine = np.diff(machine.values)[:, 0]
    of_machine = found.scale * (of_machine - of_machine.mean())
    of_both = (alone.parts - of_machine[machine.matched]) / n
    parts = np.concatenate([of_both, of_machine[machine.rest] / len(machine.rest)])
    keys = (*alone.keys, *((alone.keys[0][0], machine.topics[t]) for t in machine.rest))
    means = base + np.array([0.0, contrast.estimate])
    return Pair(scores, None, contrast, means, parts, keys, "topic", n)


def _width(contrast: Contrast) -> float:
    low, high = interval(contrast, LEVEL)
    return high - low


def _parts(scores: ScoreMatrix, asked: Question = "topics") -> tuple[Vector, tuple[Key, ...]]:
    """What each topic, cluster, data set or family adds to the difference, in the order of influence rows."""
    each = scores.topic_weights * np.diff(scores.values)[:, 0]
    strata, clusters, keys = scores.stratum_of_each, scores.clusters, scores.keys
    if asked == "data_sets":
        units, place = scores.data_sets, strata
        if scores.families:
            names, of_set = np.unique(np.array(scores.families), return_inverse=True)
            units, place = tuple(f"family {name}" for name in names), of_set[strata]
        return np.bincount(place, each).astype(np.float64), tuple((name, "") for name in units)
    if clusters is not None:
        within = strata * (int(clusters.max()) + 1) + clusters
        _, first, place = np.unique(within, return_index=True, return_inverse=True)
        units = tuple(f"cluster {group}" for group in clusters[first])
        return np.bincount(place, each).astype(np.float64), tuple(("", name) for name in units)
    order = np.argsort(strata, kind="stable")
    return each[order], tuple(keys[t] for t in order)

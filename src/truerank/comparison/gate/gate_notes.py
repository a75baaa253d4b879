"""What to know before relying on a verdict: of the differences, and of runs behind the two arms."""

from __future__ import annotations

import math

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import listed
from truerank.errors import InputError, at
from truerank.reliability.pair.arms import Arms
from truerank.reliability.pair.contrast import Verdict, few_differ, rule_of
from truerank.reliability.pair.question import Question
from truerank.scores import ScoreMatrix

SKEWED = -1.0  # skewness of a claim's differences below which more claims are false than the level says


def findings_of(question: Question, verdict: Verdict, margin: float) -> list[Note]:
    """On few differing topics, differences that are all the same, and skewness against the claim."""
    contrast = question.contrast
    unit, counted = question.arms.scores.unit.one, question.arms.scores.unit_of(question.unit).one
    deciding = {
        "bounded": contrast.bounded,
        "copies": contrast.differing == 0,
        "plain": contrast.differences is not None,
    }
    if contrast.differing == 0:
        return [Note("identical", {"case": "copies", "unit": unit, **deciding})]
    found = []
    if few_differ(contrast.differing, contrast.units):
        facts = {"differing": question.differing, "of": question.count, "unit": counted}
        found.append(Note("few-differ", {**facts, **deciding}))
    elif contrast.error == 0:
        found.append(
            Note(
                "unseen-losses", {"case": "constant", "unit": unit, "weighted": contrast.weights is not None}
            )
        )
    skewness = -contrast.unit_skewness if verdict == "fail" else contrast.unit_skewness
    if verdict != "undecided" and rule_of(contrast) == "t" and skewness < SKEWED:
        found.append(Note("skewed", {"verdict": verdict, "skewness": contrast.unit_skewness}))
    if verdict == "undecided" and abs(contrast.estimate + margin) < contrast.error:
        found.append(Note("close-call", {"unit": counted}))
    return found


def check_shared(scores: ScoreMatrix, shared_seeds: bool) -> None:
    """Refuse shared seeds where runs have no labels that systems share."""
    runs, unit = scores.repeats, scores.unit.one
    if not shared_seeds or (runs is not None and runs.labeled is not None):
        return
    way = f"leave {setting('shared_seeds')} out"
    if scores.facets is not None:
        names = listed([repr(name) for name in scores.facets.names])
        what = f"runs are averaged at each level of {names}, and shared seeds are not counted there"
    elif runs is not None and runs.measure != "mean":
        what = f"shared seeds are counted for means of runs, and {runs.measure} is not one"
    elif runs is not None and not runs.several:
        what = f"each system has one run on every {unit}, so shared seeds change nothing"
    elif runs is not None and runs.column:
        what = f"systems do not all have each label of column {runs.column!r} once on every {unit}"
    else:
        what = f"no column says which runs of the two share a seed on every {unit}"
        way += f", or name the column with {setting('run_column')}"
    raise InputError(f"{at(scores.source)}{what}; {way}")


def run_notes(arms: Arms, shared_seeds: bool, margin: float, level: float) -> tuple[list[Note], list[Note]]:
    """What part of the variance of the difference comes from runs; nothing where they do not show it.

    The second part is for an inconclusive gate: how many runs would decide.
    """
    scores, d = arms.scores, arms.differences
    runs = scores.repeats
    if runs is None or scores.k > 1 or scores.clusters is not None or not np.isfinite(runs.variances).any():
        return [], []
    total = float(d.var(ddof=1)) / len(d)
    if shared_seeds and runs.labeled is not None:
        values = runs.labeled.values.reshape(len(d), -1, 2)
        differences = values[:, :, 1] - values[:, :, 0]
        per_topic = differences.var(axis=1, ddof=1) / differences.shape[1]
    else:
        from truerank.reliability.means.run_noise import Filled

        per_topic = Filled.of(runs, scores.values).cells.sum(axis=1)
    part = float(per_topic.mean()) / len(d)
    if not total > 0:
        return [], []
    share = min(max(part / total, 0.0), 1.0)
    k = float(np.mean(1 / runs.counts)) ** -1
    wanted = _deciding_runs(abs(float(d.mean()) + margin), total, part, k, len(d), level)
    away = (
        []
        if wanted == 0
        else [Note("run-noise", {"case": "to-decide", "runs": wanted, "unit": scores.unit.one})]
    )
    return [Note("run-noise", {"case": "share", "share": share})], away


def _deciding_runs(gap: float, total: float, part: float, runs: float, n: int, level: float) -> int | None:
    """Runs of each topic at which a difference as large as today's would decide on today's topics.

    None where no number of runs would, 0 where today's would.
    """
    from truerank.numerics.special import stdtrit

    largest = (gap / float(stdtrit(n - 1, (1 + level) / 2))) ** 2
    topics = max(total - part, 0.0)
    if largest <= topics:
        return None
    wanted = math.ceil(part * runs / (largest - topics))
    return 0 if wanted <= runs else wanted

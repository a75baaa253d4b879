"""What to know before relying on a verdict: of the differences, and of runs behind the two arms."""

from __future__ import annotations

import math

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.notes import Note
from truerank._support.units import Unit
from truerank._support.wording import percent, two_digits
from truerank.errors import InputError, at
from truerank.reliability.pair.arms import Arms
from truerank.reliability.pair.contrast import Contrast, Verdict, few_differ, rule_of
from truerank.reliability.pair.question import Question
from truerank.scores import ScoreMatrix

SKEWED = -1.0  # skewness of a claim's differences below which more claims are false than the level says


def findings_of(question: Question, verdict: Verdict, margin: float) -> list[Note]:
    """On few differing topics, differences that are all the same, and skewness against the claim."""
    contrast = question.contrast
    unit, units = question.arms.scores.unit, question.arms.scores.unit_of(question.unit).many
    if contrast.differing == 0:
        same = f"the two have the same score on every {unit.one}"
        copied = f"check whether one is a copy of the other. Elsewhere they may differ; {_deciding(contrast)}"
        return [Note("copies", same, meaning=copied)]
    found = []
    if few_differ(contrast.differing, contrast.units):
        what = f"only {question.differing} of {question.count} {units} differ"
        seen = f"rare losses may not have been seen yet; {_deciding(contrast)}"
        found.append(Note("few-differ", what, meaning=seen))
    elif contrast.error == 0:
        same = f"the same difference on every {unit.one}"
        copied = "" if contrast.weights is not None else "is one made from the other? "  # one may win all
        seen = (
            f"{copied}No spread was seen, so the interval is too narrow: rare losses may not have been seen"
        )
        found.append(Note("constant-difference", same, meaning=seen))
    skewness = -contrast.unit_skewness if verdict == "fail" else contrast.unit_skewness
    if verdict != "undecided" and rule_of(contrast) == "t" and skewness < SKEWED:
        side = "gains" if verdict == "fail" else "losses"
        signed = f"{contrast.unit_skewness:+.1f}".replace("-", "−")
        what = f"a few large {side} speak against this verdict (skewness {signed})"
        often = f"it is false more often than its level says. {setting('guarantee')} holds the level"
        found.append(Note("skewed", what, meaning=often))
    if verdict == "undecided" and abs(contrast.estimate + margin) < contrast.error:
        close = "the difference is within one standard error of what decides"
        found.append(
            Note("close-call", close, meaning=f"if it is truly so close, a verdict needs far more {units}")
        )
    return found


def _deciding(contrast: Contrast) -> str:
    """What decides where few units differ, or none."""
    if contrast.bounded:
        return "the exact bound decides"
    what = "nothing decides" if contrast.differing == 0 else "Student’s t decides"
    hint = either("range=(LOW, HIGH)", "--range LOW,HIGH")
    exact = f". Where scores have a range, {hint} gives an exact bound"
    return what + exact * (contrast.differences is not None)


def check_shared(scores: ScoreMatrix, shared_seeds: bool) -> None:
    """Refuse shared seeds where runs have no labels."""
    if shared_seeds and (scores.repeats is None or scores.repeats.labeled is None):
        raise InputError(
            f"{at(scores.source)}no column says which runs of the two share a seed on every "
            f"{scores.unit.one}; leave {setting('shared_seeds')} out, or name the column with "
            f"{setting('run_column')}"
        )


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
    share = percent(min(max(part / total, 0.0), 1.0))
    k = float(np.mean(1 / runs.counts)) ** -1
    of_runs = Note("run-share", f"run noise makes up {share} of the variance of this difference")
    away = _deciding_runs(scores.unit, abs(float(d.mean()) + margin), total, part, k, len(d), level)
    return [of_runs], [Note("runs-to-decide", away)] if away else []


def _deciding_runs(
    unit: Unit, gap: float, total: float, part: float, runs: float, n: int, level: float
) -> str:
    """Runs of each topic at which a difference as large as today's would decide on today's topics."""
    from truerank.numerics.special import stdtrit

    largest = (gap / float(stdtrit(n - 1, (1 + level) / 2))) ** 2
    topics = max(total - part, 0.0)
    if largest <= topics:
        return (
            f"a difference as small as this stays inconclusive on these {unit.many} with any number of runs"
        )
    wanted = math.ceil(part * runs / (largest - topics))
    if wanted <= runs:
        return ""
    return (
        f"if the difference stays as it is, about {two_digits(wanted):,} runs of each of these {unit.many} "
        "would decide"
    )

"""Scores of which lower is better: told by the user, by the format, or by the measure's name."""

from __future__ import annotations

import re
from dataclasses import replace

from truerank._support.arguments import either
from truerank._support.wording import Alert
from truerank.readers.columns import plain
from truerank.readers.raw_scores import RawScores
from truerank.repeats import negated

_LOWER = re.compile(
    r"(.*_)?(latency|runtime|cost|costs|price|perplexity|ppl|wer|cer|ter|mer|word_error_rate|error_rate|loss|nll"
    r"|mae|mse|rmse|brier|brier_score|ece|edit_distance|levenshtein|crossentropy|cross_entropy|bits_per_byte"
    r"|word_perplexity|byte_perplexity|hallucination_rate|toxicity)(_.*)?"
)


def is_lower_better(measure: str) -> bool:
    """Whether lower is better by a measure, as far as its name tells.

    >>> [is_lower_better(name) for name in ("WER", "latency_ms", "perplexity,none", "answer", "AP")]
    [True, True, True, False, False]
    """
    return bool(measure) and _LOWER.fullmatch(plain(measure).replace(",", "_")) is not None


def higher_is_better(raw: RawScores, lower: bool | None) -> RawScores:
    """The scores with a minus sign where lower is better, under a name that says so.

    Args:
        raw: what was read.
        lower: what the user says; None where the format or the measure's name is to tell.
    """
    known = raw.lower_is_better or is_lower_better(raw.measure)
    if lower is False or (lower is None and not known):
        return raw
    name = raw.measure or "the score"
    decides = either("lower_is_better=False", "--higher-is-better")
    why = "" if lower else f"; {decides} if not"
    note = f"lower is better by {name}, so scores are shown with a minus sign{why}"
    return replace(
        raw,
        values=-raw.values,
        measure=f"−{raw.measure}" if raw.measure else "−score",
        notes=[note if lower else Alert(note), *raw.notes],
        repeats=None if raw.repeats is None else raw.repeats.negated(),
        facets=tuple(map(negated, raw.facets)),
    )

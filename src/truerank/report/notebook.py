"""An assessment as it shows itself in a notebook: the answer and the top of the ranking."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from truerank.report.parts.answer import agreement_sentence, pairs_sentence, subject, top_sentences
from truerank.report.templating import fill
from truerank.report.words import level_text, sentence

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

SHOWN = 10
"""Systems that a notebook shows."""


def notebook_html(assessment: Assessment) -> str:
    """A small piece of HTML without script or style sheet, in the notebook's own colours. O(1) size."""
    return str(
        fill(
            "notebook.html",
            subject=subject(assessment),
            sentences=[
                agreement_sentence(assessment),
                pairs_sentence(assessment),
                *top_sentences(assessment),
            ],
            ranking=assessment.ranking[:SHOWN],
            more=max(0, len(assessment.ranking) - SHOWN),
            known=not math.isnan(assessment.ranking[0].rank_low),
            level=level_text(assessment.settings.levels[0]),
            warnings=[sentence(warning) for warning in assessment.warnings],
            headline=assessment.headline_estimator,
        )
    )

"""An assessment as it shows itself in a notebook: the answer and the top of the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank.report.parts.answer import agreement_sentence, pairs_sentence, subject, top_sentences
from truerank.report.templating import fill
from truerank.report.words import level_text, sentence

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

SHOWN = 10
"""Systems that a notebook shows."""


def notebook_html(assessment: Assessment) -> str:
    """The answer and the ten best systems, as a notebook shows an assessment (docs/report.md).

    A small piece of HTML without script or style sheet, in the notebook's own colours; its size does not
    grow with the systems. Notebooks call it by themselves.

    Args:
        assessment: what :func:`truerank.assess` returned.

    Returns:
        The HTML of one element, names and warnings escaped.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> html = notebook_html(truerank.assess(scores, ["ml"], draws=100, seed=1))
        >>> html.count("<tr>"), "sys1" in html, "<script" in html
        (4, True, False)
    """
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
            known=assessment.ranking[0].rank_low is not None,
            level=level_text(assessment.settings.levels[0]),
            warnings=[sentence(warning) for warning in assessment.warnings],
            headline=assessment.headline_estimator,
        )
    )

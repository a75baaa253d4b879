"""An assessment as it shows itself in a notebook: the answer and the top of the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import escape

from truerank.errors import InputError
from truerank.report.parts.answer import agreement_sentence, pairs_sentence, subject, top_sentences
from truerank.report.parts.machine import machine_sentences
from truerank.report.templating import fill
from truerank.report.units import score_word
from truerank.report.words import level_text, sentence

if TYPE_CHECKING:
    from truerank.comparison.gate import Gate
    from truerank.reliability.results import Assessment

SHOWN = 10
"""Systems that a notebook shows."""


def notebook_html(result: Assessment | Gate) -> str:
    """The answer and the ten best systems, as a notebook shows an assessment; or a verdict (docs/report.md).

    A small piece of HTML without script or style sheet, in the notebook's own colours; its size does not
    grow with the systems. Notebooks call it by themselves.

    Args:
        result: what :func:`truerank.assess` or :func:`truerank.gate` returned.

    Returns:
        The HTML of one element, names and warnings escaped.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> html = notebook_html(truerank.assess(scores, ["ml"], draws=100, seed=1))
        >>> html.count("<tr>"), "sys1" in html, "<script" in html
        (4, True, False)
    """
    from truerank.comparison.gate import Gate

    if isinstance(result, Gate):
        return _gate_html(result)
    if result.scores.m == 2:
        from truerank.report.parts.gate import gate_of

        try:
            return _gate_html(gate_of(result))
        except InputError as error:  # one of the two is constant, say: no verdict, but no traceback either
            return str(escape(str(error)))
    assessment = result
    return str(
        fill(
            "notebook.html",
            subject=subject(assessment),
            sentences=[
                agreement_sentence(assessment),
                pairs_sentence(assessment),
                *top_sentences(assessment),
                *machine_sentences(assessment),
            ],
            ranking=assessment.ranking[:SHOWN],
            more=max(0, len(assessment.ranking) - SHOWN),
            guarantee=assessment.settings.guarantee,
            score=score_word(assessment),
            known=assessment.ranking[0].rank_low is not None,
            level=level_text(assessment.settings.levels[0]),
            warnings=[sentence(warning) for warning in assessment.warnings],
            headline=assessment.headline_estimator,
        )
    )


def _gate_html(found: Gate) -> str:
    """The verdicts in sentences, as a notebook shows them."""
    from truerank.report.parts import gate_words as words

    results = [
        {
            "heading": words.heading(found, one),
            "said": [words.said(one), words.fails_on(found, one), words.measured(one), words.tested(one)],
        }
        for one in found.overall[:SHOWN]
    ]
    return str(
        fill(
            "notebook-gate.html",
            results=results,
            more=max(0, len(found.overall) - SHOWN),
            together=words.together(found),
            warnings=[sentence(warning) for warning in words.warnings(found)],
        )
    )

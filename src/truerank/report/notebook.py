"""Results as they show themselves in a notebook: the answer, a picture, and the top of a ranking."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from truerank._support.extras import PLOTS, require
from truerank.errors import InputError
from truerank.reliability.letters import spaced
from truerank.report import render
from truerank.report.charts.style import SHEET, Size
from truerank.report.parts.answer import agreement_sentence, pairs_sentence, subject, top_sentences
from truerank.report.parts.baseline import baseline_sentence
from truerank.report.parts.machine import machine_sentences
from truerank.report.templating import fill
from truerank.report.units import score_word
from truerank.report.words import level_text, number, printable, sentence, verdict_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from truerank.comparison import Comparison
    from truerank.comparison.gate import Gate
    from truerank.planning import Plan
    from truerank.reliability.results import Assessment

SHOWN = 10
"""Systems that a notebook shows."""


def notebook_html(result: Assessment | Comparison | Gate | Plan) -> str:
    """The answer, a picture and the ten best systems, as a notebook shows an assessment.

    Of a comparison, a gate and a plan: the answer and the picture. HTML without script or style sheet. Of an
    assessment its size does not grow with the systems. Notebooks call it by themselves.

    Args:
        result: what :func:`truerank.assess`, :func:`truerank.compare`, :func:`truerank.gate` or
            :func:`truerank.plan` returned.

    Returns:
        The HTML of one element, names and warnings escaped.

    Raises:
        MissingPackagesError: what draws is not installed.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> html = notebook_html(truerank.assess(scores, ["ml"], draws=100, seed=1))
        >>> html.count("<tr>"), html.count("<svg"), "<script" in html
        (4, 1, False)
    """
    require(PLOTS)
    from truerank.comparison.gate import Gate
    from truerank.reliability.results import Assessment

    if isinstance(result, Gate):
        return _gate_html(result)
    if not isinstance(result, Assessment):
        return _shown_html(result)
    if result.scores.m == 2:
        from truerank.report.parts.gate import gate_of

        try:
            return _gate_html(gate_of(result))
        except InputError as error:  # one of the two is constant, say: no verdict, but no traceback either
            return str(escape(str(error)))
    return _assessment_html(result)


def _assessment_html(assessment: Assessment) -> str:
    from truerank.report.charts.ranking import ranking_chart

    top = assessment.ranking[:SHOWN]
    names = [s.system for s in top]
    against = {
        d.system: f"{number(d.difference, 4, sign=True)} {verdict_text(d.verdict)}"
        for d in assessment.baseline
    }
    label = f"The best {len(top)} systems with intervals of their scores and true ranks"
    return str(
        fill(
            "notebook.html",
            subject=subject(assessment),
            sentences=[
                agreement_sentence(assessment),
                pairs_sentence(assessment),
                *top_sentences(assessment),
                *machine_sentences(assessment),
                baseline_sentence(assessment),
            ],
            picture=_picture(lambda size: ranking_chart(assessment, size, shown=names), label),
            ranking=top,
            against=against,
            baseline=printable(assessment.settings.baseline or "") if against else "",
            more=max(0, len(assessment.ranking) - SHOWN),
            guarantee=assessment.settings.guarantee,
            score=score_word(assessment),
            known=assessment.ranking[0].rank_low is not None,
            together=assessment.ranking[0].joint_low is not None,
            apart=spaced(s.letters for s in assessment.ranking),
            level=level_text(assessment.settings.levels[0]),
            warnings=[sentence(warning) for warning in assessment.warnings],
            headline=assessment.headline_estimator,
        )
    )


def _picture(chart: Callable[[Size], Any], label: str) -> Markup:
    """A chart as an element; its ids are its own, as a notebook has many."""
    document = render.svg(chart(SHEET))
    return render.inline(document, "truerank-" + hashlib.sha256(document.encode()).hexdigest()[:8], label)


def _shown_html(result: Comparison | Plan) -> str:
    """The answer in sentences and the picture."""
    from truerank.comparison import Comparison
    from truerank.report.charts.crossings import crossings_chart
    from truerank.report.charts.plan import plan_chart
    from truerank.report.parts.comparison import names_of
    from truerank.report.shown import view

    seen = view(result)
    chart: Callable[[Size], Any]
    if isinstance(result, Comparison):
        heading, label = names_of([result])[0], "The two rankings side by side"
        chart = lambda size: crossings_chart(result, size)  # noqa: E731
    else:
        heading, label = "", "What to expect by number of topics"
        chart = lambda size: plan_chart(result, size)  # noqa: E731
    return str(
        fill(
            "notebook-shown.html",
            heading=heading,
            said=[text for text in seen.said if text],
            picture=_picture(chart, label),
            warnings=[sentence(warning) for warning in seen.warnings],
        )
    )


def _gate_html(found: Gate) -> str:
    """The verdicts in sentences, as a notebook shows them."""
    from truerank.report.charts.topic_differences import topic_differences_chart
    from truerank.report.parts import gate_words as words

    label = "The differences on every topic"
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
            picture=_picture(lambda size: topic_differences_chart(found.decisions[0], size), label),
            more=max(0, len(found.overall) - SHOWN),
            together=words.together(found),
            warnings=[sentence(warning) for warning in words.warnings(found)],
        )
    )

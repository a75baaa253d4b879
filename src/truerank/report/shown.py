"""How results say, draw and write themselves: what :class:`truerank._support.display.Shown` finds here.

One :class:`View` a kind of result; a result of two systems is shown as their comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class View:
    """What can be shown of one result.

    Attributes:
        said: the answer, sentence by sentence.
        warnings: what to know before quoting a number.
        plot: makes the Altair chart.
        page: makes the page.
        latex: makes the tables for a paper.
        markdown: the same as Markdown.
        rows: of the data frame, where the result does not make it itself.
    """

    said: Sequence[str]
    warnings: Sequence[str]
    plot: Callable[[], Any]
    page: Callable[[], str]
    latex: Callable[[], str]
    markdown: Callable[[], str]
    rows: Callable[[], list[dict[str, Any]]] = list


def view(result: Any) -> View:
    """The view of an assessment, a comparison, a gate or a plan."""
    from truerank.comparison import Comparison
    from truerank.comparison.gate import Gate
    from truerank.reliability.results import Assessment

    if isinstance(result, Assessment):
        if result.scores.m > 2:
            return _assessment(result)
        from truerank.report.parts.gate import gate_of

        return _gate(gate_of(result))
    if isinstance(result, Gate):
        return _gate(result)
    return _comparison(result) if isinstance(result, Comparison) else _plan(result)


def _assessment(result: Any) -> View:
    from truerank.report.charts.ranking import ranking_chart
    from truerank.report.pages.assessment import page_html
    from truerank.report.parts.answer import answer_sentences
    from truerank.report.parts.baseline import baseline_sentence
    from truerank.report.tables import assessment as tables

    said = [*answer_sentences(result), baseline_sentence(result)]
    return View(
        said,
        result.warnings,
        lambda: ranking_chart(result),
        lambda: page_html(result),
        lambda: tables.latex_text(result),
        lambda: tables.markdown_text(result),
    )


def _comparison(result: Any) -> View:
    from truerank.report.charts.crossings import crossings_chart
    from truerank.report.pages.comparison import comparison_html
    from truerank.report.parts.comparison import pairs_sentence
    from truerank.report.tables import comparison as tables

    return View(
        [result.answer(), pairs_sentence(result)],
        result.warnings,
        lambda: crossings_chart(result),
        lambda: comparison_html([result]),
        lambda: tables.latex_text([result]),
        lambda: tables.markdown_text([result]),
    )


def _gate(found: Any) -> View:
    from truerank.report.charts.topic_differences import topic_differences_chart
    from truerank.report.pages.gate import gate_html
    from truerank.report.parts import gate_words as words
    from truerank.report.tables import gate as tables

    said = []
    for one in found.overall:
        parts = [f"{words.heading(found, one)}.", words.said(one), words.fails_on(found, one)]
        said.append(" ".join(part for part in [*parts, words.measured(one), words.tested(one)] if part))
    return View(
        [*said, words.together(found)],
        words.warnings(found),
        lambda: topic_differences_chart(found.decisions[0]),
        lambda: gate_html(found),
        lambda: tables.latex_text(found),
        lambda: tables.markdown_text(found),
        lambda: [
            {key: value for key, value in one.to_dict().items() if key not in ("losses", "warnings")}
            for one in found
        ],
    )


def _plan(plan: Any) -> View:
    from truerank.planning.answer import sentences
    from truerank.report.charts.plan import plan_chart
    from truerank.report.pages.plan import page_html
    from truerank.report.tables import plan as tables

    return View(
        sentences(plan),
        plan.warnings,
        lambda: plan_chart(plan),
        lambda: page_html(plan),
        lambda: tables.latex_text(plan),
        lambda: tables.markdown_text(plan),
        lambda: [
            {"coefficient": name, **asdict(point)} for name, curve in plan.curves.items() for point in curve
        ],
    )


def summary(result: Any) -> str:
    """The result in plain sentences, and its warnings."""
    seen = view(result)
    return "\n".join([*filter(None, seen.said), *(f"! {warning}" for warning in seen.warnings)])


def plot(result: Any) -> Any:
    """The result's Altair chart."""
    return view(result).plot()


def frame(result: Any) -> Any:
    """The result as a pandas data frame."""
    import pandas as pd

    return pd.DataFrame(view(result).rows())


def page(result: Any) -> str:
    """The result's page."""
    return view(result).page()


def latex(result: Any) -> str:
    """The result's tables for a paper."""
    return view(result).latex()


def markdown(result: Any) -> str:
    """The same as Markdown."""
    return view(result).markdown()

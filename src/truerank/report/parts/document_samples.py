"""What the document samples show: the summaries, the error rates, topics and systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.report.charts.documents import error_chart, topic_chart
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import level_text, listed, percent, printable, span

if TYPE_CHECKING:
    from truerank.documents.document_analysis import DocumentAnalysis
    from truerank.documents.summaries.error_rate import ErrorRateBin
    from truerank.numerics.intervals import Interval


def summaries(analyses: Sequence[DocumentAnalysis]) -> Section:
    """The numbers of all summaries, with what their digits are worth and where one sample falls."""
    first = analyses[0]
    level = level_text(first.settings.level)
    body = fill(
        "documents-summaries.html",
        level=level,
        pair=listed([first.scores.systems[s] for s in first.ed.pair]),
        model=printable(first.model),
        briefs=briefs_text(first),
        table=_summary_table(analyses, level),
    )
    return Section("summary", "Summary", "How much ranking and significance move", body)


def briefs_text(a: DocumentAnalysis) -> str:
    """What the abbreviations of the summaries stand for, a sentence each."""
    from truerank.documents import SUMMARIES

    return " ".join(
        SUMMARIES[name].brief for name in a.summaries if name in SUMMARIES and SUMMARIES[name].brief
    )


def _summary_table(analyses: Sequence[DocumentAnalysis], level: str) -> Markup:
    columns = [
        Column("Summary", numeric=False),
        Column("Model", numeric=False),
        Column("Value"),
        Column(f"Monte Carlo {level}", meaning="what the digits are worth; sorted by its lower end"),
        Column("One collection", meaning=f"where the value falls in {level} of the samples"),
    ]
    rows = []
    for of_models in zip(*(a.numbers for a in analyses), strict=True):
        for a, shown in zip(analyses, of_models, strict=True):
            label = printable(shown.label)
            spread = shown.spread.interval if shown.spread else None
            cells = [Cell(label, label), name_cell(a.model), number_cell(shown.value, 4)]
            rows.append(Row([*cells, _ends(shown.interval, 4), _ends(spread, 2)]))
    return table("summary-table", "All summaries", columns, rows)


def _ends(interval: Interval | None, digits: int) -> Cell:
    if interval is None or math.isnan(interval.low):
        return Cell("–", None)
    return Cell(span(interval.low, interval.high, digits), interval.low)


def errors(analyses: Sequence[DocumentAnalysis]) -> Section:
    """Error-rate curves, and the bins that they are drawn from."""
    level = level_text(analyses[0].settings.level)
    picture = figure(
        lambda size: error_chart(analyses, size),
        "error-figure",
        "Share of pairs of systems that a sample puts in another order, by how far apart it puts them. "
        "The table below has the same numbers.",
        f"Point: error rate of the pairs whose sampled means differ by that much; bar: its {level} Monte "
        "Carlo interval. Where a curve falls to zero, a difference of that size holds in another collection.",
    )
    columns = [Column("Sampled difference")]
    for a in analyses:
        columns += [
            Column(f"{printable(a.model)}: pairs", meaning="pairs and samples with that difference"),
            Column(f"{printable(a.model)}: error rate", meaning=f"and its {level} Monte Carlo interval"),
        ]
    rows = []
    for bins in zip(*(a.error_rate for a in analyses), strict=True):
        low, high = bins[0].low, bins[0].high
        label = f"{low:.2f} to {high:.2f}" if math.isfinite(high) else f"{low:.2f} and more"
        cells = [Cell(label, low)]
        for b in bins:
            cells += [Cell(f"{b.count:,}", b.count), _rate(b)]
        rows.append(Row(cells))
    made = table("error-table", "All bins", columns, rows)
    body = fill("documents-errors.html", figure=picture, table=made)
    return Section("errors", "Error rate", "Which differences hold", body)


def _rate(bin_: ErrorRateBin) -> Cell:
    """An error rate with its interval; a dash where there are no pairs."""
    if not bin_.count:
        return Cell("–", None)
    ends = dict.fromkeys(percent(end, 1) for end in (bin_.interval.low, bin_.interval.high))
    return Cell(f"{percent(bin_.error_rate, 1)} ({' to '.join(ends)})", bin_.error_rate)


def topics(analyses: Sequence[DocumentAnalysis], system: str) -> Section:
    """One system's topics: what another collection could score, against the raw score."""
    first = analyses[0]
    s = first.scores.systems.index(system)
    picture = figure(
        lambda size: topic_chart(analyses, system, size),
        "topics-figure",
        f"Sampled {printable(first.measure)} of every topic, mean and standard deviation, against the raw "
        f"score, for {printable(system)}. The table below has the same numbers.",
        "Dot: mean over the samples; bar: one standard deviation either way. On the dashed line the mean is "
        "the raw score; where dots leave it, the document model does not fit.",
    )
    columns = [Column("Topic", numeric=False), Column("Raw")]
    for a in analyses:
        columns += [Column(f"{printable(a.model)}: mean"), Column(f"{printable(a.model)}: sd")]
    rows = [
        Row(
            [
                name_cell(topic),
                number_cell(float(first.scores.values[t, s]), 4),
                *(
                    number_cell(float(values[t, s]), 4)
                    for a in analyses
                    for values in (a.topic_means, a.topic_deviations)
                ),
            ]
        )
        for t, topic in enumerate(first.scores.topics)
    ]
    body = fill(
        "documents-topics.html",
        system=printable(system),
        figure=picture,
        table=table("topics-table", "All topics", columns, rows),
    )
    return Section("topics", "Topics", "What a topic could have scored", body)


def systems(analyses: Sequence[DocumentAnalysis]) -> Section:
    """Every system's mean, raw and sampled."""
    first = analyses[0]
    level = level_text(first.settings.level)
    columns = [
        Column("Rank", meaning="rank here"),
        Column("System", numeric=False),
        Column("Raw"),
    ]
    for a in analyses:
        name = printable(a.model)
        columns += [
            Column(f"{name}: mean"),
            Column(f"{name}: {level}", meaning=f"where it falls in {level} of the collections"),
        ]
    rows = []
    for rank, of_models in enumerate(zip(*(a.systems for a in analyses), strict=True), start=1):
        one = of_models[0]
        cells = [Cell(str(rank), rank), name_cell(one.system), number_cell(one.mean, 4)]
        for s in of_models:
            cells += [number_cell(s.sampled_mean, 4), Cell(span(s.low, s.high), s.low)]
        rows.append(Row(cells))
    body = fill(
        "documents-systems.html",
        level=level,
        table=table("systems-table", "All systems", columns, rows, heading=1),
        off=[(printable(a.model), percent(_bias(a), 1)) for a in analyses],
    )
    return Section("systems", "Systems", "Every system’s mean in other collections", body)


def _bias(a: DocumentAnalysis) -> float:
    """Mean distance of the sampled means from the raw ones, as a share of these."""
    total = sum(s.mean for s in a.systems)
    return sum(abs(s.sampled_mean - s.mean) for s in a.systems) / total if total else math.nan

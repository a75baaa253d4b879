"""An analysis of document samples as CSV files, and as tables for a paper: LaTeX and Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from truerank._support.plain import plain
from truerank.report.lettering import in_passing
from truerank.report.tables.paper import (
    PaperColumn,
    PaperTable,
    bracketed,
    latex_file,
    markdown_file,
)
from truerank.report.tables.spreadsheets import csv_text
from truerank.report.words import level_text, listed, number, percent, printable

if TYPE_CHECKING:
    from truerank.documents.decomposition import Decomposition
    from truerank.documents.document_analysis import DocumentAnalysis
    from truerank.numerics.intervals import Interval

NAMES = ("summaries", "systems", "topics", "error_rates", "decomposition", "settings")
"""The tables as CSV, without their suffix."""


def csv_names() -> list[str]:
    """The files that :func:`csv_files` may give, known before anything is computed."""
    return [f"{name}.csv" for name in NAMES]


def csv_files(analyses: Sequence[DocumentAnalysis]) -> dict[str, str]:
    """The tables of one measure as CSV with every digit, by file name.

    Args:
        analyses: of the same runs and measure, one a model.
    """
    import pandas as pd

    first = analyses[0]
    rows: dict[str, list[dict[str, Any]]] = {
        "summaries": [_summary(a, place) for a in analyses for place in range(len(a.numbers))],
        "systems": [{"model": a.model} | asdict(system) for a in analyses for system in a.systems],
        "topics": [row for a in analyses for row in _topics(a)],
        "error_rates": [
            {
                "model": a.model,
                "from": one.low,
                "to": one.high,
                "pairs": one.count,
                "error_rate": one.error_rate,
                **_ends("", one.interval),
            }
            for a in analyses
            for one in a.error_rate
        ],
        "settings": [
            {"setting": name, "value": value}
            for name, value in plain(
                {
                    "measure": first.measure,
                    "topics": first.scores.n,
                    "systems": first.scores.m,
                    **asdict(first.settings),
                }
            ).items()
        ],
    }
    if first.decomposition is not None:
        rows["decomposition"] = [asdict(one) for one in first.decomposition.components]
    return {f"{name}.csv": csv_text(pd.DataFrame(rows[name])) for name in NAMES if name in rows}


def _summary(a: DocumentAnalysis, place: int) -> dict[str, Any]:
    """A number of a summary: what it is, its Monte Carlo interval, and where a single sample falls."""
    one = a.numbers[place]
    spread = one.spread.interval if one.spread is not None else None
    about = {"model": a.model, "summary": one.label, "value": one.value}
    return about | _ends("", one.interval) | _ends("sample_", spread)


def _ends(kind: str, interval: Interval | None) -> dict[str, float]:
    low, high = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    return {f"{kind}low": low, f"{kind}high": high}


def _topics(a: DocumentAnalysis) -> list[dict[str, Any]]:
    return [
        {
            "model": a.model,
            "topic": topic,
            "system": system,
            "score": float(a.scores.values[t, s]),
            "sampled_mean": float(a.topic_means[t, s]),
            "sampled_sd": float(a.topic_deviations[t, s]),
        }
        for t, topic in enumerate(a.scores.topics)
        for s, system in enumerate(a.scores.systems)
    ]


def latex_text(analyses: Sequence[DocumentAnalysis]) -> str:
    """The tables of one measure for a paper, for the booktabs package; names are escaped."""
    return latex_file(paper_tables(analyses), analyses[0].measure)


def markdown_text(analyses: Sequence[DocumentAnalysis]) -> str:
    """The same as Markdown."""
    return markdown_file(paper_tables(analyses))


def paper_tables(analyses: Sequence[DocumentAnalysis]) -> list[PaperTable]:
    """Summaries, systems, error rates and, where it was asked for, the decomposition.

    Args:
        analyses: of the same runs and measure, one a model.
    """
    decomposition = analyses[0].decomposition
    tables = [_summaries(analyses), _systems(analyses), _error_rates(analyses)]
    return [*tables, _variance(analyses[0], decomposition)] if decomposition is not None else tables


def _about(a: DocumentAnalysis) -> str:
    return f"{a.scores.m} systems by {in_passing(a.measure)} on {a.scores.n} topics"


def _made(a: DocumentAnalysis) -> str:
    s = a.settings
    return f"({s.samples:,} samples of the documents; truerank {s.version}, seed {s.seed}.)"


def _columns(analyses: Sequence[DocumentAnalysis], heading: str) -> list[PaperColumn]:
    """A column a model, named where there are several."""
    return [
        PaperColumn((f"{printable(a.model)}: {heading}" if len(analyses) > 1 else heading.capitalize(),))
        for a in analyses
    ]


def _summaries(analyses: Sequence[DocumentAnalysis]) -> PaperTable:
    from truerank.report.parts.document_samples import briefs_text

    first = analyses[0]
    level = level_text(first.settings.level)
    rows = []
    for of_models in zip(*(a.numbers for a in analyses), strict=True):
        cells = []
        for one in of_models:
            low, high = (math.nan, math.nan)
            if one.spread is not None:
                low, high = one.spread.interval.low, one.spread.interval.high
            cells.append(bracketed(one.value, low, high, one.digits))
        rows.append([of_models[0].label, *cells])
    models = f"model{'s' * (len(analyses) > 1)} {listed([a.model for a in analyses])}"
    caption = (
        f"What another document collection would change for {_about(first)}, by the document "
        f"{models}; in brackets where {level} of the samples fall. {briefs_text(first)} {_made(first)}"
    )
    columns = [PaperColumn(("Summary",), "l"), *_columns(analyses, "value")]
    return PaperTable("documents", (caption,), columns, rows)


def _systems(analyses: Sequence[DocumentAnalysis]) -> PaperTable:
    first = analyses[0]
    level = level_text(first.settings.level)
    rows = [
        [
            str(rank),
            of_models[0].system,
            number(of_models[0].mean, 3),
            *(bracketed(one.sampled_mean, one.low, one.high, 3) for one in of_models),
        ]
        for rank, of_models in enumerate(zip(*(a.systems for a in analyses), strict=True), start=1)
    ]
    columns = [
        PaperColumn(("Rank",)),
        PaperColumn(("System",), "l"),
        PaperColumn((printable(first.measure),)),
        *_columns(analyses, f"sampled [{level}]"),
    ]
    caption = (
        f"Means here and in samples of the documents: {_about(first)}; in brackets where {level} of the "
        f"samples fall. {_made(first)}"
    )
    return PaperTable("document-systems", (caption,), columns, rows)


def _error_rates(analyses: Sequence[DocumentAnalysis]) -> PaperTable:
    first = analyses[0]
    bins = list(zip(*(a.error_rate for a in analyses), strict=True))
    last = max((place for place, row in enumerate(bins) if any(one.errors for one in row)), default=0)
    rows = []
    for row in bins[: last + 1]:
        low, high = row[0].low, row[0].high
        label = f"{low:.2f}–{high:.2f}" if math.isfinite(high) else f"≥ {low:.2f}"
        rows.append([label, *(cell for one in row for cell in _rate(one.count, one.errors))])
    if rest := bins[last + 1 :]:
        counts = [sum(one.count for one in of_model) for of_model in zip(*rest, strict=True)]
        rows.append([f"≥ {rest[0][0].low:.2f}", *(cell for count in counts for cell in _rate(count, 0))])
    columns = [PaperColumn(("Difference",), "l")]
    for pairs, rate in zip(_columns(analyses, "pairs"), _columns(analyses, "error rate"), strict=True):
        columns += [pairs, rate]
    caption = (
        f"Share of the pairs of systems that a sample puts in another order than here, by how far apart it "
        f"puts them ({_about(first)}). {_made(first)}"
    )
    return PaperTable("document-errors", (caption,), columns, rows)


def _rate(pairs: int, errors: int) -> tuple[str, str]:
    """How many pairs, and the share of them in another order."""
    return f"{pairs:,}", percent(errors / pairs if pairs else math.nan, 1)


def _variance(a: DocumentAnalysis, found: Decomposition) -> PaperTable:
    columns = [PaperColumn(("Source",), "l"), PaperColumn(("Variance",)), PaperColumn(("Share",))]
    rows = [[one.source, number(one.variance, 5), percent(one.share)] for one in found.components]
    caption = (
        f"Where the variance of a score comes from ({_about(a)}; {found.samples:,} samples). "
        f"(truerank {a.settings.version}, seed {a.settings.seed}.)"
    )
    return PaperTable("document-variance", (caption,), columns, rows)

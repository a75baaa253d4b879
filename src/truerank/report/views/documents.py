"""The view of document samples: how much the ranking moves with other documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from truerank._support.escaping import printable
from truerank._support.notes import distinct
from truerank._support.plain import plain
from truerank._support.tables import Column, Count, Interval, Name, Number, Percent, Table, Text
from truerank._support.wording import level_text, listed, percent
from truerank.documents import MODELS, DocumentAnalyses, DocumentAnalysis
from truerank.documents.analysis import SampledSystem
from truerank.documents.summaries import SUMMARIES
from truerank.errors import unknown_name
from truerank.numerics import intervals
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import made, settings, subject
from truerank.report.words import Words


def view(found: DocumentAnalyses, asked: Asked) -> View:
    """What there is to see of one measure, with its document models side by side."""
    first = found.analyses[0]
    system = asked.system or first.scores.systems[0]
    if system not in first.scores.systems:
        raise unknown_name("system", system, first.scores.systems)
    shared = [a for a in found.analyses if a.model in MODELS and MODELS[a.model].shared]
    said = Words(
        "documents",
        analyses=found.analyses,
        shared=shared,
        separate=[a for a in found.analyses if a not in shared],
        level=level_text(first.settings.level),
        system=system,
    )
    about = {"measure": first.measure, "topics": first.scores.n, "systems": first.scores.m}
    about |= plain(asdict(first.settings))
    sections = [
        *(_summaries_section(found, said), _errors_section(found, said)),
        *(_topics_section(found, said, system), _systems_section(found, said)),
        Section("settings", "Settings", tables=[settings(about)]),
    ]
    s = first.settings
    return View(
        command="documents",
        title="Would another document collection change the ranking?",
        subject=subject(
            first.measure, f"{first.scores.m} systems", f"{first.scores.n} topics", "documents sampled"
        ),
        answer=said.all("answer"),
        sections=sections,
        notes=distinct(note for a in found.analyses for note in a.notes),
        how=f"B = {s.samples:,} samples ({s.rank_samples:,} for KRCC); seed {s.seed}; truerank {s.version}.",
        made=made(s.version, f"{s.samples:,} samples of the documents", seed=s.seed),
        measure=first.measure,
        references=("yang-2018",),
        unit="documents",
        outside="other topics, other relevance judgments or another measure",
    )


def view_of_one(found: DocumentAnalysis, asked: Asked) -> View:
    """What there is to see of one document model."""
    return view(DocumentAnalyses((found,)), asked)


def _by_model(found: DocumentAnalyses, table: Table, rows: Callable[[DocumentAnalysis], Any]) -> Table:
    """The table with the rows of each document model; of several models each row has its name in front."""
    model = Column("Model", Name(), "model", "the document model", details=len(found.analyses) == 1)
    of_models = [(a.model, *row) for a in found.analyses for row in rows(a)]
    return replace(table, columns=(model, *table.columns), rows=of_models)


def _about(a: DocumentAnalysis) -> str:
    return f"{a.scores.m} systems by {a.measure} on {a.scores.n} topics"


# ── sections ──────────────────────────────────────────────────────────────────────────────────────────


def _summaries_section(found: DocumentAnalyses, said: Words) -> Section:
    first = found.analyses[0]
    level = said.facts["level"]
    models = f"model{'s' * (len(found.analyses) > 1)} {listed([a.model for a in found.analyses])}"
    columns = (
        Column("Summary", Text(), "summary"),
        Column("Value", Number(), "value"),
        Column(f"Monte Carlo {level}", Interval(high="high", digits=4), "low", details=True),
        Column("One collection", Interval(high="sample_high", digits=2), "sample_low"),
    )
    about = f"What another document collection would change: {_about(first)}, {models}"
    briefs = [summary.brief for summary in SUMMARIES.values() if summary.brief]
    note = " ".join([*briefs, f"One collection: where {level} of the samples fall."])
    table = Table("summaries", about, columns, (), note)

    def rows(a: DocumentAnalysis) -> Iterator[tuple[Any, ...]]:
        return ((one.label, one.value, _ends(one.interval), _ends(one.spread)) for one in a.numbers)

    return Section("summary", "Summary", said.all("sample"), tables=[_by_model(found, table, rows)])


def _ends(interval: intervals.Interval | None) -> tuple[float, float]:
    return (math.nan, math.nan) if interval is None else (interval.low, interval.high)


def _errors_section(found: DocumentAnalyses, said: Words) -> Section:
    first = found.analyses[0]
    level = level_text(first.settings.level)
    figure = Figure(
        "error-rate",
        said("errors"),
        "Share of pairs of systems that a sample puts in another order, by how far apart it puts them.",
        lambda size: charts.error_chart(found.analyses, size),
    )
    columns = (
        Column("Difference", Interval(high="to", digits=2, align="left"), "from", "of the sampled means"),
        Column("Pairs", Count(), "pairs", "of systems, of all samples"),
        Column("Error rate", Percent(digits=1), "error_rate"),
        Column(f"Monte Carlo {level}", Interval(high="high", digits=4), "low", details=True),
    )
    table = Table(
        "error_rates",
        f"Error rate by the sampled difference of two means: {_about(first)}",
        columns,
        (),
        said("errors_note", steady=[(a.model, _steady(a)) for a in found.analyses]),
    )
    tables = [
        _by_model(
            found,
            table,
            lambda a: [((b.low, b.high), b.count, b.error_rate, _ends(b.interval)) for b in a.error_rate],
        )
    ]
    return Section("errors", "Error rate", figures=[figure], tables=tables)


def _steady(a: DocumentAnalysis) -> float | None:
    """The least difference from which on no pair is in another order in any sample, where there is one."""
    after = [place + 1 for place, one in enumerate(a.error_rate) if one.error_rate > 0]
    bins = a.error_rate[max(after, default=0) :]
    return bins[0].low if bins else None


def _topics_section(found: DocumentAnalyses, said: Words, system: str) -> Section:
    first = found.analyses[0]
    figure = Figure(
        "topics",
        said("topics"),
        f"Sampled {printable(first.measure)} of every topic against the raw score, for {printable(system)}.",
        lambda size: charts.topic_chart(found.analyses, system, size),
    )
    return Section("topics", "Topics", figures=[figure])


def _systems_section(found: DocumentAnalyses, said: Words) -> Section:
    first = found.analyses[0]
    words = {"level": said.facts["level"]}
    off = listed([f"{percent(_bias(a), 1)} ({a.model})" for a in found.analyses])

    def systems(rows: Sequence[SampledSystem]) -> Table:
        return Table.of(
            "systems",
            f"Means here and in samples of the documents: {_about(first)}",
            SampledSystem,
            rows,
            words,
            note=f"On average, sampled means are off by {off}.",
        )

    topics = Table(
        "topics",
        f"Scores of topics here and in samples of the documents: {_about(first)}",
        (
            Column("Topic", Name(), "topic"),
            Column("System", Name(), "system"),
            Column("Raw", Number(digits=4), "score"),
            Column("Sampled", Number(digits=4), "sampled_mean", "mean over the samples"),
            Column("sd", Number(digits=4), "sampled_sd", "standard deviation over the samples"),
        ),
        (),
        files_only=True,
    )
    tables = [
        _by_model(found, systems(()), lambda a: systems(a.systems).rows),
        _by_model(found, topics, _topics),
    ]
    return Section("systems", "Systems", said.all("systems"), tables=tables, details=True)


def _bias(a: DocumentAnalysis) -> float:
    """Mean distance of the sampled means from the raw ones, as a share of these."""
    total = sum(s.mean for s in a.systems)
    return sum(abs(s.sampled_mean - s.mean) for s in a.systems) / total if total else math.nan


def _topics(a: DocumentAnalysis) -> Iterator[tuple[Any, ...]]:
    for t, topic in enumerate(a.scores.topics):
        for s, system in enumerate(a.scores.systems):
            values = (a.scores.values[t, s], a.topic_means[t, s], a.topic_deviations[t, s])
            yield (topic, system, *map(float, values))

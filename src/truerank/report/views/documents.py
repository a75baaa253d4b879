"""The view of document samples: how much the ranking moves with other documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any

from truerank._support.notes import distinct
from truerank._support.plain import plain
from truerank._support.tables import Column, Count, Interval, Name, Number, Percent, Percents, Table, Text
from truerank._support.wording import level_text, listed, percent
from truerank.documents import MODELS, DocumentAnalyses, DocumentAnalysis
from truerank.documents.analysis import SampledSystem
from truerank.documents.summaries import SUMMARIES
from truerank.errors import unknown_name
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import made, settings, subject
from truerank.report.words import Words


def view(result: DocumentAnalyses, asked: Asked) -> View:
    """What there is to see of one measure, with its document models in one table."""
    first, s = result.analyses[0], result.analyses[0].settings
    system = asked.system or first.scores.systems[0]
    if system not in first.scores.systems:
        raise unknown_name("system", system, first.scores.systems)
    shared = [a for a in result.analyses if a.model in MODELS and MODELS[a.model].shared]
    words = Words(
        "documents",
        analyses=result.analyses,
        shared=shared,
        separate=[a for a in result.analyses if a not in shared],
        level=level_text(s.level),
        system=system,
        biases=listed([f"{percent(_bias(a), 1)} ({a.model})" for a in result.analyses]),
        steady=[(a.model, _steady(a)) for a in result.analyses],
        briefs=[summary.brief for summary in SUMMARIES.values() if summary.brief],
    )
    about = {"measure": first.measure, "topics": first.scores.n, "systems": first.scores.m}
    errors = Figure("error-rate", words("errors"), lambda size: charts.error_chart(result.analyses, size))
    topics = Figure("topics", words("topics"), lambda size: charts.topic_chart(result.analyses, system, size))
    summaries, error_rates, systems, scores = _tables(result, words)
    return View(
        command="documents",
        title="Would another document collection change the ranking?",
        subject=subject(
            first.measure, f"{first.scores.m} systems", f"{first.scores.n} topics", "documents sampled"
        ),
        answer=words.all("answer"),
        sections=[
            Section("summary", "Summary", words.all("sample"), tables=[summaries]),
            Section("errors", "Error rate", figures=[errors], tables=[error_rates]),
            Section("topics", "Topics", figures=[topics]),
            Section("systems", "Systems", words.all("systems"), tables=[systems, scores], details=True),
            Section("settings", "Settings", tables=[settings(about | plain(asdict(s)))]),
        ],
        notes=distinct(note for a in result.analyses for note in a.notes),
        how=f"B = {s.samples:,} samples ({s.rank_samples:,} for KRCC); seed {s.seed}; truerank {s.version}.",
        made=made(s.version, f"{s.samples:,} samples of the documents", seed=s.seed),
        measure=first.measure,
        references=("yang-2018",),
        unit="documents",
        outside="other topics, other relevance judgments or another measure",
    )


def view_of_one(result: DocumentAnalysis, asked: Asked) -> View:
    return view(DocumentAnalyses((result,)), asked)


def _bias(a: DocumentAnalysis) -> float:
    """Mean distance of the sampled means from the raw ones, as a share of these."""
    total = sum(s.mean for s in a.ranking)
    return sum(abs(s.sampled_mean - s.mean) for s in a.ranking) / total if total else math.nan


def _steady(a: DocumentAnalysis) -> float | None:
    """The least difference from which on no pair is in another order in any sample, where there is one."""
    after = [place + 1 for place, item in enumerate(a.error_rate) if item.error_rate > 0]
    bins = a.error_rate[max(after, default=0) :]
    return bins[0].low if bins else None


def _tables(result: DocumentAnalyses, words: Words) -> Iterator[Table]:
    """Summaries, error rates, systems and topics: each has the rows of all models."""
    first, level = result.analyses[0], words.facts["level"]
    about = f"{first.scores.m} systems by {first.measure} on {first.scores.n} topics"
    model = Column("Model", Name(), "model", "the document model", details=len(result.analyses) == 1)
    monte_carlo = Column(f"Monte Carlo {level}", Interval(high="high", digits=4), "low", details=True)

    def table(
        name: str, caption: str, columns: Iterable[Column], rows: Callable[[Any], Any], **more: Any
    ) -> Table:
        of_models = [(a.model, *row) for a in result.analyses for row in rows(a)]
        return Table(name, caption, (model, *columns), of_models, **more)

    models = f"model{'s' * (len(result.analyses) > 1)} {listed([a.model for a in result.analyses])}"
    yield table(
        "summaries",
        f"What another document collection would change: {about}, {models}",
        [
            Column("Summary", Text(), "summary"),
            Column("Value", Number(), "value"),
            monte_carlo,
            Column("One collection", Interval(high="sample_high", digits=2), "sample_low"),
        ],
        lambda a: [(item.label, item.value, _ends(item.interval), _ends(item.spread)) for item in a.numbers],
        note=words("summaries"),
    )
    yield table(
        "error_rates",
        f"Error rate by the sampled difference of two means: {about}",
        [
            Column("Difference", Interval(high="to", digits=2, align="left"), "from", "of the sampled means"),
            Column("Pairs", Count(), "pairs", "of systems, of all samples"),
            Column("Error rate", Percent(digits=1), "error_rate"),
            replace(
                monte_carlo,
                kind=Percents(high="high", digits=1),
                meaning="of the error rate; Wilson’s where all samples give 0% or 100%",
            ),
        ],
        lambda a: [((b.low, b.high), b.count, b.error_rate, _ends(b.interval)) for b in a.error_rate],
        note=words("errors_note"),
    )
    yield table(
        "systems",
        f"Means here and in samples of the documents: {about}",
        Table.of("", "", SampledSystem, (), {"level": level}).columns,
        lambda a: Table.of("", "", SampledSystem, a.ranking).rows,
        note=words("biases"),
    )
    yield table(
        "topics",
        f"Scores of topics here and in samples of the documents: {about}",
        [
            Column("Topic", Name(), "topic"),
            Column("System", Name(), "system"),
            Column("Raw", Number(digits=4), "score"),
            Column("Sampled", Number(digits=4), "sampled_mean", "mean over the samples"),
            Column("sd", Number(digits=4), "sampled_sd", "standard deviation over the samples"),
        ],
        _topics,
        files_only=True,
    )


def _ends(interval: Any) -> tuple[float, float]:
    return (math.nan, math.nan) if interval is None else (interval.low, interval.high)


def _topics(a: DocumentAnalysis) -> Iterator[tuple[Any, ...]]:
    for t, topic in enumerate(a.scores.topics):
        for s, system in enumerate(a.scores.systems):
            values = (a.scores.values[t, s], a.topic_means[t, s], a.topic_deviations[t, s])
            yield (topic, system, *map(float, values))

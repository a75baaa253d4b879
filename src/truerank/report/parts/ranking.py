"""The ranking: the picture, and the table to sort and search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.reliability.letters import spaced
from truerank.report.charts.ranking import ranking_chart
from truerank.report.charts.rows import lettering_of
from truerank.report.charts.style import PAGE
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.units import score_word, units
from truerank.report.words import letter_runs, level_text, ranks, share, span

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def ranking(assessment: Assessment, true_ranks: Mapping[str, int] | None = None) -> Section:
    """Means, ranks and tiers with their intervals; true ranks beside them where they are known."""
    known = assessment.ranking[0].rank_low is not None
    level = level_text(assessment.settings.levels[0])
    tiers = len({s.tier for s in assessment.ranking})
    picture = figure(
        lambda size: ranking_chart(assessment, size, true_ranks),
        "ranking-figure",
        f"The {assessment.scores.m} systems in observed order, each with its {score_word(assessment)} and "
        f"the {level} interval of it"
        + (
            ""
            if not known
            else f", and with its rank and the {level} band of its true rank, for all at once"
            if assessment.settings.guarantee
            else f", and with its rank and {level} intervals of its true rank, by itself and for all at once"
        )
        + ". The table below has the same numbers.",
        fill(
            "ranking-caption.html",
            units=units(assessment),
            score=score_word(assessment),
            level=level,
            known=known,
            tiers=tiers,
            thinned=lettering_of(assessment.scores.m, PAGE)[2] > 1,
            truth=bool(true_ranks),
            guarantee=assessment.settings.guarantee,
            together=assessment.ranking[0].joint_low is not None,
        ),
    )
    body = fill(
        "ranking.html",
        level=level,
        known=known,
        tiers=tiers,
        systems=assessment.scores.m,
        guarantee=assessment.settings.guarantee,
        units=units(assessment),
        figure=picture,
        table=_table(assessment, known, level, true_ranks or {}),
    )
    return Section("ranking", "Ranking", "The ranking, and what it might really be", body)


def _meaning(assessment: Assessment, score: str) -> str:
    """What the column of the scores holds."""
    over = "data sets" if assessment.scores.k > 1 else "topics"
    return f"{'mean score' if score == 'mean' else score} over the {over}"


def _table(assessment: Assessment, known: bool, level: str, true_ranks: Mapping[str, int]) -> Markup:
    guarantee, score = assessment.settings.guarantee, score_word(assessment)
    together = assessment.ranking[0].joint_low is not None
    columns = [Column("Rank", meaning="observed rank, 1 the best"), Column("System", numeric=False)]
    # The true rank first: on a narrow screen the rest is a scroll away.
    if known and not guarantee:
        columns.append(
            Column(f"True rank, {level}", meaning="by itself; sorted by the best rank it may have")
        )
    if together:
        sure = "confidence" if guarantee else "probability"
        columns.append(
            Column("All at once", meaning=f"bands that hold all true ranks together with {level} {sure}")
        )
    columns += [
        Column(score.capitalize(), meaning=_meaning(assessment, score)),
        Column(f"{level} interval of the {score}", meaning="sorted by its lower end"),
    ]
    if known:
        columns += [
            Column("Best", meaning="probability of being truly the best"),
            Column("Letters", numeric=False, meaning="systems that share one can’t be told apart"),
        ]
    tiers = assessment.ranking[-1].tier is not None
    if tiers:
        columns += [
            Column("Tier", meaning=f"with {level} probability no one is truly in another tier’s place"),
        ]
    if true_ranks:
        columns.append(Column("Really", meaning="the true rank, known here"))
    rows, apart = [], spaced(s.letters for s in assessment.ranking)
    for s in assessment.ranking:
        cells = [Cell(str(s.rank), s.rank), name_cell(s.system)]
        if known:
            cells += [
                *([] if guarantee else [Cell(ranks(s.rank_low, s.rank_high), s.rank_low)]),
                *([Cell(ranks(s.joint_low, s.joint_high), s.joint_low)] if together else []),
            ]
        cells += [number_cell(s.mean, 4), Cell(span(s.mean_low, s.mean_high), s.mean_low)]
        if known:
            cells += [
                Cell(share(s.probability_best), s.probability_best),
                Cell(letter_runs(s.letters or "", apart), s.rank),
            ]
        if tiers:
            cells.append(Cell(str(s.tier), s.tier))
        if true_ranks:
            cells.append(Cell(str(true_ranks[s.system]), true_ranks[s.system]))
        rows.append(Row(cells, "tinted" if s.tier and s.tier % 2 == 0 else ""))
    return table("ranking-table", "All systems", columns, rows, heading=1)

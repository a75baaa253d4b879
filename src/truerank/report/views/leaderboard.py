"""The view of a leaderboard: an assessment's ranking with fewer columns."""

from __future__ import annotations

from collections.abc import Iterator

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank._support.wording import level_text
from truerank.reliability.leaderboard import BoardRow, Leaderboard
from truerank.reliability.results import RankedSystem
from truerank.report.view import Asked, Section, View
from truerank.report.views import by, facts, made, register, subject
from truerank.report.views.assessment_sections import rank_ranges, ranking_figure
from truerank.report.views.assessment_words import leads, picked_sentence
from truerank.report.words import PAIRS_ALIKE, at_equal, gain_sentence, ranges_together


def view(found: Leaderboard, asked: Asked) -> View:
    """What there is to see of a leaderboard."""
    settings = f"{PAIRS_ALIKE}; " if found.pairs_alike else ""
    return View(
        command="board",
        title="Leaderboard",
        subject=_subject(found),
        answer=list(_answer(found)),
        sections=[_section(found)],
        notes=list(found.notes),
        how=f"Rule: {printable(found.rule)}; {settings}seed {found.seed}; draws {found.draws:,}; truerank "
        f"{found.version}.",
        measure=found.measure,
        facts=facts(found.version)
        | {"Level": level_text(found.level), "Seed": str(found.seed), "Draws": f"{found.draws:,}"},
    )


def _subject(found: Leaderboard) -> str:
    return subject(found.measure, f"{len(found.systems)} systems{at_equal(found.covariates)}")


def _answer(found: Leaderboard) -> Iterator[str]:
    if found.covariates:
        yield f"Strengths are those{at_equal(found.covariates)}."
    yield from leads(found.systems)
    if found.leader is not None:
        scores = [one.score for one in found.systems]
        yield from picked_sentence(found.leader, found.scale, scores, found.systems[0].rank_high, tried=True)
    if found.machine is not None:
        yield gain_sentence(found.machine, found.sampled)


def _section(found: Leaderboard) -> Section:
    first = found.systems[0]
    without = ["rank_low", "tied_with_leader"] if first.rank_low is None else []
    without += [name for name in ("shrunken", "topics", "battles") if getattr(first, name) is None]
    score = {"elo": "Elo", "logit": "strength"}.get(found.scale or "", "score")
    ranges = rank_ranges(ranges_together(found.level, found.notes) if first.rank_low is not None else "")
    note = f"SE: standard error. {ranges}".strip()
    if first.shrunken is not None:
        note += f" Shrunken: {score} corrected for chance in the ranking."
    table = Table.of(
        "board",
        f"Leaderboard of {len(found.systems)} systems{by(found.measure)}{at_equal(found.covariates)}",
        BoardRow,
        found.systems,
        {"score": score.capitalize()},
        without=without,
        unit=found.sampled,
        order=("rank", "system", "score", "rank_low"),
        note=note,
        made=made(found.version),
        short=_subject(found).replace(" · ", ", "),
    )
    rows = [
        RankedSystem(s.rank, s.system, s.score, s.score_low, s.score_high, s.rank_low, s.rank_high)
        for s in found.systems
    ]
    figure = ranking_figure(rows, found.level, score, score, f"{table.caption}.", ranges)
    table = table.rounded_for(one.score for one in found.systems)
    return Section("board", "Ranking", figures=[figure], tables=[table])


register(Leaderboard, view, tables="board", figures="ranking")

"""The board of an assessment as a file: a table of its rows."""

from __future__ import annotations

from dataclasses import replace

from truerank._support.tables import Table
from truerank._support.units import Unit
from truerank.reliability.leaderboard import BoardRow, Leaderboard
from truerank.reliability.results import Assessment
from truerank.report.outputs.data import csv
from truerank.report.outputs.markdown import markdown_file
from truerank.report.view import Section, View
from truerank.report.views import by
from truerank.report.views.assessment import rank_ranges, words_of
from truerank.report.words import at_equal


def board_file(board: Leaderboard, of: Assessment, view: View, suffix: str) -> str:
    """The rows alone as CSV, or as Markdown between the answers and the warnings of the assessment's view."""
    if suffix == ".csv":
        return csv(_table(board, ""))
    table = _table(board, rank_ranges(words_of(of).facts["ranges"]))
    return markdown_file([replace(view, sections=[Section("board", "Ranking", tables=[table])])])


def _table(result: Leaderboard, ranges: str) -> Table:
    first = result.systems[0]
    without = ["rank_low", "tied_with_leader"] if first.rank_low is None else []
    score = {"elo": "Elo", "logit": "strength"}.get(result.scale or "", "score")
    note = f"SE: standard error. {ranges}".strip()
    if first.shrunken is not None:
        note += f" Shrunken: {score} corrected for chance in the ranking."
    table = Table.of(
        "board",
        f"Leaderboard of {len(result.systems)} systems{by(result.measure)}{at_equal(result.covariates)}",
        BoardRow,
        result.systems,
        {"score": score.capitalize(), "pareto": result.pareto or ""},
        without=without,
        sparse="shrunken topics battles value on_frontier",
        unit=Unit.of(result.noun),
        order=("rank", "system", "score", "rank_low"),
        note=note,
    )
    if result.pareto and result.pareto not in table.keys:
        name = result.pareto
        table = table.changed(lambda item: replace(item, key=name) if item.key == "value" else item)
    return table.rounded_for(item.score for item in result.systems)

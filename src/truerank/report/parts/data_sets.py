"""The data sets of a leaderboard: the picture of all ranks, and what each data set does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.report.charts.data_sets import data_sets_chart, systems_shown
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.units import one_score_each
from truerank.report.words import listed, number, percent

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def data_sets(assessment: Assessment) -> Section | None:
    """The section; ``None`` where there is one data set."""
    board = assessment.board
    if board is None:
        return None
    shown = systems_shown(assessment)
    picture = figure(
        lambda size: data_sets_chart(assessment, size),
        "data-sets-figure",
        f"The ranks of {shown} systems on {len(board.data_sets)} data sets; the darker the better. "
        "The table below says how the ranking of each data set agrees with the leaderboard’s.",
        fill(
            "data-sets-caption.html",
            shown=shown,
            systems=len(assessment.ranking),
            holes=any(one.systems < len(assessment.ranking) for one in board.data_sets),
        ),
    )
    body = fill(
        "data-sets.html",
        figure=picture,
        table=_table(assessment),
        sentences=board_sentences(assessment),
    )
    return Section("data-sets", "Data sets", "What each data set says", body)


def board_sentences(assessment: Assessment) -> list[str]:
    """Which data set, or system, moves the leader or the ranking most, when it is left out."""
    board = assessment.board
    if board is None:
        return []
    leader = assessment.ranking[0].system
    found = []
    other = board.leaders_without(leader)
    if other:
        first = other[0]
        more = f", and {len(other) - 1} more of them would change the leader too" if len(other) > 1 else ""
        found.append(
            f"Without {listed([first.name])} {listed([first.leader_without])} would lead instead of "
            f"{listed([leader])}{more}."
        )
    elif all(one.leader_without for one in board.data_sets):
        found.append(f"{listed([leader])} leads without any one of the data sets, too.")
    most = board.most_moving
    if most is not None:
        found.append(
            f"The data set that moves the ranking most is {listed([most.name])}: without it, τ with the "
            f"ranking above is {number(most.tau_without, 2)}."
        )
    dropped = board.dropped
    if dropped is not None and dropped.tau < 1:
        leads = (
            "" if leader in (dropped.leader, dropped.system) else f", and {listed([dropped.leader])} leads"
        )
        found.append(
            f"Points depend on who takes part: without {listed([dropped.system])} the others’ ranking "
            f"agrees with this one at τ = {number(dropped.tau, 2)}{leads}."
        )
    return found


def _table(assessment: Assessment) -> Markup:
    board = assessment.board
    assert board is not None
    families = any(one.family for one in board.data_sets)
    topics = not one_score_each(assessment)
    columns = [
        Column("Data set", numeric=False),
        *([Column("Family", numeric=False)] if families else []),
        *([Column("Topics")] if topics else []),
        Column("Weight", meaning="what it counts in the average"),
        Column("Systems", meaning="how many have a mean here"),
        Column("τ with the ranking", meaning="of the data set’s own ranking with the leaderboard’s"),
        Column("τ without it", meaning="of the leaderboard’s ranking with the one without this data set"),
        Column("Leader without it", numeric=False),
    ]
    rows = []
    for one in board.data_sets:
        cells = [name_cell(one.name)]
        if families:
            cells.append(name_cell(one.family))
        cells += [
            *([Cell(str(one.topics), one.topics)] if topics else []),
            Cell(percent(one.weight, 1), one.weight),
            Cell(str(one.systems), one.systems),
            number_cell(one.tau, 2),
            number_cell(one.tau_without, 2),
            name_cell(one.leader_without) if one.leader_without else Cell("–", None),
        ]
        rows.append(Row(cells))
    return table("data-sets-table", "All data sets", columns, rows)

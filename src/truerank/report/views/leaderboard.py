"""The view of a leaderboard: what it may show of each system."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truerank._support.escaping import printable
from truerank._support.notes import Note
from truerank._support.tables import Table
from truerank._support.units import in_units
from truerank._support.wording import count, level_text, listed, number
from truerank.reliability.leaderboard import BoardRow, Leaderboard
from truerank.reliability.means.bradley_terry import BRADLEY_TERRY
from truerank.report.view import Asked, Section, View
from truerank.report.views import register
from truerank.report.views.arena import in_points
from truerank.report.views.machine_words import gain_sentence
from truerank.report.words import PAIRS_ALIKE, ranges_together

ADAPTIVE = Note(
    "adaptive-board",
    "the bound on the leader’s score holds only if no submission was tuned on the board’s scores",
)

FEW = 3
"""Systems that a sentence names; the rest are counted."""


def view(found: Leaderboard, asked: Asked) -> View:
    """What there is to see of a leaderboard."""
    facts = {"Command": asked.command} if asked.command else {}
    facts |= {"truerank": f"version {found.version}", "Level": level_text(found.level)}
    random = {} if found.draws is None else {"Seed": str(found.seed), "Draws": f"{found.draws:,}"}
    facts |= random
    settings = [PAIRS_ALIKE] if found.pairs_alike else []
    settings += [f"{name.lower()} {value}" for name, value in random.items()]
    return View(
        command="board",
        title="Leaderboard",
        subject=_subject(found),
        answer=list(_answer(found)),
        sections=[_section(found)],
        notes=[*found.notes, *([ADAPTIVE] if found.tried is not None else [])],
        how="; ".join([f"Rule: {printable(found.rule)}", *settings, f"truerank {found.version}."]),
        measure=found.measure,
        facts={name: printable(text) for name, text in facts.items()},
    )


def _subject(found: Leaderboard) -> str:
    return " · ".join([*([found.measure] if found.measure else []), f"{len(found.names)} systems"])


def _answer(found: Leaderboard) -> Iterator[str]:
    yield from _order(found)
    if found.machine is not None:
        judged = "scores" if found.rule != BRADLEY_TERRY else "battles"
        yield in_units(gain_sentence(found.machine, judged), found.noun, found.names)
    if found.tried is not None and math.isfinite(found.tried.low):
        one = found.tried
        yield (
            f"Picked from {one.submissions:,} submissions, its true score is at least {number(one.low)} "
            f"({level_text(one.level)} confidence); observed: {number(one.score)}."
        )


def _order(found: Leaderboard) -> Iterator[str]:
    leader, *rest = found.rows
    if leader.rank_low is None:
        yield f"{listed([leader.system])} leads."
        return
    equal = [row.system for row in rest if row.tied_with_leader]
    if not equal:
        yield f"{listed([leader.system])} leads, and no other system may be first."
    else:
        others = count(len(equal), "other system")
        yield f"{listed([leader.system])} leads, but {others} may be first: {listed(equal, FEW)}."


def _section(found: Leaderboard) -> Section:
    rows = found.rows
    without = ["rank_low", "tied_with_leader"] if found.low is None else []
    without += ["shrunken"] if found.shrunken is None else []
    without += ["topics"] if found.topics is None else []
    without += ["battles"] if found.rule != BRADLEY_TERRY else []
    level = level_text(found.level)
    own = f"Each range is of that system by itself, with {level} probability."
    score = {"elo": "Elo", "logit": "Strength"}.get(found.scale or "", "Score")
    note = "SE: standard error. Rank range: ranks that a system may truly have. "
    note += ranges_together(found.level, found.notes) if found.joint else own
    if found.shrunken is not None:
        note += (
            f" Shrunken: {score if score == 'Elo' else score.lower()} corrected for chance in the ranking."
        )
    table = Table.of(
        "board",
        f"Leaderboard of {len(rows)} systems{f' by {printable(found.measure)}' if found.measure else ''}",
        BoardRow,
        rows,
        {"score": score},
        without=without,
        unit=found.sampled,
        order=("rank", "system"),
        note="" if found.low is None else note,
        made=f"(truerank {found.version}.)",
        short=_subject(found).replace(" · ", ", "),
    )
    return Section("board", "Ranking", tables=[in_points(found.scale, table)])


register(Leaderboard, view, tables=("board",))

"""A ranking by a machine alone: what it claims, what it is worth, and what it has in the wrong order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.report.page import Section
from truerank.report.parts.machine import favour_sentence
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.views.assessment import subject as subject_of
from truerank.report.words import level_text, listed, number, share, span

if TYPE_CHECKING:
    from truerank.comparison import MachineAlone
    from truerank.comparison.machine_alone import TauOf

RANKINGS = {
    "claimed": "machine alone, by its own account",
    "tau": "machine alone, beside people",
    "people": "people alone",
    "both": "people and machine",
}
"""What each τ is of."""


def sentences(found: MachineAlone) -> list[str]:
    """What is to be said, the most important first."""
    level = level_text(found.level)
    tau, claimed = found.tau, found.claimed
    judge = found.judge
    own = found.assessment.measure
    by = f" by {own}" if own else ""
    said = [
        f"The ranking of {len(found.ranking)} systems{by} by the machine alone, on {judge.machine_topics:,} "
        f"topics, is expected to agree with the true one at τ = {number(tau.estimate, 2)} ({level} interval "
        f"{span(tau.low, tau.high, 2)}); its own scores claim {number(claimed.estimate, 2)} "
        f"({span(claimed.low, claimed.high, 2)}).",
        f"Of {found.pairs:,} pairs it has about {found.wrong:.0f} in the wrong order (from "
        f"{found.wrong_low:.0f} to {found.wrong_high:.0f}), {_surely(found)}.",
        f"Corrected by {judge.human_topics} human topics the ranking is expected at τ = "
        f"{number(found.both.estimate, 2)}, by people alone at {number(found.people.estimate, 2)}"
        f"{_enough(found)}.",
        _first(found),
        favour_sentence(judge),
    ]
    return said


def _surely(found: MachineAlone) -> str:
    if not found.surely_wrong:
        return "none of them surely"
    verb = "one of them" if found.surely_wrong == 1 else f"{found.surely_wrong} of them"
    return f"{verb} each with at least {level_text(found.level)} probability"


def _enough(found: MachineAlone) -> str:
    """Whether the machine alone may do."""
    # By the two digits that are printed: closer than that they are alike.
    if round(found.tau.estimate, 2) >= round(found.both.estimate, 2):
        return ": the machine alone may do as well, as far as its biases are all of a kind"
    return ""


def _first(found: MachineAlone) -> str:
    """Whether the machine's best system may be the best."""
    first, best = found.ranking[0], found.assessment.best
    leader = found.assessment.ranking[0].system
    chance = share(found.first_is_best)
    head = f"It puts {listed([first])} first, "
    if first == leader:
        return head + f"as people and machine together do; it is truly best with probability {chance}."
    head += f"which is truly best with probability {chance}"
    if found.first_may_be_best or best is None:
        return f"{head}; people and machine together put {listed([leader])} first."
    one = "is" if len(best.systems) == 1 else "is one of"
    return (
        f"{head}, and misses the best system: with at least {level_text(best.level)} probability that {one} "
        f"{listed(best.systems)}."
    )


def tau_rows(found: MachineAlone) -> list[tuple[str, TauOf]]:
    """Which ranking, and its τ."""
    return [(label, getattr(found, name)) for name, label in RANKINGS.items()]


def subject(found: MachineAlone) -> str:
    """What was compared: ``AP · 22 systems · 20 human topics · 200 machine topics``."""
    return subject_of(found.assessment)


def answer(found: MachineAlone) -> Markup:
    """The head of the page."""
    return fill("plan-answer.html", said=sentences(found), warnings=len(found.assessment.warnings))


def rankings(found: MachineAlone) -> Section:
    """τ of the rankings by the machine, by people, and by both."""
    level = level_text(found.level)
    rows = [
        Row([Cell(label, label), number_cell(one.estimate), Cell(span(one.low, one.high), one.low)])
        for label, one in tau_rows(found)
    ]
    columns = [
        Column("Ranking by", numeric=False),
        Column("τ", meaning="expected with the true ranking"),
        Column(f"{level} interval"),
    ]
    own = {name: place for place, name in enumerate(found.ranking, start=1)}
    systems = [
        Row(
            [
                Cell(str(s.rank), s.rank),
                name_cell(s.system),
                Cell(str(own[s.system]), own[s.system]),
                Cell(share(s.probability_best), s.probability_best),
            ]
        )
        for s in found.assessment.ranking
    ]
    heads = [
        Column("Rank", meaning="by the corrected means"),
        Column("System", numeric=False),
        Column("Rank by the machine alone"),
        Column("Truly best", meaning="probability of being truly the best, by the corrected means"),
    ]
    body = fill(
        "machine-alone.html",
        rankings=table("tau-table", "How close each ranking is to the true one", columns, rows),
        systems=table("ranks-table", "The two rankings", heads, systems, heading=1),
    )
    return Section("rankings", "Rankings", "The machine’s ranking beside the others", body)


def wrong_pairs(found: MachineAlone) -> Section | None:
    """Pairs that the machine alone surely has wrong; ``None`` where there is none."""
    if not found.named:
        return None
    rows = [
        Row(
            [
                name_cell(one.machine_above),
                name_cell(one.truly_above),
                number_cell(one.difference, 4),
                Cell(share(one.probability), one.probability),
            ]
        )
        for one in found.named
    ]
    columns = [
        Column("The machine has above", numeric=False),
        Column("Truly above", numeric=False),
        Column("Difference", meaning="of the corrected means"),
        Column("Probability", meaning="of the second being truly above the first"),
    ]
    title = f"Farthest apart, {len(found.named)} of {found.surely_wrong}"
    body = table("wrong-table", title, columns, rows)
    return Section("wrong", "Wrong pairs", "Pairs that the machine alone surely has in the wrong order", body)


def methods(found: MachineAlone) -> Section:
    """How it was computed."""
    body = fill("machine-alone-methods.html", found=found, level=level_text(found.level))
    return Section("methods", "Methods", "How it was computed", body)


def facts(found: MachineAlone) -> dict[str, str]:
    """Settings, for the section that says how to get the same digits again."""
    return {
        "truerank": f"version {found.version}",
        "Seed": str(found.seed),
        "Draws": f"{found.draws:,}",
        "Level": level_text(found.level),
        "Fingerprint": f"{found.assessment.scores.fingerprint()[:16]} (of names, measure and scores)",
    }

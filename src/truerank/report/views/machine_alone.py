"""The view of a ranking by a machine alone: what it claims, what it is worth, and what it has wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Name, Ranks, Table, Text
from truerank._support.wording import level_text, listed, number, span
from truerank.comparison import MachineAlone
from truerank.comparison.machine_ranking import WrongPair
from truerank.report.view import Asked, Section, View
from truerank.report.views import by, facts, made, register, subject
from truerank.report.views.assessment_sections import machine_section
from truerank.report.words import bias_sentence, named

if TYPE_CHECKING:
    from markupsafe import Markup

TITLE = "What would the machine alone get wrong?"

RANKINGS = {
    "claimed": "machine alone, by its own scores",
    "tau": "machine alone, checked against people",
    "people": "people alone",
    "both": "people and machine",
}
"""What each τ is of."""


def view(found: MachineAlone, asked: Asked) -> View:
    """What there is to see of a machine's ranking."""
    real = number(found.kept, 2)
    kept = f"k = {real}: this share of the observed biases counts as real, the rest as chance"
    sections = [_rankings(found), _wrong(found), machine_section(found.assessment, asked), _systems(found)]
    return View(
        command="compare",
        title=TITLE,
        subject=_subject(found),
        answer=list(_answer(found)),
        sections=[section for section in sections if section],
        notes=found.assessment.notes,
        how=f"By eb; {kept}; {found.draws:,} draws; seed {found.seed}; truerank {found.version}.",
        measure=found.measure,
        methods=partial(_methods, found),
        facts=_facts(found),
        sentence=(
            "We estimated how close the machine’s own ranking is to the true one from the "
            f"{named('HumanTopics', found.judge.human_topics)} {found.sampled.many} that people judged, with "
            "its biases shrunk. Both kinds of scores were combined by prediction-powered inference "
            "[@angelopoulos-2023]. The weight of the machine is "
            f"λ = {named('Lambda', number(found.judge.scale, 2))}. "
            f"We used truerank {named('Version', found.version)} [@truerank] with "
            f"{named('Draws', found.draws)} draws and seed {named('Seed', str(found.seed))}."
        ),
        references=("angelopoulos-2023",),
    )


def _subject(found: MachineAlone) -> str:
    """``AP · 22 systems · 20 human topics · 200 machine topics``."""
    judge, topics = found.judge, found.sampled.many
    judged = [f"{judge.human_topics:,} human {topics}", f"{judge.machine_topics:,} machine {topics}"]
    return subject(printable(found.measure), f"{len(found.ranking)} systems", *judged)


def _answer(found: MachineAlone) -> Iterator[str]:
    """What is to be said, the most important first."""
    level = level_text(found.level)
    tau, claimed, wrong = found.tau, found.claimed, found.wrong_pairs
    claimed_range = named("ClaimedRange", span(claimed.low, claimed.high, 2))
    claim = f"{named('ClaimedTau', number(claimed.estimate, 2))} ({claimed_range})"
    if tau is None:
        yield (
            f"How close the machine’s own ranking is to the true one is not known: {found.why_no_tau}; its "
            f"scores alone claim τ = {claim}."
        )
        yield f"Of {found.pairs:,} pairs, {_established(found)}."
    else:
        yield (
            "The machine’s own ranking is expected to agree with the true one at "
            f"τ = {named('Tau', number(tau.estimate, 2))} ({named('Level', level)} interval "
            f"{named('TauRange', span(tau.low, tau.high, 2))}); "
            f"its scores alone claim {claim}."
        )
        yield (
            f"Of {named('Pairs', found.pairs)} pairs it has about "
            f"{named('WrongPairs', f'{wrong.expected:.0f}')} in the wrong order "
            f"({named('WrongPairsRange', f'{wrong.low:.0f} to {wrong.high:.0f}')}); "
            f"{_established(found)}."
        )
    yield (
        f"Corrected by {named('HumanTopics', found.judge.human_topics)} human {found.sampled.many}, the "
        f"ranking is expected at τ = {named('BothTau', number(found.both.estimate, 2))}; by people alone, at "
        f"{named('PeopleTau', number(found.people.estimate, 2))}{_enough(found)}."
    )
    yield _first(found)
    yield from bias_sentence(found.judge)


def _established(found: MachineAlone) -> str:
    """How many pairs are known to be in the wrong order."""
    if not found.established:
        return "none is established to be in the wrong order"
    count = "1 is" if found.established == 1 else f"{found.established} are"
    sure = f"with {level_text(found.level)} confidence for all pairs together"
    return f"{count} established to be in the wrong order, {sure}"


def _enough(found: MachineAlone) -> str:
    """Whether the machine alone may do, by the two digits that are printed."""
    if found.tau is not None and round(found.tau.estimate, 2) >= round(found.both.estimate, 2):
        return ". The machine alone may do as well, if its biases are all of a kind"
    return ""


def _first(found: MachineAlone) -> str:
    """Whether the machine's best system may be the best."""
    first, best = found.ranking[0], found.assessment.best
    leader = found.assessment.ranking[0].system
    if first == leader:
        return f"It ranks {listed([first])} first, as people and machine together do."
    head = f"It ranks {listed([first])} first"
    if found.first_may_be_best or best is None:
        return f"{head}; people and machine together rank {listed([leader])} first."
    one = "is" if len(best.systems) == 1 else "is one of"
    sure = f"with {level_text(best.level)} confidence"
    return f"{head} and misses the best, which {one} {listed(best.systems)} {sure}."


def _rankings(found: MachineAlone) -> Section:
    """τ of the rankings by the machine, by people, and by both."""
    columns = (
        Column("Ranking by", Text(), "ranking"),
        Column(
            f"τ ({level_text(found.level)} interval)",
            Bounded(digits=2, low="low", high="high"),
            "estimate",
            "expected with the true ranking",
        ),
    )
    rows = [
        (label, (one.estimate, one.low, one.high))
        for label, one in ((label, getattr(found, name)) for name, label in RANKINGS.items())
        if one is not None
    ]
    caption = f"How close each ranking of {len(found.ranking)} systems{by(found.measure)} is to the true one"
    return Section(
        "rankings",
        "Rankings",
        tables=[Table("rankings", caption, columns, rows, made=made(found.version, seed=found.seed))],
    )


def _systems(found: MachineAlone) -> Section:
    """The two rankings of all systems."""
    places = {name: place for place, name in enumerate(found.ranking, 1)}
    columns = (
        Column("Rank", Count(), "rank", "by people and machine together"),
        Column("System", Name(), "system"),
        Column("Rank by the machine alone", Count(), "machine_rank"),
        Column("Rank range", Ranks(high="rank_high"), "rank_low", "by people and machine together"),
    )
    rows = [(s.rank, s.system, places[s.system], (s.rank_low, s.rank_high)) for s in found.assessment.ranking]
    table = Table("systems", "The ranking by people and machine, and the machine’s own", columns, rows)
    return Section("systems", "Systems", tables=[table], details=True)


def _wrong(found: MachineAlone) -> Section | None:
    """Pairs that the machine alone has in the wrong order."""
    if not found.named:
        return None
    table = Table.of(
        "wrong_pairs",
        "Pairs established to be in the wrong order by the machine, "
        f"{len(found.named)} of {found.established}",
        WrongPair,
        found.named,
        note="Difference: of the corrected means. Probability: that this pair alone is truly in that order. "
        f"All of them are, with {level_text(found.level)} confidence.",
        made=made(found.version, seed=found.seed),
    )
    return Section("wrong", "Wrong pairs", tables=[table])


def _methods(found: MachineAlone) -> Markup:
    from truerank.report.templating import fill

    return fill("machine-alone-methods.html", found=found)


def _facts(found: MachineAlone) -> dict[str, str]:
    return facts(found.version, found.seed) | {
        "Draws": f"{found.draws:,}",
        "Level": level_text(found.level),
        "Fingerprint": f"{found.assessment.scores.fingerprint()[:16]} (of names, measure and scores)",
    }


register(MachineAlone, view, tables="rankings wrong_pairs machine systems", figures="machine-judge")

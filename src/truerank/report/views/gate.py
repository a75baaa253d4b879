"""The view of a gate: the verdict, the difference, and where the candidate loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Name, Number, Table, Text
from truerank._support.wording import a_chance, level_text, number
from truerank._support.words import named, score
from truerank.comparison.gate import Decision, Gate
from truerank.comparison.gate.decision import Decisions, Judged, TopicLoss, best_first
from truerank.reliability.pair.question import BEYOND_CHANCE, Direct
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, facts, made, register
from truerank.report.views import gate_words as words
from truerank.report.words import at_equal, style_words

MOST = 12
"""Comparisons of which every topic is drawn."""


def view(found: Gate, asked: Asked) -> View:
    """What there is to see of a gate."""
    found = replace(found, decisions=best_first(found.decisions))
    first, one = found.decisions[0], found.overall[0]
    several = len(found.overall) > 1
    return View(
        command="gate",
        title=words.title(found),
        subject=words.of_several(found) if several else words.about(one),
        badge=(
            words.word(found.verdict).upper() if several else words.headline(found, one),
            words.TONES[found.verdict],
        ),
        answer=list(words.summary(found) if several else words.sentences(found, one)),
        sections=[one for one in (_verdicts(found), _direct(found), _topics(found), _losses(found)) if one],
        notes=words.notes(found),
        how=words.how(found),
        measure=first.measure if len({one.measure for one in found}) == 1 else "",
        facts=facts(found.version, found.seed)
        | {
            "Level": level_text(first.level),
            "Margin": words.margin_text(found.decisions).partition(" ")[2],
            "Comparisons": str(found.comparisons),
        },
        numbers={"Seed": str(found.seed), "Version": found.version, "Comparisons": str(found.comparisons)}
        | ({} if several else words.quoted(one)),
        sentence=_sentence(found),
        references=[
            *(key for rule in sorted({one.rule for one in found}) for key in words.PAPERS[rule]),
            *(words.PAPERS[words.correction(found)] if found.comparisons > 1 else ()),
        ],
    )


def _sentence(found: Gate) -> str:
    first = found.decisions[0]
    family = ""
    if found.comparisons > 1:
        counted = f"{found.comparisons:,}"
        cited = "".join(f" [@{key}]" for key in words.PAPERS[words.correction(found)])
        family = f" p-values are adjusted for all {counted} comparisons ({words.correction(found)}{cited})."
        family += f" {words.together(found)}"
    scored = {None: f"mean {printable(first.measure) or 'scores'}", "share": "shares of direct battles won"}
    scores = scored.get(first.scale, "Bradley–Terry strengths [@bradley-terry-1952]")
    return (
        f"We compared {scores} on {words.amount(first)}, {words.margin_text(found.decisions)}, by truerank "
        f"{found.version} [@truerank] with seed {found.seed}. Intervals are two-sided, at "
        f"{level_text(first.level)}, by {words.bounds(found, cite=True)}; verdicts are read "
        f"off them.{family}"
    )


def _verdicts(found: Gate) -> Section:
    measures = len({one.measure for one in found}) > 1
    sets = any(one.data_set is not None for one in found)
    without = [*([] if measures else ["measure"]), *([] if sets else ["data_set"])]
    without += [] if any(one.margin for one in found) else ["p_margin"]
    without += [] if len(found) > 1 else ["p_adjusted"]
    together = words.adjusted(found)
    what = f"adjusted for all {found.comparisons} comparisons" if together else "of no difference"
    first = found.decisions[0]
    # With several candidates the answer says it.
    jointly = f" {words.together(found)}" if len(found) > 1 and len(found.overall) == 1 else ""
    jointly += words.STRICTER if together else ""
    mean = "" if sets else words.baseline_mean(found.decisions)
    narrow = not (sets or measures)
    needed = _needed(found) if narrow and any(one.topics_needed for one in found) else ""
    table = verdict_table(
        found,
        Decision,
        f"p: two-sided, {what}. Intervals: {level_text(first.level)}.{mean}{needed}{jointly}",
        "candidate measure data_set verdict difference p_value p_margin p_adjusted topics_needed "
        "candidate_mean baseline_mean topics",
        without,
        "" if measures else by(first.measure),
    )
    behind = {"baseline_mean"} if mean or measures else set()
    behind |= set() if needed else {"topics_needed"}
    behind |= {"p_value", "p_margin"} if together else {"p_adjusted"}
    behind |= {"p_margin"} if len(found) > 1 else set()
    if sets:
        behind |= {"candidate_mean", "baseline_mean", "topics"}
    return verdicts(found.decisions, table.behind(behind))


def verdict_table(
    found: Decisions[Any], kind: type, note: str, order: str, without: Sequence[str] = (), of: str = ""
) -> Table:
    """The decisions in numbers; how many topics, where all have as many, is in the caption."""
    first, topics = found.decisions[0], {one.topics for one in found}
    by_machine = getattr(first, "machine_topics", 0)
    counted = words.amount(first) if by_machine else first.sampled.count(first.topics)
    alike = f", {counted}" if len(topics) == 1 else ""
    margin = words.margin_text(found.decisions)
    style = at_equal(getattr(first, "covariates", None))
    table = Table.of(
        "gate",
        f"Verdicts against {named(first.baseline)}{of}, {margin}{alike}{style}",
        kind,
        found.decisions,
        {"level": level_text(first.level)},
        without,
        order.split(),
        unit=first.sampled,
        note=note,
        made=made(found.version, seed=getattr(found, "seed", None)),
    )
    if getattr(first, "scale", None) == "elo":
        table = _whole(table)
    return table.behind({"topics"} if alike else set())


def _whole(table: Table) -> Table:
    """The table with Elo and its differences in whole points."""
    return replace(
        table,
        columns=tuple(
            replace(column, kind=replace(column.kind, digits=0))
            if column.key in ("difference", "candidate_mean", "baseline_mean")
            and isinstance(column.kind, Number | Bounded)
            else column
            for column in table.columns
        ),
    )


def _needed(found: Gate) -> str:
    """What the topics needed are, for the table's note."""
    flat = any(one.topics_needed_prior == "flat" for one in found)
    among = ", if differences of any size were equally likely" if flat else ""
    return (
        f" {found.sampled.many.capitalize()} needed: in all, for {a_chance(found.decisions[0].power)} of a "
        f"verdict{among}; not named beyond a million."
    )


def verdicts(decisions: Sequence[Judged], table: Table) -> Section:
    """Several decisions in a table; a single one, which the answer tells, in details."""
    if len(decisions) == 1:
        return Section("verdicts", "In numbers", tables=[table], details=True)
    return Section("verdicts", "Verdicts", tables=[table])


def _direct(found: Gate) -> Section | None:
    """The battles between the two alone, of an arena."""
    held = [(one, one.direct) for one in found.overall if one.direct is not None]
    if not held:
        return None
    level = level_text(held[0][0].level)
    names = held[0][0].covariates
    styled = f", with {style_words(names)} as in the direct ones" if names else ""
    table = Table.of(
        "direct",
        f"Direct battles with {named(held[0][0].baseline)}",
        Direct,
        [direct for _, direct in held],
        {"level": level},
        note=f"Won: by the candidate, ties as half wins. Expected: by strengths from all battles{styled}. "
        f"Disagreement: in standard errors; beyond {BEYOND_CHANCE:g} it is more than chance.",
    )
    who = Column("Candidate", Name(), "candidate")
    rows = [(one.candidate, *row) for (one, _), row in zip(held, table.rows, strict=True)]
    whole = replace(table, columns=(who, *table.columns), rows=rows)
    return Section("direct", "Direct battles", tables=[whole], details=len(held) == 1)


def _topics(found: Gate) -> Section:
    """The differences on every topic."""
    unit = found.sampled
    figures = [_figure(one, place) for place, one in enumerate(found.overall[:MOST], 1)]
    left = len(found.overall) - MOST
    text = [f"{left} more comparisons are in the table of verdicts."] if left > 0 else []
    rows = [
        (topic, one.candidate, one.measure, difference)
        for one in found.overall
        for topic, difference in zip(one.topic_names, one.differences.tolist(), strict=True)
    ]
    columns = (
        Column(unit.one.capitalize(), Name(), "topic"),
        Column("Candidate", Name(), "candidate"),
        Column("Measure", Text(), "measure"),
        Column("Difference", Number(digits=4, sign=True), "difference"),
    )
    table = Table("differences", f"Differences on every {unit.one}", columns, rows, files_only=True)
    return Section("topics", unit.many.capitalize(), text, figures, [table], details=len(found.overall) > 1)


ADDED = "What each adds to the two strengths, and to their difference; over all of them that adds up to 0."


def _figure(one: Decision, place: int) -> Figure:
    margin = f" Dashed: the margin, −{score(one.margin)}." if one.margin else ""
    of_people = " that people judged, by their scores alone" * bool(one.machine_topics)
    said = (
        f"Above: the mean difference and its interval. Below: a bar per {one.sampled.one}{of_people}.{margin}"
    )
    if one.by_strengths:
        said = "Bar: what a prompt, or a group of them, adds to the difference of strengths; all add up to 0."
    difference = number(one.difference, words.digits_of(one), sign=True)
    return Figure(
        "differences" if place == 1 else f"differences-{place}",
        f"{words.about(one)}. {said}",
        f"Difference of {named(one.candidate)} and {named(one.baseline)} on every "
        f"{one.sampled.one}{of_people}; the mean difference is {difference}.",
        lambda size: charts.topic_differences_chart(one, size),
    )


def _losses(found: Gate) -> Section:
    """The topics on which the candidates lose most."""
    tables = []
    for place, one in enumerate(found.overall[:MOST], 1):
        sets = any(loss.data_set is not None for loss in one.losses)
        tables.append(
            Table.of(
                "losses" if place == 1 else f"losses_{place}",
                f"{one.sampled.many.capitalize()} on which {named(one.candidate)} loses most",
                TopicLoss,
                one.losses,
                without=() if sets else ("data_set",),
                unit=one.sampled,
                note=ADDED if one.by_strengths else "",
            )
        )
    text = [said for one in found.overall[:MOST] for said in words.fragile(one)]
    return Section("losses", "Largest losses", text, tables=tables, details=True)


register(Gate, view, tables="gate direct differences losses")

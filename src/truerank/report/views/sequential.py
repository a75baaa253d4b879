"""The view of a gate that may be asked at any time: the verdict, its bounds, and how these closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from truerank._support.arguments import either
from truerank._support.notes import distinct
from truerank._support.tables import Column, Count, Name, Number, Table
from truerank._support.units import Unit
from truerank._support.wording import NONE, level_text, listed, number
from truerank._support.words import named, score
from truerank.comparison.gate.decision import best_first
from truerank.comparison.sequential import Monitor, SequentialDecision, SequentialGate
from truerank.comparison.sequential.deciding import monitored
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import facts, register
from truerank.report.views import gate_words as words
from truerank.report.views.gate import verdict_table, verdicts

MOST = 12
"""Candidates whose bounds are drawn."""

METHODS = {
    "betting": "betting on scores from {low:g} to {high:g}; exact at any number of {units}",
    "planned": "planned looks at {looks} {units} ({spending}), by Student’s t",
}

SPENDING = {"pocock": "Pocock", "obrien-fleming": "O’Brien–Fleming"}


def view(found: SequentialGate, asked: Asked) -> View:
    """What there is to see of it."""
    found = replace(found, decisions=best_first(found.decisions))
    first = found.decisions[0]
    known = facts(found.version) | {
        "Level": level_text(first.level),
        "Margin": score(first.margin),
        "Method": method(first),
    }
    several = len(found) > 1
    return View(
        command="gate",
        title=words.title(found),
        subject=", ".join([words.of_several(found), first.sampled.count(first.topics)])
        if several
        else about(first),
        badge=(words.word(found.verdict).upper(), words.TONES[found.verdict]),
        answer=list(_summary(found) if several else sentences(found, first)),
        sections=[_numbers(found), _bounds(found)],
        notes=distinct(note for decision in found for note in decision.notes),
        how=(
            f"Baseline {named(first.baseline)}, margin {score(first.margin)}, level "
            f"{level_text(first.level)} over all looks; {method(first)}; truerank {found.version}."
        ),
        measure=first.measure,
        facts=known,
        numbers={} if several else words.quoted(first),
        sentence=(
            f"Verdicts hold at every look ({method(first)} [{_cited(first)}]), at {level_text(first.level)} "
            f"with a margin of {score(first.margin)}, by truerank {found.version} [@truerank]."
        ),
        references=(_cited(first).removeprefix("@"),),
    )


def _cited(one: SequentialDecision) -> str:
    keys = {"betting": "waudby-smith-ramdas-2023", "planned": "lan-demets-1983"}
    return f"@{keys[one.sequential.method]}"


# ── sentences ─────────────────────────────────────────────────────────────────────────────────────────


def method(one: SequentialDecision) -> str:
    """How the verdict comes about, in a few words."""
    how = one.sequential
    return METHODS[how.method].format(
        low=how.range_low if how.range_low is not None else 0,
        high=how.range_high if how.range_high is not None else 1,
        units=one.sampled.many,
        looks=listed([f"{n:,}" for n in how.looks or ()], 12),
        spending=SPENDING[how.spending or "pocock"],
    )


def about(one: SequentialDecision) -> str:
    """The two, by which measure, on how many topics so far."""
    parts = [f"{named(one.candidate)} against {named(one.baseline)}"]
    return ", ".join([*parts, *([one.measure] if one.measure else []), one.sampled.count(one.topics)])


def said(one: SequentialDecision) -> str:
    """What the verdict means."""
    looks = " over all planned looks" if one.sequential.method == "planned" else ", however often you look"
    return words.meaning(one, f"with {level_text(one.level)} confidence{looks}", so_far=True)


def sentences(found: Any, one: SequentialDecision) -> Iterator[str]:
    """What the verdict means, the interval, the next look, and what it rests on."""
    yield said(one)
    yield measured(one)
    decided, rounds, units = one.sequential.decided, one.sequential.rounds, one.sampled.many
    yield from since([one])
    if one.verdict == "undecided":
        yield from next_look(one)
    else:
        stands = "stands"
        if decided is not None and decided < rounds:
            what = units if rounds == one.topics else "rounds"
            stands = f"was established after {decided:,} {what} and stands"
        yield f"The verdict {stands}: no more {units} are needed."
    yield _order(found)


def measured(one: SequentialDecision) -> str:
    """The difference and its bounds."""
    low, high = (number(value, words.DIGITS, sign=True) for value in (one.low, one.high))
    sure = f", by the {level_text(one.level)} interval over all looks"
    looks = one.sequential.looks or ()
    ends = {
        (True, True): f"no bound before the first look at {looks[0]:,}" if before(one) else "no bound yet",
        (True, False): f"at most {high}{sure}",
        (False, True): f"at least {low}{sure}",
        (False, False): f"{level_text(one.level)} interval {low} to {high} over all looks",
    }[low == NONE, high == NONE]
    difference = number(one.difference, words.DIGITS, sign=True)
    if looks and not before(one):
        return f"Difference {difference} after {one.topics:,} {one.sampled.many}, {ends}."
    return f"Difference so far {difference}, {ends}."


def before(one: SequentialDecision) -> bool:
    """Whether looks are planned and none was made."""
    return one.sequential.looks is not None and one.sequential.rounds < one.sequential.looks[0]


def since(decisions: Sequence[SequentialDecision]) -> Iterator[str]:
    """How many topics came that the numbers are not of, and when they count."""
    most = max(decisions, key=lambda one: one.sequential.waiting)
    how = most.sequential
    if not how.waiting:
        return
    left = [n for n in how.looks or () if n > how.rounds]
    why = (
        f"they wait for {most.sampled.many} of the other data sets"
        if how.looks is None or before(most)
        else f"they count at the next look, at {left[0]:,}"
        if left
        else "all planned looks are made, so they do not count"
    )
    up_to = "Up to " if len({one.sequential.waiting for one in decisions}) > 1 else ""
    yield f"{up_to}{Unit.of(f'more {most.sampled.one}').count(how.waiting)} came since: {why}."


def next_look(one: SequentialDecision) -> Iterator[str]:
    """When a planned comparison that is still open is looked at again."""
    how = one.sequential
    if how.looks is None or how.waiting or before(one):  # `measured` and `since` say it
        return
    left = [n for n in how.looks if n > how.rounds]
    yield (
        f"The next look is at {left[0]:,}." if left else "All planned looks are made: it stays inconclusive."
    )


def _order(found: SequentialGate) -> str:
    """In which order the topics counted, on which the verdict rests."""
    units, added = found.sampled.many, found.added
    before = found.monitor.topics - (added or 0)
    if added is None:
        how = "in the order of the updates"
    elif not before:
        how = either("in the order of the rows", "in the order of the file")
    else:
        new = f"then {added:,} new in the order of the file" if added else "none is new"
        how = f"in the order in which they came: {before:,} of the state, {new}"
    return f"The {units} count {how}. That order must have been fixed before they were scored."


def _summary(found: SequentialGate) -> Iterator[str]:
    first = found.decisions[0]
    yield words.passing(found, said)
    stand = f"; all stand: no more {first.sampled.many} are needed"
    open_ones = [one for one in found if one.verdict == "undecided"]
    yield f"Verdicts: {words.counted(found.decisions)}{'' if open_ones else stand}."
    yield from words.worse(found.decisions)
    yield from since(found.decisions)
    yield (
        f"They are judged together: the chance of ever giving a false verdict on any of them is at most "
        f"{level_text(round(1 - first.level, 12))}."
    )
    yield _order(found)


# ── tables and figures ────────────────────────────────────────────────────────────────────────────────


def _numbers(found: SequentialGate) -> Section:
    first = found.decisions[0]
    mean = words.baseline_mean(found.decisions)
    what = f"adjusted for all {len(found)} candidates" if len(found) > 1 else "of no difference"
    table = verdict_table(
        found,
        SequentialDecision,
        f"p: two-sided, {what}; valid however often one looks. "
        f"Intervals: {level_text(first.level)}, over all looks.{mean}{words.STRICTER * (len(found) > 1)}",
        "candidate verdict difference p_value p_margin p_adjusted topics candidate_mean baseline_mean",
        [*([] if first.margin else ["p_margin"]), *([] if len(found) > 1 else ["p_adjusted"])],
    )
    behind = {"baseline_mean"} if mean else set()
    behind |= {"p_value", "p_margin"} if len(found) > 1 else set()
    return verdicts(found.decisions, table.behind(behind))


def _bounds(found: SequentialGate) -> Section:
    """How the bounds closed over the topics."""
    units = found.decisions[0].sampled.many
    rows = [
        (one.candidate, *values)
        for one in found
        for values in zip(one.sizes.astype(int).tolist(), one.means, one.lows, one.highs, strict=True)
    ]
    columns = (
        Column("Candidate", Name(), "candidate"),
        Column(units.capitalize(), Count(), "topics"),
        Column("Difference", Number(digits=4, sign=True), "difference"),
        Column("Low", Number(digits=4, sign=True), "low"),
        Column("High", Number(digits=4, sign=True), "high"),
    )
    table = Table("bounds", f"Bounds as they stood at each number of {units}", columns, rows, files_only=True)
    drawn = [one for one in found.decisions[:MOST] if len(one.sizes) > 1]
    figures = [_figure(one, place) for place, one in enumerate(drawn, 1)]
    return Section("bounds", f"Over the {units}", figures=figures, tables=[table], details=len(found) > 1)


def _figure(one: SequentialDecision, place: int) -> Figure:
    margin = f" Dashed: the margin, −{score(one.margin)}." if one.margin else ""
    upright = " Upright: where the verdict fell." if one.sequential.decided else ""
    return Figure(
        "bounds" if place == 1 else f"bounds-{place}",
        f"{about(one)}. Line: the mean difference so far. Band: the {level_text(one.level)} interval "
        f"over all looks; its early, wider part is cut off.{margin}{upright}",
        f"Bounds of the difference of {named(one.candidate)} and {named(one.baseline)}, "
        f"closing over {one.topics:,} {one.sampled.many}.",
        lambda size: charts.closing_chart(one, size),
    )


register(Monitor, lambda monitor, asked: view(monitored(monitor), asked), tables="gate bounds")
register(SequentialGate, view, tables="gate bounds")

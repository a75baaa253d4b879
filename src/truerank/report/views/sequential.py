"""The view of a gate that may be asked at any time: the verdict, its bounds, and how these closed."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

from truerank._support.notes import distinct
from truerank._support.tables import Column, Count, Name, Number, Table
from truerank._support.wording import level_text
from truerank._support.words import named, score
from truerank.comparison.gate.decision import best_first
from truerank.comparison.sequential import Monitor, SequentialDecision, SequentialGate
from truerank.comparison.sequential.deciding import monitored
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import facts, gate, register
from truerank.report.words import Words

MOST = 12
"""Candidates whose bounds are drawn."""

CITED = {"betting": "waudby-smith-ramdas-2023", "planned": "lan-demets-1983"}


def view(found: SequentialGate, asked: Asked) -> View:
    """What there is to see of it."""
    found = replace(found, decisions=best_first(found.decisions))
    first, several = found.decisions[0], len(found) > 1
    said, level, cited = words_of(found, first), level_text(first.level), CITED[first.sequential.method]
    method, margin, count = said("method"), score(first.margin), first.sampled.count(first.topics)
    return View(
        command="gate",
        title=gate.title(found),
        subject=f"{gate.of_several(found)}, {count}" if several else gate.about(first),
        badge=(gate.word(found.verdict).upper(), gate.TONES[found.verdict]),
        answer=_summary(found, said) if several else sentences(found, first),
        sections=[_numbers(found, said), _bounds(found)],
        notes=distinct(note for decision in found for note in decision.notes),
        how=(
            f"Baseline {named(first.baseline)}, margin {margin}, level {level} over all looks; {method}; "
            f"truerank {found.version}."
        ),
        measure=first.measure,
        facts=facts(found.version) | {"Level": level, "Margin": margin, "Method": method},
        numbers={} if several else gate.quoted(first),
        sentence=(
            f"Verdicts hold at every look ({method} [@{cited}]), at {level} with a margin of {margin}, by "
            f"truerank {found.version} [@truerank]."
        ),
        references=(cited,),
    )


def words_of(found: Any, one: SequentialDecision) -> Words:
    """The template of a gate with the facts of one decision at any time."""
    said, looks, how = gate.words_of(found, one), " over all planned looks", one.sequential
    said.facts |= {
        "looks": looks if how.method == "planned" else ", however often you look",
        "before": how.looks is not None and how.rounds < how.looks[0],  # looks are planned, none was made
        "waiting": one,
        "uneven": False,
    }
    return said


def sentences(found: Any, one: SequentialDecision) -> list[str]:
    """What the verdict means, the interval, the next look, and what it rests on."""
    said = words_of(found, one)
    return [text for b in ("meaning", "looked", "since", "next_look", "order") for text in said.all(b)]


def _summary(found: SequentialGate, said: Words) -> list[str]:
    waiting = [one for one in found if one.verdict == "undecided"] or found.decisions
    more = {
        "worst": None,
        "stand": all(one.verdict != "undecided" for one in found),
        "worse": gate.surely_worse(found.decisions),
        "waiting": max(waiting, key=lambda one: one.sequential.waiting),
        "uneven": len({one.sequential.waiting for one in waiting}) > 1,
        "chance": round(1 - found.decisions[0].level, 12),
    }
    passing = gate.passing(found, looks=said.facts["looks"])
    blocks = ("verdicts", "worse", "since", "sequential", "order")
    return [passing, *(text for block in blocks for text in said.all(block, **more))]


# ── tables and figures ────────────────────────────────────────────────────────────────────────────────


def _numbers(found: SequentialGate, said: Words) -> Section:
    first = found.decisions[0]
    has_p = isfinite(first.p_value)  # planned looks have none
    table = gate.verdict_table(
        found,
        SequentialDecision,
        said("note_sequential", has_p=has_p),
        "candidate verdict difference p_value p_margin p_adjusted topics candidate_mean baseline_mean",
        [*([] if first.margin else ["p_margin"]), *([] if len(found) > 1 else ["p_adjusted"])],
    )
    behind = {"baseline_mean"} if said.facts["mean"] else set()
    behind |= {"p_value", "p_margin"} if len(found) > 1 or not has_p else set()
    return gate.verdicts(found.decisions, table.behind(behind))


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
        f"{gate.about(one)}. Line: the mean difference so far. Band: the {level_text(one.level)} interval "
        f"over all looks; its early, wider part is cut off.{margin}{upright}",
        f"Bounds of the difference of {named(one.candidate)} and {named(one.baseline)}, "
        f"closing over {one.topics:,} {one.sampled.many}.",
        lambda size: charts.closing_chart(one, size),
    )


register(Monitor, lambda monitor, asked: view(monitored(monitor), asked), tables="gate bounds")
register(SequentialGate, view, tables="gate bounds")

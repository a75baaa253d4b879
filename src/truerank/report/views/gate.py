"""The view of a gate: the verdict, the difference, and where the candidate loses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from truerank._support.escaping import printable
from truerank._support.notes import Note
from truerank._support.tables import Bounded, Column, Name, Number, Table, Text
from truerank._support.wording import (
    NONE,
    joined,
    level_text,
    listed,
    number,
    p_equation,
    plural,
    sentence,
    topics_text,
)
from truerank._support.words import named, score
from truerank.comparison.gate import VERDICTS, Decision, Gate
from truerank.comparison.gate.decision import Decisions, Judged, TopicLoss, best_first
from truerank.comparison.gate.unpaired import UnpairedDecision, UnpairedGate
from truerank.reliability.pair.contrast import SHOWN as SHOWN_AS
from truerank.reliability.pair.question import BEYOND_CHANCE, Direct
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, facts, made, register
from truerank.report.words import Words, at_equal, levels_of, style_words

MOST = 12
"""Comparisons of which every topic is drawn."""

SHOWN = 5
"""Comparisons that a sentence names."""

SCORES = {None: "Mean", "logit": "Strength", "elo": "Elo", "share": "Share of direct battles won"}
"""What the two are compared by."""

SUMMED = ("better", "pass", "undecided", "fail")
"""Verdicts in the order in which a summary counts them."""

TONES = {"better": "good", "pass": "good", "undecided": "open", "fail": "bad"}

ADDED = "What each adds to the two strengths, and to their difference; over all of them that adds up to 0."


def view(found: Gate, asked: Asked) -> View:
    """What there is to see of a gate."""
    found = replace(found, decisions=best_first(found.decisions))
    first, one = found.decisions[0], found.overall[0]
    several = len(found.overall) > 1
    said = words_of(found, first)
    paper = said("paper", jointly=said("together"))
    cited = {"exact": ["gaffke-2005", "buehler-1957", "berger-boos-1994"]}
    family = ["westfall-young-1993"] if found.comparisons > 1 and said.facts["correction"] == "max-T" else []
    return View(
        command="gate",
        title=title(found),
        subject=of_several(found) if several else about(one),
        badge=(word(found.verdict).upper() if several else headline(found, one), TONES[found.verdict]),
        answer=summary(found) if several else sentences(found, one),
        sections=[
            one for one in (_verdicts(found, said), _direct(found), _topics(found), _losses(found)) if one
        ],
        notes=notes(found),
        how=said("how"),
        measure=first.measure if len({one.measure for one in found}) == 1 else "",
        facts=facts(found.version, found.seed)
        | {
            "Level": level_text(first.level),
            "Margin": said.facts["margin"].partition(" ")[2],
            "Comparisons": str(found.comparisons),
        },
        numbers={"Seed": str(found.seed), "Version": found.version, "Comparisons": str(found.comparisons)}
        | (quoted_of_several(found) if several else quoted(one)),
        sentence=paper,
        references=[*(key for rule in said.facts["rules"] for key in cited.get(rule, [])), *family],
    )


def unpaired(found: UnpairedGate, asked: Asked) -> View:
    """What there is to see of a gate on two means with their standard errors."""
    (one,) = found.decisions
    level, margin = level_text(one.level), margin_text(found.decisions)
    order = "candidate verdict difference stderr p_value p_margin candidate_mean baseline_mean"
    table = Table.of(
        "gate",
        f"Verdict against {named(one.baseline)}, {margin}, unpaired",
        UnpairedDecision,
        found.decisions,
        {"level": level},
        [] if one.margin else ["p_margin"],
        order.split(),
        unit=one.sampled,
        note="p: two-sided, of no difference. Standard error: of the difference.",
        made=made(found.version),
    )
    return View(
        command="gate",
        title=title(found),
        subject=about(one),
        badge=(headline(found, one), TONES[found.verdict]),
        answer=sentences(found, one),
        sections=[verdicts(found.decisions, table)],
        notes=one.notes,
        how=(
            f"Baseline {named(one.baseline)}, {margin}; {level} intervals by the normal distribution, "
            f"unpaired; truerank {found.version}."
        ),
        measure=one.measure,
        facts=facts(found.version) | {"Level": level, "Margin": margin.partition(" ")[2]},
        sentence=(
            f"We compared two means by their standard errors, unpaired, {margin}, by truerank "
            f"{found.version} [@truerank]. The interval is two-sided, at {level}, by the normal "
            "distribution; the verdict is read off it."
        ),
    )


# ── what its words are filled with ────────────────────────────────────────────────────────────────────


def words_of(found: Decisions[Any], one: Any) -> Words:
    """The template of a gate with the facts of one of its decisions, and of all."""
    overall = [other for other in found if other.data_set is None]
    measures = Counter(other.measure for other in found)
    means = {number(other.baseline_mean, digits_of(other)) for other in found} - {NONE}
    return Words(
        "gate",
        found=found,
        one=one,
        level=level_text(one.level),
        margin=margin_text(found.decisions),
        digits=digits_of(one),
        all=overall,
        what="candidate" if len({other.candidate for other in overall}) == len(overall) else "comparison",
        measures=len(measures),
        most=max(measures.values()),
        mean=means.pop() if len(means) == 1 else "",
        verdicts=counted,
        labels=_labels,
        label=_label,
        **(_facts(found, one) if isinstance(one, Decision) else {"new": [], "people": None, "finite": True}),
        **({"open": False, "scores": "Mean"} if not isinstance(one, Decision) else {}),
    )


def _facts(found: Decisions[Any], one: Decision) -> dict[str, Any]:
    """What is known of a decision on topics that both systems have."""
    population, *levels = one.generalize_to.split(",")
    new = [one.sampled.many if population == "topics" else "data sets", *map(levels_of, levels)]
    people = float(one.differences.mean())
    # Where more lose equally, as with scores of 0 and 1, which are named is by chance.
    alike = int((one.differences <= min(one.differences) + 1e-12).sum()) if one.losses else 0
    return {
        "new": new if levels or population == "data_sets" else [],
        "levels": bool(levels),
        "levels_matter": any((note.code, note.case) == ("run-noise", "levels") for note in one.notes),
        "units": plural(one.unit),
        "open": one.verdict == "undecided" and one.differing != 0 and one.low != one.high,
        "scores": f"{SCORES[one.scale]}{at_equal(one.covariates)}",
        # The machine turns what people alone saw.
        "people": people if one.machine_topics and people * one.difference < 0 else None,
        "finite": math.isfinite(one.low) and math.isfinite(one.high),
        "fails": failing(found, one),
        "sets": len({loss.data_set for loss in one.losses}) > 1,
        "alike": alike,
        "amount": amount(one),
        "rules": sorted({other.rule for other in found}, reverse=True),
        "correction": "Bonferroni" if any("," in other.generalize_to for other in found) else "max-T",
    }


def sentences(found: Decisions[Any], one: Any) -> list[str]:
    """What the verdict means, the difference, the p-values, and where the candidate loses."""
    if isinstance(one, Decision):
        blocks = ["meaning", "fails_on", "measured", "met", "tested", "lost"]
    else:
        blocks = ["meaning", "measured", "unpaired"]
    said = words_of(found, one)
    return [text for block in blocks for text in said.all(block)]


def summary(found: Gate) -> list[str]:
    """What comes of several comparisons: what passes, counts, and what fails; the table has each."""
    overall = found.overall
    failed = sorted((one for one in overall if one.verdict == "fail"), key=lambda one: one.difference)
    more = {
        "worst": min(overall, key=lambda one: (-VERDICTS.index(one.verdict), one.difference)),
        "stand": False,
        "worse": surely_worse(overall),
        "failed": failed,
        "on_sets": [other for one in overall for other in failing(found, one)],
        "apart": found.verdict == "pass" and all(one.verdict == "better" for one in overall),
    }
    said = words_of(found, overall[0])
    told = [
        text for block in ("verdicts", "worse", "failing", "together") for text in said.all(block, **more)
    ]
    return [passing(found), *told]


def passing(found: Decisions[Any], **facts: Any) -> str:
    """Which of several pass, and what the verdict of the best means."""
    passed = [one for one in found if one.data_set is None and one.passed]
    best = min(passed or [found.decisions[0]], key=lambda one: (SUMMED.index(one.verdict), -one.difference))
    return words_of(found, best)("passing", passed=passed, **facts)


def surely_worse(decisions: Sequence[Judged]) -> list[Judged]:
    """Those of which only the margin is open."""
    return [one for one in decisions if one.verdict == "undecided" and one.surely_worse]


def quoted(one: Any) -> dict[str, str]:
    """What a paper quotes of one comparison."""
    digits = digits_of(one)
    values = {"Difference": one.difference, "DifferenceLow": one.low, "DifferenceHigh": one.high}
    return {key: number(value, digits, sign=True) for key, value in values.items()} | {
        "Candidate": named(one.candidate),
        "Baseline": named(one.baseline),
        "CandidateMean": number(one.candidate_mean, digits),
        "BaselineMean": number(one.baseline_mean, digits),
        "Margin": score(one.margin),
        "Level": level_text(one.level),
        "P": p_equation(one.p_value),
        "PMargin": p_equation(one.p_margin),
        "PAdjusted": p_equation(one.p_adjusted),
        "Topics": f"{one.topics:,}",
        "TopicsNeeded": topics_text(getattr(one, "topics_needed", None)),
        "Verdict": word(one.verdict),
    }


def quoted_of_several(found: Gate) -> dict[str, str]:
    """What a paper quotes of several comparisons: what they share, and how many have each verdict."""
    first, counts = found.overall[0], Counter[str](one.verdict for one in found.overall)
    topics = [one.topics for one in found.overall]
    return {
        "Baseline": named(first.baseline),
        "Margin": margin_text(found.decisions).partition(" ")[2],
        "Level": level_text(first.level),
        "Topics": " to ".join(f"{n:,}" for n in sorted({min(topics), max(topics)})),
        **{word(verdict).capitalize(): str(counts[verdict]) for verdict in SUMMED},
    }


def digits_of(one: Any) -> int:
    """Digits of what is compared, and of differences; Elo is in whole points."""
    return 0 if getattr(one, "scale", None) == "elo" else 4


def word(verdict: str) -> str:
    """A verdict as people read it."""
    return SHOWN_AS.get(verdict, verdict)


def failing(found: Decisions[Any], one: Judged) -> list[Any]:
    """Single data sets that fail, where a decision over all topics does not."""
    if one.data_set is not None or one.verdict == "fail":
        return []
    whose = (one.candidate, one.measure)
    sets = [other for other in found if other.data_set is not None and other.verdict == "fail"]
    return [other for other in sets if (other.candidate, other.measure) == whose]


def headline(found: Decisions[Any], one: Judged) -> str:
    """The verdict over all topics, with the data sets that fail: ``BETTER on average, but FAIL on nq``."""
    fails = failing(found, one)
    if not fails:
        return word(one.verdict).upper()
    on = listed([other.data_set or "" for other in fails])
    return f"{word(one.verdict).upper()} on average, {'but' if one.passed else 'and'} FAIL on {on}"


def about(one: Any) -> str:
    """The two systems, the measure, and the number of topics."""
    paired = not isinstance(one, UnpairedDecision)
    last = (
        amount(one) if isinstance(one, Decision) else one.sampled.count(one.topics) if paired else "unpaired"
    )
    parts = [f"{named(one.candidate)} against {named(one.baseline)}"]
    parts += [printable(part) for part in (one.measure, one.data_set) if part]
    return ", ".join([*parts, last])


def amount(one: Decision) -> str:
    """How many topics, or how many data sets where the verdict is about new ones."""
    if one.generalize_to.startswith("data_sets"):
        return f"{one.units:,} {plural(one.unit)}"
    if one.machine_topics:
        return f"{one.topics:,} {one.sampled.many} judged by people, {one.machine_topics:,} by a machine"
    return f"{one.topics:,} {one.sampled.many if one.scale is None else plural(one.unit)}"


def notes(found: Gate) -> list[Note]:
    """The notes of all decisions, those of one meaning once, with whose they are where not all have them."""
    if len(found) == 1:
        return list(found.decisions[0].notes)
    whose: dict[Hashable, dict[str, list[str]]] = {}
    first: dict[Hashable, Note] = {}
    for one in found:
        for note in one.notes:
            systems = () if note.meaning else note.systems
            key: Hashable = (note.code, note.level, note.meaning or note.what, systems)
            whose.setdefault(key, {}).setdefault(note.what, []).append(_label(one))
            first.setdefault(key, note if not note.meaning else replace(note, systems=()))
    made = []
    for shared, own in zip(first.values(), whose.values(), strict=True):
        parts = []
        for what, labels in own.items():
            some = _joined(labels) if len(labels) <= SHOWN else f"{len(labels)} of {len(found)} comparisons"
            parts.append(what if len(labels) == len(found) else f"for {some}: {what}")
        whole = "; ".join(parts)
        if shared.meaning:
            whole = f"{whole}. {sentence(shared.meaning)}".rstrip(".")
        made.append(shared.worded(whole))
    return made


def _label(one: Any) -> str:
    return ", ".join(named(part) for part in (one.candidate, one.measure, one.data_set) if part)


def _labels(decisions: Sequence[Any]) -> str:
    """The first of them, and how many more."""
    left = len(decisions) - SHOWN
    return _joined([*map(_label, decisions[:SHOWN]), *([f"{left} more"] if left > 0 else [])])


def _joined(labels: Sequence[str]) -> str:
    """Labels in a sentence; apart by semicolons where one has a comma itself."""
    return "; ".join(labels) if any("," in one for one in labels) else joined(labels)


def counted(decisions: Sequence[Judged]) -> str:
    """How many have each verdict: ``1 better and 2 fail``."""
    counts: Counter[str] = Counter(one.verdict for one in decisions)
    return listed([f"{counts[verdict]} {word(verdict)}" for verdict in SUMMED if counts[verdict]])


def title(found: Decisions[Any]) -> str:
    """What is asked of one candidate or of several."""
    if len({one.candidate for one in found}) > 1:
        return "Which candidates are as good as the baseline?"
    return "Is the candidate as good as the baseline?"


def of_several(found: Decisions[Any]) -> str:
    """How many of several comparisons have the verdict that the exit code follows."""
    known = words_of(found, found.decisions[0]).facts
    times = sum(one.verdict == found.verdict for one in known["all"])
    how = f"{times} {word(found.verdict)}" if times else f"{word(found.verdict)} on single data sets"
    how = "all pass" if found.verdict == "pass" else how
    measures = list(dict.fromkeys(one.measure for one in known["all"]))
    which = f" by {listed(measures)}" if len(measures) > 1 else ""
    return f"{len(known['all'])} {known['what']}s against {named(known['all'][0].baseline)}{which}, {how}"


def margin_text(decisions: Sequence[Judged]) -> str:
    """The margin, or that of each measure: ``margin 0.02``, ``margins 0.01 (AP) and 2 (WER)``."""
    of = {one.measure: one.margin for one in decisions}
    if len(set(of.values())) == 1:
        return f"margin {score(decisions[0].margin)}"
    return f"margins {listed([f'{score(margin)} ({printable(measure)})' for measure, margin in of.items()])}"


# ── tables and figures ────────────────────────────────────────────────────────────────────────────────


def _verdicts(found: Gate, said: Words) -> Section:
    measures, adjusted = said.facts["measures"] > 1, said.facts["most"] > 1
    sets = any(one.data_set is not None for one in found)
    without = [*([] if measures else ["measure"]), *([] if sets else ["data_set"])]
    without += [] if any(one.margin for one in found) else ["p_margin"]
    without += [] if len(found) > 1 else ["p_adjusted"]
    needed = not (sets or measures) and any(one.topics_needed for one in found)
    note = said(
        "note",
        adjusted=adjusted,
        sets=sets,
        needed_known=needed,
        flat=any(one.topics_needed_prior == "flat" for one in found),
        # With several candidates the answer says it.
        jointly=said("together") if len(found) > 1 and len(found.overall) == 1 else "",
    )
    table = verdict_table(
        found,
        Decision,
        note,
        "candidate measure data_set verdict difference p_value p_margin p_adjusted topics_needed "
        "candidate_mean baseline_mean topics",
        without,
        "" if measures else by(found.decisions[0].measure),
    )
    behind = {"baseline_mean"} if (said.facts["mean"] and not sets) or measures else set()
    behind |= set() if needed else {"topics_needed"}
    behind |= {"p_value", "p_margin"} if adjusted else {"p_adjusted"}
    behind |= {"p_margin"} if len(found) > 1 else set()
    behind |= {"candidate_mean", "baseline_mean", "topics"} if sets else set()
    return verdicts(found.decisions, table.behind(behind))


def verdict_table(
    found: Decisions[Any], kind: type, note: str, order: str, without: Sequence[str] = (), of: str = ""
) -> Table:
    """The decisions in numbers; how many topics, where all have as many, is in the caption."""
    first, topics = found.decisions[0], {one.topics for one in found}
    by_machine = getattr(first, "machine_topics", 0)
    counted = amount(first) if by_machine else first.sampled.count(first.topics)
    alike = f", {counted}" if len(topics) == 1 else ""
    style = at_equal(getattr(first, "covariates", None))
    table = Table.of(
        "gate",
        f"Verdicts against {named(first.baseline)}{of}, {margin_text(found.decisions)}{alike}{style}",
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
    elo = ("difference", "candidate_mean", "baseline_mean")
    columns = (
        replace(column, kind=replace(column.kind, digits=0))
        if column.key in elo and isinstance(column.kind, Number | Bounded)
        else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


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
    names = held[0][0].covariates
    styled = f", with {style_words(names)} as in the direct ones" if names else ""
    table = Table.of(
        "direct",
        f"Direct battles with {named(held[0][0].baseline)}",
        Direct,
        [direct for _, direct in held],
        {"level": level_text(held[0][0].level)},
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
    return Section(
        "topics", unit.many.capitalize(), figures=figures, tables=[table], details=len(found.overall) > 1
    )


def _figure(one: Decision, place: int) -> Figure:
    margin = f" Dashed: the margin, −{score(one.margin)}." if one.margin else ""
    of_people = " that people judged, by their scores alone" if one.machine_topics else ""
    said = (
        f"Above: the mean difference and its interval. Below: a bar per {one.sampled.one}{of_people}.{margin}"
    )
    if one.by_strengths:
        said = "Bar: what a prompt, or a group of them, adds to the difference of strengths; all add up to 0."
    difference = number(one.difference, digits_of(one), sign=True)
    return Figure(
        "differences" if place == 1 else f"differences-{place}",
        f"{about(one)}. {said}",
        f"Difference of {named(one.candidate)} and {named(one.baseline)} on every "
        f"{one.sampled.one}{of_people}; the mean difference is {difference}.",
        lambda size: charts.topic_differences_chart(one, size),
    )


def _losses(found: Gate) -> Section:
    """The topics on which the candidates lose most."""
    shown = found.overall[:MOST]
    measures = len({one.measure for one in found.overall}) > 1
    tables = [
        Table.of(
            "losses" if place == 1 else f"losses_{place}",
            f"{one.sampled.many.capitalize()} on which {named(one.candidate)} loses most"
            + (by(one.measure) if measures else ""),
            TopicLoss,
            one.losses,
            without=() if any(loss.data_set is not None for loss in one.losses) else ("data_set",),
            unit=one.sampled,
            note=ADDED if one.by_strengths else "",
        )
        for place, one in enumerate(shown, 1)
    ]
    text = [said for one in shown for said in words_of(found, one).all("fragile")]
    if text:
        text[-1] += f" {words_of(found, shown[0])('fragile_note', several=len(text) > 1)}"
    if left := len(found.overall) - len(shown):
        text.append(words_of(found, shown[0])("left_out", left=left))
    return Section("losses", "Largest losses", text, tables=tables, details=True)


register(Gate, view, tables="gate direct differences losses")
register(UnpairedGate, unpaired, tables="gate")

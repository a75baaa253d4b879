"""The view of a gate of any kind: the verdict, the difference, and where the candidate loses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.notes import Note
from truerank._support.tables import Column, Count, Name, Number, Table, Text
from truerank._support.units import Unit
from truerank._support.wording import (
    NONE,
    joined,
    level_text,
    listed,
    number,
    p_relation,
    plural,
    topics_text,
)
from truerank._support.words import named, score
from truerank.comparison.gate import VERDICTS, Decision
from truerank.comparison.gate.decision import Decisions, Judged, TopicLoss, best_first
from truerank.reliability.pair.comparing import BEYOND_CHANCE, Direct
from truerank.reliability.pair.contrast import SHOWN as SHOWN_AS
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, made
from truerank.report.words import Words, at_equal, levels_of

if TYPE_CHECKING:
    from truerank.comparison.sequential import Monitor

MOST = 12  # comparisons of which every topic, or the bounds over all topics, are drawn

SHOWN = 5  # comparisons that a sentence names

SCORES = {None: "Mean", "logit": "Strength", "elo": "Elo", "share": "Share of direct battles won"}
"""What the two are compared by."""

SUMMED = ("better", "pass", "undecided", "fail")  # verdicts in the order in which a summary counts them

TONES = {"better": "good", "pass": "good", "undecided": "open", "fail": "bad"}

SAID = {
    "Decision": ("meaning fails_on measured met tested lost", "verdicts worse failing together"),
    "UnpairedDecision": ("meaning measured unpaired", ""),
    "SequentialDecision": ("meaning looked since next_look order", "verdicts worse since sequential order"),
}
"""What is said of one decision of each kind, and of several."""


def view_of_monitor(monitor: Monitor, asked: Asked) -> View:
    """What there is to see of a gate under way."""
    from truerank.comparison.sequential.deciding import monitored

    return view(monitored(monitor), asked)


def view(gate: Decisions[Any], asked: Asked) -> View:
    """What there is to see of a gate."""
    found: Any = replace(gate, decisions=best_first(gate.decisions))
    first, overall = found.decisions[0], over_all(found)
    one, several, said = overall[0], len(overall) > 1, words_of(found, first)
    numbers = {}
    if isinstance(first, Decision):
        numbers = {"Seed": str(found.seed), "Comparisons": str(found.comparisons)}
        shown = [_direct(found, said), _topics(found), _losses(found)]
    else:
        shown = [_bounds(found)] if _at_any_time(first) else []
    return View(
        command="gate",
        title=said("title"),
        subject=of_several(found) if several else about(one),
        badge=(word(found.verdict).upper() if several else headline(found, one), TONES[found.verdict]),
        answer=_summary(found) if several else sentences(found, one),
        sections=[_verdicts(found, said), *(section for section in shown if section)],
        notes=_notes(found),
        how=said("how"),
        made=made(found.version, seed=getattr(found, "seed", None)),
        measure=first.measure if said.facts["measures"] == 1 else "",
        numbers=numbers | (_quoted_of_several(found) if several else _quoted(one)),
        sentence=said("paper", jointly=said("together") if isinstance(first, Decision) else ""),
    )


def _at_any_time(one: Judged) -> bool:
    return hasattr(one, "sequential")


def over_all(found: Iterable[Any]) -> list[Any]:
    """The decisions over all topics."""
    return [one for one in found if one.data_set is None]


# ── what its words are filled with ────────────────────────────────────────────────────────────────────


def words_of(found: Decisions[Any], one: Any) -> Words:
    """The template of a gate with the facts of one of its decisions, and of all."""
    overall, measures = over_all(found), Counter(other.measure for other in found)
    means = {number(other.baseline_mean, digits_of(other)) for other in found} - {NONE}
    said = Words(
        "gate",
        found=found,
        one=one,
        level=level_text(one.level),
        margin=_margin(found.decisions),
        digits=digits_of(one),
        all=overall,
        what="candidate" if len({other.candidate for other in overall}) == len(overall) else "comparison",
        measures=len(measures),
        most=max(measures.values()),
        mean=means.pop() if len(means) == 1 else "",
        sets=any(other.data_set is not None for other in found),
        verdicts=_counted,
        labels=_labels,
        label=_label,
    )
    if isinstance(one, Decision):
        said.facts |= _facts(found, one)
        return said
    said.facts |= {"new": [], "people": None, "finite": True, "open": False, "scores": "Mean"}
    if _at_any_time(one):
        how: Any = one.sequential
        said.facts |= {
            "looks": " over all planned looks" if how.method == "planned" else ", however often you look",
            "before": how.looks is not None and how.rounds < how.looks[0],  # looks are planned, none was made
            "waiting": one,
            "uneven": False,
        }
        said.facts["method"] = said("method")
    return said


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
        "several_sets": len({loss.data_set for loss in one.losses}) > 1,
        "alike": alike,
        "amount": amount(one),
        "rules": sorted({other.rule for other in found}, reverse=True),
        "correction": "Bonferroni" if any("," in other.generalize_to for other in found) else "max-T",
    }


def sentences(found: Decisions[Any], one: Any) -> list[str]:
    """What the verdict means, the difference, and what it rests on."""
    said = words_of(found, one)
    return [text for block in SAID[type(one).__name__][0].split() for text in said.all(block)]


def _summary(found: Decisions[Any]) -> list[str]:
    """What comes of several comparisons: what passes, counts, and what fails; the table has each."""
    overall = over_all(found)
    first, worse_first = overall[0], sorted(overall, key=lambda one: one.difference)
    passed = [one for one in overall if one.passed]
    best = min(passed or [first], key=lambda one: (SUMMED.index(one.verdict), -one.difference))
    more = {
        "worst": max(worse_first, key=lambda one: VERDICTS.index(one.verdict)),
        "stand": False,
        "worse": [one for one in overall if one.verdict == "undecided" and one.surely_worse],
        "failed": [one for one in worse_first if one.verdict == "fail"],
        "on_sets": [other for one in overall for other in failing(found, one)],
        "apart": found.verdict == "pass" and all(one.verdict == "better" for one in overall),
    }
    if _at_any_time(first):
        is_open = [one for one in overall if one.verdict == "undecided"]
        waiting = is_open or overall
        more |= {
            "worst": None,
            "stand": not is_open,
            "waiting": max(waiting, key=lambda one: one.sequential.waiting),
            "uneven": len({one.sequential.waiting for one in waiting}) > 1,
            "chance": round(1 - first.level, 12),
        }
    said = words_of(found, first)
    told = [text for block in SAID[type(first).__name__][1].split() for text in said.all(block, **more)]
    return [words_of(found, best)("passing", passed=passed), *told]


def _quoted(one: Any) -> dict[str, str]:
    """What a paper quotes of one comparison."""
    digits = digits_of(one)
    values = {"Difference": one.difference, "DifferenceLow": one.low, "DifferenceHigh": one.high}
    topics = getattr(one, "topics", None)
    return {key: number(value, digits, sign=True) for key, value in values.items()} | {
        "Candidate": named(one.candidate),
        "Baseline": named(one.baseline),
        "CandidateMean": number(one.candidate_mean, digits),
        "BaselineMean": number(one.baseline_mean, digits),
        "Margin": score(one.margin),
        "Level": level_text(one.level),
        "P": p_relation(one.p_value),
        "PMargin": p_relation(one.p_margin),
        "PAdjusted": p_relation(getattr(one, "p_adjusted", one.p_value)),
        "Topics": NONE if topics is None else f"{topics:,}",
        "TopicsNeeded": topics_text(getattr(one, "topics_needed", None)),
        "Verdict": word(one.verdict),
    }


def _quoted_of_several(found: Decisions[Any]) -> dict[str, str]:
    """What a paper quotes of several comparisons: what they share, and how many have each verdict."""
    overall = over_all(found)
    counts, topics = Counter(one.verdict for one in overall), [one.topics for one in overall]
    return {
        "Baseline": named(overall[0].baseline),
        "Margin": _margin(found.decisions).partition(" ")[2],
        "Level": level_text(overall[0].level),
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
    parts = [f"{named(one.candidate)} against {named(one.baseline)}"]
    parts += [printable(part) for part in (one.measure, one.data_set) if part]
    return ", ".join([*parts, amount(one)])


def amount(one: Any) -> str:
    """How many topics, or how many data sets where the verdict is about new ones."""
    if not isinstance(one, Decision):
        return one.sampled.count(one.topics) if _at_any_time(one) else "unpaired"
    if one.generalize_to.startswith("data_sets"):
        return f"{one.units:,} {plural(one.unit)}"
    if one.machine_topics:
        return f"{one.topics:,} {one.sampled.many} judged by people, {one.machine_topics:,} by a machine"
    return f"{one.topics:,} {one.sampled.many if one.scale is None else plural(one.unit)}"


def of_several(found: Decisions[Any]) -> str:
    """How many of several comparisons have the verdict that the exit code follows."""
    overall, measures = over_all(found), list(dict.fromkeys(one.measure for one in found))
    times = sum(one.verdict == found.verdict for one in overall)
    how = f"{times} {word(found.verdict)}" if times else f"{word(found.verdict)} on single data sets"
    how = "all pass" if found.verdict == "pass" else how
    which = f" by {listed(measures)}" if len(measures) > 1 else ""
    what = words_of(found, overall[0]).facts["what"]
    last = f", {amount(overall[0])}" if _at_any_time(overall[0]) else ""
    return f"{len(overall)} {what}s against {named(overall[0].baseline)}{which}, {how}{last}"


def _notes(found: Decisions[Any]) -> list[Note]:
    """The notes of all decisions, each with whose it is where not all have it."""
    whose: dict[Hashable, dict[str, Note]] = {}
    for one in found:
        for note in one.notes:
            note = replace(note, systems=()) if note.meaning and len(found) > 1 else note
            whose.setdefault((note.level, note.what, note.meaning, note.systems), {})[_label(one)] = note
    notes = []
    for labels in whose.values():
        note = next(iter(labels.values()))
        some = _joined([*labels]) if len(labels) <= SHOWN else f"{len(labels)} of {len(found)} comparisons"
        notes.append(note if len(labels) == len(found) else note.of_source(f"for {some}"))
    return notes


def _label(one: Any) -> str:
    return ", ".join(named(part) for part in (one.candidate, one.measure, one.data_set) if part)


def _labels(decisions: Sequence[Any]) -> str:
    """The first of them, and how many more."""
    left = len(decisions) - SHOWN
    return _joined([*map(_label, decisions[:SHOWN]), *([f"{left} more"] if left > 0 else [])])


def _joined(labels: Sequence[str]) -> str:
    """Labels in a sentence; apart by semicolons where one has a comma itself."""
    return "; ".join(labels) if any("," in one for one in labels) else joined(labels)


def _counted(decisions: Sequence[Judged]) -> str:
    """How many have each verdict: ``1 better and 2 fail``."""
    counts: Counter[str] = Counter(one.verdict for one in decisions)
    return listed([f"{counts[verdict]} {word(verdict)}" for verdict in SUMMED if counts[verdict]])


def _margin(decisions: Sequence[Judged]) -> str:
    """The margin, or that of each measure: ``margin 0.02``, ``margins 0.01 (AP) and 2 (WER)``."""
    of = {one.measure: one.margin for one in decisions}
    if len(set(of.values())) == 1:
        return f"margin {score(decisions[0].margin)}"
    return f"margins {listed([f'{score(margin)} ({printable(measure)})' for measure, margin in of.items()])}"


# ── tables and figures ────────────────────────────────────────────────────────────────────────────────

ORDER = (
    "candidate measure data_set verdict difference stderr p_value p_margin p_adjusted topics_needed "
    "candidate_mean baseline_mean topics"
)
"""Columns of the verdicts that stand first."""


def _verdicts(found: Decisions[Any], said: Words) -> Section:
    """The decisions in numbers: a single one, which the answer tells, is in details."""
    first, sets = found.decisions[0], said.facts["sets"]
    several, measures, adjusted = len(found) > 1, said.facts["measures"] > 1, said.facts["most"] > 1
    paired = isinstance(first, Decision)
    needed = paired and not (sets or measures) and any(one.topics_needed for one in found)
    without = ["measure"] if paired and not measures else []
    without += [] if sets else ["data_set"]
    without += [] if any(one.margin for one in found) else ["p_margin"]
    without += [] if several else ["p_adjusted"]
    has_p = math.isfinite(first.p_value)  # planned looks have none
    alike = len({amount(one) for one in found}) == 1
    behind = {"baseline_mean"} if (said.facts["mean"] and not sets) or measures else set()
    behind |= {"p_value", "p_margin"} if adjusted or not (paired or has_p) else {"p_adjusted"}
    behind |= {"p_margin"} if several else set()
    behind |= {"topics"} if alike else set()
    behind |= set() if needed else {"topics_needed"}
    behind |= {"candidate_mean", "baseline_mean", "topics"} if sets else set()
    note = said(
        "note",
        adjusted=adjusted,
        has_p=has_p,
        margin_shown=(paired or has_p) and not several and any(one.margin for one in found),
        needed_known=needed,
        flat=needed and any(one.topics_needed_prior == "flat" for one in found),
        # With several candidates the answer says it.
        jointly=said("together") if paired and several and len(over_all(found)) == 1 else "",
    )
    of, counted = "" if measures else by(first.measure), f", {amount(first)}" if alike else ""
    style = at_equal(getattr(first, "covariates", None))
    table = Table.of(
        "gate",
        f"Verdicts against {named(first.baseline)}{of}, {said.facts['margin']}{counted}{style}",
        type(first),
        found.decisions,
        {"level": said.facts["level"]},
        without,
        ORDER.split(),
        unit=first.sampled,
        note=note,
    ).behind(behind)
    if not said.facts["digits"]:  # Elo and its differences are in whole points
        whole = ("difference", "candidate_mean", "baseline_mean")
        table = table.rounded(dict.fromkeys(whole, 0))
    title = "Verdicts" if several else "In numbers"
    return Section("verdicts", title, tables=[table], details=not several)


def _owned(table: Table, owners: Sequence[Any], who: Column, measures: bool = False) -> Table:
    """The table with whose each row is in front."""
    more = (who, Column("Measure", Text(), "measure"))[: 1 + measures]
    whose = [(one.candidate, one.measure)[: len(more)] for one in owners]
    rows = [(*first, *row) for first, row in zip(whose, table.rows, strict=True)]
    return replace(table, columns=(*more, *table.columns), rows=rows)


def _direct(found: Decisions[Any], said: Words) -> Section | None:
    """The battles between the two alone, of an arena."""
    held = [one for one in over_all(found) if one.direct is not None]
    if not held:
        return None
    table = Table.of(
        "direct",
        f"Direct battles with {named(held[0].baseline)}",
        Direct,
        [one.direct for one in held],
        {"level": said.facts["level"]},
        note=said("direct", chance=BEYOND_CHANCE),
    )
    whole = _owned(table, held, Column("Candidate", Name(), "candidate"))
    return Section("direct", "Direct battles", tables=[whole], details=len(held) == 1)


def _place(name: str, place: int) -> str:
    """The name of the first of several figures or tables, and of further ones."""
    return name if place == 1 else f"{name}-{place}"


def _each(name: str, caption: str, unit: Unit, columns: str, rows: Iterable[Any]) -> Table:
    """A row per candidate and topic, for files."""
    kinds = {
        "topic": (unit.one.capitalize(), Name()),
        "candidate": ("Candidate", Name()),
        "measure": ("Measure", Text()),
        "topics": (unit.many.capitalize(), Count()),
    }
    signed = Number(digits=4, sign=True)
    shown = [Column(*kinds.get(key, (key.capitalize(), signed)), key) for key in columns.split()]
    return Table(name, caption, tuple(shown), list(rows), files_only=True)


def _topics(found: Decisions[Any]) -> Section:
    overall, unit = over_all(found), found.sampled
    rows = (
        (topic, one.candidate, one.measure, difference)
        for one in overall
        for topic, difference in zip(one.topic_names, one.differences.tolist(), strict=True)
    )
    columns, caption = "topic candidate measure difference", f"Differences on every {unit.one}"
    table = _each("differences", caption, unit, columns, rows)
    figures = [_drawn(found, one, "differences", place) for place, one in enumerate(overall[:MOST], 1)]
    several = len(overall) > 1
    return Section("topics", unit.many.capitalize(), figures=figures, tables=[table], details=several)


def _bounds(found: Decisions[Any]) -> Section:
    """How the bounds closed over the topics."""
    unit = found.sampled
    rows = (
        (one.candidate, *values)
        for one in found
        for values in zip(one.sizes.astype(int).tolist(), one.means, one.lows, one.highs, strict=True)
    )
    caption = f"Bounds as they stood at each number of {unit.many}"
    table = _each("bounds", caption, unit, "candidate topics difference low high", rows)
    drawn = [one for one in found.decisions[:MOST] if len(one.sizes) > 1]
    figures = [_drawn(found, one, "bounds", place) for place, one in enumerate(drawn, 1)]
    return Section("bounds", f"Over the {unit.many}", figures=figures, tables=[table], details=len(found) > 1)


def _drawn(found: Decisions[Any], one: Any, name: str, place: int) -> Figure:
    """The differences of a decision on every topic, or its bounds."""
    said = words_of(found, one)
    differences = name == "differences"
    caption = said("drawn_differences" if differences else "drawn_bounds")
    chart = "topic_differences_chart" if differences else "closing_chart"
    return Figure(
        _place(name, place),
        f"{about(one)}. {caption}",
        lambda size: getattr(charts, chart)(one, size),
    )


def _losses(found: Decisions[Any]) -> Section:
    """The topics on which the candidates lose most, in one table."""
    overall, unit = over_all(found), found.sampled
    several = len(overall) > 1
    table = Table.of(
        "losses",
        f"{unit.many.capitalize()} on which "
        + ("candidates lose most" if several else f"{named(overall[0].candidate)} loses most"),
        TopicLoss,
        [loss for one in overall for loss in one.losses],
        sparse="data_set",
        unit=unit,
        note=words_of(found, overall[0])("added"),
    )
    if several:
        measures = len({one.measure for one in overall}) > 1
        owners = [one for one in overall for _ in one.losses]
        table = _owned(table, owners, Column("System", Name(), "system"), measures)
    text = [fragile for one in overall[:MOST] for fragile in words_of(found, one).all("fragile")]
    if text:
        text[-1] += f" {words_of(found, overall[0])('fragile_note', several=len(text) > 1)}"
    return Section("losses", "Largest losses", text, tables=[table], details=True)

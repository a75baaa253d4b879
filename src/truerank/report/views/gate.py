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
    from truerank.comparison.sequential.deciding import monitored

    return view(monitored(monitor), asked)


def view(gate: Decisions[Any], asked: Asked) -> View:
    result: Any = replace(gate, decisions=best_first(gate.decisions))
    first, overall = result.decisions[0], over_all(result)
    item, several, words = overall[0], len(overall) > 1, words_of(result, first)
    numbers = {}
    if isinstance(first, Decision):
        numbers = {"Seed": str(first.seed), "Comparisons": str(first.comparisons)}
        shown = [_direct(result, words), _topics(result), _losses(result)]
    else:
        shown = [_bounds(result)] if _at_any_time(first) else []
    return View(
        command="gate",
        title=words("title"),
        subject=of_several(result) if several else about(item),
        badge=(word(result.verdict).upper() if several else headline(result, item), TONES[result.verdict]),
        answer=_summary(result) if several else sentences(result, item),
        sections=[_verdicts(result, words), *(section for section in shown if section)],
        notes=_notes(result),
        how=words("how"),
        made=made(first.version, seed=getattr(first, "seed", None)),
        measure=first.measure if words.facts["measures"] == 1 else "",
        numbers=numbers | (_quoted_of_several(result) if several else _quoted(item)),
        sentence=words("paper", jointly=words("together") if isinstance(first, Decision) else ""),
    )


def _at_any_time(item: Judged) -> bool:
    return hasattr(item, "sequential")


def over_all(result: Iterable[Any]) -> list[Any]:
    return [item for item in result if item.data_set is None]


# ── what its words are filled with ────────────────────────────────────────────────────────────────────


def words_of(result: Decisions[Any], item: Any) -> Words:
    """The template of a gate with the facts of one of its decisions, and of all."""
    overall, measures = over_all(result), Counter(other.measure for other in result)
    means = {number(other.baseline_mean, digits_of(other)) for other in result} - {NONE}
    words = Words(
        "gate",
        result=result,
        item=item,
        level=level_text(item.level),
        margin=_margin(result.decisions),
        digits=digits_of(item),
        all=overall,
        what="candidate" if len({other.candidate for other in overall}) == len(overall) else "comparison",
        measures=len(measures),
        most=max(measures.values()),
        mean=means.pop() if len(means) == 1 else "",
        sets=any(other.data_set is not None for other in result),
        verdicts=_counted,
        labels=_labels,
        label=_label,
    )
    if isinstance(item, Decision):
        words.facts |= _facts(result, item)
        return words
    words.facts |= {"new": [], "people": None, "finite": True, "open": False, "scores": "Mean"}
    if _at_any_time(item):
        how: Any = item.sequential
        words.facts |= {
            "looks": " over all planned looks" if how.method == "planned" else ", however often you look",
            "before": how.looks is not None and how.rounds < how.looks[0],  # looks are planned, none was made
            "waiting": item,
            "uneven": False,
        }
        words.facts["method"] = words("method")
    return words


def _facts(result: Decisions[Any], item: Decision) -> dict[str, Any]:
    """What is known of a decision on topics that both systems have."""
    population, *levels = item.generalize_to.split(",")
    new = [item.sampled.many if population == "topics" else "data sets", *map(levels_of, levels)]
    people = float(item.differences.mean())
    # Where more lose equally, as with scores of 0 and 1, which are named is by chance.
    alike = int((item.differences <= min(item.differences) + 1e-12).sum()) if item.losses else 0
    return {
        "new": new if levels or population == "data_sets" else [],
        "levels": bool(levels),
        "levels_matter": any((note.code, note.case) == ("run-noise", "levels") for note in item.notes),
        "units": plural(item.unit),
        "open": item.verdict == "undecided" and item.differing != 0 and item.low != item.high,
        "scores": f"{SCORES[item.scale]}{at_equal(item.covariates)}",
        # The machine turns what people alone saw.
        "people": people if item.machine_topics and people * item.difference < 0 else None,
        "finite": math.isfinite(item.low) and math.isfinite(item.high),
        "fails": failing(result, item),
        "several_sets": item.data_set is None,
        "alike": alike,
        "amount": amount(item),
        "rules": sorted({other.rule for other in result}, reverse=True),
        "correction": "Bonferroni" if any("," in other.generalize_to for other in result) else "max-T",
    }


def sentences(result: Decisions[Any], item: Any) -> list[str]:
    """What the verdict means, the difference, and what it rests on."""
    words = words_of(result, item)
    return [text for block in SAID[type(item).__name__][0].split() for text in words.all(block)]


def _summary(result: Decisions[Any]) -> list[str]:
    """What comes of several comparisons: what passes, counts, and what fails; the table has each."""
    overall = over_all(result)
    first, worse_first = overall[0], sorted(overall, key=lambda item: item.difference)
    passed = [item for item in overall if item.passed]
    best = min(passed or [first], key=lambda item: (SUMMED.index(item.verdict), -item.difference))
    more = {
        "worst": max(worse_first, key=lambda item: VERDICTS.index(item.verdict)),
        "stand": False,
        "worse": [item for item in overall if item.verdict == "undecided" and item.surely_worse],
        "failed": [item for item in worse_first if item.verdict == "fail"],
        "on_sets": [other for item in overall for other in failing(result, item)],
        "apart": result.verdict == "pass" and all(item.verdict == "better" for item in overall),
    }
    if _at_any_time(first):
        is_open = [item for item in overall if item.verdict == "undecided"]
        waiting = is_open or overall
        more |= {
            "worst": None,
            "stand": not is_open,
            "waiting": max(waiting, key=lambda item: item.sequential.waiting),
            "uneven": len({item.sequential.waiting for item in waiting}) > 1,
            "chance": round(1 - first.level, 12),
        }
    words = words_of(result, first)
    told = [text for block in SAID[type(first).__name__][1].split() for text in words.all(block, **more)]
    return [words_of(result, best)("passing", passed=passed), *told]


def _quoted(item: Any) -> dict[str, str]:
    digits = digits_of(item)
    values = {"Difference": item.difference, "DifferenceLow": item.low, "DifferenceHigh": item.high}
    topics = getattr(item, "topics", None)
    return {key: number(value, digits, sign=True) for key, value in values.items()} | {
        "Candidate": named(item.candidate),
        "Baseline": named(item.baseline),
        "CandidateMean": number(item.candidate_mean, digits),
        "BaselineMean": number(item.baseline_mean, digits),
        "Margin": score(item.margin),
        "Level": level_text(item.level),
        "P": p_relation(item.p_value),
        "PMargin": p_relation(item.p_margin),
        "PAdjusted": p_relation(getattr(item, "p_adjusted", item.p_value)),
        "Topics": NONE if topics is None else f"{topics:,}",
        "TopicsNeeded": topics_text(getattr(item, "topics_needed", None)),
        "Verdict": word(item.verdict),
    }


def _quoted_of_several(result: Decisions[Any]) -> dict[str, str]:
    """What a paper quotes of several comparisons: what they share, and how many have each verdict."""
    overall = over_all(result)
    counts, topics = Counter(item.verdict for item in overall), [item.topics for item in overall]
    return {
        "Baseline": named(overall[0].baseline),
        "Margin": _margin(result.decisions).partition(" ")[2],
        "Level": level_text(overall[0].level),
        "Topics": " to ".join(f"{n:,}" for n in sorted({min(topics), max(topics)})),
        **{word(verdict).capitalize(): str(counts[verdict]) for verdict in SUMMED},
    }


def digits_of(item: Any) -> int:
    """Digits of what is compared, and of differences; Elo is in whole points."""
    return 0 if getattr(item, "scale", None) == "elo" else 4


def word(verdict: str) -> str:
    return SHOWN_AS.get(verdict, verdict)


def failing(result: Decisions[Any], item: Judged) -> list[Any]:
    """Single data sets that fail, where a decision over all topics does not."""
    if item.data_set is not None or item.verdict == "fail":
        return []
    whose = (item.candidate, item.measure)
    sets = [other for other in result if other.data_set is not None and other.verdict == "fail"]
    return [other for other in sets if (other.candidate, other.measure) == whose]


def headline(result: Decisions[Any], item: Judged) -> str:
    """The verdict over all topics, with the data sets that fail: ``BETTER on average, but FAIL on nq``."""
    fails = failing(result, item)
    if not fails:
        return word(item.verdict).upper()
    on = listed([other.data_set or "" for other in fails])
    return f"{word(item.verdict).upper()} on average, {'but' if item.passed else 'and'} FAIL on {on}"


def about(item: Any) -> str:
    parts = [f"{named(item.candidate)} against {named(item.baseline)}"]
    parts += [printable(part) for part in (item.measure, item.data_set) if part]
    return ", ".join([*parts, amount(item)])


def amount(item: Any) -> str:
    """How many topics, or how many data sets where the verdict is about new ones."""
    if not isinstance(item, Decision):
        return item.sampled.count(item.topics) if _at_any_time(item) else "unpaired"
    if item.generalize_to.startswith("data_sets"):
        return f"{item.units:,} {plural(item.unit)}"
    if item.machine_topics:
        return f"{item.topics:,} {item.sampled.many} judged by people, {item.machine_topics:,} by a machine"
    return f"{item.topics:,} {item.sampled.many if item.scale is None else plural(item.unit)}"


def of_several(result: Decisions[Any]) -> str:
    """How many of several comparisons have the verdict that the exit code follows."""
    overall, measures = over_all(result), list(dict.fromkeys(item.measure for item in result))
    times = sum(item.verdict == result.verdict for item in overall)
    how = f"{times} {word(result.verdict)}" if times else f"{word(result.verdict)} on single data sets"
    how = "all pass" if result.verdict == "pass" else how
    which = f" by {listed(measures)}" if len(measures) > 1 else ""
    what = words_of(result, overall[0]).facts["what"]
    last = f", {amount(overall[0])}" if _at_any_time(overall[0]) else ""
    return f"{len(overall)} {what}s against {named(overall[0].baseline)}{which}, {how}{last}"


def _notes(result: Decisions[Any]) -> list[Note]:
    """The notes of all decisions, each with whose it is where not all have it."""
    whose: dict[Hashable, dict[str, Note]] = {}
    for item in result:
        for note in item.notes:
            note = replace(note, systems=()) if note.meaning and len(result) > 1 else note
            whose.setdefault((note.level, note.what, note.meaning, note.systems), {})[_label(item)] = note
    notes = []
    for labels in whose.values():
        note = next(iter(labels.values()))
        some = _joined([*labels]) if len(labels) <= SHOWN else f"{len(labels)} of {len(result)} comparisons"
        notes.append(note if len(labels) == len(result) else note.of_source(f"for {some}"))
    return notes


def _label(item: Any) -> str:
    return ", ".join(named(part) for part in (item.candidate, item.measure, item.data_set) if part)


def _labels(decisions: Sequence[Any]) -> str:
    """The first of them, and how many more."""
    left = len(decisions) - SHOWN
    return _joined([*map(_label, decisions[:SHOWN]), *([f"{left} more"] if left > 0 else [])])


def _joined(labels: Sequence[str]) -> str:
    """Labels in a sentence; apart by semicolons where one has a comma itself."""
    return "; ".join(labels) if any("," in item for item in labels) else joined(labels)


def _counted(decisions: Sequence[Judged]) -> str:
    """How many have each verdict: ``1 better and 2 fail``."""
    counts: Counter[str] = Counter(item.verdict for item in decisions)
    return listed([f"{counts[verdict]} {word(verdict)}" for verdict in SUMMED if counts[verdict]])


def _margin(decisions: Sequence[Judged]) -> str:
    """The margin, or that of each measure: ``margin 0.02``, ``margins 0.01 (AP) and 2 (WER)``."""
    of = {item.measure: item.margin for item in decisions}
    if len(set(of.values())) == 1:
        return f"margin {score(decisions[0].margin)}"
    return f"margins {listed([f'{score(margin)} ({printable(measure)})' for measure, margin in of.items()])}"


# ── tables and figures ────────────────────────────────────────────────────────────────────────────────

ORDER = (
    "candidate measure data_set verdict difference stderr p_value p_margin p_adjusted topics_needed "
    "candidate_mean baseline_mean topics"
)
"""Columns of the verdicts that stand first."""


def _verdicts(result: Decisions[Any], words: Words) -> Section:
    """The decisions in numbers: a single one, which the answer tells, is in details."""
    first, sets = result.decisions[0], words.facts["sets"]
    several, measures, adjusted = len(result) > 1, words.facts["measures"] > 1, words.facts["most"] > 1
    paired = isinstance(first, Decision)
    needed = paired and not (sets or measures) and any(item.topics_needed for item in result)
    without = ["measure"] if paired and not measures else []
    without += [] if sets else ["data_set"]
    without += [] if any(item.margin for item in result) else ["p_margin"]
    without += [] if several else ["p_adjusted"]
    has_p = math.isfinite(first.p_value)  # planned looks have none
    alike = len({amount(item) for item in result}) == 1
    behind = {"baseline_mean"} if (words.facts["mean"] and not sets) or measures else set()
    behind |= {"p_value", "p_margin"} if adjusted or not (paired or has_p) else {"p_adjusted"}
    behind |= {"p_margin"} if several else set()
    behind |= {"topics"} if alike else set()
    behind |= set() if needed else {"topics_needed"}
    behind |= {"candidate_mean", "baseline_mean", "topics"} if sets else set()
    note = words(
        "note",
        adjusted=adjusted,
        has_p=has_p,
        margin_shown=(paired or has_p) and not several and any(item.margin for item in result),
        needed_known=needed,
        flat=needed and any(item.topics_needed_prior == "flat" for item in result),
        # With several candidates the answer says it.
        jointly=words("together") if paired and several and len(over_all(result)) == 1 else "",
    )
    of, counted = "" if measures else by(first.measure), f", {amount(first)}" if alike else ""
    style = at_equal(getattr(first, "covariates", None))
    table = Table.of(
        "gate",
        f"Verdicts against {named(first.baseline)}{of}, {words.facts['margin']}{counted}{style}",
        type(first),
        result.decisions,
        {"level": words.facts["level"]},
        without,
        ORDER.split(),
        unit=first.sampled,
        note=note,
    ).behind(behind)
    if any(item.margin for item in result):  # beside verdicts of a margin
        table = table.changed(
            lambda one: replace(one, heading="p, no difference") if one.key == "p_adjusted" else one
        )
    if not words.facts["digits"]:  # Elo and its differences are in whole points
        whole = ("difference", "candidate_mean", "baseline_mean")
        table = table.rounded(dict.fromkeys(whole, 0))
    title = "Verdicts" if several else "In numbers"
    return Section("verdicts", title, tables=[table], details=not several)


def _owned(table: Table, owners: Sequence[Any], who: Column, measures: bool = False) -> Table:
    more = (who, Column("Measure", Text(), "measure"))[: 1 + measures]
    whose = [(item.candidate, item.measure)[: len(more)] for item in owners]
    rows = [(*first, *row) for first, row in zip(whose, table.rows, strict=True)]
    return replace(table, columns=(*more, *table.columns), rows=rows)


def _direct(result: Decisions[Any], words: Words) -> Section | None:
    """The battles between the two alone, of an arena."""
    held = [item for item in over_all(result) if item.direct is not None]
    if not held:
        return None
    table = Table.of(
        "direct",
        f"Direct battles with {named(held[0].baseline)}",
        Direct,
        [item.direct for item in held],
        {"level": words.facts["level"]},
        note=words("direct", chance=BEYOND_CHANCE),
    )
    whole = _owned(table, held, Column("Candidate", Name(), "candidate"))
    return Section("direct", "Direct battles", tables=[whole], details=len(held) == 1)


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


def _topics(result: Decisions[Any]) -> Section:
    overall, unit = over_all(result), result.sampled
    rows = (
        (topic, item.candidate, item.measure, difference)
        for item in overall
        for topic, difference in zip(item.topic_names, item.differences.tolist(), strict=True)
    )
    columns, caption = "topic candidate measure difference", f"Differences on every {unit.one}"
    table = _each("differences", caption, unit, columns, rows)
    figures = [_drawn(result, item, "differences", place) for place, item in enumerate(overall[:MOST], 1)]
    several = len(overall) > 1
    return Section("topics", unit.many.capitalize(), figures=figures, tables=[table], details=several)


def _bounds(result: Decisions[Any]) -> Section:
    unit = result.sampled
    rows = (
        (item.candidate, *values)
        for item in result
        for values in zip(item.sizes.astype(int).tolist(), item.means, item.lows, item.highs, strict=True)
    )
    caption = f"Bounds as they stood at each number of {unit.many}"
    table = _each("bounds", caption, unit, "candidate topics difference low high", rows)
    drawn = [item for item in result.decisions[:MOST] if len(item.sizes) > 1]
    figures = [_drawn(result, item, "bounds", place) for place, item in enumerate(drawn, 1)]
    return Section(
        "bounds", f"Over the {unit.many}", figures=figures, tables=[table], details=len(result) > 1
    )


def _drawn(result: Decisions[Any], item: Any, name: str, place: int) -> Figure:
    """The differences of a decision on every topic, or its bounds."""
    words = words_of(result, item)
    differences = name == "differences"
    caption = words("drawn_differences" if differences else "drawn_bounds")
    chart = "topic_differences_chart" if differences else "closing_chart"
    drawn = lambda size: getattr(charts, chart)(item, size)  # noqa: E731
    return Figure(name if place == 1 else f"{name}-{place}", f"{about(item)}. {caption}", drawn)


def _losses(result: Decisions[Any]) -> Section:
    overall, unit = over_all(result), result.sampled
    several = len(overall) > 1
    table = Table.of(
        "losses",
        f"{unit.many.capitalize()} on which "
        + ("candidates lose most" if several else f"{named(overall[0].candidate)} loses most"),
        TopicLoss,
        [loss for item in overall for loss in item.losses],
        sparse="data_set",
        unit=unit,
        note=words_of(result, overall[0])("added"),
    )
    if several:
        measures = len({item.measure for item in overall}) > 1
        owners = [item for item in overall for _ in item.losses]
        table = _owned(table, owners, Column("System", Name(), "system"), measures)
    text = [fragile for item in overall[:MOST] for fragile in words_of(result, item).all("fragile")]
    if text:
        text[-1] += f" {words_of(result, overall[0])('fragile_note', several=len(text) > 1)}"
    return Section("losses", "Largest losses", text, tables=[table], details=True)

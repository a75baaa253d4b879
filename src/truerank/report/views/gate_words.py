"""A gate's decisions in sentences: the same in the terminal, in files and on the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truerank._support import words
from truerank._support.arguments import either
from truerank._support.escaping import printable
from truerank._support.notes import Note
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
from truerank.comparison.gate.decision import Decisions, Judged
from truerank.reliability.pair.contrast import SHOWN as SHOWN_AS
from truerank.report.sampled import levels_of
from truerank.report.words import PAIRS_ALIKE, at_equal, style_words

if TYPE_CHECKING:
    from truerank.comparison.sequential import SequentialDecision

FILE = "gate.j2"

DIGITS = 4
"""Of differences and bounds; Elo is in whole points."""

SHOWN = 5
"""Topics lost that a sentence names."""

SCORES = {None: "Mean", "logit": "Strength", "elo": "Elo", "share": "Share of direct battles won"}
"""What the two are compared by."""

SUMMED = ("better", "pass", "undecided", "fail")
"""Verdicts in the order in which a summary counts them."""

TONES = {"better": "good", "pass": "good", "undecided": "open", "fail": "bad"}

STRICTER = (
    " Judged together, each needs stronger evidence than alone, so what passes or fails by itself may be "
    "inconclusive."
)
"""What a family does to each of its comparisons, for a table's note."""

PAPERS = {
    "t": (),
    "exact": ("gaffke-2005", "buehler-1957", "berger-boos-1994"),
    "max-T": ("westfall-young-1993",),
    "Bonferroni": (),
}
"""What to cite for each kind of bounds and adjustment."""


def quoted(one: Decision | SequentialDecision) -> dict[str, str]:
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


def digits_of(one: Any) -> int:
    """Digits of what is compared, and of differences."""
    return 0 if getattr(one, "scale", None) == "elo" else DIGITS


def word(verdict: str) -> str:
    """A verdict as people read it."""
    return SHOWN_AS.get(verdict, verdict)


def failing(found: Decisions[Any], one: Judged) -> list[Any]:
    """Single data sets that fail, where a decision over all topics does not."""
    if one.data_set is not None or one.verdict == "fail":
        return []
    return [
        other
        for other in found
        if other.data_set is not None
        and other.verdict == "fail"
        and (other.candidate, other.measure) == (one.candidate, one.measure)
    ]


def headline(found: Decisions[Any], one: Judged) -> str:
    """The verdict over all topics, with the data sets that fail: ``BETTER on average, but FAIL on nq``."""
    fails = failing(found, one)
    if not fails:
        return word(one.verdict).upper()
    also = "but" if one.passed else "and"
    return f"{word(one.verdict).upper()} on average, {also} FAIL on {_sets(fails)}"


def _sets(decisions: Sequence[Judged]) -> str:
    return listed([other.data_set or "" for other in decisions])


def about(one: Decision) -> str:
    """The two systems, the measure, and the number of topics."""
    parts = [f"{named(one.candidate)} against {named(one.baseline)}"]
    parts += [printable(part) for part in (one.measure, one.data_set) if part]
    return ", ".join([*parts, amount(one)])


def amount(one: Decision) -> str:
    """How many topics, or how many data sets where the verdict is about new ones."""
    if one.generalize_to.startswith("data_sets"):
        return f"{one.units:,} {plural(one.unit)}"
    if one.machine_topics:
        return f"{one.topics:,} {one.sampled.many} judged by people, {one.machine_topics:,} by a machine"
    return f"{one.topics:,} {one.sampled.many if one.scale is None else plural(one.unit)}"


def sentences(found: Gate, one: Decision) -> Iterator[str]:
    """What the verdict means, the difference, the p-values, and where the candidate loses."""
    yield said(one)
    yield from fails_on(found, one)
    yield measured(one)
    yield from met(one)
    yield tested(found, one)
    yield from lost(one)


def said(one: Decision) -> str:
    """What the verdict means."""
    population, *levels = one.generalize_to.split(",")
    new = [one.sampled.many if population == "topics" else "data sets", *map(levels_of, levels)]
    sure = words.filled(FILE, "sure", {"one": one, "new": new if levels or population == "data_sets" else []})
    return meaning(one, sure, _needed(one) if one.verdict == "undecided" else "")


def meaning(one: Judged, sure: str, needed: str = "", so_far: bool = False) -> str:
    """What a verdict means that holds so surely; `needed` ends an open one."""
    return words.filled(FILE, "meaning", {"one": one, "sure": sure, "needed": needed, "so_far": so_far})


def fails_on(found: Gate, one: Decision) -> Iterator[str]:
    """The data sets that fail, where the decision itself does not."""
    if fails := failing(found, one):
        sets = [other.data_set or "" for other in fails]
        yield words.filled(FILE, "fails_on", {"one": one, "sets": sets})


def _needed(one: Decision) -> str:
    """What an inconclusive verdict needs, as the end of its sentence."""
    if one.differing == 0 or one.low == one.high:
        return ""
    facts = {"one": one, "units": plural(one.unit), "levels": "," in one.generalize_to}
    return words.filled(FILE, "needed", facts)


def measured(one: Decision) -> str:
    """The means, the difference and its interval."""
    people = float(one.differences.mean())
    turned = one.machine_topics and people * one.difference < 0  # the machine turns what people alone saw
    facts = {
        "one": one,
        "scores": f"{SCORES[one.scale]}{at_equal(one.covariates)}",
        "digits": digits_of(one),
        "people": people if turned else None,
        "finite": math.isfinite(one.low) and math.isfinite(one.high),
    }
    return words.filled(FILE, "measured", facts)


def met(one: Decision) -> Iterator[str]:
    """What the battles between the two alone say, beside the strengths that all battles give."""
    if one.direct is None:
        return
    styled = at_equal(one.covariates)
    if one.direct.battles and one.covariates:
        styled = f", with {style_words(one.covariates)} as in these battles"
    yield words.filled(FILE, "met", {"one": one, "styled": styled, "bounded": not math.isnan(one.direct.low)})


def tested(found: Gate, one: Decision) -> str:
    """The two-sided p-values: of no difference, and of a loss of just the margin."""
    randomization = one.scale is None and not math.isnan(one.p_randomization)
    facts = {"one": one, "comparisons": found.comparisons, "randomization": randomization}
    return words.filled(FILE, "tested", facts)


def fragile(one: Decision) -> Iterator[str]:
    """How few topics carry the difference, where that is known."""
    if one.fragility is not None:
        yield words.filled(FILE, "fragile", {"one": one, "units": plural(one.unit)})


def lost(one: Decision, most: int = SHOWN) -> Iterator[str]:
    """The topics on which the candidate loses most."""
    if one.losses:
        sets = len({loss.data_set for loss in one.losses}) > 1
        # Where more lose equally, as with scores of 0 and 1, which are named is by chance.
        alike = int((one.differences <= min(one.differences) + 1e-12).sum())
        alike = alike if alike > most else 0
        facts = {"one": one, "losses": one.losses[:most], "sets": sets, "alike": alike}
        yield words.filled(FILE, "lost", facts)


def notes(found: Gate) -> list[Note]:
    """The notes of all decisions, those of one meaning once, with whose they are where not all have them."""
    if len(found) == 1:
        return list(found.decisions[0].notes)
    whose: dict[Hashable, dict[str, list[str]]] = {}
    first: dict[Hashable, Note] = {}
    for one in found:
        for note in one.notes:
            key: Hashable = (
                note.code,
                note.level,
                note.meaning or note.what,
                () if note.meaning else note.systems,
            )
            whose.setdefault(key, {}).setdefault(note.what, []).append(_label(one))
            first.setdefault(key, note if not note.meaning else replace(note, systems=()))
    made = []
    for shared, own in zip(first.values(), whose.values(), strict=True):
        parts = []
        for what, labels in own.items():
            some = _joined(labels) if len(labels) <= SHOWN else f"{len(labels)} of {len(found)} comparisons"
            prefix = "" if len(labels) == len(found) else f"for {some}: "
            parts.append(f"{prefix}{what}")
        whole = "; ".join(parts)
        if shared.meaning:
            whole = f"{whole}. {sentence(shared.meaning)}".rstrip(".")
        made.append(shared.worded(whole))
    return made


def _label(one: Judged) -> str:
    return ", ".join(named(part) for part in (one.candidate, one.measure, one.data_set) if part)


def counted(decisions: Sequence[Judged]) -> str:
    """How many have each verdict: ``1 better and 2 fail``."""
    counts: Counter[str] = Counter(one.verdict for one in decisions)
    return listed([f"{counts[verdict]} {word(verdict)}" for verdict in SUMMED if counts[verdict]])


def title(found: Decisions[Any]) -> str:
    """What is asked of one candidate or of several."""
    if len({one.candidate for one in found}) > 1:
        return "Which candidates are as good as the baseline?"
    return "Is the candidate as good as the baseline?"


def _several(found: Decisions[Any]) -> tuple[list[Any], str]:
    """The comparisons over all topics, and what they are."""
    all_of = [one for one in found if one.data_set is None]
    whose = {one.candidate for one in all_of}
    return all_of, "candidate" if len(whose) == len(all_of) else "comparison"


def passing(found: Decisions[Any], says: Callable[[Any], str]) -> str:
    """Which of several pass, and what the verdict of the best means."""
    all_of, what = _several(found)
    passed = [one for one in all_of if one.passed]
    if not passed:
        return f"None of {len(all_of)} {what}s passes."
    best = min(passed, key=lambda one: (SUMMED.index(one.verdict), -one.difference))
    if len(passed) == 1:
        return f"1 of {len(all_of)} {what}s passes: {says(best)}"
    of = f" by {printable(best.measure)}" if len({one.measure for one in found}) > 1 else ""
    return f"{len(passed)} of {len(all_of)} {what}s pass: {_labels(passed)}. The best{of}: {says(best)}"


def baseline_mean(decisions: Sequence[Judged]) -> str:
    """The baseline's mean for a table's note, where it is the same in every comparison."""
    means = {number(one.baseline_mean, digits_of(one)) for one in decisions} - {NONE}
    return f" Mean of the baseline: {means.pop()}." if len(means) == 1 else ""


def of_several(found: Decisions[Any]) -> str:
    """How many of several comparisons have the verdict that the exit code follows."""
    all_of, what = _several(found)
    times = sum(one.verdict == found.verdict for one in all_of)
    how = f"{times} {word(found.verdict)}" if times else f"{word(found.verdict)} on single data sets"
    if found.verdict == "pass":
        how = "all pass"
    return f"{len(all_of)} {what}s against {named(all_of[0].baseline)}, {how}"


def summary(found: Gate) -> Iterator[str]:
    """What comes of several comparisons: what passes, counts, and what fails; the table has each."""
    yield passing(found, said)
    worst = min(found.overall, key=lambda one: (-VERDICTS.index(one.verdict), one.difference))
    lost = f"; the worst is {_label(worst)} ({number(worst.difference, digits_of(worst), sign=True)})"
    yield f"Verdicts: {counted(found.overall)}{lost if worst.difference < 0 else ''}."
    yield from worse(found.overall)
    failed = sorted((one for one in found.overall if one.verdict == "fail"), key=lambda one: one.difference)
    if len(failed) > 1:
        yield f"Failing: {_labels(failed)}."
    if on_sets := [other for one in found.overall for other in failing(found, one)]:
        exits = either("", ", for which truerank gate exits with 1")
        yield f"Failing on single data sets{exits}: {_labels(on_sets)}."
    if found.verdict == "pass" and all(one.verdict == "better" for one in found.overall):
        largest = p_equation(max(one.p_adjusted for one in found.overall))
        yield f"Each is better by itself, but not all together: the largest adjusted p is {largest[4:]}."
    yield together(found)


def worse(decisions: Sequence[Judged]) -> Iterator[str]:
    """Those of which only the margin is open."""
    if sure := [one for one in decisions if one.verdict == "undecided" and one.surely_worse]:
        by = f"{score(sure[0].margin)} or more is open"
        yield f"Worse than {named(sure[0].baseline)}, though whether by {by}: {_labels(sure)}."


def together(found: Gate) -> str:
    """What holds of all intervals together."""
    level = level_text(found.decisions[0].level)
    measures = len({one.measure for one in found})
    most = max(Counter(one.measure for one in found).values())
    if most == 1:
        return f"Each measure has its own {level} interval; passing by all of them needs no adjustment."
    by = f" The {most} intervals of each measure" if measures > 1 else f" The {most} intervals"
    more = "; passing by all measures needs no more" if measures > 1 else ""
    return f"{by.strip()} hold together with {level} confidence ({correction(found)}){more}."


def adjusted(found: Gate) -> bool:
    """Whether intervals are adjusted for each other: of several by one measure."""
    return max(Counter(one.measure for one in found).values()) > 1


def margin_text(decisions: Sequence[Judged]) -> str:
    """The margin, or that of each measure: ``margin 0.02``, ``margins 0.01 (AP) and 2 (WER)``."""
    of = {one.measure: one.margin for one in decisions}
    if len(set(of.values())) == 1:
        return f"margin {score(decisions[0].margin)}"
    return f"margins {listed([f'{score(margin)} ({printable(measure)})' for measure, margin in of.items()])}"


def correction(found: Gate) -> str:
    """How several comparisons are adjusted for each other."""
    return "Bonferroni" if any("," in one.generalize_to for one in found.decisions) else "max-T"


def _labels(decisions: Sequence[Any]) -> str:
    """The first of them, and how many more."""
    left = len(decisions) - SHOWN
    return _joined([*map(_label, decisions[:SHOWN]), *([f"{left} more"] if left > 0 else [])])


def _joined(labels: Sequence[str]) -> str:
    """Labels in a sentence; apart by semicolons where one has a comma itself."""
    return "; ".join(labels) if any("," in one for one in labels) else joined(labels)


def how(found: Gate) -> str:
    """Settings, for the last line."""
    first = found.decisions[0]
    by = "" if first.scale is None else "direct battles; " if first.scale == "share" else "by strengths; "
    by += f"{PAIRS_ALIKE}; " if found.pairs_alike and first.scale != "share" else ""
    return (
        f"Baseline {named(first.baseline)}, {margin_text(found.decisions)}; "
        f"{by}{level_text(first.level)} intervals by {bounds(found)}; "
        f"seed {found.seed}; truerank {found.version}."
    )


def bounds(found: Gate, cite: bool = False) -> str:
    """What the bounds are, where `cite` with the keys of their references."""
    says = {
        "t": "Student’s t",
        "exact": "the exact bound for scores of known range",
    }
    rules = [rule for rule in says if any(one.rule == rule for one in found)]
    if cite:
        says = {rule: says[rule] + "".join(f" [@{key}]" for key in PAPERS[rule]) for rule in says}
    return ", or ".join(says[rule] for rule in rules) + (
        f" where few {found.sampled.many} differ" if len(rules) > 1 else ""
    )

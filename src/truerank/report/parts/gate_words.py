"""A gate's decisions in sentences: the same in the terminal, the files and on the page."""

from __future__ import annotations

from collections.abc import Sequence

from truerank._support.wording import impractical
from truerank.comparison.gate import Decision, Gate
from truerank.comparison.gate.decision import Finding
from truerank.comparison.gate.gate_warnings import units_text
from truerank.report.words import (
    NONE,
    level_text,
    listed,
    number,
    p_equation,
    printable,
    sentence,
)

DIGITS = 4
"""Of differences and bounds."""

UNBOUNDED = "no bounds"
"""Where few topics differ, and scores have no bound of their own."""

ADJUSTED = (
    "p, adjusted: how likely chance alone would support the verdict’s claim this well; one-sided, against "
    "the margin, adjusted for all comparisons here. It is not the p of a paired t-test of no difference."
)
"""What the p-values of tables of decisions are."""

SHOWN = 5
"""Topics lost that a sentence names."""


def name(text: str) -> str:
    """A name from a file as a sentence shows it."""
    return listed([text])


def score(value: float) -> str:
    """A margin or a limit as it was written, with a true minus.

    >>> score(0.01), score(-0.5)
    ('0.01', '−0.5')
    """
    return f"{value:g}".replace("-", "−")


def verdict(one: Decision) -> str:
    """The verdict as tables show it: who asked for no margin is told *worse*, not that anything failed."""
    return "worse" if one.verdict == "fail" and not one.margin else one.verdict


def failing(found: Gate, one: Decision) -> list[Decision]:
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


def headline(found: Gate, one: Decision) -> str:
    """The verdict over all topics, with the data sets that fail: ``BETTER on average, but FAIL on nq``."""
    fails = failing(found, one)
    if not fails:
        return verdict(one).upper()
    link = "but" if one.passed else "and"
    return f"{verdict(one).upper()} on average, {link} {verdict(fails[0]).upper()} on {_sets(fails)}"


def _sets(decisions: Sequence[Decision]) -> str:
    return listed([other.data_set or "" for other in decisions])


def heading(found: Gate, one: Decision) -> str:
    """The verdict first, then who, by what, and on how many topics."""
    return f"{headline(found, one)}: {name(one.candidate)} against {name(one.baseline)}{where(one)}"


def where(one: Decision) -> str:
    """By which measure, on which topics.

    The data set is named only where the decision is about that one alone.
    """
    by = f", {printable(one.measure)}" if one.measure else ""
    on = f", {printable(one.data_set)}" if one.data_set is not None else ""
    return f"{by}{on}, {amount(one)}"


def amount(one: Decision) -> str:
    """How many topics, or how many data sets where the question is of new ones."""
    if one.generalise_to == "data_sets":
        return f"{one.units:,} {units_text(one.unit)}"
    if one.machine_topics:
        return f"{one.topics:,} topics judged by people, {one.machine_topics:,} by a machine"
    return f"{one.topics:,} topics"


def fails_on(found: Gate, one: Decision) -> str:
    """A sentence on the data sets that fail; empty where none does but the decision itself."""
    fails = failing(found, one)
    if not fails:
        return ""
    by = f" by more than {score(one.margin)}" if one.margin else ""
    sure = f"with {level_text(one.level)} confidence"
    return f"On {_sets(fails)} it is worse{by}, {sure}: truerank gate exits with 1 for that."


def said(one: Decision) -> str:
    """What the verdict means, with the number it rests on."""
    who, other = name(one.candidate), name(one.baseline)
    sure = f"with {level_text(one.level)} confidence"
    if one.generalise_to == "data_sets":
        sure = f"on new data sets like these, {sure}"
    if one.verdict == "better":
        return f"{who} is better than {other}, {sure}."
    if one.verdict == "pass":
        worse = " It is surely worse, but within the margin." if one.surely_worse else ""
        return f"{who} is not worse than {other} by {score(one.margin)} or more, {sure}.{worse}"
    if one.verdict == "fail":
        by = f" by more than {score(one.margin)}" if one.margin else ""
        return f"{who} is worse than {other}{by}, {sure}."
    limit = (
        f"worse than {other} by {score(one.margin)} or more"
        if one.margin
        else f"better or worse than {other}"
    )
    these = "data sets" if one.generalise_to == "data_sets" else "topics"
    return f"These {these} don’t say whether {who} is {limit}.{_needed(one)}"


def _needed(one: Decision) -> str:
    if one.differing == 0:
        return ""
    units = units_text(one.unit)
    if one.topics_needed is None:
        return f" A verdict needs {impractical(units)}."
    if one.topics_needed_high is None:
        between = f"80% interval {_count(one.topics_needed_low)} to more than a million"
    else:
        ends = dict.fromkeys(map(_count, (one.topics_needed_low, one.topics_needed_high)))
        between = f"80% interval {' to '.join(ends)}"
    if one.machine_topics:
        units = "topics judged by people, with the machine’s in proportion,"
    return f" About {_count(one.topics_needed)} {units} in all would decide ({between})."


def _count(topics: int | None) -> str:
    """A number of topics to two digits, as no more is known of it.

    >>> _count(1234), _count(87), _count(None)
    ('1,200', '87', '–')
    """
    if topics is None:
        return NONE
    size = max(len(str(topics)) - 2, 0)
    return f"{round(topics, -size):,}"


def measured(one: Decision) -> str:
    """The means, the difference and its bounds."""
    means = f"{number(one.baseline_mean, DIGITS)} → {number(one.candidate_mean, DIGITS)}"
    start = f"Mean {means}, difference {number(one.difference, DIGITS, sign=True)}; "
    if bounds(one) == UNBOUNDED:
        return f"{start}too few topics differ for bounds."
    return f"{start}truly {bounds(one)} (each bound holds with {level_text(one.level)} confidence)."


def bounds(one: Decision) -> str:
    """``from −0.0041 to +0.0112``; a side without a bound is left out."""
    low, high = (number(value, DIGITS, sign=True) for value in (one.low, one.high))
    if low == NONE and high == NONE:
        return UNBOUNDED
    if low == NONE:
        return f"up to {high}"
    return f"from {low} up" if high == NONE else f"from {low} to {high}"


def tested(one: Decision) -> str:
    """The probabilities, and the p-values that papers report."""
    within = (
        f"; that it is not worse by {score(one.margin)}: {percentage(one.probability_within_margin)}"
        if one.margin
        else ""
    )
    return (
        f"For the verdict {p_equation(one.p_adjusted)} (one-sided). "
        f"Confidence that it is better: {percentage(one.probability_better)}{within}. Test of no difference "
        f"(two-sided): paired t-test {p_equation(one.p_two_sided)}, randomization test "
        f"{p_equation(one.p_randomisation)}."
    )


def t_test(one: Decision) -> str:
    """The p-value that papers report, as a sentence that can't be taken for the verdict's."""
    return f"Paired t-test of no difference at all (two-sided, not adjusted): {p_equation(one.p_two_sided)}."


def percentage(share: float) -> str:
    """A confidence that never rounds to certainty.

    Confidences err on the safe side, so one below ½ is no confidence in the contrary, however small.

    >>> percentage(0.99996), percentage(0.5), percentage(0.00001)
    ('>99.9%', '50.0%', 'below 50%')
    """
    if share > 0.999:
        return ">99.9%"
    return "below 50%" if share < 0.5 else f"{100 * share:.1f}%"


def lost(one: Decision, most: int = SHOWN) -> str:
    """The topics on which the candidate loses most; empty where it loses on none."""
    if not one.losses:
        return ""
    sets = len({loss.data_set for loss in one.losses}) > 1
    # One score on a data set is called like it.
    shown = [
        name(loss.topic)
        + (f" of {name(loss.data_set)}" if sets and loss.data_set not in (None, loss.topic) else "")
        + f" ({number(loss.baseline, 3)} → {number(loss.candidate, 3)})"
        for loss in one.losses[:most]
    ]
    return f"{name(one.candidate)} loses most on {', '.join(shown)}."


def warnings(found: Gate) -> list[str]:
    """The warnings of all decisions, each once, with whose they are where not all have them.

    Findings of single comparisons that mean the same are one; what others wrote, names in it, is left as
    it is.
    """
    if len(found) == 1:
        return list(found.decisions[0].warnings)
    whose: dict[tuple[str, bool], dict[str, list[str]]] = {}
    for one in found:
        found_here = {str(finding): finding for finding in one.findings}
        for warning in one.warnings:
            finding = found_here.get(warning, Finding(warning))
            own = whose.setdefault((finding.meaning or warning, bool(finding.meaning)), {})
            own.setdefault(finding.what, []).append(_label(one))
    said = []
    for (meaning, apart), own in whose.items():
        parts = []
        for what, labels in own.items():
            prefix = "" if len(labels) == len(found) else f"for {'; '.join(labels)}: "
            parts.append(f"{prefix}{what}")
        said.append(f"{'; '.join(parts)}. {sentence(meaning)}".rstrip(".") if apart else "; ".join(parts))
    return said


def _label(one: Decision) -> str:
    return ", ".join(name(part) for part in (one.candidate, one.measure, one.data_set) if part)


def together(found: Gate) -> str:
    """How several comparisons are judged; empty for one."""
    if found.comparisons < 2:
        return ""
    level = level_text(found.decisions[0].level)
    wrong = level_text(round(1 - found.decisions[0].level, 12))
    return (
        f"{found.comparisons} comparisons are judged together: the chance that any verdict of a kind is "
        f"false is {wrong} at most for all of them. All lower bounds hold at once with {level} confidence, "
        "and so do all upper ones. The method is max-T: each difference, in standard errors, is held "
        "against the largest that chance would give among all of them."
    )


def how(found: Gate) -> str:
    """Settings, for the last line."""
    first = found.decisions[0]
    return (
        f"Baseline {name(first.baseline)}, margin {score(first.margin)}, level {level_text(first.level)}; "
        "one-sided bounds by standard errors (studentised), corrected for skewness; "
        f"seed {found.seed}; truerank {found.version}."
    )

"""The view of significance tests: which systems differ, and which are better than which."""

from __future__ import annotations

import math
from collections.abc import Sequence

from truerank._support.tables import Column, Count, Marked, Marks, Name, Number, PValue, Table, Text
from truerank._support.version import __version__
from truerank._support.wording import NONE, capital, listed, number, percent
from truerank.comparison.significance import CORRECTIONS, TESTS
from truerank.comparison.significance.analysis import AgainstBaseline, Significance
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, subject
from truerank.report.words import Words

LETTERS = "abcdefghijklmnoprstuvwxyz"
"""What systems are called in superscripts; Unicode's q set high is in hardly any font."""

DIGITS = 4  # after the point, in means and differences


def view(found: Significance, asked: Asked) -> View:
    """What there is to see of the tests by one measure."""
    said = words_of(found)
    sections = [
        _systems_section([found]),
        _groups_section(found, said),
        _baseline_section(found, said),
        _anova_section(found, said),
        _pairs_section(found),
    ]
    return View(
        command="significance",
        title="Which systems differ significantly?",
        subject=subject(found.measure, f"{found.scores.m} systems", f"{found.scores.n} {found.sampled.many}"),
        answer=said.all("answer"),
        sections=[section for section in sections if section],
        notes=found.notes,
        how=said("how"),
        made=said("made"),
        measure=found.measure,
        numbers=_numbers(found),
        sentence=said("paper"),
        references=[*TESTS[found.tests.test].references, *CORRECTIONS[found.tests.correction].references],
    )


def words_of(found: Significance) -> Words:
    """The template of significance tests with their facts."""
    test, correction = TESTS[found.tests.test], CORRECTIONS[found.tests.correction]
    better, worse = sides(found)
    said = Words(
        "significance",
        found=found,
        test=test,
        correction=correction,
        anova=found.anova,
        topics=found.sampled.many,
        by=by(found.measure),
        alpha=f"{found.alpha:g}".removeprefix("0"),
        inf=math.inf,
        least=found.anova.least_significant_difference(found.alpha),
        version=__version__,
        adjusts=correction.name != "none" and not test.simultaneous,
        better=better,
        worse=worse,
    )
    said.facts["how"] = said("test")
    return said


def _numbers(found: Significance) -> dict[str, str]:
    """What a paper quotes of the tests."""
    made = {
        "Systems": f"{found.scores.m:,}",
        "Topics": f"{found.scores.n:,}",
        "Pairs": f"{found.pairs:,}",
        "SignificantPairs": f"{found.significant_pairs:,}",
        "Alpha": f"{found.alpha:g}",
        "F": number(found.anova.f, 2),
        "LeastDifference": number(found.anova.least_significant_difference(found.alpha), DIGITS),
        "Power": percent(found.discriminative_power, 1),
        "Seed": str(found.seed),
    }
    if found.baseline is not None:
        better, worse = sides(found)
        made |= {"Baseline": listed([found.baseline]), "Better": listed(better), "Worse": listed(worse)}
    return made


def sides(found: Significance) -> tuple[list[str], list[str]]:
    """The systems that are significantly better than the baseline, and those that are worse."""
    sure = [one for one in found.against if one.significant(found.alpha)]
    better = [one.system for one in sure if one.direction > 0]
    return better, [one.system for one in sure if one.direction <= 0]


# ── tables ────────────────────────────────────────────────────────────────────────────────────────────


def _systems_section(found: Sequence[Significance]) -> Section:
    """The systems by one or all measures, with superscripts of those that each is better than."""
    first, said = found[0], words_of(found[0])
    rows = list(dict.fromkeys(system for one in found for system in one.scores.systems))
    called = labels(len(rows))
    columns = (
        Column("#", Text(), "label"),
        Column("System", Name(), "system"),
        *(
            Column(title if one.measure else capital(title), Marks(align="left"), title)
            for one, title in zip(found, _titles(found), strict=True)
        ),
    )
    cells = [_cells(one, rows, called) for one in found]
    measures = [one.measure for one in found if one.measure]
    table = Table(
        "significance",
        f"Means of {len(rows)} systems{f' by {listed(measures)}' if measures else ''} on {first.scores.n} "
        f"{first.sampled.many}",
        columns,
        list(zip(called, rows, *cells, strict=True)),
        said("systems"),
        bold=said("bold"),
    )
    return Section("systems", "Systems", tables=[table])


def _titles(found: Sequence[Significance]) -> list[str]:
    """What the means by each measure are called, each otherwise than the others."""
    made: list[str] = []
    for place, one in enumerate(found, 1):
        title = one.measure or ("mean" if len(found) == 1 else f"mean {place}")
        made.append(title if title not in ("label", "system", *made) else f"{title} ({place})")
    return made


def labels(count: int) -> tuple[str, ...]:
    """What the systems are called in superscripts: letters, or their numbers where letters do not suffice."""
    if count <= len(LETTERS):
        return tuple(LETTERS[:count])
    return tuple(str(place + 1) for place in range(count))


def marks(places: Sequence[int], names: Sequence[str]) -> str:
    """The labels of these places, together: letters side by side, numbers as ranges."""
    if not names[0].isdigit():
        return "".join(names[place] for place in places)
    runs: list[list[int]] = []
    for place in sorted(places):
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return ",".join(names[a] if a == b else f"{names[a]}–{names[b]}" for a, b in runs)


def _cells(one: Significance, rows: Sequence[str], names: Sequence[str]) -> list[Marked]:
    place = {system: row for row, system in enumerate(rows)}
    means = dict(zip(one.scores.systems, one.scores.means.tolist(), strict=True))
    best = number(max(means.values()), DIGITS)
    cells = []
    for system in rows:
        if system not in means:
            cells.append(Marked(NONE))
            continue
        better = one.better_than(one.scores.systems.index(system))
        beaten = sorted(place[one.scores.systems[other]] for other in better)
        mean = number(means[system], DIGITS)
        cells.append(Marked(mean, marks(beaten, names), strong=mean == best))
    return cells


def _groups_section(one: Significance, said: Words) -> Section:
    """The critical difference diagram, by the test of this result and by Nemenyi's."""
    figure = Figure(
        "critical-difference",
        f"Bars join systems of which no two differ significantly, by {said('test')}, and by Nemenyi's test "
        "on mean ranks. Dots on a bar are its systems.",
        lambda size: charts.critical_difference_chart(one, size),
    )
    return Section("groups", "Groups that do not differ", figures=[figure], details=True)


def _baseline_section(one: Significance, said: Words) -> Section | None:
    if not one.against:
        return None
    plain = not (said.facts["adjusts"] or said.facts["test"].simultaneous)
    columns = (
        Column("System", Name(), "system"),
        Column("Difference", Number(digits=DIGITS, sign=True), "difference", "its mean minus the baseline's"),
        Column("p", PValue(), "p", "two-sided, of no difference"),
        Column("p, adjusted", PValue(), "p_adjusted", details=plain),
        Column("Verdict", Text(), "verdict"),
    )
    rows = [
        (other.system, other.difference, other.unadjusted, other.p_value, _verdict(one, other))
        for other in one.against
    ]
    by_t = [
        f"{listed([other.system])} {number(other.p_t, 3)}" for other in one.against if other.p_t is not None
    ]
    table = Table(
        "baseline",
        f"Differences from the baseline {listed([one.baseline or ''])}",
        columns,
        rows,
        said("baseline", by_t=by_t),
    )
    return Section("baseline", "Baseline", tables=[table])


def _verdict(found: Significance, other: AgainstBaseline) -> str:
    if not other.significant(found.alpha):
        return "not significant"
    return "better" if other.direction > 0 else "worse"


def _anova_section(one: Significance, said: Words) -> Section:
    a = one.anova
    parts = a.variance_components
    columns = (
        Column("Source", Text(), "source"),
        Column("Sum of squares", Number(digits=4), "sum_of_squares"),
        Column("df", Count(), "df"),
        Column("Mean square", Number(digits=5), "mean_square"),
        Column("F", Number(digits=2), "f"),
        Column("p", PValue(), "p"),
        Column("p, corrected", PValue(), "p_corrected", "by Greenhouse and Geisser, for unequal variances"),
        Column("Variance", Number(digits=5), "variance"),
    )
    tests, no_test = (a.f, a.p_value, a.p_corrected), (None, None, None)
    rows = [
        ("systems", a.ss_systems, a.df_systems, a.ms_systems, *tests, parts["systems"]),
        (one.sampled.many, a.ss_topics, a.df_topics, a.ms_topics, *no_test, parts["topics"]),
        ("error", a.ss_error, a.df_error, a.ms_error, *no_test, parts["error"]),
    ]
    caption = "Two-way analysis of variance, with variance components"
    details = one.tests.test not in ("f", "tukey")
    table = Table("anova", caption, columns, rows)
    return Section("anova", "Analysis of variance", said.all("anova"), tables=[table], details=details)


def _pairs_section(one: Significance) -> Section:
    """All pairs, for files."""
    columns = (
        Column("Above", Name(), "above"),
        Column("Below", Name(), "below"),
        Column("Difference", Number(), "difference"),
        Column("p", PValue(), "p"),
        Column("p, adjusted", PValue(), "p_adjusted"),
    )
    pairs = one.to_dict()["pairs"]
    rows = [tuple(pair[column.key] for column in columns) for pair in pairs]
    return Section("pairs", "Pairs", tables=[Table("pairs", "All pairs", columns, rows, files_only=True)])


def together(found: Sequence[Significance], asked: Asked) -> Section:
    """The systems by all measures in one table."""
    return _systems_section(found)

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


def view(result: Significance, asked: Asked) -> View:
    words = words_of(result)
    groups = Figure(
        "critical-difference",
        f"Bars join systems of which no two differ significantly, by {words('test')}, and by Nemenyi's test "
        "on mean ranks. Dots on a bar are its systems.",
        lambda size: charts.critical_difference_chart(result, size),
    )
    sections = [
        _systems_section([result]),
        Section("groups", "Groups that do not differ", figures=[groups], details=True),
        _baseline_section(result, words),
        _anova_section(result, words),
        _pairs_section(result),
    ]
    return View(
        command="significance",
        title="Which systems differ significantly?",
        subject=subject(
            result.measure, f"{result.scores.m} systems", f"{result.scores.n} {result.sampled.many}"
        ),
        answer=words.all("answer"),
        sections=[section for section in sections if section],
        notes=result.notes,
        how=words("how"),
        made=words("made"),
        measure=result.measure,
        numbers=_numbers(result),
        sentence=words("paper"),
        references=[*TESTS[result.tests.test].references, *CORRECTIONS[result.tests.correction].references],
    )


def words_of(result: Significance) -> Words:
    test, correction = TESTS[result.tests.test], CORRECTIONS[result.tests.correction]
    better, worse = sides(result)
    words = Words(
        "significance",
        result=result,
        test=test,
        correction=correction,
        anova=result.anova,
        topics=result.sampled.many,
        by=by(result.measure),
        alpha=f"{result.alpha:g}".removeprefix("0"),
        inf=math.inf,
        least=result.anova.least_significant_difference(result.alpha),
        version=__version__,
        adjusts=correction.name != "none" and not test.simultaneous,
        better=better,
        worse=worse,
    )
    words.facts["how"] = words("test")
    return words


def _numbers(result: Significance) -> dict[str, str]:
    made = {
        "Systems": f"{result.scores.m:,}",
        "Topics": f"{result.scores.n:,}",
        "Pairs": f"{result.pairs:,}",
        "SignificantPairs": f"{result.significant_pairs:,}",
        "Alpha": f"{result.alpha:g}",
        "F": number(result.anova.f, 2),
        "LeastDifference": number(result.anova.least_significant_difference(result.alpha), DIGITS),
        "Power": percent(result.discriminative_power, 1),
        "Seed": str(result.seed),
    }
    if result.baseline is not None:
        better, worse = sides(result)
        made |= {"Baseline": listed([result.baseline]), "Better": listed(better), "Worse": listed(worse)}
    return made


def sides(result: Significance) -> tuple[list[str], list[str]]:
    """The systems that are significantly better than the baseline, and those that are worse."""
    sure = [item for item in result.against if item.significant(result.alpha)]
    better = [item.system for item in sure if item.direction > 0]
    return better, [item.system for item in sure if item.direction <= 0]


# ── tables ────────────────────────────────────────────────────────────────────────────────────────────


def _systems_section(result: Sequence[Significance]) -> Section:
    """The systems by one or all measures, with superscripts of those that each is better than."""
    first, words = result[0], words_of(result[0])
    rows = list(dict.fromkeys(system for item in result for system in item.scores.systems))
    called = labels(len(rows))
    columns = (
        Column("#", Text(), "label"),
        Column("System", Name(), "system"),
        *(
            Column(title if item.measure else capital(title), Marks(align="left"), title)
            for item, title in zip(result, _titles(result), strict=True)
        ),
    )
    cells = [_cells(item, rows, called) for item in result]
    measures = [item.measure for item in result if item.measure]
    table = Table(
        "significance",
        f"Means of {len(rows)} systems{f' by {listed(measures)}' if measures else ''} on {first.scores.n} "
        f"{first.sampled.many}",
        columns,
        list(zip(called, rows, *cells, strict=True)),
        words("systems"),
        bold=words("bold"),
    )
    return Section("systems", "Systems", tables=[table])


def _titles(result: Sequence[Significance]) -> list[str]:
    """What the means by each measure are called, each otherwise than the others."""
    made: list[str] = []
    for place, item in enumerate(result, 1):
        title = item.measure or ("mean" if len(result) == 1 else f"mean {place}")
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


def _cells(item: Significance, rows: Sequence[str], names: Sequence[str]) -> list[Marked]:
    place = {system: row for row, system in enumerate(rows)}
    means = dict(zip(item.scores.systems, item.scores.means.tolist(), strict=True))
    best = number(max(means.values()), DIGITS)
    cells = []
    for system in rows:
        if system not in means:
            cells.append(Marked(NONE))
            continue
        better = item.better_than(item.scores.systems.index(system))
        beaten = sorted(place[item.scores.systems[other]] for other in better)
        mean = number(means[system], DIGITS)
        cells.append(Marked(mean, marks(beaten, names), strong=mean == best))
    return cells


def _baseline_section(item: Significance, words: Words) -> Section | None:
    if not item.against:
        return None
    plain = not (words.facts["adjusts"] or words.facts["test"].simultaneous)
    columns = (
        Column("System", Name(), "system"),
        Column("Difference", Number(digits=DIGITS, sign=True), "difference", "its mean minus the baseline's"),
        Column("p", PValue(), "p", "two-sided, of no difference"),
        Column("p, adjusted", PValue(), "p_adjusted", details=plain),
        Column("Verdict", Text(), "verdict"),
    )
    rows = [
        (other.system, other.difference, other.unadjusted, other.p_value, _verdict(item, other))
        for other in item.against
    ]
    by_t = [
        f"{listed([other.system])} {number(other.p_t, 3)}" for other in item.against if other.p_t is not None
    ]
    table = Table(
        "baseline",
        f"Differences from the baseline {listed([item.baseline or ''])}",
        columns,
        rows,
        words("baseline", by_t=by_t),
    )
    return Section("baseline", "Baseline", tables=[table])


def _verdict(result: Significance, other: AgainstBaseline) -> str:
    if not other.significant(result.alpha):
        return "not significant"
    return "better" if other.direction > 0 else "worse"


def _anova_section(item: Significance, words: Words) -> Section:
    a = item.anova
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
        (item.sampled.many, a.ss_topics, a.df_topics, a.ms_topics, *no_test, parts["topics"]),
        ("error", a.ss_error, a.df_error, a.ms_error, *no_test, parts["error"]),
    ]
    caption = "Two-way analysis of variance, with variance components"
    details = item.tests.test not in ("f", "tukey")
    table = Table("anova", caption, columns, rows)
    return Section("anova", "Analysis of variance", words.all("anova"), tables=[table], details=details)


def _pairs_section(item: Significance) -> Section:
    """All pairs, for files."""
    columns = (
        Column("Above", Name(), "above"),
        Column("Below", Name(), "below"),
        Column("Difference", Number(), "difference"),
        Column("p", PValue(), "p"),
        Column("p, adjusted", PValue(), "p_adjusted"),
    )
    pairs = item.to_dict()["pairs"]
    rows = [tuple(pair[column.key] for column in columns) for pair in pairs]
    return Section("pairs", "Pairs", tables=[Table("pairs", "All pairs", columns, rows, files_only=True)])


def together(result: Sequence[Significance], asked: Asked) -> Section:
    return _systems_section(result)

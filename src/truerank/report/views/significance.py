"""The view of significance tests: which systems differ, and which are better than which."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from truerank._support.escaping import printable
from truerank._support.tables import Column, Count, Marked, Marks, Name, Number, PValue, Table, Text
from truerank._support.version import __version__
from truerank._support.wording import NONE, listed, number, p_equation, percent
from truerank.comparison.significance import CORRECTIONS, TESTS
from truerank.comparison.significance.analysis import AgainstBaseline, Significance
from truerank.comparison.significance.anova import Anova
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, facts, register, subject

LETTERS = "abcdefghijklmnoprstuvwxyz"
"""What systems are called in superscripts; Unicode's q set high is in hardly any font."""

DIGITS = 4
"""Of means and differences."""


def view(found: Significance, asked: Asked) -> View:
    """What there is to see of the tests by one measure."""
    sections = [
        _systems_section([found]),
        _groups_section(found),
        _baseline_section(found),
        _anova_section(found),
        _pairs_section(found),
    ]
    return View(
        command="significance",
        title="Which systems differ significantly?",
        subject=subject(found.measure, f"{found.scores.m} systems", f"{found.scores.n} {found.sampled.many}"),
        answer=list(_answer(found)),
        sections=[section for section in sections if section],
        notes=found.notes,
        how=f"{_how(found)}; {_drawn(found)}seed {found.seed}; truerank {__version__}.",
        measure=found.measure,
        facts=facts(__version__, found.seed) | {"Test": _how(found)},
        numbers=_numbers(found),
        sentence=_sentence(found),
        references=[*TESTS[found.tests.test].references, *CORRECTIONS[found.tests.correction].references],
    )


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
        "Version": __version__,
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


def _sentence(found: Significance) -> str:
    test, correction = TESTS[found.tests.test], CORRECTIONS[found.tests.correction]
    cited = "".join(f" [@{key}]" for key in test.references)
    if test.simultaneous:
        corrected = "corrected for all pairs"
    elif correction.name == "none":
        corrected = "uncorrected"
    else:
        corrected = f"corrected for {found.pairs:,} pairs ({correction.label})"
        corrected += "".join(f" [@{key}]" for key in correction.references)
    return (
        f"We compared all pairs of {found.scores.m:,} systems "
        f"{f'by mean {printable(found.measure)} ' if found.measure else ''}on "
        f"{found.scores.n:,} {found.sampled.many} by {test.label}{cited}, {corrected}, at a "
        f"significance level of {found.alpha:g}, with truerank "
        f"{__version__} [@truerank] ({_drawn(found)}seed {found.seed})."
    )


def _answer(found: Significance) -> Iterator[str]:
    count = found.significant_pairs
    alpha = f"{found.alpha:g}".removeprefix("0")
    yield (
        f"{count:,} of {found.pairs:,} pairs of systems "
        f"{'differs' if count == 1 else 'differ'} significantly{by(found.measure)} (p < "
        f"{alpha}; {_how(found)}; {found.scores.n:,} {found.sampled.many})."
    )
    if found.baseline is not None:
        yield _against(found)
    yield _f(found)


def _against(found: Significance) -> str:
    better, worse = sides(found)
    rest = len(found.against) - len(better) - len(worse)
    return (
        f"Significantly better than the baseline {listed([found.baseline or ''])}: "
        f"{listed(better)}; worse: {listed(worse)}; not significant: "
        f"{rest or 'none'}."
    )


def _f(found: Significance) -> str:
    table = found.anova
    if math.isnan(table.f):
        return "F test of all systems (two-way ANOVA): no two systems differ at all."
    f = "∞" if math.isinf(table.f) else number(table.f, 2)
    least = number(table.least_significant_difference(found.alpha), DIGITS)
    alone = round(found.discriminative_power * found.pairs)
    return (
        f"F test of all systems (two-way ANOVA): F({table.df_systems}, "
        f"{table.df_error}) = {f}, {_p_of_f(table)}. Least "
        f"significant difference {least}; discriminative power "
        f"{percent(found.discriminative_power, 1)} ({alone:,} of "
        f"{found.pairs:,} pairs{_alone(found)})."
    )


def _p_of_f(table: Anova) -> str:
    """The p-value that allows for differences that vary unequally, and the one that people know."""
    if table.epsilon == 1:
        return p_equation(table.p_value)
    return (
        f"{p_equation(table.p_corrected)} with Greenhouse and Geisser's correction "
        f"(ε = {number(table.epsilon, 2)}), {p_equation(table.p_value)} without, which is often too small"
    )


def _alone(found: Significance) -> str:
    """That discriminative power is of each pair by itself, unless the test knows only all pairs."""
    return "" if TESTS[found.tests.test].simultaneous else ", uncorrected"


def _how(found: Significance) -> str:
    """Test and correction in a few words."""
    test, correction = TESTS[found.tests.test], CORRECTIONS[found.tests.correction]
    how = "uncorrected" if correction.name == "none" else correction.label
    return f"{test.label}, {'corrected for all pairs' if test.simultaneous else how}"


def _drawn(found: Significance) -> str:
    """How many permutations, where there are any."""
    if found.tests.permutations is None:
        return ""
    exact = " (all there are)" if found.tests.exact else ""
    return f"{found.tests.permutations:,} permutations{exact}; "


def _made(found: Significance) -> str:
    return f"({_drawn(found)}truerank {__version__}, seed {found.seed}.)"


# ── tables ────────────────────────────────────────────────────────────────────────────────────────────


def _systems_section(found: Sequence[Significance]) -> Section:
    """The systems by one or all measures, with superscripts of those that each is better than."""
    first = found[0]
    rows = list(dict.fromkeys(system for one in found for system in one.scores.systems))
    called = labels(len(rows))
    columns = (
        Column("#", Text(), "label"),
        Column("System", Name(), "system"),
        *(Column(title, Marks(align="left"), title) for title in _titles(found)),
    )
    cells = [_cells(one, rows, called) for one in found]
    measures = [one.measure for one in found if one.measure]
    table = Table(
        "significance",
        f"Means of {len(rows)} systems{f' by {listed(measures)}' if measures else ''} on {first.scores.n} "
        f"{first.sampled.many}",
        columns,
        list(zip(called, rows, *cells, strict=True)),
        f"Superscripts: systems that this one is significantly better than ({_how(first)}, significance "
        f"level {first.alpha:g}). Bold: the highest mean.{_other_family(first)}",
        _made(first),
    )
    return Section("systems", "Systems", tables=[table])


def _other_family(found: Significance) -> str:
    """Why this table and that of the baseline may differ."""
    if not found.against or TESTS[found.tests.test].simultaneous or found.tests.correction == "none":
        return ""
    return (
        f" Adjusted for all {found.pairs:,} pairs. Differences from the baseline are adjusted for their "
        f"{len(found.against):,} comparisons only, so more of them may be significant."
    )


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


def _groups_section(one: Significance) -> Section:
    """The critical difference diagram, by the test of this result and by Nemenyi's."""
    figure = Figure(
        "critical-difference",
        f"Bars join systems of which no two differ significantly, by {_how(one)}, and by Nemenyi's test on "
        "mean ranks. Dots on a bar are its systems.",
        "Critical difference diagram: groups of systems that do not differ significantly.",
        lambda size: charts.critical_difference_chart(one, size),
    )
    return Section("groups", "Groups that do not differ", figures=[figure], details=True)


def _baseline_section(one: Significance) -> Section | None:
    if not one.against:
        return None
    columns = (
        Column("System", Name(), "system"),
        Column("Difference", Number(digits=DIGITS, sign=True), "difference", "its mean minus the baseline's"),
        Column("p", PValue(), "p", "two-sided, of no difference"),
        Column("p, adjusted", PValue(), "p_adjusted"),
        Column("Verdict", Text(), "verdict"),
    )
    rows = [
        (other.system, other.difference, other.unadjusted, other.p_value, _verdict(one, other))
        for other in one.against
    ]
    by_t = [
        f"{listed([other.system])} {number(other.p_t, 3)}" for other in one.against if other.p_t is not None
    ]
    exact = (
        f" By the exact bound where few {one.sampled.many} differ; there the paired t-test has p = "
        f"{', '.join(by_t)}."
        if by_t
        else ""
    )
    table = Table(
        "baseline",
        f"Differences from the baseline {listed([one.baseline or ''])}",
        columns,
        rows,
        f"p: two-sided, of no difference. {_adjusted(one)}{exact}",
        _made(one),
    )
    return Section("baseline", "Baseline", tables=[table])


def _verdict(found: Significance, other: AgainstBaseline) -> str:
    if not other.significant(found.alpha):
        return "not significant"
    return "better" if other.direction > 0 else "worse"


def _adjusted(found: Significance) -> str:
    """What the p-values against the baseline are adjusted for."""
    if TESTS[found.tests.test].simultaneous:
        return "Adjusted for all pairs, as this test does by itself."
    if found.tests.correction == "none":
        return "Not adjusted."
    return f"Adjusted for these {len(found.against):,} comparisons, not for all pairs."


def _anova_section(one: Significance) -> Section:
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
    text = [
        _what_significant_means(one),
        "F test: may all systems be equally good? Least significant difference: of two means by themselves, "
        "with one error variance for all systems. Discriminative power: share of pairs that differ "
        f"significantly{_alone(one)}.",
    ]
    details = one.tests.test not in ("f", "tukey")
    table = Table("anova", caption, columns, rows, made=_made(one))
    return Section("anova", "Analysis of variance", text, tables=[table], details=details)


def _what_significant_means(found: Significance) -> str:
    alpha = f"{100 * found.alpha:g}%"
    if found.tests.correction == "none" and not TESTS[found.tests.test].simultaneous:
        return f"Significant: two equally good systems would differ as much with a chance below {alpha}."
    if found.tests.correction == "bh":
        return f"Significant: of the pairs called so, at most {alpha} are expected to be false alarms."
    return f"Significant: the chance that any two equally good systems are called so is at most {alpha}."


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


register(
    Significance,
    view,
    together,
    tables="significance baseline anova pairs",
)

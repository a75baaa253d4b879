"""The parts of a comparison's page: the answer, every coefficient, the crossings, methods and references."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank._support.version import __version__
from truerank.report.charts.crossings import MOST, crossing_pairs, crossings_chart, place_of
from truerank.report.charts.resamples import resamples_chart
from truerank.report.formulas import symbol_html
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.parts.table import Cell, Column, Row, name_cell, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import listed, number, p_text, percent, printable, sentence, span

if TYPE_CHECKING:
    from truerank.comparison import Comparison
    from truerank.comparison.distance.rank_distance import RankDistance


def names_of(results: Sequence[Comparison]) -> list[str]:
    """What the other rankings are called: files without their folders, where that tells them apart."""
    short = [Path(result.other).name or result.other for result in results]
    return [
        printable(name if short.count(name) == 1 else result.other)
        for name, result in zip(short, results, strict=True)
    ]


def baseline_name(result: Comparison) -> str:
    """What the baseline is called: its file without folders, or its measure."""
    base = result.base
    return printable(Path(base.source).name if base.source else base.measure or "scores")


def subject(results: Sequence[Comparison]) -> str:
    """What is compared: ``AP · 74 systems · 50 topics``."""
    base = results[0].base
    measure = [printable(base.measure)] if base.measure else []
    systems = sorted({result.base.m for result in results})
    count = f"{systems[0]} to {systems[-1]}" if len(systems) > 1 else str(systems[0])
    return " · ".join([*measure, f"{count} systems", f"{base.n} topics"])


def answer(results: Sequence[Comparison]) -> Markup:
    """Whether each ranking differs from the baseline, in sentences."""
    return fill(
        "comparison-answer.html",
        results=[
            {
                "name": name,
                "anchor": _anchor(place),
                "said": result.answer(),
                "pairs": pairs_sentence(result),
            }
            for place, (name, result) in enumerate(zip(names_of(results), results, strict=True), 1)
        ],
        several=len(results) > 1,
        warnings=len(all_warnings(results)),
    )


def _anchor(place: int) -> str:
    return f"ranking-{place}"


def pairs_sentence(result: Comparison) -> str:
    """How many pairs are the other way round, how many of them significant, and which weighs most."""
    pairs = crossing_pairs(result)
    if not pairs:
        return ""
    above, below, t, _ = pairs[0]
    names, all_pairs = result.base.systems, result.base.m * (result.base.m - 1) // 2
    sure = sum(kind == 3 for *_, kind in pairs)
    if len(pairs) == 1:
        order = f"One of {all_pairs:,} pairs of systems is"
        counted = f"The pair {'differs' if sure else 'does not differ'} significantly"
    else:
        order = f"{len(pairs):,} of {all_pairs:,} pairs of systems are"
        counted = f"Of these {f'{sure:,}' if sure else 'none'} differ{'s' if sure < 2 else ''} significantly"
    size = "∞" if t == float("inf") else number(t, 2)
    return (
        f"{order} the other way round (Kendall’s τ = {number(result.tau, 2)}). {counted} in the baseline "
        f"(paired t-test, p < .05). The most evidence is against putting {listed([names[below]])} above "
        f"{listed([names[above]])} (t = {size})."
    )


def coefficients(results: Sequence[Comparison]) -> Section:
    """Every coefficient of every ranking, in one table."""
    columns = [
        Column("Ranking", numeric=False),
        Column("Distance", meaning="rank distance from the baseline, in units of a t statistic"),
        Column("Critical", meaning="at 5%: distances beyond it have p ≤ .05"),
        Column("p", meaning="share of rankings by resampled topics that are at least as far"),
        Column("τ", meaning="Kendall’s; ties broken by the baseline’s column order"),
        Column(Markup("τ<sub>b</sub>"), meaning="τ corrected for ties"),
        Column(symbol_html("tau_ap"), meaning="the baseline is the truth"),
        Column("RBO", meaning="rank-biased overlap"),
        Column("Kept", meaning="of the pairs significant in the baseline, the share in the same order"),
    ]
    rows = [
        Row(
            [
                name_cell(name),
                number_cell(result.distance.distance, 2),
                number_cell(result.distance.critical_value(), 2),
                Cell(result.p_text(), result.distance.p_value),
                number_cell(result.tau),
                number_cell(result.tau_b),
                number_cell(result.tau_ap),
                number_cell(result.rbo),
                Cell(percent(result.significant_agreement), result.significant_agreement),
            ]
        )
        for name, result in zip(names_of(results), results, strict=True)
    ]
    body = fill(
        "comparison-coefficients.html",
        table=table("coefficients-table", "All coefficients", columns, rows),
        intervals=kendall_text(results),
    )
    return Section("coefficients", "Coefficients", "How close, by every coefficient", body)


def about_coefficients(rbo_p: float) -> str:
    """How a table of coefficients is to be read."""
    return (
        "τ: 1 is the same order, −1 the opposite one; τ_b allows for ties, τ_AP gives pairs near the top "
        f"more weight. RBO: how far the tops overlap, from 0 to 1 (persistence {rbo_p:g}). Distance: 0 is "
        "the same order; it grows with the baseline’s evidence against the swaps, on the scale of a t "
        "statistic. p: the share of rankings by resampled topics that are at least as far."
    )


def kendall_text(results: Sequence[Comparison]) -> str:
    """Kendall's intervals of all rankings, in sentences."""
    intervals = "; ".join(
        (f"{name} " if len(results) > 1 else "")
        + span(result.kendall_interval.low, result.kendall_interval.high, 2)
        for name, result in zip(names_of(results), results, strict=True)
    )
    return (
        f"Kendall’s 95% interval of τ: {intervals}. It takes the systems for a random sample and their pairs "
        "for independent, which they are not."
    )


def rankings(results: Sequence[Comparison]) -> list[Section]:
    """A section a ranking: both side by side, the resamples, and the swaps."""
    return [
        _ranking(result, name, place, len(results) > 1)
        for place, (name, result) in enumerate(zip(names_of(results), results, strict=True), 1)
    ]


def _ranking(result: Comparison, name: str, place: int, several: bool) -> Section:
    anchor = _anchor(place)
    pairs = crossing_pairs(result)
    counts = [sum(kind == wanted for *_, kind in pairs) for wanted in (1, 2, 3)]
    picture = figure(
        lambda size: crossings_chart(result, size),
        f"{anchor}-figure",
        f"The {result.base.m} systems in the order of the baseline on the left and in that of {name} on the "
        f"right, a line for each; {len(pairs)} pairs of lines cross. The table below has the same systems.",
        fill("crossings-caption.html", counts=counts, drawn=min(len(pairs), MOST), crossings=len(pairs)),
    )
    where = figure(
        lambda size: resamples_chart(result, size),
        f"{anchor}-resamples",
        f"Histogram of the rank distances of rankings by resampled topics, with the observed distance, "
        f"{result.distance.distance:.2f}, and the critical value at 5%.",
        "Bars: rank distances of the rankings by resampled topics of the baseline. A distance to the right "
        "of the dashed line is one that resampled topics give in fewer than 5% of the cases.",
    )
    body = fill(
        "comparison-ranking.html",
        said=result.answer(),
        several=several,
        blocks=blocks_text(result),
        figure=picture,
        resamples=where,
        swaps=_swap_table(result, anchor) if result.swaps else "",
        systems=_system_table(result, anchor),
    )
    menu = f"Ranking {place}" if several else "Rankings"
    title = f"Baseline and {name}, side by side"
    return Section(anchor, menu, title, body)


def blocks_text(result: Comparison, most: int = 3) -> list[str]:
    """The groups that the distance comes from, largest first, two names each, and how many more."""
    blocks = sorted(result.distance.blocks, key=len, reverse=True)
    shown = [f"{len(block)} systems: {listed(block, 2)}" for block in blocks[:most]]
    left = len(blocks) - most
    if left > 0:
        shown.append(f"{left} smaller {'group' if left == 1 else 'groups'}")
    return shown


def _plain(value: float) -> str:
    """A small number, without a power of ten where that can be.

    >>> _plain(1e-5), _plain(0.25), _plain(1e-30)
    ('0.00001', '0.25', '1e−30')
    """
    text = f"{value:.12f}".rstrip("0").rstrip(".")
    return text if float(text) == value else f"{value:g}".replace("-", "−")


def lambda_text(test: RankDistance) -> str:
    """What λ did to the distance; empty where there is none."""
    if not test.lam:
        return ""
    lam = f"λ = {_plain(test.lam)}"
    if test.lam_reason == "given":
        added = f"{lam} was added to the variances, as asked for."
    else:
        added = (
            f"{lam} was added to the variances, for without it no distance would be finite "
            f"({test.lam_reason})."
        )
    return f"{added} λ makes distances smaller: compare only those with the same λ."


def _swap_table(result: Comparison, anchor: str) -> Markup:
    meaning = "paired t statistic"
    if not result.distance.lam:
        meaning += ": the distance is at least this"
    columns = [
        Column("Above in the baseline", numeric=False),
        Column("Above in the other", numeric=False),
        Column("Difference", meaning="of the means in the baseline"),
        Column("t", meaning=meaning),
        Column("p", meaning="of the paired t-test, two-sided, not corrected"),
    ]
    rows = [
        Row(
            [
                name_cell(swap.base_above),
                name_cell(swap.other_above),
                number_cell(swap.difference, 4),
                Cell("∞" if swap.t == float("inf") else number(swap.t, 2), min(swap.t, 1e300)),
                Cell(p_text(swap.p_value), swap.p_value),
            ]
        )
        for swap in result.swaps
    ]
    caption = f"The swaps that weigh most, {len(rows)} of {result.discordant}"
    return table(f"{anchor}-swaps", caption, columns, rows)


def _system_table(result: Comparison, anchor: str) -> Markup:
    left, right = place_of(result)
    columns = [
        Column("Rank in the baseline"),
        Column("System", numeric=False),
        Column("Mean", meaning="in the baseline"),
        Column("Rank in the other"),
        Column("Moved", meaning="ranks up (+) or down (−)"),
    ]
    rows = [
        Row(
            [
                Cell(str(left[s]), left[s]),
                name_cell(result.base.systems[s]),
                number_cell(float(result.base.means[s]), 4),
                Cell(str(right[s]), right[s]),
                number_cell(left[s] - right[s], 0, sign=True),
            ]
        )
        for s in result.base.order
    ]
    return table(f"{anchor}-systems", "All systems", columns, rows, heading=1)


def all_warnings(results: Sequence[Comparison]) -> list[str]:
    """The warnings of all comparisons, with the ranking's name where they differ."""
    shared = [w for w in results[0].warnings if all(w in result.warnings for result in results)]
    own = [
        f"{name}: {sentence(warning)}"
        for name, result in zip(names_of(results), results, strict=True)
        for warning in result.warnings
        if warning not in shared
    ]
    return [*map(sentence, shared), *own]


def warnings(results: Sequence[Comparison]) -> Section:
    """What to know before quoting a number."""
    body = fill("comparison-warnings.html", warnings=all_warnings(results))
    return Section("warnings", "Warnings", "Before you quote a number", body)


def methods(results: Sequence[Comparison]) -> Section:
    """The formulas, with this page's λ and resamples."""
    test = results[0].distance
    body = fill(
        "comparison-methods.html",
        test=test,
        rbo_p=results[0].rbo_p,
        topics=results[0].base.n,
        steadied=lambda_text(test),
    )
    return Section("methods", "Methods", "How it was computed", body)


def facts(results: Sequence[Comparison]) -> dict[str, str]:
    """What it takes to get the same digits again."""
    test = results[0].distance
    base = results[0].base
    found = {
        "truerank": f"version {__version__}",
        "Seed": "without meaning, all resamples were taken" if test.exact else str(test.seed),
        "Resamples": f"{test.resamples:,}" + (", all there are" if test.exact else ""),
        **({"λ": f"{_plain(test.lam)}, {test.lam_reason}, on {test.regularise}"} if test.lam else {}),
        "RBO": f"persistence {results[0].rbo_p:g}",
    }
    if base.source:
        found["Baseline"] = printable(Path(base.source).name)
    found["Fingerprint"] = f"{base.fingerprint()[:16]} (of the baseline’s names, measure and scores)"
    return found

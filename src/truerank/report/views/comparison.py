"""The view of a comparison: how close another ranking is to reference scores, and where the two cross."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank._support.escaping import printable
from truerank._support.tables import Column, Count, Name, Number, Percent, PValue, Table
from truerank._support.version import __version__
from truerank._support.wording import number, p_equation, p_relation, percent, span
from truerank.coefficients import tied_ranks
from truerank.comparison import Comparison
from truerank.comparison.against_reference import ALPHA, Swap
from truerank.comparison.significance import pairwise_tests
from truerank.numerics.pairs import two_sided_p
from truerank.report.charts.forest import Panel, forest
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, made, subject
from truerank.report.words import Words

if TYPE_CHECKING:
    from truerank.report.charts.style import Chart, Size

TITLE = "Do these rankings really differ?"


def view(found: Comparison, asked: Asked) -> View:
    """What there is to see of a comparison."""
    reference = found.reference
    against = f"{found.name} against {_reference(found)}"
    said = words_of(found)
    pairs = np.count_nonzero(np.triu(pairwise_tests(reference).significant(ALPHA), 1))
    sizes = f"{reference.m} systems", f"{reference.n} {found.sampled.many}"
    return View(
        command="compare",
        title=TITLE,
        subject=subject(printable(against), printable(reference.measure), *sizes),
        label=found.name,
        answer=said.all("answer"),
        sections=[_coefficients([found]), _crossings(found), _systems(found), _critical(found)],
        notes=found.notes,
        how=said("how"),
        made=made(__version__, f"{found.distance.resamples:,} resamples", seed=found.distance.seed),
        measure=reference.measure,
        facts=({"Reference": Path(reference.source).name} if reference.source else {})
        | {"Fingerprint": f"{reference.fingerprint()[:16]} (of the reference’s names, measure and scores)"},
        numbers={
            "Systems": f"{reference.m:,}",
            "Topics": f"{reference.n:,}",
            "Resamples": f"{found.distance.resamples:,}",
            "Seed": str(found.distance.seed),
            "Discordant": f"{found.discordant:,}",
            "Pairs": f"{reference.m * (reference.m - 1) // 2:,}",
            "TauB": number(found.tau_b, 2),
            "Tau": number(found.tau, 2),
            "Distance": number(found.distance.distance, 2),
            "Critical": number(found.distance.critical_value(ALPHA), 2),
            "TauAP": number(found.tau_ap, 2),
            "RBO": number(found.rbo, 2),
            "SignificantPairs": f"{pairs:,}",
            "Kept": percent(found.significant_agreement),
            "P": p_relation(found.distance.p_value, found.distance.least_p),
        },
        sentence=said("paper"),
        files=({"Data": reference.source} if reference.source else {})
        | ({"Other": found.name} if os.path.exists(found.other) else {}),
    )


def words_of(found: Comparison) -> Words:
    """The template of a comparison with its facts."""
    test, m = found.distance, found.reference.m
    ours, theirs = tied_ranks(found.reference.means), tied_ranks(found.values)
    tied = np.triu((ours[:, None] == ours) | (theirs[:, None] == theirs), 1)  # τ counts them in some order
    crossing = (ours[:, None] < ours) & (theirs[:, None] > theirs)
    return Words(
        "comparison",
        found=found,
        test=test,
        m=m,
        topics=found.sampled.many,
        by=by(found.reference.measure),
        p=p_equation(test.p_value, test.least_p),
        pairs=found.discordant,
        all_pairs=m * (m - 1) // 2,
        significant=_significant(found, crossing),
        tied=int(np.count_nonzero(tied)),
        strongest=[(one, Number(digits=2).text(one.t)) for one in found.swaps[:1]],
        blocks=sorted(test.blocks, key=len, reverse=True),
        ridge=_plain(test.ridge),
        version=__version__,
    )


def _significant(found: Comparison, pairs: NDArray[np.bool_]) -> int:
    """How many of these pairs, m × m, differ significantly in the reference."""
    return int(np.count_nonzero(two_sided_p(found.evidence()[pairs], found.reference.n) < ALPHA))


def together(results: Sequence[Comparison], asked: Asked) -> Section:
    """All rankings in one table."""
    return _coefficients(results)


def _reference(found: Comparison) -> str:
    """What the reference is called: its file without folders, or its measure."""
    source = found.reference.source
    return Path(source).name if source else found.reference.measure or "the reference scores"


def _coefficients(results: Sequence[Comparison]) -> Section:
    """Every coefficient, one row per ranking."""
    first = results[0]
    least = max(one.distance.least_p for one in results)
    columns = (
        Column("Ranking", Name(), "other"),
        Column("τ", Number(), "tau", "Kendall’s; ties are broken by the reference’s column order"),
        Column("τ low", Number(digits=2), "tau_low", "Kendall’s 95% interval over systems", True),
        Column("τ high", Number(digits=2), "tau_high", "its upper end", True),
        Column("τ_b", Number(), "tau_b", "τ corrected for ties"),
        Column("τ_AP", Number(), "tau_ap", "with the reference as the truth"),
        Column("RBO", Number(), "rbo", "rank-biased overlap"),
        Column("Distance", Number(digits=2), "rank_distance", "from the reference, as a t statistic"),
        Column("Critical", Number(digits=2), "critical_value"),
        Column(
            "p",
            PValue(least=least),
            "p_value",
            f"share of rankings by resampled {results[0].sampled.many} that are at least as far",
        ),
        Column("Kept", Percent(), "significant_agreement"),
    )
    rows = [
        (
            *(one.name, one.tau, one.kendall_interval.low, one.kendall_interval.high),
            *(one.tau_b, one.tau_ap, one.rbo),
            *(one.distance.distance, one.distance.critical_value(ALPHA), one.distance.p_value),
            one.significant_agreement,
        )
        for one in results
    ]
    systems = sorted({one.reference.m for one in results})
    kept_of = {
        one.reference.systems: _significant(one, np.triu(np.ones_like(one.evidence(), bool), 1))
        for one in results
    }
    amount = f"{systems[0]} to {systems[-1]}" if len(systems) > 1 else f"{systems[0]}"
    intervals = [
        f"{printable(one.name)} {span(one.kendall_interval.low, one.kendall_interval.high, 2)}"
        for one in results
    ]
    said = words_of(first)
    caption = (
        f"Agreement with the reference: {amount} systems{by(first.measure)}, "
        f"{first.reference.n} {first.sampled.many}"
    )
    note = said(
        "coefficients_note", reference_pairs=next(iter(kept_of.values())) if len(kept_of) == 1 else None
    )
    return Section(
        "coefficients",
        "Coefficients",
        said.all("coefficients", intervals=intervals),
        tables=[Table("coefficients", caption, columns, rows, note)],
    )


def _crossings(found: Comparison) -> Section:
    """Both rankings side by side, and the pairs that weigh most."""
    ranks = Figure(
        "ranks",
        "Dot: the rank in the reference. Diamond: in the other ranking.",
        lambda size: _ranks(found, size),
        subject=f"{printable(found.name)} against the reference: {found.reference.m} systems"
        f"{by(found.reference.measure)}, {found.reference.n} {found.sampled.many}.",
    )
    swaps = Table.of(
        "swaps",
        f"Pairs that {printable(found.name)} has in the other order, {len(found.swaps)} of "
        f"{found.discordant:,}",
        Swap,
        found.swaps,
        note="Difference: of the means in the reference. Most evidence first. t, p: paired t-test, "
        "two-sided, not corrected.",
    )
    return Section("crossings", "Side by side", words_of(found).all("groups"), [ranks], [swaps])


def place_of(result: Comparison) -> tuple[list[int], list[int]]:
    """1-based ranks of the systems in the reference and in the other ranking; ties as the distance does."""
    order = result.reference.order
    ties_as_baseline = np.lexsort((np.argsort(order), tied_ranks(result.values)))
    left, right = ((1 + np.argsort(ranking)).tolist() for ranking in (order, ties_as_baseline))
    return left, right


def _ranks(found: Comparison, size: Size) -> Chart:
    left, right = place_of(found)
    order, systems = found.reference.order.tolist(), found.reference.systems
    ends = [(float(left[s]), float(min(left[s], right[s])), float(max(left[s], right[s]))) for s in order]
    names, ranks = [systems[s] for s in order], [left[s] for s in order]
    panel = Panel("rank", ends, len(order), [right[s] for s in order])
    return forest(names, ranks, [panel], size, names)


def _systems(found: Comparison) -> Section:
    """Every system with both of its ranks."""
    left, right = place_of(found)
    columns = (
        Column("Rank in the reference", Count(), "reference_rank"),
        Column("System", Name(), "system"),
        Column("Mean", Number(digits=4), "mean", "in the reference"),
        Column("Rank in the other", Count(), "other_rank"),
        Column("Moved", Number(digits=0, sign=True), "moved", "ranks up (+) or down (−)"),
    )
    caption = f"Systems in the reference and in {printable(found.name)}"
    means = found.reference.means.tolist()
    rows = [
        (left[s], found.reference.systems[s], means[s], right[s], left[s] - right[s])
        for s in found.reference.order.tolist()
    ]
    return Section("systems", "Systems", tables=[Table("systems", caption, columns, rows)], details=True)


def _critical(found: Comparison) -> Section:
    """The distances that few resamples exceed."""
    columns = (
        Column("p", PValue(), "alpha"),
        Column("Distance", Number(digits=4), "distance", "a ranking beyond it has at most this p"),
    )
    test = found.distance
    of = f"{found.sampled.count(test.topics)}, {found.reference.m} systems"
    caption = f"Critical values of the rank distance, {of}"
    table = Table(
        "critical_values",
        caption,
        columns,
        test.distribution.table(),
        "A ranking farther from the reference than this distance has at most this p.",
    )
    return Section("critical", "Critical values", tables=[table], details=True)


def _plain(value: float) -> str:
    """A small number, without a power of ten where that can be."""
    text = f"{value:.12f}".rstrip("0").rstrip(".")
    return text if float(text) == value else f"{value:g}".replace("-", "−")

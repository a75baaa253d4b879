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


def view(result: Comparison, asked: Asked) -> View:
    reference = result.reference
    against = f"{result.name} against {_reference(result)}"
    words = words_of(result)
    pairs = np.count_nonzero(np.triu(pairwise_tests(reference).significant(ALPHA), 1))
    sizes = f"{reference.m} systems", f"{reference.n} {result.sampled.many}"
    return View(
        command="compare",
        title=TITLE,
        subject=subject(printable(against), printable(reference.measure), *sizes),
        label=result.name,
        answer=words.all("answer"),
        sections=[_coefficients([result]), _crossings(result), _systems(result), _critical(result)],
        notes=result.notes,
        how=words("how"),
        made=made(__version__, f"{result.distance.resamples:,} resamples", seed=result.distance.seed),
        measure=reference.measure,
        facts=({"Reference": Path(reference.source).name} if reference.source else {})
        | {"Fingerprint": f"{reference.fingerprint()[:16]} (of the reference’s names, measure and scores)"},
        numbers={
            "Systems": f"{reference.m:,}",
            "Topics": f"{reference.n:,}",
            "Resamples": f"{result.distance.resamples:,}",
            "Seed": str(result.distance.seed),
            "Discordant": f"{result.discordant:,}",
            "Pairs": f"{reference.m * (reference.m - 1) // 2:,}",
            "TauB": number(result.tau_b, 2),
            "Tau": number(result.tau, 2),
            "Distance": number(result.distance.distance, 2),
            "Critical": number(result.distance.critical_value(ALPHA), 2),
            "TauAP": number(result.tau_ap, 2),
            "RBO": number(result.rbo, 2),
            "SignificantPairs": f"{pairs:,}",
            "Kept": percent(result.significant_agreement),
            "P": p_relation(result.distance.p_value, result.distance.least_p),
        },
        sentence=words("paper"),
        files=({"Data": reference.source} if reference.source else {})
        | ({"Other": result.name} if os.path.exists(result.other) else {}),
    )


def words_of(result: Comparison) -> Words:
    test, m = result.distance, result.reference.m
    ours, theirs = tied_ranks(result.reference.means), tied_ranks(result.values)
    tied = np.triu((ours[:, None] == ours) | (theirs[:, None] == theirs), 1)  # τ counts them in some order
    crossing = (ours[:, None] < ours) & (theirs[:, None] > theirs)
    return Words(
        "comparison",
        result=result,
        test=test,
        m=m,
        topics=result.sampled.many,
        sample=next((note.facts for note in result.notes if note.code == "other-topics"), None),
        by=by(result.reference.measure),
        p=p_equation(test.p_value, test.least_p),
        pairs=result.discordant,
        all_pairs=m * (m - 1) // 2,
        significant=_significant(result, crossing),
        tied=int(np.count_nonzero(tied)),
        strongest=[(item, Number(digits=2).text(item.t)) for item in result.swaps[:1]],
        blocks=sorted(test.blocks, key=len, reverse=True),
        ridge=_plain(test.ridge),
        version=__version__,
    )


def _significant(result: Comparison, pairs: NDArray[np.bool_]) -> int:
    """How many of these pairs, m × m, differ significantly in the reference."""
    return int(np.count_nonzero(two_sided_p(result.evidence()[pairs], result.reference.n) < ALPHA))


def together(results: Sequence[Comparison], asked: Asked) -> Section:
    return _coefficients(results)


def _reference(result: Comparison) -> str:
    """What the reference is called: its file without folders, or its measure."""
    source = result.reference.source
    return Path(source).name if source else result.reference.measure or "the reference scores"


def _coefficients(results: Sequence[Comparison]) -> Section:
    first = results[0]
    least = max(item.distance.least_p for item in results)
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
            *(item.name, item.tau, item.kendall_interval.low, item.kendall_interval.high),
            *(item.tau_b, item.tau_ap, item.rbo),
            *(item.distance.distance, item.distance.critical_value(ALPHA), item.distance.p_value),
            item.significant_agreement,
        )
        for item in results
    ]
    systems = sorted({item.reference.m for item in results})
    kept_of = {
        item.reference.systems: _significant(item, np.triu(np.ones_like(item.evidence(), bool), 1))
        for item in results
    }
    amount = f"{systems[0]} to {systems[-1]}" if len(systems) > 1 else f"{systems[0]}"
    intervals = [
        f"{printable(item.name)} {span(item.kendall_interval.low, item.kendall_interval.high, 2)}"
        for item in results
    ]
    words = words_of(first)
    caption = (
        f"Agreement with the reference: {amount} systems{by(first.measure)}, "
        f"{first.reference.n} {first.sampled.many}"
    )
    note = words(
        "coefficients_note", reference_pairs=next(iter(kept_of.values())) if len(kept_of) == 1 else None
    )
    return Section(
        "coefficients",
        "Coefficients",
        words.all("coefficients", intervals=intervals),
        tables=[Table("coefficients", caption, columns, rows, note)],
    )


def _crossings(result: Comparison) -> Section:
    """Both rankings side by side, and the pairs that weigh most."""
    ranks = Figure(
        "ranks",
        "Dot: the rank in the reference. Diamond: in the other ranking.",
        lambda size: _ranks(result, size),
        subject=f"{printable(result.name)} against the reference: {result.reference.m} systems"
        f"{by(result.reference.measure)}, {result.reference.n} {result.sampled.many}.",
    )
    swaps = Table.of(
        "swaps",
        f"Pairs that {printable(result.name)} has in the other order, {len(result.swaps)} of "
        f"{result.discordant:,}",
        Swap,
        result.swaps,
        note="Difference: of the means in the reference. Most evidence first. t, p: paired t-test, "
        "two-sided, not corrected.",
    )
    return Section("crossings", "Side by side", words_of(result).all("groups"), [ranks], [swaps])


def place_of(result: Comparison) -> tuple[list[int], list[int]]:
    """1-based ranks of the systems in the reference and in the other ranking; ties as the distance does."""
    order = result.reference.order
    ties_as_baseline = np.lexsort((np.argsort(order), tied_ranks(result.values)))
    left, right = ((1 + np.argsort(ranking)).tolist() for ranking in (order, ties_as_baseline))
    return left, right


def _ranks(result: Comparison, size: Size) -> Chart:
    left, right = place_of(result)
    order, systems = result.reference.order.tolist(), result.reference.systems
    ends = [(float(left[s]), float(min(left[s], right[s])), float(max(left[s], right[s]))) for s in order]
    names, ranks = [systems[s] for s in order], [left[s] for s in order]
    return forest(names, ranks, [Panel("rank", ends, True, [right[s] for s in order])], size)


def _systems(result: Comparison) -> Section:
    left, right = place_of(result)
    columns = (
        Column("Rank in the reference", Count(), "reference_rank"),
        Column("System", Name(), "system"),
        Column("Mean", Number(digits=4), "mean", "in the reference"),
        Column("Rank in the other", Count(), "other_rank"),
        Column("Moved", Number(digits=0, sign=True), "moved", "ranks up (+) or down (−)"),
    )
    caption = f"Systems in the reference and in {printable(result.name)}"
    means = result.reference.means.tolist()
    rows = [
        (left[s], result.reference.systems[s], means[s], right[s], left[s] - right[s])
        for s in result.reference.order.tolist()
    ]
    return Section("systems", "Systems", tables=[Table("systems", caption, columns, rows)], details=True)


def _critical(result: Comparison) -> Section:
    columns = (
        Column("p", PValue(), "alpha"),
        Column("Distance", Number(digits=4), "distance", "a ranking beyond it has at most this p"),
    )
    test = result.distance
    of = f"{result.sampled.count(test.topics)}, {result.reference.m} systems"
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

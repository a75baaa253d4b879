"""The view of a comparison: how close another ranking is to reference scores, and where the two cross."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.escaping import printable
from truerank._support.tables import Column, Count, Name, Number, Percent, PValue, Table
from truerank._support.version import __version__
from truerank._support.wording import count, listed, number, p_equation, percent, span
from truerank.coefficients import tied_ranks
from truerank.comparison import Comparison
from truerank.comparison.comparison_results import ALPHA, Swap
from truerank.report.charts.forest import Panel, forest
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import by, facts, made, register, subject

if TYPE_CHECKING:
    from truerank.report.charts.style import Chart, Size

TITLE = "Do these rankings really differ?"

GROUPS = 3
"""Groups that the distance comes from that are named."""


def view(found: Comparison, asked: Asked) -> View:
    """What there is to see of a comparison."""
    reference = found.reference
    against = f"{found.name} against {_reference(found)}"
    sizes = f"{reference.m} systems", f"{reference.n} {found.sampled.many}"
    return View(
        command="compare",
        title=TITLE,
        subject=subject(printable(against), printable(reference.measure), *sizes),
        label=found.name,
        answer=list(_answer(found)),
        sections=[_coefficients([found]), _crossings(found), _systems(found), _critical(found)],
        notes=found.notes,
        how=_how(found),
        measure=reference.measure,
        facts=_facts(found),
        numbers={
            "Systems": f"{reference.m:,}",
            "Topics": f"{reference.n:,}",
            "Resamples": f"{found.distance.resamples:,}",
            "Seed": str(found.distance.seed),
            "Version": __version__,
            "Discordant": f"{len(crossing_pairs(found)):,}",
            "Pairs": f"{reference.m * (reference.m - 1) // 2:,}",
            "TauB": number(found.tau_b, 2),
            "Tau": number(found.tau, 2),
            "Distance": number(found.distance.distance, 2),
            "P": p_equation(found.distance.p_value, found.distance.least_p),
        },
        sentence=_sentence(found),
        references=("carterette-2009",),
    )


def _sentence(found: Comparison) -> str:
    test = found.distance
    drawn, seed = ("all ", "") if test.exact else ("", f" (seed {test.seed})")
    return (
        f"We compared the rankings of {found.reference.m:,} systems, with reference "
        f"scores{by(found.reference.measure)} on {found.reference.n:,} {found.sampled.many}, "
        "by Kendall’s τ [@kendall-1938] and the rank distance [@carterette-2009]. We used truerank "
        f"{__version__} [@truerank]. The p-value is from {drawn}"
        f"{test.resamples:,} resamples of {test.topics:,} "
        f"{found.sampled.many}{seed}."
    )


def together(results: Sequence[Comparison], asked: Asked) -> Section:
    """All rankings in one table."""
    return _coefficients(results)


def _reference(found: Comparison) -> str:
    """What the reference is called: its file without folders, or its measure."""
    source = found.reference.source
    return Path(source).name if source else found.reference.measure or "the reference scores"


def _answer(found: Comparison) -> Iterator[str]:
    """Whether the rankings differ, in how many pairs, and which pair weighs most."""
    test = found.distance
    if test.distance == 0:
        of = f"the {found.reference.m} systems in both" if found.missing or found.extra else "systems"
        yield f"The rankings agree: no pair of {of} is in the other order."
        yield f"This does not prove that they agree on other {found.sampled.many}."
        return
    resamples = f"{test.resamples:,}"
    drawn = f"{'all ' if test.exact else ''}{resamples} rankings by resampled {found.sampled.many}"
    share = percent(test.p_value, 0 if test.p_value >= 0.1 else 1) if test.p_value else "none"
    distance = number(test.distance, 2)
    far = f"rank distance {distance}; {share} of {drawn}"
    p = p_equation(test.p_value, test.least_p)
    if test.p_value <= ALPHA:
        be = "are" if test.p_value else "is"
        chance = f"chance in the {found.sampled.many}"
        yield f"The rankings differ by more than {chance} explains: {far} {be} that far ({p})."
    else:
        yield f"No evidence that the rankings differ: {far} are at least that far ({p})."
        yield "This does not prove that they are equal."
    pairs = crossing_pairs(found)
    all_pairs = found.reference.m * (found.reference.m - 1) // 2
    sure = sum(significant for *_, significant in pairs)
    verb = "is" if len(pairs) == 1 else "are"
    ours, theirs = tied_ranks(found.reference.means), tied_ranks(found.values)
    tied = np.count_nonzero(np.triu((ours[:, None] == ours) | (theirs[:, None] == theirs), 1))
    tau, them = f"τ = {number(found.tau, 2)}", "them"
    if tied:  # τ would count them in one of the two orders
        verb, them = f"{verb} in the other order, {tied:,} tied", f"the {len(pairs):,}"
        tau = f"τ_b = {number(found.tau_b, 2)}"
    else:
        verb = f"{verb} in the other order"
    yield (
        f"{len(pairs):,} of {all_pairs:,} pairs of systems {verb} "
        f"({tau}); "
        f"{sure or 'none'} of {them} {'differs' if sure == 1 else 'differ'} "
        "significantly in the reference (paired t-test, p < .05)."
    )
    above, below, t, _ = pairs[0]
    names = found.reference.systems
    yield (
        f"The strongest evidence is against {listed([names[below]])} above "
        f"{listed([names[above]])} (t = {Number(digits=2).text(t)})."
    )


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
    amount = f"{systems[0]} to {systems[-1]}" if len(systems) > 1 else f"{systems[0]}"
    note = (
        f"RBO: persistence {first.rbo_p:g}. Distance: 0 is the same order; a swap counts by the evidence "
        "against it. Critical: only distances greater than it have p ≤ .05. Kept: share of the reference’s "
        "significant pairs in the same order."
    )
    intervals = "; ".join(
        f"{printable(one.name)} {span(one.kendall_interval.low, one.kendall_interval.high, 2)}"
        for one in results
    )
    text = [
        "τ counts every pair in the other order alike, and τ_AP and RBO weigh the top more. The rank "
        "distance weighs each pair by the evidence against swapping it.",
        f"Kendall’s 95% interval of τ: {intervals}. It assumes that the systems are a random sample and "
        "their pairs independent, which they are not.",
    ]
    caption = (
        f"Agreement with {printable(_reference(first))}: {amount} systems{by(first.measure)}, "
        f"{first.reference.n} {first.sampled.many}"
    )
    test = first.distance
    digits = made(__version__, f"{test.resamples:,} resamples", seed=test.seed)
    return Section(
        "coefficients",
        "Coefficients",
        text,
        tables=[Table("coefficients", caption, columns, rows, note, digits)],
    )


def _crossings(found: Comparison) -> Section:
    """Both rankings side by side, and the pairs that weigh most."""
    ranks = Figure(
        "ranks",
        "Dot: the rank in the reference. Diamond: in the other ranking.",
        f"{found.reference.m} systems in the order of the reference, with their ranks in "
        f"{printable(found.name)}. A table has the same numbers.",
        lambda size: _ranks(found, size),
        subject=f"{printable(found.name)} against {printable(_reference(found))}: {found.reference.m} systems"
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
    return Section("crossings", "Side by side", _groups(found), [ranks], [swaps])


def place_of(result: Comparison) -> tuple[list[int], list[int]]:
    """1-based ranks of the systems in the reference and in the other ranking; ties as the distance does."""
    order = result.reference.order
    ties_as_baseline = np.lexsort((np.argsort(order), tied_ranks(result.values)))
    left, right = ((1 + np.argsort(ranking)).tolist() for ranking in (order, ties_as_baseline))
    return left, right


def crossing_pairs(result: Comparison) -> list[tuple[int, int, float, bool]]:
    """The discordant pairs, most evidence first: above and below in the reference, t, significant."""
    from truerank.numerics.special import stdtr

    reference, other = tied_ranks(result.reference.means), tied_ranks(result.values)
    above, below = np.nonzero((reference[:, None] < reference[None, :]) & (other[:, None] > other[None, :]))
    t = result.evidence()[above, below]
    significant = 2 * stdtr(result.reference.n - 1, -t) < ALPHA
    strongest = np.argsort(-t, kind="stable")
    return [(int(above[i]), int(below[i]), float(t[i]), bool(significant[i])) for i in strongest]


def _ranks(found: Comparison, size: Size) -> Chart:
    """Every system’s two ranks."""
    left, right = place_of(found)
    order, systems = found.reference.order.tolist(), found.reference.systems
    ends = [(float(left[s]), float(min(left[s], right[s])), float(max(left[s], right[s]))) for s in order]
    names, ranks = [systems[s] for s in order], [left[s] for s in order]
    panel = Panel("rank", ends, len(order), [right[s] for s in order])
    key = "Dot: rank in the reference; diamond: in the other ranking."
    return forest(names, ranks, [panel], size, key, names)


def _groups(found: Comparison) -> list[str]:
    """Where the distance comes from."""
    blocks = sorted(found.distance.blocks, key=len, reverse=True)
    if not blocks:
        return []
    shown = "; ".join(f"{len(block)} systems ({listed(block, 2)})" for block in blocks[:GROUPS])
    left = len(blocks) - GROUPS
    more = f"; {count(left, 'smaller group')}" if left > 0 else ""
    return [
        "The distance comes from groups of systems whose true means would have to be equal for the reference "
        f"to rank as the other does: {shown}{more}."
    ]


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


def _how(found: Comparison) -> str:
    test = found.distance
    drawn = (
        f"all {test.resamples:,} resamples of the {found.sampled.many}"
        if test.exact
        else f"{test.resamples:,} resamples of the {found.sampled.many}, seed {test.seed}"
    )
    source = f", from {printable(test.distribution.source)}" if test.distribution.source else ""
    return f"p: {drawn}{source}.{_ridge(found)} truerank {__version__}."


def _ridge(found: Comparison) -> str:
    """What λ did to the distance; nothing where there is none."""
    test = found.distance
    if not test.ridge:
        return ""
    why = "as requested" if test.ridge_reason == "given" else test.ridge_reason
    added = f" λ = {_plain(test.ridge)} was added to the variances: {why}."
    return f"{added} Compare only distances with the same λ."


def _plain(value: float) -> str:
    """A small number, without a power of ten where that can be."""
    text = f"{value:.12f}".rstrip("0").rstrip(".")
    return text if float(text) == value else f"{value:g}".replace("-", "−")


def _facts(found: Comparison) -> dict[str, str]:
    test, reference = found.distance, found.reference
    known = facts(__version__) | {
        "Seed": "not used: all resamples were taken" if test.exact else str(test.seed),
        "Resamples": f"{test.resamples:,}",
        "RBO": f"persistence {found.rbo_p:g}",
    }
    if test.ridge:
        known["λ"] = f"{_plain(test.ridge)}, {test.ridge_reason}, on {test.regularize}"
    if reference.source:
        known["Reference"] = Path(reference.source).name
    known["Fingerprint"] = f"{reference.fingerprint()[:16]} (of the reference’s names, measure and scores)"
    return known


register(
    Comparison,
    view,
    together,
    tables="coefficients swaps systems critical_values",
)

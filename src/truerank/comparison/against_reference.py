"""`compare`: how close other rankings of the same systems are to reference scores, by every coefficient."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, overload

import numpy as np

from truerank._support.arguments import keywords_checked
from truerank._support.display import Shown
from truerank._support.files import PathLike
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import Written
from truerank._support.resources import Progress
from truerank._support.tables import Column, Name, Number, PValue
from truerank._support.types import (
    Correlation,
    Fraction,
    Inlined,
    LeftOut,
    Level,
    Matrix,
    Nullable,
    OrNaN,
    Unwritten,
    Vector,
    Whole,
    WrittenAs,
)
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank._support.wording import p_equation
from truerank.coefficients import kendall_interval, rbo, tau, tau_ap, tau_b, tied_ranks
from truerank.comparison.distance import (
    BootstrapDistribution,
    RankDistanceTest,
    Reference,
    rank_distance_test,
)
from truerank.comparison.distance.rank_distance import RESAMPLES, distribution_of, is_ranking
from truerank.comparison.distance.reference import aligned, named_values
from truerank.comparison.significance import significant_agreement
from truerank.errors import InputError, PairError, at
from truerank.numerics.intervals import Ends, Interval
from truerank.numerics.pairs import paired_t, two_sided_p
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Filled
from truerank.readers.ranking_files import read_scores_or_ranking
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

SWAPS = 10  # swaps that are named, by default
RBO_P = 0.9  # persistence of RBO, by default


@overload
def compare(reference: Any, other: Any, /, **settings: Any) -> Comparison: ...
@overload
def compare(
    reference: Any, other: Any, another: Any, /, *others: Any, **settings: Any
) -> list[Comparison]: ...
@keywords_checked  # type: ignore[misc]  # the settings are the keywords below
def compare(
    reference: Any,
    /,
    *others: Any,
    labels: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    ridge: float | None = None,
    regularize: str = "differences",
    distribution: BootstrapDistribution | PathLike | None = None,
    rbo_p: float = RBO_P,
    swaps: int = SWAPS,
    measure: str | None = None,
    missing: Filled = "error",
    progress: Progress | None = None,
) -> Comparison | list[Comparison]:
    """Compare one or several rankings with reference scores, by every coefficient, on the systems they share.

    Args:
        reference: the reference scores, a ScoreMatrix or anything :func:`truerank.read_scores` takes.
        *others: one or more rankings. Each is a ScoreMatrix, a mapping or pandas series from system to value,
            or a vector in the order of the reference's systems. A path names a score table, a folder of
            ``trec_eval -q`` files (``.eval``), or a ranking file (one system per line, best first, with or
            without a score). Runs are evaluated first: :func:`truerank.evaluate`. Anything that
            :func:`truerank.read_scores` takes will do, too.
        labels: names of the other rankings; by default their paths or measures.
        resamples: bootstrap resamples of the topics behind p-values, at least 1.
        seed: the same seed gives the same digits.
        ridge: λ of the rank distance; by default as :func:`truerank.rank_distance` chooses.
        regularize: what λ is added to, ``differences`` or ``scores``.
        distribution: a bootstrap distribution of the same scores and λ, or the file where it was saved.
        rbo_p: persistence of RBO, in (0, 1).
        swaps: how many swaps to name.
        measure: which measure, where files hold several.
        missing: what to do about missing scores in tables.
        progress: called with (done, total, label).

    Returns:
        The comparison; of several rankings a list in their order. Cost as
        :func:`truerank.rank_distance_test`, once for each set of shared systems; see
        docs/methods/rank-distance.md.

    Raises:
        InputError: something cannot be read, too few systems are shared, or an argument is out of range.
        UnknownNameError: an unknown measure or way to regularize.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> result = compare(ap, [.5, .75, .7])
        >>> round(result.tau, 4), round(result.distance.distance, 4), result.distance.p_value
        (0.3333, 0.6508, 0.2109375)
        >>> [one.tau for one in compare(ap, [.5, .75, .9], {"sys1": 3, "sys2": 2, "sys3": 1})]
        [1.0, -1.0]
    """
    if is_ranking(reference):
        raise InputError("the reference scores come first, then the rankings: compare(scores, ranking)")
    if not others:
        raise InputError("no ranking to compare with the reference; give one or more")
    if swaps < 0:
        raise InputError(f"the number of swaps to name must be 0 or more, not {swaps}")
    if labels is not None and len(labels) != len(others):
        raise InputError(f"{len(labels)} labels for {len(others)} rankings; give one to each")
    table = as_scores(reference, measure, missing, ways=FILLED)
    read = [_read(other, place, table, measure, missing) for place, other in enumerate(others, 1)]
    names = [name for name, _ in read] if labels is None else labels
    made: dict[tuple[str, ...], tuple[Reference, BootstrapDistribution]] = {}

    def compared(other: Any, label: str, name: str) -> Comparison:
        shared, values = _shared(table, other, label)
        if shared.systems not in made:  # once for each set of systems
            ready = Reference.of(shared, ridge, regularize)
            known = distribution_of(ready, distribution, resamples, seed, progress=progress)
            made[shared.systems] = ready, known
        ready, known = made[shared.systems]
        test = rank_distance_test(ready, values, distribution=known)
        missing = tuple(system for system in table.systems if system not in set(shared.systems))
        extra = tuple(system for system in named_values(other) or () if system not in set(table.systems))
        kendall, (discordant, named) = tau(shared.means, values), _swaps(shared, values, swaps)
        return Comparison(
            other=label,
            name=name,
            reference=shared,
            values=values,
            tau=kendall,
            tau_b=tau_b(shared.means, values),
            tau_ap=tau_ap(shared.means, values),
            rbo=rbo(shared.means, values, rbo_p),
            rbo_p=rbo_p,
            kendall_interval=kendall_interval(kendall, shared.m),
            distance=test,
            significant_agreement=significant_agreement(shared, values),
            discordant=discordant,
            swaps=named,
            missing=missing,
            extra=extra,
            notes=tuple(_notes(table, other, shared.means, values, test, (missing, extra))),
        )

    # The names of files without their folders, where they stay unique.
    short = [Path(label).name or label for label in names]
    short = [one if short.count(one) == 1 else label for one, label in zip(short, names, strict=True)]
    found = [compared(other, *labels) for (_, other), *labels in zip(read, names, short, strict=True)]
    return found[0] if len(found) == 1 else found


def _read(
    other: Any, place: int, reference: ScoreMatrix, measure: str | None, missing: Filled
) -> tuple[str, Any]:
    if isinstance(other, (str, os.PathLike)):
        return str(other), read_scores_or_ranking(other, reference.systems, measure, missing)
    if not isinstance(other, ScoreMatrix) and not is_ranking(other):
        other = as_scores(other, measure, missing, one_table="", ways=FILLED)
    name = (other.source or other.measure) if isinstance(other, ScoreMatrix) else ""
    return name or f"ranking {place}", other


def _shared(reference: ScoreMatrix, other: Any, label: str) -> tuple[ScoreMatrix, Vector]:
    """The reference cut to the systems that both have, and the other's values of them."""
    named = named_values(other)
    columns = [s for s, system in enumerate(reference.systems) if named is None or system in named]
    if len(columns) < 2:
        what = "no system" if not columns else f"only one system ({reference.systems[columns[0]]!r})"
        raise InputError(
            f"{at(label)}shares {what} with the reference, whose first is {reference.systems[0]!r}; "
            f"here the first is {next(iter(named or ()), '')!r}: use the same names in both"
        )
    shared = reference if len(columns) == reference.m else reference.select(columns)
    if shared.m == 2:
        raise PairError(*shared.systems)
    return shared, aligned(shared, other if named is None else named, label)


def _swaps(reference: ScoreMatrix, values: Vector, most: int) -> tuple[int, tuple[Swap, ...]]:
    ours, theirs = tied_ranks(reference.means), tied_ranks(values)
    first, second = np.nonzero(np.triu((ours[:, None] - ours) * (theirs[:, None] - theirs) < 0, 1))
    t = paired_t(reference.values)[first, second]
    above, below = np.where(t > 0, [first, second], [second, first])
    differences = reference.means[above] - reference.means[below]
    return len(t), tuple(
        Swap(
            reference_above=reference.systems[above[k]],
            other_above=reference.systems[below[k]],
            difference=float(differences[k]),
            t=float(abs(t[k])),
            p_value=float(two_sided_p(t[k], reference.n)),
        )
        for k in np.argsort(-np.abs(t), kind="stable")[:most].tolist()
    )


def _notes(
    reference: ScoreMatrix,
    other: Any,
    means: Vector,
    values: Vector,
    test: RankDistanceTest,
    left_out: Sequence[Sequence[str]],
) -> Iterator[Note]:
    """On systems and topics that one of the two lacks, on ties, and on a verdict that λ may decide."""
    for lacking, names in zip(("other ranking", "reference"), left_out, strict=True):
        if names:
            yield Note("systems-left-out", {"case": "reference", "lacking": lacking}, systems=tuple(names))
    yield from reference.notes
    if isinstance(other, ScoreMatrix):
        yield from (note for note in other.notes if note not in reference.notes)
        both, unnamed = len(set(other.topics) & set(reference.topics)), other.unnamed or reference.unnamed
        if "table" in (other.unnamed, reference.unnamed) or set(other.topics) != set(reference.topics):
            few = bool(unnamed) or 2 * both < min(other.n, reference.n)
            facts = {"others": other.n, "topics": reference.n, "both": both, "unit": reference.unit.one}
            yield Note("other-topics", {**facts, "unnamed": bool(unnamed), "few": few})
    sizes = [np.bincount(tied_ranks(scores)) for scores in (means, values)]
    tied = [int(size[size > 1].sum()) for size in sizes]
    if any(tied):
        yield Note("ties", {"case": "rankings", "reference": tied[0], "other": tied[1]})
    if test.m > test.topics and test.ridge > 0 and test.distance > 0:
        sizes_of = {"m": test.m, "n": test.topics, "unit": reference.unit.one}
        yield Note("more-systems", {"case": "ridge", **sizes_of})


ALPHA = 0.05  # rankings whose p-value is below it are said to differ


@dataclass(frozen=True)
class Swap:
    """A pair of systems that the other ranking orders the other way.

    Attributes:
        reference_above: the system that the reference has above.
        other_above: the system that the other ranking has above.
        difference: of their means in the reference, > 0.
        t: paired t statistic of that difference, which no ranking with this swap can be nearer than
            (without λ); infinite for a constant difference.
        p_value: of the paired t-test, two-sided.
    """

    reference_above: Annotated[str, Column("Above in the reference", Name())]
    other_above: Annotated[str, Column("Above in the other", Name())]
    difference: Annotated[float, Column("Difference", Number(digits=4))]
    t: Annotated[OrNaN, Column("t", Number(digits=2))]
    p_value: Annotated[float, Column("p", PValue())]


@dataclass(frozen=True, eq=False)
class Comparison(Noted, Written, Shown):
    """One ranking against reference scores.

    Attributes:
        other: the name of the other ranking: the file as it was given.
        name: its short name.
        reference: the reference's scores of the systems that both have.
        values: the other ranking's values of those systems, higher is better; m.
        tau: Kendall's τ, in [−1, 1]; ties in either broken by the reference's column order.
        kendall_interval: of τ at 95%, over systems (Carterette 2009, eq. 1).
        tau_b: τ corrected for ties, in [−1, 1]; NaN where a ranking is all ties.
        tau_ap: τ_AP with the reference as the truth, in [−1, 1]; ties as in τ.
        rbo: rank-biased overlap, in [0, 1].
        rbo_p: its persistence, in (0, 1).
        distance: the rank distance from the reference, with its test.
        significant_agreement: of the pairs that differ in the reference (paired t-test, p < 0.05), the
            share in that order in the other ranking, in [0, 1]; NaN where no pair does.
        discordant: how many pairs the two order differently.
        swaps: the pairs with the most evidence against them, by t, most first.
        missing: systems of the reference that the other ranking lacks; left out.
        extra: systems of the other ranking that the reference lacks; left out.
        notes: what to know before quoting a number.
        version: of truerank.

    Example:
        >>> import truerank
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> result = truerank.compare(ap, [.5, .75, .7])
        >>> result.summary().split(":")[0]
        'No evidence that the rankings differ'
        >>> result.to_dict()["rank_distance"] == result.distance.distance
        True
    """

    other: str
    name: Unwritten[str]
    reference: Annotated[ScoreMatrix, WrittenAs("measure", "reading")]
    values: Unwritten[Matrix]
    tau: Correlation
    kendall_interval: Annotated[Interval, WrittenAs(kendall_interval="kendall_ends")]
    tau_b: Annotated[Correlation, Nullable()]
    tau_ap: Correlation
    rbo: Fraction
    rbo_p: Level
    distance: Annotated[RankDistanceTest, Inlined()]
    significant_agreement: Annotated[Fraction, Nullable()]
    discordant: Annotated[Whole, WrittenAs(discordant_pairs="discordant")]
    swaps: tuple[Swap, ...]
    missing: Annotated[tuple[str, ...], WrittenAs(missing_systems="missing")]
    extra: Annotated[tuple[str, ...], WrittenAs(extra_systems="extra")]
    notes: Notes
    version: str = __version__

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return self.reference.noun

    def __repr__(self) -> str:
        return (
            f"<Comparison of {self.other} on {self.reference.n} topics × {self.reference.m} systems: "
            f"tau {self.tau:.3f}, tau_ap {self.tau_ap:.3f}, rank distance {self.distance.distance:.3f}, "
            f"{p_equation(self.distance.p_value, self.distance.least_p)}>"
        )

    @property
    def measure(self) -> str:
        """The measure of the reference; empty when unknown."""
        return self.reference.measure

    @property
    def reading(self) -> LeftOut[Reading]:
        """What was taken for topics, systems and scores in the reference, and which scores are better."""
        return self.reference.reading

    @property
    def kendall_ends(self) -> Ends:
        """Ends of the interval of τ at 95%, over systems (Carterette 2009)."""
        return Ends(*self.kendall_interval)

    def evidence(self) -> Matrix:
        """Paired t statistics |t| of all pairs in the reference, m × m, symmetric."""
        upper = np.abs(paired_t(self.reference.values))
        return upper + upper.T

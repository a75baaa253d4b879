"""What to know about the scores before relying on anything computed from them, and how accurate that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Matrix
from truerank._support.units import Unit
from truerank._support.wording import count, some
from truerank.errors import InputError, at
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means
from truerank.scores import TIE, ScoreMatrix, identical_systems

if TYPE_CHECKING:
    from truerank.reliability.estimators.estimator import Fit

COPIES_MATTER = 0.005
"""How much lower τ has to be if systems with the same scores are no copies, to be told."""

ALIKE_SHARE = 1 / 3
"""Share of the systems, the best ones, of which it is asked whether they differ at all."""

ALIKE_FEWEST = 5
"""With fewer systems than this there is too little evidence whether they differ."""

ALIKE_MATTERS = 0.05
"""How much lower τ_AP has to be, if they do not, for a warning (docs/methods/held-out.md)."""

ALIKE_SEEN = 4.0
"""Variance of a typical true difference, in squared standard errors, from which on alike systems are told
from ordinary ones."""

BLOCK_ROWS = 128
"""Systems per block whose pairs with all others are examined together."""

SKEW_SHARE = 0.1
"""Share of pairs with too skewed differences from which it is worth a warning."""


def resampling_warnings(resamples: int, error: float) -> list[Note]:
    """A note where a limit on the bootstrap's work left more error than it aims for."""
    from truerank.reliability.estimators.bootstrap import TARGET_ERROR

    if error <= 2 * TARGET_ERROR:
        return []
    what = f"res stopped at {resamples:,} resamples, which leave a Monte Carlo error of {error:.4f}"
    return [Note("few-resamples", f"{what}; for less, set more with {setting('resamples')}")]


def too_few(scores: ScoreMatrix) -> InputError:
    """The error for one or two rows of scores: topics, or data sets with one score each."""
    where = at(scores.source)
    if not scores.kind.by_cells:
        units = count(scores.n, scores.kind.noun)
        return InputError(f"{where}battles on {units} only; at least three are needed, dozens are better")
    if scores.n == 1:
        return InputError(
            f"{where}only 1 topic, or one score per system, so nothing shows how scores vary. "
            "Give at least three topics or data sets; dozens are better"
        )
    return InputError(
        f"{where}only {count(scores.n, scores.noun)}{scores.left_out}; at least three are needed, "
        "dozens are better"
    )


def check_rankable(scores: ScoreMatrix) -> None:
    """Raise unless the scores can carry an assessment."""
    where = at(scores.source)
    if scores.m < 2:
        raise InputError(f"{where}only one system ({scores.systems[0]!r}); a ranking needs at least two")
    if scores.n < 3:
        raise too_few(scores)
    values = scores.values
    if np.nanmax(values) - np.nanmin(values) <= TIE:
        measure = f" by {scores.measure}" if scores.measure else ""
        raise InputError(
            f"{where}all scores{measure} are equal ({np.nanmax(values):g}); there is nothing to rank"
        )
    there = np.flatnonzero(~np.isnan(values).all(axis=1))
    if (np.nanmax(values[there], axis=1) - np.nanmin(values[there], axis=1)).max() <= TIE:
        raise InputError(
            f"{where}all systems have the same scores on every {scores.noun}; there is nothing to rank"
        )


def skewed_share(values: Matrix) -> float:
    """Share of pairs whose differences are too skewed for a t distribution at this many topics."""
    from truerank.numerics.matrices import doubly_centered

    n, m = values.shape
    values = values / max(np.abs(values).max(), 1e-300)
    x = doubly_centered(values)
    x2 = x * x
    squares, cubes = x2.sum(axis=0), (x2 * x).sum(axis=0)
    norms = np.cbrt(5 * np.einsum("ts,ts->s", x2, np.abs(x)))
    # Rounding leaves differences of this size where there are none.
    nothing = n * (1e-12 * np.abs(values).max()) ** 2
    skewed = 0
    for start in range(0, m, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        total = squares[rows, None] + squares[start:]
        variance = total - 2 * (x[:, rows].T @ x[:, start:])
        usable = np.triu(variance > 1e-12 * total + nothing, 1)
        # Third norms of two add up to that of their difference at least, so few pairs can be skewed at all.
        usable &= (norms[rows, None] + norms[start:]) ** 2 > (1 - 1e-9) * variance
        possible = np.flatnonzero(usable.any(axis=0))
        columns, usable, variance = start + possible, usable[:, possible], variance[:, possible]
        third = cubes[rows, None] - 3 * (x2[:, rows].T @ x[:, columns])
        third += 3 * (x[:, rows].T @ x2[:, columns]) - cubes[columns]
        usable &= 25 * third * third > variance * variance * variance  # n < 25·skewness²
        skewed += int(np.count_nonzero(usable))
    return skewed / (m * (m - 1) // 2)


def data_warnings(
    ranked: ScoreMatrix, means: Means | None = None, learning: bool = True, sampled: bool = False
) -> list[Note]:
    """Notes on few topics or systems, m > n, ties, identical and constant systems, skewness.

    Few systems matter only to estimators that learn from them (`learning`), and more systems than topics only
    to correlations of the sample (`sampled`).
    """
    found = list(ranked.notes)
    scored = plain_means(ranked.values) if means is None else means
    n, m, names = round(scored.effective / (1 - scored.run_share)), ranked.m, ranked.systems
    if scored.by_pairs:  # effective topics are few because levels are few, which another note says
        n = ranked.n
    given = len(scored.strata)
    voters = "" if ranked.kind.voters is None else " or voters"
    unit = ranked.unit_of(scored.unit)
    units = f"{n} {unit.many}" if n == given else f"{n} {unit.many}{voters} in effect (of {given:,})"
    like = "test collections" if ranked.battles is None else "arenas"
    found += size_notes(n, m, ranked.unit, units, learning, like)
    if m > n and sampled:
        said = (
            f"more systems ({m}) than {f'{unit.many} ({n})' if n == given else units}: the 'sample' "
            "dependence makes intervals too wide. The 'shrunk' one allows for it"
        )
        found.append(Note("more-systems", said))
    same = identical_systems(ranked)
    if same:
        listed = "; ".join(_equal([names[s] for s in group]) for group in same[:3])
        more = f"; and {count(len(same) - 3, 'more group')}" if len(same) > 3 else ""
        pairs = sum(len(group) * (len(group) - 1) // 2 for group in same)
        said = (
            f"identical scores on every {ranked.unit.one}, so never counted as swapped "
            f"({pairs:,} of {m * (m - 1) // 2:,} pairs): {listed}{more}" + _by_chance(same, m)
        )
        found.append(Note("identical", said, systems=tuple(names[s] for group in same for s in group)))
    tied = np.isclose(np.diff(scored.theta), 0, atol=TIE, rtol=0)
    if tied.any():
        together = int(np.sum(np.append(tied, False) | np.append(False, tied)))
        said = f"{together} systems share their mean with another; ties keep the input order"
        found.append(Note("tied-means", said))
    top = np.nanmax(ranked.values, axis=0)
    constant = [names[s] for s in np.flatnonzero(top - np.nanmin(ranked.values, axis=0) <= TIE)]
    if constant and ranked.kind.by_cells:
        said = (
            f"the same score on every {ranked.unit.one} (if a run is broken, leave it out): {some(constant)}"
        )
        found.append(Note("constant", said, systems=tuple(constant)))
    skewed = skewed_share(scored.rows) if scored.linear else 0.0
    if skewed >= SKEW_SHARE:
        found += skewed_notes(skewed, n, ranked, unit, learning)
    return found


def contradiction(ranked: ScoreMatrix, names: Sequence[str], baseline: str) -> Note:
    """A note that a gate of these systems decides against their order in the ranking."""
    why = (
        f"a gate takes only the {ranked.unit.many} that its two systems share"
        if ranked.machine is None
        else "a gate weighs the machine’s scores for its pair alone, the ranking for all systems together"
    )
    said = f"the verdict on {some(names)} against {baseline!r} contradicts the ranking: {why}. Quote neither"
    return Note("verdict-contradicts", said, "alert", tuple(names))


def alike_warnings(means: Means, fit: Fit) -> list[Note]:
    """A note where the best systems differ no more than equal ones, and `eb` expects more of them.

    Its prior is one for all pairs, learned from the others, too; τ_AP rests on the best ones most.
    """
    from truerank.coefficients import TAU, TAU_AP
    from truerank.reliability.estimators.eb import standardized

    m, best = len(means.theta), round(len(means.theta) * ALIKE_SHARE)
    effect = next(number.value for number in fit.learned if number.name == "effect")
    if best < ALIKE_FEWEST or effect * means.effective < ALIKE_SEEN:
        return []
    pairs = np.triu_indices(best, 1)
    z = standardized(means.select(np.arange(best)))[pairs]
    z = z[np.isfinite(z)]  # another note covers copies
    degrees = means.common_degrees
    # With two degrees of freedom or fewer even equal systems have no variance to compare with.
    if not len(z) or degrees <= 2 or np.mean(z**2) > degrees / (degrees - 2):
        return []
    alike = fit.probabilities.copy()
    alike[pairs] = 0.5
    lower = [one.of_swaps(fit.probabilities) - one.of_swaps(alike) for one in (TAU_AP, TAU)]
    if lower[0] < ALIKE_MATTERS:
        return []
    said = (
        f"the best {best} of the {m} systems differ no more than equal ones would. If they are equal, "
        f"τ_AP is about {lower[0]:.2f} too high, and τ {lower[1]:.2f}"
    )
    return [Note("alike-at-top", said)]


def _by_chance(same: Sequence[Sequence[int]], m: int) -> str:
    """What it means for τ and τ_AP if these systems are not copies: then either order is equally likely."""
    from truerank.coefficients import TAU, TAU_AP

    swapped = np.zeros((m, m))
    for group in same:
        swapped[np.ix_(group, group)] = 0.5
    lower = [1 - one.of_swaps(swapped) for one in (TAU, TAU_AP)]
    if lower[0] < COPIES_MATTER:
        return ""
    return f". If they are equal by chance, τ is about {lower[0]:.2f} lower, and τ_AP {lower[1]:.2f}"


def _equal(names: Sequence[str], most: int = 3) -> str:
    """A group of systems with the same scores: the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return " = ".join(names[:most]) + more


FEW_TOPICS = 25
"""Below this many topics the published estimators are clearly overconfident (docs/methods/estimators.md)."""

FEW_SYSTEMS = 11
"""With fewer systems, `eb` learns little about how far apart systems are (docs/methods/held-out.md)."""

GRAVEST = ("skewed", "few-systems", "few-topics")
"""Codes of notes on accuracy: of several, the first says what follows."""


@dataclass(frozen=True)
class Measured:
    """A board where the truth was known: its size, its kind of scores, and how far numbers were off."""

    kind: str
    topics: int
    systems: int
    high: float | None = None
    ranges: float | None = None
    leader: float | None = None


FEW_SETS = 5
"""Fewest data sets in effect for ranges that hold together (docs/methods/evidence/ranks.md)."""

RIGHT, SHARES, NUMBERS, SETS = "scores of right or wrong", "scores from 0 to 1", "skewed scores", "data sets"

SKEWED = (
    *(
        Measured(RIGHT, n, 52, high, held)
        for n, high, held in ((10, 0.12, None), (30, 0.03, 0.77), (100, 0.01, 0.97))
    ),
    *(Measured(RIGHT, n, 20, high, held) for n, high, held in ((20, 0.09, 0.94), (50, 0.06, 0.90))),
    *(Measured(SHARES, n, 58, high, held) for n, high, held in ((30, 0.05, 0.81), (100, 0.01, 0.91))),
    *(Measured(SHARES, n, 25, *off) for n, off in ((20, (0.05, 0.92, 0.72)), (50, (0.03, 0.9, 0.82)))),
    *(Measured(NUMBERS, n, 20, 0.02, held) for n, held in ((20, 0.88), (50, 0.84))),
    *(Measured(SETS, n, 22, None, held) for n, held in ((8, 0.86), (15, 0.88), (30, 0.96))),
    *(Measured(SETS, n, 40, None, held) for n, held in ((8, 0.98), (15, 0.97), (30, 0.92))),
)
"""Boards with skewed differences (held-out.md and evidence/ranks.md of docs/methods, docs/how-right.md)."""

ALIKE = tuple(Measured(NUMBERS, n, 8, high) for n, high in ((30, 0.13), (50, 0.09), (100, 0.05)))
"""Few systems that are nearly alike (docs/methods/held-out.md)."""

OFF = {10: 0.09, 20: 0.07}
"""Mean absolute error of τ on real boards, by number of topics (docs/methods/held-out.md)."""


def nearest(boards: Sequence[Measured], n: int, m: int) -> Measured:
    """The board whose size is closest, as ratios of topics and of systems."""
    return min(boards, key=lambda one: abs(math.log(one.topics / n)) + abs(math.log(one.systems / m)))


def size_notes(
    n: int, m: int, unit: Unit, units: str, learning: bool = True, like: str = "test collections"
) -> list[Note]:
    """Notes on few topics, `units` in words, and on few systems, which matter to estimators that learn.

    These rely on data `like` those that they know.
    """
    found = []
    if learning and m < FEW_SYSTEMS:
        near = nearest(ALIKE, n, m)
        said = (
            f"where systems are nearly alike τ is too high (by {near.high:.2f}, measured on {near.systems} "
            f"such systems and {near.topics} {unit.many})"
        )
        what = f"only {m} systems, so eb relies on the differences in typical {like}"
        found.append(Note("few-systems", what, meaning=said))
    if n < FEW_TOPICS:
        topics = min(OFF, key=lambda one: abs(one - n))
        others = "; other estimators are too high where systems are close" * (not learning)
        said = (
            f"with {topics}, one estimate of τ was off by {OFF[topics]:.2f} on average on real boards{others}"
            ". Where the best systems were nearly alike, τ_AP was 0.1 too high or more"
        )
        found.append(Note("few-topics", f"only {units}", meaning=said))
    return found


def skewed_notes(share: float, n: int, ranked: ScoreMatrix, unit: Unit, learning: bool) -> list[Note]:
    """A note on this share of pairs with skewed differences, and what was seen on the closest board."""
    instead = "" if n < FEW_TOPICS else " (compare with res)"
    normal = "eb assumes" if learning else "ml and msqd assume"
    what = f"{share:.0%} of the pairs have skewed differences, and {normal} normal ones{instead}"
    values = ranked.values
    inside = np.nanmin(values) >= 0 and np.nanmax(values) <= 1
    whole = inside and bool(np.isin(values[~np.isnan(values)], (0, 1)).all())
    kind = SETS if unit.one == "data set" else RIGHT if whole else SHARES if inside else NUMBERS
    if kind == SETS and n < FEW_SETS:
        return [Note("skewed", what)]
    near = nearest([one for one in SKEWED if one.kind == kind], n, values.shape[1])
    off = [] if near.high is None else [f"τ was {near.high:.2f} too high"]
    off += [] if near.ranges is None else [f"95% rank ranges held in {near.ranges:.0%}"]
    off += [] if near.leader is None else [f"the leader’s interval in {near.leader:.0%}"]
    of = "data sets" if kind == SETS else f"{ranked.unit.many}, {kind}"
    size = f"{near.systems} systems, {near.topics} {of}"
    worst = ". Where systems fail badly, ranges held in 47 to 60%" if kind == SETS else ""
    said = f"on the closest board measured ({size}) {', '.join(off)}{worst}"
    return [Note("skewed", what, meaning=said, held=near.ranges)]


def one_consequence(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes, those on accuracy first, with what follows from the gravest of them."""
    about = sorted(
        (note for note in notes if note.code in GRAVEST), key=lambda note: GRAVEST.index(note.code)
    )
    meaning = next((note.meaning for note in about if note.meaning), "")
    others = [note for note in notes if note.code not in GRAVEST]
    return (*(replace(note, meaning=meaning) for note in about), *others)

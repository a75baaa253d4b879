"""What to know about the scores before relying on anything computed from them, and how accurate that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.arguments import either
from truerank._support.notes import Note
from truerank._support.types import Matrix
from truerank._support.wording import count
from truerank.coefficients import TAU, TAU_AP
from truerank.errors import InputError, at
from truerank.numerics.pairs import doubly_centered
from truerank.reliability.means import Means
from truerank.scores import TIE, ScoreMatrix, identical_systems

if TYPE_CHECKING:
    from truerank.reliability.estimators.estimator import Fit

FEW_TOPICS = 25
"""Below this many topics the published estimators are clearly overconfident (docs/methods/estimators.md)."""

FEW_SYSTEMS = 11
"""With fewer systems, `eb` learns little about how far apart systems are (docs/methods/held-out.md)."""

GRAVEST = ("skewed", "few-systems", "few-topics")
"""Codes of notes on accuracy: of several, the first says what follows."""

FEW_SETS = 5
"""Fewest data sets in effect for ranges that hold together (docs/methods/evidence/ranks.md)."""

COPIES_MATTER = 0.005
"""How much lower τ has to be if systems with the same scores are not copies, to be reported."""

ALIKE_SHARE = 1 / 3
"""Share of the systems, the best ones, of which it is asked whether they differ at all."""

ALIKE_FEWEST = 5
"""With fewer systems than this there is too little evidence whether they differ."""

ALIKE_MATTERS = 0.05
"""How much lower τ_AP has to be, if they do not, for a warning (docs/methods/held-out.md)."""

ALIKE_SEEN = 4.0
"""Variance of a typical true difference, in squared standard errors, from which on alike systems are told
from ordinary ones."""

GROUPS_SEEN, GROUPS_SEEN_IN_ARENAS = 0.01, 0.1
"""Weight of groups of nearly equal systems from which on it is worth a warning; ordinary arenas have more."""

BLOCK_ROWS = 128
"""Systems per block whose pairs with all others are examined together."""

SKEW_SHARE = 0.1
"""Share of pairs with too skewed differences from which it is worth a warning."""

SKEWED_SYSTEMS = 0.75
"""Skewed systems that this takes: one makes 2/m of the pairs skewed, and chance alone makes some."""

SURE = 2.0
"""Standard errors of normal differences from which on a skewness is not chance."""


def too_few(scores: ScoreMatrix) -> InputError:
    """The error for one or two rows of scores: topics, or data sets with one score each."""
    where = at(scores.source)
    if scores.kind.by_cells and scores.n == 1:
        return InputError(
            f"{where}only 1 topic, or one score per system, so nothing shows how scores vary. "
            "Give at least three topics or data sets; dozens are better"
        )
    units = f"only {count(scores.n, scores.noun)}{scores.left_out}"
    if not scores.kind.by_cells:
        units = f"battles on {count(scores.n, scores.kind.noun)} only"
    return InputError(f"{where}{units}; at least three are needed, dozens are better")


def check_rankable(scores: ScoreMatrix) -> None:
    """Raise unless the scores can carry an assessment."""
    where = at(scores.source)
    if scores.m < 2:
        raise InputError(
            f"{where}only one system ({scores.systems[0]!r}); a ranking needs at least two. For "
            f"the interval of one mean use {either('truerank.mean_score', 'truerank assess')}"
        )
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


def is_skewed(share: float, systems: int) -> bool:
    """Whether so many pairs are skewed that it is worth a warning."""
    return share >= max(SKEW_SHARE, 2 * SKEWED_SYSTEMS / systems)


def skewed_share(values: Matrix) -> float:
    """Share of pairs whose differences have a skewness beyond √n/5, and beyond two normal standard errors."""
    n, m = values.shape
    values = values / max(np.abs(values).max(), 1e-300)
    x = doubly_centered(values)
    x2 = x * x
    squares, cubes = x2.sum(axis=0), (x2 * x).sum(axis=0)
    norms = np.cbrt(5 * np.einsum("ts,ts->s", x2, np.abs(x)))
    # Rounding leaves differences of this size where there are none.
    nothing = n * (1e-12 * np.abs(values).max()) ** 2
    chance = SURE**2 * 6 * (n - 2) / ((n + 1) * (n + 3))
    least = min(25.0, n / chance) if chance > 0 else 25.0
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
        # n < 25·skewness², and skewness² above SURE² times 6(n − 2)/((n + 1)(n + 3))
        usable &= least * third * third > variance * variance * variance
        skewed += int(np.count_nonzero(usable))
    return skewed / (m * (m - 1) // 2)


def data_warnings(
    ranked: ScoreMatrix, means: Means, learning: bool = True, sampled: bool = False
) -> list[Note]:
    """Notes on few topics, few systems to learn from, m > n if correlations are `sampled`, ties, skewness."""
    found = list(ranked.notes)
    m, names, unit = ranked.m, ranked.systems, ranked.unit.one
    # Few levels of a facet leave few effective topics, which another note says.
    n = ranked.n if means.by_pairs else round(means.effective / (1 - means.run_share))
    size: dict[str, Any] = {"n": n, "given": n if means.by_pairs else len(means.strata)}
    size |= {"unit": ranked.unit_of(means.unit).one, "voters": ranked.kind.voters is not None}
    if learning and m < FEW_SYSTEMS:
        battles = ranked.battles is not None
        found.append(Note("few-systems", {"m": m, "battles": battles, "learning": learning}))
    if n < FEW_TOPICS:
        found.append(Note("few-topics", {**size, "learning": learning}))
    if m > n and sampled:
        found.append(Note("more-systems", {"case": "dependence", "m": m, **size}))
    if same := identical_systems(ranked):
        by_chance = np.zeros((m, m))  # if these are not copies, either order is equally likely
        for group in same:
            by_chance[np.ix_(group, group)] = 0.5
        lower = [1 - one.of_swaps(by_chance) for one in (TAU, TAU_AP)]
        facts = {
            "unit": unit,
            "pairs": sum(len(group) * (len(group) - 1) // 2 for group in same),
            "all_pairs": m * (m - 1) // 2,
            "groups": [[names[s] for s in group] for group in same],
            "lower": lower if lower[0] >= COPIES_MATTER else [],
        }
        copies = tuple(names[s] for group in same for s in group)
        found.append(Note("identical", {"case": "pairs", **facts}, systems=copies))
    tied = np.isclose(np.diff(means.theta), 0, atol=TIE, rtol=0)
    if tied.any():
        together = int(np.sum(np.append(tied, False) | np.append(False, tied)))
        found.append(Note("ties", {"case": "means", "number": together}))
    if ranked.kind.by_cells:
        ranges = np.nanmax(ranked.values, axis=0) - np.nanmin(ranked.values, axis=0)
        if constant := tuple(names[s] for s in np.flatnonzero(ranges <= TIE)):
            found.append(Note("constant", {"unit": unit}, systems=constant))
    skewed = skewed_share(means.rows) if means.linear else 0.0
    if is_skewed(skewed, m):
        compare = n >= FEW_TOPICS
        found.append(Note("skewed", {"share": skewed, "compare": compare, "learning": learning}))
    return found


def alike_warnings(means: Means, fit: Fit) -> list[Note]:
    """A note where the best systems differ no more than equal ones, and `eb` expects more of them."""
    from truerank.reliability.estimators.eb import standardized

    m, best = len(means.theta), round(len(means.theta) * ALIKE_SHARE)
    if best < ALIKE_FEWEST or fit.learned["effect"] * means.effective < ALIKE_SEEN:
        return []
    pairs = np.triu_indices(best, 1)
    z = standardized(means)[pairs]
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
    return [Note("alike-at-top", {"best": best, "m": m, "tau_ap": lower[0], "tau": lower[1]})]


def nearly_equal_warnings(means: Means) -> list[Note]:
    """An alert where systems seem to fall into nearly equal groups."""
    from truerank.reliability.estimators.eb import learned

    weight = learned(means).grouped if means.linear else 0.0
    seen = GROUPS_SEEN if means.usual_spread is None else GROUPS_SEEN_IN_ARENAS
    return [Note("nearly-equal", {"weight": weight}, "alert")] if weight > seen else []


def one_consequence(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes, those on accuracy first, with what follows from the gravest of them."""
    about = [note for code in GRAVEST for note in notes if note.code == code]
    others = [note for note in notes if note.code not in GRAVEST]
    return (*(note.adding(follows=about[0].code) for note in about), *others)

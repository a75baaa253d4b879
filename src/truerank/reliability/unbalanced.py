"""What a user must know about data sets of unequal sizes and about empty cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.scores import ScoreMatrix

NOT_AT_RANDOM = 0.01
"""Chance that holes at random on topics are taken for holes that depend on how hard the topics are."""

_CONSEQUENCE = (
    ", so the holes are not at random: least squares allows for hard topics only as far as all systems "
    "respond to them alike, and no interval shows what is left; compare with --missing common"
)

UNEQUAL = 3.0
"""From this ratio of the topics of two data sets on, a warning says what one topic counts."""


def hole_warnings(scores: ScoreMatrix) -> list[str]:
    """What empty cells say about the topics that they are on.

    Systems without a score on a whole data set are named. Beyond these, the levels of topics (mean scores
    of all systems, empty cells filled by additive least squares) are compared within data sets: those that
    the same systems lack with those that they have, by the rank-sum test, with Bonferroni's correction for
    the number of such groups of systems; and, where none or more than three stand out, over all systems, by
    the rank correlation of a topic's level and the share of systems that lack it. Together they speak in at
    most 1% of the tables whose cells are empty at random.

    Args:
        scores: n × m, with or without empty cells.

    Returns:
        Sentences; none where no cell is empty. O(n·m) a round of the fit, at most 200.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> values = rng.normal(size=(40, 1)) + rng.normal(scale=0.3, size=(40, 5))
        >>> values[values[:, 0] < 0, :2] = np.nan
        >>> [warning] = hole_warnings(ScoreMatrix.build(values, systems=list("abcde"), holes=True))
        >>> print(warning[:79])
        the 20 topics that 2 systems lack (a, b) are harder than the others (mean score
    """
    empty = np.isnan(scores.values)
    if not empty.any():
        return []
    levels = topic_levels(scores.values)
    strata = np.zeros(scores.n, dtype=np.intp) if scores.strata is None else scores.strata
    units = "topics"
    if scores.k == scores.n > 1:
        strata, units = np.zeros(scores.n, dtype=np.intp), "data sets"  # one score for each
    found = _whole_data_sets(scores, empty, levels, strata)
    groups = _by_group(scores, empty, levels, strata, units)
    if 0 < len(groups) <= 3:
        return found + groups
    return found + (_overall(empty, levels, strata, units) or groups[:3])


def topic_levels(values: Matrix) -> Vector:
    """Mean score of all systems on each topic, as if every system had one there.

    Fits system + topic effects to the cells that are there by least squares, one kind of effect after the
    other until they stay.

    Args:
        values: n × m scores, NaN where a cell is empty.

    Returns:
        n levels; the plain means of the rows where no cell is empty, NaN where all are.
    """
    there = (~np.isnan(values)).astype(np.float64)
    filled = np.nan_to_num(values)
    per_topic, per_system = there.sum(axis=1), there.sum(axis=0)
    systems = np.zeros(values.shape[1])
    topics = np.zeros(values.shape[0])
    for _ in range(200):
        topics = (filled.sum(axis=1) - there @ systems) / np.maximum(per_topic, 1)
        changed = (filled.sum(axis=0) - topics @ there) / np.maximum(per_system, 1)
        step = float(np.abs(changed - systems).max(initial=0.0))
        systems = changed
        if step <= 1e-10 * (1e-300 + float(np.abs(filled).max())):
            break
    # Systems without any score have no effect, and say nothing of topics.
    mean = systems[per_system > 0].mean() if (per_system > 0).any() else 0.0
    return np.where(per_topic > 0, topics + mean, np.nan)


def _whole_data_sets(
    scores: ScoreMatrix, empty: NDArray[np.bool_], levels: Vector, strata: NDArray[np.intp]
) -> list[str]:
    """A sentence for each data set without a score of some systems, and marks these cells as explained."""
    if strata.max() == 0:
        return []
    found = []
    for k, name in enumerate(scores.data_sets):
        rows = strata == k
        lacking = np.flatnonzero(empty[rows].all(axis=0) & ~empty.all(axis=0))
        if len(lacking):
            known = np.isfinite(levels)
            here, elsewhere = levels[rows & known].mean(), levels[~rows & known].mean()
            found.append(
                f"data set {name!r} has no score of {_systems(scores, lacking)}; its mean score is "
                f"{here:.3g}, that of the others {elsewhere:.3g}"
            )
            empty[np.ix_(rows, lacking)] = False
    if len(found) > 5:
        found = [*found[:5], f"{len(found) - 5} more data sets have no score of some systems"]
    return found


def _by_group(
    scores: ScoreMatrix, empty: NDArray[np.bool_], levels: Vector, strata: NDArray[np.intp], units: str
) -> list[str]:
    """A sentence for each group of systems that lack the same topics, where these are harder or easier."""
    from scipy.stats import mannwhitneyu

    patterns, group = np.unique(empty, axis=1, return_inverse=True)
    members = [np.flatnonzero(group.ravel() == g) for g in range(patterns.shape[1])]
    tested = []
    for pattern, systems in zip(patterns.T, members, strict=True):
        rows = _compared(pattern, strata) & np.isfinite(levels)
        centred = _centred(levels, strata, rows)
        lacked, had = pattern & rows, ~pattern & rows
        if lacked.any() and had.any():
            chance = float(mannwhitneyu(centred[lacked], centred[had]).pvalue)
            tested.append((chance, systems, lacked, had))
    limit = NOT_AT_RANDOM / 2 / max(len(tested), 1)
    odd = sorted((one for one in tested if one[0] <= limit), key=lambda one: -len(one[1]))
    found = []
    for _, systems, lacked, had in odd:
        rows = lacked | had
        adjusted = levels[rows].mean() + _centred(levels, strata, rows)
        there, others = float(adjusted[lacked].mean()), float(adjusted[had].mean())
        found.append(
            f"the {int(lacked.sum())} {units} that {_systems(scores, systems, 'lack')} are "
            f"{'harder' if there < others else 'easier'} than the others (mean score {there:.3g} against "
            f"{others:.3g}){_CONSEQUENCE}"
        )
    return found


def _overall(empty: NDArray[np.bool_], levels: Vector, strata: NDArray[np.intp], units: str) -> list[str]:
    """A sentence where topics that many systems lack are harder or easier than those that few lack."""
    from scipy.stats import spearmanr

    share = empty.mean(axis=1)
    rows = np.isfinite(levels)
    for k in range(int(strata.max()) + 1):
        if np.ptp(share[strata == k]) == 0:
            rows &= strata != k
    if rows.sum() < 5:
        return []
    adjusted = _centred(levels, strata, rows)[rows]
    if np.ptp(adjusted) == 0:
        return []
    test = spearmanr(_centred(share, strata, rows)[rows], adjusted)
    if not test.pvalue <= NOT_AT_RANDOM / 2:
        return []
    adjusted += levels[rows].mean()
    missing = float(np.average(adjusted, weights=share[rows]))
    present = float(np.average(adjusted, weights=1 - share[rows]))
    return [
        f"scores are missing more often on {'harder' if missing < present else 'easier'} {units} (mean score "
        f"{missing:.3g} where they are missing, {present:.3g} elsewhere){_CONSEQUENCE}"
    ]


def _compared(pattern: NDArray[np.bool_], strata: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The topics of the data sets where some are lacked and some are not."""
    sizes = np.bincount(strata)
    lacked = np.bincount(strata, weights=pattern)
    return ((lacked > 0) & (lacked < sizes))[strata]


def _centred(levels: Vector, strata: NDArray[np.intp], rows: NDArray[np.bool_]) -> Vector:
    """The levels less the mean of their data set over some rows."""
    sizes = np.maximum(np.bincount(strata, weights=rows), 1)
    means = np.bincount(strata, weights=np.where(rows, levels, 0)) / sizes
    return np.asarray(levels - means[strata])


def _systems(scores: ScoreMatrix, columns: NDArray[np.intp], verb: str = "") -> str:
    """`2 systems (a, b)`, or `2 systems lack (a, b)`."""
    names = ", ".join(scores.systems[s] for s in columns[:5].tolist()) + (", …" if len(columns) > 5 else "")
    one = len(columns) == 1
    verb = "" if not verb else f" {verb}s" if one else f" {verb}"
    return f"{len(columns)} system{'' if one else 's'}{verb} ({names})"


def data_set_warnings(scores: ScoreMatrix) -> list[str]:
    """What data sets with one topic or of unequal sizes mean for an average over data sets.

    Args:
        scores: of K data sets; O(n).

    Returns:
        Sentences; none where there is one data set, or one score for each.

    Example:
        >>> scores = ScoreMatrix.build([[1, 2]] * 12, data_sets=["a"] * 2 + ["b"] * 10,
        ...     topics=range(12))
        >>> print(data_set_warnings(scores)[0][:65])
        data sets have 2 ('a') to 10 ('b') topics: in the average a topic
    """
    if scores.strata is None or scores.k in (1, scores.n):
        return []
    sizes = np.bincount(scores.strata, minlength=scores.k)
    weights = np.array(scores.weights or [1 / scores.k] * scores.k)
    found = []
    single = [scores.data_sets[k] for k in np.flatnonzero(sizes == 1).tolist()]
    if single:
        listed = ", ".join(map(repr, single[:5])) + (", …" if len(single) > 5 else "")
        found.append(
            f"{len(single)} data set{'s' if len(single) > 1 else ''} with one topic ({listed}): one topic "
            "does not tell how much scores would change with other topics"
        )
    counted = np.flatnonzero(weights > 0)
    per_topic = weights[counted] / sizes[counted]
    low, high = counted[int(per_topic.argmax())], counted[int(per_topic.argmin())]
    ratio = float(per_topic.max() / per_topic.min())
    if ratio >= UNEQUAL:
        effective = float(1 / np.sum(weights**2 / sizes))
        found.append(
            f"data sets have {sizes[low]} ({scores.data_sets[low]!r}) to {sizes[high]} "
            f"({scores.data_sets[high]!r}) topics: in the average a topic of the first counts {ratio:.3g} "
            f"times as much as one of the second, and all {scores.n} topics tell about as much as "
            f"{effective:.3g} would that count alike"
        )
    return found

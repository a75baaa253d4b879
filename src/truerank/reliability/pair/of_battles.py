"""B against A in an arena: through the whole graph of battles, and by the battles between the two alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Vector
from truerank._support.wording import count
from truerank.battles import Battles
from truerank.errors import InputError, at
from truerank.reliability.diagnostics import too_few
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.means_of import canonical_rows
from truerank.reliability.pair.comparing import FEWEST, Direct, Pair
from truerank.reliability.pair.contrast import Contrast, interval
from truerank.scores import TIE, ScoreMatrix

FEWEST_DIRECT = 6  # fewest direct battles that are compared with the whole graph


def arena_pairs(
    table: ScoreMatrix, baseline: str, candidates: Sequence[str], level: float, direct: bool
) -> list[Pair]:
    """A comparison for each candidate: by strengths, or by direct battles alone."""
    if table.n < 3:
        raise too_few(table)
    scores = canonical_rows(table)
    battles = scores.battles
    assert battles is not None
    if direct and battles.covariates is not None:
        raise InputError(
            f"{at(scores.source)}{setting('direct')} counts wins as they are, and covariates are part of the "
            f"strengths alone. Leave {setting('direct')} or {setting('covariates')} out"
        )
    means, a = means_of(scores), scores.systems.index(baseline)

    def pair(b: int) -> Pair:
        of_both = [(battles.first == a) & (battles.second == b), (battles.first == b) & (battles.second == a)]
        between = battles.only(of_both[0] | of_both[1])
        if direct:
            return _by_direct_battles(scores, between, a, b)
        beside = None if scores.m == 2 else direct_of(between, means, a, b, level)
        return _by_strengths(scores, battles, means, a, b, beside)

    return [pair(scores.systems.index(name)) for name in candidates]


def _by_strengths(
    scores: ScoreMatrix, battles: Battles, means: Means, a: int, b: int, direct: Direct | None
) -> Pair:
    """The difference of two strengths; a unit's part is its pseudo-value ``θ̂ + G U_c``."""
    assert means.influences is not None
    groups = len(means.influences)
    each = means.theta[[a, b]] + groups * means.influences[:, [a, b]]
    rows = means.influences[:, b] - means.influences[:, a]
    parts = _parts_of(scores, a, b, each)
    if direct is not None and direct.disagrees:
        parts = parts.noting(Note("direct-disagrees", {"z": direct.disagreement, "unit": means.unit}))
    difference, error = float(means.theta[b] - means.theta[a]), float(means.deviations[b, a])
    return Pair(
        parts,
        None,
        _contrast(difference, rows, error, float(means.degrees[b, a])),
        means.theta[[a, b]],
        np.diff(each)[:, 0] / groups,
        tuple(("", name) for name in scores.topics),
        means.unit,
        scale=battles.scale,
        direct=direct,
        played=battles.units,
        covariates=None if battles.covariates is None else battles.covariates.names,
    )


def _parts_of(scores: ScoreMatrix, a: int, b: int, each: NDArray[np.float64]) -> ScoreMatrix:
    """The two systems with each unit's part, in place of scores on topics."""
    return replace(scores, values=each, systems=(scores.systems[a], scores.systems[b]), battles=None)


def _contrast(estimate: float, rows: Vector, error: float, degrees: float) -> Contrast:
    """A contrast with an error that does not follow from the rows alone: they are stretched to it."""
    size = math.sqrt(float(np.sum(rows**2)))
    if size <= 1e-12 * error:  # only ties: the error is the pooled one, the same for all units
        rows = np.where(np.arange(len(rows)) % 2, 1.0, -1.0)
        size = math.sqrt(len(rows))
    strata, units = np.zeros(len(rows), dtype=np.intp), degrees + 1
    return Contrast(estimate, rows * (error / size), strata, degrees, units, units)


def _by_direct_battles(scores: ScoreMatrix, between: Battles, a: int, b: int) -> Pair:
    """The candidate's share of wins against one half, in battles between the two alone."""
    names, units = (scores.systems[a], scores.systems[b]), np.unique(between.clusters)
    groups = len(units)
    if groups < FEWEST:
        raise InputError(
            f"{at(scores.source)}{names[0]!r} and {names[1]!r} met on {count(groups, between.unit)}; at "
            f"least three are needed. Leave {setting('direct')} out to compare them through the whole graph"
        )
    contrast = direct_contrast(between, b)
    assert contrast.differences is not None
    assert contrast.weights is not None
    of_mean = contrast.weights / contrast.weights.mean()
    d = contrast.estimate + of_mean * (contrast.differences - contrast.estimate)
    topics = tuple(scores.topics[c] for c in units.tolist())
    parts = _parts_of(replace(scores, topics=topics), a, b, np.stack([0.5 - d / 2, 0.5 + d / 2], axis=1))
    keys = tuple(("", name) for name in topics)
    played = len(between.first) if between.unit == "battle" else groups
    both = np.array([1 - contrast.estimate, 1 + contrast.estimate]) / 2
    return Pair(parts, None, contrast, both, d / groups, keys, between.unit, scale="share", played=played)


def direct_contrast(between: Battles, b: int) -> Contrast:
    """Twice the candidate's share of wins, less one, for the exact bound; each unit counts by its battles."""
    wins, weights, place = _won(between, b)
    battles, won = np.bincount(place, weights).astype(np.float64), np.bincount(place, wins)
    total = float(np.sum(battles))
    estimate, differences = 2 * float(np.sum(won)) / total - 1, 2 * won / battles - 1
    units = total**2 / float(np.sum(battles**2))
    rows = battles * (differences - estimate) / total * math.sqrt(units / max(units - 1, 1e-9))
    return Contrast(
        estimate,
        rows,
        np.zeros(len(rows), dtype=np.intp),
        degrees=max(units - 1, 1.0),
        units=units,
        differing=units * float(np.mean(~(np.abs(differences) <= TIE))),
        differences=differences,
        weights=battles,
        largest=1.0,
        guaranteed=True,
    )


def _won(between: Battles, b: int) -> tuple[Vector, Vector, NDArray[np.intp]]:
    """For each battle: the candidate's wins by weight, the weight, and its unit counted from 0."""
    w = between.each_counts
    y = np.where(between.first == b, between.outcomes, 1 - between.outcomes)
    return w * y, w, np.unique(between.clusters, return_inverse=True)[1]


def direct_of(between: Battles, means: Means, a: int, b: int, level: float) -> Direct:
    """The result of the direct battles, and how far it is from that of the whole graph.

    Its influence rows are ``Σ (y − ȳ)/(n ȳ(1 − ȳ)) − aᵀU_c`` (docs/methods/preferences.md, equation 12).
    """
    assert means.influences is not None
    difference = float(means.theta[b] - means.theta[a]) / between.points[0]
    own = (means.influences[:, b] - means.influences[:, a]) / between.points[0]
    expected, n, styled = 1 / (1 + math.exp(-difference)), len(between.first), between.covariates is not None
    if n == 0:
        return Direct(0, 0, math.nan, math.nan, math.nan, expected, math.nan)
    wins, weights, place = _won(between, b)
    share, groups = float(np.sum(wins) / np.sum(weights)), int(place.max()) + 1
    if styled:
        expected, beyond, rows = _beyond_style(between, means, a, b, own)
    elif 0 < share < 1:
        beyond = math.log(share / (1 - share)) - difference
        of_units = (np.bincount(place, wins) - share * np.bincount(place, weights)) / np.sum(weights)
        rows = -own
        rows[np.unique(between.clusters)] += of_units / (share * (1 - share))
    low = high = disagreement = math.nan
    if groups >= FEWEST:
        low, high = ((1 + end) / 2 for end in interval(direct_contrast(between, b), level))
    if n >= FEWEST_DIRECT and 0 < share < 1 and (error := math.sqrt(float(np.sum(rows**2)))) > 0:
        disagreement = beyond / error
    return Direct(n, groups, share, low, high, expected, disagreement)


def _beyond_style(between: Battles, means: Means, a: int, b: int, own: Vector) -> tuple[float, float, Vector]:
    """The expected share of wins, what is beyond, and its rows (docs/methods/equal-style.md, equation 5)."""
    assert means.played is not None
    assert between.covariates is not None
    fit = means.played.fit
    wins, weights, _ = _won(between, b)
    wins, w = wins / weights.sum(), weights / weights.sum()
    signs = np.where(between.first == b, 1.0, -1.0)[:, None]
    x = signs * between.covariates.values / means.played.scales
    p = 1 / (1 + np.exp(-float(fit.theta[b] - fit.theta[a]) - x @ fit.coefficients))
    expected, gap, q = float(w @ p), float(np.sum(wins - w * p)), w * p * (1 - p)
    rows = np.bincount(between.clusters, wins - w * (p + gap), len(own))
    return expected, gap, rows - np.sum(q) * own - means.played.rows @ (q @ x)

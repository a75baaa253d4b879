"""Battles of two systems each: the pairs that met, the outcomes, and the weight of each battle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.notes import Note
from truerank._support.types import frozen
from truerank.errors import InputError

Scale = Literal["logit", "elo"]
"""Scales of strengths from battles: natural logits, or Elo points."""

SCALES = ("logit", "elo")


POSITION = "position"
"""The covariate that is 1 for the answer that stands first; it needs no column."""


@dataclass(frozen=True, eq=False)
class Covariates:
    """Covariates: how the two answers of each battle differ, apart from who wrote them."""

    # N × K, the first answer's less the second's; (a − b)/(a + b) where `relative`
    values: NDArray[np.float64]
    names: tuple[str, ...]  # K
    relative: tuple[bool, ...]  # K, whether a difference is relative to the sum of both

    @property
    def scales(self) -> NDArray[np.float64]:
        """K root mean squares: the unit of the coefficients, whichever side an answer is on."""
        return np.asarray(np.sqrt(np.mean(self.values**2, axis=0)))


SELDOM = 5
"""A pair with fewer battles may be decided by one of them, where all pairs count alike."""


@dataclass(frozen=True, eq=False, repr=False)
class Battles:
    """Battles of two systems each, for a ranking by strengths."""

    first: NDArray[np.intp]  # N, one system of each battle, by its place among the m
    second: NDArray[np.intp]  # N, the other one
    outcomes: NDArray[np.float64]  # N, 1 where the first won, 0 where the second did, ½ for a tie
    clusters: NDArray[np.intp]  # N, the prompt of each battle (or what else the unit is), counted from 0
    # N, the voter of each battle, where prompts are not all that may go together
    voters: NDArray[np.intp] | None = None
    unit: Literal["prompt", "voter", "battle"] = "prompt"  # what a cluster is: prompt, voter or battle
    voter_names: tuple[str, ...] = ()  # names of the voters, in the order of their numbers
    # N, what each battle counts, 1 on average; None where all count alike
    weights: NDArray[np.float64] | None = None
    pairs_alike: bool = False  # whether the weights let every pair that met count alike
    # κ, drawn battles of each system with a player of strength 0 that are added to the fit
    draw_prior: float = 0.0
    scale: Scale = "logit"  # of the strengths: logit, 0 on average, or elo points, 1,000 on average
    dealt: int = 0  # how many units were dealt to the clusters at random; 0 where a cluster is a unit
    voter_column: str = ""  # what the column of the voters is called; empty where that is not known
    # what else may have decided the battles; None where nothing else is asked
    covariates: Covariates | None = None

    @classmethod
    def build(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        outcomes: ArrayLike,
        clusters: ArrayLike,
        voters: ArrayLike | None = None,
        unit: Literal["prompt", "voter", "battle"] = "prompt",
        *,
        weights: ArrayLike | None = None,
        **more: Any,
    ) -> Battles:
        """Freeze arrays of N battles each (copies are taken); clusters are numbered from 0 without gaps."""
        one, other = (frozen(np.array(x, dtype=np.intp)) for x in (first, second))
        units = frozen(numbered(np.asarray(clusters))[1])
        users = None if voters is None else frozen(numbered(np.asarray(voters))[1])
        counting = None if weights is None else frozen(_scaled(np.asarray(weights, dtype=np.float64)))
        played = frozen(np.array(outcomes, dtype=np.float64))
        return cls(one, other, played, units, users, unit, weights=counting, **more)

    def __repr__(self) -> str:
        return f"<Battles {len(self.first):,} on {int(self.clusters.max()) + 1:,} {self.unit}s>"

    @property
    def units(self) -> int:
        """How many prompts there are (or what else the unit is), before any were dealt to groups."""
        return self.dealt or int(self.clusters.max()) + 1

    def fought(self, m: int) -> NDArray[np.intp]:
        """How many battles each of the m systems had."""
        return np.bincount(np.concatenate([self.first, self.second]), minlength=m)

    @property
    def each_counts(self) -> NDArray[np.float64]:
        """N, the weight of each battle; 1 where all count alike."""
        return np.ones(len(self.first)) if self.weights is None else self.weights

    @property
    def points(self) -> tuple[float, float]:
        """The size of one logit on the scale, and the scale's value of strength 0."""
        return (400 / float(np.log(10)), 1000.0) if self.scale == "elo" else (1.0, 0.0)

    def counting(
        self, pairs_alike: bool = False, draw_prior: float = 0.0, scale: Scale | None = None
    ) -> Battles:
        """The battles with the requested weights."""
        found = replace(self, draw_prior=float(draw_prior), scale=scale or self.scale)
        if not pairs_alike or self.pairs_alike:
            return found
        w = self.each_counts
        weights = _scaled(w / np.bincount(self._pairs, w)[self._pairs])
        return replace(found, weights=frozen(weights), pairs_alike=True)

    def met_rarely(self) -> list[Note]:
        """A warning on pairs that met so rarely that a battle or two decide them."""
        times = np.unique(self._pairs, return_counts=True)[1]
        rare = int(np.count_nonzero(times < SELDOM))
        return [Note("rare-pairs", {"pairs": rare, "times": SELDOM})] if rare else []

    def alike(self) -> Battles:
        """The battles with equal weights."""
        return replace(self, weights=None, pairs_alike=False)

    @property
    def _pairs(self) -> NDArray[np.intp]:
        """N, a number for each pair that met."""
        m = int(max(self.first.max(), self.second.max())) + 1
        return np.minimum(self.first, self.second) * m + np.maximum(self.first, self.second)

    def only(self, kept: NDArray[Any]) -> Battles:
        """Some of the battles, or all in another order; clusters and voters keep their numbers."""
        arrays = ("first", "second", "outcomes", "clusters", "voters", "weights")
        there = {name: held[kept] for name in arrays if (held := getattr(self, name)) is not None}
        styles = self.covariates and replace(self.covariates, values=self.covariates.values[kept])
        return replace(self, **there, covariates=styles)

    @property
    def plain(self) -> Battles:
        """The battles without covariates."""
        return replace(self, covariates=None)

    def renamed(self, columns: NDArray[np.intp], m: int) -> Battles:
        """The battles with the systems in another order."""
        if sorted(columns.tolist()) != list(range(m)):
            raise InputError(
                "systems cannot be left out of battles, for their opponents’ strengths rest on them; leave "
                "their rows out of the file"
            )
        place = np.argsort(columns)
        return replace(self, first=place[self.first], second=place[self.second])

    def in_order(self, m: int) -> tuple[Battles, NDArray[np.intp]]:
        """The battles in an order that depends on their content, not on their position."""
        swapped = self.first > self.second
        low, high = np.where(swapped, self.second, self.first), np.where(swapped, self.first, self.second)
        outcomes = np.where(swapped, 1 - self.outcomes, self.outcomes)
        kinds = (low * m + high) * 3 + np.rint(2 * outcomes).astype(np.intp)
        if self.weights is not None and not self.pairs_alike:  # equal weights add nothing to the pair
            kinds = np.unique(np.stack([kinds, self.weights], axis=1), axis=0, return_inverse=True)[1].ravel()
        covariates = None
        if self.covariates is not None:
            values = self.covariates.values
            covariates = replace(self.covariates, values=np.where(swapped[:, None], -values, values))
            kinds = _hashed(kinds, covariates.values)
        places, order = _placed(self.clusters, kinds)
        clusters = places[self.clusters]
        voters, names = None, self.voter_names
        if self.voters is not None:
            of_voters = places_of(self.voters, kinds)
            voters = of_voters[self.voters]
            names = tuple(names[v] for v in np.argsort(of_voters)) if names else names
            order = np.lexsort((kinds, voters, clusters))
        found = replace(
            self,
            first=low,
            second=high,
            outcomes=outcomes,
            clusters=clusters,
            voters=voters,
            voter_names=names,
            covariates=covariates,
        )
        return found.only(order), np.argsort(places)


def _scaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that are 1 on average."""
    return np.asarray(weights / weights.mean(), dtype=np.float64)


def _hashed(kinds: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.intp]:
    """A number for each kind with these values: the same for the same, and in any order otherwise."""
    found = kinds.astype(np.uint64)
    for column in values.T:
        found ^= np.ascontiguousarray(column + 0.0).view(np.uint64)  # one representation of zero
        found *= np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found.view(np.intp)


def numbered(groups: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The different groups, rising, and the place of each among them; small whole numbers are not sorted."""
    if groups.dtype.kind != "i" or not len(groups) or groups.min() < 0 or groups.max() > 4 * len(groups):
        return np.unique(groups, return_inverse=True)
    there = np.bincount(groups) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[groups]


def places_of(groups: NDArray[np.intp], kinds: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of each group among all, by the kinds of battles, or of rows, that are in it."""
    return _placed(groups, kinds)[0]


def _placed(groups: NDArray[np.intp], kinds: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The place of each group among all, and all rows by place and kind."""
    order = np.argsort(kinds)
    order = order[np.argsort(groups[order], kind="stable")]
    ends = np.cumsum(np.bincount(groups))
    # Bytes of numbers with the highest first are in the order of the numbers.
    text = (kinds[order].view(np.uint64) ^ np.uint64(1 << 63)).astype(">u8").tobytes()
    keys = [
        text[8 * start : 8 * end] for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    ]
    by_place = sorted(range(len(keys)), key=keys.__getitem__)
    places = np.empty(len(keys), dtype=np.intp)
    places[by_place] = np.arange(len(keys))
    parts = np.split(order, ends[:-1])
    return places, np.concatenate([parts[k] for k in by_place])

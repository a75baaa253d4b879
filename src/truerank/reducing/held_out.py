"""What a reduction is worth for systems that it has not seen: whole families are held out in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.reducing.choosing import Places, Rule, chosen, drawn, plain, strata, weighted
from truerank.scores import TIE, renumbered

FOLDS = 5
REPEATS = 10  # how often families are dealt to folds
SETS = 20  # random sets of topics in each fold
FAMILY = 0.4  # Distance, 1 − r, up to which systems are of one family

# From the scores of the known systems, their families and a generator to rules, whose results are averaged.
Way: TypeAlias = Callable[[Matrix, Places, np.random.Generator], Iterable[Rule]]


def chosen_weighted(keep: int) -> Way:
    """Chosen topics with weights."""
    return lambda values, families, rng: [
        weighted(values, chosen(values, strata(values, keep), keep), families)
    ]


def stratified_plain(keep: int) -> Way:
    """Random topics, one of each stratum, with plain means."""

    def rules(values: Matrix, families: Places, rng: np.random.Generator) -> Iterator[Rule]:
        groups = strata(values, keep)
        for _ in range(SETS):
            yield plain(drawn(groups, rng))

    return rules


def random_plain(keep: int) -> Way:
    """Random topics with plain means."""
    return lambda values, families, rng: (plain(_any(len(values), keep, rng)) for _ in range(SETS))


def random_weighted(keep: int) -> Way:
    """Random topics with weights."""
    return lambda values, families, rng: (
        weighted(values, _any(len(values), keep, rng), families) for _ in range(SETS)
    )


def _any(n: int, keep: int, rng: np.random.Generator) -> Places:
    return np.sort(rng.choice(n, keep, replace=False))


def dealt(families: Places, repeats: int, seed: int) -> list[Places]:
    """The fold of each system, once a repeat: whole families, dealt at random."""
    count = int(families.max()) + 1
    return [(stream(seed, "folds", repeat).permutation(count) % FOLDS)[families] for repeat in range(repeats)]


@dataclass(frozen=True)
class Tau:
    """A rank correlation over pairs of held-out systems, with its jackknife over families."""

    estimate: float
    without: Vector  # F, the estimate without each family

    def __sub__(self, other: Tau) -> Tau:
        return Tau(self.estimate - other.estimate, self.without - other.without)

    @property
    def se(self) -> float:
        """Standard error: SE² = (F − 1)/F · Σ(τ_(f) − mean)²."""
        families = len(self.without)
        return float(np.sqrt((families - 1) * np.var(self.without)))


@dataclass(frozen=True)
class HeldOut:
    """How pairs of systems that were held out together agree with the full board, by each way."""

    families: Places  # m
    met: Matrix  # m × m, the weight of each pair: how often it was held out, a fifth of it within a family
    agreements: Sequence[Matrix]  # m × m for each way: the weight, negative for the other order
    errors: Vector  # of the first way: full mean less expected mean, of each system once per repeat

    def tau(self, way: int = 0, swaps: Matrix | None = None) -> Tau:
        """τ with the board by one way; with swap probabilities (m × m, symmetric) τ with the truth."""
        return self._tau(self.agreements[way], swaps)

    def ceiling(self, swaps: Matrix) -> Tau:
        """τ of the full board with the truth, over the same pairs."""
        return self._tau(self.met, swaps)

    def _tau(self, agreement: Matrix, swaps: Matrix | None) -> Tau:
        """Σwc/Σw, and the same without the pairs of each family."""
        terms = agreement if swaps is None else agreement * (1 - 2 * swaps)
        seen, total = self._parts(terms), self._parts(self.met)
        return Tau(float(seen[0] / total[0]), (seen[0] - seen[1:]) / (total[0] - total[1:]))

    def _parts(self, pairs: Matrix) -> Vector:
        """The sum over all pairs, and that over the pairs of each family."""
        columns, within = pairs.sum(axis=0), self.families[:, None] == self.families
        inside = (pairs * within).sum(axis=0) / 2
        of_families = np.bincount(self.families, columns - inside)
        return np.append(columns.sum() / 2, of_families)


def held_out(
    values: Matrix, families: Places, ways: Sequence[Way], folds: Sequence[Places], seed: int = 0
) -> HeldOut:
    """Hold out each fold in turn, learn every way from the rest, and apply it to the fold.

    `values` are n × m; `folds` has the fold of each system once per repeat. Errors are of the first way.
    """
    m, full = values.shape[1], values.mean(axis=0)
    board = _order(full[None])[0]
    weight = np.where(families[:, None] == families, 1 / FOLDS, 1.0)
    np.fill_diagonal(weight, 0)
    met, agreements, errors = np.zeros((m, m)), [np.zeros((m, m)) for _ in ways], []
    for repeat, dealt_to in enumerate(folds):
        for fold in np.unique(dealt_to).tolist():
            out = np.flatnonzero(dealt_to == fold)
            known = np.flatnonzero(dealt_to != fold)
            pairs = np.ix_(out, out)
            met[pairs] += weight[pairs]
            training, unseen = np.ascontiguousarray(values[:, known]), values[:, out]
            for place, way in enumerate(ways):
                rng = stream(seed, "sets", repeat, fold, place)
                expected = np.array([rule(unseen) for rule in way(training, families[known], rng)])
                agreements[place][pairs] += weight[pairs] * board[pairs] * _order(expected).mean(axis=0)
                if place == 0:
                    errors += [full[out] - one for one in expected]
    return HeldOut(families, met, agreements, np.concatenate(errors))


def _order(means: Matrix) -> Matrix:
    """sets × m × m: 1 where the first system of a pair is better, −1 where it is worse, 0 where equal."""
    differences = means[:, :, None] - means[:, None, :]
    return np.where(np.abs(differences) <= TIE, 0.0, np.sign(differences))


def families_found(values: Matrix) -> Places:
    """The family of each system, numbered by first appearance: average linkage on 1 − r.

    r is the correlation of two systems' scores once topics and systems are centered; below 0 it counts as 0.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    rest = values - values.mean(axis=1, keepdims=True)
    rest = rest - rest.mean(axis=0)
    lengths = np.sqrt((rest**2).sum(axis=0))
    shapes = rest / np.where(lengths > TIE, lengths, np.inf)
    distances = 1 - np.clip(shapes.T @ shapes, 0, 1)
    upper = np.triu_indices(len(distances), 1)
    return renumbered(fcluster(linkage(distances[upper], "average"), FAMILY, "distance"))[0]

"""Components of variance of scores with any number of facets: crossed, nested, or with cells missing.

A cell is one combination of a topic and of levels of facets. Each factor (topics, prompts, judges …) is a
partition of the cells, and each effect a crossing of factors, so one formula serves all designs. Equations
are numbered in docs/methods/facets.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank._support.wording import listed
from truerank.errors import InputError
from truerank.numerics import special
from truerank.reliability.means.least_squares import additive

BLOCK_VALUES = 1 << 18
"""Scores centered at a time (2 MB)."""

BLOCK_CELLS = 1 << 13
"""Cells whose weights are multiplied at a time."""

LEAST_VARIANCE = 1e-5
"""Floor of a system's variance in the shrinkage, as a fraction of the mean variance."""

DATA_SET = "data set"
"""The factor of data sets: a base or, where they are fixed, in the names of effects that differ by them."""

Codes = NDArray[np.intp] | NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Effect:
    """A crossing of factors: each of its levels moves systems by amounts of its own.

    Its names are all crossings that this design cannot distinguish from it, as their factors. The codes are
    the level of each cell; levels may lie within the fixed data sets.
    """

    names: tuple[tuple[str, ...], ...]
    codes: Codes
    levels: int
    within: bool = False

    @property
    def label(self) -> str:
        """Its name in output: ``topic × judge``, or several that the design does not separate."""
        return ", or ".join(" × ".join(name) for name in self.names)

    def holds(self, factor: str) -> bool:
        """Whether new levels of that factor are new levels of this effect, by any of its names."""
        return any(factor in name for name in self.names)


@dataclass(frozen=True, eq=False)
class Cells:
    """The scores of m systems in C cells.

    Attributes:
        values: C × m, means over runs and over fixed facets; NaN where a system has none.
        factors: the levels of the cells, C each, by factor. The first is the base: topics, or data sets where
            these are a sample. Labels of a nested factor differ between its parents.
        weights: C, what each cell counts, adding up to 1.
        strata: C, the fixed data set of each cell; ``None`` where there is one.
        run_variance: W, what the runs of each system leave in the score of a cell.
    """

    values: Matrix
    factors: Mapping[str, Codes]
    weights: Vector
    strata: Codes | None = None
    run_variance: float = 0.0
    runs: float = 1.0

    @property
    def base(self) -> str:
        """The factor whose levels are the rows of a mean."""
        return next(iter(self.factors))

    @cached_property
    def complete(self) -> bool:
        """Whether each system has a score in each cell."""
        return not np.isnan(self.values).any()

    @cached_property
    def own(self) -> list[tuple[Codes, Vector]]:
        """The cells that count, and their weights: once for all systems, or for each where it lacks some."""
        if self.complete:
            return [(np.arange(len(self.weights)), self.weights)]
        cells = [np.flatnonzero(column) for column in ~np.isnan(self.values).T]
        return [(one, np.full(len(one), 1 / len(one))) for one in cells]

    def influences(self) -> Iterator[tuple[slice, Matrix]]:
        """What each cell adds to the means beside what all systems share, C × m, in blocks of systems."""
        c, m = self.values.shape
        if not self.complete:
            fit = additive(self.values, np.full(c, 1 / c))
            yield slice(0, m), fit.weights[:, None] * (fit.residuals @ fit.weighted)
            return
        centers = self.values.mean(axis=1)
        for start in range(0, m, step := max(BLOCK_VALUES // c, 1)):
            block = self.values[:, start : start + step] - centers[:, None]
            if self.strata is None:
                block -= self.weights @ block
            else:
                for stratum in range(int(self.strata.max()) + 1):
                    here = self.strata == stratum
                    block[here] -= self.weights[here] @ block[here] / self.weights[here].sum()
            block *= self.weights[:, None]
            yield slice(start, start + block.shape[1]), block


@dataclass(frozen=True, eq=False)
class Components:
    """The variance of each effect, and what it leaves in a difference of means.

    Attributes:
        cells: the scores.
        effects: coarse ones before finer ones.
        variances: σ², by effect; 0 where one was dropped because its estimate was below 0.
        remaining: h, the part of each σ² that is left in a mean: 1/levels where all count alike.
        expected: a, effects × effects: E Q_u = Σ_v a_uv σ²_v.
        squares: Q, effects × m: sums of squares of the influences of its levels.
        reduced: R, the squares over h less those of all coarser effects.
        reduction: B, effects × effects, with E R = B σ².
        degrees: ν, degrees of freedom of each R.
        rows: influences of the levels of single factors, levels × m, by factor.
    """

    cells: Cells
    effects: tuple[Effect, ...]
    variances: Vector
    remaining: Vector
    expected: Matrix
    squares: Matrix
    reduced: Vector
    reduction: Matrix
    degrees: Vector
    rows: Mapping[str, Matrix]

    @classmethod
    def of(cls, cells: Cells) -> Components:
        """Estimate them, or refuse cells that do not show them."""
        found = cls.or_reason(cells)
        if isinstance(found, Components):
            return found
        raise InputError(found)

    @classmethod
    def or_reason(cls, cells: Cells) -> Components | str:
        """Estimate them, or say why they are unknown.

        From mean squares where the design is balanced, else by Henderson's moments. O(C·m·E + C·E²) for C
        cells, m systems and E effects.
        """
        effects, finer, union = _effects(cells)
        rows, squares = _squares(cells, effects)
        remaining, expected = _moments(cells, effects, union)
        m = cells.values.shape[1]
        strata = 1 if cells.strata is None else int(cells.strata.max()) + 1
        reduced = squares.sum(axis=1) / max(m - 1, 1) / remaining
        reduction = expected / remaining[:, None]
        degrees = np.array([one.levels - (strata if one.within else 1.0) for one in effects])
        for u in range(len(effects)):
            for v in np.flatnonzero(finer[u]):
                reduced[u] -= reduced[v]
                reduction[u] -= reduction[v]
                degrees[u] -= degrees[v]
        if unknown := _unknown(effects, reduction, degrees):
            return (
                f"the scores do not show how much {listed(unknown)} moves the systems, beside coarser "
                "effects. Add scores at more combinations of levels, or take one of these facets as fixed"
            )
        variances = _solved(reduced, reduction, degrees)
        return cls(cells, effects, variances, remaining, expected, squares, reduced, reduction, degrees, rows)

    @cached_property
    def parts(self) -> Vector:
        """σ²_u h_u: what each effect leaves in half the variance of a difference of two means."""
        return self.variances * self.remaining

    @cached_property
    def variance(self) -> float:
        """V, the sum of the parts."""
        return float(self.parts.sum())

    @cached_property
    def run_part(self) -> float:
        """What runs leave: a piece of the part of the finest effect."""
        return min(self.cells.run_variance * float(self.remaining[-1]), float(self.parts[-1]))

    @property
    def shares(self) -> Vector:
        """The parts over V."""
        return self.parts / self.variance if self.variance > 0 else np.zeros(len(self.parts))

    def place(self, factor: str) -> int:
        """The place of the effect of that factor alone."""
        return next(u for u, one in enumerate(self.effects) if (factor,) in one.names)

    def redrawn(self, factor: str) -> float:
        """φ, the share of V that new levels of a factor would draw anew (eq. 10)."""
        new = np.array([one.holds(factor) for one in self.effects])
        return float(self.parts[new].sum()) / self.variance if self.variance > 0 else 0.0

    def gain(self, factor: str, times: float) -> float:
        """V over what would be left of it with so many times the levels of a factor."""
        fewer = np.array([all(factor in name for name in one.names) for one in self.effects])
        left = float(np.where(fewer, self.parts / times, self.parts).sum())
        return self.variance / left if left > 0 else times

    @cached_property
    def targets(self) -> dict[str, float]:
        """What the rows of each factor account for (eq. 6): effects as fine as the base are its own."""
        base = self.effects[self.place(self.cells.base)]
        found = dict.fromkeys(self.cells.factors, 0.0)
        for one, part in zip(self.effects, self.parts, strict=True):
            if refines(one, base):
                found[self.cells.base] += part
                continue
            among = [name for name in self.cells.factors if one.holds(name)]
            alone = {name: self.effects[self.place(name)] for name in among}
            finest = [
                name
                for name in among
                if not any(
                    refines(alone[other], alone[name]) and alone[other].levels > alone[name].levels
                    for other in among
                )
            ]
            for name in finest:
                found[name] += part / len(finest)
        return found

    def kappa(self, factor: str) -> float:
        """κ, what brings the squares of a factor's rows to its target (eq. 7)."""
        seen = float(self.expected[self.place(factor)] @ self.variances)
        return self.targets[factor] / seen if seen > 0 else 0.0

    @property
    def balanced(self) -> bool:
        """Whether all factors are crossed and no cell is missing, so that intervals are known."""
        sizes = [self.effects[self.place(name)].levels for name in self.cells.factors]
        return (
            self.cells.strata is None
            and self.cells.complete
            and int(np.prod(sizes)) == len(self.cells.weights)
        )

    def drawn(self, draws: int, rng: Generator) -> Matrix:
        """Draws × effects: σ² as they may be, from the mean squares of a balanced design (eq. 12).

        Systems that go together, and those whose noise differs, leave a mean square fewer degrees of freedom.
        """
        base = self.place(self.cells.base)
        directions = _directions(self.rows[self.cells.base], self.effects[base].levels - 1.0)
        found = np.empty((draws, len(self.effects)))
        for u, one in enumerate(self.effects):
            added = shrunken_variances(self.squares[u], one.levels - 1.0)[1]
            freedom = self.degrees[u] * directions / (1 + 2 / max(added - 4, 0.5))
            found[:, u] = self.reduced[u] * freedom / rng.chisquare(freedom, draws)
        return np.maximum(np.linalg.solve(self.reduction, found.T).T, 0.0)


def refines(one: Effect, other: Effect) -> bool:
    """Whether each level of an effect lies within one level of the other."""
    first = np.zeros(one.levels, np.intp)
    first[one.codes] = other.codes
    return bool((first[one.codes] == other.codes).all())


def _effects(cells: Cells) -> tuple[tuple[Effect, ...], NDArray[np.bool_], NDArray[np.intp]]:
    """All effects, coarse first; which are strictly coarser than which; and the crossing of each two.

    A set of factors is the bits of a number. Two sets are one effect where their partitions are equal, that
    is, where the crossing of both has no more levels than either.
    """
    names = list(cells.factors)
    columns = list(cells.factors.values())
    if cells.strata is not None:
        columns.append(cells.strata)
    codes: dict[int, Codes] = {}
    for bits in range(1, 1 << len(columns)):
        top = 1 << bits.bit_length() - 1
        rest = codes.get(bits ^ top)
        column = columns[bits.bit_length() - 1]
        joint = column if rest is None else rest * np.intp(column.max() + 1) + column
        codes[bits] = np.unique(joint, return_inverse=True)[1].astype(np.int32)
    if cells.strata is not None:
        codes.pop(1 << len(names))
    number = {bits: _levels(one, cells) for bits, one in codes.items()}
    alike = {
        bits: [other for other in codes if number[bits] == number[other] == number[bits | other]]
        for bits in codes
    }
    closed = {bits: int(np.bitwise_or.reduce(ones)) for bits, ones in alike.items()}
    kept = sorted(set(closed.values()), key=lambda bits: (int(codes[bits].max()), bits))
    place = {bits: kept.index(top) for bits, top in closed.items()}
    finer = np.array([[v != u and closed[u | v] == u for v in kept] for u in kept])
    union = np.array([[place[u | v] for v in kept] for u in kept])
    names = [*names, DATA_SET]
    sets = 1 << names.index(DATA_SET)
    effects = []
    for top in kept:
        # Topics lie within their data set, and so may facets: its name then adds nothing.
        sought = [one for one in alike[top] if not one & sets or one ^ sets not in alike[top]]
        labels = tuple(tuple(name for k, name in enumerate(names) if one >> k & 1) for one in sought)
        within = cells.strata is not None and bool(top & sets)
        effects.append(Effect(labels, codes[top], int(codes[top].max()) + 1, within))
    return tuple(effects), finer, union


def _levels(codes: Codes, cells: Cells) -> int:
    """Levels, of each system's own cells where these differ."""
    if cells.complete:
        return int(codes.max()) + 1
    return sum(len(np.unique(codes[own])) for own, _ in cells.own)


def _squares(cells: Cells, effects: Sequence[Effect]) -> tuple[dict[str, Matrix], Matrix]:
    """U of single factors, and Q of all effects."""
    from scipy.sparse import csr_array

    m = cells.values.shape[1]
    single = {name: u for u, one in enumerate(effects) for name in cells.factors if (name,) in one.names}
    rows = {name: np.empty((effects[u].levels, m)) for name, u in single.items()}
    squares = np.empty((len(effects), m))
    c = len(cells.weights)
    ones, sums = np.ones(c), []
    for one in effects:
        ends = np.append(0, np.cumsum(np.bincount(one.codes))).astype(np.int32)
        order = np.argsort(one.codes, kind="stable").astype(np.int32)
        sums.append(csr_array((ones, order, ends), shape=(one.levels, c)))
    for systems, block in cells.influences():
        for u, sum_of in enumerate(sums):
            found: Matrix = block if effects[u].levels == c else np.asarray(sum_of @ block)
            squares[u, systems] = np.einsum("ls,ls->s", found, found)
            for name in (name for name, place in single.items() if place == u):
                rows[name][:, systems] = np.asarray(sum_of @ block)
    return rows, squares


def _moments(cells: Cells, effects: Sequence[Effect], union: NDArray[np.intp]) -> tuple[Vector, Matrix]:
    """h and a (eq. 3), averages over the systems where these have cells of their own.

    ``a_uv = ‖Z_uᵀ W (I − P) Z_v‖²``, where P averages within data sets. The weights that levels of u and v
    share are those of the levels of their crossing, so no table of levels × levels is made.
    """
    e = len(effects)
    remaining, expected = np.zeros(e), np.zeros((e, e))
    for own, weights in cells.own:
        strata = np.zeros(len(own), np.intp) if cells.strata is None else cells.strata[own]
        of_strata = np.bincount(strata, weights)
        h = np.array([np.sum(np.bincount(one.codes[own], weights) ** 2) for one in effects])
        a = h[union]
        shared = np.empty((len(of_strata), e, len(of_strata)))
        for k, total in enumerate(of_strata):
            here = np.where(strata == k, weights, 0.0)
            of_levels = [np.bincount(one.codes[own], here) for one in effects]
            shared[k] = 0.0
            for start in range(0, len(own), BLOCK_CELLS):
                part = slice(start, start + BLOCK_CELLS)
                codes = own[part]
                level = np.column_stack(
                    [of[one.codes[codes]] for of, one in zip(of_levels, effects, strict=True)]
                )
                weighted = level * weights[part, None]
                a -= 2 / total * (level.T @ weighted)
                shared[k] += [
                    np.bincount(strata[part], column, minlength=len(of_strata)) for column in weighted.T
                ]
        scaled = shared / np.sqrt(of_strata)[:, None, None] / np.sqrt(of_strata)
        flat = scaled.transpose(1, 0, 2).reshape(e, -1)
        remaining += h
        expected += a + flat @ flat.T
    return remaining / len(cells.own), expected / len(cells.own)


def _unknown(effects: Sequence[Effect], reduction: Matrix, degrees: Vector) -> list[str]:
    """The effects that the design does not separate from coarser ones."""
    scale = np.abs(reduction).max(axis=1)
    unknown = (degrees <= 0) | (np.diag(reduction) <= 1e-12 * np.maximum(scale, 1e-300))
    return [repr(effects[u].label) for u in np.flatnonzero(unknown).tolist()]


def _solved(reduced: Vector, reduction: Matrix, degrees: Vector) -> Vector:
    """σ² of ``B σ² = R``; while one is below 0, the least certain of these goes with its equation (eq. 5)."""
    found = np.zeros(len(reduced))
    kept = np.arange(len(reduced))
    while len(kept):
        b = reduction[np.ix_(kept, kept)]
        solved = np.linalg.solve(b, reduced[kept])
        if not (solved < 0).any():
            found[kept] = solved
            break
        spread = np.abs(b) @ np.maximum(solved, 0.0)
        scale = np.sqrt(np.maximum(degrees[kept], 0.0)) / np.maximum(spread, 1e-300)
        z = np.where(solved < 0, solved * np.diag(b) * scale, np.inf)
        kept = np.delete(kept, int(np.argmin(z)))
    return found


def _directions(rows: Matrix, degrees: float) -> float:
    """r, independent directions of the noise of m systems, in [1, m − 1]: (tr Σ)²/tr Σ², unbiased parts."""
    covariance = rows.T @ rows / degrees
    trace, squared = float(np.trace(covariance)), float(np.sum(covariance**2))
    rest = (squared - trace**2 / degrees) / (1 + 1 / degrees - 2 / degrees**2) if degrees > 1 else squared
    above = trace**2 - 2 * rest / degrees
    most = max(len(covariance) - 1.0, 1.0)
    return float(min(max(above / rest, 1.0), most)) if rest > 0 else most


def shrunken_variances(variances: Vector, degrees: float) -> tuple[Vector, float]:
    """Variances drawn towards a common one, and the degrees of freedom that this adds (Smyth 2004)."""
    told = variances[variances > 0]
    if not len(told):
        return np.zeros_like(variances), float("inf")
    mean = float(told.mean())
    logs = np.log(np.maximum(told, LEAST_VARIANCE * mean))
    away = logs - special.digamma(degrees / 2) + np.log(degrees / 2)
    spread = float(away.var(ddof=1)) - float(special.polygamma(1, degrees / 2)) if len(told) > 1 else 0.0
    if spread <= 0:
        return np.full_like(variances, mean), float("inf")
    half = _trigamma_inverse(spread)
    common = float(np.exp(away.mean() + special.digamma(half) - np.log(half)))
    added = 2 * half
    return (added * common + degrees * variances) / (added + degrees), added


def _trigamma_inverse(value: float) -> float:
    """x with ψ′(x) = value, by Newton’s method on 1/ψ′."""
    x = 0.5 + 1 / value
    for _ in range(50):
        found = float(special.polygamma(1, x))
        step = found * (1 - found / value) / float(special.polygamma(2, x))
        x += step
        if abs(step) < 1e-12 * x:
            break
    return float(x)

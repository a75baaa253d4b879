"""Significance tests by name: p-values of all pairs of systems, corrected for how many there are; ANOVA."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.plain import Written
from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.resources import in_threads
from truerank._support.seeds import stream
from truerank._support.types import Fraction, Matrix, OrNaN, Vector, Whole, WrittenAs
from truerank.errors import InputError, at
from truerank.numerics.pairs import (
    critical_t,
    doubly_centered,
    over_pairs,
    paired_t,
    sphericity,
    two_sided_p,
    two_way_squares,
)
from truerank.numerics.resampling import (
    blocks,
    holm,
    order_of_rows,
    sign_vectors,
    signed_statistics,
    single_step_p_values,
    step_down_p_values,
)
from truerank.planning.generalizability import VarianceComponents
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Filled
from truerank.scores import TIE, ScoreMatrix

ABOUT = explained_from(__file__)  # texts of the tests and corrections, by name


@dataclass(frozen=True)
class Correction(Entry):
    """A way to take account of how many hypotheses are tested.

    Attributes:
        adjust: from k p-values to k adjusted ones; ``None`` where the test itself must do it, by its
            :attr:`SignificanceTest.max_t`.

    Example:
        >>> CORRECTIONS["bonferroni"].adjust(np.array([0.01, 0.4, 0.03])).tolist()
        [0.03, 1.0, 0.09]
    """

    adjust: Callable[[Vector], Vector] | None


def _benjamini_hochberg(p: Vector) -> Vector:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"))


CORRECTIONS: Registry[Correction] = Registry(
    "correction",
    Correction("none", adjust=lambda p: p, **ABOUT["none"]),
    Correction("bonferroni", adjust=lambda p: np.minimum(p * len(p), 1.0), **ABOUT["bonferroni"]),
    Correction("holm", adjust=holm, **ABOUT["holm"]),
    Correction("bh", adjust=_benjamini_hochberg, **ABOUT["bh"]),
    Correction("max-t", adjust=None, **ABOUT["max-t"]),
)
"""``bonferroni``, ``holm`` and ``max-t`` bound the chance of any false positive, ``bh`` their share among
the positives.

Example:
    >>> import truerank
    >>> list(truerank.significance.CORRECTIONS)
    ['none', 'bonferroni', 'holm', 'bh', 'max-t']
"""


PERMUTATIONS = 10_000  # sign vectors, permutations or resamples, by default


@dataclass(frozen=True, eq=False)
class Found:
    """The p-values of a test."""

    p_values: Matrix  # of all pairs, read above the diagonal of m × m; or of each of k differences
    permutations: int | None = None  # how many are behind them; ``None`` where nothing is permuted
    exact: bool = False  # whether these are all that there are


@dataclass(frozen=True)
class SignificanceTest(Entry):
    """A test of pairs of systems on the same topics, two-sided.

    Attributes:
        p_values: from n × m scores, a number of permutations and a seed to the p-values of all pairs.
        simultaneous: whether they are corrected for all pairs already.
        max_t: from n × k differences, a number of permutations and a seed to p-values adjusted by the largest
            statistic; ``None`` where there is no such correction.
        statistic: from n × m scores to the m × m statistics of all pairs. It is above 0 where the row's
            system is the better one by what is tested; ``None`` where that is the mean.

    Example:
        >>> import numpy as np
        >>> from truerank.comparison.significance import TESTS
        >>> TESTS["sign"].p_values(np.array([[0.2, 0.1], [0.4, 0.3], [0.5, 0.1]]), 1, 0).p_values[0, 1]
        np.float64(0.25)
    """

    p_values: Callable[[Matrix, int, int], Found]
    simultaneous: bool = False
    max_t: Callable[[Matrix, int, int], Found] | None = None
    statistic: Callable[[Matrix], Matrix] | None = None

    def directions(self, scores: ScoreMatrix) -> Matrix:
        """m × m: 1 where the row's system is the better one by what is tested, −1 where it is the other."""
        if self.statistic is None:
            means = scores.means
            apart = means[:, None] - means
        else:
            apart = self.statistic(scores.values)
        return np.where(np.abs(apart) > TIE, np.sign(apart), 0.0)


def computed(p_values: Callable[[Matrix], Matrix]) -> Callable[[Matrix, int, int], Found]:
    return lambda values, permutations, seed: Found(p_values(values))


def table_to_test(scores: Any, measure: str | None = None, missing: Filled = "error") -> ScoreMatrix:
    """One table of at least two topics and systems; data sets of one score per system are its rows."""
    table = as_scores(scores, measure, missing, one_table="", ways=FILLED)
    if table.n == table.k > 1 and not table.weights:
        table = replace(table, topics=table.data_sets, data_sets=(), strata=None, families=())
    table = table.one_table("this")
    if table.m < 2 or table.n < 2:
        raise InputError(
            f"{at(table.source)}{table.unit.count(table.n)} and {table.m} system{'s' * (table.m != 1)}; "
            "testing pairs needs two of each at least"
        )
    return table


def check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        hint = f"; write {alpha / 100:g} for {alpha:g}%" if 1 <= alpha < 100 else ""
        raise InputError(f"alpha must be between 0 and 1, not {alpha:g}{hint}")


@dataclass(frozen=True, eq=False)
class PairwiseTests(Written):
    """The p-values of one test for all pairs of systems.

    Attributes:
        test: its name in :data:`TESTS`.
        correction: its name in :data:`CORRECTIONS`; Tukey's HSD and its randomized kin correct by themselves.
        systems: their names.
        p_values: m × m, symmetric, two-sided, adjusted; 1 on the diagonal.
        unadjusted: the same without the correction: each pair's achieved significance level.
        permutations: sign vectors, permutations or resamples behind them; ``None`` where there are none.
        exact: whether a randomization test took all sign vectors.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> tests = pairwise_tests(ap, "tukey")
        >>> tests.significant(0.05)[0].tolist(), round(tests.share(0.05), 2)
        ([False, True, True], 0.67)
    """

    test: str
    correction: str
    systems: tuple[str, ...]
    p_values: Matrix
    unadjusted: Matrix
    permutations: int | None = None
    exact: bool = False

    def significant(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Which pairs have p < α, m × m, symmetric."""
        return self.p_values < alpha

    def share(self, alpha: float = 0.05) -> float:
        """Share of the pairs with p < α: discriminative power (Sakai 2006)."""
        m = len(self.systems)
        return float(np.triu(self.significant(alpha), 1).sum() / (m * (m - 1) / 2))


def pairwise_tests(
    scores: Any, test: str = "t", correction: str = "none", *, permutations: int = PERMUTATIONS, seed: int = 0
) -> PairwiseTests:
    """Test all pairs of systems for a difference on the same topics, two-sided.

    A pair of systems with equal scores has p = 1. A constant non-zero difference has p = 0 in the t-test, and
    in F and Tukey's where nothing else varies.

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2.
        test: ``t``, ``wilcoxon`` (zero differences left out), ``sign``, ``randomization``, ``f`` (protected
            contrasts), ``tukey``, ``randomized-tukey``, ``friedman`` or ``nemenyi``.
        correction: ``none``, ``bonferroni``, ``holm``, ``bh`` or, for the t-test and the randomization test,
            ``max-t``; over the m(m − 1)/2 pairs.
        permutations: sign vectors, permutations within topics, or resamples of max-t; at least 1.
        seed: of these.

    Returns:
        The p-values of all pairs, adjusted.

    Raises:
        InputError: fewer than two topics or systems, no permutations, or a correction that the test does
            not have.
        UnknownNameError: no such test or correction.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> pairwise_tests(ap).p_values.round(3).tolist()
        [[1.0, 0.017, 0.021], [0.017, 1.0, 0.562], [0.021, 0.562, 1.0]]
    """
    chosen = TESTS.find(test)
    corrected = CORRECTIONS.find(correction)
    if chosen.simultaneous and correction != "none":
        raise InputError(f"{chosen.label} is corrected for all pairs already; leave out the correction")
    if corrected.adjust is None and chosen.max_t is None:
        able = " or ".join(name for name, one in TESTS.items() if one.max_t is not None)
        raise InputError(f"the correction {correction!r} goes with the test {able}, not {chosen.name}")
    if permutations < 1:
        raise InputError(f"at least one permutation is needed, not {permutations}")
    table = table_to_test(scores)
    found = chosen.p_values(table.values, permutations, seed)
    first, second = np.triu_indices(table.m, 1)
    p = found.p_values[first, second]
    if corrected.adjust is not None:
        adjusted = corrected.adjust(p)
    elif chosen.max_t is not None:
        found = chosen.max_t(table.values[:, first] - table.values[:, second], permutations, seed)
        adjusted = found.p_values
    both = of_pairs(adjusted, table.m), of_pairs(p, table.m)
    return PairwiseTests(chosen.name, correction, table.systems, *both, found.permutations, found.exact)


def of_pairs(p: Vector, m: int) -> Matrix:
    """p-values of the pairs i < j as a symmetric matrix with 1 on the diagonal."""
    square = np.ones((m, m))
    first, second = np.triu_indices(m, 1)
    square[first, second] = square[second, first] = p
    return square


@dataclass(frozen=True)
class Anova(Written):
    """The table of a two-way analysis of variance, and the F test of the systems.

    Attributes:
        topics: how many, n.
        systems: how many, m.
        ss_systems: sum of squares between the systems' means.
        ss_topics: between the topics' means.
        ss_error: what is left, the interaction of systems and topics among it.
        f: MS of the systems over that of the error; infinite where no error is left, NaN where nothing
            differs.
        p_value: in [0, 1], of F with m − 1 and (m − 1)(n − 1) degrees of freedom; 1 where nothing differs. It
            holds if the differences of all pairs vary alike over topics.
        epsilon: how nearly they do, from 1/(m − 1) to 1 (Greenhouse and Geisser 1959).
        p_corrected: in [0, 1], of F with ε times both degrees of freedom: it holds where they do not.

    Example:
        >>> table = anova([[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]])
        >>> table.df_systems, table.df_error, round(table.f, 3), round(table.p_value, 4)
        (2, 6, 18.199, 0.0028)
        >>> round(table.epsilon, 3), round(table.p_corrected, 4)
        (0.729, 0.0088)
        >>> round(table.least_significant_difference(0.05), 3)
        0.157
    """

    topics: Whole
    systems: Whole
    ss_systems: float
    ss_topics: float
    ss_error: float
    f: OrNaN
    p_value: Annotated[
        Fraction,
        WrittenAs(
            "p_value",
            *("df_systems", "df_topics", "df_error", "ms_systems", "ms_topics", "ms_error"),
            "variance_components",
        ),
    ]
    epsilon: Fraction
    p_corrected: Fraction

    @property
    def df_systems(self) -> Whole:
        """Degrees of freedom of the systems, m − 1."""
        return self.systems - 1

    @property
    def df_topics(self) -> Whole:
        """Degrees of freedom of the topics, n − 1."""
        return self.topics - 1

    @property
    def df_error(self) -> Whole:
        """Degrees of freedom of the error, (m − 1)(n − 1)."""
        return self.df_systems * self.df_topics

    @property
    def ms_systems(self) -> float:
        """Mean square of the systems."""
        return self.ss_systems / self.df_systems

    @property
    def ms_topics(self) -> float:
        """Mean square of the topics."""
        return self.ss_topics / self.df_topics

    @property
    def ms_error(self) -> float:
        """Mean square of the error."""
        return self.ss_error / self.df_error

    @property
    def variance_components(self) -> dict[str, float]:
        """Variances of ``systems``, ``topics`` and ``error``; a negative estimate counts as 0."""
        squares = (self.ms_systems, self.ms_topics, self.ms_error)
        found = VarianceComponents(*squares, self.topics, self.systems, self.df_error)
        return {"systems": found.system, "topics": found.topic, "error": found.residual}

    def least_significant_difference(self, alpha: float = 0.05) -> float:
        """Fisher's: the least difference of two means whose contrast has p < α, ``t_{1−α/2} √(2 MS_e/n)``."""
        check_alpha(alpha)
        return critical_t(alpha, self.df_error + 1) * math.sqrt(2 * self.ms_error / self.topics)


def anova(scores: Any) -> Anova:
    """Two-way analysis of variance without replication, and the F test of equal systems. O(n·m).

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2 systems.

    Returns:
        The table.

    Raises:
        InputError: the scores cannot be read, or fewer than two topics or systems.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> round(anova([[0.2, 0.4], [0.3, 0.6], [0.1, 0.2]]).f, 6)
        12.0
    """
    from truerank.numerics.special import fdtrc

    table = table_to_test(scores)
    n, m = table.values.shape
    systems, topics, error = two_way_squares(table.values)
    if error == 0:
        f, p = (math.inf, 0.0) if systems else (math.nan, 1.0)
        return Anova(n, m, systems, topics, error, f, p, 1.0, p)
    f = systems / (m - 1) / (error / ((m - 1) * (n - 1)))
    epsilon = sphericity(doubly_centered(table.values))
    p, corrected = (float(fdtrc(share * (m - 1), share * (m - 1) * (n - 1), f)) for share in (1.0, epsilon))
    return Anova(n, m, systems, topics, error, f, p, epsilon, corrected)


CHUNK = 1024  # permutations compared at a time: each thread keeps m × this many doubles


def sign_flipped_family(differences: Matrix, permutations: int, seed: int) -> Found:
    """Step-down max-T over sign vectors, the same for all differences, which keeps their dependence."""
    n = len(differences)
    signs, exact = sign_vectors(n, permutations, stream(seed, "randomization"))
    differences = differences[order_of_rows(np.abs(differences))]
    (observed,) = signed_statistics(differences, np.ones((1, n)))
    p = step_down_p_values(observed[0], signed_statistics(differences, signs), own=0 if exact else 1)
    return Found(p, len(signs), exact)


def _untied(differences: Matrix) -> Matrix:
    """The differences with exact zeros and ties, so that equal ones get equal ranks."""
    return np.where(np.abs(differences) <= TIE, 0.0, differences).round(12)


def _by_signs(differences: Matrix) -> Matrix:
    """p of each row of differences, by the exact sign test."""
    from truerank.numerics.special import bdtr

    signs = np.sign(_untied(differences)).astype(np.intp)
    counted = np.count_nonzero(signs, axis=1)
    fewer = (counted - np.abs(signs.sum(axis=1))) / 2
    return np.where(counted > 0, np.minimum(1.0, 2 * bdtr(fewer, counted, 0.5)), 1.0)


def _by_ranks(differences: Matrix) -> Matrix:
    """p of each row of differences, by Wilcoxon's signed ranks: exact where no two are of the same size."""
    from scipy.stats import wilcoxon

    differences = _untied(differences)
    p = np.ones(len(differences))
    some = np.any(differences != 0, axis=1)
    sizes = np.sort(np.abs(differences), axis=1)
    distinct = (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)
    for plain, rows in ((True, some & distinct), (False, some & ~distinct)):
        if rows.any():
            p[rows] = wilcoxon(differences[rows], axis=1, method="auto" if plain else "approx").pvalue
    return p


def _both_ways(values: Matrix, statistic: Callable[[Matrix], Matrix]) -> Matrix:
    """A statistic of the differences of every pair i < j, and minus that of j and i."""
    above = np.triu(over_pairs(values, statistic), 1)
    return above - above.T


def _more_signs(differences: Matrix) -> Matrix:
    """How many more differences are above 0 than below, for each row."""
    return np.asarray(np.sign(_untied(differences)).sum(axis=1))


def _higher_ranks(differences: Matrix) -> Matrix:
    """The sum of the signed ranks of each row of differences; those of 0 are left out."""
    from scipy.stats import rankdata

    differences = _untied(differences)
    ranks = rankdata(np.abs(differences), axis=1) - np.sum(differences == 0, axis=1, keepdims=True)
    return np.asarray(np.sum(np.sign(differences) * ranks, axis=1))


def _by_random_signs(values: Matrix, permutations: int, seed: int) -> Found:
    """p of sign flipping, m × m: ``(1 + at least as extreme)/(1 + permutations)`` (Phipson & Smyth 2010)."""
    values = values[order_of_rows(values)]
    n, m = values.shape
    signs, exact = sign_vectors(n, permutations, stream(seed, "randomization"))
    means = values.mean(axis=0)
    # Centering a system's scores would change its signed means; the topics' own means cancel in pairs.
    flipped = np.ascontiguousarray(((values - values.mean(axis=1, keepdims=True)).T @ signs.T) / n)
    extreme = np.zeros((m, m), dtype=np.int64)

    def count(system: int) -> None:
        observed = np.abs(means[system] - means[system + 1 :]) - TIE
        for start in range(0, len(signs), CHUNK):
            chunk = flipped[:, start : start + CHUNK]
            reached = np.abs(chunk[system + 1 :] - chunk[system]) >= observed[:, None]
            extreme[system, system + 1 :] += np.count_nonzero(reached, axis=1)

    in_threads(count, range(m - 1))
    own = 0 if exact else 1  # a random sample counts the observed signs as one of the permutations
    p = (extreme + extreme.T + own) / (len(signs) + own)
    np.fill_diagonal(p, 1.0)
    return Found(p, len(signs), exact)


KNOTS = 4001  # points at which the distribution of the range is tabulated; its spline is good to 1e-11
NODES = 251  # nodes of the trapezoid rules; half as many give 1e-6 at worst (one degree of freedom)


def differences_of_means(values: Matrix) -> Matrix:
    means = values.mean(axis=0)
    return np.abs(means[:, None] - means)


def _in_errors(values: Matrix) -> tuple[Matrix, Anova]:
    """Differences of means in standard errors of one mean, by the analysis of variance."""
    table, apart = anova(values), differences_of_means(values)
    if table.ss_error == 0:
        return np.where(apart <= TIE, 0.0, np.inf), table
    return apart / np.sqrt(table.ms_error / table.topics), table


def _protected(p: Matrix, of_all: float) -> Matrix:
    """p-values of pairs, none below that of all systems together, 1 on the diagonal."""
    p = np.maximum(p, of_all)
    np.fill_diagonal(p, 1.0)
    return p


def f_p_values(values: Matrix) -> Matrix:
    """p of Fisher's protected contrasts, m × m: ``F = n (x̄_i − x̄_j)² / (2 MS_e)`` with 1, (m − 1)(n − 1)."""
    q, table = _in_errors(values)
    return _protected(two_sided_p(q / np.sqrt(2), table.df_error + 1), table.p_value)


def tukey_p_values(values: Matrix) -> Matrix:
    """p of Tukey's honestly significant differences, m × m, of |x̄_i − x̄_j|/√(MSE/n) (Sakai 2018, ch. 4)."""
    q, table = _in_errors(values)
    pairs = q[np.triu_indices(table.systems, 1)]
    return of_pairs(studentized_range_sf(pairs, table.systems, table.df_error), table.systems)


def studentized_range_sf(q: ArrayLike, k: int, degrees: int) -> Matrix:
    """P(Q > q) for the studentized range of k means, for many q at once; absolute error below 1e-9.

    ``P(Q ≤ q) = ∫ f(s) R_k(q s) ds`` with f the density of √(χ²_ν/ν) and R_k that of the range of k normal
    variables, ``R_k(x) = k ∫ φ(z) [Φ(z) − Φ(z − x)]^{k−1} dz``.
    """
    from scipy.interpolate import CubicSpline
    from scipy.optimize import brentq

    from truerank.numerics.special import gammaln

    values = np.asarray(q, dtype=np.float64)

    # f in u = log s, unimodal around 0: log f(u) = ν (u + ½ − e^{2u}/2) + constant.
    def fall(u: float) -> float:  # from its mode, in multiples of ν, to 10⁻¹⁷
        return float(degrees * (u + 0.5 - 0.5 * np.exp(2 * u)) + 40.0)

    u = np.linspace(brentq(fall, -41.0 / degrees - 1.0, 0.0), brentq(fall, 0.0, 5.0), NODES)
    log_density = degrees * (u + 0.5 - 0.5 * np.exp(2 * u))
    constant = np.log(2) + 0.5 * degrees * np.log(0.5 * degrees) - gammaln(0.5 * degrees) - 0.5 * degrees
    weights = np.exp(log_density + constant) * (u[1] - u[0])

    top = 17.0 + np.sqrt(2 * np.log(k))  # beyond, R_k is 1 to the last digit
    x = np.linspace(0.0, top, KNOTS)
    spread = CubicSpline(x, _range_cdf(x, k))
    cdf = np.zeros(values.shape)
    for weight, s in zip(weights, np.exp(u), strict=True):
        cdf += weight * spread(np.minimum(values * s, top))
    return np.clip(1.0 - cdf, 0.0, 1.0)


def _range_cdf(x: Matrix, k: int) -> Matrix:
    """R_k(x), the distribution of the range of k standard normal variables."""
    from truerank.numerics.special import ndtr

    z = np.linspace(-9.0, 9.0, NODES)
    weights = k * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    return np.clip((ndtr(z) - ndtr(z - x[:, None])) ** (k - 1) @ weights, 0.0, 1.0)


def _by_permutations(values: Matrix, permutations: int, seed: int) -> Found:
    """The randomized Tukey HSD; corrected for all pairs."""
    rng, m = stream(seed, "randomized tukey"), values.shape[1]
    alike = np.sort(values[order_of_rows(values)], axis=1)  # the same digits in whatever order scores are
    dealt = (
        rng.permuted(np.broadcast_to(alike, (len(range(permutations)[rows]), *alike.shape)), axis=2)
        for rows in blocks(permutations, alike.size)
    )
    ranges = (np.ptp(one.mean(axis=1), axis=1)[:, None] for one in dealt)
    apart = differences_of_means(values)[np.triu_indices(m, 1)]
    return Found(of_pairs(single_step_p_values(apart, ranges), m), permutations)


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of no difference between the systems."""

    ranks: Vector  # m mean ranks, the best system's lowest; equal scores share their mean rank
    statistic: float  # χ² with m − 1 degrees of freedom, corrected for equal scores
    p_value: float
    error: float  # √(m(m + 1) / 6n), the standard error of a difference of mean ranks without ties


def friedman(values: Matrix) -> Friedman:
    """Friedman's test of n × m scores. O(n·m log m)."""
    from scipy.stats import rankdata

    from truerank.numerics.special import chdtrc

    n, m = values.shape
    away = rankdata(-values, axis=1) - (m + 1) / 2
    means, squares = away.mean(axis=0), float(np.sum(away**2))  # less where scores are equal
    statistic = n**2 * (m - 1) * float(np.sum(means**2)) / squares if squares > 0 else 0.0
    error = math.sqrt(m * (m + 1) / (6 * n))
    return Friedman(means + (m + 1) / 2, statistic, float(chdtrc(m - 1, statistic)), error)


def friedman_p_values(values: Matrix) -> Matrix:
    """p-values of differences of mean ranks, m × m, protected by Friedman's test."""
    from truerank.numerics.special import ndtr

    found = friedman(values)
    return _protected(2 * ndtr(-np.abs(_of_ranks(values)) / found.error), found.p_value)


def _of_ranks(values: Matrix) -> Matrix:
    """How much lower, which is better, the mean rank of each row's system is than each column's."""
    ranks = friedman(values).ranks
    return ranks - ranks[:, None]


def nemenyi_p_values(values: Matrix) -> Matrix:
    """p-values of Nemenyi's test of all pairs, m × m, 1 on the diagonal."""
    q = np.sqrt(2) * np.abs(_of_ranks(values)) / friedman(values).error
    pairs = q[np.triu_indices(len(q), 1)]  # the studentized range with infinite degrees of freedom
    return of_pairs(np.clip(1.0 - _range_cdf(pairs, len(q)), 0.0, 1.0), len(q))


_TESTS: dict[str, dict[str, Any]] = {
    "t": {
        "p_values": computed(lambda values: two_sided_p(paired_t(values), len(values))),
        "max_t": sign_flipped_family,
    },
    "wilcoxon": {
        "p_values": computed(partial(over_pairs, statistic=_by_ranks)),
        "statistic": partial(_both_ways, statistic=_higher_ranks),
    },
    "sign": {
        "p_values": computed(partial(over_pairs, statistic=_by_signs)),
        "statistic": partial(_both_ways, statistic=_more_signs),
    },
    "randomization": {"p_values": _by_random_signs, "max_t": sign_flipped_family},
    "f": {"p_values": computed(f_p_values)},
    "tukey": {"p_values": computed(tukey_p_values), "simultaneous": True},
    "randomized-tukey": {"p_values": _by_permutations, "simultaneous": True},
    "friedman": {"p_values": computed(friedman_p_values), "statistic": _of_ranks},
    "nemenyi": {"p_values": computed(nemenyi_p_values), "simultaneous": True, "statistic": _of_ranks},
}

TESTS: Registry[SignificanceTest] = Registry(
    "significance test", *(SignificanceTest(name, **ABOUT[name], **how) for name, how in _TESTS.items())
)
"""The significance tests by name; ``register`` adds one.

Example:
    >>> import truerank
    >>> truerank.significance.TESTS["t"].label
    'paired t-test'
"""

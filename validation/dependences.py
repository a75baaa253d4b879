"""Ways to shrink the correlations behind intervals, compared on collections with a known truth.

Probabilities from `eb`; the covariance that couples the pairs is the sample one, Ledoit–Wolf's linear
shrinkage (`shrunk`), Ledoit and Wolf's analytical nonlinear shrinkage (2020), factor models with 1, 2
and 4 factors, and the simulator's own. docs/methods/evidence/empirical-bayes-coverage.md
says what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

import truerank
from truerank import simulation
from truerank.coefficients import TAU, TAU_AP
from truerank.experiments.shared.simulated import Context, SimulatedParameters
from truerank.reliability.dependence import covariance, shrunk_covariance
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.predictive import Predictive
from truerank.simulation.model import SimulationModel
from validation.checks import Checks, data_folder

Matrix = NDArray[np.float64]

COLLECTIONS, DRAWS = 200, 1_000
TOPICS = (10, 20, 50)
TABLES = ("adhoc6_ap", "web2010_ap", "web2010_p10")
SIMULATORS: dict[str, dict[str, str]] = {"effects": {"truth": "model"}, "copula": {}}
LEVELS = (0.8, 0.9, 0.95)


def nonlinear(standard: Matrix) -> Matrix:
    """Analytical nonlinear shrinkage of n × m centred data (Ledoit & Wolf 2020, §4.7), n − 1 degrees."""
    n, m = len(standard) - 1, standard.shape[1]
    values, vectors = np.linalg.eigh(standard.T @ standard / n)
    # Centred rows leave one direction without variance, which is no data.
    empty = int(np.sum(values[max(0, m - n) :] < 1e-10 * values[-1]))
    vectors, m = vectors[:, empty:] if m <= n else vectors, m - empty if m <= n else m
    positive = np.maximum(values[-min(m, n) :], 1e-10 * values[-1])
    bandwidth = n ** (-1 / 3)
    scales = bandwidth * positive[None, :]
    x = (positive[:, None] - positive[None, :]) / scales
    density = (3 / 4 / np.sqrt(5)) * np.mean(np.maximum(1 - x**2 / 5, 0) / scales, axis=1)
    edge = np.isclose(np.abs(x), np.sqrt(5))
    ratio = np.abs((np.sqrt(5) - x) / np.where(edge, 1.0, np.sqrt(5) + x))
    logs = np.log(np.where(edge, 1.0, np.maximum(ratio, 1e-300)))
    hilbert = -3 / 10 / np.pi * x + 3 / 4 / np.sqrt(5) / np.pi * (1 - x**2 / 5) * logs
    hilbert = np.mean(hilbert / scales, axis=1)
    share = m / n
    if m <= n:
        shrunk = positive / (
            (np.pi * share * positive * density) ** 2 + (1 - share - np.pi * share * positive * hilbert) ** 2
        )
    else:
        h = np.sqrt(5) * bandwidth
        inner = 3 / 10 / bandwidth**2 + 3 / 4 / np.sqrt(5) / bandwidth * (1 - 1 / 5 / bandwidth**2) * np.log(
            abs((1 + h) / (1 - h))
        )
        null = 1 / (np.pi * (m - n) / n * (inner * np.mean(1 / positive) / np.pi))
        rest = positive / (np.pi**2 * positive**2 * (density**2 + hilbert**2))
        shrunk = np.concatenate([np.full(m - n, max(null, 1e-12)), rest])
    found: Matrix = (vectors * shrunk) @ vectors.T
    return found


def factors(count: int, standard: Matrix) -> Matrix:
    """The leading principal components, and on the diagonal what they leave."""
    sample = standard.T @ standard / (len(standard) - 1)
    values, vectors = np.linalg.eigh(sample)
    kept: Matrix = (vectors[:, -count:] * values[-count:]) @ vectors[:, -count:].T
    np.fill_diagonal(kept, np.maximum(np.diag(sample), np.diag(kept)))
    return kept


WAYS: dict[str, Callable[[Matrix], Matrix]] = {
    "nonlinear": nonlinear,
    "1 factor": partial(factors, 1),
    "2 factors": partial(factors, 2),
    "4 factors": partial(factors, 4),
}


@dataclass(frozen=True)
class Cell:
    """One population and size."""

    name: str
    model: SimulationModel
    own: Matrix
    topics: int


def measure(cell: Cell) -> dict[str, Matrix]:
    """For each way, over the collections: τ's variance and its coverage, then τ_AP's."""
    eb = ESTIMATORS["eb"]
    assert isinstance(eb, PairEstimator)
    context = Context(
        SimulatedParameters(topics=(3,), estimators=("eb",)), {"m": cell.model}, (eb,), (TAU, TAU_AP)
    )
    rows: dict[str, list[list[float]]] = {}
    for trial in range(COLLECTIONS):
        one = context.collection({"data": "m", "topics": cell.topics}, 1_000 * cell.topics + trial)
        values = one.sample.values
        known = {name: shrunk_covariance(values, way) for name, way in WAYS.items()}
        known["true"] = cell.own[np.ix_(one.order, one.order)]
        predictive = Predictive(TopicSample(values, seed=trial), (TAU, TAU_AP), DRAWS, known)
        for name in ("shrunk", "sample", *known):
            swaps = predictive.draws(eb, name)
            row = []
            for c in (TAU, TAU_AP):
                draws, actual = swaps.coefficient(c), one.actual(c)
                ends = [np.quantile(draws, [(1 - v) / 2, (1 + v) / 2]) for v in LEVELS]
                row += [actual, float(draws.var()), *(float(low <= actual <= high) for low, high in ends)]
            rows.setdefault(name, []).append(row)
    return {name: np.array(found) for name, found in rows.items()}


def run(checks: Checks) -> None:
    """Print the comparison; check that what `shrunk` is chosen for holds."""
    folder = data_folder()
    cells = []
    for table in TABLES:
        kept = truerank.read_scores(folder / "trec" / f"{table}.csv").drop_bottom(0.25)
        for simulator, options in SIMULATORS.items():
            model = simulation.fit(kept, simulator, seed=1, **options)
            own = covariance(model.sample(20_000, 99).values, "sample")
            cells += [Cell(f"{table} ({simulator})", model, own, n) for n in TOPICS]
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(measure, cells))
    checks.note(
        f"{COLLECTIONS} collections a population and size; coverage at {LEVELS}, mean over populations"
    )
    for offset, label in ((0, "tau"), (2 + len(LEVELS), "tau_ap")):
        for name in found[0]:
            for n in TOPICS:
                rows = [f[name][:, offset:] for f, cell in zip(found, cells, strict=True) if cell.topics == n]
                ratios = [one[:, 1].mean() / one[:, 0].var(ddof=1) for one in rows]
                covered = np.array([one[:, 2 : 2 + len(LEVELS)].mean(axis=0) for one in rows])
                checks.note(
                    f"  {label:6} {name:10} n={n:3}  variance/actual {min(ratios):.2f} to {max(ratios):.2f}  "
                    f"coverage {' '.join(f'{100 * c:5.1f}' for c in covered.mean(axis=0))}  "
                    f"worst miss {100 * np.abs(covered - LEVELS).max():4.1f}"
                )
                if name == "shrunk" and n >= 20:
                    nominal = np.array(LEVELS)
                    noise = 2 * np.sqrt(nominal * (1 - nominal) / (COLLECTIONS * len(rows)))
                    misses = np.abs(covered.mean(axis=0) - nominal)
                    what = f"{label}, shrunk, n = {n}: mean coverage within 3 points"
                    checks.that(what, bool((misses <= 0.03 + noise).all()))

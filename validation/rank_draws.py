"""Ways to tie the ranks of all systems together, compared on collections with a known truth.

Probabilities from `eb`. All systems share one scale in a draw, or each has its own, as uncertain as a
variance is that was estimated from scores of some kurtosis. docs/methods/evidence/ranks.md says what follows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import truerank
from truerank import simulation
from truerank.experiments.shared.simulated import Context, SimulatedParameters
from truerank.numerics.matrices import doubly_centered
from truerank.reliability.predictive import Predictive
from truerank.reliability.rank_draws import KURTOSIS, scaled_draws, swaps_by_share
from truerank.reliability.standings import rank_bands
from truerank.simulation.model import SimulationModel
from validation.checks import Checks, data_folder
from validation.studies.joint_ranks import Truth

COLLECTIONS, DRAWS, LEVEL = 10, 2_000, 0.95
TOPICS = (10, 20, 50, 100)
TABLES = ("adhoc6_ap", "adhoc7_ap", "web2010_ap", "web2010_p10", "robust2003_ap", "terabyte2006_ap")
SIMULATORS: dict[str, dict[str, str]] = {"effects": {"truth": "model"}, "copula": {}}
COMMON = "one scale for all"
OWN = {"own scales, kurtosis 3": 3.0, f"own scales, kurtosis {KURTOSIS:g}": KURTOSIS}


def measure(model: SimulationModel, topics: int) -> NDArray[np.float64]:
    """Ways × (all inside, width, best in the set, size of the set), means over the collections."""
    context = Context(SimulatedParameters(topics=(3,), estimators=("eb",)), {"m": model}, (), ())
    found = []
    for trial in range(COLLECTIONS):
        one = context.collection({"data": "m", "topics": topics}, 1_000 * topics + trial)
        truth = Truth.of(one.truth)
        predictive = Predictive(one.sample, (), DRAWS)
        probabilities, covariance = predictive.fit("eb").probabilities, predictive.covariance("shrunk")
        rows = []
        for way in (COMMON, *OWN):
            if way == COMMON:
                ranks = predictive.draws("eb").ranks()
            else:
                rng = np.random.default_rng(trial)
                values = scaled_draws(covariance, topics - 1, DRAWS, rng, OWN[way])
                ranks = swaps_by_share(values, probabilities, rng).ranks()
            bands = rank_bands(ranks, LEVEL)
            best = np.flatnonzero(bands.joint_low == 1)
            inside = truth.inside(bands.joint_low, bands.joint_high).all()
            width = (bands.joint_high - bands.joint_low + 1).mean()
            rows.append([inside, width, truth.among(best, 1), len(best)])
        found.append(rows)
    return np.array(found, dtype=float).mean(axis=0)


def run(checks: Checks) -> None:
    """Print the comparison; check that scales of their own are what holds the promise."""
    folder = data_folder()
    models = []
    for table in TABLES:
        scores = truerank.read_scores(folder / "trec" / f"{table}.csv").drop_identical().drop_bottom(0.25)
        residuals = doubly_centered(scores.values)
        kurtosis = float(np.mean(np.mean((residuals / residuals.std(axis=0)) ** 4, axis=0)))
        checks.note(f"  {table}: kurtosis {kurtosis:.1f}")
        models += [simulation.fit(scores, name, seed=1, **options) for name, options in SIMULATORS.items()]
    count = COLLECTIONS * len(models)
    checks.note(f"{count} collections a size; all inside at once, mean width, the best in its set, size")
    error = np.sqrt(LEVEL * (1 - LEVEL) / count)
    for n in TOPICS:
        means = np.mean([measure(model, n) for model in models], axis=0)
        for way, row in zip((COMMON, *OWN), means, strict=True):
            checks.note(
                f"  n={n:3}  {way:25} {100 * row[0]:5.1f}%  {row[1]:5.1f}  "
                f"{100 * row[2]:5.1f}%  {row[3]:5.1f}"
            )
        needed = (0.90 if n < 20 else 0.93) - 3 * error
        checks.that(
            f"bands by own scales, n = {n}", bool(means[-1, 0] >= needed), f"{100 * means[-1, 0]:.1f}%"
        )

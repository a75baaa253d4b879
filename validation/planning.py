"""Plans against published collections: τ predicted from pilots, and what it really was at other sizes.

600 simulated collections of adhoc6 are published with the τ that each has with the truth: 60 of each of ten
sizes. From those of 10, 20 and 50 topics τ is predicted at other sizes, and set beside the mean of the
published ones there, by the posterior, by plug-in, and by the published map of Eρ².
"""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.planning import mapped, variance_components
from truerank.planning.beliefs import after_pilot
from truerank.reliability.means.means import plain_means
from truerank.scores import ranking_order
from validation.checks import Checks, data_folder

PILOTS = (10, 20, 50)
SIZES = (10, 20, 50, 100)
MOST = 0.02
"""Bias allowed, beside three standard errors."""


def run(checks: Checks) -> None:
    """Predict and compare."""
    import pandas as pd
    from scipy.special import ndtr

    folder = data_folder() / "published"
    truth = pd.read_csv(folder / "adhoc6_tau.csv.gz")
    actual = truth.groupby("n_t")["actual"].agg(["mean", "sem"]).loc[list(SIZES)]
    collections = pd.read_csv(folder / "adhoc6_collections.csv.gz")
    for n in PILOTS:
        found: dict[str, list[Matrix]] = {"eb": [], "plug-in": [], "map": []}
        for _, rows in collections[collections["n_t"] == n].groupby("trial"):
            values = rows.drop(columns=["trial", "n_t"]).to_numpy(dtype=float)
            ranked = np.ascontiguousarray(values[:, ranking_order(values.mean(axis=0))])
            found["eb"].append(1 - 2 * after_pilot(plain_means(ranked)).wrong(list(SIZES)))
            upper = np.triu_indices(ranked.shape[1], 1)
            means, covariance = ranked.mean(axis=0), np.cov(ranked, rowvar=False)
            variances = np.diag(covariance)
            deviations = np.sqrt((variances[:, None] + variances - 2 * covariance)[upper])
            effects = (means[:, None] - means)[upper] / deviations
            found["plug-in"].append(
                np.array([1 - 2 * ndtr(-np.sqrt(size) * effects).mean() for size in SIZES])
            )
            g = variance_components(ranked)
            found["map"].append(
                np.array([mapped(g.relative(size), g.absolute(size))["tau"] for size in SIZES])
            )
        bias = {name: np.mean(values, axis=0) - actual["mean"].to_numpy() for name, values in found.items()}
        error = np.hypot(np.std(found["eb"], axis=0) / np.sqrt(len(found["eb"])), actual["sem"].to_numpy())
        said = "; ".join(f"{name} {', '.join(f'{b:+.3f}' for b in one)}" for name, one in bias.items())
        checks.that(
            f"pilots of {n} topics: bias of eb at {', '.join(map(str, SIZES))} topics at most {MOST}",
            bool(np.all(np.abs(bias["eb"]) <= MOST + 3 * error)),
            said,
        )
        checks.that(
            f"pilots of {n} topics: nearer than plug-in and map on average",
            bool(np.abs(bias["eb"]).mean() < min(np.abs(bias[name]).mean() for name in ("plug-in", "map"))),
            said,
        )

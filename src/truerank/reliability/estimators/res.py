"""`res`: the share of resamples in which a pair is swapped (urbano-marrero-2016, eq. 10)."""

from __future__ import annotations

from truerank.reliability.estimators.estimator import ABOUT, PairEstimator

RES = PairEstimator(
    "res",
    probabilities=lambda sample: sample.resampled[0],
    resampled=True,
    needs="replicates",
    replicates=lambda sample: sample.replicates,
    **ABOUT["res"],
)

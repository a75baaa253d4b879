"""How often do tests of all pairs find differences where none is? The table of docs/methods/significance.md.

Ten of the best twenty systems of TREC-6 ad hoc (AP): topics are drawn again, and each topic's scores dealt
anew, so that all systems are alike. A corrected test may then find anything in 5% of the samples.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import truerank
from truerank._support.seeds import stream
from truerank.comparison.significance import pairwise_tests
from validation.checks import Checks, data_folder

SAMPLES, PERMUTATIONS, ALPHA = 400, 499, 0.05
TOPICS = (10, 25, 50)
METHODS = (
    ("t", "none"),
    ("t", "holm"),
    ("t", "max-t"),
    ("wilcoxon", "holm"),
    ("sign", "holm"),
    ("f", "none"),
    ("tukey", "none"),
    ("randomized-tukey", "none"),
)


def found_anything(sample: int, topics: int) -> list[bool]:
    """Whether each method finds any difference in one sample without differences."""
    scores = truerank.read_scores(data_folder() / "trec" / "adhoc6_ap.csv").ranked().values[:, :20:2]
    rng = stream(1, "significance", topics, sample)
    drawn = rng.permuted(scores[rng.integers(0, len(scores), topics)], axis=1)
    return [
        bool(
            np.nanmin(
                pairwise_tests(drawn, test, correction, permutations=PERMUTATIONS, seed=sample).p_values[
                    np.triu_indices(drawn.shape[1], 1)
                ]
            )
            < ALPHA
        )
        for test, correction in METHODS
    ]


def run(checks: Checks) -> None:
    """Print the share of samples with any false positive, and check the corrected ones."""
    data_folder()
    checks.note("  topics  " + "  ".join(f"{test}, {correction}" for test, correction in METHODS))
    error = np.sqrt(ALPHA * (1 - ALPHA) / SAMPLES)
    with ProcessPoolExecutor() as pool:
        for topics in TOPICS:
            work = partial(found_anything, topics=topics)
            shares = np.mean(list(pool.map(work, range(SAMPLES), chunksize=20)), axis=0)
            checks.note(f"  {topics:6}  " + "  ".join(f"{100 * share:.1f}" for share in shares))
            for (test, correction), share in list(zip(METHODS, shares, strict=True))[1:]:
                checks.that(
                    f"{test}, {correction}, {topics} topics: any false positive in at most 5% + 3 errors",
                    bool(share <= ALPHA + 3 * error),
                    f"{share:.3f} (standard error {error:.3f})",
                )

"""The estimators experiment: processor time by estimator, the whole grid's cost, and memory by trials."""

from __future__ import annotations

import subprocess
import sys
import tempfile

import numpy as np

from truerank import experiments
from truerank.scores import ScoreMatrix

PUBLISHED = 10_000
"""Collections of the published experiment for one original: 1,000 of each of ten sizes."""

PEAK = """
import resource, sys
from truerank import experiments
experiments.run("estimators", {"demo": sys.argv[1]}, sys.argv[2], workers=1, trials=int(sys.argv[3]),
                topics=(20,), estimators=("ml", "msqd"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def original(systems: int = 55, topics: int = 50) -> ScoreMatrix:
    """AP-like scores of the size of TREC-6 ad hoc without its bottom quarter."""
    rng = np.random.default_rng(1)
    hard = rng.beta(1.5, 3, (topics, 1))
    values = np.clip(hard * np.linspace(1, 0.5, systems) + 0.1 * rng.standard_normal((topics, systems)), 0, 1)
    return ScoreMatrix.build(values.round(4), measure="AP")


def run() -> None:
    """Print the tables."""
    import truerank

    scores = original()
    with tempfile.TemporaryDirectory() as folder:
        found = experiments.run(
            "estimators", {"demo": scores}, f"{folder}/run", workers=1, trials=8, drop_bottom=0.0
        )
        print(f"55 systems, 10 … 100 topics, T = 1,000: processor time of one core, {found.done} collections")
        for part in found.seconds().itertuples():
            hours = part.ms_a_task * PUBLISHED / 1000 / 60
            print(
                f"  {part.part:12} {part.ms_a_task:8.2f} ms a collection {hours:8.2f} min for {PUBLISHED:,}"
            )
        truerank.write_scores(scores, f"{folder}/scores.csv")
        print("peak memory by number of trials, one process")
        for trials in (100, 1_000, 4_000):
            command = [sys.executable, "-c", PEAK, f"{folder}/scores.csv", f"{folder}/{trials}", str(trials)]
            peak = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"  {trials:6,} trials {peak:8.0f} MB")


if __name__ == "__main__":
    run()

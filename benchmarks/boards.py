"""What a leaderboard costs: 330 systems × 40 data sets × 100 topics, and one score a cell.

With intervals and ranks; the ratio is to one data set of as many topics.
"""

from __future__ import annotations

import numpy as np

import truerank
from truerank.scores import ScoreMatrix
from validation.timing import once, peak_memory, row

SYSTEMS, SETS, TOPICS = 330, 40, 100


def run() -> None:
    """Print times and the peak of memory."""
    rng = np.random.default_rng(0)
    shape = (SETS * TOPICS, SYSTEMS)
    values = rng.normal(np.linspace(0.6, 0.4, SYSTEMS), 0.15, shape) + rng.normal(0, 0.2, (shape[0], 1))
    names = np.repeat([f"set {k}" for k in range(SETS)], TOPICS).tolist()
    board = ScoreMatrix.build(values, data_sets=names)
    cells = ScoreMatrix.build(values[::TOPICS], data_sets=names[::TOPICS])
    gone = rng.random(values.shape) < 0.05
    holes = ScoreMatrix.build(np.where(gone, np.nan, values), data_sets=names, holes=True)
    plain = ScoreMatrix.build(values)
    truerank.assess(ScoreMatrix.build(values[:20, :5]), "eb")  # libraries are loaded
    print(f"{SYSTEMS} systems × {SETS} data sets × {TOPICS} topics, eb with intervals and ranks")
    one = once(lambda: truerank.assess(plain, "eb"))
    row("one data set", one)
    for name, scores, wanted in (
        ("average of data sets", board, "wanted: at most 20 s, 2 GB"),
        ("with 5% of the cells empty", holes, ""),
        ("one score a cell", cells, "wanted: at most 3 s"),
    ):
        time = once(lambda scores=scores: truerank.assess(scores, "eb"))  # type: ignore[misc]
        row(name, time, note=f"{time / one:6.2f}×  {peak_memory():.2f} GB so far  {wanted}")


if __name__ == "__main__":
    run()

"""What a plan costs, and joint draws at all numbers of topics at once beside one number at a time."""

from __future__ import annotations

import numpy as np

import truerank
from benchmarks.estimators import simulated
from truerank.coefficients import TAU, TAU_AP
from truerank.planning.beliefs import after_pilot
from truerank.planning.curves import SIZES
from truerank.planning.draws import draw_collections, draws_for
from truerank.reliability.means.means import plain_means
from validation.timing import once, row, seconds


def run() -> None:
    """Print times."""
    pilot = simulated(50, 129).ranked()
    row("plan, 50 × 129", once(lambda: truerank.plan(pilot, tau=0.9)), note="wanted: at most 2 s")
    beliefs = after_pilot(plain_means(pilot.values))
    draws = draws_for(129)

    def drawn(sizes: list[float]) -> None:
        draw_collections(beliefs, sizes, [TAU, TAU_AP], draws, np.random.default_rng(1))

    every = [float(size) for size in SIZES]
    together = seconds(lambda: drawn(every), 1)
    row(f"{draws} draws, {len(every)} sizes", together, seconds(lambda: drawn(every[:1]), 1) * len(every))
    large = simulated(1_000, 1_000)
    row("plan, 1,000 × 1,000", once(lambda: truerank.plan(large, tau=0.9)), note="wanted: at most 10 s")


if __name__ == "__main__":
    run()

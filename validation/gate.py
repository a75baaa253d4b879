"""How often the gate's claims are false on pairs of systems kept out of the choice of its constants.

The constants of `truerank.comparison.gate.studentized` were chosen on the built-in populations and on the
pairs of CHOSEN_ON. This counts false claims on the pairs of KEPT_OUT, none of which is among those, where the
true difference is on the border of the claim.
"""

from __future__ import annotations

import numpy as np

from truerank._support.seeds import stream
from validation.checks import Checks, data_folder
from validation.studies.gate import claimed, moments
from validation.studies.pair_populations import PairPopulation, of_table

CHOSEN_ON = {
    "adhoc6_ap": 12,
    "robust2003_ap": 12,
    "web2010_p10": 12,
    "adhoc7_ap": 9,
    "terabyte2006_ap": 9,
    "terabyte2006_ndcg": 9,
    "web2010_ap": 9,
}
KEPT_OUT = {"adhoc7_ap": 10, "terabyte2006_ap": 10, "terabyte2006_ndcg": 10, "web2010_ap": 10}
"""How many pairs of each table, as `python -m validation.studies run gate --table-pairs` takes them."""

SIZES = (20, 30, 50, 100)
COLLECTIONS = 4_000
MARGIN, LEVEL = 0.02, 0.95
ALLOWED = 0.07
CLAIMS = {"better": (0.0, 1), "pass": (-MARGIN, 1), "fail": (-MARGIN, -1)}
"""The value that each claim is about, and the side of it."""


def run(checks: Checks) -> None:
    """Print the share of false claims of each pair kept out, the worst claim, by number of topics."""
    chosen_on = pairs_of(CHOSEN_ON)
    populations = {name: one for name, one in pairs_of(KEPT_OUT).items() if name not in chosen_on}
    worst: dict[tuple[str, int], float] = {}
    every: list[float] = []
    used = 0
    for name, population in populations.items():
        found = {
            n: [share for claim in CLAIMS if (share := false_claims(population, name, claim, n)) is not None]
            for n in SIZES
        }
        if not any(found.values()):
            continue
        used += 1
        for n in SIZES:
            worst[name, n] = max(found[n])
            every += found[n]
        print(f"  {name:45s}" + "".join(f" {100 * worst[name, n]:5.1f}" for n in SIZES))
    for n in SIZES:
        print(f"  n = {n}: worst {100 * max(v for (_, size), v in worst.items() if size == n):.1f}%")
    print(f"  {used} pairs, {len(every)} cells, mean {100 * np.mean(every):.1f}%")
    checks.that("gate: at least 24 pairs kept out", used >= 24, f"{used} pairs")
    checks.that("gate: false claims on pairs kept out below 7%", max(every) < ALLOWED, f"{max(every):.2%}")


def pairs_of(tables: dict[str, int]) -> dict[str, PairPopulation]:
    """The pairs of systems of each table, by name."""
    folder = data_folder() / "trec"
    return {
        name: one
        for table, pairs in tables.items()
        for name, one in of_table(folder / f"{table}.csv", table, pairs).items()
    }


def false_claims(population: PairPopulation, name: str, claim: str, n: int) -> float | None:
    """The share of collections with a claim that is just false; ``None`` where it cannot be just false."""
    value, sign = CLAIMS[claim]
    if not population.values[0] < value < population.values[-1]:
        return None
    moved = population.moved(value)
    d = sign * moved.sample(COLLECTIONS, n, stream(0, "validation", "gate", name, claim, n))
    largest = 1.0 if np.abs(population.values).max() <= 1 else None
    return float(claimed(d, moments(d), sign * value, LEVEL, largest).mean())

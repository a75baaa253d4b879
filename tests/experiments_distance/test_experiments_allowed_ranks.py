"""Figure 3's two samplers against all rankings of few systems, listed."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from truerank.comparison.distance import Reference
from truerank.experiments import run
from truerank.experiments.studies.reorderings import (
    chain_spread,
    discordant,
    distances_of,
    shares_of_inversions,
    within_tau,
)
from truerank.report.charts.style import COLUMN
from truerank.report.outputs.data import frame
from truerank.report.render import altair_chart
from truerank.scores import ScoreMatrix


def listed(m: int) -> np.ndarray:
    return np.array(list(permutations(range(m))))


def number(orders: np.ndarray) -> np.ndarray:
    """A number for each order, the same for equal ones."""
    return orders @ orders.shape[1] ** np.arange(orders.shape[1])


def test_shares_of_inversions_are_counted_ones() -> None:
    counted = np.bincount(discordant(listed(6)), minlength=16) / 720
    assert shares_of_inversions(6, 15)[6] == pytest.approx(counted, abs=1e-15)
    assert shares_of_inversions(6, 7)[6] == pytest.approx(counted[:8], abs=1e-15)


@pytest.mark.parametrize("threshold", [-1.0, 0.2, 0.6])
def test_rankings_by_tau_are_uniform(threshold: float) -> None:
    m = 5
    every = listed(m)
    allowed = every[1 - 4 * discordant(every) / (m * (m - 1)) >= threshold - 1e-9]
    drawn = number(within_tau(m, threshold, 20_000, np.random.default_rng(1)))
    known = number(allowed)
    counts = np.array([np.sum(drawn == k) for k in known])
    assert counts.sum() == 20_000
    assert chisquare(counts).pvalue > 0.001


def test_the_spread_of_chains_is_near_one_only_where_they_agree() -> None:
    rng = np.random.default_rng(0)
    same = np.array([[rng.permutation(4) for _ in range(6)] for _ in range(400)])
    assert chain_spread(same) == pytest.approx(np.ones(4), abs=0.02)
    apart = same.copy()
    apart[:, :3] = [0, 1, 2, 3]
    assert chain_spread(apart).max() > 1.1


def test_the_tables_are_the_listed_rankings(five: ScoreMatrix, tmp_path: Path) -> None:
    """Shares of ranks under both thresholds against enumeration."""
    found = run(
        "allowed-ranks", {"five": five}, tmp_path / "r", workers=1, trials=2, rankings=5000, chains=100,
        sweeps=40, tau=0.4, alpha=0.2, resamples=2000,
    )  # fmt: skip
    tables = {table.name: frame(table) for table in found.findings.tables}
    reference = Reference.of(five.ranked())
    every = listed(5)
    distances = distances_of(reference, every)
    what = tables["thresholds"].set_index("what")["value"]
    by_tau = every[discordant(every) <= 3]
    by_distance = every[distances <= what["critical distance"]]
    ranks = tables["ranks"].set_index(["rule", "system", "rank"])["share"]
    # 10,000 rankings by τ: standard error at most 0.005. 4,000 states of 200 chains, correlated: at
    # most that of 200 independent ones, 0.035.
    for rule, allowed, tolerance in (("tau", by_tau, 0.02), ("distance", by_distance, 0.12)):
        for system in range(5):
            for rank in range(5):
                share = np.mean(allowed[:, rank] == system)
                assert ranks.get((rule, system + 1, rank + 1), 0.0) == pytest.approx(share, abs=tolerance)
    refused = np.mean(distances_of(reference, by_tau) > what["critical distance"])
    assert what["share of rankings by tau that the distance refuses"] == pytest.approx(refused, abs=0.02)
    swapped = discordant(by_distance)
    assert what["share of rankings by distance that tau refuses"] == pytest.approx(
        np.mean(swapped > 3), abs=0.12
    )
    assert what["lowest tau of a ranking by distance"] == pytest.approx(1 - swapped.max() / 5)
    assert what["largest spread of chains, 1 is best"] < 1.2
    for draw in found.findings.figures.values():
        altair_chart(draw(COLUMN)).to_dict()


def test_more_systems_than_topics_still_walk(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    table = ScoreMatrix.build(rng.beta(2, 3, (6, 9)))
    found = run(
        "allowed-ranks", {"wide": table}, tmp_path / "r", workers=1, trials=1, rankings=20, chains=4,
        sweeps=4, resamples=100,
    )  # fmt: skip
    assert len(found.frame("ranks")) > 0

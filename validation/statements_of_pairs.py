"""What `assess`, `gate`, `significance` and `plan` say of the same close pairs, side by side.

``python -m validation.statements_of_pairs FOLDER`` prints, of eight tables, the five closest neighbors and
the five pairs nearest two standard errors. People who read it look for statements that contradict each other.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import truerank
from truerank.reliability.means import means_of
from truerank.scores import ScoreMatrix, ranking_order

TABLES = Path(__file__).parent.parent / "gallery" / "tables"
TREC = ("adhoc6_ap", "robust2003_ap", "terabyte2006_ap", "web2010_ap")
BOARDS = ("mteb", "mmlu_pro", "wmt20_ende", "llmfao")
PAIRS = 5


def close_pairs(scores: ScoreMatrix) -> list[tuple[float, str, str]]:
    """The closest neighbors in the ranking, and the pairs nearest the limit of two standard errors."""
    means = means_of(scores)
    order = ranking_order(means.theta)
    first, second = (order[i] for i in np.triu_indices(scores.m, 1))
    spread = means.deviations[first, second]
    apart = np.where(spread > 0, means.theta[first] - means.theta[second], np.nan) / np.where(
        spread > 0, spread, 1
    )
    beside = np.diff(np.triu_indices(scores.m, 1), axis=0)[0] == 1
    closest = np.argsort(np.where(beside, apart, np.nan), kind="stable")[:PAIRS]
    limit = np.argsort(np.abs(apart - 2), kind="stable")[:PAIRS]
    return [
        (float(apart[i]), scores.systems[first[i]], scores.systems[second[i]]) for i in (*closest, *limit)
    ]


def statements(path: Path) -> None:
    """Print what each command says of the closest pairs of one table."""
    scores = truerank.read_scores(path, missing="model")
    found = truerank.assess(scores, "eb", seed=1)
    rows = {row.system: row for row in found.ranking}
    try:
        tests: dict[frozenset[str], Any] = {
            frozenset((one.above, one.below)): one
            for one in truerank.significance.analyze(scores).tested_pairs
        }
    except truerank.TruerankError as error:
        tests = {}
        print(f"significance: {error}")
    print(f"\n{path.name}: {scores.n} × {scores.m}, tau {found.estimates[0].estimate:.3f}")
    for apart, better, worse in close_pairs(scores):
        gate = truerank.gate(scores, worse, better, seed=1).decisions[0]
        plan = truerank.plan(scores, pair=(better, worse), draws=64, seed=1).pair
        print(f"  {better} - {worse}: {apart:.2f} standard errors")
        for name in (better, worse):
            print(f"    assess        rank {rows[name].rank_low}-{rows[name].rank_high} {rows[name].letters}")
        print(
            f"    gate          {gate.verdict}: {gate.difference:+.4g} [{gate.low:.4g}, {gate.high:.4g}], "
            f"one-sided p {gate.p_value:.3f}, topics needed {gate.topics_needed}"
        )
        if one := tests.get(frozenset((better, worse))):
            print(f"    significance  two-sided p {one.p:.3f}, adjusted for all pairs {one.p_adjusted:.3f}")
        print(f"    plan --pair   topics needed {plan.needed.topics if plan and plan.needed else None}")


if __name__ == "__main__":
    for name in TREC:
        statements(Path(sys.argv[1]) / f"{name}.csv")
    for name in BOARDS:
        statements(TABLES / f"{name}.csv.gz")

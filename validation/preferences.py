"""What docs/methods/preferences.md says of battles: bias and coverage by prompts, and by battles beside it.

60 arenas a cell with a known truth; three minutes in one process.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank import assess
from truerank.scores import Battles, ScoreMatrix
from validation.checks import Checks

ARENAS = 60
CELLS = ((15, 50, 5), (15, 50, 50), (15, 200, 50), (15, 20, 500))
"""Systems, prompts, battles a prompt."""

STRENGTHS, INTERACTION, TIES = 0.5, 0.7, 0.55
"""Standard deviations in logits of strengths and of what prompts add to them; Davidson's weight of ties."""


def arena(
    m: int, prompts: int, each: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], ScoreMatrix]:
    """The true strengths, and battles of pairs drawn uniformly."""
    theta = rng.normal(0, STRENGTHS, m)
    own = rng.normal(0, INTERACTION, (prompts, m))
    cluster = np.repeat(np.arange(prompts), each)
    a = rng.integers(0, m, len(cluster))
    b = (a + rng.integers(1, m, len(cluster))) % m
    lead = theta[a] + own[cluster, a] - theta[b] - own[cluster, b]
    win, loss = np.exp(lead / 2), np.exp(-lead / 2)
    drawn = rng.uniform(size=len(cluster)) * (win + loss + TIES)
    y = np.where(drawn < win, 1.0, np.where(drawn < win + loss, 0.0, 0.5))
    return theta, table_of(Battles.build(a, b, y, cluster), m)


def table_of(battles: Battles, m: int) -> ScoreMatrix:
    """The battles as `read_scores` gives them."""
    from dataclasses import replace

    from truerank.readers.battles import shares

    values = shares(battles, m)
    return replace(ScoreMatrix.build(values, holes=True), battles=battles)


def run(checks: Checks) -> None:
    """Compare E τ and its interval with the true τ."""
    from dataclasses import replace

    for m, prompts, each in CELLS:
        found: dict[str, list[tuple[float, bool, bool]]] = {"prompts": [], "battles": []}
        truths = []
        skipped = 0
        for trial in range(ARENAS):
            theta, by_prompt = arena(m, prompts, each, np.random.default_rng([m, prompts, each, trial]))
            battles = by_prompt.battles
            assert battles is not None
            single = np.random.default_rng(trial).permutation(len(battles.first)) % 2_000
            by_battle = table_of(replace(battles, clusters=single, unit="battle"), m)
            for name, table in (("prompts", by_prompt), ("battles", by_battle)):
                try:
                    result = assess(table, "eb", "tau", levels=[0.95, 0.8], draws=1000, seed=trial)
                except Exception as error:
                    if "took nothing" not in str(error) and "gave nothing" not in str(error):
                        raise
                    skipped += 1
                    continue
                order = [int(s.system.removeprefix("sys")) - 1 for s in result.ranking]
                i, j = np.triu_indices(m, 1)
                true = float(np.mean(np.sign(theta[order][i] - theta[order][j])))
                estimate = result.estimate("tau")
                inside = []
                for level in (0.8, 0.95):
                    interval = estimate.interval(level)
                    assert interval is not None
                    inside.append(interval.low - 1e-9 <= true <= interval.high + 1e-9)
                found[name].append((estimate.estimate - true, inside[0], inside[1]))
                truths.append(true)
        for name, rows in found.items():
            errors = np.array([row[0] for row in rows])
            bias, se = float(errors.mean()), float(errors.std(ddof=1) / np.sqrt(len(errors)))
            low, high = (float(np.mean([row[k] for row in rows])) for k in (1, 2))
            spread = [np.sqrt(max(p * (1 - p), 0.01) / len(rows)) for p in (low, high)]
            said = (
                f"{m} systems, {prompts} × {each}, true τ {np.mean(truths):.3f}, by {name}: "
                f"bias {bias:+.3f} ± {se:.3f}, 80% intervals {100 * low:.0f} ± {100 * spread[0]:.0f}, "
                f"95% {100 * high:.0f} ± {100 * spread[1]:.0f}"
            )
            checks.note(f"  {said}; {skipped} skipped")
            if name == "prompts":
                checks.that("|bias| at most 0.04 + 3 standard errors", abs(bias) <= 0.04 + 3 * se, said)
                checks.that("80% intervals cover", low >= 0.75 - 3 * spread[0], said)
                checks.that("95% intervals cover", high >= 0.90 - 3 * spread[1], said)

"""What a chain of gates on the same topics loses, and what a board shows that submissions react to.

The figures of docs/methods/looking.md: 1,500 chains of 40 commits, and boards of 200 submissions that each
change the leader at random.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from truerank._support.seeds import stream
from truerank._support.types import Vector
from validation.checks import Checks

CHAINS, COMMITS, TOPICS, ALPHA = 1_500, 40, 100, 0.05
MARGIN_IN_ERRORS = 4.7
"""The margin, in standard errors of the difference that one commit makes."""

BOARDS, SUBMISSIONS, ITEMS, REDRAWN, ACCURACY = 60, 200, 500, 0.1, 0.7


def chain(
    loss: float, level_of: list[float], moving: bool, rng: np.random.Generator
) -> tuple[Vector, Vector]:
    """What chains truly lost, in margins, and how many commits passed; each commit truly loses so much."""
    deviation = math.sqrt(TOPICS) / MARGIN_IN_ERRORS
    lost, passed = np.zeros(CHAINS), np.zeros(CHAINS)
    behind = np.zeros((CHAINS, TOPICS))  # what passed so far, minus the anchor
    for level in level_of:
        change = rng.normal(-loss, deviation, (CHAINS, TOPICS))
        d = change if moving else behind + change
        error = d.std(axis=1, ddof=1) / math.sqrt(TOPICS)
        passes = d.mean(axis=1) - stdtrit(TOPICS - 1, level) * error > -1
        behind += np.where(passes[:, None], change, 0.0)
        lost += np.where(passes, loss, 0.0)
        passed += passes
    return lost, passed


def board(rng: np.random.Generator) -> tuple[float, bool]:
    """A board whose equal submissions each change the leader on a tenth of the items; whoever is ahead leads.

    Returns:
        The shown score minus the true one, in true standard errors, and whether the bound is right.
    """
    leader = (rng.random(ITEMS) < ACCURACY).astype(float)
    for _ in range(SUBMISSIONS):
        again = rng.random(ITEMS) < REDRAWN
        drawn = rng.random(ITEMS) < ACCURACY
        new = np.where(again, drawn, leader).astype(float)
        if new.mean() > leader.mean():
            leader = new
    score, error = float(leader.mean()), float(leader.std(ddof=1) / math.sqrt(ITEMS))
    bound = score - float(stdtrit(ITEMS - 1, 1 - ALPHA / (2 * SUBMISSIONS))) * error
    return (score - ACCURACY) / math.sqrt(ACCURACY * (1 - ACCURACY) / ITEMS), bound <= ACCURACY


def run(checks: Checks) -> None:
    """Print the table and the figures of boards, and check them."""
    even = [1 - ALPHA] * COMMITS
    shared = [1 - ALPHA / COMMITS] * COMMITS
    falling = [1 - 6 * ALPHA / (math.pi * c) ** 2 for c in range(1, COMMITS + 1)]
    kinds = {
        "previous": (even, True),
        "anchor": (even, False),
        "anchor, alpha/40": (shared, False),
        "anchor, 6 alpha/(pi c)^2": (falling, False),
    }
    losses = {}
    for name, (levels, moving) in kinds.items():
        lost, _ = chain(0.25, levels, moving, stream(0, "chains", name))
        _, harmless = chain(0.0, levels, moving, stream(0, "harmless", name))
        losses[name] = float(lost.mean())
        beyond = float((lost > 1 + 1e-9).mean())
        print(
            f"  {name:26s} lost {losses[name]:5.2f} margins, beyond one in {beyond:.1%}; harmless ones "
            f"that pass {harmless.mean():.1f} of {COMMITS}"
        )
    checks.that(
        "chains: a moving baseline loses most", losses["previous"] > 5 * losses["anchor"], str(losses)
    )
    excess, holds = np.transpose([board(stream(0, "boards", b)) for b in range(BOARDS)])
    print(f"  boards: shown {excess.mean():+.1f} SE, bound right in {holds.mean():.0%}")
    checks.that("boards: the leader's score is too high", excess.min() > 0, f"{excess.min():.1f}")

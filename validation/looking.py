"""What a chain of gates on the same topics loses, and what a board shows that submissions react to.

The figures of docs/methods/looking.md: 1,500 chains of 40 commits, and boards of 200 submissions that each
change the leader at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.reliability.submissions import ladder_of, tried_bound
from truerank.scores import ScoreMatrix
from validation.checks import Checks

CHAINS, COMMITS, TOPICS, ALPHA = 1_500, 40, 100, 0.05
MARGIN_IN_ERRORS = 4.7
"""The margin, in standard errors of the difference that one commit makes."""

BOARDS, SUBMISSIONS, ITEMS, REDRAWN, ACCURACY = 60, 200, 500, 0.1, 0.7

GAINING_ITEMS, GAIN = 2_000, 0.002
"""Of the boards whose submissions truly gain or lose."""


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


@dataclass(frozen=True)
class Shown:
    """What a board shows of its last leader.

    Attributes:
        excess: the shown score minus the true one, in true standard errors.
        holds: whether the bound for all submissions is right.
        truth: the leader's true score.
    """

    excess: float
    holds: bool
    truth: float


def board(step: float, items: int, gain: float, rng: np.random.Generator) -> Shown:
    """A board whose submissions each change the leader on a tenth of the items.

    Args:
        step: of the Ladder; 0: whoever is ahead leads.
        items: of the test set.
        gain: standard deviation of a submission's true gain.
        rng: of everything random.
    """
    leader = (rng.random(items) < ACCURACY).astype(float)
    truth = ACCURACY
    for _ in range(SUBMISSIONS):
        gained = rng.normal(0, gain) if gain else 0.0
        again = rng.random(items) < REDRAWN
        drawn = rng.random(items) < truth + gained / REDRAWN
        new = np.where(again, drawn, leader).astype(float)
        if ladder_of(ScoreMatrix.build(np.column_stack([leader, new])), step)[1].accepted:
            leader, truth = new, truth + gained
    score, error = float(leader.mean()), float(leader.std(ddof=1) / math.sqrt(items))
    bound = tried_bound("leader", score, error, items - 1, SUBMISSIONS, 1 - ALPHA)
    return Shown((score - truth) / math.sqrt(truth * (1 - truth) / items), bound.low <= truth, truth)


def run(checks: Checks) -> None:
    """Print both tables and check their order."""
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
    steps = (0.0, 1.0, 1.645, float(stdtrit(1e6, 1 - ALPHA / SUBMISSIONS)))
    shown = {}
    for step in steps:
        equal = [board(step, ITEMS, 0.0, stream(0, "boards", b)) for b in range(BOARDS)]
        better = [board(step, GAINING_ITEMS, GAIN, stream(0, "gains", b)) for b in range(BOARDS)]
        shown[step] = float(np.mean([one.excess for one in equal]))
        print(
            f"  Ladder, step {step:5.3f}: shown {shown[step]:+.1f} SE, bound right in "
            f"{np.mean([one.holds for one in equal]):.0%}; with gains the final true score is "
            f"{np.mean([one.truth for one in better]):.4f}"
        )
    checks.that("boards: a larger step shows less", shown[0.0] > shown[1.0] > shown[steps[-1]], str(shown))

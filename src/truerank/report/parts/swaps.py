"""The swap probabilities: the heat map, and the question about any two systems."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.reliability.estimators import ESTIMATORS
from truerank.report.charts.swaps import swap_chart
from truerank.report.page import Section
from truerank.report.parts.figure import figure
from truerank.report.templating import fill
from truerank.report.words import level_text, printable
from truerank.scores import identical_systems

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

STEPS = 10_000
"""Probabilities reach the page as whole numbers of this size: 0.01 points apart."""


def swaps(assessment: Assessment) -> Section | None:
    """The section; ``None`` where the headline estimator has no swap probabilities."""
    name = assessment.headline_estimator
    probabilities = assessment.swap_probabilities.get(name)
    if probabilities is None:
        return None
    same = identical_systems(assessment.scores)
    level = level_text(assessment.settings.levels[0])
    counted = np.triu(np.ones_like(probabilities, dtype=bool), 1)
    for group in same:
        counted[np.ix_(group, group)] = False
    pairs = probabilities[counted]
    picture = figure(
        lambda size: swap_chart(assessment, size),
        "swap-figure",
        "Heat map of the probability that a pair is in the wrong order, for all pairs of "
        "systems in observed order; pairs that are told apart are blank. "
        "Below it any two systems can be asked about.",
        fill("swaps-caption.html", level=level, tiers=len({s.tier for s in assessment.ranking})),
    )
    body = fill(
        "swaps.html",
        figure=picture,
        estimator=ESTIMATORS[name].label if name in ESTIMATORS else name,
        pairs=len(pairs),
        sure=0 if assessment.above is None else int(np.count_nonzero(assessment.above)),
        level=level,
        guarantee=assessment.settings.guarantee,
        open=int(np.sum(pairs >= 0.25)),
    )
    return Section("pairs", "Pairs", "Which pairs may be in the wrong order", body)


def swap_data(assessment: Assessment) -> dict[str, Any]:
    """What the page's script needs for the heat map.

    ``systems``: names in ranking order; ``swaps``: p_ij row by row above the diagonal, as
    little-endian 16-bit numbers of `steps` to one, in base 64; ``apart``: one bit a pair in the same order,
    whether the two are told apart; ``level``: the probability that takes; ``identical``: groups of systems
    (0-based ranks) with the same scores on every topic, between which there is no order.
    """
    probabilities = assessment.swap_probabilities.get(assessment.headline_estimator)
    if probabilities is None:
        return {}
    upper = probabilities[np.triu_indices(len(probabilities), 1)]
    steps = np.rint(np.clip(upper, 0, 1) * STEPS).astype("<u2")
    return {
        "systems": [printable(s.system) for s in assessment.ranking],
        "swaps": base64.b64encode(steps.tobytes()).decode(),
        "steps": STEPS,
        "apart": base64.b64encode(_bits(assessment)).decode(),
        "level": level_text(assessment.settings.levels[0]),
        "identical": identical_systems(assessment.scores),
    }


def _bits(assessment: Assessment) -> bytes:
    """One bit a pair, row by row above the diagonal, least significant first."""
    above = assessment.above
    if above is None:
        return b""
    apart = (above | above.T)[np.triu_indices(len(above), 1)]
    return np.packbits(apart, bitorder="little").tobytes()

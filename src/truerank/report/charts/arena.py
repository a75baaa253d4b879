"""Do strengths explain the outcomes? Each pair's wins beside what its strengths expect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.reliability.means.bradley_terry import win_table
from truerank.reliability.means.equal_style import design_of
from truerank.report.charts.style import PAGE, Size, chart, finished, layered
from truerank.report.lettering import in_passing
from truerank.report.palette import ACCENT, SOFT

if TYPE_CHECKING:
    from truerank._support.types import Matrix
    from truerank.battles import Battles
    from truerank.reliability.results import Assessment

MOST = 1_000
"""Pairs that are drawn: those with the most battles."""


def arena_chart(a: Assessment, size: Size = PAGE) -> Any:
    """One dot per pair: the share of wins of the higher-ranked system, as observed and as expected.

    Args:
        a: an assessment of battles.
        size: for a page or a paper.
    """
    import altair as alt

    records = pairs_of(a)
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], grid=False)
    ends = [{"expected": 0.5, "observed": 0.5}, {"expected": 1.0, "observed": 1.0}]
    x = alt.X("expected:Q", scale=alt.Scale(domain=[0.5, 1]), title="wins expected by strengths", axis=axis)
    y = alt.Y("observed:Q", scale=scale, title="wins observed", axis=axis)
    line = chart(ends).mark_line(color=SOFT, strokeWidth=0.15 * size.font, aria=False).encode(x=x, y=y)
    dots = (
        chart(records)
        .mark_circle(color=ACCENT, opacity=0.5)
        .encode(
            x=x,
            y=y,
            size=alt.Size("battles:Q", legend=None, scale=alt.Scale(range=[size.font, 12 * size.font])),
            description=alt.Description("about:N"),
        )
    )
    side = min(0.6 * size.width, 0.5 * size.height)
    return finished(layered(line, dots, width=0.6 * size.width, height=side), size)


def pairs_of(a: Assessment) -> list[dict[str, Any]]:
    """The pairs that met, the higher-ranked system first: wins expected and observed, and battles."""
    battles = a.scores.battles
    assert battles is not None
    m = a.scores.m
    wins = win_table(battles.alike(), m)
    pairs = np.stack(np.triu_indices(m, 1), axis=1)
    met = (wins + wins.T)[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(-met, kind="stable")[:MOST]
    chances = _chances(a, battles, m)
    found = []
    for (i, j), n in zip(pairs[order].tolist(), met[order].tolist(), strict=True):
        if n > 0:
            expected = float(chances[i, j])
            names = [in_passing(a.scores.systems[s]) for s in (i, j)]
            found.append(
                {
                    "expected": expected,
                    "observed": float(wins[i, j] / n),
                    "battles": n,
                    "about": f"{names[0]} against {names[1]}",
                }
            )
    return found


def _chances(a: Assessment, battles: Battles, m: int) -> Matrix:
    """The share of wins of the row over the column that strengths expect, at the styles of their battles."""
    logits = a.means.contrasts / battles.points[0]
    if battles.covariates is None:
        return np.asarray(1 / (1 + np.exp(logits[None, :] - logits[:, None])))
    assert a.means.played is not None
    styles = design_of(battles) @ a.means.played.fit.coefficients
    p = 1 / (1 + np.exp(logits[battles.second] - logits[battles.first] - styles))
    expected = win_table(replace(battles.alike(), outcomes=p), m)
    return expected / np.maximum(expected + expected.T, 1e-300)

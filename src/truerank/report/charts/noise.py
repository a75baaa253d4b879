"""Where the noise comes from: shares of its sources, and whether strengths explain outcomes of battles."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.escaping import vega_key
from truerank._support.wording import percent
from truerank.reliability.means.bradley_terry import win_table
from truerank.reliability.means.equal_style import design_of
from truerank.report.charts.style import PAGE, Chart, Records, Size, channel, finished, layered, mark
from truerank.report.lettering import fitted, in_passing
from truerank.report.palette import ACCENT, SOFT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truerank._support.types import Matrix
    from truerank.battles import Battles
    from truerank.reliability.results import Assessment

SHOWN = 25
"""Systems that are drawn."""


def noise_chart(a: Assessment, size: Size = PAGE, shown: Sequence[str] | None = None) -> Chart:
    """A bar for each system, in ranking order: the percentages of the variance of its score, by source.

    The first systems are drawn, unless some are `shown`.
    """
    assert a.noise is not None
    wanted = {s.system for s in a.ranking} if shown is None else set(shown)
    systems = [one for one in a.noise.systems if one.system in wanted][:SHOWN]
    short = fitted([in_passing(one.system) for one in systems], 0.3 * size.width, size.text)
    names = [vega_key(short[in_passing(one.system)]) for one in systems]
    sources = [a.sampled.many, "runs"]
    records = [
        {"name": name, "source": label, "share": value, "order": order, "about": in_passing(one.system)}
        for name, one in zip(names, systems, strict=True)
        for order, (label, value) in enumerate(zip(sources, (1 - one.share, one.share), strict=True))
    ]
    drawn = mark(
        "bar",
        records,
        height={"band": 0.7},
        **_shares("share of the variance of the score", names),
        color=channel(
            "source:N",
            sort=sources,
            scale={"domain": sources, "range": [SOFT, ACCENT]},
            legend={"title": None, "orient": "bottom"},
        ),
        order="order:Q",
        description="about:N",
    )
    return finished({**drawn, "width": 0.6 * size.width, "height": _height(names, size)}, size)


def sources_chart(a: Assessment, size: Size = PAGE) -> Chart:
    """A bar for each source of noise, with the interval of its share where it is known."""
    assert a.noise is not None
    sources = {one.source: re.sub(r"\btopic\b", a.sampled.one, one.source) for one in a.noise.by_share}
    names = fitted([in_passing(one) for one in sources.values()], 0.45 * size.width, size.text)
    records = [
        {"name": vega_key(names[in_passing(sources[one.source])]), "share": one.share}
        | ({} if one.low != one.low else {"low": one.low, "high": one.high})
        | {"about": f"{in_passing(sources[one.source])}: {percent(one.share)}"}
        for one in a.noise.by_share
    ]
    place = _shares("share of the noise", [str(one["name"]) for one in records])
    layers = [mark("bar", records, height={"band": 0.6}, color=SOFT, **place, description="about:N")]
    known = [one for one in records if "low" in one]
    if known:
        ends: dict[str, Any] = {"x": "low:Q", "x2": "high:Q", "y": place["y"]}
        layers.append(mark("rule", known, color=ACCENT, strokeWidth=2, **ends))
    return finished(layered(*layers, width=0.5 * size.width, height=_height(records, size)), size)


def _shares(title: str, names: Sequence[str]) -> dict[str, Any]:
    """The places of bars: a share across, a name down."""
    axis = {"orient": "top", "tickCount": 4, "format": ".0%"}
    down = {"labelLimit": 0, "grid": False}
    return {
        "x": channel("share:Q", title=title, scale={"domain": [0, 1]}, axis=axis),
        "y": channel("name:N", sort=[*names], title=None, axis=down),
    }


def _height(rows: Sequence[Any], size: Size) -> float:
    return len(rows) * min(size.row, 2 * size.font)


MOST = 1_000
"""Pairs that are drawn: those with the most battles."""


def arena_chart(a: Assessment, size: Size = PAGE) -> Chart:
    """One dot per pair: the share of wins of the higher-ranked system, as observed and as expected."""
    axis = {"format": "%", "values": [0, 0.25, 0.5, 0.75, 1], "grid": False}
    ends: Records = [{"expected": 0.5, "observed": 0.5}, {"expected": 1.0, "observed": 1.0}]
    place = {
        "x": channel("expected:Q", scale={"domain": [0.5, 1]}, title="wins expected by strengths", axis=axis),
        "y": channel("observed:Q", scale={"domain": [0, 1]}, title="wins observed", axis=axis),
    }
    area = channel("battles:Q", legend=None, scale={"range": [size.font, 12 * size.font]})
    line = mark("line", ends, color=SOFT, strokeWidth=0.15 * size.font, **place)
    dots = mark("circle", pairs_of(a), color=ACCENT, opacity=0.5, size=area, description="about:N", **place)
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

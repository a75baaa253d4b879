"""One page of figures: a model's simulated scores against the real ones.

It stands above the rest of the room: nothing here imports it, and it draws with the report's colors.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.files import PathLike
from truerank._support.imports import PLOTS, require
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.report.charts.style import SHEET, Chart, channel, finished, hconcat, layered, mark, vconcat
from truerank.report.lettering import shortened_middle
from truerank.report.palette import ACCENT, DOUBT, LINE

if TYPE_CHECKING:
    from truerank.simulation.likeness import Diagnostics


FORMATS = (".svg", ".pdf", ".png")
MOST_PAIRS = 4_000
"""Pairs of systems shown in the scatter of correlations."""

SIDE = 230
SMALL = 140


def check_suffix(path: PathLike) -> str:
    """The suffix of a page's file, in lower case: of SVG, PDF or PNG."""
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise InputError(f"{path}: cannot tell the format from {kind!r}; name it .svg, .pdf or .png")
    return kind


def page_file(diagnostics: Diagnostics, path: PathLike, worst: int = 6) -> bytes:
    """The page in the format that the suffix of `path` asks for."""
    from truerank.report import render

    kind = check_suffix(path)
    document = render.svg(page(diagnostics, worst))
    if kind == ".svg":
        return document.encode()
    return render.pdf(document) if kind == ".pdf" else render.png(document)


def page(diagnostics: Diagnostics, worst: int = 6) -> Chart:
    """The page as a chart: means, standard deviations, correlations, topic difficulty, Q-Q plots.

    As many Q-Q plots as `worst` says, the largest misfits first.
    """
    require(PLOTS)

    d = diagnostics
    names = [s.system for s in d.systems]
    mean, true_mean, sd, simulated_sd = (
        np.array([getattr(s, name) for s in d.systems])
        for name in ("mean", "true_mean", "sd", "simulated_sd")
    )
    means = _scatter(["Mean of each system"], mean, true_mean, names, y="true under the model")
    spreads = _scatter(["Standard deviation of each system"], sd, simulated_sd, names)
    quantiles = [_quantiles(d, fit.system) for fit in d.worst(worst)]
    apart = {"scale": {"color": "independent"}}
    middle = hconcat(_correlations(d), _difficulty(d), resolve=apart)
    rows = [hconcat(means, spreads), middle]
    rows += [hconcat(*quantiles[i : i + 3]) for i in range(0, len(quantiles), 3)]
    return finished(vconcat(*rows, resolve=apart), SHEET, framed=True)


def _scatter(
    title: list[str], real: Vector, other: Vector, names: list[str], side: int = SIDE, y: str = "simulated"
) -> Chart:
    """Points around the diagonal, on which the two agree."""
    low, high = float(min(real.min(), other.min())), float(max(real.max(), other.max()))
    room = 0.03 * (high - low) + 1e-6
    scale = {"domain": [low - room, high + room], "nice": False, "zero": False}
    place = {"x": channel("x:Q", scale=scale, title="real"), "y": channel("y:Q", scale=scale, title=y)}
    values = zip(real.tolist(), other.tolist(), names, strict=True)
    points = [{"x": a, "y": b, "name": name} for a, b, name in values]
    few = len(names) < 500
    look: dict[str, Any] = {"size": 16 if few else 4, "opacity": 0.7 if few else 0.25, "color": ACCENT}
    return layered(
        mark("line", [{"x": low, "y": low}, {"x": high, "y": high}], color=LINE, strokeWidth=1, **place),
        mark("circle", points, clip=True, **look, **place),
        title={"text": title[0], "subtitle": title[1:]},
        width=side,
        height=side,
    )


def _correlations(diagnostics: Diagnostics) -> Chart:
    """Kendall's τ_b between pairs of systems, simulated against real."""
    d = diagnostics
    first, second = np.triu_indices(len(d.systems), 1)
    real, simulated = d.tau_b[first, second], d.simulated_tau_b[first, second]
    kept = np.flatnonzero(np.isfinite(real) & np.isfinite(simulated))
    if len(kept) > MOST_PAIRS:
        kept = kept[np.linspace(0, len(kept) - 1, MOST_PAIRS).astype(np.intp)]
    names = [f"{d.systems[first[k]].system} – {d.systems[second[k]].system}" for k in kept] or [""]
    shown, other = (values[kept] if len(kept) else np.zeros(1) for values in (real, simulated))
    title = [
        "τ_b of each pair of systems",
        f"mean error {d.tau_b_error:.3f}; sampling noise of the real one {d.tau_b_noise:.3f}",
    ]
    return _scatter(title, shown, other, names)


def _difficulty(diagnostics: Diagnostics) -> Chart:
    """Distribution over topics of the mean score of all systems, real and simulated."""
    rows = []
    for label, values in (("real", diagnostics.real.values), ("simulated", diagnostics.simulated)):
        means = values.mean(axis=1)
        shares = np.linspace(0, 1, min(len(means), 300))
        for share, mean in zip(shares.tolist(), np.quantile(means, shares).tolist(), strict=True):
            rows.append({"topics": label, "x": mean, "y": share})
    colors = {"domain": ["real", "simulated"], "range": [DOUBT, ACCENT]}
    drawn = mark(
        "line",
        rows,
        interpolate="step-after",
        strokeWidth=1.5,
        x=channel("x:Q", title="mean score of a topic"),
        y=channel("y:Q", title="share of topics at or below", scale={"domain": [0, 1]}),
        color=channel("topics:N", scale=colors, legend={"title": None, "orient": "bottom-right"}),
    )
    return {**drawn, "title": {"text": "Topic difficulty"}, "width": SIDE, "height": SIDE}


def _quantiles(diagnostics: Diagnostics, system: str) -> Chart:
    """Quantiles of one system's scores, simulated against real."""
    d = diagnostics
    s = d.model.index(system)
    real = np.sort(d.real.values[:, s])
    shares = (np.arange(len(real)) + 0.5) / len(real)
    simulated = np.quantile(d.simulated[:, s], shares)
    fit = d.systems[s]
    verdict = "a misfit" if fit.misfit else "no misfit"
    about = f"distance {fit.distance:.2f}, chance {fit.chance:.2f}: {verdict}"
    return _scatter(
        [shortened_middle(system, 22), about], real, simulated, [f"{p:.0%}" for p in shares], SMALL
    )

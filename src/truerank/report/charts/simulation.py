"""One page of figures: a model's simulated scores against the real ones.

It stands above the rest of the room: nothing here imports it, and it draws with the report's colours.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank._support.outputs import write_file
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.report.charts.style import SHEET, finished
from truerank.report.palette import ACCENT, DOUBT, LINE

if TYPE_CHECKING:
    from truerank.simulation.likeness import Diagnostics


FORMATS = (".svg", ".pdf", ".png")
MOST_PAIRS = 4_000
"""Pairs of systems shown in the scatter of correlations."""

SIDE = 230
SMALL = 140


def write_page(diagnostics: Diagnostics, path: PathLike, worst: int = 6) -> None:
    """Write the page as SVG, PDF or PNG, by the suffix of the file.

    Raises:
        InputError: another suffix, or a folder that is missing or not writable.
    """
    write_file(path, page_file(diagnostics, path, worst))


def check_suffix(path: PathLike) -> str:
    """The suffix of a page's file, in lower case.

    Raises:
        InputError: another one than of SVG, PDF or PNG.
    """
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise InputError(f"{path}: cannot tell the format from {kind!r}; name it .svg, .pdf or .png")
    return kind


def page_file(diagnostics: Diagnostics, path: PathLike, worst: int = 6) -> bytes:
    """The page in the format that the suffix of `path` asks for.

    Raises:
        InputError: another suffix.
    """
    from truerank.report import render

    kind = check_suffix(path)
    document = render.svg(page(diagnostics, worst))
    data: dict[str, Callable[[], bytes]] = {
        ".svg": lambda: document.encode(),
        ".pdf": lambda: render.pdf(document),
        ".png": lambda: render.png(document),
    }
    return data[kind]()


def page(diagnostics: Diagnostics, worst: int = 6) -> Any:
    """The page as an Altair chart: means, standard deviations, correlations, topic difficulty, Q-Q plots.

    Args:
        diagnostics: from :func:`~truerank.simulation.likeness.diagnose`.
        worst: how many Q-Q plots, the largest misfits first.
    """
    require(PLOTS)
    import altair as alt

    d = diagnostics
    names = [s.system for s in d.systems]
    real, true = (np.array([getattr(s, name) for s in d.systems]) for name in ("mean", "true_mean"))
    sd, simulated_sd = (np.array([getattr(s, name) for s in d.systems]) for name in ("sd", "simulated_sd"))
    means = scatter("Mean of each system", "real", "true under the model", real, true, names)
    spreads = scatter("Standard deviation of each system", "real", "simulated", sd, simulated_sd, names)
    quantiles = [qq_plot(d, fit.system) for fit in d.worst(worst)]
    middle = alt.hconcat(correlations(d), difficulty(d)).resolve_scale(color="independent")
    rows = [alt.hconcat(means, spreads), middle]
    rows += [alt.hconcat(*quantiles[i : i + 3]) for i in range(0, len(quantiles), 3)]
    return finished(alt.vconcat(*rows).resolve_scale(color="independent"), SHEET, framed=True)


def scatter(
    title: str | list[str], x: str, y: str, real: Vector, other: Vector, names: list[str], side: int = SIDE
) -> Any:
    """Points around the diagonal, on which the two agree."""
    import altair as alt

    low, high = float(min(real.min(), other.min())), float(max(real.max(), other.max()))
    room = 0.03 * (high - low) + 1e-6
    axis = alt.Scale(domain=[low - room, high + room], nice=False, zero=False)
    across, up = alt.X("x:Q", scale=axis, title=x), alt.Y("y:Q", scale=axis, title=y)
    ends = alt.InlineData([{"x": low, "y": low}, {"x": high, "y": high}])
    points = alt.InlineData(
        [
            {"x": a, "y": b, "name": name}
            for a, b, name in zip(real.tolist(), other.tolist(), names, strict=True)
        ]
    )
    diagonal = alt.Chart(ends).mark_line(color=LINE, strokeWidth=1).encode(x=across, y=up)
    few = len(names) < 500
    marks = alt.Chart(points).mark_circle(
        size=16 if few else 4, opacity=0.7 if few else 0.25, color=ACCENT, clip=True
    )
    drawn = diagonal + marks.encode(x=across, y=up, tooltip=["name:N", "x:Q", "y:Q"])
    heading = alt.Title(title) if isinstance(title, str) else alt.Title(title[0], subtitle=title[1:])
    return drawn.properties(title=heading, width=side, height=side)


def correlations(diagnostics: Diagnostics) -> Any:
    """Kendall's τ_b between pairs of systems, simulated against real."""
    d = diagnostics
    first, second = np.triu_indices(len(d.systems), 1)
    real, simulated = d.tau_b[first, second], d.simulated_tau_b[first, second]
    kept = np.flatnonzero(np.isfinite(real) & np.isfinite(simulated))
    if len(kept) > MOST_PAIRS:
        kept = kept[np.linspace(0, len(kept) - 1, MOST_PAIRS).astype(np.intp)]
    if len(kept) == 0:
        real, simulated, kept = np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.intp)
        first = second = kept
    names = [f"{d.systems[first[k]].system} – {d.systems[second[k]].system}" for k in kept]
    title = [
        "τ_b of each pair of systems",
        f"mean error {d.tau_b_error:.3f}; sampling noise of the real one {d.tau_b_noise:.3f}",
    ]
    return scatter(title, "real", "simulated", real[kept], simulated[kept], names)


def difficulty(diagnostics: Diagnostics) -> Any:
    """Distribution over topics of the mean score of all systems, real and simulated."""
    import altair as alt

    rows = []
    for label, values in (("real", diagnostics.real.values), ("simulated", diagnostics.simulated)):
        means = np.sort(values.mean(axis=1))
        shares = np.linspace(0, 1, min(len(means), 300))
        for share, mean in zip(shares.tolist(), np.quantile(means, shares).tolist(), strict=True):
            rows.append({"topics": label, "x": mean, "y": share})
    return (
        alt.Chart(alt.InlineData(rows))
        .mark_line(interpolate="step-after", strokeWidth=1.5)
        .encode(
            x=alt.X("x:Q", title="mean score of a topic"),
            y=alt.Y("y:Q", title="share of topics at or below", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "topics:N",
                scale=alt.Scale(domain=["real", "simulated"], range=[DOUBT, ACCENT]),
                legend=alt.Legend(title=None, orient="bottom-right"),
            ),
        )
        .properties(title=alt.Title("Topic difficulty"), width=SIDE, height=SIDE)
    )


def qq_plot(diagnostics: Diagnostics, system: str) -> Any:
    """Quantiles of one system's scores, simulated against real."""
    d = diagnostics
    s = d.model.index(system)
    real = np.sort(d.real.values[:, s])
    shares = (np.arange(len(real)) + 0.5) / len(real)
    simulated = np.quantile(d.simulated[:, s], shares)
    fit = d.systems[s]
    name = system if len(system) <= 22 else system[:21] + "…"
    verdict = "a misfit" if fit.misfit else "no misfit"
    title = [name, f"distance {fit.distance:.2f}, chance {fit.chance:.2f}: {verdict}"]
    return scatter(title, "real", "simulated", real, simulated, [f"{p:.0%}" for p in shares], SMALL)

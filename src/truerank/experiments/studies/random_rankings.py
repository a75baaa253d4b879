"""How near random re-rankings are by τ and by the rank distance (carterette-2009 §2 Figure 1, §4.3).

Three ways of drawing: all rankings alike, τ's distribution where nothing agrees; all with a large τ alike;
and by resampled topics, the sampling distribution of the distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.experiments.shared.agreement import Trusted
from truerank.experiments.shared.reorderings import (
    PARTS,
    Context,
    Orders,
    ThresholdParameters,
    discordant,
    distances_of,
    within_tau,
)
from truerank.experiments.study import Results, Row, Summary, Task, declared, tables
from truerank.numerics.resampling import multinomial_counts

if TYPE_CHECKING:
    from truerank.experiments.study import Chart, DataFrame, Draw, Size

KINDS = UNIFORM, LARGE_TAU, RESAMPLED = "uniform", "large-tau", "resampled"
"""How rankings are drawn: uniformly from all, or from those above the threshold; by resampled topics."""

SHOWN = 4
"""Re-rankings with the same τ in the figure, as in the paper."""

AROUND = 0.01
"""How far from the threshold their τ may be, as in the paper."""

QUANTILES = (0.01, 0.25, 0.5, 0.75, 0.99)


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """τ, distance and p of each ranking; and a few whose τ is about the threshold, from near to far."""
    parameters, name = context.parameters, str(task["data"])
    trusted = context.trusted[name]
    reference = trusted.reference
    m, means = reference.scores.m, reference.scores.means
    rows: list[Row] = []
    about: list[tuple[float, float, Vector]] = []
    for kind in KINDS:
        orders = _drawn(kind, trusted, parameters, stream(seed, kind))
        distances = distances_of(reference, orders).tolist()
        taus = (1 - 4 * discordant(orders) / (m * (m - 1))).tolist()
        for order, tau, distance in zip(orders, taus, distances, strict=True):
            p = trusted.distribution.p_value(distance)
            rows.append({"drawn": kind, "tau": tau, "distance": distance, "p": p})
            if abs(tau - parameters.tau) <= AROUND + 1e-9:
                about.append((distance, tau, means[np.argsort(order)]))
    facts = {"topics": reference.scores.n, "systems": m, "critical": context.critical[name]}
    return {"rankings": rows, "examples": _examples(about, means), "facts": [facts]}


def _drawn(kind: str, trusted: Trusted, parameters: ThresholdParameters, rng: np.random.Generator) -> Orders:
    """Rankings of one kind, rankings × m system numbers, best first."""
    scores, count = trusted.reference.scores, parameters.rankings
    if kind == LARGE_TAU:
        return within_tau(scores.m, parameters.tau, count, rng)
    if kind == UNIFORM:
        return rng.permuted(np.tile(np.arange(scores.m), (count, 1)), axis=1)
    means: Matrix = multinomial_counts(scores.n, count, rng) @ scores.values / scores.n
    return trusted.reference.orders(means)


def _examples(about: list[tuple[float, float, Vector]], means: Vector) -> list[Row]:
    """Some re-rankings, farthest first, with the means of the places that systems take."""
    return [
        {"distance": distance, "tau": tau, "means": means.tolist(), "reordered": reordered.tolist()}
        for distance, tau, reordered in (about[i] for i in _spread([item[0] for item in about]))
    ]


def _spread(distances: Sequence[float]) -> list[int]:
    """Places of the farthest, the nearest and two evenly between, farthest first; fewer of fewer."""
    left = dict(enumerate(distances))
    places: list[int] = []
    for wanted in np.linspace(max(distances), min(distances), SHOWN) if distances else ():
        if left:
            places.append(min(left, key=lambda place: abs(left[place] - wanted)))
            del left[places[-1]]
    return sorted(places, key=lambda place: -distances[place])


def summarize(results: Results) -> Summary:
    """Shares under each threshold and between them, the distributions, and re-rankings of one τ."""
    parameters = results.parameters
    facts = results.frame("facts").groupby("data", sort=False).first()
    rankings, examples = results.frame("rankings"), results.frame("examples")
    frames = {"shares": _shares(rankings, parameters), "quantiles": _quantiles(rankings)}
    figures: dict[str, Draw] = {"random-rankings": partial(_figure, rankings)}
    for name in results.data:
        some = examples[examples["data"] == name] if len(examples) else examples
        some = some.iloc[_spread(list(some["distance"]))] if len(some) else some
        if len(some):
            suffix = f"-{name}" if len(results.data) > 1 else ""
            figures[f"reorderings{suffix}"] = partial(_reorderings, some)
    notes = [
        f"{name}: {fact.topics:g} topics, {fact.systems:g} systems, critical distance {fact.critical:.3f}"
        for name, fact in facts.iterrows()
    ]
    return Summary(tables("random-rankings", frames, alpha=parameters.alpha), figures, tuple(notes))


def _shares(rankings: DataFrame, parameters: ThresholdParameters) -> DataFrame:
    """One row a table, way of drawing and share, each with its binomial standard error."""
    import pandas as pd

    tau = f"{parameters.tau:g}"
    rows = []
    for (name, kind), group in rankings.groupby(["data", "drawn"], sort=False):
        near = group["tau"] >= parameters.tau - 1e-9
        far = group["p"] <= parameters.alpha
        every = near | True
        common = {"data": name, "drawn": kind}
        for what, part, whole in (
            (f"τ ≥ {tau}", near, every),
            ("not far", ~far, every),
            (f"far, of τ ≥ {tau}", near & far, near),
            (f"τ < {tau}, of not far", ~near & ~far, ~far),
        ):
            of = int(whole.sum())
            share = float(part.sum() / of) if of else np.nan
            error = float(np.sqrt(share * (1 - share) / of)) if of else np.nan
            rows.append(common | {"what": what, "value": share, "se": error, "of": of})
        accepted = group.loc[~far, "tau"]
        lowest = float(accepted.min()) if len(accepted) else np.nan
        rows.append(
            common | {"what": "lowest τ of not far", "value": lowest, "se": np.nan, "of": len(accepted)}
        )
    return pd.DataFrame(rows)


def _quantiles(rankings: DataFrame) -> DataFrame:
    import pandas as pd

    rows = []
    for (name, kind), group in rankings.groupby(["data", "drawn"], sort=False):
        for what in ("tau", "distance"):
            result = np.quantile(group[what], QUANTILES)
            values = {f"{100 * q:g}%": float(v) for q, v in zip(QUANTILES, result, strict=True)}
            rows.append({"data": name, "drawn": kind, "of": what, "mean": float(group[what].mean())} | values)
    return pd.DataFrame(rows)


def _figure(rankings: DataFrame, size: Size) -> Chart:
    """The share of the rankings with at most a τ, and at most a distance."""
    import pandas as pd

    from truerank.report.charts.panels import lines, panels

    titles = {"tau": "τ", "distance": "Rank distance"}
    at = np.linspace(0, 1, 101)
    parts = [
        pd.DataFrame({"data": name, "drawn": kind, "what": titles[what], "value": np.quantile(g[what], at),
                      "share": at})
        for (name, kind), g in rankings.groupby(["data", "drawn"], sort=False)
        for what in titles
    ]  # fmt: skip

    def panel(frame: DataFrame, series: Any) -> Any:
        return lines(frame, "value", "share", frame["what"].iloc[0], "Share at most", series, few=True)

    return panels(
        pd.concat(parts), size, rows="data", columns="what", panel=panel, series="drawn", title="Drawn"
    )


def _reorderings(some: DataFrame, size: Size) -> Any:
    """Figure 1: systems by rising mean, and the means of the places that they take."""
    from truerank.report.charts.panels import HEIGHT, in_rows
    from truerank.report.charts.style import channel, finished, layered, mark
    from truerank.report.palette import ACCENT, INK

    drawn: list[Any] = []
    for row in some.to_dict("records"):
        m = len(row["means"])
        places = zip(range(m, 0, -1), map(float, row["means"]), map(float, row["reordered"]), strict=True)
        records = [{"place": place, "mean": mean, "taken": taken} for place, mean, taken in places]
        x = channel("place:Q", title="System", scale={"domain": [0, m + 1], "nice": False})
        mean, taken = (channel(f"{y}:Q", title="Mean", scale={"zero": False}) for y in ("mean", "taken"))
        hollow: dict[str, Any] = {"size": 0.29 * size.font**2, "filled": False, "strokeWidth": 0.8}
        drawn.append(
            layered(
                mark("point", records, color=INK, x=x, y=mean, **hollow),
                mark("point", records, color=ACCENT, size=0.16 * size.font**2, x=x, y=taken),
                title=f"τ {row['tau']:.2f}, d {row['distance']:.1f}",
            )
        )
    made = in_rows([drawn], size, lambda room: {"width": room, "height": HEIGHT * size.font})
    return finished(made, size, framed=True)


EXPERIMENT = declared("random-rankings", ThresholdParameters, work, summarize, 1, PARTS)

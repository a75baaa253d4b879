"""The ranks that a threshold on τ or on the rank distance allows each system (carterette-2009 §4.3).

Figure 3: over all rankings with τ ≥ 0.9, and over all with a distance within the 5% critical value, how
often each system stands at each rank. The first are drawn exactly, the second by a random walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank.comparison.distance.rank_distance import EQUAL
from truerank.experiments.shared.agreement import Trusted
from truerank.experiments.shared.reorderings import (
    PARTS,
    Context,
    Orders,
    ThresholdParameters,
    Walk,
    discordant,
    discordant_within,
    distances_of,
    within_tau,
)
from truerank.experiments.study import Results, Row, Summary, Task, declared, option, tables
from truerank.numerics.resampling import multinomial_counts

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame, Size

TAU, DISTANCE = "tau", "distance"
SELDOM = "#00304d"
"""The color of a rank that a system hardly ever has."""

TITLES = {TAU: "τ at least {:g}", DISTANCE: "Rank distance, p > {:g}"}


@dataclass(frozen=True)
class AllowedRanksParameters(ThresholdParameters):
    """The paper's thresholds, and how far to walk."""

    rankings: int = option(1_000, "Rankings with τ above its threshold, a batch.")
    chains: int = option(20, "Random walks through the rankings near by distance, a batch.", least=2)
    sweeps: int = option(200, "Sweeps of each walk, of one step a system; the second half counts.", least=2)


def work(context: Context, task: Task, seed: int) -> list[Row]:
    """How often each system stands at each rank, and how the two thresholds disagree."""
    parameters: AllowedRanksParameters = context.parameters
    name = str(task["data"])
    trusted = context.trusted[name]
    reference = trusted.reference
    limit = context.critical[name] + EQUAL
    m = reference.scores.m
    by_tau = within_tau(m, parameters.tau, parameters.rankings, stream(seed, TAU))
    far = distances_of(reference, by_tau) > limit
    rng = stream(seed, DISTANCE)
    walk = Walk(reference, limit, _starts(trusted, limit, parameters.chains, rng), rng)
    kept: list[Orders] = []
    for sweep in range(parameters.sweeps):
        for _ in range(m):
            walk.step()
        if sweep >= parameters.sweeps // 2:
            kept.append(walk.orders.copy())
    by_distance = np.concatenate(kept)
    swapped = discordant(by_distance)
    rows = [*_counts(TAU, by_tau), *_counts(DISTANCE, by_distance)]
    spread = chain_spread(np.array(kept))
    rows += [_row(DISTANCE, "spread of chains", system, 0, float(v)) for system, v in enumerate(spread)]
    more = {
        (TAU, "rankings"): len(by_tau),
        (TAU, "refused by distance"): int(far.sum()),
        (DISTANCE, "rankings"): len(by_distance),
        (DISTANCE, "refused by tau"): int((swapped > discordant_within(m, parameters.tau)).sum()),
        (DISTANCE, "most discordant"): int(swapped.max()),
        (DISTANCE, "accepted"): walk.accepted,
        (DISTANCE, "critical"): limit,
        (DISTANCE, "systems"): m,
        (DISTANCE, "topics"): reference.scores.n,
    }
    return rows + [_row(rule, what, -1, 0, float(value)) for (rule, what), value in more.items()]


def _starts(trusted: Trusted, limit: float, chains: int, rng: np.random.Generator) -> Orders:
    """Half of the chains start far off: how both halves differ then shows whether they walked far enough."""
    reference = trusted.reference
    scores = reference.scores
    starts = np.tile(np.arange(scores.m), (chains, 1))
    resampled = multinomial_counts(scores.n, chains // 2, rng)
    orders = reference.orders(resampled @ scores.values / scores.n)
    near = distances_of(reference, orders) <= limit
    starts[: chains // 2][near] = orders[near]
    return starts


def chain_spread(kept: NDArray[np.intp]) -> NDArray[np.float64]:
    """Gelman and Rubin's R̂ (1992) of each system's rank; 1 where all chains agree."""
    states, _, m = kept.shape
    ranks = np.argsort(kept, axis=2).astype(np.float64)
    within = ranks.var(axis=0, ddof=1).mean(axis=0) if states > 1 else np.zeros(m)
    between = ranks.mean(axis=0).var(axis=0, ddof=1)
    total = (states - 1) / states * within + between
    return np.sqrt(np.divide(total, within, out=np.ones(m), where=within > 0))


def _counts(rule: str, orders: Orders) -> list[Row]:
    """How often each system (by its rank in the reference) stands at each rank."""
    m = orders.shape[1]
    cells = np.bincount((orders * m + np.arange(m)).ravel(), minlength=m * m).reshape(m, m)
    return [
        _row(rule, "rank", int(system), int(rank) + 1, float(cells[system, rank]))
        for system, rank in np.argwhere(cells)
    ]


def _row(rule: str, what: str, system: int, rank: int, value: float) -> Row:
    return {"rule": rule, "what": what, "system": system + 1, "rank": rank, "value": value}


def summarize(results: Results) -> Summary:
    """The thresholds against each other, and every system's ranks under each."""
    import pandas as pd

    keys = ["data", "rule", "what", "system", "rank"]
    # Counts add up over batches; the rest are means, or the largest.
    how: list[Any] = ["sum", "mean", "max"]
    rows = pd.concat([frame.groupby(keys, sort=False)["value"].agg(how) for frame in results.frames()])
    folded = rows.groupby(level=keys, sort=False).agg({item: item for item in how}).reset_index()
    by = ["data", "rule", "system"]
    ranks = folded[folded["what"] == "rank"].rename(columns={"sum": "count"})
    ranks = ranks[[*by, "rank", "count"]].sort_values([*by, "rank"], ignore_index=True)
    ranks["count"] = ranks["count"].astype(int)
    ranks["share"] = ranks["count"] / ranks.groupby(by)["count"].transform("sum")
    frames = {"thresholds": _thresholds(folded), "spans": _spans(ranks), "ranks": ranks}
    figures = {
        f"allowed-ranks-{name}" if len(results.data) > 1 else "allowed-ranks": partial(
            _figure, ranks[ranks["data"] == name], results.parameters
        )
        for name in results.data
    }
    return Summary(tables("allowed-ranks", frames), figures)


def _thresholds(folded: DataFrame) -> DataFrame:
    import pandas as pd

    largest = folded.groupby(["data", "rule", "what"])[["sum", "mean", "max"]].max()
    rows = []
    for name in dict.fromkeys(folded["data"]):
        tau, near = largest.loc[name, TAU], largest.loc[name, DISTANCE]
        counts, facts = near["sum"], near["mean"]
        m = int(facts["systems"])
        result = {
            "critical distance": facts["critical"],
            "share of rankings by tau that the distance refuses": tau["sum"]["refused by distance"]
            / tau["sum"]["rankings"],
            "share of rankings by distance that tau refuses": counts["refused by tau"] / counts["rankings"],
            "lowest tau of a ranking by distance": 1 - 4 * near["max"]["most discordant"] / (m * (m - 1)),
            "share of steps that moved": facts["accepted"],
            "largest spread of chains, 1 is best": facts["spread of chains"],
        }
        rows += [{"data": name, "what": what, "value": float(value)} for what, value in result.items()]
    return pd.DataFrame(rows)


def _spans(ranks: DataFrame) -> DataFrame:
    """Lowest and highest rank by system under both rules."""
    import pandas as pd

    rows = []
    for (name, system), group in ranks.groupby(["data", "system"], sort=False):
        row: Row = {"data": name, "system": system}
        for rule, short in ((TAU, "tau"), (DISTANCE, "d")):
            some = group[group["rule"] == rule]
            row |= {
                f"{short}_from": some["rank"].min(),
                f"{short}_to": some["rank"].max(),
                f"{short}_ranks": int((some["share"] >= 0.01).sum()),
            }
        rows.append(row)
    return pd.DataFrame(rows)


def _figure(ranks: DataFrame, parameters: AllowedRanksParameters, size: Size) -> Any:
    """Figure 3: the lighter, the more often, on a logarithmic scale."""
    from truerank.report.charts.panels import heat_map, side_by_side

    m = int(ranks["system"].max())
    places = list(range(1, m + 1))
    scale = {"type": "log", "domain": [1e-4, 1.0], "range": [SELDOM, "#f2f7fb"], "clamp": True}
    given = {TAU: parameters.tau, DISTANCE: parameters.alpha}
    maps = [
        heat_map(
            ranks[ranks["rule"] == rule],
            ("system", "System", places),
            ("rank", "Rank" if rule == TAU else "", places),
            "share",
            None,
            scale,
            title.format(given[rule]),
            size,
            every=max(1, m // 12),
            legend="Share" if rule == TAU else None,
            ground=SELDOM,
        )
        for rule, title in TITLES.items()
    ]
    return side_by_side(size, *maps)


EXPERIMENT = declared("allowed-ranks", AllowedRanksParameters, work, summarize, 1, PARTS)

"""The ranks that a threshold on τ or on the rank distance allows each system (carterette-2009 §4.3).

Figure 3: over all rankings with τ ≥ 0.9, and over all with a distance within the 5% critical value, how
often each system stands at each rank. The first are drawn exactly, the second by a random walk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank.comparison.distance.bootstrap import EQUAL
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared.agreement import Trusted, ranked_tables, trusted_by_name
from truerank.experiments.shared.reorderings import (
    Orders,
    Walk,
    check_thresholds,
    discordant,
    discordant_within,
    distances_of,
    within_tau,
)
from truerank.numerics.resampling import multinomial_counts
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results

TAU, DISTANCE = "tau", "distance"
TITLES = {TAU: "τ at least {:g}", DISTANCE: "Rank distance, p > {:g}"}


@dataclass(frozen=True)
class AllowedRanksParameters:
    """The paper's thresholds."""

    trials: int = option(10, "Batches of rankings of each kind.", grows=True)
    rankings: int = option(1_000, "Rankings with τ above its threshold, a batch.")
    chains: int = option(20, "Random walks through the rankings near by distance, a batch.")
    sweeps: int = option(200, "Sweeps of each walk, of one step a system; the second half counts.")
    tau: float = option(0.9, "Threshold on τ.")
    alpha: float = option(0.05, "Level of the critical value of the distance.")
    top: int = option(0, "Only so many of the best systems; 0: all.")
    samples: int = option(10_000, "Bootstrap samples behind the critical value.")

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        if min(self.trials, self.rankings, self.samples) < 1 or self.chains < 2 or self.sweeps < 2:
            raise InputError("trials, rankings and samples must be at least 1, chains and sweeps at least 2")
        check_thresholds(self.tau, self.alpha, self.top)


@dataclass(frozen=True, eq=False)
class Context:
    """The trusted rankings, with the systems in order."""

    parameters: AllowedRanksParameters
    trusted: Mapping[str, Trusted]


def prepare(parameters: AllowedRanksParameters, data: Mapping[str, ScoreMatrix], seed: int) -> Context:
    """Bootstrap every table for its critical value."""
    return Context(parameters, trusted_by_name(data, parameters.samples, seed))


def grid(parameters: AllowedRanksParameters, data: Sequence[str]) -> Grid:
    """One task a batch of rankings of a table."""
    return Grid({"trial": range(parameters.trials), "data": tuple(data)})


def work(context: Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """How often each system stands at each rank, and how the two thresholds disagree."""
    parameters = context.parameters
    trusted = context.trusted[str(task["data"])]
    reference = trusted.reference
    limit = trusted.distribution.critical_value(parameters.alpha) + EQUAL
    m = reference.scores.m
    with clock.measure("rankings by τ"):
        by_tau = within_tau(m, parameters.tau, parameters.rankings, stream(seed, TAU))
        far = distances_of(reference, by_tau) > limit
    with clock.measure("rankings by distance"):
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
    """Half of the chains start at the reference, half at rankings by resampled topics within the limit.

    How chains from both differ then shows whether they have walked far enough.
    """
    reference = trusted.reference
    scores = reference.scores
    starts = np.tile(np.arange(scores.m), (chains, 1))
    resampled = multinomial_counts(scores.n, chains // 2, rng)
    orders = reference.orders(resampled @ scores.values / scores.n)
    near = distances_of(reference, orders) <= limit
    starts[: chains // 2][near] = orders[near]
    return starts


def chain_spread(kept: NDArray[np.intp]) -> NDArray[np.float64]:
    """Gelman and Rubin's R̂ (1992) of each system's rank; 1 where all chains agree.

    Args:
        kept: states × chains × m systems, best first.
    """
    states, _, m = kept.shape
    ranks = np.argsort(kept, axis=2).astype(np.float64)
    within = ranks.var(axis=0, ddof=1).mean(axis=0) if states > 1 else np.zeros(m)
    between = ranks.mean(axis=0).var(axis=0, ddof=1)
    total = (states - 1) / states * within + between
    spread: NDArray[np.float64] = np.sqrt(np.divide(total, within, out=np.ones(m), where=within > 0))
    return spread


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

    rows = pd.concat(
        [
            f.groupby(["data", "rule", "what", "system", "rank"], sort=False)["value"].agg(
                ["sum", "mean", "max"]
            )
            for f in results.frames()
        ]
    )
    # Counts add up over batches; the rest are means, or the largest.
    folded = (
        rows.groupby(level=list(rows.index.names), sort=False)
        .agg({"sum": "sum", "mean": "mean", "max": "max"})
        .reset_index()
    )
    ranks = folded[folded["what"] == "rank"].rename(columns={"sum": "count"})
    ranks = ranks[["data", "rule", "system", "rank", "count"]].sort_values(
        ["data", "rule", "system", "rank"], ignore_index=True
    )
    ranks["count"] = ranks["count"].astype(int)
    ranks["share"] = ranks["count"] / ranks.groupby(["data", "rule", "system"])["count"].transform("sum")
    spans = _spans(ranks)
    parameters = results.parameters
    return Summary(
        (
            Table(
                "thresholds", "How the two thresholds disagree about rankings", _thresholds(folded, ranks), 3
            ),
            Table(
                "spans",
                "Ranks that each system takes, systems named by their rank: lowest and highest met, and "
                "number of ranks with a share of at least 1%",
                spans,
                2,
            ),
            Table("ranks", "Share of the allowed rankings that have a system at a rank", ranks),
        ),
        {
            f"allowed-ranks-{name}" if len(results.data) > 1 else "allowed-ranks": partial(
                _figure, ranks[ranks["data"] == name], parameters
            )
            for name in results.data
        },
    )


def _thresholds(folded: DataFrame, ranks: DataFrame) -> DataFrame:
    import pandas as pd

    rows = []
    for name, group in folded.groupby("data", sort=False):

        def of(rule: str, what: str, column: str = "sum", group: DataFrame = group) -> float:
            return float(group[(group["rule"] == rule) & (group["what"] == what)][column].max())

        m = int(of(DISTANCE, "systems", "mean"))
        found = {
            "topics": of(DISTANCE, "topics", "mean"),
            "systems": m,
            "critical distance": of(DISTANCE, "critical", "mean"),
            "share of rankings by tau that the distance refuses": of(TAU, "refused by distance")
            / of(TAU, "rankings"),
            "share of rankings by distance that tau refuses": of(DISTANCE, "refused by tau")
            / of(DISTANCE, "rankings"),
            "lowest tau of a ranking by distance": 1
            - 4 * of(DISTANCE, "most discordant", "max") / (m * (m - 1)),
            "share of steps that moved": of(DISTANCE, "accepted", "mean"),
            "largest spread of chains, 1 is best": of(DISTANCE, "spread of chains", "mean"),
        }
        rows += [{"data": name, "what": what, "value": float(value)} for what, value in found.items()]
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


def _figure(ranks: DataFrame, parameters: AllowedRanksParameters) -> Any:
    """Figure 3, dark where the paper is light: often."""
    import altair as alt

    from truerank.report.charts.maps import heat_map, side_by_side

    m = int(ranks["system"].max())
    places = list(range(1, m + 1))
    scale = alt.Scale(type="log", domain=[1e-4, 1.0], range=["#e6eff6", "#00304d"], clamp=True)
    given = {TAU: parameters.tau, DISTANCE: parameters.alpha}
    return side_by_side(
        *(
            heat_map(
                ranks[ranks["rule"] == rule],
                ("system", "System", places),
                ("rank", "Rank" if rule == TAU else "", places),
                "share",
                None,
                scale,
                title.format(given[rule]),
                every=max(1, m // 12),
            )
            for rule, title in TITLES.items()
        )
    )


ALLOWED_RANKS_EXPERIMENT = Experiment(
    name="allowed-ranks",
    label="the ranks that a threshold on τ or on the rank distance allows",
    source="carterette-2009 §4.3, Figure 3",
    parameters=AllowedRanksParameters,
    load=lambda sources, parameters: ranked_tables(sources, parameters.top),
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=1,
    explanation=r"""
    Over all rankings with at least so large a $\tau$ with the observed one, and over all within its critical
    rank distance: how often each system stands at each rank [@carterette-2009].
    """,
    references=("carterette-2009",),
)

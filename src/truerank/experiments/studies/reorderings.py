"""How near rankings are by τ and by the rank distance (carterette-2009 §2 Figure 1, §4.3 and Figure 3).

Random rankings are drawn in three ways: all alike, τ's distribution where nothing agrees; all with a large τ
alike; and by resampled topics, the sampling distribution of the distance. How often each system stands at
each rank is counted over all rankings with τ ≥ 0.9, drawn exactly. Those with a distance within the 5%
critical value are drawn by a random walk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.distance.rank_distance import EQUAL
from truerank.errors import InputError
from truerank.experiments.experiment import Row, Summary, Task, declared, every, option, share, tables
from truerank.experiments.store import Results
from truerank.experiments.studies.judged import Trusted, tables_by_name
from truerank.numerics.pairs import paired_t
from truerank.numerics.resampling import multinomial_counts
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.comparison.distance import Reference
    from truerank.experiments.experiment import Draw
    from truerank.report.charts.style import Size

Orders = NDArray[np.intp]  # B rankings of the systems 0 … m − 1, each best first


@lru_cache(maxsize=8)
def shares_of_inversions(m: int, most: int) -> Matrix:
    """Row i, column k: the chance that a random ranking of i items has k discordant pairs (Mahonian)."""
    shares = np.zeros((m + 1, most + 1))
    shares[0, 0] = 1.0
    for i in range(1, m + 1):
        for moved in range(min(i - 1, most) + 1):
            shares[i, moved:] += shares[i - 1, : most + 1 - moved] / i
    return shares


def within_tau(m: int, threshold: float, count: int, rng: Generator) -> Orders:
    """Rankings drawn uniformly from all with τ ≥ `threshold` to 0, 1, … m − 1; count × m, best first.

    The number of discordant pairs is drawn by its share. Then, from the last item up, it is drawn how many of
    those before it each item passes.
    """
    most = discordant_within(m, threshold)
    shares = shares_of_inversions(m, most)
    left = rng.choice(most + 1, count, p=shares[m] / shares[m].sum())
    passed = np.zeros((count, m), dtype=np.intp)
    for i in range(m, 0, -1):
        # Item i passes j of the i − 1 before it, which leaves left − j discordant pairs to those.
        remaining = left[:, None] - np.arange(i)
        chances = np.where(remaining >= 0, shares[i - 1][np.maximum(remaining, 0)], 0.0)
        ends = np.cumsum(chances, axis=1)
        drawn = rng.random(count) * ends[:, -1]
        passed[:, i - 1] = np.minimum((ends <= drawn[:, None]).sum(axis=1), i - 1)
        left = left - passed[:, i - 1]
    orders = np.empty((count, m), dtype=np.intp)
    for row in range(count):
        order: list[int] = []
        for item in range(m):
            order.insert(item - passed[row, item], item)
        orders[row] = order
    return orders


def discordant_within(m: int, threshold: float) -> int:
    """The most discordant pairs that a ranking of m items with τ ≥ `threshold` can have."""
    if not -1 <= threshold <= 1:
        raise InputError(f"a threshold on tau must be between -1 and 1, not {threshold}")
    return int(np.floor(m * (m - 1) // 2 * (1 - threshold) / 2 + 1e-9))


def discordant(orders: Orders) -> NDArray[np.int64]:
    """How many pairs each of B orders of 0, 1, … m − 1 has the other way round. O(B·m²)."""
    return np.array([np.count_nonzero(np.triu(o[:, None] > o[None, :], 1)) for o in orders], dtype=np.int64)


def distances_of(reference: Reference, orders: Orders) -> Matrix:
    """The rank distances of B orders of the reference's systems."""
    return reference.distances(-np.argsort(orders, axis=1).astype(np.float64))


@dataclass(frozen=True)
class ThresholdParameters:
    """The paper's thresholds on τ and on the rank distance."""

    trials: int = option(10, "Batches of rankings of each kind.", grows=True, least=1)
    rankings: int = option(1_000, "Rankings of each kind, a batch.", least=1)
    tau: float = option(0.9, "Threshold on τ.", check=partial(discordant_within, 2))
    alpha: float = option(0.05, "Level of the critical value of the distance.", check=share("alpha"))
    top: int = option(0, "Only so many of the best systems; 0: all.")
    resamples: int = option(10_000, "Bootstrap resamples behind the critical value.", least=1)

    def __post_init__(self) -> None:
        if self.top < 0 or self.top == 1:
            raise InputError(f"top must be 0 (all systems) or at least 2, not {self.top}")


def load(sources: Any, parameters: ThresholdParameters) -> dict[str, ScoreMatrix]:
    """Score tables by name, the best systems of each in ranking order."""
    tables = tables_by_name(sources)
    for table in tables.values():
        check_rankable(table)
    return {name: table.select(table.order[: parameters.top or None]) for name, table in tables.items()}


@dataclass(frozen=True, eq=False)
class Context:
    """The trusted rankings, with the systems in order, and their critical distances."""

    parameters: Any
    trusted: Mapping[str, Trusted]
    critical: Mapping[str, float]


def prepare(parameters: ThresholdParameters, data: Mapping[str, ScoreMatrix], seed: int) -> Context:
    trusted = Trusted.by_name(data, parameters.resamples, seed)
    critical = {name: item.distribution.critical_value(parameters.alpha) for name, item in trusted.items()}
    return Context(parameters, trusted, critical)


PARTS: dict[str, Any] = {"load": load, "prepare": prepare, "grid": every()}

# How rankings are drawn: uniformly from all, or from those above the threshold; by resampled topics.
KINDS = UNIFORM, LARGE_TAU, RESAMPLED = "uniform", "large-tau", "resampled"
SHOWN = 4  # re-rankings with the same τ in the figure, as in the paper
AROUND = 0.01  # how far from the threshold their τ may be, as in the paper


def random_work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """τ, distance and p of each ranking; and a few whose τ is about the threshold, from near to far."""
    parameters, name = context.parameters, str(task["data"])
    trusted = context.trusted[name]
    scores = trusted.reference.scores
    rows: list[Row] = []
    about: list[Row] = []  # with the means of the places that systems take
    for kind in KINDS:
        orders = _drawn(kind, trusted, parameters, stream(seed, kind))
        distances = distances_of(trusted.reference, orders).tolist()
        taus = (1 - 4 * discordant(orders) / (scores.m * (scores.m - 1))).tolist()
        for order, tau, distance in zip(orders, taus, distances, strict=True):
            p = trusted.distribution.p_value(distance)
            rows.append({"drawn": kind, "tau": tau, "distance": distance, "p": p})
            if abs(tau - parameters.tau) <= AROUND + 1e-9:
                means = {
                    "means": scores.means.tolist(),
                    "reordered": scores.means[np.argsort(order)].tolist(),
                }
                about.append({"distance": distance, "tau": tau, **means})
    examples = [about[place] for place in _spread([item["distance"] for item in about])]
    facts = {"topics": scores.n, "systems": scores.m, "critical": context.critical[name]}
    return {"rankings": rows, "examples": examples, "facts": [facts]}


def _drawn(kind: str, trusted: Trusted, parameters: ThresholdParameters, rng: Generator) -> Orders:
    scores, count = trusted.reference.scores, parameters.rankings
    if kind == LARGE_TAU:
        return within_tau(scores.m, parameters.tau, count, rng)
    if kind == UNIFORM:
        return rng.permuted(np.tile(np.arange(scores.m), (count, 1)), axis=1)
    return trusted.reference.orders(multinomial_counts(scores.n, count, rng) @ scores.values / scores.n)


def _spread(distances: Sequence[float]) -> list[int]:
    """Places of the farthest, the nearest and two evenly between, farthest first; fewer of fewer."""
    left = dict(enumerate(distances))
    places: list[int] = []
    for wanted in np.linspace(max(distances), min(distances), SHOWN) if distances else ():
        if left:
            places.append(min(left, key=lambda place: abs(left[place] - wanted)))
            del left[places[-1]]
    return sorted(places, key=lambda place: -distances[place])


def random_summary(results: Results) -> Summary:
    """Shares under each threshold and between them, the distributions, and re-rankings of one τ."""
    parameters = results.parameters
    facts = results.frame("facts").groupby("data", sort=False).first()
    rankings, examples = results.frame("rankings"), results.frame("examples")
    figures: dict[str, Draw] = {"random-rankings": partial(_random_figure, rankings)}
    for name, of_data in examples.groupby("data", sort=False) if len(examples) else ():
        suffix = f"-{name}" if len(results.data) > 1 else ""
        some = of_data.iloc[_spread(list(of_data["distance"]))]
        figures[f"reorderings{suffix}"] = partial(_reorderings, some)
    notes = [
        f"{name}: {fact.topics:g} topics, {fact.systems:g} systems, critical distance {fact.critical:.3f}"
        for name, fact in facts.iterrows()
    ]
    shown = tables("random-rankings", {"shares": _shares(rankings, parameters)}, alpha=parameters.alpha)
    return Summary(shown, figures, tuple(notes))


def _shares(rankings: DataFrame, parameters: ThresholdParameters) -> DataFrame:
    """One row a table, way of drawing and share, each with its binomial standard error."""
    import pandas as pd

    tau = f"{parameters.tau:g}"
    rows = []
    for (name, kind), group in rankings.groupby(["data", "drawn"], sort=False):
        near = group["tau"] >= parameters.tau - 1e-9
        far = group["p"] <= parameters.alpha
        parts = {
            f"τ ≥ {tau}": near,
            "not far": ~far,
            f"far, among those with τ ≥ {tau}": far[near],
            f"τ < {tau}, among those not far": ~near[~far],
        }
        for what, part in parts.items():
            value = part.mean()
            error = np.sqrt(value * (1 - value) / len(part)) if len(part) else np.nan
            rows.append((name, kind, what, value, error, len(part)))
        accepted = group.loc[~far, "tau"]
        rows.append((name, kind, "lowest τ among those not far", accepted.min(), np.nan, len(accepted)))
    return pd.DataFrame(rows, columns=["data", "drawn", "what", "value", "se", "of"])


def _random_figure(rankings: DataFrame, size: Size) -> Any:
    from truerank.report.charts.panels import lines, panels

    named = rankings.rename(columns={"tau": "τ", "distance": "Rank distance"})
    long = named.melt(["data", "drawn"], ["τ", "Rank distance"], "what")
    groups = long.groupby(["data", "drawn", "what"], sort=False)["value"]
    shown = groups.quantile(np.linspace(0, 1, 101)).rename_axis([*groups.keys, "share"]).reset_index()

    def panel(frame: DataFrame, series: Any) -> Any:
        return lines(frame, "value", "share", frame["what"].iloc[0], "Share at most", series, few=True)

    return panels(shown, size, rows="data", columns="what", panel=panel, series="drawn", title="Drawn")


def _reorderings(some: DataFrame, size: Size) -> Any:
    """Figure 1: systems by rising mean, and the means of the places that they take."""
    from truerank.report.charts.panels import HEIGHT, in_rows
    from truerank.report.charts.style import channel, finished, layered, mark
    from truerank.report.palette import ACCENT, INK

    mean, taken = (channel(f"{y}:Q", title="Mean", scale={"zero": False}) for y in ("mean", "taken"))
    hollow: dict[str, Any] = {"size": 0.29 * size.font**2, "filled": False, "strokeWidth": 0.8}
    drawn: list[Any] = []
    for row in some.to_dict("records"):
        m = len(row["means"])
        places = zip(range(m, 0, -1), map(float, row["means"]), map(float, row["reordered"]), strict=True)
        records = [dict(zip(("place", "mean", "taken"), place, strict=True)) for place in places]
        x = channel("place:Q", title="System", scale={"domain": [0, m + 1], "nice": False})
        drawn.append(
            layered(
                mark("point", records, color=INK, x=x, y=mean, **hollow),
                mark("point", records, color=ACCENT, size=0.16 * size.font**2, x=x, y=taken),
                title=f"τ {row['tau']:.2f}, d {row['distance']:.1f}",
            )
        )
    made = in_rows([drawn], size, lambda room: {"width": room, "height": HEIGHT * size.font})
    return finished(made, size, framed=True)


RANDOM_RANKINGS = declared("random-rankings", ThresholdParameters, random_work, random_summary, 1, PARTS)

LONGEST_JUMP = 0.25  # how far a proposed move reaches at most, as a share of the ranking


class Walk:
    r"""Chains that wander through all rankings whose distance is at most a limit, uniformly in the end.

    A step takes a system out and puts it back some places away, if the ranking stays within the limit. Moves
    are symmetric, so all rankings that can be reached have the same chance (Metropolis and others 1953). No
    ranking is nearer than the largest \|t\| among the pairs that it swaps where λ is 0: most moves beyond the
    limit are refused by that alone.
    """

    def __init__(self, reference: Reference, limit: float, starts: Orders, rng: Generator) -> None:
        self.reference, self.limit, self.orders, self._rng = reference, limit, starts.copy(), rng
        upper = paired_t(reference.scores.values)
        # t[i, j]: evidence that i is above j; a ranking with j above i is no nearer than that.
        self._evidence = upper - upper.T if reference.ridge == 0 else np.zeros_like(upper)
        # Short moves most often: a length L with a chance falling as 1/L.
        self._lengths = np.arange(1, max(1, int(LONGEST_JUMP * starts.shape[1])) + 1)
        self._made = self._moved = 0

    @property
    def accepted(self) -> float:
        return self._moved / max(self._made, 1)

    def step(self) -> None:
        chains, m = self.orders.shape
        start = np.asarray(self._rng.integers(0, m, chains))
        chances = (1 / self._lengths) / (1 / self._lengths).sum()
        jump = self._rng.choice(self._lengths, size=chains, p=chances)
        end = np.asarray(start + np.where(self._rng.random(chains) < 0.5, jump, -jump))
        self._made += chains
        rows, proposals = [], []
        for c in np.flatnonzero((end >= 0) & (end < m)).tolist():
            order, a, b = self.orders[c], int(start[c]), int(end[c])
            crossed = order[a + 1 : b + 1] if b > a else order[b:a]
            against = self._evidence[order[a], crossed] if b > a else self._evidence[crossed, order[a]]
            if against.max() <= self.limit:
                rows.append(c)
                proposals.append(np.insert(np.delete(order, a), b, order[a]))
        if rows:
            tried = np.array(proposals)
            inside = distances_of(self.reference, tried) <= self.limit
            self.orders[np.array(rows)[inside]] = tried[inside]
            self._moved += int(inside.sum())


TITLES = {"tau": "τ at least {:g}", "distance": "Rank distance, p > {:g}"}  # by the rule of a threshold
SELDOM = "#00304d"  # the color of a rank that a system hardly ever has


@dataclass(frozen=True)
class AllowedRanksParameters(ThresholdParameters):
    """The paper's thresholds, and how far to walk."""

    rankings: int = option(1_000, "Rankings with τ above its threshold, a batch.")
    chains: int = option(20, "Random walks through the rankings near by distance, a batch.", least=2)
    sweeps: int = option(200, "Sweeps of each walk, of one step a system; the second half counts.", least=2)


def allowed_work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """How often each system stands at each rank, and how the two thresholds disagree."""
    parameters: AllowedRanksParameters = context.parameters
    trusted = context.trusted[str(task["data"])]
    reference = trusted.reference
    limit = context.critical[str(task["data"])] + EQUAL
    m = reference.scores.m
    by_tau = within_tau(m, parameters.tau, parameters.rankings, stream(seed, "tau"))
    rng = stream(seed, "distance")
    walk = Walk(reference, limit, _starts(reference, limit, parameters.chains, rng), rng)
    kept: list[Orders] = []
    for sweep in range(parameters.sweeps):
        for _ in range(m):
            walk.step()
        if sweep >= parameters.sweeps // 2:
            kept.append(walk.orders.copy())
    by_distance = np.concatenate(kept)
    swapped = discordant(by_distance)
    facts = {
        "critical": limit,
        "by_tau": len(by_tau),
        "far_by_tau": int((distances_of(reference, by_tau) > limit).sum()),
        "by_distance": len(by_distance),
        "swapped_by_distance": int((swapped > discordant_within(m, parameters.tau)).sum()),
        "most_discordant": int(swapped.max()),
        "accepted": walk.accepted,
        "spread": chain_spread(np.array(kept)),
    }
    return {"ranks": [*_counts("tau", by_tau), *_counts("distance", by_distance)], "facts": [facts]}


def _starts(reference: Reference, limit: float, chains: int, rng: Generator) -> Orders:
    """Half of the chains start far off: how both halves differ then shows whether they walked far enough."""
    scores = reference.scores
    starts = np.tile(np.arange(scores.m), (chains, 1))
    orders = reference.orders(multinomial_counts(scores.n, chains // 2, rng) @ scores.values / scores.n)
    near = distances_of(reference, orders) <= limit
    starts[: chains // 2][near] = orders[near]
    return starts


def chain_spread(kept: NDArray[np.intp]) -> NDArray[np.float64]:
    """Gelman and Rubin's R̂ (1992) of each system's rank; 1 where all chains agree."""
    states, _, m = kept.shape
    ranks = np.argsort(kept, axis=2).astype(np.float64)
    within = ranks.var(axis=0, ddof=1).mean(axis=0) if states > 1 else np.zeros(m)
    total = (states - 1) / states * within + ranks.mean(axis=0).var(axis=0, ddof=1)
    return np.sqrt(np.divide(total, within, out=np.ones(m), where=within > 0))


def _counts(rule: str, orders: Orders) -> list[Row]:
    """How often each system (by its rank in the reference) stands at each rank."""
    m = orders.shape[1]
    cells = np.bincount((orders * m + np.arange(m)).ravel(), minlength=m * m).reshape(m, m)
    return [
        {"rule": rule, "system": system + 1, "rank": rank + 1, "count": int(cells[system, rank])}
        for system, rank in np.argwhere(cells).tolist()
    ]


def allowed_summary(results: Results) -> Summary:
    import pandas as pd

    by = ["data", "rule", "system"]
    ranks = pd.concat(results.frames("ranks")).groupby([*by, "rank"])["count"].sum().reset_index()
    ranks["share"] = ranks["count"] / ranks.groupby(by)["count"].transform("sum")
    frames = {"thresholds": _thresholds(results.frame("facts")), "spans": _spans(ranks), "ranks": ranks}
    figures = {
        f"allowed-ranks-{name}" if len(results.data) > 1 else "allowed-ranks": partial(
            _allowed_figure, ranks[ranks["data"] == name], results.parameters
        )
        for name in results.data
    }
    return Summary(tables("allowed-ranks", frames), figures)


def _thresholds(facts: DataFrame) -> DataFrame:
    import pandas as pd

    rows: list[Row] = []
    for name, batches in facts.groupby("data", sort=False):
        spread = np.stack(list(batches["spread"])).mean(axis=0)
        pairs, total = len(spread) * (len(spread) - 1) / 2, batches.drop(columns=["data", "spread"]).sum()
        result = {
            "critical distance": batches["critical"].mean(),
            "share of rankings by tau that the distance refuses": total["far_by_tau"] / total["by_tau"],
            "share of rankings by distance that tau refuses": total["swapped_by_distance"]
            / total["by_distance"],
            "lowest tau of a ranking by distance": 1 - 2 * batches["most_discordant"].max() / pairs,
            "share of steps that moved": batches["accepted"].mean(),
            "largest spread of chains, 1 is best": spread.max(),
        }
        rows += [{"data": name, "what": what, "value": float(value)} for what, value in result.items()]
    return pd.DataFrame(rows)


def _spans(ranks: DataFrame) -> DataFrame:
    """Lowest and highest rank by system under both rules, and how many with a share of 1% or more."""
    import pandas as pd

    how: Any = {"rank": ["min", "max"], "often": ["sum"]}
    seen = ranks.assign(often=ranks["share"] >= 0.01)
    spans = seen.pivot_table(index=["data", "system"], columns="rule", aggfunc=how, sort=False)
    parts = {"from": ("rank", "min"), "to": ("rank", "max"), "ranks": ("often", "sum")}
    rules = {"tau": "tau", "d": "distance"}
    shown = {f"{s}_{part}": spans[*key, rule] for s, rule in rules.items() for part, key in parts.items()}
    return pd.DataFrame(shown).reset_index()


def _allowed_figure(ranks: DataFrame, parameters: AllowedRanksParameters, size: Size) -> Any:
    """Figure 3: the lighter, the more often, on a logarithmic scale."""
    from truerank.report.charts.panels import heat_map, side_by_side

    m = int(ranks["system"].max())
    places = list(range(1, m + 1))
    scale = {"type": "log", "domain": [1e-4, 1.0], "range": [SELDOM, "#f2f7fb"], "clamp": True}
    maps = [
        heat_map(
            ranks[ranks["rule"] == rule],
            ("system", "System", places),
            ("rank", "Rank" if rule == "tau" else "", places),
            "share",
            None,
            scale,
            TITLES[rule].format(given),
            size,
            every=max(1, m // 12),
            legend="Share" if rule == "tau" else None,
            ground=SELDOM,
        )
        for rule, given in (("tau", parameters.tau), ("distance", parameters.alpha))
    ]
    return side_by_side(size, *maps)


ALLOWED_RANKS = declared("allowed-ranks", AllowedRanksParameters, allowed_work, allowed_summary, 1, PARTS)

"""What results say with a probability, read from their JSON and compared with a known truth.

Each function computes results of one table, as a user would. For each statement in them it yields its entry
in `ledger.toml`, what it says, and what happened: a level and whether the interval held, a probability and
whether it came true, an expected τ and the actual one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank import Monitor, assess, board, gate, plan, tau, tau_ap
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.scores import ScoreMatrix
from truerank.significance import analyze
from validation.ledger.populations import Systems, Tables

Said = tuple[str, float, float]
"""A statement, what it says, and what happened."""
Collection = Callable[..., Iterator[Said]]
"""The statements about one collection of so many topics."""
Row = dict[str, Any]
"""A record of a JSON document."""

DRAWS, BEST, LOOKS, ALPHA = 2_000, 3, (10, 20, 35, 50), 0.05
MOST_TOPICS = 2_000
"""The largest planned collection that is drawn."""
NOTE = "note "
"""Before the code of a note where it is kept beside the statements; alone, for every collection."""
FRESH = 100
"""Collections that a plan is held against."""
TIED = 1e-9
"""True means closer than this are equal."""


def noted(*documents: Row) -> Iterator[Said]:
    """That there are outputs, and the codes of their notes."""
    yield NOTE, 1.0, 1.0
    for code in sorted(set().union(*map(codes, documents))):
        yield f"{NOTE}{code}", 1.0, 1.0


def codes(document: Row) -> set[str]:
    """The codes of an output's notes."""
    return {note["code"] for note in document.get("notes", [])}


def ranking(systems: Systems | Tables, n: int, rng: Generator) -> Iterator[Said]:
    """`truerank assess --best 3`, and the same table as a board."""
    table, truth, seed = systems.draw(n, rng), systems.truth, int(rng.integers(1 << 30))
    document = assess(table, "eb", draws=DRAWS, best=BEST, seed=seed).to_dict()
    yield from noted(document)
    rows, level = document["ranking"], document["settings"]["levels"][0]
    true = truth[places(rows)]
    means = np.empty(len(rows))
    means[places(rows)] = column(rows, "mean")
    yield from _estimates(document["estimates"], means, truth)
    above, below = np.triu_indices(len(true), 1)
    swapped = np.array(document["swap_probabilities"]["eb"], dtype=float)[above, below]
    yield "swaps", float(np.nanmean(swapped)), float(np.mean((true[above] < true[below])[~np.isnan(swapped)]))
    yield "mean", level, float(inside(rows, "mean_low", "mean_high", true).mean())
    if rows[0]["rank_low"] is not None:
        yield "ranks", level, float(inside(rows, "rank_low", "rank_high", *true_ranks(true)).all())
        yield (
            "ranks-own",
            level,
            float(inside(rows, "marginal_low", "marginal_high", *true_ranks(true)).mean()),
        )
        letters = [set(row["letters"]) for row in rows]
        wrong = [
            not letters[i] & letters[j] and true[i] <= true[j] for i, j in zip(above, below, strict=True)
        ]
        yield "letters", 1 - level, float(any(wrong))
    if (best := document["best"]) is not None:
        names = [{"system": name} for name in best["systems"]]
        yield "best-set", best["level"], float(_has_best(places(names), truth))
    if (leader := document["leader"]) is not None:
        yield "leader-score", leader["level"], float(leader["low"] <= true[0] <= leader["high"])
        contrast = leader["contrast"]
        held = contrast["low"] <= true[0] - true.mean() <= contrast["high"]
        yield "leader-contrast", leader["level"], float(held)
    yield from _board(board(table, draws=DRAWS, seed=seed).to_dict(), means, truth)


def _estimates(estimates: list[Row], means: Vector, truth: Vector) -> Iterator[Said]:
    actual = {"tau": tau(means, truth), "tau_ap": tau_ap(truth, means)}
    for one in estimates:
        name, happened = one["coefficient"].replace("_", "-"), actual[one["coefficient"]]
        yield name, one["estimate"], happened
        for interval in one["intervals"]:
            held = interval["low"] <= happened <= interval["high"]
            yield f"{name}-{interval['method']}", interval["level"], float(held)


def _board(document: Row, means: Vector, truth: Vector) -> Iterator[Said]:
    rows, level = document["systems"], document["level"]
    true, found = truth[places(rows)], document["tau"]
    yield "board-score", level, float(inside(rows, "score_low", "score_high", true).mean())
    happened = tau(means, truth)
    yield "board-tau", found["estimate"], happened
    yield "board-tau-interval", level, float(found["low"] <= happened <= found["high"])
    if rows[0]["rank_low"] is not None:
        yield "board-ranks", level, float(inside(rows, "rank_low", "rank_high", *true_ranks(true)).all())
        first = np.array([row["tied_with_leader"] for row in rows])
        yield "board-first", level, float(first[true > true.max() - TIED].any())


def pairs(systems: Systems | Tables, n: int, rng: Generator) -> Iterator[Said]:
    """`truerank assess --baseline`, `truerank gate` of one and of four candidates, chosen beforehand."""
    table, truth, seed = systems.draw(n, rng), systems.truth, int(rng.integers(1 << 30))
    values = table.values if isinstance(table, ScoreMatrix) else table
    distinct = np.sort(np.unique(values, axis=1, return_index=True)[1])
    b, a, *others = rng.permutation(distinct)[:5].tolist()
    if truth[a] > truth[b]:
        a, b = b, a
    baseline, candidates = f"sys{b + 1}", [f"sys{s + 1}" for s in (a, *others)]
    assessed = assess(table, "eb", "tau", draws=200, baseline=baseline, seed=seed).to_dict()
    rows, level = assessed["baseline"]["differences"], assessed["baseline"]["level"]
    true = truth[places(rows)] - truth[b]
    yield "baseline-interval", level, float(inside(rows, "low", "high", true).mean())
    yield "baseline-verdict", 1 - level, float(false(rows, true).mean())
    seeming = (column(rows, "p_value") < ALPHA) & (column(rows, "difference") > 0)
    not_better = true <= TIED
    yield "baseline-p", ALPHA, float(seeming[not_better].mean()) if not_better.any() else np.nan
    try:
        several = gate(table, baseline, candidates, seed=seed).to_dict()
        found = gate(table, baseline, candidates[0], seed=seed).to_dict()
    except InputError:  # two of them share too few topics
        yield from noted(assessed)
        return
    yield from noted(assessed, found)
    true = truth[places(several, "candidate")] - truth[b]
    yield "gate-several", ALPHA, float(false(several, true).any())
    claimed = (column(several, "p_adjusted") < ALPHA) & (column(several, "difference") > 0)
    yield "gate-p-adjusted", ALPHA, float((claimed & (true <= TIED)).any())
    if np.nanmax(values[:, a] - values[:, b]) == np.nanmin(values[:, a] - values[:, b]):
        return
    ahead = truth[[a]] - truth[b]
    yield "gate-interval", found["level"], float(inside([found], "low", "high", ahead)[0])
    yield from _at_its_edge(table, (b, a), float(ahead[0]), seed)
    if values is not table:
        return
    for which, chance in (("", found["power"]), ("_low", 0.1), ("_high", 0.9)):
        if (topics := found[f"topics_needed{which}"]) is not None and topics <= MOST_TOPICS:
            longer = np.vstack([values, systems.draw(topics - n, rng)])
            decided = gate(longer, baseline, candidates[0], seed=seed).verdict != "undecided"
            yield f"gate-topics-needed{which}".replace("_", "-"), chance, float(decided)


def _at_its_edge(
    table: Matrix | ScoreMatrix, pair: tuple[int, int], true: float, seed: int
) -> Iterator[Said]:
    """A gate of two systems whose claim is just false, and of two that are equal."""
    names = tuple(f"sys{s + 1}" for s in pair)
    edge = gate(table, *names, margin=-true, seed=seed).to_dict()
    claims = edge["verdict"] in ("better", "pass")
    yield "gate-verdict", (1 - edge["level"]) / 2, float(claims)
    if edge["p_margin"] is not None:
        yield "gate-p-margin", ALPHA, float(edge["p_margin"] < ALPHA)
    equal = gate(_worse(table, pair[1], true), *names, seed=seed).to_dict()
    yield "gate-p", ALPHA, float(equal["p_value"] < ALPHA)
    if equal["p_randomization"] is not None:
        yield "gate-p-randomization", ALPHA, float(equal["p_randomization"] < ALPHA)
    if not isinstance(table, ScoreMatrix) and table.min() >= 0 and table.max() <= 1:
        last = [look for look in LOOKS if look <= len(table)]
        values = table[:, pair]
        yield "gate-looks", ALPHA, float(_ever_decided(Monitor(-true, looks=last), values))
        yield "gate-sequential", ALPHA, float(_ever_decided(Monitor(-true), values))


def _worse(table: Matrix | ScoreMatrix, system: int, by: float) -> Matrix | ScoreMatrix:
    """The table with so much less for one system."""
    values = (table.values if isinstance(table, ScoreMatrix) else table).copy()
    values[:, system] -= by
    return replace(table, values=values) if isinstance(table, ScoreMatrix) else values


def _ever_decided(monitor: Monitor, values: Matrix) -> bool:
    """Whether there is ever a verdict on a candidate for which every verdict is false."""
    verdicts = [monitor.update(str(t), *row).verdict for t, row in enumerate(values.tolist())]
    return any(one != "undecided" for one in verdicts)


def tests(systems: Systems, n: int, rng: Generator) -> Iterator[Said]:
    """`truerank significance` of systems that are made equal: everything significant is false."""
    values, seed = systems.draw(n, rng) - systems.truth, int(rng.integers(1 << 30))
    found = analyze(values, "t", "holm", alpha=ALPHA, seed=seed).to_dict()
    yield from noted(found)
    yield "test-p", ALPHA, float((column(found["pairs"], "p") < ALPHA).mean())
    yield "test-p-adjusted", ALPHA, float((column(found["pairs"], "p_adjusted") < ALPHA).any())
    yield "test-better-than", ALPHA, float(any(row["better_than"] for row in found["systems"]))
    yield "test-f", ALPHA, float(found["anova"]["p_value"] < ALPHA)
    yield "test-f-corrected", ALPHA, float(found["anova"]["p_corrected"] < ALPHA)
    rows = analyze(values, "t", alpha=ALPHA, baseline="sys1", seed=seed).to_dict()["against_baseline"]
    yield "test-baseline-p", ALPHA, float((column(rows, "p") < ALPHA).mean())
    yield "test-baseline-p-adjusted", ALPHA, float((column(rows, "p_adjusted") < ALPHA).any())


def plans(systems: Systems, n: int, rng: Generator) -> Iterator[Said]:
    """`truerank plan` from a pilot, held against fresh collections of the numbers of topics that it names."""
    truth, seed = systems.truth, int(rng.integers(1 << 30))
    document = plan(systems.draw(n, rng), tau=0.9, winner=0.8, draws=512, seed=seed).to_dict()
    yield from noted(document)
    point = min(document["curve"], key=lambda one: abs(one["topics"] - 50))
    means = _fresh(systems, point["topics"], rng)
    actual = [tau(one, truth) for one in means]
    yield "plan-curve", point["estimate"], float(np.mean(actual))
    held = point["low"] <= actual[0] <= point["high"]
    yield "plan-interval", document["settings"]["level"], float(held)
    first = min(document["winner"], key=lambda one: abs(one["topics"] - 50))
    if first["topics"] != point["topics"]:
        means = _fresh(systems, first["topics"], rng)
    chance = float((truth[means.argmax(axis=1)] > truth.max() - TIED).mean())
    yield "plan-winner", first["estimate"], chance
    held = first["low"] - 1 / FRESH <= chance <= first["high"] + 1 / FRESH
    yield "plan-winner-interval", document["settings"]["level"], float(held)
    needed = document["needed"][0]
    if needed["topics"] is not None and needed["topics"] <= MOST_TOPICS:
        fresh = systems.draw(needed["topics"], rng).mean(axis=0)
        yield "plan-needed", needed["target"], tau(fresh, truth)


def _fresh(systems: Systems, topics: int, rng: Generator) -> Matrix:
    """The means of the systems on fresh collections of so many topics."""
    means: Matrix = systems.draw(FRESH * topics, rng).reshape(FRESH, topics, -1).mean(axis=1)
    return means


def places(rows: Iterable[Row], key: str = "system") -> NDArray[np.intp]:
    return np.array([int(row[key].removeprefix("sys")) - 1 for row in rows])


def column(rows: Iterable[Row], key: str) -> Vector:
    return np.array([row[key] for row in rows], dtype=float)


def inside(
    rows: list[Row], low: str, high: str, least: Vector, most: Vector | None = None
) -> NDArray[np.bool_]:
    """Which rows' ranges meet the true value, or the range from least to most of tied ranks; null is open."""
    lows, highs = np.nan_to_num(column(rows, low), nan=-np.inf), np.nan_to_num(column(rows, high), nan=np.inf)
    held: NDArray[np.bool_] = (lows <= (least if most is None else most)) & (least <= highs)
    return held


def true_ranks(true: Vector) -> tuple[Vector, Vector]:
    beats = true[:, None] > true[None, :] + TIED
    return 1.0 + beats.sum(axis=0), len(true) - 1.0 * beats.sum(axis=1)


def _has_best(chosen: NDArray[np.intp], truth: Vector) -> bool:
    """Whether they include systems that can be called the best, any of equals."""
    last = np.sort(truth)[-BEST]
    inside = np.isin(np.arange(len(truth)), chosen)
    sure, equal = truth > last + TIED, np.abs(truth - last) <= TIED
    return bool(inside[sure].all() and np.count_nonzero(inside & equal) >= BEST - np.count_nonzero(sure))


def false(rows: list[Row], true: Vector) -> NDArray[np.bool_]:
    """Which verdicts are false: better, pass or fail of a difference that is not."""
    verdicts = np.array([row["verdict"] for row in rows])
    above = np.isin(verdicts, ("better", "pass"))
    return (above & (true <= TIED)) | ((verdicts == "fail") & (true >= -TIED))

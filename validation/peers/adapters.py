"""What each package says of a collection. Run in the package's own environment, which knows no truerank.

    python adapters.py QUESTION PACKAGE SECONDS COLLECTIONS.npz ANSWERS.npz [COLLECTIONS.npz ANSWERS.npz …]

A function gets the arrays of one collection and gives an array of the shape that `questions.py` scores.
NaN is an answer that the package does not give.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

ADAPTERS = {}
WHOLE = set()
ALPHA = 0.05
FEWEST = 10
"""Collections that a package answers however long it takes."""


def answers(question, package):
    """The function answers a question for a package."""

    def kept(function):
        ADAPTERS[question, package] = function
        return function

    return kept


def ends(values):
    """Two-sided 95% t interval of each column's mean."""
    from scipy import stats

    n = len(values)
    half = stats.t.ppf(1 - ALPHA / 2, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return np.stack([values.mean(axis=0) - half, values.mean(axis=0) + half])


def moments(values):
    """Means and their covariance."""
    return values.mean(axis=0), np.cov(values.T) / len(values)


def scores_range(values):
    """What a user knows of the scores: shares lie between 0 and 1."""
    return (0.0, 1.0) if values.min() >= 0 and values.max() <= 1 else None


# ---------------------------------------------------------------- truerank


def assessed(scores, **options):
    from truerank import assess

    return assess(scores, "eb", "tau", **options)


def by_system(rows, *keys):
    found = np.full((len(keys), len(rows)), np.nan)
    for row in rows:
        found[:, int(row.system.removeprefix("sys")) - 1] = [
            np.nan if getattr(row, key) is None else getattr(row, key) for key in keys
        ]
    return found


@answers("ranks", "truerank")
def _(c):
    found = by_system(assessed(c["values"]).ranking, "rank_low", "rank_high")
    m = c["values"].shape[1]
    return np.stack([np.nan_to_num(found[0], nan=1), np.nan_to_num(found[1], nan=m)])


@answers("best", "truerank")
def _(c):
    chosen = np.zeros(c["values"].shape[1])
    for name in assessed(c["values"], best=1).best.systems:
        chosen[int(name.removeprefix("sys")) - 1] = 1
    return chosen


@answers("leader", "truerank")
def _(c):
    leader = assessed(c["values"]).leader
    return np.array([leader.low, leader.high])


@answers("means", "truerank")
def _(c):
    return by_system(assessed(c["values"]).ranking, "mean_low", "mean_high")


@answers("gate", "truerank")
def _(c):
    from truerank import gate

    found = gate(c["values"], range=scores_range(c["values"]))
    return np.array([found.verdict == "better", found.low, found.high])


@answers("pairs", "truerank")
def _(c):
    from truerank.significance import analyze

    claims = np.zeros((c["values"].shape[1],) * 2)
    for row in analyze(c["values"], splits=2).to_dict()["systems"]:
        i, *below = (int(name.removeprefix("sys")) - 1 for name in (row["system"], *row["better_than"]))
        claims[i, below] = 1
    return claims


@answers("arena", "truerank")
def _(c):
    from truerank.scores import Battles
    from validation.ledger.arenas import arena_table

    battles = Battles.build(c["first"], c["second"], c["outcome"], c["prompt"])
    table = arena_table(battles, tuple(f"sys{s + 1}" for s in range(int(c["m"]))))
    return by_system(assessed(table).ranking, "mean_low", "mean_high")


@answers("judge", "truerank")
def _(c):
    from truerank.readers import with_machine

    table = with_machine(c["people"], c["machine"])
    return by_system(assessed(table).ranking, "mean_low", "mean_high")


# ---------------------------------------------------------------- ranks, the best, the leader


def _csranks(collections, best):
    """All collections in one R; each with its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "moments")
        rows = [np.concatenate([np.ravel(part) for part in moments(c["values"])]) for c in collections]
        file.write_text("".join(" ".join(map(repr, map(float, row))) + "\n" for row in rows), "utf-8")
        script = Path(__file__).with_name("csranks.R")
        m = collections[0]["values"].shape[1]
        command = ["Rscript", str(script), str(file), str(m), "best" if best else "ranks"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    version, *lines = done.stdout.splitlines()
    found = np.array([line.split() for line in lines], dtype=float)
    shape = (-1, m) if best else (-1, 2, m)
    return found[:, :-1].reshape(shape), found[:, -1], version.strip()


@answers("ranks", "csranks")
def _(collections):
    return _csranks(collections, best=False)


@answers("best", "csranks")
def _(collections):
    return _csranks(collections, best=True)


WHOLE.update({("ranks", "csranks"), ("best", "csranks")})


@answers("ranks", "multiple-inference")
def _(c):
    from multiple_inference.confidence_set import SimultaneousRanking

    return SimultaneousRanking(*moments(c["values"])).fit().conf_int(ALPHA).T


@answers("best", "multiple-inference")
def _(c):
    from multiple_inference.confidence_set import SimultaneousRanking

    return SimultaneousRanking(*moments(c["values"])).fit().compute_best_params(1, ALPHA).to_numpy()


@answers("best", "arch")
def _(c):
    from arch.bootstrap import MCS

    model = MCS(-c["values"], ALPHA, block_size=1, seed=1)
    model.compute()
    return np.isin(np.arange(c["values"].shape[1]), model.included)


@answers("leader", "multiple-inference")
def _(c):
    from multiple_inference.rank_condition import RankCondition

    beta, (means, covariance) = 0.005, moments(c["values"])
    alpha = (ALPHA - beta) / (1 - beta)
    model = RankCondition(means, covariance)
    return model.get_marginal_distribution(int(means.argmax()), beta=beta).ppf([alpha / 2, 1 - alpha / 2])


@answers("leader", "scipy")
def _(c):
    return ends(c["values"])[:, c["values"].mean(axis=0).argmax()]


# ---------------------------------------------------------------- means


@answers("means", "scipy")
def _(c):
    return ends(c["values"])


@answers("means", "scipy-bootstrap")
def _(c):
    from scipy import stats

    found = stats.bootstrap((c["values"],), np.mean, axis=0, rng=1).confidence_interval
    return np.stack([found.low, found.high])


@answers("means", "evalstats")
def _(c):
    import evalstats

    known = scores_range(c["values"])
    found = [evalstats.mean_ci(column, alpha=ALPHA, score_range=known, rng=1) for column in c["values"].T]
    return np.array([[one.ci_low, one.ci_high] for one in found]).T


def binary(values):
    return np.isin(values, (0, 1)).all()


def frame(values):
    import pandas

    return pandas.DataFrame(values, columns=[f"sys{s + 1}" for s in range(values.shape[1])])


@answers("means", "bayes_evals")
def _(c):
    import bayes_evals

    if not binary(c["values"]):
        return np.full((2, c["values"].shape[1]), np.nan)
    return bayes_evals.independent_intervals(frame(c["values"])).to_numpy()


# ---------------------------------------------------------------- gates and tests: is the second better?


@answers("gate", "scipy")
def _(c):
    from scipy import stats

    found = stats.ttest_rel(c["values"][:, 1], c["values"][:, 0], alternative="greater")
    n, difference = len(c["values"]), c["values"][:, 1] - c["values"][:, 0]
    half = stats.t.ppf(1 - ALPHA, n - 1) * difference.std(ddof=1) / np.sqrt(n)
    return np.array([found.pvalue < ALPHA, difference.mean() - half, difference.mean() + half])


@answers("gate", "scipy-wilcoxon")
def _(c):
    from scipy import stats

    found = stats.wilcoxon(c["values"][:, 1], c["values"][:, 0], alternative="greater")
    return np.array([found.pvalue < ALPHA, np.nan, np.nan])


@answers("gate", "scipy-bootstrap")
def _(c):
    from scipy import stats

    difference = c["values"][:, 1] - c["values"][:, 0]
    level = 1 - 2 * ALPHA
    low, high = stats.bootstrap((difference,), np.mean, confidence_level=level, rng=1).confidence_interval
    return np.array([low > 0, low, high])


@answers("gate", "statgate")
def _(c):
    from statgate import GateSettings, Verdict, evaluate_gate
    from statgate.records import EvalRecord

    sides = [[EvalRecord(case_id=str(i), score=s) for i, s in enumerate(side)] for side in c["values"].T]
    found = evaluate_gate(*sides, GateSettings(margin=0, alpha=2 * ALPHA, seed=1))
    return np.array([found.verdict is Verdict.SHIP, found.interval.low, found.interval.high])


@answers("gate", "evalsig")
def _(c):
    from evalsig import compare
    from evalsig.types import ItemResult, RunFrame

    a, b = (
        RunFrame("run", "model", "task", "score", [ItemResult(str(i), s) for i, s in enumerate(side)])
        for side in c["values"].T
    )
    low, high = compare(a, b, alpha=2 * ALPHA).ci
    return np.array([compare(a, b, alpha=ALPHA, one_sided=True).significant, low, high])


@answers("gate", "evalstats")
def _(c):
    import evalstats
    import pandas

    n, known = len(c["values"]), scores_range(c["values"])
    long = pandas.DataFrame(
        {"model": np.repeat(["a", "b"], n), "item": np.tile(np.arange(n), 2), "score": c["values"].T.ravel()}
    )
    options = {} if known is None else {"score_range": known}
    found = evalstats.compare(evalstats.load_from(long), factors="model", alpha=2 * ALPHA, **options)
    pair = found.to_dict()["pairwise"][0]
    sign = 1 if pair["a"] == "b" else -1
    low, high = sorted((sign * pair["ci_low"], sign * pair["ci_high"]))
    return np.array([pair["p_value"] < 2 * ALPHA and sign * pair["diff"] > 0, low, high])


@answers("gate", "bayes_evals")
def _(c):
    import bayes_evals

    if not binary(c["values"]):
        return np.full(3, np.nan)
    found = bayes_evals.paired_comparisons(frame(c["values"]).astype(int))
    return np.array([found.to_numpy()[1, 0] > 1 - ALPHA, np.nan, np.nan])


# ---------------------------------------------------------------- all pairs: who is better than whom?


@answers("pairs", "scipy")
def _(c):
    from scipy import stats

    values = c["values"]
    means, m = values.mean(axis=0), values.shape[1]
    first, second = np.triu_indices(m, 1)
    p = stats.ttest_rel(values[:, first], values[:, second]).pvalue
    order = np.argsort(p)
    holm = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    claims = np.zeros((m, m))
    for k in order[holm < ALPHA]:
        i, j = first[k], second[k]
        claims[(i, j) if means[i] > means[j] else (j, i)] = 1
    return claims


@answers("pairs", "scikit-posthocs")
def _(c):
    import scikit_posthocs
    from scipy import stats

    values = c["values"]
    if stats.friedmanchisquare(*values.T).pvalue >= ALPHA:
        return np.zeros((values.shape[1],) * 2)
    p = scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    ranks = stats.rankdata(-values, axis=1).mean(axis=0)
    return (p < ALPHA) & (ranks[:, None] < ranks[None, :])


@answers("pairs", "autorank")
def _(c):
    from autorank import autorank
    from autorank._util import get_sorted_rank_groups

    m = c["values"].shape[1]
    claims = np.zeros((m, m))
    found = autorank(frame(c["values"]), alpha=ALPHA)
    if found.pvalue >= ALPHA:
        return claims
    _, names, groups = get_sorted_rank_groups(found, reverse=False)
    places, ranks = [int(name.removeprefix("sys")) - 1 for name in names], found.rankdf["meanrank"].to_numpy()
    for i in range(m):
        for j in range(i + 1, m):
            if not any(low <= i and j <= high for low, high in groups):
                above, below = (i, j) if ranks[i] < ranks[j] else (j, i)
                claims[places[above], places[below]] = 1
    return claims


# ---------------------------------------------------------------- arenas: strengths in logits, 0 on average


@answers("arena", "evalica")
def _(c):
    import evalica

    x, y, tie = evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw
    winners = [x if one == 1 else y if one == 0 else tie for one in c["outcome"]]
    found = evalica.bootstrap(
        evalica.bradley_terry, c["first"].tolist(), c["second"].tolist(), winners, random_state=1
    )
    low, high = (np.log(part.reindex(range(int(c["m"]))).to_numpy()) for part in (found.low, found.high))
    return np.stack([low, high])


@answers("arena", "arena-rank")
def _(c):
    import pandas
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    names = np.array([f"{s:03d}" for s in range(int(c["m"]))])
    winner = np.select([c["outcome"] == 1, c["outcome"] == 0], ["model_a", "model_b"], "tie")
    battles = pandas.DataFrame(
        {"model_a": names[c["first"]], "model_b": names[c["second"]], "winner": winner}
    )
    data = PairDataset.from_pandas(battles)
    model = BradleyTerry(n_competitors=len(data.competitors))
    found = model.compute_ratings_and_cis(data, significance_level=ALPHA)
    low, high = ((np.asarray(found[key]) - 1000) / model.alpha for key in ("rating_lower", "rating_upper"))
    return np.stack([low, high])


# ---------------------------------------------------------------- a machine judge beside people


@answers("judge", "ppi-python")
def _(c):
    from ppi_py import ppi_mean_ci

    people, machine = c["people"], c["machine"]
    n = len(people)
    found = [
        np.ravel(ppi_mean_ci(people[:, s], machine[:n, s], machine[n:, s], alpha=ALPHA))
        for s in range(people.shape[1])
    ]
    return np.array(found).T


@answers("judge", "evalstats")
def _(c):
    import evalstats

    people, machine = c["people"], c["machine"]
    found = []
    for s in range(people.shape[1]):
        human = np.full(len(machine), np.nan)
        human[: len(people)] = people[:, s]
        one = evalstats.judge_debias_mean_ci(machine[:, s], human, alpha=ALPHA, rng=1)
        found.append([one.ci_low, one.ci_high])
    return np.array(found).T


@answers("judge", "scipy")
def _(c):
    return ends(c["people"])


# ---------------------------------------------------------------- running


def version_of(package):
    name = "scipy" if package.startswith("scipy-") else package
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def attempt(adapter, collection):
    """An answer, or None where a package refuses one."""
    try:
        return np.asarray(adapter(collection), dtype=float)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return None


def answer(question, package, seconds, collections, answered):
    """Answer for as many collections as the seconds of the processor allow."""
    adapter = ADAPTERS[question, package]
    with np.load(collections) as file:
        arrays = {name: file[name] for name in file.files if name != "truth"}
    count = len(next(iter(arrays.values())))
    each = [{name: array[k] for name, array in arrays.items()} for k in range(count)]
    if (question, package) in WHOLE:
        found, times, version = adapter(each)
    else:
        found, times, version = [], [], version_of(package)
        while len(found) < count and (len(found) < FEWEST or sum(times) < float(seconds)):
            start = time.process_time()
            found.append(attempt(adapter, each[len(found)]))
            times.append(time.process_time() - start)
        shape = next((one.shape for one in found if one is not None), None)
        if shape is None:
            return
        found = [np.full(shape, np.nan) if one is None else one for one in found]
    part = f"{answered}.part.npz"
    np.savez(part, answers=np.array(found), seconds=np.array(times), version=np.array(version))
    Path(part).replace(answered)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if (sys.argv[1], sys.argv[2]) not in WHOLE:  # what is imported and compiled once does not count
        with np.load(sys.argv[4]) as _file:
            attempt(ADAPTERS[sys.argv[1], sys.argv[2]], {name: _file[name][0] for name in _file.files})
    for _collections, _answers in zip(sys.argv[4::2], sys.argv[5::2], strict=True):
        answer(*sys.argv[1:4], _collections, _answers)

"""Large jobs of the targets: each in a process of its own, processor time and peak of memory.

Processor time is that of all threads and processes of the job, user and system, so that it means something
where others use the machine too.
"""

from __future__ import annotations

import os
import subprocess
import sys

TURNS = int(os.environ.get("TRUERANK_TURNS", "3"))

PREPARE = r"""
import resource, sys, tempfile
from pathlib import Path
import numpy as np
from scipy import stats
import truerank
from truerank.scores import ScoreMatrix

def simulated(n, m, best, worst, decimals=4):
    rng = np.random.default_rng(1)
    z = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, m))
    means = np.linspace(best, worst, m)
    table = stats.beta.ppf(stats.norm.cdf(z), 3 * means, 3 * (1 - means)).round(decimals)
    return ScoreMatrix.build(table).ranked()

def pairs(name, n, m, best, worst, decimals=4):
    from truerank.reliability.estimators import ESTIMATORS, TopicSample
    sample = TopicSample(simulated(n, m, best, worst, decimals).values, None, 1)
    return lambda: ESTIMATORS[name].probabilities(sample)

def assessed(n, m, draws, estimator="eb"):
    scores = simulated(n, m, 0.4, 0.05)
    return lambda: truerank.assess(scores, estimator, draws=draws, seed=1)

def weighed(n, m, priced):
    scores = simulated(n, m, 0.4, 0.05)
    costs = np.exp(np.random.default_rng(1).normal(size=m))
    prices = dict(zip(scores.systems, costs.tolist(), strict=True)) if priced else None
    return lambda: truerank.assess(scores, "eb", seed=1, pareto=prices)

def long_rows(n, m):
    folder = tempfile.mkdtemp()
    rng = np.random.default_rng(1)
    values = rng.random((n, m)).round()
    path = Path(folder, "long.csv")
    with path.open("w") as file:
        file.write("question,model,score\n")
        for t, row in enumerate(values.tolist()):
            cells = (f"question_{t:05d},org/model_{s:03d}," + f"{v:.0f}" for s, v in enumerate(row))
            file.write("\n".join(cells) + "\n")
    return path

def battle_rows(systems, prompts, battles, covariates=0):
    path = Path(tempfile.mkdtemp(), "battles.csv")
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 0.5, systems)
    with path.open("w") as file:
        names = [f"x{k}_{side}" for k in range(covariates) for side in "ab"]
        file.write(",".join(["question,model_a,model_b,winner", *names]) + "\n")
        for start in range(0, battles, 1_000_000):
            count = min(1_000_000, battles - start)
            a = rng.integers(0, systems, count)
            b = (a + rng.integers(1, systems, count)) % systems
            amounts = rng.integers(1, 500, (count, 2 * covariates))
            lead = strengths[a] - strengths[b] + (amounts[:, ::2] > amounts[:, 1::2]).sum(axis=1) / 5
            won = rng.random(count) < 1 / (1 + np.exp(-lead))
            prompt = rng.integers(0, prompts, count)
            rows = zip(prompt.tolist(), a.tolist(), b.tolist(), won.tolist(), amounts.tolist())
            for p, i, j, w, more in rows:
                cells = "".join(f",{cell}" for cell in more)
                file.write(f"q{p},m{i},m{j},{'model_a' if w else 'model_b'}{cells}\n")
    return path

def fought(path, covariates=0):
    names = [f"x{k}" for k in range(covariates)]
    return lambda: truerank.assess(truerank.read_scores(path, covariates=names), seed=1)

def plain_fit(path):
    import evalica, pandas
    def work():
        table = pandas.read_csv(path)
        won = table.winner.map({"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y})
        return evalica.bradley_terry(table.model_a, table.model_b, won)
    return work

def read(path):
    import pyarrow.csv, truerank.readers
    return lambda: truerank.read_scores(path)

def to_page(path):
    return lambda: truerank.assess(truerank.read_scores(path), seed=1).to_html()

def parsed(path):
    import pandas
    return lambda: pandas.read_csv(path)

def board(systems, sets, topics, holes):
    rng = np.random.default_rng(0)
    values = rng.normal(np.linspace(0.6, 0.4, systems), 0.15, (topics, systems))
    values += rng.normal(0, 0.2, (topics, 1))
    names = [f"set {t * sets // topics}" for t in range(topics)]
    values[rng.random(values.shape) < holes] = np.nan
    return ScoreMatrix.build(values, data_sets=names, holes=True)

def boards(systems, sets, topics, holes):
    scores = board(systems, sets, topics, holes)
    return lambda: truerank.assess(scores, "eb")

def command(words, n, m):
    from truerank import cli
    folder = tempfile.TemporaryDirectory()
    table = simulated(n, m, 0.4, 0.3).values
    for name, values in (("a.csv", table), ("b.csv", table[::-1])):
        rows = (f"t{i}," + ",".join(f"{v:.4f}" for v in row) for i, row in enumerate(values.tolist()))
        lines = ["topic," + ",".join(f"s{j}" for j in range(m)), *rows]
        Path(folder.name, name).write_text(chr(10).join(lines))
    def work(folder=folder):
        sys.argv = ["truerank", *(word.replace("DIR", folder.name) for word in words.split()), "--quiet"]
        try:
            cli.main()
        except SystemExit as stop:
            assert not stop.code
    return work

def used(whose):
    found = resource.getrusage(whose)
    return found.ru_utime + found.ru_stime

def seconds():
    return used(resource.RUSAGE_SELF) + used(resource.RUSAGE_CHILDREN)

work = {job}
started = seconds()
work()
print(seconds() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def measured(expression: str) -> tuple[float, float]:
    """Processor seconds and GB of one job in a new process."""
    command = [sys.executable, "-c", PREPARE.replace("{job}", expression)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak = found.stdout.split()[-2:]
    return float(seconds), float(peak)

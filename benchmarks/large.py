"""Large jobs beside an older version: each in a process of its own, processor time and peak of memory.

Processor time is that of all threads and processes of the job, user and system, so that it means something
where others use the machine too. The older version's figures are run, in turns, where TRUERANK_BEFORE names
the `src` folder of its checkout; otherwise only today's are printed. Some take minutes: TRUERANK_TURNS=1 runs
each once.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from dataclasses import dataclass

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

def with_runs(n, m, k):
    from dataclasses import replace
    from truerank.repeats import Facet, Repeats
    rng = np.random.default_rng(1)
    runs = rng.normal(np.linspace(0.6, 0.4, m), 0.15, (n, 1, m)) + rng.normal(0, 0.2, (n, k, m))
    scores = ScoreMatrix.build(runs.mean(axis=1))
    labeled = Facet("run", tuple(map(str, range(k))), runs)
    counts, variances = np.full((n, m), k), runs.var(axis=1, ddof=1) / k
    return scores, replace(scores, repeats=Repeats(counts, variances, "run", labeled=labeled))

def assessed_runs(n, m, k, averaged=False):
    scores = with_runs(n, m, k)[not averaged]
    return lambda: truerank.assess(scores, seed=1)

def long_rows(n, m, cell="{:.0f}"):
    folder = tempfile.mkdtemp()
    rng = np.random.default_rng(1)
    values = rng.random((n, m)).round(6 if "6" in cell else 0)
    path = Path(folder, "long.csv")
    with path.open("w") as file:
        file.write("question,model,score\n")
        for t, row in enumerate(values.tolist()):
            cells = (f"question_{t:05d},org/model_{s:03d}," + cell.format(v) for s, v in enumerate(row))
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

def distances(n, m):
    scores = simulated(n, m, 0.4, 0.05)
    other = scores.means + np.random.default_rng(3).normal(0, 0.02, m)
    return lambda: truerank.rank_distance_test(scores, other, seed=1)

def command(words, n, m):
    from truerank import cli
    folder = tempfile.TemporaryDirectory()
    table = simulated(n, m, 0.4, 0.3).values
    for name in ("a.csv", "b.csv"):
        rows = (f"t{i}," + ",".join(f"{v:.4f}" for v in row) for i, row in enumerate(table.tolist()))
        lines = ["topic," + ",".join(f"s{j}" for j in range(m)), *rows]
        Path(folder.name, name).write_text(chr(10).join(lines))
    def work(folder=folder):
        sys.argv = ["truerank", *(word.replace("DIR", folder.name) for word in words.split()), "--quiet"]
        try:
            cli.main()
        except SystemExit as stop:
            assert not stop.code
    return work

def experiment(trials):
    from truerank import experiments
    original = simulated(50, 55, 0.4, 0.05)
    folder = tempfile.TemporaryDirectory()
    return lambda folder=folder: experiments.run(
        "estimators", {"demo": original}, folder.name + "/run", workers=1, trials=trials, drop_bottom=0.0
    )

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


@dataclass(frozen=True)
class Job:
    """A job: the expression that makes it, today and in the older version, and the ratio wanted.

    Attributes:
        name: of the line.
        now: the expression.
        wanted: what the line should show.
        before: the expression in the older version; the same unless given.
        beside: another job of this version, which takes the older version's place.
    """

    name: str
    now: str
    wanted: str
    before: str = ""
    beside: str = ""


JOBS = (
    Job(
        "eb, intervals, ranks: 5,000 × 1,000",
        "assessed(1000, 5000, 1000)",
        "half the time with twice the draws (1,000), at most 2 GB",
        "assessed(1000, 5000, 500)",
    ),
    Job("msqd: 1,000 × 1,000", "pairs('msqd', 1000, 1000, 0.4, 0.05)", "3×"),
    Job("msqd: 1,000 × 1,000, all digits", "pairs('msqd', 1000, 1000, 0.4, 0.05, 15)", "12 s"),
    Job("kd: 500 systems × 50 topics", "pairs('kd', 50, 500, 0.3, 0.2)", "6×"),
    Job("rank distance test: 110 × 50", "distances(50, 110)", "4×"),
    Job("assess: 3 × 100,000", "command('assess DIR/a.csv --json DIR/r', 100_000, 3)", "10 s, 1 GB"),
    Job("assess: 2,000 × 3", "command('assess DIR/a.csv --json DIR/r', 3, 2000)", "10 s, 1 GB"),
    Job(
        "assess with 10 runs: 100 × 1,000",
        "assessed_runs(1000, 100, 10)",
        "0.67× the averaged table or more, twice its memory at most",
        beside="assessed_runs(1000, 100, 10, averaged=True)",
    ),
    Job("read: 2,000,000 long rows", "read(long_rows(5000, 400))", "3 s, 0.6 GB"),
    Job(
        "read: the same beside pandas' read_csv",
        "read(long_rows(5000, 400))",
        "0.33× or more",
        beside="parsed(long_rows(5000, 400))",
    ),
    Job("read: 2,000,000 long rows of fractions", "read(long_rows(5000, 400, '{:.6f}'))", "4 s, 0.6 GB"),
    Job(
        "read and assess 10,000,000 battles of 300",
        "fought(battle_rows(300, 100_000, 10_000_000))",
        "30 s, 3 GB; beside pandas and evalica, which give strengths alone",
        beside="plain_fit(battle_rows(300, 100_000, 10_000_000))",
    ),
    Job("compare: 3 × 100,000", "command('compare DIR/a.csv DIR/b.csv', 100_000, 3)", "30 s, 2 GB"),
    Job("simulate fit: 3 × 100,000", "command('simulate fit DIR/a.csv -o DIR/m', 100_000, 3)", "30 s, 2 GB"),
    Job("the 2016 experiment: 200 of 10,000", "experiment(20)", "1.5×"),
)


def measured(expression: str, source: str | None) -> tuple[float, float]:
    """Processor seconds and GB of one job in a new process, of this version or of that in a folder."""
    environment = dict(os.environ)
    if source:
        environment["PYTHONPATH"] = source
    command = [sys.executable, "-c", PREPARE.replace("{job}", expression)]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, peak = found.stdout.split()[-2:]
    return float(seconds), float(peak)


def run() -> None:
    """Print the table; the ratio is the median of those of each turn."""
    older = os.environ.get("TRUERANK_BEFORE")
    print(f"{'systems × topics':40} {'now':>8} {'GB':>5}   {'before':>8} {'GB':>5} {'ratio':>6}  wanted")
    for job in JOBS:
        now, before = [], []
        for _ in range(TURNS):
            now.append(measured(job.now, None))
            if older or job.beside:
                other = (job.beside, None) if job.beside else (job.before or job.now, older)
                before.append(measured(*other))
        line = f"{job.name:40} {statistics.median(s for s, _ in now):6.1f} s {max(g for _, g in now):5.2f}"
        if before:
            ratio = statistics.median(b / a for (a, _), (b, _) in zip(now, before, strict=True))
            seconds = statistics.median(s for s, _ in before)
            line += f"   {seconds:6.1f} s {max(g for _, g in before):5.2f} {ratio:5.1f}×"
        print(f"{line}  {job.wanted}", flush=True)


if __name__ == "__main__":
    run()

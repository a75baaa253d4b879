"""What docs/methods/preferences.md says of battles: bias, coverage and plans on arenas with a known truth.

40 arenas a cell, half an hour in one process; ``python -m validation preferences`` prints the tables.
"""

from __future__ import annotations

import math
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from truerank import gate
from truerank.errors import InputError
from truerank.experiments import run as run_experiment
from validation.checks import Checks
from validation.studies.simulated_arenas import KINDS

ARENAS = 40

DESIGNS: tuple[tuple[tuple[str, ...], int, tuple[str, ...], tuple[str, ...]], ...] = (
    (("uniform", "unequal"), 15, ("50x5", "50x50", "200x50", "20x500"), ("prompts", "battles")),
    (
        ("voters", "circular", "many ties", "even strengths", "strong prompts"),
        15,
        ("50x50",),
        ("prompts", "battles", "prompts and voters"),
    ),
    (("uniform", "unequal"), 40, ("200x50",), ("prompts", "battles")),
    (("uniform", "unequal", "voters"), 15, ("50x20",), ("plan",)),
)
"""Kinds of arenas, systems, prompts × battles, and what errors are estimated from."""

PAIRS = 300
"""Equal pairs that a gate looks at."""


def run(checks: Checks) -> None:
    """Compare E τ, its intervals and joint rank ranges with the truth; then verdicts on equal systems."""
    for kinds, systems, sizes, ways in DESIGNS:
        with TemporaryDirectory() as folder:
            results = run_experiment(
                "arena",
                list(kinds),
                folder,
                workers=1,
                trials=ARENAS,
                systems=(systems,),
                sizes=sizes,
                ways=ways,
                draws=500,
            )
            rows = results.frame("arenas")
        for (kind, size, way), cell in rows.groupby(["data", "size", "way"], sort=False):
            _check_cell(checks, f"{systems} systems, {kind}, {size}", str(way), cell, systems, str(size))
    _check_verdicts(checks)


def _check_cell(checks: Checks, name: str, way: str, cell: Any, systems: int, size: str) -> None:
    errors = (cell["estimate"] - cell["actual"]).to_numpy()
    bias, se = float(errors.mean()), float(errors.std(ddof=1) / math.sqrt(len(errors)))
    said = f"{name}, by {way}: true τ {cell['actual'].mean():.3f}, bias {bias:+.3f} ± {se:.3f}"
    shares = {}
    if way != "plan":
        for column, what in (("covered_80", "80%"), ("covered_95", "95%"), ("ranges", "joint ranges")):
            share = float(cell[column].mean())
            shares[what] = (share, math.sqrt(max(share * (1 - share), 0.01) / len(cell)))
            said += f", {what} {100 * share:.0f} ± {100 * shares[what][1]:.0f}"
    checks.note(f"  {said}")
    prompts, each = map(int, size.split("x"))
    with_voters = name.split(", ")[1] == "voters"
    if way == "battles" or (with_voters and way == "prompts"):
        return  # what is wrong, shown beside
    if 2 * prompts * each / systems >= 50 or way == "plan":
        checks.that("|bias| at most 0.04 + 3 standard errors", abs(bias) <= 0.04 + 3 * se, said)
    for what, least in (("80%", 0.75), ("95%", 0.90), ("joint ranges", 0.90)):
        if what in shares:
            share, error = shares[what]
            checks.that(f"{what} hold", share >= least - 3 * error, said)


def _check_verdicts(checks: Checks) -> None:
    """Systems that are equal in truth: how often a gate calls one better, and disagreement beyond chance."""
    better = disagreeing = asked = 0
    for trial in range(PAIRS):
        model = KINDS["uniform"].model(8, np.random.default_rng(trial))
        theta = model.theta.copy()
        theta[1] = theta[0]
        arena = replace(model, theta=theta).sample(40, 25, seed=trial)
        try:
            (one,) = gate(arena.scores, baseline="sys1", candidate="sys2")
        except InputError:
            continue
        asked += 1
        better += one.verdict == "better"
        disagreeing += bool(one.direct.disagrees)
    rate, beyond = better / asked, disagreeing / asked
    error = math.sqrt(0.05 * 0.95 / asked)
    said = f"{asked} equal pairs: better {100 * rate:.1f}%, disagreement warned {100 * beyond:.1f}%"
    checks.note(f"  {said}")
    checks.that("verdicts of equal systems are false in 5% at most", rate <= 0.05 + 3 * error, said)
    checks.that("consistent battles are seldom warned of", beyond <= 0.02, said)

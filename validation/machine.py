"""What docs/methods/machine-judgments.md says of machine judgments corrected by a few human ones.

504 series of topics a cell over six populations; twenty minutes of processor time, on all cores. A run that
is there already is checked by `python -m validation.machine FOLDER`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandas as pd

import validation.studies  # noqa: F401  # registers the experiment
from truerank.experiments import run as run_experiment
from truerank.experiments import show
from truerank.experiments.engine.run_results import Results
from truerank.report.writers.frame import frame
from validation.checks import Checks, data_folder

TABLES = ("web2010_ap", "terabyte2006_ndcg", "robust2003_ap")
TRIALS = 84
"""Of each of the six populations."""

BIASED_BELOW = 20
"""With fewer human topics eb itself is biased, machine or not: see docs/methods/empirical-bayes.md."""

LEVELS = ("80", "95")


def run(checks: Checks) -> None:
    """Run the experiment and check its averages."""
    folder = data_folder() / "trec"
    with tempfile.TemporaryDirectory() as place:
        sources = [str(folder / f"{name}.csv") for name in TABLES]
        check(checks, run_experiment("machine", sources, Path(place) / "machine", trials=TRIALS))


def check(checks: Checks, results: Results) -> None:
    """Check the tables of a run of the experiment ``machine``."""
    tables = {table.name: frame(table) for table in results.findings.tables}
    keys = ["chosen", "human", "machine", "times"]
    names = ("bias", "error", "coverage", "gain", "ranking")
    cells = pd.concat(
        [tables[f"average-{name}"].set_index(keys) for name in names], axis=1, join="inner"
    ).sort_index()
    few = results.parameters.few
    promised = cells[
        (cells.index.get_level_values("chosen") == "random") & (cells.index.get_level_values("human") != few)
    ]
    broken = cells.drop(promised.index)
    for (_, n, machine, times), cell in promised.iterrows():
        _check_cell(checks, f"{machine}, {n} by people and {n * times} by the machine", int(n), cell)
    sizes = promised.index.get_level_values("human")
    for n in sorted({n for n in sizes if n >= BIASED_BELOW}):
        mean = float(promised.loc[sizes == n, "bias_mean"].abs().mean())
        checks.that(
            f"{n} human topics: mean |bias| of τ over machines at most 0.02", mean <= 0.02, f"{mean:.4f}"
        )
    checks.note("  What is promised nothing about:")
    for (chosen, n, machine, _), cell in broken.iterrows():
        checks.note(
            f"    {n} topics, {'the hardest' if chosen == 'hard' else 'too few'}, {machine}: bias "
            f"{_shown(cell, 'bias')}, by people alone {_shown(cell, 'human_bias')}; 95% intervals hold "
            f"{100 * cell['covered_95_mean']:.0f}%"
        )


def _check_cell(checks: Checks, where: str, n: int, cell: pd.Series) -> None:
    if n >= BIASED_BELOW:
        checks.that(
            f"{where}: |bias| of τ at most 0.02", abs(cell["bias_mean"]) <= 0.02, _shown(cell, "bias")
        )
    checks.that(
        f"{where}: bias within 0.01 + 3 standard errors of that of people alone, of as many topics",
        abs(cell["more_bias_mean"]) <= 0.01 + 3 * cell["more_bias_se"],
        f"{_shown(cell, 'bias')}, alone {_shown(cell, 'same_bias')}",
    )
    checks.that(
        f"{where}: error no larger than that of people alone, but for 3 standard errors of the difference",
        cell["more_error_mean"] <= 3 * cell["more_error_se"],
        f"{cell['error_mean']:.4f}, alone {cell['human_error_mean']:.4f}",
    )
    for level in LEVELS:
        held, error = cell[f"covered_{level}_mean"], cell[f"covered_{level}_se"]
        checks.that(
            f"{where}: {level}% intervals cover within 5 points + 3 standard errors",
            abs(held - float(level) / 100) <= 0.05 + 3 * error,
            f"{100 * held:.1f} ± {100 * error:.1f}",
        )
    checks.note(
        f"       λ {cell['lambda_mean']:.2f}; effective topics {cell['effective_mean']:.1f}, by the known "
        f"correlation {cell['theory_mean']:.1f}; "
        f"τ {cell['human_actual_mean']:.3f} → {cell['actual_mean']:.3f}, "
        f"the machine alone {cell['machine_actual_mean']:.3f}, claiming {_shown(cell, 'machine_bias')} more"
    )


def _shown(cell: pd.Series, name: str) -> str:
    return f"{cell[f'{name}_mean']:+.4f} ± {cell[f'{name}_se']:.4f}"


if __name__ == "__main__":
    stored = Checks()
    check(stored, show(sys.argv[1]))
    print(f"\n{stored.passed} checks passed, {len(stored.failed)} failed", *stored.failed, sep="\n  ")
    sys.exit(bool(stored.failed))

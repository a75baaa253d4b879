"""What docs/methods/evidence/data-sets.md says of boards: bias, coverage, with and without holes.

500 leaderboards a cell over four populations; half an hour of processor time, on all cores.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from truerank.experiments import run as run_experiment
from truerank.report.writers.frame import frame
from validation.checks import Checks, data_folder

TABLES = ("terabyte2006_ap", "terabyte2006_ndcg")
TRIALS = 125
"""Of each of the four populations."""

BOUNDED = ("fixed 5", "fixed 40", "random 40")
"""With five data sets as a sample nothing is promised."""

AT_RANDOM = ("none", "0.05", "0.2")


def run(checks: Checks) -> None:
    """Run the experiment and check its averages."""
    folder = data_folder() / "trec"
    with tempfile.TemporaryDirectory() as place:
        sources = [str(folder / f"{name}.csv") for name in TABLES]
        results = run_experiment("boards", sources, Path(place) / "boards", trials=TRIALS)
        tables = {table.name: frame(table) for table in results.findings.tables}
    check(checks, tables)


def check(checks: Checks, tables: dict[str, pd.DataFrame]) -> None:
    """Check the tables of a run of the experiment ``boards``."""
    points = tables["average-points"]
    points = points[(points["coefficient"] == "tau") & (points["estimator"] == "eb")]
    points = points.set_index(["design", "holes"])
    coverage = tables["average-coverage"]
    coverage = coverage[coverage["coefficient"] == "tau"].set_index(["design", "holes"])
    for design in BOUNDED:
        one = points.loc[(design, "one table")]
        for holes in AT_RANDOM:
            cell = points.loc[(design, holes)]
            where = f"{design}, holes {holes}"
            checks.that(
                f"{where}: |bias| of τ at most 0.02", bool(abs(cell["bias_mean"]) <= 0.02), _bias(cell)
            )
            slack = 0.01 + 3 * float(np.hypot(cell["bias_se"], one["bias_se"]))
            checks.that(
                f"{where}: bias within 0.01 + 3 standard errors of that of one table",
                bool(abs(cell["bias_mean"] - one["bias_mean"]) <= slack),
                f"{_bias(cell)}, one table {_bias(one)}",
            )
            for level in ("80", "90", "95"):
                held = coverage.loc[(design, holes)]
                limit = 0.05 + 3 * float(held[f"covered_{level}_se"])
                checks.that(
                    f"{where}: {level}% intervals cover within 5 points + 3 standard errors",
                    bool(abs(held[f"covered_{level}_mean"] - float(level) / 100) <= limit),
                    f"{100 * held[f'covered_{level}_mean']:.1f} ± {100 * held[f'covered_{level}_se']:.1f}",
                )
        checks.note(
            f"  {design}, hard topics missing in a third of the systems: {_bias(points.loc[design, 'hard'])}"
        )
    for holes in ("one table", *AT_RANDOM, "hard"):
        checks.note(f"  random 5, {holes}: {_bias(points.loc[('random 5', holes)])}")


def _bias(cell: pd.Series) -> str:
    return f"{cell['bias_mean']:+.4f} ± {cell['bias_se']:.4f}"

"""What docs/methods/empirical-bayes.md says of `eb` and its intervals, on a tenth of the collections.

Averages over ten populations: the bias smaller than every other estimator's, the error no larger at ten
topics, coverage near nominal, intervals narrower than the thesis's.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from truerank.experiments import run as run_experiment
from truerank.report.writers.frame import frame
from validation.checks import Checks, data_folder

TABLES = ("adhoc6_ap", "adhoc7_ap", "web2010_ap", "web2010_p10", "robust2003_ap")
TRIALS = 100
TOPICS = (10, 30)
SLACK = {10: 0.05, 30: 0.03}
OURS, THESIS = "eb/shrunk/quantile", "ml/sample/normal"


def run(checks: Checks) -> None:
    """Run the experiment and check the averages."""
    folder = data_folder() / "trec"
    with tempfile.TemporaryDirectory() as place:
        results = run_experiment(
            "calibration",
            [str(folder / f"{name}.csv") for name in TABLES],
            Path(place) / "calibration",
            seed=1,
            trials=TRIALS,
            topics=TOPICS,
        )
        tables = {table.name: frame(table) for table in results.findings.tables}
    others = list(results.parameters.estimators[1:])
    bias, error, coverage = (tables[f"average-{name}"] for name in ("bias", "error", "coverage"))
    paired = tables["paired"]
    for coefficient in ("tau", "tau_ap"):
        for n in TOPICS:
            where = f"{coefficient}, n = {n}"
            one = bias[(bias["coefficient"] == coefficient) & (bias["topics"] == n)].iloc[0]
            checks.that(
                f"{where}: mean |bias| of eb is the smallest",
                bool(one["eb"] < one[others].min()),
                ", ".join(f"{e} {one[e]:.4f}" for e in ("eb", *others)),
            )
            one = error[(error["coefficient"] == coefficient) & (error["topics"] == n)].iloc[0]
            best = one[others].astype(float).idxmin()
            pairs = paired[(paired["coefficient"] == coefficient) & (paired["topics"] == n)]
            pairs = pairs[pairs["estimator"] == best]
            allowed = 2 * float(np.sqrt((pairs["difference_se"] ** 2).sum())) / len(pairs)
            allowed += 0.0 if n == 10 else 0.02 * one[best]
            checks.that(
                f"{where}: mean error of eb at most {best}'s" + ("" if n == 10 else ", but for 2%"),
                bool(one["eb"] <= one[best] + allowed),
                ", ".join(f"{e} {one[e]:.4f}" for e in ("eb", *others, "constant")),
            )
            rows = coverage[(coverage["coefficient"] == coefficient) & (coverage["topics"] == n)]
            rows = rows.set_index("interval")
            for level in ("80", "90", "95"):
                nominal = float(level) / 100
                noise = 2 * np.sqrt(nominal * (1 - nominal) / (TRIALS * 2 * len(TABLES)))
                covered = float(rows.loc[OURS, level])
                checks.that(
                    f"{where}: {level}% intervals cover within {100 * SLACK[n]:g} points on average",
                    bool(abs(covered - nominal) <= SLACK[n] + noise),
                    f"{100 * covered:.1f}",
                )
            widths = [float(rows.loc[way, "width_95"]) for way in (OURS, THESIS)]
            checks.that(
                f"{where}: narrower than the thesis's", widths[0] < widths[1], "{:.3f} {:.3f}".format(*widths)
            )

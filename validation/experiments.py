"""The experiments on real data: published error and bias, and whether intervals hold what they promise.

A small version of what `truerank experiment run` does in full; the full figures are in
docs/experiments.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from truerank import experiments
from truerank.report.writers.frame import frame
from validation.checks import Checks, data_folder

TRIALS = 100
COLUMNS = {"ml": "ML", "msqd": "MSQD", "res": "RES", "kd": "KD", "sh-w": "SHw", "sh-wo": "SHwo"}
FILES = {"tau": "adhoc6_tau.csv.gz", "tau_ap": "adhoc6_tauAP.csv.gz"}


def published_cells(folder: Path) -> pd.DataFrame:
    """Mean error and bias of every published estimator, size and coefficient, with standard errors."""
    rows = []
    for coefficient, file in FILES.items():
        table = pd.read_csv(folder / "published" / file)
        for topics, group in table.groupby("n_t"):
            for name, column in COLUMNS.items():
                difference = (group[column] - group["actual"]).dropna()
                for kind, values in (("error", difference.abs()), ("bias", difference)):
                    cell = {"coefficient": coefficient, "topics": topics, "estimator": name, "kind": kind}
                    rows.append(cell | {"published": values.mean(), "published_se": values.sem()})
    return pd.DataFrame(rows)


def beside_published(long: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Our cells beside the published, with ``z``: their difference in joint standard errors.

    Args:
        long: the table ``estimates`` of the experiment on adhoc6.
        folder: the data folder.
    """
    keys = ["coefficient", "topics", "estimator"]
    parts = []
    for kind in ("error", "bias"):
        part = long[[*keys, kind, f"{kind}_se"]].set_axis([*keys, "ours", "ours_se"], axis=1)
        parts.append(part.assign(kind=kind))
    both = pd.concat(parts).merge(published_cells(folder), on=[*keys, "kind"])
    joint = np.hypot(both["ours_se"], both["published_se"])
    return both.assign(z=(both["ours"] - both["published"]) / joint)


def check_estimators(checks: Checks, folder: Path) -> None:
    """Every cell of the published table within three joint standard errors."""
    with tempfile.TemporaryDirectory() as output:
        found = experiments.run(
            "estimators", folder / "trec" / "adhoc6_ap.csv", output, trials=TRIALS, seed=1
        )
        long = next(frame(t) for t in found.findings.tables if t.name == "estimates")
        seconds = found.seconds()
    both = beside_published(long, folder)
    for kind, some in both.groupby("kind", sort=False):
        wide = some.pivot_table(index=["coefficient", "topics"], columns="estimator", values="z", sort=False)
        checks.note(f"\n{kind}: (ours − published) in joint standard errors, {TRIALS} collections a size")
        checks.note(wide.round(1).to_string())
    for name, some in both.groupby("estimator", sort=False):
        within = int((some["z"].abs() <= 3).sum())
        checks.that(
            f"{name}: at least 38 of 40 cells within three joint standard errors", within >= 38, str(within)
        )
    checks.note("\nprocessor time\n" + seconds.round(1).to_string(index=False))


def check_intervals(checks: Checks, folder: Path) -> None:
    """Shrunk is nearer to nominal than sample, and sampling pairs of pairs is not why sample is too wide."""
    with tempfile.TemporaryDirectory() as output:
        found = experiments.run(
            "intervals",
            folder / "trec" / "web2010_ap.csv",
            output,
            trials=TRIALS,
            topics=(20, 50),
            estimators=("ml", "msqd"),
            dependences=("sampled", "sample", "shrunk", "true"),
            draws=2_000,
            seed=1,
        )
        tables = {t.name: frame(t) for t in found.findings.tables}
        rows = found.frame().query("coefficient == 'tau' and estimator == 'ml'")
    variance = tables["variance"]
    checks.note("\n" + variance.round(5).to_string(index=False))
    ratio = variance.groupby("dependence")["ratio"].mean()
    wide = rows.pivot_table(index=["trial", "topics"], columns="dependence", values="variance")
    difference = wide["sampled"] / wide["sample"] - 1
    z = difference.mean() / difference.sem()
    checks.that(
        "sampling pairs of pairs does not move the mean variance",
        abs(z) <= 3,
        f"{difference.mean():+.1%} of the joint draws' (standard error {difference.sem():.1%})",
    )
    checks.that(
        "without noise in the correlations the variance is nearer to the true one",
        abs(ratio["true"] - 1) < abs(ratio["sample"] - 1),
        f"{ratio['true']:.2f} against {ratio['sample']:.2f} times the true variance",
    )
    coverage = tables["coverage"]
    levels = ["60", "80", "90", "95", "99"]
    some = coverage[(coverage["interval"] == "normal") & (coverage["coefficient"] == "tau")]
    nominal = np.array([float(level) / 100 for level in levels])
    miss = some.groupby("dependence")[levels].mean().sub(nominal, axis=1).abs().mean(axis=1)
    checks.that(
        "normal intervals of tau miss their level by less with shrunk than with sample",
        miss["shrunk"] < miss["sample"],
        f"{miss['shrunk']:.3f} against {miss['sample']:.3f}",
    )


def run(checks: Checks) -> None:
    """Both experiments, small."""
    folder = data_folder()
    check_estimators(checks, folder)
    check_intervals(checks, folder)

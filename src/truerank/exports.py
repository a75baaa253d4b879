"""An assessment as CSV files and LaTeX tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from truerank.files import atomic_path, safe_name
from truerank.plain import plain as plain
from truerank.results import Assessment

if TYPE_CHECKING:
    from pandas import DataFrame


def write_csv(assessment: Assessment, folder: Path) -> list[Path]:
    """One CSV file a table into a folder (made if need be); returns what was written.

    ``ranking.csv``, ``estimates.csv``, ``swaps_ESTIMATOR.csv`` for every estimator that has
    probabilities, ``baseline.csv`` with a baseline, and ``settings.csv``.
    """
    import pandas as pd

    names = list(assessment.scores.systems)
    index = pd.Index(names, name="system")
    frames = {
        "ranking": assessment.to_frame("ranking").set_index("system"),
        "estimates": assessment.to_frame("estimates").set_index("estimator"),
        "settings": pd.Series(plain(asdict(assessment.settings)), name="value").rename_axis("setting"),
    }
    for estimator, probabilities in assessment.swap_probabilities.items():
        frames[f"swaps_{safe_name(estimator)}"] = pd.DataFrame(probabilities, index=index, columns=names)
    if assessment.baseline:
        frames["baseline"] = assessment.to_frame("baseline").set_index("system")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, frame in frames.items():
        target = folder / f"{name}.csv"
        with atomic_path(target) as temporary:
            frame.to_csv(temporary)
        written.append(target)
    return written


def write_latex(assessment: Assessment, target: Path) -> None:
    """Two booktabs tables into one file: the estimates and the ranking. System names are escaped."""
    level = assessment.settings.levels[0]
    caption_of = (
        f"{assessment.scores.m} systems, {assessment.scores.n} topics"
        + (f", {assessment.measure}" if assessment.measure else "")
        + f"; {level:.0%} intervals; truerank {assessment.settings.version}, seed {assessment.settings.seed}"
    )
    estimates = assessment.to_frame("estimates")
    suffix = f"quantile_{100 * level:g}"
    estimates = estimates[
        ["coefficient", "estimator", "dependence", "estimate", f"low_{suffix}", f"high_{suffix}"]
    ].rename(columns={f"low_{suffix}": "low", f"high_{suffix}": "high"})
    with atomic_path(target) as temporary:
        temporary.write_text(
            _booktabs(
                estimates.sort_values("coefficient", kind="stable"),
                f"Correlation with the true ranking ({caption_of})",
            )
            + "\n"
            + _booktabs(assessment.to_frame("ranking"), f"Ranking ({caption_of})"),
            encoding="utf-8",
        )


def _booktabs(frame: DataFrame, caption: str) -> str:
    styler = frame.rename(columns=lambda name: str(name).replace("_", " ")).style.hide(axis="index")
    styler = styler.format(precision=3, na_rep="--", escape="latex")
    numeric = set(frame.select_dtypes("number").columns)
    columns = "".join("r" if name in numeric else "l" for name in frame.columns)
    text: str = styler.to_latex(hrules=True, caption=caption.replace("%", r"\%"), column_format=columns)
    return text

"""An assessment as JSON, data frames, CSV files and LaTeX tables."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.errors import unknown_name
from truerank.files import atomic_path, safe_name

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.assessment import Assessment

TABLES = ("ranking", "estimates", "swaps", "baseline")


def plain(value: Any) -> Any:
    """Data that JSON can hold: NaN and infinities become ``None``, arrays lists, tuples lists."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def assessment_document(assessment: Assessment) -> dict[str, Any]:
    """The documented JSON of `truerank assess`; ``baseline`` only where one was asked for."""
    document = {
        "measure": assessment.measure,
        "topics": assessment.scores.n,
        "systems": assessment.scores.m,
        "headline": {
            "estimator": assessment.headline_estimator,
            "dependence": assessment.estimate_dependence(assessment.headline_estimator),
        },
        "estimates": [asdict(estimate) for estimate in assessment.estimates],
        "ranking": [asdict(system) for system in assessment.ranking],
        "swap_probabilities": assessment.swap_probabilities,
        "warnings": assessment.warnings,
        "settings": asdict(assessment.settings),
    }
    if assessment.settings.baseline is not None:
        document["baseline"] = {
            "system": assessment.settings.baseline,
            "differences": [asdict(difference) for difference in assessment.baseline],
        }
    result: dict[str, Any] = plain(document)
    return result


def assessment_frame(assessment: Assessment, table: str) -> DataFrame:
    """A table of the assessment as a data frame; see :meth:`Assessment.to_frame`."""
    import pandas as pd

    if table == "ranking":
        return pd.DataFrame([asdict(system) for system in assessment.ranking])
    if table == "estimates":
        rows = []
        for estimate in assessment.estimates:
            row = asdict(estimate)
            for interval in row.pop("intervals"):
                suffix = f"{interval['method']}_{100 * interval['level']:g}"
                row[f"low_{suffix}"], row[f"high_{suffix}"] = interval["low"], interval["high"]
            rows.append(row)
        return pd.DataFrame(rows)
    if table == "swaps":
        probabilities = assessment.swap_probabilities.get(assessment.headline_estimator)
        names = list(assessment.scores.systems)
        shape = np.full((len(names), len(names)), np.nan) if probabilities is None else probabilities
        return pd.DataFrame(shape, index=pd.Index(names, name="system"), columns=names)
    if table == "baseline":
        columns = ["system", "difference", "low", "high", "probability_better"]
        return pd.DataFrame([asdict(d) for d in assessment.baseline], columns=columns)
    raise unknown_name("table", table, TABLES)


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

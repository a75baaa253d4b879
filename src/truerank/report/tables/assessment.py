"""An assessment as CSV files and LaTeX tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truerank._support.files import atomic_path, make_folder, safe_name
from truerank._support.plain import plain
from truerank.reliability.results import Assessment
from truerank.report.tables.table import latex

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
        "settings": pd.Series(_settings(assessment), name="value").rename_axis("setting"),
    }
    for estimator, probabilities in assessment.swap_probabilities.items():
        frames[f"swaps_{safe_name(estimator)}"] = pd.DataFrame(probabilities, index=index, columns=names)
    if assessment.baseline:
        frames["baseline"] = assessment.to_frame("baseline").set_index("system")
    make_folder(folder)
    for stale in [folder / "baseline.csv", *folder.glob("swaps_*.csv")]:
        stale.unlink(missing_ok=True)  # of an earlier assessment into the same folder
    written = []
    for name, frame in frames.items():
        target = folder / f"{name}.csv"
        with atomic_path(target) as temporary:
            frame.to_csv(temporary)
        written.append(target)
    return written


def _settings(assessment: Assessment) -> dict[str, object]:
    """What to cite: measure, sizes, headline, and everything that sets the digits."""
    headline = assessment.to_dict()["headline"]
    about = {
        "measure": assessment.measure,
        "topics": assessment.scores.n,
        "systems": assessment.scores.m,
        "headline estimator": headline["estimator"],
        "dependence": headline["dependence"],
    }
    return plain(about | asdict(assessment.settings))


@dataclass(frozen=True)
class _Table:
    """One of the tables of an assessment, for :mod:`truerank.report.tables.table`."""

    caption: str
    frame: DataFrame
    digits: int = 3


def write_latex(assessment: Assessment, target: Path) -> None:
    """Booktabs tables into one file: estimates, ranking, and differences to the baseline if any."""
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
    tables = {
        "Correlation with the true ranking": estimates.sort_values("coefficient", kind="stable"),
        "Ranking": _with_whole_ranks(assessment.to_frame("ranking")),
    }
    if assessment.baseline:
        tables[f"Differences to {assessment.settings.baseline}"] = assessment.to_frame("baseline")
    texts = [latex(_Table(f"{title} ({caption_of})", frame)) for title, frame in tables.items()]
    with atomic_path(target) as temporary:
        temporary.write_text("% needs \\usepackage{booktabs}\n" + "\n".join(texts), encoding="utf-8")


def _with_whole_ranks(ranking: DataFrame) -> DataFrame:
    """The ranking with its ranks and tiers as whole numbers, also where some are missing."""
    return ranking.astype(dict.fromkeys(("rank", "rank_low", "rank_high", "tier"), "Int64"))

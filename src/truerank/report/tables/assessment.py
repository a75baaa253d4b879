"""An assessment as CSV files and LaTeX tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truerank._support.files import PathLike, safe_name
from truerank._support.outputs import write_file, write_folder
from truerank._support.plain import plain
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.results import Assessment
from truerank.report.tables.table import latex
from truerank.report.words import letter_runs

if TYPE_CHECKING:
    from pandas import DataFrame


def write_csv(assessment: Assessment, folder: PathLike) -> list[Path]:
    """One CSV file a table into a folder (made if need be); returns what was written.

    ``ranking.csv``, ``estimates.csv``, ``swaps_ESTIMATOR.csv`` for every estimator that has
    probabilities, ``machine.csv`` with a machine judge, ``baseline.csv`` with a baseline, and
    ``settings.csv``. Those of an earlier assessment are replaced or removed.

    Raises:
        InputError: a file of that name is there that was not written so, or was changed since; or
            the folder cannot be made or written to.
    """
    return write_folder(folder, csv_files(assessment), "assess", "--csv")


def csv_names(
    estimators: Sequence[str] | None = None, baseline: bool = False, machine: bool = False
) -> list[str]:
    """The files that :func:`csv_files` may give, known before anything is computed."""
    chosen = [ESTIMATORS.find(name) for name in estimators or ESTIMATORS]
    swaps = [f"swaps_{safe_name(one.name)}" for one in chosen if isinstance(one, PairEstimator)]
    more = [*(["machine"] if machine else []), *(["baseline"] if baseline else [])]
    stems = ["ranking", "estimates", "settings", "data_sets", *swaps, *more]
    return [f"{stem}.csv" for stem in stems]


def csv_files(assessment: Assessment) -> dict[str, str]:
    """The tables of an assessment as CSV, by file name."""
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
    if assessment.board is not None:
        frames["data_sets"] = assessment.to_frame("data_sets").set_index("name")
    if assessment.machine is not None:
        frames["machine"] = assessment.to_frame("machine").set_index("system")
    if assessment.baseline:
        frames["baseline"] = assessment.to_frame("baseline").set_index("system")
    return {f"{name}.csv": frame.to_csv(lineterminator="\n") for name, frame in frames.items()}


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
    if assessment.machine is not None:
        judge = assessment.machine
        about |= {
            "machine topics": judge.machine_topics,
            "effective topics": judge.effective_topics,
            "lambda": judge.scale,
        }
    return plain(about | asdict(assessment.settings))


@dataclass(frozen=True)
class _Table:
    """One of the tables of an assessment, for :mod:`truerank.report.tables.table`."""

    caption: str
    frame: DataFrame
    digits: int = 3


def write_latex(assessment: Assessment, target: PathLike) -> None:
    """Booktabs tables into one file: estimates, ranking, and differences to the baseline if any.

    Raises:
        InputError: the file exists and was not written so, or was changed since; or it cannot be
            written there.
    """
    write_file(target, latex_text(assessment), "assess")


def latex_text(assessment: Assessment) -> str:
    """What :func:`write_latex` writes."""
    level, judge = assessment.settings.levels[0], assessment.machine
    topics = f"{assessment.scores.n} topics"
    if judge is not None:
        topics += f" judged by people and {judge.machine_topics} by a machine"
    caption_of = (
        f"{assessment.scores.m} systems, {topics}"
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
        "Ranking": _with_short_letters(assessment.to_frame("ranking")),
    }
    if assessment.machine is not None:
        tables["Bias of the machine judge"] = assessment.to_frame("machine")
    if assessment.baseline:
        tables[f"Differences to {assessment.settings.baseline}"] = assessment.to_frame("baseline")
    texts = [latex(_Table(f"{title} ({caption_of})", frame)) for title, frame in tables.items()]
    return "% needs \\usepackage{booktabs}\n" + "\n".join(texts)


def _with_short_letters(ranking: DataFrame) -> DataFrame:
    """The ranking with runs of letters as their first and last."""
    return ranking.assign(letters=ranking["letters"].map(letter_runs, na_action="ignore"))

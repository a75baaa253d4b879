"""The figures as files for papers: SVG, PDF and PNG, a column wide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.files import PathLike
from truerank._support.outputs import write_folder
from truerank.report import render
from truerank.report.charts.differences import differences_chart
from truerank.report.charts.estimates import estimates_chart
from truerank.report.charts.machine import machine_chart
from truerank.report.charts.ranking import ranking_chart
from truerank.report.charts.style import COLUMN
from truerank.report.charts.swaps import swap_chart
from truerank.report.charts.topic_differences import topic_differences_chart
from truerank.report.parts.gate import gate_of

if TYPE_CHECKING:
    from truerank.comparison.gate import Gate
    from truerank.reliability.results import Assessment


RANKING, SWAPS, ESTIMATORS, BASELINE = "ranking", "swap-probabilities", "estimators", "baseline"
DIFFERENCES, MACHINE = "differences", "machine-judge"


def write_figures(assessment: Assessment, folder: PathLike) -> list[Path]:
    """Every figure of an assessment as SVG, PDF and PNG into a folder (made if need be).

    ``ranking``, ``swap-probabilities`` (where the headline estimator has them), ``estimators`` and,
    with a machine judge, ``machine-judge``, with a baseline, ``baseline``. At most 240 points wide, a column
    of a two-column paper, and as high as its rows ask for, at most some 650; text is text in SVG and PDF;
    PNG has 288 dots an inch. Those of an earlier assessment are replaced or removed. What they show:
    docs/report.md. Some seconds, most of it for starting vl-convert.

    Args:
        assessment: what :func:`truerank.assess` returned.
        folder: where they go.

    Returns:
        The files that were written, figure by figure, in the order above.

    Raises:
        InputError: the folder cannot be made or written to, or a file of that name is there that was
            not written so, or was changed since.

    Example:
        >>> import tempfile, truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["ml"], draws=100, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = write_figures(result, folder)
        >>> [file.name for file in files if file.suffix == ".svg"]
        ['ranking.svg', 'swap-probabilities.svg', 'estimators.svg']
    """
    return write_folder(folder, figure_files(assessment), "assess", "--figures")


def figure_files(assessment: Assessment) -> dict[str, bytes]:
    """The figures of an assessment as SVG, PDF and PNG, by file name."""
    charts = figures(assessment)
    shrunk = {name: render.shrunk(render.svg(chart), COLUMN.width) for name, chart in charts.items()}
    return render.files(shrunk)


def pair_figure_files(found: Gate) -> dict[str, bytes]:
    """The differences of two systems on every topic, as SVG, PDF and PNG, by file name."""
    charts = {
        DIFFERENCES if place == 1 else f"{DIFFERENCES}-{place}": topic_differences_chart(one, COLUMN)
        for place, one in enumerate(found.overall, 1)
    }
    return render.files({name: render.shrunk(render.svg(c), COLUMN.width) for name, c in charts.items()})


def figure_names(baseline: bool, machine: bool = False) -> list[str]:
    """The files that :func:`figure_files` may give, known before anything is computed."""
    more = [*([MACHINE] if machine else []), *([BASELINE] if baseline else [])]
    return render.file_names([RANKING, SWAPS, ESTIMATORS, *more])


def figures(assessment: Assessment) -> dict[str, Any]:
    """The Altair charts of an assessment, for a paper's column, by file name; they can be changed further."""
    if assessment.scores.m == 2:
        return {DIFFERENCES: topic_differences_chart(gate_of(assessment).decisions[0], COLUMN)}
    charts = {RANKING: ranking_chart(assessment, COLUMN)}
    if assessment.headline_estimator in assessment.swap_probabilities:
        charts[SWAPS] = swap_chart(assessment, COLUMN)
    charts[ESTIMATORS] = estimates_chart(assessment, COLUMN)
    if assessment.machine is not None:
        charts[MACHINE] = machine_chart(assessment, COLUMN)
    if assessment.baseline:
        charts[BASELINE] = differences_chart(assessment, COLUMN)
    return charts

"""The figures as files for papers: SVG, PDF and PNG, a column wide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.files import PathLike
from truerank.report import render
from truerank.report.charts.differences import differences_chart
from truerank.report.charts.estimates import estimates_chart
from truerank.report.charts.ranking import ranking_chart
from truerank.report.charts.style import COLUMN
from truerank.report.charts.swaps import swap_chart

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def write_figures(assessment: Assessment, folder: PathLike) -> list[Path]:
    """Every figure of an assessment as SVG, PDF and PNG into a folder (made if need be).

    ``ranking``, ``swap-probabilities`` (where the headline estimator has them), ``estimators`` and,
    with a baseline, ``baseline``. At most 240 points wide, a column of a two-column paper, and as
    high as its rows ask for, at most some 650; text is text in SVG and PDF; PNG has 288 dots an inch.

    Returns:
        The files, in order.

    Raises:
        InputError: the folder cannot be made or written to.
    """
    charts = figures(assessment)
    shrunk = {name: render.shrunk(render.svg(chart), COLUMN.width) for name, chart in charts.items()}
    return render.write_files(shrunk, folder)


def figures(assessment: Assessment) -> dict[str, Any]:
    """The Altair charts of an assessment, for a paper's column, by file name; they can be changed further."""
    charts = {"ranking": ranking_chart(assessment, COLUMN)}
    if assessment.headline_estimator in assessment.swap_probabilities:
        charts["swap-probabilities"] = swap_chart(assessment, COLUMN)
    charts["estimators"] = estimates_chart(assessment, COLUMN)
    if assessment.baseline:
        charts["baseline"] = differences_chart(assessment, COLUMN)
    return charts

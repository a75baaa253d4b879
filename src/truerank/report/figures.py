"""The figures as files for papers: SVG, PDF and PNG, one column or two columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank._support.outputs import write_folder
from truerank.errors import InputError, unknown_name
from truerank.report import render
from truerank.report.charts.data_sets import data_sets_chart
from truerank.report.charts.differences import differences_chart
from truerank.report.charts.estimates import estimates_chart
from truerank.report.charts.machine import machine_chart
from truerank.report.charts.measures import measures_chart
from truerank.report.charts.ranking import ranking_chart
from truerank.report.charts.style import COLUMN, TEXT, Size
from truerank.report.charts.swaps import swap_chart
from truerank.report.charts.topic_differences import topic_differences_chart
from truerank.report.parts.gate import gate_of

if TYPE_CHECKING:
    from truerank.comparison.gate import Gate
    from truerank.reliability.results import Assessment


RANKING, SWAPS, ESTIMATORS, BASELINE = "ranking", "swap-probabilities", "estimators", "baseline"
DIFFERENCES, DATA_SETS, MEASURES = "differences", "data-sets", "measures"
MACHINE = "machine-judge"

WIDTHS = {85: COLUMN, 178: TEXT}
"""Millimetres to sizes: one column of a two-column paper, and both."""


def write_figures(
    assessment: Assessment,
    folder: PathLike,
    *,
    width: int = 85,
    top: int | None = None,
    only: Sequence[str] = (),
    overwrite: bool = False,
) -> list[Path]:
    """Every figure of an assessment as SVG, PDF and PNG into a folder (made if need be).

    ``ranking``, ``swap-probabilities`` (where the headline estimator has them), ``estimators``, with
    several data sets ``data-sets``, with a machine judge ``machine-judge`` and, with a baseline,
    ``baseline``. As high as their rows ask for, at most some 650 points; text is text in SVG
    and PDF; PNG has 288 dots an inch. The same assessment gives the same bytes. Those of an earlier
    assessment are replaced or removed. What they show: docs/figures-and-tables.md. Some seconds, most of it
    for starting vl-convert.

    Args:
        assessment: what :func:`truerank.assess` returned.
        folder: where they go.
        width: in millimetres: 85, one column of a paper, or 178, both.
        top: so many of the best systems are drawn; all by default.
        only: systems that are drawn, beside those of `top`.
        overwrite: whether files of these names are replaced in a folder without a marker, too.

    Returns:
        The files that were written, figure by figure, in the order above.

    Raises:
        InputError: no such width, fewer than two systems are left, the folder cannot be made or
            written to, or a file of that name is there, in a folder that this did not write before.
        UnknownNameError: a name in `only` that no system has.

    Example:
        >>> import tempfile, truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["ml"], draws=100, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = write_figures(result, folder)
        >>> [file.name for file in files if file.suffix == ".svg"]
        ['ranking.svg', 'swap-probabilities.svg', 'estimators.svg']
    """
    shown = chosen(assessment, top, only)
    files = figure_files(assessment, size_of(width), shown)
    return write_folder(folder, files, "assess", "--figures", overwrite)


def size_of(width: int) -> Size:
    """The size of a figure so many millimetres wide.

    Raises:
        InputError: there is none.
    """
    if width not in WIDTHS:
        raise InputError(f"figures are {' or '.join(map(str, WIDTHS))} mm wide, not {width}")
    return WIDTHS[width]


def chosen(assessment: Assessment, top: int | None = None, only: Sequence[str] = ()) -> list[str] | None:
    """The systems to draw, in ranking order: the best ones, and those named; ``None`` for all.

    Raises:
        InputError: fewer than two are left.
        UnknownNameError: a name that no system has.
    """
    if top is None and not only:
        return None
    names = [s.system for s in assessment.ranking]
    for name in only:
        if name not in names:
            raise unknown_name("system", name, names)
    wanted = {*names[: top or 0], *only}
    if len(wanted) < 2:
        raise InputError("a figure needs two systems or more; choose more of them")
    return [name for name in names if name in wanted]


READABLE = 6.0
"""Points from row to row below which names are too small to read in print."""


def too_thin(systems: int, size: Size = COLUMN) -> str:
    """What to do where so many rows come out too thin to read in print; empty where they do not.

    >>> too_thin(129)
    '129 systems leave 4.7 points a row in the figures, too small to read in print; --top 50 draws the best'
    >>> too_thin(40)
    ''
    """
    pitch = size.height / systems
    if pitch >= READABLE:
        return ""
    return (
        f"{systems} systems leave {pitch:.1f} points a row in the figures, too small to read in print; "
        "--top 50 draws the best"
    )


def figure_files(
    assessment: Assessment,
    size: Size = COLUMN,
    shown: Sequence[str] | None = None,
    split_half: bool = False,
) -> dict[str, bytes]:
    """The figures of an assessment as SVG, PDF and PNG, by file name."""
    require(PLOTS)
    return render.column_files(figures(assessment, size, shown, split_half), size.width)


def measure_files(
    assessments: Sequence[Assessment], size: Size = COLUMN, shown: Sequence[str] | None = None
) -> dict[str, bytes]:
    """The figure of several measures side by side, as SVG, PDF and PNG, by file name."""
    require(PLOTS)
    return render.column_files({MEASURES: measures_chart(assessments, size, shown)}, size.width)


def pair_figure_files(found: Gate, size: Size = COLUMN) -> dict[str, bytes]:
    """The differences of two systems on every topic, as SVG, PDF and PNG, by file name."""
    require(PLOTS)
    charts = {
        DIFFERENCES if place == 1 else f"{DIFFERENCES}-{place}": topic_differences_chart(one, size)
        for place, one in enumerate(found.overall, 1)
    }
    return render.column_files(charts, size.width)


def figure_names(baseline: bool, machine: bool = False) -> list[str]:
    """The files that :func:`figure_files` may give, known before anything is computed."""
    names = [RANKING, SWAPS, ESTIMATORS, DATA_SETS, *([MACHINE] if machine else [])]
    names += [BASELINE] if baseline else []
    return render.file_names(names)


def figures(
    assessment: Assessment,
    size: Size = COLUMN,
    shown: Sequence[str] | None = None,
    split_half: bool = False,
) -> dict[str, Any]:
    """The Altair charts of an assessment, for a paper's column, by file name; they can be changed further."""
    if assessment.scores.m == 2:
        return {DIFFERENCES: topic_differences_chart(gate_of(assessment).decisions[0], size)}
    charts = {RANKING: ranking_chart(assessment, size, shown=shown)}
    if assessment.headline_estimator in assessment.swap_probabilities:
        charts[SWAPS] = swap_chart(assessment, size, shown=shown)
    charts[ESTIMATORS] = estimates_chart(assessment, size, split_half=split_half)
    if assessment.board is not None:
        charts[DATA_SETS] = data_sets_chart(assessment, size, shown)
    if assessment.machine is not None:
        charts[MACHINE] = machine_chart(assessment, size, shown)
    if assessment.baseline and {d.system for d in assessment.baseline} & {
        *(shown or assessment.scores.systems)
    }:
        charts[BASELINE] = differences_chart(assessment, size, shown)
    return charts

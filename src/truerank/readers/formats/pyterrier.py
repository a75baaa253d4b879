"""Results of PyTerrier's `pt.Experiment`: its `save_dir`, and what it returns besides plain long frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Source
from truerank.readers.measures import pick_measure
from truerank.readers.sheets import FrameSheet, is_frame
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix

_SCORES = "perquery.csv"
_MEANS = "aggregated.csv"
_RUNS = ".res.gz"


def _recognizes(source: Source) -> bool:
    names = {path.name for path in source.files if path.parent == Path(source.path)}
    return _SCORES in names and (_MEANS in names or any(name.endswith(_RUNS) for name in names))


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    (source,) = sources
    path = Path(source.path) / _SCORES
    inner = next((one for one in source.inner if one.path == str(path)), None)
    if inner is None:
        raise InputError(
            f"{source.path}: no {_SCORES}; give the folder that pt.Experiment wrote with save_dir"
        )
    raw = read_sheet(inner.sheet, options)
    others = [str(file.relative_to(source.path)) for file in source.files if file != path]
    strangers = [name for name in others if name != _MEANS and not name.endswith(_RUNS)]
    if not strangers:
        return raw
    note = Note("files-not-used", f"files of the folder that are not used: {few(strangers, 8)}")
    return raw.noting(note)


def _recognizes_object(thing: Any) -> bool:
    if is_frame(thing):
        levels = thing.columns
        return levels.nlevels == 2 and set(levels.names) == {"name", "measure"}
    return is_frame(getattr(thing, "perquery", None)) and hasattr(thing, "averages")


def _read_object(thing: Any, options: Options) -> ScoreMatrix:
    """The scores of what `perquery="both"` returns, or of its frame with systems and measures as columns."""
    if not is_frame(thing):
        return read_sheet(FrameSheet(thing.perquery), options)
    measures = list(dict.fromkeys(str(name) for name in thing.columns.get_level_values("measure")))
    name = pick_measure(measures, options.measure, "data frame: ")
    kept = [str(measure) == name for measure in thing.columns.get_level_values("measure")]
    wide = thing.loc[:, kept]
    wide.columns = wide.columns.get_level_values("name")
    return read_sheet(FrameSheet(wide), replace(options, measure=name))


PYTERRIER = ScoreFormat(
    "pyterrier",
    "a folder of pt.Experiment",
    "The save_dir of PyTerrier's Experiment, whose perquery.csv has the scores; in Python what "
    "perquery='both' returns, and frames with columns of names and measures. (Its long frames are tables.)",
    ("folder",),
    _recognizes,
    _read,
    _recognizes_object,
    _read_object,
)

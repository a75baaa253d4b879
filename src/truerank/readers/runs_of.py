"""Several columns, or run files, that are runs of one system: together by their names."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.kinds import Plain
from truerank.readers.cell_values import Column
from truerank.readers.records import Factor, Records, over_runs
from truerank.readers.repeated_rows import runs_as_systems
from truerank.scores import ScoreMatrix


def runs_together(scores: ScoreMatrix, pattern: str, measure: str | None = None) -> ScoreMatrix:
    """The same scores with the runs of each system in one column.

    Args:
        scores: n × m, one column per run.
        pattern: how names are made of a system and a run, such as ``{system}-{run}``. A name that does not
            fit is a system of one run.
        measure: what a cell is of its runs, such as ``best@3``; their mean unless given.

    Raises:
        InputError: a pattern without a system and a run, or no name that fits it.

    Example:
        >>> table = ScoreMatrix.build([[0.1, 0.3, 0.5]], systems=["a-1", "a-2", "b"])
        >>> found = runs_together(table, "{system}-{run}")
        >>> found.systems, found.values.tolist()
        (('a', 'b'), [[0.2, 0.5]])
    """
    where = at(scores.source)
    if pattern.count("{system}") != 1 or pattern.count("{run}") != 1:
        raise InputError(f"{where}{pattern!r} is not a pattern; write one such as '{{system}}-{{run}}'")
    if type(scores.kind) is not Plain or scores.repeats is not None:
        raise InputError(f"{where}runs by their names are for plain scores; leave the pattern out")
    written = re.escape(pattern).replace(r"\{system\}", "(?P<system>.+)").replace(r"\{run\}", "(?P<run>.+?)")
    names = [re.fullmatch(written, name) for name in scores.systems]
    if not any(names):
        raise InputError(
            f"{where}no system is called like {pattern!r}; the first one is {scores.systems[0]!r}. Write "
            "{system} and {run} where its parts are, and the rest as it stands"
        )
    systems = [
        name if found is None else found["system"] for name, found in zip(scores.systems, names, strict=True)
    ]
    runs = ["1" if found is None else found["run"] for found in names]
    distinct = list(dict.fromkeys(systems))
    columns = np.array([distinct.index(name) for name in systems])
    present = ~np.isnan(scores.values)
    topic, column = np.nonzero(present)
    labels = Column.of(runs)
    over = over_runs(measure)
    cells = Records(
        scores.values[present],
        topic,
        columns[column],
        [("", name) for name in scores.topics],
        distinct,
        where,
        Factor("run", labels.codes[column], tuple(labels.levels), shared=True),
    ).pivot(over)
    cells.values.setflags(write=False)
    hint = runs_as_systems(scores.systems)
    said = f"{count(len(systems), 'run')} are taken for those of {count(len(distinct), 'system')} ({pattern})"
    note = Note("runs-together", said, "info")
    return replace(
        scores,
        values=cells.values,
        systems=tuple(distinct),
        repeats=cells.repeats,
        measure=scores.measure if over is None else over.name,
        notes=(*(one for one in scores.notes if one != hint), note, *cells.notes),
    )

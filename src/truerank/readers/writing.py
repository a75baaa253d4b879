"""Score tables to files: wide, what rows are about in the first columns, numbers to the last bit."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import PathLike
from truerank._support.imports import PARQUET, require
from truerank._support.outputs import write_file
from truerank.errors import InputError
from truerank.readers.layout import Layout, long_layout
from truerank.readers.names import check_blanks
from truerank.readers.roles import (
    averages,
    called_like_ids,
    has_role,
    is_data_set,
    is_measure,
    is_property,
    plain,
    summaries,
)
from truerank.readers.tables import lacks_systems, looks_like_documents
from truerank.scores import ScoreMatrix

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PLAIN = re.compile(r"[\w.+@-]+")


def write_scores(scores: ScoreMatrix, path: PathLike) -> None:
    """Write scores as a wide table that :func:`read_scores` reads back to the same bits.

    The suffix of `path` chooses the format: ``.csv``, ``.tsv`` or ``.parquet``. The file is written
    whole or not at all; an older one of that name is replaced. Data sets, their weights and families, and
    clusters are columns of that name before those of the systems. So are runs with the same labels in every
    cell, and the levels of a facet of a known name; others are averaged. Empty cells are read back with
    ``missing="model"``, families with ``family="family"``.

    Args:
        scores: n topics × m systems.
        path: where to.

    Raises:
        InputError: another suffix, a folder that is missing or not writable, or names that a table
            cannot hold.

    Example:
        >>> import tempfile
        >>> from truerank.readers import read_scores
        >>> scores = read_scores([[0.25, 0.5], [0.125, 0.75]], "AP")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_scores(scores, f"{folder}/AP.csv")
        ...     again = read_scores(f"{folder}/AP.csv", "AP")
        >>> bool((again.values == scores.values).all())
        True
    """
    write_file(path, table_bytes(scores, path))


def table_bytes(scores: ScoreMatrix, path: PathLike) -> bytes:
    """What :func:`write_scores` writes to `path`, whose suffix chooses the format."""
    suffix = check_suffix(path)
    _check_names(scores, str(path))
    if suffix == ".parquet":
        # Pairs, for a system may be called like one of the leading columns.
        leading, values = _rows(scores)
        return _parquet([*leading.items(), *zip(scores.systems, values.T, strict=True)])
    return _text(scores, _SEPARATORS[suffix]).encode()


def long_bytes(tables: Sequence[ScoreMatrix], path: PathLike) -> bytes:
    """A long table of one or several measures: one row per score, none for an empty cell."""
    suffix = check_suffix(path)
    parts: list[dict[str, list[Any]]] = []
    for scores in tables:
        left_out = {*_left_out(scores.topics), *_left_out(scores.data_sets), *summaries(scores.systems)}
        for name in (*scores.topics, *scores.systems, *scores.data_sets):
            if "\0" in name or not name.strip() or name in left_out:
                raise InputError(f"{path}: the name {name!r} cannot be read back from a table; rename it")
        leading = _leading(scores)
        t, s = (places.tolist() for places in np.nonzero(~np.isnan(scores.values)))
        rows: dict[str, list[Any]] = {name: [cells[i] for i in t] for name, cells in leading.items()}
        rows["system"] = [scores.systems[j] for j in s]
        rows["measure"] = [scores.measure] * len(t)
        rows["value"] = scores.values[t, s].tolist()
        parts.append(rows)
    columns = {
        name: [cell for rows in parts for cell in rows.get(name, [""] * len(rows["value"]))]
        for name in dict.fromkeys(name for rows in parts for name in rows)
    }
    if not any(columns["measure"]):
        del columns["measure"]
    if suffix == ".parquet":
        return _parquet(list(columns.items()))
    separator = _SEPARATORS[suffix]
    texts = [list(map(repr if name == "value" else _quoted, cells)) for name, cells in columns.items()]
    lines = [separator.join(columns), *(separator.join(row) for row in zip(*texts, strict=True))]
    return ("\n".join(lines) + "\n").encode()


def check_suffix(path: PathLike) -> str:
    """The suffix of a table to be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in (*_SEPARATORS, ".parquet"):
        raise InputError(f"{path}: cannot tell the format from {suffix!r}; name it .csv, .tsv or .parquet")
    if suffix == ".parquet":
        require(PARQUET, f"{path}: Parquet files")
    return suffix


def table_text(scores: ScoreMatrix, path: PathLike) -> str:
    """The CSV table that :func:`write_scores` writes to `path`, which is named in messages."""
    _check_names(scores, str(path))
    return _text(scores, ",")


def _left_out(names: Sequence[str]) -> list[str]:
    """The names that sum up others."""
    return [name for name, sums in zip(names, averages(names), strict=True) if sums]


def _check_names(scores: ScoreMatrix, path: str) -> None:
    """Refuse names with which the table would be read back as something else."""
    for name in (*scores.topics, *scores.systems, *scores.data_sets):
        if "\0" in name or not name.strip():
            raise InputError(f"{path}: the name {name!r} cannot be written as text; rename it")
    check_blanks(f"{path}: ", "system", scores.systems)
    check_blanks(f"{path}: ", "data set", scores.data_sets)
    check_blanks(f"{path}: ", "topic", scores.topics, _leading(scores).get("data_set"))
    for what, averaged in (("topic", _left_out(scores.topics)), ("system", summaries(scores.systems))):
        if averaged:
            raise InputError(
                f"{path}: a {what} called {averaged[0]!r} would be read back as an average; rename it"
            )
    if looks_like_documents(scores.systems) or lacks_systems(scores.systems):
        raise InputError(
            f"{path}: systems named like columns of other tables (docno, value, measure …) would make the "
            "table something else; rename them"
        )
    arrows = [{"↓", "↑"} & set(name) for name in scores.systems]
    if "↓" in set.intersection(*arrows) or len(set.union(*arrows)) > 1:
        raise InputError(
            f"{path}: arrows in the names of systems would be read back as the direction of their scores; "
            "rename them, or write a long table (--long)"
        )
    for name, column in zip(scores.systems, scores.values.T, strict=True):
        if has_role(name, "weight") and scores.data_sets:
            raise InputError(f"{path}: a system called {name!r} would be read back as weights; rename it")
        if (is_data_set(name) or has_role(name, "cluster")) and not np.any(column % 1 > 0):
            raise InputError(
                f"{path}: a system called {name!r} with whole scores would be read back as data sets or "
                "clusters; rename it"
            )
        whole = bool(np.all((column % 1 == 0) | np.isnan(column)) and np.nanmax(np.abs(column - 0.5)) > 0.5)
        if called_like_ids(name) and not np.any(column % 1 > 0):
            raise InputError(
                f"{path}: a system called {name!r} with whole scores would be read back as ids of topics; "
                "rename it"
            )
        if scores.m > 1 and is_property(name, whole):
            raise InputError(
                f"{path}: a system called {name!r} would be read back as a property of the topics; rename it"
            )
    layout = long_layout(["topic", *scores.systems], Layout())
    if layout is not None and layout.system is not None and layout.score is not None:
        names = (scores.systems[layout.system - 1], scores.systems[layout.score - 1])
        raise InputError(
            f"{path}: systems called {names[0]!r} and {names[1]!r} would make it a long table; rename one"
        )
    called = [name for name in scores.systems if has_role(name, "value", "score_by_meaning")]
    if scores.m > 1 and (called or all(map(is_measure, scores.systems))):
        raise InputError(
            f"{path}: {(called or scores.systems)[0]!r} would be read back as a measure; rename the system"
        )


def _leading(scores: ScoreMatrix) -> dict[str, list[str]]:
    """The columns of names before those of the systems."""
    columns = {}
    strata = [] if scores.strata is None else scores.strata.tolist()
    if scores.data_set_of_each is not None:
        columns["data_set"] = scores.data_set_of_each
    columns["topic"] = list(scores.topics)
    if scores.clusters is not None:
        columns["cluster"] = [str(g) for g in scores.clusters.tolist()]
    if scores.families:
        columns["family"] = [scores.families[k] for k in strata]
    if scores.weights:
        columns["weight"] = [repr(scores.weights[k]) for k in strata]
    return columns


def _rows(scores: ScoreMatrix) -> tuple[dict[str, list[str]], NDArray[np.float64]]:
    """The columns of names, and the rows: one per topic, or per topic and run where runs are labeled."""
    leading, values = _leading(scores), scores.values
    each = None
    if scores.repeats is not None and scores.repeats.labeled is not None:
        each = scores.repeats.labeled
        # A wide table with a column 'run' would be read as one of systems called so.
        (name,) = each.names
        known = has_role(name, "repeats", "system_wide") and plain(name) != "run"
        each = replace(each, names=(name if known else "repeat",))
    elif scores.facets is not None and all(has_role(name, "facets") for name in scores.facets.names):
        each = scores.facets
    if each is None or each.runs > 1 or set(each.names) & set(scores.systems):
        return leading, values
    rows = {column: [cells[t] for t in each.topics] for column, cells in leading.items()}
    for name, levels, codes in zip(each.names, each.levels, each.codes, strict=True):
        rows[name] = [levels[k] for k in codes]
    return rows, each.values


def _text(scores: ScoreMatrix, separator: str) -> str:
    leading, values = _rows(scores)
    lines = [separator.join(map(_quoted, (*leading, *scores.systems)))]
    for names, row in zip(zip(*leading.values(), strict=True), values.tolist(), strict=True):
        cells = ["" if value != value else repr(value) for value in row]
        lines.append(separator.join([*map(_quoted, names), *cells]))
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _parquet(columns: Sequence[tuple[str, Any]]) -> bytes:
    """A Parquet file of columns, of names (text) or numbers."""
    import pyarrow
    from pyarrow import parquet

    arrays = [
        pyarrow.array(cells, pyarrow.string() if len(cells) and isinstance(cells[0], str) else None)
        for _, cells in columns
    ]
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=[name for name, _ in columns]), buffer)
    return buffer.getvalue()

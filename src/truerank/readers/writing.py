"""Score tables to files: wide, what rows are about in the first columns, numbers to the last bit."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import PathLike
from truerank._support.imports import PARQUET, require
from truerank._support.outputs import write_file
from truerank.errors import InputError, TruerankError
from truerank.readers.checks import word_of_all
from truerank.readers.formats.source import Source
from truerank.readers.names import check_names
from truerank.readers.options import Options, ReadOptions
from truerank.readers.roles import has_role, lower_is_better, plain
from truerank.readers.score_reading import read_path
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


def table_bytes(scores: ScoreMatrix, path: PathLike, called: PathLike | None = None) -> bytes:
    """What :func:`write_scores` writes to `path`, whose suffix chooses the format."""
    leading, values = _rows(scores)
    # Pairs, for a system may be called like one of the leading columns.
    data = _encoded([*leading.items(), *zip(scores.systems, values.T.tolist(), strict=True)], called or path)
    _check(data, [scores], str(path))
    return data


def long_bytes(tables: Sequence[ScoreMatrix], path: PathLike) -> bytes:
    """A long table of one or several measures: one row per score, none for an empty cell."""
    parts: list[dict[str, list[Any]]] = []
    for scores in tables:
        t, s = (places.tolist() for places in np.nonzero(~np.isnan(scores.values)))
        rows: dict[str, list[Any]] = {name: [of[i] for i in t] for name, of in _leading(scores).items()}
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
    data = _encoded([*columns.items()], path)
    _check(data, tables, str(path), long=True)
    return data


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
    return table_bytes(scores, path, "table.csv").decode()


def _check(data: bytes, tables: Sequence[ScoreMatrix], path: str, long: bool = False) -> None:
    """Refuse names with which a table would be read back as something else: it is read to see."""
    for name in (name for one in tables for name in (*one.topics, *one.systems, *one.data_sets)):
        if "\0" in name or not name.strip():
            raise InputError(f"{path}: the name {name!r} cannot be written as text; rename it")
    for scores in tables:
        family = "family" if scores.families and not long else None
        measure = scores.measure or None if long else None
        options = Options.of(ReadOptions(measure, missing_value="none", family=family))
        try:
            check_names(again := read_path(Source(path, data=data), options))
            turned = not long and lower_is_better(word_of_all(scores.systems))
        except TruerankError as error:
            why = re.sub(r"^(:\d+)?: ", "", str(error).removeprefix(path))
            raise InputError(f"{path}: with these names a table is not read back: {why}") from None
        if turned:
            raise InputError(
                f"{path}: the names of systems would be read back as the direction of their scores; rename "
                "them, or write a long table (--long)"
            )
        there = ~np.isnan(scores.values)
        for axis, names, found in ((0, scores.systems, again.systems), (1, scores.topics, again.topics)):
            known = {normalize("NFC", name) for name in names}
            scored = {normalize("NFC", names[k]) for k in np.flatnonzero(there.any(axis=axis))}
            if wrong := [*(scored - set(found)), *(set(found) - known)]:
                raise InputError(
                    f"{path}: the name {wrong[0]!r} would be read back as something else; rename it"
                )


def _leading(scores: ScoreMatrix) -> dict[str, list[str]]:
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


def _encoded(columns: Sequence[tuple[str, list[Any]]], path: PathLike) -> bytes:
    """Columns of names or of numbers as the file of this suffix; an empty cell is NaN, or nothing in text."""
    suffix = check_suffix(path)
    if suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        arrays = [pyarrow.array(cells) for _, cells in columns]
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_arrays(arrays, names=[name for name, _ in columns]), buffer)
        return buffer.getvalue()
    texts = [[name, *cells] for name, cells in columns]
    rows = zip(*(map(_quoted, cells) for cells in texts), strict=True)
    return "".join(_SEPARATORS[suffix].join(row) + "\n" for row in rows).encode()


def _quoted(cell: str | float) -> str:
    if isinstance(cell, float):
        return "" if cell != cell else repr(cell)
    return cell if _PLAIN.fullmatch(cell) else '"' + cell.replace('"', '""') + '"'

"""Score tables, wide (systems as columns) or long (topic, system, value), from files and data frames."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truerank._support.arguments import doing, setting
from truerank._support.extras import PARQUET, require
from truerank._support.files import input_limit, refuse_more_than
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.battles import battle_columns, read_battles
from truerank.readers.columns import (
    DATA_SET,
    MEASURE,
    SYSTEM,
    TASK,
    TOPIC,
    VALUE,
    Asked,
    Named,
    find,
    is_unnamed,
    long_layout,
    plain,
)
from truerank.readers.guesses import listed, long_reading, to_paste
from truerank.readers.long_tables import read_long
from truerank.readers.raw_scores import RawScores
from truerank.readers.repeated_rows import runs_of_rows
from truerank.readers.sheets import FrameSheet, Sheet, TextSheet, holds_names, holds_scores
from truerank.readers.transposing import read_transposed, transposed_layout
from truerank.readers.wide_tables import read_wide, wide_layout

if TYPE_CHECKING:
    import pandas as pd

PARQUET_MAGIC = b"PAR1"


def read_table(text: str, source: str, asked: Asked) -> RawScores:
    """Scores from comma-, tab- or semicolon-separated text, wide or long.

    Args:
        text: the whole file.
        source: its name, for messages.
        asked: what the user says of it.

    Raises:
        InputError: anything that makes the table unusable; the message has file and line.
        UnknownNameError: a measure or a column that the table does not have.
    """
    return read_sheet(TextSheet(text, source), asked)


def read_frame(frame: pd.DataFrame, source: str | None, asked: Asked) -> RawScores:
    """Scores from a pandas data frame, wide (topics in the index or a column) or long.

    Raises:
        InputError: as :func:`read_table`; messages say `data frame` where there is no file.
        UnknownNameError: as :func:`read_table`.
    """
    return read_sheet(FrameSheet(frame, source), asked)


def read_parquet(data: bytes, source: str, asked: Asked) -> RawScores:
    """Scores from the bytes of a Parquet file, wide or long.

    Raises:
        InputError: as :func:`read_table`, or a broken file.
        UnknownNameError: as :func:`read_table`.
    """
    return read_frame(parquet_frame(data, source), source, asked)


def parquet_columns(data: bytes, source: str) -> list[str]:
    """The names of the columns in the bytes of a Parquet file.

    Raises:
        InputError: a broken file.
        MissingPackagesError: pyarrow is not installed.
    """
    require(PARQUET, f"{source}: Parquet files")
    from pyarrow import parquet

    try:
        names: list[str] = parquet.read_schema(io.BytesIO(data)).names
    except Exception as error:  # pyarrow and pandas raise a dozen kinds over spoilt bytes
        raise _broken_parquet(source, error) from None
    return names


def _broken_parquet(source: str, error: Exception) -> InputError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return InputError(f"{source}: broken Parquet file ({reason}); write it again")


def parquet_frame(data: bytes, source: str) -> pd.DataFrame:
    """The data frame in the bytes of a Parquet file.

    Raises:
        InputError: a broken file, or one that would take more memory than the limit on inputs.
        MissingPackagesError: pyarrow is not installed.
    """
    require(PARQUET, f"{source}: Parquet files")
    from pyarrow import parquet

    try:
        # ParquetFile, for it reads columns of equal names too, and those get a clear message later.
        file = parquet.ParquetFile(io.BytesIO(data))
        _refuse_too_large(file.metadata, source)
        columns = file.read()
        columns.validate(full=True)  # text that is none would pass until something looks at it
        return columns.to_pandas()
    except InputError:
        raise
    except Exception as error:  # pyarrow and pandas raise a dozen kinds over spoilt bytes
        raise _broken_parquet(source, error) from None


def _refuse_too_large(metadata: Any, source: str) -> None:
    """Refuse what unpacks to too much, be it packed bytes or a value that is repeated without end.

    Raises:
        InputError: larger than the limit on inputs.
    """
    unpacked = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    limit = input_limit()
    if max(unpacked, 8 * metadata.num_rows * metadata.num_columns) > limit:
        raise refuse_more_than(limit, source)


def read_sheet(sheet: Sheet, asked: Asked) -> RawScores:
    """Scores from a sheet, whatever it was made of.

    Raises:
        InputError: as :func:`read_table`.
        UnknownNameError: as :func:`read_table`.
    """
    battles = battle_columns(sheet)
    if battles is not None:
        raw = read_battles(sheet, battles, asked)
        return replace(raw, notes=[*raw.notes, *sheet.said])
    named = Named.of(sheet.header, asked, sheet.place())
    _refuse_other_content(sheet, named)
    long = long_layout(sheet.header, named, asked.data_set is not None)
    if long is None and named.system is not None and asked.transpose is None:
        raise InputError(
            f"{sheet.place()}no column is called like topics. Name it with {setting('topic_column')}. "
            f"The columns are {listed(sheet)}"
        )
    if long is None and (asked.cluster or asked.family) and long_layout(sheet.header, Named()) is not None:
        raise InputError(
            f"{sheet.place()}column {asked.cluster or asked.family!r} says which topic, data set or system a "
            "score belongs to; clusters and families need columns of their own"
        )
    # A wide table may have a system that is called `run`: without a value column, only a column of
    # names makes a table long.
    told = named.system is not None or named.score is not None
    if long is not None and (told or long.value is not None or holds_names(sheet, long.system)):
        if asked.transpose:
            raise InputError(f"{sheet.place()}a row a score, so there is nothing to transpose; leave it out")
        raw = read_long(sheet, long, asked)
    else:
        _refuse_lookalikes(sheet)
        rows = transposed_layout(sheet, asked, named)
        if rows is not None:
            raw = read_transposed(sheet, rows, asked)
        else:
            raw = read_wide(sheet, wide_layout(sheet, runs_of_rows(sheet, named), asked), asked)
    raw = replace(raw, notes=[*raw.notes, *sheet.said])
    return raw if asked.data_set is None else _called(raw, asked.data_set)


_FIRST_SIDE = re.compile(r"(model|system|agent|player|generator|bot|llm|name|candidate)_?[a1]")
_OUTCOME = re.compile(r"(.*_)?(winner|outcome|preference|preferred|verdict|result)(_.*)?")
_COSTS = re.compile(r"(.*_)?(cost|costs|price|tokens|usd|latency|runtime|duration)(_.*)?")
_RANKS = ("rank", "ranking", "position", "place")


def _refuse_other_content(sheet: Sheet, named: Named) -> None:
    """Say what a table is that holds no scores of topics: battles, costs, ranks, or means with errors.

    Raises:
        InputError: it is one of these.
    """
    if named.used:
        return
    names = [plain(name) for name in sheet.header]
    first = [name for name in names if _FIRST_SIDE.fullmatch(name)]
    second = [name[:-1] + {"a": "b", "1": "2"}[name[-1]] for name in first]
    if set(second) & set(names) and any(map(_OUTCOME.fullmatch, names)):
        raise InputError(
            f"{sheet.place()}these look like battles, but no column says who won. Call it winner, with the "
            "name of the winner or tie in it"
        )
    numeric = [c for c in range(len(names)) if holds_scores(sheet, c)]
    system = find(names, SYSTEM)
    if system is None and is_unnamed(sheet.header[0]):
        system = 0
    if system is None or system in numeric or find(names, (*TOPIC, *DATA_SET, *TASK)) is not None:
        return
    cells = sheet.names(system)
    if len(set(cells)) < len(cells) or not numeric:
        return
    if all(names[c] in _RANKS for c in numeric):
        raise InputError(
            f"{sheet.place()}these are ranks only, one per system. As a ranking they go with scores: "
            f"{doing('compare')} SCORES {shlex.quote(sheet.source or 'ranking')}"
        )
    if all(_COSTS.fullmatch(names[c]) for c in numeric):
        raise InputError(
            f"{sheet.place()}these are costs of systems, without scores on topics. Give one row per topic "
            "and system; a cost then is a measure of which lower is better"
        )
    errors = [c for c in numeric if _ERROR.fullmatch(names[c])]
    if errors:
        raise InputError(
            f"{sheet.place()}means with standard errors ({sheet.header[errors[0]]!r}), one per system. "
            "Give them to truerank.board(means, covariance) in Python, or give the scores of each topic here"
        )


_ERROR = re.compile(
    r"(.*_)?(se|sem|stderr|std_err|standard_error|std_error|ci|ci_low|ci_high|ci_lower|ci_upper)"
)


def _called(raw: RawScores, name: str) -> RawScores:
    """The scores of one data set under the name that it has from elsewhere.

    Raises:
        InputError: they are of several data sets.
    """
    own = list(dict.fromkeys(raw.data_sets or ()))
    if len(own) > 1:
        raise InputError(
            f"{raw.where}holds {len(own)} data sets of its own ({few(own)}), but in a folder each file is "
            "one; give this file alone, or split it"
        )
    return replace(
        raw,
        data_sets=[name] * len(raw.topics),
        weights=None if raw.weights is None else {name: raw.weights[own[0]]},
        families=None if raw.families is None else {name: raw.families[own[0]]},
    )


def looks_like_documents(columns: Sequence[str]) -> bool:
    """Whether the columns are those of a run or of judgments."""
    return find(columns, ("doc_id", "docno", "docid", "corpus_id", "document_id")) is not None


def lacks_systems(columns: Sequence[str]) -> bool:
    """Whether the columns are those of a long table without systems."""
    return find(columns, VALUE) is not None and find(columns, MEASURE) is not None


def _refuse_lookalikes(sheet: Sheet) -> None:
    """Say what a table is when it is no table of scores but has the columns of one."""
    header = sheet.header
    names = {plain(name) for name in header}
    if {"case_name", "query_text"} <= names and "score" not in names:
        raise InputError(
            f"{sheet.place()}an export of Quepid without the scores of queries; export the case as General"
        )
    if find(header, (*TOPIC, *DATA_SET)) is None or len(header) < 3:
        return
    if looks_like_documents(header):
        raise InputError(
            f"{sheet.place()}these are documents (a run or judgments), not scores; evaluate runs with qrels"
        )
    if lacks_systems(header):
        raise InputError(
            f"{sheet.place()}no column says which system a score belongs to; add one named 'system'"
        )
    if find(header, VALUE) is None:
        return
    guess = long_reading(sheet)
    if guess is not None:
        raise InputError(
            f"{sheet.place()}a row per score, it seems, but no column is called like systems. Use "
            f"{to_paste(guess)}. The columns are {listed(sheet)}"
        )

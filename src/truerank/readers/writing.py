"""Score tables to files: wide, the topics in the first column, numbers to the last bit."""

from __future__ import annotations

import re
from pathlib import Path

from truerank._support.files import PathLike, atomic_path
from truerank.errors import InputError
from truerank.readers.tables import is_average, lacks_systems, long_layout, looks_like_documents
from truerank.scores import ScoreMatrix

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PLAIN = re.compile(r"[\w.+@-]+")


def write_scores(scores: ScoreMatrix, path: PathLike) -> None:
    """Write scores as a wide table that :func:`read_scores` reads back to the same bits.

    The suffix of `path` chooses the format: ``.csv``, ``.tsv`` or ``.parquet``. The file is written
    whole or not at all; an older one of that name is replaced.

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
    suffix = Path(path).suffix.lower()
    if suffix not in (*_SEPARATORS, ".parquet"):
        raise InputError(f"{path}: cannot tell the format from {suffix!r}; name it .csv, .tsv or .parquet")
    _check_names(scores, str(path))
    with atomic_path(path) as temporary:
        if suffix == ".parquet":
            _write_parquet(scores, temporary)
        else:
            text = _text(scores, _SEPARATORS[suffix])
            temporary.write_text(text, encoding="utf-8", newline="")


def table_text(scores: ScoreMatrix, path: PathLike) -> str:
    """The CSV table that :func:`write_scores` writes to `path`, which is named in messages.

    Raises:
        InputError: names that a table cannot hold.
    """
    _check_names(scores, str(path))
    return _text(scores, ",")


def _check_names(scores: ScoreMatrix, path: str) -> None:
    """Refuse names with which the table would be read back as something else."""
    for name in (*scores.topics, *scores.systems):
        if "\0" in name or not name.strip():
            raise InputError(f"{path}: the name {name!r} cannot be written as text; rename it")
    averages = [topic for topic in scores.topics if is_average(topic)]
    if averages:
        raise InputError(
            f"{path}: a topic called {averages[0]!r} would be read back as an average; rename it"
        )
    if looks_like_documents(scores.systems) or lacks_systems(scores.systems):
        raise InputError(
            f"{path}: systems named like columns of other tables (docno, value, measure …) would make the "
            "table something else; rename them"
        )
    layout = long_layout(["topic", *scores.systems])
    if layout is not None and layout.value is not None:
        names = (scores.systems[layout.system - 1], scores.systems[layout.value - 1])
        raise InputError(
            f"{path}: systems called {names[0]!r} and {names[1]!r} would make it a long table; rename one"
        )


def _text(scores: ScoreMatrix, separator: str) -> str:
    lines = [separator.join(map(_quoted, ("topic", *scores.systems)))]
    for topic, row in zip(scores.topics, scores.values.tolist(), strict=True):
        lines.append(separator.join([_quoted(topic), *map(repr, row)]))
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _write_parquet(scores: ScoreMatrix, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = [pyarrow.array(scores.topics, pyarrow.string())]
    columns += [pyarrow.array(column) for column in scores.values.T]
    parquet.write_table(pyarrow.Table.from_arrays(columns, names=["topic", *scores.systems]), path)

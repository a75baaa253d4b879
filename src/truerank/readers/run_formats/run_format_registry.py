"""What a format of runs and judgments is, all of them by name, and the one that a file is in."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from truerank._support.arguments import either, setting
from truerank._support.files import PathLike
from truerank._support.registry import Registry
from truerank.errors import InputError, at, reading
from truerank.readers.cell_values import is_number
from truerank.readers.formats.format import FORMATS, recognized
from truerank.readers.formats.source import Source
from truerank.readers.parquet_files import PARQUET_MAGIC
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from

Kind: TypeAlias = Literal["run", "qrels"]
"""What a file is to hold: ranked documents with scores, or documents with grades."""


@dataclass(frozen=True)
class RunFormat:
    """A format of runs, judgments or both.

    Attributes:
        name: what users type.
        label: what users read, a few words.
        explanation: what is in such a file and who writes it, a sentence.
        fits: whether the file's head is in this format; a broken rest is for the reader to refuse.
        run: the run in it; its tag is what the file calls the system, empty where it does not say.
        qrels: the judgments in it; it refuses a file that holds none.
    """

    name: str
    label: str
    explanation: str
    fits: Callable[[Source, Kind], bool]
    run: Callable[[Source], Run]
    qrels: Callable[[Source], Qrels]

    @classmethod
    def of_objects(
        cls,
        name: str,
        label: str,
        explanation: str,
        fits: Callable[[Source, Kind], bool],
        load: Callable[[Source], Any],
    ) -> RunFormat:
        """A format whose files hold what Python users give as objects: dictionaries or data frames."""
        return cls(
            name,
            label,
            explanation,
            fits,
            lambda source: run_from(load(source), at(source.path)),
            lambda source: qrels_from(load(source), at(source.path)),
        )


RUN_FORMATS: Registry[RunFormat] = Registry(
    "format of runs",
    homes={
        "readers.run_formats.columns": "trec table parquet",
        "readers.run_formats.dictionaries": "json",
    },
)
"""The formats of runs and judgments by name.

Example:
    >>> from truerank.readers.run_formats import RUN_FORMATS
    >>> "trec" in RUN_FORMATS
    True
"""


def read_run(path: PathLike, format: str | None = None) -> Run:
    """A run from a file in any of the formats, plain or packed by gzip or lz4.

    Args:
        path: the file.
        format: which format, where the content is not to say it.

    Returns:
        Its documents, and what the file calls the system.

    Raises:
        InputError: a file that cannot be used, with its line, or one that fits two formats.
        UnknownNameError: no such format.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        ...     _ = file.write('{"q1": {"d7": 2.5, "d3": 1.0}}')
        ...     file.flush()
        ...     read_run(file.name).documents
        {'q1': {'d7': 2.5, 'd3': 1.0}}
    """
    source = Source(str(path))
    with reading(path):
        return recognize(source, "run", format).run(source)


def read_qrels(path: PathLike, format: str | None = None) -> Qrels:
    """Judgments from a file in any of the formats, plain or packed by gzip or lz4.

    Args:
        path: the file.
        format: which format, where the content is not to say it.

    Returns:
        Topic → document → relevance.

    Raises:
        InputError: a file that cannot be used, with its line, or one that fits two formats.
        UnknownNameError: no such format.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        ...     _ = file.write("query-id\\tcorpus-id\\tscore\\nq1\\td7\\t2\\n")
        ...     file.flush()
        ...     read_qrels(file.name)
        {'q1': {'d7': 2}}
    """
    source = Source(str(path))
    with reading(path):
        return recognize(source, "qrels", format).qrels(source)


def recognize(source: Source, kind: Kind, format: str | None = None) -> RunFormat:
    """The format of a file: the one that was named, or the one that its head fits."""
    if format is not None:
        return RUN_FORMATS.find(format)
    fitting = [one for one in RUN_FORMATS.values() if one.fits(source, kind)]
    if len(fitting) > 1:
        names = " and ".join(one.name for one in fitting)
        raise InputError(
            f"{at(source.path)}reads as {names}; say which with {setting('format', fitting[0].name)}"
        )
    if fitting:
        return fitting[0]
    _refuse_scores(source)
    if source.looks_like_json:
        what = "topic → document → score" if kind == "run" else "topic → document → relevance"
        raise InputError(f"{at(source.path)}JSON, but not of {what}; write such an object, or TREC's columns")
    return RUN_FORMATS["parquet" if source.start.startswith(PARQUET_MAGIC) else "trec"]


def holds_run(path: PathLike | Source) -> bool:
    """Whether a file, by its head, is a run: documents with scores, and no scores of systems."""
    source = path if isinstance(path, Source) else Source(str(path))
    with reading(source.path):
        fitting = [one.name for one in RUN_FORMATS.values() if one.fits(source, "run")]
    # A dictionary of topics may hold measures as well as documents.
    return bool(fitting) and not (fitting == ["json"] and FORMATS["pytrec_eval"].fits(source))


def holds_judgments(source: Source) -> bool:
    """Whether a file, by its head, is judgments: documents with grades."""
    return any(one.fits(source, "qrels") for one in RUN_FORMATS.values())


def _refuse_scores(source: Source) -> None:
    """Say of a file that is no run and no judgments where it holds scores."""
    cells = source.first_line.split()
    if len(cells) == 3 and is_number(cells[0]) and cells[2].isdigit():
        six = """awk '{print $1, "Q0", $2, $3, -$3, "run"}'"""
        raise InputError(
            f"{at(source.path)}three columns (topic, document, rank), as MS MARCO's runs have them, are not "
            f"read; write TREC's six: {six} {shlex.quote(source.path)} > six.run"
        )
    found = recognized(source)
    separated = any(mark in source.first_line for mark in ",;")  # TREC's columns have blanks between them
    if found is not None and (separated or not found.tabular):
        remedy = either("truerank.read_scores reads it", "leave --qrels out")
        raise InputError(f"{at(source.path)}this is {found.label}, scores already, and no run; {remedy}")

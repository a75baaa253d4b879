"""What a format of scores is: how it is recognised, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from truerank.readers.columns import Asked
from truerank.readers.formats.source import Source
from truerank.readers.raw_scores import RawScores

Takes = Literal["file", "files", "folder"]
"""One file; several files of other systems (or one); a folder as it stands."""


@dataclass(frozen=True)
class ScoreFormat:
    """A format that scores are read from, as files, as Python objects, or both.

    Attributes:
        name: what users type after ``--format``.
        label: what it is in a sentence, after 'this is': ``the output of trec_eval -q``.
        explanation: where it comes from, a sentence.
        takes: what one table may be read from.
        recognises: whether a file (or a folder, for those that take one) is of this format, by its content;
            it looks at no more than it must, and raises nothing of its own.
        read: the scores in files of this format, whole or by what the user asked for.
        recognises_object: the same of a Python object, by its shape; no library is imported to ask.
        read_object: the scores in such an object.
        general: whether it gives way to any other that fits: a table may have columns of any name.
        transposes: whether systems may be its rows or its columns, so that users may have to say which.
        aggregates: whether it holds one score for each data set, and none for topics.
        tabular: whether users may name its columns.
        lists_some: whether it lists some topics only, so that users may give all.
    """

    name: str
    label: str
    explanation: str = ""
    takes: tuple[Takes, ...] = ("file",)
    recognises: Callable[[Source], bool] | None = None
    read: Callable[[Sequence[Source], Asked], RawScores] | None = None
    recognises_object: Callable[[Any], bool] | None = None
    read_object: Callable[[Any, Asked], RawScores] | None = None
    general: bool = False
    transposes: bool = False
    aggregates: bool = False
    tabular: bool = False
    lists_some: bool = False

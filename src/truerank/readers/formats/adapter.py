"""Results of other tools as rows: what an adapter is, and how its rows become a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from truerank._support.notes import Note
from truerank._support.units import Noun
from truerank.errors import InputError, at
from truerank.readers.formats.collected import Collected, Repeats
from truerank.readers.formats.json_text import within
from truerank.readers.names import refuse_second_file

if TYPE_CHECKING:
    from truerank.readers.formats.source import Source
    from truerank.readers.options import Options
    from truerank.scores import ScoreMatrix


@dataclass(frozen=True, slots=True)
class Row:
    """One score.

    Attributes:
        system: the name of the system; empty where the file is one system and is called like it.
        topic: the name of the topic; numbers are taken as names, too.
        value: a number or a truth value; None where the score is missing.
        measure: the name of the measure; empty where the tool has one only, or for its main one.
        data_set: the name of the data set; empty where there is one only.
        lower_is_better: whether the tool says so of the measure.
        line: the line of the file; without it that of the record that was read last.
    """

    system: str
    topic: Any
    value: Any
    measure: str = ""
    data_set: str = ""
    lower_is_better: bool = False
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A note on the scores, which rows may have among them.

    Attributes:
        note: the note, which is shown once.
        name: what it is about; the names of all equal notes stand at its end.
        measure: the measure whose scores it is about; None for all.
    """

    note: Note
    name: str = ""
    measure: str | None = None


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """What reads the files of one tool.

    Attributes:
        name: what users type after ``--format``.
        label: what a file is, after 'this is': ``a log of inspect_ai``.
        rows: the scores in a file. It may take the shape of the file for granted: a key that is not there
            gives an error that names the file, the line and the key.
        together: what all files say together, such as names that differ between them; `rows` then takes it as
            its second argument.
        explanation: where the files come from, a sentence.
        keys: of the object that starts the file (a JSON document, the first of a list or of JSON lines), or
            columns of a table. Inner keys are written ``eval.model``. They have to be there.
        files: patterns of the names that the files have in a folder.
        repeats: what several scores of one system, topic and measure are: ``error``, ``runs``, or parts of
            which the ``mean`` counts.
        noun: what messages call a topic: ``question`` in evaluations of language models.
        one_file: whether one file has all scores of a system on a data set.
        gives_way: the name of the format that a folder is of instead, where it holds files of both.
        recognizes: whether a file is the tool's, where keys do not tell it; it must not raise.
    """

    name: str
    label: str
    rows: Callable[..., Iterable[Row | Remark]]
    explanation: str = ""
    keys: tuple[str, ...] = ()
    files: tuple[str, ...] = ("*.json", "*.jsonl")
    repeats: Repeats = "error"
    noun: Noun = "question"
    one_file: bool = False
    gives_way: str = ""
    recognizes: Callable[[Source], bool] | None = None
    together: Callable[[Sequence[Source]], Any] | None = None

    def fits(self, source: Source) -> bool:
        """Whether a file is of this tool."""
        if self.recognizes is not None:
            return self.recognizes(source)
        if not source.looks_like_json:
            return bool(self.keys) and set(self.keys) <= set(source.header)
        first = source.first
        first = first[0] if isinstance(first, list) and first else first
        return bool(self.keys) and all(_there(first, key) for key in self.keys)

    def _takes(self, source: Source) -> bool:
        """Whether a file of a folder counts: what only the tool calls so, and others by their content."""
        name = PurePath(source.path).name
        if any(fnmatch(name, pattern) for pattern in self.files if not pattern.startswith("*.")):
            return True
        if source.looks_like_json and source.first is None:
            source.json  # noqa: B018  # refuses a broken file
        return self.fits(source)

    def read(self, sources: Sequence[Source], options: Options) -> ScoreMatrix:
        """The scores in files, by what the user asked for."""
        of_tool = [one for one in sources if one.given == one.path or self._takes(one)]
        if not of_tool:
            raise InputError(f"{sources[0].given}: no files of {self.label}; give the folder that has them")
        scores = Collected(sources[0].given, self.repeats)
        files: list[tuple[Source, list[Row | Remark]]] = []
        shared = () if self.together is None else (self.together(of_tool),)
        for source in of_tool:
            files.append((source, list(self._rows(source, *shared))))
            source.forget()
        unnamed = [
            source for source, rows in files if any(isinstance(row, Row) and not row.system for row in rows)
        ]
        names = dict(zip([one.path for one in unnamed], scores.name_files(unnamed), strict=True))
        seen: dict[tuple[str, str], str] = {}
        for source, rows in files:
            for row in rows:
                if isinstance(row, Remark):
                    scores.note(row.note, of=row.measure, names=[row.name] if row.name else ())
                    continue
                system = row.system or names[source.path]
                if self.one_file:
                    refuse_second_file(seen, (system, row.data_set), source.path, self.name)
                scores.add(
                    system,
                    row.topic,
                    row.value,
                    row.measure,
                    data_set=row.data_set,
                    source=source.path,
                    line=row.line,
                    lower_is_better=row.lower_is_better,
                )
        return scores.table(options)

    def _rows(self, source: Source, *shared: Any) -> Iterator[Row | Remark]:
        """The rows of a file, with names as text; a file of another shape is refused."""
        try:
            for row in self.rows(source, *shared):
                if isinstance(row, Remark):
                    yield row
                    continue
                topic = str(row.topic) if type(row.topic) is int else row.topic
                for name in (topic, row.system):
                    if not isinstance(name, str):
                        raise TypeError(f"{repr(name)[:40]} where a name belongs")
                yield replace(row, topic=topic, line=row.line or source.line)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            lacks = f"it lacks {error}" if isinstance(error, KeyError) else f"its shape is another ({error})"
            raise InputError(
                f"{at(source.path, source.line)}this is read as {self.label}, but {lacks}; write the file "
                "again with the tool"
            ) from None


def _there(document: Any, path: str) -> bool:
    *outer, last = path.split(".")
    inner = within(document, *outer)
    return isinstance(inner, dict) and last in inner

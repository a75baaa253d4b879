"""Scores as a format's reader meets them, one by one, until they are a table of topics × systems."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.numerics.over_runs import OverRuns
from truerank.readers.cell_values import TRUTH, Codes, all_differ, first_repeat, in_order
from truerank.readers.formats.source import Source
from truerank.readers.measures import pick_measure, without_scores
from truerank.readers.names import names_of_files
from truerank.readers.options import Options
from truerank.readers.records import Cells, Records, over_runs
from truerank.readers.roles import is_average
from truerank.scores import ScoreMatrix, Unnamed

Repeats = Literal["error", "mean", "runs"]
"""What several scores of one system, topic and measure are: an error, parts of one score, or runs."""

_SHOWN = 40
_INFINITY = float("inf")


class Collected:
    """Scores of any systems, topics, data sets and measures, from one or several files.

    Names are kept once, and a score takes 48 bytes.

    Example:
        >>> scores = Collected("here")
        >>> scores.add("BM25", "q1", 0.5, "AP", line=1)
        >>> scores.add("BM25", "q2", 0.25, "AP", line=2)
        >>> table = scores.table(Options())
        >>> table.systems, table.topics, table.measure, table.values.ravel().tolist()
        (('BM25',), ('q1', 'q2'), 'AP', [0.5, 0.25])
    """

    def __init__(self, source: str, repeats: Repeats = "error") -> None:
        """Start with nothing; `source` is the file or folder that was given, or the first, for messages."""
        self.unnamed: Unnamed = ""
        self._sources: dict[str, int] = {source: 0}
        self._names: tuple[dict[Any, int], ...] = ({}, {}, {})  # measures, (data set, topic), systems
        self._rows = array("q")  # measure, topic, system, source, line of each score
        self._values = array("d")
        self._averages: dict[str, None] = {}
        self._notes: dict[tuple[Note, str | None], dict[str, None]] = {}
        self._lower: Counter[str] = Counter()
        self._repeats = repeats

    def add(
        self,
        system: str,
        topic: str,
        value: Any,
        measure: str = "",
        *,
        data_set: str = "",
        source: str | None = None,
        line: int | None = None,
        lower_is_better: bool = False,
    ) -> None:
        """Take in one score; rows that sum up the topics are counted and left out.

        The value is a number, a truth value (1 or 0), or None or NaN where it is missing. A source is needed
        where it is not the first file.
        """
        at_source = 0 if source is None else self._sources.setdefault(source, len(self._sources))
        if type(value) is float and -_INFINITY < value < _INFINITY:
            number = value
        else:
            if isinstance(value, (bool, np.bool_)):
                self.note(TRUTH, of=measure)
            place = self._place(at_source, line)
            number = score(value, place, f"{measure or 'the score'} of system {system!r} on topic {topic!r}")
        measures, topics, systems = self._names
        key = (data_set, topic)
        if key not in topics:
            self._check_name("topic", topic, at_source, line)
            if is_average(topic):
                self._averages[topic] = None
                return
            topics[key] = len(topics)
        if system not in systems:
            self._check_name("system", system, at_source, line)
            systems[system] = len(systems)
        of_measure = measures.setdefault(measure, len(measures))
        self._rows.extend((of_measure, topics[key], systems[system], at_source, -1 if line is None else line))
        self._values.append(number)
        if lower_is_better:
            self._lower[measure] += 1

    def note(self, *notes: Note, of: str | None = None, names: Iterable[str] = ()) -> None:
        """Add notes, each once, said only where the measure `of` is chosen, with all `names` at the end."""
        for note in notes:
            self._notes.setdefault((note, of), {}).update(dict.fromkeys(names))

    def name_files(self, sources: Sequence[Source]) -> list[str]:
        """What the systems of files are called; see :func:`names_of_files`."""
        names, notes = names_of_files([source.path for source in sources])
        self.note(*notes)
        return names

    def _check_name(self, kind: str, name: str, source: int, line: int | None) -> None:
        if not name.strip():
            raise InputError(f"{self._place(source, line)}the {kind} has no name; give it one")

    def table(self, options: Options) -> ScoreMatrix:
        """The scores of one measure as a table, NaN where there is none; `options` say which, or name it."""
        first = next(iter(self._sources))
        where = f"{first} …: " if len(self._sources) > 1 else f"{first}: "
        measures, topics, systems = map(list, self._names)
        over = (
            over_runs(options.measure)
            if self._repeats == "runs" and options.measure not in measures
            else None
        )
        wanted = None if over is not None else options.measure
        if not measures:
            beside = [note.text for note in self._noted(None) if note.code == "parts-left-out"]
            what = "only averages over all topics" if self._averages else "; ".join(["no scores", *beside])
            raise InputError(f"{where}{what}; give the scores of each topic")
        main = "" in measures and (wanted is None or measures == [""])
        chosen = "" if main else pick_measure(list(filter(None, measures)), wanted, where)
        rows = np.frombuffer(self._rows, dtype=np.int64).reshape(-1, 5)
        kept = np.flatnonzero(rows[:, 0] == measures.index(chosen))
        rows, numbers = rows[kept], np.frombuffer(self._values)[kept]
        if 0 < self._lower[chosen] < len(rows):
            raise InputError(
                f"{where}lower is better by {chosen or 'the scores'} in some places and not in others; "
                f"choose another with {setting('measure')}"
            )
        topic_codes, t = in_order(rows[:, 1], len(topics))
        system_codes, s = in_order(rows[:, 2], len(systems))
        keys = [topics[code] for code in topic_codes.tolist()]
        ranked = [systems[code] for code in system_codes.tolist()]
        records = Records(numbers, t, s, keys, ranked, where)
        cells = self._cells(records, rows, over)
        if np.isnan(cells.values).all():
            raise InputError(
                f"{where}measure {chosen!r} has no score on any topic; choose another with "
                f"{setting('measure')}"
            )
        notes = [*cells.notes, *without_scores("system", systems, ranked, chosen)]
        notes += without_scores("data set", (name for name, _ in topics), (name for name, _ in keys), chosen)
        if self._averages:
            facts = {"case": "summaries", "names": list(self._averages), "rows": len(self._averages)}
            notes.append(Note("parts-left-out", {**facts, "data_sets": False}))
        files = list(self._sources)
        of_system = np.zeros(len(ranked), dtype=np.intp)
        of_system[s[::-1]] = rows[::-1, 3]
        return records.table(
            cells,
            lambda _t, system: f"{files[of_system[system]]}: ",
            over.name if over is not None else chosen or options.measure or "",
            first if len(files) == 1 else None,
            [*self._noted(None), *notes, *self._noted(chosen)],
            any(data_set for data_set, _ in keys),
            unnamed=self.unnamed,
            lower_is_better=self._lower[chosen] > 0,
        )

    def _noted(self, measure: str | None) -> list[Note]:
        """The notes on the scores by a measure, or those on all."""
        found = [(note, list(names)) for (note, of), names in self._notes.items() if of == measure]
        return [_with_names(note, names) if names else note for note, names in found]

    def _cells(self, records: Records, rows: Codes, over: OverRuns | None) -> Cells:
        """The table, where several scores of one cell are an error, parts of one score, or runs."""
        cell = records.cell
        if all_differ(cell):
            return records.pivot()
        if self._repeats == "error":
            row, first = first_repeat(cell)
            name, topic = records.systems[records.system[row]], records.topics[records.topic[row]][1]
            raise InputError(
                f"{self._place(*rows[row, 3:])}system {name!r} already has a score on topic {topic!r}, at "
                f"{self._place(*rows[first, 3:]).removesuffix(': ')}; keep one of the two"
            )
        values, times = records.means()
        said = any(note.code == "averaged" for note, _ in self._notes)
        notes = [] if said else [Note("averaged", {"case": "scores", "most": int(times.max())})]
        # A score that is missing among several is not left out of their mean: the cell has none.
        cells = (
            Cells(values, None, None, notes) if self._repeats == "mean" else records.pivot(over, repeat=True)
        )
        incomplete = int(((times > 1) & np.isnan(cells.values)).sum())
        if incomplete:
            cells.notes.append(Note("scores-missing", {"case": "parts", "number": incomplete}))
        return cells

    def _place(self, source: int, line: int | None) -> str:
        """Where a score is, as the start of a message."""
        return at(list(self._sources)[source], None if line is None or line < 0 else line)


def _with_names(note: Note, names: list[str]) -> Note:
    """The note about these names; the text of a plug-in's own note has them at its end."""
    if "text" in note.facts:
        return note.worded(f"{note.text}: {few(names, 8)}")
    return note.adding(names=names)


def numbered(name: str, times: Counter[Any], *of: str) -> str:
    """The name, and which time it comes where that is not the first, counted in `times` for each `of`."""
    times[name, *of] += 1
    again = times[name, *of]
    return name if again == 1 else f"{name} ({again})"


def score(value: Any, where: str, what: str) -> float:
    """A score as a number, NaN where it is missing."""
    if value is None:
        return float("nan")
    try:
        number = float(value) if not isinstance(value, (str, bytes)) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or abs(number) == _INFINITY:
        raise InputError(f"{where}{what} is {repr(value)[:_SHOWN]}; every score must be a finite number")
    return number

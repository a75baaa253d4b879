"""What a reader found, before missing scores are treated: cells, names, and what topics belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.units import Noun
from truerank._support.wording import count, few
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.readers.records import Cells, Records
from truerank.reading import Reading
from truerank.repeats import Facets, Repeats
from truerank.scores import ScoreMatrix, Unnamed

if TYPE_CHECKING:
    from truerank.readers.labels import Belongings

_T = TypeVar("_T")


@dataclass(frozen=True)
class RawScores:
    """Topics × systems as they were read, NaN where there is no score.

    Attributes:
        values: n × m.
        topics: n names, unique within their data set.
        systems: m names.
        place: where the score of topic t and system s is, or should be, as the start of a message.
        where: where the scores come from, as the start of a message.
        measure: its name; empty when unknown.
        source: the file; None where there is none, or several.
        notes: what was met on the way.
        data_sets: n, the data set of each topic; None where nothing says it.
        clusters: n, the cluster of each topic; None where nothing says it.
        weights: what each data set counts, by name; None where nothing says it.
        families: the family of each data set, by name; None where nothing says it.
        unnamed: what the topics are rows of, where they have no names and are counted.
        lower_is_better: whether the format says so of the measure.
        battles: what the values sum up, where systems met in pairs.
        repeats: the runs behind the values.
        facets: the levels behind them.
        noun: what a topic is called in sentences.
        reading: what was taken for topics, systems and scores, where that had to be told.
    """

    values: NDArray[np.float64]
    topics: Sequence[str]
    systems: Sequence[str]
    place: Callable[[int, int], str]
    where: str
    measure: str = ""
    source: str | None = None
    notes: Sequence[Note] = ()
    data_sets: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    weights: Mapping[str, float] | None = None
    families: Mapping[str, str] | None = None
    unnamed: Unnamed = ""
    lower_is_better: bool = False
    battles: Battles | None = None
    repeats: Repeats | None = None
    facets: Facets | None = None
    noun: Noun = "topic"
    reading: Reading | None = None

    @classmethod
    def of(
        cls,
        records: Records,
        cells: Cells,
        place: Callable[[int, int], str],
        measure: str,
        source: str | None,
        notes: Sequence[Note],
        several: bool,
        belongings: Belongings | None = None,
        *,
        unnamed: Unnamed = "",
        lower_is_better: bool = False,
        noun: Noun = "topic",
        reading: Reading | None = None,
    ) -> RawScores:
        """The table of records; `several` is whether data sets are named."""
        return cls(
            cells.values,
            [topic for _, topic in records.topics],
            records.systems,
            place,
            records.where,
            measure,
            source,
            notes,
            [data_set for data_set, _ in records.topics] if several else None,
            None if belongings is None else belongings.clusters,
            None if belongings is None else belongings.weights,
            None if belongings is None else belongings.families,
            unnamed=unnamed,
            lower_is_better=lower_is_better,
            repeats=cells.repeats,
            facets=cells.facets,
            noun=noun,
            reading=reading,
        )

    def check_names(self) -> None:
        """Refuse names that look the same."""
        check_blanks(self.where, "system", self.systems)
        check_blanks(self.where, "data set", self.data_sets or ())
        check_blanks(self.where, "topic", self.topics, self.data_sets)

    def topics_kept(self, rows: Sequence[int], note: Note) -> RawScores:
        """Only some topics, with a note that says so and names the data sets that go with the others."""
        sets = None if self.data_sets is None else [self.data_sets[t] for t in rows]
        if sets is not None and self.data_sets is not None:
            gone = [name for name in dict.fromkeys(self.data_sets) if name not in set(sets)]
            if gone:
                note = note.within(after=f", and with them {count(len(gone), 'data set')} ({few(gone, 8)})")
        left = set(sets or ())
        place, index = self.place, np.array(rows, dtype=np.intp)
        return replace(
            self,
            values=self.values[list(rows)],
            topics=[self.topics[t] for t in rows],
            place=lambda t, s: place(rows[t], s),
            notes=[*self.notes, note],
            data_sets=sets,
            clusters=None if self.clusters is None else [self.clusters[t] for t in rows],
            weights=None if self.weights is None else {k: w for k, w in self.weights.items() if k in left},
            families=None if self.families is None else {k: f for k, f in self.families.items() if k in left},
            repeats=None if self.repeats is None else self.repeats.rows(index),
            facets=None if self.facets is None else self.facets.rows(index),
        )

    def systems_kept(self, columns: Sequence[int], *notes: Note) -> RawScores:
        """Only some systems, with notes that say so."""
        place, index = self.place, np.array(columns, dtype=np.intp)
        return replace(
            self,
            values=self.values[:, list(columns)],
            systems=[self.systems[s] for s in columns],
            place=lambda t, s: place(t, columns[s]),
            notes=[*self.notes, *notes],
            repeats=None if self.repeats is None else self.repeats.columns(index),
            facets=None if self.facets is None else self.facets.columns(index),
        )

    def matrix(self) -> ScoreMatrix:
        """The scores, checked; those of one data set only are a table without data sets."""
        names = [] if self.data_sets is None else list(dict.fromkeys(self.data_sets))
        several = len(names) > 1
        notes = list(self.notes)
        if len(names) == 1:
            notes.append(
                Note.on_units("one-data-set", "all {topics} are of one data set, {name}", name=repr(names[0]))
            )
        scores = ScoreMatrix.build(
            self.values,
            self.topics,
            self.systems,
            self.measure,
            self.source,
            notes,
            holes=True,
            data_sets=self.data_sets if several else None,
            weights=self.weights if several else None,
            families=self.families if several else None,
            clusters=self.clusters,
            noun=self.noun,
        )
        return replace(
            scores,
            unnamed=self.unnamed,
            battles=self.battles,
            repeats=self.repeats,
            facets=self.facets,
            reading=self.reading,
        )


def without_scores(kind: str, all_: Iterable[str], left: Iterable[str], measure: str) -> list[Note]:
    """A note on the systems or data sets that have no score by a measure, where there are some."""
    there = set(left)
    gone = [name for name in dict.fromkeys(all_) if name not in there]
    said = f"{count(len(gone), kind)} without a score by {measure}, left out: {few(gone, 20)}"
    return [Note("without-score", said)] if gone else []


def check_blanks(where: str, kind: str, names: Sequence[str], groups: Sequence[str] | None = None) -> None:
    """Refuse names that look the same: `BM25` and `BM25 ` would be two systems, each with holes."""
    seen: dict[tuple[str, str], str] = {}
    for name, group in zip(names, groups or [""] * len(names), strict=True):
        looks = name if name.isascii() else normalize("NFC", name)
        first = seen.setdefault((group, " ".join(looks.split())), name)
        if first != name:
            way = "by blanks" if name.isascii() else "in blanks or in how Unicode writes them"
            raise InputError(f"{where}{kind}s {first!r} and {name!r} differ {way} alone; name them alike")


def join(parts: Mapping[str, RawScores], where: str, source: str | None) -> RawScores:
    """The scores of several data sets in one table; systems in order of first appearance.

    A system that a data set does not have gets a block of empty cells there.
    """
    ordered = list(parts.values())
    measure, notes = _one_measure(parts)
    systems = {name: s for s, name in enumerate(dict.fromkeys(x for part in ordered for x in part.systems))}
    starts = np.cumsum([0, *(len(part.topics) for part in ordered)])
    values = np.full((int(starts[-1]), len(systems)), np.nan)
    for start, part in zip(starts.tolist(), ordered, strict=False):
        columns = [systems[system] for system in part.systems]
        values[start : start + len(part.topics), columns] = part.values

    def place(t: int, _: int) -> str:
        return ordered[int(np.searchsorted(starts, t, side="right")) - 1].where

    clustered = any(part.clusters is not None for part in ordered)
    return RawScores(
        values,
        [topic for part in ordered for topic in part.topics],
        list(systems),
        place,
        where,
        measure,
        source,
        [*notes, *(note.within(f"{name}: ") for name, part in parts.items() for note in part.notes)],
        [name for name, part in parts.items() for _ in part.topics],
        # Where one table has no clusters, each of its topics is one.
        [name for part in ordered for name in part.clusters or part.topics] if clustered else None,
        _of_all("weight", {name: part.weights for name, part in parts.items()}, ordered),
        _of_all("family", {name: part.families for name, part in parts.items()}, ordered),
        repeats=_joined_runs(ordered, starts.tolist(), systems),
        noun="topic" if any(part.noun == "topic" for part in ordered) else "question",
        reading=ordered[0].reading,
    )


def _joined_runs(
    parts: Sequence[RawScores], starts: Sequence[int], systems: Mapping[str, int]
) -> Repeats | None:
    """The runs of all parts; a part without them has one run a cell."""
    if all(part.repeats is None for part in parts):
        return None
    shape = (starts[-1], len(systems))
    counts, variances = np.zeros(shape, dtype=np.intp), np.full(shape, np.nan)
    for start, part in zip(starts, parts, strict=False):
        here = np.ix_(range(start, start + len(part.topics)), [systems[name] for name in part.systems])
        if part.repeats is None:
            counts[here] = ~np.isnan(part.values)
        else:
            counts[here], variances[here] = part.repeats.counts, part.repeats.variances
    known = [part.repeats for part in parts if part.repeats is not None]
    binary = all(one.binary for one in known)
    return Repeats(counts, variances, known[0].column, known[0].measure, binary)


def _one_measure(parts: Mapping[str, RawScores]) -> tuple[str, list[Note]]:
    """The measure that all parts are of, and a note on those that name none."""
    named = [part for part in parts.values() if part.measure]
    for part in named:
        if part.measure != named[0].measure:
            raise InputError(
                f"{part.where}measure {part.measure!r}, but {named[0].where.removesuffix(': ')} has "
                f"{named[0].measure!r}; choose one that all files have with {setting('measure')}"
            )
    unnamed = [name for name, part in parts.items() if not part.measure]
    if not named or not unnamed:
        return (named[0].measure if named else ""), []
    said = f"read as {named[0].measure}, as they name no measure: {few(unnamed, 8)}"
    return named[0].measure, [Note("measure-assumed", said)]


def _of_all(
    kind: str, given: Mapping[str, Mapping[str, _T] | None], parts: Sequence[RawScores]
) -> dict[str, _T] | None:
    """What is known of each data set, from all parts together; None where no part says anything."""
    if all(known is None for known in given.values()):
        return None
    for known, part in zip(given.values(), parts, strict=True):
        if known is None:
            raise InputError(f"{part.where}no column of this table gives a {kind}, but others do; add it")
    return {name: value for known in given.values() for name, value in (known or {}).items()}


def with_weights(raw: RawScores, weights: Mapping[str, float] | None) -> RawScores:
    """The same with the weights that the user gave, in the place of those that were read."""
    if weights is None:
        return raw
    names = list(dict.fromkeys(raw.data_sets or ()))
    stranger = next((str(name) for name in weights if name not in names), None)
    if stranger is not None:
        known = f"the data sets are {few(names, 8)}" if names else "nothing here names data sets"
        raise InputError(f"{raw.where}there is no data set {stranger!r} to weigh; {known}")
    lacking = next((name for name in names if name not in weights), None)
    if lacking is not None:
        raise InputError(f"{raw.where}data set {lacking!r} has no weight; give one to each")
    return replace(raw, weights=weights)

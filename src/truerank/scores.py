"""The score matrix: topics × systems of one measure, validated on construction."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.arguments import doing, setting
from truerank._support.imports import FRAMES, require
from truerank._support.notes import Note, Noted
from truerank._support.types import frozen
from truerank._support.units import Noun, Unit
from truerank.battles import SCALES, Battles, Scale
from truerank.errors import InputError, at, unknown_name
from truerank.kinds import BesideMachine, InBattles, Plain
from truerank.reading import Origin, Reading
from truerank.repeats import Facets, Repeats

if TYPE_CHECKING:
    from pandas import DataFrame

TIE = 1e-12
"""Means, replicates and differences closer than this are equal."""


Unnamed = Literal["", "array", "table"]
"""Containers whose topics have no names: their row numbers name them."""

LARGEST = 1e100
"""Largest score accepted: beyond it squares and products of scores overflow."""


@dataclass(frozen=True, eq=False, repr=False)
class MachineScores:
    """A machine judge's scores of the same systems, on the topics that people judged and on many more."""

    # N × m scores, float64, read-only; columns in the order of the human scores' systems
    values: NDArray[np.float64]
    topics: tuple[str, ...]  # N names, unique
    matched: NDArray[np.intp]  # n, for each topic that people judged the row here
    source: str | None = None  # the file the scores came from, for messages; None for arrays
    # systems that are not here, for only one of the two judged them, and who did not
    left_out: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def build(
        cls, values: ArrayLike, topics: Sequence[Any], matched: ArrayLike, source: str | None = None
    ) -> MachineScores:
        """Check and freeze an N × m array of machine scores (a copy is taken)."""
        checked = ScoreMatrix.build(values, topics, source=source)
        rows = np.array(matched, dtype=np.intp)
        if len(np.unique(rows)) != len(rows) or (len(rows) and not 0 <= rows.min() <= rows.max() < checked.n):
            raise InputError(f"{at(source)}each topic that people judged needs its own row")
        return cls(checked.values, checked.topics, frozen(rows), source)

    def __repr__(self) -> str:
        return f"<MachineScores {len(self.topics)} topics, {len(self.matched)} of them judged by people>"

    @property
    def rest(self) -> NDArray[np.intp]:
        """The rows of the N − n topics that only the machine judged."""
        return np.setdiff1d(np.arange(len(self.topics)), self.matched)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix(Noted):
    """Effectiveness scores of *m* systems on *n* topics by one measure.

    Build one with :meth:`build` (arrays), :func:`truerank.read_scores` (files) or
    :func:`truerank.evaluate` (runs and qrels). It is checked once, when it is built: everything that
    takes one relies on finite numbers and unique names. Scores of several data sets, or with empty cells,
    are for what knows of them, :func:`truerank.assess` first of all; everything else asks for
    :meth:`one_table`.

    Attributes:
        values: n × m scores, float64, read-only; NaN where a cell is empty.
        topics: n names, unique within their data set.
        systems: m names, unique.
        measure: the measure's name, e.g. ``AP``; empty when unknown.
        source: the file the scores came from, for messages; ``None`` for arrays.
        notes: what the reader met and a user should know (missing topics, unjudged documents …); `warnings`
            has their texts.
        data_sets: names of the K data sets; empty where there is one without a name.
        strata: n, the data set of each topic, counted from 0; ``None`` without data sets.
        weights: K, what each data set counts in an average, adding up to 1; empty where all count alike.
        families: K, the family of each data set; empty where each is its own.
        clusters: n, the cluster of each topic, counted from 0, unique over data sets; ``None`` where each
            topic is its own.
        machine: what a machine judge says of the same systems on these topics and on more; ``None`` without
            one.
        unnamed: ``array`` or ``table`` where the topics' names only count its rows, so that topics of other
            scores cannot be matched by name. Empty where topics have names.
        battles: what `values` sum up, where systems met in pairs: shares of wins on each prompt.
        repeats: the runs that `values` are means of, where systems ran several times.
        facets: the scores at each level of prompts, judges or seeds that `values` are means over.
        noun: what sentences call a row: ``topic``, ``question`` in evaluations of LLMs, and ``data set``
            where each of several has one score of each system.
        reading: what was taken for topics, systems and scores; ``None`` where nothing had to be told.
        origin: where the scores are in their files; ``None`` once they are read.

    Example:
        >>> scores = ScoreMatrix.build([[0.2, 0.4], [0.3, 0.6]], systems=["a", "b"], measure="AP")
        >>> scores
        <ScoreMatrix AP: 2 topics × 2 systems>
        >>> scores.ranked().systems
        ('b', 'a')
    """

    values: NDArray[np.float64]
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measure: str = ""
    source: str | None = None
    notes: tuple[Note, ...] = ()
    data_sets: tuple[str, ...] = ()
    strata: NDArray[np.intp] | None = None
    weights: tuple[float, ...] = ()
    families: tuple[str, ...] = ()
    clusters: NDArray[np.intp] | None = None
    machine: MachineScores | None = None
    unnamed: Unnamed = ""
    battles: Battles | None = None
    repeats: Repeats | None = None
    facets: Facets | None = None
    noun: Noun = "topic"
    reading: Reading | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        """Name the unit of rows where each row is a data set, also in the notes."""
        if self.origin is not None:
            return
        if self.n == self.k > 1:
            object.__setattr__(self, "noun", "data set")
        object.__setattr__(self, "notes", tuple(note.on(self.unit) for note in self.notes))

    @classmethod
    def build(
        cls,
        values: ArrayLike,
        topics: Sequence[Any] | None = None,
        systems: Sequence[Any] | None = None,
        measure: str = "",
        source: str | None = None,
        notes: Sequence[Note] = (),
        *,
        holes: bool = False,
        data_sets: Sequence[Any] | None = None,
        weights: Mapping[str, float] | None = None,
        families: Mapping[str, Any] | None = None,
        clusters: Sequence[Any] | None = None,
        noun: Noun = "topic",
        origin: Origin | None = None,
    ) -> ScoreMatrix:
        """Check and freeze an n × m array of scores (a copy is taken); n and m are at least 1.

        Args:
            values: n × m scores.
            topics: n names; ``1 … n`` where none are given.
            systems: m names; ``sys1 … sysm`` where none are given.
            measure: the measure's name.
            source: the file that they come from.
            notes: what a user should know of them.
            holes: whether NaN stands for an empty cell; refused otherwise.
            data_sets: n, the name of each topic's data set.
            weights: what each data set counts in an average, by name, at least 0 and not all 0.
            families: the family of each data set, by name.
            clusters: n, the name of each topic's cluster; the same name in two data sets is two clusters.
            noun: what sentences call a row.
            origin: where they are in their files.

        Raises:
            InputError: values that are not two-dimensional, empty, not numeric, infinite, or NaN where empty
                cells are not allowed. Names that are repeated, empty, too few or contain an unpaired
                surrogate. Weights or families that do not fit the data sets.
        """
        where = at(source)
        try:
            array = real_numbers(values)
        except (TypeError, ValueError) as error:
            raise InputError(f"{where}scores must be numbers ({error})") from None
        if array.ndim != 2:
            shape = "one column of numbers" if array.ndim == 1 else f"an array with {array.ndim} dimensions"
            raise InputError(f"{where}scores must be a table of topics × systems, not {shape}")
        n, m = array.shape
        if n == 0 or m == 0:
            raise InputError(f"{where}no scores: {n} topics × {m} systems")
        sets, strata = _groups("data set", data_sets, n, where)
        named = [str(t) for t in range(1, n + 1)] if topics is None else topics
        topic_names = _names("topic", named, n, where, strata, sets)
        named = [f"sys{s}" for s in range(1, m + 1)] if systems is None else systems
        system_names = _names("system", named, m, where)
        usual = array.min() >= -LARGEST and array.max() <= LARGEST  # and none is NaN
        wrong = (np.abs(array) > LARGEST) | (np.isnan(array) & (not holes)) if not usual else np.False_
        if wrong.any():
            t, s = np.argwhere(wrong)[0]
            large = np.isfinite(array[t, s])
            why = ", which is not a score; check it" if large else "; every score must be a finite number"
            cell = f"the score of system {system_names[s]!r} on topic {topic_names[t]!r}"
            raise InputError(f"{where}{cell} is {array[t, s]:g}{why}")
        if not is_text(str(measure)):
            raise InputError(
                f"{where}the measure name {measure!r} is not text (an unpaired surrogate); rename it"
            )
        return cls(
            frozen(array),
            topic_names,
            system_names,
            str(measure),
            source,
            tuple(notes),
            sets,
            strata,
            _weights(weights, sets, where),
            _families(families, sets, where),
            _clusters(clusters, strata, n, where),
            unnamed="array" if topics is None else "",
            noun=noun,
            origin=origin,
        )

    def __repr__(self) -> str:
        what = f"{self.measure}: " if self.measure else ""
        sets = f", {self.k} data sets" if self.data_sets else ""
        if self.machine:
            sets += f", {len(self.machine.topics)} topics by machine"
        return f"<ScoreMatrix {what}{self.n} topics × {self.m} systems{sets}>"

    @property
    def n(self) -> int:
        """Number of topics."""
        return self.values.shape[0]

    @property
    def m(self) -> int:
        """Number of systems."""
        return self.values.shape[1]

    @property
    def k(self) -> int:
        """Number of data sets; 1 where they have no names."""
        return len(self.data_sets) or 1

    @property
    def unit(self) -> Unit:
        """The unit of a row: topic, question, data set …"""
        return Unit.of(self.noun)

    @property
    def left_out(self) -> str:
        """Which topics and data sets empty cells cost, for the error that there are too few or many."""
        found = next((note.text for note in self.notes if note.code == "topics-left-out"), "")
        return f": {found}" if found else ""

    def unit_of(self, kind: str) -> Unit:
        """A kind of unit in words: ``cluster``, ``data set`` …, and ``topic`` as these scores call it."""
        return self.unit.kind(kind)

    @property
    def where(self) -> str:
        """Where the scores come from, as the start of a message."""
        return at(self.source) if self.origin is None else self.origin.where

    @property
    def stratum_of_each(self) -> NDArray[np.intp]:
        """n, the data set of each topic, counted from 0."""
        return np.zeros(self.n, np.intp) if self.strata is None else self.strata

    @property
    def set_weights(self) -> NDArray[np.float64]:
        """K, what each data set counts in an average."""
        return np.array(self.weights) if self.weights else np.full(self.k, 1 / self.k)

    @property
    def topic_weights(self) -> NDArray[np.float64]:
        """n, what each topic counts in that average; they add up to 1."""
        strata = self.stratum_of_each
        weights: NDArray[np.float64] = (self.set_weights / np.bincount(strata, minlength=self.k))[strata]
        return weights

    @property
    def data_set_of_each(self) -> list[str] | None:
        """n, the name of each topic's data set; ``None`` without data sets."""
        return None if self.strata is None else [self.data_sets[k] for k in self.strata.tolist()]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """n, the data set (empty without any) and the name of each topic."""
        return list(zip(self.data_set_of_each or [""] * self.n, self.topics, strict=True))

    @property
    def complete(self) -> bool:
        """Whether no cell is empty."""
        return not np.isnan(self.values).any()

    def one_table(self, what: str) -> ScoreMatrix:
        """These scores, where they are one complete table of topics that count alike.

        `what` asks for them, as the subject of a sentence that refuses several data sets, clusters of topics,
        empty cells or a machine's scores.
        """
        where = at(self.source)
        self.refuse(what, InBattles)
        if self.k > 1:
            # A single row of scores, a data set's mean, cannot be assessed.
            alone = "" if self.n == self.k else "give a table or folder of one of them alone; "
            raise InputError(
                f"{where}{what} takes the scores of one data set, not of {self.k} ({self.data_sets[0]!r}, "
                f"{self.data_sets[1]!r} …){self.left_out}; {alone}{doing('assess')}, {doing('gate')} and "
                f"{doing('plan')} take several"
            )
        if self.clusters is not None:
            raise InputError(
                f"{where}{what} knows nothing of clusters of topics; leave them out, or use {doing('assess')}"
            )
        self.refuse(what, BesideMachine)
        if not self.complete:
            raise InputError(f"{where}{what} takes no empty cells; use {doing('assess')}, or fill them")
        return self

    @property
    def kind(self) -> Plain:
        """Battles, scores beside a machine judge's, or plain ones."""
        if self.battles is not None:
            return InBattles(self.values, self.battles.unit, battles=self.battles)
        if self.machine is not None:
            return BesideMachine(self.values, self.noun, self.machine.left_out, self.machine.values)
        return Plain(self.values, self.noun)

    def refuse(self, what: str, *kinds: type[Plain]) -> None:
        """Refuse kinds of scores; `what` asks for them, as the subject of a sentence."""
        for kind in kinds:
            if isinstance(self.kind, kind):
                refusal = kind.refusal.format(what=what, assess=doing("assess"))
                raise InputError(f"{at(self.source)}{refusal}")

    def counting(
        self, pairs_alike: bool = False, draw_prior: float = 0.0, scale: Scale | None = None
    ) -> ScoreMatrix:
        """The scores with battles as they are to count; other scores as they are.

        Args:
            pairs_alike: whether every pair that met counts alike, however often it met.
            draw_prior: κ, drawn battles of each system with a player of strength 0 that are added to the fit.
            scale: of the strengths, ``logit`` (the default) or ``elo``.

        Raises:
            InputError: one of these for scores, or a negative number of drawn battles.
        """
        if not self.battles:
            self.refuse_of_scores(pairs_alike=pairs_alike, draw_prior=draw_prior, scale=scale or False)
            return self
        if not 0 <= draw_prior < np.inf:
            raise InputError(f"{setting('draw_prior')} takes a number of 0 or more, not {draw_prior:g}")
        if scale is not None and scale not in SCALES:
            raise unknown_name("scale", scale, SCALES)
        said = self.battles.met_rarely() if pairs_alike and not self.battles.pairs_alike else []
        counted = self.battles.counting(pairs_alike, draw_prior, scale)
        return replace(self, battles=counted, notes=(*self.notes, *said))

    def refuse_of_scores(self, **asked: bool | float | str) -> None:
        """Refuse arguments for battles where these are scores; those that are false were not given."""
        given = [name for name, one in asked.items() if one]
        if given and not self.battles:
            raise InputError(
                f"{at(self.source)}{setting(given[0])} is for battles, and these are scores; leave it out"
            )

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean score of each system over all its topics, length m, in the order of `systems`.

        What systems are ranked by where there are data sets or empty cells is another question, which
        :mod:`truerank.reliability.means` answers.
        """
        if self.complete:
            return self.values.mean(axis=0)
        counts = np.maximum((~np.isnan(self.values)).sum(axis=0), 1)
        return np.asarray(np.nansum(self.values, axis=0) / counts, dtype=np.float64)

    @property
    def order(self) -> NDArray[np.intp]:
        """The ranking: system indices by decreasing mean; means within 1e-12 keep input order.

        Sorted by mean first; each run of means in which neighbors are within 1e-12 is then put
        back into input order.
        """
        return ranking_order(self.means)

    def ranked(self) -> ScoreMatrix:
        """The scores with the columns in ranking order, best system first."""
        return self.select(self.order)

    def select(self, columns: ArrayLike) -> ScoreMatrix:
        """The scores of the given systems (indices), in the given order."""
        index = np.asarray(columns, dtype=np.intp)
        return replace(
            self,
            values=frozen(self.values[:, index]),
            systems=tuple(self.systems[i] for i in index),
            machine=self.machine and replace(self.machine, values=frozen(self.machine.values[:, index])),
            battles=self.battles and self.battles.renamed(index, self.m),
            repeats=self.repeats and self.repeats.columns(index),
            facets=self.facets and self.facets.columns(index),
            origin=self.origin and self.origin.columns(index.tolist()),
        )

    def noting(self, *notes: Note) -> ScoreMatrix:
        """The scores with further notes."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def rows(self, topics: ArrayLike) -> ScoreMatrix:
        """The scores on the given topics (indices), in the given order; not of battles.

        Data sets that no topic is left of go, and the others keep their relative weights. Data sets and
        clusters are numbered as they first come.

        Raises:
            InputError: the data sets that are left have weight 0.
        """
        index = np.asarray(topics, dtype=np.intp)
        strata, sets = (None, np.empty(0, np.intp)) if self.strata is None else renumbered(self.strata[index])
        weights = np.array(self.weights)[sets] if self.weights else np.empty(0)
        if len(weights) and weights.sum() == 0:
            raise InputError(f"{self.where}{WEIGHT_0}")
        if 0 < len(weights) < self.k:
            weights = np.empty(0) if np.ptp(weights) == 0 else weights / weights.sum()
        families = tuple(self.families[k] for k in sets.tolist()) if self.families else ()
        clusters = None if self.clusters is None else renumbered(self.clusters[index])[0]
        return replace(
            self,
            values=frozen(self.values[index]),
            topics=tuple(self.topics[t] for t in index.tolist()),
            data_sets=tuple(self.data_sets[k] for k in sets.tolist()),
            strata=strata,
            weights=tuple(weights.tolist()),
            families=() if len(set(families)) == len(families) else families,
            clusters=None if clusters is None or clusters.max(initial=-1) + 1 == len(index) else clusters,
            machine=self.machine and replace(self.machine, matched=frozen(self.machine.matched[index])),
            repeats=self.repeats and self.repeats.rows(index),
            facets=self.facets and self.facets.rows(index),
            origin=self.origin and self.origin.rows(index.tolist()),
        )

    def as_read(self) -> ScoreMatrix:
        """The scores once they are read: those of one data set only are a table without data sets."""
        origin, sets = self.origin, self.data_sets
        if origin is None or not sets:
            return replace(self, origin=None)
        given = origin.weights and {k: one for k, one in origin.weights.items() if k in sets}
        kin = origin.families and {k: one for k, one in origin.families.items() if k in sets}
        weights, families = _weights(given, sets, self.where), _families(kin, sets, self.where)
        if len(sets) == 1:
            noted = self.noting(Note("reading", {"case": "one-data-set", "data_set": sets[0]}))
            return replace(noted, data_sets=(), strata=None, origin=None)
        return replace(self, weights=weights, families=families, origin=None)

    def drop_bottom(self, q: float, means: ArrayLike | None = None) -> ScoreMatrix:
        """Keep the systems whose mean is at least the q-quantile of the means.

        The quantile interpolates linearly; ``q = 0.25`` keeps 55 of the 74 systems of TREC-6 ad
        hoc. Column order is kept.

        Args:
            q: in [0, 1).
            means: what the systems are ranked by, where it is not :attr:`means`.

        Returns:
            The scores of the systems kept.

        Raises:
            InputError: q outside [0, 1).
        """
        if not 0 <= q < 1:
            hint = f"; write {q / 100:g} for {q:g}%" if 1 <= q < 100 else ""
            raise InputError(f"the share of systems to drop must be in [0, 1), not {q:g}{hint}")
        ranked_by = self.means if means is None else np.asarray(means, dtype=np.float64)
        return self.select(np.flatnonzero(ranked_by >= np.quantile(ranked_by, q) - TIE))

    def drop_identical(self) -> ScoreMatrix:
        """Keep only the first of systems with the same scores on every topic (within 1e-12).

        Column order is kept; a note says which systems were left out. O(m²), and O(n) a tie of means.

        Returns:
            The scores of the distinct systems; the same object where all are distinct.

        Example:
            >>> scores = ScoreMatrix.build([[0.2, 0.4, 0.2], [0.3, 0.6, 0.3]], systems=["a", "b", "c"])
            >>> distinct = scores.drop_identical()
            >>> distinct.systems, distinct.warnings
            (('a', 'b'), ('1 system with the same scores as another on every topic left out: c (as a)',))
        """
        groups = identical_systems(self)
        if not groups:
            return self
        extra = {s for group in groups for s in group[1:]}
        kept = self.select([s for s in range(self.m) if s not in extra])
        names = [[self.systems[s] for s in group] for group in groups]
        return kept.noting(Note("identical", {"case": "left-out", "groups": names}))

    def to_frame(self, table: str = "wide") -> DataFrame:
        """The scores as a data frame.

        Args:
            table: ``wide``, topics × systems with the topics (and data sets) as the index; or ``long``, one
                row per score. Long tables have the columns of PyTerrier's per-query results: name, qid,
                measure, value, and dataset first where there are several. Empty cells are NaN in a wide
                table, no row in a long one.

        Returns:
            n rows, or one for each score.

        Raises:
            UnknownNameError: no such table.

        Example:
            >>> scores = ScoreMatrix.build([[0.2, 0.4]], ["q1"], ["a", "b"], "AP")
            >>> scores.to_frame("long").to_dict("records")[1]
            {'name': 'b', 'qid': 'q1', 'measure': 'AP', 'value': 0.4}
        """
        require(FRAMES)
        import pandas as pd

        if table not in ("wide", "long"):
            raise unknown_name("table", table, ("wide", "long"))
        sets = self.data_set_of_each
        if table == "wide":
            index: Any = pd.Index(self.topics, name="topic")
            if sets is not None:
                index = pd.MultiIndex.from_arrays([sets, list(self.topics)], names=["data_set", "topic"])
            return pd.DataFrame(self.values, index=index, columns=list(self.systems))
        t, s = (places.tolist() for places in np.nonzero(~np.isnan(self.values.T))[::-1])
        frame = pd.DataFrame(
            {
                "name": [self.systems[j] for j in s],
                "qid": [self.topics[i] for i in t],
                "measure": self.measure,
                "value": self.values[t, s],
            }
        )
        if sets is not None:
            frame.insert(0, "dataset", [sets[i] for i in t])
        return frame

    def fingerprint(self) -> str:
        """A hash of names, measure and scores: equal if and only if the data are."""
        digest = hashlib.sha256()
        for text in (self.measure, *self.topics, *self.systems):
            data = text.encode()
            digest.update(len(data).to_bytes(8, "little") + data)

        def add(*things: Any) -> None:
            for one in things:
                if isinstance(one, np.ndarray):
                    digest.update(one.astype("<f8" if one.dtype.kind == "f" else "<i8").tobytes())
                elif one is not None:
                    digest.update(repr(one).encode())

        add(np.asarray(self.values.shape), self.values, self.strata, self.clusters)
        if self.battles is not None:
            held = self.battles.in_order(self.m)[0]
            add((held.pairs_alike, held.draw_prior))
            for numbers in (held.first, held.second, held.outcomes, held.clusters, held.voters, held.weights):
                add(None if numbers is None else numbers.astype(np.float64))
        if self.data_sets:
            add((self.data_sets, self.weights, self.families))
        if self.machine is not None:
            add(self.machine.topics, self.machine.matched, self.machine.values)
        if self.repeats is not None:
            add(self.repeats.counts, self.repeats.variances)
        if self.facets is not None:
            held_at = self.facets
            add((held_at.names, held_at.levels), held_at.topics, *held_at.codes, held_at.values)
        return digest.hexdigest()


def unknown_system(scores: ScoreMatrix, name: str) -> Exception:
    """The error for a system that is not among the scores."""
    by = scores.kind.left_out.get(name)
    if by is None:
        for note in scores.notes:
            if note.reason and name in note.systems:
                return InputError(f"{at(scores.source)}{name!r} {note.reason}")
        return unknown_name("system", name, scores.systems)
    return InputError(
        f"{by} did not judge system {name!r}, so it is left out beside a machine’s scores; have it judged, "
        "or leave the machine’s scores out"
    )


def real_numbers(values: ArrayLike) -> NDArray[np.float64]:
    """A copy of an array as float64, NaN where it is masked."""
    if np.iscomplexobj(values):
        raise TypeError("complex ones have no order")
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):  # not imported otherwise
        return np.array(np.ma.filled(values.astype(np.float64), np.nan), order="C")
    try:
        return np.array(values, dtype=np.float64, order="C")
    except OverflowError:  # a Python integer with hundreds of digits
        raise ValueError("one is too large to be counted with") from None


def ranking_order(means: NDArray[np.float64]) -> NDArray[np.intp]:
    """Indices by decreasing mean; means within 1e-12 keep input order (see :attr:`ScoreMatrix.order`)."""
    order = np.argsort(-means, kind="stable")
    new_group = np.diff(means[order], prepend=np.inf) < -TIE
    group = np.cumsum(new_group)
    return order[np.lexsort((order, group))]


def identical_systems(scores: ScoreMatrix) -> list[list[int]]:
    """Groups of columns whose scores agree on every topic (within 1e-12), in the order of the columns."""
    if not scores.kind.by_cells:
        return []  # equal shares of wins may be against different opponents
    means, values = scores.means, scores.kind.columns
    by_mean = np.argsort(means, kind="stable")
    group_of: dict[int, list[int]] = {}
    for run in np.split(by_mean, np.flatnonzero(np.diff(means[by_mean]) > 2 * TIE) + 1):
        if len(run) < 2:
            continue
        groups: list[list[int]] = []
        for s in np.sort(run).tolist():
            alike = (g for g in groups if np.allclose(values[:, g[0]], values[:, s], 0, TIE, equal_nan=True))
            group = next(alike, None)
            if group is None:
                groups.append(group := [])
            group.append(s)
        group_of.update((group[0], group) for group in groups if len(group) > 1)
    return [group_of[first] for first in sorted(group_of)]


def _names(
    kind: str,
    given: Sequence[Any],
    count: int,
    where: str,
    strata: NDArray[np.intp] | None = None,
    sets: Sequence[str] = (),
) -> tuple[str, ...]:
    """Names as text, unique (within their data set, where they have one)."""
    names = _texts(kind, given, count, where)
    within: list[Any] = [*names] if strata is None else list(zip(strata.tolist(), names, strict=True))
    if len(set(within)) < len(within):
        name = next(name for name, times in Counter(within).items() if times > 1)
        shown, place = (name, "") if strata is None else (name[1], f" in data set {sets[name[0]]!r}")
        raise InputError(
            f"{where}{kind} {shown!r} appears {within.count(name)} times{place}; names must be unique"
        )
    return names


def _texts(kind: str, given: Sequence[Any], count: int, where: str) -> tuple[str, ...]:
    names = tuple(str(name) for name in given)
    if len(names) != count:
        raise InputError(f"{where}{len(names)} {kind} names, and {count} are needed")
    if "" in names:
        raise InputError(f"{where}{kind} {names.index('') + 1} has an empty name; name every {kind}")
    if not is_text("".join(names)):
        broken = next(name for name in names if not is_text(name))
        raise InputError(
            f"{where}the name of {kind} {broken!r} is not text (an unpaired surrogate); rename it"
        )
    return names


def _groups(
    kind: str, given: Sequence[Any] | None, n: int, where: str
) -> tuple[tuple[str, ...], NDArray[np.intp] | None]:
    """Names of groups in order of first appearance, and the group of each topic."""
    if given is None:
        return (), None
    names = _texts(kind, given, n, where)
    position = {name: k for k, name in enumerate(dict.fromkeys(names))}
    return tuple(position), frozen(np.array([position[name] for name in names], dtype=np.intp))


def _clusters(
    given: Sequence[Any] | None, strata: NDArray[np.intp] | None, n: int, where: str
) -> NDArray[np.intp] | None:
    """The cluster of each topic, unique over data sets; ``None`` where each topic is its own."""
    names, clusters = _groups("cluster", given, n, where)
    if clusters is not None and strata is not None:
        clusters = renumbered(strata * len(names) + clusters)[0]
    return None if clusters is None or clusters.max() + 1 == n else clusters


def renumbered(groups: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Groups numbered from 0 in order of first appearance, and the old name of each."""
    old, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return frozen(np.argsort(order)[inverse].astype(np.intp)), old[order]


WEIGHT_0 = "the data sets of these topics all have weight 0; give one of them a larger weight"


def _weights(given: Mapping[str, float] | None, sets: Sequence[str], where: str) -> tuple[float, ...]:
    """The weight of each data set, adding up to 1; empty where all are equal."""
    try:
        weights = np.array(_of_sets("weight", given, sets, where), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}weights of data sets must be numbers ({error})") from None
    for name, weight in zip(sets if len(weights) else (), weights.tolist(), strict=True):
        if not 0 <= weight < np.inf:
            raise InputError(f"{where}data set {name!r} has weight {weight:g}; give a number of 0 or more")
    if len(weights) and weights.sum() <= 0:
        raise InputError(f"{where}{WEIGHT_0}")
    return () if not len(weights) or np.ptp(weights) == 0 else tuple((weights / weights.sum()).tolist())


def _families(given: Mapping[str, Any] | None, sets: Sequence[str], where: str) -> tuple[str, ...]:
    """The family of each data set; empty where each is its own."""
    of = _of_sets("family", given, sets, where)
    families = _texts("family", of, len(of), where)
    return () if len(set(families)) == len(families) else families


def _of_sets(kind: str, given: Mapping[str, Any] | None, sets: Sequence[str], where: str) -> list[Any]:
    """What each data set has; nothing where nothing is given."""
    if given is None:
        return []
    if not sets:
        raise InputError(f"{where}a {kind} is for data sets, and there are none; name each topic's data set")
    if odd := set(sets) ^ set(given):
        name = min(odd)
        what = "has no" if name in sets else "is not here, but has a"
        raise InputError(f"{where}data set {name!r} {what} {kind}; give one to each")
    return [given[name] for name in sets]


def is_text(name: str) -> bool:
    """Whether the text can be encoded: it has no unpaired surrogate."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True

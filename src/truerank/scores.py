"""The score matrix: topics × systems of one measure, checked once at the door."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.errors import InputError, at

TIE = 1e-12
"""Means, replicates and differences closer than this are equal."""


LARGEST = 1e100
"""No measure gives more; beyond it squares and products of scores overflow."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix:
    """Effectiveness scores of *m* systems on *n* topics by one measure.

    Build one with :meth:`build` (arrays), :func:`truerank.read_scores` (files) or
    :func:`truerank.evaluate` (runs and qrels). It is checked once, when it is built: everything that
    takes one relies on finite numbers and unique names.

    Attributes:
        values: n × m scores, float64, read-only.
        topics: n names, unique.
        systems: m names, unique.
        measure: the measure's name, e.g. ``AP``; empty when unknown.
        source: the file the scores came from, for messages; ``None`` for arrays.
        notes: what the reader met and a user should know (missing topics, unjudged documents …).

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
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def build(
        cls,
        values: ArrayLike,
        topics: Sequence[Any] | None = None,
        systems: Sequence[Any] | None = None,
        measure: str = "",
        source: str | None = None,
        notes: Sequence[str] = (),
    ) -> ScoreMatrix:
        """Check and freeze an n × m array of scores (a copy is taken).

        Args:
            values: n × m scores, n and m at least 1.
            topics: n names; ``1 … n`` where none are given.
            systems: m names; ``sys1 … sysm`` where none are given.
            measure: the measure's name.
            source: the file that they come from, for messages.
            notes: what a user should know of them, a sentence each.

        Returns:
            The scores, read-only.

        Raises:
            InputError: not two-dimensional, empty, not numeric, NaN or infinite, or names that are
                repeated, empty, too few or no text (a lone surrogate, half a character).
        """
        where = at(source)
        try:
            array = np.array(values, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise InputError(f"{where}scores must be numbers ({error})") from None
        if array.ndim != 2:
            raise InputError(
                f"{where}scores must be a table of topics × systems, "
                f"not an array with {array.ndim} dimension(s)"
            )
        n, m = array.shape
        if n == 0 or m == 0:
            raise InputError(f"{where}no scores: {n} topics × {m} systems")
        topic_names = _names("topic", topics, n, [str(t) for t in range(1, n + 1)], where)
        system_names = _names("system", systems, m, [f"sys{s}" for s in range(1, m + 1)], where)
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            t, s = bad[0]
            raise InputError(
                f"{where}the score of system {system_names[s]!r} on topic {topic_names[t]!r} is "
                f"{array[t, s]}; every score must be a finite number"
            )
        if np.abs(array).max() > LARGEST:
            t, s = np.unravel_index(np.abs(array).argmax(), array.shape)
            raise InputError(
                f"{where}the score of system {system_names[s]!r} on topic {topic_names[t]!r} is "
                f"{array[t, s]:g}, which is no score; check the table"
            )
        array.setflags(write=False)
        if not is_text(str(measure)):
            raise InputError(
                f"{where}the measure's name {measure!r} is no text (half a character); rename it"
            )
        return cls(array, topic_names, system_names, str(measure), source, tuple(notes))

    def __repr__(self) -> str:
        what = f"{self.measure}: " if self.measure else ""
        return f"<ScoreMatrix {what}{self.n} topics × {self.m} systems>"

    @property
    def n(self) -> int:
        """Number of topics."""
        return self.values.shape[0]

    @property
    def m(self) -> int:
        """Number of systems."""
        return self.values.shape[1]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean score of each system, length m, in the order of `systems`."""
        means: NDArray[np.float64] = self.values.mean(axis=0)
        return means

    @property
    def order(self) -> NDArray[np.intp]:
        """The ranking: system indices by decreasing mean; means within 1e-12 keep input order.

        Sorted by mean first; each run of means in which neighbours are within 1e-12 is then put
        back into input order.
        """
        means = self.means
        order = np.argsort(-means, kind="stable")
        new_group = np.diff(means[order], prepend=np.inf) < -TIE
        group = np.cumsum(new_group)
        return order[np.lexsort((order, group))]

    def ranked(self) -> ScoreMatrix:
        """The same scores with the columns in ranking order, best system first."""
        return self.select(self.order)

    def select(self, columns: ArrayLike) -> ScoreMatrix:
        """The same topics with the given systems (indices), in the given order."""
        index = np.asarray(columns, dtype=np.intp)
        values = np.ascontiguousarray(self.values[:, index])
        values.setflags(write=False)
        return replace(self, values=values, systems=tuple(self.systems[i] for i in index))

    def drop_bottom(self, q: float) -> ScoreMatrix:
        """Keep the systems whose mean is at least the q-quantile of the means.

        The quantile interpolates linearly; ``q = 0.25`` keeps 55 of the 74 systems of TREC-6 ad
        hoc. Column order is kept.

        Args:
            q: in [0, 1).

        Returns:
            The scores of the systems kept.

        Raises:
            InputError: q outside [0, 1).
        """
        if not 0 <= q < 1:
            hint = f"; write {q / 100:g} for {q:g}%" if 1 <= q < 100 else ""
            raise InputError(f"the share of systems to drop must be in [0, 1), not {q:g}{hint}")
        means = self.means
        return self.select(np.flatnonzero(means >= np.quantile(means, q) - TIE))

    def drop_identical(self) -> ScoreMatrix:
        """Keep of the systems with the same scores on every topic (within 1e-12) the first.

        Column order is kept; a note says which systems were left out. O(m²), and O(n) a tie of means.

        Returns:
            The scores of the distinct systems; the same object where all are distinct.

        Example:
            >>> scores = ScoreMatrix.build([[0.2, 0.4, 0.2], [0.3, 0.6, 0.3]], systems=["a", "b", "c"])
            >>> distinct = scores.drop_identical()
            >>> distinct.systems, distinct.notes
            (('a', 'b'), ('1 system with the same scores as another on every topic left out: c (as a)',))
        """
        groups = identical_systems(self)
        if not groups:
            return self
        extra = {s for group in groups for s in group[1:]}
        kept = self.select([s for s in range(self.m) if s not in extra])
        return replace(kept, notes=(*kept.notes, _left_out(self.systems, groups)))

    def fingerprint(self) -> str:
        """A hash of names, measure and scores: equal if and only if the data are."""
        digest = hashlib.sha256()
        for text in (self.measure, *self.topics, *self.systems):
            data = text.encode()
            digest.update(len(data).to_bytes(8, "little") + data)
        digest.update(np.asarray(self.values.shape, dtype="<i8").tobytes())
        digest.update(self.values.astype("<f8").tobytes())
        return digest.hexdigest()


def identical_systems(scores: ScoreMatrix) -> list[list[int]]:
    """Groups of columns whose scores agree on every topic (within 1e-12), in the order of the columns.

    Only systems with tied means are compared topic by topic. O(m²), and O(n) a tie.
    """
    means, values = scores.means, scores.values
    groups: list[list[int]] = []
    for s in range(scores.m):
        near = (g for g in reversed(groups) if abs(means[g[0]] - means[s]) <= 2 * TIE)
        same = (g for g in near if np.abs(values[:, g[0]] - values[:, s]).max() <= TIE)
        group = next(same, None)
        if group is None:
            groups.append([s])
        else:
            group.append(s)
    return [group for group in groups if len(group) > 1]


def _left_out(systems: Sequence[str], groups: Sequence[Sequence[int]], most: int = 5) -> str:
    """A sentence on copies that are left out, each group by the system that stays."""
    count = sum(len(group) - 1 for group in groups)
    listed = [f"{', '.join(systems[s] for s in group[1:])} (as {systems[group[0]]})" for group in groups]
    more = f"; and copies of {len(groups) - most} more systems" if len(groups) > most else ""
    return (
        f"{count} system{'s' if count > 1 else ''} with the same scores as another on every topic left out: "
        + "; ".join(listed[:most])
        + more
    )


def _names(
    kind: str, given: Sequence[Any] | None, count: int, default: list[str], where: str
) -> tuple[str, ...]:
    names = default if given is None else [str(name) for name in given]
    if len(names) != count:
        raise InputError(f"{where}{len(names)} {kind} names for {count} {kind}s")
    if "" in names:
        raise InputError(f"{where}{kind} {names.index('') + 1} has an empty name; name every {kind}")
    broken = next((name for name in names if not is_text(name)), None)
    if broken is not None:
        raise InputError(f"{where}the name of {kind} {broken!r} is no text (half a character); rename it")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"{where}{kind} {repeated[0]!r} appears {names.count(repeated[0])} times; names must be unique"
        )
    return tuple(names)


def is_text(name: str) -> bool:
    """Whether there is no lone surrogate (half a character), which no file can hold."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True

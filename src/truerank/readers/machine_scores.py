"""Human scores joined to a machine judge's scores of the same systems on more topics, by names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.battles import Scale
from truerank.errors import InputError, at
from truerank.numerics.pairs import doubly_centered
from truerank.readers.measures import same_measure
from truerank.readers.missing import ALL_WAYS, FILLED, Missing
from truerank.readers.options import ReadOptions
from truerank.readers.score_reading import as_scores, read_with, refuse_beside_machine
from truerank.scores import TIE, MachineScores, ScoreMatrix

OTHER_SCALE = 3.0
"""From this ratio of the spreads on, up or down, the machine's scores are on another scale than people's."""

FEWEST = 3
"""Topics that people judged without which nothing is said of a ranking, with a machine or without."""

FEWEST_MORE = 2
"""Topics that only the machine judged, which have a variance."""

MOST_LACKING = 0.1
"""The share of the human topics that the machine may lack: a few fail for no reason, many for one."""


def scores_to_rank(
    scores: Any,
    measure: str | None,
    missing: Missing,
    covariates: str | Sequence[str],
    counting: tuple[bool, float, Scale | None],
    machine: Any = None,
) -> ScoreMatrix:
    """Scores of any kind, counted as a ranking takes them: pairs alike, drawn battles, scale."""
    if machine is None:
        table = as_scores(
            scores, measure, missing, one_table="", ways=ALL_WAYS, battles=True, covariates=covariates
        )
    else:
        refuse_beside_machine(covariates)
        table = with_machine(scores, machine, measure, missing)
    return table.counting(*counting)


def with_machine(
    human: Any, machine: Any, measure: str | None = None, missing: Missing = "error"
) -> ScoreMatrix:
    """Join human scores of some topics to machine scores of the same systems on these topics and on more.

    Systems and topics are matched by name; topics of two arrays, which have none, by position. The topics
    that people judged must be a random sample of those that the machine judged
    (docs/methods/machine-judgments.md); who judged what may differ a little:

    - a system that only one of the two judged is left out, which a note says;
    - a topic that people judged and the machine did not is left out too, as long as these are at most a tenth
      of the human topics.

    Where the machine judged no other topics it leaves the human means as they are, and what remains is how it
    agrees with people.

    Args:
        human: scores of n topics, a ScoreMatrix or anything :func:`truerank.read_scores` takes.
        machine: the machine's scores, in any of these forms. Where both are arrays, row t of one is row t of
            the other, so that the topics that people judged come first here.
        measure: as in :func:`truerank.read_scores`, of both.
        missing: as in :func:`truerank.read_scores`, of both; empty cells are refused.

    Returns:
        The human scores, with the machine's as their `machine`.

    Raises:
        InputError: topics without names, except in two arrays; another measure; fewer than two systems or
            three topics in common; many human topics that the machine lacks. Also several data sets, clusters
            or empty cells in either, or battles.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> people = [[0.2, 0.4], [0.3, 0.6], [0.2, 0.8]]
        >>> both = with_machine(people, [[0.3, 0.5], [0.2, 0.7], [0.1, 0.9], [0.5, 0.6], [0.4, 0.8]])
        >>> both.n, both.machine
        (3, <MachineScores 5 topics, 3 of them judged by people>)
    """
    options = ReadOptions(measure, missing)
    read = (
        one if isinstance(one, ScoreMatrix) else read_with(one, options, FILLED) for one in (human, machine)
    )
    people, judge = (one.one_table("a machine judge") for one in read)
    _check_names(people, judge)
    ours, theirs = people.measure, judge.measure
    if ours and theirs and not same_measure(ours, theirs):
        raise InputError(
            f"{at(judge.source)}the machine’s scores are {theirs}, the human ones {ours}; "
            "give both by the same measure"
        )
    people, judge, notes, left_out = _same_systems(people, judge)
    rows = {topic: t for t, topic in enumerate(judge.topics)}
    shared = [t for t, topic in enumerate(people.topics) if topic in rows]
    notes += _check_topics(people, judge, shared)
    people = people.rows(shared) if len(shared) < people.n else people
    if 0 < judge.n - len(shared) < FEWEST_MORE:
        (alone,) = set(judge.topics) - set(people.topics)
        judge = judge.rows([rows[topic] for topic in people.topics])
        rows = {topic: t for t, topic in enumerate(judge.topics)}
        notes.append(Note("topics-left-out", {"case": "alone", "topic": alone}))
    matched = np.array([rows[topic] for topic in people.topics], dtype=np.intp)
    seen = judge.values[matched]
    if np.allclose(seen, people.values, rtol=0, atol=TIE):
        notes.append(Note("machine-copied", {"n": people.n}))
    factor = scale_factor(people.values, seen)
    if factor is not None and not 1 / OTHER_SCALE < factor < OTHER_SCALE:
        notes.append(Note("several-scales", {"case": "machine", "factor": factor}))
    notes += [note.of_source("the machine’s scores") for note in judge.notes if note not in people.notes]
    by_machine = MachineScores.build(judge.values, judge.topics, matched, judge.source)
    by_machine = replace(by_machine, left_out=left_out)
    return replace(people, measure=ours or theirs, notes=(*people.notes, *notes), machine=by_machine)


def _check_names(people: ScoreMatrix, judge: ScoreMatrix) -> None:
    """Refuse topics that are only counted: nothing says which row of the one is which of the other."""
    for scores, of, other in ((people, "the human scores", judge), (judge, "the machine’s scores", people)):
        if scores.unnamed == "table" or (scores.unnamed and not other.unnamed):
            raise InputError(
                f"{at(scores.source)}the topics of {of} have no names, only row numbers, so the rows of "
                "both judges cannot be matched. Name the topics alike in both, in a "
                "column 'topic' (of a data frame: in the index, whose name is to be 'topic')"
            )


def _same_systems(
    people: ScoreMatrix, judge: ScoreMatrix
) -> tuple[ScoreMatrix, ScoreMatrix, list[Note], dict[str, str]]:
    """Both, with the systems that both have in the order of the human scores; notes; who lacks the others."""
    both = [system for system in people.systems if system in judge.systems]
    if len(both) < 2:
        what = f"only system {both[0]!r}" if both else "no system"
        raise InputError(
            f"{at(judge.source)}the machine’s scores share {what} with the human ones, whose first is "
            f"{people.systems[0]!r}; here the first is {judge.systems[0]!r}: use the same names in both"
        )
    notes: list[Note] = []
    left_out: dict[str, str] = {}
    for table, other in ((people, "the machine"), (judge, "people")):
        if gone := [system for system in table.systems if system not in both]:
            facts = {"case": "judge", "judge": other.removeprefix("the ")}
            notes.append(Note("systems-left-out", facts, systems=tuple(gone)))
            left_out |= dict.fromkeys(gone, other)
    people, judge = (one.select([one.systems.index(name) for name in both]) for one in (people, judge))
    return people, judge, notes, left_out


def _check_topics(people: ScoreMatrix, judge: ScoreMatrix, shared: list[int]) -> list[Note]:
    """What there is to say of the topics."""
    where, units = at(judge.source), people.unit
    if not shared:
        raise InputError(
            f"{where}the machine judged none of the {units.many} that people judged, whose first is "
            f"{people.topics[0]!r}; here the first is {judge.topics[0]!r}: use the same names in both"
        )
    lacking = [topic for topic in people.topics if topic not in set(judge.topics)]
    if len(lacking) > MOST_LACKING * people.n:
        raise InputError(
            f"{where}the machine lacks {len(lacking):,} of the {units.count(people.n)} that people judged "
            f"({few(list(map(repr, lacking)), 4)}). Its bias shows only on {units.many} that both judged. "
            f"Have it judge these too, remove them from the human scores, or give the machine's as "
            f"{setting('machine')} if the files are the wrong way around"
        )
    if len(shared) < FEWEST:
        raise InputError(
            f"{at(people.source)}people judged {units.count(len(shared))} only; three are the least "
            "that a machine can be corrected on, and 20 are better"
        )
    facts = {"case": "machine", "topics": lacking, "of": people.n}
    return [Note("topics-left-out", facts)] if lacking else []


def scale_factor(human: NDArray[np.float64], seen: NDArray[np.float64]) -> float | None:
    """How many times as widely the machine's scores spread as people's; ``None`` where one does not spread.

    There are two ratios: of the spreads of the systems' means, and of the residuals after means of systems
    and topics. Bias or noise changes one of them, another scale changes both alike. So the ratio nearer to 1
    counts, and 1 where they are on either side of it.

    >>> people = np.array([[0.1, 0.4, 0.3], [0.2, 0.3, 0.9]])
    >>> scale_factor(people, 100 * people), scale_factor(people, people + [0.5, 0.0, 0.0])
    (100.0, 1.0)
    """
    theirs, ours = (
        np.array([values.mean(axis=0).std(), np.sqrt(np.mean(doubly_centered(values) ** 2))])
        for values in (seen, human)
    )
    if min(*theirs, *ours) <= TIE * max(np.abs(human).max(), np.abs(seen).max()):
        return None
    low, high = sorted((theirs / ours).tolist())
    return round(low if low > 1 else high if high < 1 else 1.0, 12)

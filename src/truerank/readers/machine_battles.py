"""People's battles joined to a machine's by their prompts: what battles need beyond what scores do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import frozen
from truerank.errors import InputError, at
from truerank.readers.battles import among, dealt, dealt_note, shares
from truerank.readers.columns import ignoring
from truerank.scores import MachineScores, ScoreMatrix


def check_prompts(scores: ScoreMatrix, judge: str) -> None:
    """Refuse battles whose prompts cannot be matched, or are not all that hangs together."""
    battles, where = scores.battles, at(scores.source)
    assert battles is not None
    if battles.unit != "prompt":
        raise InputError(
            f"{where}the battles that {judge} judged have no prompts, so those of both judges cannot be "
            "matched. Give one row per battle with its prompt, and name that column with "
            f"{setting('topic_column')}"
        )
    if battles.voters is not None:
        column = battles.voter_column or "COLUMN"
        raise InputError(
            f"{where}the battles that {judge} judged are those of many voters. Errors by prompts and voters "
            "together are not known beside a machine. To allow for prompts alone, leave the voters out: "
            f"{ignoring(column)}"
        )
    if battles.dealt:
        raise InputError(
            f"{where}prompts were dealt to groups as they were read, so those of both judges cannot be "
            "matched; give the file itself"
        )


def kept(
    scores: ScoreMatrix, columns: Sequence[int] | None = None, rows: Sequence[int] | None = None
) -> ScoreMatrix:
    """The battles of these systems among themselves, in their order, and on these prompts."""
    battles = scores.battles
    assert battles is not None
    order = np.arange(scores.m) if columns is None else np.array(columns, dtype=np.intp)
    of_systems = np.isin(np.arange(scores.m), order)
    here = of_systems[battles.first] & of_systems[battles.second]
    if rows is not None:
        here &= np.isin(battles.clusters, rows)
    if not here.any():
        raise InputError(
            f"{at(scores.source)}the {len(order)} systems that both judges have never met here; add "
            "battles between them"
        )
    return among(scores, battles, order, here)


def matched_battles(both: ScoreMatrix) -> ScoreMatrix:
    """The prompts that people judged first, and each kind dealt to groups where there are very many.

    Scores are given back as they are.
    """
    people, machine = both.battles, both.machine
    assert machine is not None
    if people is None or machine.battles is None:
        return both
    n, rest = both.n, machine.rest
    groups, names = dealt(np.arange(n), both.topics)
    others, other_names = dealt(np.arange(len(rest)), [machine.topics[t] for t in rest.tolist()])
    if len(other_names) < len(rest):
        other_names = [f"other {name}" for name in other_names]
    place = np.empty(len(machine.topics), dtype=np.intp)
    place[machine.matched], place[rest] = groups, len(names) + others
    total = len(place)
    few = len(names) + len(other_names)
    people = replace(people, clusters=frozen(groups[people.clusters]), dealt=n if len(names) < n else 0)
    judged = replace(
        machine.battles,
        clusters=frozen(place[machine.battles.clusters]),
        dealt=total if few < total else 0,
    )
    said = [dealt_note(n, "prompt", len(names))] if people.dealt else []
    said += [dealt_note(len(rest), "other prompt", len(other_names))] if len(other_names) < len(rest) else []
    return replace(
        both,
        values=frozen(shares(people, both.m)),
        topics=tuple(names),
        notes=(*both.notes, *said),
        battles=people,
        machine=MachineScores.build(
            shares(judged, both.m), [*names, *other_names], np.arange(len(names)), machine.source, judged
        ),
    )

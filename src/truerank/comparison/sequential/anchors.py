"""A gate at every commit on the same topics: against a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from truerank._support.notes import Note
from truerank._support.units import Unit
from truerank.errors import InputError, unknown_name
from truerank.readers import read_scores
from truerank.scores import ScoreMatrix


def chain_note(unit: Unit) -> Note:
    """The note on a gate against a release."""
    return Note(
        "chain-of-passes",
        f"what passed was chosen on these {unit.many}, so no level holds for a chain of passes. At a "
        f"release, take fresh {unit.many} and a new anchor",
    )


def with_release(table: ScoreMatrix, path: str, baseline: str | None) -> tuple[ScoreMatrix, str]:
    """The table with a release's scores as its first system, and the name that it has there."""
    release = read_scores(path, table.measure or None, "model")
    if baseline is None and release.m > 1:
        raise InputError(f"{path}: {release.m} systems; --baseline says which of them is the release")
    name = release.systems[0] if baseline is None else baseline
    if name not in release.systems:
        raise unknown_name("system of the release", name, release.systems)
    own = {key: t for t, key in enumerate(release.keys)}
    places = [own.get(key) for key in table.keys]
    if all(place is None for place in places):
        raise InputError(
            f"{path}: no {table.unit.one} of {table.source or 'the scores'}; a gate needs the same "
            f"{table.unit.many} in both"
        )
    scores = release.values[:, release.systems.index(name)]
    column = np.array([np.nan if place is None else scores[place] for place in places])
    shown = name if name not in table.systems else f"{name} ({Path(path).name})"
    values = np.column_stack([column, table.values])
    values.setflags(write=False)
    return replace(table, values=values, systems=(shown, *table.systems)), shown

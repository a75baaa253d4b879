"""Several tables of one system each, joined by their topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.names import names_of_files
from truerank.scores import ScoreMatrix


def joined(parts: Sequence[tuple[str, ScoreMatrix]], options: Options) -> ScoreMatrix:
    """The systems of several files, called like their columns, or like their files where these are alike."""
    for path, raw in parts:
        if raw.battles is not None:
            raise InputError(
                f"{path}: several files of battles are read as one from a folder; put them into one, and "
                "give it"
            )
        if raw.m != 1:
            raise InputError(
                f"{path}: {raw.m} systems; several tables are read as one only where each has one "
                "system. Give one table, or a folder with one table for each data set. If the files are "
                "runs, make one table with a column 'run'"
            )
        if raw.unnamed:
            raise InputError(f"{path}: topics without names cannot be matched; name them in a column 'topic'")
        origin = raw.origin
        assert origin is not None
        if any(one is not None for one in (raw.clusters, origin.weights, origin.families)):
            raise InputError(f"{path}: clusters, weights and families go with one table; join the files")
    own = [raw.systems[0] for _, raw in parts]
    paths = [path for path, _ in parts]
    notes: list[Note] = []
    if len(set(own)) < len(own):
        own, notes = names_of_files(paths)
        notes.append(Note("systems-assumed", f"each file is one system ({few(own)})"))
    scores = Collected(paths[0])
    scores.note(*notes, *(note for _, raw in parts for note in raw.notes))
    for (path, raw), system in zip(parts, own, strict=True):
        sets = raw.data_set_of_each or [""] * len(raw.topics)
        for topic, data_set, value in zip(raw.topics, sets, raw.values[:, 0].tolist(), strict=True):
            scores.add(system, topic, value, raw.measure, data_set=data_set, source=path)
    found = scores.table(replace(options, measure=options.measure if len(scores.measures) > 1 else None))
    return replace(found, measure=found.measure or options.measure or "")

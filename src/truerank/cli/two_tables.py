"""Two files of one system each: `truerank gate A.csv B.csv`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from truerank._support.files import decode, read_bytes
from truerank.errors import InputError

if TYPE_CHECKING:
    from truerank.readers.missing import Missing
    from truerank.scores import ScoreMatrix


def two_tables(
    sources: Sequence[str], measures: Sequence[str] | None, missing: Missing
) -> list[ScoreMatrix] | None:
    """One table of two systems a measure, the first file's first; ``None`` where there are no two tables.

    Raises:
        InputError: a file that cannot be used, has several systems, or shares too few topics with the other.
        UnknownNameError: no such measure.
    """
    if len(sources) != 2 or any(_is_treceval(path) for path in sources):
        return None
    wanted: list[str | None] = [*measures] if measures else [None]
    return [_joined(sources, measure, missing) for measure in wanted]


def _is_treceval(path: str) -> bool:
    from truerank.readers.tables import PARQUET_MAGIC
    from truerank.readers.treceval import looks_like_treceval

    data = read_bytes(path)
    return not data.startswith(PARQUET_MAGIC) and looks_like_treceval(decode(data, path))


def _joined(sources: Sequence[str], measure: str | None, missing: Missing) -> ScoreMatrix:
    import numpy as np

    from truerank.readers import read_scores
    from truerank.readers.missing import treat_missing
    from truerank.scores import ScoreMatrix

    arms = [read_scores(path, measure, missing) for path in sources]
    for path, arm in zip(sources, arms, strict=True):
        if arm.m != 1:
            raise InputError(
                f"{path}: {arm.m} systems; of two files each holds one system: give one table, with "
                "--baseline and --candidate"
            )
        arm.one_table("a comparison of two files")
    places = {topic: t for t, topic in enumerate(dict.fromkeys(arms[0].topics + arms[1].topics))}
    values = np.full((len(places), 2), np.nan)
    for s, arm in enumerate(arms):
        values[[places[topic] for topic in arm.topics], s] = arm.values[:, 0]
    shared = int(np.isfinite(values).all(axis=1).sum())
    if shared < max(2, min(arm.n for arm in arms) / 2):
        raise InputError(
            f"{sources[0]} and {sources[1]} share {shared or 'no'} of their {arms[0].n} and {arms[1].n} "
            "topics; give two runs of the same topics, named alike"
        )
    names, found = _names(sources, arms)
    topics = list(places)
    values, topics, notes = treat_missing(
        values, topics, names, missing, lambda _t, s: f"{sources[s]}: ", f"{sources[0]}, {sources[1]}: "
    )
    notes = [*(note for arm in arms for note in arm.notes), *notes]
    return ScoreMatrix.build(values, topics, names, measure or found, f"{sources[0]}, {sources[1]}", notes)


def _names(sources: Sequence[str], arms: Sequence[ScoreMatrix]) -> tuple[list[str], str]:
    """The systems' names and the measure's: a heading that both files have is the measure's name.

    Then the files' names tell the systems apart, or their whole paths.
    """
    own = [arm.systems[0] for arm in arms]
    measure = arms[0].measure or arms[1].measure
    if own[0] != own[1]:
        return own, measure
    stems = [Path(path).name.split(".")[0] or path for path in sources]
    shared = "" if own[0].casefold() in ("score", "scores", "value", "values", "system") else own[0]
    return (stems if stems[0] != stems[1] else list(sources)), measure or shared

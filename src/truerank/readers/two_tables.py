"""Two files, series or arrays of one system each, as one table of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank.errors import InputError
from truerank.readers.formats.recognizing import takes_several
from truerank.readers.formats.source import Source
from truerank.readers.measures import measure_name
from truerank.readers.missing import Missing
from truerank.readers.scales import higher_is_better, one_measure, shared_heading
from truerank.readers.score_reading import read_scores
from truerank.scores import ScoreMatrix, real_numbers

ARMS = ("baseline", "candidate")
"""What two systems are called where nothing names them."""


def two_tables(
    sources: Sequence[str],
    measures: Sequence[str] | None,
    missing: Missing,
    cluster: str | None = None,
    family: str | None = None,
    format: str | None = None,
    transpose: bool | None = None,
) -> list[ScoreMatrix] | None:
    """One table of two systems a measure, the first file's first; ``None`` where there are no two tables.

    Topics that one of them lacks are empty cells.
    """
    if len(sources) != 2 or any(
        Path(path).is_dir() or takes_several(Source(path), format) for path in sources
    ):
        return None
    wanted: list[str | None] = [measure_name(one) for one in measures] if measures else [None]
    return [
        _joined(
            sources,
            [
                read_scores(
                    path, measure, missing, cluster=cluster, family=family, format=format, transpose=transpose
                )
                for path in sources
            ],
            measure,
        )
        for measure in wanted
    ]


def side_by_side(baseline: Any, candidate: Any) -> tuple[Any, str]:
    """The scores of two systems in one table, and the measure that both are named like.

    ``{topic: score}`` and series are matched by topic, arrays by place.
    """
    if isinstance(baseline, Mapping) and isinstance(candidate, Mapping):
        return dict(zip(ARMS, (baseline, candidate), strict=True)), ""
    if hasattr(baseline, "iloc") and hasattr(candidate, "iloc"):
        import pandas as pd

        columns = [_column(one) for one in (baseline, candidate)]
        for one in columns:
            if not one.index.is_unique:
                twice = one.index[one.index.duplicated()][0]
                raise InputError(
                    f"topic {str(twice)!r} is twice in the index of a series; keep one score per topic"
                )
        names = [str(one.name) for one in columns]
        if names[0] != names[1]:
            return pd.concat(columns, axis=1, keys=names), ""
        named = "" if columns[0].name is None else shared_heading(names)
        return pd.concat(columns, axis=1, keys=ARMS), named
    try:
        arrays = [real_numbers(one) for one in (baseline, candidate)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the scores of a system must be numbers ({error}); give {{topic: score}}, a series, or an "
            "array of one score per topic"
        ) from None
    if arrays[0].ndim != 1 or arrays[0].shape != arrays[1].shape:
        raise InputError(
            f"the scores of the two systems have shapes {arrays[0].shape} and {arrays[1].shape}. Give "
            "one score per topic of each, in the same order, or two series with the topics as their index"
        )
    return ScoreMatrix.build(np.column_stack(arrays), systems=ARMS), ""


def _column(scores: Any) -> Any:
    """A series, or the one column of a frame."""
    if scores.ndim == 1:
        return scores.rename(index=str)
    if scores.shape[1] != 1:
        raise InputError(f"a frame of one system has one column, not {scores.shape[1]}; choose one")
    return scores.iloc[:, 0].rename(index=str)


def _joined(sources: Sequence[str], arms: Sequence[ScoreMatrix], measure: str | None) -> ScoreMatrix:
    for path, arm in zip(sources, arms, strict=True):
        if arm.m != 1:
            raise InputError(
                f"{path}: {arm.m} systems; of two files each holds one system: give one table, with "
                f"{setting('baseline')} and {setting('candidate')}"
            )
    keys = [arm.keys for arm in arms]
    places = {key: t for t, key in enumerate(dict.fromkeys(keys[0] + keys[1]))}
    values = np.full((len(places), 2), np.nan)
    for s, arm in enumerate(arms):
        values[[places[key] for key in keys[s]], s] = arm.values[:, 0]
    shared = int(np.isfinite(values).all(axis=1).sum())
    if shared < max(2, min(arm.n for arm in arms) / 2):
        raise InputError(
            f"{sources[0]} and {sources[1]} share {shared or 'no'} of their {arms[0].n} and {arms[1].n} "
            "topics; give two runs of the same topics, named alike"
        )
    found = one_measure(list(zip(sources, arms, strict=True)))
    directed = arms[0].measure if arms[0].measure.startswith("−") else ""
    sets = [name for name, _ in places]
    joined = ScoreMatrix.build(
        values,
        [topic for _, topic in places],
        _names(sources, arms),
        directed or measure or found,
        f"{sources[0]}, {sources[1]}",
        list(dict.fromkeys(note for arm in arms for note in arm.notes)),
        holes=True,
        data_sets=sets if any(sets) else None,
        weights=_by_data_set(arms, "weights"),
        families=_by_data_set(arms, "families"),
        clusters=_clusters(arms, keys, places),
        noun=arms[0].noun,
    )
    return higher_is_better(joined, None)  # a heading that both share has become the measure


def _by_data_set(arms: Sequence[ScoreMatrix], what: str) -> dict[str, Any] | None:
    """Weights or families by data set, of the first file, or of the second where it alone has them."""
    found: dict[str, Any] = {}
    for arm in reversed(arms):
        found |= dict(zip(arm.data_sets, getattr(arm, what), strict=False))
    return found or None


def _clusters(
    arms: Sequence[ScoreMatrix], keys: Sequence[list[tuple[str, str]]], places: dict[tuple[str, str], int]
) -> list[str] | None:
    """The cluster of each topic, as the first file has it; of topics that it lacks, as the second does."""
    if all(arm.clusters is None for arm in arms):
        return None
    names = [f"alone {t}" for t in range(len(places))]
    for s, arm in reversed(list(enumerate(arms))):
        for key, cluster in zip(keys[s], [] if arm.clusters is None else arm.clusters, strict=False):
            names[places[key]] = f"{s} {cluster}"
    return names


def _names(sources: Sequence[str], arms: Sequence[ScoreMatrix]) -> list[str]:
    """The systems' names: the headings or, where both files have one, the files' names or whole paths."""
    own = [arm.systems[0] for arm in arms]
    if own[0] != own[1]:
        return own
    stems = [Path(path).name.split(".")[0] or path for path in sources]
    return stems if stems[0] != stems[1] else list(sources)

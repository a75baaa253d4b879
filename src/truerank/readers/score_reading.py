"""Scores from whatever they are in: the format is told by the content, not by the name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError, reading, unknown_name
from truerank.kinds import InBattles
from truerank.readers.checks import (
    higher_is_better,
    of_whole_run,
    other_scale,
    other_scale_of_data_sets,
    runs_as_systems,
    runs_as_topics,
)
from truerank.readers.formats.format import read_files
from truerank.readers.formats.source import Source
from truerank.readers.joining import measures_by_data_set, read_by_data_set
from truerank.readers.measures import measure_name
from truerank.readers.missing import ALL_WAYS, Missing, check_policy, treat_missing
from truerank.readers.options import Options, ReadOptions, taking
from truerank.readers.records import runs_together
from truerank.readers.roles import may_be_lower
from truerank.scores import ScoreMatrix


@taking(ReadOptions)
def read_scores(source: Any, measure: Any = None, missing: Missing = "error", **options: Any) -> ScoreMatrix:
    """Read scores, whatever they are in.

    Args:
        source: a table (CSV, TSV or Parquet; wide or long; also gzipped), or a folder with one table for each
            data set. Also outputs of ``trec_eval -q``, one per system, or what other tools wrote (see
            docs/formats.md). What a file holds is told by its content, not by its name. From Python also the
            bytes of such a file, or a data frame of pandas or Polars, an Arrow table, or a list of records.
            Also an array of topics × systems; masked cells are missing. Dictionaries are system → topic →
            score, system → vector or series, or pytrec_eval's topic → measure → score, of one system or by
            system. Also ir_measures' `Metric` tuples.
        measure: which measure, where there are several; for scores without one, what to call it. Each data
            set may have its own: ``{"arc": "acc", "gsm8k": "exact_match"}``.
        missing: ``error`` refuses missing scores; see :class:`~truerank.readers.options.ReadOptions`.
        **options: the other fields of :class:`~truerank.readers.options.ReadOptions`.

    Returns:
        Scores of n topics × m systems, of K data sets where a column or a folder names several; its `notes`
        say what was met on the way.

    Raises:
        InputError: the scores cannot be used; the message says file, line and remedy.
        UnknownNameError: no such measure or column there, or no such format.

    Example:
        >>> read_scores([[0.1, 0.3], [0.2, 0.4]], "AP").values.shape
        (2, 2)
        >>> import pandas as pd
        >>> board = read_scores(pd.DataFrame({
        ...     "data_set": ["fiqa", "fiqa", "nq", "nq"], "topic": [1, 2, 1, 2],
        ...     "A": [0.2, 0.4, 0.1, 0.9], "B": [0.3, 0.5, 0.3, None], "C": [0, 0, 1, 1]}), missing="model")
        >>> board
        <ScoreMatrix 4 topics × 3 systems, 2 data sets>
        >>> board.complete
        False
    """
    return read_with(source, ReadOptions(measure, missing, **options))


def read_with(source: Any, options: ReadOptions, ways: Sequence[str] = ALL_WAYS) -> ScoreMatrix:
    """As :func:`read_scores`, with the ways to treat missing scores that a refusal may name."""
    (found,) = read_measures(source, [options.measure], options, ways)
    return found


def read_measures(
    source: Any,
    measures: Sequence[Any],
    options: ReadOptions,
    ways: Sequence[str] = ALL_WAYS,
) -> list[ScoreMatrix]:
    """The scores by several measures: a file is read and parsed once for all of them."""
    check_policy(options.missing)
    clusters: str | None = None
    if options.cluster is not None:
        from truerank.readers.beside_scores import is_cluster_file, with_clusters

        if is_cluster_file(options.cluster):
            clusters, options = options.cluster, replace(options, cluster=None)
    usual = Options.of(options, measure=None, cluster_file=clusters)
    by_sets = [measures_by_data_set(one) for one in measures]
    several = len(measures) > 1 or any(by_sets)
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    named = isinstance(paths, Sequence) and all(isinstance(one, (str, os.PathLike)) for one in paths)
    if isinstance(source, bytes):
        source = Source("pasted table", keep=True, data=source)
    elif named and paths is not source:
        source = Source(str(source), keep=several)
    if isinstance(source, Source):
        read = partial(read_path, source)
    elif named and source:
        from truerank.readers.folders import read_several

        read = partial(read_several, [Source(str(path), keep=several) for path in source])
    else:
        from truerank.readers.formats.objects import read_object

        read = partial(read_object, source)
    found, wanted, known = list[ScoreMatrix](), list[Options](), list[str]()
    for one, by_set in zip(measures, by_sets, strict=True):
        if by_set is None:
            wanted.append(replace(usual, measure=measure_name(one)))
            found.append(read(wanted[-1]))
            known.append(found[-1].measure)
        else:
            raw, directed, names = read_by_data_set(read, usual, by_set)
            wanted.append(directed)
            found.append(raw)
            known += names
    for text in options.direction:
        if not any(known):
            way = setting("lower_is_better", text.endswith("=lower"))
            raise InputError(f"{found[0].where}no measure is named here; give {way} for all scores")
        if (name := text.rpartition("=")[0]) not in known:
            raise unknown_name("measure with a direction", name, known)
    if clusters is not None:
        found = [
            raw
            if any(note.case == "cluster-column" for note in raw.notes)
            else with_clusters(raw, clusters, options.topic_column)
            for raw in found
        ]
    return [_finished(raw, one, ways) for raw, one in zip(found, wanted, strict=True)]


def read_path(source: Source, options: Options) -> ScoreMatrix:
    """The scores in a file or folder, which is named where its data is damaged."""
    with reading(source.path):
        if not source.is_folder:
            return read_files([source], options)
        from truerank.readers.folders import read_folder

        return read_folder(source, options)


def _finished(raw: ScoreMatrix, options: Options, ways: Sequence[str]) -> ScoreMatrix:
    """The scores as they will be used: missing ones treated, higher better, with what looks wrong."""
    if raw.battles is None and (of_battles := options.given("covariates", "min_battles")):
        raise InputError(f"{raw.where}{of_battles[0]} is for battles, and these are scores; leave it out")
    raw = higher_is_better(_with_weights(raw, options.weights), options.lower(raw.measure))
    if raw.reading is not None and not raw.reading.certain:
        important = any("is better" not in doubt for doubt in raw.reading.doubts)
        important = important or may_be_lower(raw.measure or raw.systems[0] * (raw.m == 1))
        line = raw.reading.line.removeprefix("topics")
        note = Note("reading", {"case": "all", "line": line}, "alert" if important else "warning")
        raw = replace(raw, notes=(note, *raw.notes))
    found = treat_missing(raw, options.missing, ways).as_read()
    if options.runs_of is not None:
        found = runs_together(found, options.runs_of, found.measure)
    if not found.kind.by_cells:
        return found
    more = [runs_as_topics(found.topics), runs_as_systems(found.systems)]
    more += [other_scale(found.values, found.systems), of_whole_run(found)]
    if options.of_data_sets is None:
        more.append(other_scale_of_data_sets(found))
    return found.noting(*(note for note in more if note is not None))


def _with_weights(raw: ScoreMatrix, weights: Mapping[str, float] | None) -> ScoreMatrix:
    """The scores with the weights that the user gave instead of those that were read."""
    if weights is None:
        return raw
    names = raw.data_sets
    stranger = next((str(name) for name in weights if name not in names), None)
    if stranger is not None:
        known = f"the data sets are {few(names, 8)}" if names else "nothing here names data sets"
        raise InputError(f"{raw.where}there is no data set {stranger!r} to weigh; {known}")
    return replace(raw, origin=raw.origin and replace(raw.origin, weights=weights))


def refuse_beside_machine(covariates: str | Sequence[str]) -> None:
    """Refuse covariates where a machine judges too."""
    if covariates:
        raise InputError(
            f"{setting('covariates')} is for battles, and {setting('machine')} for scores; leave one out"
        )


def as_scores(
    obj: Any,
    measure: str | None = None,
    missing: Missing = "error",
    one_table: str = "this",
    ways: Sequence[str] = (),
    battles: bool = False,
    covariates: str | Sequence[str] = (),
) -> ScoreMatrix:
    """`obj` itself if it is a ScoreMatrix, else what :func:`read_scores` makes of it; in one complete table.

    Args:
        obj: scores in any of the forms that :func:`read_scores` takes, or a ScoreMatrix.
        measure: as :func:`read_scores`; of a ScoreMatrix without one, whose direction then follows from it.
        missing: as :func:`read_scores`; without effect on a ScoreMatrix.
        one_table: who asks, as the subject of a sentence, where data sets, clusters and empty cells are
            refused; empty where they are welcome.
        ways: to treat missing scores that who asks offers, :data:`~truerank.readers.missing.FILLED` or
            :data:`~truerank.readers.missing.ALL_WAYS`; none where there is no choice.
        battles: whether battles are welcome.
        covariates: of battles, as :func:`read_scores`.

    Returns:
        Scores of n topics × m systems.

    Raises:
        InputError: as :func:`read_scores`.
        UnknownNameError: as :func:`read_scores`.

    Example:
        >>> scores = as_scores([[0.1, 0.3], [0.2, 0.4]])
        >>> as_scores(scores) is scores
        True
    """
    options = ReadOptions(measure, missing, covariates=covariates)
    if isinstance(obj, ScoreMatrix):
        scores = _of_measure(obj, options.measure)
        there = () if obj.battles is None or obj.battles.covariates is None else obj.battles.covariates.names
        if options.covariates and options.covariates != there:
            raise InputError(
                "covariates are read with the battles: give them to read_scores(…, covariates=…), or give "
                "the file itself here"
            )
    else:
        scores = read_with(obj, options, ways)
    if not battles:
        scores.refuse(one_table or "this", InBattles)
    return scores.one_table(one_table) if one_table else scores


def _of_measure(scores: ScoreMatrix, measure: Any) -> ScoreMatrix:
    """Scores by the measure that is named, where they have no other name."""
    if measure is None or scores.measure.removeprefix("−") == measure_name(measure):
        return scores
    if scores.measure:
        raise InputError(
            f"{scores.where}these are scores by {scores.measure!r}; leave {setting('measure', measure)} out"
        )
    return higher_is_better(replace(scores, measure=measure_name(measure) or ""), None)

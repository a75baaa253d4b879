"""Runs and judgments, read once: what is kept of each run in turn, notes, and scores by ir_measures."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack, overload

import numpy as np

from truerank._support.arguments import keywords_checked
from truerank._support.files import PathLike
from truerank._support.notes import Note
from truerank._support.resources import Progress
from truerank.errors import InputError, reading, unknown_name
from truerank.readers.checks import runs_as_systems
from truerank.readers.measures import at_level, parse_measure
from truerank.readers.names import choose_names, file_stem
from truerank.readers.records import runs_together
from truerank.readers.run_formats import (
    Documents,
    Qrels,
    Run,
    object_rows,
    read_qrels,
    read_run,
    trec_order,
)
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

QrelsSource: TypeAlias = "PathLike | pd.DataFrame | Mapping[Any, Mapping[Any, int]] | Any"
"""A file in any format, an id of ir_datasets, a data frame, a dictionary topic → document → relevance, or
ir_measures' named tuples."""

RunsSource: TypeAlias = PathLike | Sequence[Any] | Mapping[str, Any]
"""Files in any format, folders of them, or a mapping from names to files or objects."""

RunNames: TypeAlias = Literal["tag", "file"]

T = TypeVar("T")


@dataclass(frozen=True)
class ReadRun:
    """One run as it passes by, with its documents on the judged topics, best first."""

    label: str
    documents: Documents
    rankings: dict[str, list[str]]


@dataclass(frozen=True)
class ReadRuns(Generic[T]):
    """What was kept of m runs, and what was met on the way."""

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    kept: tuple[T, ...]
    notes: tuple[Note, ...]


def read_runs(
    judged: Qrels,
    runs: RunsSource,
    keep: Callable[[ReadRun], T],
    names: RunNames,
    format: str | None,
    progress: Progress | None,
    elsewhere: Collection[str] = (),
) -> ReadRuns[T]:
    """Read runs, one in memory at a time, and keep of each what is asked for."""
    if names not in ("tag", "file"):
        raise unknown_name("way to name runs", names, ("tag", "file"))
    sources = _sources(runs, format)
    labels: list[str] = []
    kept: list[T] = []
    findings: list[_Findings] = []
    for path, name, read in sources:
        with reading(path):
            run = read()
        labels.append(name or (names == "tag" and run.tag) or file_stem(path))
        rankings = {topic: trec_order(of) for topic, of in run.documents.items() if topic in judged}
        if not rankings:
            raise InputError(
                f"{path}: run and qrels have no topic in common (the run has "
                f"{next(iter(run.documents))!r}, the qrels have {next(iter(judged))!r}). "
                "Use the qrels of the runs' own test collection"
            )
        kept.append(keep(ReadRun(labels[-1], run.documents, rankings)))
        findings.append(_Findings.of(run, judged, rankings))
        del run
        if progress is not None:
            progress(len(kept), len(sources), f"reading run {labels[-1]}")
    times = Counter(topic for found in findings for topic in found.judged)
    if len(labels) > 1 and max(times.values()) < 2:
        raise InputError(
            f"no two runs have a topic in common (for instance {labels[0]!r} and {labels[1]!r}); "
            "give runs on the same topics"
        )
    notes: list[Note] = []
    if any(name is None for _, name, _ in sources):
        labels, notes = choose_names(labels, [path for path, *_ in sources], "tag")
    topics = [topic for topic in judged if topic in times]
    notes += _notes(dict(zip(labels, findings, strict=True)), topics, judged, elsewhere)
    return ReadRuns(tuple(topics), tuple(labels), tuple(kept), tuple(notes))


_Sources: TypeAlias = list[tuple[str, str | None, Callable[[], Run]]]
"""What messages call each run, the name that the caller gives it, if any, and what reads it."""


def _sources(runs: RunsSource, format: str | None) -> _Sources:
    """The runs of files, of folders of them or of a mapping, in that order; none is read yet."""
    found: _Sources = []
    if isinstance(runs, Mapping):
        for name, data in ((str(name), data) for name, data in runs.items()):
            if isinstance(data, (str, os.PathLike)):
                found.append((name, name, partial(read_run, data, format)))
            else:
                found.append((name, name, partial(_of_object, data, name)))
    else:
        for place, entry in enumerate([runs] if isinstance(runs, (str, os.PathLike)) else runs, 1):
            if not isinstance(entry, (str, os.PathLike)):
                raise InputError(f"run {place} has no name; give a dictionary from systems' names to runs")
            found += [(str(path), None, partial(read_run, path, format)) for path in run_files(Path(entry))]
    if not found:
        raise InputError("no runs; name at least one file or folder")
    return found


def _of_object(data: Any, name: str) -> Run:
    return object_rows(data, "run", f"run {name!r}: ").run()


def run_files(path: Path) -> list[Path]:
    """The file itself, or the files of a folder, sorted; hidden ones are an editor's or a system's."""
    if not path.is_dir():
        return [path]
    try:
        files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
    except PermissionError:
        raise InputError(f"{path}: no permission to list the folder; change its mode") from None
    if not files:
        raise InputError(f"{path}: no files in this folder; name the folder of the runs")
    return files


def judgments(qrels: QrelsSource) -> Qrels:
    """Relevance judgments, checked."""
    if not isinstance(qrels, (str, os.PathLike)):
        return object_rows(qrels, "qrels", "qrels: ").qrels()
    named = None if os.path.exists(qrels) or qrels == "-" else _named_qrels(str(qrels))
    return read_qrels(qrels) if named is None else named


def _named_qrels(name: str) -> Qrels | None:
    """The judgments of an id of ir_datasets, which may download them; None where this is not one."""
    if find_spec("ir_datasets") is None:
        return None
    import ir_datasets

    try:
        data_set = ir_datasets.load(name)
    except KeyError:
        return None
    try:
        rows = list(data_set.qrels_iter())
    except Exception as error:  # whatever the code of a data set may raise
        raise InputError(f"{name}: ir_datasets has no judgments of it ({error!r:.100})") from error
    return object_rows(rows, "qrels", f"{name}: ").qrels()


HIGH_UNJUDGED = 0.10
"""Share of unjudged documents in a run's top ten above which its scores may be too low."""


@dataclass(frozen=True)
class _Findings:
    """What there is to say about one run once its documents are gone."""

    run: Run
    judged: frozenset[str]
    not_judged: tuple[str, ...]
    unjudged_top: float
    any_judged: bool

    @classmethod
    def of(cls, run: Run, qrels: Qrels, rankings: Mapping[str, Sequence[str]]) -> _Findings:
        """Look through a run; `rankings` are its documents on the topics of the qrels, best first."""
        tops = {topic: ranked[:10] for topic, ranked in rankings.items()}
        shares = [sum(one in qrels[topic] for one in top) / len(top) for topic, top in tops.items()]
        return cls(
            run=replace(run, documents={}),
            judged=frozenset(rankings),
            not_judged=tuple(topic for topic in run.documents if topic not in qrels),
            unjudged_top=1 - float(np.mean(shares)),
            any_judged=any(run.documents[topic].keys() & qrels[topic].keys() for topic in rankings),
        )


def _notes(
    found: dict[str, _Findings], topics: Sequence[str], qrels: Qrels, elsewhere: Collection[str]
) -> list[Note]:
    """The notes on all runs (system → findings) that are scored on `topics`; others are judged elsewhere."""
    notes = []
    if left_out := len(qrels) - len(topics):
        notes.append(Note("topics-left-out", {"case": "no-run", "number": left_out, "of": len(qrels)}))
    not_judged = dict.fromkeys(topic for one in found.values() for topic in one.not_judged)
    if strange := [topic for topic in not_judged if topic not in elsewhere]:
        notes.append(Note("topics-left-out", {"case": "unjudged", "topics": strange}))
    having: dict[tuple[str, str], list[int]] = {
        ("counted-as-zero", "topics"): [len(topics) - len(one.judged) for one in found.values()],
        ("run-files", "ties"): [one.run.tied for one in found.values()],
        ("run-files", "ranks"): [one.run.disordered for one in found.values()],
    }
    for (code, case), numbers in having.items():
        there = {name: number for name, number in zip(found, numbers, strict=True) if number}
        if there:  # with the number of topics, where it is one
            each = {name: None if number is True else int(number) for name, number in there.items()}
            facts = {"case": case, "of": len(found), "each": each}
            notes.append(Note(code, facts, systems=tuple(there)))
        if case == "topics":
            notes += _on_judgments(found)
    return notes


def _on_judgments(found: dict[str, _Findings]) -> list[Note]:
    if not any(run.any_judged for run in found.values()):
        return [Note("unjudged-documents", {"case": "all"})]
    unjudged = {name: run.unjudged_top for name, run in found.items()}
    worst = max(unjudged, key=lambda name: unjudged[name])
    if unjudged[worst] == 0:
        return []
    each = {name: share for name, share in unjudged.items() if share}
    facts = {"case": "top", "each": each, "of": len(found)}
    notes = [Note("unjudged-documents", facts, systems=(worst,))]
    if high := {name: share for name, share in each.items() if share > HIGH_UNJUDGED}:
        of_runs = {"case": "runs", "each": high, "of": len(found), "share": HIGH_UNJUDGED}
        notes.append(Note("unjudged-documents", of_runs))
    return notes


def note_on_relevance(measure: Any, topics: Iterable[str], qrels: Qrels) -> list[Note]:
    """Notes on topics without a document that is relevant at the measure's level, and without a sample."""
    topics = list(topics)
    complete = "infAP" in str(measure) and all(min(qrels[topic].values()) >= 0 for topic in topics)
    notes = [Note("nothing-sampled", {"measure": str(measure)})] if complete else []
    level = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1
    level = level if isinstance(level, int) else 1  # NumRet has a level and no default for it
    bare = [topic for topic in topics if max(qrels[topic].values()) < level]
    return [*notes, Note("nothing-relevant", {"topics": bare, "level": level})] if bare else notes


# Runs and qrels to scores, through ir_measures


class _Settings(TypedDict, total=False):
    """The keywords of :func:`evaluate`, for type checkers."""

    relevance_level: int | None
    names: RunNames
    format: str | None
    runs_of: str | None
    progress: Progress | None


@overload
def evaluate(
    qrels: QrelsSource, runs: RunsSource, measure: list[Any] | tuple[Any, ...], **settings: Unpack[_Settings]
) -> dict[str, ScoreMatrix]: ...
@overload
def evaluate(
    qrels: QrelsSource, runs: RunsSource, measure: Any, **settings: Unpack[_Settings]
) -> ScoreMatrix: ...
@keywords_checked
def evaluate(
    qrels: QrelsSource,
    runs: RunsSource,
    measure: Any,
    *,
    relevance_level: int | None = None,
    names: RunNames = "tag",
    format: str | None = None,
    runs_of: str | None = None,
    progress: Progress | None = None,
) -> ScoreMatrix | dict[str, ScoreMatrix]:
    """Score runs by one measure, or by several in one pass; one run is in memory at a time.

    Documents are ranked by score as trec_eval does it, equal scores by document id, descending.
    The topics are those of the qrels for which at least one run has documents; a run without any
    for such a topic gets the measure's default, nearly always 0. See ``docs/formats.md``.

    Args:
        qrels: a file in any format (plain or packed), or the id of a data set of ir_datasets, where that
            package is installed. In Python also a data frame (``query_id``, ``doc_id``, ``relevance``), a
            dictionary topic → document → relevance, or ir_measures' `Qrel` tuples.
        runs: files in any format, or folders of them. In Python also a mapping from systems' names to
            files, data frames (``query_id``, ``doc_id``, ``score``), dictionaries or ir_measures'
            `ScoredDoc` tuples.
        measure: what ir_measures can parse (``AP``, ``nDCG@10``), or trec_eval's name; or a list of these.
        relevance_level: the relevance from which a document counts as relevant, for measures that
            have such a level.
        names: whether a file's system is called by its ``tag`` (the last column) or its ``file``.
        format: of the runs' files, where their content does not tell: ``trec``, ``table`` or ``json``.
        runs_of: how the names of runs are made of a system and a run, as for :func:`truerank.read_scores`.
        progress: called after each run with runs done, runs in all, and the run's name.

    Returns:
        Scores of n topics × m systems, mostly in [0, 1]; that is up to the measure. For a list of measures a
        dictionary: measure, as ir_measures prints it → scores, in the order asked for. The `notes` of the
        scores say what a user should know: topics left out, missing topics, unjudged documents, ties, ranks
        that contradict scores.

    Raises:
        InputError: a file that cannot be used (with its line), no common topics, equal names, or a
            measure that nothing installed computes.
        UnknownNameError: no such measure; the message has the nearest.

    Example:
        >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
        >>> runs = {"first": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}}
        >>> evaluate(qrels, runs, "RR").values.tolist()
        [[1.0], [0.5]]
        >>> list(evaluate(qrels, runs, ["map", "P@1"]))
        ['AP', 'P@1']
    """
    several = isinstance(measure, list | tuple)
    wanted = measures_of(measure if several else [measure], relevance_level)
    found = evaluated(qrels, runs, wanted, names, format, progress)
    if runs_of is not None:
        found = {name: runs_together(scores, runs_of) for name, scores in found.items()}
    return found if several else next(iter(found.values()))


def evaluated(
    qrels: QrelsSource,
    runs: RunsSource,
    wanted: Sequence[Any],
    names: RunNames,
    format: str | None,
    progress: Progress | None,
    elsewhere: Collection[str] = (),
) -> dict[str, ScoreMatrix]:
    """Score runs by measures that :func:`measures_of` found; see :func:`evaluate`."""

    judged = judgments(qrels)
    score = scorer(wanted, judged)
    read = read_runs(
        judged, runs, lambda run: score(run.label, run.documents), names, format, progress, elsewhere
    )
    result = {}
    hint = runs_as_systems(read.systems)
    for measure in wanted:
        values = [[scores[measure][topic] for scores in read.kept] for topic in read.topics]
        notes = [*read.notes, *note_on_relevance(measure, read.topics, judged)]
        notes += [hint] if hint else []
        result[str(measure)] = ScoreMatrix.build(values, read.topics, read.systems, str(measure), notes=notes)
    return result


def measures_of(names: Sequence[str | Any], relevance_level: int | None) -> list[Any]:
    """Measures that ir_measures can compute here, each once."""
    if isinstance(names, str):
        names = [names]
    if not names:
        raise InputError("no measure; name at least one, such as AP")
    measures = [at_level(parse_measure(name), relevance_level) for name in names]
    for measure in measures:
        _check_provided(measure)
    return list(dict.fromkeys(measures))


def _check_provided(measure: Any) -> None:
    """Refuse a measure that no installed provider computes, before any run is read."""
    import ir_measures

    pipeline: Any = ir_measures.DefaultPipeline  # not typed by its makers
    if pipeline.supports(measure):
        return
    able = [p for p in pipeline.providers if p.supports(measure)]
    if able:
        remedies = " or ".join(p.install_instructions() or p.NAME for p in able).replace("\n", " ")
        raise InputError(f"measure {measure} needs a package that is not installed; {remedies}")
    raise InputError(f"ir_measures cannot compute {measure}; choose other parameters")


_Scores: TypeAlias = dict[Any, dict[str, float]]
"""Measure → topic → score."""


def scorer(measures: Sequence[Any], judgments: Qrels) -> Callable[[str, Documents], _Scores]:
    """A function from a run's name and documents to scores; ir_measures takes the judgments once."""
    import ir_measures

    evaluator = ir_measures.evaluator(measures, judgments)

    def score(name: str, documents: Documents) -> _Scores:
        scores: _Scores = {measure: {} for measure in measures}
        try:
            for metric in evaluator.iter_calc(documents):
                scores[metric.measure][metric.query_id] = float(metric.value)
        except Exception as error:  # whatever the code of a measure may raise
            names = ", ".join(map(str, measures))
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(
                f"run {name!r} cannot be evaluated by {names} ({reason}); choose another measure"
            ) from error
        return scores

    return score

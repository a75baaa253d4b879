"""Runs and judgments, read once: each run in turn, in trec_eval's order, what is kept of it, and notes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from truerank._support.files import PathLike
from truerank._support.notes import Note
from truerank._support.resources import Progress
from truerank.errors import InputError, reading, unknown_name
from truerank.readers.names import choose_names, file_stem
from truerank.readers.run_formats import read_qrels, read_run
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from, trec_order

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
    """One run as it passes by; its text is gone once the next one is read."""

    label: str
    path: str
    documents: dict[str, dict[str, float]]
    rankings: dict[str, list[str]]


@dataclass(frozen=True)
class ReadRuns(Generic[T]):
    """What was kept of m runs, and what was met on the way."""

    qrels: Qrels
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    kept: tuple[T, ...]
    notes: tuple[Note, ...]


def read_runs(
    qrels: QrelsSource,
    runs: RunsSource,
    keeper: Callable[[Qrels], Callable[[ReadRun], T]],
    *,
    names: RunNames = "tag",
    format: str | None = None,
    progress: Progress | None = None,
    elsewhere: Collection[str] = (),
) -> ReadRuns[T]:
    """Read judgments and runs, one run in memory at a time, and keep of each run what is asked for."""
    if names not in ("tag", "file"):
        raise unknown_name("way to name runs", names, ("tag", "file"))
    sources = run_sources(runs, format)
    judged = judgments(qrels)
    keep = keeper(judged)
    labels: list[str] = []
    kept: list[T] = []
    findings: list[Findings] = []
    for source in sources:
        label, one, found = _read_one(source, judged, keep, names)
        labels.append(label)
        kept.append(one)
        findings.append(found)
        if progress is not None:
            progress(len(kept), len(sources), f"reading run {label}")
    times = Counter(topic for found in findings for topic in found.judged)
    if len(labels) > 1 and max(times.values()) < 2:
        raise InputError(
            f"no two runs have a topic in common (for instance {labels[0]!r} and {labels[1]!r}); "
            "give runs on the same topics"
        )
    notes: list[Note] = []
    if any(source.name is None for source in sources):
        labels, notes = choose_names(labels, [source.path for source in sources], "tag")
    covered = frozenset[str]().union(*(one.judged for one in findings))
    topics = [topic for topic in judged if topic in covered]
    notes += notes_on_runs(dict(zip(labels, findings, strict=True)), topics, judged, elsewhere)
    return ReadRuns(judged, tuple(topics), tuple(labels), tuple(kept), tuple(notes))


def _read_one(
    source: RunSource, judgments: Qrels, keep: Callable[[ReadRun], T], names: RunNames
) -> tuple[str, T, Findings]:
    """A run's label, what is kept of it, and findings; its documents are gone before the next is read."""
    with reading(source.path):
        run = source.read()
    label = source.name or (names == "tag" and run.tag) or file_stem(source.path)
    rankings = {
        topic: trec_order(documents) for topic, documents in run.documents.items() if topic in judgments
    }
    if not rankings:
        raise InputError(
            f"{source.path}: run and qrels have no topic in common (the run has "
            f"{next(iter(run.documents))!r}, the qrels have {next(iter(judgments))!r}). "
            "Use the qrels of the runs' own test collection"
        )
    kept = keep(ReadRun(label, source.path, run.documents, rankings))
    return label, kept, Findings.of(run, judgments, rankings)


# ── where runs come from ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class RunSource:
    """Where one run comes from."""

    read: Callable[[], Run]
    path: str
    name: str | None = None


def run_sources(runs: RunsSource, format: str | None = None) -> list[RunSource]:
    """The runs of files, of folders of them or of a mapping, in that order; none is read yet."""
    if isinstance(runs, Mapping):
        sources = [_source(str(name), data, format) for name, data in runs.items()]
    else:
        given: Sequence[Any] = [runs] if isinstance(runs, (str, os.PathLike)) else runs
        sources = []
        for place, entry in enumerate(given, 1):
            if isinstance(entry, (str, os.PathLike)):
                files = run_files(Path(entry))
                sources += [RunSource(partial(read_run, path, format), str(path)) for path in files]
            else:
                raise InputError(f"run {place} has no name; give a dictionary from systems' names to runs")
    if not sources:
        raise InputError("no runs; name at least one file or folder")
    return sources


def _source(name: str, data: Any, format: str | None) -> RunSource:
    """A run under the name that the caller gives it."""
    if isinstance(data, (str, os.PathLike)):
        return RunSource(partial(read_run, data, format), name, name)
    return RunSource(partial(run_from, data, f"run {name!r}: "), name, name)


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


# ── where judgments come from ─────────────────────────────────────────────────────────────────────


def judgments(qrels: QrelsSource) -> Qrels:
    """Relevance judgments, checked."""
    if not isinstance(qrels, (str, os.PathLike)):
        return qrels_from(qrels)
    named = None if os.path.exists(qrels) or qrels == "-" else named_qrels(str(qrels))
    return read_qrels(qrels) if named is None else named


def named_qrels(name: str) -> Qrels | None:
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
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        export = f"ir_datasets export {name} qrels > qrels.txt"
        raise InputError(f"{name}: ir_datasets has no judgments of it ({reason}); try {export}") from error
    return qrels_from(rows, f"{name}: ")


# ── what a user should know of both ───────────────────────────────────────────────────────────────

HIGH_UNJUDGED = 0.10
"""Share of unjudged documents in a run's top ten above which its scores may be too low."""


@dataclass(frozen=True)
class Findings:
    """What there is to say about one run once its documents are gone."""

    judged: frozenset[str]
    not_judged: tuple[str, ...]
    unjudged_top: float
    any_judged: bool
    tied: bool
    disordered: int
    more_tags: bool

    @classmethod
    def of(cls, run: Run, qrels: Qrels, rankings: Mapping[str, Sequence[str]]) -> Findings:
        """Look through a run; `rankings` are its documents on the topics of the qrels, best first."""
        shares = [
            sum(document in qrels[topic] for document in ranked[:10]) / len(ranked[:10])
            for topic, ranked in rankings.items()
        ]
        return cls(
            judged=frozenset(rankings),
            not_judged=tuple(topic for topic in run.documents if topic not in qrels),
            unjudged_top=1 - float(np.mean(shares)) if shares else 1.0,
            any_judged=any(run.documents[topic].keys() & qrels[topic].keys() for topic in rankings),
            tied=run.tied,
            disordered=run.disordered,
            more_tags=run.more_tags,
        )


def notes_on_runs(
    found: dict[str, Findings], topics: Sequence[str], qrels: Qrels, elsewhere: Collection[str] = ()
) -> list[Note]:
    """The notes on all runs (system → findings) that are scored on `topics`; others are judged elsewhere."""
    notes = []
    left_out = len(qrels) - len(topics)
    if left_out:
        facts = {"case": "no-run", "number": left_out, "of": len(qrels)}
        notes.append(Note("topics-left-out", facts))
    not_judged = list(dict.fromkeys(topic for run in found.values() for topic in run.not_judged))
    not_judged = [topic for topic in not_judged if topic not in elsewhere]
    if not_judged:
        notes.append(Note("topics-left-out", {"case": "unjudged", "topics": not_judged}))
    lacking = {name: len(topics) - len(run.judged) for name, run in found.items()}
    tied = {name: run.tied for name, run in found.items()}
    disordered = {name: run.disordered for name, run in found.items()}
    mixed = {name: run.more_tags for name, run in found.items()}
    return [
        *notes,
        *_some("counted-as-zero", "topics", lacking),
        *_on_judgments(found),
        *_some("run-files", "ties", tied),
        *_some("run-files", "ranks", disordered),
        *_some("run-files", "tags", mixed),
    ]


def _on_judgments(found: dict[str, Findings]) -> list[Note]:
    if not any(run.any_judged for run in found.values()):
        return [Note("unjudged-documents", {"case": "all"})]
    unjudged = {name: run.unjudged_top for name, run in found.items()}
    worst = max(unjudged, key=lambda name: unjudged[name])
    if unjudged[worst] == 0:
        return []
    mean = float(np.mean(list(unjudged.values())))
    notes = [
        Note("unjudged-documents", {"case": "top", "mean": mean, "most": unjudged[worst]}, systems=(worst,))
    ]
    high = sum(share > HIGH_UNJUDGED for share in unjudged.values())
    if high:
        notes.append(
            Note(
                "unjudged-documents", {"case": "runs", "runs": high, "of": len(found), "share": HIGH_UNJUDGED}
            )
        )
    return notes


def _some(code: str, case: str, having: Mapping[str, int]) -> list[Note]:
    """A note on the runs that have something, where there are any, with the number of topics that have it."""
    there = {name: number for name, number in having.items() if number}
    topics = {name: None if number is True else int(number) for name, number in there.items()}
    facts = {"case": case, "of": len(having), "topics": topics}
    return [Note(code, facts, systems=tuple(there))] if there else []


def note_on_relevance(measure: Any, topics: Iterable[str], qrels: Qrels) -> list[Note]:
    """Notes on topics without a document that is relevant at the measure's level, and without a sample."""
    topics = list(topics)
    complete = "infAP" in str(measure) and all(min(qrels[topic].values()) >= 0 for topic in topics)
    notes = [Note("nothing-sampled", {"measure": str(measure)})] if complete else []
    level = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1
    level = level if isinstance(level, int) else 1  # NumRet has a level and no default for it
    bare = [topic for topic in topics if max(qrels[topic].values()) < level]
    return [*notes, Note("nothing-relevant", {"topics": bare, "level": level})] if bare else notes

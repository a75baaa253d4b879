"""Runs and judgments, read once: each run in turn, in trec_eval's order, and what is kept of it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from truerank._support.files import PathLike
from truerank._support.notes import Note
from truerank._support.resources import Progress
from truerank.errors import InputError, unknown_name
from truerank.readers.findings import Findings, notes_on_runs
from truerank.readers.judgments import QrelsSource, judgments
from truerank.readers.names import choose_names, file_stem
from truerank.readers.run_formats import read_run
from truerank.readers.trecfiles import Qrels, Run, holds_documents, run_from, trec_order
from truerank.readers.unforeseen import reading

RunsSource: TypeAlias = PathLike | Sequence[Any] | Mapping[str, Any]
"""Files in any format, folders of them, ranx's named `Run`s, or a mapping from names to files or objects."""

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
        alone = isinstance(runs, (str, os.PathLike)) or holds_documents(runs)
        given: Sequence[Any] = [runs] if alone else runs  # type: ignore[assignment]
        sources = []
        for place, entry in enumerate(given, 1):
            if isinstance(entry, (str, os.PathLike)):
                files = run_files(Path(entry))
                sources += [RunSource(partial(read_run, path, format), str(path)) for path in files]
            elif holds_documents(entry) and entry.name:
                sources.append(_source(str(entry.name), entry, format))
            else:
                raise InputError(f"run {place} has no name; give a dictionary from systems' names to runs")
    if not sources:
        raise InputError("no runs; name at least one file or folder")
    times = Counter(source.name for source in sources if source.name is not None)
    twice = next((name for name in times if times[name] > 1), None)
    if twice is not None:
        raise InputError(f"{times[twice]} runs are called {twice!r}; give each another name")
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

"""Runs and qrels to scores, through ir_measures, with an account of what was met on the way."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from truerank._support.files import PathLike
from truerank._support.types import Progress
from truerank.errors import InputError, unknown_name
from truerank.readers.findings import Findings, note_on_relevance, notes_on_runs
from truerank.readers.measures import parse_measure
from truerank.readers.names import choose_names, file_stem
from truerank.readers.trecfiles import Qrels, Run, read_qrels, read_run, run_from
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

Judgments: TypeAlias = "PathLike | pd.DataFrame | Mapping[Any, Mapping[Any, int]]"
Runs: TypeAlias = PathLike | Sequence[PathLike] | Mapping[str, Any]


def evaluate(
    qrels: Judgments,
    runs: Runs,
    measure: str | Any,
    *,
    relevance_level: int | None = None,
    names: Literal["tag", "file"] = "tag",
    progress: Progress | None = None,
) -> ScoreMatrix:
    """Score runs by one measure; see :func:`evaluate_all`, which does it for several at once.

    Raises:
        InputError: as :func:`evaluate_all`.
        UnknownNameError: no such measure; the message has the nearest.
    """
    if isinstance(measure, list | tuple):
        raise InputError("evaluate takes one measure; evaluate_all takes several")
    scores = evaluate_all(
        qrels, runs, [measure], relevance_level=relevance_level, names=names, progress=progress
    )
    return next(iter(scores.values()))


def evaluate_all(
    qrels: Judgments,
    runs: Runs,
    measures: Sequence[str | Any],
    *,
    relevance_level: int | None = None,
    names: Literal["tag", "file"] = "tag",
    progress: Progress | None = None,
) -> dict[str, ScoreMatrix]:
    """Score runs by several measures in one pass; one run is in memory at a time.

    Documents are ranked by score as trec_eval does it, equal scores by document id, descending.
    The topics are those of the qrels for which at least one run has documents; a run without any
    for such a topic gets the measure's default, nearly always 0.

    Args:
        qrels: a file in TREC's format (plain or gzipped), a data frame with columns ``query_id``,
            ``doc_id``, ``relevance``, or a dictionary topic → document → relevance.
        runs: files in TREC's format, folders of them, or a mapping from the systems' names to
            files, data frames (``query_id``, ``doc_id``, ``score``) or dictionaries.
        measures: what ir_measures can parse (``AP``, ``nDCG@10``), or trec_eval's names.
        relevance_level: the relevance from which a document counts as relevant, for measures that
            have such a level.
        names: whether a file's system is called by its ``tag`` (the last column) or its ``file``.
        progress: called after each run with runs done, runs in all, and the run's name.

    Returns:
        Measure, as ir_measures prints it → scores, in the order asked for. The `notes` of the
        scores say what a user should know: topics left out, missing topics, unjudged documents,
        ties, ranks that contradict scores.

    Raises:
        InputError: a file that cannot be used (with its line), no common topics, equal names, or a
            measure that nothing installed computes.
        UnknownNameError: no such measure; the message has the nearest.
    """
    if names not in ("tag", "file"):
        raise unknown_name("way to name runs", names, ("tag", "file"))
    wanted = _measures(measures, relevance_level)
    sources = run_sources(runs)
    judgments = read_qrels(qrels)
    score = _scorer(wanted, judgments)
    scored: list[_Scored] = []
    for source in sources:
        run = source.read()
        label = source.name or (run.tag if names == "tag" else file_stem(source.path))
        scored.append(score(run, label, source.path))
        if progress is not None:
            progress(len(scored), len(sources), label)
    _check_overlap(scored, judgments)
    systems, notes = [run.label for run in scored], list[str]()
    if any(source.name is None for source in sources):
        systems, notes = choose_names(systems, [source.path for source in sources], "tag")
    covered = frozenset[str]().union(*(run.findings.judged for run in scored))
    topics = [topic for topic in judgments if topic in covered]
    found = {system: run.findings for system, run in zip(systems, scored, strict=True)}
    notes += notes_on_runs(found, topics, judgments)
    result = {}
    for measure in wanted:
        values = [[run.scores[measure][topic] for run in scored] for topic in topics]
        own = note_on_relevance(measure, topics, judgments)
        result[str(measure)] = ScoreMatrix.build(values, topics, systems, str(measure), notes=notes + own)
    return result


def measure_names(measures: Sequence[str | Any], relevance_level: int | None = None) -> list[str]:
    """What :func:`evaluate_all` will call these measures, each once.

    Raises:
        InputError: as :func:`evaluate_all`.
        UnknownNameError: as :func:`evaluate_all`.
    """
    return [str(measure) for measure in _measures(measures, relevance_level)]


# ── measures ──────────────────────────────────────────────────────────────────────────────────────


def _measures(names: Sequence[str | Any], relevance_level: int | None) -> list[Any]:
    if isinstance(names, str):
        names = [names]
    if not names:
        raise InputError("no measure; name at least one, such as AP")
    measures = [_at_level(parse_measure(name), relevance_level) for name in names]
    for measure in measures:
        _check_provided(measure)
    return list(dict.fromkeys(measures))


def _at_level(measure: Any, level: int | None) -> Any:
    if level is None:
        return measure
    if isinstance(level, bool) or int(level) != level or level < 1:
        raise InputError(f"the relevance level must be a whole number from 1 on, not {level}")
    if "rel" not in measure.SUPPORTED_PARAMS:
        raise InputError(f"measure {measure} has no relevance level; leave the level out for it")
    given = measure.params.get("rel", level)
    if given != level:
        raise InputError(f"measure {measure} names its own relevance level; leave out the level {level}")
    return measure(rel=int(level))


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


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class RunSource:
    """Where one run comes from.

    Attributes:
        read: reads it.
        path: of its file; its name where it has none.
        name: as the caller calls it; ``None`` when the run itself says it.
    """

    read: Callable[[], Run]
    path: str
    name: str | None = None


def run_sources(runs: Runs) -> list[RunSource]:
    """The runs of files, of folders of them or of a mapping, in that order; none is read yet.

    Raises:
        InputError: no runs, or a folder that is empty or cannot be listed.
    """
    if isinstance(runs, Mapping):
        sources = [
            RunSource(
                partial(read_run, data)
                if isinstance(data, (str, os.PathLike))
                else partial(run_from, data, name),
                str(name),
                str(name),
            )
            for name, data in runs.items()
        ]
    else:
        given = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)
        paths = [path for entry in given for path in run_files(Path(entry))]
        sources = [RunSource(partial(read_run, path), str(path)) for path in paths]
    if not sources:
        raise InputError("no runs; name at least one file or folder")
    return sources


def run_files(path: Path) -> list[Path]:
    """The file itself, or the files of a folder, sorted; hidden ones are an editor's or a system's.

    Raises:
        InputError: the folder is empty or cannot be listed.
    """
    if not path.is_dir():
        return [path]
    try:
        files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
    except PermissionError:
        raise InputError(f"{path}: no permission to list the folder; change its mode") from None
    if not files:
        raise InputError(f"{path}: no files in this folder; name the folder of the runs")
    return files


@dataclass(frozen=True)
class _Scored:
    """What is kept of a run once it is scored; its documents go."""

    label: str
    path: str
    first_topic: str
    scores: dict[Any, dict[str, float]]
    findings: Findings


def _scorer(measures: Sequence[Any], judgments: Qrels) -> Callable[[Run, str, str], _Scored]:
    """A function that scores a run; the judgments are handed to ir_measures once."""
    import ir_measures

    judged_at_10 = ir_measures.Judged @ 10
    computed = list(dict.fromkeys([*measures, judged_at_10]))
    evaluator = ir_measures.evaluator(computed, judgments)

    def score(run: Run, label: str, path: str) -> _Scored:
        scores: dict[Any, dict[str, float]] = {measure: {} for measure in computed}
        try:
            for metric in evaluator.iter_calc(run.documents):
                scores[metric.measure][metric.query_id] = float(metric.value)
        except Exception as error:  # whatever the code behind a measure may raise
            names = ", ".join(map(str, measures))
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(
                f"run {label!r} cannot be evaluated by {names} ({reason}); choose another measure"
            ) from error
        findings = Findings.of(run, judgments, scores[judged_at_10])
        return _Scored(label, path, next(iter(run.documents)), scores, findings)

    return score


def _check_overlap(scored: Sequence[_Scored], judgments: Qrels) -> None:
    for run in scored:
        if not run.findings.judged:
            raise InputError(
                f"{run.path}: run and qrels have no topic in common (the run has "
                f"{run.first_topic!r}, the qrels have {next(iter(judgments))!r}); "
                "use the qrels of the runs' own test collection"
            )
    if len(scored) > 1:
        times = Counter(topic for run in scored for topic in run.findings.judged)
        if max(times.values()) < 2:
            raise InputError(
                f"no two runs have a topic in common (for instance {scored[0].label!r} and "
                f"{scored[1].label!r}); give runs on the same topics"
            )

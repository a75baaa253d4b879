"""Runs and qrels to scores, through ir_measures, with an account of what was met on the way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias, TypedDict, Unpack, overload

from truerank._support.arguments import keywords_checked
from truerank._support.resources import Progress
from truerank.errors import InputError
from truerank.readers.checks import runs_as_systems
from truerank.readers.measures import at_level, parse_measure
from truerank.readers.records import runs_together
from truerank.readers.run_formats import Documents, Qrels
from truerank.readers.runs import QrelsSource, RunNames, RunsSource, judgments, note_on_relevance, read_runs
from truerank.scores import ScoreMatrix


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

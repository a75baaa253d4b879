"""The document collection as a sample (yang-2018, Table 1 and Figures 1 and 2), for given runs and qrels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank import documents
from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.registry import Entry, explained_from
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank._support.version import __version__
from truerank.documents import DocumentAnalysis
from truerank.documents.analysis import model_notes
from truerank.documents.analysis import summarize as summaries_of
from truerank.documents.collection import DocumentCollection, read_collection
from truerank.documents.measures import PlaceMeasure, place_measure
from truerank.documents.models import document_model
from truerank.documents.samples import (
    RANK_SAMPLES,
    DocumentSettings,
    Samples,
    averaged,
    check_gradable,
    chunk_sizes,
    join,
    raw_scores,
    sampled_scores,
)
from truerank.documents.summaries import SUMMARIES, SummaryNumber, Weights, replicate_weights
from truerank.errors import InputError, unknown_name
from truerank.experiments.experiment import (
    Grid,
    Row,
    Summary,
    Task,
    declared,
    each,
    option,
    share,
    tables,
)
from truerank.experiments.store import Results
from truerank.numerics.intervals import quantile_interval
from truerank.numerics.pairs import absolute_t_of_samples, critical_t
from truerank.readers.names import file_stem
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame


_ABOUT = explained_from(__file__)
ASL, ED = (Entry(name, **_ABOUT[name]) for name in ("asl", "ed"))

# ASL, algorithm 3: for a pair, the share of samples whose |t| exceeds t(1 − α/2, n − 1). The paper calls the
# pair different where ASL < 0.05, but a *high* share is what shows a difference. Both readings are given.

LOW, HIGH = 0.05, 0.95  # the paper's bound, and its mirror image
PAIRS_AT_A_TIME = 1 << 24  # significance of pairs in samples handled at a time (64 MB an array)


def significance_levels(
    raw_t: Matrix, t: Matrix, topics: int, alpha: float, weights: Weights, level: float
) -> tuple[SummaryNumber, ...]:
    """ASL of every pair, both readings, from raw |t| and B × pairs sampled |t|."""
    limit = critical_t(alpha, topics)
    samples, pairs = t.shape
    levels = np.empty(pairs)
    replicated = np.zeros((3, len(weights)))
    step = max(1, PAIRS_AT_A_TIME // samples)
    for start in range(0, pairs, step):
        block = slice(start, start + step)
        significant = (t[:, block] > limit).astype(np.float32)
        levels[block] = np.count_nonzero(significant, axis=0) / samples
        # Whole numbers, which single precision holds exactly up to 2²⁴ samples.
        again = (weights @ significant).astype(np.float64) / samples
        replicated += np.stack([(again < LOW).sum(axis=1), (again >= HIGH).sum(axis=1), again.sum(axis=1)])
    below, above, mean = (quantile_interval(row / pairs, level) for row in replicated)
    moves = quantile_interval(np.mean(t > limit, axis=1), level)
    return (
        SummaryNumber("Pairs with ASL < 0.05", float(np.mean(levels < LOW)), below, column="pct"),
        SummaryNumber("Pairs with ASL ≥ 0.95", float(np.mean(levels >= HIGH)), above, column="asl_0.95"),
        SummaryNumber("Mean ASL", float(levels.mean()), mean, moves, "significant pairs", "mean_asl"),
        SummaryNumber("Significant pairs, here", float(np.mean(raw_t > limit)), column="raw"),
    )


# ED, algorithm 4 (after Sakai 2006): for each pair, the sampled difference |z̄ⁱ| at the ⌈αB⌉-th largest |t|;
# then the maximum over pairs.


def estimated_difference(
    means: Matrix, t: Matrix, alpha: float, weights: Weights, level: float
) -> SummaryNumber:
    """ED from B × m means and B × pairs |t|. O(m²·B log B).

    As the maximum of many noisy numbers, ED moves up when they are resampled, and its interval with it.
    """
    samples = len(t)
    # Rounding must not raise a whole α·B: 0.07 · 100 is 7.000000000000001.
    rank = max(1, math.ceil(alpha * samples - 1e-9))
    # A replicate's rank-th largest is among these samples, except once in 10⁹.
    reach = min(samples, rank + 10 + math.ceil(6 * math.sqrt(rank)))
    largest, replicated = 0.0, np.zeros(len(weights))
    for pair, (i, j) in enumerate(zip(*np.triu_indices(means.shape[1], 1), strict=True)):
        gap = np.abs(means[:, i] - means[:, j])
        order = np.lexsort((-gap, -t[:, pair]))[:reach]
        largest = max(largest, float(gap[order[rank - 1]]))
        taken = np.cumsum(weights[:, order], axis=1)
        place = np.minimum(np.count_nonzero(taken < rank, axis=1), reach - 1)
        np.maximum(replicated, gap[order[place]], out=replicated)
    interval = quantile_interval(replicated, level)
    return SummaryNumber("ED: estimated difference", largest, interval, column="ed")


def with_significance(a: DocumentAnalysis, samples: Samples, t: Matrix, alpha: float) -> DocumentAnalysis:
    """An analysis with ASL and ED beside the package's summaries; `t` has |t| of B samples × pairs."""
    rng, level = stream(a.settings.seed, "documents", "replicates"), a.settings.level
    weights = replicate_weights(samples.count, rng)
    raw_t = absolute_t_of_samples(a.scores.values[None])[0]
    levels = significance_levels(raw_t, t, a.scores.n, alpha, weights, level)
    return replace(a, more=(*levels, estimated_difference(samples.means, t, alpha, weights, level)))


SAMPLES = 10_000  # B of error rate, ASL and ED (yang-2018 §4.2)


@dataclass(frozen=True)
class DocumentsParameters:
    """The paper's models and numbers of samples."""

    qrels: str = option("", "The judgments, in TREC's format; the sources are the runs.")
    measures: tuple[str, ...] = option(
        ("AP",), "Measures that places alone give: AP, P@10, nDCG@20 …", check=each(place_measure)
    )
    models: tuple[str, ...] = option(("bst", "kde"), "Document models.", check=each(document_model))
    samples: int = option(SAMPLES, "B of error rate, ASL and ED.")
    rank_samples: int = option(RANK_SAMPLES, "B of KRCC: the first of the samples.")
    alpha: float = option(0.05, "Level of the t tests, and of ED.", check=share("alpha"))
    level: float = option(0.95, "Level of intervals.")
    system: str = option("", "Whose topics the first figure shows; the best one's by default.")

    def __post_init__(self) -> None:
        self.settings(0)

    def settings(self, seed: int, samples: int | None = None) -> DocumentSettings:
        """The settings of an analysis with all samples, or with those that there are."""
        count = self.samples if samples is None else samples
        return DocumentSettings(__version__, seed, count, min(self.rank_samples, count), self.level)


def load(sources: Any, parameters: DocumentsParameters) -> dict[str, DocumentCollection]:
    """The one collection, by the name of its qrels."""
    if isinstance(sources, DocumentCollection):
        name, collection = "runs", sources
    elif parameters.qrels:
        name, collection = file_stem(parameters.qrels), read_collection(parameters.qrels, sources)
    else:
        raise InputError(f"name the judgments of the runs: {setting('qrels', 'FILE')}")
    if parameters.system and parameters.system not in collection.systems:
        raise unknown_name("system", parameters.system, collection.systems)
    for measure in map(place_measure, parameters.measures):
        check_rankable(raw_scores(collection, measure))
        for model in map(document_model, parameters.models):
            check_gradable(collection, measure, model)
    return {name: collection}


@dataclass(frozen=True, eq=False)
class Ranked:
    """The collection as one measure ranks it: systems are in ranking order."""

    measure: PlaceMeasure
    scores: ScoreMatrix
    collection: DocumentCollection


@dataclass(frozen=True, eq=False)
class Context:
    """What the tasks need; the seed is the run's, so that digits are those of ``truerank documents``."""

    seed: int
    sizes: Sequence[int]
    models: Mapping[str, documents.DocumentModel]
    measures: Mapping[str, Ranked]


def prepare(parameters: DocumentsParameters, data: Mapping[str, DocumentCollection], seed: int) -> Context:
    """Rank the systems by every measure; look up models, so that the user's own go to the workers."""
    collection = next(iter(data.values()))
    measures = {}
    for name in parameters.measures:
        measure = place_measure(name)
        scores = raw_scores(collection, measure)
        measures[name] = Ranked(measure, scores.ranked(), collection.select(scores.order))
    models = {name: document_model(name) for name in parameters.models}
    return Context(seed, chunk_sizes(parameters.samples), models, measures)


def methods(parameters: DocumentsParameters) -> dict[str, list[Any]]:
    return {
        "models": [document_model(name) for name in parameters.models],
        "summaries": [*SUMMARIES.values(), ASL, ED],
    }


def grid(parameters: DocumentsParameters, data: Sequence[str]) -> Grid:
    """One task a chunk of samples, measure and model; first chunks of all come first."""
    chunks = range(len(chunk_sizes(parameters.samples)))
    return Grid({"chunk": chunks, "measure": parameters.measures, "model": parameters.models})


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """One chunk of samples; with the first one, the topics and notes that they are read with."""
    ranked = context.measures[str(task["measure"])]
    model = context.models[str(task["model"])]
    chunk = int(task["chunk"])
    of = ranked.collection, ranked.measure, model
    scores = sampled_scores(*of, chunk, context.sizes[chunk], context.seed)
    part = averaged(scores)
    systems = ranked.scores.systems
    first = chunk == 0
    notes = (*model_notes(ranked.collection, ranked.measure, model), *ranked.scores.notes) if first else ()
    columns = (systems, ranked.scores.values.T, part.topic_means.T, part.topic_variances.T)
    return {
        "samples": _records(("means", "t"), zip(part.means, absolute_t_of_samples(scores), strict=True)),
        "systems": _records(("system", "raw", "topic_means", "topic_variances"), zip(*columns, strict=True)),
        "topics": [{"topic": topic} for topic in ranked.scores.topics] if first else [],
        "notes": [{"code": note.code, "note": note.text, "level": note.level} for note in notes],
    }


def _records(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Row]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def analyses(results: Results) -> dict[str, list[DocumentAnalysis]]:
    """By measure the analysis under every model; the samples of one are in memory at a time."""
    parameters: DocumentsParameters = results.parameters
    small = {table: results.frame(table) for table in ("systems", "topics", "notes")}
    result: dict[str, list[DocumentAnalysis]] = {}
    for measure in parameters.measures:
        for model in parameters.models:
            systems, topics, notes = (_of(frame, measure, model) for frame in small.values())
            if not len(topics):  # the first chunk, which all are compared with, is not there yet
                continue
            of_chunks = dict(tuple(systems.groupby("chunk", sort=True)))
            samples = [_of(frame, measure, model) for frame in results.frames("samples")]
            samples = [item for item in samples if len(item)]
            drawn = join([_samples(item, of_chunks) for item in samples])
            t = np.concatenate([_matrix(item["t"]) for item in samples])
            raw, names = _matrix(of_chunks[0]["raw"]).T, list(of_chunks[0]["system"])
            scores = ScoreMatrix.build(raw, list(topics["topic"]), names, place_measure(measure).name)
            settings = parameters.settings(results.manifest["seed"], drawn.count)
            columns = [notes[key] for key in ("code", "note", "level")] if len(notes) else []
            said = [Note(code, {"text": text}, level) for code, text, level in zip(*columns, strict=True)]
            analysis = summaries_of(scores, drawn, document_model(model), settings, said)
            analysis = with_significance(analysis, drawn, t, parameters.alpha)
            result.setdefault(measure, []).append(analysis)
    return result


def _of(frame: DataFrame, measure: str, model: str) -> DataFrame:
    return frame[(frame["measure"] == measure) & (frame["model"] == model)] if len(frame) else frame


def _samples(rows: DataFrame, systems: Mapping[Any, DataFrame]) -> Samples:
    own = systems[rows["chunk"].iloc[0]]
    return Samples(
        _matrix(rows["means"]), *(_matrix(own[f"topic_{what}"]).T for what in ("means", "variances"))
    )


def _matrix(rows: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.stack(list(rows))


def summarize(results: Results) -> Summary:
    from truerank.report.charts.plots import error_chart, topic_chart

    result, system = analyses(results), results.parameters.system or None
    if not result:
        return Summary(())
    figures: dict[str, Any] = {}
    for measure, of_models in result.items():
        suffix = f"-{measure}" if len(results.parameters.measures) > 1 else ""
        figures[f"topics{suffix}"] = partial(topic_chart, of_models, system)
        figures[f"error-rate{suffix}"] = partial(error_chart, of_models)
    systems = next(iter(result.values()))[0].scores.m
    return Summary(tables("documents", _frames(result, system), pairs=math.comb(systems, 2)), figures)


def _frames(result: Mapping[str, Sequence[DocumentAnalysis]], system: str | None) -> dict[str, DataFrame]:
    import pandas as pd

    every = [item for of_models in result.values() for item in of_models]

    def of_each(rows_of: Callable[[DocumentAnalysis], list[Row]]) -> DataFrame:
        """The rows that each analysis has, with measure and model before them."""
        return pd.DataFrame(
            [{"measure": a.measure, "model": a.model} | row for a in every for row in rows_of(a)]
        )

    rates = [  # a row a bin, a column a model
        {"measure": measure, "from": f"{row[0].low:.2f}"}
        | {a.model: one.error_rate for a, one in zip(of_models, row, strict=True)}
        for measure, of_models in result.items()
        for row in zip(*(a.error_rate for a in of_models), strict=True)
    ]
    warnings = of_each(lambda a: [{"warning": warning} for warning in a.warnings])
    return {
        "table-1": of_each(lambda a: [{number.column: number.value for number in _in_columns(a)}]),
        "intervals": of_each(lambda a: _with_ends((n.column, n.value, n.interval) for n in _in_columns(a))),
        "moves": of_each(lambda a: _with_ends((n.of_one, n.value, n.spread) for n in a.numbers)),
        "error-rate": pd.DataFrame(rates),
        "bins": of_each(_bins),
        "systems": of_each(
            lambda a: _records(("system", "raw", "sampled", "sd", "low", "high"), map(astuple, a.ranking))
        ),
        **({"warnings": warnings} if len(warnings) else {}),
        "topics": of_each(partial(_topics, system=system)),
    }


def _in_columns(a: DocumentAnalysis) -> list[SummaryNumber]:
    """The numbers that tables show: the leading one of every summary, then the others."""
    shown = {number.column: number for number in a.numbers if number.column}
    leading = [shown.pop(name) for name in ("krcc", "pct", "ed")]
    return [*leading, *shown.values()]


def _with_ends(items: Iterable[tuple[str, float, Any]]) -> list[Row]:
    return [
        {"what": what, "value": value, "low": interval.low, "high": interval.high}
        for what, value, interval in items
        if interval is not None
    ]


def _bins(a: DocumentAnalysis) -> list[Row]:
    names = ("from", "to", "count", "errors", "error_rate", "low", "high")
    rows = ((b.low, b.high, b.count, b.errors, b.error_rate, *b.interval) for b in a.error_rate)
    return _records(names, rows)


def _topics(a: DocumentAnalysis, system: str | None) -> list[Row]:
    s = a.scores.systems.index(system) if system else 0
    raw, mean, sd = a.scores.values[:, s], a.topic_means[:, s], a.topic_deviations[:, s]
    columns = (a.scores.topics, *(c.tolist() for c in (raw, mean, sd, np.abs(mean - raw))))
    rows = _records(("topic", "raw", "sampled", "sd", "off"), zip(*columns, strict=True))
    return [{"system": a.scores.systems[s]} | row for row in rows]


PARTS = {"load": load, "prepare": prepare, "grid": grid, "methods": methods}

EXPERIMENT = declared("documents", DocumentsParameters, work, summarize, 1, PARTS)

"""The view of an assessment: how close the ranking is, and which ranks each system may truly have."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.plain import plain
from truerank._support.references import REFERENCES
from truerank._support.tables import Bounded, Column, Count, Name, Number, Ranks, Table, Text
from truerank._support.types import Matrix
from truerank._support.wording import level_text, listed, number, percent, score_digits
from truerank.coefficients import COEFFICIENTS
from truerank.kinds import Plain
from truerank.numerics.intervals import in_unit_range
from truerank.planning.beliefs import tau_of_twice
from truerank.reliability.diagnostics import GRAVEST
from truerank.reliability.estimators import ESTIMATORS, SplitHalfEstimator
from truerank.reliability.means import AGGREGATES
from truerank.reliability.pair.contrast import FEW
from truerank.reliability.predictive import DEPENDENCES
from truerank.reliability.results import Assessment, Estimate, RankedSystem, true_coefficients
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import beside, by, ends_of, made, settings, subject
from truerank.report.words import (
    Words,
    levels_counted,
    one_score_each,
    score_title,
    score_word,
    style_words,
    symbol,
)
from truerank.scores import identical_systems

SENTENCES = 5  # in the answer; what was asked for goes before what is always said


def view(a: Assessment, asked: Asked) -> View:
    words = words_of(a)
    truth = None if asked.truth is None else true_coefficients(a, asked.truth)
    ranked, answer = words("ranked"), _answer(a, words, truth)
    shown = (
        _ranking(a, words, asked),
        Section("leader", "The leader", words.all("leader"), details=True) if a.leader else None,
        beside.baseline(a, words),
        beside.trade_off(a, words),
        beside.records(a),
        beside.data_sets(a, words),
        beside.style(a, words),
        beside.arena(a, words),
        beside.machine(a, words, answer),
        *beside.noise(a, words),
        _pairs(a, words),
        _estimators(a, words),
    )
    return View(
        command="assess",
        title="How close is this ranking to the true one?",
        subject=_subject(a, words),
        answer=answer,
        sections=[section for section in shown if section],
        notes=list(a.notes),
        how=words("how"),
        made=made(a.settings.version, a.headline_estimator, a.dependence, seed=a.settings.seed),
        measure=a.measure,
        facts=({"Scores": Path(a.scores.source).name} if a.scores.source else {})
        | {"Fingerprint": f"{a.scores.fingerprint()[:16]} (of names, measure and scores, in ranking order)"},
        numbers=_numbers(a),
        sentence=f"{ranked} {words('method')}",
        quoted=["baseline"] * bool(a.baseline) + ["trade_off"] * bool(a.pareto),
        drawn=["trade-off"] if a.pareto else [],
        references=["urbano-marrero-2016", *_papers(a.estimators)],
        unit=a.counted.many,
        files={"Data": a.scores.source} if a.scores.source else {},
    )


# ── what its words are filled with ────────────────────────────────────────────────────────────────────


def words_of(a: Assessment) -> Words:
    scores, s = a.scores, a.settings
    covariates = a.covariates or ()
    style = style_words([item.name for item in covariates])
    systems = f"{scores.m:,} systems{by(a.measure)}"
    in_or_on = "on" if scores.kind.by_cells else "in"
    most = max(covariates, key=lambda item: abs(item.win_share - 0.5), default=None)
    moved = [item for item in a.ranking if item.rank_without not in (None, item.rank)]
    facets = scores.facets
    random = () if a.noise is None else a.noise.random
    rule = AGGREGATES.get(s.aggregate)
    estimator, coupled = ESTIMATORS.get(a.headline_estimator), DEPENDENCES.get(a.dependence)
    means = [item.mean for item in a.ranking]
    own = [key for key in _papers([a.headline_estimator]) if key != "urbano-marrero-2016"]
    graver = (note for note in a.notes if note.code in GRAVEST and note.meaning)
    words = Words(
        "assessment",
        a=a,
        s=s,
        scores=scores,
        m=len(a.ranking),
        first=a.ranking[0].system,
        topic=a.sampled.one,
        topics=a.sampled.many,
        counted=a.counted.many,
        level=level_text(s.levels[0]),
        score=score_word(a),
        scored={None: "score", "elo": "Elo"}.get(None if a.arena is None else a.arena.scale, "strength"),
        systems=systems,
        headline=headline(a),
        in_order=pairs_in_order(a),
        twice=_twice(a),
        digits=score_digits(means),
        finer=score_digits(means, 4),
        by_cells=scores.kind.by_cells,
        plain=type(scores.kind) is Plain,
        codes={note.code for note in a.notes},
        gravest=next(graver, None),
        facets=facets,
        random=random,
        fixed=[] if facets is None else [item for item in facets.several if item not in random],
        cells=_cells(a),
        holes=int(np.isnan(scores.values).sum()) if scores.kind.by_cells else 0,
        copies=[name for group in s.identical for name in group[1:]],
        style=style,
        moved=moved,
        most=max(moved, key=lambda item: abs(item.rank - (item.rank_without or item.rank)), default=None),
        unclear=[printable(item.name) for item in covariates if item.low <= 0 <= item.high],
        aggregate=rule,
        by_mean=rule is not None and rule.points is None,
        one_mean=scores.k == 1 or one_score_each(a),
        wilson=a.arena is None and rule and rule.points is None and in_unit_range(scores.values),
        estimator=estimator.label if estimator else "",
        coupled=coupled,
        coefficients=[_coefficient(name) for name in dict.fromkeys(e.coefficient for e in a.estimates)],
        own_paper="".join(f" [@{key}]" for key in own),
        few=FEW,
        **beside.shares_of(a),
    )
    words.facts["basis"] = words("basis")
    words.facts["of"] = (
        f"of {systems} {in_or_on} {words('basis')}{f' at equal {style}' if a.covariates else ''}"
    )
    words.facts["ranges"] = words("ranges_hold")
    words.facts["odd"] = "" if a.noise is None or a.noise.of_runs else words("odd")
    words.facts["worth"] = "" if most is None else words("worth", item=most)
    return words


def _cells(a: Assessment) -> list[str]:
    """What the scores are means of: levels of facets, and runs."""
    facets, repeats = a.scores.facets, a.scores.repeats
    over = [] if facets is None else [levels_counted(name, facets) for name in facets.several]
    if repeats is not None and repeats.several:
        least, most = int(repeats.counts.min()), int(repeats.counts.max())
        over.append(f"{most if least == most else f'{least} to {most}'} runs")
    elif facets is not None and facets.runs > 1:
        about = "" if facets.runs == round(facets.runs) else "about "
        over.append(f"{about}{facets.runs:.3g} runs")
    return over


def _coefficient(name: str) -> str:
    known = COEFFICIENTS.get(name)
    cited = "".join(f" [@{key}]" for key in known.references[:1]) if known else ""
    return f"{'Kendall’s ' * (name == 'tau')}{symbol(name)}{cited}"


def _papers(estimators: Iterable[str]) -> list[str]:
    """The first reference of each registered estimator, where it is a known paper."""
    first = [key for name in estimators if name in ESTIMATORS for key in ESTIMATORS[name].references[:1]]
    return [key for key in first if key in REFERENCES and key != "truerank"]


def headline(a: Assessment) -> Estimate:
    """The estimate that leads: τ where it was computed, by the headline estimator."""
    own = [e for e in a.estimates if e.estimator == a.headline_estimator]
    return next((e for e in own if e.coefficient == "tau"), own[0])


def pairs_in_order(a: Assessment) -> list[int]:
    """τ as pairs in the right order, of a hundred, with its interval: 100 (1 + τ)/2; none without τ."""
    estimate = headline(a)
    if estimate.coefficient != "tau" or estimate.dependence is None or math.isnan(estimate.estimate):
        return []
    interval = estimate.interval(a.settings.levels[0])
    ends = (interval.low, interval.high) if interval else (estimate.estimate,) * 2
    return [round(50 * (1 + max(-1.0, min(1.0, value)))) for value in (estimate.estimate, *ends)]


def _twice(a: Assessment) -> float | None:
    """The τ that twice the topics would bring, where `eb` can tell."""
    estimate, noise = headline(a), a.noise
    if (estimate.estimator, estimate.coefficient) != ("eb", "tau") or not a.means.linear:
        return None
    return (
        None
        if noise is not None and noise.of_runs and noise.said_of_more and not noise.negligible
        else round(tau_of_twice(a.means), 2)
    )


def _subject(a: Assessment, words: Words) -> str:
    scores, topics = a.scores, a.sampled.many
    on, sets = words.facts["basis"], f"{scores.k} data sets" if scores.k > 1 else ""
    if scores.machine is not None:
        on = f"{scores.kind.units} human {topics} · {len(scores.machine.topics):,} machine {topics}"
    elif scores.kind.by_cells and sets:
        on = "" if one_score_each(a) else on.removesuffix(f" of {sets}")
    return subject(scores.measure, f"{scores.m} systems", on, sets)


def _answer(a: Assessment, words: Words, truth: Mapping[str, float] | None) -> list[str]:
    """At most five sentences and one more where the truth is known; what was asked for goes first."""
    has = {
        "biases": a.machine,
        "trade_off": a.pareto,
        "records": a.over_time,
        "noise": a.noise,
        "style": a.covariates,
        "against": a.settings.baseline is not None and a.baseline,
    }
    asked = ["best", *(block for block, there in has.items() if there)]
    texts = {block: words.all(block) for block in ("leads", *asked)}
    room = SENTENCES - 1 - sum(map(len, texts.values()))
    for block in ("picked", *["gain"] * bool(a.machine), "in_order", "twice"):
        texts[block] = words.all(block)[: max(room, 0)]
        room -= len(texts[block])
    shown = ("in_order", "leads", "picked", "gain", *asked, "twice")
    known = [] if truth is None else words.all("truth", truth=truth)
    return [*words.all("agreement"), *(text for block in shown for text in texts.get(block, ())), *known]


def _numbers(a: Assessment) -> dict[str, str]:
    s, m = a.settings, len(a.ranking)
    result = {
        "Systems": f"{m:,}",
        "Topics": f"{a.scores.n:,}",
        "Pairs": f"{m * (m - 1) // 2:,}",
        "Level": level_text(s.levels[0]),
        "Estimator": a.headline_estimator,
        "Dependence": a.dependence,
        "Leader": listed([a.ranking[0].system]),
        "Draws": f"{s.draws:,}",
        "Seed": str(s.seed),
    }
    result |= {"DataSets": str(a.scores.k)} if a.scores.k > 1 else {}
    for item in a.estimates:
        if item.estimator == a.headline_estimator:
            result |= ends_of(
                item.coefficient.capitalize().replace("_ap", "AP"), bounded(item, s.levels[0]), 2
            )
    if a.above is not None:
        result["SeparatedPairs"] = f"{int(np.count_nonzero(a.above)):,}"
    if pairs := pairs_in_order(a):
        result |= ends_of("PairsInOrder", pairs, 0)
    if equal := sum(item.rank_low == 1 for item in a.ranking):
        result["MayBeFirstCount"] = str(equal)
    if (picked := a.leader) is not None:
        digits = score_digits([item.mean for item in a.ranking])
        result["LeaderScore"] = number(picked.observed, digits)
        result |= ends_of("LeaderScore", (picked.shrunken, picked.low, picked.high), digits, "Expected")
    if s.baseline is not None and a.baseline:
        counts: Counter[str] = Counter(item.verdict for item in a.baseline)
        result |= {"Baseline": listed([s.baseline]), "Compared": str(len(a.baseline))}
        of = {"Better": "better", "Worse": "fail", "Inconclusive": "undecided"}
        result |= {name: str(counts[verdict]) for name, verdict in of.items()}
    if (weighed := a.pareto) is not None:
        result |= {"ObservedFrontier": str(len(weighed.observed)), "Frontier": str(len(weighed.systems))}
        result |= {"FrontierSystems": listed(weighed.systems)}
    if (judge := a.machine) is not None:
        result |= {"HumanTopics": f"{judge.human_topics:,}", "MachineTopics": f"{judge.machine_topics:,}"}
        result |= {
            "Lambda": number(judge.scale, 2),
            "EffectiveTopics": f"{judge.effective_topics:,.0f}",
            "OverScored": listed([item.system for item in judge.over_scored]),
            "UnderScored": listed([item.system for item in judge.under_scored]),
        }
    if a.scores.battles is not None:
        result["Battles"] = f"{len(a.scores.battles.first):,}"
    if a.noise is not None and a.noise.of_runs:
        main = a.noise.main
        shares = {"": main.share, "Low": main.low, "High": main.high}
        result |= {f"RunsShare{end}": percent(share) for end, share in shares.items()}
    return result


# ── the ranking ───────────────────────────────────────────────────────────────────────────────────────


def _ranking(a: Assessment, words: Words, asked: Asked) -> Section:
    true_ranks: dict[str, int] = {}
    if (truth := asked.truth) is not None:
        order = sorted((s.system for s in a.ranking), key=lambda name: -truth[name])
        true_ranks = {name: rank for rank, name in enumerate(order, start=1)}
    title = score_title(a)
    figure = Figure(
        "ranking",
        words("drawn", true_ranks=true_ranks),
        lambda size: charts.ranking_chart(a.ranking, a.settings.levels[0], title, size, true_ranks),
        frozenset(s.system for s in a.ranking),
        f"Ranking {words.facts['of']}.",
        rank_ranges(words.facts["ranges"]),
    )
    level = level_text(a.settings.levels[0])
    table = Table.of(
        "ranking",
        f"Ranking {words.facts['of']}, {level} intervals",
        RankedSystem,
        a.ranking,
        {"score": score_word(a).capitalize(), "level": level, "style": words.facts["style"]},
        sparse="rank_low win_rate battles mean_without rank_without letters marginal_low shrunken",
        note=words("ranking_note"),
        advice=words("beside_tests"),
    ).rounded_for(beside.means_shown(a))
    if true_ranks:
        column = Column("True rank", Count(), "true_rank", "true rank, known here")
        rows = [(*row, true_ranks.get(row[table.names[0]])) for row in table.rows]
        table = replace(table, columns=(*table.columns, column), rows=rows)
    return Section("ranking", "Ranking", words.all("true_ranking"), [figure], [table])


def rank_ranges(together: str) -> str:
    """What rank ranges are, and how surely they hold together; empty where there are none."""
    return f"Rank range: ranks that a system may truly have. {together}" if together else ""


def together(results: Sequence[Assessment], asked: Asked) -> Section:
    """The rankings by several measures side by side, in the order of the first."""
    first = results[0]
    level = level_text(first.settings.levels[0])
    rows: dict[str, list[Any]] = {s.system: [s.system] for a in results for s in a.ranking}
    columns = [Column("System", Name(), "system")]
    for a in results:
        result = {s.system: s for s in a.ranking}
        name = a.measure or score_word(a)
        columns.append(Column(name, Number(), f"mean {name}"))
        columns.append(Column("Rank", Count(), f"rank {name}"))
        columns.append(Column("Range", Ranks(high=f"rank_high {name}"), f"rank_low {name}"))
        for system, row in rows.items():
            s = result.get(system)
            row += [None, None, (None, None)] if s is None else [s.mean, s.rank, (s.rank_low, s.rank_high)]
    table = Table(
        "measures",
        f"Ranking by {listed([a.measure for a in results])}",
        tuple(columns),
        list(rows.values()),
        f"In the order of {first.measure}. Range: rank range, joint for all systems at {level}.",
    )
    return Section("measures", "Measures side by side", tables=[table])


# ── pairs and estimators ──────────────────────────────────────────────────────────────────────────────


def _pairs(a: Assessment, words: Words) -> Section | None:
    probabilities = a.swap_probabilities.get(a.headline_estimator)
    if probabilities is None:
        return None
    counted = np.triu(np.ones_like(probabilities, dtype=bool), 1)
    for group in identical_systems(a.scores):
        counted[np.ix_(group, group)] = False
    pairs = int(counted.sum())
    text = words.all(
        "pairs",
        pairs=pairs,
        doubtful=int(np.sum(probabilities[counted] >= 0.25)),
        copies=2 * pairs < counted.size - len(counted),
        separated=None if a.above is None else int(np.count_nonzero(a.above)),
    )
    level = level_text(a.settings.levels[0])
    drawn = lambda: charts.drawing(a, level)  # noqa: E731
    return Section("pairs", "Pairs", text if pairs else [], [], _swap_tables(a), True, drawn)


@dataclass(frozen=True, eq=False)
class _Named(Sequence[list[Any]]):
    """The rows of a matrix, a name before each, made as they are read: m × m numbers are many objects."""

    names: Sequence[str]
    matrix: Matrix

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[item] for item in range(len(self))[place]]
        return [self.names[place], *self.matrix[place].tolist()]


def _swap_tables(a: Assessment) -> list[Table]:
    """The probabilities of the wrong order, one matrix per estimator, for files."""
    names = list(a.scores.systems)
    columns = (Column("System", Name(), "system"), *(Column(name, Number(), name) for name in names))
    return [
        Table(
            f"swaps_{estimator}",
            f"Probability that a pair is in the wrong order, by {estimator}",
            columns,
            _Named(names, matrix),
            files_only=True,
        )
        for estimator, matrix in a.swap_probabilities.items()
    ]


def _estimators(a: Assessment, words: Words) -> Section:
    """The expected correlation by each estimator that was computed, with its interval."""
    names = list(dict.fromkeys(e.coefficient for e in a.estimates))
    known = [COEFFICIENTS[name] for name in names if name in COEFFICIENTS]
    text = [f"{item.label} {item.reading}" for item in known if item.reading]
    text.append("Estimators differ in what they assume; where they agree, the assumptions matter little.")
    tables = [_correlation(a, words, names), _estimates(a), _settings(a)]
    return Section("estimators", "Estimators", text, tables=tables, details=len(a.estimators) == 1)


def bounded(estimate: Estimate, level: float) -> tuple[float, float | None, float | None]:
    """An estimate with the ends of its interval, where it has one."""
    interval = estimate.interval(level)
    return (estimate.estimate, interval.low, interval.high) if interval else (estimate.estimate, None, None)


def _correlation(a: Assessment, words: Words, names: Sequence[str]) -> Table:
    """The estimates for reading: one row per estimator, one column per coefficient."""
    level, shown = a.settings.levels[0], a.estimators
    columns = [Column("Estimator", Text(), "estimator")]
    columns += [
        Column(
            f"{symbol(name)} ({level_text(level)} interval)",
            Bounded(digits=2, low=f"{name}_low", high=f"{name}_high"),
            name,
            "expected correlation of the observed ranking with the true one",
        )
        for name in names
    ]
    labels = {name: ESTIMATORS[name].label if name in ESTIMATORS else name for name in shown}
    called = {name: label if label == name else f"{label} ({name})" for name, label in labels.items()}
    rows = [[called[name], *(bounded(a.estimate(c, name), level) for c in names)] for name in shown]
    split = [name for name in shown if isinstance(ESTIMATORS.get(name), SplitHalfEstimator)]
    note = f"{', '.join(split)}: of two samples of {a.counted.many} with each other, for comparison only."
    on = words.facts["of"].removeprefix("of ")
    return Table(
        "correlation",
        f"Expected correlation with the true ranking ({on})",
        tuple(columns),
        rows,
        note if split else "",
        strong=frozenset({shown.index(a.headline_estimator)} if len(shown) > 1 else ()),
    )


def _estimates(a: Assessment) -> Table:
    ends = [f"{i.method}_{100 * i.level:g}" for e in a.estimates for i in e.intervals]
    keys = [f"{end}_{name}" for name in dict.fromkeys(ends) for end in ("low", "high")]
    columns = [Column(key, Text(), key) for key in ("estimator", "coefficient", "dependence")]
    columns += [Column(key, Number(), key) for key in ("estimate", "variance", *keys)]
    rows = []
    for e in a.estimates:
        row: dict[str, float] = {}
        for i in e.intervals:
            row |= {f"low_{i.method}_{100 * i.level:g}": i.low, f"high_{i.method}_{100 * i.level:g}": i.high}
        first = [e.estimator, e.coefficient, e.dependence, e.estimate, e.variance]
        rows.append([*first, *(row.get(key) for key in keys)])
    return Table("estimates", "All estimates", tuple(columns), rows, files_only=True)


def _settings(a: Assessment) -> Table:
    """What to cite: measure, sizes, headline, and everything that sets the digits."""
    result: dict[str, Any] = {
        "measure": a.measure,
        a.sampled.many: a.scores.n,
        "systems": a.scores.m,
        "headline estimator": a.headline_estimator,
        "dependence": a.dependence_of(a.headline_estimator),
    }
    if a.machine is not None:
        result[f"machine {a.sampled.many}"] = a.machine.machine_topics
        result[f"effective {a.sampled.many}"] = a.machine.effective_topics
        result["lambda"] = a.machine.scale
    return settings(result | plain(a.settings))
